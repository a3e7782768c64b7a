//! `toolwright policy explain`: each rule that decides about a call.

use clap::Args;
use serde_json::{Map, Value, json};
use toolwright::{Explanation, Role, eab::RunContext, policy::Decision};

use super::registry;
use crate::{
    Exit, Failure,
    context::Context,
    operator::{bound, variable, variables},
    output::{FormatArguments, Output},
    tools::ToolsArguments,
};

/// Explain the decision about a call: each rule that is evaluated, and the one that decides
///
/// Nothing is called, and no credentials are read. If the request is not known without them, a call
/// that its scope limits to URLs is refused.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright policy explain reader get-depot-item '{\"id\": 7}'\n  \
    toolwright policy explain coder write-repo-file '{\"path\": \"src/a.rs\"}' --variable module=a")]
pub(super) struct PolicyExplainArguments {
    /// The role that calls
    #[arg(value_name = "ROLE")]
    role: Role,

    /// The name of the tool
    #[arg(value_name = "TOOL")]
    tool: String,

    /// The arguments: a JSON object
    #[arg(value_name = "ARGS", default_value = "{}")]
    arguments: String,

    /// The node of the pipeline
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// The workspace that the caller works in
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,

    /// A variable of the run; several values make a list (may be repeated)
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl PolicyExplainArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let arguments: Map<String, Value> =
            serde_json::from_str(&self.arguments).map_err(|error| {
                Failure::usage(format!("the arguments are not a JSON object: {error}"))
                    .help("pass an object, such as `'{\"id\": 1}'`")
            })?;
        let config = context.config()?;
        let tools = self.tools.choose(context, &config)?;
        let registry = registry(&tools, config)?;
        let run = RunContext {
            node: self.node.clone(),
            workspace: self.workspace.clone(),
            ..RunContext::default()
        };
        let mut view = registry
            .for_agent(&self.role)
            .with_variables(variables(&self.variables))
            .in_run(run);
        let mut tools = registry.tools();
        let tool = tools.find(|(spec, _)| spec.name.as_str() == self.tool);
        if let (Some((spec, _)), Some(workspace)) = (tool, &self.workspace) {
            view = bound(view, &spec, workspace)?;
        }
        let explanation = view.explain(&self.tool, arguments);
        if self.format.is_json() {
            context.output.json(&to_json(&explanation))?;
        } else {
            print(&explanation, &mut context.output)?;
        }
        Ok(Exit::Done)
    }
}

/// Returns the decision in one line.
pub(super) fn verdict(explanation: &Explanation) -> String {
    match (&explanation.decision, explanation.violations.first()) {
        (Decision::Deny(refusal), _) if refusal.reason.is_of_the_offer() => {
            format!("denied: {refusal}")
        }
        (_, Some(violation)) => format!("denied: invalid arguments: {violation}"),
        (Decision::Deny(refusal), None) => format!("denied: {refusal}"),
        (Decision::Allow(permit), None) => {
            let approval = if permit.needs_approval {
                ", after a person has approved it"
            } else {
                ""
            };
            format!("allowed by {}{approval}", permit.source)
        }
    }
}

/// Checks whether a call was refused because its request is not known.
fn lacks_target(explanation: &Explanation) -> bool {
    let Decision::Deny(refusal) = &explanation.decision else {
        return false;
    };
    let rule = refusal.rule.as_deref();
    explanation.target.is_none() && matches!(rule, Some("allowed_urls" | "allowed_methods"))
}

fn to_json(explanation: &Explanation) -> Value {
    let refusal = match &explanation.decision {
        Decision::Deny(refusal) => Some(refusal),
        Decision::Allow(_) => None,
    };
    let violations = explanation.violations.iter();
    json!({
        "allowed": refusal.is_none() && explanation.violations.is_empty(),
        "reason": refusal.map(|refusal| refusal.reason),
        "rule": refusal.and_then(|refusal| refusal.rule.as_ref()),
        "place": refusal.and_then(|refusal| refusal.place.as_ref()),
        "workspace": explanation.workspace,
        "target": explanation.target,
        "steps": explanation.steps,
        "violations": violations.map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn print(explanation: &Explanation, output: &mut Output) -> Result<(), Failure> {
    for step in &explanation.steps {
        let mark = if step.passed { "pass" } else { "fail" };
        match &step.place {
            Some(place) => output.text(&format!("{mark}  {} ({place})", step.rule))?,
            None => output.text(&format!("{mark}  {}", step.rule))?,
        }
    }
    if let Some(workspace) = &explanation.workspace {
        output.text(&format!("workspace: {workspace}"))?;
    }
    if let Some(target) = &explanation.target {
        output.text(&format!("request: {target}"))?;
    }
    output.text(&verdict(explanation))?;
    if lacks_target(explanation) {
        output.text("note: the request is not known without the credentials of the service")?;
    }
    Ok(())
}
