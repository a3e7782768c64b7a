//! The vocabulary of Toolwright: names, governance, the [`ToolSpec`] and the HTTP binding.
//!
//! Every other crate speaks these types; none of them does I/O. A [`ToolSpec`] is the one
//! frozen record of a tool, and its JSON form is the one constructor path: an adapter that is
//! compiled in and the same operation loaded at run time are read from the same JSON.

mod binding;
mod evidence;
mod governance;
mod name;
mod similar;
mod spec;
mod words;

pub use binding::{
    Answer, AnswerContent, Body, BodyContent, BodyField, BodyShape, Bound, HttpBinding, Location,
    Method, Parameter, PartEncoding, Scheme, SecurityRequirement, Serialization, StatusPattern,
    Style,
};
pub use evidence::{Evidence, EvidenceSource};
pub use governance::{Category, Effect, Governance, Hints, Kind};
pub use name::{MAX_TOOL_NAME, NameError, Role, ServiceName, ToolName};
pub use similar::most_similar;
pub use spec::{Binding, Origin, ToolSpec};
