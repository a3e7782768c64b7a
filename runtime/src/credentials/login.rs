//! The account with which a tool that is a function of the program logs in at its service.

use std::fmt;

use super::{Access, CredentialRequest, Credentials, CredentialsError};
use crate::secret::Secret;

/// A user and a password. `Debug` shows neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    username: String,
    password: Option<Secret>,
}

impl Login {
    /// Returns the name of the user.
    #[must_use]
    pub fn username(&self) -> &str {
        &self.username
    }

    /// Returns the password; none if the service authenticates the user in another way.
    #[must_use]
    pub fn password(&self) -> Option<&str> {
        self.password.as_ref().map(Secret::expose)
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

impl Access {
    /// Returns the user and the password.
    ///
    /// # Errors
    /// [`CredentialsError::Missing`] if the credentials have no user.
    pub(crate) fn login(&self) -> Result<Login, CredentialsError> {
        Ok(Login {
            username: self.user()?,
            password: self.password.clone(),
        })
    }
}

impl Credentials {
    /// Reads the user and the password of an account, for a program of the operator that uses a service
    /// outside of a call. It may block.
    ///
    /// # Errors
    /// [`CredentialsError`] if the credentials cannot be used, or have no user.
    pub fn login(&self, request: CredentialRequest<'_>) -> Result<Login, CredentialsError> {
        self.read(request)?.login()
    }
}
