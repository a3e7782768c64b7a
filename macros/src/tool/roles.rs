//! `roles(…)`: who may call the tool.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Ident, LitStr, Path, Token, parse::ParseStream, token::Paren};

use super::{
    attribute::{parse_comma, skip_to_comma},
    form::Form,
};
use crate::problems::{Problem, Problems};

/// Who may call the tool.
pub(super) enum Roles {
    /// The roles of these variants.
    Granted(Vec<Path>),
    /// Nobody yet. The reason is there for the readers of the code.
    Nobody,
}

impl Roles {
    /// Reads the parentheses and their content.
    pub(super) fn parse(
        form: &Form<'_>,
        input: ParseStream<'_>,
        problems: &mut Problems,
    ) -> Result<Self, Problem> {
        let (parentheses, content) = form.list(input)?;
        if content.is_empty() {
            return Err(empty(&parentheses));
        }
        if is_none(&content) {
            problems.keep(parse_none(&content));
            return Ok(Self::Nobody);
        }
        parse_variants(&content, problems).map(Self::Granted)
    }
}

fn is_none(content: ParseStream<'_>) -> bool {
    content
        .fork()
        .parse::<Ident>()
        .is_ok_and(|word| word == "none")
}

/// `none, reason = "…"`.
fn parse_none(content: ParseStream<'_>) -> Result<(), Problem> {
    let none: Ident = content.parse()?;
    match parse_reason(content) {
        Ok(reason) if content.is_empty() && !reason.value().trim().is_empty() => Ok(()),
        _ => {
            content.parse::<TokenStream>()?;
            Err(
                Problem::on(none, "`none` needs a reason and cannot be combined with a role")
                    .note("a tool that no role can call is often a mistake, so the reason must be written down")
                    .help("write `roles(none, reason = \"…\")`, or list the roles"),
            )
        }
    }
}

/// `, reason = "…"`, and maybe a last comma.
fn parse_reason(content: ParseStream<'_>) -> syn::Result<LitStr> {
    content.parse::<Token![,]>()?;
    let key: Ident = content.parse()?;
    if key != "reason" {
        return Err(syn::Error::new_spanned(key, "expected `reason`"));
    }
    content.parse::<Token![=]>()?;
    let reason = content.parse()?;
    content.parse::<Option<Token![,]>>()?;
    Ok(reason)
}

/// Paths to variants, at least one.
fn parse_variants(content: ParseStream<'_>, problems: &mut Problems) -> Result<Vec<Path>, Problem> {
    let mut variants: Vec<Path> = Vec::new();
    while !content.is_empty() {
        match parse_variant(content, &variants) {
            Ok(variant) => variants.push(variant),
            Err(problem) => {
                problems.add(problem);
                skip_to_comma(content)?;
            }
        }
        parse_comma(content, problems)?;
    }
    Ok(variants)
}

fn parse_variant(content: ParseStream<'_>, before: &[Path]) -> Result<Path, Problem> {
    let span = content.span();
    let variant = content.call(Path::parse_mod_style).map_err(|_| {
        Problem::at(span, "expected the path of a variant of your role enum")
            .note("with a path, the compiler finds a typo that would leave an agent without the tool")
            .help("write, for example, `roles(AgentRole::Quality)`; `AgentRole` must derive `toolwright::Role`")
    })?;
    let text = text_of(&variant);
    if before.iter().any(|other| text_of(other) == text) {
        return Err(Problem::on(&variant, format!("duplicate role `{text}`"))
            .note("each role is listed once, so one of the two is probably a typo")
            .help("remove one of the two, or replace it with another role"));
    }
    Ok(variant)
}

fn empty(parentheses: &Paren) -> Problem {
    Problem::at(parentheses.span.join(), "the list of roles is empty")
        .note("only the listed roles can call a tool")
        .help("write, for example, `roles(AgentRole::Quality)`, or `roles(none, reason = \"…\")` for a tool that no role can call yet")
}

fn text_of(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
