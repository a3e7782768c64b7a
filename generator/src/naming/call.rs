//! Calls: paths that name the action, not only its object.

mod before;
mod evidence;
mod found;

use super::action::Action;
use super::noun::{Number, PREPOSITIONS, is_attribute};
use super::path::Part;
use super::said::is_plain;
use crate::language::{
    WordList, is_plural,
    tool_verbs::{is_of_many, join_particles, tool_verb},
};
pub(crate) use before::{drop_get, leading, within};
use evidence::ends_in_many;
pub(crate) use found::{before_item, is_deed, last_segment, spelt_out};

/// A verb with its object, read from words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The verb.
    pub(crate) verb: &'static str,
    /// The object of the call next to the resource: `user` of `collections.add_user`.
    pub(crate) object: Vec<String>,
    /// True for a batch.
    pub(crate) many: bool,
    /// True for all items.
    pub(crate) all: bool,
    /// The manner, if it distinguishes the call from another: `async`.
    pub(crate) manner: Vec<String>,
    /// The key that selects the item, if it follows the verb: `branch` of `sync_fork/{branch}`.
    pub(crate) by: Option<Vec<String>>,
}

/// The word for many at once that may be a thing too.
const BATCH: &str = "batch";

/// The word next to a verb that applies it to all items.
const ALL: &str = "all";

/// Words next to a verb that apply it to a batch.
static MANY: WordList = WordList::new("all batch bulk many mass multi multiple");

/// Words next to a verb that describe its manner, not its object.
static MANNERS: WordList = WordList::new("async asynchronous asynchronously do try");

/// Words of the manner that distinguish a deferred call from an immediate one.
static LATER: WordList = WordList::new("async asynchronous asynchronously");

impl Call {
    /// A verb and its object, and no more.
    fn plain(verb: &'static str, object: &[String]) -> Self {
        Self {
            verb,
            object: object.to_vec(),
            many: false,
            all: false,
            manner: Vec::new(),
            by: None,
        }
    }

    /// Reads words that begin with a verb, `batch` and its like aside.
    pub(crate) fn read(words: &[String]) -> Option<Self> {
        // a `build batch` is a thing
        let thing = |at: usize, word: &str| word == BATCH && at > 0 && words.len() > 2;
        let mut many = false;
        let mut rest = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if MANY.has(word) && !thing(at, word) {
                many = true;
            } else if !MANNERS.has(word) {
                rest.push(word.clone());
            }
        }
        let rest = join_particles(rest);
        let (first, mut object) = rest.split_first()?;
        // `generate-and-download`
        if let [and, second, ..] = object
            && and == "and"
            && tool_verb(second).is_some()
        {
            object = object.get(1..).unwrap_or_default();
        }
        Some(Self {
            verb: tool_verb(first)?,
            object: object.to_vec(),
            many,
            all: words.iter().any(|word| word == ALL),
            manner: words
                .iter()
                .find(|word| LATER.has(word))
                .cloned()
                .into_iter()
                .collect(),
            by: None,
        })
    }

    /// The call on a resource.
    pub(crate) fn on(mut self, mut parts: Vec<Part>, because: String) -> Action {
        let item = parts.last().is_some_and(|part| part.item);
        // `templates/list-scheduled`: the scheduled templates
        if let [attribute] = self.object.as_slice()
            && is_of_many(self.verb)
            && is_attribute(attribute)
            && let Some(last) = parts.last_mut().filter(|last| !last.item)
            && last.words.last().is_some_and(|word| is_plural(word))
        {
            last.words.insert(0, attribute.clone());
            self.object.clear();
        }
        let plain = !PREPOSITIONS.has_any(&self.object);
        let number = if !self.object.is_empty() && self.many && !self.all && plain {
            Number::Batch
        } else if !self.object.is_empty() {
            Number::AsWritten
        } else if self.many && !self.all && !is_of_many(self.verb) {
            Number::Batch
        } else if self.many || is_of_many(self.verb) && !item {
            Number::Many
        } else if item || self.verb == "create" {
            Number::One
        } else {
            Number::AsWritten
        };
        let words = match parts.last_mut() {
            Some(last) if self.object.is_empty() && !last.item => Some(&mut last.words),
            _ if self.object.is_empty() => None,
            _ => Some(&mut self.object),
        };
        if let Some(words) = words.filter(|words| self.all && !words.iter().any(|word| word == ALL))
        {
            words.insert(0, ALL.to_owned());
        }
        if !self.object.is_empty() {
            parts.push(Part {
                object: true,
                ..Part::of(self.object)
            });
        }
        if let (Some(part), Some(by)) = (parts.last_mut(), self.by) {
            part.by = by;
            part.by.retain(|word| !part.words.contains(word));
        }
        Action {
            verb: self.verb,
            parts,
            number,
            manner: self.manner,
            because,
        }
    }

    /// Checks whether the words are more likely a resource than a call: `group_memberships`,
    /// `report_templates`.
    fn is_thing(&self, words: &[String]) -> bool {
        !self.many && ends_in_many(words) && !words.first().is_some_and(|first| is_plain(first))
    }
}
