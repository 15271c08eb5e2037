//! A password that never shows in a log.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The password of a document. Only a worker process receives it in plain text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Password(String);

/// No format takes longer passwords.
const MAX_BYTES: usize = 1_000;

impl Password {
    /// Of a password that is longer than any format takes, only the beginning is kept.
    pub fn new(password: impl Into<String>) -> Password {
        let mut password = password.into();
        password.truncate(password.floor_char_boundary(MAX_BYTES));
        Password(password)
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
