//! The syntax of each argument of `#[tool(…)]`.

use proc_macro2::Span;
use syn::{
    Ident, LitBool, LitStr, Path, Token,
    parse::{Parse, ParseBuffer, ParseStream},
    token::Paren,
};
use toolwright_model::most_similar;

use crate::problems::Problem;

/// A known argument, with its place.
pub(super) struct Form<'a> {
    key: &'a Ident,
    what: &'static str,
    example: &'static str,
}

/// A value and its place.
#[derive(Clone, Copy)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// Every argument, with a description and an example.
const FORMS: &[(&str, &str, &str)] = &[
    ("name", "a string in quotes", "name = \"list-plane-tasks\""),
    ("title", "a string in quotes", "title = \"List tasks\""),
    ("section", "a string in quotes", "section = \"plane\""),
    ("category", "one word", "category = observe"),
    ("effect", "one word", "effect = update"),
    ("approval", "one word", "approval = required"),
    ("destructive", FLAG, "destructive = false"),
    ("idempotent", FLAG, "idempotent = true"),
    ("open_world", FLAG, "open_world = false"),
    (
        "reason",
        "a string in quotes",
        "reason = \"it only moves the task to the bin\"",
    ),
    (
        "roles",
        "a list in parentheses",
        "roles(AgentRole::Quality)",
    ),
    (
        "scope",
        "a list in parentheses",
        "scope(allowed_read_paths = allowed_paths(path))",
    ),
    (
        "sandbox",
        "the path of a function",
        "sandbox = crate::lacking_layers",
    ),
    ("crate", "a path", "crate = my_crate::toolwright"),
];

const FLAG: &str = "a flag: the word alone, or `= true`, or `= false`";

impl<'a> Form<'a> {
    /// The form of the argument with this key.
    pub(super) fn from_key(key: &'a Ident) -> Result<Self, Problem> {
        let word = key.to_string();
        FORMS
            .iter()
            .find(|(known, ..)| *known == word)
            .map(|(_, what, example)| Self { key, what, example })
            .ok_or_else(|| unknown(key, &word))
    }

    /// Parses `(…)`: the parentheses and their content.
    pub(super) fn list<'b>(
        &self,
        input: ParseStream<'b>,
    ) -> Result<(Paren, ParseBuffer<'b>), Problem> {
        let place = self.place_of_next(input);
        parenthesized(input).map_err(|_| self.mismatch(place))
    }

    /// `= "…"`.
    pub(super) fn text(&self, input: ParseStream<'_>) -> Result<LitStr, Problem> {
        self.value(input, Parse::parse)
    }

    /// Parses `= "…"` with a string that is not blank.
    pub(super) fn phrase(&self, input: ParseStream<'_>) -> Result<LitStr, Problem> {
        let text = self.text(input)?;
        if text.value().trim().is_empty() {
            let message = format!("the value of `{}` is empty", self.key);
            return Err(Problem::on(text, message)
                .note("clients show the value unchanged")
                .help(self.fix()));
        }
        Ok(text)
    }

    /// `= word`, of a closed list.
    pub(super) fn word<T: Copy>(
        &self,
        input: ParseStream<'_>,
        all: &[T],
        word: fn(T) -> &'static str,
    ) -> Result<Placed<T>, Problem> {
        let words: Vec<_> = all.iter().map(|value| word(*value)).collect();
        let written = self.bare_word(input, &words)?;
        let text = written.to_string();
        match all.iter().find(|value| word(**value) == text) {
            Some(value) => Ok(Placed {
                value: *value,
                span: written.span(),
            }),
            None => Err(self.unknown_word(&written, &words)),
        }
    }

    /// The key alone, or `= true` or `= false`.
    pub(super) fn flag(&self, input: ParseStream<'_>) -> Result<Placed<bool>, Problem> {
        let span = self.key.span();
        if input.is_empty() || input.peek(Token![,]) {
            return Ok(Placed { value: true, span });
        }
        let LitBool { value, .. } = self.value(input, Parse::parse)?;
        Ok(Placed { value, span })
    }

    /// `= path`.
    pub(super) fn path(&self, input: ParseStream<'_>) -> Result<Path, Problem> {
        self.value(input, Path::parse_mod_style)
    }

    fn bare_word(&self, input: ParseStream<'_>, words: &[&str]) -> Result<Ident, Problem> {
        let after_equals = input.fork();
        after_equals.parse::<Token![=]>().ok();
        if let Ok(quoted) = after_equals.parse::<LitStr>() {
            let text = quoted.value();
            let word = words.iter().find(|word| **word == text);
            let word = word.or(words.first()).copied().unwrap_or_default();
            let message = format!("the value of `{}` is a word without quotes", self.key);
            return Err(Problem::on(quoted, message)
                .note(format!("the possible values are {}", join_words(words)))
                .help(format!("write `{} = {word}`", self.key)));
        }
        self.value(input, Parse::parse)
    }

    fn unknown_word(&self, written: &Ident, words: &[&str]) -> Problem {
        let text = written.to_string();
        let message = format!("unknown value `{text}` for `{}`", self.key);
        let problem = Problem::on(written, message)
            .note(format!("the possible values are {}", join_words(words)));
        problem.help(match most_similar(&text, words.iter().copied()) {
            Some(similar) => format!("a value with a similar name exists: `{similar}`"),
            None => self.fix(),
        })
    }

    /// Parses the value after the equals sign.
    fn value<T>(
        &self,
        input: ParseStream<'_>,
        parse: fn(ParseStream<'_>) -> syn::Result<T>,
    ) -> Result<T, Problem> {
        let place = self.place_of_next(input);
        input
            .parse::<Token![=]>()
            .map_err(|_| self.mismatch(place))?;
        let place = self.place_of_next(input);
        parse(input).map_err(|_| self.mismatch(place))
    }

    /// The next token, or the key when the argument ends here.
    fn place_of_next(&self, input: ParseStream<'_>) -> Span {
        if input.is_empty() || input.peek(Token![,]) {
            self.key.span()
        } else {
            input.span()
        }
    }

    fn mismatch(&self, place: Span) -> Problem {
        Problem::at(place, format!("invalid value for `{}`", self.key))
            .note(format!("it is {}", self.what))
            .help(self.fix())
    }

    fn fix(&self) -> String {
        format!("write, for example, `{}`", self.example)
    }
}

fn parenthesized<'b>(input: ParseStream<'b>) -> syn::Result<(Paren, ParseBuffer<'b>)> {
    let content;
    let parentheses = syn::parenthesized!(content in input);
    Ok((parentheses, content))
}

fn unknown(key: &Ident, word: &str) -> Problem {
    let known: Vec<_> = FORMS.iter().map(|(known, ..)| *known).collect();
    Problem::on(key, format!("`#[tool]` has no argument `{word}`"))
        .note(format!("there are {}", join_words(&known)))
        .help(match most_similar(word, known.iter().copied()) {
            Some(similar) => format!("an argument with a similar name exists: `{similar}`"),
            None => "leave it out".to_owned(),
        })
}

/// `a`, `b`, `c`.
fn join_words(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
