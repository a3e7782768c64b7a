//! Wire names that an argument must never set, even if the document declares one.
//!
//! Servers, proxies and frameworks interpret some headers and fields as more than data: as the
//! request's method, its route, or the identity of the sender. They accept these without proof,
//! because a proxy in front of them is expected to set these headers and to remove them from client
//! requests. An agent that sets one reaches an operation that it was not granted, or acts as
//! another user.
//!
//! The list excludes headers that carry their own proof, such as a token that the service checks,
//! and headers that describe the request: `If-Match`, `Prefer`, `Idempotency-Key`.

/// The part of a request that a reserved name decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservedFor {
    /// The transfer of the request; only the HTTP client sets it.
    Transfer,
    /// The credentials.
    Credentials,
    /// The method.
    Method,
    /// The host, the path or the handler.
    Route,
    /// The user, the address or the client program that the service takes for the sender.
    Identity,
}

impl ReservedFor {
    /// Returns what the name decides, in words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Transfer => "the transfer of the request",
            Self::Credentials => "the credentials of the request",
            Self::Method => "the method of the request",
            Self::Route => "the route of the request",
            Self::Identity => "the identity of the sender",
        }
    }
}

/// Headers by their whole names, in lower case with `-`.
const HEADERS: &[(&str, ReservedFor)] = &[
    ("alt-used", ReservedFor::Route),
    ("authorization", ReservedFor::Credentials),
    ("base-url", ReservedFor::Route),
    ("client-ip", ReservedFor::Identity),
    ("connection", ReservedFor::Transfer),
    ("content-length", ReservedFor::Transfer),
    ("content-type", ReservedFor::Transfer),
    ("cookie", ReservedFor::Credentials),
    ("cookie2", ReservedFor::Credentials),
    ("early-data", ReservedFor::Transfer),
    ("expect", ReservedFor::Transfer),
    ("forwarded", ReservedFor::Identity),
    ("from", ReservedFor::Identity),
    ("front-end-https", ReservedFor::Route),
    ("host", ReservedFor::Route),
    ("http2-settings", ReservedFor::Transfer),
    ("keep-alive", ReservedFor::Transfer),
    ("max-forwards", ReservedFor::Route),
    ("origin", ReservedFor::Identity),
    ("referer", ReservedFor::Identity),
    ("request-uri", ReservedFor::Route),
    ("set-cookie", ReservedFor::Credentials),
    ("te", ReservedFor::Transfer),
    ("trailer", ReservedFor::Transfer),
    ("transfer-encoding", ReservedFor::Transfer),
    ("upgrade", ReservedFor::Transfer),
    ("uri", ReservedFor::Route),
    ("url", ReservedFor::Route),
    ("user", ReservedFor::Identity),
    ("user-agent", ReservedFor::Identity),
    ("via", ReservedFor::Route),
    ("x-from", ReservedFor::Identity),
    ("x-group", ReservedFor::Identity),
    ("x-groups", ReservedFor::Identity),
    ("x-method", ReservedFor::Method),
    ("x-on-behalf-of", ReservedFor::Identity),
    ("x-path", ReservedFor::Route),
    ("x-proto", ReservedFor::Route),
    ("x-protocol", ReservedFor::Route),
    ("x-request-uri", ReservedFor::Route),
    ("x-restli-method", ReservedFor::Method),
    ("x-role", ReservedFor::Identity),
    ("x-roles", ReservedFor::Identity),
    ("x-scheme", ReservedFor::Route),
    ("x-uri", ReservedFor::Route),
    ("x-url", ReservedFor::Route),
    ("x-url-scheme", ReservedFor::Route),
    ("x-user", ReservedFor::Identity),
    ("x-username", ReservedFor::Identity),
];

/// Headers by the prefix of their names.
const HEADER_PREFIXES: &[(&str, ReservedFor)] = &[
    ("cf-", ReservedFor::Identity),
    ("forwarded-", ReservedFor::Identity),
    ("http-", ReservedFor::Method),
    ("impersonate-", ReservedFor::Identity),
    ("proxy-", ReservedFor::Credentials),
    ("remote-", ReservedFor::Identity),
    ("sec-", ReservedFor::Identity),
    ("ssl-", ReservedFor::Identity),
    ("x-amz-cf-", ReservedFor::Identity),
    ("x-amzn-oidc-", ReservedFor::Identity),
    ("x-appengine-", ReservedFor::Identity),
    ("x-arr-", ReservedFor::Identity),
    ("x-auth-request-", ReservedFor::Identity),
    ("x-authenticated-", ReservedFor::Identity),
    ("x-authentik-", ReservedFor::Identity),
    ("x-client-cert", ReservedFor::Identity),
    ("x-client-dn", ReservedFor::Identity),
    ("x-client-verify", ReservedFor::Identity),
    ("x-consumer-", ReservedFor::Identity),
    ("x-credential-", ReservedFor::Identity),
    ("x-envoy-", ReservedFor::Route),
    ("x-forwarded", ReservedFor::Identity),
    ("x-goog-authenticated-", ReservedFor::Identity),
    ("x-goog-iap-", ReservedFor::Identity),
    ("x-http-", ReservedFor::Method),
    ("x-impersonate", ReservedFor::Identity),
    ("x-invoke-", ReservedFor::Route),
    ("x-jwt-claim-", ReservedFor::Identity),
    ("x-method-", ReservedFor::Method),
    ("x-middleware-", ReservedFor::Route),
    ("x-ms-client-principal", ReservedFor::Identity),
    ("x-ms-token-", ReservedFor::Identity),
    ("x-original", ReservedFor::Route),
    ("x-proxy", ReservedFor::Route),
    ("x-remote", ReservedFor::Identity),
    ("x-rewrite", ReservedFor::Route),
    ("x-ssl-", ReservedFor::Identity),
    ("x-tls-client-", ReservedFor::Identity),
    ("x-user-", ReservedFor::Identity),
    ("x-vercel-", ReservedFor::Identity),
    ("x-webauth-", ReservedFor::Identity),
];

/// Headers matched by one word of their name. The flag requires the word to be the last one.
const HEADER_WORDS: &[(&str, bool, ReservedFor)] = &[
    ("host", false, ReservedFor::Route),
    ("override", false, ReservedFor::Method),
    ("ip", true, ReservedFor::Identity),
    ("clientip", false, ReservedFor::Identity),
    ("addr", true, ReservedFor::Identity),
];

/// Headers of a part of a multipart body that decide which field the part is.
const PART_HEADERS: &[&str] = &[
    "content-disposition",
    "content-id",
    "content-location",
    "content-transfer-encoding",
];

/// Fields of a query or a body that frameworks take for the method or the route of the request.
const FIELDS: &[(&str, ReservedFor)] = &[
    ("_method", ReservedFor::Method),
    ("__method", ReservedFor::Method),
    ("_http_method", ReservedFor::Method),
    ("_httpmethod", ReservedFor::Method),
    ("x_http_method", ReservedFor::Method),
    ("x_http_method_override", ReservedFor::Method),
    ("x_method", ReservedFor::Method),
    ("x_method_override", ReservedFor::Method),
    ("_controller", ReservedFor::Route),
    ("_route", ReservedFor::Route),
    ("rest_route", ReservedFor::Route),
];

/// Returns what a header decides about the request that it is part of, if no argument may set it.
///
/// Case does not matter. All characters but letters and digits are taken for `-`, since gateways
/// that pass headers on as variables do not distinguish them.
#[must_use]
pub fn reserved_header(name: &str) -> Option<ReservedFor> {
    let name = with_separator(name, '-');
    let exact = HEADERS.iter().find(|(header, _)| *header == name);
    let exact = exact.map(|(_, reserved)| *reserved);
    let prefix = || {
        let mut prefixes = HEADER_PREFIXES.iter();
        let found = prefixes.find(|(prefix, _)| name.starts_with(prefix));
        found.map(|(_, reserved)| *reserved)
    };
    let word = || {
        let mut words = HEADER_WORDS.iter();
        let found = words.find(|(word, last, _)| {
            let mut parts = name.split('-');
            if *last {
                parts.next_back() == Some(word)
            } else {
                parts.any(|part| part == *word)
            }
        });
        found.map(|(_, _, reserved)| *reserved)
    };
    exact.or_else(prefix).or_else(word)
}

/// Checks whether a header of a multipart part decides which field the part belongs to.
#[must_use]
pub fn is_reserved_part_header(name: &str) -> bool {
    PART_HEADERS.contains(&with_separator(name, '-').as_str())
}

/// Returns what a field of a query or a body decides about the request, if no argument may set it.
///
/// Case does not matter. Characters other than letters and digits are taken for `_`, as some
/// frameworks do.
#[must_use]
pub fn reserved_field(name: &str) -> Option<ReservedFor> {
    let field = with_separator(name, '_');
    let mut fields = FIELDS.iter();
    let found = fields.find(|(known, _)| *known == field);
    found.map(|(_, reserved)| *reserved)
}

fn with_separator(name: &str, separator: char) -> String {
    name.trim()
        .chars()
        .map(|character| match character {
            'a'..='z' | '0'..='9' => character,
            'A'..='Z' => character.to_ascii_lowercase(),
            _ => separator,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_control_the_request_are_reserved() {
        for (name, reserved) in [
            ("X-HTTP-Method-Override", ReservedFor::Method),
            ("x_http_method", ReservedFor::Method),
            ("X-Method-Override", ReservedFor::Method),
            ("X-Original-URL", ReservedFor::Route),
            ("X-Rewrite-Url", ReservedFor::Route),
            ("X-Original-Method", ReservedFor::Route),
            ("X-Host", ReservedFor::Route),
            ("X-Forwarded-For", ReservedFor::Identity),
            ("X.Forwarded.For", ReservedFor::Identity),
            ("forwarded", ReservedFor::Identity),
            ("True-Client-IP", ReservedFor::Identity),
            ("CF-Connecting-IP", ReservedFor::Identity),
            ("Fastly-Client-Ip", ReservedFor::Identity),
            ("X-Remote-User", ReservedFor::Identity),
            ("Impersonate-User", ReservedFor::Identity),
            ("X-Middleware-Subrequest", ReservedFor::Route),
            ("Cookie", ReservedFor::Credentials),
            ("Transfer-Encoding", ReservedFor::Transfer),
        ] {
            assert_eq!(reserved_header(name), Some(reserved), "{name}");
        }
    }

    #[test]
    fn headers_that_describe_the_request_are_arguments() {
        for name in [
            "X-API-Version",
            "X-Prefect-Api-Version",
            "Prefer",
            "If-Match",
            "If-None-Match",
            "Idempotency-Key",
            "X-Request-Id",
            "traceparent",
            "Range",
            "Accept-Language",
            "Content-Language",
            "Stripe-Account",
            "Destination",
            "X-Tenant-Id",
        ] {
            assert_eq!(reserved_header(name), None, "{name}");
        }
    }

    #[test]
    fn fields_that_control_the_request_are_reserved() {
        for name in [
            "_method",
            "_METHOD",
            " _method",
            ".method",
            "X-HTTP-Method-Override",
        ] {
            assert_eq!(reserved_field(name), Some(ReservedFor::Method), "{name}");
        }
        for name in [
            "method",
            "http_method",
            "http_method__n",
            "override_min",
            "host",
            "url",
            "user",
            "route",
        ] {
            assert_eq!(reserved_field(name), None, "{name}");
        }
    }
}
