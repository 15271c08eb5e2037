//! Every setting, once.
//!
//! Each row of [`TABLE`] (`table.rs`) is a field of [`Settings`], a command-line flag, an
//! environment variable, a key of `fingerpost.toml`, a line of `--help` and a row of the reference
//! page. `parse.rs` parses values, [`load()`] (`load.rs`) collects them from all sources,
//! `engine_parts.rs` builds the engine's settings from them, and `secrets.rs` knows which of them
//! must not be shown.

mod engine_parts;
mod environment;
mod file;
mod load;
mod mistake;
mod parse;
mod providers;
mod row;
mod sample;
mod secrets;
mod table;
mod values;

use std::{path::Path, time::Duration};

use engine::search::ProviderSpec;

use crate::token_file;

pub use crate::sentry_dsn::SentryDsn;
pub use environment::Environment;
pub use load::{Flags, Loaded, load, of_flags};
pub use mistake::Mistake;
pub use row::{Origin, Setting, variable};
pub use sample::sample;
pub use table::{Settings, TABLE};
pub use values::{BrowserChoice, LogFormat, OcrChoice, UserAgent};

impl Settings {
    /// The variable, flag or file that a provider's key was read from; `None` without a key.
    pub fn key_origin(&self, spec: &ProviderSpec) -> Option<String> {
        self.providers.get(spec.id())?.key.as_ref()?;
        let origin = self.origins.get(spec.settings.key.as_str())?;
        Some(origin.place.clone())
    }

    /// Whether pages are indexed. The index is shared, so a server with several users has none:
    /// one user must not find what another has read.
    pub fn has_index(&self) -> bool {
        self.index && !self.knows_users()
    }

    /// Whether an HTTP server knows its users apart.
    pub fn knows_users(&self) -> bool {
        self.subject_header.is_some() || self.needs_token()
    }

    /// The longest time that a call of any tool may take.
    pub fn longest_call(&self) -> Duration {
        self.deadline
            .max(self.grok_timeout)
            .max(self.agent_deadline)
    }

    /// Whether callers of an HTTP server must send a token.
    pub fn needs_token(&self) -> bool {
        self.tokens.is_some() || self.oauth_issuer.is_some()
    }

    /// Whether everyone on this machine can read the tokens that the operator wrote down.
    pub fn shows_tokens(&self) -> bool {
        self.tokens.as_deref().is_some_and(token_file::is_shown)
    }

    /// Whether everyone on this machine can read the private key of the certificate.
    pub fn shows_tls_key(&self) -> bool {
        self.tls_key
            .as_deref()
            .is_some_and(token_file::is_readable_by_all)
    }

    /// The directory for files that outlive the process, or `None` when nothing is stored on disk.
    pub fn storage_dir(&self) -> Option<&Path> {
        self.data_dir.as_deref().filter(|_| !self.ephemeral)
    }
}

#[cfg(test)]
mod tests {

    use url::Url;

    use super::*;
    use crate::toolset::Toolset;

    fn apply(key: &str, value: &str) -> Result<Settings, &'static str> {
        let row = TABLE
            .iter()
            .find(|row| row.key == key)
            .expect("the row exists");
        let mut settings = Settings::default();
        row.apply(&mut settings, &[value.to_owned()])
            .map(|()| settings)
    }

    #[test]
    fn keys_are_unique_and_spelled_like_flags() {
        for (index, row) in TABLE.iter().enumerate() {
            assert!(
                row.key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                "{}",
                row.key
            );
            assert!(
                TABLE[..index].iter().all(|other| other.key != row.key),
                "{}",
                row.key
            );
            assert!(
                !row.about.is_empty() && !row.about.ends_with('.'),
                "{}",
                row.key
            );
        }
    }

    #[test]
    fn every_default_and_example_is_accepted() {
        for row in TABLE.iter() {
            let mut settings = Settings::default();
            if !row.default.is_empty() {
                row.apply(&mut settings, &[row.default.to_owned()])
                    .expect(row.key);
            }
            // These name a file that must exist.
            if !["ca", "tokens", "tls-cert", "tls-key"].contains(&row.key) {
                row.apply(&mut settings, &[row.example.to_owned()])
                    .expect(row.key);
            }
        }
    }

    #[test]
    fn values_are_parsed() {
        assert_eq!(
            apply("toolset", "web, research,web").map(|s| s.toolsets),
            Ok(vec![Toolset::Web, Toolset::Research])
        );
        assert_eq!(
            apply("toolset", "all").map(|s| s.toolsets),
            Ok(Toolset::ALL.to_vec())
        );
        assert_eq!(
            apply("deadline", "5").map(|s| s.deadline),
            Ok(Duration::from_secs(5))
        );
        for root in [
            "https://x.example/v1",
            "https://x.example/",
            "https://x.example/v1/",
        ] {
            assert_eq!(
                apply("xai-url", root).map(|s| s.xai_url),
                Ok(Url::parse("https://x.example/").ok()),
                "{root}"
            );
        }
        assert_eq!(
            apply("dns", "::1").map(|s| s.dns),
            Ok("[::1]:53".parse().ok())
        );
        assert_eq!(
            apply("allowed-origin", "https://a.example,http://b.example:8080")
                .map(|s| s.allowed_origins),
            Ok(vec![
                "https://a.example:443".to_owned(),
                "http://b.example:8080".to_owned()
            ])
        );
        for target in [
            "localhost",
            "localhost:80",
            "10.0.0.0/8",
            "10.0.0.0/8:443",
            "::1",
            "[::1]:80",
            "fd00::/8",
        ] {
            assert_eq!(
                apply("allow-private", target).map(|s| s.allow_private),
                Ok(vec![target.parse().expect("a target")])
            );
        }
    }
}
