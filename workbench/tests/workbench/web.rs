//! `fetch-web-page`, with a server on this machine.

use axum::{
    Router,
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Redirect},
    routing::get,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwright::testing::TestView;

use crate::folder::{Folder, code, violations};

/// Starts a server, and returns its origin.
async fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let other = origin.replace("127.0.0.1", "localhost");
    let page = "<html><head><title>Guide</title><script>evil()</script></head>\
                <body><h1>Guide</h1><p>Read <a href=\"/docs/more\">more</a>.</p></body></html>";
    let latin = || async {
        (
            [(header::CONTENT_TYPE, "text/plain; charset=iso-8859-1")],
            b"h\xe4i".to_vec(),
        )
    };
    let binary = || async {
        (
            [(header::CONTENT_TYPE, "application/octet-stream")],
            vec![0_u8; 9],
        )
    };
    let to = |target: String| get(move || async move { Redirect::temporary(&target) });
    let router = Router::new()
        .route("/docs/guide", get(move || async move { Html(page) }))
        .route("/docs/latin", get(latin))
        .route("/docs/binary", get(binary))
        .route("/docs/large", get(|| async { "x".repeat(100_000) }))
        .route("/docs/long", get(|| async { "ä".repeat(100_000) }))
        .route(
            "/docs/deep",
            get(|| async { Html("<div>".repeat(200_000)) }),
        )
        .route(
            "/docs/tables",
            get(|| async { Html("<table><tr><td>".repeat(10_000)) }),
        )
        .route(
            "/docs/missing",
            get(|| async { (StatusCode::NOT_FOUND, "no such page") }),
        )
        .route(
            "/docs/headers",
            get(|headers: HeaderMap| async move { format!("{headers:?}").into_response() }),
        )
        .route("/docs/moved", to("/docs/guide".to_owned()))
        .route("/docs/out", to("/admin".to_owned()))
        .route("/docs/away", to(format!("{other}/docs/guide")))
        .route("/docs/metadata", to("http://169.254.169.254/".to_owned()))
        .route("/docs/loop", to("/docs/loop".to_owned()))
        .route("/admin", get(|| async { "SECRET" }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    origin
}

fn view(urls: &[&str], more: &str) -> TestView {
    let folder = Folder::new(&[]);
    folder.view(
        &["fetch-web-page"],
        &format!("allowed_urls = {urls:?}\n{more}"),
    )
}

async fn fetch(view: &TestView, url: &str) -> Result<Value, toolwright::ToolError> {
    view.call("fetch-web-page", json!({"url": url})).await
}

pub(crate) async fn a_page_becomes_readable_text() {
    let origin = server().await;
    let view = view(&[&format!("{origin}/docs/")], "");
    let page = fetch(&view, &format!("{origin}/docs/guide")).await.unwrap();
    assert_eq!(page["status"], 200);
    let text = page["text"].as_str().unwrap();
    assert!(text.starts_with("# Guide\n\nRead [more][1]."), "{text}");
    assert!(
        text.contains("[1]: /docs/more") && !text.contains("evil"),
        "{text}"
    );
    let latin = fetch(&view, &format!("{origin}/docs/latin")).await.unwrap();
    assert_eq!(latin["text"], "häi");
    let missing = fetch(&view, &format!("{origin}/docs/missing"))
        .await
        .unwrap();
    assert_eq!(
        (&missing["status"], &missing["text"]),
        (&json!(404), &json!("no such page"))
    );
    let moved = fetch(&view, &format!("{origin}/docs/moved")).await.unwrap();
    assert_eq!(moved["text"], text);
    let binary = fetch(&view, &format!("{origin}/docs/binary")).await;
    assert_eq!(code(binary), "not_text");
    let headers = fetch(&view, &format!("{origin}/docs/headers"))
        .await
        .unwrap();
    let headers = headers["text"].as_str().unwrap();
    assert!(
        !headers.contains("authorization") && !headers.contains("cookie"),
        "{headers}"
    );
}

pub(crate) async fn a_long_page_is_read_in_parts_and_a_large_one_is_refused() {
    let origin = server().await;
    let view = view(&[&origin], "max_response_size_bytes = \"300000\"");
    let url = format!("{origin}/docs/long");
    let first = fetch(&view, &url).await.unwrap();
    let next = first["text"].as_str().unwrap().chars().count();
    let left_out = format!("the characters from {next} on; `first_character` reads them");
    assert_eq!(first["left_out"], left_out.as_str());
    let rest = json!({"url": url, "first_character": next});
    let rest = view.call("fetch-web-page", rest).await.unwrap();
    assert_eq!(
        rest["text"].as_str().unwrap().chars().count(),
        100_000 - next
    );
    assert_eq!(rest.get("left_out"), None);
    let small = self::view(&[&origin], "max_response_size_bytes = \"1000\"");
    let large = fetch(&small, &format!("{origin}/docs/large")).await;
    assert_eq!(code(large), "answer_too_large");
    let view = self::view(&[&origin], "");
    for page in ["deep", "tables"] {
        let refused = fetch(&view, &format!("{origin}/docs/{page}")).await;
        assert_eq!(code(refused), "unreadable_page", "{page}");
    }
}

pub(crate) async fn a_url_outside_of_the_scope_is_not_requested() {
    let origin = server().await;
    let view = view(&[&format!("{origin}/docs/"), "https://docs.example/"], "");
    let port = origin.rsplit(':').next().unwrap();
    for url in [
        format!("{origin}/admin"),
        format!("{origin}/docs/../admin"),
        format!("{origin}/docs/%2e%2e/admin"),
        format!("{origin}/docs/..%2fadmin"),
        format!("http://localhost:{port}/docs/guide"),
        format!("http://[::ffff:127.0.0.1]:{port}/docs/guide"),
        format!("http://user@127.0.0.1:{port}.evil.example/docs/guide"),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "https://docs.example.evil/".to_owned(),
        "http://docs.example/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "unix:/run/docker.sock".to_owned(),
        "not a URL".to_owned(),
    ] {
        let before = violations(&view).len();
        let refused = code(fetch(&view, &url).await);
        assert_eq!(refused, "scope_violation", "{url}");
        assert_eq!(violations(&view).len(), before + 1, "{url}");
    }
}

pub(crate) async fn a_redirect_is_checked_like_the_url() {
    let origin = server().await;
    let view = view(&[&format!("{origin}/docs/")], "");
    for page in ["out", "away", "metadata", "loop"] {
        let refused = fetch(&view, &format!("{origin}/docs/{page}")).await;
        let shown = format!("{refused:?}");
        assert!(
            refused.is_err() && !shown.contains("SECRET"),
            "{page}: {shown}"
        );
        assert!(shown.contains("redirect"), "{page}: {shown}");
    }
}

pub(crate) async fn an_allowed_url_at_a_private_address_needs_the_operators_word() {
    let private = [
        "http://10.0.0.1/",
        "https://192.168.1.1/",
        "http://169.254.169.254/",
        "http://[fd00::1]/",
    ];
    let view = view(&private, "");
    for url in private {
        let refused = code(fetch(&view, url).await);
        assert_eq!(refused, "target_refused", "{url}");
    }
}

/// Without the parameter, no call passes.
pub(crate) async fn a_role_without_urls_fetches_nothing() {
    let origin = server().await;
    let folder = Folder::new(&[]);
    let view = folder.view(&["fetch-web-page"], "max_response_size_bytes = \"9\"");
    let refused = fetch(&view, &format!("{origin}/docs/guide")).await;
    assert_eq!(code(refused), "scope_missing");
}
