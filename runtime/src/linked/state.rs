//! The states of methods: the values that the program gives to its registry, by their types.

use std::{
    any::{Any, TypeId, type_name},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::tool::Native;

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

/// Binds a function or a method to what it needs.
pub(super) type Bind = Box<dyn FnOnce(&States) -> Bound>;

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

impl States {
    /// Takes in a value; false when there was one of its type.
    pub(crate) fn give<S: Send + Sync + 'static>(&mut self, state: Arc<S>) -> bool {
        self.given.insert(TypeId::of::<S>(), state).is_none()
    }

    /// Leaves out the tools that need a value of this type.
    pub(crate) fn leave_out<S: 'static>(&mut self) {
        self.left_out.insert(TypeId::of::<S>());
    }

    /// What a method is bound to, given how it is bound to the value of its type.
    pub(super) fn bind<S: State>(&self, bind: impl FnOnce(Arc<S>) -> Arc<Native>) -> Bound {
        match self.get::<S>() {
            Some(state) => Bound::To(bind(state)),
            None if self.left_out.contains(&TypeId::of::<S>()) => Bound::LeftOut,
            None => Bound::Missing(type_name::<S>()),
        }
    }

    fn get<S: Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        let state = self.given.get(&TypeId::of::<S>())?;
        Arc::downcast(Arc::clone(state)).ok()
    }
}
