//! Tells clients that the list of tools has changed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{Peer, RoleServer};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::admission::Admission;

/// The longest time for a notification, since a client may not be listening.
const PATIENCE: Duration = Duration::from_secs(5);

/// The subscriptions that may be open at the same time.
const SUBSCRIPTIONS: usize = 256;

/// Tells the clients of a server that their list of tools has changed. Clones share the clients.
///
/// The registry's views change by themselves; clients learn of it only by [`Changes::announce`].
#[derive(Clone, Debug)]
pub struct Changes {
    /// The clients with a session.
    sessions: Arc<Mutex<Vec<Peer<RoleServer>>>>,
    /// The number of changes, for clients that subscribed.
    number: Arc<watch::Sender<u64>>,
    places: Arc<Semaphore>,
    /// Ends the subscriptions of now.
    ending: Arc<Mutex<CancellationToken>>,
}

/// A subscription. It counts until it is dropped.
pub(crate) struct Subscription {
    number: watch::Receiver<u64>,
    ending: CancellationToken,
    /// The client, if it may have to leave.
    admission: Option<Admission>,
    _place: OwnedSemaphorePermit,
}

impl Changes {
    /// Begins without clients.
    pub(crate) fn new() -> Self {
        Self {
            sessions: Arc::default(),
            number: Arc::new(watch::Sender::new(0)),
            places: Arc::new(Semaphore::new(SUBSCRIPTIONS)),
            ending: Arc::default(),
        }
    }

    /// Adds the client of a session, and forgets those whose sessions have ended.
    pub(crate) fn add(&self, client: Peer<RoleServer>) {
        let mut sessions = lock(&self.sessions);
        sessions.retain(|session| !session.is_transport_closed());
        sessions.push(client);
    }

    /// Subscribes a client to changes, unless too many have.
    pub(crate) fn subscribe(&self, admission: Option<Admission>) -> Option<Subscription> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Subscription {
            number: self.number.subscribe(),
            ending: lock(&self.ending).clone(),
            admission,
            _place: place,
        })
    }

    /// Ends the subscriptions of now; clients may subscribe again.
    pub(crate) fn end_subscriptions(&self) {
        std::mem::take(&mut *lock(&self.ending)).cancel();
    }

    /// Tells every client, without waiting for it.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn announce(&self) {
        self.number.send_modify(|number| *number += 1);
        let mut sessions = lock(&self.sessions);
        sessions.retain(|session| !session.is_transport_closed());
        for session in &*sessions {
            let session = session.clone();
            tokio::spawn(async move {
                // A client that does not listen lists the tools again when its copy expires.
                let _ = timeout(PATIENCE, session.notify_tool_list_changed()).await;
            });
        }
    }
}

impl Subscription {
    /// Waits for the next change. Returns false when the subscription ends instead.
    pub(crate) async fn changed(&mut self) -> bool {
        let left = async {
            match &self.admission {
                Some(admission) => admission.ended().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = self.number.changed() => changed.is_ok(),
            () = self.ending.cancelled() => false,
            () = left => false,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
