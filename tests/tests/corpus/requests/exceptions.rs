//! Requests that the judge refuses though they are right, or that cannot be made at all, each with
//! the reason: reviewed by hand.

/// A reviewed exception.
pub(super) struct Exception {
    /// The document; empty where it holds of all.
    document: &'static str,
    /// The operation; empty where it holds of all.
    operation: &'static str,
    /// What stands in the judge's words.
    said: &'static str,
    /// Why it is so.
    pub(super) reason: &'static str,
}

impl Exception {
    /// Whether it is the reason of a fault.
    pub(super) fn explains(&self, document: &str, operation: &str, said: &str) -> bool {
        document.ends_with(self.document)
            && operation.contains(self.operation)
            && said.contains(self.said)
    }
}

/// All of them.
pub(super) const EXCEPTIONS: &[Exception] = &[];
