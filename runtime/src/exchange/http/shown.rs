//! URLs as the operator sees them: without user information and without the values of query
//! parameters that have the name of a secret.

use percent_encoding::percent_decode_str;

use crate::exchange::redact::REDACTED;

/// The words of a name that stands for a secret.
const SECRETS: [&str; 14] = [
    "apikey",
    "auth",
    "authorization",
    "credential",
    "credentials",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "secret",
    "sig",
    "signature",
    "token",
];

/// The words before `key` in a name that stands for a secret, such as `AWSAccessKeyId`.
const KEYS: [&str; 6] = ["access", "api", "app", "auth", "private", "secret"];

/// Returns a URL that can be shown to the operator.
pub(crate) fn shown_url(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let (place, query) = match url.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (url, None),
    };
    let mut shown = without_user(place);
    if let Some(query) = query {
        let pairs: Vec<_> = query.split('&').map(shown_pair).collect();
        shown.push('?');
        shown.push_str(&pairs.join("&"));
    }
    shown
}

fn without_user(place: &str) -> String {
    let Some((scheme, rest)) = place.split_once("://") else {
        return place.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{REDACTED}@{host}{path}"),
        None => place.to_owned(),
    }
}

fn shown_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, _)) if is_secret(&percent_decode_str(name).decode_utf8_lossy()) => {
            format!("{name}={REDACTED}")
        }
        _ => pair.to_owned(),
    }
}

/// Checks whether the name of a parameter stands for a secret.
fn is_secret(name: &str) -> bool {
    let words = words(name);
    let is_key = |pair: &[String]| match pair {
        [before, key] => key == "key" && KEYS.contains(&before.as_str()),
        _ => false,
    };
    words.as_slice() == ["key"]
        || words.iter().any(|word| SECRETS.contains(&word.as_str()))
        || words.windows(2).any(is_key)
}

/// Splits a name such as `X-Amz-Signature` or `accessToken` into words in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut letters = name.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase() && (before.is_lowercase() || next_is_lower);
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secrets_of_a_url_are_masked() {
        for (url, shown) in [
            (
                "https://a.example/notes/7?page=2",
                "https://a.example/notes/7?page=2",
            ),
            (
                "https://user:pass@a.example:8/x#frag",
                "https://[redacted]@a.example:8/x",
            ),
            (
                "https://user:p@ss@a.example",
                "https://[redacted]@a.example",
            ),
            (
                "https://a.example/?key=k&monkey=1&api%5Fkey=k&X-Amz-Signature=s&a=b=c",
                "https://a.example/?key=[redacted]&monkey=1&api%5Fkey=[redacted]&X-Amz-Signature=[redacted]&a=b=c",
            ),
            (
                "/x?accessToken=t&AWSAccessKeyId=i&sig=&sort_key=name&token",
                "/x?accessToken=[redacted]&AWSAccessKeyId=[redacted]&sig=[redacted]&sort_key=name&token",
            ),
        ] {
            assert_eq!(shown_url(url), shown);
        }
    }
}
