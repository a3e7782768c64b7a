//! Plain HTTP, to look at a service without the runtime.

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
        // It only matters that there is one: the services speak plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().build().unwrap();
        Self {
            client,
            url,
            token: None,
        }
    }

    /// The same with a bearer token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// The status and the body of an answer.
    pub(crate) async fn ask(
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

    /// The status and the JSON of what is there.
    pub(crate) async fn look(&self, path: &str) -> (u16, Value) {
        let (status, text) = self.ask(Method::GET, path, None).await;
        (status, serde_json::from_str(&text).unwrap_or_default())
    }
}
