//! Canonical addresses, which decide whether two results are the same page.

use url::Url;

/// Query parameters that track the reader and do not change the page.
const TRACKING: &[&str] = &[
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "ysclid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "__hssc",
    "__hstc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "vero_id",
    "vero_conv",
    "oly_anon_id",
    "oly_enc_id",
    "rb_clickid",
    "s_cid",
    "wickedid",
    "ref_src",
    "ref_url",
    "spm",
    "scm",
    "_openstat",
    "guccounter",
    "guce_referrer",
    "guce_referrer_sig",
    "srsltid",
    "_ga",
    "_gl",
];

/// Prefixes of such parameters.
const TRACKING_PREFIXES: &[&str] = &["utm_", "pk_", "mtm_", "hsa_", "matomo_"];

/// The address without tracking parameters, otherwise unchanged.
pub fn without_tracking(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    let Some(query) = parsed.query() else {
        return url.to_owned();
    };
    let kept: Vec<&str> = query.split('&').filter(|part| !is_tracking(part)).collect();
    if kept.len() == query.split('&').count() {
        return url.to_owned();
    }
    let kept = kept.join("&");
    parsed.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    parsed.into()
}

fn is_tracking(part: &str) -> bool {
    let name = part.split('=').next().unwrap_or(part).to_ascii_lowercase();
    TRACKING.contains(&name.as_str())
        || TRACKING_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// A form that is the same for different addresses of one page: https, no `www.`, no fragment, no
/// slash at the end, no tracking parameters, the others sorted. For comparing only: it may not lead
/// to the page.
pub fn canonical(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(&without_tracking(url)) else {
        return url.to_owned();
    };
    parsed.set_fragment(None);
    if parsed.scheme() == "http" && parsed.port().is_none() {
        let _ = parsed.set_scheme("https");
    }
    let host = parsed.host_str().unwrap_or_default().trim_end_matches('.');
    let mut bare = host;
    while let Some(rest) = bare.strip_prefix("www.").filter(|rest| rest.contains('.')) {
        bare = rest;
    }
    let bare = bare.to_owned();
    let _ = parsed.set_host(Some(&bare));
    let path = parsed.path().trim_end_matches('/').to_owned();
    parsed.set_path(&path);
    let mut parts: Vec<&str> = parsed
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|part| !part.is_empty())
        .collect();
    parts.sort_unstable();
    let query = parts.join("&");
    parsed.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
    parsed.into()
}

/// Whether an address is on a site or one of its subdomains.
pub(super) fn is_on(url: &str, site: &str) -> bool {
    let host = Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default();
    host == site
        || host
            .strip_suffix(site)
            .is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_page_has_one_canonical_address() {
        let same = [
            "https://example.com/a?b=2&a=1",
            "http://www.example.com/a/?a=1&utm_source=x&b=2#top",
            "https://EXAMPLE.com:443/a?a=1&b=2&fbclid=y",
            "https://example.com./a?a=1&b=2",
        ];
        for address in same {
            assert_eq!(
                canonical(address),
                "https://example.com/a?a=1&b=2",
                "{address}"
            );
        }
        for other in [
            "https://example.com/b?a=1&b=2",
            "https://example.com:8443/a?a=1&b=2",
            "https://example.com/A?a=1&b=2",
        ] {
            assert_ne!(canonical(other), canonical(same[0]), "{other}");
        }
    }

    #[test]
    fn only_tracking_parameters_are_removed() {
        assert_eq!(
            without_tracking("https://a.example/x?utm_medium=m&id=1&q=a%20b#f"),
            "https://a.example/x?id=1&q=a%20b#f"
        );
        assert_eq!(
            without_tracking("https://a.example/x?gclid=1"),
            "https://a.example/x"
        );
        assert_eq!(
            without_tracking("https://a.example/x?q=a+b&c"),
            "https://a.example/x?q=a+b&c"
        );
    }

    #[test]
    fn a_site_includes_its_subdomains() {
        assert!(
            is_on("https://docs.rust-lang.org/x", "rust-lang.org")
                && is_on("https://rust-lang.org/", "rust-lang.org")
        );
        assert!(
            !is_on("https://evilrust-lang.org/", "rust-lang.org")
                && is_on("https://www.nasa.gov/", "gov")
        );
    }

    proptest! {
        #[test]
        fn canonical_is_idempotent(
            host in "(www\\.){0,3}[a-z]{1,5}(\\.[a-z]{2,3}){0,2}\\.?",
            scheme in "https?",
            port in "(:[1-9][0-9]{1,3})?",
            path in "(/[a-zA-Z0-9%._~ -]{0,6}){0,4}/{0,3}",
            query in "(\\?[a-z_=&%+0-9]{0,30})?",
            fragment in "(#[a-z/!]{0,6})?",
        ) {
            let once = canonical(&format!("{scheme}://{host}{port}{path}{query}{fragment}"));
            prop_assert_eq!(canonical(&once), once);
        }

        #[test]
        fn text_that_is_no_address_is_idempotent_too(text in "\\PC{0,60}") {
            let once = canonical(&text);
            prop_assert_eq!(canonical(&once), once);
        }
    }
}
