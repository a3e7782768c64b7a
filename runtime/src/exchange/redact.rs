//! Removal of a call's secrets from its results, errors and records.
//!
//! A service that is given a secret can return it in any form that it likes, so removal is a net
//! and not a proof: it catches the forms that result from accident, echo and simple encoding.
//! `docs/threat-model.md` lists the forms.

mod forms;
mod recent;
mod stream;

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match, MatchKind};
use base64::{
    Engine,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use forms::{Alphabet, SecretForm};
pub(crate) use recent::RecentRedactors;
use serde_json::Value;
pub(crate) use stream::{SecretFound, StreamSearch};

use crate::secret::Secret;

/// The replacement of a secret.
pub(crate) const REDACTED: &str = "[redacted]";

/// The shortest secret that is removed from the middle of a result. A shorter one would tear
/// ordinary words out of the data; it is removed only if a value is nothing else.
const SHORTEST_IN_RESULT: usize = 8;

/// The shortest secret that is removed from the middle of an error. Fewer characters cannot be a
/// secret, and our own words would be torn.
const SHORTEST_IN_ERROR: usize = 4;

/// The fewest letters and digits of a form that is looked for between other characters.
const FEWEST_LETTERS: usize = 12;

/// The most nested layers of base64 that are decoded.
const DEEPEST: usize = 4;

/// Removes the secrets of a call. The matchers are built on the first use, and clones share them.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Arc<Searches>);

#[derive(Default)]
struct Searches {
    /// The secrets, sorted, each once.
    secrets: Vec<Secret>,
    errors: OnceLock<Option<Matcher>>,
    results: OnceLock<Option<Matcher>>,
}

/// A search for forms.
#[derive(Clone)]
struct Matcher {
    automaton: AhoCorasick,
    /// A matcher of the forms' letters and digits; none if all have too few.
    letters: Option<AhoCorasick>,
    alphabets: Vec<Alphabet>,
    forms: Vec<Secret>,
}

impl Redactor {
    /// Creates a redactor of these secrets.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let secrets = secrets.into_iter().cloned();
        let secrets = secrets.filter(|secret| !secret.expose().is_empty());
        let mut secrets: Vec<Secret> = secrets.collect();
        secrets.sort_by(|one, other| one.expose().cmp(other.expose()));
        secrets.dedup();
        Self(Arc::new(Searches {
            secrets,
            ..Searches::default()
        }))
    }

    /// The search in errors: for shorter secrets too.
    fn in_errors(&self) -> Option<&Matcher> {
        let search = || {
            let short = self.short().map(Secret::expose);
            let short = short.filter(|secret| secret.len() >= SHORTEST_IN_ERROR);
            Matcher::new(self.long_forms().chain(short.map(forms::plain)).collect())
        };
        self.0.errors.get_or_init(search).as_ref()
    }

    /// The search in results: for secrets that are long enough.
    fn in_results(&self) -> Option<&Matcher> {
        let search = || Matcher::new(self.long_forms().collect());
        self.0.results.get_or_init(search).as_ref()
    }

    fn long_forms(&self) -> impl Iterator<Item = SecretForm> {
        let long = self.0.secrets.iter().map(Secret::expose);
        let long = long.filter(|secret| secret.len() >= SHORTEST_IN_RESULT);
        long.flat_map(forms::forms_of)
    }

    fn short(&self) -> impl Iterator<Item = &Secret> {
        let secrets = self.0.secrets.iter();
        secrets.filter(|secret| secret.expose().len() < SHORTEST_IN_RESULT)
    }

    /// Returns an error message without any secret, and without the user and the password of URLs.
    pub(crate) fn error(&self, text: &str) -> String {
        let clean = self.in_errors();
        let clean = clean.and_then(|search| search.removed_from_value(text));
        without_user_information(clean.as_deref().unwrap_or(text))
    }

    /// Removes every secret from the body of a failed call, in values and in keys.
    pub(crate) fn error_value(&self, value: Value) -> Value {
        map(value, &mut |text| {
            self.remove_secrets(self.in_errors(), text)
        })
    }

    /// Returns a result without any secret, in values or in keys.
    pub(crate) fn value(&self, value: Value) -> Value {
        map(value, &mut |text| {
            self.remove_secrets(self.in_results(), text)
        })
    }

    /// Removes every secret from a string of a result.
    pub(crate) fn text(&self, text: String) -> String {
        let removed = self.remove_secrets(self.in_results(), &text);
        removed.unwrap_or(text)
    }

    /// Removes an incomplete secret from the end of truncated bytes.
    pub(crate) fn cut(&self, bytes: &mut Vec<u8>) {
        if let Some(search) = self.in_errors() {
            let begun = search.begun_at_end(bytes);
            bytes.truncate(bytes.len() - begun);
        }
    }

    /// Returns a string without its secrets; none if it has none.
    fn remove_secrets(&self, search: Option<&Matcher>, text: &str) -> Option<String> {
        if self.short().any(|secret| secret.expose() == text) {
            return Some(REDACTED.to_owned());
        }
        search?.removed_from_value(text)
    }
}

impl Matcher {
    /// Builds the search; none if there is nothing to look for.
    fn new(mut forms: Vec<SecretForm>) -> Option<Self> {
        forms.sort_by(|a, b| a.text.expose().cmp(b.text.expose()));
        forms.dedup_by(|a, b| a.text == b.text);
        if forms.is_empty() {
            return None;
        }
        let patterns = || forms.iter().map(|form| form.text.expose());
        // Few searches are made with it, so it matters more that it is built at once.
        let kind = AhoCorasickKind::NoncontiguousNFA;
        let automaton = automaton(patterns(), kind)?;
        let letters = automaton_of_letters(&long_letters(patterns()), kind);
        Some(Self {
            automaton,
            letters,
            alphabets: forms.iter().map(|form| form.alphabet).collect(),
            forms: forms.into_iter().map(|form| form.text).collect(),
        })
    }

    /// Returns a string without the forms; none if it has none. Base64 is decoded.
    fn removed_from_value(&self, text: &str) -> Option<String> {
        let mut clean = self.remove(text);
        if let Some(cleaner) = self.remove_spaced(&clean) {
            clean = Cow::Owned(cleaner);
        }
        if let Some(cleaner) = self.remove_encoded(&clean) {
            clean = Cow::Owned(cleaner);
        }
        matches!(clean, Cow::Owned(_)).then(|| clean.into_owned())
    }

    /// Returns a string without forms that have other characters between their letters and digits,
    /// such as `53:33:43` or the lines of base64; none if it has none.
    fn remove_spaced(&self, text: &str) -> Option<String> {
        let automaton = self.letters.as_ref()?;
        let squeezed = letters(text);
        if squeezed.len() == text.len() || !automaton.is_match(&squeezed) {
            return None;
        }
        let is_letter = |(_, c): &(usize, char)| c.is_ascii_alphanumeric();
        let places = text.char_indices().filter(is_letter);
        let places: Vec<usize> = places.map(|(at, _)| at).collect();
        let mut clean = String::new();
        let mut kept = 0;
        for found in automaton.find_iter(&squeezed) {
            let start = places.get(found.start()).copied().unwrap_or(kept);
            clean.push_str(text.get(kept..start).unwrap_or_default());
            clean.push_str(REDACTED);
            let last = places.get(found.end() - 1).copied();
            kept = last.map_or(text.len(), |last| last + 1);
        }
        clean.push_str(text.get(kept..).unwrap_or_default());
        Some(clean)
    }

    /// Returns a string without the words of base64 that encode a form; none if it has none.
    fn remove_encoded(&self, text: &str) -> Option<String> {
        let is_other = |c: char| !u8::try_from(c).is_ok_and(|byte| Alphabet::Base64.has(byte));
        let is_found =
            |word: &str| word.len() >= SHORTEST_IN_RESULT && self.is_within(word, DEEPEST);
        let mut clean = String::new();
        let (mut start, mut kept) = (0, 0);
        for piece in text.split_inclusive(is_other) {
            let word = piece.strip_suffix(is_other).unwrap_or(piece);
            if is_found(word) {
                clean.push_str(text.get(kept..start).unwrap_or_default());
                clean.push_str(REDACTED);
                kept = start + word.len();
            }
            start += piece.len();
        }
        clean.push_str(text.get(kept..).unwrap_or_default());
        (kept > 0).then_some(clean)
    }

    /// Returns the number of bytes at the end that begin a form without completing it. Complete
    /// forms are skipped.
    fn begun_at_end(&self, bytes: &[u8]) -> usize {
        let found = self.automaton.find_iter(bytes).last();
        let rest = found.map_or(0, |found| found.end());
        let rest = bytes.get(rest..).unwrap_or_default();
        let forms = self.forms.iter();
        let begun = forms.map(|form| begun_at_end(rest, form.expose().as_bytes()));
        begun.max().unwrap_or(0)
    }

    fn remove<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = String::new();
        let mut kept = 0;
        for found in self.automaton.find_iter(text.as_bytes()) {
            if found.end() <= kept {
                continue;
            }
            let (start, end) = self.extent(text.as_bytes(), kept, &found);
            clean.push_str(text.get(kept..start).unwrap_or_default());
            clean.push_str(REDACTED);
            kept = end;
        }
        if kept == 0 {
            return Cow::Borrowed(text);
        }
        clean.push_str(text.get(kept..).unwrap_or_default());
        Cow::Owned(clean)
    }

    /// Returns the range of the encoded string around a match. An encoding that begins before the
    /// secret mixes parts of it into the digits around the match.
    ///
    /// The search does not go back behind `kept`, up to where the string was handled. So no byte is
    /// visited for each of many matches.
    fn extent(&self, text: &[u8], kept: usize, found: &Match) -> (usize, usize) {
        let alphabet = self.alphabets.get(found.pattern().as_usize());
        let alphabet = alphabet.copied().unwrap_or(Alphabet::Plain);
        let is_of = |byte: &&u8| alphabet.has(**byte);
        let before = text.get(kept..found.start()).unwrap_or_default();
        let after = text.get(found.end()..).unwrap_or_default();
        let before = before.iter().rev().take_while(is_of).count();
        let after = after.iter().take_while(is_of).count();
        (found.start() - before, found.end() + after)
    }

    /// Returns whether bytes hold a form, or one with other characters between.
    fn is_in(&self, bytes: &[u8]) -> bool {
        let spaced = || {
            let letters: Vec<u8> = bytes
                .iter()
                .copied()
                .filter(u8::is_ascii_alphanumeric)
                .collect();
            let automaton = self.letters.as_ref();
            automaton.is_some_and(|automaton| automaton.is_match(&letters))
        };
        self.automaton.is_match(bytes) || spaced()
    }

    /// Returns whether the string is base64 of bytes that hold a form, or that are base64 of such
    /// bytes in turn.
    fn is_within(&self, text: &str, depth: usize) -> bool {
        let Some(bytes) = decoded(text).filter(|_| depth > 0) else {
            return false;
        };
        let inner = || std::str::from_utf8(&bytes).ok();
        self.is_in(&bytes) || inner().is_some_and(|text| self.is_within(text, depth - 1))
    }
}

/// Returns the letters and digits of a string.
fn letters(text: &str) -> String {
    let is_letter = |c: &char| c.is_ascii_alphanumeric();
    text.chars().filter(is_letter).collect()
}

/// Returns the letters and digits of the forms that have enough of them.
fn long_letters<'a>(forms: impl Iterator<Item = &'a str>) -> Vec<String> {
    let letters = forms.map(letters);
    letters
        .filter(|letters| letters.len() >= FEWEST_LETTERS)
        .collect()
}

fn automaton_of_letters(letters: &[String], kind: AhoCorasickKind) -> Option<AhoCorasick> {
    if letters.is_empty() {
        return None;
    }
    automaton(letters.iter().map(String::as_str), kind)
}

fn automaton<'a>(
    patterns: impl Iterator<Item = &'a str>,
    kind: AhoCorasickKind,
) -> Option<AhoCorasick> {
    let builder = &mut AhoCorasick::builder();
    builder
        .kind(Some(kind))
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(patterns)
        .ok()
}

/// Decodes base64 in either alphabet, with or without padding.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engines = [&STANDARD, &URL_SAFE].map(|alphabet| GeneralPurpose::new(alphabet, config));
    engines.iter().find_map(|engine| engine.decode(text).ok())
}

/// Returns the number of bytes at the end that are the beginning of a form, but not the whole form.
fn begun_at_end(bytes: &[u8], form: &[u8]) -> usize {
    let longest = form.len().saturating_sub(1).min(bytes.len());
    let begins = |length: &usize| {
        let end = bytes.get(bytes.len() - length..).unwrap_or_default();
        let start = form.get(..*length).unwrap_or_default();
        end.eq_ignore_ascii_case(start)
    };
    (1..=longest).rev().find(begins).unwrap_or(0)
}

/// Removes the user and the password from the URLs of a string: `postgres://[redacted]@db`.
fn without_user_information(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '`' | '\'');
        let end = after.find(is_end).unwrap_or(after.len());
        let (authority, others) = after.split_at(end);
        clean.push_str(before);
        clean.push_str("://");
        match authority.rsplit_once('@') {
            Some((_, host)) => {
                clean.push_str(REDACTED);
                clean.push('@');
                clean.push_str(host);
            }
            None => clean.push_str(authority),
        }
        rest = others;
    }
    clean.push_str(rest);
    clean
}

/// Replaces the strings, keys and numbers of a value. Numbers may be secrets too.
fn map(value: Value, replace: &mut impl FnMut(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => Value::String(replace(&text).unwrap_or(text)),
        Value::Number(number) => match replace(&number.to_string()) {
            Some(text) => Value::String(text),
            None => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(|item| map(item, replace)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, field)| (replace(&name).unwrap_or(name), map(field, replace)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
