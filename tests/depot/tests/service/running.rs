//! A Depot in a temporary folder, and requests to it.

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};

/// A running Depot.
pub(crate) struct Running {
    pub(crate) folder: TempDir,
    pub(crate) token: Token,
    pub(crate) client: Client,
    depot: Depot,
}

/// A response: the status and the JSON body, or null if the body is empty.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) json: Value,
}

impl Running {
    /// Starts a Depot without items.
    pub(crate) async fn empty() -> Self {
        Self::start(tempfile::tempdir().unwrap(), InitialStock::Empty).await
    }

    /// Starts a Depot with the samples.
    pub(crate) async fn with_samples() -> Self {
        Self::start(tempfile::tempdir().unwrap(), InitialStock::Samples).await
    }

    async fn start(folder: TempDir, initial_stock: InitialStock) -> Self {
        // Several tests install it; the first installation wins.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let token = Token::random();
        let depot = Depot::start(DepotConfig {
            folder: folder.path().join("data"),
            token: token.clone(),
            port: 0,
            initial_stock,
        });
        Self {
            depot: depot.await.unwrap(),
            folder,
            token,
            client: Client::new(),
        }
    }

    /// Ends the service and starts another one with the same data.
    pub(crate) async fn restart(self, initial_stock: InitialStock) -> Self {
        self.depot.shutdown().await.unwrap();
        Self::start(self.folder, initial_stock).await
    }

    /// Ends the service and returns its former URL.
    pub(crate) async fn end(self) -> String {
        let url = self.url("/items");
        self.depot.shutdown().await.unwrap();
        url
    }

    pub(crate) fn document_url(&self) -> String {
        self.depot.document_url()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.depot.base_url())
    }

    /// Builds a request with the token.
    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = self.client.request(method, self.url(path));
        request.bearer_auth(self.token.expose())
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        Answered::send(self.request("GET", path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answered {
        Answered::send(self.request("DELETE", path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answered {
        Answered::send(self.request("POST", path).json(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answered {
        Answered::send(self.request("PATCH", path).json(body)).await
    }

    /// Creates an item and returns its path.
    pub(crate) async fn item(&self, sku: &str) -> String {
        let new = json!({"sku": sku, "name": format!("Item {sku}"), "quantity": 10});
        let created = self.post("/items", &new).await.expect(StatusCode::CREATED);
        format!("/items/{}", created["id"].as_str().unwrap())
    }

    /// Moves an item through the states.
    pub(crate) async fn transition(&self, path: &str, states: &[&str]) {
        for to in states {
            let moved = self
                .post(&format!("{path}/transition"), &json!({"to": to}))
                .await;
            assert_eq!(moved.expect(StatusCode::OK)["status"], *to);
        }
    }
}

impl Answered {
    pub(crate) async fn send(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        let json = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status} {text}"))
        };
        Self { status, json }
    }

    /// Asserts the status and returns the body.
    #[track_caller]
    pub(crate) fn expect(self, status: StatusCode) -> Value {
        assert_eq!(self.status, status, "{}", self.json);
        self.json
    }

    /// Asserts a documented error: the status, the code and the field.
    #[track_caller]
    pub(crate) fn assert_error(self, status: u16, code: &str, field: Option<&str>) {
        let error = &self.json["error"];
        assert_eq!(self.status.as_u16(), status, "{}", self.json);
        assert_eq!(error["code"], code, "{}", self.json);
        assert_eq!(
            error.get("field").and_then(Value::as_str),
            field,
            "{}",
            self.json
        );
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
}
