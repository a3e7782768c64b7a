//! The arguments of `#[tool(…)]`, unchecked.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Ident, LitStr, Path, Token,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};
use toolwright_model::{Category, Effect};

use super::{
    form::{Form, Placed},
    roles::Roles,
    scope::{self, ScopeParameter},
};
use crate::problems::{Problem, Problems};

/// The arguments of the attribute. One that could not be read is absent here, and known to
/// [`ToolAttribute::mentions`].
#[derive(Default)]
pub(super) struct ToolAttribute {
    pub(super) name: Option<LitStr>,
    pub(super) title: Option<LitStr>,
    pub(super) section: Option<LitStr>,
    pub(super) category: Option<Placed<Category>>,
    pub(super) effect: Option<Placed<Effect>>,
    pub(super) approval: Option<Placed<Approval>>,
    pub(super) destructive: Option<Placed<bool>>,
    pub(super) idempotent: Option<Placed<bool>>,
    pub(super) open_world: Option<Placed<bool>>,
    pub(super) reason: Option<LitStr>,
    pub(super) roles: Option<Roles>,
    pub(super) scope: Vec<ScopeParameter>,
    pub(super) sandbox: Option<Path>,
    pub(super) crate_path: Option<Path>,
    keys: BTreeSet<String>,
}

/// The declared need for a person's approval of each call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Approval {
    Required,
    None,
}

impl ToolAttribute {
    /// Reads every argument that can be read.
    pub(super) fn parse(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut attribute = Self::default();
        let arguments = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(problem) = attribute.parse_argument(input, problems) {
                    problems.add(problem);
                    skip_to_comma(input)?;
                }
                parse_comma(input, problems)?;
            }
            Ok(())
        };
        let parsed = arguments.parse2(tokens);
        problems.keep(parsed);
        attribute
    }

    /// Returns whether the argument is present, valid or not.
    pub(super) fn mentions(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    fn parse_argument(
        &mut self,
        input: ParseStream<'_>,
        problems: &mut Problems,
    ) -> Result<(), Problem> {
        let key = input.call(Ident::parse_any)?;
        let word = key.to_string();
        let form = Form::from_key(&key)?;
        if !self.keys.insert(word.clone()) {
            return Err(Problem::on(key, format!("duplicate argument `{word}`"))
                .note(
                    "each argument is allowed once, so one value cannot silently override another",
                )
                .help("remove one of the two"));
        }
        match word.as_str() {
            "name" => self.name = Some(form.text(input)?),
            "title" => self.title = Some(form.phrase(input)?),
            "section" => self.section = Some(form.phrase(input)?),
            "reason" => self.reason = Some(form.phrase(input)?),
            "category" => self.category = Some(form.word(input, Category::ALL, Category::word)?),
            "effect" => self.effect = Some(form.word(input, Effect::ALL, Effect::word)?),
            "approval" => self.approval = Some(form.word(input, Approval::ALL, Approval::word)?),
            "destructive" => self.destructive = Some(form.flag(input)?),
            "idempotent" => self.idempotent = Some(form.flag(input)?),
            "open_world" => self.open_world = Some(form.flag(input)?),
            "roles" => self.roles = Some(Roles::parse(&form, input, problems)?),
            "scope" => self.scope = scope::parse(&form, input, problems)?,
            "sandbox" => self.sandbox = Some(form.path(input)?),
            _ => self.crate_path = Some(form.path(input)?),
        }
        Ok(())
    }
}

impl Approval {
    const ALL: &'static [Self] = &[Self::Required, Self::None];

    const fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::None => "none",
        }
    }
}

pub(super) fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !(input.is_empty() || input.peek(Token![,])) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

pub(super) fn parse_comma(input: ParseStream<'_>, problems: &mut Problems) -> syn::Result<()> {
    if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
        problems.add(
            Problem::at(input.span(), "expected `,`")
                .note("a comma separates the items of a list")
                .help("add `,`"),
        );
    }
    Ok(())
}
