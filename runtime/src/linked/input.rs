//! What may be the input of a hand-written tool.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{argument::argument, ask::Ask, schema_of};
use crate::{ToolCall, codec::DecodeError};

/// An input of a hand-written tool: all of its arguments, as the fields of an object, or one of
/// them.
///
/// Every type that derives `serde::Deserialize` and `schemars::JsonSchema` is one, and so are the
/// arguments of a generated adapter. The schema is what the agent is shown, with the documentation
/// of the fields, and what its arguments are checked against before the tool is called. A type with
/// a codec of its own implements the trait directly, and leaves out `Via`, which only tells the
/// three ways apart.
///
/// An argument whose type takes null, such as `Option<String>`, may be left out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input of a tool",
    label = "lacks `serde::Deserialize` or `schemars::JsonSchema`",
    note = "the schema is what the agent is shown, and the arguments are decoded as this type",
    note = "write `#[derive(serde::Deserialize, schemars::JsonSchema)]` above the type"
)]
pub trait ToolInput<Via = ByHand>: Sized {
    /// The JSON Schema 2020-12 of the value, self-contained.
    fn schema() -> Value;

    /// Reads the value, which follows the schema.
    ///
    /// # Errors
    /// [`DecodeError`] when the type has rules that the schema does not tell.
    fn decode(arguments: Value) -> Result<Self, DecodeError>;

    /// One of several arguments of a tool. `#[tool]` writes calls of it.
    #[doc(hidden)]
    fn argument(ask: &mut Ask<'_>, name: &'static str, description: &'static str) -> Option<Self> {
        let declared = || argument(name, description, Self::schema());
        ask.argument(declared, name, Self::decode)
    }

    /// What a tool takes beside its context. `#[tool]` writes calls of it.
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
    /// The input schema of the adapter's record. No value follows it where there is no record, which
    /// the generator does not write.
    fn schema() -> Value {
        let records = T::TOOLS.specs().unwrap_or_default().into_iter();
        let mut records = records.filter(|record| record.name.as_str() == T::NAME);
        records
            .next()
            .map_or(Value::Bool(false), |record| record.input_schema)
    }

    fn decode(arguments: Value) -> Result<Self, DecodeError> {
        T::decode(arguments)
    }
}
