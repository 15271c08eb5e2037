//! Who is at the other end of a connection, for everything that is counted per user or per address.

use std::net::{IpAddr, Ipv6Addr};

use engine::store::Tenant;

/// Whose calls are counted together: the user's where there are several, otherwise those of an
/// address. `None` where neither is known.
pub(crate) fn counted_for(tenant: &Tenant, address: Option<IpAddr>) -> Option<String> {
    match *tenant == Tenant::local() {
        true => address.map(|address| format!("address:{}", one_customer(address))),
        false => Some(tenant.as_str().to_owned()),
    }
}

/// The address that stands for all of one customer: providers give each at least 64 bits of IPv6.
pub(crate) fn one_customer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    }
}

/// The address for a log that people read: the network, and not the machine in it.
pub(crate) fn shown_network(address: IpAddr) -> String {
    match one_customer(address) {
        IpAddr::V4(address) => {
            let [first, second, third, _] = address.octets();
            format!("{first}.{second}.{third}.0/24")
        }
        IpAddr::V6(address) => format!("{address}/64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_network_of_an_address() {
        let shown = |address: &str| shown_network(address.parse().expect("an address"));
        assert_eq!(shown("192.0.2.77"), "192.0.2.0/24");
        assert_eq!(shown("::ffff:192.0.2.77"), "192.0.2.0/24");
        assert_eq!(shown("2001:db8:1:2::3"), "2001:db8:1:2::/64");
    }

    #[test]
    fn one_customer_is_counted_once_whatever_addresses_it_uses() {
        let counted = |address: &str| {
            let address = address.parse().expect("an address");
            counted_for(&Tenant::local(), Some(address))
        };
        assert_eq!(counted("2001:db8:1:2::3"), counted("2001:db8:1:2:ffff::9"));
        assert_ne!(counted("2001:db8:1:2::3"), counted("2001:db8:1:3::3"));
        assert_eq!(counted("::ffff:192.0.2.1"), counted("192.0.2.1"));
        assert_ne!(counted("192.0.2.1"), counted("192.0.2.2"));
    }
}
