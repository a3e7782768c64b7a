//! What may be the input of a hand-written tool.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::schema_of;
use crate::codec::DecodeError;

/// The input of a hand-written tool: its fields are the arguments.
///
/// Every type that derives `serde::Deserialize` and `schemars::JsonSchema` is one. The schema is what
/// the agent is shown, with the documentation of the fields, and what its arguments are checked
/// against before the tool is called. A type with a codec of its own implements the trait directly.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a tool",
    label = "lacks `serde::Deserialize` or `schemars::JsonSchema`",
    note = "the schema is what the agent is shown, and the arguments are decoded as this type",
    note = "write `#[derive(serde::Deserialize, schemars::JsonSchema)]` above the type"
)]
pub trait ToolInput: Sized {
    /// The JSON Schema 2020-12 of the arguments, self-contained; its root is an object.
    fn schema() -> Value;

    /// Reads the arguments, which follow the schema.
    ///
    /// # Errors
    /// [`DecodeError`] when the type has rules that the schema does not tell.
    fn decode(arguments: Value) -> Result<Self, DecodeError>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ToolInput for T {
    fn schema() -> Value {
        schema_of::<T>(schemars::generate::Contract::Deserialize)
    }

    fn decode(arguments: Value) -> Result<Self, DecodeError> {
        // The message of serde repeats values, which may be secrets; so it is not passed on.
        T::deserialize(&arguments)
            .map_err(|_| DecodeError::new("what the tool's input type accepts", &arguments))
    }
}

/// The input of a tool without arguments.
#[derive(Clone, Copy, Debug)]
pub struct NoInput;

impl ToolInput for NoInput {
    fn schema() -> Value {
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    }

    fn decode(_: Value) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}
