//! Weighs the evidence: an operation reads if the evidence of a read outweighs that of a change.
//!
//! Of each source only the heaviest piece counts, so repeating a word changes nothing. The path and
//! the operation id are one source, since tools make one of the other; if both speak for a read, that
//! counts one more.

use toolwright_model::{EvidenceSource, Kind, Method};

use super::call;
use super::names::{begins_with_resource, is_collection};
use super::weights::{tells, weight};
use super::{
    Classification,
    signal::{Signal, SignalPlace},
};
use crate::language::facts::OperationFacts;

/// Decides the kind, and marks the decisive evidence.
pub(crate) fn weigh(facts: &OperationFacts, mut signals: Vec<Signal>) -> Classification {
    place_texts(facts, &mut signals);
    let scale = Scale::new(&signals, call::is_safe(facts));
    let open = facts.method == Method::Post || facts.method.is_safe();
    let (kind, decided) = if open && scale.reads() {
        scale.verdict(|signal, _| signal.reads())
    } else {
        scale.change()
    };
    let weights = scale.weights;
    let mut evidence: Vec<_> = signals
        .into_iter()
        .zip(weights)
        .zip(decided)
        .map(|((signal, weight), decided)| signal.into_evidence(weight, decided))
        .collect();
    evidence.sort_by_key(|evidence| !evidence.decided);
    Classification { kind, evidence }
}

/// A kind, and for each piece of evidence whether it decided.
type Verdict = (Kind, Vec<bool>);

/// The evidence with its weights.
struct Scale<'s> {
    signals: &'s [Signal],
    weights: Vec<u8>,
    safe: bool,
}

impl<'s> Scale<'s> {
    fn new(signals: &'s [Signal], safe: bool) -> Self {
        Self {
            signals,
            weights: signals.iter().map(|signal| weight(signal, safe)).collect(),
            safe,
        }
    }

    fn each(&self) -> impl Iterator<Item = (&'s Signal, u8)> {
        self.signals.iter().zip(self.weights.iter().copied())
    }

    /// Checks whether the evidence of a read outweighs that of a change.
    fn reads(&self) -> bool {
        let both = [EvidenceSource::Path, EvidenceSource::OperationId]
            .iter()
            .all(|source| {
                let mut reads = self.each();
                reads.any(|(s, weight)| s.source == *source && s.reads() && weight > 1)
            });
        self.sum(Signal::reads) + u32::from(both) > self.sum(|signal| !signal.reads())
    }

    /// The sum of the heaviest evidence of each source.
    fn sum(&self, takes: impl Fn(&Signal) -> bool) -> u32 {
        let mut heaviest: Vec<(EvidenceSource, u8)> = Vec::new();
        for (signal, weight) in self.each().filter(|(signal, _)| takes(signal)) {
            let source = if signal.is_name() {
                EvidenceSource::Path
            } else {
                signal.source
            };
            match heaviest.iter_mut().find(|(other, _)| *other == source) {
                Some((_, heavier)) => *heavier = weight.max(*heavier),
                None => heaviest.push((source, weight)),
            }
        }
        heaviest.iter().map(|(_, weight)| u32::from(*weight)).sum()
    }

    /// The most dangerous kind of the evidence that a rule takes; an action if it takes none.
    fn verdict(&self, takes: impl Fn(&Signal, u8) -> bool) -> Verdict {
        let taken = |(signal, weight): (&'s Signal, u8)| takes(signal, weight).then_some(signal);
        let kind = self
            .each()
            .filter_map(taken)
            .map(|signal| signal.suggests)
            .max();
        let kind = kind.unwrap_or(Kind::Action);
        let decided = self
            .each()
            .map(|(signal, weight)| takes(signal, weight) && signal.suggests == kind)
            .collect();
        (kind, decided)
    }

    /// Decides the kind of a change.
    fn change(&self) -> Verdict {
        let heavy = |signal: &Signal, weight| tells_kind(signal) && weight >= tells(self.safe);
        let weak = |signal: &Signal, _| tells_kind(signal) && signal.place != SignalPlace::Open;
        if self.adds_remark() {
            return self.verdict(|signal, _| signal.suggests == Kind::Annotate);
        }
        if self.each().any(|(signal, weight)| heavy(signal, weight)) {
            return self.verdict(heavy);
        }
        if self.safe || self.agrees() {
            return self.verdict(weak);
        }
        // a POST without certain evidence is at least an action
        let (kind, _) = self.verdict(|signal, _| !signal.reads());
        let decided = self.signals.iter().map(|signal| !signal.reads()).collect();
        (kind.max(Kind::Action), decided)
    }

    /// Checks whether a remark is added, and there is no other effect: `POST /items/{id}/comments`.
    fn adds_remark(&self) -> bool {
        let is_remark =
            |s: &Signal| s.source == EvidenceSource::Path && s.suggests == Kind::Annotate;
        let mut changes = self
            .signals
            .iter()
            .filter(|s| tells_kind(s) && s.place != SignalPlace::Open);
        let only_adds = changes.all(|s| matches!(s.suggests, Kind::Annotate | Kind::Create));
        only_adds && self.signals.iter().any(is_remark)
    }

    /// Checks whether several sources agree on a change, or a `201` is all that there is.
    fn agrees(&self) -> bool {
        let weak = |s: &&Signal| tells_kind(s) && s.place != SignalPlace::Open;
        let mut sources: Vec<EvidenceSource> =
            self.signals.iter().filter(weak).map(|s| s.source).collect();
        sources.sort_unstable();
        sources.dedup();
        let kind = self.signals.iter().filter(weak).map(|s| s.suggests).max();
        let created = self.signals.iter().any(|s| s.place == SignalPlace::Created);
        !self.signals.iter().any(Signal::reads)
            && (sources.len() > 1 || created && kind == Some(Kind::Create))
    }
}

/// Checks whether it indicates a kind of change. A permission indicates a change, but not its kind.
fn tells_kind(signal: &Signal) -> bool {
    let permission = matches!(
        signal.source,
        EvidenceSource::Scope | EvidenceSource::Extension
    );
    !signal.reads() && (!permission || signal.suggests != Kind::Action)
}

/// Places the sentences that read next to the names of the operation.
fn place_texts(facts: &OperationFacts, signals: &mut [Signal]) {
    let reading: Vec<Signal> = signals.iter().filter(|s| s.reads()).cloned().collect();
    let names: Vec<&Signal> = reading.iter().filter(|s| s.is_name()).collect();
    let told = |s: &Signal| s.source == EvidenceSource::Summary && s.reads();
    for signal in signals.iter_mut().filter(|signal| told(signal)) {
        let again = |name: &&Signal| name.is_vague() && name.verb == signal.verb;
        signal.place = if !names.is_empty() && names.iter().all(again) {
            SignalPlace::Again
        } else if !names.is_empty() || signal.place == SignalPlace::Loosely {
            continue;
        } else if !begins_with_resource(facts) {
            SignalPlace::Loosely
        } else if creates(facts) && !asks(signal) {
            SignalPlace::Said
        } else {
            SignalPlace::Alone
        };
    }
}

/// Checks whether a POST creates by convention: its path ends in a plural, and no list is answered.
fn creates(facts: &OperationFacts) -> bool {
    is_collection(&facts.path) && !facts.answers_list()
}

/// Checks whether a sentence can only be about an answer: `Searches orders`, `Returns statistics`, but
/// `List a thing for sale`.
fn asks(signal: &Signal) -> bool {
    let verb = signal.verb;
    signal.of_state
        || verb.is_some_and(|v| v.kind == Kind::Read && !matches!(v.base, "get" | "list"))
}

#[cfg(test)]
mod tests;
