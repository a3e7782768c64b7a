//! `toolwright serve` as a resource that a real authorization server protects: a client finds the
//! authorization server, obtains a token there, and has the role of its scope.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::private;
use toolwright_tests::command;

use crate::oauth::{OIDC, SECRET, start};

const DOCUMENT: &str = r#"
openapi: 3.1.0
info: { title: Memo, version: "1" }
servers: [{ url: "http://127.0.0.1:9" }]
paths:
  /notes:
    get: { operationId: listNotes, responses: { "200": { description: All. } } }
    post: { operationId: createNote, responses: { "201": { description: Made. } } }
"#;

/// A server of two roles. Dropping this value ends it.
struct Desk {
    _folder: TempDir,
    child: Child,
    url: String,
    http: Client,
}

impl Desk {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (issuer, path) = (OIDC.url(), folder.path());
        let config = format!(
            "[roles.reader]\ngrant = [\"list-memo-notes\"]\n\
             [roles.writer]\ngrant = [\"create-memo-note\"]\n\
             [tools]\nenable = [\"create-memo-note\"]\n\
             [oauth]\nissuer = \"{issuer}\"\njwks_url = \"{issuer}/jwks\"\n\
             roles = [{{ value = \"tools:write\", role = \"writer\" }}, \
             {{ value = \"tools:read\", role = \"reader\" }}]\n"
        );
        private::write(&path.join("toolwright.toml"), config).unwrap();
        private::write(&path.join("specs/memo/openapi.yaml"), DOCUMENT).unwrap();
        let run = |arguments: &[&str]| {
            let mut command = Command::new(command::build().unwrap());
            command.current_dir(path).args(arguments);
            command.env("XDG_CONFIG_HOME", path.join("user"));
            command
        };
        let trusted = run(&["trust"]).stdout(Stdio::null()).status();
        assert!(trusted.unwrap().success());
        let mut child = run(&["serve", "--transport", "http", "--port", "0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("{line}"));
        let url = url.trim_end_matches(',').to_owned();
        // The client needs a TLS provider, although the servers use plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            _folder: folder,
            child,
            url,
            http: Client::new(),
        }
    }

    /// The list of tools for a client that shows a token.
    fn list(&self, token: &str) -> RequestBuilder {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                             "params": {"_meta": meta}});
        self.http
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-method", "tools/list")
            .header("mcp-protocol-version", "2026-07-28")
            .header("authorization", format!("Bearer {token}"))
            .body(message.to_string())
    }

    /// Reads a JSON document.
    async fn json(&self, url: &str) -> Value {
        let answer = self.http.get(url).send().await.unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }

    /// Obtains a token for a resource from the token endpoint.
    async fn token(&self, endpoint: &str, resource: Option<&str>, scope: &str) -> String {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        form.append_pair("client_id", "post");
        form.append_pair("client_secret", SECRET);
        form.append_pair("scope", scope);
        if let Some(resource) = resource {
            form.append_pair("resource", resource);
        }
        let asked = self
            .http
            .post(endpoint)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.finish());
        let answer = asked.send().await.unwrap().text().await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let token = answer["access_token"].as_str();
        token.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[tokio::test]
async fn a_client_finds_the_authorization_server_and_has_the_role_of_its_scope() {
    let Some(_started) = start() else {
        return;
    };
    let desk = Desk::start();
    let refused = desk.list("none").send().await.unwrap();
    assert_eq!(refused.status(), 401);
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap();
    let place = challenge.split('"').nth(1).unwrap();
    let metadata = desk.json(place).await;
    let resource = metadata["resource"].as_str().unwrap();
    assert_eq!(resource, desk.url);
    let issuer = metadata["authorization_servers"][0].as_str().unwrap();
    let server = desk
        .json(&format!("{issuer}/.well-known/openid-configuration"))
        .await;
    assert_eq!(server["issuer"], issuer);
    assert_eq!(server["jwks_uri"], format!("{issuer}/jwks"));
    let endpoint = server["token_endpoint"].as_str().unwrap();

    for (scope, tool) in [
        ("tools:read", "list-memo-notes"),
        ("tools:read tools:write", "create-memo-note"),
    ] {
        let token = desk.token(endpoint, Some(resource), scope).await;
        let answer = desk.list(&token).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let answer = answer.text().await.unwrap();
        assert_eq!(answer.matches("\"inputSchema\"").count(), 1, "{answer}");
        assert!(answer.contains(&format!("\"name\":\"{tool}\"")), "{answer}");
    }
    // A token for another resource, and one that is not a JSON Web Token.
    let other = desk
        .token(endpoint, Some("http://127.0.0.1:9/mcp"), "tools:read")
        .await;
    let opaque = desk.token(endpoint, None, "items:read").await;
    for token in [other, opaque] {
        let answer = desk.list(&token).send().await.unwrap();
        assert_eq!(answer.status(), 401, "{token}");
    }
}
