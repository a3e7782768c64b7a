//! Weighing the evidence: the rules that decide.

use toolwright_model::{EvidenceSource, Kind, Method};

use super::{Classification, names::is_safe, signal::Signal};
use crate::facts::OperationFacts;

/// Decides the kind, and says which evidence decided.
pub(crate) fn weigh(facts: &OperationFacts, signals: Vec<Signal>) -> Classification {
    let kind = if is_safe(facts.method) {
        by_safe_method(&signals)
    } else {
        by_other_method(facts, &signals)
    };
    let mut evidence: Vec<_> = signals
        .into_iter()
        .map(|signal| {
            let decided = signal.suggests == kind;
            signal.into_evidence(decided)
        })
        .collect();
    evidence.sort_by_key(|evidence| !evidence.decided);
    Classification { kind, evidence }
}

fn strongest<'a>(signals: impl Iterator<Item = &'a Signal>) -> Option<Kind> {
    signals.map(|signal| signal.suggests).max()
}

fn by_safe_method(signals: &[Signal]) -> Kind {
    let reads = |source| {
        signals
            .iter()
            .any(|s| s.source == source && s.reads() && s.is_strong())
    };
    let id_reads = reads(EvidenceSource::OperationId);
    let path_reads = reads(EvidenceSource::Path);
    let text_reads = reads(EvidenceSource::Summary);
    let outweighed = |signal: &Signal| match signal.source {
        EvidenceSource::Path => id_reads && text_reads,
        EvidenceSource::Summary => id_reads || path_reads,
        _ => false,
    };
    let writes: Vec<&Signal> = signals.iter().filter(|s| !s.reads()).collect();
    if let Some(kind) = strongest(
        writes
            .iter()
            .copied()
            .filter(|s| s.is_strong() && !outweighed(s)),
    ) {
        return kind;
    }
    let mut weak: Vec<EvidenceSource> = writes
        .iter()
        .filter(|s| !s.is_strong())
        .map(|s| s.source)
        .collect();
    weak.sort();
    weak.dedup();
    if weak.len() > 1 && !id_reads && !text_reads {
        return strongest(writes.iter().copied()).unwrap_or(Kind::Action);
    }
    Kind::Read
}

fn by_other_method(facts: &OperationFacts, signals: &[Signal]) -> Kind {
    let writes: Vec<&Signal> = signals
        .iter()
        .filter(|s| !s.reads() && s.source != EvidenceSource::Method)
        .collect();
    if facts.method == Method::Post && writes.is_empty() {
        let reads: Vec<&Signal> = signals.iter().filter(|s| s.reads()).collect();
        if reads_for_sure(&reads) {
            return strongest(reads.iter().copied()).unwrap_or(Kind::Read);
        }
    }
    let strong = signals.iter().filter(|s| !s.reads() && s.is_strong());
    strongest(strong).unwrap_or(Kind::Action)
}

fn reads_for_sure(reads: &[&Signal]) -> bool {
    let names: Vec<&&Signal> = reads.iter().filter(|s| s.is_name()).collect();
    if names.iter().any(|s| s.is_strong()) {
        return true;
    }
    reads
        .iter()
        .filter(|s| s.source == EvidenceSource::Summary && s.is_strong())
        .any(|text| {
            names.is_empty()
                || names
                    .iter()
                    .any(|name| !name.is_vague() || name.verb != text.verb)
        })
}
