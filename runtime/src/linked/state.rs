//! The states of methods: the values that the program gives to its registry, by their types.

use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::ask::Ask;

/// What a registry was given for the methods among its tools.
#[derive(Default)]
pub(crate) struct States {
    given: BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// The types whose tools are left out.
    left_out: BTreeSet<TypeId>,
}

/// What a registry has for the methods of a type.
pub(super) enum Found {
    /// The value that they are called on.
    State(Arc<dyn Any + Send + Sync>),
    /// The program has said that there is none.
    LeftOut,
    /// It was not said.
    Nothing,
}

/// A type whose methods may be tools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of tools",
    label = "not `Send`, not `Sync`, or not `'static`",
    note = "calls run at the same time, on several threads, on the one value that the registry was given",
    note = "keep what changes behind a lock, and write `Arc` for `Rc` and `Mutex` for `RefCell`"
)]
pub trait State<Via>: Sized {
    /// The type itself. A type that is no state has none, so that one error tells it, and not another one
    /// for each of its methods, whose futures cannot be sent then.
    type Checked;

    /// The value, when a method is called on it.
    fn of<'a>(ask: &mut Ask<'a>) -> Option<&'a Self::Checked>;
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> State<Shared> for T {
    type Checked = T;

    fn of<'a>(ask: &mut Ask<'a>) -> Option<&'a T> {
        ask.state()
    }
}

/// How a type is a state: there is one way.
pub enum Shared {}

/// The other way, which no type goes. With one way alone rustc would take it without a look, and then
/// tell that the type lacks `Send` rather than what that means.
pub enum Never {}

/// Of no type.
pub trait Nothing {}

#[diagnostic::do_not_recommend]
impl<T: Nothing> State<Never> for T {
    type Checked = T;

    fn of<'a>(_: &mut Ask<'a>) -> Option<&'a T> {
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

    /// What there is for the methods of a type.
    pub(super) fn find(&self, id: TypeId) -> Found {
        match self.given.get(&id) {
            Some(state) => Found::State(Arc::clone(state)),
            None if self.left_out.contains(&id) => Found::LeftOut,
            None => Found::Nothing,
        }
    }
}
