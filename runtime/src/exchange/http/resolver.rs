//! Resolves host names, and keeps a request from addresses that the operator has not allowed.
//!
//! The check is on the addresses that are connected to. A name that is public when it is looked at
//! and private when it is used gains nothing.

use std::{io, net::SocketAddr, sync::Arc};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::target::{Allowance, Reach, Refused, is_local_name, reach_of_address};
use futures_core::future::BoxFuture;

/// The allowances that matter to resolved addresses. Clients of different ones are different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Network {
    pub(super) private: bool,
    pub(super) link_local: bool,
}

/// Looks up the addresses of a name.
pub(super) type Lookup =
    dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync;

/// A resolver that drops the addresses that are not allowed.
pub(super) struct Guarded {
    network: Network,
    lookup: Arc<Lookup>,
}

impl Network {
    /// No restriction: for a proxy, which the operator has named.
    pub(super) const ANY: Self = Self {
        private: true,
        link_local: true,
    };

    /// Returns the addresses of a name that may be connected to; an error if none is left.
    fn admit(self, name: &str, addresses: Vec<SocketAddr>) -> io::Result<Vec<SocketAddr>> {
        let mut refused = None;
        let mut admitted = Vec::new();
        for address in addresses {
            match self.missing_allowance(name, address) {
                None => admitted.push(address),
                Some(word) => {
                    refused.get_or_insert_with(|| Refused {
                        target: format!("{name} ({})", address.ip()),
                        needs: vec![word],
                    });
                }
            }
        }
        match refused {
            Some(refused) if admitted.is_empty() => Err(io::Error::other(refused)),
            _ => Ok(admitted),
        }
    }

    fn missing_allowance(self, name: &str, address: SocketAddr) -> Option<Allowance> {
        let reach = reach_of_address(address.ip());
        let needed = match reach {
            // A local name resolves to loopback, and no other name may.
            Reach::Loopback if is_local_name(name) => None,
            Reach::Loopback => Some(Allowance::PrivateNetwork),
            Reach::Public if is_local_name(name) => Some(Allowance::PrivateNetwork),
            reach => reach.needs(),
        };
        needed.filter(|word| match word {
            Allowance::PrivateNetwork => !self.private,
            Allowance::LinkLocal => !self.link_local,
            Allowance::PlainHttp | Allowance::UnverifiedTls => false,
        })
    }
}

impl Guarded {
    /// The resolver of the operating system, restricted to a network.
    pub(super) fn new(network: Network) -> Self {
        Self::with_lookup(network, Arc::new(|name| Box::pin(system_lookup(name))))
    }

    pub(super) fn with_lookup(network: Network, lookup: Arc<Lookup>) -> Self {
        Self { network, lookup }
    }
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (network, lookup) = (self.network, Arc::clone(&self.lookup));
        Box::pin(async move {
            let found = lookup(name.as_str().to_owned()).await?;
            let admitted = network.admit(name.as_str(), found)?;
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}

/// The client replaces the port by the URL's port.
async fn system_lookup(name: String) -> io::Result<Vec<SocketAddr>> {
    let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
    Ok(found.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Network = Network {
        private: false,
        link_local: false,
    };

    fn admitted(network: Network, name: &str, addresses: &[&str]) -> Option<usize> {
        let addresses = addresses
            .iter()
            .map(|ip| SocketAddr::new(ip.parse().unwrap(), 0));
        let admitted = network.admit(name, addresses.collect());
        admitted.ok().map(|addresses| addresses.len())
    }

    #[test]
    fn a_name_reaches_only_the_addresses_that_are_allowed() {
        let private = Network {
            private: true,
            ..NONE
        };
        for (network, name, addresses, expected) in [
            (NONE, "api.example", &["8.8.8.8", "10.0.0.1"][..], Some(1)),
            (NONE, "api.example", &["10.0.0.1"], None),
            (NONE, "api.example", &["127.0.0.1"], None),
            (NONE, "api.example", &["::1"], None),
            (NONE, "api.example", &["::ffff:192.168.1.1"], None),
            (NONE, "localhost", &["127.0.0.1", "::1"], Some(2)),
            (NONE, "a.localhost", &["8.8.8.8"], None),
            (private, "api.example", &["10.0.0.1", "127.0.0.1"], Some(2)),
            (private, "api.example", &["169.254.169.254"], None),
            (Network::ANY, "api.example", &["169.254.169.254"], Some(1)),
        ] {
            let found = admitted(network, name, addresses);
            assert_eq!(found, expected, "{network:?} {name} {addresses:?}");
        }
    }
}
