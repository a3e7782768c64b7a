//! The choice among the forms of authentication that an operation accepts.

use std::fmt;

use toolwright_model::{
    CredentialKey, Location, Scheme, SecurityRequirement, credential_in_words, write_joined,
};

use super::Access;

/// The form of authentication that calls of an operation use, and the forms that they could use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Authentication {
    /// The forms that the operation accepts, in the order of the specification. If it declares
    /// none, these are a bearer token, HTTP Basic, and nothing.
    pub alternatives: Vec<Alternative>,
    /// True if the specification or the overlay declares the forms.
    pub is_declared: bool,
    /// The index of the form that calls use; none if the credentials satisfy none.
    used: Option<usize>,
}

/// A form of authentication that an operation accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alternative {
    /// The parts, all of which a call needs. Empty if a call needs no credentials.
    pub requirements: Vec<SecurityRequirement>,
    /// The entries that the auth file lacks for it.
    pub missing: Vec<CredentialKey>,
}

/// The part of a request that carries a credential, the preferred ones first. Cookies come last:
/// services often accept them from browsers only, and URLs are often logged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Carrier {
    Header,
    Query,
    Cookie,
}

/// The name of the scheme of OpenAPI that a client certificate satisfies.
pub(crate) const MUTUAL_TLS: &str = "mutualTLS";

impl Authentication {
    /// Returns the form that calls use; none if the credentials satisfy none.
    #[must_use]
    pub fn used(&self) -> Option<&Alternative> {
        self.alternatives.get(self.used?)
    }

    /// Returns the forms that calls do not use, without the one that needs no credentials.
    fn others(&self) -> impl Iterator<Item = &Alternative> {
        let others = self.alternatives.iter().enumerate();
        others
            .filter(|(index, other)| Some(*index) != self.used && !other.requirements.is_empty())
            .map(|(_, other)| other)
    }
}

impl Alternative {
    fn new(requirements: &[SecurityRequirement], access: &Access) -> Self {
        let lacks = |part| access.lacks(part, requirements);
        Self {
            missing: requirements.iter().filter_map(lacks).collect(),
            requirements: requirements.to_vec(),
        }
    }

    /// Returns the least preferred carrier of its credentials; none if it needs none.
    fn carrier(&self) -> Option<Carrier> {
        let carriers = self.requirements.iter().map(|part| match part.kind {
            Scheme::ApiKey {
                location: Location::Cookie,
                ..
            } => Carrier::Cookie,
            Scheme::ApiKey {
                location: Location::Query,
                ..
            } => Carrier::Query,
            _ => Carrier::Header,
        });
        carriers.max()
    }
}

impl Access {
    /// Chooses the form of authentication for an operation.
    ///
    /// Among the forms that the credentials satisfy, those in headers come before those in the query,
    /// and these before cookies; equal ones are in the order of the specification. The form that
    /// needs no credentials comes last. If the specification declares none, everything available is
    /// sent: a token as bearer, or a user and a password.
    pub(crate) fn authentication(&self, security: &[Vec<SecurityRequirement>]) -> Authentication {
        let is_declared = !security.is_empty();
        let undeclared = [Scheme::Bearer, Scheme::Basic].map(|kind| {
            vec![SecurityRequirement {
                scheme: kind.to_string(),
                kind,
                scopes: Vec::new(),
            }]
        });
        let undeclared = [undeclared.as_slice(), &[Vec::new()]].concat();
        let accepted = if is_declared { security } else { &undeclared };
        let accepted = accepted.iter();
        let alternatives: Vec<_> = accepted
            .map(|requirements| Alternative::new(requirements, self))
            .collect();
        let satisfied = alternatives.iter().enumerate();
        let satisfied = satisfied.filter(|(_, alternative)| alternative.missing.is_empty());
        let used = satisfied.min_by_key(|(_, alternative)| {
            let carrier = alternative.carrier();
            (carrier.is_none(), carrier)
        });
        Authentication {
            used: used.map(|(index, _)| index),
            alternatives,
            is_declared,
        }
    }

    /// Returns the entry that a part of an alternative needs, if the credentials lack it.
    fn lacks(
        &self,
        part: &SecurityRequirement,
        alternative: &[SecurityRequirement],
    ) -> Option<CredentialKey> {
        let key = part.key_in(alternative);
        let is_named =
            matches!(part.kind, Scheme::ApiKey { .. }) && self.api_keys.contains_key(&part.scheme);
        let is_there = match &key {
            CredentialKey::ApiToken => is_named || self.token.is_some() || self.oauth.is_some(),
            CredentialKey::ApiKey(_) => is_named,
            CredentialKey::UserAndPassword => self.user_and_password().is_some(),
            CredentialKey::Unsupported(name) => name == MUTUAL_TLS && self.identity.is_some(),
        };
        (!is_there).then_some(key)
    }
}

impl fmt::Display for Authentication {
    /// Describes the form that calls use, and the content of an auth file for the others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |alternative: &Alternative| credential_in_words(&alternative.requirements);
        match self.used() {
            Some(used) if !used.requirements.is_empty() => {
                write!(f, "the call was authenticated with {}", words(used))?;
            }
            _ => f.write_str("the call was sent without credentials")?,
        }
        let (lacking, unused): (Vec<_>, Vec<_>) =
            self.others().partition(|other| !other.missing.is_empty());
        if !lacking.is_empty() {
            f.write_str("; to authenticate in another way, the auth file needs ")?;
            write_joined(f, lacking.into_iter().map(words), ", or ")?;
        }
        if !unused.is_empty() {
            f.write_str("; the auth file also satisfies ")?;
            write_joined(f, unused.into_iter().map(words), " and ")?;
        }
        if self
            .alternatives
            .iter()
            .all(|one| one.requirements.is_empty())
        {
            f.write_str(
                "; the specification declares that the operation needs none: if it needs some, declare them with `security` in the overlay",
            )?;
        }
        Ok(())
    }
}
