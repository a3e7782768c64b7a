//! A person who is signed in.

use toolwright::config::ConsoleRole;
use toolwright_state::StoredSession;

/// A person who is signed in.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The session.
    pub(crate) session: StoredSession,
    /// What the person may do.
    pub(crate) role: ConsoleRole,
    /// The token that each form of the session contains.
    csrf: String,
}

impl Visitor {
    /// Creates the person of a session. `csrf` is the token of its forms.
    pub(crate) const fn new(session: StoredSession, role: ConsoleRole, csrf: String) -> Self {
        Self {
            session,
            role,
            csrf,
        }
    }

    /// Checks whether the person may do something that needs a role.
    pub(crate) fn may(&self, needed: ConsoleRole) -> bool {
        self.role >= needed
    }

    /// Returns the token for the forms of a page.
    pub(crate) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Returns the name of the person.
    pub(crate) fn person(&self) -> &str {
        &self.session.person
    }
}
