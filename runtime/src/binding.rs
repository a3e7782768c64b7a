//! The vocabulary of a [`ToolSpec`](crate::ToolSpec): its governance, its schemas, and its binding to a service.

pub use toolwright_model::{
    Answer, AnswerContent, Binding, Body, BodyContent, BodyField, BodyShape, Bound, CredentialKey,
    CredentialNeed, Descriptors, EabBinding, Evidence, EvidenceSource, Governance, GrpcCall, Hints,
    HttpBinding, HttpProtocol, Location, McpBinding, Method, Named, NextPage, Origin, Pagination,
    Parameter, PartEncoding, Scheme, SecurityRequirement, Serialization, ServiceCredentials,
    StatusPattern, Style, ToolSchema, Transport, TransportKind,
};
