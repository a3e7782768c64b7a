//! A call of a function: what stands around it in the code that `#[tool]` writes.

use std::sync::Arc;

use serde_json::Value;

use super::state::{Bind, Bound, State};
use crate::{
    codec::DecodeError,
    error::{ToolError, Violation},
    tool::{BoxFuture, ToolContext},
};

/// What a call comes to.
type Called<'a> = BoxFuture<'a, Result<Value, ToolError>>;

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

/// Encodes what a function returns in the end.
pub fn run<'a, R: 'a>(
    running: impl Future<Output = R> + Send + 'a,
    encode: fn(R) -> Result<Value, ToolError>,
) -> Called<'a> {
    Box::pin(async move { encode(running.await) })
}

/// The end of a call whose arguments do not fit.
#[must_use]
pub fn unfit<'a>(context: &ToolContext, error: &DecodeError) -> Called<'a> {
    // The message names the places itself, since there may be several.
    let violation = Violation {
        pointer: String::new(),
        message: error.to_string(),
    };
    Box::pin(std::future::ready(Err(ToolError::InvalidArguments {
        tool: context.tool.clone(),
        violations: vec![violation],
    })))
}

/// Binds a function, which needs nothing.
pub fn function(call: for<'a> fn(&'a ToolContext, Value) -> Called<'a>) -> Bind {
    Box::new(move |_| {
        Bound::To(Arc::new(move |context, arguments| {
            Box::pin(async move { call(&context, arguments).await })
        }))
    })
}

/// Binds a method to the value that the registry was given for its type.
pub fn method<S: State>(call: for<'a> fn(&'a S, &'a ToolContext, Value) -> Called<'a>) -> Bind {
    Box::new(move |states| {
        states.bind(move |state: Arc<S>| {
            Arc::new(move |context, arguments| {
                let state = Arc::clone(&state);
                Box::pin(async move { call(&state, &context, arguments).await })
            })
        })
    })
}
