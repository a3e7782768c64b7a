//! Answers requests of MCP clients: it lists and calls what a view has, and knows nothing else.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_core::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CompleteRequestMethod, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
        GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult, Implementation,
        ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
        SubscriptionFilter, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value;
use toolwright::{ScopedToolView, approval::ApprovalPage};

#[cfg(test)]
mod tests;

use crate::{
    answer,
    aside::aside,
    call::{Call, Means},
    calls::{Calls, InFlight},
    changes::Changes,
    client::{access_token, admission, client},
    files,
    list::Listing,
    parameters,
    questions::Answers,
    skills,
    span::{self, traced},
    views::RoleView,
};

/// For how long a client may keep the list of tools, in milliseconds. Clients that listen are notified
/// earlier when the operator changes what the role is granted.
const LIST_LIFETIME_MS: u64 = 60_000;

/// The key of a call's metadata with the seconds for which the call waits for a person, in place of
/// the server's own setting. No call waits longer than an hour.
const WAIT: &str = "dev.toolwright/wait-seconds";

/// The description of the server for models.
const INSTRUCTIONS: &str = "\
    Every call is checked against what this role was granted, and audited. \
    A tool that needs approval first answers `approval_required`: tell the user the id that it \
    names, wait until a person has approved it outside of this conversation, then call again \
    with the same arguments.";

/// The description of files for models.
const FILES: &str = "\
    An answer of bytes is a file: the result has its handle, such as `file-…`, and a link to it. \
    Give the handle to another tool wherever it takes bytes as base64.";

/// Answers the requests of one session about its view. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Handler {
    view: ScopedToolView,
    listing: Arc<Listing>,
    wait: Duration,
    page: Option<ApprovalPage>,
    calls: Calls,
    changes: Changes,
    /// True if the client of this session receives notifications of changes.
    is_told: Arc<AtomicBool>,
    /// True if this session has declared the skills extension.
    has_skills: Arc<AtomicBool>,
}

impl Handler {
    /// Serves a view within the limits of calls, and tells its client of changes.
    pub(crate) fn new(view: RoleView, calls: &Calls, changes: &Changes) -> Self {
        let RoleView {
            view,
            listing,
            wait,
            page,
        } = view;
        Self {
            view,
            listing,
            wait,
            page,
            calls: calls.for_session(),
            changes: changes.clone(),
            is_told: Arc::default(),
            has_skills: Arc::default(),
        }
    }

    /// The calls in flight.
    pub(crate) const fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Returns the view for the client of a request, for as long as the server lets it in.
    fn view_for(&self, context: &RequestContext<RoleServer>) -> ScopedToolView {
        let mut view = self.view.clone().for_client(client(context));
        if let Some(token) = access_token(context) {
            view = view.on_behalf_of(token);
        }
        match admission(context) {
            Some(admission) => admission.bind(view),
            None => view,
        }
    }

    /// Returns the call of a request.
    fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        in_flight: InFlight,
    ) -> Call {
        let seconds = context.meta.get(WAIT).and_then(Value::as_u64);
        Call {
            view: self.view_for(context),
            name: request.name.to_string(),
            form: self.listing.form(&self.view, &request.name),
            progress: context.meta.get_progress_token(),
            answers: Answers::of(context),
            peer: context.peer.clone(),
            wait: seconds.map_or(self.wait, Duration::from_secs),
            page: self.page.clone(),
            _in_flight: in_flight,
        }
    }

    /// Carries out the call of a request. `rmcp` moves the future of each request several times. A box keeps it small, and
    /// keeps its nested futures out of the types of the program.
    fn carry_out(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        in_flight: InFlight,
    ) -> BoxFuture<'_, Result<CallToolResponse, ErrorData>> {
        Box::pin(async move {
            let call = self.call(&request, &context, in_flight);
            let tool = call.form.is_some().then_some(&*request.name);
            let span = span::begin("tools/call", tool, &context);
            let means = Means::new(&request, &context);
            let arguments = request.arguments.map_or(Value::Null, Value::Object);
            let owner = admission(&context);
            let answering = async {
                tokio::select! {
                    answer = call.answer(arguments, means, self.calls.tasks(), owner) => answer,
                    () = context.ct.cancelled() => {
                        Err(ErrorData::internal_error("the call was cancelled", None))
                    }
                }
            };
            let is_failure = |response: &CallToolResponse| match response {
                CallToolResponse::Complete(result) => result.is_error == Some(true),
                _ => false,
            };
            traced(span, answering, is_failure).await
        })
    }
}

impl ServerHandler for Handler {
    /// Declares tools, skills if the role has some, and resources if there are skills or a store of files. The
    /// lists of resources and prompts
    /// are empty instead of absent, since clients and test suites request them from every server.
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_tasks();
        let has_files = self.view.has_files();
        // A session that has declared skills answers requests for them to its end.
        let has_skills = skills::are_in(&self.view);
        let has_skills = self.has_skills.fetch_or(has_skills, Ordering::Relaxed) || has_skills;
        let capabilities = match (has_skills, has_files) {
            (true, _) => capabilities.enable_resources().enable_skills().build(),
            (false, true) => capabilities.enable_resources().build(),
            (false, false) => capabilities.build(),
        };
        let instructions = match has_files {
            true => format!("{INSTRUCTIONS} {FILES}"),
            false => INSTRUCTIONS.to_owned(),
        };
        let this = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(this)
            .with_instructions(instructions)
    }

    /// Lists the skills of the role.
    async fn list_skills(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let view = self.view_for(&context);
        let span = span::begin("skills/list", None, &context);
        traced(span, aside(async { Ok(skills::list(&view)) }), |_| false).await
    }

    /// Returns a skill of the role.
    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let view = self.view_for(&context);
        let span = span::begin("skills/get", None, &context);
        let get = async { skills::get(&view, &request.uri) };
        traced(span, aside(get), |_| false).await
    }

    /// Lists the files of the role, and those of its skills.
    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let span = span::begin("resources/list", None, &context);
        let view = self.view_for(&context);
        let listed = aside(async {
            let mut listed = files::list(&view)?;
            listed.resources.extend(skills::resources(&view));
            Ok(listed)
        });
        traced(span, listed, |_| false).await
    }

    /// Reads a file of the role, or of one of its skills.
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let view = self.view_for(&context);
        let span = span::begin("resources/read", None, &context);
        let reading = async {
            match skills::read(&view, &request.uri) {
                Some(read) => Ok(read),
                None => files::read(&view, request.uri).await,
            }
        };
        let read = traced(span, reading, |_| false).await?;
        Ok(ReadResourceResponse::Complete(read))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            self.changes.add(context.peer);
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = async { self.listing.page(&self.view, cursor.as_deref()) };
        let span = span::begin("tools/list", None, &context);
        let (tools, next) = traced(span, aside(page), |_| false).await?;
        let mut list = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_LIFETIME_MS)
            .with_cache_scope(CacheScope::Private);
        list.next_cursor = next;
        Ok(list)
    }

    /// Calls a tool of the view, unless too many calls are in flight.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.calls.begin() {
            Ok(in_flight) => self.carry_out(request, context, in_flight).await,
            Err(busy) => Ok(CallToolResponse::Complete(answer::busy(&busy))),
        }
    }

    /// Returns the state of a call that has become a task.
    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let client = admission(&context);
        let task = self.calls.tasks().get(&request.task_id, client.as_ref())?;
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let client = admission(&context);
        let (tasks, responses) = (self.calls.tasks(), request.input_responses);
        tasks.update(&request.task_id, responses, client.as_ref())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let client = admission(&context);
        let tasks = self.calls.tasks();
        tasks.cancel(&request.task_id, client.as_ref())
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    /// Tells a client of changes until it goes away or the server ends the subscription.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let admission = admission(context.request_context());
        let Some(mut subscription) = self.changes.subscribe(admission) else {
            return Ok(());
        };
        loop {
            let goes_on = tokio::select! {
                () = context.cancelled() => false,
                goes_on = subscription.changed() => goes_on,
            };
            if !goes_on || context.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Refuses a request that is not one of the protocol.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(parameters::error(request))
    }

    /// Nothing is completed, and that is not declared.
    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}
