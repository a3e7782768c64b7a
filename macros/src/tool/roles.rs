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
    /// Reads the parentheses and what is between them.
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
                Problem::on(none, "`none` stands with a reason, and with no role")
                    .note("a tool that nobody may call is easily a slip, so the code says why it is meant")
                    .help("write `roles(none, reason = \"…\")`, or name the roles"),
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
        Problem::at(span, "a role is a path to a variant of the program's own enum")
            .note("so that a slip in it is found by the compiler, and not by an agent without a tool")
            .help("write for example `roles(AgentRole::Quality)`, where `AgentRole` derives `toolwright::Role`")
    })?;
    let text = text_of(&variant);
    if before.iter().any(|other| text_of(other) == text) {
        return Err(Problem::on(&variant, format!("`{text}` is written twice"))
            .note("a role has a tool or has it not, so one of the two is a slip")
            .help("keep one of the two, or name the role that was meant"));
    }
    Ok(variant)
}

fn empty(parentheses: &Paren) -> Problem {
    Problem::at(parentheses.span.join(), "no role is named")
        .note("a tool is called by the roles that it names and by no other")
        .help("write for example `roles(AgentRole::Quality)`, or `roles(none, reason = \"…\")` for a tool that nobody has yet")
}

fn text_of(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
