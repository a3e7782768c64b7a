//! The intermediate representation: what was understood of the specifications.
//!
//! Each stage has its own type of operation, and a [`Catalog`] of them: the lowering creates
//! [`LoweredOperation`]s, the passes turn them into [`CuratedOperation`]s, and the check into
//! [`NamedOperation`]s. Both back ends read those: emitted Rust and loaded tool specs.

pub(crate) mod rust_names;
pub(crate) mod types;

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;
use toolwright_model::{
    Binding, Evidence, Governance, Kind, Method, Pagination, Projection, ServiceName,
    StatusPattern, ToolName, words,
};

use crate::{
    document::source::{Place, SourceId},
    language::facts::OperationFacts,
    naming::NamingError,
    parse::{
        lock::{Held, Lock},
        overlay::Curation,
    },
};
use types::{TypeId, Types};

/// All services of a run. `O` is an operation after the last stage that has run.
#[derive(Debug)]
pub(crate) struct Catalog<O> {
    /// The services, in the order of their documents.
    pub(crate) services: Vec<Service<O>>,
}

/// One service. `O` is an operation after the last stage that has run.
#[derive(Debug)]
pub struct Service<O> {
    /// The service's name.
    pub name: ServiceName,
    /// The specification.
    pub source: SourceId,
    /// The file name of the specification.
    pub(crate) document: String,
    /// The format of the specification: `openapi 3.1.0`.
    pub format: String,
    /// The document's own title.
    pub(crate) title: String,
    /// The document's own version.
    pub(crate) version: String,
    /// The number of operations in the document before any is left out.
    pub operations_in_document: usize,
    /// The operations that become tools, in the document's order.
    pub(crate) operations: Vec<O>,
    /// The operations that do not become tools, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// The lock: every name that the service's operations were given.
    pub(crate) lock: Lock,
    /// The types that the operations reach.
    pub types: Types,
    /// The schemas that argument and result schemas refer to, by their name under `$defs`.
    pub(crate) definitions: IndexMap<String, Value>,
    /// The regular expressions of those schemas in the spelling of the document, each with its
    /// places there.
    pub(crate) patterns: BTreeSet<(String, Place)>,
}

/// An operation after the lowering.
#[derive(Debug)]
pub(crate) struct LoweredOperation {
    /// The place of its method key.
    pub(crate) place: Place,
    /// Its JSON pointer: `/paths/~1items/get`.
    pub(crate) pointer: String,
    /// The HTTP method.
    pub(crate) method: Method,
    /// The path in the document's spelling.
    pub(crate) path: String,
    /// The operation id, if the document declares one.
    pub(crate) operation_id: Option<String>,
    /// True if the document marks it as deprecated.
    pub(crate) deprecated: bool,
    /// The properties of the document's operation that decide its name, texts and governance.
    pub(crate) facts: OperationFacts,
    /// Its entry in the overlay.
    pub(crate) curation: Curation,
    /// Its entries in the lock.
    pub(crate) held: Held,
    /// The tool's name, or the reason why the rules give none.
    pub(crate) name: Result<ToolName, NamingError>,
    /// The source of the name.
    pub(crate) name_source: NameSource,
    /// The steps that led to the name.
    pub(crate) name_derivation: Vec<String>,
    /// The row of the governance table that the evidence decides.
    pub(crate) kind: Kind,
    /// The evidence.
    pub(crate) evidence: Vec<Evidence>,
    /// The arguments, required ones first, otherwise in the document's order.
    pub(crate) arguments: Vec<Argument>,
    /// The result.
    pub(crate) output: Output,
    /// The responses that are errors, the most specific status first, each status once.
    pub(crate) failures: Vec<Failure>,
    /// True if the document declares the header `Link` for a success.
    pub(crate) has_link_header: bool,
    /// The parts of the response that the tool returns; all if it is unset.
    pub(crate) projection: Option<Projection>,
    /// The request of a call, with the wire names of parameters and body.
    pub(crate) binding: Binding,
}

/// An operation after the passes. Its name is not checked yet.
#[derive(Debug)]
pub(crate) struct CuratedOperation {
    /// The tool's name, or the reason why the rules give none.
    pub(crate) name: Result<ToolName, NamingError>,
    /// The properties that the check suggests other names from.
    pub(crate) facts: OperationFacts,
    /// Its entry in the overlay, which the check refers to.
    pub(crate) curation: Curation,
    /// Everything else.
    pub(crate) operation: Operation,
}

/// An operation after the check, with the name of its tool.
#[derive(Debug)]
pub struct NamedOperation {
    /// The tool's name. No other tool of the catalogue has it.
    pub(crate) name: ToolName,
    /// Everything else.
    pub(crate) operation: Operation,
}

/// A complete operation except for its name.
#[derive(Debug)]
pub struct Operation {
    /// The place of its method key.
    pub place: Place,
    /// Its JSON pointer: `/paths/~1items/get`.
    pub(crate) pointer: String,
    /// The HTTP method.
    pub method: Method,
    /// The path in the document's spelling.
    pub path: String,
    /// The operation id, if the document declares one.
    pub(crate) operation_id: Option<String>,
    /// True if the document marks it as deprecated.
    pub(crate) deprecated: bool,
    /// Its entries in the lock.
    pub(crate) held: Held,
    /// The source of the name.
    pub name_source: NameSource,
    /// The steps that led to the name.
    pub name_derivation: Vec<String>,
    /// Its descriptions for people and agents.
    pub(crate) texts: ToolTexts,
    /// The evidence.
    pub(crate) evidence: Vec<Evidence>,
    /// The governance after the overlay.
    pub(crate) governance: Governance,
    /// The overlay's reason for the governance.
    pub(crate) reason: Option<String>,
    /// The arguments, required ones first, otherwise in the document's order.
    pub(crate) arguments: Vec<Argument>,
    /// The result.
    pub(crate) output: Output,
    /// The responses that are errors, the most specific status first, each status once.
    pub(crate) failures: Vec<Failure>,
    /// The rule for further pages, if the result is a page of a list.
    pub(crate) pagination: Option<Pagination>,
    /// The parts of the response that the tool returns; all if it is unset.
    pub(crate) projection: Option<Projection>,
    /// The request of a call, with the wire names of parameters and body.
    pub(crate) binding: Binding,
}

impl Operation {
    /// Returns the record of the operation if it does not become a tool.
    pub(crate) fn leave_out(&self, why: LeftOutBecause) -> LeftOut {
        LeftOut {
            method: self.method,
            path: self.path.clone(),
            operation_id: self.operation_id.clone(),
            place: self.place,
            why,
        }
    }

    /// Checks whether the lock holds this name for the operation.
    #[must_use]
    pub fn is_pinned(&self, name: &ToolName) -> bool {
        let current = self.held.current.as_ref();
        current.is_some_and(|held| held.name == *name)
    }
}

impl<O> Service<O> {
    /// Converts the operations for the next stage.
    pub(crate) fn convert<N>(self, convert: impl FnMut(O) -> Option<N>) -> Service<N> {
        Service {
            name: self.name,
            source: self.source,
            document: self.document,
            format: self.format,
            title: self.title,
            version: self.version,
            operations_in_document: self.operations_in_document,
            operations: self.operations.into_iter().filter_map(convert).collect(),
            left_out: self.left_out,
            lock: self.lock,
            types: self.types,
            definitions: self.definitions,
            patterns: self.patterns,
        }
    }
}

/// An operation that does not become a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The HTTP method.
    pub method: Method,
    /// The path as the document writes it.
    pub path: String,
    /// The operation id, if the document declares one.
    pub operation_id: Option<String>,
    /// The place of its method key.
    pub place: Place,
    /// The reason.
    pub why: LeftOutBecause,
}

words! {
    /// The reason why an operation does not become a tool.
    LeftOutBecause {
        /// It is broken, which was reported.
        Broken = "broken",
        /// The overlay does not include it, or excludes it.
        Curated = "curated",
        /// Its method, or something that it needs, is not offered, which was reported.
        NotOffered = "not-offered",
        /// It has no name, or shares it with another, which was reported.
        Unnamed = "unnamed",
        /// It is not what the lock holds of it, which was reported.
        Locked = "locked",
    }
}

words! {
    /// The source of a tool's name.
    NameSource {
        /// The operation alone.
        Operation = "operation",
        /// The document, since the name from the operation alone is not unique or too long.
        Document = "document",
        /// The lock.
        Lock = "lock",
        /// The overlay.
        Overlay = "overlay",
    }
}

/// The descriptions of a tool for people and agents.
#[derive(Clone, Debug)]
pub(crate) struct ToolTexts {
    /// A title for people.
    pub(crate) title: String,
    /// One line.
    pub(crate) short: String,
    /// The whole description.
    pub(crate) description: String,
    /// When to use it.
    pub(crate) when_to_use: Option<String>,
    /// The heading under which it is listed.
    pub(crate) section: String,
}

/// An argument of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// Its name in the arguments object.
    pub name: String,
    /// The place of its declaration.
    pub place: Place,
    /// True if a call needs it.
    pub(crate) required: bool,
    /// Its JSON Schema, description included; references are `#/$defs/…`.
    pub(crate) schema: Value,
    /// Its Rust type, without the `Option` of an argument that is not required.
    pub(crate) ty: TypeId,
}

/// A response that is an error, as the document describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Failure {
    /// The statuses that it stands for.
    pub(crate) status: StatusPattern,
    /// The Rust type of its body.
    pub(crate) ty: TypeId,
}

/// The result of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// Its JSON Schema, if the document describes it; references are `#/$defs/…`.
    pub(crate) schema: Option<Value>,
    /// Its Rust type.
    pub(crate) ty: TypeId,
}
