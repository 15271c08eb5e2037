//! Which addresses belong to the public internet.
//!
//! IPv4 uses a deny list: the IANA special-purpose registry, multicast, reserved space, and one
//! cloud service with a public address. IPv6 uses an allow list, because its special forms keep
//! growing and several of them (NAT64, 6to4, Teredo, IPv4-compatible) carry an IPv4 address that
//! may be private.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Denied;

/// The kind of special address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecialAddress {
    ThisNetwork,
    Private,
    SharedCarrier,
    Loopback,
    LinkLocal,
    CloudPlatform,
    ProtocolAssignment,
    Documentation,
    Benchmarking,
    Relay,
    Multicast,
    Reserved,
    Broadcast,
    /// IPv6 outside the allocated global unicast space.
    NotGlobalV6,
}

impl SpecialAddress {
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::ThisNetwork => "the address means this network (0.0.0.0/8)",
            Self::Private => "the address is in a private network range",
            Self::SharedCarrier => "the address is in carrier-shared space (100.64.0.0/10)",
            Self::Loopback => "the address is this machine",
            Self::LinkLocal => "the address is link-local, where cloud metadata services are",
            Self::CloudPlatform => "the address is a cloud platform's internal service",
            Self::ProtocolAssignment => "the address is reserved for protocol use",
            Self::Documentation => "the address is reserved for documentation",
            Self::Benchmarking => "the address is reserved for benchmarks",
            Self::Relay => "the address relays to another network",
            Self::Multicast => "the address is multicast",
            Self::Reserved => "the address is reserved",
            Self::Broadcast => "the address is broadcast",
            Self::NotGlobalV6 => "the IPv6 address is not global unicast",
        }
    }

    /// Whether machines of a local network have such addresses, so that pages may be read there.
    pub(super) fn is_a_network(self) -> bool {
        matches!(
            self,
            Self::Private | Self::SharedCarrier | Self::Loopback | Self::NotGlobalV6
        )
    }
}

/// IPv4 ranges that are refused unless the operator allows them. The first match counts.
const SPECIAL_V4: &[(Ipv4Addr, u32, SpecialAddress)] = &[
    (
        Ipv4Addr::new(255, 255, 255, 255),
        32,
        SpecialAddress::Broadcast,
    ),
    (Ipv4Addr::new(0, 0, 0, 0), 8, SpecialAddress::ThisNetwork),
    (Ipv4Addr::new(10, 0, 0, 0), 8, SpecialAddress::Private),
    (
        Ipv4Addr::new(100, 64, 0, 0),
        10,
        SpecialAddress::SharedCarrier,
    ),
    (Ipv4Addr::new(127, 0, 0, 0), 8, SpecialAddress::Loopback),
    // Azure's platform service: a public address that is only used internally.
    (
        Ipv4Addr::new(168, 63, 129, 16),
        32,
        SpecialAddress::CloudPlatform,
    ),
    (Ipv4Addr::new(169, 254, 0, 0), 16, SpecialAddress::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, SpecialAddress::Private),
    (
        Ipv4Addr::new(192, 0, 0, 0),
        24,
        SpecialAddress::ProtocolAssignment,
    ),
    (
        Ipv4Addr::new(192, 0, 2, 0),
        24,
        SpecialAddress::Documentation,
    ),
    (
        Ipv4Addr::new(192, 31, 196, 0),
        24,
        SpecialAddress::ProtocolAssignment,
    ),
    (Ipv4Addr::new(192, 52, 193, 0), 24, SpecialAddress::Relay),
    (Ipv4Addr::new(192, 88, 99, 0), 24, SpecialAddress::Relay),
    (Ipv4Addr::new(192, 168, 0, 0), 16, SpecialAddress::Private),
    (
        Ipv4Addr::new(192, 175, 48, 0),
        24,
        SpecialAddress::ProtocolAssignment,
    ),
    (
        Ipv4Addr::new(198, 18, 0, 0),
        15,
        SpecialAddress::Benchmarking,
    ),
    (
        Ipv4Addr::new(198, 51, 100, 0),
        24,
        SpecialAddress::Documentation,
    ),
    (
        Ipv4Addr::new(203, 0, 113, 0),
        24,
        SpecialAddress::Documentation,
    ),
    (Ipv4Addr::new(224, 0, 0, 0), 4, SpecialAddress::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, SpecialAddress::Reserved),
];

/// Special ranges inside 2000::/3. The first match counts.
const SPECIAL_V6: &[(Ipv6Addr, u32, SpecialAddress)] = &[
    // Protocol assignments, including Teredo and ORCHID.
    (
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),
        23,
        SpecialAddress::ProtocolAssignment,
    ),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        SpecialAddress::Documentation,
    ),
    // 6to4: the embedded IPv4 address may be private.
    (
        Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0),
        16,
        SpecialAddress::Relay,
    ),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        SpecialAddress::Documentation,
    ),
];

/// Checks one address without the operator's allow rules.
///
/// # Errors
/// The special range that contains the address.
pub fn check_ip(ip: IpAddr) -> Result<(), Denied> {
    let special = match plain(ip) {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => special_v6(v6),
    };
    special.map_or(Ok(()), |special| Err(Denied::Address(special)))
}

/// An IPv4-mapped IPv6 address as the IPv4 address that the kernel connects to.
#[must_use]
pub(crate) fn plain(ip: IpAddr) -> IpAddr {
    ip.to_canonical()
}

fn special_v4(ip: Ipv4Addr) -> Option<SpecialAddress> {
    let found = SPECIAL_V4
        .iter()
        .find(|(base, bits, _)| same_prefix_v4(*base, ip, *bits));
    found.map(|(_, _, special)| *special)
}

fn special_v6(ip: Ipv6Addr) -> Option<SpecialAddress> {
    if ip == Ipv6Addr::LOCALHOST {
        return Some(SpecialAddress::Loopback);
    }
    if ip.is_multicast() {
        return Some(SpecialAddress::Multicast);
    }
    if !same_prefix_v6(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), ip, 3) {
        return Some(SpecialAddress::NotGlobalV6);
    }
    let found = SPECIAL_V6
        .iter()
        .find(|(base, bits, _)| same_prefix_v6(*base, ip, *bits));
    found.map(|(_, _, special)| *special)
}

pub(super) fn same_prefix_v4(base: Ipv4Addr, ip: Ipv4Addr, bits: u32) -> bool {
    let mask = u32::MAX.checked_shl(32 - bits.min(32)).unwrap_or(0);
    u32::from(base) & mask == u32::from(ip) & mask
}

pub(super) fn same_prefix_v6(base: Ipv6Addr, ip: Ipv6Addr, bits: u32) -> bool {
    let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
    u128::from(base) & mask == u128::from(ip) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_zero_and_all_bits_match_correctly() {
        let any = Ipv4Addr::new(9, 9, 9, 9);
        assert!(same_prefix_v4(Ipv4Addr::UNSPECIFIED, any, 0));
        assert!(!same_prefix_v4(Ipv4Addr::new(9, 9, 9, 8), any, 32));
        assert!(same_prefix_v6(
            Ipv6Addr::UNSPECIFIED,
            Ipv6Addr::LOCALHOST,
            0
        ));
        assert!(!same_prefix_v6(
            Ipv6Addr::UNSPECIFIED,
            Ipv6Addr::LOCALHOST,
            128
        ));
    }

    #[test]
    fn a_mapped_address_is_checked_as_its_ipv4_address() {
        let private: IpAddr = IpAddr::V6(Ipv4Addr::new(10, 0, 0, 1).to_ipv6_mapped());
        let public: IpAddr = IpAddr::V6(Ipv4Addr::new(8, 8, 8, 8).to_ipv6_mapped());
        assert_eq!(
            check_ip(private),
            Err(Denied::Address(SpecialAddress::Private))
        );
        assert_eq!(check_ip(public), Ok(()));
    }
}
