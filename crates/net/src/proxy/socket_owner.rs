//! The owner of the socket at the other end of a loopback connection.
//!
//! Linux lists every TCP socket with its user. Where the list cannot be read or does not contain
//! the socket, the connection is accepted.

use std::net::{IpAddr, SocketAddr};

/// Whether the peer's socket belongs to another user.
pub(super) async fn is_another_user(peer: SocketAddr, ours: SocketAddr) -> bool {
    // The list is long on a busy machine, and the kernel generates it during the read.
    let listed = tokio::task::spawn_blocking(|| std::fs::read_to_string("/proc/net/tcp")).await;
    let Ok(Ok(table)) = listed else { return false };
    owner(&table, peer, ours).is_some_and(|owner| owner != own_user())
}

#[cfg(unix)]
fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn own_user() -> u32 {
    0
}

/// The user in the row whose local address is the peer and whose remote address is ours.
fn owner(table: &str, peer: SocketAddr, ours: SocketAddr) -> Option<u32> {
    let (peer, ours) = (spelled(peer)?, spelled(ours)?);
    table.lines().find_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let found = columns.next()? == peer && columns.next()? == ours;
        if found {
            columns.nth(4)?.parse().ok()
        } else {
            None
        }
    })
}

/// An address as the kernel prints it: the four bytes as one native-endian number, then the port.
fn spelled(address: SocketAddr) -> Option<String> {
    match address.ip() {
        IpAddr::V4(ip) => Some(format!(
            "{:08X}:{:04X}",
            u32::from_ne_bytes(ip.octets()),
            address.port()
        )),
        IpAddr::V6(_) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn the_owner_is_read_from_the_row_of_the_peer() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            \x20  0: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 24 1\n\
            \x20  1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 25 1\n";
        let (peer, ours) = (
            "127.0.0.1:49153".parse().unwrap(),
            "127.0.0.1:8080".parse().unwrap(),
        );
        assert_eq!(owner(table, peer, ours), Some(1000));
        assert_eq!(owner(table, ours, peer), Some(0));
        assert_eq!(owner(table, peer, "127.0.0.1:8081".parse().unwrap()), None);
    }
}
