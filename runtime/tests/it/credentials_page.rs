//! The auth files that `docs/credentials.md` shows, each in a call.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolwright::Credentials;

use crate::{
    mutual_tls::{self, Guarded, write_auth},
    support::{Seen, Service, at, auth_file, get_item, view_of, with_binding},
};

/// The auth files of the page, in its order.
fn examples() -> Vec<Value> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/credentials.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```json\n").skip(1);
    let texts = blocks.map(|block| block.split("```").next().unwrap());
    texts
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

/// The request of a call with an auth file of the page, whose base URL is that of a service.
async fn sent(mut auth: Value, security: Value) -> Seen {
    let service = Service::json(200, json!({})).await;
    if let Some(base_url) = auth.get_mut("base_url") {
        *base_url = service.url.clone().into();
    }
    let (_folder, credentials) = auth_file(&auth);
    let spec = with_binding(at(get_item(), &service.url), |binding| {
        binding.security = serde_json::from_value(security).unwrap();
        if auth.get("workspace_slug").is_some() {
            let value = json!({"constant": "workspace_slug"});
            binding.parameters[1].value = serde_json::from_value(value).unwrap();
        }
    });
    let (view, _) = view_of(spec, credentials);
    view.call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap();
    service.one()
}

fn key(scheme: &str, header: &str) -> Value {
    let kind = json!({"api-key": {"location": "header", "name": header}});
    json!({"scheme": scheme, "kind": kind})
}

#[tokio::test]
async fn the_auth_files_of_the_page_are_sent_as_it_describes() {
    let examples = examples();
    let [token, account, keys, constants, oauth @ .., certificate] = examples.as_slice() else {
        panic!("test every example of the page: {examples:#?}");
    };
    assert!(
        certificate.get("client_certificate").is_some(),
        "{certificate}"
    );
    assert!(
        oauth.iter().all(|example| example.get("oauth").is_some()),
        "{oauth:#?}"
    );
    let bearer = json!([[{"scheme": "b", "kind": "bearer"}]]);
    let seen = sent(token.clone(), bearer.clone()).await;
    assert_eq!(seen.header("authorization"), Some("Bearer pl-0123456789"));
    let seen = sent(token.clone(), json!([[key("k", "X-Api-Key")]])).await;
    assert_eq!(seen.header("x-api-key"), Some("pl-0123456789"));

    let basic = json!([[{"scheme": "b", "kind": "basic"}]]);
    let seen = sent(account.clone(), basic).await;
    let pair = "Basic YW5uOmNvcnJlY3QgaG9yc2UgYmF0dGVyeSBzdGFwbGU=";
    assert_eq!(seen.header("authorization"), Some(pair));

    let both = json!([[key("apiKeyAuth", "X-Api"), key("appKeyAuth", "X-App")]]);
    let seen = sent(keys.clone(), both).await;
    assert_eq!(seen.header("x-api"), Some("key-0123456789"));
    assert_eq!(seen.header("x-app"), Some("app-0123456789"));

    let seen = sent(constants.clone(), bearer).await;
    assert_eq!(seen.target, "/items/1?limit=acme");
    assert_eq!(seen.header("authorization"), Some("Bearer pl-0123456789"));
}

#[cfg(unix)]
#[tokio::test]
async fn the_clients_of_the_page_obtain_tokens_as_it_describes() {
    let examples = examples();
    let examples = examples.iter().filter(|auth| auth.get("oauth").is_some());
    let mut bodies = Vec::new();
    for auth in examples {
        let issued = json!({"access_token": "at-0123456789", "token_type": "Bearer"});
        let (server, service) = (
            Service::json(200, issued).await,
            Service::json(200, json!({})).await,
        );
        let mut auth = auth.clone();
        auth["oauth"]["token_url"] = format!("{}/oauth/token", server.url).into();
        let (folder, credentials) = auth_file(&auth);
        for (file, token) in [("refresh-token.txt", "rt-1"), ("workload.jwt", "wl-1")] {
            let file = folder.path().join(".local/plane").join(file);
            toolwright::private::write(&file, token).unwrap();
        }
        let (view, _) = view_of(at(get_item(), &service.url), credentials);
        let view = view.on_behalf_of("ct-1");
        let arguments = json!({"id": "1"});
        view.call_json("get-depot-item", arguments).await.unwrap();
        let sent = service.one();
        assert_eq!(sent.header("authorization"), Some("Bearer at-0123456789"));
        bodies.push(server.one().text());
    }
    assert_eq!(
        bodies,
        [
            "grant_type=client_credentials&scope=items%3Aread+items%3Awrite",
            "grant_type=refresh_token&refresh_token=rt-1&client_id=toolwright",
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange\
             &subject_token=wl-1&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt\
             &audience=plane&resource=https%3A%2F%2Fplane.example\
             &client_id=toolwright&client_secret=cs-0123456789",
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange\
             &subject_token=ct-1\
             &subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token\
             &audience=plane",
        ]
    );
}

#[tokio::test]
async fn the_certificate_of_the_page_is_presented() {
    let auth = examples().pop().unwrap();
    let server = Guarded::start().await;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let pair = server.client("first");
    for (key, content) in [
        ("client_certificate", &pair.certificate),
        ("client_certificate_key", &pair.key),
    ] {
        let file = root.join(auth[key].as_str().unwrap());
        toolwright::private::write(&file, content).unwrap();
    }
    let mut auth = auth;
    auth["base_url"] = server.url.clone().into();
    auth["verify_ssl"] = false.into();
    write_auth(root, "admin", &auth);
    let registry = server.registry(root, get_item());
    assert_eq!(
        mutual_tls::call(&registry, "reader").await.unwrap(),
        "first"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_commands_of_the_page_write_a_private_file() {
    let page = include_str!("../../../docs/credentials.md");
    let mut blocks = page.split("```sh\n").skip(1);
    let block = blocks.find(|block| block.starts_with("umask")).unwrap();
    let (commands, _) = block.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut shell = std::process::Command::new("sh")
        .args(["-e", "-c", &commands.replace("plane", "depot")])
        .current_dir(&folder)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = shell.stdin.take().unwrap();
    std::io::Write::write_all(&mut pipe, b"pl-0123456789\n").unwrap();
    drop(pipe);
    assert!(shell.wait().unwrap().success());
    let service = Service::json(200, json!({})).await;
    let spec = with_binding(at(get_item(), &service.url), |binding| {
        let bearer = json!([[{"scheme": "b", "kind": "bearer"}]]);
        binding.security = serde_json::from_value(bearer).unwrap();
    });
    let credentials = Credentials::new(folder.path()).with_variables(|_| None);
    let (view, _) = view_of(spec, credentials);
    let arguments = json!({"id": "1"});
    view.call_json("get-depot-item", arguments).await.unwrap();
    let sent = service.one();
    assert_eq!(sent.header("authorization"), Some("Bearer pl-0123456789"));
}

#[test]
fn every_key_of_oauth_is_in_an_example() {
    let examples = examples();
    for key in [
        "grant",
        "token_url",
        "client_id",
        "client_secret",
        "client_authentication",
        "scope",
        "audience",
        "resource",
        "refresh_token_file",
        "subject_token_file",
        "subject_token_type",
    ] {
        let has = |one: &Value| one["oauth"].get(key).is_some();
        assert!(examples.iter().any(has), "{key}");
    }
}

#[test]
fn every_key_of_the_auth_file_is_in_an_example() {
    let examples = examples();
    for key in [
        "base_url",
        "origins",
        "api_token",
        "api_keys",
        "username",
        "password",
        "verify_ssl",
        "oauth",
        "client_certificate",
        "client_certificate_key",
    ] {
        assert!(examples.iter().any(|one| one.get(key).is_some()), "{key}");
    }
}
