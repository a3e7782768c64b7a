//! Decides if HTTP declares a read: the operation reads unless the words indicate a change.

use toolwright_model::{EvidenceSource, Kind};

use super::{Verdict, sources};
use crate::{
    governance::signal::{Power, Signal},
    language::lexicon::Certainty,
};

/// Decides the kind.
pub(super) fn verdict(signals: &[Signal]) -> Verdict {
    let reading = Reading::of(signals);
    let strong = |s: &Signal| changes(s) && s.is_strong() && !reading.outweighs(s);
    let weak = |s: &Signal| reading.is_doubted() && is_weak(s);
    super::verdict(signals, strong)
        .or_else(|| super::verdict(signals, weak))
        .or_else(|| super::verdict(signals, Signal::reads))
        .unwrap_or_else(|| (Kind::Action, vec![false; signals.len()]))
}

/// The strong evidence that the operation reads, as HTTP declares.
struct Reading<'s> {
    signals: &'s [Signal],
    /// The operation id.
    id: bool,
    /// The operation id has another verb than `get`, which only repeats the method of a GET.
    id_tells: bool,
    /// The path.
    path: bool,
    /// A description.
    text: bool,
}

impl<'s> Reading<'s> {
    fn of(signals: &'s [Signal]) -> Self {
        let strongly = |source: EvidenceSource, takes: fn(&Signal) -> bool| {
            let mut of_source = signals.iter().filter(|s| s.source == source);
            of_source.any(|s| s.reads() && s.is_strong() && takes(s))
        };
        let any = |_: &Signal| true;
        Self {
            signals,
            id: strongly(EvidenceSource::OperationId, any),
            id_tells: strongly(EvidenceSource::OperationId, |s| !s.is_verb("get")),
            path: strongly(EvidenceSource::Path, any),
            text: strongly(EvidenceSource::Summary, any),
        }
    }

    /// Checks whether it outweighs a signal that something changes.
    fn outweighs(&self, signal: &Signal) -> bool {
        let Self { id, path, text, .. } = *self;
        match signal.source {
            EvidenceSource::Path if signal.is_command => false,
            EvidenceSource::Path if signal.power.is_some() => {
                self.id_tells || id && text && !self.is_made()
            }
            EvidenceSource::Path => {
                id && (text || self.is_of_state()) || (id || text) && signal.of_many
            }
            EvidenceSource::OperationId => path && text,
            EvidenceSource::Scope => id && text,
            EvidenceSource::Summary if signal.beside => false,
            EvidenceSource::Summary if signal.power == Some(Power::Made) => false,
            EvidenceSource::Summary => {
                let generated = id && signal.is_verb("generate");
                let loosely = signal.may_be_noun() && (self.id_tells || path);
                loosely || generated || self.is_said_beside(signal)
            }
            _ => false,
        }
    }

    /// Checks whether something may change without strong evidence: only the method indicates a
    /// read, or several sources raise doubt.
    fn is_doubted(&self) -> bool {
        let said = self
            .signals
            .iter()
            .any(|s| s.source != EvidenceSource::Method && s.reads());
        let assured = self.text || self.id_tells || self.id && !self.is_text_weak();
        !said || sources(self.signals, is_weak) > 1 && !assured
    }

    /// Checks whether a description weakly indicates a change.
    fn is_text_weak(&self) -> bool {
        self.texts().any(|s| is_weak(s) && s.power.is_none())
    }

    /// Checks whether the operation id reads the state of a resource.
    fn is_of_state(&self) -> bool {
        let mut ids = self
            .signals
            .iter()
            .filter(|s| s.source == EvidenceSource::OperationId);
        ids.any(|s| s.reads() && s.of_state)
    }

    /// Checks whether a description issues the result.
    fn is_made(&self) -> bool {
        self.texts().any(|s| s.power == Some(Power::Made))
    }

    /// Checks whether a sentence other than that of the signal indicates a read, and is the first
    /// or agrees with the operation id.
    fn is_said_beside(&self, signal: &Signal) -> bool {
        if signal
            .verb
            .is_some_and(|verb| verb.certainty == Certainty::Plain)
        {
            return false;
        }
        let reads = |s: &Signal| s.reads() && s.is_strong();
        let first = self.texts().next().is_some_and(reads);
        (first || self.id) && self.texts().any(|s| reads(s) && s.found != signal.found)
    }

    fn texts(&self) -> impl Iterator<Item = &'s Signal> {
        self.signals
            .iter()
            .filter(|s| s.source == EvidenceSource::Summary)
    }
}

fn changes(signal: &Signal) -> bool {
    !signal.reads()
}

fn is_weak(signal: &Signal) -> bool {
    changes(signal) && !signal.is_strong()
}
