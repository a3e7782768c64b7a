//! The record of the tool that a skill is. Its governance follows from the tools that it calls: the most
//! dangerous one decides.

use std::fmt;

use serde_json::{Value, json};
use toolwright::{
    Category, Effect, ServiceName, ToolName, ToolSpec,
    audit::{OWN_SERVICE, SKILLS},
};
use toolwright_model::{Binding, Hints, Origin};

use crate::{check::KnownTools, format::Skill, library::FILE};

/// A skill calls a tool that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTool(pub String);

/// Returns the record of the tool that a skill is. The file states nothing about it:
///
/// - the category and the effect are the most dangerous ones of the tools,
/// - it is read-only, idempotent or within the program only if all tools are, and destructive if one is,
/// - it needs an approval if a tool needs one.
///
/// # Errors
/// [`NoTool`] if the skill calls a tool that does not exist.
pub fn governance(skill: &Skill, tools: &KnownTools<'_>) -> Result<ToolSpec, NoTool> {
    let computed = Floor::of(skill.tools(), tools)?;
    let name = &skill.name.value;
    let service = ServiceName::new(OWN_SERVICE).map_err(|error| NoTool(error.to_string()))?;
    Ok(ToolSpec {
        name: name.clone(),
        service,
        title: title(name),
        short: skill.line.clone(),
        description: description(skill),
        when_to_use: skill.when_to_use.clone(),
        section: SKILLS.to_owned(),
        category: computed.category,
        effect: computed.effect,
        approval_required: computed.approval_required,
        hints: computed.hints,
        enabled_by_default: true,
        deprecated: false,
        reason: None,
        input_schema: skill.sequence.input_schema().into(),
        output_schema: Some(output_schema().into()),
        pagination: None,
        projection: None,
        binding: Binding::Native,
        origin: Origin {
            document: FILE.to_owned(),
            pointer: skill.digest.clone(),
            operation_id: None,
        },
        evidence: Vec::new(),
    })
}

/// The governance that follows from tools: whatever calls all of them is at least as dangerous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// The most dangerous category.
    pub category: Category,
    /// The most dangerous effect.
    pub effect: Effect,
    /// True if a tool needs an approval.
    pub approval_required: bool,
    /// The hints: read-only, idempotent or within the program only if all tools are, and destructive if one
    /// is.
    pub hints: Hints,
}

impl Default for Floor {
    /// The governance of no tools.
    fn default() -> Self {
        Self {
            category: Category::Observe,
            effect: Effect::Read,
            approval_required: false,
            hints: Hints {
                read_only: true,
                destructive: false,
                idempotent: true,
                open_world: false,
            },
        }
    }
}

impl Floor {
    /// Computes the governance of tools.
    ///
    /// # Errors
    /// [`NoTool`] for the first tool that does not exist.
    pub fn of<'t>(
        called: impl IntoIterator<Item = &'t ToolName>,
        tools: &KnownTools<'_>,
    ) -> Result<Self, NoTool> {
        let mut floor = Self::default();
        for tool in called {
            let spec = tools.get(tool).ok_or_else(|| NoTool(tool.to_string()))?;
            floor.add(spec);
        }
        Ok(floor)
    }

    fn add(&mut self, spec: &ToolSpec) {
        if self.category.is_below(spec.category)
            || (self.category == Category::Execute && spec.category == Category::Approve)
        {
            self.category = spec.category;
        }
        if self.effect.is_below(spec.effect) {
            self.effect = spec.effect;
        }
        self.approval_required |= spec.approval_required;
        let (own, other) = (&mut self.hints, spec.hints);
        own.read_only &= other.read_only;
        own.destructive |= other.destructive;
        own.idempotent &= other.idempotent;
        own.open_world |= other.open_world;
    }
}

/// Returns a title for people: `Restock depot items`.
fn title(name: &ToolName) -> String {
    let words = name.as_str().replace('-', " ");
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => words,
    }
}

/// Returns the description that an agent reads.
fn description(skill: &Skill) -> String {
    let calls: Vec<_> = skill
        .tools()
        .iter()
        .map(|tool| format!("`{tool}`"))
        .collect();
    let mut text = format!("{}\n\nA skill that calls {}.", skill.line, calls.join(", "));
    if let Some(when) = &skill.when_to_use {
        text.push_str("\n\nUse it when ");
        text.push_str(when);
    }
    text
}

/// Returns the schema of a run's result.
#[must_use]
pub fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "result": {"description": "What the skill returns."},
            "calls": {"type": "integer", "description": "The number of calls that the run made."},
            "warning": {
                "type": "string",
                "description": "Present if the skill is deprecated: what to use in its place.",
            },
        },
        "required": ["result", "calls"],
    })
}

impl fmt::Display for NoTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no tool `{}`", self.0)
    }
}

impl std::error::Error for NoTool {}
