//! A client that was let in, for as long as it may stay.

use std::time::Duration;

use jiff::Timestamp;
#[cfg(test)]
use sha2::Digest as _;
use tokio::{sync::watch, time::sleep};
use toolwright::ScopedToolView;

use crate::{access::Access, caller::Caller};

/// The interval between two looks whether a client may stay.
pub(crate) const LOOK: Duration = Duration::from_millis(250);

/// A client that was let in, and the access that may change. Each request over HTTP carries the
/// admission of its client.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    pub(crate) caller: Caller,
    access: watch::Receiver<Access>,
}

impl Admission {
    /// Admits a caller that the access has let in.
    pub(crate) const fn new(caller: Caller, access: watch::Receiver<Access>) -> Self {
        Self { caller, access }
    }

    /// Checks whether the client may still use the server.
    pub(crate) fn is_valid(&self) -> bool {
        self.access.borrow().keeps(&self.caller, Timestamp::now())
    }

    /// Waits until the client may not use the server any more, and at most a moment longer.
    pub(crate) async fn ended(&self) {
        while self.is_valid() {
            sleep(LOOK).await;
        }
    }

    /// Checks whether another admission is of the same client.
    pub(crate) fn is_of_same(&self, other: &Self) -> bool {
        self.caller.is_same(&other.caller)
    }

    /// Returns the name of the client; none if it has no token of its own.
    pub(crate) fn own_name(&self) -> Option<&str> {
        self.caller.role.as_ref()?;
        self.caller.principal.as_deref()
    }

    /// Returns a view whose calls pass only while the client may use the server.
    pub(crate) fn bind(&self, view: ScopedToolView) -> ScopedToolView {
        let admission = self.clone();
        view.while_valid(move || admission.is_valid())
    }
}

#[cfg(test)]
impl Admission {
    /// Admits a client with a token of its own.
    pub(crate) fn with_name(name: &str) -> Self {
        let caller = Caller {
            role: Some(toolwright::Role::new("reader").unwrap()),
            principal: Some(format!("token:{name}")),
            proof: crate::caller::Proof::Token(crate::caller::Token::from_digest(
                sha2::Sha256::digest(name).into(),
            )),
            ..Caller::anyone()
        };
        Self::new(caller, watch::Sender::new(Access::Everyone).subscribe())
    }
}
