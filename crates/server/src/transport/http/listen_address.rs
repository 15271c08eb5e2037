//! The address that an operator wants to listen on.

use std::net::SocketAddr;

/// Parses an address to listen on: `IP:PORT`, or `localhost:PORT` and `:PORT` for loopback. The
/// error says what was expected.
pub fn parse_address(text: &str) -> Result<SocketAddr, &'static str> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let digits = text
        .rsplit_once(':')
        .map(|(_, port)| port)
        .filter(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    if digits.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err("a port from 0 to 65535");
    }
    let port = text
        .strip_prefix("localhost:")
        .or_else(|| text.strip_prefix(':'))
        .and_then(|port| port.parse::<u16>().ok());
    port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
        .ok_or("an IP address and a port")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_addresses_are_parsed_leniently() {
        let port = |text| parse_address(text).ok().map(|address| address.to_string());
        assert_eq!(port("127.0.0.1:8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(port("[::1]:0").as_deref(), Some("[::1]:0"));
        assert_eq!(port("localhost:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(port(":9000").as_deref(), Some("127.0.0.1:9000"));
        for wrong in ["8080", "example.com:80", "127.0.0.1", "localhost:http", ""] {
            assert_eq!(
                parse_address(wrong),
                Err("an IP address and a port"),
                "{wrong}"
            );
        }
        assert_eq!(
            parse_address("127.0.0.1:99999"),
            Err("a port from 0 to 65535")
        );
    }
}
