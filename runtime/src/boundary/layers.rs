//! The two layers that do not trust each other. Each is tested with the other switched off; in a
//! program both are always on.

/// A layer of the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// A role is offered the tools that it was granted, and no others.
    Offer,
    /// A call fits the scope parameters of its role.
    Scope,
}

/// Checks whether a layer is on.
#[cfg(not(test))]
pub(super) const fn is_on(_: Layer) -> bool {
    true
}

#[cfg(test)]
pub(super) use switches::is_on;

#[cfg(test)]
mod switches {
    //! The switches of the layers, for the tests of this crate.

    use std::cell::Cell;

    use super::Layer;

    thread_local! {
        static OFF: Cell<Option<Layer>> = const { Cell::new(None) };
    }

    /// Checks whether a layer is on in this thread.
    pub(in crate::boundary) fn is_on(layer: Layer) -> bool {
        OFF.get() != Some(layer)
    }

    /// Switches a layer off in this thread.
    pub(super) fn switch_off(layer: Option<Layer>) {
        OFF.set(layer);
    }
}

#[cfg(test)]
mod tests;
