//! An issuer of tokens: its keys, and the server that publishes them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use axum::{Json, Router, http::StatusCode, response::IntoResponse as _, routing::get};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair as _,
    },
};
use serde_json::{Value, json};

/// A key of the issuer.
pub(crate) struct Key {
    id: &'static str,
    pub(crate) pair: EcdsaKeyPair,
    curve: &'static str,
    algorithm: &'static str,
}

impl Key {
    pub(crate) fn new(id: &'static str) -> Self {
        Self::with(id, &ECDSA_P256_SHA256_FIXED_SIGNING, "P-256", "ES256")
    }

    pub(crate) fn with(
        id: &'static str,
        signing: &'static EcdsaSigningAlgorithm,
        curve: &'static str,
        algorithm: &'static str,
    ) -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(signing, document.as_ref(), &random).unwrap();
        Self {
            id,
            pair,
            curve,
            algorithm,
        }
    }

    /// The key as the issuer publishes it.
    pub(crate) fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let (x, y) = point[1..].split_at((point.len() - 1) / 2);
        json!({"kty": "EC", "crv": self.curve, "kid": self.id, "use": "sig",
               "alg": self.algorithm, "x": encoded(x), "y": encoded(y)})
    }

    pub(crate) fn header(&self) -> Value {
        json!({"alg": self.algorithm, "typ": "at+jwt", "kid": self.id})
    }

    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_with(&self.header(), claims)
    }

    pub(crate) fn sign_with(&self, header: &Value, claims: &Value) -> String {
        let message = message(header, claims);
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes());
        format!("{message}.{}", encoded(signature.unwrap().as_ref()))
    }
}

pub(crate) fn message(header: &Value, claims: &Value) -> String {
    let [header, claims] = [header, claims].map(|part| encoded(part.to_string().as_bytes()));
    format!("{header}.{claims}")
}

pub(crate) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The server of the issuer's keys.
#[derive(Clone, Default)]
pub(crate) struct Login {
    pub(crate) keys: Arc<Mutex<Vec<Value>>>,
    pub(crate) is_down: Arc<AtomicBool>,
    pub(crate) requests: Arc<AtomicUsize>,
}

impl Login {
    pub(crate) async fn start(&self) -> String {
        let login = self.clone();
        let keys = get(move || {
            login.requests.fetch_add(1, Ordering::SeqCst);
            let keys = json!({"keys": *login.keys.lock().unwrap()});
            let is_down = login.is_down.load(Ordering::SeqCst);
            async move {
                match is_down {
                    true => StatusCode::BAD_GATEWAY.into_response(),
                    false => Json(keys).into_response(),
                }
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/jwks", listener.local_addr().unwrap());
        let app = Router::new().route("/jwks", keys);
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        url
    }

    pub(crate) fn publish(&self, keys: &[&Key]) {
        *self.keys.lock().unwrap() = keys.iter().map(|key| key.public()).collect();
    }
}
