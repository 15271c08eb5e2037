//! The files of the page. They are part of the program, so there is nothing to install.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Only files of this server, and nothing written into the page: a text that became markup could
/// neither run nor load anything.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
require-trusted-types-for 'script'; trusted-types 'none'";

/// On every response of the page, whatever it is.
const SECURITY_HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // With `no-referrer`, a browser would hide the origin of the form that signs out.
    ("referrer-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

struct File {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($($name:literal is $kind:literal),+ $(,)?) => {
        &[$(File { name: $name, kind: $kind, text: include_str!(concat!("files/", $name)) }),+]
    };
}

const INDEX: &str = "index.html";

static FILES: &[File] = files! {
    "index.html" is "text/html; charset=utf-8",
    "page.css" is "text/css; charset=utf-8",
    "icon.svg" is "image/svg+xml",
    "app.js" is "text/javascript; charset=utf-8",
    "dom.js" is "text/javascript; charset=utf-8",
    "format.js" is "text/javascript; charset=utf-8",
    "chart.js" is "text/javascript; charset=utf-8",
    "overview.js" is "text/javascript; charset=utf-8",
    "faults.js" is "text/javascript; charset=utf-8",
    "sessions.js" is "text/javascript; charset=utf-8",
    "form.js" is "text/javascript; charset=utf-8",
    "try.js" is "text/javascript; charset=utf-8",
};

pub(super) fn index(headers: &HeaderMap) -> Option<Response> {
    file(INDEX, headers)
}

/// A file by its name, or the word that the browser has it already.
pub(super) fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let file = FILES.iter().find(|file| file.name == name)?;
    let mut hasher = DefaultHasher::new();
    file.text.hash(&mut hasher);
    let tag = format!("\"{:x}\"", hasher.finish());
    let known = headers.get(header::IF_NONE_MATCH);
    let cached = [
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ETAG, tag.clone()),
    ];
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return Some((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    Some((cached, kind, file.text).into_response())
}

pub(super) fn secure(mut response: Response) -> Response {
    for (name, value) in SECURITY_HEADERS {
        let name = HeaderName::from_static(name);
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_writes_markup_or_names_another_server() {
        for file in FILES {
            let words = [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
            ];
            for word in words.iter().chain(&["style=\"", "onclick=", "javascript:"]) {
                assert!(!file.text.contains(word), "{word} in {}", file.name);
            }
            let namespaces = ["http://www.w3.org/2000/svg"];
            let text = namespaces
                .iter()
                .fold(file.text.to_owned(), |text, it| text.replace(it, ""));
            for scheme in ["http://", "https://", "//cdn", "@import"] {
                assert!(!text.contains(scheme), "{scheme} in {}", file.name);
            }
        }
    }

    #[test]
    fn every_file_that_the_page_names_is_there() {
        for file in FILES {
            for quoted in file.text.split(['"', '\'']) {
                let name = quoted.strip_prefix("page/").or(quoted.strip_prefix("./"));
                let Some(name) = name.filter(|name| !name.contains(' ')) else {
                    continue;
                };
                assert!(
                    FILES.iter().any(|it| it.name == name),
                    "{name} in {}",
                    file.name
                );
            }
        }
    }
}
