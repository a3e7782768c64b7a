//! The parts of credentials that programs of the operator receive.

use std::fmt;

use super::{Access, CredentialRequest, Credentials, CredentialsError};
use crate::secret::Secret;

/// A part of the credentials of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialPart {
    /// The bearer token or the API key.
    Token,
    /// The name of the user.
    Username,
    /// The password of the user.
    Password,
}

impl CredentialPart {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Token, Self::Username, Self::Password];
}

impl fmt::Display for CredentialPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token => "token",
            Self::Username => "username",
            Self::Password => "password",
        })
    }
}

impl Access {
    /// Returns a part of the credentials.
    ///
    /// # Errors
    /// [`CredentialsError::Missing`] if the credentials lack it.
    pub(crate) fn part(&self, part: CredentialPart) -> Result<Secret, CredentialsError> {
        let (found, name) = match part {
            CredentialPart::Token => (self.token.clone(), "a token (`api_token`)"),
            CredentialPart::Username => return self.user().map(Secret::new),
            CredentialPart::Password => (self.password.clone(), "a password (`password`)"),
        };
        found.ok_or_else(|| self.missing(name))
    }

    /// Returns the name of the user.
    ///
    /// # Errors
    /// [`CredentialsError::Missing`] if there is none.
    pub(super) fn user(&self) -> Result<String, CredentialsError> {
        let user = self.username.clone();
        user.ok_or_else(|| self.missing("a user (`username`)"))
    }

    /// Checks that the credentials have parts.
    ///
    /// # Errors
    /// [`CredentialsError::Missing`] for the first one that they lack.
    pub(crate) fn check_parts(&self, parts: &[CredentialPart]) -> Result<(), CredentialsError> {
        let mut parts = parts.iter();
        parts.try_for_each(|part| self.part(*part).map(drop))
    }
}

impl Credentials {
    /// Reads a part of the credentials of an account, for a program of the operator that uses a service
    /// outside of a call. It may block.
    ///
    /// # Errors
    /// [`CredentialsError`] if the credentials cannot be used, or lack the part.
    pub fn part(
        &self,
        request: CredentialRequest<'_>,
        part: CredentialPart,
    ) -> Result<Secret, CredentialsError> {
        self.read(request)?.part(part)
    }
}
