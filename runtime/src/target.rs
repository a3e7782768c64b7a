//! The permitted targets of requests: origins, addresses, and the words that allow the risky ones.
//!
//! An address is public, loopback, private or link-local. Requests to public addresses over HTTPS,
//! and to loopback, need no word. Everything else needs one of the operator's [`Allowance`]s:
//! a document must not decide that a request reaches the machine's network or goes out in clear.
//!
//! A host name is checked twice: its spelling before anything is sent, and the addresses that it
//! resolves to when a connection is made. A name that is not `localhost` must not resolve to a
//! loopback address either, since a name of the internet could otherwise reach services of this
//! machine.

mod address;
mod allowance;
mod identity;
mod origin;

use std::{collections::BTreeSet, fmt};

pub(crate) use address::{Reach, is_local_name, reach_of, reach_of_address};
pub use allowance::Allowance;
pub(crate) use identity::{ClientIdentity, IdentityFault};
pub use origin::Origin;
use reqwest::Url;

use crate::workspace::ServiceWorkspace;

/// The way that requests to one service leave the process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Egress {
    /// Set unless any certificate of the service is accepted.
    pub(crate) verify_tls: bool,
    pub(crate) allow: BTreeSet<Allowance>,
    /// The proxy that carries requests beyond loopback.
    pub(crate) proxy: Option<Origin>,
    /// The certificate that the client presents.
    pub(crate) identity: Option<ClientIdentity>,
    /// The named workspace whose connections no other one uses.
    pub(crate) pool: Option<ServiceWorkspace>,
}

/// A target that needs words that the operator has not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The origin, or the host and the address that it resolves to.
    pub(crate) target: String,
    /// The missing words, at least one.
    pub(crate) needs: Vec<Allowance>,
}

impl Egress {
    /// The targets that the operator allows, with verified certificates.
    pub(crate) const fn verified(allow: BTreeSet<Allowance>, proxy: Option<Origin>) -> Self {
        Self {
            verify_tls: true,
            allow,
            proxy,
            identity: None,
            pool: None,
        }
    }

    /// Every target, for programs whose user has named the target itself.
    pub(crate) fn unrestricted() -> Self {
        Self::verified(Allowance::ALL.iter().copied().collect(), None)
    }

    /// Checks the scheme, the certificate's setting and the spelling of the host.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Refused> {
        let reach = reach_of(url);
        let plain = url.scheme() == "http" && reach != Some(Reach::Loopback);
        let unverified = url.scheme() == "https" && !self.verify_tls;
        let words = [
            plain.then_some(Allowance::PlainHttp),
            unverified.then_some(Allowance::UnverifiedTls),
            reach.and_then(Reach::needs),
        ];
        let missing = |word: &Allowance| !self.allow.contains(word);
        let needs: Vec<_> = words.into_iter().flatten().filter(missing).collect();
        if needs.is_empty() {
            return Ok(());
        }
        Err(Refused {
            target: url.origin().ascii_serialization(),
            needs,
        })
    }
}

impl Refused {
    /// Returns the reasons for the words that the target needs, as the end of a sentence that names
    /// it.
    pub(crate) fn reasons(&self) -> String {
        let reasons: Vec<_> = self.needs.iter().map(|word| word.reason()).collect();
        reasons.join(", and ")
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.target, self.reasons())
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(url: &str, verify_tls: bool, allow: &[Allowance]) -> Vec<Allowance> {
        let egress = Egress {
            verify_tls,
            allow: allow.iter().copied().collect(),
            proxy: None,
            identity: None,
            pool: None,
        };
        let checked = egress.check(&Url::parse(url).unwrap());
        checked.map_or_else(|refused| refused.needs, |()| Vec::new())
    }

    #[test]
    fn public_https_and_loopback_need_no_allowance() {
        for url in [
            "https://api.example",
            "https://8.8.8.8",
            "https://[2606:4700::1111]",
            "http://127.0.0.1:9101",
            "http://127.9.9.9",
            "http://[::1]:80",
            "http://[::ffff:127.0.0.1]",
            "http://localhost",
            "http://LOCALHOST.:8080",
            "http://depot.localhost",
            // The parser of URLs knows every spelling of an IPv4 address.
            "http://2130706433",
            "http://0x7f.1",
        ] {
            assert_eq!(needs(url, true, &[]), [], "{url}");
        }
    }

    #[test]
    fn a_risky_target_needs_each_of_its_allowances() {
        use Allowance::{LinkLocal, PlainHttp, PrivateNetwork, UnverifiedTls};
        for (url, words) in [
            ("http://api.example", &[PlainHttp][..]),
            ("http://localhost.example", &[PlainHttp]),
            ("http://notlocalhost", &[PlainHttp]),
            ("https://10.1.2.3", &[PrivateNetwork]),
            ("https://172.31.0.1", &[PrivateNetwork]),
            ("https://192.168.0.1", &[PrivateNetwork]),
            ("https://100.64.0.1", &[PrivateNetwork]),
            ("https://0.0.0.0", &[PrivateNetwork]),
            ("https://0", &[PrivateNetwork]),
            ("https://0xa.1", &[PrivateNetwork]),
            ("https://167772161", &[PrivateNetwork]),
            ("https://012.0.0.1", &[PrivateNetwork]),
            ("https://224.0.0.1", &[PrivateNetwork]),
            ("https://255.255.255.255", &[PrivateNetwork]),
            ("https://[::]", &[PrivateNetwork]),
            ("https://[fd00::1]", &[PrivateNetwork]),
            ("https://[ff02::1]", &[PrivateNetwork]),
            ("https://[::ffff:10.0.0.1]", &[PrivateNetwork]),
            ("https://[64:ff9b::10.0.0.1]", &[PrivateNetwork]),
            ("https://[2002:a00:1::]", &[PrivateNetwork]),
            ("http://10.1.2.3", &[PlainHttp, PrivateNetwork]),
            ("http://169.254.169.254", &[PlainHttp, LinkLocal]),
            ("https://[fe80::1]", &[LinkLocal]),
            ("https://[::ffff:a9fe:a9fe]", &[LinkLocal]),
            ("https://[64:ff9b::a9fe:a9fe]", &[LinkLocal]),
            ("https://[fd00:ec2::254]", &[LinkLocal]),
            ("https://100.100.100.200", &[LinkLocal]),
            ("http://metadata.google.internal", &[PlainHttp, LinkLocal]),
            ("https://METADATA.google.internal.", &[LinkLocal]),
        ] {
            assert_eq!(needs(url, true, &[]), words, "{url}");
            assert_eq!(needs(url, true, words), [], "{url}");
        }
        assert_eq!(needs("https://api.example", false, &[]), [UnverifiedTls]);
        assert_eq!(needs("https://localhost", false, &[]), [UnverifiedTls]);
        assert_eq!(needs("https://localhost", false, &[UnverifiedTls]), []);
    }
}
