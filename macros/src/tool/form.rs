//! How each argument of `#[tool(…)]` is written.

use proc_macro2::Span;
use syn::{
    Ident, Lit, LitBool, LitStr, Path, Token,
    parse::{ParseBuffer, ParseStream},
    token::Paren,
};
use toolwright_model::most_similar;

use crate::problems::Problem;

/// An argument that exists, at the place where it is written.
pub(super) struct Form<'a> {
    key: &'a Ident,
    example: &'static str,
}

/// A value and its place.
#[derive(Clone, Copy)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// Every argument, and an example of it.
const EXAMPLES: &[(&str, &str)] = &[
    ("name", "name = \"list-plane-tasks\""),
    ("title", "title = \"List tasks\""),
    ("section", "section = \"plane\""),
    ("category", "category = observe"),
    ("effect", "effect = update"),
    ("approval", "approval = required"),
    ("destructive", "destructive"),
    ("idempotent", "idempotent"),
    ("open_world", "open_world = false"),
    ("reason", "reason = \"it only moves the task to the bin\""),
    ("roles", "roles(AgentRole::Quality)"),
    ("crate", "crate = my_crate::toolwright"),
];

impl<'a> Form<'a> {
    /// The form of the argument with this key.
    pub(super) fn of(key: &'a Ident) -> Result<Self, Problem> {
        let word = key.to_string();
        EXAMPLES
            .iter()
            .find(|(known, _)| *known == word)
            .map(|(_, example)| Self { key, example })
            .ok_or_else(|| unknown(key, &word))
    }

    /// `(…)`: the parentheses and what is between them.
    pub(super) fn list<'b>(
        &self,
        input: ParseStream<'b>,
    ) -> Result<(Paren, ParseBuffer<'b>), Problem> {
        parenthesized(input).map_err(|_| self.mismatch(input))
    }

    /// `= "…"`.
    pub(super) fn text(&self, input: ParseStream<'_>) -> Result<LitStr, Problem> {
        self.equals(input)?;
        input.parse().map_err(|_| self.mismatch(input))
    }

    /// `= "…"`, and the text is not blank.
    pub(super) fn phrase(&self, input: ParseStream<'_>) -> Result<LitStr, Problem> {
        let text = self.text(input)?;
        if text.value().trim().is_empty() {
            let message = format!("the text of `{}` is empty", self.key);
            return Err(Problem::on(text, message).help(self.fix()));
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
        self.equals(input)?;
        let words = || all.iter().map(|value| word(*value));
        let written: Ident = input
            .parse()
            .map_err(|_| self.not_a_word(input, words().collect()))?;
        let text = written.to_string();
        all.iter()
            .find(|value| word(**value) == text)
            .map(|value| Placed {
                value: *value,
                span: written.span(),
            })
            .ok_or_else(|| {
                let problem = Problem::on(
                    &written,
                    format!("`{text}` is not a word for `{}`", self.key),
                )
                .note(format!("there are {}", listed(words())));
                match most_similar(&text, words()) {
                    Some(similar) => problem.help(format!("a similar word exists: `{similar}`")),
                    None => problem,
                }
            })
    }

    /// The key alone, or `= true` or `= false`.
    pub(super) fn flag(&self, input: ParseStream<'_>) -> Result<Placed<bool>, Problem> {
        if input.is_empty() || input.peek(Token![,]) {
            return Ok(Placed {
                value: true,
                span: self.key.span(),
            });
        }
        self.equals(input)?;
        let flag: LitBool = input.parse().map_err(|_| self.mismatch(input))?;
        Ok(Placed {
            value: flag.value,
            span: self.key.span(),
        })
    }

    /// `= path`.
    pub(super) fn path(&self, input: ParseStream<'_>) -> Result<Path, Problem> {
        self.equals(input)?;
        input
            .call(Path::parse_mod_style)
            .map_err(|_| self.mismatch(input))
    }

    fn equals(&self, input: ParseStream<'_>) -> Result<(), Problem> {
        match input.parse::<Option<Token![=]>>() {
            Ok(Some(_)) => Ok(()),
            _ => Err(self.mismatch(input)),
        }
    }

    /// What follows the key is not what belongs there. The place is the key when nothing follows.
    fn mismatch(&self, input: ParseStream<'_>) -> Problem {
        let message = format!("`{}` is written in another form", self.key);
        let span = if input.is_empty() || input.peek(Token![,]) {
            self.key.span()
        } else {
            input.span()
        };
        Problem::at(span, message).help(self.fix())
    }

    fn not_a_word(&self, input: ParseStream<'_>, words: Vec<&str>) -> Problem {
        match input.fork().parse::<Lit>() {
            Ok(Lit::Str(text)) => {
                Problem::on(&text, format!("`{}` takes a word without quotes", self.key)).help(
                    format!(
                        "write `{} = {}`",
                        self.key,
                        words
                            .iter()
                            .find(|word| **word == text.value())
                            .or(words.first())
                            .unwrap_or(&"")
                    ),
                )
            }
            _ => self
                .mismatch(input)
                .note(format!("there are {}", listed(words.into_iter()))),
        }
    }

    fn fix(&self) -> String {
        format!("write for example `{}`", self.example)
    }
}

fn parenthesized<'b>(input: ParseStream<'b>) -> syn::Result<(Paren, ParseBuffer<'b>)> {
    let content;
    let parentheses = syn::parenthesized!(content in input);
    Ok((parentheses, content))
}

fn unknown(key: &Ident, word: &str) -> Problem {
    let known = || EXAMPLES.iter().map(|(known, _)| *known);
    let problem = Problem::on(key, format!("a tool has no argument `{word}`"));
    match most_similar(word, known()) {
        Some(similar) => problem.help(format!(
            "an argument with a similar name exists: `{similar}`"
        )),
        None => problem.note(format!("there are {}", listed(known()))),
    }
}

/// `a`, `b`, `c`.
fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
