//! The keys on a Redis server.
//!
//! In a cluster, a script can only use keys of one slot, and the part of a key in braces determines
//! the slot. Both keys of a record have its whole id in braces, so that a change is atomic in a
//! cluster too and records spread over all machines.

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
            escape(id.tenant.as_str()),
            escape(id.kind),
            escape(&id.key)
        );
        Keys {
            head: format!("fingerpost:{{{name}}}"),
            rows: format!("fingerpost:{{{name}}}:rows"),
        }
    }
}

/// The key of the sorted set that lists a tenant's records of one kind by time of change.
pub(super) fn list_of_kind(tenant: &Tenant, kind: &str) -> String {
    format!(
        "fingerpost:shelf:{{{}/{}}}",
        escape(tenant.as_str()),
        escape(kind)
    )
}

pub(super) fn queue(name: &str) -> String {
    format!("fingerpost:queue:{{{}}}", escape(name))
}

/// Escapes every character that has a meaning in a key, so that no two ids share one.
fn escape(name: &str) -> String {
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
    fn no_two_ids_share_a_key() {
        let place = |tenant: &str, key: &str| {
            Keys::new(&RecordId::new(&Tenant::subject(tenant), "session", key)).head
        };
        assert_ne!(place("a", "b/session/c"), place("a/session/b", "c"));
        assert_ne!(place("a", "}x"), place("a", "{x"));
        assert_ne!(place("a", "%2f"), place("a", "/"));
        assert_eq!(place("é}", "k").matches(['{', '}']).count(), 2);
    }
}
