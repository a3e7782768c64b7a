//! What a hand-written tool may return.

use std::marker::PhantomData;

use schemars::{JsonSchema, generate::Contract};
use serde::Serialize;
use serde_json::Value;

use super::schema_of;
use crate::error::ToolError;

/// The result of a hand-written tool, as an agent is answered.
///
/// Every type that derives `serde::Serialize` is one. Where it derives `schemars::JsonSchema` too, the
/// tool's output schema is taken from it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "lacks `serde::Serialize`",
    note = "the agent is answered with its JSON form",
    note = "write `#[derive(serde::Serialize)]` above the type, and derive `schemars::JsonSchema` too for an output schema"
)]
pub trait ToolResult {
    /// The JSON form.
    ///
    /// # Errors
    /// [`ToolError::Failed`] when the value has no JSON form.
    fn encode(self) -> Result<Value, ToolError>;

    /// The JSON Schema 2020-12 of the JSON form, self-contained, where it is known.
    #[must_use]
    fn schema() -> Option<Value> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolResult for T {
    fn encode(self) -> Result<Value, ToolError> {
        serde_json::to_value(self)
            .map_err(|_| ToolError::failed("the tool's result has no JSON form"))
    }
}

/// What a hand-written tool returns: `Result<OUTPUT, ToolError>`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a `Result<OUTPUT, ToolError>`",
    note = "a call either has a result or says why it has none",
    note = "write `-> Result<OUTPUT, ToolError>`, where `OUTPUT` derives `serde::Serialize`"
)]
pub trait ToolReturn {
    /// The result of a call that succeeds.
    type Result;

    /// The JSON form of the result, or why there is none.
    ///
    /// # Errors
    /// That of the tool, or [`ToolError::Failed`] when the result has no JSON form.
    fn encode(self) -> Result<Value, ToolError>;
}

impl<T: ToolResult, E: Into<ToolError>> ToolReturn for Result<T, E> {
    type Result = T;

    fn encode(self) -> Result<Value, ToolError> {
        self.map_err(Into::into)?.encode()
    }
}

/// Finds the schema of a result: its own where the type has one, and otherwise that of
/// [`Undescribed`], since a method of the type itself is preferred to one of a trait.
#[derive(Debug)]
pub struct Described<T>(PhantomData<T>);

impl<T: JsonSchema> Described<T> {
    /// The schema.
    #[must_use]
    pub fn schema() -> Option<Value> {
        Some(schema_of::<T>(Contract::Serialize))
    }
}

/// The schema of a result without `schemars::JsonSchema`.
pub trait Undescribed {
    /// What [`ToolResult::schema`] says.
    fn schema() -> Option<Value>;
}

impl<T: ToolResult> Undescribed for Described<T> {
    fn schema() -> Option<Value> {
        T::schema()
    }
}
