//! Classifies media types by how a value is encoded as bytes.

/// The content kind of a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BodyKind {
    /// JSON: `application/json`, media types with the suffix `+json`, and the wildcards `*/*` and
    /// `application/*`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data` and other multipart types.
    Multipart,
    /// A sequence of JSON values, for example one per line.
    Lines,
    /// Server-sent events.
    Events,
    /// Plain text, XML and other formats that are sent unchanged.
    Text,
    /// Any other content: bytes.
    Binary,
}

impl BodyKind {
    /// Returns the kind of a media type. Parameters are ignored.
    #[must_use]
    pub(crate) fn parse(media_type: &str) -> Self {
        let essence = essence(media_type);
        let (family, subtype) = essence.split_once('/').unwrap_or((&essence, ""));
        let suffix = subtype
            .rsplit_once('+')
            .map_or(subtype, |(_, suffix)| suffix);
        match (family, suffix) {
            ("*", _) | ("application", "*") => Self::Json,
            ("application" | "text", _) if is_lines(subtype) => Self::Lines,
            ("text", "event-stream") => Self::Events,
            (_, "json") => Self::Json,
            ("application", "x-www-form-urlencoded") => Self::Form,
            ("multipart", _) => Self::Multipart,
            ("text", _) => Self::Text,
            (_, "xml" | "yaml" | "x-yaml" | "toml") => Self::Text,
            ("application", _) if is_text(subtype) => Self::Text,
            _ => Self::Binary,
        }
    }
}

/// Returns the media type without parameters, in lower case.
#[must_use]
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Checks whether a subtype is a sequence of JSON values.
fn is_lines(subtype: &str) -> bool {
    matches!(
        subtype,
        "x-ndjson"
            | "ndjson"
            | "jsonl"
            | "x-jsonl"
            | "jsonlines"
            | "x-jsonlines"
            | "json-lines"
            | "x-json-stream"
            | "stream+json"
            | "json-seq"
            | "geo+json-seq"
    )
}

/// Checks whether an `application` subtype is textual, such as source code or certificates.
fn is_text(subtype: &str) -> bool {
    matches!(
        subtype,
        "javascript" | "graphql" | "sql" | "hcl" | "jwt" | "x-pem-file" | "pem-certificate-chain"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_classified() {
        for (media_type, kind) in [
            ("application/json", BodyKind::Json),
            ("Application/JSON; charset=utf-8", BodyKind::Json),
            ("application/merge-patch+json", BodyKind::Json),
            ("*/*", BodyKind::Json),
            ("text/json", BodyKind::Json),
            ("application/x-www-form-urlencoded", BodyKind::Form),
            ("multipart/form-data", BodyKind::Multipart),
            ("multipart/mixed", BodyKind::Multipart),
            ("text/plain", BodyKind::Text),
            ("application/xml", BodyKind::Text),
            ("application/atom+xml", BodyKind::Text),
            ("application/x-ndjson", BodyKind::Lines),
            ("application/stream+json", BodyKind::Lines),
            ("application/json-seq", BodyKind::Lines),
            ("text/event-stream; charset=utf-8", BodyKind::Events),
            ("application/octet-stream", BodyKind::Binary),
            ("image/png", BodyKind::Binary),
            ("image/svg+xml", BodyKind::Text),
            ("application/pdf", BodyKind::Binary),
        ] {
            assert_eq!(BodyKind::parse(media_type), kind, "{media_type}");
        }
    }
}
