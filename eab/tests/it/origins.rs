//! A token for a domain service stays with the endpoint that it belongs to.

use serde_json::json;
use toolwright::{
    Credentials, Role, ScopedToolView, ToolSpec,
    binding::{Binding, Transport},
    config::ServiceConfig,
    eab::Endpoint,
    private,
};

use crate::support::{Fake, at, builder_of, crates_tools, right, socket};

/// The tools of a document that declares the service at this address.
fn documented_at(endpoint: &Endpoint) -> Vec<ToolSpec> {
    let transport = match endpoint {
        Endpoint::Unix(path) => Transport::Unix {
            path: path.display().to_string(),
        },
        Endpoint::Http(base_url) => Transport::Http {
            base_url: base_url.clone(),
        },
    };
    let mut specs = crates_tools();
    for spec in &mut specs {
        let Binding::Eab(binding) = &mut spec.binding else {
            panic!("`{}` is no method", spec.name);
        };
        binding.transports = vec![transport.clone()];
    }
    specs
}

fn view(specs: Vec<ToolSpec>, config: ServiceConfig, credentials: &Credentials) -> ScopedToolView {
    let registry = builder_of(specs, config).credentials(credentials.clone());
    let registry = registry.build().unwrap();
    registry.for_agent(&Role::new("linter").unwrap())
}

async fn start_fakes(folder: &std::path::Path) -> [Fake; 2] {
    let at_socket = Endpoint::Unix(socket(folder));
    let at_socket = Fake::start(at_socket, |method, envelope| async move {
        axum::response::IntoResponse::into_response(axum::Json(right(&method, &envelope)))
    });
    [at_socket.await, Fake::answering(right).await]
}

#[tokio::test]
async fn a_document_cannot_redirect_a_token() {
    for first in [0, 1] {
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join(".local/crates/api-token.txt");
        private::write(&token, "t0ken").unwrap();
        let credentials = Credentials::new(folder.path()).with_variables(|_| None);
        let fakes = start_fakes(folder.path()).await;
        let [own, other] = [&fakes[first], &fakes[1 - first]];
        let call = async |fake: &Fake| {
            let specs = documented_at(&fake.endpoint);
            let view = view(specs, ServiceConfig::default(), &credentials);
            view.call_json("review-crates-rules", json!({})).await
        };
        call(own).await.unwrap();
        let error = call(other).await.unwrap_err();
        assert_eq!(error.code(), "origin_refused", "{}", other.endpoint);
        call(own).await.unwrap();
        for method in ["handshake", "review_rules"] {
            assert!(other.seen(method).is_empty(), "{method}");
        }
    }
}

#[tokio::test]
async fn a_token_with_a_base_url_is_not_sent_to_another_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    let [other, own] = start_fakes(folder.path()).await;
    let auth = json!({"base_url": own.endpoint.to_string(), "api_token": "t0ken"});
    let file = folder.path().join(".local/crates/admin-auth.json");
    private::write(&file, auth.to_string()).unwrap();
    let credentials = Credentials::new(folder.path()).with_variables(|_| None);
    for (config, passes) in [
        (at(&own.endpoint), true),
        (at(&other.endpoint), false),
        (
            ServiceConfig {
                origins: vec![other.endpoint.to_string().parse().unwrap()],
                ..at(&other.endpoint)
            },
            true,
        ),
    ] {
        let view = view(crates_tools(), config, &credentials);
        let called = view.call_json("review-crates-rules", json!({})).await;
        assert_eq!(called.is_ok(), passes, "{called:?}");
    }
    assert_eq!(other.seen("review_rules").len(), 1);
}

#[tokio::test]
async fn a_document_cannot_choose_a_risky_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    let credentials = Credentials::new(folder.path()).with_variables(|_| None);
    for url in [
        "http://kicad.example",
        "https://10.0.0.5",
        "http://169.254.169.254",
    ] {
        let specs = documented_at(&Endpoint::Http(url.to_owned()));
        let view = view(specs, ServiceConfig::default(), &credentials);
        let error = view.call_json("review-crates-rules", json!({})).await;
        assert_eq!(error.unwrap_err().code(), "target_refused", "{url}");
    }
}
