//! Values of an auth file that may be files: certificates, keys and tokens.

use std::io;

use super::place::NamedFiles;
use crate::{
    private,
    secret::Secret,
    target::{ClientIdentity, IdentityFault},
};

/// The longest certificate, in bytes.
const LIMIT: u64 = 1 << 20;

/// The keys of a client certificate in an auth file.
pub(super) const CERTIFICATE: &str = "client_certificate";
pub(super) const CERTIFICATE_KEY: &str = "client_certificate_key";

/// Reads the certificate and the key of a client. Each is PEM itself, or a file with it.
pub(super) fn client_identity(
    certificate: Option<String>,
    key: Option<String>,
    files: NamedFiles<'_>,
) -> Result<Option<ClientIdentity>, Vec<String>> {
    let (certificate, key) = match (certificate, key) {
        (Some(certificate), Some(key)) => (certificate, Secret::new(key)),
        (None, None) => return Ok(None),
        (Some(_), None) => return Err(vec![format!("`{CERTIFICATE_KEY}` is missing")]),
        (None, Some(_)) => return Err(vec![format!("`{CERTIFICATE}` is missing")]),
    };
    let mut problems = Vec::new();
    let certificate = match is_pem(&certificate) {
        true => Ok(certificate),
        false => files
            .path(&certificate)
            .and_then(|path| private::read_protected(&path, LIMIT)),
    };
    let key = match is_pem(key.expose()) {
        true => Ok(key),
        false => files.secret(key.expose()),
    };
    let mut report = |name: &str, error: &io::Error| problems.push(format!("`{name}`: {error}"));
    let certificate = certificate.map_err(|error| report(CERTIFICATE, &error));
    let key = key.map_err(|error| report(CERTIFICATE_KEY, &error));
    let (Ok(certificate), Ok(key)) = (certificate, key) else {
        return Err(problems);
    };
    let identity = ClientIdentity::from_pem(&certificate, &key);
    identity.map(Some).map_err(|fault| {
        vec![match fault {
            IdentityFault::Certificate => format!("`{CERTIFICATE}` holds no certificate as PEM"),
            IdentityFault::Key => format!("`{CERTIFICATE_KEY}` holds no private key as PEM"),
            IdentityFault::Different => {
                format!("`{CERTIFICATE_KEY}` is not the key of `{CERTIFICATE}`")
            }
        }]
    })
}

fn is_pem(text: &str) -> bool {
    text.trim_start().starts_with("-----BEGIN ")
}
