//! The auth files that `docs/credentials.md` shows, each in a call.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{Seen, Service, at, auth_file, get_item, view_of, with_binding};

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
    let [token, account, keys, constants] = examples.as_slice() else {
        panic!("test every example of the page: {examples:#?}");
    };
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
    ] {
        assert!(examples.iter().any(|one| one.get(key).is_some()), "{key}");
    }
}
