//! JSON Web Tokens of an issuer, verified with the keys that it publishes.
//!
//! Nothing of a token is used before its signature was verified, except the name of its key and its
//! algorithm, which must be one of those that the operator allows.

mod crypto;
mod keys;

use std::{fmt, time::Duration};

use jsonwebtoken::{
    Algorithm, Validation, decode, decode_header,
    errors::{Error, ErrorKind},
};
use keys::KeyFault;
pub use keys::Keys;
use serde_json::{Map, Value};
use toolwright::{config::SigningAlgorithm, jiff::Timestamp};

/// The difference between two clocks that is tolerated.
const LEEWAY: Duration = Duration::from_secs(30);

/// The longest token that is read, in bytes.
const LONGEST: usize = 16 << 10;

/// The claims of a token whose signature was verified.
pub type Claims = Map<String, Value>;

/// Verifies the tokens of an issuer for an audience.
#[derive(Clone)]
pub struct Verifier {
    keys: Keys,
    algorithms: Vec<Algorithm>,
    types: &'static [&'static str],
    validation: Validation,
}

/// The tokens that a [`Verifier`] accepts.
#[derive(Clone, Copy, Debug)]
pub struct Accepted<'a> {
    /// The claim `iss`.
    pub issuer: &'a str,
    /// A value that the claim `aud` must contain.
    pub audience: &'a str,
    /// The algorithms. Each has a public key.
    pub algorithms: &'a [SigningAlgorithm],
    /// The types of the header, in lower case. A token that states none has the type `jwt`.
    pub types: &'static [&'static str],
}

/// The reason why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenFault {
    /// The token is malformed, or its signature or a claim is wrong.
    Invalid,
    /// The token has expired.
    Expired,
    /// The keys of the issuer cannot be read.
    NoKeys,
}

impl Verifier {
    /// Verifies tokens with these keys.
    #[must_use]
    pub fn new(keys: Keys, accepted: Accepted<'_>) -> Self {
        crypto::install();
        let mut validation = Validation::new(Algorithm::RS256);
        validation.leeway = LEEWAY.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&[accepted.issuer]);
        validation.set_audience(&[accepted.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        let words = accepted.algorithms.iter().map(|algorithm| algorithm.word());
        Self {
            keys,
            algorithms: words.filter_map(|word| word.parse().ok()).collect(),
            types: accepted.types,
            validation,
        }
    }

    /// Returns the claims of a token if its signature, its issuer, its audience and its times are
    /// right.
    ///
    /// # Errors
    /// [`TokenFault`] otherwise.
    pub async fn claims(&self, token: &str) -> Result<Claims, TokenFault> {
        if token.len() > LONGEST {
            return Err(TokenFault::Invalid);
        }
        let header = decode_header(token).map_err(|_| TokenFault::Invalid)?;
        let kind = header.typ.as_deref().unwrap_or("jwt").to_ascii_lowercase();
        // A critical extension would have to be understood.
        let is_plain = header.crit.is_none();
        let is_allowed = self.algorithms.contains(&header.alg);
        if !is_plain || !is_allowed || !self.types.contains(&kind.as_str()) {
            return Err(TokenFault::Invalid);
        }
        let key = self.keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.map_err(|fault| match fault {
            KeyFault::Unknown => TokenFault::Invalid,
            KeyFault::Unreadable => TokenFault::NoKeys,
        })?;
        // The library takes algorithms of one family only.
        let mut validation = self.validation.clone();
        validation.algorithms = vec![header.alg];
        let decoded = decode::<Claims>(token, &key, &validation);
        decoded
            .map(|decoded| decoded.claims)
            .map_err(|error| fault(&error))
    }
}

/// Returns the time until which a token is accepted. Fractions of a second are dropped.
#[must_use]
pub fn end(claims: &Claims) -> Option<Timestamp> {
    let exp = claims.get("exp")?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time beyond the range of numbers is none of this clock either"
    )]
    let seconds = exp
        .as_i64()
        .or_else(|| exp.as_f64().map(|exp| exp as i64))?;
    let leeway = i64::try_from(LEEWAY.as_secs()).ok()?;
    let end = Timestamp::from_second(seconds.checked_add(leeway)?);
    // A token for ever ends with the clock.
    Some(end.unwrap_or(Timestamp::MAX))
}

fn fault(error: &Error) -> TokenFault {
    match error.kind() {
        ErrorKind::ExpiredSignature => TokenFault::Expired,
        _ => TokenFault::Invalid,
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier")
            .field("keys", &self.keys)
            .field("algorithms", &self.algorithms)
            .finish_non_exhaustive()
    }
}
