//! Any address: judging never panics, what it lets through is public by a second opinion, and
//! judging again agrees.
#![no_main]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use libfuzzer_sys::fuzz_target;
use net::guard::{MAX_URL_BYTES, Target, TargetHost, check_ip, parse_target};

/// The standard library's idea of addresses that are not public, which shares no table with the
/// guard's.
fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_broadcast()
                || ip.is_documentation()
                || ip.is_multicast()
                || ip.is_unspecified()
                || ip.octets()[0] == 0
        }
        IpAddr::V6(ip) => {
            ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_multicast()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
        }
    }
}

fn check(target: &Target) {
    let url = target.url();
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    assert!(
        url.username().is_empty() && url.password().is_none(),
        "{url} carries credentials"
    );
    assert!(url.as_str().len() <= MAX_URL_BYTES);
    assert_ne!(target.port(), 0);
    match target.host() {
        TargetHost::Ip(ip) => {
            assert!(!is_private(*ip), "{url} is private");
            assert!(check_ip(*ip).is_ok(), "{url} is special");
        }
        TargetHost::Name(name) => {
            assert!(
                name.parse::<IpAddr>().is_err(),
                "{url} hides an address in a name"
            );
            assert!(
                name.contains('.') && !name.ends_with('.') && !name.ends_with("localhost"),
                "{url} is a local name"
            );
            assert_eq!(
                url.host_str(),
                Some(name.as_str()),
                "the judged name is not the one that is asked"
            );
        }
    }
    assert_eq!(
        parse_target(url.as_str()).as_ref(),
        Ok(target),
        "judging twice differs from judging once"
    );
}

/// Spellings of one address that parsers have been known to disagree about.
fn spellings(v4: Ipv4Addr, v6: Ipv6Addr) -> Vec<String> {
    let number = u32::from(v4);
    let [a, b, c, d] = v4.octets();
    let rest = number & 0x00ff_ffff;
    vec![
        v4.to_string(),
        number.to_string(),
        format!("0x{number:x}"),
        format!("0{number:o}"),
        format!("{a}.{rest}"),
        format!("0x{a:X}.0{b:o}.{c}.{d}."),
        format!("[{}]", v4.to_ipv6_mapped()),
        format!("[::{v4}]"),
        format!("[64:ff9b::{v4}]"),
        format!("[{v6}]"),
    ]
}

fuzz_target!(|input: (&str, [u8; 16])| {
    let (text, bytes) = input;
    for text in [
        text.to_owned(),
        format!("http://{text}"),
        format!("http://{text}/"),
        format!("https://a.example/{text}"),
    ] {
        if let Ok(target) = parse_target(&text) {
            check(&target);
        }
    }

    let (v4, v6) = (
        Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]),
        Ipv6Addr::from(bytes),
    );
    for host in spellings(v4, v6) {
        if let Ok(target) = parse_target(&format!("http://{host}/")) {
            check(&target);
            assert!(
                matches!(target.host(), TargetHost::Ip(_)),
                "{host} is an address"
            );
        }
    }
});
