//! Evidence of the operation id and the summary for the object: its words, its key, and its aspect.

use super::{Said, is_plain};
use crate::language::{WordList, plural, singular};

/// Words for what of a thing is meant, rather than a thing of their own.
static ASPECTS: WordList = WordList::new("overview status summary");

/// Words for what is the caller's own.
static OWN: WordList = WordList::new("authenticated current currently logged my own your");

/// Verbs that give or create the words after them instead of executing them: `writeRoleTag`.
static GIVES: WordList = WordList::new("add configure create set write");

/// Those of them that make it.
static MAKES: WordList = WordList::new("add create");

/// The most words after `with` that describe a variant.
const WITH: usize = 2;

impl Said {
    /// Checks whether the operation id gives or creates these words: `tag` of `writeRoleTag`,
    /// `upload url` of `createUploadUrl`.
    pub(crate) fn gives(&self, words: &[String]) -> bool {
        let runs = self.id.windows(words.len()).enumerate();
        let same = |run: &[String]| {
            run.iter()
                .zip(words)
                .all(|(a, b)| singular(a) == singular(b))
        };
        let mut found = runs.filter(|(_, run)| same(run));
        found.any(|(at, _)| {
            let before = self.id.get(..at).unwrap_or_default();
            let bare = matches!(words, [only] if !is_plain(only));
            // but the `set` of a `stateful set`
            let gives = |word: &String| GIVES.has(word) && (word != "set" || before.len() == 1);
            let next = before.last().is_some_and(gives);
            next || (bare || words.len() > 1) && MAKES.has_any(before)
                || bare && before.iter().any(gives)
        })
    }

    /// Checks whether the operation id is these words, except for a number at its end.
    pub(crate) fn id_is(&self, words: &[String]) -> bool {
        let bare = |word: &String| {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            letters.to_owned()
        };
        self.whole.iter().map(bare).eq(words.iter().cloned())
    }

    /// Checks whether the summary contains these words after its first, the last in singular or
    /// plural: `Create upload session`.
    pub(crate) fn is_about(&self, thing: &[String]) -> bool {
        let Some(summary) = self
            .openings
            .first()
            .filter(|text| !self.whole.starts_with(text))
        else {
            return false;
        };
        let one = |words: &[String]| -> Vec<String> { words.iter().map(|w| singular(w)).collect() };
        let thing = one(thing);
        summary
            .get(1..)
            .unwrap_or_default()
            .windows(thing.len())
            .any(|run| one(run) == thing)
    }

    /// Returns the last of these words in the operation id after those of a kind, if the path has
    /// the reverse order: `policies` of `listAclPolicies` for `policies/acl`.
    pub(crate) fn turns(&self, many: &[String], kind: &[String]) -> Option<String> {
        let (last, end) = (many.last()?, kind.last()?);
        let same = |a: &String, b: &String| singular(a) == singular(b);
        let as_path = self.whole.windows(kind.len() + 1).any(|run| {
            let as_kind = run.iter().skip(1).zip(kind).all(|(a, b)| same(a, b));
            run.first().is_some_and(|first| same(first, last)) && as_kind
        });
        let said = self.whole.iter().filter(|word| *word == end).count();
        let mut runs = self.whole.windows(kind.len() + 1);
        let found = runs.find(|run| {
            let (before, end) = run.split_at(kind.len());
            before == kind && end.first().is_some_and(|end| same(end, last))
        })?;
        let begins = self.first() == kind.first().map(String::as_str);
        (said == 1 && !as_path && !begins)
            .then(|| found.last().cloned())
            .flatten()
    }

    /// Returns the operation id's spelling of a word as several words: `stateful`, `sets` for
    /// `statefulsets` of `readStatefulSet`.
    pub(crate) fn spelt(&self, word: &str) -> Option<Vec<String>> {
        const SHORTEST: usize = 11;
        if word.len() < SHORTEST {
            return None;
        }
        let one = singular(word);
        let is_run = |run: &&[String]| run.iter().all(|piece| piece.len() > 1);
        let runs = (2..=self.id.len()).flat_map(|length| self.id.windows(length));
        let mut runs = runs.filter(is_run);
        let run = runs.find(|run| {
            let joined = run.concat();
            joined == word || singular(&joined) == one
        })?;
        let mut spelt = run.to_vec();
        if let Some(last) = spelt.last_mut()
            && run.concat() != word
        {
            *last = if one == word {
                singular(last)
            } else {
                plural(last)
            };
        }
        Some(spelt)
    }

    /// Returns the variant at the end of the operation id: `with form` of `updatePetWithForm`, or a
    /// mark of an older operation.
    pub(crate) fn manner(&self) -> Option<Vec<String>> {
        if self.numbered {
            return None;
        }
        let at = self.id.iter().rposition(|word| word == "with")?;
        let manner = self.id.get(at..)?;
        let short = at > 0 && (2..=WITH + 1).contains(&manner.len());
        short.then(|| manner.to_vec())
    }

    /// Returns the last word of the operation id if it is an aspect of the object: `overview` of
    /// `task_overview`.
    pub(crate) fn aspect(&self, thing: &str) -> Option<&String> {
        let [.., before, last] = self.id.as_slice() else {
            return None;
        };
        (before == thing && ASPECTS.has(last)).then_some(last)
    }

    /// Checks whether the operation is about the caller's own items.
    pub(crate) fn is_own(&self) -> bool {
        OWN.has_any(&self.id) || self.openings.iter().any(|words| OWN.has_any(words))
    }

    /// Checks whether the operation id covers the items of all owners: `listEventForAllNamespaces`.
    pub(crate) fn is_for_all(&self) -> bool {
        self.id.windows(2).any(|pair| pair == ["for", "all"])
    }

    /// Returns the key in the operation id: `id` of `getProjectById`.
    pub(crate) fn chosen_by(&self) -> Option<&str> {
        // `listRulesForAPolicy`
        if self.id.windows(2).any(|pair| pair == ["for", "a"]) {
            return Some("id");
        }
        let at = self.id.iter().position(|word| word == "by")?;
        self.id.get(at + 1).map(String::as_str)
    }
}
