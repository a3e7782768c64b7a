//! A call of a server's tool.

use std::sync::Arc;

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
        ClientRequest, RequestId, ServerResult,
    },
    service::PeerRequestOptions,
};
use serde_json::Value;
use tokio::time::timeout;
use toolwright::{Tool, ToolContext, ToolError, ToolSpec, error::TransportFault};

use crate::{arguments, connect::Unavailable, mount::Mount, result};

impl Mount {
    /// Returns the tool of a spec. It is offered while its definition is the accepted one.
    #[must_use]
    pub fn tool(&self, spec: impl Into<Arc<ToolSpec>>) -> Tool {
        let spec = spec.into();
        let name = spec.mcp().map(|binding| binding.tool.clone());
        let name = name.unwrap_or_default();
        let (withdrawn, is_accepted) = self.standing(&name);
        let (mount, called) = (self.clone(), Arc::clone(&spec));
        let tool = Tool::native(spec, move |context, arguments| {
            let (mount, spec) = (mount.clone(), Arc::clone(&called));
            async move { call(&mount, &spec, &context, &arguments).await }
        });
        tool.while_accepted(move || is_accepted && !withdrawn.contains(&name))
    }
}

/// Calls a tool at its server.
async fn call(
    mount: &Mount,
    spec: &ToolSpec,
    context: &ToolContext,
    arguments: &Value,
) -> Result<Value, ToolError> {
    let binding = spec.mcp();
    let binding = binding.ok_or_else(|| ToolError::failed("it is not a tool of a server"))?;
    let live = mount.live().await;
    let live = live.map_err(|reason| mount.unavailable(reason))?;
    // The connection may have shown that the definition has changed, after the gates let the call pass.
    if mount.is_withdrawn(&binding.tool) {
        return Err(ToolError::ToolNotPermitted {
            role: context.role.clone(),
            tool: context.tool.to_string(),
        });
    }
    live.secrets().for_each(|secret| context.conceal(secret));
    let arguments = arguments::build(&binding.arguments, arguments);
    let arguments =
        arguments.ok_or_else(|| ToolError::failed("the arguments are not an object"))?;
    let params = CallToolRequestParams::new(binding.tool.clone()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let peer = live.service().peer();
    let options = PeerRequestOptions::no_options();
    let (client, asking) = (live.service().service(), context.asking());
    // The server may ask for something before this task goes on.
    let following = client.follow(asking.clone());
    let sent = peer.send_cancellable_request(request, options).await;
    let handle = sent.map_err(|error| mount.unavailable(Unavailable::from_service(&error)))?;
    following.print(handle.progress_token.clone(), context.printing());
    let mut guard = Cancelling::new(peer, handle.id.clone());
    let answer = timeout(mount.config().timeout, handle.await_response()).await;
    let Ok(answer) = answer else {
        // The guard tells the server that nobody waits any more.
        let message = "it did not answer in time (`timeout_seconds`)";
        let reason = Unavailable::new(TransportFault::Timeout, message);
        return Err(mount.unavailable(reason));
    };
    guard.disarm();
    match answer {
        Ok(ServerResult::CallToolResult(answer)) => {
            result::read(answer, spec, context, mount.config().max_response_bytes)
        }
        Ok(ServerResult::InputRequiredResult(_)) => {
            following.refuse_input(&asking);
            let message = "the server asks for more input, which is refused";
            Err(result::unusable(message))
        }
        Ok(_) => Err(result::unusable("the answer of the server is not a result")),
        Err(ServiceError::McpError(error)) => Err(result::failure(&error.message)),
        Err(error) => Err(mount.unavailable(Unavailable::from_service(&error))),
    }
}

/// Tells the server that a call was abandoned, if it is dropped before the answer arrived.
struct Cancelling<'p> {
    peer: &'p Peer<RoleClient>,
    id: Option<RequestId>,
}

impl<'p> Cancelling<'p> {
    const fn new(peer: &'p Peer<RoleClient>, id: RequestId) -> Self {
        Self { peer, id: Some(id) }
    }

    fn disarm(&mut self) {
        self.id = None;
    }
}

impl Drop for Cancelling<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = "the call was abandoned".to_owned();
            let abandoned = CancelledNotificationParam::new(Some(id), Some(reason));
            let notification = CancelledNotification::new(abandoned);
            let _ = peer.send_notification(notification.into()).await;
        });
    }
}
