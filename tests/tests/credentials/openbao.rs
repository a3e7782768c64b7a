//! OpenBao: AppRole, tokens in files, rotation, renewal and refusals.

use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use toolwright_tests::real::{Real, RealService};

use crate::{
    Lease, Shared,
    desk::{Desk, Recorder},
};

const OPENBAO: RealService = RealService {
    name: "openbao",
    port: 18711,
    path: "/v1/sys/health",
    patience: Duration::from_secs(60),
};

static SHARED: Shared = Shared::new();

/// The store, as its administrator.
struct Administrator {
    client: reqwest::Client,
    _started: Lease,
}

impl Administrator {
    async fn start() -> Option<Self> {
        let started = SHARED.start(OPENBAO)?;
        // The client needs a TLS provider, although the store uses plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let administrator = Self {
            _started: started,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
        };
        // Another test may have enabled it already.
        let _ = administrator
            .ask(Method::POST, "sys/auth/approle", json!({"type": "approle"}))
            .await;
        Some(administrator)
    }

    async fn ask(&self, method: Method, path: &str, body: Value) -> Value {
        let url = format!("{}/v1/{path}", OPENBAO.url());
        let request = self.client.request(method, url);
        let request = request.header("X-Vault-Token", "root");
        let answer = request.body(body.to_string()).send().await.unwrap();
        let text = answer.text().await.unwrap();
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn put(&self, path: &str, secret: Value) {
        let body = json!({"data": secret});
        let path = format!("secret/data/{path}");
        let answer = self.ask(Method::POST, &path, body).await;
        assert!(answer["data"]["version"].is_u64(), "{answer}");
    }

    /// Creates a role that reads the secrets at and below a path; returns its id and a secret id.
    async fn role(&self, name: &str, path: &str, settings: Value) -> (String, String) {
        let rules = format!(
            "path \"secret/data/{path}\" {{ capabilities = [\"read\"] }}\n\
             path \"secret/data/{path}/*\" {{ capabilities = [\"read\"] }}\n"
        );
        let policy = format!("sys/policies/acl/{name}");
        self.ask(Method::POST, &policy, json!({"policy": rules}))
            .await;
        let role = format!("auth/approle/role/{name}");
        let mut settings = settings;
        settings["token_policies"] = json!([name]);
        self.ask(Method::POST, &role, settings).await;
        let id = self
            .ask(Method::GET, &format!("{role}/role-id"), json!({}))
            .await;
        let secret = self
            .ask(Method::POST, &format!("{role}/secret-id"), json!({}))
            .await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (
            text(&id["data"]["role_id"]),
            text(&secret["data"]["secret_id"]),
        )
    }
}

fn config(service: &Recorder, path: &str, login: &str) -> String {
    let url = &service.url;
    let address = OPENBAO.url();
    format!(
        "[services.depot]\nbase_url = \"{url}\"\ncredentials = \"vault\"\nvault_path = \"{path}\"\n\
         [vault]\naddress = \"{address}\"\n{login}\n"
    )
}

fn approle(role_id: &str) -> String {
    format!("role_id = \"{role_id}\"\nsecret_id_file = \"secret-id.txt\"")
}

/// The variables for the process that trusts the certificate of the store.
const CONFIG: &str = "TOOLWRIGHT_TEST_STORE_CONFIG";
const SECRET_ID: &str = "TOOLWRIGHT_TEST_STORE_SECRET_ID";

/// Calls in another process. Without the variables it does nothing.
#[tokio::test]
async fn calls_as_another_process() {
    if let (Ok(config), Ok(secret)) = (std::env::var(CONFIG), std::env::var(SECRET_ID)) {
        let desk = Desk::new(&config, &[("secret-id.txt", &secret)]);
        desk.call("reader", None).await.unwrap();
    }
}

#[tokio::test]
async fn the_certificate_of_the_store_is_verified() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    let (role, secret) = store.role("tls", "teams/tls", json!({})).await;
    let token = json!({"api_token": "sent-over-tls"});
    store.put("teams/tls", token).await;
    let config = config(&service, "teams/tls", &approle(&role));
    let config = config.replace(&OPENBAO.url(), "https://localhost:18716");
    let desk = Desk::new(&config, &[("secret-id.txt", &secret)]);
    // This process does not trust it, and sends it no secret.
    let refused = desk.refusal("reader", &[&secret, "sent-over-tls"]).await;
    assert!(refused.contains("certificate"), "{refused}");
    assert_eq!(service.count(), 0);
    let real = Real::if_enabled_with("credentials").unwrap();
    let trusting = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "openbao::calls_as_another_process"])
        .env(
            "SSL_CERT_FILE",
            real.folder().join("data/openbao-tls/cert.pem"),
        )
        .envs([(CONFIG, &config), (SECRET_ID, &secret)])
        .status();
    assert!(trusting.await.unwrap().success());
    assert_eq!(service.last(), "Bearer sent-over-tls");
}

#[tokio::test]
async fn the_commands_of_the_page_store_credentials() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let page = include_str!("../../../docs/credentials.md");
    let mut blocks = page.split("```sh\n").skip(1);
    let block = blocks
        .find(|block| block.starts_with("bao kv put"))
        .unwrap();
    let (commands, _) = block.split_once("```").unwrap();
    let real = Real::if_enabled_with("credentials").unwrap();
    let program = real.folder().join("data/openbao-tls/bao");
    let commands = commands.replace("bao kv", &format!("{} kv", program.display()));
    let ran = tokio::process::Command::new("sh")
        .args(["-e", "-c", &commands])
        .envs([
            ("BAO_ADDR", OPENBAO.url()),
            ("BAO_TOKEN", "root".to_owned()),
        ])
        .stdout(std::process::Stdio::null())
        .status();
    assert!(ran.await.unwrap().success());
    let service = Recorder::start().await;
    let (role, secret) = store.role("page", "teams/plane", json!({})).await;
    let config = config(&service, "teams/plane", &approle(&role));
    let desk = Desk::new(&config, &[("secret-id.txt", &secret)]);
    for (name, token) in [("reader", "pl-0123456789"), ("clerk", "pl-9876543210")] {
        desk.call(name, None).await.unwrap();
        assert_eq!(service.last(), format!("Bearer {token}"));
    }
}

#[tokio::test]
async fn credentials_of_each_account_are_read_at_each_call() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    let (role, secret) = store.role("each", "teams/each", json!({})).await;
    let config = config(&service, "teams/each", &approle(&role));
    let desk = Desk::new(&config, &[("secret-id.txt", &secret)]);
    let missing = desk.refusal("reader", &[&secret]).await;
    let place = "http://127.0.0.1:18711/v1/secret/data/teams/each";
    assert!(missing.starts_with("credentials_missing"), "{missing}");
    assert!(missing.contains(place), "{missing}");

    store.put("teams/each", json!({"api_token": "first"})).await;
    store
        .put(
            "teams/each/clerk",
            json!({"api_token": "of-clerk", "limit": 3}),
        )
        .await;
    for (name, token) in [
        ("reader", "first"),
        ("clerk", "of-clerk"),
        ("reader", "first"),
    ] {
        desk.call(name, None).await.unwrap();
        assert_eq!(service.last(), format!("Bearer {token}"));
    }
    // The constants of the store pin arguments, also where tools are listed.
    let shown = |name: &str| desk.view(name).specs()[0].input_schema.to_value();
    assert!(shown("reader")["properties"].get("limit").is_some());
    assert!(shown("clerk")["properties"].get("limit").is_none());

    store
        .put("teams/each", json!({"api_token": "second"}))
        .await;
    desk.call("reader", None).await.unwrap();
    assert_eq!(service.last(), "Bearer second");
    store
        .ask(Method::DELETE, "secret/data/teams/each", json!({}))
        .await;
    let deleted = desk.refusal("reader", &["second"]).await;
    assert!(deleted.starts_with("credentials_missing"), "{deleted}");
}

#[tokio::test]
async fn calls_that_begin_together_log_in_once() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    // A second login would be refused.
    let once = json!({"secret_id_num_uses": 1});
    let (role, secret) = store.role("once", "once", once).await;
    store.put("once", json!({"api_token": "t"})).await;
    let desk = Desk::new(
        &config(&service, "once", &approle(&role)),
        &[("secret-id.txt", &secret)],
    );
    let calls: Vec<_> = (0..30)
        .map(|_| {
            let view = desk.view("reader");
            tokio::spawn(async move { view.call_json("get-depot-item", json!({"id": "1"})).await })
        })
        .collect();
    for called in calls {
        called.await.unwrap().unwrap();
    }
    assert_eq!(service.count(), 30);
}

#[tokio::test]
async fn a_token_of_the_store_is_renewed_before_it_ends() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    let short = json!({"secret_id_num_uses": 1, "token_ttl": "2s", "token_max_ttl": "60s"});
    let (role, secret) = store.role("renewed", "renewed", short).await;
    store.put("renewed", json!({"api_token": "t"})).await;
    let config = config(&service, "renewed", &approle(&role));
    let desk = Desk::new(&config, &[("secret-id.txt", &secret)]);
    for _ in 0..5 {
        desk.call("reader", None).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1200)).await;
    }
}

#[tokio::test]
async fn a_revoked_token_of_the_store_is_replaced_by_a_new_login() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    let (role, secret) = store.role("revoked", "revoked", json!({})).await;
    store.put("revoked", json!({"api_token": "t"})).await;
    let config = config(&service, "revoked", &approle(&role));
    let desk = Desk::new(&config, &[("secret-id.txt", &secret)]);
    desk.call("reader", None).await.unwrap();
    let accessors = store
        .ask(
            Method::from_bytes(b"LIST").unwrap(),
            "auth/token/accessors",
            json!({}),
        )
        .await;
    for accessor in accessors["data"]["keys"].as_array().unwrap() {
        let found = store
            .ask(
                Method::POST,
                "auth/token/lookup-accessor",
                json!({"accessor": accessor}),
            )
            .await;
        if found["data"]["meta"]["role_name"] == "revoked" {
            let path = "auth/token/revoke-accessor";
            store
                .ask(Method::POST, path, json!({"accessor": accessor}))
                .await;
        }
    }
    desk.call("reader", None).await.unwrap();
    assert_eq!(service.count(), 2);
}

#[tokio::test]
async fn refusals_of_the_store_are_reported_without_secrets() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    let (role, secret) = store.role("refused", "refused", json!({})).await;
    store
        .put("other", json!({"api_token": "hidden-token"}))
        .await;
    let secrets = [secret.as_str(), "hidden-token"];
    let login = approle(&role);
    let desk = Desk::new(
        &config(&service, "other", &login),
        &[("secret-id.txt", &secret)],
    );
    let denied = desk.refusal("reader", &secrets).await;
    assert!(denied.contains("it answered 403: "), "{denied}");
    assert!(denied.contains("permission denied"), "{denied}");

    fs::set_permissions(
        desk.path("secret-id.txt"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let other = Desk::new(
        &config(&service, "refused", &login),
        &[("secret-id.txt", &secret)],
    );
    fs::set_permissions(
        other.path("secret-id.txt"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let open = other.refusal("reader", &secrets).await;
    assert!(open.starts_with("credentials_invalid"), "{open}");
    assert!(open.contains("secret-id.txt`: "), "{open}");

    let wrong = "00000000-1111-2222-3333-444444444444";
    let desk = Desk::new(
        &config(&service, "refused", &login),
        &[("secret-id.txt", wrong)],
    );
    let refused = desk.refusal("reader", &[wrong, &secret]).await;
    assert!(
        refused.contains("the login by AppRole was refused"),
        "{refused}"
    );

    let no_mount = format!("{login}\nmount = \"nowhere\"");
    let desk = Desk::new(
        &config(&service, "refused", &no_mount),
        &[("secret-id.txt", &secret)],
    );
    let refused = desk.refusal("reader", &secrets).await;
    assert!(refused.starts_with("credentials_invalid"), "{refused}");

    let elsewhere = config(&service, "refused", &login).replace("18711", "1");
    let desk = Desk::new(&elsewhere, &[("secret-id.txt", &secret)]);
    let unreachable = desk.refusal("reader", &secrets).await;
    assert!(
        unreachable.contains("could not be reached"),
        "{unreachable}"
    );
    assert_eq!(service.count(), 0);
}

#[tokio::test]
async fn a_token_in_a_file_is_read_at_each_call() {
    let Some(store) = Administrator::start().await else {
        return;
    };
    let service = Recorder::start().await;
    store.role("in-a-file", "in-a-file", json!({})).await;
    store.put("in-a-file", json!({"api_token": "t"})).await;
    let token = || async {
        let body = json!({"policies": ["in-a-file"], "ttl": "60s"});
        let issued = store.ask(Method::POST, "auth/token/create", body).await;
        issued["auth"]["client_token"].as_str().unwrap().to_owned()
    };
    let (first, second) = (token().await, token().await);
    let config = config(&service, "in-a-file", "token_file = \"token.txt\"");
    let desk = Desk::new(&config, &[("token.txt", &first)]);
    desk.call("reader", None).await.unwrap();
    let revoke = json!({"token": first});
    store.ask(Method::POST, "auth/token/revoke", revoke).await;
    let refused = desk.refusal("reader", &[&first]).await;
    assert!(refused.contains("it answered 403: "), "{refused}");
    toolwright::private::write(&desk.path("token.txt"), &second).unwrap();
    desk.call("reader", None).await.unwrap();
    assert_eq!(service.count(), 2);
}
