//! Turns a good reply into an ordered fault.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::api::Api;
use crate::api_error::ApiError;
use crate::http::{Behavior, Reply};
use crate::ordered_fault::{FaultMode, OrderedFault, WaitForm};
use crate::state::DueFault;

const HUGE: usize = 64 * 1024 * 1024;

/// What an ordered fault does to a reply. The good reply is only made where it is needed.
pub(crate) fn fault_behavior(api: &Api, due: &DueFault, good: impl FnOnce() -> Reply) -> Behavior {
    let fault = &due.fault;
    if let Some(kind) = fault.mode.api_error(fault.status) {
        let error = ApiError::ordered(kind, due.seconds, fault.words.as_deref());
        let reply = (api.errors)(&error);
        return Behavior::Reply(with_wait(reply, fault.retry_after, due.seconds));
    }
    match fault.mode {
        FaultMode::Slow => Behavior::Slow {
            reply: good(),
            wait: fault.delay_time(),
        },
        FaultMode::StalledHead => Behavior::StallHead,
        FaultMode::Stalled => {
            let (reply, after) = half(good());
            Behavior::StallBody { reply, after }
        }
        FaultMode::Reset => Behavior::Reset,
        FaultMode::Closed => Behavior::Close,
        FaultMode::ResetBody => {
            let (reply, after) = half(good());
            Behavior::ResetInBody { reply, after }
        }
        FaultMode::Truncated => short_body(good()),
        FaultMode::Huge => Behavior::Padding {
            reply: Reply::typed(200, "application/json", ""),
            bytes: HUGE,
        },
        mode => Behavior::Reply(changed_reply(mode, fault, good)),
    }
}

/// The faults that are a complete reply with the wrong content.
fn changed_reply(mode: FaultMode, fault: &OrderedFault, good: impl FnOnce() -> Reply) -> Reply {
    match mode {
        FaultMode::Malformed => cut(good()),
        FaultMode::WrongShape => misshapen(good()),
        FaultMode::EmptyBody => Reply {
            status: 200,
            body: Vec::new(),
            ..good()
        },
        FaultMode::Challenge => challenge(fault.status.unwrap_or(200), fault.words.as_deref()),
        FaultMode::Redirect => {
            Reply::html(302, "Moved").header("Location", "http://elsewhere.example/")
        }
        _ => good(),
    }
}

/// A reply and the middle of its body.
fn half(reply: Reply) -> (Reply, usize) {
    let after = reply.body.len() / 2;
    (reply, after)
}

/// Claims the whole body and closes in the middle of it.
fn short_body(mut reply: Reply) -> Behavior {
    let claim = reply.body.len();
    reply.body.truncate(claim / 2);
    Behavior::ShortBody { reply, claim }
}

/// The same reply with its wait in the ordered form.
fn with_wait(mut reply: Reply, form: WaitForm, seconds: u64) -> Reply {
    if form == WaitForm::Documented {
        return reply;
    }
    reply.drop_headers(|name| {
        name == "retry-after" || name.contains("ratelimit") || name.contains("rate-limit")
    });
    let then = SystemTime::now() + Duration::from_secs(seconds);
    match form {
        WaitForm::Documented | WaitForm::Absent => reply,
        WaitForm::Seconds => reply.header("Retry-After", seconds),
        WaitForm::Date => reply
            .header("Date", httpdate::fmt_http_date(SystemTime::now()))
            .header("Retry-After", httpdate::fmt_http_date(then)),
        WaitForm::Epoch => {
            let epoch = then
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs();
            reply
                .header("X-RateLimit-Remaining", 0)
                .header("X-RateLimit-Reset", epoch)
        }
        WaitForm::Reset => reply
            .header("RateLimit-Remaining", 0)
            .header("RateLimit-Reset", seconds),
    }
}

/// The first half of the body, correctly framed. Always a success, because some APIs have a status
/// of their own for "nothing found".
fn cut(mut reply: Reply) -> Reply {
    reply.body.truncate(reply.body.len() / 2);
    Reply {
        status: 200,
        ..reply
    }
}

/// Well-formed, but not what a client of this API expects.
fn misshapen(reply: Reply) -> Reply {
    let is_json = reply
        .headers
        .iter()
        .any(|(name, value)| name == "Content-Type" && value.contains("json"));
    let body = if is_json {
        r#"{"unexpected":[{"shape":42}]}"#
    } else {
        "<unexpected><shape>42</shape></unexpected>"
    };
    Reply {
        status: 200,
        body: body.as_bytes().to_vec(),
        ..reply
    }
}

/// The page of a bot check.
fn challenge(status: u16, words: Option<&str>) -> Reply {
    let words = words.unwrap_or("Checking if the site connection is secure");
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><title>Just a moment...</title></head><body class=\"no-js\">\
         <h1>Verifying you are human. This may take a few seconds.</h1><p>{words}</p>\
         <form id=\"challenge-form\" action=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\" method=\"POST\">\
         <noscript>Enable JavaScript and cookies to continue</noscript></form></body></html>"
    );
    Reply::html(status, page)
        .header("Server", "cloudflare")
        .header("cf-mitigated", "challenge")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(reply: &Reply) -> Vec<&str> {
        reply
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect()
    }

    #[test]
    fn a_wait_is_sent_in_one_form_only() {
        let documented = Reply::json(429, &serde_json::json!({}))
            .header("X-RateLimit-Reset", "1")
            .header("Retry-After", "9");
        assert_eq!(
            with_wait(documented.clone(), WaitForm::Documented, 5),
            documented
        );
        assert_eq!(
            names(&with_wait(documented.clone(), WaitForm::Absent, 5)),
            ["Content-Type"]
        );
        assert_eq!(
            names(&with_wait(documented.clone(), WaitForm::Seconds, 5)),
            ["Content-Type", "Retry-After"]
        );
        assert_eq!(
            names(&with_wait(documented.clone(), WaitForm::Date, 5)),
            ["Content-Type", "Date", "Retry-After"]
        );
        assert_eq!(
            names(&with_wait(documented, WaitForm::Epoch, 5)),
            ["Content-Type", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
        );
    }

    #[test]
    fn a_cut_answer_is_no_longer_json() {
        let cut = cut(Reply::json(200, &serde_json::json!({"results": [1, 2, 3]})));
        assert!(serde_json::from_slice::<serde_json::Value>(&cut.body).is_err());
    }
}
