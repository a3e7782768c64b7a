//! What protects every request: whom it is for, where it comes from, and what its answer may load.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{address::Address, console::Console};

/// What a page may load: files of the console and nothing else. No script and no style in a page, no
/// frame, no other host, and no string that becomes markup in a script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // With `no-referrer`, browsers send no origin with forms.
    (header::REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// Refuses requests for another host or from another site, and adds the headers of every answer.
pub(crate) async fn guard(
    State(console): State<Console>,
    request: Request,
    next: Next,
) -> Response {
    let refused = check(console.address(), request.method(), request.headers());
    let mut answer = match refused {
        Ok(()) => next.run(request).await,
        Err((status, message)) => (status, message).into_response(),
    };
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A page shows what only this person may see.
    if !headers.contains_key(header::CACHE_CONTROL) {
        let never = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, never);
    }
    answer
}

fn check(
    address: &Address,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), (StatusCode, &'static str)> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    // Another name may be an attacker's that resolves to this machine.
    if text(&header::HOST) != Some(address.host()) {
        let message = "this is not the address of the console: use the one that its command prints";
        return Err((StatusCode::MISDIRECTED_REQUEST, message));
    }
    let is_read = method == Method::GET || method == Method::HEAD;
    let from_elsewhere = (
        StatusCode::FORBIDDEN,
        "this request does not come from a page of the console",
    );
    let site = text(&HeaderName::from_static("sec-fetch-site"));
    if is_read {
        // A link on another site may open a page, and nothing else may be loaded from there.
        let is_link = text(&HeaderName::from_static("sec-fetch-mode")) == Some("navigate")
            && text(&HeaderName::from_static("sec-fetch-dest")) == Some("document");
        let is_foreign = matches!(site, Some("cross-site" | "same-site"));
        return if is_foreign && !is_link {
            Err(from_elsewhere)
        } else {
            Ok(())
        };
    }
    let is_own_site = site.is_none_or(|site| site == "same-origin");
    if text(&header::ORIGIN) == Some(address.origin()) && is_own_site {
        return Ok(());
    }
    Err(from_elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(method: Method, headers: &[(&str, &str)]) -> Option<u16> {
        let address = Address::new("http://127.0.0.1:7182").unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        let checked = check(&address, &method, &map);
        checked.err().map(|(status, _)| status.as_u16())
    }

    #[test]
    fn another_host_is_refused() {
        let own = ("host", "127.0.0.1:7182");
        assert_eq!(checked(Method::GET, &[own]), None);
        for host in ["127.0.0.1", "localhost:7182", "evil.example:7182", ""] {
            assert_eq!(checked(Method::GET, &[("host", host)]), Some(421), "{host}");
        }
        assert_eq!(checked(Method::GET, &[]), Some(421));
    }

    #[test]
    fn a_change_comes_from_a_page_of_the_console() {
        let host = ("host", "127.0.0.1:7182");
        let own = ("origin", "http://127.0.0.1:7182");
        assert_eq!(checked(Method::POST, &[host, own]), None);
        assert_eq!(checked(Method::POST, &[host]), Some(403));
        for origin in ["null", "http://127.0.0.1:7183", "https://127.0.0.1:7182"] {
            let refused = checked(Method::POST, &[host, ("origin", origin)]);
            assert_eq!(refused, Some(403), "{origin}");
        }
        let site = ("sec-fetch-site", "cross-site");
        assert_eq!(checked(Method::POST, &[host, own, site]), Some(403));
        assert_eq!(checked(Method::DELETE, &[host]), Some(403));
    }

    #[test]
    fn another_site_may_link_to_a_page_and_load_nothing() {
        let host = ("host", "127.0.0.1:7182");
        let site = ("sec-fetch-site", "cross-site");
        let link = [
            host,
            site,
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert_eq!(checked(Method::GET, &link), None);
        assert_eq!(checked(Method::GET, &[host, site]), Some(403));
        let framed = [
            host,
            site,
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "iframe"),
        ];
        assert_eq!(checked(Method::GET, &framed), Some(403));
    }
}
