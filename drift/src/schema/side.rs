//! The kinds of schema changes, by the direction of the values.

use crate::{change::ChangeKind, subject::Side};

/// The relation between the old and the new allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// All old values and others are allowed.
    Widened,
    /// Only some old values are allowed.
    Narrowed,
    /// Only some old values and others are allowed.
    Other,
}

impl Move {
    /// Returns the relation between two schemas that differ.
    pub(super) const fn between(old_within_new: bool, new_within_old: bool) -> Self {
        match (old_within_new, new_within_old) {
            (true, _) => Self::Widened,
            (false, true) => Self::Narrowed,
            (false, false) => Self::Other,
        }
    }
}

impl Side {
    pub(super) const fn type_change(self, to: Move) -> ChangeKind {
        match (self, to) {
            (Self::Argument, Move::Widened) => ChangeKind::ArgumentTypeWidened,
            (Self::Argument, Move::Narrowed | Move::Other) => ChangeKind::ArgumentTypeChanged,
            (Self::Result, Move::Narrowed) => ChangeKind::ResultTypeNarrowed,
            (Self::Result, Move::Widened | Move::Other) => ChangeKind::ResultTypeChanged,
        }
    }

    pub(super) const fn enum_change(self, to: Move) -> ChangeKind {
        match (self, to) {
            (Self::Argument, Move::Widened) => ChangeKind::ArgumentEnumWidened,
            (Self::Argument, Move::Narrowed | Move::Other) => ChangeKind::ArgumentEnumNarrowed,
            (Self::Result, Move::Narrowed) => ChangeKind::ResultEnumNarrowed,
            (Self::Result, Move::Widened | Move::Other) => ChangeKind::ResultEnumWidened,
        }
    }

    pub(super) const fn bound_change(self, to: Move) -> ChangeKind {
        match (self, to) {
            (Self::Argument, Move::Widened) => ChangeKind::ArgumentConstraintLoosened,
            (Self::Argument, Move::Narrowed | Move::Other) => {
                ChangeKind::ArgumentConstraintTightened
            }
            (Self::Result, Move::Narrowed) => ChangeKind::ResultConstraintTightened,
            (Self::Result, Move::Widened | Move::Other) => ChangeKind::ResultConstraintLoosened,
        }
    }

    /// Returns the kind for an added field.
    pub(super) const fn added(self, required: bool) -> ChangeKind {
        match (self, required) {
            (Self::Argument, true) => ChangeKind::RequiredArgumentAdded,
            (Self::Argument, false) => ChangeKind::ArgumentAdded,
            (Self::Result, _) => ChangeKind::ResultAdded,
        }
    }

    /// Returns the kind for a removed field.
    pub(super) const fn removed(self) -> ChangeKind {
        match self {
            Self::Argument => ChangeKind::ArgumentRemoved,
            Self::Result => ChangeKind::ResultRemoved,
        }
    }

    /// Returns the kind for a field that became required or optional.
    pub(super) const fn required(self, is_required: bool) -> ChangeKind {
        match (self, is_required) {
            (Self::Argument, true) => ChangeKind::ArgumentRequired,
            (Self::Argument, false) => ChangeKind::ArgumentOptional,
            (Self::Result, true) => ChangeKind::ResultRequired,
            (Self::Result, false) => ChangeKind::ResultOptional,
        }
    }
}
