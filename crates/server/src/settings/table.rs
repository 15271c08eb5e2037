//! The rows, in the order help and the reference page show them.

use std::{borrow::Cow, time::Duration};

use engine::store::RedisStore;
use fault::{Dialect, IssueLink, Secret};

use super::values::{
    authority_file, days, directories, dns_server, endpoint, header_text, log_filter, one, origins,
    path, private_targets, provider_ids, secret, switch, toolsets, whole,
};
use super::{Apply, BrowserChoice, ISSUE_URL, LogFormat, Setting};

pub(super) const SWITCH: &str = "true|false";

/// Every row that is not a provider's.
pub(super) fn rows() -> Vec<Setting> {
    vec![
        Setting {
            key: "toolset",
            value_name: "NAMES",
            default: "research",
            repeatable: true,
            about: Cow::Borrowed(
                "Tools to offer: research, web, live, patterns, agent or all; several with commas",
            ),
            example: "research,web",
            apply: Apply::Here(|settings, values| {
                settings.toolsets = toolsets(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "dialect",
            value_name: "NAME",
            default: "",
            repeatable: false,
            about: Cow::Borrowed(
                "Tell every failure in this wire format instead of the toolset's own",
            ),
            example: "dual",
            apply: Apply::Here(|settings, values| {
                let parsed = one(values).parse::<Dialect>();
                settings.dialect = Some(
                    parsed
                        .map_err(|_| "one of dual, code, flat, gated, section, agent, problem")?,
                );
                Ok(())
            }),
        },
        Setting {
            key: "ephemeral",
            value_name: SWITCH,
            default: "false",
            repeatable: false,
            about: Cow::Borrowed("Keep nothing on disk"),
            example: "true",
            apply: Apply::Here(|settings, values| {
                settings.ephemeral = switch(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "data-dir",
            value_name: "DIRECTORY",
            default: "",
            repeatable: false,
            about: Cow::Borrowed(
                "Where sessions, stored answers, the index and records of failures are kept; made when first needed (default: the user's data directory)",
            ),
            example: "/var/lib/fingerpost",
            apply: Apply::Here(|settings, values| {
                settings.data_dir = Some(path(values, "the path of a directory")?);
                Ok(())
            }),
        },
        Setting {
            key: "store",
            value_name: "URL",
            default: "",
            repeatable: false,
            about: Cow::Borrowed(
                "A Redis or Valkey server that keeps sessions, stored answers, breakers and limits for all machines that serve the same users",
            ),
            example: "redis://127.0.0.1:6379/0",
            apply: Apply::Here(|settings, values| {
                let url = Secret::new(one(values).to_owned());
                RedisStore::new(&url)?;
                settings.store_url = Some(url);
                Ok(())
            }),
        },
        Setting {
            key: "max-sessions",
            value_name: "COUNT",
            default: "10000",
            repeatable: false,
            about: Cow::Borrowed(
                "Research sessions kept for each user; those not used for longest make room",
            ),
            example: "1000",
            apply: Apply::Here(|settings, values| {
                settings.limits.sessions =
                    whole(values, 1, 1_000_000).ok_or("a whole number from 1 to 1000000")?;
                Ok(())
            }),
        },
        Setting {
            key: "session-days",
            value_name: "DAYS",
            default: "30",
            repeatable: false,
            about: Cow::Borrowed("Days that a research session lives after its last use"),
            example: "7",
            apply: Apply::Here(|settings, values| {
                settings.limits.session_lives = days(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "max-stored",
            value_name: "COUNT",
            default: "100",
            repeatable: false,
            about: Cow::Borrowed("Answers kept for each user to be read on; the oldest make room"),
            example: "500",
            apply: Apply::Here(|settings, values| {
                settings.limits.responses =
                    whole(values, 1, 100_000).ok_or("a whole number from 1 to 100000")?;
                Ok(())
            }),
        },
        Setting {
            key: "stored-days",
            value_name: "DAYS",
            default: "7",
            repeatable: false,
            about: Cow::Borrowed("Days that an answer is kept to be read on"),
            example: "1",
            apply: Apply::Here(|settings, values| {
                settings.limits.response_lives = days(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "allow-private",
            value_name: "HOST[:PORT]|CIDR[:PORT]",
            default: "",
            repeatable: true,
            about: Cow::Borrowed(
                "Open exactly this private host or network to page reading; repeat for more",
            ),
            example: "127.0.0.1:8080",
            apply: Apply::Here(|settings, values| {
                settings.allow_private = private_targets(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "dns",
            value_name: "ADDRESS[:PORT]",
            default: "",
            repeatable: false,
            about: Cow::Borrowed("Ask this DNS server instead of the system's"),
            example: "9.9.9.9:53",
            apply: Apply::Here(|settings, values| {
                settings.dns = Some(dns_server(one(values))?);
                Ok(())
            }),
        },
        Setting {
            key: "ca",
            value_name: "FILE",
            default: "",
            repeatable: false,
            about: Cow::Borrowed("Trust the certificate authorities in this PEM file too"),
            example: "/etc/ssl/company-ca.pem",
            apply: Apply::Here(|settings, values| {
                settings.ca = Some(authority_file(values)?);
                Ok(())
            }),
        },
        Setting {
            key: "deadline",
            value_name: "SECONDS",
            default: "30",
            repeatable: false,
            about: Cow::Borrowed("Longest time one call may take"),
            example: "30",
            apply: Apply::Here(|settings, values| {
                let seconds =
                    whole(values, 1, 600).ok_or("a whole number of seconds from 1 to 600")?;
                settings.deadline = Duration::from_secs(seconds);
                Ok(())
            }),
        },
        Setting {
            key: "max-concurrent",
            value_name: "CALLS",
            default: "64",
            repeatable: false,
            about: Cow::Borrowed(
                "Calls worked on at once; more wait their turn for a quarter of the deadline, then are told to come back",
            ),
            example: "64",
            apply: Apply::Here(|settings, values| {
                let calls = whole(values, 1, 100_000).ok_or("a whole number from 1 to 100000")?;
                settings.max_concurrent =
                    usize::try_from(calls).map_err(|_| "a whole number from 1 to 100000")?;
                Ok(())
            }),
        },
        Setting {
            key: "allowed-origin",
            value_name: "ORIGIN",
            default: "",
            repeatable: true,
            about: Cow::Borrowed(
                "Web origin that may call the HTTP endpoint, beside loopback ones; its host is accepted too; repeat for more",
            ),
            example: "https://app.example.com",
            apply: Apply::Here(|settings, values| {
                settings.allowed_origins = origins(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "subject-header",
            value_name: "NAME",
            default: "",
            repeatable: false,
            about: Cow::Borrowed(
                "Header in which the authenticating proxy in front of --http names the user; sessions and stored answers are then each user's own",
            ),
            example: "x-forwarded-user",
            apply: Apply::Here(|settings, values| {
                settings.subject_header = Some(
                    one(values)
                        .parse()
                        .map_err(|_| "the name of an HTTP header")?,
                );
                Ok(())
            }),
        },
        Setting {
            key: "issue-url",
            value_name: "URL",
            default: ISSUE_URL,
            repeatable: false,
            about: Cow::Borrowed(
                "Where a fault that could improve this program asks to be reported",
            ),
            example: ISSUE_URL,
            apply: Apply::Here(|settings, values| {
                settings.issue_url = IssueLink::parse(one(values))
                    .ok_or("an http or https URL without credentials")?;
                Ok(())
            }),
        },
        Setting {
            key: "user-agent",
            value_name: "TEXT",
            default: concat!("fingerpost/", env!("CARGO_PKG_VERSION")),
            repeatable: false,
            about: Cow::Borrowed("How page requests name themselves"),
            example: "my-agent/1.0 (+https://example.com/bot)",
            apply: Apply::Here(|settings, values| {
                settings.user_agent =
                    header_text(one(values)).ok_or("1 to 200 visible ASCII characters")?;
                Ok(())
            }),
        },
        Setting {
            key: "robots",
            value_name: SWITCH,
            default: "true",
            repeatable: false,
            about: Cow::Borrowed("Ask a site's robots.txt before its pages, and obey it"),
            example: "true",
            apply: Apply::Here(|settings, values| {
                settings.robots = switch(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "browser",
            value_name: "auto|never|always",
            default: "auto",
            repeatable: false,
            about: Cow::Borrowed(
                "Read pages with an installed Chromium: where a plain request does not get the content, never, or always",
            ),
            example: "auto",
            apply: Apply::Here(|settings, values| {
                settings.browser = match one(values) {
                    "auto" => BrowserChoice::Auto,
                    "never" => BrowserChoice::Never,
                    "always" => BrowserChoice::Always,
                    _ => return Err("auto, never or always"),
                };
                Ok(())
            }),
        },
        Setting {
            key: "chrome-path",
            value_name: "PROGRAM",
            default: "",
            repeatable: false,
            about: Cow::Borrowed("The Chromium to start (default: the first one on PATH)"),
            example: "/usr/bin/chromium",
            apply: Apply::Here(|settings, values| {
                settings.chrome_path = Some(path(values, "the path or the name of a program")?);
                Ok(())
            }),
        },
        Setting {
            key: "browser-pages",
            value_name: "PAGES",
            default: "3",
            repeatable: false,
            about: Cow::Borrowed("Pages the browser has open at once; more wait their turn"),
            example: "3",
            apply: Apply::Here(|settings, values| {
                let pages = whole(values, 1, 64).ok_or("a whole number from 1 to 64")?;
                settings.browser_pages =
                    usize::try_from(pages).map_err(|_| "a whole number from 1 to 64")?;
                Ok(())
            }),
        },
        Setting {
            key: "browser-idle",
            value_name: "SECONDS",
            default: "60",
            repeatable: false,
            about: Cow::Borrowed("How long the browser stays after its last page"),
            example: "60",
            apply: Apply::Here(|settings, values| {
                let seconds =
                    whole(values, 1, 3_600).ok_or("a whole number of seconds from 1 to 3600")?;
                settings.browser_idle = Duration::from_secs(seconds);
                Ok(())
            }),
        },
        Setting {
            key: "index",
            value_name: SWITCH,
            default: "true",
            repeatable: false,
            about: Cow::Borrowed(
                "Put everything that is read into the local index (with --ephemeral: in memory); off where --subject-header tells users apart",
            ),
            example: "true",
            apply: Apply::Here(|settings, values| {
                settings.index = switch(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "allow-path",
            value_name: "DIRECTORY",
            default: "",
            repeatable: true,
            about: Cow::Borrowed(
                "Let convert_content read local files in this directory; repeat for more",
            ),
            example: ".",
            apply: Apply::Here(|settings, values| {
                settings.allow_path = directories(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "reader-url",
            value_name: "URL",
            default: "",
            repeatable: false,
            about: Cow::Borrowed(
                "A third-party reader (Jina's interface) for pages that cannot be read directly; it learns their addresses; never private ones",
            ),
            example: "https://r.jina.ai",
            apply: Apply::Here(|settings, values| {
                settings.reader_url = Some(endpoint(one(values))?);
                Ok(())
            }),
        },
        Setting {
            key: "reader-key",
            value_name: "KEY",
            default: "",
            repeatable: false,
            about: Cow::Borrowed("The reader's key"),
            example: "KEY",
            apply: Apply::Here(|settings, values| {
                settings.reader_key = Some(secret(values)?);
                Ok(())
            }),
        },
        Setting {
            key: "disable-provider",
            value_name: "IDS",
            default: "",
            repeatable: true,
            about: Cow::Borrowed("Search providers that are never asked; several with commas"),
            example: "duckduckgo",
            apply: Apply::Here(|settings, values| {
                settings.disabled_providers = provider_ids(values)?;
                Ok(())
            }),
        },
        Setting {
            key: "lens-dir",
            value_name: "DIRECTORY",
            default: "",
            repeatable: false,
            about: Cow::Borrowed("More lenses: one text file each, a site a line"),
            example: ".",
            apply: Apply::Here(|settings, values| {
                settings.lens_dir = directories(values)?.pop();
                Ok(())
            }),
        },
        Setting {
            key: "log",
            value_name: "FILTER",
            default: "warn",
            repeatable: false,
            about: Cow::Borrowed("What to log on stderr: a level, or levels by module"),
            example: "warn,fingerpost=info",
            apply: Apply::Here(|settings, values| {
                settings.log = log_filter(one(values))?;
                Ok(())
            }),
        },
        Setting {
            key: "log-format",
            value_name: "text|json",
            default: "text",
            repeatable: false,
            about: Cow::Borrowed("How log lines are written"),
            example: "json",
            apply: Apply::Here(|settings, values| {
                settings.log_format = match one(values) {
                    "text" => LogFormat::Text,
                    "json" => LogFormat::Json,
                    _ => return Err("text or json"),
                };
                Ok(())
            }),
        },
    ]
}
