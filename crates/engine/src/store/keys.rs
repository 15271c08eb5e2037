//! The names of things on a Redis server.
//!
//! In a cluster a script sees only keys of one slot, and the part of a name in braces decides on
//! the slot. Both keys of a record carry the whole place in braces, so that a change is atomic
//! there too, and records spread over all machines.

use super::{RecordId, Tenant};

/// The keys of one record.
pub(super) struct Keys {
    pub(super) head: String,
    pub(super) rows: String,
}

impl Keys {
    pub(super) fn new(id: &RecordId) -> Keys {
        let name = format!(
            "{}/{}/{}",
            plain(id.tenant.as_str()),
            plain(id.kind),
            plain(&id.key)
        );
        Keys {
            head: format!("fingerpost:{{{name}}}"),
            rows: format!("fingerpost:{{{name}}}:rows"),
        }
    }
}

/// The names of a shelf's records by when they were changed.
pub(super) fn list_of_kind(tenant: &Tenant, kind: &str) -> String {
    format!(
        "fingerpost:shelf:{{{}/{}}}",
        plain(tenant.as_str()),
        plain(kind)
    )
}

/// A queue.
pub(super) fn queue(name: &str) -> String {
    format!("fingerpost:queue:{{{}}}", plain(name))
}

/// Without the characters that mean something here: two places never have the same key, whatever
/// their names are.
fn plain(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                kept.push(char::from(byte))
            }
            other => kept.push_str(&format!("%{other:02x}")),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_reaches_into_another_place() {
        let place = |tenant: &str, key: &str| {
            Keys::new(&RecordId::new(&Tenant::subject(tenant), "session", key)).head
        };
        assert_ne!(place("a", "b/session/c"), place("a/session/b", "c"));
        assert_ne!(place("a", "}x"), place("a", "{x"));
        assert_ne!(place("a", "%2f"), place("a", "/"));
        assert_eq!(place("é}", "k").matches(['{', '}']).count(), 2);
    }
}
