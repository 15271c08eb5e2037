//! The one place where a network error or an HTTP status becomes a fault.
//!
//! `error_fault` is for a request without a response, `status_fault` for a response whose status is
//! an error. Both decide by types and numbers; the text of a URL, header or body is never compared.

use std::time::Duration;

use fault::{Case, Fault, Host, Origin, Phase, Retry, Say, Size, Tainted};
use http::HeaderMap;
use url::Url;

use crate::guard::Denied;
use crate::network_error::{BadCertificate, NetworkError, NetworkErrorKind};
use crate::problem::{Cloudflare, ProblemDetails};
use crate::progress::Progress;
use crate::request::SettingNames;
use crate::retry_after::requested_wait;

/// The fault for a request that got no response.
pub(crate) fn error_fault(
    error: NetworkError,
    progress: &Progress,
    origin: Origin,
    names: SettingNames,
) -> Fault {
    let phase = error.phase.unwrap_or_else(|| progress.phase());
    let (requested, current) = (progress.requested(), progress.current_url());
    let fault = match error.kind {
        NetworkErrorKind::Denied(denied) if requested != current => redirect_refusal(denied),
        NetworkErrorKind::Denied(denied) if progress.is_search_result() => {
            return search_result_refusal(denied, current.as_ref()).phase(phase);
        }
        NetworkErrorKind::Denied(denied) => refusal(denied, names),
        NetworkErrorKind::NoMemory => memory_taken(),
        NetworkErrorKind::ProxySilent => proxy_silent(names),
        kind => Fault::new(case_of(kind), origin_of(kind, origin)).detail(detail_of(kind)),
    };
    let current = match error.kind {
        // The requested site causes the loop, wherever it was noticed.
        NetworkErrorKind::RedirectLoop { .. } => requested.as_ref(),
        _ => current.as_ref(),
    };
    let fault = with_facts(
        attributed(fault.phase(phase), requested.as_ref(), current),
        error.kind,
        progress,
        names,
    );
    match error.message {
        Some(words) => fault.tainted(Tainted::new(words)),
        None => fault,
    }
}

/// Names the host a fault is about. A host that a redirect led to was chosen by the other side and
/// could spell a sentence, so the agent is told only the host it asked for; the operator is told
/// both.
pub(crate) fn attributed(fault: Fault, requested: Option<&Url>, current: Option<&Url>) -> Fault {
    let host = requested.and_then(Host::from_url);
    match current.filter(|current| Host::from_url(current) != host) {
        None => fault.host(host),
        Some(elsewhere) => {
            let place = &elsewhere[..url::Position::BeforePath];
            fault
                .host(host.map(Host::redirect_target))
                .tainted(Tainted::new(format!("redirected to {place}")))
        }
    }
}

/// The fault for a URL the guard refused before anything was sent.
pub(crate) fn refusal(denied: Denied, names: SettingNames) -> Fault {
    let fault = Fault::new(refusal_case(denied), Origin::Local)
        .phase(Phase::Policy)
        .detail(Say::new(denied.why()));
    let fault = match denied {
        Denied::TooLong { bytes } => fault.size(Size::Bytes(bytes as u64)),
        _ if denied.may_be_opened() => fault.setting(names.allow_private),
        _ => fault,
    };
    match advice_of(denied) {
        Some(advice) => fault.advising(Say::new(advice)),
        None => fault,
    }
}

/// How long a large page usually keeps its memory.
const MEMORY_FREE: Duration = Duration::from_secs(10);

/// The fault for a body that waited for memory until its deadline. Nothing is wrong with it.
#[must_use]
pub fn memory_taken() -> Fault {
    Fault::new(Case::LocalLimit, Origin::Local)
        .saying(Say::new(
            "Other large pages took the memory of this server until the time of the call was over.",
        ))
        .advising(Say::new(
            "Wait 10 seconds and retry; read large pages one after another.",
        ))
        .retry(Retry::After(MEMORY_FREE))
}

/// How long a proxy is left alone that did not answer.
const PROXY_ANSWERS: Duration = Duration::from_secs(10);

/// The fault for a proxy that accepted the connection and then said nothing. It may be waiting for
/// the host, so the setting is not called wrong, and the host is not said to be silent.
fn proxy_silent(names: SettingNames) -> Fault {
    let advice = Say::new(
        "Wait 10 seconds and retry once; if other sites fail in this way too, ask the operator to check the outbound proxy",
    );
    let advice = match names.outbound {
        Some(setting) => advice.with(" (setting ").with(setting.as_str()).with(")."),
        None => advice.with("."),
    };
    Fault::new(Case::Timeout, Origin::Local)
        .saying(Say::new(
            "The outbound proxy of this server did not answer in time, so the site was not asked.",
        ))
        .advising(advice)
        .retry(Retry::After(PROXY_ANSWERS))
}

/// What to do about a URL that was refused, where the row's advice would not help.
fn advice_of(denied: Denied) -> Option<&'static str> {
    Some(match denied {
        Denied::TooLong { .. } => {
            "Do not retry it as it is; give a shorter address, for example without tracking parameters."
        }
        Denied::Credentials => "Do not retry it as it is; give the same address without them.",
        Denied::BadHost => {
            "Do not retry it; check the spelling of the host. An address looks like https://example.com/article."
        }
        Denied::Port(_) => "Do not retry this port; web pages are on the usual ports 80 and 443.",
        _ => return None,
    })
}

/// The fault for a redirect the guard refused. The caller did not choose the address and must not
/// be advised to allow it, so the fault advises neither.
fn redirect_refusal(denied: Denied) -> Fault {
    let fault = Fault::new(refusal_case(denied), Origin::Local)
        .detail(Say::new(denied.why()))
        .advising(Say::new("Do not retry; use another source."));
    match denied {
        Denied::Name(_)
        | Denied::Address(_)
        | Denied::ZoneId
        | Denied::PrivatePort
        | Denied::Domain => fault,
        _ => fault.saying(
            Say::new("The page redirects to an address that cannot be read:")
                .then(Say::new(denied.why())),
        ),
    }
}

/// The fault for a search result the guard refused. As with a redirect, the caller must not be
/// advised to allow what others chose, and its host is for the operator only.
fn search_result_refusal(denied: Denied, url: Option<&Url>) -> Fault {
    let says = match denied {
        Denied::Name(_) | Denied::Address(_) | Denied::ZoneId | Denied::PrivatePort => {
            "This search result is not on the public internet:"
        }
        _ => "This search result has an address that cannot be read:",
    };
    let fault = Fault::new(refusal_case(denied), Origin::Local)
        .saying(Say::new(says).then(Say::new(denied.why())))
        .advising(Say::new("Do not retry; use another result."));
    match url {
        Some(url) => fault.tainted(Tainted::new(format!(
            "the search result is at {}",
            &url[..url::Position::BeforePath]
        ))),
        None => fault,
    }
}

fn refusal_case(denied: Denied) -> Case {
    match denied {
        Denied::Scheme => Case::PolicyScheme,
        Denied::Name(_) | Denied::Address(_) | Denied::ZoneId | Denied::PrivatePort => {
            Case::PolicyPrivateAddress
        }
        Denied::Domain => Case::PolicyDomain,
        Denied::Unparsable
        | Denied::TooLong { .. }
        | Denied::Credentials
        | Denied::BadHost
        | Denied::Port(_) => Case::InvalidUrl,
    }
}

fn case_of(kind: NetworkErrorKind) -> Case {
    match kind {
        NetworkErrorKind::Denied(denied) => refusal_case(denied),
        NetworkErrorKind::NoSuchName => Case::Nxdomain,
        NetworkErrorKind::DnsFailed => Case::Dns,
        // A host without a route cannot be connected to, so it gets the same advice as one that
        // refuses.
        NetworkErrorKind::Refused
        | NetworkErrorKind::Unreachable
        | NetworkErrorKind::ProxyFailed => Case::ConnectionRefused,
        NetworkErrorKind::ProxyDeniesHost => Case::PolicyDomain,
        NetworkErrorKind::Reset => Case::ConnectionReset,
        NetworkErrorKind::TlsHandshake => Case::TlsHandshake,
        NetworkErrorKind::Certificate(_) => Case::TlsCertificate,
        NetworkErrorKind::AuthorityFile
        | NetworkErrorKind::ProxyRefused
        | NetworkErrorKind::ProxyUnreachable => Case::BadSetting,
        NetworkErrorKind::Timeout | NetworkErrorKind::ProxySilent => Case::Timeout,
        NetworkErrorKind::Cancelled => Case::Cancelled,
        NetworkErrorKind::RedirectLoop { .. } => Case::RedirectLoop,
        NetworkErrorKind::CutBody => Case::TruncatedBody,
        NetworkErrorKind::BadHead
        | NetworkErrorKind::LargeHead
        | NetworkErrorKind::BadChunks
        | NetworkErrorKind::BadLocation
        | NetworkErrorKind::BadEncoding => Case::BadShape,
        // The body is intact but in an encoding we did not ask for and cannot decode.
        NetworkErrorKind::UnknownEncoding => Case::UnsupportedType,
        NetworkErrorKind::NoMemory | NetworkErrorKind::ProxyBusy => Case::LocalLimit,
        NetworkErrorKind::Internal => Case::Internal,
    }
}

fn origin_of(kind: NetworkErrorKind, origin: Origin) -> Origin {
    match kind {
        NetworkErrorKind::Cancelled
        | NetworkErrorKind::AuthorityFile
        | NetworkErrorKind::ProxyRefused
        | NetworkErrorKind::ProxyUnreachable
        | NetworkErrorKind::ProxyDeniesHost
        | NetworkErrorKind::ProxyBusy
        | NetworkErrorKind::ProxySilent
        | NetworkErrorKind::NoMemory
        | NetworkErrorKind::Internal
        | NetworkErrorKind::Denied(_) => Origin::Local,
        _ => origin,
    }
}

fn detail_of(kind: NetworkErrorKind) -> Option<Say> {
    Some(Say::new(match kind {
        NetworkErrorKind::Unreachable => "no route to the address",
        NetworkErrorKind::Certificate(BadCertificate::Expired) => "the certificate has expired",
        NetworkErrorKind::Certificate(BadCertificate::NotYetValid) => {
            "the certificate is not valid yet"
        }
        NetworkErrorKind::Certificate(BadCertificate::UnknownIssuer) => {
            "the certificate's authority is not trusted"
        }
        NetworkErrorKind::Certificate(BadCertificate::WrongHost) => {
            "the certificate is for another host"
        }
        NetworkErrorKind::Certificate(BadCertificate::Revoked) => "the certificate is revoked",
        NetworkErrorKind::Certificate(BadCertificate::Other) => "the certificate is not acceptable",
        NetworkErrorKind::ProxyDeniesHost => "the outbound proxy does not allow this host",
        NetworkErrorKind::ProxyBusy => "the outbound proxy limits how often it is asked",
        NetworkErrorKind::ProxyFailed => "the outbound proxy did not reach the host",
        NetworkErrorKind::ProxyUnreachable => "the outbound proxy cannot be reached",
        NetworkErrorKind::ProxyRefused => "the outbound proxy refused the connection",
        NetworkErrorKind::BadHead => "the answer does not begin as HTTP/1.1 does",
        NetworkErrorKind::LargeHead => "the head of the answer is too large",
        NetworkErrorKind::BadChunks => "the chunks of the answer are not valid HTTP/1.1",
        NetworkErrorKind::BadLocation => "the page redirects to text that is not an address",
        NetworkErrorKind::BadEncoding => {
            "the content could not be decoded with its declared encoding"
        }
        NetworkErrorKind::UnknownEncoding => {
            "the content encoding was not asked for and is not supported"
        }
        _ => return None,
    }))
}

fn with_facts(
    fault: Fault,
    kind: NetworkErrorKind,
    progress: &Progress,
    names: SettingNames,
) -> Fault {
    let size = Some(progress.bytes())
        .filter(|bytes| *bytes > 0)
        .map(Size::Bytes);
    match kind {
        NetworkErrorKind::Timeout | NetworkErrorKind::ProxySilent | NetworkErrorKind::Cancelled => {
            fault.elapsed(progress.elapsed()).size(size)
        }
        NetworkErrorKind::CutBody | NetworkErrorKind::BadEncoding | NetworkErrorKind::Reset => {
            fault.size(size)
        }
        NetworkErrorKind::RedirectLoop { followed } => fault.size(Size::Redirects(followed)),
        NetworkErrorKind::UnknownEncoding => fault
            .saying(Say::new(
                "The site compressed its answer in a way that it was not asked for and that cannot be undone here.",
            ))
            .advising(Say::new("Do not retry; use another source.")),
        NetworkErrorKind::AuthorityFile => fault.setting(names.extra_ca),
        NetworkErrorKind::ProxyRefused | NetworkErrorKind::ProxyUnreachable => {
            fault.setting(names.outbound)
        }
        _ => fault,
    }
}

/// The fault a status means, depending on who sent it. `None` when the status is no error.
pub(crate) fn status_fault(
    status: u16,
    headers: &HeaderMap,
    problem: Option<&ProblemDetails>,
    origin: Origin,
) -> Option<Fault> {
    let case = status_case(status, problem, origin)?;
    let fault = Fault::new(case, origin)
        .status(status)
        .phase(Phase::Headers)
        .requested_wait(requested_wait(headers, problem));
    // A sender that explicitly rules out a retry knows better than the catalogue.
    let hopeless = status >= 500 && problem.and_then(|problem| problem.retryable) == Some(false);
    Some(if hopeless {
        fault.retry(Retry::Never)
    } else {
        fault
    })
}

fn status_case(status: u16, problem: Option<&ProblemDetails>, origin: Origin) -> Option<Case> {
    let from_page = origin == Origin::Page;
    Some(match status {
        200..=300 => return None,
        429 => Case::Http429,
        451 => Case::LegalBlock,
        401 if from_page => Case::MissingCredentials,
        401 => Case::BadKey,
        403 if from_page => refused_by_page(problem),
        403 => Case::Forbidden,
        402 if from_page => Case::Paywall,
        404 if from_page => Case::Http404,
        410 if from_page => Case::Http410,
        // The page's server timed out waiting for the request; a retry may succeed.
        408 if from_page => Case::HttpStatus,
        400..=499 => Case::BadRequest,
        529 => Case::Overloaded,
        500..=599 => Case::HttpStatus,
        // Redirects that are not followed, informational statuses and unknown ones.
        _ => Case::BadShape,
    })
}

fn refused_by_page(problem: Option<&ProblemDetails>) -> Case {
    match problem.and_then(|problem| problem.cloudflare) {
        Some(Cloudflare::AccessDenied) => Case::AccessDenied,
        Some(Cloudflare::CountryBanned) => Case::GeoBlock,
        Some(Cloudflare::RateLimited) => Case::Http429,
        Some(Cloudflare::Other) | None => Case::Http403,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn case(status: u16, origin: Origin) -> Option<Case> {
        status_fault(status, &HeaderMap::new(), None, origin).map(|fault| fault.case())
    }

    #[test]
    fn a_status_is_classified_by_who_sent_it() {
        let table = [
            (200, None, None),
            (204, None, None),
            (300, None, None),
            (302, Some(Case::BadShape), Some(Case::BadShape)),
            (400, Some(Case::BadRequest), Some(Case::BadRequest)),
            (401, Some(Case::MissingCredentials), Some(Case::BadKey)),
            (402, Some(Case::Paywall), Some(Case::BadRequest)),
            (403, Some(Case::Http403), Some(Case::Forbidden)),
            (404, Some(Case::Http404), Some(Case::BadRequest)),
            (408, Some(Case::HttpStatus), Some(Case::BadRequest)),
            (410, Some(Case::Http410), Some(Case::BadRequest)),
            (418, Some(Case::BadRequest), Some(Case::BadRequest)),
            (429, Some(Case::Http429), Some(Case::Http429)),
            (451, Some(Case::LegalBlock), Some(Case::LegalBlock)),
            (500, Some(Case::HttpStatus), Some(Case::HttpStatus)),
            (503, Some(Case::HttpStatus), Some(Case::HttpStatus)),
            (520, Some(Case::HttpStatus), Some(Case::HttpStatus)),
            (529, Some(Case::Overloaded), Some(Case::Overloaded)),
            (599, Some(Case::HttpStatus), Some(Case::HttpStatus)),
        ];
        for (status, page, provider) in table {
            assert_eq!(
                (case(status, Origin::Page), case(status, Origin::Provider)),
                (page, provider),
                "{status}"
            );
        }
    }

    #[test]
    fn retry_after_and_a_final_error_change_the_advice() {
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", http::HeaderValue::from_static("17"));
        let limited =
            status_fault(429, &headers, None, Origin::Provider).map(|fault| fault.advice());
        assert_eq!(limited, Some(Retry::After(Duration::from_secs(17))));
        let problem = ProblemDetails {
            retryable: Some(false),
            ..ProblemDetails::default()
        };
        let hopeless =
            status_fault(530, &headers, Some(&problem), Origin::Page).map(|fault| fault.advice());
        assert_eq!(hopeless, Some(Retry::Never));
    }

    #[test]
    fn cloudflare_codes_refine_a_403() {
        let with = |cloudflare| ProblemDetails {
            cloudflare: Some(cloudflare),
            ..ProblemDetails::default()
        };
        let case = |problem: ProblemDetails| {
            status_fault(403, &HeaderMap::new(), Some(&problem), Origin::Page)
                .map(|fault| fault.case())
        };
        assert_eq!(
            case(with(Cloudflare::AccessDenied)),
            Some(Case::AccessDenied)
        );
        assert_eq!(case(with(Cloudflare::CountryBanned)), Some(Case::GeoBlock));
        assert_eq!(case(with(Cloudflare::RateLimited)), Some(Case::Http429));
        assert_eq!(case(with(Cloudflare::Other)), Some(Case::Http403));
    }
}
