//! OpenBao and Vault as a source: the KV engine, version 2.
//!
//! A secret is read at each call. The requests run on a thread of their own, since a source is asked
//! from threads that run calls too.

mod session;

use std::{
    io,
    sync::{Arc, Mutex, PoisonError, mpsc::SyncSender},
    thread,
};

use session::Session;
use tokio::{runtime::Builder, sync::mpsc};
use toolwright_model::WorkspaceName;

use crate::{
    config::VaultConfig,
    credentials::{CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials},
    secret::Secret,
    workspace::FOLDER,
};

/// A secret store. It is shared by the services whose credentials it holds.
pub(super) struct Vault {
    config: VaultConfig,
    /// The reads that wait for the thread; none before the first one.
    reads: Mutex<Option<mpsc::UnboundedSender<Read>>>,
}

/// The credentials of one service in a secret store.
pub(super) struct VaultSource {
    pub(super) vault: Arc<Vault>,
    /// The path of the administrator's credentials of a service or a workspace. Those of an account
    /// are below it.
    pub(super) path: String,
    /// The named workspace that the path is of.
    pub(super) workspace: Option<WorkspaceName>,
}

/// A read that waits.
struct Read {
    path: String,
    answer: SyncSender<Answer>,
}

/// The auth file at a path, if there is one; or the problem.
type Answer = Result<Option<Secret>, String>;

impl Vault {
    pub(super) fn new(config: VaultConfig) -> Self {
        Self {
            config,
            reads: Mutex::default(),
        }
    }

    /// Returns the URL of a secret.
    fn place(&self, path: &str) -> String {
        let address = self.config.address.trim_end_matches('/');
        format!("{address}/v1/{}/data/{path}", self.config.mount)
    }

    fn read(&self, path: String) -> Answer {
        let (answer, answered) = std::sync::mpsc::sync_channel(1);
        let reads = self
            .reads()
            .map_err(|error| format!("no thread: {error}"))?;
        let sent = reads.send(Read { path, answer });
        let ended = || "the thread of the secret store ended".to_owned();
        sent.map_err(|_| ended())?;
        answered.recv().map_err(|_| ended())?
    }

    /// Returns the queue of the thread, and starts the thread if there is none.
    fn reads(&self) -> io::Result<mpsc::UnboundedSender<Read>> {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reads) = reads.as_ref().filter(|reads| !reads.is_closed()) {
            return Ok(reads.clone());
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let session = Arc::new(Session::new(self.config.clone()));
        let thread = thread::Builder::new().name("toolwright-vault".to_owned());
        thread.spawn(move || runtime.block_on(run(session, receiver)))?;
        *reads = Some(sender.clone());
        Ok(sender)
    }
}

/// Answers reads until the store is gone.
async fn run(session: Arc<Session>, mut reads: mpsc::UnboundedReceiver<Read>) {
    while let Some(Read { path, answer }) = reads.recv().await {
        let session = Arc::clone(&session);
        tokio::spawn(async move {
            // A caller that went away needs no answer.
            let _ = answer.send(session.read(&path).await);
        });
    }
}

impl CredentialSource for VaultSource {
    fn read(&self, request: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let mut path = self.path.clone();
        if let Some(workspace) = request.workspace
            && self.workspace.as_ref() != Some(workspace)
        {
            // The workspace is newer than the program.
            path = format!("{path}/{FOLDER}/{workspace}");
        }
        if let Some(account) = request.account {
            path = format!("{path}/{account}");
        }
        let place = self.vault.place(&path);
        match self.vault.read(path) {
            Ok(Some(json)) => Ok(Sourced::found(SourcedCredentials::secret(place, json))),
            Ok(None) => Ok(Sourced::absent(vec![place])),
            Err(problem) => Err(SourceError::new(place, problem)),
        }
    }

    fn separates_workspaces(&self) -> bool {
        true
    }
}
