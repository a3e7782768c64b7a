//! The tokens that `toolwright tokens` issues, as a server accepts them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};
use toolwright_mcp::{Access, Holder, Holders, Issuer, Token};
use toolwright_state::{KnownTokens, State, StoredToken, TokenDigest};

use super::tell;
use crate::Failure;

/// The interval between two records of the tokens that were used.
const RECORDING: Duration = Duration::from_secs(10);

/// The times at which tokens were used, until they are stored.
pub(super) type Uses = Arc<Mutex<BTreeMap<TokenDigest, Timestamp>>>;

/// The tokens of the state, and the access of a server that follows them.
pub(super) struct IssuedTokens {
    state: State,
    known: watch::Sender<KnownTokens>,
    access: watch::Sender<Access>,
    issuer: Option<Issuer>,
    uses: Uses,
}

impl IssuedTokens {
    /// Reads the tokens. The access tokens of the issuer are accepted, too.
    pub(super) async fn read(state: State, issuer: Option<Issuer>) -> Result<Self, Failure> {
        let known: KnownTokens = state.tokens().await?.into();
        let access = watch::Sender::new(access(&known, issuer.as_ref()));
        Ok(Self {
            issuer,
            state,
            known: watch::Sender::new(known),
            access,
            uses: Uses::default(),
        })
    }

    /// The receiver of the tokens when they change.
    pub(super) fn known(&self) -> watch::Sender<KnownTokens> {
        self.known.clone()
    }

    /// The access of a server, which changes with the tokens.
    pub(super) fn access(&self) -> watch::Receiver<Access> {
        self.access.subscribe()
    }

    /// Returns the function that notes the use of a token.
    pub(super) fn noting(&self) -> impl Fn(Token) + Send + Sync + 'static {
        let uses = Arc::clone(&self.uses);
        move |token| {
            let mut uses = uses.lock().unwrap_or_else(PoisonError::into_inner);
            uses.insert(TokenDigest(*token.digest()), Timestamp::now());
        }
    }

    /// Follows the tokens, and stores their uses, until it is dropped.
    pub(super) async fn run(self) {
        let mut known = self.known.subscribe();
        let mut ticks = interval(RECORDING);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut was_stored = true;
        loop {
            tokio::select! {
                _ = known.changed() => {
                    let access = access(&known.borrow_and_update(), self.issuer.as_ref());
                    self.access.send_replace(access);
                }
                _ = ticks.tick() => {
                    let stored = self.store_uses().await;
                    if let (Err(error), true) = (&stored, was_stored) {
                        tell(&format!("warning: the use of tokens is not stored: {error}"));
                    }
                    was_stored = stored.is_ok();
                }
            }
        }
    }

    async fn store_uses(&self) -> Result<(), toolwright_state::StateError> {
        let uses = std::mem::take(&mut *self.uses.lock().unwrap_or_else(PoisonError::into_inner));
        if uses.is_empty() {
            return Ok(());
        }
        self.state.note_token_uses(&uses).await
    }
}

/// Returns the access by these tokens, and by those of the issuer.
fn access(known: &KnownTokens, issuer: Option<&Issuer>) -> Access {
    let holders = known.iter().map(|token| {
        let StoredToken {
            name,
            role,
            workspace,
            until,
            ..
        } = token;
        let holder = Holder {
            name: name.as_str().to_owned(),
            role: role.clone(),
            workspace: workspace.clone(),
            until: *until,
            revoked: token.revoked.is_some(),
        };
        (Token::from_digest(token.digest.0), holder)
    });
    let holders = Holders::new(holders);
    Access::Holders(match issuer {
        Some(issuer) => holders.with_issuer(issuer.clone()),
        None => holders,
    })
}
