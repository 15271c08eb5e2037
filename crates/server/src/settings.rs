//! Every setting, once.
//!
//! Each row of [`TABLE`] is a command-line flag, an environment variable, a key of `fingerpost.toml`, a line of
//! `--help` and a row of the reference page. Adding a setting is adding a row and a field. How values are gathered
//! (and which source wins) is `config.rs`; a row only says whether a value is right.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use engine::{ExaSettings, PageSettings, ReaderSettings};
use fault::{Dialect, IssueLink, Masker, Secret};
use http::HeaderValue;
use net::guard::{Allow, BadAllow, Policy};
use url::Url;

use crate::tools::Toolset;

/// What is valid. Past start-up nothing checks a setting again.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub toolsets: Vec<Toolset>,
    /// Overrides the dialect of every tool.
    pub dialect: Option<Dialect>,
    pub ephemeral: bool,
    pub data_dir: Option<PathBuf>,
    pub allow_private: Vec<Allow>,
    pub dns: Option<SocketAddr>,
    pub ca: Option<PathBuf>,
    pub deadline: Duration,
    pub max_concurrent: usize,
    pub allowed_origins: Vec<String>,
    pub issue_url: IssueLink,
    pub user_agent: HeaderValue,
    pub log: String,
    pub log_format: LogFormat,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
    pub reader_url: Option<Url>,
    pub reader_key: Option<Secret>,
    pub exa_url: Url,
    pub exa_key: Option<Secret>,
    /// Whether the environment has a key for the live search API.
    pub has_xai_key: bool,
    /// Values that no reply, record or log line may show.
    pub secrets: Vec<Secret>,
}

impl Settings {
    /// How addresses that callers name may be reached.
    pub fn network(&self) -> net::Settings {
        net::Settings {
            policy: Policy::new(self.allow_private.clone()),
            dns: self.dns,
            extra_ca: self.ca.clone(),
            user_agent: self.user_agent.clone(),
            ..net::Settings::default()
        }
    }

    /// How pages are read.
    pub fn pages(&self) -> PageSettings {
        let robot = self.user_agent.to_str().ok().and_then(|agent| agent.split(['/', ' ']).next()).unwrap_or("fingerpost");
        PageSettings {
            robot: self.robots.then(|| robot.to_owned()),
            browser: None,
            reader: self.reader_url.clone().map(|base| ReaderSettings { base, key: self.reader_key.clone() }),
            exa: self.exa_key.clone().map(|key| ExaSettings { base: self.exa_url.clone(), key }),
        }
    }

    /// Knows every secret of this server.
    pub fn masker(&self) -> Masker {
        let keys = self.reader_key.iter().chain(&self.exa_key);
        Masker::new(self.secrets.iter().chain(keys).map(Secret::expose))
    }

    /// Where things are kept; nothing when nothing is to be kept.
    pub fn kept_in(&self) -> Option<&Path> {
        self.data_dir.as_deref().filter(|_| !self.ephemeral)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// One setting. `apply` receives at least one value; more than one only when `repeatable`.
#[derive(Debug)]
pub struct Setting {
    pub key: &'static str,
    pub value_name: &'static str,
    pub default: &'static str,
    pub repeatable: bool,
    pub about: &'static str,
    /// A value that works, shown in help and in the message for a wrong one.
    pub example: &'static str,
    /// Stores the values, or says what would have been right ("a whole number of seconds from 1 to 600").
    pub apply: fn(&mut Settings, &[String]) -> Result<(), &'static str>,
}

impl Setting {
    /// The environment twin of the flag.
    pub fn variable(&self) -> String {
        variable(self.key)
    }

    /// A key is never shown, not even when it is wrong.
    pub fn is_secret(&self) -> bool {
        self.value_name == "KEY"
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
    pub about: &'static str,
    pub example: &'static str,
}

/// Every setting for the reference page, in its order.
pub fn described() -> Vec<Described> {
    let describe = |row: &Setting| Described {
        flag: if row.is_switch() { format!("--{}", row.key) } else { format!("--{} {}", row.key, row.value_name) },
        variable: row.variable(),
        file_key: row.key,
        default: row.default,
        repeatable: row.repeatable,
        about: row.about,
        example: row.example,
    };
    TABLE.iter().map(describe).collect()
}

/// `max-concurrent` → `FINGERPOST_MAX_CONCURRENT`.
pub fn variable(key: &str) -> String {
    format!("FINGERPOST_{}", key.to_uppercase().replace('-', "_"))
}

const SWITCH: &str = "true|false";

/// Where an agent's reports go unless the operator says otherwise.
pub const ISSUE_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

/// Exa's public address.
const EXA_URL: &str = "https://api.exa.ai";

/// Rows in the order help and the reference page show them.
pub static TABLE: &[Setting] = &[
    Setting {
        key: "toolset",
        value_name: "NAMES",
        default: "research",
        repeatable: true,
        about: "Tools to offer: research, web, live, patterns, agent or all; several with commas",
        example: "research,web",
        apply: |settings, values| {
            settings.toolsets = toolsets(values)?;
            Ok(())
        },
    },
    Setting {
        key: "dialect",
        value_name: "NAME",
        default: "",
        repeatable: false,
        about: "Tell every failure in this wire format instead of the toolset's own",
        example: "dual",
        apply: |settings, values| {
            let parsed = one(values).parse::<Dialect>();
            settings.dialect = Some(parsed.map_err(|_| "one of dual, code, flat, gated, section, agent, problem")?);
            Ok(())
        },
    },
    Setting {
        key: "ephemeral",
        value_name: SWITCH,
        default: "false",
        repeatable: false,
        about: "Keep nothing on disk",
        example: "true",
        apply: |settings, values| {
            settings.ephemeral = switch(values)?;
            Ok(())
        },
    },
    Setting {
        key: "data-dir",
        value_name: "DIRECTORY",
        default: "",
        repeatable: false,
        about: "Where records of faults are kept; made when first needed (default: the user's data directory)",
        example: "/var/lib/fingerpost",
        apply: |settings, values| {
            settings.data_dir = Some(path(values, "the path of a directory")?);
            Ok(())
        },
    },
    Setting {
        key: "allow-private",
        value_name: "HOST[:PORT]|CIDR[:PORT]",
        default: "",
        repeatable: true,
        about: "Open exactly this private host or network to page reading; repeat for more",
        example: "127.0.0.1:8080",
        apply: |settings, values| {
            settings.allow_private = private_targets(values)?;
            Ok(())
        },
    },
    Setting {
        key: "dns",
        value_name: "ADDRESS[:PORT]",
        default: "",
        repeatable: false,
        about: "Ask this DNS server instead of the system's",
        example: "9.9.9.9:53",
        apply: |settings, values| {
            settings.dns = Some(dns_server(one(values))?);
            Ok(())
        },
    },
    Setting {
        key: "ca",
        value_name: "FILE",
        default: "",
        repeatable: false,
        about: "Trust the certificate authorities in this PEM file too",
        example: "/etc/ssl/company-ca.pem",
        apply: |settings, values| {
            settings.ca = Some(authority_file(values)?);
            Ok(())
        },
    },
    Setting {
        key: "deadline",
        value_name: "SECONDS",
        default: "30",
        repeatable: false,
        about: "Longest time one call may take",
        example: "30",
        apply: |settings, values| {
            let seconds = whole(values, 1, 600).ok_or("a whole number of seconds from 1 to 600")?;
            settings.deadline = Duration::from_secs(seconds);
            Ok(())
        },
    },
    Setting {
        key: "max-concurrent",
        value_name: "CALLS",
        default: "64",
        repeatable: false,
        about: "Calls worked on at once; more wait their turn for a quarter of the deadline, then are told to come back",
        example: "64",
        apply: |settings, values| {
            let calls = whole(values, 1, 100_000).ok_or("a whole number from 1 to 100000")?;
            settings.max_concurrent = usize::try_from(calls).map_err(|_| "a whole number from 1 to 100000")?;
            Ok(())
        },
    },
    Setting {
        key: "allowed-origin",
        value_name: "ORIGIN",
        default: "",
        repeatable: true,
        about: "Web origin that may call the HTTP endpoint, beside loopback ones; its host is accepted too; repeat for more",
        example: "https://app.example.com",
        apply: |settings, values| {
            settings.allowed_origins = origins(values)?;
            Ok(())
        },
    },
    Setting {
        key: "issue-url",
        value_name: "URL",
        default: ISSUE_URL,
        repeatable: false,
        about: "Where a fault that could improve this program asks to be reported",
        example: ISSUE_URL,
        apply: |settings, values| {
            settings.issue_url = IssueLink::parse(one(values)).ok_or("an http or https URL without credentials")?;
            Ok(())
        },
    },
    Setting {
        key: "user-agent",
        value_name: "TEXT",
        default: concat!("fingerpost/", env!("CARGO_PKG_VERSION")),
        repeatable: false,
        about: "How page requests name themselves",
        example: "my-agent/1.0 (+https://example.com/bot)",
        apply: |settings, values| {
            settings.user_agent = header_text(one(values)).ok_or("1 to 200 visible ASCII characters")?;
            Ok(())
        },
    },
    Setting {
        key: "robots",
        value_name: SWITCH,
        default: "true",
        repeatable: false,
        about: "Ask a site's robots.txt before its pages, and obey it",
        example: "true",
        apply: |settings, values| {
            settings.robots = switch(values)?;
            Ok(())
        },
    },
    Setting {
        key: "reader-url",
        value_name: "URL",
        default: "",
        repeatable: false,
        about: "A third-party reader (Jina's interface) for pages that cannot be read directly; it learns their addresses; never private ones",
        example: "https://r.jina.ai",
        apply: |settings, values| {
            settings.reader_url = Some(endpoint(one(values))?);
            Ok(())
        },
    },
    Setting {
        key: "reader-key",
        value_name: "KEY",
        default: "",
        repeatable: false,
        about: "The reader's key",
        example: "KEY",
        apply: |settings, values| {
            settings.reader_key = Some(secret(values)?);
            Ok(())
        },
    },
    Setting {
        key: "exa-url",
        value_name: "URL",
        default: EXA_URL,
        repeatable: false,
        about: "Where Exa's API is",
        example: EXA_URL,
        apply: |settings, values| {
            settings.exa_url = endpoint(one(values))?;
            Ok(())
        },
    },
    Setting {
        key: "exa-api-key",
        value_name: "KEY",
        default: "",
        repeatable: false,
        about: "Exa's key: pages that cannot be read otherwise are bought from it",
        example: "KEY",
        apply: |settings, values| {
            settings.exa_key = Some(secret(values)?);
            Ok(())
        },
    },
    Setting {
        key: "log",
        value_name: "FILTER",
        default: "warn",
        repeatable: false,
        about: "What to log on stderr: a level, or levels by module",
        example: "warn,fingerpost=info",
        apply: |settings, values| {
            settings.log = log_filter(one(values))?;
            Ok(())
        },
    },
    Setting {
        key: "log-format",
        value_name: "text|json",
        default: "text",
        repeatable: false,
        about: "How log lines are written",
        example: "json",
        apply: |settings, values| {
            settings.log_format = match one(values) {
                "text" => LogFormat::Text,
                "json" => LogFormat::Json,
                _ => return Err("text or json"),
            };
            Ok(())
        },
    },
];

impl Default for Settings {
    /// What the table's defaults say, so a default is written once.
    fn default() -> Settings {
        let mut settings = Settings {
            toolsets: Vec::new(),
            dialect: None,
            ephemeral: false,
            data_dir: None,
            allow_private: Vec::new(),
            dns: None,
            ca: None,
            deadline: Duration::ZERO,
            max_concurrent: 0,
            allowed_origins: Vec::new(),
            issue_url: IssueLink::default(),
            user_agent: HeaderValue::from_static("fingerpost"),
            log: String::new(),
            log_format: LogFormat::Text,
            robots: true,
            reader_url: None,
            reader_key: None,
            exa_url: Url::parse(EXA_URL).expect("a constant that parses"),
            exa_key: None,
            has_xai_key: false,
            secrets: Vec::new(),
        };
        for row in TABLE.iter().filter(|row| !row.default.is_empty()) {
            (row.apply)(&mut settings, &[row.default.to_owned()]).expect("a test applies every default");
        }
        settings
    }
}

/// An endpoint that the operator trusts: any http(s) address, private ones included.
fn endpoint(text: &str) -> Result<Url, &'static str> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or("an http or https URL")
}

fn secret(values: &[String]) -> Result<Secret, &'static str> {
    let key = one(values);
    let usable = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    if usable { Ok(Secret::new(key.to_owned())) } else { Err("a key without blanks") }
}

/// The last value wins where only one makes sense; `config.rs` never passes an empty slice.
fn one(values: &[String]) -> &str {
    values.last().map_or("", |value| value.trim())
}

/// Values of a repeatable setting may also be joined with commas, which is all an environment variable can do.
fn each(values: &[String]) -> impl Iterator<Item = &str> {
    values.iter().flat_map(|value| value.split(',')).map(str::trim).filter(|part| !part.is_empty())
}

fn toolsets(values: &[String]) -> Result<Vec<Toolset>, &'static str> {
    const EXPECTED: &str = "one or more of research, web, live, patterns, agent, all";
    let mut chosen = Vec::new();
    for name in each(values) {
        match name {
            "all" => chosen.extend(Toolset::ALL),
            _ => chosen.push(Toolset::parse(name).ok_or(EXPECTED)?),
        }
    }
    let mut unique = Vec::new();
    for toolset in chosen {
        if !unique.contains(&toolset) {
            unique.push(toolset);
        }
    }
    if unique.is_empty() { Err(EXPECTED) } else { Ok(unique) }
}

fn switch(values: &[String]) -> Result<bool, &'static str> {
    match one(values).to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("true or false"),
    }
}

fn whole(values: &[String], min: u64, max: u64) -> Option<u64> {
    one(values).parse().ok().filter(|number| (min..=max).contains(number))
}

fn path(values: &[String], expected: &'static str) -> Result<PathBuf, &'static str> {
    let text = one(values);
    if text.is_empty() || text.contains('\0') { Err(expected) } else { Ok(PathBuf::from(text)) }
}

/// Whether its certificates are good is judged when they are used; a file without any is a mistake now.
fn authority_file(values: &[String]) -> Result<PathBuf, &'static str> {
    const EXPECTED: &str = "the path of a PEM file that exists";
    let file = path(values, EXPECTED)?;
    if !file.is_file() {
        return Err(EXPECTED);
    }
    let text = std::fs::read(&file).map_err(|_| "a PEM file that this user may read")?;
    let has = |mark: &[u8]| text.windows(mark.len()).any(|part| part == mark);
    match has(b"-----BEGIN CERTIFICATE-----") && has(b"-----END CERTIFICATE-----") {
        true => Ok(file),
        false => Err("a PEM file with at least one certificate (-----BEGIN CERTIFICATE-----)"),
    }
}

fn private_targets(values: &[String]) -> Result<Vec<Allow>, &'static str> {
    const EXPECTED: &str = "a host name, an address or a network in CIDR form, each with an optional :PORT";
    const BRACKETS: &str = "brackets around an IPv6 address that may end in a port, as in [::1]:8080";
    let expected = |bad| if bad == BadAllow::NeedsBrackets { BRACKETS } else { EXPECTED };
    let targets: Vec<Allow> = each(values).map(str::parse).collect::<Result<_, _>>().map_err(expected)?;
    if targets.is_empty() { Err(EXPECTED) } else { Ok(targets) }
}

fn dns_server(text: &str) -> Result<SocketAddr, &'static str> {
    let address = text.parse::<SocketAddr>().ok();
    address
        .or_else(|| text.parse::<std::net::IpAddr>().ok().map(|ip| SocketAddr::new(ip, 53)))
        .ok_or("an IP address with an optional :PORT")
}

fn origins(values: &[String]) -> Result<Vec<String>, &'static str> {
    each(values).map(origin).collect()
}

/// A bare `https://host` means its default port, so the port is written out for the matcher.
fn origin(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str = "scheme://host or scheme://host:port, with http or https and nothing after it";
    if let Some(host) = text.strip_suffix(":*") {
        return web_address(host).map(|_| text.to_owned()).ok_or(EXPECTED);
    }
    let url = url::Url::parse(text).map_err(|_| EXPECTED)?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    match (url.scheme(), url.host_str(), url.port_or_known_default()) {
        ("http" | "https", Some(host), Some(port)) if bare => Ok(format!("{}://{host}:{port}", url.scheme())),
        _ => Err(EXPECTED),
    }
}

fn web_address(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| text.to_owned())
}

fn header_text(text: &str) -> Option<HeaderValue> {
    let visible = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    HeaderValue::from_str(text).ok().filter(|_| visible && (1..=200).contains(&text.len()))
}

fn log_filter(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str = "error, warn, info, debug, trace, off, or a list such as warn,fingerpost=info";
    // The filter takes any lone word for the name of a module, and then logs nothing at all.
    let is_level = |word: &str| ["error", "warn", "info", "debug", "trace", "off"].iter().any(|level| word.eq_ignore_ascii_case(level));
    let fits = |part: &str| is_level(part.rsplit_once('=').map_or(part, |(_, level)| level).trim());
    if text.is_empty() || !text.split(',').all(fits) {
        return Err(EXPECTED);
    }
    tracing_subscriber::EnvFilter::builder().parse(text).map(|_| text.to_owned()).map_err(|_| EXPECTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(key: &str, value: &str) -> Result<Settings, &'static str> {
        let row = TABLE.iter().find(|row| row.key == key).expect("the row exists");
        let mut settings = Settings::default();
        (row.apply)(&mut settings, &[value.to_owned()]).map(|()| settings)
    }

    #[test]
    fn keys_are_unique_and_written_like_flags() {
        for (index, row) in TABLE.iter().enumerate() {
            assert!(row.key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", row.key);
            assert!(TABLE[..index].iter().all(|other| other.key != row.key), "{}", row.key);
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.key);
        }
    }

    #[test]
    fn every_default_and_example_is_accepted() {
        for row in TABLE {
            let mut settings = Settings::default();
            if !row.default.is_empty() {
                (row.apply)(&mut settings, &[row.default.to_owned()]).expect(row.key);
            }
            if row.key != "ca" {
                (row.apply)(&mut settings, &[row.example.to_owned()]).expect(row.key);
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
            ("allowed-origin", "https://example.com/path"),
            ("issue-url", "mailto:me@example.com"),
            ("user-agent", "caf\u{e9}"),
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
        assert_eq!(apply("toolset", "web, research,web").map(|s| s.toolsets), Ok(vec![Toolset::Web, Toolset::Research]));
        assert_eq!(apply("toolset", "all").map(|s| s.toolsets), Ok(Toolset::ALL.to_vec()));
        assert_eq!(apply("deadline", "5").map(|s| s.deadline), Ok(Duration::from_secs(5)));
        assert_eq!(apply("dns", "::1").map(|s| s.dns), Ok("[::1]:53".parse().ok()));
        assert_eq!(
            apply("allowed-origin", "https://a.example,http://b.example:8080").map(|s| s.allowed_origins),
            Ok(vec!["https://a.example:443".to_owned(), "http://b.example:8080".to_owned()])
        );
        for target in ["localhost", "localhost:80", "10.0.0.0/8", "10.0.0.0/8:443", "::1", "[::1]:80", "fd00::/8"] {
            assert_eq!(apply("allow-private", target).map(|s| s.allow_private), Ok(vec![target.parse().expect("a target")]));
        }
    }
}
