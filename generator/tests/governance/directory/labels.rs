//! Labels from the scopes and permissions that a vendor publishes for its operations.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use toolwright_generator::internals::OperationFacts;
use toolwright_model::Method;

/// The label of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// Its scope lets its holder read.
    Read,
    /// Its scope lets its holder change something.
    Write,
}

/// The power that a scope gives to its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Power {
    Read,
    Write,
    /// It also reads: the document has a scope for reading the same resources.
    Full,
}

/// The scopes of the operations of one source.
pub(crate) struct Scopes {
    all: BTreeSet<String>,
    /// Some GETs list scopes of both powers.
    mixed_reads: bool,
    /// Some operations by PUT, PATCH or DELETE list scopes of both powers.
    mixed_changes: bool,
}

/// The largest share of a source's operations that may be exceptions to a convention.
const EXCEPTIONS: usize = 20;

impl Scopes {
    /// Collects the scopes of a source.
    pub(crate) fn from_operations(operations: &[OperationFacts]) -> Self {
        let mut scopes = Self {
            all: operations.iter().flat_map(scopes_of).collect(),
            mixed_reads: false,
            mixed_changes: false,
        };
        let mixed = |methods: &[Method]| {
            let of_methods = operations
                .iter()
                .filter(|facts| methods.contains(&facts.method));
            let of_methods: Vec<_> = of_methods.map(|facts| scopes.powers(facts)).collect();
            let mixed = of_methods.iter().filter(|powers| powers.len() > 1).count();
            mixed * EXCEPTIONS > of_methods.len()
        };
        let mixed_reads = mixed(&[Method::Get]);
        let mixed_changes = mixed(&[Method::Put, Method::Patch, Method::Delete]);
        scopes.mixed_reads = mixed_reads;
        scopes.mixed_changes = mixed_changes;
        scopes
    }

    /// Returns the label of an operation, if its scopes tell.
    ///
    /// Methods contradict some scopes: a DELETE that requires a scope for reading has no label, and
    /// a GET that requires one for writing has none.
    pub(crate) fn label(&self, facts: &OperationFacts) -> Option<Label> {
        if let Some(label) = of_protocol(facts) {
            return label;
        }
        let powers = self.powers(facts);
        let reads = powers.contains(&Power::Read);
        let writes = powers.contains(&Power::Full) || powers.contains(&Power::Write);
        let changes = matches!(facts.method, Method::Put | Method::Patch | Method::Delete);
        let label = match (reads, writes) {
            (true, true) if !self.mixed_changes => Label::Read,
            (true, true) if !self.mixed_reads => Label::Write,
            (true, false) => Label::Read,
            (false, true) => Label::Write,
            _ => return None,
        };
        let contradicted = match label {
            Label::Read => changes,
            Label::Write => facts.method == Method::Get,
        };
        (!contradicted).then_some(label)
    }

    fn powers(&self, facts: &OperationFacts) -> BTreeSet<Power> {
        scopes_of(facts)
            .iter()
            .filter_map(|scope| self.power(scope))
            .collect()
    }

    fn power(&self, scope: &str) -> Option<Power> {
        let words = words(scope);
        if let Some(power) = stated(&words) {
            return Some(power);
        }
        let family = family(&words);
        let others: BTreeSet<Power> = self
            .all
            .iter()
            .map(|other| self::words(other))
            .filter(|other| self::family(other) == family)
            .filter_map(|other| stated(&other))
            .collect();
        if others.contains(&Power::Read) {
            Some(Power::Full)
        } else {
            others.contains(&Power::Write).then_some(Power::Read)
        }
    }
}

/// Returns the label of an operation of an OData service: its functions change nothing, its actions
/// may. The outer option is empty for other services.
fn of_protocol(facts: &OperationFacts) -> Option<Option<Label>> {
    let (_, kind) = facts
        .extensions
        .iter()
        .find(|(name, _)| name == "x-ms-docs-operation-type")?;
    Some(match (kind.as_str(), facts.method) {
        (Some("function"), _) | (_, Method::Get) => Some(Label::Read),
        (Some("operation"), _) => Some(Label::Write),
        _ => None,
    })
}

const READ_WORDS: &[&str] = &["get", "list", "only", "read", "readonly", "view"];
const WRITE_WORDS: &[&str] = &[
    "create",
    "delete",
    "edit",
    "modify",
    "publish",
    "readwrite",
    "send",
    "update",
    "upload",
    "write",
];

/// Returns the power that the words of a scope state.
fn stated(words: &[String]) -> Option<Power> {
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if any(WRITE_WORDS) {
        Some(Power::Write)
    } else {
        any(READ_WORDS).then_some(Power::Read)
    }
}

/// The words of a scope without those that state a power.
fn family(words: &[String]) -> Vec<&str> {
    let words = words.iter().map(String::as_str);
    words
        .filter(|word| !READ_WORDS.contains(word) && !WRITE_WORDS.contains(word))
        .collect()
}

/// The lower-case words of a scope.
fn words(scope: &str) -> Vec<String> {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("[A-Z]?[a-z]+|[A-Z]+|[0-9]+").unwrap());
    let name = scope.rsplit('/').next().unwrap_or(scope);
    WORD.find_iter(name)
        .map(|word| word.as_str().to_lowercase())
        .collect()
}

/// The scopes that an operation declares, or that its description names.
fn scopes_of(facts: &OperationFacts) -> Vec<String> {
    static SCOPE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"\b(?:[\w-]+(?:\.[\w-]+)*:(?:read|write)(?::[\w-]+)*|(?:read|write):[\w.-]+|(?:view|edit|create|delete|update)_[a-z_]+)\b",
        )
        .unwrap()
    });
    if !facts.scopes.is_empty() {
        return facts.scopes.clone();
    }
    let texts = [&facts.summary, &facts.description];
    let told = texts
        .into_iter()
        .flatten()
        .flat_map(|text| super::blind::about_scopes(text));
    told.flat_map(|text| SCOPE.find_iter(text).map(|scope| scope.as_str().to_owned()))
        .collect()
}
