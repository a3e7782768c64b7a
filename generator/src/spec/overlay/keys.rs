//! The keys that an overlay may have, and what stands under them. The reader knows no other keys,
//! and the JSON Schema of overlays is made of this table.

use toolwright_model::{Category, Effect, MAX_TOOL_NAME};

use crate::naming::VERBS;

/// A table with keys of its own.
pub(super) struct Table {
    /// What it is called among the schema's definitions.
    pub(super) name: &'static str,
    pub(super) keys: &'static [Key],
    pub(super) rules: &'static [Rule],
}

/// A key.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// What it is, for people.
    pub(super) about: &'static str,
}

/// What stands under a key.
pub(super) enum Shape {
    /// A text that is not blank.
    Text,
    /// A text of this pattern with at most so many characters.
    Pattern(&'static str, Option<usize>),
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// `true` or `false`.
    Boolean,
    /// A whole number from 0.
    Index,
    /// An array of texts.
    Texts,
    /// Texts under keys of any name.
    TextsByName,
    /// Texts that are not blank, under keys of any name.
    ReasonsByName,
    /// A table.
    Table(&'static Table),
    /// Tables under keys of any name.
    TablesByName(&'static Table),
    /// Any value.
    Any,
}

/// What keys of one table have to do with each other.
pub(super) enum Rule {
    /// At most one of them is given.
    AtMostOne(&'static [&'static str]),
    /// One of them is given.
    ExactlyOne(&'static [&'static str]),
    /// Where the key is given, so is one of the others.
    Needs(&'static str, &'static [&'static str]),
}

impl Table {
    /// The names of the keys.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, about }
}

/// At the root.
pub(super) const ROOT: Table = Table {
    name: "overlay",
    keys: &[
        key(
            "service",
            Shape::Pattern("^[a-z][a-z0-9]*$", None),
            "The name of the service: one lower-case word.",
        ),
        key(
            "base_url",
            Shape::Pattern("^\\s*https?://", None),
            "The URL that requests begin with, in the place of the document's servers.",
        ),
        key(
            "server",
            Shape::Table(&SERVER),
            "The server, of the document's own.",
        ),
        key(
            "trust_document",
            Shape::Boolean,
            "Whether the document is our own, or trusted: what stands under `x-toolwright` in its operations is then an entry of this overlay.",
        ),
        key(
            "include",
            Shape::Texts,
            "The operations that become tools: `getItem`, `GET /items/{id}`, `DELETE *`, `* /admin/*`, `tag:Items`. All of them without this key.",
        ),
        key(
            "exclude",
            Shape::Texts,
            "The operations that do not become tools.",
        ),
        key(
            "pin",
            Shape::TablesByName(&PIN),
            "Values of parameters and body fields, by their names on the wire, for every operation that has them.",
        ),
        key(
            "hide",
            Shape::Texts,
            "Parameters and body fields, by their names on the wire, that are no arguments and not sent.",
        ),
        key(
            "allow_separators",
            Shape::ReasonsByName,
            "Path parameters, by their names on the wire, whose values may contain `/` and other separators, each with the reason.",
        ),
        key(
            "operations",
            Shape::TablesByName(&OPERATION),
            "What is said of operations, by selector: `getItem`, `GET /items/{id}`, `tag:Items`.",
        ),
    ],
    rules: &[Rule::AtMostOne(&["base_url", "server"])],
};

/// In the entry of an operation.
pub(super) const OPERATION: Table = Table {
    name: "operation",
    keys: &[
        key(
            "name",
            Shape::Pattern("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", Some(MAX_TOOL_NAME)),
            "The name of the tool, `<verb>-<service>-<noun>`.",
        ),
        key(
            "verb",
            Shape::Words(|| VERBS.to_vec()),
            "The verb of the tool's name; the noun is derived.",
        ),
        key(
            "noun",
            Shape::Text,
            "The noun of the tool's name, such as `item-comments`; the verb is derived.",
        ),
        key("title", Shape::Text, "A title for people."),
        key("short", Shape::Text, "What the tool does, in one line."),
        key(
            "description",
            Shape::Text,
            "The whole description, in the place of the document's.",
        ),
        key(
            "when_to_use",
            Shape::Text,
            "When an agent should take this tool rather than another.",
        ),
        key(
            "section",
            Shape::Text,
            "The heading under which the tool is listed.",
        ),
        key(
            "server",
            Shape::Table(&SERVER),
            "The server, of those that hold for the operation.",
        ),
        key(
            "pin",
            Shape::TablesByName(&PIN),
            "Values of parameters and body fields of this operation, by their names on the wire.",
        ),
        key(
            "hide",
            Shape::Texts,
            "Parameters and body fields of this operation that are no arguments and not sent.",
        ),
        key(
            "allow_separators",
            Shape::ReasonsByName,
            "Path parameters of this operation whose values may contain `/` and other separators, each with the reason.",
        ),
        key(
            "category",
            Shape::Words(|| words(Category::ALL, Category::word)),
            "The governance category.",
        ),
        key(
            "effect",
            Shape::Words(|| words(Effect::ALL, Effect::word)),
            "What a call does to the service's state. Category, approval and hints follow from it.",
        ),
        key(
            "approval_required",
            Shape::Boolean,
            "Whether a person has to approve each call.",
        ),
        key(
            "enabled_by_default",
            Shape::Boolean,
            "Whether the tool is on where the operator has said nothing.",
        ),
        key("hints", Shape::Table(&HINTS), "The MCP annotations."),
        key(
            "reason",
            Shape::Text,
            "Why the governance is what the overlay says. What is lower than the evidence says needs it.",
        ),
    ],
    rules: &[
        Rule::AtMostOne(&["name", "verb"]),
        Rule::AtMostOne(&["name", "noun"]),
        Rule::Needs("reason", GOVERNANCE),
    ],
};

/// The keys that say something of the governance of an operation.
pub(super) const GOVERNANCE: &[&str] = &[
    "category",
    "effect",
    "approval_required",
    "enabled_by_default",
    "hints",
];

/// In a pin.
pub(super) const PIN: Table = Table {
    name: "pin",
    keys: &[
        key(
            "constant",
            Shape::Text,
            "The service constant of the credentials that has the value.",
        ),
        key("value", Shape::Any, "The value."),
    ],
    rules: &[Rule::ExactlyOne(&["constant", "value"])],
};

/// In `server`.
pub(super) const SERVER: Table = Table {
    name: "server",
    keys: &[
        key(
            "index",
            Shape::Index,
            "The server at this position of the list, counted from 0.",
        ),
        key(
            "url",
            Shape::Text,
            "The server with this URL, as the document writes it.",
        ),
        key(
            "description",
            Shape::Text,
            "The server with this description.",
        ),
        key(
            "variables",
            Shape::TextsByName,
            "Values of the variables of its URL.",
        ),
    ],
    rules: &[Rule::AtMostOne(&["index", "url", "description"])],
};

/// In `hints`.
pub(super) const HINTS: Table = Table {
    name: "hints",
    keys: &[
        key("read_only", Shape::Boolean, "The tool changes nothing."),
        key(
            "destructive",
            Shape::Boolean,
            "The tool may destroy or overwrite something.",
        ),
        key(
            "idempotent",
            Shape::Boolean,
            "A second call with the same arguments has no further effect.",
        ),
        key(
            "open_world",
            Shape::Boolean,
            "The tool reaches something outside of the program.",
        ),
    ],
    rules: &[],
};

fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| word(*one)).collect()
}
