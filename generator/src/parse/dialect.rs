//! The dialects of JSON Schema in specifications.

/// The dialect of a document's schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Swagger 2.0. A parameter outside the body is itself a schema.
    Swagger2,
    /// OpenAPI 3.0.
    OpenApi30,
    /// JSON Schema 2020-12: OpenAPI 3.1 and 3.2, EAB.
    JsonSchema,
}
