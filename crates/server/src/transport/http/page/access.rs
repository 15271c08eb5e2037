//! Which requests may see the page and its data.
//!
//! A page of another site must neither read this server through the browser of somebody who can
//! reach it, nor make it call a tool. So a host that is a name must be one that the operator knows:
//! another name that leads to this machine is a trick (DNS rebinding). A browser says in `Origin`
//! and `Sec-Fetch-Site` where a request comes from: data goes to this page alone, and a call must
//! prove that it comes from here.

use http::{HeaderMap, Method, StatusCode, header};

use super::super::known_hosts::{KnownHosts, is_of_other_site};

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    UnknownHost,
    OtherSite,
    NotJson,
}

impl Refusal {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Refusal::UnknownHost | Refusal::OtherSite => StatusCode::FORBIDDEN,
            Refusal::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Refusal::UnknownHost => {
                "This page is opened by an address, or by a name that --allowed-origin lists."
            }
            Refusal::OtherSite => {
                "Only the page at / of this server may ask this. Programs use /mcp."
            }
            Refusal::NotJson => "Content-Type must be application/json.",
        }
    }
}

#[derive(Debug)]
pub(super) struct Access {
    pub(super) hosts: KnownHosts,
}

impl Access {
    /// Checks a request for the page itself or one of its files. Another site may link to it.
    pub(super) fn check_file(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match self.hosts.knows(headers) {
            true => Ok(()),
            false => Err(Refusal::UnknownHost),
        }
    }

    /// Checks a request for data, or one that calls a tool.
    pub(super) fn check_data(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        self.check_file(headers)?;
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        if is_of_other_site(headers) {
            return Err(Refusal::OtherSite);
        }
        match self.hosts.is_own_page(headers) {
            Some(true) => {}
            // Browsers leave it out when a page reads from its own server.
            None if is_read => {}
            _ => return Err(Refusal::OtherSite),
        }
        if method == Method::POST && !is_json(headers) {
            return Err(Refusal::NotJson);
        }
        Ok(())
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()?.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
