//! What a redirect says, by the addresses it led from and to. It supports what the page says and
//! never decides alone. The one exception is a deep address that was redirected to the front page
//! of the same site: there the redirect itself is the failure.

use url::Url;

use super::evidence::Evidence;
use super::fold::folded;

/// Words of addresses that lead to a login.
const LOGIN: &[&str] = &[
    "login",
    "log-in",
    "signin",
    "sign-in",
    "sign_in",
    "signon",
    "sso",
    "auth",
    "oauth",
    "authorize",
    "authenticate",
    "account",
    "accounts",
    "logon",
    "wp-login.php",
    "users",
    "session",
    "sessions",
    "anmelden",
    "anmeldung",
    "connexion",
    "identification",
    "iniciar-sesion",
    "acceder",
    "entrar",
    "accedi",
    "vhod",
    "cas",
    "passport",
    "idp",
    "saml",
    "authwall",
];
/// Words of addresses that ask for consent or for an age.
const CONSENT: &[&str] = &[
    "consent",
    "collectconsent",
    "cookiewall",
    "cookie-consent",
    "privacywall",
    "gdpr",
    "age-gate",
    "agegate",
    "age-verification",
];
/// Words of addresses that show a challenge.
const CHALLENGE: &[&str] = &[
    "captcha",
    "sorry",
    "challenge",
    "blocked",
    "showcaptcha",
    "validatecaptcha",
    "punish",
    "verify",
    "distil_r_captcha.html",
];
/// Words of addresses that show an error.
const MISSING: &[&str] = &[
    "404",
    "404.html",
    "404.htm",
    "404.php",
    "404.aspx",
    "error",
    "errors",
    "error404",
    "not-found",
    "notfound",
    "pagenotfound",
    "page-not-found",
    "not_found",
    "page_not_found",
];

/// The evidence of a redirect.
pub(super) fn redirect_evidence(requested: &Url, answered: &Url) -> Vec<Evidence> {
    if is_same_place(requested, answered) {
        return Vec::new();
    }
    let words: Vec<String> = words(answered).collect();
    let asked: Vec<String> = self::words(requested).collect();
    let moved_to = |names: &[&str]| {
        words
            .iter()
            .any(|word| names.contains(&word.as_str()) && !asked.contains(word))
    };
    let mut evidence = Vec::new();
    if moved_to(LOGIN) {
        evidence.push(Evidence::RedirectToLogin);
    }
    if moved_to(CONSENT) {
        evidence.push(Evidence::RedirectToConsent);
    }
    if moved_to(CHALLENGE) {
        // The address does not show which of the two the site asks for.
        evidence.extend([Evidence::RedirectToCaptcha, Evidence::RedirectToChallenge]);
    }
    if moved_to(MISSING) {
        evidence.push(Evidence::RedirectToError);
    }
    evidence
}

fn is_same_place(one: &Url, other: &Url) -> bool {
    site(one) == site(other)
        && one.path().trim_end_matches('/') == other.path().trim_end_matches('/')
}

/// Labels of the host (without the last two) and segments of the path.
fn words(url: &Url) -> impl Iterator<Item = String> {
    let labels: Vec<String> = url
        .host_str()
        .unwrap_or_default()
        .split('.')
        .map(str::to_owned)
        .collect();
    let keep = labels.len().saturating_sub(2);
    let segments: Vec<String> = url
        .path()
        .split('/')
        .take(12)
        .map(str::to_ascii_lowercase)
        .collect();
    labels.into_iter().take(keep).chain(segments)
}

/// The host without the `www.` or `m.` that sites add and drop.
fn site(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.")
        .or_else(|| host.strip_prefix("m."))
        .unwrap_or(host)
}

/// Whether a deep address of a site was redirected to its front page, whose title has none of the
/// words of the address.
pub(super) fn went_to_front_page(requested: &Url, answered: &Url, title: &str) -> bool {
    if site(requested) != site(answered)
        || !is_front(answered)
        || answered.query().is_some() && requested.query() == answered.query()
    {
        return false;
    }
    let deep = requested
        .path_segments()
        .map(|segments| {
            segments
                .filter(|it| !it.is_empty())
                .map(str::to_ascii_lowercase)
                .collect::<Vec<_>>()
        })
        .unwrap_or_default();
    if is_front(requested) || deep.is_empty() {
        return false;
    }
    let is_deep = deep.len() >= 2
        || deep.iter().any(|segment| {
            segment.len() >= 12
                || segment.contains(['-', '_', '.'])
                || segment.bytes().any(|byte| byte.is_ascii_digit())
        });
    let slug = folded(&deep.last().cloned().unwrap_or_default());
    let named = slug
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() >= 4 && !title.is_empty())
        .any(|word| title.contains(word));
    is_deep && !named
}

/// `/`, `/index.html`, `/home`, `/en/`.
fn is_front(url: &Url) -> bool {
    let path = url.path().trim_matches('/').to_ascii_lowercase();
    let is_language = |part: &str| {
        part.len() == 2 || (part.len() == 5 && matches!(part.as_bytes().get(2), Some(b'-' | b'_')))
    };
    path.is_empty()
        || is_language(&path)
        || matches!(
            path.as_str(),
            "home" | "index" | "default.aspx" | "default.asp" | "main" | "start"
        )
        || path.starts_with("index.")
        || path.starts_with("home.")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_redirect_counts_only_when_it_leads_to_another_place() {
        let evidence = |from: &str, to: &str| redirect_evidence(&url(from), &url(to));
        let login = "https://a.example/login";
        assert!(evidence(login, login).is_empty());
        assert_eq!(
            evidence(
                "https://a.example/x",
                "https://a.example/account/login?next=/x"
            ),
            [Evidence::RedirectToLogin]
        );
        assert_eq!(
            evidence(
                "https://www.a.example/x",
                "https://consent.a.example/m?continue=x"
            ),
            [Evidence::RedirectToConsent]
        );
    }

    #[test]
    fn a_deep_address_that_ends_on_the_front_page_is_found() {
        let home = url("https://a.example/");
        assert!(went_to_front_page(
            &url("https://www.a.example/news/2021/old-story.html"),
            &home,
            "a example"
        ));
        assert!(!went_to_front_page(&url("https://a.example/en"), &home, ""));
        assert!(!went_to_front_page(
            &url("https://a.example/index.php"),
            &home,
            ""
        ));
        assert!(!went_to_front_page(
            &url("https://b.example/news/old-story"),
            &home,
            ""
        ));
        assert!(!went_to_front_page(
            &url("https://a.example/news/old-story"),
            &home,
            "old story"
        ));
    }
}
