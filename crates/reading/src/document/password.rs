//! A password that never shows in a log.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The password of a document. Only a worker process receives it in plain text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Password(String);

impl Password {
    pub fn new(password: impl Into<String>) -> Password {
        Password(password.into())
    }

    /// The password itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(***)")
    }
}
