//! The places in a command that an agent fills in, each with a type.

use std::str::FromStr;

use toolwright::policy::is_protected;
use toolwright_model::text::is_invisible;

/// The longest value in bytes.
const LONGEST: usize = 4096;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoleType {
    /// A whole number.
    Number,
    /// A letter or digit, followed by letters, digits, `.`, `_`, `+`, `:` and `-`.
    Word,
    /// A path below the working directory that is not protected.
    Path,
    /// One line.
    Text,
    /// One of these words.
    OneOf(Vec<String>),
}

impl FromStr for HoleType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "number" => Self::Number,
            "word" => Self::Word,
            "path" => Self::Path,
            "text" => Self::Text,
            words if words.contains('|') => {
                let words: Vec<_> = words.split('|').map(str::to_owned).collect();
                if let Some(word) = words.iter().find(|word| !is_word(word)) {
                    return Err(format!("`{word}` is not a word that a value can be"));
                }
                Self::OneOf(words)
            }
            other => {
                return Err(format!(
                    "unknown type `{other}`; expected `number`, `word`, `path`, `text` or words such as `debug|release`"
                ));
            }
        })
    }
}

impl HoleType {
    /// Checks that no program can read a value as an option, a list of arguments or two lines.
    ///
    /// # Errors
    /// A message that states what is wrong with the value, or which values fit.
    pub fn check(&self, value: &str) -> Result<(), String> {
        if value.is_empty() {
            return Err("it is empty".to_owned());
        }
        if value.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        if value.chars().any(|c| c.is_control() || is_invisible(c)) {
            return Err("it contains a control character or an invisible one".to_owned());
        }
        if value.starts_with(['-', '+', '@', '/', '\\', '~']) && *self != Self::Text {
            return Err("a program could read it as something else".to_owned());
        }
        let fits = match self {
            Self::Number => value.len() <= 18 && value.bytes().all(|byte| byte.is_ascii_digit()),
            Self::Word => is_word(value),
            Self::Path => is_path(value),
            Self::Text => !value.starts_with(['-', '+', '@']),
            Self::OneOf(words) => words.iter().any(|word| word == value),
        };
        if fits {
            Ok(())
        } else {
            Err(self.expectation())
        }
    }

    /// Describes the values that fit.
    #[must_use]
    pub fn expectation(&self) -> String {
        match self {
            Self::Number => "expected a whole number".to_owned(),
            Self::Word => "expected a word of letters, digits, `.`, `_`, `+`, `:` and `-`".to_owned(),
            Self::Path => "expected a path below the working directory, without `.` and `..`, that is not protected".to_owned(),
            Self::Text => "expected one line that does not begin with `-`, `+` or `@`".to_owned(),
            Self::OneOf(words) => format!("expected one of {}", words.join(", ")),
        }
    }
}

fn is_word(value: &str) -> bool {
    value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | ':' | '-'))
}

/// Checks a relative path: its parts have names that cannot be options, and it is not protected.
fn is_path(value: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.starts_with('-');
    value.split('/').all(is_name) && !value.contains('\\') && !is_protected(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that no type accepts.
    const HOSTILE: [&str; 16] = [
        "",
        "-x",
        "--x=y",
        "--",
        "@file",
        "+nightly",
        "a\0b",
        "a\nb",
        "a\rb",
        "\u{1b}[2J",
        "\u{202e}a",
        "\t",
        "\u{2028}",
        "a\u{a0}b",
        "a\u{e0041}",
        "-",
    ];

    #[test]
    fn no_value_is_an_option_a_file_of_arguments_or_two_lines() {
        let types = ["number", "word", "path", "text", "debug|release"];
        for hole in types.map(|name| name.parse::<HoleType>().unwrap()) {
            for value in HOSTILE {
                assert!(hole.check(value).is_err(), "{hole:?} accepts {value:?}");
            }
            assert!(hole.check(&"1".repeat(LONGEST + 1)).is_err());
        }
    }

    #[test]
    fn each_type_accepts_its_values_alone() {
        let cases = [
            ("number", "12", "1e3"),
            ("word", "my-crate_2.0+x", "a b"),
            ("word", "x", "a/b"),
            ("word", "a::b", "$(id)"),
            ("path", "src/main.rs", "../x"),
            ("path", "src/a b.rs", "/etc/passwd"),
            ("path", "a", "src/-x"),
            ("path", "b", ".git/config"),
            ("path", "c", "a//b"),
            ("text", "a: $(id); `id` \"x\" 'y' | z", "@x"),
            ("debug|release", "debug", "debu"),
        ];
        for (hole, accepted, refused) in cases {
            let hole: HoleType = hole.parse().unwrap();
            assert_eq!(
                hole.check(accepted),
                Ok(()),
                "{hole:?} refuses {accepted:?}"
            );
            assert!(hole.check(refused).is_err(), "{hole:?} accepts {refused:?}");
        }
    }

    #[test]
    fn a_choice_has_words_alone() {
        assert!("a|-x".parse::<HoleType>().is_err());
        assert!("a|".parse::<HoleType>().is_err());
        assert!("string".parse::<HoleType>().is_err());
    }
}
