//! What the function that `#[tool]` writes is asked: what the tool is, or to carry out a call.
//!
//! It is one function for both, since what it says of an argument and what it does with it hang on one
//! type. It goes through the same steps either way. When it is asked what the tool is, each step notes
//! something down and gives nothing back, so that the tool itself is not called.

use std::any::{Any, TypeId, type_name};

use serde_json::Value;

use super::{
    argument::{Argument, Input},
    declaration::{Declaration, NeededState},
};
use crate::{
    codec::DecodeError,
    error::{ToolError, Violation},
    role::RoleEnum,
    tool::{BoxFuture, ToolContext},
};

/// A function that `#[tool]` writes.
pub type Linked = for<'a> fn(&mut Ask<'a>) -> Answer<'a>;

/// What comes of it: the call, or nothing where it was asked what the tool is.
pub type Answer<'a> = Option<BoxFuture<'a, Result<Value, ToolError>>>;

/// What a tool is asked.
pub struct Ask<'a>(Asked<'a>);

enum Asked<'a> {
    /// What it is.
    What(Box<Declaration>),
    /// To carry out a call.
    Call(Call<'a>),
}

/// A call, with the arguments that were not read yet.
struct Call<'a> {
    context: &'a ToolContext,
    state: Option<&'a (dyn Any + Send + Sync)>,
    arguments: Value,
    /// All that did not fit.
    error: Option<DecodeError>,
}

/// The name of a variant's role.
pub fn role(variant: impl RoleEnum) -> &'static str {
    variant.name()
}

impl<'a> Ask<'a> {
    /// Asks a tool what it is.
    pub(super) fn what(tool: Linked) -> Declaration {
        let mut ask = Self(Asked::What(Box::new(Declaration::of(tool))));
        tool(&mut ask);
        match ask.0 {
            Asked::What(declaration) => *declaration,
            Asked::Call(_) => Declaration::of(tool),
        }
    }

    /// Asks to carry out a call.
    pub(super) const fn call(
        context: &'a ToolContext,
        state: Option<&'a (dyn Any + Send + Sync)>,
        arguments: Value,
    ) -> Self {
        Self(Asked::Call(Call {
            context,
            state,
            arguments,
            error: None,
        }))
    }

    /// The tool is what this record says, but for its schemas and its module.
    pub fn declare(
        &mut self,
        record: &'static str,
        module: &'static str,
        function: &'static str,
        roles: &[&'static str],
    ) {
        if let Asked::What(declaration) = &mut self.0 {
            declaration.record = serde_json::from_str(record).unwrap_or_default();
            declaration.module = module;
            declaration.function = function;
            declaration.roles = roles.to_vec();
        }
    }

    /// The tool's result has this schema, if it is known.
    pub fn output(&mut self, schema: impl FnOnce() -> Option<Value>) {
        if let Asked::What(declaration) = &mut self.0 {
            declaration.output_schema = schema();
        }
    }

    /// One of several arguments.
    pub(super) fn argument<T>(
        &mut self,
        argument: impl FnOnce() -> Argument,
        name: &'static str,
        decode: fn(Value) -> Result<T, DecodeError>,
    ) -> Option<T> {
        match &mut self.0 {
            Asked::What(declaration) => {
                let input = &mut declaration.input;
                match input {
                    Some(Input::Named(before)) => before.push(argument()),
                    _ => *input = Some(Input::Named(vec![argument()])),
                }
                None
            }
            Asked::Call(call) => {
                let value = value_of(&mut call.arguments, name);
                call.keep(decode(value).map_err(|error| error.within(name)))
            }
        }
    }

    /// The only parameter: all arguments, or the only one.
    pub(super) fn only<T>(
        &mut self,
        argument: impl FnOnce() -> Argument,
        decode: fn(Value) -> Result<T, DecodeError>,
    ) -> Option<T> {
        match &mut self.0 {
            Asked::What(declaration) => {
                declaration.input = Some(Input::One(argument()));
                None
            }
            Asked::Call(call) => {
                let value = decode(call.arguments.take());
                call.keep(value)
            }
        }
    }

    /// The value that a method is called on.
    pub(super) fn state<S: Send + Sync + 'static>(&mut self) -> Option<&'a S> {
        match &mut self.0 {
            Asked::What(declaration) => {
                declaration.state = Some(NeededState {
                    id: TypeId::of::<S>(),
                    name: type_name::<S>(),
                });
                None
            }
            Asked::Call(call) => call.state?.downcast_ref(),
        }
    }

    pub(super) const fn context(&self) -> Option<&'a ToolContext> {
        match &self.0 {
            Asked::What(_) => None,
            Asked::Call(call) => Some(call.context),
        }
    }

    /// The end where something was not given back: nothing more is to be said, or the arguments do not
    /// fit.
    pub fn end(&mut self) -> Answer<'a> {
        let Asked::Call(call) = &mut self.0 else {
            return None;
        };
        let error = call.error.take();
        let error = error.unwrap_or_else(|| DecodeError::new("other arguments", &call.arguments));
        // The message names the places itself, since there may be several.
        let violation = Violation {
            pointer: String::new(),
            message: error.to_string(),
        };
        let error = ToolError::InvalidArguments {
            tool: call.context.tool.clone(),
            violations: vec![violation],
        };
        Some(Box::pin(std::future::ready(Err(error))))
    }
}

impl Call<'_> {
    /// The value, or nothing and one more error.
    fn keep<T>(&mut self, read: Result<T, DecodeError>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.error = Some(match self.error.take() {
                    Some(before) => before.and(error),
                    None => error,
                });
                None
            }
        }
    }
}

/// The value of an argument; what is absent is null.
pub(super) fn value_of(arguments: &mut Value, name: &str) -> Value {
    let value = arguments.as_object_mut().and_then(|all| all.remove(name));
    value.unwrap_or_default()
}

/// What the first parameter of a tool refers to.
#[diagnostic::on_unimplemented(
    message = "the first parameter of a tool is its context, not `&{Self}`",
    label = "not `ToolContext`",
    note = "the context says who calls, and under which id the call is in the audit",
    note = "write `ctx: &ToolContext` first, or `_: &ToolContext` where it is not needed"
)]
pub trait Context: Sized {
    /// The context of a call.
    fn of<'a>(ask: &Ask<'a>) -> Option<&'a Self>;
}

impl Context for ToolContext {
    fn of<'a>(ask: &Ask<'a>) -> Option<&'a Self> {
        ask.context()
    }
}
