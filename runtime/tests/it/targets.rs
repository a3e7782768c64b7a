//! The permitted targets of requests, and proxies.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;
use toolwright::{
    ToolError,
    audit::Reason,
    config::ServiceConfig,
    target::Allowance::{self, LinkLocal, PlainHttp, PrivateNetwork},
};

use crate::support::{
    Service, at, auth_file, builder, get_item, last_reason, no_credentials, role, view_of,
};

/// Names the service to the process that has proxies in its environment.
const URL_VARIABLE: &str = "TOOLWRIGHT_TEST_PROXIED_URL";

async fn call(url: &str, service: ServiceConfig) -> Result<Value, ToolError> {
    let registry = builder(&std::sync::Arc::default())
        .specs([at(get_item(), url)])
        .service("depot".parse().unwrap(), service)
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

#[tokio::test]
async fn a_risky_target_is_refused_before_anything_is_sent() {
    for (url, needed) in [
        ("http://api.example", &[PlainHttp][..]),
        ("https://10.0.0.5/v1", &[PrivateNetwork]),
        ("http://192.168.0.1:8080", &[PlainHttp, PrivateNetwork]),
        ("http://169.254.169.254", &[PlainHttp, LinkLocal]),
        ("https://[fe80::1]", &[LinkLocal]),
        ("https://[::ffff:10.0.0.1]", &[PrivateNetwork]),
        ("https://0xa.0.0.1", &[PrivateNetwork]),
    ] {
        let by_document = call(url, ServiceConfig::default()).await;
        let (_folder, credentials) = auth_file(&json!({"base_url": url, "api_token": "t"}));
        let (view, audit) = view_of(get_item(), credentials);
        let by_operator = view.call_json("get-depot-item", json!({"id": "1"})).await;
        let by_operator = by_operator.map(|output| output.value);
        for result in [by_document, by_operator] {
            let Err(ToolError::Credentials(error)) = result else {
                panic!("{url}: {result:?}");
            };
            assert_eq!(error.code(), "target_refused");
            let help = error.help().unwrap();
            for word in needed {
                assert!(help.contains(&format!("\"{word}\"")), "{url}: {help}");
            }
            assert!(!error.to_string().contains("//"), "{error}");
        }
        assert_eq!(last_reason(&audit), Reason::TargetRefused);
    }
}

#[tokio::test]
async fn a_refused_target_asks_for_no_approval() {
    let mut spec = at(get_item(), "http://10.0.0.5");
    spec.approval_required = true;
    let (view, audit) = view_of(spec, no_credentials());
    let error = view.call_json("get-depot-item", json!({"id": "1"})).await;
    assert_eq!(error.unwrap_err().code(), "target_refused");
    assert_eq!(last_reason(&audit), Reason::TargetRefused);
}

/// A second process runs with the proxy variables: this test again, with the address of the
/// service.
#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    if let Ok(url) = std::env::var(URL_VARIABLE) {
        let answer = call(&url, ServiceConfig::default()).await;
        assert_eq!(answer.unwrap(), "direct");
        return;
    }
    let service = Service::json(200, json!("direct")).await;
    let proxy = Service::json(200, json!("proxy")).await;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "targets::proxies_of_the_environment_are_ignored"])
        .env(URL_VARIABLE, &service.url)
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .stdout(Stdio::null());
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(name, &proxy.url);
        command.env(name.to_ascii_lowercase(), &proxy.url);
    }
    assert!(command.status().await.unwrap().success());
    assert_eq!(service.seen().len(), 1);
    assert_eq!(proxy.connections(), 0);
}

fn allowing(allow: &[Allowance], proxy: Option<&str>) -> ServiceConfig {
    ServiceConfig {
        allow: allow.iter().copied().collect(),
        proxy: proxy.map(|proxy| proxy.parse().unwrap()),
        ..ServiceConfig::default()
    }
}

#[tokio::test]
async fn a_configured_proxy_carries_requests_beyond_loopback_alone() {
    let proxy = Service::json(200, json!("proxy")).await;
    let service = Service::json(200, json!("direct")).await;
    let allow = [PlainHttp, PrivateNetwork];
    for url in ["http://api.invalid", "http://10.0.0.5"] {
        let answer = call(url, allowing(&allow, Some(&proxy.url))).await;
        assert_eq!(answer.unwrap(), "proxy", "{url}");
    }
    let targets: Vec<_> = proxy.seen().into_iter().map(|seen| seen.target).collect();
    assert_eq!(
        targets,
        ["http://api.invalid/items/1", "http://10.0.0.5/items/1"]
    );
    let answer = call(&service.url, allowing(&[], Some(&proxy.url))).await;
    assert_eq!(answer.unwrap(), "direct");
    let refused = call("http://10.0.0.5", allowing(&[PlainHttp], Some(&proxy.url))).await;
    assert_eq!(refused.unwrap_err().code(), "target_refused");
    assert_eq!(proxy.seen().len(), 2);
}
