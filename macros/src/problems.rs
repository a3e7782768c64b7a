//! Problems: every mistake of one item, each with its place, its reason and its fix.
//!
//! A macro that stops at the first mistake makes its user compile once a mistake. So parsing and
//! checking add to [`Problems`] and go on; nothing is emitted while there is one.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The mistakes in one item, in the order of discovery.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

/// A mistake of the macro's user.
#[derive(Debug)]
pub(crate) struct Problem {
    place: TokenStream,
    message: String,
}

impl Problems {
    pub(crate) fn add(&mut self, problem: impl Into<Problem>) {
        self.0.push(problem.into());
    }

    /// Returns the value, or adds the problem.
    pub(crate) fn keep<T>(&mut self, result: Result<T, impl Into<Problem>>) -> Option<T> {
        result.map_err(|problem| self.add(problem)).ok()
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ToTokens for Problems {
    /// One `compile_error!` a problem.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for Problem { place, message } in &self.0 {
            tokens.extend(syn::Error::new_spanned(place, message).into_compile_error());
        }
    }
}

impl Problem {
    /// A problem of these tokens, from the first to the last. The message is one sentence in lower
    /// case, without a full stop, with the user's own words in backticks.
    pub(crate) fn on(place: impl ToTokens, message: impl Into<String>) -> Self {
        Self {
            place: place.into_token_stream(),
            message: message.into(),
        }
    }

    /// A problem of one place, such as where something is absent.
    pub(crate) fn at(span: Span, message: impl Into<String>) -> Self {
        Self::on(quote_spanned!(span=> _), message)
    }

    /// Says why it is a problem.
    #[must_use]
    pub(crate) fn note(self, why: impl AsRef<str>) -> Self {
        self.line("note", why.as_ref())
    }

    /// Adds a help line with the fix.
    #[must_use]
    pub(crate) fn help(self, fix: impl AsRef<str>) -> Self {
        self.line("help", fix.as_ref())
    }

    fn line(mut self, label: &str, text: &str) -> Self {
        let empty_line_before_the_first = if self.message.contains('\n') {
            ""
        } else {
            "\n"
        };
        self.message = format!(
            "{}{empty_line_before_the_first}\n{label}: {text}",
            self.message
        );
        self
    }
}

impl From<syn::Error> for Problem {
    fn from(error: syn::Error) -> Self {
        Self::at(error.span(), error.to_string())
    }
}
