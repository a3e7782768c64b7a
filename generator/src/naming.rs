//! Names of tools: `<verb>-<service>-<noun>`, in two steps.
//!
//! The base name depends only on its own operation, so it contains the whole path of the resource.
//! If base names collide or are too long, [`document`] decides the names from the words that tell the
//! operations apart.

mod action;
mod call;
pub(crate) mod document;
mod method;
mod noun;
mod operation_id;
mod parameter;
mod parts;
mod path;
mod said;
mod segment;
mod shorten;

use std::fmt;

use toolwright_model::{Kind, MAX_TOOL_NAME, NameError, ServiceName, ToolName, most_similar};

use crate::{
    governance,
    language::{facts::OperationFacts, is_plural, words},
};
use action::{Action, action};
use noun::{Group, Number};
use path::{Part, ResourcePath};
use said::{SEPARATORS, is_plain};

use crate::language::tool_verbs::{VERBS, is_of_many, tool_verb};

/// The number of words from which an operation id's noun is specific enough, whatever the path.
const TELLING: usize = 3;

/// The parts of a name that the overlay sets; the others are derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameHints<'a> {
    /// The verb: one of [`VERBS`].
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
    /// The words of the noun before it is shortened.
    pub(crate) whole: Vec<String>,
    /// The version and the variant at the end of the noun.
    pub(crate) suffix: Vec<String>,
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
    /// The overlay's verb is not one of [`VERBS`].
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
    let path = ResourcePath::read(service, &facts.path);
    let mut derivation = path.dropped.clone();
    let mut version = version(facts, &path);
    let Action {
        verb,
        parts,
        number,
        manner,
        because,
    } = action(facts, path, kind);
    version.extend(manner);
    let verb = hints.verb.unwrap_or(verb);
    derivation.push(match hints.verb {
        Some(verb) => format!("the verb is `{verb}`: set in the overlay"),
        None => format!("the verb is `{verb}`: {because}"),
    });
    let mut groups = noun::groups(&parts, number);
    if groups.is_empty() {
        groups = from_operation_id(service, facts, verb);
        derivation.push("the noun is that of the operation id: the path has none".to_owned());
    }
    let room = MAX_TOOL_NAME.saturating_sub(verb.len() + service.as_str().len() + "--".len());
    let (kept, shortened) = fit(&groups, &version, room, || {
        let mut said = operation_id::noun(service, facts, verb, number);
        let long = [said.clone(), version.clone()].concat().join("-").len() > room;
        if let Some(own) = operation_id::own_words(service, &said).filter(|_| long) {
            said.drain(..own);
        }
        said
    });
    let noun = hints.noun.map_or(kept, ToOwned::to_owned);
    derivation.push(match hints.noun {
        Some(noun) => format!("the noun is `{noun}`: set in the overlay"),
        None if shortened => format!(
            "the noun is `{noun}`: of `{}` the furthest parents are left out, to keep to {MAX_TOOL_NAME} characters",
            noun::kebab(&groups)
        ),
        None => format!("the noun is `{noun}`: the resource of the path"),
    });
    let name = check(service, verb, &noun, hints);
    Naming {
        verb: verb.to_owned(),
        noun,
        whole: noun::words(&groups),
        suffix: version,
        name,
        derivation,
    }
}

/// Returns the version of the resources' group, from the path or the operation id, and the
/// operation id's variant.
fn version(facts: &OperationFacts, path: &ResourcePath) -> Vec<String> {
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let said = operation_id::version(id).filter(|_| path.version.is_empty());
    let mut of_parts = path.parts.iter().flat_map(|part| &part.words);
    let first = path
        .first_version
        .clone()
        .filter(|_| operation_id::is_counted(id));
    let version = match said.or(first) {
        Some(version) if !of_parts.any(|word| *word == version) => vec![version],
        _ => path.version.clone(),
    };
    let variant = operation_id::variant(id, &facts.path);
    version.into_iter().chain(variant).collect()
}

/// Fits the noun into the available length, and returns whether it was shortened: the whole noun,
/// or that of the operation id if it is as specific as the shortened one, or else the shortened
/// one.
fn fit(
    whole: &[Group],
    version: &[String],
    room: usize,
    said: impl FnOnce() -> Vec<String>,
) -> (String, bool) {
    let all = [noun::words(whole), version.to_vec()].concat();
    if all.join("-").len() <= room {
        return (all.join("-"), false);
    }
    let shortened = shorten::shorten(whole, version, room);
    let said = [said().as_slice(), version].concat();
    let telling = said.len() >= TELLING.min(shortened.len());
    if telling && said.join("-").len() <= room {
        return (said.join("-"), true);
    }
    (shortened.join("-"), true)
}

/// Puts the name together, if it follows the rules.
fn check(
    service: &ServiceName,
    verb: &str,
    noun: &str,
    hints: NameHints<'_>,
) -> Result<ToolName, NamingError> {
    if !VERBS.contains(&verb) {
        return Err(NamingError::UnknownVerb {
            verb: verb.to_owned(),
            similar: most_similar(verb, VERBS.iter().copied()),
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

/// The noun of the operation id, without its verbs and the service's own word.
fn from_operation_id(service: &ServiceName, facts: &OperationFacts, verb: &str) -> Vec<Group> {
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let (whole, dotted) = (!id.contains(SEPARATORS), id.contains('.'));
    let says = |(at, word): &(usize, String)| {
        let is_verb = tool_verb(word).is_some_and(|said| said == verb || is_plain(word));
        // `updateCall`: a `call` is a thing too
        let leads = whole && *at == 0 && tool_verb(word).is_some();
        word != service.as_str() && !is_verb && !leads
    };
    let parts: Vec<Part> = id
        .split(SEPARATORS)
        .map(|part| words(part).into_iter().enumerate().filter(says))
        .map(|part| Part::of(part.map(|(_, word)| word).collect()))
        .map(|part| Part {
            // `projects.dashboards`: the dashboards of one project
            item: dotted && part.words.last().is_some_and(|last| is_plural(last)),
            ..part
        })
        .filter(|part| !part.words.is_empty())
        .collect();
    // `{name}` with `items.delete`
    let done = id.rsplit(SEPARATORS).next().unwrap_or_default();
    let one = !whole && tool_verb(done).is_some_and(|verb| !is_of_many(verb));
    let number = if one && chooses(&facts.path) {
        Number::One
    } else {
        Number::AsWritten
    };
    let groups = noun::groups(&parts, number);
    if groups.is_empty() {
        let word = if facts.path == "/" { "root" } else { "service" };
        return vec![Group {
            words: vec![word.to_owned()],
            ..Group::default()
        }];
    }
    groups
}

/// Checks whether a path ends in a parameter, or in a call on one.
fn chooses(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.starts_with('{') && (last.ends_with('}') || last.contains("}:"))
}

#[cfg(test)]
mod tests;
