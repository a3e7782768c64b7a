//! What a hand-written tool may return.

use std::marker::PhantomData;

use schemars::{JsonSchema, generate::Contract};
use serde::Serialize;
use serde_json::Value;

use super::{
    ask::{Answer, Ask},
    schema_of,
};
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
    /// The JSON form of the result, or why there is none.
    ///
    /// # Errors
    /// That of the tool, or [`ToolError::Failed`] when the result has no JSON form.
    fn encode(self) -> Result<Value, ToolError>;

    /// What [`ToolResult::schema`] says.
    fn schema() -> Option<Value>;

    /// Encodes what a function returns in the end. `#[tool]` writes calls of it.
    #[doc(hidden)]
    fn run<'a>(running: impl Future<Output = Self> + Send + 'a) -> Answer<'a>
    where
        Self: Sized + 'a,
    {
        Some(Box::pin(async move { running.await.encode() }))
    }
}

impl<T: ToolResult> ToolReturn for Result<T, ToolError> {
    fn encode(self) -> Result<Value, ToolError> {
        self?.encode()
    }

    fn schema() -> Option<Value> {
        T::schema()
    }
}

/// Finds the schema of a result: that of the type where it derives one, and otherwise what
/// [`ToolReturn::schema`] says, since a method of the type itself is preferred to one of a trait.
#[derive(Debug)]
pub struct Described<R>(PhantomData<R>);

impl<T: JsonSchema> Described<Result<T, ToolError>> {
    /// Says the schema that the type derives.
    pub fn describe(ask: &mut Ask<'_>, _: fn() -> Option<Value>) {
        ask.output(|| Some(schema_of::<T>(Contract::Serialize)));
    }
}

/// A result that does not derive `schemars::JsonSchema`.
pub trait Undescribed {
    /// Says what is known otherwise.
    fn describe(ask: &mut Ask<'_>, known: fn() -> Option<Value>) {
        ask.output(known);
    }
}

impl<R> Undescribed for Described<R> {}
