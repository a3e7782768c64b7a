//! The keyring of the operating system as a source: the Secret Service of a desktop, Keychain, or the
//! Credential Manager.
//!
//! An entry of the service `toolwright` holds an auth file. A keyring that is locked may wait for a
//! person, so one thread reads it and calls do not wait for that thread without end.

use std::{
    io,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::Duration,
};

use keyring::{Entry, Error};

use crate::{
    credentials::{CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials},
    secret::Secret,
};

/// The name of the service in the keyring.
const SERVICE: &str = "toolwright";

/// The longest time that a call waits for the keyring.
const PATIENCE: Duration = Duration::from_secs(10);

/// The keyring of the user who runs this process.
#[derive(Default)]
pub(super) struct Keyring {
    /// The reads that wait for the thread; none before the first one.
    reads: Mutex<Option<Sender<Read>>>,
}

/// A read that waits.
struct Read {
    user: String,
    answer: SyncSender<Answer>,
}

/// The content of an entry, if there is one; or the problem.
type Answer = Result<Option<Secret>, String>;

impl Keyring {
    fn read(&self, user: String) -> Answer {
        let (answer, answered) = sync_channel(1);
        let reads = self
            .reads()
            .map_err(|error| format!("no thread: {error}"))?;
        let sent = reads.send(Read { user, answer });
        sent.map_err(|_| "the thread of the keyring ended".to_owned())?;
        answered.recv_timeout(PATIENCE).map_err(|_| {
            let seconds = PATIENCE.as_secs();
            format!("it did not answer within {seconds} s; unlock it")
        })?
    }

    /// Returns the queue of the thread, and starts the thread if there is none.
    fn reads(&self) -> io::Result<Sender<Read>> {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reads) = reads.as_ref() {
            return Ok(reads.clone());
        }
        let (sender, receiver) = channel();
        let thread = thread::Builder::new().name("toolwright-keyring".to_owned());
        thread.spawn(move || run(&receiver))?;
        *reads = Some(sender.clone());
        Ok(sender)
    }
}

/// Answers reads until the source is gone.
fn run(reads: &Receiver<Read>) {
    while let Ok(Read { user, answer }) = reads.recv() {
        // A caller that went away needs no answer.
        let _ = answer.send(read_entry(&user));
    }
}

fn read_entry(user: &str) -> Answer {
    if let Err(error) = Entry::store_status() {
        return Err(format!("there is no keyring: {}", in_words(error)));
    }
    let entry = Entry::new(SERVICE, user);
    match entry.and_then(|entry| entry.get_password()) {
        Ok(text) => Ok(Some(Secret::new(text))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(in_words(&error)),
    }
}

/// Returns an error in words. Those of the crate may hold the content of an entry.
fn in_words(error: &Error) -> String {
    match error {
        Error::PlatformFailure(error) | Error::NoStorageAccess(error) => {
            format!("it cannot be read: {error}")
        }
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "the entry is not a string".to_owned(),
        Error::Ambiguous(_) => "there are several entries for it; remove all but one".to_owned(),
        _ => "it cannot be read".to_owned(),
    }
}

impl CredentialSource for Keyring {
    fn read(&self, request: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let instance = match request.workspace {
            // No name contains a colon, so the entry of a workspace is never that of an account.
            Some(workspace) => format!("{}:{workspace}", request.service),
            None => request.service.to_string(),
        };
        let user = match request.account {
            Some(account) => format!("{instance}/{account}"),
            None => instance,
        };
        let place = format!("keyring: service {SERVICE}, username {user}");
        match self.read(user) {
            Ok(Some(json)) => Ok(Sourced::found(SourcedCredentials::secret(place, json))),
            Ok(None) => Ok(Sourced::absent(vec![place])),
            Err(problem) => Err(SourceError::new(place, problem)),
        }
    }

    fn separates_workspaces(&self) -> bool {
        true
    }
}
