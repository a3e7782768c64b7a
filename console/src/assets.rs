//! The style and the script of the pages: two files, whose names have the digests of their contents.

use std::sync::LazyLock;

use axum::{
    extract::Path,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use toolwright_model::hex;

/// A file.
struct Asset {
    name: String,
    tag: String,
    media_type: &'static str,
    content: &'static str,
}

static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    [
        Asset::new(
            "css",
            "text/css; charset=utf-8",
            include_str!("assets/console.css"),
        ),
        Asset::new(
            "js",
            "text/javascript; charset=utf-8",
            include_str!("assets/console.js"),
        ),
        Asset::new("svg", "image/svg+xml", include_str!("assets/icon.svg")),
    ]
});

impl Asset {
    fn new(ending: &str, media_type: &'static str, content: &'static str) -> Self {
        let digest: String = hex(Sha256::digest(content)).chars().take(16).collect();
        Self {
            name: format!("console-{digest}.{ending}"),
            tag: format!("\"{digest}\""),
            media_type,
            content,
        }
    }
}

/// Returns the path of the file with an ending.
pub(crate) fn path(ending: &str) -> String {
    let mut assets = ASSETS.iter();
    let found = assets.find(|asset| asset.name.ends_with(ending));
    found.map_or_else(String::new, |asset| format!("/static/{}", asset.name))
}

/// Answers with a file. Its name changes with its content, so a browser may keep it.
pub(crate) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let mut assets = ASSETS.iter();
    let Some(asset) = assets.find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kept = [
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::ETAG, asset.tag.as_str()),
    ];
    let known = headers.get(header::IF_NONE_MATCH);
    if known.is_some_and(|known| known.as_bytes() == asset.tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    let media_type = [(header::CONTENT_TYPE, asset.media_type)];
    (kept, media_type, asset.content).into_response()
}
