//! The cookies of one redirect chain. Many sites set a cookie and redirect to the same URL; without
//! the cookie that would be a loop.
//!
//! They last as long as the request. Nothing is kept between calls, so a site cannot recognise a
//! caller.

use http::{HeaderMap, HeaderValue, header};
use url::Url;

/// More than a well-behaved redirect chain sets.
const MAX_COOKIES: usize = 50;
const MAX_COOKIE_BYTES: usize = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Cookies(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    /// The host that set it, and whether its subdomains get the cookie too.
    host: String,
    include_subdomains: bool,
    secure: bool,
    name: String,
    value: String,
}

impl Cookies {
    /// Stores the cookies that a response sets. An expired or empty one removes its predecessor.
    pub(crate) fn store(&mut self, url: &Url, headers: &HeaderMap) {
        for set in headers
            .get_all(header::SET_COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
        {
            if let Some(cookie) = parse_set_cookie(url, set) {
                self.0
                    .retain(|known| known.name != cookie.name || known.host != cookie.host);
                if !cookie.value.is_empty() && self.0.len() < MAX_COOKIES {
                    self.0.push(cookie);
                }
            }
        }
    }

    /// The `Cookie` header for this URL. `None` when no cookie applies.
    pub(crate) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let pairs: Vec<String> = self
            .0
            .iter()
            .filter(|it| it.goes_to(url))
            .map(|it| format!("{}={}", it.name, it.value))
            .collect();
        HeaderValue::from_str(&pairs.join("; "))
            .ok()
            .filter(|value| !value.is_empty())
    }
}

impl Cookie {
    fn goes_to(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else {
            return false;
        };
        let include_subdomains = || {
            self.include_subdomains
                && host
                    .strip_suffix(&self.host)
                    .is_some_and(|rest| rest.ends_with('.'))
        };
        (host == self.host || include_subdomains()) && (!self.secure || url.scheme() == "https")
    }
}

fn parse_set_cookie(url: &Url, set: &str) -> Option<Cookie> {
    let own = url.host_str()?;
    let mut parts = set.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || set.len() > MAX_COOKIE_BYTES {
        return None;
    }
    let mut cookie = Cookie {
        host: own.to_owned(),
        include_subdomains: false,
        secure: false,
        name: name.to_owned(),
        value: value.to_owned(),
    };
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = value.trim().trim_start_matches('.').to_ascii_lowercase();
        match key.trim().to_ascii_lowercase().as_str() {
            // A cookie may name a parent domain, but no other host and no top-level domain.
            "domain"
                if value == own
                    || (value.contains('.')
                        && own
                            .strip_suffix(&value)
                            .is_some_and(|rest| rest.ends_with('.'))) =>
            {
                (cookie.host, cookie.include_subdomains) = (value, true);
            }
            "domain" => return None,
            "secure" => cookie.secure = true,
            "max-age" if value.parse::<i64>().is_ok_and(|seconds| seconds <= 0) => {
                cookie.value.clear()
            }
            _ => {}
        }
    }
    Some(cookie)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn after(from: &str, sets: &[&str], to: &str) -> Option<String> {
        let (mut cookies, mut headers) = (Cookies::default(), HeaderMap::new());
        for set in sets {
            headers.append(header::SET_COOKIE, set.parse().unwrap());
        }
        cookies.store(&Url::parse(from).unwrap(), &headers);
        cookies
            .header(&Url::parse(to).unwrap())
            .map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn cookies_are_sent_to_the_host_that_set_them() {
        let a = "https://www.a.example/x";
        assert_eq!(
            after(a, &["s=1; Path=/; HttpOnly", "t=2"], a).as_deref(),
            Some("s=1; t=2")
        );
        assert_eq!(after(a, &["s=1"], "https://b.example/"), None);
        assert_eq!(after(a, &["s=1"], "https://a.example/"), None);
        assert_eq!(
            after(a, &["s=1; Domain=.a.example"], "https://login.a.example/").as_deref(),
            Some("s=1")
        );
        for stranger in [
            "s=1; Domain=b.example",
            "s=1; Domain=example",
            "s=1; Domain=w.a.example",
        ] {
            assert_eq!(after(a, &[stranger], a), None, "{stranger}");
        }
        assert_eq!(after(a, &["s=1; Secure"], "http://www.a.example/"), None);
        assert_eq!(after(a, &["s=1", "s=; Max-Age=0"], a), None);
        assert_eq!(after(a, &["nonsense", "=x"], a), None);
    }
}
