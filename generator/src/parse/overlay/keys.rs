//! The keys of overlays. Each key is declared once. The reader and the JSON Schema of overlays are
//! both derived from these declarations.

use serde_json::{Map, Value};
use toolwright_model::{Category, Effect, ServiceName, ToolName, settings::Reader as _};

use super::graphql::{Depth, Scalars};
use super::shapes::{
    Alternatives, Any, BaseUrl, Boolean, ByName, HttpScheme, Index, KeyShape, Nested, Parsed,
    PathsShape, Reasons, SelectorsShape, Strings, StringsByName, Text, TypeNames, Values, VerbWord,
    Word, Words,
};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        tree::Node,
    },
    parse::{format::Format, strict::StrictReader},
};

/// A table with declared keys, after reading.
pub(super) trait OverlayTable: Sized {
    /// The name among the definitions of the schema.
    const NAME: &'static str;
    const KEYS: &'static [&'static str];
    const RULES: &'static [KeyRule];

    /// Returns the schema of each key.
    fn properties() -> Map<String, Value>;

    /// Reads all keys and reports every fault.
    fn read(reader: &mut StrictReader<'_>, node: &Node) -> Self;
}

/// A rule for the keys of one table.
pub(super) enum KeyRule {
    /// The table has at most one of the keys.
    AtMostOne(&'static [&'static str]),
    /// The table has exactly one of the keys. The string is the help if it has not.
    ExactlyOne(&'static [&'static str], &'static str),
    /// A table with the key has one of the others, too.
    Needs(&'static str, &'static [&'static str]),
}

/// Returns the key of a field. The name of a field that is a word of Rust begins with `r#`.
const fn key_of(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', key @ ..] => match str::from_utf8(key) {
            Ok(key) => key,
            Err(_) => field,
        },
        _ => field,
    }
}

/// Declares a table: the comment of a key is its description in the schema.
macro_rules! table {
    (
        $(#[$doc:meta])*
        $table:ident = $name:literal {
            $($(#[doc = $about:literal])+ $key:ident: $shape:ty,)+
        }
        $($rule:expr;)*
    ) => {
        $(#[$doc])*
        pub(super) struct $table {
            $($(#[doc = $about])+ pub(super) $key: <$shape as KeyShape>::Read,)+
        }

        impl OverlayTable for $table {
            const NAME: &'static str = $name;
            const KEYS: &'static [&'static str] = &[$(key_of(stringify!($key))),+];
            const RULES: &'static [KeyRule] = &[$($rule),*];

            fn properties() -> Map<String, Value> {
                let properties = [$((
                    key_of(stringify!($key)),
                    <$shape>::schema(),
                    concat!($($about),+),
                )),+];
                properties.into_iter().map(described).collect()
            }

            fn read(reader: &mut StrictReader<'_>, node: &Node) -> Self {
                reader.check_keys(node, Self::KEYS);
                for rule in Self::RULES {
                    rule.check(reader, node);
                }
                Self { $($key: <$shape>::read(reader, node, key_of(stringify!($key))),)+ }
            }
        }
    };
}

table! {
    /// The root.
    Root = "overlay" {
        /// The name of the service: one lower-case word.
        service: Parsed<ServiceName>,
        /// The base URL of all requests, instead of the document's servers.
        base_url: BaseUrl,
        /// The server, one of the document's own.
        server: Nested<Server>,
        /// True if the document is your own, or trusted: `x-toolwright` in its operations then
        /// counts as an entry of this overlay.
        trust_document: Boolean,
        /// The operations that become tools: `getItem`, `GET /items/{id}`, `DELETE *`, `*
        /// /admin/*`, `tag:Items`. Without this key, all of them.
        include: SelectorsShape,
        /// The operations that do not become tools.
        exclude: SelectorsShape,
        /// OpenAPI Overlay documents that are applied to the document before this overlay: paths
        /// below the folder of this file.
        openapi_overlays: Strings,
        /// Formats of JSON Schema whose values have Rust types of their own: `uuid`, `date-time`.
        typed_formats: Words<Format>,
        /// The tools of a GraphQL schema.
        graphql: Nested<Graphql>,
        /// Corrections of schemas, by their JSON Pointers: `/components/schemas/Item`.
        patches: ByName<SchemaPatch>,
        /// Security schemes that the document does not declare, by name, for `security`.
        schemes: ByName<SecurityScheme>,
        /// The credentials that every operation needs, instead of what the document declares.
        security: Nested<Security>,
        /// Headers of every request that the document does not declare, by name.
        headers: ByName<Header>,
        /// Values of parameters and body fields, by their names on the wire, for every operation
        /// that has them.
        pin: ByName<Pin>,
        /// Parameters and body fields, by their names on the wire, that are neither arguments nor
        /// sent; `*` matches any characters: `query:page*`.
        hide: Strings,
        /// Path parameters, by their names on the wire, whose values may contain `/` and other
        /// separators, each with the reason.
        allow_separators: Reasons,
        /// The curation of operations, by selector: `getItem`, `GET /items/{id}`, `tag:Items`.
        operations: ByName<OverlayOperation>,
        /// Proposed entries of single operations, by selector. They have no effect until a person
        /// accepts them.
        proposals: ByName<Proposal>,
    }
    KeyRule::AtMostOne(&["base_url", "server"]);
}

table! {
    /// The entry of an operation.
    OverlayOperation = "operation" {
        /// The name of the tool, `<verb>-<service>-<noun>`.
        name: Parsed<ToolName>,
        /// The verb of the tool's name; the noun is derived.
        verb: VerbWord,
        /// The noun of the tool's name, such as `item-comments`; the verb is derived.
        noun: Text,
        /// A title for people.
        title: Text,
        /// A description in one line.
        short: Text,
        /// The whole description, instead of the document's.
        description: Text,
        /// When an agent should choose this tool rather than another.
        when_to_use: Text,
        /// The heading that lists the tool.
        section: Text,
        /// The server, one of those that the document offers for the operation.
        server: Nested<Server>,
        /// The credentials that this operation needs, instead of what the document declares.
        security: Nested<Security>,
        /// Headers of this operation that the document does not declare, by name.
        headers: ByName<Header>,
        /// Values of parameters and body fields of this operation, by their names on the wire.
        pin: ByName<Pin>,
        /// Parameters and body fields of this operation that are neither arguments nor sent; `*`
        /// matches any characters.
        hide: Strings,
        /// Path parameters of this operation whose values may contain `/` and other separators,
        /// each with the reason.
        allow_separators: Reasons,
        /// The parts of the response that the tool returns.
        response: Nested<ResponseParts>,
        /// The governance category.
        category: Word<Category>,
        /// The effect of a call on the service's state. It determines category, approval and hints.
        effect: Word<Effect>,
        /// True if a person must approve each call.
        approval_required: Boolean,
        /// True if the tool is on unless the operator switches it off.
        enabled_by_default: Boolean,
        /// The MCP annotations.
        hints: Nested<Hints>,
        /// The reason for the governance in this entry. Governance that is lower than the evidence
        /// requires one.
        reason: Text,
    }
    KeyRule::AtMostOne(&["name", "verb"]);
    KeyRule::AtMostOne(&["name", "noun"]);
    KeyRule::Needs(
        "reason",
        &["category", "effect", "approval_required", "enabled_by_default", "hints"],
    );
}

table! {
    /// The parts of a response that a tool returns.
    ResponseParts = "response" {
        /// The parts that are returned, with the objects and arrays around them: paths of JSONPath with
        /// names and wildcards, such as `$.results[*].id`.
        keep: PathsShape,
        /// The parts that are left out.
        drop: PathsShape,
        /// The reason for the projection.
        reason: Text,
    }
    KeyRule::Needs("reason", &["keep", "drop"]);
    KeyRule::ExactlyOne(&["reason"], "write the reason for the projection");
}

table! {
    /// The tools of a GraphQL schema.
    Graphql = "graphql" {
        /// The depth of results, from 1 to 5: 1 has the scalars of an object, 2 those of the objects in
        /// it, too.
        depth: Depth,
        /// The types of custom scalars in JSON, by name: `Money = "string"`.
        scalars: Scalars,
        /// Files with operations, or folders with such files: paths below the folder of this file. Each
        /// operation is a tool, in place of those of the fields of the schema.
        operations: Strings,
    }
}

table! {
    /// A proposed entry of an operation.
    Proposal = "proposal" {
        /// The command that proposed it.
        proposed_by: Text,
        /// The reason for the proposal.
        reason: Text,
        /// The verb of the tool's name.
        verb: VerbWord,
        /// The noun of the tool's name.
        noun: Text,
        /// A title for people.
        title: Text,
        /// A description in one line.
        short: Text,
        /// The whole description, instead of the document's.
        description: Text,
        /// When an agent should choose this tool rather than another.
        when_to_use: Text,
        /// The effect of a call on the service's state.
        effect: Word<Effect>,
    }
    KeyRule::ExactlyOne(&["proposed_by"], "write who proposed it");
    KeyRule::ExactlyOne(&["reason"], "write the reason for the proposal");
}

table! {
    /// A pin.
    Pin = "pin" {
        /// The service constant of the credentials that holds the value.
        constant: Text,
        /// The value.
        value: Any,
    }
    KeyRule::ExactlyOne(
        &["constant", "value"],
        "write `value`, or `constant` with the name of a constant in the credentials",
    );
}

table! {
    /// The correction of a schema.
    SchemaPatch = "patch" {
        /// Properties that are not required; `*` matches any characters.
        optional: Strings,
        /// Properties that are required; `*` matches any characters.
        required: Strings,
        /// True if null is allowed, false if not.
        nullable: Boolean,
        /// True if the values are secret: they are masked where people see them. False if not.
        secret: Boolean,
        /// The type, or several.
        r#type: TypeNames,
        /// The allowed values; an empty array allows any.
        r#enum: Values,
        /// The reason for the correction.
        reason: Text,
    }
    KeyRule::Needs("reason", &["optional", "required", "nullable", "secret", "type", "enum"]);
    KeyRule::ExactlyOne(&["reason"], "write the reason for the correction");
}

table! {
    /// A security scheme.
    SecurityScheme = "scheme" {
        /// The scheme of HTTP authentication.
        http: Word<HttpScheme>,
        /// The header that carries the key.
        header: Text,
        /// The parameter of the query that carries the key.
        query: Text,
        /// The cookie that carries the key.
        cookie: Text,
        /// A word before the key in the header, such as `Token`.
        prefix: Text,
    }
    KeyRule::ExactlyOne(
        &["http", "header", "query", "cookie"],
        "write `http = \"basic\"`, or the `header`, `query` or `cookie` that carries the key",
    );
    KeyRule::Needs("prefix", &["header"]);
}

table! {
    /// The credentials that operations need.
    Security = "security" {
        /// The alternatives: the name of a scheme, or the names of several that are needed together.
        /// None means that no credentials are needed.
        any_of: Alternatives,
        /// The reason for the correction.
        reason: Text,
    }
    KeyRule::ExactlyOne(&["any_of"], "write `any_of` with the names of schemes");
    KeyRule::ExactlyOne(&["reason"], "write the reason for the correction");
}

table! {
    /// A header that the document does not declare.
    Header = "header" {
        /// The service constant of the credentials that holds the value.
        constant: Text,
        /// The value.
        value: Text,
        /// The reason for the header.
        reason: Text,
    }
    KeyRule::ExactlyOne(
        &["constant", "value"],
        "write `value`, or `constant` with the name of a constant in the credentials",
    );
    KeyRule::ExactlyOne(&["reason"], "write the reason for the header");
}

table! {
    /// The choice of a server.
    Server = "server" {
        /// The server at this position of the list, counted from 0.
        index: Index,
        /// The server with this URL, as the document writes it.
        url: Text,
        /// The server with this description.
        description: Text,
        /// Values of the variables of its URL.
        variables: StringsByName,
    }
    KeyRule::AtMostOne(&["index", "url", "description"]);
}

table! {
    /// The MCP annotations.
    Hints = "hints" {
        /// The tool changes nothing.
        read_only: Boolean,
        /// The tool may destroy or overwrite something.
        destructive: Boolean,
        /// A second call with the same arguments has no further effect.
        idempotent: Boolean,
        /// The tool reaches something outside of the program.
        open_world: Boolean,
    }
}

impl KeyRule {
    fn check(&self, reader: &mut StrictReader<'_>, node: &Node) {
        let present = |keys: &[&'static str]| {
            let fields = keys.iter().map(|key| Some((*key, node.field(key)?)));
            fields.flatten().collect::<Vec<_>>()
        };
        match self {
            Self::AtMostOne(keys) => {
                if let [(one, first), (other, second), ..] = present(keys).as_slice() {
                    let message = format!("`{one}` and `{other}` cannot be used together");
                    reader.report(
                        Diagnostic::error(Code::ContradictoryOverlay, second.key, message)
                            .also(first.key, "the other key")
                            .help("remove one of the two"),
                    );
                }
            }
            Self::Needs(key, others) => {
                if let Some(field) = node.field(key)
                    && present(others).is_empty()
                {
                    let message = format!("`{key}` requires one of `{}`", others.join("`, `"));
                    reader.report(
                        Diagnostic::error(Code::ContradictoryOverlay, field.key, message)
                            .help(format!("add one of them, or remove `{key}`")),
                    );
                }
            }
            Self::ExactlyOne(keys, help) => {
                if present(keys).len() != 1 {
                    let message = format!("expected exactly one of `{}`", keys.join("` and `"));
                    reader
                        .report(Diagnostic::error(Code::Missing, node.place, message).help(*help));
                }
            }
        }
    }
}

/// Adds the description to the schema of a key.
fn described((key, mut schema, about): (&str, Value, &str)) -> (String, Value) {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_owned(), about.trim().into());
    }
    (key.to_owned(), schema)
}
