//! Signatures of events, as the specification "Standard Webhooks" defines them.

use std::{env, io};

use base64::{Engine, prelude::BASE64_STANDARD};
use ring::hmac::{self, HMAC_SHA256};
use zeroize::Zeroizing;

use crate::{
    config::SecretSource,
    private::{self, Links},
};

/// The prefix of an encoded secret.
const PREFIX: &str = "whsec_";

/// The lengths that a secret may have, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// The longest file of secrets that is read, in bytes.
const LONGEST: u64 = 4096;

/// The most secrets that sign one event.
const MOST_SECRETS: usize = 4;

/// The secrets that sign an event: while one is replaced, the old and the new one.
pub(super) struct Secrets(Vec<hmac::Key>);

impl Secrets {
    /// Reads the secrets, one a line. They are read for each event, so a new one applies at once.
    pub(super) fn read(source: &SecretSource) -> Result<Self, String> {
        let text = match source {
            SecretSource::File(file) => {
                let text = private::read(file, Links::Follow, LONGEST);
                text.map_err(|error: io::Error| {
                    format!("its `secret_file` cannot be used: {error}")
                })?
            }
            SecretSource::Variable(name) => env::var(name)
                .map_err(|_| "the variable of its `secret_env` is not set".to_owned())?,
        };
        Self::parse(&Zeroizing::new(text))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let keys: Option<Vec<_>> = lines.map(parse_key).collect();
        match keys {
            Some(keys) if (1..=MOST_SECRETS).contains(&keys.len()) => Ok(Self(keys)),
            _ => Err(format!(
                "its secret is not `{PREFIX}` and {} to {} bytes as base64, or at most {MOST_SECRETS} of these, one a line",
                LENGTHS.start(),
                LENGTHS.end()
            )),
        }
    }

    /// Returns the signatures of an event, separated by spaces.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        let signed = format!("{id}.{timestamp}.{body}");
        let signatures = self.0.iter().map(|key| {
            let tag = hmac::sign(key, signed.as_bytes());
            format!("v1,{}", BASE64_STANDARD.encode(tag))
        });
        signatures.collect::<Vec<_>>().join(" ")
    }
}

fn parse_key(line: &str) -> Option<hmac::Key> {
    let bytes = BASE64_STANDARD.decode(line.strip_prefix(PREFIX)?).ok()?;
    let bytes = Zeroizing::new(bytes);
    let fits = LENGTHS.contains(&bytes.len());
    fits.then(|| hmac::Key::new(HMAC_SHA256, &bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's libraries.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn sign(secrets: &str) -> String {
        let secrets = Secrets::parse(secrets).unwrap();
        let body = r#"{"test": 2432232314}"#;
        secrets.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body)
    }

    #[test]
    fn the_published_example_has_its_signature() {
        assert_eq!(sign(SECRET), SIGNATURE);
    }

    #[test]
    fn two_secrets_make_two_signatures() {
        let other = format!("whsec_{}", BASE64_STANDARD.encode([7; 32]));
        let both = sign(&format!("{other}\n{SECRET}\n"));
        let (first, second) = both.split_once(' ').unwrap();
        assert_eq!(second, SIGNATURE);
        assert_ne!(first, second);
    }

    #[test]
    fn other_strings_are_no_secrets_and_are_not_repeated() {
        let short = format!("whsec_{}", BASE64_STANDARD.encode([7; 23]));
        let many = format!("{SECRET}\n").repeat(5);
        for text in [
            "",
            "whsec_",
            "hunter2",
            "whsec_!!",
            &short,
            &many,
            SECRET.trim_start_matches(PREFIX),
        ] {
            let refused = Secrets::parse(text).err().unwrap();
            assert!(
                text.is_empty() || !refused.contains(text.trim()) || text == "whsec_",
                "{refused}"
            );
        }
    }
}
