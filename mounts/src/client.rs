//! The client's side of a connection: it passes the progress of calls on, and those requests of the server that
//! the operator grants. All others are refused.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        self, ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams,
        ElicitResult, ElicitationCapability, ErrorCode, Implementation, ProgressNotificationParam,
        ProgressToken,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::Value;
use toolwright::{
    Asking, Printing, ServiceName,
    audit::{AuditEvent, ServerAnswer, ServerAsked, ServerRequest},
    jiff::Timestamp,
};

use crate::question;

/// The longest message of progress that is passed on, in characters.
const LONGEST_MESSAGE: usize = 500;

/// The most requests of a server that are passed on in one call.
const MOST_REQUESTS: usize = 8;

/// The most refused requests of a connection that are recorded in a minute.
const MOST_RECORDED: usize = 256;

/// The receiver of events that belong to no call.
pub(crate) type OnEvent = dyn Fn(AuditEvent) + Send + Sync;

/// The client of one connection.
pub(crate) struct Client {
    service: ServiceName,
    granted: BTreeSet<ServerRequest>,
    on_event: Arc<OnEvent>,
    calls: Mutex<Calls>,
    changed: AtomicBool,
}

/// The calls that the server serves.
#[derive(Debug, Default)]
struct Calls {
    running: Vec<Running>,
    /// The number of the next call.
    next: u64,
    /// The number of refused requests that were recorded since a time.
    recorded: Option<(Instant, usize)>,
}

/// A call that the server serves.
#[derive(Debug)]
struct Running {
    number: u64,
    asking: Asking,
    /// The number of requests that were passed on.
    asked: usize,
    progress: Option<(ProgressToken, Printing)>,
}

impl Client {
    /// Creates the client of a connection to a server, with the requests that are granted to it.
    pub(crate) fn new(
        service: ServiceName,
        granted: BTreeSet<ServerRequest>,
        on_event: Arc<OnEvent>,
    ) -> Self {
        Self {
            service,
            granted,
            on_event,
            calls: Mutex::default(),
            changed: AtomicBool::new(false),
        }
    }

    /// Passes the requests of the server on to the client of a call, until the returned guard is dropped.
    pub(crate) fn follow(&self, asking: Asking) -> Following<'_> {
        let mut calls = self.calls();
        let number = calls.next;
        calls.next += 1;
        calls.running.push(Running {
            number,
            asking,
            asked: 0,
            progress: None,
        });
        Following {
            client: self,
            number,
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the server has announced another list of tools since the last time.
    pub(crate) fn take_change(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Passes a request on, and returns the answer. Each request is one event.
    async fn pass<A>(
        &self,
        request: ServerRequest,
        params: Option<Value>,
        read: impl Fn(Value) -> Option<(A, ServerAnswer)>,
    ) -> Result<A, ErrorData> {
        let (asking, refusal) = self.admit(request, params.is_some());
        let (Some(asking), Some(params), None) = (&asking, params, refusal) else {
            let refusal = refusal.unwrap_or(ServerAnswer::Invalid);
            self.record_refusal(asking.as_ref(), request, refusal);
            return Err(refused(request, refusal));
        };
        let answer = asking.ask(request, params).await.and_then(read);
        let outcome = answer.as_ref().map(|(_, outcome)| *outcome);
        let outcome = outcome.unwrap_or(ServerAnswer::Unanswered);
        asking.record(self.asked(request, outcome));
        let answer = answer.map(|(answer, _)| answer);
        answer.ok_or_else(|| refused(request, outcome))
    }

    /// Returns the call that a request belongs to, and the reason if it is refused. A request that is not refused
    /// counts.
    fn admit(
        &self,
        request: ServerRequest,
        is_valid: bool,
    ) -> (Option<Asking>, Option<ServerAnswer>) {
        let mut calls = self.calls();
        let (call, others) = match calls.running.as_mut_slice() {
            [] => (None, ServerAnswer::NoCall),
            [call] => (Some(call), ServerAnswer::NoCall),
            // The protocol does not name the call of a request.
            _ => (None, ServerAnswer::SeveralCalls),
        };
        let asking = call.as_ref().map(|call| call.asking.clone());
        let refusal = match call {
            _ if !self.granted.contains(&request) => ServerAnswer::NotGranted,
            None => others,
            Some(_) if !is_valid => ServerAnswer::Invalid,
            Some(call) if !call.asking.answers(request) => ServerAnswer::NotSupported,
            Some(call) if call.asked >= MOST_REQUESTS => ServerAnswer::TooMany,
            Some(call) => {
                call.asked += 1;
                return (asking, None);
            }
        };
        (asking, Some(refusal))
    }

    fn asked(&self, request: ServerRequest, answer: ServerAnswer) -> ServerAsked {
        ServerAsked {
            server: self.service.clone(),
            server_request: request,
            granted: self.granted.contains(&request),
            answer,
        }
    }

    /// Records a request that was refused, with its call if there is one.
    fn record_refusal(
        &self,
        asking: Option<&Asking>,
        request: ServerRequest,
        refusal: ServerAnswer,
    ) {
        if !self.may_record() {
            return;
        }
        let asked = self.asked(request, refusal);
        match asking {
            Some(asking) => asking.record(asked),
            None => (self.on_event)(AuditEvent::server_asked(Timestamp::now(), None, asked)),
        }
    }

    /// Counts a refused request. A server cannot fill the audit with them.
    fn may_record(&self) -> bool {
        let mut calls = self.calls();
        let (since, count) = calls
            .recorded
            .filter(|(since, _)| since.elapsed() < Duration::from_secs(60))
            .unwrap_or((Instant::now(), 0));
        calls.recorded = Some((since, count.saturating_add(1)));
        count < MOST_RECORDED
    }
}

/// A call that the server serves.
pub(crate) struct Following<'c> {
    client: &'c Client,
    number: u64,
}

impl Following<'_> {
    /// Passes the progress of the call on.
    pub(crate) fn print(&self, token: ProgressToken, printing: Printing) {
        let mut calls = self.client.calls();
        let mut running = calls.running.iter_mut();
        if let Some(call) = running.find(|call| call.number == self.number) {
            call.progress = Some((token, printing));
        }
    }

    /// Records that the server asked for more input in place of a result.
    pub(crate) fn refuse_input(&self, asking: &Asking) {
        let (request, refusal) = (ServerRequest::Input, ServerAnswer::NotGranted);
        self.client.record_refusal(Some(asking), request, refusal);
    }
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        let mut calls = self.client.calls();
        calls.running.retain(|call| call.number != self.number);
    }
}

/// Returns the answer to a request that is refused.
fn refused(request: ServerRequest, refusal: ServerAnswer) -> ErrorData {
    let code = match refusal {
        ServerAnswer::NotGranted => ErrorCode::METHOD_NOT_FOUND,
        ServerAnswer::Invalid => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INVALID_REQUEST,
    };
    ErrorData::new(code, format!("the {request} is refused: {refusal}"), None)
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.granted.contains(&ServerRequest::Elicitation) {
            let forms = ElicitationCapability::new().with_form(Default::default());
            capabilities.elicitation = Some(forms);
        }
        if self.granted.contains(&ServerRequest::Sampling) {
            capabilities.sampling = Some(Default::default());
        }
        let client = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, client)
    }

    #[expect(deprecated, reason = "older servers ask for the roots of a client")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<model::ListRootsResult, ErrorData> {
        self.pass(ServerRequest::Roots, None, |_| None).await
    }

    #[expect(deprecated, reason = "older servers ask for messages of a model")]
    async fn create_message(
        &self,
        params: model::CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<model::CreateMessageResult, ErrorData> {
        let params = question::sampling(&self.service, params);
        self.pass(ServerRequest::Sampling, params, question::sampled)
            .await
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = question::form(&self.service, params);
        self.pass(ServerRequest::Elicitation, params, question::elicited)
            .await
    }

    /// Refuses a request that is not one of the protocol, such as a form with nested fields.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let request = match request.method.as_str() {
            "elicitation/create" => ServerRequest::Elicitation,
            "sampling/createMessage" => ServerRequest::Sampling,
            _ => ServerRequest::Other,
        };
        self.pass(request, None, |_| None).await
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let mut calls = self.calls();
        let followed = calls.running.iter_mut();
        let mut followed = followed.filter_map(|call| call.progress.as_mut());
        if let Some((_, printing)) = followed.find(|(token, _)| *token == progress.progress_token) {
            printing.print(described(&progress).as_bytes());
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
    }
}

/// Returns progress as a line: `3 of 10: reading`.
fn described(progress: &ProgressNotificationParam) -> String {
    let mut text = progress.progress.to_string();
    if let Some(total) = progress.total {
        text.push_str(&format!(" of {total}"));
    }
    if let Some(message) = &progress.message {
        let message = toolwright_model::text::remove_invisible(message);
        let message: String = message.chars().take(LONGEST_MESSAGE).collect();
        text.push_str(&format!(": {message}"));
    }
    text.push('\n');
    text
}
