//! The results of hand-written tools.

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
/// Every type that derives `serde::Serialize` is one. The tool's output schema is taken from the
/// type if it also derives `schemars::JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "lacks `serde::Serialize`",
    note = "the agent receives its JSON form",
    note = "write `#[derive(serde::Serialize)]` above the type, and derive `schemars::JsonSchema` too for an output schema"
)]
pub trait ToolValue {
    /// The JSON form.
    ///
    /// # Errors
    /// [`ToolError::Failed`] when the value has no JSON form.
    fn encode(self) -> Result<Value, ToolError>;

    /// Returns the JSON Schema 2020-12 of the JSON form, self-contained, if it is known.
    #[must_use]
    fn schema() -> Option<Value> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolValue for T {
    fn encode(self) -> Result<Value, ToolError> {
        serde_json::to_value(self)
            .map_err(|_| ToolError::failed("the tool's result has no JSON form"))
    }
}

/// The return type of a hand-written tool: `Result<OUTPUT, ToolError>`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a `Result<OUTPUT, ToolError>`",
    note = "a call returns a result or an error",
    note = "write `-> Result<OUTPUT, ToolError>`, where `OUTPUT` derives `serde::Serialize`"
)]
pub trait ReturnType {
    /// The JSON form of the result, or why there is none.
    ///
    /// # Errors
    /// Returns the tool's error, or [`ToolError::Failed`] if the result has no JSON form.
    fn encode(self) -> Result<Value, ToolError>;

    /// Returns the result of [`ToolValue::schema`].
    fn schema() -> Option<Value>;

    /// Encodes the return value of a function. `#[tool]` writes calls of it.
    #[doc(hidden)]
    fn run<'a>(running: impl Future<Output = Self> + Send + 'a) -> Answer<'a>
    where
        Self: Sized + 'a,
    {
        Some(Box::pin(async move { running.await.encode() }))
    }
}

impl<T: ToolValue> ReturnType for Result<T, ToolError> {
    fn encode(self) -> Result<Value, ToolError> {
        self?.encode()
    }

    fn schema() -> Option<Value> {
        T::schema()
    }
}

/// Finds the schema of a result: the derived one of the type, and otherwise the result of
/// [`ReturnType::schema`], since a method of the type itself is preferred to one of a trait.
#[derive(Debug)]
pub struct Described<R>(PhantomData<R>);

impl<T: JsonSchema> Described<Result<T, ToolError>> {
    /// Records the derived schema of the type.
    pub fn describe(ask: &mut Ask<'_>, _: fn() -> Option<Value>) {
        ask.output(|| Some(schema_of::<T>(Contract::Serialize)));
    }
}

/// A result that does not derive `schemars::JsonSchema`.
pub trait Undescribed {
    /// Records the schema from the return type.
    fn describe(ask: &mut Ask<'_>, known: fn() -> Option<Value>) {
        ask.output(known);
    }
}

impl<R> Undescribed for Described<R> {}
