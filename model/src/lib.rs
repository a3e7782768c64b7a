//! The vocabulary of Toolwright: names, governance, the [`ToolSpec`] and its bindings.
//!
//! Every other crate speaks these types; none of them does I/O. A [`ToolSpec`] is the one
//! frozen record of a tool, and its JSON form is the one constructor path: an adapter that is
//! compiled in and the same operation loaded at run time are read from the same JSON.
//!
//! Without the feature `serde`, which is on by default, there are the names and the governance
//! table alone, and the only dependency is `strsim`: that is what a procedural macro needs.

#[cfg(feature = "serde")]
mod binding;
#[cfg(feature = "serde")]
mod credentials;
#[cfg(feature = "serde")]
pub mod eab;
#[cfg(feature = "serde")]
mod evidence;
mod glob;
mod governance;
#[cfg(feature = "serde")]
mod grpc;
mod hex;
mod join;
#[cfg(feature = "serde")]
mod method;
mod name;
#[cfg(feature = "serde")]
mod pagination;
#[cfg(feature = "serde")]
mod projection;
mod reserved;
mod sandbox;
#[cfg(feature = "serde")]
mod security;
pub mod settings;
mod similar;
#[cfg(feature = "serde")]
mod spec;
mod standing;
#[cfg(feature = "serde")]
mod status;
mod template;
#[cfg(feature = "text")]
pub mod text;
#[cfg(all(feature = "serde", feature = "text"))]
pub mod texts;
#[cfg(feature = "serde")]
mod tool_schema;
mod verbs;
mod words;

#[cfg(feature = "serde")]
pub use binding::{
    Answer, AnswerContent, Body, BodyContent, BodyField, BodyShape, Bound, HttpBinding,
    HttpProtocol, Location, Parameter, PartEncoding, Serialization, Style,
};
#[cfg(feature = "serde")]
pub use credentials::{CredentialNeed, ServiceCredentials};
#[cfg(feature = "serde")]
pub use eab::{EabBinding, Transport, TransportKind};
#[cfg(feature = "serde")]
pub use evidence::{Evidence, EvidenceSource};
pub use glob::matches_glob;
pub use governance::{Category, Effect, Governance, Hints, Kind};
#[cfg(feature = "serde")]
pub use grpc::{Descriptors, GrpcCall};
pub use hex::{hex, parse_hex, push_hex};
pub use join::write_joined;
#[cfg(feature = "serde")]
pub use method::Method;
pub use name::{
    AccountName, MAX_TOOL_NAME, NameError, ProfileName, Role, ServiceName, TokenName, ToolName,
    WorkspaceName,
};
#[cfg(feature = "serde")]
pub use pagination::{Named, NextPage, Pagination};
#[cfg(feature = "serde")]
pub use projection::{Mask, MaskParts, PathFault, Projection, ResponsePath, Step};
pub use reserved::{ReservedFor, is_reserved_part_header, reserved_field, reserved_header};
pub use sandbox::SandboxLayer;
#[cfg(feature = "serde")]
pub use security::{
    CredentialKey, Scheme, SecurityRequirement, credential_in_words, credentials_in_words,
};
pub use similar::most_similar;
#[cfg(feature = "serde")]
pub use spec::{Binding, McpBinding, Origin, ToolSpec};
pub use standing::Standing;
#[cfg(feature = "serde")]
pub use status::StatusPattern;
pub use template::{
    TemplatePart, path_fits_template, path_of_template, segments_overlap, template_segments,
    values_could_reach, values_with_separators_could_reach,
};
#[cfg(feature = "serde")]
pub use tool_schema::ToolSchema;
#[cfg(feature = "serde")]
pub use toolwright_schema::JsonPointer;
pub use verbs::{Promise, TOOL_VERBS, promise_of};
