//! A call of a function: its arguments are decoded, and what it returns is encoded.

use serde_json::Value;

use crate::{
    codec::DecodeError,
    error::{ToolError, Violation},
    tool::{BoxFuture, ToolContext},
};

/// What the first parameter of a tool refers to.
#[diagnostic::on_unimplemented(
    message = "the first parameter of a tool is its context, not `&{Self}`",
    label = "not `ToolContext`",
    note = "the context says who calls, and under which id the call is in the audit",
    note = "write `ctx: &ToolContext` first, or `_: &ToolContext` where it is not needed"
)]
pub trait Context: Sized {
    /// The context of a call.
    fn of(context: &ToolContext) -> &Self;
}

impl Context for ToolContext {
    fn of(context: &ToolContext) -> &Self {
        context
    }
}

/// Decodes the arguments, calls the function and encodes what it returns.
///
/// Generic over the function alone: what depends on the types is given as functions, so that a type
/// that lacks a trait is reported where it is written, and once.
pub fn call<'a, I, R: 'a, F>(
    function: impl FnOnce(I) -> F,
    decode: fn(Value) -> Result<I, DecodeError>,
    encode: fn(R) -> Result<Value, ToolError>,
    context: &'a ToolContext,
    arguments: Value,
) -> BoxFuture<'a, Result<Value, ToolError>>
where
    F: Future<Output = R> + Send + 'a,
{
    match decode(arguments) {
        Ok(input) => {
            let running = function(input);
            Box::pin(async move { encode(running.await) })
        }
        Err(error) => Box::pin(std::future::ready(Err(unfit(context, &error)))),
    }
}

fn unfit(context: &ToolContext, error: &DecodeError) -> ToolError {
    // The message names the places itself, since there may be several.
    let violation = Violation {
        pointer: String::new(),
        message: error.to_string(),
    };
    ToolError::InvalidArguments {
        tool: context.tool.clone(),
        violations: vec![violation],
    }
}
