//! The owner of records.

use std::fmt;

/// A caller whose records are separate from those of others. Over HTTP it is the authenticated
/// subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tenant(String);

impl Tenant {
    /// The user of a server with a single user.
    pub fn local() -> Tenant {
        Tenant("local".to_owned())
    }

    /// The server itself, for what all its users share, such as breakers and records of faults.
    pub fn server() -> Tenant {
        Tenant(String::new())
    }

    /// An authenticated subject. The prefix ensures that no subject is taken for the local user or
    /// the server, and another prefix that bytes are not taken for the text of their digits.
    pub fn subject(subject: impl AsRef<[u8]>) -> Tenant {
        Tenant::of_kind("subject", subject.as_ref())
    }

    /// A user of an authorization server: never taken for one that the operator named.
    pub fn issued(issuer: &str, subject: &str) -> Tenant {
        Tenant::subject(format!("{issuer} {subject}"))
    }

    /// A user whom a proxy names on a server that has users of its own besides: the one is never
    /// taken for the other, whatever their names are.
    pub fn proxied(subject: impl AsRef<[u8]>) -> Tenant {
        Tenant::of_kind("proxied", subject.as_ref())
    }

    fn of_kind(kind: &str, name: &[u8]) -> Tenant {
        match str::from_utf8(name) {
            Ok(text) => Tenant(format!("{kind}:{text}")),
            Err(_) => {
                let digits = name.iter().map(|byte| format!("{byte:02x}"));
                Tenant(format!("{kind}-bytes:{}", digits.collect::<String>()))
            }
        }
    }

    /// The text that [`Tenant::subject`] made it from; `None` when it was not made from a text.
    pub fn subject_text(&self) -> Option<&str> {
        self.0.strip_prefix("subject:")
    }

    /// Its name in a store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
