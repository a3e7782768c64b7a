//! How far an address reaches.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;
use url::Host;

use super::Allowance;

/// How far an address reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This machine.
    Loopback,
    /// The link of this machine, or the metadata service of its cloud, which hands out credentials.
    LinkLocal,
    /// A private network, or a range that is not for hosts of the internet.
    Private,
    /// The internet.
    Public,
}

/// The metadata services of clouds whose addresses are not link-local ones.
const METADATA_V4: [Ipv4Addr; 2] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// The names of metadata services. They are checked by name too, since a proxy would resolve them.
const METADATA_NAMES: [&str; 5] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
];

impl Reach {
    /// The word that a target of this reach needs.
    pub(crate) const fn needs(self) -> Option<Allowance> {
        match self {
            Self::Loopback | Self::Public => None,
            Self::LinkLocal => Some(Allowance::LinkLocal),
            Self::Private => Some(Allowance::PrivateNetwork),
        }
    }
}

/// The reach of a URL's host as it is spelt; none for a name that has to be resolved.
pub(crate) fn reach_of(url: &Url) -> Option<Reach> {
    match url.host()? {
        Host::Ipv4(address) => Some(reach_v4(address)),
        Host::Ipv6(address) => Some(reach_v6(address)),
        Host::Domain(name) if is_local_name(name) => Some(Reach::Loopback),
        Host::Domain(name) => {
            let name = normal(name);
            let is_metadata = METADATA_NAMES.contains(&name.as_str());
            is_metadata.then_some(Reach::LinkLocal)
        }
    }
}

/// Checks whether a name means this machine alone: `localhost` and the names below it.
pub(crate) fn is_local_name(name: &str) -> bool {
    let name = normal(name);
    name == "localhost" || name.ends_with(".localhost")
}

/// The reach of an address.
pub(crate) fn reach_of_address(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

fn normal(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    if address.is_loopback() {
        return Reach::Loopback;
    }
    if address.is_link_local() || METADATA_V4.contains(&address) {
        return Reach::LinkLocal;
    }
    let is_special = match (a, b, c) {
        (0 | 10 | 224.., ..) => true,
        (100, 64..=127, _) | (172, 16..=31, _) | (192, 168, _) => true,
        // Protocol assignments, documentation, and measurements of networks.
        (192, 0, 0 | 2) | (198, 18..=19, _) | (198, 51, 100) | (203, 0, 113) => true,
        _ => false,
    };
    if is_special {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if address.is_loopback() {
        return Reach::Loopback;
    }
    if let Some(mapped) = address.to_ipv4_mapped() {
        return reach_v4(mapped);
    }
    if let Some(translated) = embedded_ipv4(address) {
        // Translation leads out of the machine, so a translated loopback address is not loopback.
        return match reach_v4(translated) {
            Reach::Loopback => Reach::Private,
            reach => reach,
        };
    }
    if address.is_unicast_link_local() || address == METADATA_V6 {
        return Reach::LinkLocal;
    }
    // Only 2000::/3 has hosts of the internet; 2001::/23 and 2001:db8::/32 are set aside.
    let is_global = match address.segments() {
        [0x2001, 0..=0x1ff | 0xdb8, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    };
    if is_global {
        Reach::Public
    } else {
        Reach::Private
    }
}

/// The IPv4 address within an address of NAT64 or 6to4.
fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (high, low) = match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => (high, low),
        [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Some(Ipv4Addr::new(a, b, c, d))
}
