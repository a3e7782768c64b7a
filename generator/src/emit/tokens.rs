//! Small modules, which are quoted as tokens and formatted by prettyplease.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{File, Item};

use super::source::{comment, hidden_mark};

/// Formats a file that is not changed by hand.
pub(super) fn file(tokens: &TokenStream) -> String {
    parse_file(tokens).map_or_else(|text| text, |file| prettyplease::unparse(&file))
}

/// Formats a file that its user edits, with a blank line between items.
pub(super) fn spaced_file(tokens: &TokenStream) -> String {
    let mut file = match parse_file(tokens) {
        Ok(file) => file,
        Err(text) => return text,
    };
    let items = std::mem::take(&mut file.items);
    let mut text = prettyplease::unparse(&file);
    file.attrs.clear();
    let mut is_after_use = false;
    for item in items {
        let is_use = matches!(item, Item::Use(_));
        if !(is_after_use && is_use) {
            text.push('\n');
        }
        is_after_use = is_use;
        file.items = vec![item];
        text.push_str(&prettyplease::unparse(&file));
    }
    text
}

/// Parses the tokens of a file. Emission cannot fail: other tokens are returned as a string.
fn parse_file(tokens: &TokenStream) -> Result<File, String> {
    syn::parse2(tokens.clone()).map_err(|_| tokens.to_string())
}

/// Returns the documentation of a module that bears a mark.
pub(super) fn marked_docs(mark: &str, text: &str) -> TokenStream {
    let lines = std::iter::once(hidden_mark(mark));
    let lines = lines.chain(text.trim().lines().map(str::to_owned));
    let lines = lines.map(|line| comment(&line));
    quote!(#(#![doc = #lines])*)
}

/// Returns the documentation of a module.
pub(super) fn module_docs(text: &str) -> TokenStream {
    let lines = text.trim().lines().map(comment);
    quote!(#(#![doc = #lines])*)
}

/// Returns the documentation of an item.
pub(super) fn docs(text: &str) -> TokenStream {
    let lines = text.trim().lines().map(comment);
    quote!(#(#[doc = #lines])*)
}

/// Returns the tokens of a name or a type that the generator made.
pub(super) fn code(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}
