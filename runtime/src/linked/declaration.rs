//! The declaration of a tool, as `#[tool]` writes it.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_model::{Binding, EvidenceSource, Governance, Kind, Origin, Role, ToolSpec};

use super::{Bound, States, argument::Input, fields::Fields, state::Bind};
use crate::{
    role::RoleEnum,
    tool::{Native, Tool},
};

/// The declarations of all crates that are linked into the program, in the linker's order.
#[linkme::distributed_slice]
pub static TOOLS: [fn() -> Declaration];

/// What `#[tool]` knows of a function.
pub struct Declaration {
    /// The name of the tool.
    pub name: &'static str,
    /// The second word of the name.
    pub service: &'static str,
    /// A title for people.
    pub title: &'static str,
    /// The heading under which the tool is listed.
    pub section: &'static str,
    /// The first paragraph of the documentation.
    pub short: &'static str,
    /// The documentation up to its first heading.
    pub description: &'static str,
    /// The section `# When to use`.
    pub when_to_use: Option<&'static str>,
    /// Why the governance is below the row of its kind.
    pub reason: Option<&'static str>,
    /// The row of the governance table.
    pub kind: Kind,
    /// The row, with what the author said otherwise.
    pub governance: Governance,
    /// The module of the function.
    pub module: &'static str,
    /// The name of the function, behind that of its type if it is a method.
    pub function: &'static str,
    /// Who is granted the tool.
    pub roles: Vec<Role>,
    /// What the function takes beside its context; none when that is nothing.
    pub input: Option<Input>,
    /// The schema of the result, where there is one.
    pub output_schema: Option<Value>,
    /// Binds the function to what it needs.
    pub bind: Bind,
}

/// A declaration that is no tool.
pub(crate) enum Refusal {
    /// The registry was not given a value of this type.
    StateMissing(&'static str),
    /// The declaration itself is wrong.
    Wrong(String),
}

/// The declarations, sorted by name.
pub(crate) fn declarations() -> Vec<Declaration> {
    let mut declarations: Vec<_> = TOOLS.iter().map(|declare| declare()).collect();
    declarations
        .sort_by_key(|declaration| (declaration.name, declaration.module, declaration.function));
    declarations
}

/// The role of a variant.
pub fn role(variant: impl RoleEnum) -> Role {
    variant.role()
}

impl Declaration {
    /// The function, as the origin of the tool.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            document: self.module.to_owned(),
            pointer: self.function.to_owned(),
            operation_id: None,
        }
    }

    /// The tool, and who is granted it; nothing where the program leaves it out.
    ///
    /// # Errors
    /// When the input is not an object, a value is missing, or a name breaks its rule, which
    /// `#[tool]` has checked.
    pub(crate) fn into_tool(self, states: &States) -> Result<Option<(Tool, Vec<Role>)>, Refusal> {
        let origin = self.origin();
        let function = match (self.bind)(states) {
            Bound::To(function) => function,
            Bound::Missing(ty) => return Err(Refusal::StateMissing(ty)),
            Bound::LeftOut => return Ok(None),
        };
        let (input_schema, only) = Input::schema_of(self.input).map_err(Refusal::Wrong)?;
        let Governance {
            category,
            effect,
            approval_required,
            hints,
            enabled_by_default,
        } = self.governance;
        // The record is made of its JSON form like every other.
        let spec: ToolSpec = serde_json::from_value(json!({
            "name": self.name,
            "service": self.service,
            "title": self.title,
            "short": self.short,
            "description": self.description,
            "when_to_use": self.when_to_use,
            "section": self.section,
            "category": category,
            "effect": effect,
            "approval_required": approval_required,
            "hints": hints,
            "enabled_by_default": enabled_by_default,
            "reason": self.reason,
            "input_schema": input_schema,
            "output_schema": self.output_schema,
            "binding": Binding::Native,
            "origin": origin,
            "evidence": [{
                "source": EvidenceSource::Declared,
                "found": format!("category = {category}, effect = {effect}"),
                "suggests": self.kind,
                "decided": true,
            }],
        }))
        .map_err(|error| Refusal::Wrong(error.to_string()))?;
        let function = match only {
            Some(name) => unwrapping(name, function),
            None => function,
        };
        Ok(Some((Tool::of_function(spec, function), self.roles)))
    }
}

/// Gives a function its only argument.
fn unwrapping(name: &'static str, function: Arc<Native>) -> Arc<Native> {
    Arc::new(move |context, arguments| function(context, Fields::new(arguments).value(name)))
}
