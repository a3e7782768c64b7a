//! What a difference of schemas means, by the side on which they are.

use super::super::change::ChangeKind;

/// Which way values travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// To the service.
    Argument,
    /// From the service.
    Result,
}

/// How the values that a schema allows relate to those that it allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// All of them, and others.
    Widened,
    /// Some of them.
    Narrowed,
    /// Some of them, and others.
    Other,
}

impl Move {
    /// How `new` relates to `old`, where that is not by being equal.
    pub(super) const fn between(old_within_new: bool, new_within_old: bool) -> Self {
        match (old_within_new, new_within_old) {
            (true, _) => Self::Widened,
            (false, true) => Self::Narrowed,
            (false, false) => Self::Other,
        }
    }
}

impl Side {
    pub(super) const fn of_type(self, to: Move) -> ChangeKind {
        match (self, to) {
            (Self::Argument, Move::Widened) => ChangeKind::ArgumentTypeWidened,
            (Self::Argument, Move::Narrowed | Move::Other) => ChangeKind::ArgumentTypeChanged,
            (Self::Result, Move::Narrowed) => ChangeKind::ResultTypeNarrowed,
            (Self::Result, Move::Widened | Move::Other) => ChangeKind::ResultTypeChanged,
        }
    }

    pub(super) const fn of_enum(self, to: Move) -> ChangeKind {
        match (self, to) {
            (Self::Argument, Move::Widened) => ChangeKind::ArgumentEnumWidened,
            (Self::Argument, Move::Narrowed | Move::Other) => ChangeKind::ArgumentEnumNarrowed,
            (Self::Result, Move::Narrowed) => ChangeKind::ResultEnumNarrowed,
            (Self::Result, Move::Widened | Move::Other) => ChangeKind::ResultEnumWidened,
        }
    }

    pub(super) const fn of_bound(self, to: Move) -> ChangeKind {
        match (self, to) {
            (Self::Argument, Move::Widened) => ChangeKind::ArgumentConstraintLoosened,
            (Self::Argument, Move::Narrowed | Move::Other) => {
                ChangeKind::ArgumentConstraintTightened
            }
            (Self::Result, Move::Narrowed) => ChangeKind::ResultConstraintTightened,
            (Self::Result, Move::Widened | Move::Other) => ChangeKind::ResultConstraintLoosened,
        }
    }

    /// A field is new.
    pub(super) const fn added(self, required: bool) -> ChangeKind {
        match (self, required) {
            (Self::Argument, true) => ChangeKind::RequiredArgumentAdded,
            (Self::Argument, false) => ChangeKind::ArgumentAdded,
            (Self::Result, _) => ChangeKind::ResultAdded,
        }
    }

    /// A field is gone.
    pub(super) const fn removed(self) -> ChangeKind {
        match self {
            Self::Argument => ChangeKind::ArgumentRemoved,
            Self::Result => ChangeKind::ResultRemoved,
        }
    }

    /// Whether a field has to be there is another than before.
    pub(super) const fn required(self, is_required: bool) -> ChangeKind {
        match (self, is_required) {
            (Self::Argument, true) => ChangeKind::ArgumentRequired,
            (Self::Argument, false) => ChangeKind::ArgumentOptional,
            (Self::Result, true) => ChangeKind::ResultRequired,
            (Self::Result, false) => ChangeKind::ResultOptional,
        }
    }
}
