//! The canonical form of a value, and its digest.

use ring::digest::{self, SHA256};
use serde_json::Value;
use toolwright_model::hex;
pub(crate) use toolwright_schema::canonical;

/// The SHA-256 of the canonical form of a value, in lower-case hexadecimal.
///
/// The canonical form is JSON without white space and with sorted keys. Two values that differ only
/// in the order of their keys have one digest.
pub(crate) fn digest(value: &Value) -> String {
    sha256(canonical(value).as_bytes())
}

/// The SHA-256 of bytes, in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&SHA256, bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_elements_matters_but_not_of_keys() {
        let one = json!({"b": [1, {"d": null, "c": "é\n"}], "a": true});
        let two = json!({"a": true, "b": [1, {"c": "é\n", "d": null}]});
        assert_eq!(digest(&one), digest(&two));
        assert_ne!(digest(&json!([1, 2])), digest(&json!([2, 1])));
    }

    #[test]
    fn the_digest_is_that_of_sha_256() {
        assert_eq!(
            digest(&json!({})),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }
}
