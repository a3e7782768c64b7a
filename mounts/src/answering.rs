//! A transport that ends the connection of a server that asks more than it lets Toolwright answer.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rmcp::{
    RoleClient,
    model::{JsonRpcMessage, RequestId, ServerNotification},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::watch;

/// The most requests of a server that are not answered yet. Each needs memory, and a server that does not read
/// its answers could send them without end.
const MOST_UNANSWERED: usize = 256;

/// Counts the requests of a server, and ends the connection at too many without an answer.
pub(crate) struct Answering<T> {
    inner: T,
    /// The requests that are being handled.
    handled: HashSet<RequestId>,
    /// The answers that the server has not received yet.
    sending: Arc<AtomicUsize>,
    /// True after the end of the connection. Nothing waits for the server then.
    ended: watch::Sender<bool>,
}

impl<T> Answering<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self {
            inner,
            handled: HashSet::new(),
            sending: Arc::default(),
            ended: watch::Sender::new(false),
        }
    }

    /// Counts a message of the server. Returns false if it is a request too many, or one with the id of another.
    fn admits(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                let unanswered = self.handled.len() + self.sending.load(Ordering::Acquire);
                unanswered < MOST_UNANSWERED && self.handled.insert(request.id.clone())
            }
            JsonRpcMessage::Notification(notification) => {
                // A request that was cancelled gets no answer.
                if let ServerNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.handled.remove(id);
                }
                true
            }
            _ => true,
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Answering<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.handled.remove(id);
        }
        let counted = answered.is_some().then(|| Sending::new(&self.sending));
        let sent = self.inner.send(message);
        let mut ended = self.ended.subscribe();
        async move {
            let _counted = counted;
            tokio::select! {
                sent = sent => sent,
                Ok(_) = ended.wait_for(|ended| *ended) => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        if self.admits(&message) {
            return Some(message);
        }
        self.ended.send_replace(true);
        None
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// An answer that is being sent. It counts until it is dropped.
struct Sending(Arc<AtomicUsize>);

impl Sending {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
