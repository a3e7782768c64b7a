//! Direct HTTP requests to a service without the runtime.

use reqwest::{Client, Method};
use serde_json::Value;

/// A client of one service.
pub(crate) struct Plain {
    client: Client,
    url: String,
    token: Option<String>,
}

impl Plain {
    pub(crate) fn new(url: String) -> Self {
        // The client needs a TLS provider, although the services use plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().build().unwrap();
        Self {
            client,
            url,
            token: None,
        }
    }

    /// Returns the client with a bearer token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sends a request and returns the status and the body of the response.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> (u16, String) {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Sends a `GET` and returns the status and the JSON body.
    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        let (status, text) = self.send(Method::GET, path, None).await;
        (status, serde_json::from_str(&text).unwrap_or_default())
    }
}
