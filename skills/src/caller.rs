//! The caller of a run: the view of the one who runs the skill.

use std::time::{Duration, Instant};

use serde_json::Value;
use toolwright::{Effect, PlannedStep, ScopedToolView, ToolContext, ToolError};

use crate::{
    format::{Script, Skill},
    run::Caller,
};

/// The time that a script has left after a call that nobody approved, to end by itself.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// Makes the calls of a run through the caller's own view.
pub(super) struct ViewCaller<'c> {
    context: &'c ToolContext,
    arguments: &'c Value,
    view: ScopedToolView,
    /// The time until which the calls of a script wait for approvals.
    until: Option<Instant>,
}

impl<'c> ViewCaller<'c> {
    pub(super) fn new(skill: &Skill, context: &'c ToolContext, arguments: &'c Value) -> Self {
        let view = context.view().clone();
        let (view, until) = match &skill.script {
            None => (view, None),
            Some(Script { tools, seconds, .. }) => {
                let time = Duration::from_secs(*seconds).saturating_sub(TIME_TO_END);
                let view = view.narrowed_to(tools.iter().map(|tool| &tool.value));
                (view, Instant::now().checked_add(time))
            }
        };
        Self {
            context,
            arguments,
            view,
            until,
        }
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
