//! Names of tools: `<verb>-<service>-<noun>`, in two steps.
//!
//! The base name depends only on its own operation, so it contains the whole path of the resource.
//! If base names collide or are too long, [`document`] decides the names from the words that tell the
//! operations apart.

pub(crate) mod abbreviations;
mod adjectives;
mod compound;
mod context;
pub(crate) mod document;
mod draft;
mod fit;
mod key;
mod method;
mod modifiers;
mod noun;
mod related;
mod rule;
mod rules;
mod shape;
mod told;
mod unmentioned;
mod verb;

use std::fmt;

use toolwright_model::{
    Kind, MAX_TOOL_NAME, NameError, ServiceName, TOOL_VERBS, ToolName, most_similar,
};

use crate::{
    governance,
    language::{
        facts::OperationFacts,
        reading::{Reading, parameter, path::Dropped, segment},
    },
};
use context::Context;
use draft::Draft;
use fit::{arrange, fit, words_of};
use noun::WordRank;
use rules::RULES;

/// The parts of a name that the overlay sets; the others are derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameHints<'a> {
    /// The verb: one of [`TOOL_VERBS`].
    pub verb: Option<&'a str>,
    /// The noun: one or more words in kebab case, such as `work-item-comments`.
    pub noun: Option<&'a str>,
}

/// A name, its parts, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The verb.
    pub verb: String,
    /// The noun in kebab case, as part of the name.
    pub noun: String,
    /// The words of the noun before any is left out.
    pub(crate) whole: Vec<String>,
    /// The ranks of these words.
    pub(crate) ranks: Vec<WordRank>,
    /// The words of the noun before any is abbreviated.
    pub(crate) base: Vec<String>,
    /// The name, or why there is none.
    pub name: Result<ToolName, NamingError>,
    /// The steps that led to the name, one line each, for `explain`.
    pub derivation: Vec<String>,
}

/// The reason why an operation has no name. An overlay line fixes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamingError {
    /// The name would be longer than [`MAX_TOOL_NAME`] characters, and no rule shortens it.
    TooLong {
        /// The name that would be.
        name: String,
    },
    /// The document has other operations of this name, and no words that tell this one apart fit.
    Indistinct {
        /// The name that would be.
        name: String,
    },
    /// The path and the operation id have no word to make a noun of.
    NoNoun,
    /// The overlay's verb is not one of [`TOOL_VERBS`].
    UnknownVerb {
        /// The verb of the overlay.
        verb: String,
        /// A verb of the list that is spelt alike.
        similar: Option<&'static str>,
    },
    /// The overlay's noun is not kebab case.
    NounGrammar {
        /// The noun of the overlay.
        noun: String,
    },
}

impl fmt::Display for NamingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { name } => write!(
                f,
                "the name `{name}` has {} characters, {MAX_TOOL_NAME} are allowed",
                name.len()
            ),
            Self::Indistinct { name } => write!(
                f,
                "`{name}` is not unique, and no name of at most {MAX_TOOL_NAME} characters tells the operation apart"
            ),
            Self::NoNoun => f.write_str("neither the path nor the operation id contains a noun"),
            Self::UnknownVerb { verb, .. } => write!(f, "`{verb}` is not a verb of tool names"),
            Self::NounGrammar { noun } => write!(
                f,
                "`{noun}` is not a noun: lower-case words of letters and digits, joined by single hyphens"
            ),
        }
    }
}

impl std::error::Error for NamingError {}

/// Names the operation, as the kind that its evidence makes it.
#[must_use]
pub fn name_of(service: &ServiceName, facts: &OperationFacts, hints: NameHints<'_>) -> Naming {
    name_as(governance::classify(facts).kind, service, facts, hints)
}

/// Names the operation, which is of this kind.
pub(crate) fn name_as(
    kind: Kind,
    service: &ServiceName,
    facts: &OperationFacts,
    hints: NameHints<'_>,
) -> Naming {
    if let Some(method) = &facts.eab {
        return method::name_of(service, method, hints);
    }
    let reading = Reading::new(facts);
    let context = Context::new(&reading, kind, service);
    let draft = Draft::new(&context);
    let mut derivation = dropped(&reading);
    let verb = hints.verb.unwrap_or(draft.choice.verb);
    derivation.push(match hints.verb {
        Some(verb) => format!("the verb is `{verb}`: set in the overlay"),
        None => format!("the verb is `{verb}`: {}", draft.because()),
    });
    let atoms = arrange(draft.atoms.clone(), draft.choice.number, draft.choice.verb);
    let room = MAX_TOOL_NAME.saturating_sub(verb.len() + service.as_str().len() + "--".len());
    let (needed, unneeded): (Vec<_>, Vec<_>) = atoms.iter().cloned().partition(|atom| atom.needed);
    let fitted = fit(&needed, room);
    let noun = hints.noun.map_or(fitted.noun, ToOwned::to_owned);
    let ranks = atoms
        .iter()
        .flat_map(|atom| atom.words.iter().map(|_| atom.rank()));
    let ranks = ranks.collect();
    let whole = words_of(&atoms);
    derivation.push(match hints.noun {
        Some(noun) => format!("the noun is `{noun}`: set in the overlay"),
        None => because(
            &noun,
            &words_of(&needed).join("-"),
            &words_of(&unneeded).join("-"),
        ),
    });
    let base = match hints.noun {
        Some(noun) => noun.split('-').map(str::to_owned).collect(),
        None => fitted.words,
    };
    Naming {
        verb: verb.to_owned(),
        name: check(service, verb, &noun, hints),
        noun,
        whole,
        ranks,
        base,
        derivation,
    }
}

/// Describes the noun, which is all needed words or fewer, without the parents that it does not need.
fn because(noun: &str, needed: &str, unneeded: &str) -> String {
    let without = if unneeded.is_empty() {
        String::new()
    } else {
        format!(", without `{unneeded}`, which no text mentions")
    };
    if needed == noun {
        format!("the noun is `{noun}`: the resource of the path{without}")
    } else {
        format!(
            "the noun is `{noun}`: `{needed}` is shortened to keep to {MAX_TOOL_NAME} characters{without}"
        )
    }
}

/// Describes the segments that are no part of the resource.
fn dropped(reading: &Reading<'_>) -> Vec<String> {
    let lines = reading.path.dropped.iter().map(|(segment, why)| {
        let why = match why {
            Dropped::Prefix => "it is an API prefix",
            Dropped::Namespace => "it precedes a namespace",
            Dropped::Version => "it is a version",
            Dropped::Format => "it selects the format of the response",
            Dropped::Opaque => "it has no words",
        };
        format!("`{segment}` is left out: {why}")
    });
    lines.collect()
}

/// Returns the ids of all rules of names.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.id).collect()
}

/// Returns the ids of the rules that decide something about the name of an operation.
#[must_use]
pub fn rules_of(service: &ServiceName, facts: &OperationFacts) -> Vec<&'static str> {
    let reading = Reading::new(facts);
    let context = Context::new(&reading, governance::classify(facts).kind, service);
    Draft::new(&context).by.iter().map(|rule| rule.id).collect()
}

/// Puts the name together, if it follows the rules.
fn check(
    service: &ServiceName,
    verb: &str,
    noun: &str,
    hints: NameHints<'_>,
) -> Result<ToolName, NamingError> {
    if !TOOL_VERBS.contains(&verb) {
        return Err(NamingError::UnknownVerb {
            verb: verb.to_owned(),
            similar: most_similar(verb, TOOL_VERBS.iter().copied()),
        });
    }
    if noun.is_empty() && hints.noun.is_none() {
        return Err(NamingError::NoNoun);
    }
    ToolName::new(format!("{verb}-{service}-{noun}")).map_err(|error| match error {
        NameError::TooLong { text } => NamingError::TooLong { name: text },
        NameError::Grammar { .. } => NamingError::NounGrammar {
            noun: noun.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests;
