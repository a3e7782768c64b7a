//! The intermediate representation: what was understood of the specifications.
//!
//! The lowering stage makes a [`Catalog`], the passes complete it, the check turns it into a
//! checked catalogue, from which both back ends are made: emitted Rust and loaded tool specs.

pub mod types;

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_model::{
    Binding, Evidence, Governance, Kind, Method, Pagination, ServiceName, StatusPattern, ToolName,
};

use crate::{
    facts::OperationFacts,
    lock::{Held, Lock},
    naming::NamingError,
    source::{Place, SourceId},
    spec::overlay::Curation,
};
use types::{TypeId, Types};

/// All services of a run.
#[derive(Debug, Default)]
pub struct Catalog {
    /// The services, by name.
    pub services: Vec<Service>,
}

/// One service.
#[derive(Debug)]
pub struct Service {
    /// Its name.
    pub name: ServiceName,
    /// The specification.
    pub source: SourceId,
    /// The file name of the specification.
    pub document: String,
    /// What was read: `openapi 3.1.0`.
    pub format: String,
    /// The document's own title.
    pub title: String,
    /// The document's own version.
    pub version: String,
    /// How many operations the document has, counted before any is dropped.
    pub operations_in_document: usize,
    /// The operations that become tools, in the document's order.
    pub operations: Vec<Operation>,
    /// The operations that do not, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// The names that its operations were ever given.
    pub lock: Lock,
    /// The types that the operations reach.
    pub types: Types,
    /// The schemas that argument and result schemas refer to, by their name under `$defs`.
    pub definitions: indexmap::IndexMap<String, Value>,
    /// The regular expressions of those schemas, as they are written there, each with its places in
    /// the document.
    pub patterns: BTreeSet<(String, Place)>,
}

/// One operation, on its way to becoming a tool.
#[derive(Debug)]
pub struct Operation {
    /// Where it stands: its method key.
    pub place: Place,
    /// The JSON pointer of it: `/paths/~1items/get`.
    pub pointer: String,
    /// The HTTP method.
    pub method: Method,
    /// The path as the document writes it.
    pub path: String,
    /// The operation id, where there is one.
    pub operation_id: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// What the document says of it: what its name, its texts and its governance come from.
    pub facts: OperationFacts,
    /// What the overlay says of it.
    pub curation: Curation,
    /// What the lock holds of it.
    pub held: Held,
    /// The tool's name, or why the rules give none.
    pub name: Result<ToolName, NamingError>,
    /// How the name came about, for `explain`.
    pub name_derivation: Vec<String>,
    /// What is said of it to people and agents.
    pub texts: Texts,
    /// The row of the governance table that the evidence gave.
    pub kind: Kind,
    /// The evidence.
    pub evidence: Vec<Evidence>,
    /// The governance, after the overlay.
    pub governance: Governance,
    /// Why the governance is what the overlay says.
    pub reason: Option<String>,
    /// The arguments, required ones first, otherwise in the document's order.
    pub arguments: Vec<Argument>,
    /// The result.
    pub output: Output,
    /// The answers that are no result, the most specific status first, each status once.
    pub failures: Vec<Failure>,
    /// Whether the document says that a success has the header `Link`.
    pub has_link_header: bool,
    /// How its pages follow one another, where it answers a list in parts.
    pub pagination: Option<Pagination>,
    /// How a call is carried out. It has the parameters' and body's wire names.
    pub binding: Binding,
}

/// An operation that does not become a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The HTTP method.
    pub method: Method,
    /// The path as the document writes it.
    pub path: String,
    /// The operation id, where there is one.
    pub operation_id: Option<String>,
    /// Where it stands: its method key.
    pub place: Place,
    /// Why.
    pub why: LeftOutBecause,
}

/// Why an operation does not become a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutBecause {
    /// It is broken, which was reported.
    Broken,
    /// The overlay does not include it, or excludes it.
    Curated,
    /// Its method, or something that it needs, is not offered, which was reported.
    NotOffered,
    /// It has no name, or shares it with another, which was reported.
    Unnamed,
    /// It is not what the lock holds of it, which was reported.
    Locked,
}

impl LeftOutBecause {
    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Curated => "curated",
            Self::NotOffered => "not-offered",
            Self::Unnamed => "unnamed",
            Self::Locked => "locked",
        }
    }
}

/// What is said of a tool to people and agents.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// A title for people.
    pub title: String,
    /// One line.
    pub short: String,
    /// The whole description.
    pub description: String,
    /// When to use it.
    pub when_to_use: Option<String>,
    /// The heading under which it is listed.
    pub section: String,
}

/// An argument of a tool.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name in the arguments object.
    pub name: String,
    /// Where it is declared.
    pub place: Place,
    /// Whether a call is impossible without it.
    pub required: bool,
    /// Its JSON Schema, description included; references are `#/$defs/…`.
    pub schema: Value,
    /// Its Rust type, without the `Option` of an argument that is not required.
    pub ty: TypeId,
}

/// An answer that is no result, as the document describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// The statuses that it stands for.
    pub status: StatusPattern,
    /// The Rust type of what the service then says.
    pub ty: TypeId,
}

/// The result of a tool.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its JSON Schema, where the document describes it; references are `#/$defs/…`.
    pub schema: Option<Value>,
    /// Its Rust type.
    pub ty: TypeId,
}
