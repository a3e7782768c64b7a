//! Error responses as typed by the specification, over real HTTP.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use toolwright::{
    EmbeddedTools, Failure, Refusal, ToolCall, ToolError, ToolSpec,
    codec::{self, Codec, Download, Extra, Reader},
};

use crate::support::{
    Service, answer, at, auth_file, get_item, no_credentials, view_of, with_binding,
};

/// A hand-written copy of the generated code of a tool with a response of each kind.
struct GetDepotItem;

#[derive(Debug)]
enum GetDepotItemFailure {
    BadRequest(Problem),
    NotFound(Value),
    UnsupportedMediaType(Download),
    ClientError(String),
    Default(Problem),
}

#[derive(Debug)]
struct Problem {
    title: String,
}

impl Codec for GetDepotItem {
    fn read(_: Value, _: &mut Reader) -> Self {
        Self
    }

    fn encode(&self) -> Value {
        json!({"id": "1"})
    }
}

impl Codec for Problem {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        Self {
            title: fields.take("title"),
        }
    }

    fn encode(&self) -> Value {
        codec::object(&[("title", &self.title)], &Extra::default())
    }
}

impl ToolCall for GetDepotItem {
    const NAME: &'static str = "get-depot-item";
    const TOOLS: EmbeddedTools = EmbeddedTools::new("depot", "{}");
    type Output = Value;
    type Failure = GetDepotItemFailure;
}

impl Failure for GetDepotItemFailure {
    fn read(answer: Refusal<'_>) -> Option<Self> {
        match answer.status() {
            400 => answer.read_as(Self::BadRequest),
            404 => answer.read_as(Self::NotFound),
            415 => answer.read_as(Self::UnsupportedMediaType),
            _ if answer.class() == 4 => answer.read_as(Self::ClientError),
            _ => answer.read_as(Self::Default),
        }
    }
}

/// The tool, with its answers as the generator writes them into its record.
fn tool() -> ToolSpec {
    let json = ["application/problem+json"];
    let answers = json!([
        {"status": "200", "media_types": ["application/json"], "content": "json"},
        {"status": "400", "media_types": json, "content": "json"},
        {"status": "404", "content": "empty"},
        {"status": "415", "media_types": ["application/octet-stream"], "content": "binary"},
        {"status": "4XX", "media_types": ["text/plain"], "content": "text"},
        {"status": "default", "media_types": json, "content": "json"},
    ]);
    with_binding(get_item(), |binding| {
        binding.answers = serde_json::from_value(answers).unwrap();
    })
}

/// The error of a call that is answered so.
async fn error_of(status: u16, media_type: &'static str, body: &'static [u8]) -> ToolError {
    let service = Service::start(move |_| async move { answer(status, media_type, body) }).await;
    let (view, _) = view_of(at(tool(), &service.url), no_credentials());
    view.call(GetDepotItem).await.unwrap_err()
}

#[tokio::test]
async fn each_status_has_its_own_type() {
    let problem = br#"{"title": "no", "trace": 7}"#;
    let error = error_of(400, "application/problem+json; charset=utf-8", problem).await;
    let Some(GetDepotItemFailure::BadRequest(bad)) = error.documented::<GetDepotItem>() else {
        panic!("{error:?}");
    };
    assert_eq!(bad.title, "no");
    assert_eq!(error.body(), Some(&json!({"title": "no", "trace": 7})));

    let error = error_of(404, "application/json", b"").await;
    let found = error.documented::<GetDepotItem>();
    assert!(
        matches!(found, Some(GetDepotItemFailure::NotFound(Value::Null))),
        "{error:?}"
    );

    let error = error_of(404, "application/json", br#"{"why": 1}"#).await;
    let Some(GetDepotItemFailure::NotFound(why)) = error.documented::<GetDepotItem>() else {
        panic!("{error:?}");
    };
    assert_eq!(why, json!({"why": 1}));

    let error = error_of(415, "application/octet-stream", b"\xff\x00").await;
    let found = error.documented::<GetDepotItem>();
    let Some(GetDepotItemFailure::UnsupportedMediaType(bytes)) = found else {
        panic!("{error:?}");
    };
    assert_eq!(
        bytes.encode()["content"],
        BASE64_STANDARD.encode(b"\xff\x00")
    );

    let error = error_of(418, "text/plain", b"a teapot").await;
    let Some(GetDepotItemFailure::ClientError(text)) = error.documented::<GetDepotItem>() else {
        panic!("{error:?}");
    };
    assert_eq!(text, "a teapot");

    let error = error_of(503, "application/problem+json", problem).await;
    let found = error.documented::<GetDepotItem>();
    let Some(GetDepotItemFailure::Default(other)) = found else {
        panic!("{error:?}");
    };
    assert_eq!(other.title, "no");
}

#[tokio::test]
async fn an_undocumented_error_is_kept_unchanged() {
    let html = "<p>gateway</p>";
    for (status, media_type, body, kept) in [
        (
            400,
            "application/json",
            r#"{"error": "other"}"#,
            json!({"error": "other"}),
        ),
        (502, "text/html", html, json!(html)),
        (400, "application/problem+json", "{broken", json!("{broken")),
        (400, "application/problem+json", "", Value::Null),
    ] {
        let error = error_of(status, media_type, body.as_bytes()).await;
        assert!(error.documented::<GetDepotItem>().is_none(), "{error:?}");
        assert_eq!(error.body(), Some(&kept));
        let shown = error.to_json();
        let shown = shown["error"].as_object().unwrap();
        let names: Vec<_> = shown.keys().map(String::as_str).collect();
        assert_eq!(names, ["code", "message", "status", "retryable"]);
    }
}

#[tokio::test]
async fn an_error_before_a_response_has_no_type() {
    let service = Service::json(200, json!({})).await;
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    drop(service);
    let refused = view.narrowed_to(["another"]).call(GetDepotItem).await;
    let refused = refused.unwrap_err();
    assert!(refused.documented::<GetDepotItem>().is_none());
    assert_eq!(refused.body(), None);
}

#[tokio::test]
async fn a_kept_error_holds_no_secret() {
    let short = "s3cr";
    for (media_type, body) in [
        (
            "application/problem+json",
            format!(r#"{{"title": "no {short}", "{short}": ["{short}"]}}"#),
        ),
        ("text/plain", format!("no {short}")),
        ("application/octet-stream", format!("\u{0}{short}")),
    ] {
        let service = Service::start(move |_| {
            let body = body.clone();
            async move { answer(415, media_type, body) }
        })
        .await;
        let (_folder, credentials) =
            auth_file(&json!({"base_url": service.url, "api_token": short}));
        let (view, _) = view_of(tool(), credentials);
        let error = view.call(GetDepotItem).await.unwrap_err();
        let kept = error.body().unwrap().to_string();
        assert!(kept.contains("[redacted]"), "{kept}");
        assert!(!kept.contains(short), "{kept}");
        assert!(!kept.contains(&BASE64_STANDARD.encode(short)), "{kept}");
    }
}
