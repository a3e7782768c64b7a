//! The conversion of a parsed function to a tool that can be registered.

use proc_macro2::Span;
use syn::{Attribute, Ident, LitStr, Path, Type};
use toolwright_model::Governance;

use super::{
    Site,
    attribute::ToolAttribute,
    documentation::{self, Documentation},
    function::ToolFunction,
    governance,
    name::{self, CheckedName},
    roles::Roles,
    scope::{self, ScopeParameter},
    signature::{self, Signature},
    taken,
};
use crate::problems::{Problem, Problems};

/// A tool without a problem: emission cannot fail.
pub(super) struct CheckedTool<'a> {
    pub(super) name: CheckedName,
    pub(super) title: Option<LitStr>,
    pub(super) section: Option<LitStr>,
    pub(super) reason: Option<LitStr>,
    pub(super) documentation: Documentation,
    pub(super) governance: Governance,
    pub(super) roles: Roles,
    pub(super) scope: Vec<ScopeParameter>,
    pub(super) sandbox: Option<Path>,
    pub(super) function: Ident,
    /// The type that the function is a part of.
    pub(super) owner: Option<&'a Type>,
    pub(super) signature: Signature,
    /// The `cfg`s of the function, which also apply to its registration.
    pub(super) cfgs: Vec<Attribute>,
    pub(super) crate_path: Option<Path>,
}

/// Checks everything, and reports all that is wrong.
pub(super) fn check<'a>(
    attribute: ToolAttribute,
    mut function: ToolFunction,
    site: Site<'a>,
    problems: &mut Problems,
) -> Option<CheckedTool<'a>> {
    check_presence(&attribute, site.attribute, problems);
    let name = attribute
        .name
        .as_ref()
        .and_then(|name| problems.keep(name::check(name)));
    let governance = attribute
        .category
        .map(|category| governance::classify(&attribute, category, name.as_ref(), problems));
    let documentation = documentation::read(&function.attributes, &function.name, problems);
    let cfgs = cfgs_of(std::mem::take(&mut function.attributes));
    if let (Some(name), true) = (&name, cfgs.is_empty()) {
        problems.keep(taken::take(name));
    }
    let ident = function.name.clone();
    let signature = signature::check(function, site.owner.is_some(), problems);
    if let Some(signature) = &signature {
        scope::check(&attribute.scope, &signature.input, problems);
    }
    Some(CheckedTool {
        name: name?,
        title: attribute.title,
        section: attribute.section,
        reason: attribute.reason,
        documentation: documentation?,
        governance: governance?,
        roles: attribute.roles?,
        scope: attribute.scope,
        sandbox: attribute.sandbox,
        function: ident,
        owner: site.owner,
        signature: signature?,
        cfgs,
        crate_path: attribute.crate_path,
    })
}

/// The arguments that every tool has, and why.
const REQUIRED: &[(&str, &str, &str)] = &[
    (
        "name",
        "agents call the tool by its name, `<verb>-<service>-<noun>`",
        "add `name = \"list-plane-tasks\"` with your own words",
    ),
    (
        "category",
        "the governance checks use the category, and it has no default",
        "add `category = observe`, `report`, `execute` or `approve`",
    ),
    (
        "roles",
        "only the listed roles can call a tool",
        "add `roles(AgentRole::Quality)`, or `roles(none, reason = \"…\")` for a tool that no role can call yet",
    ),
];

fn check_presence(attribute: &ToolAttribute, place: Span, problems: &mut Problems) {
    for (key, why, fix) in REQUIRED {
        if !attribute.mentions(key) {
            problems.add(
                Problem::at(place, format!("missing argument `{key}`"))
                    .note(why)
                    .help(fix),
            );
        }
    }
}

fn cfgs_of(attributes: Vec<Attribute>) -> Vec<Attribute> {
    attributes
        .into_iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect()
}
