//! The words that find a tool.

use toolwright::{Effect, ToolSpec, codec::Value};

use crate::words::{stem, stems, words};

/// The most words of a description that count. Documents have pages of prose in some of them.
const MOST_WORDS: usize = 120;

/// The most arguments whose words count.
const MOST_ARGUMENTS: usize = 300;

/// The mark of a word that is the verb of a tool's name.
const VERB: char = '=';

/// A part of a tool with words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The verb and the noun of the name.
    Name,
    /// The service.
    Service,
    /// The title and the summary.
    Summary,
    /// The description, when to use the tool, and its section.
    Description,
    /// The names of the arguments.
    Arguments,
}

impl Field {
    pub(crate) const ALL: [Self; 5] = [
        Self::Name,
        Self::Service,
        Self::Summary,
        Self::Description,
        Self::Arguments,
    ];

    /// The weight of a word in the field.
    pub(crate) const fn weight(self) -> f32 {
        match self {
            Self::Name => 4.0,
            Self::Service | Self::Summary => 2.0,
            Self::Description => 1.0,
            Self::Arguments => 0.5,
        }
    }

    /// The influence of the length of the field, from 0 to 1.
    pub(crate) const fn length_matters(self) -> f32 {
        match self {
            Self::Name => 0.5,
            Self::Service => 0.0,
            Self::Summary => 0.3,
            Self::Description | Self::Arguments => 0.75,
        }
    }

    /// Returns the words of a tool in the field.
    pub(crate) fn words(self, spec: &ToolSpec) -> Vec<String> {
        match self {
            Self::Name => name_words(spec),
            Self::Service => words(spec.service.as_str()),
            Self::Summary => stems(&format!("{} {}", spec.title, spec.short)),
            Self::Description => {
                let use_ = spec.when_to_use.as_deref().unwrap_or_default();
                let text = format!("{} {use_} {}", spec.section, spec.description);
                let mut words = stems(&text);
                words.truncate(MOST_WORDS);
                words
            }
            Self::Arguments => argument_words(spec),
        }
    }
}

/// Returns the marked form of a verb, as the name of a tool begins with it.
pub(crate) fn marked_verb(verb: &str) -> String {
    format!("{VERB}{verb}")
}

/// Returns the marked form of an effect: tools of one effect may have different verbs.
pub(crate) fn marked_effect(effect: Effect) -> String {
    format!("{VERB}{VERB}{effect}")
}

/// Returns the marked form of the last noun of a name: the others describe it, or contain it.
pub(crate) fn marked_last(stem: &str) -> String {
    format!("{VERB}.{stem}")
}

/// Checks whether a word is the marked form of a verb or of an effect.
pub(crate) fn is_marked(word: &str) -> bool {
    word.starts_with(VERB)
}

/// Returns the words of the name but the service, and before them the marks of the verb, the effect and the
/// last noun.
fn name_words(spec: &ToolSpec) -> Vec<String> {
    let name = spec.name.as_str();
    let verb = name.split_once('-').map_or(name, |(verb, _)| verb);
    let nouns = nouns(spec);
    let mut found = vec![marked_verb(verb), marked_effect(spec.effect), stem(verb)];
    found.extend(nouns.last().map(|last| marked_last(last)));
    found.extend(nouns);
    found
}

/// Returns the words of the noun of a name.
pub(crate) fn nouns(spec: &ToolSpec) -> Vec<String> {
    let (_, rest) = spec.name.as_str().split_once('-').unwrap_or_default();
    let noun = rest.strip_prefix(spec.service.as_str()).unwrap_or(rest);
    words(noun).iter().map(|word| stem(word)).collect()
}

fn argument_words(spec: &ToolSpec) -> Vec<String> {
    let schema = spec.input_schema.root();
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties
        .into_iter()
        .flat_map(|properties| properties.keys());
    names
        .take(MOST_ARGUMENTS)
        .flat_map(|name| stems(name))
        .collect()
}
