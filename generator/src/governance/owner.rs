//! Evidence that the owner of the API declares: scopes, permissions and extensions.

use serde_json::Value;
use toolwright_model::{EvidenceSource, Kind};

use super::signal::{Signal, SignalPlace};
use crate::language::{
    WordList,
    facts::OperationFacts,
    vocabulary::{Certainty, verb},
    words,
};

/// Words of a scope that lets its holder read.
static READ_WORDS: WordList = WordList::new("get list read readonly ro search view watch");

/// Words of a scope that lets its holder change something.
static WRITE_WORDS: WordList = WordList::new(
    "add append change create delete edit insert modify post publish put readwrite remove revoke rw send update upload write",
);

/// Words in the names of extensions that describe the action or the required permission.
static TELLING: WordList =
    WordList::new("access action effect grant permission permissions scope scopes");

/// Words in the names of extensions that declare a paged result.
static PAGED: WordList = WordList::new("pageable paginated pagination");

/// The power that a scope or a permission gives to its holder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Power {
    Read,
    Write,
}

impl Power {
    const fn kind(self) -> Kind {
        match self {
            Self::Read => Kind::Read,
            Self::Write => Kind::Action,
        }
    }
}

/// Returns the evidence of the scopes.
///
/// If scopes of both powers are listed, the operation may need either, so neither has full weight.
pub(crate) fn scopes(facts: &OperationFacts) -> Vec<Signal> {
    let powers: Vec<(&str, Power)> = facts
        .scopes
        .iter()
        .filter_map(|scope| Some((scope.as_str(), power(scope)?)))
        .collect();
    let mixed = [Power::Read, Power::Write]
        .iter()
        .all(|power| powers.iter().any(|(_, other)| other == power));
    let place = if mixed {
        SignalPlace::Either
    } else {
        SignalPlace::Required
    };
    powers
        .into_iter()
        .map(|(scope, power)| {
            let found = format!("`{scope}`");
            Signal::new(EvidenceSource::Scope, found, power.kind(), place)
        })
        .collect()
}

/// Returns the evidence of the extensions.
pub(crate) fn extensions(facts: &OperationFacts) -> Vec<Signal> {
    facts
        .extensions
        .iter()
        .flat_map(|(name, value)| extension(name, value))
        .collect()
}

/// Returns the evidence of one extension.
fn extension(name: &str, value: &Value) -> Vec<Signal> {
    let words = words(name);
    let signal = |suggests: Kind, place: SignalPlace, shown: &str| {
        let found = format!("`{name}: {shown}`");
        Signal::new(EvidenceSource::Extension, found, suggests, place)
    };
    if *value == Value::Bool(true) {
        return flag(&words)
            .map(|kind| signal(kind, SignalPlace::Declared, "true"))
            .into_iter()
            .collect();
    }
    if PAGED.has_any(&words) && !value.is_null() {
        return vec![signal(Kind::Read, SignalPlace::Loosely, "…")];
    }
    if !TELLING.has_any(&words) {
        return Vec::new();
    }
    texts(value)
        .into_iter()
        .filter_map(|text| Some(signal(told(text)?, SignalPlace::Declared, text)))
        .collect()
}

/// Returns the kind that the name of a true extension declares: `x-read-only`, `x-destructive`.
fn flag(words: &[String]) -> Option<Kind> {
    let name = words.concat();
    if name.ends_with("readonly") {
        Some(Kind::Read)
    } else {
        name.ends_with("destructive").then_some(Kind::Delete)
    }
}

/// Returns the kind that the value of an extension declares: a single verb, or a permission.
fn told(text: &str) -> Option<Kind> {
    let words = words(text);
    if let [only] = words.as_slice()
        && let Some(verb) = verb(only)
        && verb.certainty == Certainty::Plain
    {
        return Some(verb.kind);
    }
    power(text).map(Power::kind)
}

/// Returns the power of a scope or a permission, if its words declare one.
fn power(scope: &str) -> Option<Power> {
    let words = words(scope.rsplit('/').next().unwrap_or(scope));
    if WRITE_WORDS.has_any(&words) {
        Some(Power::Write)
    } else {
        READ_WORDS.has_any(&words).then_some(Power::Read)
    }
}

/// Returns all strings within a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolwright_model::Method;

    use super::*;

    #[test]
    fn scopes_of_one_power_count_in_full() {
        let mut facts = OperationFacts::new(Method::Post, "/items");
        facts.scopes = vec!["items.readonly".to_owned(), "items".to_owned()];
        let found = scopes(&facts);
        assert_eq!(found.len(), 1);
        assert!(found[0].reads() && found[0].place == SignalPlace::Required);
        facts.scopes.push("items:write".to_owned());
        assert!(
            scopes(&facts)
                .iter()
                .all(|found| found.place == SignalPlace::Either)
        );
    }

    #[test]
    fn a_scope_that_reads_and_writes_writes() {
        assert!(power("read_write") == Some(Power::Write));
        assert!(power("https://example.com/auth/items.readonly") == Some(Power::Read));
        assert!(power("https://example.com/auth/items").is_none());
    }

    #[test]
    fn extensions_tell_by_their_name() {
        let kinds = |name: &str, value: &Value| -> Vec<Kind> {
            extension(name, value)
                .iter()
                .map(|found| found.suggests)
                .collect()
        };
        assert_eq!(kinds("x-example-action", &json!("list")), [Kind::Read]);
        assert_eq!(kinds("x-example-action", &json!("deletecollection")), []);
        assert_eq!(kinds("x-example-action", &json!("delete")), [Kind::Delete]);
        assert_eq!(
            kinds("x-permission", &json!({"permissions": ["items_write"]})),
            [Kind::Action]
        );
        assert_eq!(kinds("x-read-only", &json!(true)), [Kind::Read]);
        assert_eq!(kinds("x-read-only", &json!(false)), []);
        assert_eq!(kinds("x-code-samples", &json!(["delete"])), []);
    }
}
