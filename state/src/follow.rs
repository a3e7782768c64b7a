//! Follows a state: what changes in it is published to the program within a second.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use toolwright::availability::Availability;

use crate::{State, StateError, StoredToken};

/// The time between two attempts to reach a state that could not be reached.
const RETRY: Duration = Duration::from_millis(500);

/// The tokens of a state at the last read.
pub type KnownTokens = Arc<[StoredToken]>;

/// The receivers of switches and tokens.
#[derive(Clone, Debug)]
pub struct Receivers {
    availability: Arc<Availability>,
    tokens: Option<watch::Sender<KnownTokens>>,
}

impl Receivers {
    /// Publishes the tokens, too. Each of them is sent again only if one has changed.
    #[must_use]
    pub fn with_tokens(self, tokens: watch::Sender<KnownTokens>) -> Self {
        Self {
            tokens: Some(tokens),
            ..self
        }
    }

    async fn publish(&self, state: &State) -> Result<(), StateError> {
        let as_of = Instant::now().into_std();
        if let Some(known) = &self.tokens {
            let tokens: KnownTokens = state.tokens().await?.into();
            known.send_if_modified(|known| {
                let is_new = **known != *tokens;
                *known = tokens;
                is_new
            });
        }
        self.availability.publish(state.overrides().await?, as_of);
        Ok(())
    }
}

impl From<Arc<Availability>> for Receivers {
    fn from(availability: Arc<Availability>) -> Self {
        Self {
            availability,
            tokens: None,
        }
    }
}

impl State {
    /// Publishes every change of the switches, and of the tokens if there is a receiver, until it is
    /// dropped. While the state cannot be reached, the switches are not confirmed, and it tries again
    /// twice a second. `notice` receives the error when the state is lost, and none when it is reached
    /// again.
    pub async fn follow(
        self,
        receivers: impl Into<Receivers>,
        notice: impl Fn(Option<&StateError>) + Send,
    ) {
        let receivers = receivers.into();
        let mut lost = None;
        loop {
            let Err(error) = self.publish_changes(&receivers, &mut lost, &notice).await;
            receivers.availability.lose();
            if lost.is_none() {
                notice(Some(&error));
            }
            lost = Some(error);
            sleep(RETRY).await;
        }
    }

    async fn publish_changes(
        &self,
        receivers: &Receivers,
        lost: &mut Option<StateError>,
        notice: &impl Fn(Option<&StateError>),
    ) -> Result<Never, StateError> {
        let mut changes = self.changes().await?;
        loop {
            receivers.publish(self).await?;
            if lost.take().is_some() {
                notice(None);
            }
            changes.next().await?;
        }
    }
}

/// A value that does not exist.
enum Never {}
