//! Whether a value is right, and what would have been.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use fault::Secret;
use http::HeaderValue;
use net::guard::{AllowRule, AllowRuleError};
use url::Url;

use crate::tools::Toolset;

/// An endpoint that the operator trusts: any http(s) address, private ones included.
pub(super) fn endpoint(text: &str) -> Result<Url, &'static str> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or("an http or https URL")
}

pub(super) fn secret(values: &[String]) -> Result<Secret, &'static str> {
    let key = one(values);
    let usable = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    if usable {
        Ok(Secret::new(key.to_owned()))
    } else {
        Err("a key without blanks")
    }
}

/// The last value wins where only one makes sense; `config.rs` never passes an empty slice.
pub(super) fn one(values: &[String]) -> &str {
    values.last().map_or("", |value| value.trim())
}

/// Values of a repeatable setting may also be joined with commas, which is all an environment
/// variable can do.
pub(super) fn each(values: &[String]) -> impl Iterator<Item = &str> {
    values
        .iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

pub(super) fn toolsets(values: &[String]) -> Result<Vec<Toolset>, &'static str> {
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
    if unique.is_empty() {
        Err(EXPECTED)
    } else {
        Ok(unique)
    }
}

pub(super) fn switch(values: &[String]) -> Result<bool, &'static str> {
    match one(values).to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("true or false"),
    }
}

/// A time in days.
pub(super) fn days(values: &[String]) -> Result<Duration, &'static str> {
    let days = whole(values, 1, 3_650).ok_or("a whole number of days from 1 to 3650")?;
    Ok(Duration::from_secs(days * 24 * 3_600))
}

pub(super) fn whole(values: &[String], min: u64, max: u64) -> Option<u64> {
    one(values)
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
}

pub(super) fn path(values: &[String], expected: &'static str) -> Result<PathBuf, &'static str> {
    let text = one(values);
    if text.is_empty() || text.contains('\0') {
        Err(expected)
    } else {
        Ok(PathBuf::from(text))
    }
}

/// Directories that exist, as absolute paths: the server may be elsewhere when a call comes.
pub(super) fn directories(values: &[String]) -> Result<Vec<PathBuf>, &'static str> {
    const EXPECTED: &str = "the path of a directory that exists";
    let directory = |text: &str| {
        std::path::absolute(text)
            .ok()
            .filter(|path| path.is_dir())
            .ok_or(EXPECTED)
    };
    let found: Vec<PathBuf> = values
        .iter()
        .map(|text| directory(text.trim()))
        .collect::<Result<_, _>>()?;
    if found.is_empty() {
        Err(EXPECTED)
    } else {
        Ok(found)
    }
}

/// Whether its certificates are good is judged when they are used; a file without any is a mistake
/// now.
pub(super) fn authority_file(values: &[String]) -> Result<PathBuf, &'static str> {
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

pub(super) fn private_targets(values: &[String]) -> Result<Vec<AllowRule>, &'static str> {
    const EXPECTED: &str =
        "a host name, an address or a network in CIDR form, each with an optional :PORT";
    const BRACKETS: &str =
        "brackets around an IPv6 address that may end in a port, as in [::1]:8080";
    let expected = |bad| {
        if bad == AllowRuleError::NeedsBrackets {
            BRACKETS
        } else {
            EXPECTED
        }
    };
    let targets: Vec<AllowRule> = each(values)
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(expected)?;
    if targets.is_empty() {
        Err(EXPECTED)
    } else {
        Ok(targets)
    }
}

pub(super) fn dns_server(text: &str) -> Result<SocketAddr, &'static str> {
    let address = text.parse::<SocketAddr>().ok();
    address
        .or_else(|| {
            text.parse::<std::net::IpAddr>()
                .ok()
                .map(|ip| SocketAddr::new(ip, 53))
        })
        .ok_or("an IP address with an optional :PORT")
}

pub(super) fn origins(values: &[String]) -> Result<Vec<String>, &'static str> {
    each(values).map(origin).collect()
}

/// A bare `https://host` means its default port, so the port is written out for the matcher.
fn origin(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str =
        "scheme://host or scheme://host:port, with http or https and nothing after it";
    if let Some(host) = text.strip_suffix(":*") {
        return web_address(host).map(|_| text.to_owned()).ok_or(EXPECTED);
    }
    let url = url::Url::parse(text).map_err(|_| EXPECTED)?;
    let bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty();
    match (url.scheme(), url.host_str(), url.port_or_known_default()) {
        ("http" | "https", Some(host), Some(port)) if bare => {
            Ok(format!("{}://{host}:{port}", url.scheme()))
        }
        _ => Err(EXPECTED),
    }
}

fn web_address(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| text.to_owned())
}

pub(super) fn header_text(text: &str) -> Option<HeaderValue> {
    let visible = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    HeaderValue::from_str(text)
        .ok()
        .filter(|_| visible && (1..=200).contains(&text.len()))
}

pub(super) fn log_filter(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str =
        "error, warn, info, debug, trace, off, or a list such as warn,fingerpost=info";
    // The filter takes any lone word for the name of a module, and then logs nothing at all.
    let is_level = |word: &str| {
        ["error", "warn", "info", "debug", "trace", "off"]
            .iter()
            .any(|level| word.eq_ignore_ascii_case(level))
    };
    let fits = |part: &str| {
        is_level(
            part.rsplit_once('=')
                .map_or(part, |(_, level)| level)
                .trim(),
        )
    };
    if text.is_empty() || !text.split(',').all(fits) {
        return Err(EXPECTED);
    }
    tracing_subscriber::EnvFilter::builder()
        .parse(text)
        .map(|_| text.to_owned())
        .map_err(|_| EXPECTED)
}

/// Ids of search providers.
pub(super) fn provider_ids(values: &[String]) -> Result<Vec<&'static str>, &'static str> {
    let known = engine::search::providers();
    let id_of = |name: &str| {
        known
            .iter()
            .map(|provider| provider.spec().id())
            .find(|id| id.eq_ignore_ascii_case(name))
    };
    let ids: Vec<&'static str> = each(values)
        .map(|name| id_of(name).ok_or("ids of search providers; fingerpost doctor lists them"))
        .collect::<Result<_, _>>()?;
    if ids.is_empty() {
        Err("ids of search providers; fingerpost doctor lists them")
    } else {
        Ok(ids)
    }
}
