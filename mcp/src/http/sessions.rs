//! The MCP sessions: at most so many, and each for the client that began it.

use std::{
    cell::Cell,
    collections::BTreeMap,
    io,
    sync::{MutexGuard, PoisonError},
    time::Duration,
};

use futures_core::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError, SessionError},
    },
};
use tokio::sync::Mutex;

use crate::{admission::Admission, shares::has_its_share};

tokio::task_local! {
    /// The request that is handled.
    static CURRENT: Current;
}

/// A request that is handled.
struct Current {
    admission: Option<Admission>,
    /// True if it was refused a session. The library responds to it as if the server had failed; the
    /// caller reads this flag and gives the right response.
    refused: Cell<bool>,
}

/// The sessions of a server, with a limit on their number.
#[derive(Debug)]
pub(super) struct Sessions {
    limit: usize,
    open: LocalSessionManager,
    /// Held while a session is added, so two at once cannot exceed the limit.
    adding: Mutex<()>,
    /// The clients that began the sessions.
    owners: std::sync::Mutex<BTreeMap<SessionId, Admission>>,
}

/// The outcome of a request.
pub(super) enum Served<T> {
    /// It was answered.
    Answered(T),
    /// It needs a session, and there are too many.
    TooManySessions,
}

impl Sessions {
    /// Allows this many sessions at the same time; each ends after this time without messages.
    pub(super) fn new(limit: usize, idle: Duration) -> Self {
        let mut open = LocalSessionManager::default();
        open.session_config.keep_alive = Some(idle);
        // A finished response is not kept for a client that lost its connection, since nothing
        // would limit the kept responses. A pending response can be resumed.
        open.session_config.completed_cache_ttl = Duration::ZERO;
        Self {
            limit,
            open,
            adding: Mutex::new(()),
            owners: std::sync::Mutex::default(),
        }
    }

    /// Handles a request of a client that may ask for a session.
    pub(super) async fn watch<T>(
        admission: Option<Admission>,
        request: impl Future<Output = T>,
    ) -> Served<T> {
        let request = async {
            let answer = request.await;
            if CURRENT.with(|current| current.refused.get()) {
                Served::TooManySessions
            } else {
                Served::Answered(answer)
            }
        };
        let current = Current {
            admission,
            refused: Cell::new(false),
        };
        CURRENT.scope(current, request).await
    }

    /// Returns the client whose request is handled, within [`Sessions::watch`].
    pub(super) fn client() -> Option<Admission> {
        let admission = CURRENT.try_with(|current| current.admission.clone());
        admission.ok().flatten()
    }

    /// Checks whether a client may use a session: it has begun it, or there is none with this id.
    pub(super) fn may_use(&self, id: &str, admission: &Admission) -> bool {
        let owners = self.owners();
        owners
            .get(id)
            .is_none_or(|owner| owner.is_of_same(admission))
    }

    /// Checks whether the client of the request has as many sessions as one client may have.
    fn has_its_share(&self) -> bool {
        Self::client()
            .is_some_and(|client| has_its_share(&client, self.owners().values(), self.limit))
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<SessionId, Admission>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of open sessions.
    pub(super) async fn number(&self) -> usize {
        self.open.sessions.read().await.len()
    }

    /// The limit.
    pub(super) const fn limit(&self) -> usize {
        self.limit
    }
}

type Error = LocalSessionManagerError;

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        let _adding = self.adding.lock().await;
        if self.number().await >= self.limit || self.has_its_share() {
            // Outside `watch` there is no client to notify.
            let _ = CURRENT.try_with(|current| current.refused.set(true));
            let error = io::Error::other("too many sessions are open");
            return Err(SessionError::from(error).into());
        }
        let (id, transport) = self.open.create_session().await?;
        if let Some(admission) = Self::client() {
            self.owners().insert(SessionId::clone(&id), admission);
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        self.open.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        self.open.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.owners().remove(id);
        self.open.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.open.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Error> {
        self.open.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.open.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.open.resume(id, last_event_id).await
    }

    async fn restore_session(
        &self,
        _: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, Error> {
        Ok(RestoreOutcome::NotSupported)
    }
}
