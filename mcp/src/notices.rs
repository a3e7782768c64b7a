//! What a server tells its operator while it runs.

use std::{fmt, sync::Arc};

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
