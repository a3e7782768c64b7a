//! The requests of mounted servers, which clients with a session answer while their call runs.
//!
//! They are sent by the task of the call, so that they arrive on the stream of its request.

use std::convert::Infallible;

use futures_core::future::BoxFuture;
use rmcp::{
    Peer, RoleServer, ServiceError,
    model::{
        CancelledNotificationParam, ClientResult, ElicitRequest, Request, RequestId,
        ServerRequest as Message,
    },
    service::{PeerRequestOptions, RequestContext},
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use toolwright::{Asker, ScopedToolView, audit::ServerRequest};

/// The most requests of one call that wait for the one before them.
const WAITING: usize = 16;

/// The kinds of requests that the client of a call answers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    elicitation: bool,
    sampling: bool,
}

/// The requests of one call, which its client answers one after the other.
pub(crate) struct Questions {
    peer: Peer<RoleServer>,
    waiting: mpsc::Receiver<Question>,
}

/// A request, and the receiver of its answer.
struct Question {
    request: ServerRequest,
    params: Value,
    answer: oneshot::Sender<Value>,
}

/// The client of one call.
struct Client {
    answers: Answers,
    questions: mpsc::Sender<Question>,
}

impl Answers {
    /// Returns what the client of a request answers. In revisions of the protocol without sessions, servers make
    /// no requests.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let version = context.protocol_version();
        if version.is_some_and(|version| !version.has_initialize()) {
            return Self::default();
        }
        let capabilities = context.client_capabilities().unwrap_or_default();
        // A client that names no kind of elicitation shows forms.
        let shows_forms = capabilities
            .elicitation
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
        Self {
            elicitation: shows_forms,
            sampling: capabilities.sampling.is_some(),
        }
    }

    /// Checks whether the client answers requests at all.
    pub(crate) const fn any(self) -> bool {
        self.elicitation || self.sampling
    }

    const fn include(self, request: ServerRequest) -> bool {
        match request {
            ServerRequest::Elicitation => self.elicitation,
            ServerRequest::Sampling => self.sampling,
            _ => false,
        }
    }
}

impl Asker for Client {
    fn answers(&self, request: ServerRequest) -> bool {
        self.answers.include(request)
    }

    fn ask(&self, request: ServerRequest, params: Value) -> BoxFuture<'static, Option<Value>> {
        let questions = self.questions.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = Question {
                request,
                params,
                answer,
            };
            questions.send(question).await.ok()?;
            answered.await.ok()
        })
    }
}

impl Questions {
    /// Returns a view whose calls pass requests on to the client, and the requests.
    pub(crate) fn begin(
        view: ScopedToolView,
        answers: Answers,
        peer: Peer<RoleServer>,
    ) -> (ScopedToolView, Self) {
        let (questions, waiting) = mpsc::channel(WAITING);
        let view = view.asking(Client { answers, questions });
        (view, Self { peer, waiting })
    }

    /// Sends the requests to the client until it is dropped at the end of the call.
    pub(crate) async fn put(mut self) -> Infallible {
        while let Some(question) = self.waiting.recv().await {
            let Question {
                request,
                params,
                mut answer,
            } = question;
            let answered = tokio::select! {
                answered = put(&self.peer, request, params) => answered,
                () = answer.closed() => None,
            };
            // A request that is dropped has no answer.
            if let Some(value) = answered {
                let _ = answer.send(value);
            }
        }
        std::future::pending().await
    }
}

/// Sends a request to the client, and returns the answer.
async fn put(peer: &Peer<RoleServer>, request: ServerRequest, params: Value) -> Option<Value> {
    let message = message(request, params)?;
    let options = PeerRequestOptions::no_options();
    let handle = peer.send_cancellable_request(message, options).await.ok()?;
    let mut withdrawing = Withdrawing {
        peer,
        id: Some(handle.id.clone()),
    };
    let answer: Result<ClientResult, ServiceError> = handle.await_response().await;
    withdrawing.id = None;
    match answer.ok()? {
        ClientResult::ElicitResult(result) if request == ServerRequest::Elicitation => {
            serde_json::to_value(result).ok()
        }
        ClientResult::CreateMessageResult(result) if request == ServerRequest::Sampling => {
            serde_json::to_value(result).ok()
        }
        _ => None,
    }
}

fn message(request: ServerRequest, params: Value) -> Option<Message> {
    let message = match request {
        ServerRequest::Elicitation => {
            Message::ElicitRequest(ElicitRequest::new(serde_json::from_value(params).ok()?))
        }
        ServerRequest::Sampling => {
            Message::CreateMessageRequest(Request::new(serde_json::from_value(params).ok()?))
        }
        _ => return None,
    };
    Some(message)
}

/// Tells the client that nobody waits for its answer any more, if it is dropped before the answer arrived.
struct Withdrawing<'p> {
    peer: &'p Peer<RoleServer>,
    id: Option<RequestId>,
}

impl Drop for Withdrawing<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = "the call has ended".to_owned();
            let withdrawn = CancelledNotificationParam::new(Some(id), Some(reason));
            let _ = peer.notify_cancelled(withdrawn).await;
        });
    }
}
