//! `/sign-in` and `/sign-out`: a browser's way in.
//!
//! A person gives a token once, in a form, and the browser gets a cookie that stands for it
//! (`auth::SignIns`). The cookie is `HttpOnly` and `SameSite=Strict`, and for TLS only where the
//! server is reached over TLS. The page has no script, and nothing of a request is written into it
//! but the path to return to.

use std::sync::{Arc, LazyLock};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use http_body_util::{BodyExt, Limited};
use url::form_urlencoded;

use super::{guard::Guard, responses};
use crate::auth::{Refusal, SIGN_IN_LIVES};

pub(super) const SIGN_IN: &str = "/sign-in";
pub(super) const SIGN_OUT: &str = "/sign-out";
const COOKIE: &str = "fingerpost-sign-in";
const MAX_FORM: usize = 32 * 1_024;
/// An id has 97 characters.
const MAX_ID: usize = 128;

const MAY_NOT_LOOK: &str = "This token may not open the page: it has neither the scope of a toolset nor the scope operator. Sign in with another token.";

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:15vh auto;padding:0 1rem}\
label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}\
input,button{margin-top:.5rem;padding:.5rem}\
[role=alert]{border-left:.25rem solid #c33;padding-left:.75rem}";

static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let digest = ring::digest::digest(&ring::digest::SHA256, STYLE.as_bytes());
    let style = STANDARD.encode(digest);
    HeaderValue::from_str(&format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ))
    .ok()
});

pub(super) fn routes(guard: Arc<Guard>) -> Router {
    Router::new()
        .route(
            SIGN_IN,
            get(form).post(begin).fallback(responses::use_get_or_post),
        )
        .route(SIGN_OUT, post(end).fallback(responses::use_post))
        .with_state(guard)
}

/// The sign-in that leads back to this page.
pub(super) fn address(page: &Uri) -> String {
    let to = page.path_and_query().map_or("/", |page| page.as_str());
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("to", to)
        .finish();
    format!("{SIGN_IN}?{query}")
}

/// The sign-in for a page that the present one may not open.
pub(super) fn with_another_token(page_address: &Uri) -> Response {
    let to = page_address
        .path_and_query()
        .map_or("/", |page| page.as_str());
    page(
        StatusCode::FORBIDDEN,
        local(Some(to)),
        Some(MAY_NOT_LOOK.to_owned()),
    )
}

/// The id of the sign-in in the cookies of a request.
pub(super) fn cookie(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines.filter_map(|line| line.to_str().ok());
    let mut pairs = pairs.flat_map(|line| line.split(';'));
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        let is_ours = name == COOKIE && (1..=MAX_ID).contains(&value.len());
        is_ours.then(|| value.to_owned())
    })
}

async fn form(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    let to = field(request.uri().query().unwrap_or_default().as_bytes(), "to");
    if !guard.authenticator.needs_token() {
        return Redirect::to(local(to.as_deref())).into_response();
    }
    page(StatusCode::OK, local(to.as_deref()), None)
}

async fn begin(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(refusal) = guard.check_page(&parts.headers) {
        return guard.refusal(&refusal, &parts);
    }
    let Some(form) = read(body).await else {
        let refusal = Refusal::Malformed("The form is too large or incomplete.");
        return guard.refusal(&refusal, &parts);
    };
    let to = field(&form, "to");
    let to = local(to.as_deref());
    let token = field(&form, "token").unwrap_or_default();
    let signed_in = match guard.authenticator.verify(token.trim()).await {
        Ok(verified) if !verified.caller.scopes.allow_looking() => {
            return page(StatusCode::FORBIDDEN, to, Some(MAY_NOT_LOOK.to_owned()));
        }
        Ok(verified) => guard.sign_ins.begin(&verified).await,
        Err(refusal) => Err(refusal),
    };
    match signed_in {
        Ok(id) => (
            [(
                header::SET_COOKIE,
                guard.cookie(&id, SIGN_IN_LIVES.as_secs()),
            )],
            Redirect::to(to),
        )
            .into_response(),
        Err(refusal) => {
            tracing::info!(status = refusal.status().as_u16(), "refused a sign-in");
            let fault = refusal.fault();
            page(refusal.status(), to, Some(responses::sentence(&fault)))
        }
    }
}

async fn end(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if let Err(refusal) = guard.check_page(&parts.headers) {
        return guard.refusal(&refusal, &parts);
    }
    if let Some(id) = cookie(&parts.headers)
        && let Err(refusal) = guard.sign_ins.end(&id).await
    {
        return guard.refusal(&refusal, &parts);
    }
    (
        [(header::SET_COOKIE, guard.cookie("", 0))],
        Redirect::to(SIGN_IN),
    )
        .into_response()
}

impl Guard {
    fn cookie(&self, id: &str, seconds: u64) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!("{COOKIE}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
    }
}

async fn read(body: Body) -> Option<Vec<u8>> {
    let read = Limited::new(body, MAX_FORM).collect();
    let read = tokio::time::timeout(super::body_room::BODY_TIME, read)
        .await
        .ok()?;
    Some(read.ok()?.to_bytes().to_vec())
}

fn field(form: &[u8], name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(form);
    pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
}

/// The path to go to: of this server, whatever the address of the sign-in says.
fn local(to: Option<&str>) -> &str {
    let is_local = |to: &&str| {
        to.starts_with('/')
            && !to.starts_with("//")
            && !to.starts_with(SIGN_IN)
            && to.len() <= 2_000
            && to
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    to.filter(is_local).unwrap_or("/")
}

fn page(status: StatusCode, to: &str, alert: Option<String>) -> Response {
    let alert = alert.map_or_else(String::new, |text| {
        format!("<p role=\"alert\">{}</p>\n", escaped(&text))
    });
    let to = escaped(to);
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Sign in · Fingerpost</title>\n<style>{STYLE}</style>\n<main>\n<h1>Fingerpost</h1>\n{alert}\
         <form method=\"post\" action=\"{SIGN_IN}\">\n<input type=\"hidden\" name=\"to\" value=\"{to}\">\n\
         <label for=\"token\">Token</label>\n<input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" required autofocus>\n\
         <button>Sign in</button>\n</form>\n</main>\n"
    );
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, a browser would hide the origin of the form.
        (header::REFERRER_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(policy) = POLICY.clone() {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_leads_nowhere_else() {
        for foreign in [
            "https://evil.example/",
            "//evil.example/",
            "/\\evil.example",
            "javascript:alert(1)",
            "/a\r\nSet-Cookie: x=y",
            "/sign-in?to=/sign-in",
            "",
        ] {
            assert_eq!(local(Some(foreign)), "/", "{foreign}");
        }
        assert_eq!(local(Some("/sessions?id=7#top")), "/sessions?id=7#top");
        assert_eq!(local(None), "/");
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(
            header::COOKIE,
            HeaderValue::from_static("a=b; xfingerpost-sign-in=no"),
        );
        assert_eq!(cookie(&headers), None);
        headers.append(
            header::COOKIE,
            HeaderValue::from_static("c=d; fingerpost-sign-in=abc"),
        );
        assert_eq!(cookie(&headers).as_deref(), Some("abc"));
    }
}
