//! The owner of records.

use std::fmt;

/// A caller that shares nothing with others. Over HTTP it is the authenticated subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tenant(String);

impl Tenant {
    /// The one user of a server that serves one user.
    pub fn local() -> Tenant {
        Tenant("local".to_owned())
    }

    /// The server itself: what all its users share, such as breakers and records of faults.
    pub fn server() -> Tenant {
        Tenant(String::new())
    }

    /// An authenticated subject. Its prefix keeps any name from meaning the local user or the server.
    pub fn subject(subject: &str) -> Tenant {
        Tenant(format!("subject:{subject}"))
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
