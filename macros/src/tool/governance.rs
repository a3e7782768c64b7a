//! The governance row for the declarations, and their contradictions.
//!
//! The author's declarations are the evidence for a hand-written tool. Without one the more
//! dangerous row is taken, and a declaration that lowers a row needs a reason.

use proc_macro2::Span;
use toolwright_model::{Category, Effect, Governance, Kind, Promise, promise_of};

use super::{
    attribute::{Approval, ToolAttribute},
    form::Placed,
    name::CheckedName,
};
use crate::problems::{Problem, Problems};

/// Returns the governance of the tool: the row of the table, with the author's overrides. The name
/// is absent if it is invalid.
pub(super) fn classify(
    attribute: &ToolAttribute,
    category: Placed<Category>,
    name: Option<&CheckedName>,
    problems: &mut Problems,
) -> Governance {
    let declared = Declared {
        attribute,
        category: category.value,
        promise: name.and_then(|name| promise_of(&name.verb)),
    };
    let kind = declared.kind();
    let before = problems.len();
    problems.keep(declared.check_verb(name));
    problems.keep(declared.check_effect());
    problems.keep(declared.check_destructive());
    if problems.len() == before {
        problems.keep(declared.check_promise(name));
        problems.keep(declared.check_reason(kind));
    }
    declared.governance(kind)
}

const BOTH: &str =
    "the governance checks use both the category and the effect, so the two must agree";

struct Declared<'a> {
    attribute: &'a ToolAttribute,
    category: Category,
    promise: Option<Promise>,
}

impl Declared<'_> {
    const fn changes_nothing(&self) -> bool {
        matches!(self.category, Category::Observe | Category::Report)
    }

    /// The effect that was written, or else the one that the verb promises, or else the most
    /// uncertain one.
    fn effect(&self) -> Effect {
        match (self.attribute.effect, self.category, self.promise) {
            (Some(effect), _, _) => effect.value,
            (None, Category::Observe | Category::Report, _)
            | (None, Category::Approve, Some(Promise::Reads)) => Effect::Read,
            (None, _, Some(Promise::Has(effect))) => effect,
            (None, _, _) => Effect::Action,
        }
    }

    fn kind(&self) -> Kind {
        let overwrites = self
            .attribute
            .destructive
            .is_none_or(|destructive| destructive.value);
        Kind::from_parts(self.category, self.effect(), overwrites)
    }

    fn governance(&self, kind: Kind) -> Governance {
        let flag_or = |flag: Option<Placed<bool>>, row: bool| flag.map_or(row, |flag| flag.value);
        let mut governance = Governance::from_kind(kind, false);
        governance.approves = self.category == Category::Approve;
        if let Some(approval) = self.attribute.approval {
            governance.approval_required = approval.value == Approval::Required;
        }
        let hints = &mut governance.hints;
        hints.destructive = flag_or(self.attribute.destructive, hints.destructive);
        hints.idempotent = flag_or(self.attribute.idempotent, hints.idempotent);
        hints.open_world = flag_or(self.attribute.open_world, hints.open_world);
        governance
    }

    fn check_verb(&self, name: Option<&CheckedName>) -> Result<(), Problem> {
        let (Some(promise), Some(name)) = (self.promise, name) else {
            return Ok(());
        };
        let category = self.category;
        let (by_verb, by_category, right_category, other_verb) = match promise {
            Promise::Reads if category == Category::Execute => {
                ("nothing", "something", Category::Observe, "update")
            }
            Promise::Has(_) | Promise::Changes if self.changes_nothing() => {
                ("something", "nothing", Category::Execute, "get")
            }
            _ => return Ok(()),
        };
        let message = format!(
            "the verb `{}` means that a call changes {by_verb}, but the category `{category}` means that it changes {by_category}",
            name.verb
        );
        Err(Problem::at(name.span, message)
            .note("agents and operators rely on the verb, and the governance checks use the category")
            .help(format!(
                "write `category = {right_category}`, or start the name with a verb for what a call does, such as `{other_verb}`"
            )))
    }

    fn check_effect(&self) -> Result<(), Problem> {
        let Some(effect) = self.attribute.effect else {
            return Ok(());
        };
        let (word, category) = (effect.value, self.category);
        if self.changes_nothing() && word != Effect::Read {
            let message = format!(
                "the effect `{word}` changes something, but the category `{category}` means that a call changes nothing"
            );
            return Err(Problem::at(effect.span, message).note(BOTH).help(format!(
                "write `category = execute`, or remove `effect = {word}`"
            )));
        }
        if category == Category::Execute && word == Effect::Read {
            let message = "the effect `read` changes nothing, but the category `execute` means that a call changes something";
            return Err(Problem::at(effect.span, message).note(BOTH).help(
                "write `category = observe`, or the effect of a call, such as `effect = update`",
            ));
        }
        Ok(())
    }

    /// The effect must be the one that the verb promises, or `action` if the author is not sure.
    fn check_promise(&self, name: Option<&CheckedName>) -> Result<(), Problem> {
        let (Some(effect), Some(promise), Some(name)) = (self.attribute.effect, self.promise, name)
        else {
            return Ok(());
        };
        let (fits, promised) = match promise {
            Promise::Reads => (effect.value == Effect::Read, "changes nothing".to_owned()),
            Promise::Changes => (effect.value != Effect::Read, "changes something".to_owned()),
            Promise::Has(promised) => (
                effect.value == promised || effect.value == Effect::Action,
                format!("has the effect `{promised}`"),
            ),
        };
        if fits {
            return Ok(());
        }
        let message = format!(
            "the verb `{}` means that a call {promised}, but the declared effect is `{}`",
            name.verb, effect.value
        );
        Err(Problem::at(effect.span, message)
            .note("agents and operators rely on the verb, and the governance checks use the effect")
            .help("remove `effect`, or start the name with a verb for what a call does"))
    }

    fn check_destructive(&self) -> Result<(), Problem> {
        match self.attribute.destructive {
            Some(Placed { value: true, span }) if self.effect() == Effect::Read => {
                let message = format!(
                    "a tool of the category `{}` changes nothing, so it cannot be `destructive`",
                    self.category
                );
                Err(Problem::at(span, message)
                    .note("clients ask the user before they call a destructive tool, and call a reading tool without asking")
                    .help("remove `destructive`, or write `category = execute`"))
            }
            _ => Ok(()),
        }
    }

    /// An override that lowers the row needs a reason, and a reason needs such an override.
    fn check_reason(&self, kind: Kind) -> Result<(), Problem> {
        let row = Governance::from_kind(kind, false);
        match (self.first_lowered(&row), &self.attribute.reason) {
            (Some((span, usual)), None) => {
                let message = format!(
                    "missing `reason`: calls with the effect `{}` {usual} by default",
                    row.effect()
                );
                Err(Problem::at(span, message)
                    .note("the tool's description and its audit records contain the reason")
                    .help("remove this argument, or add `reason = \"…\"`"))
            }
            (None, Some(reason)) => {
                let message = format!(
                    "unused `reason`: nothing here lowers the defaults of the effect `{}`",
                    row.effect()
                );
                Err(Problem::on(reason, message)
                    .note("a reason explains why calls need no approval or destroy nothing although the effect suggests it")
                    .help("remove `reason`; describe what the tool does in its documentation"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the place of an override that lowers the row, and the row's own value.
    fn first_lowered(&self, row: &Governance) -> Option<(Span, &'static str)> {
        let approval = self
            .attribute
            .approval
            .filter(|approval| row.approval_required && approval.value == Approval::None)
            .map(|approval| (approval.span, "need a person's approval"));
        let destructive = self
            .attribute
            .destructive
            .filter(|flag| row.hints.destructive && !flag.value)
            .map(|flag| (flag.span, "are destructive"));
        approval.or(destructive)
    }
}
