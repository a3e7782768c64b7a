//! A tool that is a sequence of calls. What it may do follows from the tools that it calls, so it is a tool only
//! together with them.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Category, Composition, Kind, Tool, ToolContext, ToolError, ToolName, ToolSpec,
    config::{
        ConfigProblem, Place,
        reader::{ConfigReader, TomlNode},
    },
    policy::ScopeParameters,
};
use toolwright_model::Governance;
use toolwright_skills::{
    Floor, KnownTools, Sequence, check_sequence, output_schema, run_as_caller,
};

use crate::{
    arguments::Arguments,
    record::{Carried, Texts, record, service_of},
};

/// A tool of steps whose file has no fault of its own.
#[derive(Clone, Debug)]
pub struct StepsTool {
    pub(crate) name: ToolName,
    pub(crate) texts: Texts,
    pub(crate) kind: Kind,
    pub(crate) arguments: Arguments,
    pub(crate) scope: ScopeParameters,
    pub(crate) sequence: Sequence,
    pub(crate) place: Place,
}

pub(crate) fn read(
    document: TomlNode<'_>,
    arguments: &Arguments,
    reader: &mut ConfigReader,
) -> Sequence {
    Sequence::read(document, arguments.parameters(), reader)
}

impl StepsTool {
    /// Returns the name of the tool.
    #[must_use]
    pub const fn name(&self) -> &ToolName {
        &self.name
    }

    /// Returns the service of the tool.
    #[must_use]
    pub fn service(&self) -> &str {
        service_of(&self.name)
    }

    /// Returns the tool, given all tools that its steps may call.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and its fix: a tool that does not exist, arguments
    /// that do not fit, and a class below the class of a step.
    pub fn tool(&self, tools: &KnownTools<'_>) -> Result<Tool, Vec<ConfigProblem>> {
        let mut problems = check_sequence(&self.sequence, tools);
        let called = self.sequence.tools().map(|tool| &tool.value);
        let Ok(floor) = Floor::of(called, tools) else {
            return Err(problems);
        };
        problems.extend(self.below(&floor));
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut governance = Governance::from_kind(self.kind, floor.hints.idempotent);
        let asks_itself = governance.approval_required && !floor.approval_required;
        governance.approval_required |= floor.approval_required;
        let (own, steps) = (&mut governance.hints, floor.hints);
        own.read_only &= steps.read_only;
        own.destructive |= steps.destructive;
        own.open_world = steps.open_world;
        let carried = Carried {
            binding: json!("native"),
            output_schema: Some(output_schema()),
            pointer: "/steps",
        };
        let record = record(
            &self.name,
            &self.texts,
            &governance,
            &self.arguments,
            carried,
            &self.place.file,
        );
        let spec: ToolSpec = serde_json::from_value(record).map_err(|error| {
            vec![self.problem(
                format!("this is not a tool: {error}"),
                "compare it with docs/custom-tools.md",
            )]
        })?;
        let parts = self.sequence.tools().map(|tool| tool.value.clone());
        let composition = Composition::of_all(parts).with_own_grants();
        let composition = match asks_itself {
            true => composition.asking_itself(),
            false => composition,
        };
        let sequence = Arc::new(self.sequence.clone());
        let tool = Tool::composed(spec, composition, move |context, arguments| {
            let sequence = Arc::clone(&sequence);
            async move { call(&sequence, &context, &arguments).await }
        });
        Ok(tool.with_scope_parameters(self.scope.clone()))
    }

    /// Returns a problem if the class of the file is below the class of a step.
    fn below(&self, floor: &Floor) -> Option<ConfigProblem> {
        let (category, effect) = (self.kind.category(), self.kind.effect());
        if floor.category == Category::Approve {
            let message = "a step takes part in an approval".to_owned();
            return Some(self.problem(message, "remove the step: people approve calls themselves"));
        }
        let is_below = category.is_below(floor.category) || effect.is_below(floor.effect);
        is_below.then(|| {
            let message = format!(
                "the class `{category}`, `{effect}` is below that of the steps: `{}`, `{}`",
                floor.category, floor.effect
            );
            let help = format!(
                "write `category = \"{}\"` and `effect = \"{}\"`, or a higher class",
                floor.category, floor.effect
            );
            self.problem(message, help)
        })
    }

    fn problem(&self, message: String, help: impl Into<String>) -> ConfigProblem {
        ConfigProblem {
            place: self.place.clone(),
            message,
            help: Some(help.into()),
        }
    }
}

async fn call(
    sequence: &Sequence,
    context: &ToolContext,
    arguments: &Value,
) -> Result<Value, ToolError> {
    let run = run_as_caller(sequence, context, arguments).await;
    let calls = run.calls;
    Ok(json!({"result": run.result?, "calls": calls}))
}
