//! Every setting that is not a search provider's, in the order help and the reference page show
//! them.
//!
//! To add a setting, add a row here. `settings!` makes a field of [`Settings`] and a [`Setting`]
//! from each row; the flag, the variable, the file key, `--help` and `docs/settings.md` follow from
//! the [`Setting`]. A row reads `"key" => field: Type { about, parse, … }`. The names after `parse`
//! are fields of [`Setting`]; those left out are as in [`Setting::DEFAULTS`]. `parse` gets at least
//! one value, and returns what it expected when a value is wrong.

use std::{
    borrow::Cow, collections::BTreeMap, net::SocketAddr, path::PathBuf, sync::LazyLock,
    time::Duration,
};

use engine::search::ProviderSettings;
use fault::{Dialect, IssueLink, Secret};
use http::{HeaderName, HeaderValue};
use mask::LaterSecrets;
use net::OutboundProxy;
use net::guard::{AllowRule, DomainRule};
use url::Url;

use super::load::JINA_KEY;
use super::parse;
use super::row::{Apply, Origin, SWITCH, Setting};
use super::{BrowserChoice, LogFormat, OcrChoice, UserAgent, providers};
use crate::scope::Scope;
use crate::sentry_dsn::SentryDsn;
use crate::toolset::Toolset;

macro_rules! settings {
    ($(
        $key:literal => $field:ident: $type:ty {
            about: $about:literal,
            parse: $parse:expr,
            $($name:ident: $value:expr,)*
        }
    )*) => {
        /// The valid settings of a server. Nothing checks them again after start-up.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            $(#[doc = $about] pub $field: $type,)*
            /// The settings of search providers, by id.
            pub providers: BTreeMap<&'static str, ProviderSettings>,
            /// The variable, flag or file that a setting was read from, by the setting's key. A
            /// setting that is not here has its default.
            pub origins: BTreeMap<&'static str, Origin>,
            /// The settings file that was read.
            pub file: Option<PathBuf>,
            /// Values that no reply, record or log line may show.
            pub secrets: Vec<Secret>,
            /// Such values that become known while the server runs. Clones of the settings share
            /// them.
            pub later_secrets: LaterSecrets,
        }

        impl Settings {
            /// The settings before the defaults of the table are applied.
            fn blank() -> Settings {
                Settings {
                    $($field: <$type>::default(),)*
                    providers: BTreeMap::new(),
                    origins: BTreeMap::new(),
                    file: None,
                    secrets: Vec::new(),
                    later_secrets: LaterSecrets::default(),
                }
            }
        }

        fn rows() -> Vec<Setting> {
            vec![$(Setting {
                key: $key,
                about: Cow::Borrowed($about),
                apply: Apply::Field(|settings, values| {
                    let parse: fn(&[String]) -> Result<$type, &'static str> = $parse;
                    settings.$field = parse(values)?;
                    Ok(())
                }),
                $($name: $value,)*
                ..Setting::DEFAULTS
            },)*]
        }
    };
}

/// Every setting: the general ones, then those of search providers.
pub static TABLE: LazyLock<Vec<Setting>> =
    LazyLock::new(|| rows().into_iter().chain(providers::rows()).collect());

impl Default for Settings {
    /// The defaults of the table.
    fn default() -> Settings {
        let mut settings = Settings::blank();
        for row in TABLE.iter().filter(|row| !row.default.is_empty()) {
            row.apply(&mut settings, &[row.default.to_owned()])
                .expect("a test applies every default");
        }
        settings
    }
}

settings! {
    "toolset" => toolsets: Vec<Toolset> {
        about: "Tools to offer: research, web, live, patterns, agent or all; several with commas",
        parse: parse::toolsets,
        short: "Tools: research, web, live, patterns, agent or all",
        value_name: "NAMES",
        default: "research",
        example: "research,web",
        repeatable: true,
        allowed_in_found_file: true,
    }
    "tools" => tools: Vec<String> {
        about: "Offer only these tools; several with commas. They must be in the toolsets that --toolset names; without it, each brings its own",
        parse: parse::tool_names,
        value_name: "NAMES",
        example: "web_search,scrape_page",
        repeatable: true,
        allowed_in_found_file: true,
    }
    "dialect" => dialect: Option<Dialect> {
        about: "Send every failure in this wire format instead of the toolset's own",
        parse: |values| match parse::one(values).parse() {
            Ok(dialect) => Ok(Some(dialect)),
            Err(_) => Err("one of dual, code, flat, gated, section, agent, problem"),
        },
        short: "Wire format of failures",
        value_name: "NAME",
        example: "dual",
        allowed_in_found_file: true,
    }
    "ephemeral" => ephemeral: bool {
        about: "Keep nothing on disk",
        parse: parse::switch,
        short: "Keep nothing on disk",
        value_name: SWITCH,
        default: "false",
        example: "true",
        allowed_in_found_file: true,
    }
    "data-dir" => data_dir: Option<PathBuf> {
        about: "Where sessions, stored answers, the index and records of failures are kept; made when first needed (default: the user's data directory)",
        parse: |values| parse::path(values, "the path of a directory").map(Some),
        short: "Where sessions and the index are kept",
        value_name: "DIRECTORY",
        example: "/var/lib/fingerpost",
    }
    "store" => store_url: Option<Secret> {
        about: "A Redis or Valkey server that keeps sessions, stored answers, breakers and limits for all machines that serve the same users",
        parse: |values| parse::store_url(values).map(Some),
        value_name: "URL",
        example: "redis://127.0.0.1:6379/0",
        secret: true,
    }
    "max-sessions" => max_sessions: u64 {
        about: "Research sessions kept for each user; the least recently used make room",
        parse: |values| parse::whole(values, 1, 1_000_000).ok_or("a whole number from 1 to 1000000"),
        value_name: "COUNT",
        default: "10000",
        example: "1000",
    }
    "session-days" => session_lifetime: Duration {
        about: "Days that a research session lives after its last use",
        parse: parse::days,
        value_name: "DAYS",
        default: "30",
        example: "7",
    }
    "max-stored" => max_stored: u64 {
        about: "Answers kept for each user for later reading; the oldest make room",
        parse: |values| parse::whole(values, 1, 100_000).ok_or("a whole number from 1 to 100000"),
        value_name: "COUNT",
        default: "100",
        example: "500",
    }
    "stored-days" => stored_lifetime: Duration {
        about: "Days that an answer is kept for later reading",
        parse: parse::days,
        value_name: "DAYS",
        default: "7",
        example: "1",
    }
    "allow-private" => allow_private: Vec<AllowRule> {
        about: "Allow pages to be read from exactly this private host or network, if the caller or a search result names it: a public page never leads there; repeat for more",
        parse: parse::private_targets,
        short: "Open a private address",
        value_name: "HOST[:PORT]|CIDR[:PORT]",
        example: "127.0.0.1:8080",
        repeatable: true,
    }
    "allow-domain" => allow_domain: Vec<DomainRule> {
        about: "Read pages of this domain and its subdomains only; repeat for more",
        parse: parse::domains,
        value_name: "DOMAIN",
        example: "example.com",
        repeatable: true,
    }
    "deny-domain" => deny_domain: Vec<DomainRule> {
        about: "Never read pages of this domain and its subdomains; repeat for more",
        parse: parse::domains,
        value_name: "DOMAIN",
        example: "example.com",
        repeatable: true,
    }
    "dns" => dns: Option<SocketAddr> {
        about: "Ask this DNS server instead of the system's",
        parse: |values| parse::dns_server(values).map(Some),
        value_name: "ADDRESS[:PORT]",
        example: "9.9.9.9:53",
    }
    "proxy" => proxy: Vec<OutboundProxy> {
        about: "Make outgoing connections through this proxy: http://HOST:PORT or socks5://HOST:PORT, with http= or https= before it for one scheme; a comma in a password is written %2C; repeat for more. Names are still resolved and checked here",
        parse: parse::proxies,
        value_name: "URL",
        example: "socks5://127.0.0.1:1080",
        repeatable: true,
        secret: true,
    }
    "no-proxy" => no_proxy: Vec<DomainRule> {
        about: "Reach this domain with its subdomains, this address or this network (CIDR) without the proxy; repeat for more",
        parse: parse::domains,
        value_name: "DOMAIN",
        example: "intranet.example",
        repeatable: true,
    }
    "ca" => ca: Option<PathBuf> {
        about: "Trust the certificate authorities in this PEM file too",
        parse: |values| parse::authority_file(values).map(Some),
        value_name: "FILE",
        example: "/etc/ssl/company-ca.pem",
    }
    "deadline" => deadline: Duration {
        about: "Longest time one call may take",
        parse: |values| parse::seconds(values, 600).ok_or("a whole number of seconds from 1 to 600"),
        short: "Longest time a call may take",
        value_name: "SECONDS",
        default: "30",
        example: "30",
        allowed_in_found_file: true,
    }
    "max-concurrent" => max_concurrent: usize {
        about: "Calls handled at once; others wait their turn for a quarter of the deadline, then are told when to retry",
        parse: |values| parse::whole(values, 1, 100_000).ok_or("a whole number from 1 to 100000"),
        value_name: "CALLS",
        default: "64",
        example: "64",
        allowed_in_found_file: true,
    }
    "calls-per-minute" => calls_per_minute: Option<u32> {
        about: "Calls that each user of an HTTP server may make in a minute (each address, where users are not known); calls that ask nobody are not counted. With --store, all servers count together",
        parse: |values| parse::whole(values, 1, 100_000).map(Some).ok_or("a whole number from 1 to 100000"),
        value_name: "COUNT",
        example: "60",
    }
    "calls-per-day" => calls_per_day: Option<u64> {
        about: "Calls that each user of an HTTP server may make from midnight to midnight, UTC; counted as for --calls-per-minute",
        parse: |values| parse::whole(values, 1, 1_000_000_000).map(Some).ok_or("a whole number from 1 to 1000000000"),
        value_name: "COUNT",
        example: "2000",
    }
    "max-memory" => max_memory: u64 {
        about: "Memory that pages and files may take together while they are read; what does not fit waits, then is told when to retry",
        parse: |values| parse::whole(values, 16, 1_000_000).ok_or("a whole number of megabytes from 16 to 1000000"),
        value_name: "MEGABYTES",
        default: "512",
        example: "512",
    }
    "drain-delay" => drain_delay: Duration {
        about: "How long a server on HTTP goes on after SIGTERM while /readyz says that it stops, so that a load balancer sends its requests elsewhere first",
        parse: |values| parse::whole(values, 0, 600).map(Duration::from_secs).ok_or("a whole number of seconds from 0 to 600"),
        value_name: "SECONDS",
        default: "0",
        example: "5",
    }
    "allowed-origin" => allowed_origins: Vec<String> {
        about: "Web origin that may call the HTTP endpoint, besides loopback ones; its host is accepted too; repeat for more",
        parse: parse::origins,
        value_name: "ORIGIN",
        example: "https://app.example.com",
        repeatable: true,
    }
    "tokens" => tokens: Option<PathBuf> {
        about: "A TOML file of bearer tokens that callers of the HTTP endpoint must send, each with a name and its scopes; read again when it changes",
        parse: |values| parse::file(values).map(Some),
        value_name: "FILE",
        example: "/etc/fingerpost/tokens.toml",
    }
    "oauth-issuer" => oauth_issuer: Option<String> {
        about: "The OAuth 2.1 authorization server whose access tokens callers of the HTTP endpoint may send, as it writes its own name; its keys are found by discovery. Needs --public-url",
        parse: |values| parse::issuer(values).map(Some),
        value_name: "URL",
        example: "https://auth.example.com",
    }
    "oauth-audience" => oauth_audience: Vec<String> {
        about: "What access tokens must name as their audience (default: --public-url with /mcp); repeat for more",
        parse: parse::audiences,
        value_name: "TEXT",
        example: "https://mcp.example.com/mcp",
        repeatable: true,
    }
    "oauth-scope-prefix" => oauth_scope_prefix: String {
        about: "What stands before the names of scopes in access tokens",
        parse: |values| match parse::one(values) {
            text if text.len() <= 200 && text.bytes().all(parse::is_scope_byte) => Ok(text.to_owned()),
            _ => Err("characters of a scope: no blanks, no quotes"),
        },
        value_name: "TEXT",
        example: "api://fingerpost/",
    }
    "oauth-default-scopes" => oauth_default_scopes: Vec<Scope> {
        about: "Scopes that every accepted access token has, for authorization servers that cannot issue ours: research, web, live, patterns, agent, metrics, operator, proxy; several with commas",
        parse: parse::scopes,
        value_name: "NAMES",
        example: "research,web",
        repeatable: true,
    }
    "public-url" => public_url: Option<Url> {
        about: "The address under which clients reach the HTTP endpoint, without /mcp; its host is accepted",
        parse: |values| parse::public_url(values).map(Some),
        value_name: "URL",
        example: "https://mcp.example.com",
    }
    "tls-cert" => tls_cert: Option<PathBuf> {
        about: "Serve HTTPS with the certificate in this PEM file, followed by those that lead to it; read again when it changes",
        parse: |values| parse::file(values).map(Some),
        value_name: "FILE",
        example: "/etc/fingerpost/server.pem",
    }
    "tls-key" => tls_key: Option<PathBuf> {
        about: "The private key of --tls-cert, as a PEM file",
        parse: |values| parse::file(values).map(Some),
        value_name: "FILE",
        example: "/etc/fingerpost/server.key",
    }
    "insecure" => insecure: bool {
        about: "Serve HTTP without authentication on an address that other machines can reach",
        parse: parse::switch,
        value_name: SWITCH,
        default: "false",
        example: "true",
    }
    "subject-header" => subject_header: Option<HeaderName> {
        about: "Header in which the authenticating proxy in front of --http names the user; sessions and stored answers are then each user's own. Where callers need a token, so does the proxy, with the scope proxy",
        parse: parse::subject_header,
        value_name: "NAME",
        example: "x-forwarded-user",
    }
    "issue-url" => issue_url: Option<IssueLink> {
        about: "Your address for bug reports; shown in replies about failures that may be a bug in this program",
        parse: |values| match IssueLink::parse(parse::one(values)) {
            Some(link) => Ok(Some(link)),
            None => Err("an http or https URL without credentials"),
        },
        value_name: "URL",
        example: "https://tracker.example/new",
    }
    "user-agent" => user_agent: UserAgent {
        about: "How page requests name themselves",
        parse: |values| {
            UserAgent::new(parse::one(values)).ok_or("1 to 200 visible ASCII characters")
        },
        value_name: "TEXT",
        default: concat!("fingerpost/", env!("CARGO_PKG_VERSION")),
        example: "my-agent/1.0 (+https://example.com/bot)",
    }
    "contact" => contact: Option<String> {
        about: "A mail or web address at which search services can reach you; sent to Wikipedia, Crossref, OpenAlex and PubMed, which are stricter with callers they cannot reach",
        parse: |values| parse::contact(values).map(Some),
        value_name: "ADDRESS",
        example: "you@example.org",
    }
    "robots" => robots: bool {
        about: "Check a site's robots.txt before reading its pages, and obey it",
        parse: parse::switch,
        value_name: SWITCH,
        default: "true",
        example: "true",
    }
    "browser" => browser: BrowserChoice {
        about: "Read pages with an installed Chromium: where a plain request does not get the content, never, or always",
        parse: |values| match parse::one(values) {
            "auto" => Ok(BrowserChoice::Auto),
            "never" => Ok(BrowserChoice::Never),
            "always" => Ok(BrowserChoice::Always),
            _ => Err("auto, never or always"),
        },
        value_name: "auto|never|always",
        default: "auto",
        example: "auto",
    }
    "chrome-path" => chrome_path: Option<PathBuf> {
        about: "The Chromium to start (default: the first one on PATH)",
        parse: |values| parse::path(values, "the path or the name of a program").map(Some),
        value_name: "PROGRAM",
        example: "/usr/bin/chromium",
        shared_variable: Some("CHROME_PATH"),
    }
    "browser-pages" => browser_pages: usize {
        about: "Pages the browser has open at once; more wait their turn",
        parse: |values| parse::whole(values, 1, 64).ok_or("a whole number from 1 to 64"),
        value_name: "PAGES",
        default: "3",
        example: "3",
    }
    "browser-idle" => browser_idle: Duration {
        about: "How long the browser stays after its last page",
        parse: |values| parse::seconds(values, 3_600).ok_or("a whole number of seconds from 1 to 3600"),
        value_name: "SECONDS",
        default: "60",
        example: "60",
    }
    "ocr" => ocr: OcrChoice {
        about: "Recognise the text of scanned documents and pictures with an installed tesseract: where pages have no other text, or never",
        parse: |values| match parse::one(values) {
            "auto" => Ok(OcrChoice::Auto),
            "never" => Ok(OcrChoice::Never),
            _ => Err("auto or never"),
        },
        value_name: "auto|never",
        default: "auto",
        example: "auto",
    }
    "ocr-languages" => ocr_languages: Vec<String> {
        about: "Languages of scanned documents, by the names of tesseract's data (eng, deu, chi_sim); several with commas, the most likely first. Each makes recognition slower",
        parse: parse::ocr_languages,
        value_name: "NAMES",
        default: "eng",
        example: "eng,deu",
        repeatable: true,
    }
    "index" => index: bool {
        about: "Put everything that is read into the local index (with --ephemeral: in memory); off where an HTTP server knows its users (--tokens, --oauth-issuer, --subject-header)",
        parse: parse::switch,
        value_name: SWITCH,
        default: "true",
        example: "true",
    }
    "allow-path" => allow_path: Vec<PathBuf> {
        about: "Let convert_content read local files in this directory; repeat for more",
        parse: parse::directories,
        value_name: "DIRECTORY",
        example: ".",
        repeatable: true,
    }
    "reader-url" => reader_url: Option<Url> {
        about: "A third-party reader (Jina's interface) for pages that cannot be read directly; it is told their addresses, but never private ones",
        parse: |values| parse::endpoint(values).map(Some),
        value_name: "URL",
        example: "https://r.jina.ai",
    }
    "reader-key" => reader_key: Option<Secret> {
        about: "The reader's key",
        parse: |values| parse::secret(values).map(Some),
        value_name: "KEY",
        example: "KEY",
        secret: true,
        shared_variable: Some(JINA_KEY),
    }
    "disable-provider" => disabled_providers: Vec<&'static str> {
        about: "Search providers that are never asked; several with commas",
        parse: parse::provider_ids,
        value_name: "IDS",
        example: "duckduckgo",
        repeatable: true,
    }
    "lens-dir" => lens_dir: Option<PathBuf> {
        about: "A directory of more lenses: one text file per lens, one site per line",
        parse: |values| Ok(parse::directories(values)?.pop()),
        value_name: "DIRECTORY",
        example: ".",
    }
    "sentry-dsn" => sentry_dsn: Option<SentryDsn> {
        about: "Sentry project that gets the records of failures that the operator should know of; they are kept here too",
        parse: |values| match SentryDsn::parse(parse::one(values)) {
            Some(dsn) => Ok(Some(dsn)),
            None => Err("a Sentry DSN"),
        },
        value_name: "DSN",
        example: "https://KEY@sentry.example/1",
        secret: true,
        shared_variable: Some("SENTRY_DSN"),
        shared_must_parse: true,
    }
    "sentry-environment" => sentry_environment: Option<String> {
        about: "The environment that Sentry shows beside these failures",
        parse: |values| parse::sentry_environment(values).map(Some),
        value_name: "NAME",
        example: "staging",
        shared_variable: Some("SENTRY_ENVIRONMENT"),
        shared_must_parse: true,
    }
    "otlp-endpoint" => otlp_endpoint: Option<Url> {
        about: "An OpenTelemetry collector that gets a trace of every call, over OTLP/HTTP; the path /v1/traces is added",
        parse: |values| parse::endpoint(values).map(Some),
        value_name: "URL",
        example: "http://127.0.0.1:4318",
        shared_variable: Some("OTEL_EXPORTER_OTLP_ENDPOINT"),
    }
    "traces-exporter" => exports_traces: bool {
        about: "Whether traces are sent to --otlp-endpoint",
        parse: |values| match parse::one(values) {
            "otlp" => Ok(true),
            "none" => Ok(false),
            _ => Err("otlp or none"),
        },
        value_name: "otlp|none",
        default: "otlp",
        example: "none",
        shared_variable: Some("OTEL_TRACES_EXPORTER"),
    }
    "otel-disabled" => otel_disabled: bool {
        about: "Send nothing to OpenTelemetry's collector",
        parse: parse::switch,
        value_name: SWITCH,
        default: "false",
        example: "true",
        shared_variable: Some("OTEL_SDK_DISABLED"),
    }
    "otlp-headers" => otlp_headers: Vec<(HeaderName, HeaderValue)> {
        about: "Headers for the collector, such as its key: NAME=VALUE, several with commas, values percent-encoded",
        parse: parse::otlp_headers,
        value_name: "LIST",
        example: "x-api-key=KEY",
        secret: true,
        shared_variable: Some("OTEL_EXPORTER_OTLP_HEADERS"),
    }
    "service-name" => service_name: String {
        about: "The name of this server in its traces",
        parse: |values| match parse::one(values) {
            name if (1..=100).contains(&name.chars().count()) => Ok(name.to_owned()),
            _ => Err("1 to 100 characters"),
        },
        value_name: "NAME",
        default: "fingerpost",
        example: "research",
        shared_variable: Some("OTEL_SERVICE_NAME"),
    }
    "metrics" => metrics: bool {
        about: "Serve Prometheus metrics at /metrics beside --http: counts and times, without addresses, queries and users",
        parse: parse::switch,
        value_name: SWITCH,
        default: "false",
        example: "true",
    }
    "page" => page: bool {
        about: "Serve a web page at / beside --http: health, failures, sessions, and tools to try",
        parse: parse::switch,
        value_name: SWITCH,
        default: "true",
        example: "false",
    }
    "xai-api-key" => xai_key: Option<Secret> {
        about: "xAI's key: needed by the tools of the toolset live",
        parse: |values| parse::secret(values).map(Some),
        value_name: "KEY",
        example: "KEY",
        secret: true,
        shared_variable: Some("XAI_API_KEY"),
    }
    "xai-url" => xai_url: Option<Url> {
        about: "Where xAI's interface is, for the toolset live (default: xAI itself, api.x.ai); /v1 at its end may be left out",
        parse: |values| parse::api_root(values).map(Some),
        value_name: "URL",
        example: "https://api.x.ai",
    }
    "xai-model" => xai_model: String {
        about: "The model of xAI that searches for the toolset live",
        parse: parse::model,
        value_name: "NAME",
        default: "grok-4.5",
        example: "grok-4.5",
    }
    "grok-timeout" => grok_timeout: Duration {
        about: "Longest time one call of the toolset live may take, its retries included, in milliseconds; a search of X takes about 45 seconds. --deadline does not apply to these calls",
        parse: |values| {
            let limit = parse::whole(values, 1_000, 600_000).map(Duration::from_millis);
            limit.ok_or("a whole number of milliseconds from 1000 to 600000")
        },
        value_name: "MILLISECONDS",
        default: "120000",
        example: "120000",
        shared_variable: Some("GROK_TIMEOUT"),
        shared_must_parse: true,
    }
    "grok-max-retries" => grok_max_retries: u32 {
        about: "How often a call of the toolset live asks xAI again after too many requests, a server error or a lost connection",
        parse: |values| parse::whole(values, 0, 10).ok_or("a whole number from 0 to 10"),
        value_name: "COUNT",
        default: "3",
        example: "3",
        shared_variable: Some("GROK_MAX_RETRIES"),
        shared_must_parse: true,
    }
    "agent-url" => agent_url: Option<Url> {
        about: "Base URL of the OpenAI-compatible API whose model deep_research uses: the part before /chat/completions",
        parse: |values| parse::endpoint(values).map(Some),
        value_name: "URL",
        example: "http://127.0.0.1:11434/v1",
    }
    "agent-api-key" => agent_key: Option<Secret> {
        about: "The key of that API, if it wants one",
        parse: |values| parse::secret(values).map(Some),
        value_name: "KEY",
        example: "KEY",
        secret: true,
    }
    "agent-model" => agent_model: Option<String> {
        about: "The model that deep_research uses, as the API calls it",
        parse: |values| parse::model(values).map(Some),
        value_name: "NAME",
        example: "qwen3:14b",
    }
    "agent-timeout" => agent_timeout: Duration {
        about: "Longest time one message of the model may take",
        parse: |values| parse::seconds(values, 600).ok_or("a whole number of seconds from 1 to 600"),
        value_name: "SECONDS",
        default: "60",
        example: "60",
    }
    "agent-deadline" => agent_deadline: Duration {
        about: "Longest time one deep_research may take, whatever its caller asks for",
        parse: |values| parse::seconds(values, 3_600).ok_or("a whole number of seconds from 1 to 3600"),
        value_name: "SECONDS",
        default: "300",
        example: "300",
    }
    "agent-context" => agent_context: usize {
        about: "Tokens of conversation that the model is sent at most; older results are left out of longer ones",
        parse: |values| parse::whole(values, 4_000, 1_000_000).ok_or("a whole number from 4000 to 1000000"),
        value_name: "TOKENS",
        default: "32000",
        example: "32000",
    }
    "patterns-dir" => patterns_dir: Option<PathBuf> {
        about: "A directory of more patterns for the patterns toolset: one Markdown file per pattern",
        parse: |values| Ok(parse::directories(values)?.pop()),
        value_name: "DIRECTORY",
        example: ".",
    }
    "log" => log: String {
        about: "What to log on stderr: a level, or levels by module",
        parse: parse::log_filter,
        short: "Which log lines go to stderr",
        value_name: "FILTER",
        default: "warn",
        example: "warn,fingerpost=info",
    }
    "log-format" => log_format: LogFormat {
        about: "How log lines are written; auto is text on a terminal and JSON elsewhere",
        parse: |values| match parse::one(values) {
            "auto" => Ok(LogFormat::Auto),
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err("auto, text or json"),
        },
        value_name: "auto|text|json",
        default: "auto",
        example: "json",
        allowed_in_found_file: true,
    }
}
