//! The caller of a run: the view of the one who runs the skill.

use serde_json::Value;
use toolwright::{Effect, PlannedStep, ScopedToolView, ToolContext, ToolError};

use crate::run::Caller;

/// Makes the calls of a run through the caller's own view.
pub(super) struct ViewCaller<'c> {
    context: &'c ToolContext,
    arguments: &'c Value,
    view: ScopedToolView,
}

impl<'c> ViewCaller<'c> {
    pub(super) fn new(context: &'c ToolContext, arguments: &'c Value) -> Self {
        Self {
            context,
            arguments,
            view: context.view().clone(),
        }
    }
}

impl Caller for ViewCaller<'_> {
    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let output = self.view.call_json(tool, arguments).await?;
        Ok(output.value)
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
