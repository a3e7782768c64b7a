//! The tools that let agents find, read and run skills.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Category, Composition, Effect, ServiceName, Tool, ToolContext, ToolError, ToolName, ToolSpec,
    audit::OWN_SERVICE,
};
use toolwright_model::{Binding, Hints, Origin};

use super::{LoadedSkill, Shared};

/// The section of these tools.
const SECTION: &str = "skill tools";

/// Returns the tools. They are offered to roles that are offered a skill.
pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    let tools = [list(shared), describe(shared), run(shared)];
    tools.into_iter().flatten().collect()
}

fn list(shared: &Arc<Shared>) -> Option<Tool> {
    let spec = spec(
        "list-toolwright-skills",
        "List the skills that you can run: proven sequences of calls, each as one call.",
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
    )?;
    let owned = Arc::clone(shared);
    Some(Tool::composed(spec, offered(shared), move |context, _| {
        let skills: Vec<_> = owned
            .offered(&context)
            .map(|loaded| owned.entry(loaded))
            .collect();
        async move { Ok(json!({ "skills": skills })) }
    }))
}

fn describe(shared: &Arc<Shared>) -> Option<Tool> {
    let spec = spec(
        "describe-toolwright-skill",
        "Describe a skill: its parameters, the calls that it makes, and its result.",
        json!({
            "type": "object",
            "properties": {"skill": skill_argument()},
            "required": ["skill"],
            "additionalProperties": false,
        }),
    )?;
    let owned = Arc::clone(shared);
    Some(Tool::composed(
        spec,
        offered(shared),
        move |context, arguments| {
            let name = skill_of(&arguments);
            let found = owned
                .offered(&context)
                .find(|loaded| loaded.skill.name.value.as_str() == name);
            let described = found.map(|loaded| owned.description(loaded));
            let described = described.ok_or_else(|| not_offered(&context, name));
            async move { described }
        },
    ))
}

fn run(shared: &Arc<Shared>) -> Option<Tool> {
    let mut spec = spec(
        "run-toolwright-skill",
        "Run a skill with its parameters. Each of its calls passes every check for itself.",
        json!({
            "type": "object",
            "properties": {
                "skill": skill_argument(),
                "parameters": {
                    "type": "object",
                    "description": "The parameters, as `describe-toolwright-skill` describes them.",
                },
            },
            "required": ["skill"],
            "additionalProperties": false,
        }),
    )?;
    // The most dangerous skill decides the category and the hints.
    for loaded in shared.skills.values() {
        let skill = &loaded.spec;
        if spec.category.is_below(skill.category) || skill.category == Category::Approve {
            spec.category = skill.category;
        }
        if spec.effect.is_below(skill.effect) {
            spec.effect = skill.effect;
        }
        spec.hints.read_only &= skill.hints.read_only;
        spec.hints.idempotent &= skill.hints.idempotent;
        spec.hints.destructive |= skill.hints.destructive;
        spec.hints.open_world |= skill.hints.open_world;
    }
    let owned = Arc::clone(shared);
    Some(Tool::composed(
        spec,
        offered(shared),
        move |context, arguments| {
            let owned = Arc::clone(&owned);
            async move {
                let name = skill_of(&arguments);
                // Every other tool has its own way to be called.
                if !owned.skills.keys().any(|skill| skill.as_str() == name) {
                    return Err(not_offered(&context, name));
                }
                let parameters = arguments.get("parameters").cloned();
                let parameters = parameters.unwrap_or_else(|| json!({}));
                Ok(context.call(name, parameters).await?.value)
            }
        },
    ))
}

fn skill_argument() -> Value {
    json!({
        "type": "string",
        "description": "The name of the skill, as `list-toolwright-skills` lists it.",
    })
}

fn skill_of(arguments: &Value) -> &str {
    let name = arguments.get("skill").and_then(Value::as_str);
    name.unwrap_or_default()
}

/// Returns the error for a skill that the caller is not offered. It is the same if there is none.
fn not_offered(context: &ToolContext, name: &str) -> ToolError {
    ToolError::ToolNotPermitted {
        role: context.role.clone(),
        tool: name.chars().take(64).collect(),
    }
}

/// Returns the composition of a tool that is offered with any skill.
fn offered(shared: &Arc<Shared>) -> Composition {
    Composition::of_any(shared.skills.keys().cloned())
}

impl Shared {
    /// Returns the skills that the caller is offered.
    fn offered(&self, context: &ToolContext) -> impl Iterator<Item = &LoadedSkill> {
        let view = context.view().clone();
        let skills = self.skills.values();
        skills.filter(move |loaded| view.spec(loaded.spec.name.as_str()).is_some())
    }

    /// Returns the line of a list.
    fn entry(&self, loaded: &LoadedSkill) -> Value {
        let LoadedSkill { skill, spec } = loaded;
        let mut entry = json!({
            "skill": spec.name,
            "line": skill.line,
            "category": spec.category,
            "approval_required": spec.approval_required,
        });
        if let Some(entry) = entry.as_object_mut() {
            if let Some(when) = &skill.when_to_use {
                entry.insert("when_to_use".to_owned(), when.as_str().into());
            }
            if let Some(warning) = self.warning(skill) {
                entry.insert("warning".to_owned(), warning.into());
            }
        }
        entry
    }

    fn description(&self, loaded: &LoadedSkill) -> Value {
        let LoadedSkill { skill, spec } = loaded;
        let mut described = self.entry(loaded);
        if let Some(described) = described.as_object_mut() {
            let calls = match &skill.script {
                None => skill
                    .sequence
                    .steps
                    .iter()
                    .map(|step| &step.tool.value)
                    .collect(),
                Some(_) => skill.tools(),
            };
            described.insert("parameters".to_owned(), spec.input_schema.whole().clone());
            described.insert("calls".to_owned(), json!(calls));
            described.insert("effect".to_owned(), json!(spec.effect));
            described.insert("destructive".to_owned(), spec.hints.destructive.into());
            described.insert("owner".to_owned(), skill.owner.as_str().into());
        }
        described
    }
}

/// Returns the record of a tool that only reads. None if a name breaks its rule, which tests exclude.
fn spec(name: &str, short: &str, input: Value) -> Option<ToolSpec> {
    Some(ToolSpec {
        name: ToolName::new(name).ok()?,
        service: ServiceName::new(OWN_SERVICE).ok()?,
        title: short.split([':', '.']).next().unwrap_or(short).to_owned(),
        short: short.to_owned(),
        description: short.to_owned(),
        when_to_use: None,
        section: SECTION.to_owned(),
        category: Category::Observe,
        effect: Effect::Read,
        approval_required: false,
        hints: Hints {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
        enabled_by_default: true,
        deprecated: false,
        reason: None,
        input_schema: input.into(),
        output_schema: None,
        pagination: None,
        projection: None,
        binding: Binding::Native,
        origin: Origin {
            document: "toolwright-skills".to_owned(),
            pointer: name.to_owned(),
            operation_id: None,
        },
        evidence: Vec::new(),
    })
}
