//! The caller of a run: the view of the one who runs the skill or the sequence.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use toolwright::{Effect, PlannedStep, ScopedToolView, ToolContext, ToolError};

use crate::{
    format::Script,
    run::{Caller, Run, run_sequence},
    sequence::Sequence,
};

/// The time that a script has left after a call that nobody approved, to end by itself.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// Makes the calls of a run through the caller's own view.
pub(crate) struct ViewCaller<'c> {
    context: &'c ToolContext,
    arguments: &'c Value,
    view: ScopedToolView,
    /// The time until which the calls of a script wait for approvals.
    until: Option<Instant>,
}

impl<'c> ViewCaller<'c> {
    pub(crate) fn new(context: &'c ToolContext, arguments: &'c Value) -> Self {
        Self {
            context,
            arguments,
            view: context.view().clone(),
            until: None,
        }
    }

    /// Narrows the view to the tools of a script, and lets its calls wait until it must end.
    pub(crate) fn for_script(mut self, script: &Script) -> Self {
        let Script { tools, seconds, .. } = script;
        let time = Duration::from_secs(*seconds).saturating_sub(TIME_TO_END);
        self.view = self.view.narrowed_to(tools.iter().map(|tool| &tool.value));
        self.until = Instant::now().checked_add(time);
        self
    }
}

/// Runs a sequence as the caller of a call. Each step passes all gates of the caller's own view.
pub async fn run_as_caller(sequence: &Sequence, context: &ToolContext, arguments: &Value) -> Run {
    let caller = ViewCaller::new(context, arguments);
    run_sequence(sequence, parameters(arguments), caller).await
}

/// Returns the arguments of a call as parameters.
pub(crate) fn parameters(arguments: &Value) -> Map<String, Value> {
    match arguments {
        Value::Object(parameters) => parameters.clone(),
        _ => Map::new(),
    }
}

impl Caller for ViewCaller<'_> {
    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let output = match self.until {
            None => self.view.call_json(tool, arguments).await?,
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                let view = self.view.clone().waiting_for(left);
                view.call_json(tool, arguments).await?
            }
        };
        Ok(output.value)
    }

    async fn refuse(&self, tool: &str, arguments: Value) {
        // The view has no such tool, except for those that search others.
        if self.view.spec(tool).is_none() {
            let _ = self.view.call_json(tool, arguments).await;
        }
    }

    fn only_reads(&self, tool: &str) -> bool {
        let spec = self.view.spec(tool);
        spec.is_some_and(|spec| spec.effect == Effect::Read && !spec.approval_required)
    }

    fn needs_approval(&self, tool: &str) -> bool {
        let spec = self.view.spec(tool);
        spec.is_some_and(|spec| spec.approval_required)
    }

    async fn approve(&mut self, steps: &[PlannedStep]) -> Result<(), ToolError> {
        self.view = self.context.approve(self.arguments, steps).await?;
        Ok(())
    }
}
