//! The certificate with which this process authenticates itself to a service.

use std::{cmp::Ordering, fmt, sync::Arc};

use ring::digest::{Context, SHA256};
use rustls::{
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    sign::CertifiedKey,
};

use crate::secret::Secret;

/// A certificate and its private key. Two are equal if their contents are. `Debug` shows neither.
#[derive(Clone)]
pub(crate) struct ClientIdentity {
    digest: [u8; 32],
    certified: Arc<CertifiedKey>,
}

impl ClientIdentity {
    /// Reads a chain of certificates and the private key of the first one, both as PEM.
    pub(crate) fn from_pem(certificates: &str, key: &Secret) -> Result<Self, IdentityFault> {
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(certificates.as_bytes()).collect();
        let chain = chain.ok().filter(|chain| !chain.is_empty());
        let chain = chain.ok_or(IdentityFault::Certificate)?;
        let key = key.expose().as_bytes();
        let mut context = Context::new(&SHA256);
        for part in chain.iter().map(AsRef::as_ref).chain([key]) {
            context.update(&part.len().to_be_bytes());
            context.update(part);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| IdentityFault::Key)?;
        let certified = CertifiedKey::from_der(chain, key, &default_provider());
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => IdentityFault::Different,
            _ => IdentityFault::Key,
        })?;
        let mut digest = [0; 32];
        digest.copy_from_slice(context.finish().as_ref());
        Ok(Self {
            digest,
            certified: Arc::new(certified),
        })
    }

    /// Returns the certificate and the key, for the client that presents them.
    pub(crate) fn certified(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.certified)
    }
}

/// The reason why an identity cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdentityFault {
    /// There is no certificate.
    Certificate,
    /// There is no private key.
    Key,
    /// The key is that of another certificate.
    Different,
}

impl PartialEq for ClientIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for ClientIdentity {}

impl PartialOrd for ClientIdentity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ClientIdentity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.digest.cmp(&other.digest)
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientIdentity(…)")
    }
}
