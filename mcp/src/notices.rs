//! What a server tells its operator while it runs.

use std::{fmt, sync::Arc};

use crate::caller::Token;

type Receiver = dyn Fn(&str) + Send + Sync;

/// The receiver of notices. Without one they are dropped.
#[derive(Clone, Default)]
pub(crate) struct Notices(Option<Arc<Receiver>>);

impl Notices {
    pub(crate) fn new(receiver: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receiver)))
    }

    /// Tells the operator something: a sentence without a line break.
    pub(crate) fn tell(&self, text: &str) {
        if let Some(receiver) = &self.0 {
            receiver(text);
        }
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notices")
    }
}

type UseReceiver = dyn Fn(Token) + Send + Sync;

/// The receiver of the tokens that clients use. Without one they are dropped.
#[derive(Clone, Default)]
pub(crate) struct Uses(Option<Arc<UseReceiver>>);

impl Uses {
    pub(crate) fn new(receiver: impl Fn(Token) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receiver)))
    }

    /// Notes that a request with a token was let in.
    pub(crate) fn note(&self, token: Token) {
        if let Some(receiver) = &self.0 {
            receiver(token);
        }
    }
}

impl fmt::Debug for Uses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Uses")
    }
}
