//! `scope(…)`: the scope parameters of the tool, and the argument that each of them restricts.

use syn::{Ident, LitStr, Token, ext::IdentExt, parse::ParseStream, token};
use toolwright_model::most_similar;

use super::{
    attribute::{parse_comma, skip_to_comma},
    form::Form,
    signature::{Argument, Input},
};
use crate::problems::{Problem, Problems};

/// The checks that a parameter can make.
const CHECKS: [&str; 6] = [
    "allowed_paths",
    "denied_paths",
    "pattern",
    "url",
    "value",
    "words",
];

/// The checks of parameters that the tool reads itself.
const VALUES: [&str; 2] = ["value", "words"];

/// The fix for everything that cannot be parsed.
const EXAMPLE: &str = "write, for example, `scope(allowed_read_paths = allowed_paths(path))`";

/// A scope parameter that the tool declares.
pub(super) struct ScopeParameter {
    name: Ident,
    /// One of [`CHECKS`].
    pub(super) check: String,
    /// The argument that the parameter restricts.
    pub(super) argument: Option<LitStr>,
    /// True if the tool itself checks what it finds.
    pub(super) found: bool,
    pub(super) required: bool,
}

/// Parses the parentheses and their content.
pub(super) fn parse(
    form: &Form<'_>,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Result<Vec<ScopeParameter>, Problem> {
    let (_, content) = form.list(input)?;
    let mut parameters: Vec<ScopeParameter> = Vec::new();
    while !content.is_empty() {
        match parse_parameter(&content) {
            Ok(parameter) => {
                if parameters.iter().any(|other| other.name == parameter.name) {
                    let message = format!("duplicate scope parameter `{}`", parameter.name);
                    problems.add(
                        Problem::on(&parameter.name, message)
                            .note("an operator sets each parameter once in a scope")
                            .help("remove one of the two, or rename it"),
                    );
                }
                parameters.push(parameter);
            }
            Err(problem) => {
                problems.add(problem);
                skip_to_comma(&content)?;
            }
        }
        parse_comma(&content, problems)?;
    }
    Ok(parameters)
}

/// Reports each parameter that restricts an argument which the tool does not have. The arguments of
/// a struct are checked when the registry is built.
pub(super) fn check(parameters: &[ScopeParameter], input: &Input, problems: &mut Problems) {
    let Input::Named(arguments) = input else {
        return;
    };
    for argument in parameters.iter().filter_map(|one| one.argument.as_ref()) {
        let value = argument.value();
        let name = value.strip_prefix('/').unwrap_or(&value);
        let name = name.split('/').next().unwrap_or_default();
        let is_known = |known: &Argument| known.name == name;
        if !arguments.iter().any(is_known) {
            let known = arguments.iter().map(|argument| argument.name.as_str());
            let help = match most_similar(name, known) {
                Some(similar) => format!("an argument with a similar name exists: `{similar}`"),
                None => "name one of the parameters of the function".to_owned(),
            };
            problems.add(
                Problem::on(argument, format!("the tool has no argument `{name}`"))
                    .note("a scope parameter restricts an argument of the tool")
                    .help(help),
            );
        }
    }
}

impl ScopeParameter {
    pub(super) fn name(&self) -> String {
        self.name.unraw().to_string()
    }
}

/// `NAME = CHECK(ARGUMENT)`, with `..` in place of the argument if the tool itself asks for the check, and
/// with `, optional` at the end of the parentheses; or `NAME = value` and `NAME = words`.
fn parse_parameter(content: ParseStream<'_>) -> Result<ScopeParameter, Problem> {
    let span = content.span();
    let invalid = |_| {
        Problem::at(span, "invalid scope parameter")
            .note("it is a name, the check that it makes, and the argument that it restricts")
            .help(EXAMPLE)
    };
    let name = content.call(Ident::parse_any).map_err(invalid)?;
    content.parse::<Token![=]>().map_err(invalid)?;
    let check: Ident = content.parse().map_err(invalid)?;
    let word = check.to_string();
    if !CHECKS.contains(&word.as_str()) {
        let known = CHECKS.map(|check| format!("`{check}`")).join(", ");
        let help = match most_similar(&word, CHECKS) {
            Some(similar) => format!("a check with a similar name exists: `{similar}`"),
            None => EXAMPLE.to_owned(),
        };
        if content.peek(token::Paren) {
            let _: proc_macro2::TokenTree = content.parse()?;
        }
        return Err(Problem::on(&check, format!("unknown check `{word}`"))
            .note(format!("the checks are {known}"))
            .help(help));
    }
    let is_value = VALUES.contains(&word.as_str());
    let mut parameter = ScopeParameter {
        name,
        check: word,
        argument: None,
        found: false,
        required: true,
    };
    if is_value && !content.peek(token::Paren) {
        return Ok(parameter);
    }
    let mut parentheses = |content: ParseStream<'_>| {
        let inner;
        syn::parenthesized!(inner in content);
        if !is_value {
            parameter.found = inner.parse::<Option<Token![..]>>()?.is_some();
            if !parameter.found {
                parameter.argument = Some(parse_argument(&inner)?);
            }
            inner.parse::<Option<Token![,]>>()?;
        }
        if !inner.is_empty() {
            let word: Ident = inner.parse()?;
            if word != "optional" || !inner.is_empty() {
                return Err(syn::Error::new_spanned(word, "expected `optional`"));
            }
            parameter.required = false;
        }
        Ok(())
    };
    let parsed: syn::Result<()> = parentheses(content);
    parsed.map_err(invalid)?;
    Ok(parameter)
}

/// Parses the name of an argument, or a JSON Pointer in quotes.
fn parse_argument(content: ParseStream<'_>) -> syn::Result<LitStr> {
    if content.peek(LitStr) {
        return content.parse();
    }
    let name = content.call(Ident::parse_any)?;
    Ok(LitStr::new(&name.unraw().to_string(), name.span()))
}
