//! The tokens of a string: WordPiece with a lower-case vocabulary.

use std::collections::HashMap;

/// The most tokens of a string. The rest is not read.
const MOST_TOKENS: usize = 128;

/// The longest word in characters. A longer one is unknown.
const LONGEST_WORD: usize = 100;

/// The tokens of a model, with their numbers.
pub(super) struct Vocabulary {
    numbers: HashMap<String, usize>,
    unknown: usize,
    begin: usize,
    end: usize,
}

impl Vocabulary {
    /// Parses a vocabulary with one token a line.
    pub(super) fn parse(lines: &str) -> Result<Self, String> {
        let numbers = lines.lines().enumerate();
        let numbers = numbers.map(|(number, token)| (token.trim_end().to_owned(), number));
        let numbers: HashMap<_, _> = numbers.collect();
        let special = |token: &str| {
            let number = numbers.get(token).copied();
            number.ok_or_else(|| format!("the token `{token}` is missing"))
        };
        Ok(Self {
            unknown: special("[UNK]")?,
            begin: special("[CLS]")?,
            end: special("[SEP]")?,
            numbers,
        })
    }

    /// Returns the numbers of the tokens of a string, between those of its beginning and its end.
    pub(super) fn tokens(&self, text: &str) -> Vec<usize> {
        let mut tokens = vec![self.begin];
        for word in words(text) {
            self.add(&word, &mut tokens);
        }
        tokens.truncate(MOST_TOKENS - 1);
        tokens.push(self.end);
        tokens
    }

    /// Adds the longest pieces of a word that the vocabulary has.
    fn add(&self, word: &str, tokens: &mut Vec<usize>) {
        let letters: Vec<char> = word.chars().take(LONGEST_WORD + 1).collect();
        let mut pieces = Vec::new();
        let mut rest = letters.as_slice();
        while !rest.is_empty() && letters.len() <= LONGEST_WORD {
            let prefix = if pieces.is_empty() { "" } else { "##" };
            let piece = (1..=rest.len()).rev().find_map(|length| {
                let letters: String = rest.get(..length)?.iter().collect();
                let number = self.numbers.get(&format!("{prefix}{letters}"))?;
                Some((*number, length))
            });
            let Some((number, length)) = piece else {
                break;
            };
            pieces.push(number);
            rest = rest.get(length..).unwrap_or_default();
        }
        if rest.is_empty() && !pieces.is_empty() {
            tokens.extend(pieces);
        } else {
            tokens.push(self.unknown);
        }
    }
}

/// Splits a string into words in lower case, and punctuation.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            word.push(character);
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !character.is_whitespace() && !character.is_control() {
            words.push(character.to_string());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_longest_pieces() {
        let vocabulary =
            Vocabulary::parse("[UNK]\n[CLS]\n[SEP]\nun\n##load\n##lo\n##ad\n.\n").unwrap();
        assert_eq!(vocabulary.tokens("Unload. xyz"), [1, 3, 4, 7, 0, 2]);
        assert_eq!(vocabulary.tokens(""), [1, 2]);
        assert_eq!(vocabulary.tokens(&"un ".repeat(500)).len(), MOST_TOKENS);
        assert_eq!(vocabulary.tokens(&"u".repeat(5_000)), [1, 0, 2]);
        assert!(Vocabulary::parse("a\n").is_err());
    }
}
