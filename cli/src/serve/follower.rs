//! Follows the operator's switches: a tool that is switched off is refused within a second.

use std::sync::Arc;

use tokio::sync::watch;
use toolwright::{Registry, availability::Availability};
use toolwright_mcp::Changes;
use toolwright_state::{KnownTokens, Receivers, State};

use super::tell;

/// Publishes switches to a registry, and notifies clients of them.
pub(super) struct Follower {
    state: State,
    availability: Arc<Availability>,
    receivers: Receivers,
    changes: Changes,
}

impl Follower {
    pub(super) fn new(state: State, registry: &Registry, changes: Changes) -> Self {
        let availability = Arc::clone(registry.availability());
        Self {
            state,
            receivers: Arc::clone(&availability).into(),
            availability,
            changes,
        }
    }

    /// Publishes the tokens of clients, too.
    pub(super) fn with_tokens(mut self, tokens: watch::Sender<KnownTokens>) -> Self {
        self.receivers = self.receivers.with_tokens(tokens);
        self
    }

    /// Follows the switches until the runtime ends.
    pub(super) fn start(self) {
        let mut switches = self.availability.changes();
        tokio::spawn(async move {
            while switches.changed().await.is_ok() {
                self.changes.announce();
            }
        });
        let grace = self.availability.grace().as_secs();
        tokio::spawn(self.state.follow(self.receivers, move |lost| match lost {
            Some(error) => tell(&format!(
                "{error}; the last known switches apply for {grace} s, and then tools that change \
                 something are refused"
            )),
            None => tell("the state can be used again"),
        }));
    }
}
