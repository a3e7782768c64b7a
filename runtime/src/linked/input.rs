//! The inputs of hand-written tools.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{argument::argument, ask::Ask, schema_of};
use crate::{ToolCall, codec::DecodeError};

/// An input of a hand-written tool: all of its arguments, as the fields of an object, or one of
/// them.
///
/// Every type that derives `serde::Deserialize` and `schemars::JsonSchema` is one, and so are the
/// arguments of a generated adapter. The schema, with the documentation of the fields, is shown to
/// the agent, and its arguments are checked against it before the tool is called. A type with a
/// codec of its own implements the trait directly, and leaves out `Via`, which only distinguishes
/// the three ways.
///
/// An argument whose type takes null, such as `Option<String>`, may be left out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input of a tool",
    label = "lacks `serde::Deserialize` or `schemars::JsonSchema`",
    note = "the agent sees the schema, and the arguments are decoded as this type",
    note = "write `#[derive(serde::Deserialize, schemars::JsonSchema)]` above the type"
)]
pub trait ToolInput<Via = ByHand>: Sized {
    /// The JSON Schema 2020-12 of the value, self-contained.
    fn schema() -> Value;

    /// Reads the value, which follows the schema.
    ///
    /// # Errors
    /// [`DecodeError`] if the type has rules that the schema lacks.
    fn decode(arguments: Value) -> Result<Self, DecodeError>;

    /// One of several arguments of a tool. `#[tool]` writes calls of it.
    #[doc(hidden)]
    fn argument(ask: &mut Ask<'_>, name: &'static str, description: &'static str) -> Option<Self> {
        let declared = || argument(name, description, Self::schema());
        ask.argument(declared, name, Self::decode)
    }

    /// Takes the only parameter after the context. `#[tool]` writes calls of it.
    #[doc(hidden)]
    fn only(ask: &mut Ask<'_>, name: &'static str, description: &'static str) -> Option<Self> {
        let declared = || argument(name, description, Self::schema());
        ask.only(declared, Self::decode)
    }
}

/// The type implements [`ToolInput`] itself.
#[derive(Clone, Copy, Debug)]
pub enum ByHand {}

/// The type derives `serde::Deserialize` and `schemars::JsonSchema`.
#[derive(Clone, Copy, Debug)]
pub enum ByDerive {}

/// The type is the arguments of a generated adapter.
#[derive(Clone, Copy, Debug)]
pub enum Generated {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ToolInput<ByDerive> for T {
    fn schema() -> Value {
        schema_of::<T>(schemars::generate::Contract::Deserialize)
    }

    fn decode(arguments: Value) -> Result<Self, DecodeError> {
        // The message of serde repeats values, which may be secrets; so it is not passed on.
        T::deserialize(&arguments)
            .map_err(|_| DecodeError::new("what the tool's input type accepts", &arguments))
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToolCall> ToolInput<Generated> for T {
    /// Returns the input schema of the adapter's record. It fits no value if the record is missing,
    /// which the generator never emits.
    fn schema() -> Value {
        let records = T::TOOLS.specs().unwrap_or_default().into_iter();
        let mut records = records.filter(|record| record.name.as_str() == T::NAME);
        records
            .next()
            .map_or(Value::Bool(false), |record| record.input_schema.to_value())
    }

    fn decode(arguments: Value) -> Result<Self, DecodeError> {
        T::decode(arguments)
    }
}
