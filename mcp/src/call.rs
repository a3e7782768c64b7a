//! One call of a client: from its arguments to its result, also if a person must approve it or it takes long.
//!
//! A call that waits for a person is never decided by its client. The client may show its user the operator's
//! page; what the client answers then only decides whether the call waits for the person.

use std::{
    collections::BTreeMap, convert::Infallible, future::Future, pin::Pin, sync::Arc, time::Duration,
};

use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
        CreateTaskResult, ElicitRequest, ElicitRequestParams, ElicitationAction, InputRequest,
        InputRequiredResult, ProgressToken,
    },
    service::RequestContext,
    task_manager::{TaskContext, TaskExit},
};
use serde_json::Value;
use toolwright::{
    ScopedToolView, ToolError, ToolOutput, Waited,
    approval::{ApprovalId, ApprovalPage},
    render::mcp::ResultForm,
};

use crate::{
    admission::Admission,
    answer,
    aside::{aside, is_large},
    calls::InFlight,
    files,
    progress::Reports,
    questions::{Answers, Questions},
    tasks::Tasks,
};

/// How long a call waits for a person, if its client showed the operator's page and the server lets calls wait for
/// less. Some clients give a call up after a minute.
const DECIDING: Duration = Duration::from_secs(50);

/// How long a call that has become a task waits for a person.
const TASK_WAIT: Duration = Duration::from_hours(1);

/// The time after which a call becomes a task.
const LONG: Duration = Duration::from_secs(3);

/// The key of the only question to a client.
const QUESTION: &str = "approval";

/// The end of an attempt to call.
type Ended = Result<ToolOutput, ToolError>;

/// A call that a client has made.
pub(crate) struct Call {
    pub(crate) view: ScopedToolView,
    pub(crate) name: String,
    pub(crate) form: Option<Arc<ResultForm>>,
    pub(crate) progress: Option<ProgressToken>,
    /// The requests of mounted servers that the client answers.
    pub(crate) answers: Answers,
    pub(crate) peer: Peer<RoleServer>,
    /// How long the call waits for a person.
    pub(crate) wait: Duration,
    /// The operator's page.
    pub(crate) page: Option<ApprovalPage>,
    /// The call counts until it is dropped.
    pub(crate) _in_flight: InFlight,
}

/// What a client can do with a call that does not end at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Means {
    /// It can ask for the result of a task.
    knows_tasks: bool,
    /// It can open a page for its user.
    opens_pages: bool,
    /// The revision of the protocol has no requests of the server.
    is_modern: bool,
    /// The approval whose page the client has shown, and whether its user went on.
    shown: Option<(String, bool)>,
}

impl Means {
    /// Returns what the client of a request can do.
    pub(crate) fn new(
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let capabilities: ClientCapabilities = context.client_capabilities().unwrap_or_default();
        let elicitation = capabilities.elicitation.as_ref();
        let answer = request
            .input_responses
            .as_ref()
            .and_then(|all| all.get(QUESTION));
        let is_accepted = answer.is_some_and(is_accepted);
        Self {
            knows_tasks: capabilities.supports_tasks(),
            opens_pages: elicitation.is_some_and(|elicitation| elicitation.url.is_some()),
            is_modern: context
                .protocol_version()
                .is_some_and(|version| !version.has_initialize()),
            shown: request.request_state.clone().map(|id| (id, is_accepted)),
        }
    }
}

impl Call {
    /// Answers the call.
    pub(crate) async fn answer(
        self,
        arguments: Value,
        means: Means,
        tasks: &Tasks,
        owner: Option<Admission>,
    ) -> Result<CallToolResponse, ErrorData> {
        if means.knows_tasks && means.is_modern && tasks.have_room(owner.as_ref()) {
            return Box::pin(self.answer_or_task(arguments, means, tasks, owner)).await;
        }
        let Some(page) = self.page.clone().filter(|_| means.opens_pages) else {
            let ended = self.attempt(arguments, self.wait).await;
            return self.result(ended).await.map(CallToolResponse::Complete);
        };
        let ended = self.attempt(arguments.clone(), Duration::ZERO).await;
        let Err(ToolError::ApprovalRequired { id, .. }) = &ended else {
            return self.result(ended).await.map(CallToolResponse::Complete);
        };
        let waited = match &means.shown {
            Some((shown, true)) if *shown == id.as_str() => self.wait(id).await?,
            Some((shown, false)) if *shown == id.as_str() => Waited::Undecided,
            _ if means.is_modern => return Ok(self.ask(&page, id).into()),
            _ => Box::pin(self.show(&page, id)).await?,
        };
        let ended = match waited {
            Waited::Undecided => ended,
            // The next attempt reports what became of the request.
            _ => self.attempt(arguments, Duration::ZERO).await,
        };
        self.result(ended).await.map(CallToolResponse::Complete)
    }

    /// Answers the call, or lets it go on as a task.
    async fn answer_or_task(
        self,
        arguments: Value,
        means: Means,
        tasks: &Tasks,
        owner: Option<Admission>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Arc::new(self);
        let first = {
            let (call, arguments) = (Arc::clone(&call), arguments.clone());
            async move { call.attempt(arguments, Duration::ZERO).await }
        };
        let mut first: Pin<Box<dyn Future<Output = Ended> + Send>> = Box::pin(first);
        let ended = tokio::select! {
            ended = &mut first => Some(ended),
            () = tokio::time::sleep(LONG) => None,
        };
        let first = match ended {
            Some(ended @ Err(ToolError::ApprovalRequired { .. })) => {
                Box::pin(std::future::ready(ended))
            }
            Some(ended) => return call.result(ended).await.map(CallToolResponse::Complete),
            None => first,
        };
        let task = tasks.begin(owner, |context| {
            Box::pin(async move {
                let work = call.work(first, arguments, &means, &context);
                tokio::select! {
                    ended = work => ended,
                    () = context.cancelled() => Err(TaskExit::Cancelled),
                }
            })
        });
        Ok(CreateTaskResult::new(task).into())
    }

    /// Does the work of a task: waits for the end of the first attempt, then for a person if need be.
    async fn work(
        &self,
        first: Pin<Box<dyn Future<Output = Ended> + Send>>,
        arguments: Value,
        means: &Means,
        context: &TaskContext,
    ) -> Result<CallToolResult, TaskExit> {
        let ended = first.await;
        let Err(ToolError::ApprovalRequired { id, .. }) = &ended else {
            return Ok(self.result(ended).await?);
        };
        context.set_status_message(format!("waits for a person to decide about `{id}`"));
        let decided = self.view.wait(id, TASK_WAIT);
        let page = self.page.as_ref().filter(|_| means.opens_pages);
        let declined = async {
            if let Some(page) = page {
                let question = InputRequest::Elicitation(question(page, id));
                let answer = context.request_input(QUESTION, question).await?;
                if !is_accepted(&answer) {
                    return Ok(());
                }
            }
            std::future::pending::<Result<(), TaskExit>>().await
        };
        let waited = tokio::select! {
            waited = decided => waited.map_err(|error| failure(&error))?,
            declined = declined => declined.map(|()| Waited::Undecided)?,
        };
        let ended = match waited {
            Waited::Undecided => ended,
            _ => self.attempt(arguments, Duration::ZERO).await,
        };
        Ok(self.result(ended).await?)
    }

    /// Waits for a person to decide.
    async fn wait(&self, id: &ApprovalId) -> Result<Waited, ErrorData> {
        let waited = self.view.wait(id, self.wait.max(DECIDING)).await;
        waited.map_err(|error| failure(&error))
    }

    /// Returns the answer that asks the client to show the operator's page, and then to call again.
    fn ask(&self, page: &ApprovalPage, id: &ApprovalId) -> InputRequiredResult {
        let question = InputRequest::Elicitation(question(page, id));
        let questions = BTreeMap::from([(QUESTION.to_owned(), question)]);
        InputRequiredResult::new(Some(questions), Some(id.to_string()))
    }

    /// Lets a client with a session show the operator's page, and waits for a person to decide meanwhile.
    async fn show(&self, page: &ApprovalPage, id: &ApprovalId) -> Result<Waited, ErrorData> {
        let declined = async {
            let message = message(id);
            let shown = self.peer.elicit_url(message, page.of(id), id.to_string());
            match shown.await {
                Ok(ElicitationAction::Accept) => std::future::pending().await,
                // Also a client that fails to show it.
                _ => Waited::Undecided,
            }
        };
        tokio::select! {
            waited = self.wait(id) => waited,
            waited = declined => Ok(waited),
        }
    }

    /// Calls the tool once. The client receives its progress, and the requests of the server that carries it out.
    async fn attempt(&self, arguments: Value, wait: Duration) -> Ended {
        let is_large = is_large(&arguments);
        let mut view = self.view.clone().waiting_for(wait);
        let mut questions = None;
        if self.answers.any() {
            let (asking, begun) = Questions::begin(view, self.answers, self.peer.clone());
            view = asking;
            questions = Some(begun);
        }
        let mut reports = None;
        if let Some(token) = self.progress.clone() {
            let (reporting, begun) = Reports::begin(view, token, self.peer.clone());
            view = reporting;
            reports = Some(begun);
        }
        // Boxes keep the futures around them small: each is moved several times before it runs.
        let putting = endlessly(questions.map(|questions| Box::pin(questions.put())));
        let reporting = endlessly(reports.map(|reports| Box::pin(reports.send())));
        let mut call = Box::pin(view.call_json(&self.name, arguments));
        let call = async {
            if is_large {
                aside(&mut call).await
            } else {
                (&mut call).await
            }
        };
        tokio::select! {
            ended = call => ended,
            never = reporting => match never {},
            never = putting => match never {},
        }
    }

    /// Returns the result of an attempt.
    async fn result(&self, ended: Ended) -> Result<CallToolResult, ErrorData> {
        match (ended, self.form.as_deref()) {
            (Ok(output), Some(form)) => {
                let file = output.file.as_ref();
                let block = match file {
                    Some(file) => files::block(&self.view, file).await,
                    None => None,
                };
                Ok(answer::result(&output, form, block))
            }
            // The operator granted the tool after the call had begun.
            (Ok(output), None) => Ok(answer::unpromised(&output)),
            (Err(error), form) => answer::error(&error, form, self.page.as_ref()),
        }
    }
}

/// Does work that does not end by itself, if there is some.
async fn endlessly(work: Option<impl Future<Output = Infallible>>) -> Infallible {
    match work {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}

/// Returns the request to show the operator's page.
fn question(page: &ApprovalPage, id: &ApprovalId) -> ElicitRequest {
    ElicitRequest::new(ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: message(id),
        url: page.of(id).into(),
        elicitation_id: id.to_string(),
    })
}

/// Checks whether the user of a client went on to the page.
fn is_accepted(answer: &Value) -> bool {
    answer.get("action").and_then(Value::as_str) == Some("accept")
}

fn message(id: &ApprovalId) -> String {
    format!(
        "A person must decide about `{id}` on the operator's page before the call is carried out."
    )
}

fn failure(error: &ToolError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
