//! Singular and plural of the nouns in APIs.
//!
//! Libraries were tried on such nouns and fail on too many (`caches` → `cach`, `data` → `datum`,
//! `dns` → `dn`), so this module has a few rules, and the vocabulary has the exceptions.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use foldhash::fast::FixedState;

use super::vocabulary::{Tag, irregular_plurals, is};

/// The plurals of irregular nouns, by singular.
static PLURALS: LazyLock<HashMap<&str, &str, FixedState>> =
    LazyLock::new(|| irregular_plurals().collect());

/// The singulars of irregular nouns, by plural.
static SINGULARS: LazyLock<HashMap<&str, &str, FixedState>> =
    LazyLock::new(|| irregular_plurals().map(|(one, many)| (many, one)).collect());

/// Plural endings and their singular endings; the first match applies.
const SINGULAR_ENDINGS: &[(&str, &str)] = &[
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("ies", "y"),
    ("sses", "ss"),
    ("auses", "ause"),
    ("ouses", "ouse"),
    ("uses", "us"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("oes", "o"),
    ("s", ""),
];

/// Singular endings and their plural endings; the first match applies.
const PLURAL_ENDINGS: &[(&str, &str)] = &[
    ("ay", "ays"),
    ("ey", "eys"),
    ("oy", "oys"),
    ("uy", "uys"),
    ("y", "ies"),
    ("s", "ses"),
    ("x", "xes"),
    ("ch", "ches"),
    ("sh", "shes"),
    ("", "s"),
];

/// Returns the singular of a lower-case noun; a singular is unchanged.
pub(crate) fn singular(noun: &str) -> String {
    as_one(noun).into_owned()
}

/// The singular, which is a part of most nouns.
fn as_one(noun: &str) -> Cow<'_, str> {
    if let Some(singular) = SINGULARS.get(noun) {
        return Cow::Borrowed(singular);
    }
    let keeps = || is_script(noun) || is(noun, Tag::Invariable) || PLURALS.contains_key(noun);
    if noun.len() < 3 || !noun.ends_with('s') || keeps() {
        return Cow::Borrowed(noun);
    }
    // `ties`, `pies`: too short for the rule of `policies`
    if noun.len() == 4 && noun.ends_with("ies") {
        return Cow::Borrowed(noun.trim_end_matches('s'));
    }
    // `skus`, `gpus`
    let initials = noun.len() == 4 && noun.ends_with("us") && !FOUR.contains(&noun);
    if initials {
        return Cow::Borrowed(noun.trim_end_matches('s'));
    }
    with_ending(noun, SINGULAR_ENDINGS)
}

/// Words of four letters with the ending `us` that are not plurals.
const FOUR: [&str; 4] = ["onus", "opus", "plus", "thus"];

/// Returns the plural of a lower-case noun; a plural is unchanged, and so is `oauth2`.
pub(crate) fn plural(noun: &str) -> String {
    let numbered = noun.ends_with(|c: char| c.is_ascii_digit());
    if numbered || is_script(noun) || is(noun, Tag::Invariable) || is_plural(noun) {
        return noun.to_owned();
    }
    if let Some(plural) = PLURALS.get(noun) {
        return (*plural).to_owned();
    }
    with_ending(noun, PLURAL_ENDINGS).into_owned()
}

/// Checks whether a noun is the name of a program in JavaScript: `nodejs`.
fn is_script(noun: &str) -> bool {
    noun.len() > 4 && noun.ends_with("js")
}

/// Checks whether a lower-case noun is visibly a plural.
pub(crate) fn is_plural(noun: &str) -> bool {
    as_one(noun) != noun
}

/// The word with its ending changed by the first row of a table that fits.
fn with_ending<'w>(word: &'w str, endings: &[(&str, &str)]) -> Cow<'w, str> {
    let mut rows = endings.iter();
    let row = rows.find_map(|(from, to)| Some((word.strip_suffix(from)?, *to)));
    row.map_or(Cow::Borrowed(word), |(stem, to)| {
        // A part of the word, if that is how it goes on: `box` of `boxes`.
        let part = word.get(..stem.len() + to.len());
        match part.filter(|part| part.ends_with(to)) {
            Some(part) => Cow::Borrowed(part),
            None => Cow::Owned([stem, to].concat()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions() {
        for (one, many) in [
            ("status", "statuses"),
            ("alias", "aliases"),
            ("policy", "policies"),
            ("index", "indices"),
            ("address", "addresses"),
            ("analysis", "analyses"),
            ("database", "databases"),
            ("cache", "caches"),
            ("process", "processes"),
            ("class", "classes"),
            ("box", "boxes"),
            ("key", "keys"),
            ("bus", "buses"),
            ("virus", "viruses"),
            ("matrix", "matrices"),
            ("child", "children"),
            ("person", "people"),
            ("cookie", "cookies"),
            ("case", "cases"),
            ("license", "licenses"),
            ("response", "responses"),
            ("branch", "branches"),
            ("switch", "switches"),
            ("hash", "hashes"),
            ("prefix", "prefixes"),
            ("size", "sizes"),
            ("drive", "drives"),
            ("house", "houses"),
            ("cause", "causes"),
            ("menu", "menus"),
            ("api", "apis"),
            ("vm", "vms"),
            ("id", "ids"),
            ("tie", "ties"),
            ("query", "queries"),
            ("day", "days"),
            ("video", "videos"),
            ("schema", "schemas"),
            ("ingressclass", "ingressclasses"),
            ("lens", "lenses"),
            ("release", "releases"),
        ] {
            assert_eq!(singular(many), one);
            assert_eq!(plural(one), many);
            assert_eq!(singular(one), one);
            assert_eq!(plural(many), many);
            assert!(is_plural(many) && !is_plural(one));
        }
    }

    #[test]
    fn words_of_one_form_stay() {
        for word in [
            "series",
            "data",
            "news",
            "access",
            "metadata",
            "dns",
            "kubernetes",
            "aws",
            "os",
            "oauth2",
            "nodejs",
            "mtls",
        ] {
            assert_eq!(singular(word), word);
            assert_eq!(plural(word), word);
            assert!(!is_plural(word));
        }
    }

    #[test]
    fn other_plurals_of_the_same_word_are_understood() {
        assert_eq!(singular("indexes"), "index");
        assert_eq!(singular("histories"), "history");
        assert_eq!(singular("usages"), "usage");
    }
}
