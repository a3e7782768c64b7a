//! The states of methods: the values that the program gives to its registry, by their types.

use std::{
    any::{Any, TypeId, type_name},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    error::ToolError,
    tool::{BoxFuture, Native, ToolContext},
};

/// What a registry was given for the methods among its tools.
#[derive(Default)]
pub struct States {
    given: BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// The types whose tools are left out.
    left_out: BTreeSet<TypeId>,
}

/// A function or a method, as a registry can call it.
pub enum Bound {
    /// It can be called.
    To(Arc<Native>),
    /// It needs a value of this type.
    Missing(&'static str),
    /// The program has said that there is no value for it.
    LeftOut,
}

/// A type whose methods may be tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of tools",
    label = "not `Send`, not `Sync`, or not `'static`",
    note = "calls run at the same time, on several threads, on the one value that the registry was given",
    note = "keep what changes behind a lock, and write `Arc` for `Rc` and `Mutex` for `RefCell`"
)]
pub trait State: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> State for T {}

/// Binds a function, which needs nothing.
pub fn function(
    call: for<'a> fn(&'a ToolContext, Value) -> BoxFuture<'a, Result<Value, ToolError>>,
) -> Bound {
    Bound::To(Arc::new(move |context, arguments| {
        Box::pin(async move { call(&context, arguments).await })
    }))
}

/// Binds a method to the value that the registry was given for its type.
pub fn method<S: State>(
    states: &States,
    call: for<'a> fn(&'a S, &'a ToolContext, Value) -> BoxFuture<'a, Result<Value, ToolError>>,
) -> Bound {
    match states.get::<S>() {
        Some(state) => Bound::To(Arc::new(move |context, arguments| {
            let state = Arc::clone(&state);
            Box::pin(async move { call(&state, &context, arguments).await })
        })),
        None if states.left_out.contains(&TypeId::of::<S>()) => Bound::LeftOut,
        None => Bound::Missing(type_name::<S>()),
    }
}

impl States {
    /// Takes in a value; false when there was one of its type.
    pub(crate) fn give<S: Send + Sync + 'static>(&mut self, state: Arc<S>) -> bool {
        self.given.insert(TypeId::of::<S>(), state).is_none()
    }

    /// Leaves out the tools that need a value of this type.
    pub(crate) fn leave_out<S: 'static>(&mut self) {
        self.left_out.insert(TypeId::of::<S>());
    }

    fn get<S: Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        let state = self.given.get(&TypeId::of::<S>())?;
        Arc::downcast(Arc::clone(state)).ok()
    }
}
