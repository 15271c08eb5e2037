//! The address of a Sentry project, with the key that opens it.

use std::fmt;

use fault::Secret;
use http::HeaderValue;
use url::Url;

/// How requests to Sentry name this program.
const CLIENT: &str = concat!("fingerpost/", env!("CARGO_PKG_VERSION"));

/// A valid DSN: `SCHEME://KEY[:SECRET]@HOST[:PORT]/[PATH/]PROJECT`. `Debug` does not show it.
#[derive(Clone, PartialEq)]
pub struct SentryDsn {
    url: Url,
    auth: HeaderValue,
}

impl SentryDsn {
    /// `None` when the text is no DSN.
    pub fn parse(text: &str) -> Option<SentryDsn> {
        let url = Url::parse(text).ok()?;
        let project = url.path().trim_matches('/').rsplit('/').next();
        let is_dsn = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && !url.username().is_empty()
            && project.is_some_and(|project| !project.is_empty())
            && url.query().is_none()
            && url.fragment().is_none();
        let auth = is_dsn.then(|| auth_header(&url))??;
        Some(SentryDsn { url, auth })
    }

    /// Where envelopes are posted to: `SCHEME://HOST/[PATH/]api/PROJECT/envelope/`.
    pub(crate) fn envelope_url(&self) -> String {
        let path = self.url.path().trim_matches('/');
        let (before, project) = path.rsplit_once('/').unwrap_or(("", path));
        let slash = if before.is_empty() { "" } else { "/" };
        let origin = self.url.origin().ascii_serialization();
        format!("{origin}/{before}{slash}api/{project}/envelope/")
    }

    /// The value of `X-Sentry-Auth`.
    pub(crate) fn auth_header(&self) -> HeaderValue {
        self.auth.clone()
    }

    /// The text of the DSN, for the header of an envelope.
    pub(crate) fn text(&self) -> &str {
        self.url.as_str()
    }

    /// Its parts that no reply, record or log line may show.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let keys = [Some(self.url.username()), self.url.password()];
        let all = keys.into_iter().flatten().chain([self.text()]);
        all.map(|text| Secret::new(text.to_owned())).collect()
    }
}

/// `None` when a key has characters that a header cannot hold.
fn auth_header(url: &Url) -> Option<HeaderValue> {
    let secret = url
        .password()
        .map(|secret| format!(", sentry_secret={secret}"));
    let text = format!(
        "Sentry sentry_version=7, sentry_client={CLIENT}, sentry_key={}{}",
        url.username(),
        secret.unwrap_or_default()
    );
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for SentryDsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SentryDsn(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dsn_names_the_endpoint_and_hides_its_key() {
        let dsn = SentryDsn::parse("https://0123456789abcdef@sentry.example:9000/base/42");
        let dsn = dsn.expect("a DSN");
        assert_eq!(
            dsn.envelope_url(),
            "https://sentry.example:9000/base/api/42/envelope/"
        );
        let auth = dsn.auth_header();
        assert!(auth.is_sensitive());
        let auth = auth.to_str().expect("text");
        for part in [
            "Sentry ",
            "sentry_key=0123456789abcdef",
            "sentry_version=7",
            "sentry_client=fingerpost/",
        ] {
            assert!(auth.contains(part), "{part} in {auth}");
        }
        assert_eq!(format!("{dsn:?}"), "SentryDsn(***)");
        let plain = SentryDsn::parse("http://k:s@[::1]/7/").expect("a DSN");
        assert_eq!(plain.envelope_url(), "http://[::1]/api/7/envelope/");
        let auth = plain.auth_header();
        assert!(
            auth.to_str()
                .is_ok_and(|auth| auth.ends_with("sentry_secret=s"))
        );
    }

    #[test]
    fn other_text_is_no_dsn() {
        for text in [
            "",
            "abc",
            "https://sentry.example/42",
            "https://key@sentry.example/",
            "ftp://key@sentry.example/1",
            "https://key@sentry.example/1?x",
        ] {
            assert_eq!(SentryDsn::parse(text), None, "{text}");
        }
    }
}
