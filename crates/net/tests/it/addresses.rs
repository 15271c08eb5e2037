//! The guard's rules for addresses: every form of a special address is refused, public ones are
//! allowed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use net::guard::{Denied, Policy, check_ip, parse_target};
use proptest::prelude::*;

/// Hosts as they may be written in a URL. All of them must be refused before anything is sent.
const REFUSED: &[&str] = &[
    // Loopback in every notation that a URL parser accepts.
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "127.0.1",
    "127.255.255.255",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "017700000001",
    "0177.0.0.1",
    "0177.0.0.01",
    "127.0.0.1.",
    "0X7F.0.0.1",
    "127.0x1",
    "0177.1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "１２７.0.0.1",
    "127。0。0。1",
    "127．0．0．1",
    "⑫7.0.0.1",
    // "This network".
    "0.0.0.0",
    "0",
    "0x0",
    "00",
    "0.0.0.1",
    "0.255.255.255",
    "0.1",
    // Private networks.
    "10.0.0.0",
    "10.0.0.1",
    "10.255.255.255",
    "10.1",
    "0xa.0.0.1",
    "012.0.0.1",
    "167772161",
    "0xa000001",
    "172.16.0.0",
    "172.16.0.1",
    "172.31.255.255",
    "172.20.1",
    "0xac100001",
    "2886729729",
    "192.168.0.0",
    "192.168.0.1",
    "192.168.255.255",
    "192.168.1",
    "0xc0a80001",
    "3232235521",
    "0300.0250.0.1",
    "0300.168.1",
    // Carrier-shared, link-local, cloud platforms.
    "100.64.0.0",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "1681915904",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.255.255",
    "2852039166",
    "0xa9fea9fe",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "168.63.129.16",
    "2822734096",
    // Protocol assignments, documentation, benchmarks, relays.
    "192.0.0.0",
    "192.0.0.8",
    "192.0.0.9",
    "192.0.0.10",
    "192.0.0.170",
    "192.0.0.192",
    "192.0.0.255",
    "192.0.2.0",
    "192.0.2.255",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.88.99.2",
    "192.175.48.1",
    "198.18.0.0",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.255",
    // Multicast, reserved, broadcast.
    "224.0.0.1",
    "239.255.255.250",
    "239.255.255.255",
    "240.0.0.1",
    "254.255.255.255",
    "255.255.255.255",
    "4294967295",
    "0xffffffff",
    "037777777777",
    // IPv6 loopback and unspecified addresses in all their forms.
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0.0.0.1]",
    "[::2]",
    // Mapped.
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:10.0.0.1]",
    "[::ffff:a00:1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[0:0:0:0:0:ffff:192.168.1.1]",
    "[::ffff:0.0.0.0]",
    "[::ffff:168.63.129.16]",
    "[::ffff:100.64.0.1]",
    "[::ffff:224.0.0.1]",
    // Compatible, translated, NAT64.
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::8.8.8.8]",
    "[::ffff:0:127.0.0.1]",
    "[::ffff:0:8.8.8.8]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::8.8.8.8]",
    "[64:ff9b:1::10.0.0.1]",
    "[64:ff9b:1:ffff::1]",
    // 6to4 and Teredo.
    "[2002:7f00:1::]",
    "[2002:a00:1::1]",
    "[2002:c0a8:101::]",
    "[2002:808:808::1]",
    "[2001::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    // Other special blocks.
    "[2001:1::1]",
    "[2001:2::1]",
    "[2001:3::1]",
    "[2001:4:112::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[2001:30::1]",
    "[2001:1ff:ffff::1]",
    "[2001:db8::1]",
    "[2001:DB8:ffff::1]",
    "[3fff::1]",
    "[3fff:fff::1]",
    "[5f00::1]",
    "[100::1]",
    "[100:0:0:1::1]",
    // Unique local, link-local, site-local, multicast, unassigned.
    "[fc00::1]",
    "[fd00::1]",
    "[fd00:ec2::254]",
    "[fdff:ffff::1]",
    "[fe80::1]",
    "[fe80::a9fe:a9fe]",
    "[febf::1]",
    "[fec0::1]",
    "[feff::1]",
    "[ff02::1]",
    "[ff05::2]",
    "[ff0e::1]",
    "[4000::1]",
    "[8000::1]",
    "[e000::1]",
    "[1fff:ffff::1]",
    "[1::]",
    // Zone ids.
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[::1%25lo]",
    "[2606:4700::1111%251]",
    // Names.
    "localhost",
    "LOCALHOST",
    "localhost.",
    "LocalHost.",
    "a.localhost",
    "b.a.localhost.",
    "printer.local",
    "PRINTER.LOCAL.",
    "local.",
    "db.internal",
    "metadata.google.internal",
    "Metadata.Google.Internal.",
    "metadata.azure.internal",
    "instance-data.ec2.internal",
    "metadata.goog",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "api.metadata.cloud.ibm.com",
    "router.home.arpa",
    "home.arpa",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "svc",
    "abcdefghijklmnop.onion",
    "intranet",
    "router",
    "metadata",
    "ip6-localhost",
    "localhost.localdomain",
    "ｌocalhost",
    "loc%61lhost",
    "ⓛocalhost",
];

const PUBLIC: &[&str] = &[
    "1.1.1.1",
    "8.8.8.8",
    "9.9.9.9",
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.1",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "134744072",
    "0x08080808",
    "010.8.8.8",
    "93.184.216.34",
    "[2606:4700:4700::1111]",
    "[2001:4860:4860::8888]",
    "[2001:200::1]",
    "[2001:db7::1]",
    "[2001:db9::1]",
    "[2003::1]",
    "[2000::1]",
    "[2a00:1450:4001::1]",
    "[3ffe::1]",
    "[3fff:1000::1]",
    "[2620:fe::fe]",
    "[::ffff:8.8.8.8]",
    "[::ffff:808:808]",
    "example.com",
    "example.com.",
    "EXAMPLE.com",
    "local.example.com",
    "mylocalhost.com",
    "internal.org",
    "onion.ly",
    "thelocal.se",
    "bücher.example",
    "xn--bcher-kva.example",
    "metadata.example.com",
    "localhost.example.com",
    "svc.io",
];

#[test]
fn every_special_form_is_refused() {
    assert!(REFUSED.len() >= 150, "{}", REFUSED.len());
    for host in REFUSED {
        for url in [
            format!("http://{host}/"),
            format!("https://{host}:8443/x?q=1"),
            format!("HTTP://{host}"),
        ] {
            let Err(denied) = parse_target(&url) else {
                panic!("let through: {url}")
            };
            assert!(
                !matches!(denied, Denied::Unparsable | Denied::Scheme),
                "{url}: {denied:?}"
            );
        }
    }
}

#[test]
fn public_hosts_are_allowed() {
    assert!(PUBLIC.len() >= 30);
    for host in PUBLIC {
        for url in [format!("http://{host}/"), format!("https://{host}:8443/x")] {
            assert!(
                parse_target(&url).is_ok(),
                "refused: {url}: {:?}",
                parse_target(&url)
            );
        }
    }
}

#[test]
fn invalid_urls_are_refused_by_the_rule_they_break() {
    let long = format!("http://example.com/{}", "a".repeat(8192));
    let cases = [
        ("ftp://example.com/", Denied::Scheme),
        ("file:///etc/passwd", Denied::Scheme),
        ("gopher://example.com/", Denied::Scheme),
        ("javascript:alert(1)", Denied::Scheme),
        ("data:text/plain,hi", Denied::Scheme),
        ("ws://example.com/", Denied::Scheme),
        ("view-source:http://example.com/", Denied::Scheme),
        ("http://user@example.com/", Denied::Credentials),
        ("http://user:pass@example.com/", Denied::Credentials),
        ("http://:pass@example.com/", Denied::Credentials),
        ("http://8.8.8.8@127.0.0.1/", Denied::Credentials),
        ("http:///", Denied::BadHost),
        ("http://", Denied::BadHost),
        ("http://.../", Denied::BadHost),
        ("http://a..example.com/", Denied::BadHost),
        ("http://256.256.256.256/", Denied::BadHost),
        ("http://1.2.3.4.5/", Denied::BadHost),
        ("http://[::1/", Denied::BadHost),
        ("example.com", Denied::Unparsable),
        ("", Denied::Unparsable),
        ("/relative", Denied::Unparsable),
        ("http://example.com:99999/", Denied::Unparsable),
    ];
    for (url, expected) in cases {
        assert_eq!(parse_target(url), Err(expected), "{url}");
    }
    assert!(matches!(parse_target(&long), Err(Denied::TooLong { .. })));
}

#[test]
fn a_private_host_is_not_advised_to_be_opened_for_a_port_that_stays_closed() {
    for url in ["http://10.0.0.1:22/", "http://localhost:25/"] {
        assert_eq!(parse_target(url), Err(Denied::PrivatePort), "{url}");
    }
    let opened = Policy::new(vec!["10.0.0.1".parse().unwrap()]);
    let closed = opened.target("http://10.0.0.1:22/");
    assert_eq!(closed, Err(Denied::Port(22)));
    let named = Policy::new(vec!["10.0.0.1:22".parse().unwrap()]);
    assert!(named.target("http://10.0.0.1:22/").is_ok());
}

#[test]
fn ports_of_other_services_are_refused() {
    for port in [
        0, 1, 21, 22, 23, 25, 53, 110, 143, 465, 587, 993, 995, 2049, 4190, 5060, 6000, 6566, 6665,
        6669, 6679, 6697, 10080,
    ] {
        assert_eq!(
            parse_target(&format!("http://example.com:{port}/")),
            Err(Denied::Port(port))
        );
    }
    for port in [80, 81, 443, 3000, 8000, 8080, 8443, 9200] {
        assert!(
            parse_target(&format!("http://example.com:{port}/")).is_ok(),
            "{port}"
        );
    }
}

/// A second, independent implementation of the rules, for the properties to compare with.
fn special(ip: Ipv4Addr) -> bool {
    let [a, b, c, d] = ip.octets();
    match a {
        0 | 10 | 127 | 224..=255 => true,
        100 => (64..=127).contains(&b),
        168 => (b, c, d) == (63, 129, 16),
        169 => b == 254,
        172 => (16..=31).contains(&b),
        192 => {
            b == 168
                || matches!(
                    (b, c),
                    (0, 0) | (0, 2) | (31, 196) | (52, 193) | (88, 99) | (175, 48)
                )
        }
        198 => b == 18 || b == 19 || (b, c) == (51, 100),
        203 => (b, c) == (0, 113),
        _ => false,
    }
}

fn v4_forms(ip: Ipv4Addr) -> Vec<String> {
    let number = u32::from(ip);
    let [a, b, c, d] = ip.octets();
    let mapped = ip.to_ipv6_mapped();
    vec![
        format!("{ip}"),
        format!("{ip}."),
        format!("{number}"),
        format!("{number:#x}"),
        format!("0{number:o}"),
        format!("{a}.{}", number & 0xff_ffff),
        format!("{a}.{b}.{}", number & 0xffff),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("[{mapped}]"),
        format!("[::ffff:{:x}:{:x}]", number >> 16, number & 0xffff),
    ]
}

/// Addresses near the edges of special blocks, which a uniform choice would almost never produce.
fn v4() -> impl Strategy<Value = Ipv4Addr> {
    let first = prop::sample::select(vec![
        0u8, 1, 9, 10, 11, 100, 126, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 239, 240,
        255,
    ]);
    let second = prop::sample::select(vec![
        0u8, 15, 16, 17, 18, 19, 20, 31, 32, 51, 52, 63, 64, 88, 127, 128, 168, 175, 254, 255,
    ]);
    let edges = (first, second, any::<u8>(), any::<u8>())
        .prop_map(|(a, b, c, d)| Ipv4Addr::new(a, b, c, d));
    prop_oneof![edges, any::<u32>().prop_map(Ipv4Addr::from)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn ipv4_is_checked_alike_in_every_textual_form(ip in v4()) {
        for form in v4_forms(ip) {
            let verdict = parse_target(&format!("http://{form}/"));
            prop_assert_eq!(verdict.is_err(), special(ip), "{}", form);
        }
    }

    #[test]
    fn ipv6_outside_global_unicast_is_refused(bits in any::<u128>()) {
        let ip = Ipv6Addr::from(bits);
        prop_assume!(ip.to_ipv4_mapped().is_none());
        if bits >> 125 != 1 {
            prop_assert!(check_ip(IpAddr::V6(ip)).is_err());
        }
    }

    #[test]
    fn special_ipv6_ranges_are_refused_and_the_rest_is_allowed(low in any::<u128>(), block in 0usize..4) {
        let (base, length): (Ipv6Addr, u32) = [
            ("2001::".parse().unwrap(), 23), ("2001:db8::".parse().unwrap(), 32), ("2002::".parse().unwrap(), 16), ("3fff::".parse().unwrap(), 20),
        ][block];
        let inside = Ipv6Addr::from(u128::from(base) | (low & (u128::MAX >> length)));
        prop_assert!(check_ip(IpAddr::V6(inside)).is_err(), "{}", inside);
        let url = format!("http://[{inside}]/");
        prop_assert!(parse_target(&url).is_err());
        let global = Ipv6Addr::from((low & (u128::MAX >> 8)) | (0x26 << 120));
        prop_assert!(check_ip(IpAddr::V6(global)).is_ok(), "{}", global);
    }

    #[test]
    fn no_text_makes_the_guard_panic(text in "\\PC{0,60}") {
        let _ = parse_target(&text);
        let _ = parse_target(&format!("http://{text}/"));
        let _ = text.parse::<net::guard::AllowRule>();
    }
}
