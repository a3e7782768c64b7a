//! Weighing the evidence: the rules that decide.

mod safe;

use toolwright_model::{EvidenceSource, Kind, Method};

use super::call;
use super::names::{begins_with_resource, is_collection};
use super::{Classification, signal::Signal};
use crate::language::{facts::OperationFacts, lexicon::Verb};

/// Decides the kind, and marks the decisive evidence.
pub(crate) fn weigh(facts: &OperationFacts, signals: Vec<Signal>) -> Classification {
    let (kind, decided) = if call::is_safe(facts) {
        safe::verdict(&signals)
    } else {
        by_other_method(facts, &signals)
    };
    let mut evidence: Vec<_> = signals
        .into_iter()
        .zip(decided)
        .map(|(signal, decided)| signal.into_evidence(decided))
        .collect();
    evidence.sort_by_key(|evidence| !evidence.decided);
    Classification { kind, evidence }
}

/// A kind, and for each signal whether it decided.
type Verdict = (Kind, Vec<bool>);

/// The most dangerous kind of the signals that a rule takes, if it takes any.
fn verdict(signals: &[Signal], takes: impl Fn(&Signal) -> bool) -> Option<Verdict> {
    let kind = signals
        .iter()
        .filter(|signal| takes(signal))
        .map(|signal| signal.suggests)
        .max()?;
    let decided = signals
        .iter()
        .map(|signal| takes(signal) && signal.suggests == kind)
        .collect();
    Some((kind, decided))
}

/// Decides if HTTP does not declare a read: the operation changes something unless all evidence
/// indicates a read.
fn by_other_method(facts: &OperationFacts, signals: &[Signal]) -> Verdict {
    let open = facts.method == Method::Post || facts.method.is_safe();
    let reads = (open && reads_for_sure(facts, signals))
        .then(|| verdict(signals, Signal::reads))
        .flatten();
    // a permission indicates a change, but not its kind
    let what = |s: &Signal| !s.reads() && !is_permission(s);
    let writes = |s: &Signal| !s.reads() && s.source != EvidenceSource::Method;
    reads
        .or_else(|| remarked(signals))
        .or_else(|| verdict(signals, |s| what(s) && s.is_strong()))
        .or_else(|| agreed(signals))
        .unwrap_or_else(|| {
            let weak = signals.iter().filter(|s| writes(s)).map(|s| s.suggests);
            let kind = weak.fold(Kind::Action, Kind::max);
            let decided = signals.iter().map(|s| !s.reads()).collect();
            (kind, decided)
        })
}

/// Classifies the addition of a remark as an annotation instead of a creation: `POST
/// /items/{id}/comments`, unless other evidence shows more.
fn remarked(signals: &[Signal]) -> Option<Verdict> {
    let adds = |s: &Signal| matches!(s.suggests, Kind::Annotate | Kind::Create);
    let is_remark = |s: &Signal| s.source == EvidenceSource::Path && s.suggests == Kind::Annotate;
    let only_adds = signals
        .iter()
        .filter(|s| !s.reads() && s.source != EvidenceSource::Method && !is_permission(s))
        .all(adds);
    (only_adds && signals.iter().any(is_remark))
        .then(|| verdict(signals, |s| s.suggests == Kind::Annotate))
        .flatten()
}

/// Combines several weak signals that agree. A single `201` is enough, since a POST without other
/// evidence creates nothing else.
fn agreed(signals: &[Signal]) -> Option<Verdict> {
    let weak = |s: &Signal| !s.reads() && s.source != EvidenceSource::Method && !is_permission(s);
    let found = verdict(signals, weak)?;
    let created = found.0 == Kind::Create
        && signals
            .iter()
            .any(|s| s.source == EvidenceSource::Answer && s.suggests == Kind::Create);
    let contradicted = signals.iter().any(Signal::reads);
    (!contradicted && (created || sources(signals, weak) > 1)).then_some(found)
}

/// Checks whether the evidence is enough for a POST that changes nothing.
fn reads_for_sure(facts: &OperationFacts, signals: &[Signal]) -> bool {
    // that a name derives is not enough: to evaluate a job may be to run it
    let said = signals
        .iter()
        .any(|s| s.source == EvidenceSource::Summary && s.reads());
    let strong_name = signals
        .iter()
        .any(|s| s.is_name() && s.is_strong() && (s.suggests == Kind::Read || s.reads() && said));
    // `POST /transfer/list` [`transferList`]: a noun, although the path and a description name the
    // action
    let plainly = |source: EvidenceSource| {
        let mut reads = signals.iter().filter(|s| s.source == source && s.reads());
        reads.any(|s| s.is_strong() && (s.is_whole || source == EvidenceSource::Summary))
    };
    let plain = plainly(EvidenceSource::Path) && plainly(EvidenceSource::Summary);
    let reads_by = |source: EvidenceSource| {
        let mut of_source = signals.iter().filter(|s| s.source == source);
        of_source.any(|s| s.reads() && s.is_strong())
    };
    let both = reads_by(EvidenceSource::OperationId) && reads_by(EvidenceSource::Summary);
    let contradicted = signals.iter().any(|s| {
        let created = s.source == EvidenceSource::Answer && s.suggests == Kind::Create;
        let noun = s.may_be_noun() && !s.is_strong();
        let outweighed = match s.source {
            EvidenceSource::Answer => created && strong_name,
            EvidenceSource::OperationId => noun && plain,
            // `POST /venues/route-query` [`getVenuesByRoute`]
            EvidenceSource::Path => noun && both && !s.is_whole,
            _ => false,
        };
        s.source != EvidenceSource::Method && !s.reads() && !outweighed
    });
    // a scope alone proves nothing: a token for reading may pay for an order
    let agreed = signals
        .iter()
        .any(|s| (s.is_name() || s.source == EvidenceSource::Summary) && s.reads());
    let declared = signals.iter().any(|s| match s.source {
        EvidenceSource::Scope => s.reads() && s.is_strong() && agreed,
        EvidenceSource::Extension => s.reads() && s.is_strong(),
        _ => false,
    });
    !contradicted && (strong_name || declared || is_supported(facts, signals))
}

/// Checks whether descriptions and shapes agree with the names that a POST reads, if no name has
/// full weight.
fn is_supported(facts: &OperationFacts, signals: &[Signal]) -> bool {
    let names: Vec<&Signal> = signals.iter().filter(|s| s.is_name()).collect();
    let mut texts = signals
        .iter()
        .filter(|s| s.source == EvidenceSource::Summary && s.is_strong());
    let of_document = signals
        .iter()
        .any(|s| s.source == EvidenceSource::Document && s.reads());
    let is_query = signals
        .iter()
        .any(|s| s.source == EvidenceSource::Body && s.reads());
    let named = names.iter().any(|name| name.suggests == Kind::Read);
    if of_document && (is_query || named) {
        return true;
    }
    if names.is_empty() {
        // by convention a POST to a plural creates, unless a list is answered
        let creates = is_collection(&facts.path) && !facts.answers_list();
        // `Searches orders`, `Returns statistics`, but `List a thing for sale`
        let asks = |s: &Signal| {
            let asking =
                |verb: Verb| verb.kind == Kind::Read && !matches!(verb.base, "get" | "list");
            let verb = s.verb.is_some_and(asking);
            verb || s.of_state || is_query
        };
        return texts.any(|text| !creates || asks(text))
            && (of_document || begins_with_resource(facts));
    }
    let by_shape = signals
        .iter()
        .any(|s| matches!(s.source, EvidenceSource::Answer | EvidenceSource::Body));
    let by_text = texts.any(|text| {
        names
            .iter()
            .any(|name| by_shape && name.is_whole || !name.is_vague() || name.verb != text.verb)
    });
    by_text || by_shape && sources(signals, |s| s.is_name() && !s.is_vague()) > 1
}

/// Checks whether it is the permission to change something.
fn is_permission(signal: &Signal) -> bool {
    matches!(
        signal.source,
        EvidenceSource::Scope | EvidenceSource::Extension
    ) && signal.suggests == Kind::Action
}

/// From how many sources the signals come that a rule takes.
fn sources(signals: &[Signal], takes: impl Fn(&Signal) -> bool) -> usize {
    let mut sources: Vec<EvidenceSource> = signals
        .iter()
        .filter(|signal| takes(signal))
        .map(|signal| signal.source)
        .collect();
    sources.sort_unstable();
    sources.dedup();
    sources.len()
}
