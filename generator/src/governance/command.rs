//! Path segments that are commands: `GET /admin/delete-all`.
//!
//! A GET changes nothing by HTTP, and a description may be harmless. But a service with such a
//! segment executes the command, so names and descriptions do not outweigh it.

use percent_encoding::percent_decode_str;
use toolwright_model::{EvidenceSource, Kind};

use super::call;
use super::objects;
use super::phrase::{Phrase, VerbPlace};
use super::sentence::read_object;
use super::signal::{self, Signal};
use crate::language::{
    WordList, bases,
    facts::OperationFacts,
    is_plural,
    prose::{sentences, without_markup},
    vocabulary::{Certainty, Verb, verb},
    words,
};

/// Verbs that are also nouns, but hardly ever name a resource that is read.
static COMMANDS: WordList =
    WordList::new("clean cleanup drain empty flush sweep transfer trigger vacuum wake");

/// Verbs that are a command wherever they are a step of their own. Others have things below them:
/// `/sync/jobs`.
static ANYWHERE: WordList =
    WordList::new("deactivate disable kill reboot reset revoke rotate shutdown");

/// Verbs that admit a caller, even if the response is about something else.
static ADMITTING: WordList = WordList::new("authenticate authorise authorize");

/// Steps that make of a command before or after them what is set of it.
static SETTINGS: WordList = WordList::new("config configuration settings");

/// Words after a verb that apply it to everything.
static EVERYTHING: WordList = WordList::new("all everything");

/// Returns the steps of the path of a GET that are commands.
pub(crate) fn commands(facts: &OperationFacts) -> Vec<Signal> {
    if !call::is_safe(facts) {
        return Vec::new();
    }
    let path = percent_decode_str(call::bare(&facts.path)).decode_utf8_lossy();
    let steps = path
        .split('/')
        .filter(|step| !step.is_empty() && !step.starts_with('{'));
    let steps: Vec<&str> = steps.collect();
    let last = steps.len().saturating_sub(1);
    // `/rotate/config`, `/config/tidy/list`: what is set of it
    let is_setting = steps
        .iter()
        .any(|step| words(step).iter().any(|word| SETTINGS.has(word)));
    let commands = steps.iter().enumerate().filter_map(|(at, step)| {
        let verb = if at == last {
            command(step).filter(|verb| {
                !names_thing(facts, *verb) && !objects::starts_search(*verb, &words(&path))
            })
        } else {
            command_anywhere(step).filter(|_| !is_setting)
        }?;
        let found = format!("`{step}` is a command");
        let mut signal = Signal::new(
            EvidenceSource::Path,
            found,
            verb.kind,
            signal::SignalPlace::Command,
        );
        signal.verb = Some(verb);
        Some(signal)
    });
    commands.collect()
}

/// Checks whether a description reads something that the verb names: `bump` in `View the bump tiers`.
/// What destroys is a command nevertheless.
pub(super) fn names_thing(facts: &OperationFacts, verb: Verb) -> bool {
    const SHORTEST: usize = 4;
    let stem = verb.base.strip_suffix('e').unwrap_or(verb.base);
    let names = |word: &String| {
        let bare = bases(word).iter().any(|(base, _)| *base == verb.base);
        bare || stem.len() >= SHORTEST && word.starts_with(stem) && !word.ends_with("able")
    };
    let reads = |text| {
        let text = without_markup(text);
        let object = sentences(&text).next().and_then(read_object);
        object.is_some_and(|object| object.iter().any(names))
    };
    let admits = ADMITTING.has(verb.base);
    !destroys(verb) && !admits && facts.texts().any(reads)
}

/// The verb of the last step of a path, if the step is a command.
fn command(step: &str) -> Option<Verb> {
    let words = words(without_ending(step));
    if let [only] = words.as_slice()
        && let Some(verb) = only.strip_suffix("all").and_then(changing)
        && verb.certainty == Certainty::Plain
    {
        return Some(verb);
    }
    let phrase = Phrase::read(&words);
    // `seal-status`, `can-delete`, `auto-tidy`
    let is_thing = objects::is_state(&phrase)
        || phrase.verbs.first().is_some_and(|(verb, _)| verb.reads())
        || words.first().is_some_and(|first| first == "auto");
    if is_thing {
        return None;
    }
    let is_many = phrase.words.len() > 1 && phrase.words.last().is_some_and(|last| is_plural(last));
    let all = words.len() > 1 && words.last().is_some_and(|last| EVERYTHING.has(last));
    phrase.verbs.iter().find_map(|(verb, place)| {
        let is_whole = *place == VerbPlace::Whole;
        // `loginProfile`, `mute-rules`, but `delete-rules`
        let names = !is_whole && (objects::ENTRANCES.has(verb.base) || is_many && !destroys(*verb));
        let plain = verb.certainty == Certainty::Plain && *place != VerbPlace::Inner && !names;
        let noun = is_whole && verb.certainty == Certainty::AlsoNoun;
        let is = plain || noun && (all || COMMANDS.has(verb.base));
        (is && changes(*verb)).then_some(*verb)
    })
}

/// The verb of any step of a path, if the step is a command.
fn command_anywhere(step: &str) -> Option<Verb> {
    let words = words(without_ending(step));
    let phrase = Phrase::read(&words);
    let [(verb, VerbPlace::Whole)] = phrase.verbs.as_slice() else {
        return None;
    };
    destroys(*verb).then_some(*verb)
}

/// Checks whether a verb is a command as any step of a path.
fn destroys(verb: Verb) -> bool {
    verb.kind == Kind::Delete && verb.certainty == Certainty::Plain || ANYWHERE.has(verb.base)
}

fn changing(word: &str) -> Option<Verb> {
    verb(word).filter(|verb| changes(*verb))
}

fn changes(verb: Verb) -> bool {
    !verb.reads() && verb.kind != Kind::Annotate
}

/// The step without the ending of a file, be it a format or a program.
pub(super) fn without_ending(step: &str) -> &str {
    static ENDINGS: WordList =
        WordList::new("action ashx asmx asp aspx cgi do html json jsp php pl py xml");
    match step.rsplit_once('.') {
        Some((before, ending)) if !before.is_empty() && ENDINGS.has(&ending.to_lowercase()) => {
            before
        }
        _ => step,
    }
}
