//! Evidence of the summary and the description, from their first sentences.

use toolwright_model::{EvidenceSource, Kind};

use super::sentence::{Statement, side_effect, statements};
use super::signal::{Signal, SignalPlace};
use super::{call, objects};
use crate::language::facts::OperationFacts;
use crate::language::prose::{beginning, quote, sentences, without_markup};
use crate::language::words;

/// The number of sentences that are searched for the action.
const SENTENCES: usize = 3;

/// Returns the evidence of the summary and the description.
///
/// The first sentence that begins with a verb describes the action. If the summary has one, only
/// the first sentence of the description counts next to it. Side effects count in any sentence.
pub(crate) fn texts(facts: &OperationFacts) -> Vec<Signal> {
    let mut signals: Vec<Signal> = Vec::new();
    for (text, at) in facts.texts().zip(0..) {
        let reach = if signals.is_empty() { SENTENCES } else { 1 };
        let late = at > 0 && signals.is_empty();
        let read = !signals.is_empty() && signals.iter().all(Signal::reads);
        let beside = side_effects(text, usize::from(at == 0));
        for mut signal in first_statement(text, reach, late).into_iter().chain(beside) {
            // after `Get the setting`, `Enable it to …` describes what is got
            let starts = |verb| objects::starts_search(verb, &words(text));
            if call::is_safe(facts) && signal.verb.is_some_and(starts) {
                (signal.suggests, signal.place) = (Kind::Derive, SignalPlace::Loosely);
            }
            if read && signal.imperative && signal.place == SignalPlace::Plainly {
                signal.place = SignalPlace::Said;
            }
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
    }
    signals
}

/// Returns the signals of the first sentence that begins with a verb.
///
/// A read has full weight only in the first sentence: after a sentence without a known verb, it may
/// be about something else.
fn first_statement(text: &str, reach: usize, late: bool) -> Vec<Signal> {
    let text = beginning(text, reach);
    sentences(&text)
        .take(reach)
        .enumerate()
        .map(|(at, sentence)| (at, sentence, statements(sentence)))
        .find(|(_, _, statements)| !statements.is_empty())
        .map(|(at, sentence, statements)| {
            statements
                .into_iter()
                .map(|statement| signal(statement, sentence, late || at > 0, at == 0))
                .collect()
        })
        .unwrap_or_default()
}

/// Returns the side effects that the sentences describe, without the first few sentences.
fn side_effects(text: &str, skipped: usize) -> Vec<Signal> {
    let text = without_markup(text);
    sentences(&text)
        .skip(skipped)
        .filter_map(|sentence| {
            let mut signal = signal(side_effect(sentence)?, sentence, false, false);
            signal.place = SignalPlace::SideEffect;
            Some(signal)
        })
        .collect()
}

/// The signal of a statement.
///
/// A plain verb that computes counts in the first sentence, whatever came before.
fn signal(statement: Statement, sentence: &str, late: bool, first: bool) -> Signal {
    let mut signal = Signal::new(
        EvidenceSource::Summary,
        format!("`{}`", quote(sentence)),
        statement.kind,
        statement.place,
    );
    signal.verb = statement.verb;
    signal.of_state = statement.of_state;
    signal.imperative = statement.imperative;
    let computes = statement.kind == Kind::Derive && statement.place == SignalPlace::Plainly;
    if late && signal.reads() && !(computes && first) {
        signal.place = SignalPlace::Loosely;
    }
    signal
}
