//! The declaration of a tool, as `#[tool]` writes it.

use serde_json::{Value, json};
use toolwright_model::{Binding, EvidenceSource, Governance, Kind, Origin, Role, ToolSpec};

use crate::{
    codec::DecodeError,
    error::{ToolError, Violation},
    role::RoleEnum,
    tool::{BoxFuture, Tool, ToolContext},
};

/// The declarations of all crates that are linked into the program, in the linker's order.
#[linkme::distributed_slice]
pub static TOOLS: [fn() -> Declaration];

/// What `#[tool]` knows of a function.
#[derive(Debug)]
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
    /// The name of the function.
    pub function: &'static str,
    /// Who is granted the tool.
    pub roles: Vec<Role>,
    /// The schema of the input.
    pub input_schema: Value,
    /// The schema of the result, where there is one.
    pub output_schema: Option<Value>,
    /// Calls the function.
    pub call: Call,
}

/// Calls a function with arguments that follow its input schema.
pub(super) type Call =
    for<'a> fn(&'a ToolContext, Value) -> BoxFuture<'a, Result<Value, ToolError>>;

/// The declarations, sorted by name.
pub(crate) fn declarations() -> Vec<Declaration> {
    let mut declarations: Vec<_> = TOOLS.iter().map(|declare| declare()).collect();
    declarations
        .sort_by_key(|declaration| (declaration.name, declaration.module, declaration.function));
    declarations
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

    /// The tool, and who is granted it.
    ///
    /// # Errors
    /// When the input is not an object, or a name breaks its rule, which `#[tool]` has checked.
    pub(crate) fn into_tool(self) -> Result<(Tool, Vec<Role>), String> {
        if self.input_schema.get("type") != Some(&json!("object")) {
            return Err("the input is no object with the arguments as its fields; \
                        make it a struct with named fields"
                .to_owned());
        }
        let call = self.call;
        let spec = self.spec().map_err(|error| error.to_string())?;
        let tool = Tool::native(spec, move |context, arguments| async move {
            call(&context, arguments).await
        });
        Ok((tool, self.roles))
    }

    /// The record of the tool, made of its JSON form like every other.
    fn spec(&self) -> Result<ToolSpec, serde_json::Error> {
        let Governance {
            category,
            effect,
            approval_required,
            hints,
            enabled_by_default,
        } = self.governance;
        serde_json::from_value(json!({
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
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
            "binding": Binding::Native,
            "origin": self.origin(),
            "evidence": [{
                "source": EvidenceSource::Declared,
                "found": format!("category = {category}, effect = {effect}"),
                "suggests": self.kind,
                "decided": true,
            }],
        }))
    }
}

/// The role of a variant.
pub fn role(variant: impl RoleEnum) -> Role {
    variant.role()
}

/// Decodes the arguments, calls the function and encodes what it returns.
///
/// Generic over the function alone: what depends on the types is given as functions, so that a type
/// that lacks a trait is reported where it is written, and once.
pub fn call<'a, I, R: 'a, F>(
    function: impl FnOnce(&'a ToolContext, I) -> F,
    decode: fn(Value) -> Result<I, DecodeError>,
    encode: fn(R) -> Result<Value, ToolError>,
    context: &'a ToolContext,
    arguments: Value,
) -> BoxFuture<'a, Result<Value, ToolError>>
where
    F: Future<Output = R> + Send + 'a,
{
    match decode(arguments) {
        Ok(input) => {
            let running = function(context, input);
            Box::pin(async move { encode(running.await) })
        }
        Err(error) => Box::pin(std::future::ready(Err(unfit(context, &error)))),
    }
}

fn unfit(context: &ToolContext, error: &DecodeError) -> ToolError {
    // The message names the places itself, since there may be several.
    let violation = Violation {
        pointer: String::new(),
        message: error.to_string(),
    };
    ToolError::InvalidArguments {
        tool: context.tool.clone(),
        violations: vec![violation],
    }
}
