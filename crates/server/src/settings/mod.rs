//! Every setting, once.
//!
//! Each row of [`TABLE`] (`table.rs`) is a command-line flag, an environment variable, a key of
//! `fingerpost.toml`, a line of `--help` and a row of the reference page. Adding a setting is
//! adding a row and a field. How values are gathered (and which source wins) is `config.rs`; a row
//! only says whether a value is right (`values.rs`).

pub mod config;
mod providers;
mod table;
mod values;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
    time::Duration,
};

use engine::research::Limits;
use engine::search::{ProviderSettings, ProviderSpec};
use engine::store::Store;
use engine::{
    BrowserUse, ExaSettings, PageSettings, ReaderSettings, Roots, SearchSettings,
    worker::DocumentWorkers,
};
use fault::{Dialect, IssueLink, Secret};
use http::HeaderValue;
use mask::Masker;
use net::guard::{AllowRule, Policy};
use url::Url;

use providers::Part;
use table::SWITCH;

use crate::tools::Toolset;

/// What is valid. Past start-up nothing checks a setting again.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub toolsets: Vec<Toolset>,
    /// Overrides the dialect of every tool.
    pub dialect: Option<Dialect>,
    pub ephemeral: bool,
    pub data_dir: Option<PathBuf>,
    /// The server that keeps everything when several machines serve the same users.
    pub store_url: Option<Secret>,
    /// How much of sessions and answers is kept, and for how long.
    pub limits: Limits,
    pub allow_private: Vec<AllowRule>,
    pub dns: Option<SocketAddr>,
    pub ca: Option<PathBuf>,
    pub deadline: Duration,
    pub max_concurrent: usize,
    pub allowed_origins: Vec<String>,
    /// The header in which an authenticating proxy names the user.
    pub subject_header: Option<http::HeaderName>,
    pub issue_url: IssueLink,
    pub user_agent: HeaderValue,
    pub log: String,
    pub log_format: LogFormat,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
    pub browser: BrowserChoice,
    pub chrome_path: Option<PathBuf>,
    pub browser_pages: usize,
    pub browser_idle: Duration,
    /// Whether what is read is put into the index.
    pub index: bool,
    /// Directories whose files may be read.
    pub allow_path: Vec<PathBuf>,
    pub reader_url: Option<Url>,
    pub reader_key: Option<Secret>,
    /// What was set for search providers, by id.
    pub providers: BTreeMap<&'static str, ProviderSettings>,
    pub disabled_providers: Vec<&'static str>,
    pub lens_dir: Option<PathBuf>,
    /// Whether the environment has a key for the live search API.
    pub has_xai_key: bool,
    /// Values that no reply, record or log line may show.
    pub secrets: Vec<Secret>,
}

impl Settings {
    /// How addresses that callers name may be reached.
    pub fn network(&self) -> net::ClientSettings {
        net::ClientSettings {
            policy: Policy::new(self.allow_private.clone()),
            dns: self.dns,
            extra_ca: self.ca.clone(),
            user_agent: self.user_agent.clone(),
            ..net::ClientSettings::default()
        }
    }

    /// How pages are read.
    pub fn pages(&self) -> PageSettings {
        let robot = self
            .user_agent
            .to_str()
            .ok()
            .and_then(|agent| agent.split(['/', ' ']).next())
            .unwrap_or("fingerpost");
        PageSettings {
            robot: self.robots.then(|| robot.to_owned()),
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

    /// The paid tier reads pages with the key that searches.
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
            lens_directory: self.lens_dir.clone(),
            ..SearchSettings::default()
        }
    }

    /// There is one index, so it is only for a server of one user: what one reads must not be found
    /// by another.
    pub fn has_index(&self) -> bool {
        self.index && self.subject_header.is_none()
    }

    /// Everything the engine is built from.
    pub fn engine(&self) -> engine::Settings {
        engine::Settings {
            network: self.network(),
            pages: self.pages(),
            roots: Roots::only(self.allow_path.clone()),
            index: self
                .has_index()
                .then(|| engine::index::Index::new(self.kept_in())),
            search: self.search(),
            store: None,
        }
    }

    /// Knows every secret of this server.
    pub fn masker(&self) -> Masker {
        let of_providers = self.providers.values().flat_map(|own| {
            own.key
                .iter()
                .chain(own.extras.iter().map(|(_, value)| value))
        });
        let password = self
            .store_url
            .as_ref()
            .and_then(|url| Url::parse(url.expose()).ok()?.password().map(str::to_owned))
            .map(Secret::new);
        Masker::new(
            self.secrets
                .iter()
                .chain(&self.reader_key)
                .chain(&self.store_url)
                .chain(&password)
                .chain(of_providers)
                .map(Secret::expose),
        )
    }

    /// What outlives a call. Nothing is opened before it is needed.
    pub fn store(&self) -> Arc<dyn Store> {
        engine::store::open(self.store_url.as_ref(), self.kept_in())
            .expect("the URL was checked when it was set")
    }

    /// Where things are kept; nothing when nothing is to be kept.
    pub fn kept_in(&self) -> Option<&Path> {
        self.data_dir.as_deref().filter(|_| !self.ephemeral)
    }
}

/// When the browser is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserChoice {
    Auto,
    Never,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// Every setting: the general ones, then those of providers.
pub static TABLE: LazyLock<Vec<Setting>> =
    LazyLock::new(|| table::rows().into_iter().chain(providers::rows()).collect());

/// How a value is stored: by the row itself, or as a part of a provider's settings. What comes back
/// says what would have been right ("a whole number of seconds from 1 to 600").
#[derive(Debug, Clone, Copy)]
pub enum Apply {
    Here(fn(&mut Settings, &[String]) -> Result<(), &'static str>),
    Provider(&'static ProviderSpec, Part),
}

/// One setting. `apply` receives at least one value; more than one only when `repeatable`.
#[derive(Debug)]
pub struct Setting {
    pub key: &'static str,
    pub value_name: &'static str,
    pub default: &'static str,
    pub repeatable: bool,
    pub about: Cow<'static, str>,
    /// A value that works, shown in help and in the message for a wrong one.
    pub example: &'static str,
    pub apply: Apply,
}

impl Setting {
    /// Stores the values, or says what would have been right.
    pub fn apply(&self, settings: &mut Settings, values: &[String]) -> Result<(), &'static str> {
        match self.apply {
            Apply::Here(store) => store(settings, values),
            Apply::Provider(spec, part) => providers::apply(settings, spec, part, values),
        }
    }

    /// Whether it belongs to one search provider.
    pub fn is_of_provider(&self) -> bool {
        matches!(self.apply, Apply::Provider(..))
    }

    /// The environment twin of the flag.
    pub fn variable(&self) -> String {
        variable(self.key)
    }

    /// A variable that other programs agree on, read where ours is not set.
    pub fn common_variable(&self) -> Option<String> {
        let named = COMMON
            .iter()
            .find(|(key, _)| *key == self.key)
            .map(|(_, variable)| (*variable).to_owned());
        // Keys go by the same name everywhere: `BRAVE_API_KEY`.
        named.or_else(|| {
            (self.is_of_provider() && self.is_secret())
                .then(|| self.variable().replacen(PREFIX, "", 1))
        })
    }

    /// A key is never shown, not even when it is wrong; nor is a URL that is given with a password.
    pub fn is_secret(&self) -> bool {
        self.value_name == "KEY" || self.key == "store"
    }

    /// A switch may be given without a value.
    pub fn is_switch(&self) -> bool {
        self.value_name == SWITCH
    }
}

/// A setting as the reference page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    pub flag: String,
    pub variable: String,
    pub file_key: &'static str,
    pub default: &'static str,
    pub repeatable: bool,
    pub about: String,
    pub example: &'static str,
}

/// Every setting for the reference page, in its order.
pub fn described() -> Vec<Described> {
    let describe = |row: &Setting| Described {
        flag: if row.is_switch() {
            format!("--{}", row.key)
        } else {
            format!("--{} {}", row.key, row.value_name)
        },
        variable: row.variable(),
        file_key: row.key,
        default: row.default,
        repeatable: row.repeatable,
        about: row.about.to_string(),
        example: row.example,
    };
    TABLE.iter().map(describe).collect()
}

/// `max-concurrent` → `FINGERPOST_MAX_CONCURRENT`.
pub fn variable(key: &str) -> String {
    format!("FINGERPOST_{}", key.to_uppercase().replace('-', "_"))
}

/// Settings that have a variable beyond this program.
const COMMON: &[(&str, &str)] = &[("chrome-path", "CHROME_PATH")];

const PREFIX: &str = "FINGERPOST_";

/// Whether a variable without our prefix is read all the same.
pub(crate) fn is_common(variable: &str) -> bool {
    TABLE
        .iter()
        .any(|row| row.common_variable().as_deref() == Some(variable))
}

/// Where an agent's reports go unless the operator says otherwise.
pub const ISSUE_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

impl Default for Settings {
    /// What the table's defaults say, so a default is written once.
    fn default() -> Settings {
        let mut settings = Settings {
            toolsets: Vec::new(),
            dialect: None,
            ephemeral: false,
            data_dir: None,
            store_url: None,
            limits: Limits::default(),
            allow_private: Vec::new(),
            dns: None,
            ca: None,
            deadline: Duration::ZERO,
            max_concurrent: 0,
            allowed_origins: Vec::new(),
            subject_header: None,
            issue_url: IssueLink::default(),
            user_agent: HeaderValue::from_static("fingerpost"),
            log: String::new(),
            log_format: LogFormat::Text,
            robots: true,
            browser: BrowserChoice::Auto,
            chrome_path: None,
            browser_pages: 0,
            browser_idle: Duration::ZERO,
            index: true,
            allow_path: Vec::new(),
            reader_url: None,
            reader_key: None,
            providers: BTreeMap::new(),
            disabled_providers: Vec::new(),
            lens_dir: None,
            has_xai_key: false,
            secrets: Vec::new(),
        };
        for row in TABLE.iter().filter(|row| !row.default.is_empty()) {
            row.apply(&mut settings, &[row.default.to_owned()])
                .expect("a test applies every default");
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn keys_are_unique_and_written_like_flags() {
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
            if row.key != "ca" {
                row.apply(&mut settings, &[row.example.to_owned()])
                    .expect(row.key);
            }
        }
    }

    #[test]
    fn every_row_refuses_something() {
        for (key, wrong) in [
            ("toolset", "reserch"),
            ("toolset", ","),
            ("dialect", "klingon"),
            ("ephemeral", "maybe"),
            ("data-dir", " "),
            ("allow-private", "http://localhost"),
            ("allow-private", "10.0.0.0/33"),
            ("allow-private", "localhost:99999"),
            ("dns", "dns.example"),
            ("ca", "no/such/file.pem"),
            ("deadline", "0"),
            ("deadline", "soon"),
            ("deadline", "601"),
            ("max-concurrent", "-1"),
            ("allowed-origin", "example.com"),
            ("subject-header", "not a header"),
            ("allowed-origin", "https://example.com/path"),
            ("issue-url", "mailto:me@example.com"),
            ("user-agent", "caf\u{e9}"),
            ("browser", "sometimes"),
            ("chrome-path", " "),
            ("browser-pages", "0"),
            ("browser-idle", "soon"),
            ("index", "perhaps"),
            ("allow-path", "no/such/directory"),
            ("log", "loud=maybe"),
            ("log", "nonsense"),
            ("log", "warn,"),
            ("log-format", "xml"),
        ] {
            assert!(apply(key, wrong).is_err(), "{key} {wrong}");
        }
    }

    #[test]
    fn values_mean_what_they_say() {
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
