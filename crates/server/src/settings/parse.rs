//! Parsers for the values of settings. Each returns what it expected when a value is wrong.
//!
//! They take all values of a setting, of which there is at least one.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use engine::store::RedisStore;
use fault::Secret;
use http::{HeaderName, HeaderValue};
use net::OutboundProxy;
use net::guard::{AllowRule, AllowRuleError, DomainRule};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::scope::Scope;
use crate::toolset::Toolset;

/// An endpoint that the operator trusts: any http or https URL, also a private one.
pub(super) fn endpoint(values: &[String]) -> Result<Url, &'static str> {
    Url::parse(one(values))
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or("an http or https URL")
}

/// An endpoint below which the paths of an interface begin with `/v1`. People write it with and
/// without.
pub(super) fn api_root(values: &[String]) -> Result<Url, &'static str> {
    let mut url = endpoint(values)?;
    let path = url.path().trim_end_matches('/');
    let root = path.strip_suffix("/v1").unwrap_or(path).to_owned();
    url.set_path(&root);
    Ok(url)
}

/// The name of a model.
pub(super) fn model(values: &[String]) -> Result<String, &'static str> {
    let name = one(values);
    let fits = (1..=100).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        Ok(name.to_owned())
    } else {
        Err("the name of a model, without blanks")
    }
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

/// A mail address or the address of a page, short enough for a header.
pub(super) fn contact(values: &[String]) -> Result<String, &'static str> {
    let contact = one(values);
    let is_mail = contact.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && !host.is_empty() && !contact.contains([':', '/'])
    });
    let is_page = endpoint(values).is_ok_and(|url| url.username().is_empty());
    let fits = contact.len() <= 100
        && contact
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'(' | b')' | b';'));
    if fits && (is_mail || is_page) {
        Ok(contact.to_owned())
    } else {
        Err("a mail address or an http or https URL")
    }
}

/// A header in which a proxy names the user. Clients send these themselves, with other meanings.
pub(super) fn subject_header(values: &[String]) -> Result<Option<HeaderName>, &'static str> {
    let taken = ["authorization", "cookie", "host", "origin", "content-type"];
    match one(values).parse::<HeaderName>() {
        Ok(name) if taken.contains(&name.as_str()) => {
            Err("a header that only the proxy sets, not one that clients send")
        }
        Ok(name) => Ok(Some(name)),
        Err(_) => Err("the name of an HTTP header"),
    }
}

/// Names of language data, as tesseract writes them: `eng`, `chi_sim`, `script/Latin`.
pub(super) fn ocr_languages(values: &[String]) -> Result<Vec<String>, &'static str> {
    const EXPECTED: &str = "names such as eng, deu or chi_sim";
    let is_name = |name: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/');
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.bytes().all(fits)
    };
    let mut names: Vec<String> = Vec::new();
    for name in values.iter().flat_map(|value| value.split([',', '+'])) {
        let name = name.trim();
        if !is_name(name) {
            return Err(EXPECTED);
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// `NAME=VALUE,NAME=VALUE`, as OpenTelemetry has it: values are percent-encoded.
pub(super) fn otlp_headers(
    values: &[String],
) -> Result<Vec<(HeaderName, HeaderValue)>, &'static str> {
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((name.trim().parse().ok()?, value))
    };
    let pairs = one(values).split(',').map(str::trim);
    let headers: Option<Vec<_>> = pairs.filter(|pair| !pair.is_empty()).map(header).collect();
    headers
        .filter(|headers| !headers.is_empty())
        .ok_or("headers as NAME=VALUE, separated by commas")
}

/// The rules of Sentry: at most 64 characters, no blanks, no slashes, and not `None`.
pub(super) fn sentry_environment(values: &[String]) -> Result<String, &'static str> {
    let name = one(values);
    let fits = (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'\\'))
        && !name.eq_ignore_ascii_case("none");
    if fits {
        Ok(name.to_owned())
    } else {
        Err("1 to 64 characters without blanks and slashes")
    }
}

/// The last value, for settings that take only one.
pub(super) fn one(values: &[String]) -> &str {
    values.last().map_or("", |value| value.trim())
}

/// All values of a repeatable setting, which may also be separated by commas, as they are in an
/// environment variable.
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

/// Whether there are such tools is checked where they are known.
pub(super) fn tool_names(values: &[String]) -> Result<Vec<String>, &'static str> {
    let is_name = |name: &&str| {
        let mut bytes = name.bytes();
        bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let names: Vec<&str> = each(values).collect();
    match !names.is_empty() && names.iter().all(is_name) {
        true => Ok(names.into_iter().map(str::to_owned).collect()),
        false => Err("names of tools, separated by commas"),
    }
}

pub(super) fn switch(values: &[String]) -> Result<bool, &'static str> {
    match one(values).to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("true or false"),
    }
}

pub(super) fn days(values: &[String]) -> Result<Duration, &'static str> {
    let days: u64 = whole(values, 1, 3_650).ok_or("a whole number of days from 1 to 3650")?;
    Ok(Duration::from_secs(days * 24 * 3_600))
}

/// A time from one second to `max` seconds.
pub(super) fn seconds(values: &[String], max: u64) -> Option<Duration> {
    whole(values, 1, max).map(Duration::from_secs)
}

/// A whole number from `min` to `max`.
pub(super) fn whole<T: TryFrom<u64>>(values: &[String], min: u64, max: u64) -> Option<T> {
    let number: u64 = one(values).parse().ok()?;
    let is_in_range = (min..=max).contains(&number);
    T::try_from(number).ok().filter(|_| is_in_range)
}

pub(super) fn store_url(values: &[String]) -> Result<Secret, &'static str> {
    let url = Secret::new(one(values).to_owned());
    RedisStore::new(&url)?;
    Ok(url)
}

pub(super) fn path(values: &[String], expected: &'static str) -> Result<PathBuf, &'static str> {
    let text = one(values);
    if text.is_empty() || text.contains('\0') {
        Err(expected)
    } else {
        Ok(PathBuf::from(text))
    }
}

/// Directories that exist, as absolute paths, because the current directory may change.
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

/// A file that exists. What it must hold is checked when it is used.
pub(super) fn file(values: &[String]) -> Result<PathBuf, &'static str> {
    const EXPECTED: &str = "the path of a file that exists";
    let file = path(values, EXPECTED)?;
    match file.is_file() {
        true => std::path::absolute(file).map_err(|_| EXPECTED),
        false => Err(EXPECTED),
    }
}

/// The address of a server: a scheme, a host and perhaps a port.
pub(super) fn public_url(values: &[String]) -> Result<Url, &'static str> {
    const EXPECTED: &str = "https://host or https://host:port (or http), with nothing after it";
    let url = endpoint(values).map_err(|_| EXPECTED)?;
    let is_bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty();
    is_bare.then_some(url).ok_or(EXPECTED)
}

/// The name of an authorization server, as it writes it: https, or http on this machine.
pub(super) fn issuer(values: &[String]) -> Result<String, &'static str> {
    const EXPECTED: &str = "an https URL (or http on this machine) without query and fragment";
    let url = endpoint(values).map_err(|_| EXPECTED)?;
    let is_bare = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let is_safe = url.scheme() == "https" || is_here;
    (is_bare && is_safe)
        .then(|| one(values).to_owned())
        .ok_or(EXPECTED)
}

pub(super) fn audiences(values: &[String]) -> Result<Vec<String>, &'static str> {
    const EXPECTED: &str = "one or more texts without blanks";
    let all: Vec<String> = each(values).map(str::to_owned).collect();
    let fits =
        |text: &String| text.len() <= 500 && text.bytes().all(|byte| byte.is_ascii_graphic());
    (!all.is_empty() && all.iter().all(fits))
        .then_some(all)
        .ok_or(EXPECTED)
}

/// The characters that RFC 6749 allows in a scope.
pub(super) fn is_scope_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\')
}

pub(super) fn scopes(values: &[String]) -> Result<Vec<Scope>, &'static str> {
    const EXPECTED: &str =
        "one or more of research, web, live, patterns, agent, metrics, operator, proxy";
    let all = each(values).map(|name| Scope::parse(name).ok_or(EXPECTED));
    all.collect()
}

/// A file with at least one certificate. The certificates themselves are checked when they are
/// used.
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

/// Domains for the lists that limit what is read.
pub(super) fn domains(values: &[String]) -> Result<Vec<DomainRule>, &'static str> {
    const EXPECTED: &str =
        "one or more domains, addresses or networks in CIDR form, without scheme, port or path";
    let domains = each(values).map(|text| text.parse().map_err(|_| EXPECTED));
    domains
        .collect::<Result<Vec<DomainRule>, _>>()
        .and_then(|domains| {
            if domains.is_empty() {
                Err(EXPECTED)
            } else {
                Ok(domains)
            }
        })
}

/// Proxies for outgoing connections.
pub(super) fn proxies(values: &[String]) -> Result<Vec<OutboundProxy>, &'static str> {
    const EXPECTED: &str = "http://HOST:PORT or socks5://HOST:PORT, with http= or https= before it for the URLs of one scheme; a comma in a password is written %2C";
    let proxies: Result<Vec<OutboundProxy>, _> = each(values).map(str::parse).collect();
    proxies
        .ok()
        .filter(|proxies| !proxies.is_empty())
        .ok_or(EXPECTED)
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

pub(super) fn dns_server(values: &[String]) -> Result<SocketAddr, &'static str> {
    let text = one(values);
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

/// An origin with its port, as the SDK compares them: a bare `https://host` has the default port.
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

pub(super) fn log_filter(values: &[String]) -> Result<String, &'static str> {
    let text = one(values);
    const EXPECTED: &str =
        "error, warn, info, debug, trace, off, or a list such as warn,fingerpost=info";
    // The filter takes any other word for the name of a module, and then logs nothing at all.
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
