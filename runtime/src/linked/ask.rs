//! The requests to the function that `#[tool]` writes: to declare the tool, or to carry out a call.
//!
//! One function serves both, since the declaration of an argument and its use depend on one type.
//! It goes through the same steps either way. For a declaration, each step records its part and
//! returns nothing, so the tool itself is not called.

use std::any::{Any, TypeId, type_name};

use serde_json::Value;

use super::{
    argument::{Argument, Input},
    declaration::{Declaration, NeededState},
};
use crate::{
    boundary::tool::{LackingLayers, ToolContext},
    codec::DecodeError,
    error::ToolError,
    linked::RoleEnum,
    schema::Violation,
};
use futures_core::future::BoxFuture;

/// A function that `#[tool]` writes.
pub type Linked = for<'a> fn(&mut Ask<'a>) -> Answer<'a>;

/// The result: the call, or nothing for a declaration.
pub type Answer<'a> = Option<BoxFuture<'a, Result<Value, ToolError>>>;

/// A request to a tool.
pub struct Ask<'a>(Purpose<'a>);

enum Purpose<'a> {
    /// The declaration of the tool.
    Declare(Box<Declaration>),
    /// To carry out a call.
    Call(PendingCall<'a>),
}

/// A call, with the arguments that were not read yet.
struct PendingCall<'a> {
    context: &'a ToolContext,
    state: Option<&'a (dyn Any + Send + Sync)>,
    arguments: Value,
    /// All decoding errors.
    error: Option<DecodeError>,
}

/// The name of a variant's role.
pub fn role(variant: impl RoleEnum) -> &'static str {
    variant.name()
}

impl<'a> Ask<'a> {
    /// Asks a tool for its declaration.
    pub(super) fn what(tool: Linked) -> Declaration {
        let mut ask = Self(Purpose::Declare(Box::new(Declaration::new(tool))));
        tool(&mut ask);
        match ask.0 {
            Purpose::Declare(declaration) => *declaration,
            Purpose::Call(_) => Declaration::new(tool),
        }
    }

    /// Asks to carry out a call.
    pub(super) const fn call(
        context: &'a ToolContext,
        state: Option<&'a (dyn Any + Send + Sync)>,
        arguments: Value,
    ) -> Self {
        Self(Purpose::Call(PendingCall {
            context,
            state,
            arguments,
            error: None,
        }))
    }

    /// Declares the tool by this record, without its schemas and its module.
    pub fn declare(
        &mut self,
        record: &'static str,
        module: &'static str,
        function: &'static str,
        roles: &[&'static str],
    ) {
        if let Purpose::Declare(declaration) = &mut self.0 {
            declaration.record = serde_json::from_str(record).unwrap_or_default();
            declaration.module = module;
            declaration.function = function;
            declaration.roles = roles.to_vec();
        }
    }

    /// The tool writes or runs something in a sandbox, and this function returns the layers that the machine
    /// lacks for a call.
    pub fn confine(&mut self, lacking: LackingLayers) {
        if let Purpose::Declare(declaration) = &mut self.0 {
            declaration.lacking = Some(lacking);
        }
    }

    /// The tool's result has this schema, if it is known.
    pub fn output(&mut self, schema: impl FnOnce() -> Option<Value>) {
        if let Purpose::Declare(declaration) = &mut self.0 {
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
            Purpose::Declare(declaration) => {
                let input = &mut declaration.input;
                match input {
                    Some(Input::Named(before)) => before.push(argument()),
                    _ => *input = Some(Input::Named(vec![argument()])),
                }
                None
            }
            Purpose::Call(call) => {
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
            Purpose::Declare(declaration) => {
                declaration.input = Some(Input::One(argument()));
                None
            }
            Purpose::Call(call) => {
                let value = decode(call.arguments.take());
                call.keep(value)
            }
        }
    }

    /// The value that a method is called on.
    pub(super) fn state<S: Send + Sync + 'static>(&mut self) -> Option<&'a S> {
        match &mut self.0 {
            Purpose::Declare(declaration) => {
                declaration.state = Some(NeededState {
                    id: TypeId::of::<S>(),
                    name: type_name::<S>(),
                });
                None
            }
            Purpose::Call(call) => call.state?.downcast_ref(),
        }
    }

    pub(super) const fn context(&self) -> Option<&'a ToolContext> {
        match &self.0 {
            Purpose::Declare(_) => None,
            Purpose::Call(call) => Some(call.context),
        }
    }

    /// Ends early after a step returned nothing: the declaration is complete, or the arguments do
    /// not fit.
    pub fn end(&mut self) -> Answer<'a> {
        let Purpose::Call(call) = &mut self.0 else {
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

impl PendingCall<'_> {
    /// Returns the value, or records one more error.
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

/// Returns the value of an argument; an absent one is null.
pub(super) fn value_of(arguments: &mut Value, name: &str) -> Value {
    let value = arguments.as_object_mut().and_then(|all| all.remove(name));
    value.unwrap_or_default()
}

/// The type that the first parameter of a tool refers to.
#[diagnostic::on_unimplemented(
    message = "the first parameter of a tool is its context, not `&{Self}`",
    label = "not `ToolContext`",
    note = "the context identifies the caller and the call's id in the audit",
    note = "write `ctx: &ToolContext` first, or `_: &ToolContext` if it is not needed"
)]
pub trait Context: Sized {
    /// The context of a call.
    fn from_ask<'a>(ask: &Ask<'a>) -> Option<&'a Self>;
}

impl Context for ToolContext {
    fn from_ask<'a>(ask: &Ask<'a>) -> Option<&'a Self> {
        ask.context()
    }
}
