//! Every setting, once.
//!
//! Each row of [`TABLE`] (`table.rs`) is a field of [`Settings`], a command-line flag, an
//! environment variable, a key of `fingerpost.toml`, a line of `--help` and a row of the reference
//! page. `parse.rs` parses values, [`load()`] (`load.rs`) collects them from all sources, and this
//! file builds from them what the rest of the server needs.

mod environment;
mod file;
mod load;
mod mistake;
mod parse;
mod providers;
mod row;
mod sample;
mod table;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use engine::live::{self, LiveSettings};
use engine::model::ModelSettings;
use engine::research::Limits;
use engine::search::{ProviderSettings, ProviderSpec};
use engine::store::{MaskedStore, Store};
use engine::{
    BrowserUse, ExaSettings, PageSettings, ReaderSettings, Roots, SearchSettings,
    worker::DocumentWorkers,
};
use fault::{Secret, SettingName};
use http::HeaderValue;
use mask::Masker;
use net::guard::Policy;
use url::Url;

use crate::token_file;

pub use crate::sentry_dsn::SentryDsn;
pub use environment::Environment;
pub use load::{Flags, Loaded, load, of_flags};
pub use mistake::Mistake;
pub use row::{Origin, Setting, variable};
pub use sample::sample;
pub use table::{Settings, TABLE};

/// When the browser is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BrowserChoice {
    #[default]
    Auto,
    Never,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    Text,
    Json,
}

/// The User-Agent header of page requests.
#[derive(Debug, Clone, PartialEq)]
pub struct UserAgent(HeaderValue);

impl UserAgent {
    /// `None` unless the text is 1 to 200 visible ASCII characters and spaces.
    pub fn new(text: &str) -> Option<UserAgent> {
        let is_visible = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        let is_valid = is_visible && (1..=200).contains(&text.len());
        HeaderValue::from_str(text)
            .ok()
            .filter(|_| is_valid)
            .map(UserAgent)
    }

    pub fn header(&self) -> &HeaderValue {
        &self.0
    }

    /// The product name, which robots.txt addresses: `my-agent` of `my-agent/1.0`.
    pub fn product(&self) -> &str {
        let text = self.0.to_str().ok();
        text.and_then(|text| text.split(['/', ' ']).next())
            .unwrap_or("fingerpost")
    }
}

impl Default for UserAgent {
    fn default() -> UserAgent {
        UserAgent(HeaderValue::from_static("fingerpost"))
    }
}

/// How `net` names settings in its faults: the spelling that an operator would type.
const NETWORK_SETTINGS: net::SettingNames = net::SettingNames {
    allow_private: Some(SettingName::new("--allow-private")),
    extra_ca: Some(SettingName::new("ca")),
    outbound: Some(SettingName::new("proxy")),
    browser_program: Some(SettingName::new("CHROME_PATH")),
};

impl Settings {
    /// How the network may be used.
    pub fn network(&self) -> net::ClientSettings {
        net::ClientSettings {
            policy: Policy::new(self.allow_private.clone())
                .with_domains(self.allow_domain.clone(), self.deny_domain.clone()),
            dns: self.dns,
            extra_ca: self.ca.clone(),
            outbound: net::Outbound {
                proxies: self.proxy.clone(),
                direct: self.no_proxy.clone(),
            },
            setting_names: NETWORK_SETTINGS,
            user_agent: self.user_agent.header().clone(),
            memory: net::MemoryBudget::new(self.max_memory << 20),
            ..net::ClientSettings::default()
        }
    }

    /// The variable, flag or file that a provider's key was read from; `None` without a key.
    pub fn key_origin(&self, spec: &ProviderSpec) -> Option<String> {
        self.providers.get(spec.id())?.key.as_ref()?;
        let origin = self.origins.get(spec.settings.key.as_str())?;
        Some(origin.place.clone())
    }

    /// How pages are read.
    pub fn pages(&self) -> PageSettings {
        PageSettings {
            robot: self.robots.then(|| self.user_agent.product().to_owned()),
            browser: self.browser_use(),
            documents: DocumentWorkers::new(
                std::env::current_exe().unwrap_or_else(|_| PathBuf::from("fingerpost")),
            ),
            reader: self.reader_url.clone().map(|base| ReaderSettings {
                base,
                key: self.reader_key.clone(),
            }),
            exa: self.exa(),
        }
    }

    fn browser_use(&self) -> BrowserUse {
        let settings = net::browser::BrowserSettings {
            program: self.chrome_path.clone(),
            pages: self.browser_pages,
            idle: self.browser_idle,
            ..net::browser::BrowserSettings::default()
        };
        match self.browser {
            BrowserChoice::Auto => BrowserUse::WhenNeeded(settings),
            BrowserChoice::Never => BrowserUse::Never,
            BrowserChoice::Always => BrowserUse::Always(settings),
        }
    }

    /// The Exa tier uses the key of the Exa search provider.
    fn exa(&self) -> Option<ExaSettings> {
        let own = self.providers.get("exa")?;
        let spec = engine::search::providers()
            .into_iter()
            .map(|provider| provider.spec())
            .find(|spec| spec.id() == "exa");
        let base = own.url.clone().or_else(|| Url::parse(spec?.base?).ok())?;
        Some(ExaSettings {
            base,
            key: own.key.clone()?,
        })
    }

    /// The model of the research agent; `None` until both its address and its name are set.
    fn model(&self) -> Option<ModelSettings> {
        Some(ModelSettings {
            base: self.agent_url.clone()?,
            key: self.agent_key.clone(),
            name: self.agent_model.clone()?,
            timeout: self.agent_timeout,
        })
    }

    /// How much of sessions and stored answers is kept, and for how long.
    pub fn limits(&self) -> Limits {
        Limits {
            sessions: self.max_sessions,
            session_lives: self.session_lifetime,
            responses: self.max_stored,
            response_lives: self.stored_lifetime,
            ..Limits::default()
        }
    }

    fn search(&self) -> SearchSettings {
        let mut providers: Vec<(String, ProviderSettings)> = self
            .providers
            .iter()
            .map(|(id, own)| ((*id).to_owned(), own.clone()))
            .collect();
        for id in &self.disabled_providers {
            match providers.iter_mut().find(|(known, _)| known == id) {
                Some((_, own)) => own.disabled = true,
                None => providers.push((
                    (*id).to_owned(),
                    ProviderSettings {
                        disabled: true,
                        ..ProviderSettings::default()
                    },
                )),
            }
        }
        SearchSettings {
            providers,
            contact: self.contact.clone(),
            lens_directory: self.lens_dir.clone(),
            ..SearchSettings::default()
        }
    }

    fn live(&self) -> LiveSettings {
        let defaults = LiveSettings::default();
        let origin = self.origins.get("xai-api-key").map(|it| it.place.as_str());
        let is_shared = origin == Some(live::KEY_VARIABLE.as_str());
        LiveSettings {
            base: self.xai_url.clone().unwrap_or(defaults.base),
            key: self.xai_key.clone(),
            key_name: match is_shared {
                true => live::KEY_VARIABLE,
                false => SettingName::new("FINGERPOST_XAI_API_KEY"),
            },
            model: self.xai_model.clone(),
            timeout: self.grok_timeout,
            retries: self.grok_max_retries,
        }
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

    /// Whether callers of an HTTP server must send a token.
    pub fn needs_token(&self) -> bool {
        self.tokens.is_some() || self.oauth_issuer.is_some()
    }

    /// Whether everyone on this machine can read the tokens that the operator wrote down.
    pub fn shows_tokens(&self) -> bool {
        self.tokens.as_deref().is_some_and(token_file::is_shown)
    }

    /// Tokens that the operator wrote down as they are.
    fn plain_tokens(&self) -> Vec<Secret> {
        let path = self.tokens.as_deref();
        let entries = path.and_then(|path| token_file::read(path).ok());
        let entries = entries.unwrap_or_default();
        let plain = entries.iter().filter_map(|entry| entry.plain());
        plain.map(|token| Secret::new(token.to_owned())).collect()
    }

    /// Everything the engine is built from.
    pub fn engine(&self) -> engine::Settings {
        engine::Settings {
            network: self.network(),
            pages: self.pages(),
            roots: Roots::only(self.allow_path.clone()),
            index: self
                .has_index()
                .then(|| engine::index::Index::new(self.storage_dir(), self.masker())),
            search: self.search(),
            live: self.live(),
            model: self.model(),
            store: None,
        }
    }

    /// Masks every secret of this server.
    pub fn masker(&self) -> Masker {
        Masker::new(self.known_secrets().iter().map(Secret::expose))
    }

    /// What servers with the same secrets have in common, and whoever reads their store does not
    /// know.
    pub fn cache_secret(&self) -> Secret {
        let known = self.secrets_of_research();
        let mut texts: Vec<&str> = known.iter().map(Secret::expose).collect();
        texts.sort_unstable();
        Secret::new(texts.join("\n"))
    }

    fn known_secrets(&self) -> Vec<Secret> {
        let mut known = self.secrets_of_research();
        known.extend(self.secrets_of_reporting());
        known.extend(self.plain_tokens());
        known
    }

    /// The keys of Sentry and of the collector of traces.
    fn secrets_of_reporting(&self) -> Vec<Secret> {
        let sentry = self.sentry_dsn.as_ref().map(SentryDsn::secrets);
        let headers = self.otlp_headers.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            environment::is_secret(name.as_str(), value).then_some(value)
        });
        // `Bearer KEY`: the key alone must not be shown either.
        let collector = headers
            .flat_map(|value| [Some(value), value.split_once(' ').map(|(_, key)| key)])
            .flatten()
            .map(|value| Secret::new(value.to_owned()));
        collector.chain(sentry.unwrap_or_default()).collect()
    }

    fn secrets_of_research(&self) -> Vec<Secret> {
        let provider_secrets = self.providers.values().flat_map(|own| {
            let extras = own.extras.iter();
            let secret = extras.filter(|(name, _)| providers::is_secret_extra(name));
            own.key.iter().chain(secret.map(|(_, value)| value))
        });
        let password = self
            .store_url
            .as_ref()
            .and_then(|url| Url::parse(url.expose()).ok()?.password().map(str::to_owned))
            .map(Secret::new);
        self.secrets
            .iter()
            .chain(&self.reader_key)
            .chain(&self.xai_key)
            .chain(&self.agent_key)
            .chain(&self.store_url)
            .chain(&password)
            .chain(self.proxy.iter().filter_map(net::OutboundProxy::secret))
            .chain(provider_secrets)
            .cloned()
            .collect()
    }

    /// The store for sessions, answers and records. It is opened when first used.
    pub fn store(&self) -> Arc<dyn Store> {
        let store = engine::store::open(self.store_url.as_ref(), self.storage_dir())
            .expect("the URL was checked when it was set");
        Arc::new(MaskedStore::new(store, self.masker()))
    }

    /// The directory for files that outlive the process, or `None` when nothing is stored on disk.
    pub fn storage_dir(&self) -> Option<&Path> {
        self.data_dir.as_deref().filter(|_| !self.ephemeral)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
    fn wrong_values_are_refused() {
        for (key, wrong) in [
            ("toolset", "reserch"),
            ("toolset", ","),
            ("tools", "web search"),
            ("tools", ","),
            ("dialect", "klingon"),
            ("xai-api-key", "two words"),
            ("xai-url", "api.x.ai"),
            ("xai-model", "grok 4"),
            ("grok-timeout", "abc"),
            ("grok-timeout", "999"),
            ("grok-max-retries", "-1"),
            ("grok-max-retries", "11"),
            ("ephemeral", "maybe"),
            ("data-dir", " "),
            ("allow-private", "http://localhost"),
            ("allow-private", "10.0.0.0/33"),
            ("allow-private", "localhost:99999"),
            ("allow-domain", "https://example.com/"),
            ("deny-domain", "example.com:80"),
            ("dns", "dns.example"),
            ("ca", "no/such/file.pem"),
            ("deadline", "0"),
            ("deadline", "soon"),
            ("deadline", "601"),
            ("max-concurrent", "-1"),
            ("max-memory", "15"),
            ("allowed-origin", "example.com"),
            ("subject-header", "not a header"),
            ("tokens", "no/such/file.toml"),
            ("public-url", "https://mcp.example.com/mcp"),
            ("insecure", "perhaps"),
            ("tls-cert", "no/such/file.pem"),
            ("tls-key", "no/such/file.key"),
            ("calls-per-minute", "0"),
            ("calls-per-day", "many"),
            ("oauth-issuer", "http://auth.example.com"),
            ("oauth-issuer", "https://auth.example.com/?a=b"),
            ("oauth-audience", "two words"),
            ("oauth-scope-prefix", "two words"),
            ("oauth-default-scopes", "admin"),
            ("allowed-origin", "https://example.com/path"),
            ("issue-url", "mailto:me@example.com"),
            ("user-agent", "caf\u{e9}"),
            ("contact", "somebody"),
            ("contact", "me@example.org (home)"),
            ("contact", "https://me:pw@example.org/"),
            ("browser", "sometimes"),
            ("chrome-path", " "),
            ("browser-pages", "0"),
            ("browser-idle", "soon"),
            ("agent-url", "file:///etc/passwd"),
            ("agent-model", "two\nlines"),
            ("agent-timeout", "0"),
            ("agent-deadline", "3601"),
            ("agent-context", "10"),
            ("index", "perhaps"),
            ("allow-path", "no/such/directory"),
            ("log", "loud=maybe"),
            ("log", "nonsense"),
            ("log", "warn,"),
            ("log-format", "xml"),
            ("sentry-dsn", "https://sentry.example/1"),
            ("sentry-environment", "a/b"),
            ("metrics", "maybe"),
            ("page", "perhaps"),
            ("otlp-endpoint", "localhost:4317"),
            ("otlp-headers", "no-value"),
            ("service-name", " "),
        ] {
            assert!(apply(key, wrong).is_err(), "{key} {wrong}");
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
