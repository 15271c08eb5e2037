//! A network in which a public address leads to this machine.
//!
//! What holds for pages on the public internet cannot be tested on loopback, because the address
//! guard tells the two apart. So such a test starts itself once more in a network namespace of its
//! own (Linux, `unshare` and `ip`), where that address belongs to the loopback device. Nothing
//! there can leave the machine.

#![allow(
    clippy::disallowed_methods,
    reason = "tells a test that it was started by itself"
)]

use std::net::Ipv4Addr;
use std::process::Command;

/// An address on the public internet.
pub const PUBLIC_ADDRESS: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

const INSIDE: &str = "FINGERPOST_TEST_PUBLIC_NETWORK";

/// `true` inside of that network. Elsewhere it runs the test of this name there, and returns `false`
/// when it has passed.
///
/// # Panics
/// When the test fails there, or the network cannot be made.
#[must_use]
pub fn in_public_network(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let prepare =
        format!("ip link set lo up && ip addr add {PUBLIC_ADDRESS}/32 dev lo && exec \"$@\"");
    let output = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--net",
            "sh",
            "-c",
            &prepare,
            "sh",
        ])
        .arg(std::env::current_exe().expect("the path of this test"))
        .args([test, "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("unshare runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (told, failed) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{test}: {told}{failed}");
    assert!(told.contains("1 passed"), "there is no test {test}: {told}");
    false
}
