//! Tools as functions of a programming language, for agents that write programs instead of calls.
//!
//! A program of an agent calls the functions through one socket ([`docs/code.md`]), so each call passes the gates
//! of the caller's view. The module of a view has a function for each tool, with the types of its arguments and
//! of its result, and the client of the socket; it imports nothing but the language's own library.
//!
//! [`docs/code.md`]: https://github.com/toolwright/toolwright/blob/main/docs/code.md

mod names;
mod python;
mod types;
mod typescript;

use toolwright_model::text::is_invisible;
use types::Types;

use super::description::description;
use crate::ToolSpec;

/// A programming language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// TypeScript, for Node.js.
    TypeScript,
    /// Python 3.11 and later.
    Python,
}

/// A tool as a function.
struct Function<'s> {
    spec: &'s ToolSpec,
    description: String,
    arguments: types::Type,
    /// True if a call needs an argument.
    needs_arguments: bool,
    result: types::Type,
}

/// Returns a module with a function for each of the tools.
///
/// ```
/// use toolwright::render::code::{Language, module};
///
/// let module = module([], Language::Python);
/// assert!(module.contains("TOOLWRIGHT_SOCKET"));
/// ```
#[must_use]
pub fn module<'s>(specs: impl IntoIterator<Item = &'s ToolSpec>, language: Language) -> String {
    let mut types = Types::default();
    let functions: Vec<_> = specs
        .into_iter()
        .map(|spec| function(spec, &mut types))
        .collect();
    let types = types.finish();
    match language {
        Language::TypeScript => typescript::module(&types, &functions),
        Language::Python => python::module(&types, &functions),
    }
}

/// Returns a text without characters that nobody sees, except for the ends of its lines.
fn visible(text: &str) -> String {
    let visible = |c: char| match c {
        '\n' => c,
        c if c.is_whitespace() => ' ',
        c if is_invisible(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.trim().chars().map(visible).collect()
}

fn function<'s>(spec: &'s ToolSpec, types: &mut Types) -> Function<'s> {
    let service = spec.service.as_str();
    let result = match &spec.output_schema {
        Some(schema) => types.of_schema(service, &schema.to_value()),
        None => types::Type::Unknown,
    };
    let required = spec.input_schema.root().get("required");
    let required = required.and_then(|names| names.as_array());
    Function {
        spec,
        description: visible(&description(spec)),
        arguments: types.of_schema(service, &spec.input_schema.to_value()),
        needs_arguments: required.is_some_and(|names| !names.is_empty()),
        result,
    }
}
