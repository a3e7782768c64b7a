//! Detects the specification of a document.

use toolwright_model::most_similar;

use super::reader::{Inherited, OpenApiReader};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::Sources,
        tree::Node,
    },
    parse::dialect::Dialect,
};

/// The specification of a document.
#[derive(Clone, Debug)]
pub(super) struct Version {
    /// The format and its version: `openapi 3.0.3`.
    pub(super) format: String,
    pub(super) dialect: Dialect,
}

impl Version {
    /// Returns the document-wide defaults for operations.
    pub(super) fn read_inherited<'a>(
        &self,
        reader: &mut OpenApiReader<'a, '_>,
        root: &'a Node,
    ) -> Inherited<'a> {
        match self.dialect {
            Dialect::Swagger2 => reader.swagger_root(root),
            Dialect::OpenApi30 | Dialect::JsonSchema => reader.openapi_root(root),
        }
    }
}

/// Returns the specification that a document declares.
pub(super) fn detect(root: &Node, sources: &Sources) -> Result<Version, Box<Diagnostic>> {
    for (key, expected, dialects) in [
        ("openapi", "`3.0`, `3.1` or `3.2`", OPENAPI),
        ("swagger", "`2.0`", SWAGGER),
    ] {
        let Some(node) = root.get(key) else { continue };
        let text = super::reader::text(node, sources).unwrap_or_default();
        let known = dialects
            .iter()
            .find(|(version, _)| is_of_version(&text, version));
        return match known {
            Some((_, dialect)) => Ok(Version {
                format: format!("{key} {text}"),
                dialect: *dialect,
            }),
            None => Err(Box::new(
                Diagnostic::error(
                    Code::UnsupportedVersion,
                    node.place,
                    format!("unsupported version `{text}` of `{key}`"),
                )
                .label(format!("expected {expected}"))
                .help("convert the document to a supported version"),
            )),
        };
    }
    Err(Box::new(not_a_specification(root)))
}

const OPENAPI: &[(&str, Dialect)] = &[
    ("3.0", Dialect::OpenApi30),
    ("3.1", Dialect::JsonSchema),
    ("3.2", Dialect::JsonSchema),
];

const SWAGGER: &[(&str, Dialect)] = &[("2.0", Dialect::Swagger2), ("2", Dialect::Swagger2)];

/// Checks a version prefix: `3.0.3` and `3.0` match `3.0`, `3.01` does not.
fn is_of_version(text: &str, version: &str) -> bool {
    text.strip_prefix(version)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
}

fn not_a_specification(root: &Node) -> Diagnostic {
    let mut place = root.place;
    place.end = place.start;
    let message = "this is neither an OpenAPI nor an EAB document";
    let diagnostic = Diagnostic::error(Code::NotASpecification, place, message);
    let Some(fields) = root.as_object() else {
        return diagnostic
            .note(format!("it is {}, not an object", root.kind()))
            .help("pass an OpenAPI or EAB document in JSON or YAML");
    };
    let keys = fields.keys().map(String::as_str);
    let similar = keys
        .clone()
        .find(|key| matches!(key.to_lowercase().as_str(), "openapi" | "swagger"))
        .or_else(|| most_similar("openapi", keys));
    match similar.and_then(|key| Some((key, fields.get(key)?))) {
        Some((key, field)) => Diagnostic {
            primary: crate::document::diagnostic::Label {
                place: field.key,
                text: String::new(),
            },
            ..diagnostic
        }
        .help(format!(
            "a key with a similar name exists: `{key}`; write `openapi`"
        )),
        None => diagnostic
            .note("it has none of the keys `openapi`, `swagger`, `eab`, `mcp` and `__schema`")
            .help("add `openapi: 3.1.0`, or pass another document"),
    }
}
