//! The keys of an issuer: read when they are needed, and kept for a while.

use std::{fmt, sync::Arc, time::Duration};

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use serde_json::Value;
use tokio::{sync::Mutex, time::Instant};
use toolwright::Fetcher;

/// The time after which the keys are read again: a key that the issuer has withdrawn is refused then.
const FRESH: Duration = Duration::from_secs(300);

/// The time for which the keys are used although they cannot be read again.
const USABLE: Duration = Duration::from_secs(3600);

/// The least time between two attempts to read the keys: tokens with unknown keys must not become
/// requests to the issuer.
const PAUSE: Duration = Duration::from_secs(3);

/// The most keys that are kept.
const MOST: usize = 64;

/// The keys of an issuer. Cloning them is cheap, and clones share what was read.
#[derive(Clone)]
pub struct Keys(Arc<Shared>);

struct Shared {
    url: String,
    fetcher: Fetcher,
    known: Mutex<Known>,
}

/// The keys that were read last.
#[derive(Default)]
struct Known {
    keys: Arc<[Jwk]>,
    read: Option<Instant>,
    tried: Option<Instant>,
}

/// The reason why there is no key for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyFault {
    /// The issuer has no such key.
    Unknown,
    /// The keys cannot be read.
    Unreadable,
}

impl Keys {
    /// Creates the keys at a URL. They are read when the first token is verified.
    #[must_use]
    pub fn new(url: impl Into<String>, fetcher: Fetcher) -> Self {
        Self(Arc::new(Shared {
            url: url.into(),
            fetcher,
            known: Mutex::default(),
        }))
    }

    /// Returns the key that signs with an algorithm and has this id. Without an id, it is the only one
    /// for the algorithm.
    pub(crate) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, KeyFault> {
        let (keys, is_new) = self.keys(false).await?;
        let found = choose(&keys, id, algorithm);
        if found.is_ok() || is_new {
            return found;
        }
        // The issuer may have a new key.
        let (keys, _) = self.keys(true).await?;
        choose(&keys, id, algorithm)
    }

    /// Returns the keys, and true if they were read just now. They are read again if they are old, or
    /// if `again` asks for it and the last attempt was a while ago. One request reads them for all.
    async fn keys(&self, again: bool) -> Result<(Arc<[Jwk]>, bool), KeyFault> {
        let mut known = self.0.known.lock().await;
        let now = Instant::now();
        let age = |time: Option<Instant>| time.map(|time| now.saturating_duration_since(time));
        let is_fresh = age(known.read).is_some_and(|age| age < FRESH);
        let has_paused = age(known.tried).is_none_or(|age| age >= PAUSE);
        let mut is_new = false;
        if (!is_fresh || again) && has_paused {
            known.tried = Some(now);
            if let Ok(document) = self.0.fetcher.json(&self.0.url).await {
                known.keys = parse(document);
                known.read = Some(now);
                is_new = true;
            }
        }
        let age = known.read.map(|read| now.saturating_duration_since(read));
        if age.is_some_and(|age| age < USABLE) {
            Ok((Arc::clone(&known.keys), is_new))
        } else {
            Err(KeyFault::Unreadable)
        }
    }
}

/// Returns the keys of a document. One that is not understood is left out.
fn parse(mut document: Value) -> Arc<[Jwk]> {
    let keys = document.get_mut("keys").map(Value::take);
    let keys = match keys {
        Some(Value::Array(keys)) => keys,
        _ => Vec::new(),
    };
    let keys = keys.into_iter().take(MOST);
    keys.filter_map(|key| serde_json::from_value(key).ok())
        .collect()
}

fn choose(keys: &[Jwk], id: Option<&str>, algorithm: Algorithm) -> Result<DecodingKey, KeyFault> {
    let fits = |key: &&Jwk| {
        let has_id = id.is_none() || key.common.key_id.as_deref() == id;
        has_id && is_for(key, algorithm)
    };
    let mut fitting = keys.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => DecodingKey::from_jwk(key).map_err(|_| KeyFault::Unknown),
        _ => Err(KeyFault::Unknown),
    }
}

/// Checks whether a key verifies signatures of an algorithm. A secret key never does.
fn is_for(key: &Jwk, algorithm: Algorithm) -> bool {
    let common = &key.common;
    let verifies = common.key_operations.as_ref();
    let is_for_signatures = common
        .public_key_use
        .as_ref()
        .is_none_or(|only| *only == PublicKeyUse::Signature)
        && verifies.is_none_or(|all| all.contains(&KeyOperations::Verify));
    let is_of_algorithm = common.key_algorithm.is_none_or(|only| {
        let only = only.to_string().parse::<Algorithm>();
        only.is_ok_and(|only| only == algorithm)
    });
    let is_of_type = match &key.algorithm {
        AlgorithmParameters::RSA(_) => algorithm.family() == AlgorithmFamily::Rsa,
        AlgorithmParameters::EllipticCurve(curve) => matches!(
            (&curve.curve, algorithm),
            (EllipticCurve::P256, Algorithm::ES256) | (EllipticCurve::P384, Algorithm::ES384)
        ),
        AlgorithmParameters::OctetKeyPair(pair) => {
            pair.curve == EllipticCurve::Ed25519 && algorithm == Algorithm::EdDSA
        }
        _ => false,
    };
    is_for_signatures && is_of_algorithm && is_of_type
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.0.url).finish()
    }
}
