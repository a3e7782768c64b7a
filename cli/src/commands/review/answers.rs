//! The judgement of a command's proposals. Each is sound by itself, or refused with a reason.

use serde::Deserialize;
use serde_json::Value;
use toolwright::Effect;
use toolwright_generator::generate::{Proposal, TOOL_VERBS};
use toolwright_model::text::escape_invisible;

use super::questions::Question;

/// The most characters of a text.
const MAX_TEXT: usize = 4000;

/// A proposal, judged.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// It may be written into the overlay.
    Sound(Proposal),
    /// It may not.
    Refused {
        /// The operation, as far as the proposal names one.
        operation: String,
        /// The reason.
        why: String,
    },
}

/// A proposal as the command writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposed {
    operation: String,
    reason: String,
    verb: Option<String>,
    noun: Option<String>,
    title: Option<String>,
    short: Option<String>,
    description: Option<String>,
    when_to_use: Option<String>,
    effect: Option<Effect>,
}

/// Judges each proposal of an answer to the questions.
pub(super) fn judge(command: &str, answer: &Value, questions: &[Question]) -> Vec<Judged> {
    let Some(proposals) = answer.get("proposals").and_then(Value::as_array) else {
        return vec![Judged::Refused {
            operation: String::new(),
            why: "the answer has no list `proposals`".to_owned(),
        }];
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut judged = Vec::new();
    for proposal in proposals {
        let operation = proposal.get("operation").and_then(Value::as_str);
        let operation = operation.unwrap_or_default();
        judged.push(match one(command, proposal, questions) {
            Ok(_) if seen.contains(&operation) => Judged::Refused {
                operation: operation.to_owned(),
                why: "the answer has another proposal for this operation".to_owned(),
            },
            Ok(proposal) => Judged::Sound(proposal),
            Err(why) => Judged::Refused {
                operation: escape_invisible(operation).into_owned(),
                why,
            },
        });
        seen.push(operation);
    }
    judged
}

fn one(command: &str, proposal: &Value, questions: &[Question]) -> Result<Proposal, String> {
    let proposed = Proposed::deserialize(proposal).map_err(|error| error.to_string())?;
    let asked = questions.iter();
    let question = asked
        .into_iter()
        .find(|question| question.operation == proposed.operation)
        .ok_or("the command was not asked about this operation")?;
    if question.pinned && (proposed.verb.is_some() || proposed.noun.is_some()) {
        return Err("the lock holds the tool's name".to_owned());
    }
    if let Some(verb) = proposed.verb.as_ref()
        && !TOOL_VERBS.contains(&verb.as_str())
    {
        return Err(format!(
            "`{}` is not a verb of tool names",
            escape_invisible(verb)
        ));
    }
    if let Some(effect) = proposed.effect
        && !question.effect.is_below(effect)
    {
        return Err(format!(
            "the effect `{effect}` is not above `{}`, and a proposal never lowers a class",
            question.effect
        ));
    }
    let changes = [
        ("verb", proposed.verb),
        ("noun", proposed.noun),
        ("title", proposed.title),
        ("short", proposed.short),
        ("description", proposed.description),
        ("when_to_use", proposed.when_to_use),
        ("effect", proposed.effect.map(|effect| effect.to_string())),
    ];
    let changes: Vec<_> = changes
        .into_iter()
        .filter_map(|(key, text)| Some((key, text?)))
        .collect();
    if changes.is_empty() {
        return Err("it changes nothing".to_owned());
    }
    let reason = ("reason", proposed.reason);
    for (key, text) in changes.iter().chain([&reason]) {
        check_text(key, text)?;
    }
    Ok(Proposal {
        selector: proposed.operation,
        proposed_by: command.to_owned(),
        reason: reason.1,
        changes,
    })
}

/// Checks that a person can see the whole text.
fn check_text(key: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("`{key}` is empty"));
    }
    if text.chars().count() > MAX_TEXT {
        return Err(format!("`{key}` has more than {MAX_TEXT} characters"));
    }
    let shown = text.replace('\n', " ");
    if escape_invisible(&shown) != shown {
        return Err(format!("`{key}` has invisible characters"));
    }
    Ok(())
}
