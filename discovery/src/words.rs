//! Words and their stems.

use std::{collections::BTreeSet, sync::LazyLock};

use frostem::{Algorithm, Stemmer};

/// The longest word in bytes. Longer ones are data, such as tokens.
const LONGEST_WORD: usize = 40;

/// Words that distinguish no tools.
static STOP_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    "a able about above an and any are as at be been before being but by can could did do does \
     doing done for from had has have having he her his how i if in into is it its itself just let \
     like me my need needs of on onto or our please she should so some such than that the their \
     them then there these they this those through to under until up upon us very want wants was \
     we were what when where whether which while who whom whose why will with within would you \
     your"
        .split_whitespace()
        .collect()
});

/// Words that begin a less important phrase: the place, the owner, the purpose.
static ASIDES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    "after as at because before below between by during for from in into of on onto over since \
     so that through to under until where which who whose with within without"
        .split_whitespace()
        .collect()
});

/// Articles, and words in their place. They are left out of phrases.
static DETERMINERS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    "a an her his its my our some the their these this those your"
        .split_whitespace()
        .collect()
});

/// Other words that a noun follows.
static BEFORE_NOUNS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    "any at by each every for from in no of on that which with without"
        .split_whitespace()
        .collect()
});

/// Splits a string into words in lower case. `camelCase`, `snake_case` and `kebab-case` are several
/// words each.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_is_lower = false;
    for character in text.chars() {
        let is_part = character.is_alphanumeric();
        let begins = character.is_uppercase() && before_is_lower;
        if !is_part || begins {
            take(&mut word, &mut words);
        }
        if is_part {
            word.extend(character.to_lowercase());
        }
        before_is_lower = character.is_lowercase() || character.is_numeric();
    }
    take(&mut word, &mut words);
    words
}

fn take(word: &mut String, words: &mut Vec<String>) {
    let word = std::mem::take(word);
    if !word.is_empty() && word.len() <= LONGEST_WORD {
        words.push(word);
    }
}

/// Checks whether a word distinguishes no tools.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Checks whether this word begins a less important phrase.
pub(crate) fn begins_aside(word: &str) -> bool {
    ASIDES.contains(word)
}

/// Checks whether this is an article, or a word in its place.
pub(crate) fn is_determiner(word: &str) -> bool {
    DETERMINERS.contains(word)
}

/// Checks whether a noun follows this word, so that the next word is rarely a verb.
pub(crate) fn begins_noun(word: &str) -> bool {
    is_determiner(word) || BEFORE_NOUNS.contains(word)
}

/// Returns the stem of a word in lower case.
pub(crate) fn stem(word: &str) -> String {
    Stemmer::new(Algorithm::English).stem(word).into_owned()
}

/// Returns the stems of a string, without the words that distinguish no tools.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let words = words(text).into_iter();
    let words = words.filter(|word| !is_stop_word(word));
    words.map(|word| stem(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_identifiers_are_words() {
        assert_eq!(words("listDepotItems"), ["list", "depot", "items"]);
        assert_eq!(
            words("ip_address/IPv6 VLANs"),
            ["ip", "address", "ipv6", "vlans"]
        );
        assert_eq!(words(&"x".repeat(99)), [""; 0]);
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        assert_eq!(stems("Lists the items"), stems("list of an item"));
        assert_ne!(stem("interface"), stem("internet"));
    }
}
