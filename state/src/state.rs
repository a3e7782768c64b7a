//! The state of a program, and its life.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use serde::Serialize;
use tokio::time::Instant;
use toolwright::{
    approval::{ApprovalError, Approver, ApproverKeys, MOST_WAITING, PublicKey},
    availability::Availability,
    config::Config,
};

use crate::{
    Location, StateError,
    database::{Changes, Database, Migrated, known},
};

/// The state that processes share. Cloning it is cheap, and clones share one connection.
#[derive(Clone)]
pub struct State {
    pub(crate) database: Arc<Database>,
    keys: Arc<RwLock<ApproverKeys>>,
    pub(crate) most_waiting: usize,
    place: Arc<str>,
}

/// A state as `toolwright state` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The place, without a password.
    pub place: String,
    /// The number of the schema; 0 of an empty database.
    pub schema: i64,
    /// The number of the schema that this program needs.
    pub known: i64,
}

/// Waits for changes of a state.
pub struct StateChanges(Changes);

impl State {
    /// Creates a state that takes the decisions of the user who runs this process. Nothing is
    /// connected yet.
    ///
    /// # Errors
    /// [`StateError::Location`] if the place is wrong.
    pub fn at(location: Location) -> Result<Self, StateError> {
        Ok(Self {
            place: location.to_string().into(),
            database: Arc::new(location.database()?),
            keys: Arc::new(RwLock::new(ApproverKeys::of_user())),
            most_waiting: MOST_WAITING,
        })
    }

    /// Creates the state that a configuration describes. Nothing is connected yet.
    ///
    /// # Errors
    /// [`StateError::Location`] if the place is wrong.
    pub fn from_config(config: &Config) -> Result<Self, StateError> {
        let state = Self::at(Location::from_config(&config.state))?;
        let approvals = &config.approvals;
        Ok(state
            .keys(approvals.approver_keys())
            .most_waiting(approvals.most_waiting))
    }

    /// Sets the keys of the approvers.
    #[must_use]
    pub fn keys(self, keys: ApproverKeys) -> Self {
        self.set_keys(keys);
        self
    }

    /// Replaces the keys of the approvers for all clones. Decisions of others do not count any more.
    pub fn set_keys(&self, keys: ApproverKeys) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }

    /// Returns those whose decisions count now.
    pub(crate) fn approvers(&self) -> Result<Vec<Approver>, ApprovalError> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.read()
    }

    /// Bounds how many requests of one role and run may wait at once.
    #[must_use]
    pub const fn most_waiting(mut self, most: usize) -> Self {
        self.most_waiting = most;
        self
    }

    /// Returns whether decisions signed by this key count here.
    ///
    /// # Errors
    /// [`ApprovalError::Key`] when the keys cannot be read.
    pub fn accepts(&self, key: &PublicKey) -> Result<bool, ApprovalError> {
        let approvers = self.approvers()?;
        Ok(approvers.iter().any(|approver| approver.key == *key))
    }

    /// Returns the place, without a password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Connects, and creates the schema in an empty database.
    ///
    /// # Errors
    /// [`StateError::Newer`] and [`StateError::Older`] if the schema is another one than this
    /// program's; other errors if the database cannot be used.
    pub async fn open(&self) -> Result<(), StateError> {
        self.database.open().await
    }

    /// Migrates the schema to the one of this program.
    ///
    /// # Errors
    /// As [`State::open`], except [`StateError::Older`].
    pub async fn migrate(&self) -> Result<Migrated, StateError> {
        self.database.migrate(known()).await
    }

    /// Migrates the schema of an older state to a number that is not the last. For tests of programs
    /// that meet an older state.
    ///
    /// # Errors
    /// As [`State::migrate`].
    #[doc(hidden)]
    pub async fn migrate_to(&self, number: i64) -> Result<Migrated, StateError> {
        self.database.migrate(number).await
    }

    /// Returns the place and the schema.
    ///
    /// # Errors
    /// [`StateError`] if the database cannot be used.
    pub async fn status(&self) -> Result<Status, StateError> {
        Ok(Status {
            place: self.place.to_string(),
            schema: self.database.schema().await?,
            known: known(),
        })
    }

    /// Reads the switches for a registry. `grace` is the time for which they apply while the state
    /// cannot be reached.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn availability(&self, grace: Duration) -> Result<Arc<Availability>, StateError> {
        let as_of = Instant::now().into_std();
        let overrides = self.overrides().await?;
        Ok(Arc::new(Availability::new(overrides, as_of, grace)))
    }

    /// Begins to wait for changes of the state by this process or another one.
    ///
    /// # Errors
    /// [`StateError`] if the database cannot be used.
    pub async fn changes(&self) -> Result<StateChanges, StateError> {
        self.database.changes().await.map(StateChanges)
    }
}

impl StateChanges {
    /// Waits for a change, at most for a second.
    ///
    /// # Errors
    /// [`StateError`] if the database cannot be reached any more.
    pub async fn next(&mut self) -> Result<(), StateError> {
        self.0.next().await
    }
}

impl std::fmt::Debug for StateChanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateChanges").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
