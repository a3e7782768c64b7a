//! The plan of a call: the request that the call would send, which is not sent.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use toolwright_model::{ToolName, WorkspaceName};

use super::{
    Callee, Denial, arguments,
    discovery::{self, Discovery},
    record::{CallRecord, Purpose},
};
use crate::{
    approval::ShownRequest,
    audit::Reason,
    boundary::{secrets::CallSecrets, view::ScopedToolView},
    error::ToolError,
};

/// A call that may pass, with the request that it would send. Nothing was sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallPlan {
    /// The tool.
    pub tool: ToolName,
    /// The named workspace of the service; none if the service has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceName>,
    /// True if a person must approve the call before it is sent.
    pub approval_required: bool,
    /// The request; none if a function of the program carries the call out.
    ///
    /// The credentials of the service are `[redacted]`, in the place that each of them has. Values
    /// that the schema declares secret, and those that the operator lists, are masked. The headers
    /// that every HTTP client adds are not in it. The `request_id` of a domain service's method is
    /// empty, because each call has its own.
    pub request: Option<ShownRequest>,
    /// The socket that the request would be sent to, rather than the host of its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl ScopedToolView {
    /// Plans a call with arguments as JSON, and sends nothing: for the operator and for tests of a
    /// policy. An agent must not see the plan, because it holds the arguments that the operator
    /// pins.
    ///
    /// The plan passes the gates of [`ScopedToolView::call_json`], in the same order, and is
    /// refused with the same errors. It counts for the rates of the role, and its refusal counts as
    /// a violation of the scope. The audit records it as `dry_run`. There are three differences: no
    /// person is asked and no approval is used, a domain service is not asked whether it is ready,
    /// and the name of a host is not resolved, so a private address behind a name is not noticed. Of the
    /// tools of discovery, only those that call other tools have a plan: that of the called tool.
    ///
    /// # Errors
    /// [`ToolError`] if the call may not pass, or if its request cannot be shown.
    pub async fn plan(&self, name: &str, arguments: Value) -> Result<CallPlan, ToolError> {
        let callee = Callee::Tool(name);
        let record = CallRecord::new(self.core(), self.scope(), callee, Purpose::Plan);
        let Some((tool, menu)) = self.discovery_tool(name) else {
            return Ok(planned(self, callee, arguments, record).await?.plan);
        };
        match discovery::read(self, tool, &menu, arguments, record)? {
            (Discovery::Call(category, name, arguments), _) => {
                let view = self.through(category);
                Ok(plan_call(&view, &name, arguments).await?.plan)
            }
            (Discovery::Search(..) | Discovery::Describe(_), record) => {
                Err(record.deny(discovery::not_permitted(self, name)))
            }
        }
    }
}

/// A plan, with the digest that an approval of the call is bound to.
pub(super) struct Plan {
    pub(super) plan: CallPlan,
    pub(super) sent: String,
}

/// Plans the call of a tool that is not one of discovery, and records the plan.
pub(super) async fn plan_call(
    view: &ScopedToolView,
    name: &str,
    arguments: Value,
) -> Result<Plan, ToolError> {
    let callee = Callee::Tool(name);
    let record = CallRecord::new(view.core(), view.scope(), callee, Purpose::Plan);
    planned(view, callee, arguments, record).await
}

async fn planned(
    view: &ScopedToolView,
    callee: Callee<'_>,
    arguments: Value,
    mut record: CallRecord<'_>,
) -> Result<Plan, ToolError> {
    let secrets = CallSecrets::new(&view.core().redactors);
    let arguments = arguments::Given::new(arguments);
    let planned = plan(view, callee, arguments, &mut record, &secrets).await;
    let recorded = match planned {
        Ok(planned) => record.planned(planned.plan.reason()).map(|()| planned),
        Err(denial) => Err(record.deny(denial.without_secrets(&secrets))),
    };
    recorded.map_err(|error| secrets.clean(error))
}

impl CallPlan {
    /// Returns the reason for the audit.
    const fn reason(&self) -> Reason {
        if self.approval_required {
            Reason::ApprovalRequired
        } else {
            Reason::Granted
        }
    }
}

async fn plan(
    view: &ScopedToolView,
    callee: Callee<'_>,
    arguments: arguments::Given,
    record: &mut CallRecord<'_>,
    secrets: &CallSecrets,
) -> Result<Plan, Denial> {
    let tools = view.core().tools();
    let checked = super::check(view, &tools, callee, arguments, record, secrets).await?;
    let spec = checked.entry.spec();
    let gate = checked.gate(view, secrets);
    let plan = CallPlan {
        tool: spec.name.clone(),
        workspace: checked.workspace.name.clone(),
        approval_required: spec.approval_required,
        request: gate.shown_request()?,
        socket: checked.work.socket().map(ToOwned::to_owned),
    };
    let sent = gate.sent_there()?;
    Ok(Plan { plan, sent })
}
