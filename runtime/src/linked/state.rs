//! The states of methods: the values that the program gives to its registry, by their types.

use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::ask::Ask;

/// The state of a registry for the methods among its tools.
#[derive(Default)]
pub(crate) struct States {
    given: BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// The types whose tools are left out.
    left_out: BTreeSet<TypeId>,
}

/// The result of a lookup of a method's state.
pub(super) enum StateLookup {
    /// The value that they are called on.
    State(Arc<dyn Any + Send + Sync>),
    /// The program has declared that there is no state.
    LeftOut,
    /// The program has declared nothing.
    Nothing,
}

/// A type whose methods may be tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of tools",
    label = "not `Send`, not `Sync`, or not `'static`",
    note = "calls run at the same time, on several threads, on the one value that the registry was given",
    note = "put mutable data in a lock, and use `Arc` instead of `Rc` and `Mutex` instead of `RefCell`"
)]
pub trait State<Via>: Sized {
    /// The type itself. A type that cannot be a state has none: the compiler then reports one error
    /// for it, and not another one for each of its methods, whose futures cannot be sent.
    type Checked;

    /// The value, when a method is called on it.
    fn from_ask<'a>(ask: &mut Ask<'a>) -> Option<&'a Self::Checked>;
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> State<Shared> for T {
    type Checked = T;

    fn from_ask<'a>(ask: &mut Ask<'a>) -> Option<&'a T> {
        ask.state()
    }
}

/// The only way that a type is a state.
pub enum Shared {}

/// The other way, which no type takes. With one way alone rustc would select it unchecked, and then
/// report that the type lacks `Send` instead of the trait's own message.
pub enum Never {}

/// A trait that no type implements.
pub trait Nothing {}

#[diagnostic::do_not_recommend]
impl<T: Nothing> State<Never> for T {
    type Checked = T;

    fn from_ask<'a>(_: &mut Ask<'a>) -> Option<&'a T> {
        None
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

    /// Looks up the state for the methods of a type.
    pub(super) fn find(&self, id: TypeId) -> StateLookup {
        match self.given.get(&id) {
            Some(state) => StateLookup::State(Arc::clone(state)),
            None if self.left_out.contains(&id) => StateLookup::LeftOut,
            None => StateLookup::Nothing,
        }
    }
}
