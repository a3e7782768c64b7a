//! Reads the nodes of an EAB document.

mod service;
mod values;

use std::{borrow::Cow, sync::Arc};

use toolwright_model::{
    Effect, JsonPointer, Method, ServiceName, StatusPattern,
    eab::{HANDSHAKE, PATH},
    settings::Reader as _,
};

use super::{EabCall, EabService, outcome};
use crate::language::standard_method::StandardMethod;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::{Placed, Sources},
        tree::{Field, Node},
    },
    parse::{
        openapi::{MediaType, OperationKey, ParsedOperation, Protocol, RequestBody, Response},
        strict,
    },
};

/// The keys of each object in the meta-schema.
const ROOT: &[&str] = &["eab", "info", "service", "methods", "$defs"];
const INFO: &[&str] = &["title", "version", "description"];
const METHOD: &[&str] = &[
    "summary",
    "description",
    "effect",
    "noun",
    "timeout_seconds",
    "params",
    "result",
];

/// The maximum timeout, in seconds: one day.
const LONGEST_TIMEOUT: u64 = 24 * 60 * 60;

/// The only media type on the wire.
const JSON: &str = "application/json";

/// Reads one document. A method that returns `None` has reported an error.
pub(super) struct EabReader<'a, 'd> {
    pub(super) strict: strict::StrictReader<'d>,
    pub(super) sources: &'a Sources,
    /// The schema of the response envelope.
    pub(super) outcome: &'a Node,
}

/// The contents of a document.
pub(super) struct Read<'a> {
    pub(super) title: String,
    pub(super) version: String,
    pub(super) service: ServiceName,
    pub(super) operations: Vec<ParsedOperation<'a>>,
    pub(super) broken: Vec<OperationKey>,
}

impl<'a> EabReader<'a, '_> {
    pub(super) fn document(&mut self, root: &'a Node) -> Option<Read<'a>> {
        self.check_keys(root, ROOT);
        let info = self.section(root, "info");
        let (title, version) = match info {
            Some(info) => {
                self.check_keys(info, INFO);
                self.strict.placed_text(info, "description");
                let title = self.required_text(info, "title", "`info`");
                (title, self.required_text(info, "version", "`info`"))
            }
            None => (None, None),
        };
        let service = self.section(root, "service");
        let service = service.and_then(|node| self.service(node));
        let methods = self.section(root, "methods");
        self.definitions(root);
        let (name, service) = service?;
        let mut operations = Vec::new();
        let mut broken = Vec::new();
        for (method, field) in methods.and_then(Node::as_object).into_iter().flatten() {
            let key = key(method, field);
            match self.method(&key, field, &service) {
                Some(operation) => operations.push(operation),
                None => broken.push(key),
            }
        }
        Some(Read {
            title: title.map_or_else(String::new, |title| title.value),
            version: version.map_or_else(String::new, |version| version.value),
            service: name,
            operations,
            broken,
        })
    }

    fn definitions(&mut self, root: &'a Node) {
        let definitions = root.get("$defs");
        let Some(definitions) = definitions.and_then(|node| self.object(node, "`$defs`")) else {
            return;
        };
        for (name, schema) in definitions.fields() {
            self.schema(schema, &format!("the definition `{name}`"));
        }
    }

    fn method(
        &mut self,
        key: &OperationKey,
        field: &'a Field,
        service: &Arc<EabService>,
    ) -> Option<ParsedOperation<'a>> {
        let name = key.operation_id.as_deref().unwrap_or_default();
        let sound = self.method_name(name, field);
        let node = self.object(&field.node, &format!("the method `{name}`"))?;
        self.check_keys(node, METHOD);
        let effect = self.strict.word(node, "effect", Effect::ALL);
        let noun = self.noun(node);
        let timeout = self.timeout(node);
        let summary = self.strict.text(node, "summary");
        let description = self.strict.text(node, "description");
        let params = self.schema_at(node, "params");
        let result = self.schema_at(node, "result");
        let is_broken = |key: &str, read: bool| node.get(key).is_some() && !read;
        if !sound
            || is_broken("effect", effect.is_some())
            || is_broken("noun", noun.is_some())
            || is_broken("timeout_seconds", timeout.is_some())
            || is_broken("params", params.is_some())
            || is_broken("result", result.is_some())
        {
            return None;
        }
        let extensions = node.fields().filter(|(key, _)| key.starts_with("x-"));
        Some(ParsedOperation {
            key: key.clone(),
            summary,
            description,
            deprecated: false,
            parameters: Vec::new(),
            body: params.map(|schema| body(schema)),
            responses: vec![self.answer(key, result)],
            servers: Vec::new().into(),
            security: Vec::new(),
            has_own_security: false,
            extensions: extensions.collect(),
            protocol: Protocol::Eab(EabCall {
                service: Arc::clone(service),
                noun,
                effect: effect.map(|effect| effect.value),
                timeout_seconds: timeout.unwrap_or_else(|| StandardMethod::timeout_of(name)),
            }),
        })
    }

    /// Checks whether a method name matches the grammar.
    fn method_name(&mut self, name: &str, field: &Field) -> bool {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let starts = name.starts_with(|first: char| first.is_ascii_lowercase());
        let fault = if name == HANDSHAKE {
            Diagnostic::error(
                Code::UnknownValue,
                field.key,
                format!("a document cannot declare the method `{HANDSHAKE}`"),
            )
            .note("every service has this method, and it is called before all others")
            .help("remove it")
        } else if !starts || !name.split('_').all(is_word) {
            Diagnostic::error(
                Code::UnknownValue,
                field.key,
                format!("`{name}` is not a valid method name"),
            )
            .help(
                "write lower-case words joined by single underscores, such as `extract_interfaces`",
            )
        } else {
            return true;
        };
        self.strict.report(fault);
        false
    }

    fn noun(&mut self, node: &Node) -> Option<String> {
        let Placed { value, place } = self.strict.placed_text(node, "noun")?;
        let is_word = |word: &str| {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            !word.is_empty() && word.bytes().all(plain)
        };
        if value.split('-').all(is_word) {
            return Some(value);
        }
        let message = format!("`{value}` is not a valid noun");
        let fault = Diagnostic::error(Code::UnknownValue, place, message);
        let help = "write lower-case words joined by single hyphens, such as `dependency-graph`";
        self.strict.report(fault.help(help));
        None
    }

    fn timeout(&mut self, node: &Node) -> Option<u64> {
        let range = 1..=LONGEST_TIMEOUT;
        let seconds = self.strict.number(node, "timeout_seconds", range)?;
        Some(seconds.value)
    }

    /// Returns the response of the method's tool.
    fn answer(&self, key: &OperationKey, result: Option<&'a Node>) -> Response<'a> {
        let schema = outcome::of_method(self.outcome, key.place, result);
        Response {
            status: StatusPattern::Exact(200),
            description: "The result of the method.".to_owned(),
            content: vec![media_type(Cow::Owned(schema))],
            headers: Vec::new(),
        }
    }
}

fn key(method: &str, field: &Field) -> OperationKey {
    OperationKey {
        method: Method::Post,
        path: format!("{PATH}{method}"),
        operation_id: Some(method.to_owned()),
        place: field.key,
        pointer: JsonPointer::from_iter(["methods", method]).into(),
        tags: Vec::new(),
    }
}

fn body(schema: &Node) -> RequestBody<'_> {
    RequestBody {
        place: schema.place,
        description: None,
        required: true,
        content: vec![media_type(Cow::Borrowed(schema))],
    }
}

fn media_type(schema: Cow<'_, Node>) -> MediaType<'_> {
    MediaType {
        name: JSON.to_owned(),
        schema: Some(schema),
        item_schema: None,
        encoding: Vec::new(),
        part_headers: Vec::new(),
    }
}
