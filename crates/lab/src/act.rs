//! Turning an order and a good answer into what happens on the wire.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::api::Api;
use crate::order::{LONGEST_HOLD, Mode, Wait};
use crate::reply::Reply;
use crate::switchboard::Due;
use crate::trouble::Complaint;

/// What happens on the wire.
#[derive(Debug)]
pub(crate) enum Act {
    Whole(Reply),
    Late(Reply, Duration),
    StallHead,
    /// Half of it, then silence.
    StallBody(Reply),
    /// Half of it, then the end in one of two ways.
    Half(Reply, After),
    Nothing(After),
    /// This much filler as one JSON string.
    Huge(usize),
}

/// What becomes of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    KeepAlive,
    Close,
    Reset,
}

const HUGE: usize = 64 * 1024 * 1024;

/// What an order makes of an answer. The answer is only made when it is needed.
pub(crate) fn act(api: &Api, due: &Due, good: impl FnOnce() -> Reply) -> Act {
    let order = &due.order;
    if let Some(trouble) = order.mode.trouble(order.status) {
        let complaint = Complaint::ordered(trouble, due.seconds, order.words.as_deref());
        return Act::Whole(told(
            (api.errors)(&complaint),
            order.retry_after,
            due.seconds,
        ));
    }
    match order.mode {
        Mode::Malformed => Act::Whole(cut(good())),
        Mode::WrongShape => Act::Whole(misshapen(good())),
        Mode::EmptyBody => Act::Whole(Reply {
            status: 200,
            body: Vec::new(),
            ..good()
        }),
        Mode::Slow => Act::Late(good(), order.held()),
        Mode::StalledHead => Act::StallHead,
        Mode::Stalled => Act::StallBody(good()),
        Mode::Reset => Act::Nothing(After::Reset),
        Mode::Closed => Act::Nothing(After::Close),
        Mode::ResetBody => Act::Half(good(), After::Reset),
        Mode::Truncated => Act::Half(good(), After::Close),
        Mode::Challenge => Act::Whole(challenge(
            order.status.unwrap_or(200),
            order.words.as_deref(),
        )),
        Mode::Redirect => {
            Act::Whole(Reply::html(302, "Moved").header("Location", "http://elsewhere.example/"))
        }
        _ => Act::Huge(HUGE),
    }
}

/// The same error, telling the wait in the ordered form.
fn told(mut reply: Reply, form: Wait, seconds: u64) -> Reply {
    if form == Wait::Documented {
        return reply;
    }
    reply.drop_headers(|name| {
        name == "retry-after" || name.contains("ratelimit") || name.contains("rate-limit")
    });
    let then = SystemTime::now() + Duration::from_secs(seconds);
    match form {
        Wait::Documented | Wait::Absent => reply,
        Wait::Seconds => reply.header("Retry-After", seconds),
        Wait::Date => reply
            .header("Date", httpdate::fmt_http_date(SystemTime::now()))
            .header("Retry-After", httpdate::fmt_http_date(then)),
        Wait::Epoch => {
            let epoch = then
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs();
            reply
                .header("X-RateLimit-Remaining", 0)
                .header("X-RateLimit-Reset", epoch)
        }
        Wait::Reset => reply
            .header("RateLimit-Remaining", 0)
            .header("RateLimit-Reset", seconds),
    }
}

/// The first half of the body, as if that were all. Always a success: some APIs have a status of
/// its own for "nothing found".
fn cut(mut reply: Reply) -> Reply {
    reply.body.truncate(reply.body.len() / 2);
    Reply {
        status: 200,
        ..reply
    }
}

/// Well-formed, and not what anyone expects from this API.
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

/// The page of a gatekeeper that serves no one it takes for a machine.
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

impl Act {
    pub(crate) async fn play<S: AsyncWrite + Unpin>(self, socket: &mut S) -> io::Result<After> {
        match self {
            Act::Whole(reply) => whole(socket, &reply).await,
            Act::Late(reply, wait) => {
                tokio::time::sleep(wait).await;
                whole(socket, &reply).await
            }
            Act::StallHead => {
                tokio::time::sleep(LONGEST_HOLD).await;
                Ok(After::Close)
            }
            Act::StallBody(reply) => {
                half(socket, &reply).await?;
                tokio::time::sleep(LONGEST_HOLD).await;
                Ok(After::Close)
            }
            Act::Half(reply, after) => {
                half(socket, &reply).await?;
                // A reset discards what is still queued: let it arrive first.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(after)
            }
            Act::Nothing(after) => Ok(after),
            Act::Huge(length) => huge(socket, length).await,
        }
    }
}

async fn whole<S: AsyncWrite + Unpin>(socket: &mut S, reply: &Reply) -> io::Result<After> {
    let mut bytes = reply.head(reply.body.len());
    bytes.extend_from_slice(&reply.body);
    socket.write_all(&bytes).await?;
    socket.flush().await?;
    Ok(After::KeepAlive)
}

async fn half<S: AsyncWrite + Unpin>(socket: &mut S, reply: &Reply) -> io::Result<()> {
    socket.write_all(&reply.head(reply.body.len())).await?;
    socket
        .write_all(&reply.body[..reply.body.len() / 2])
        .await?;
    socket.flush().await
}

async fn huge<S: AsyncWrite + Unpin>(socket: &mut S, length: usize) -> io::Result<After> {
    let reply = Reply::new(200, "application/json", "");
    socket.write_all(&reply.head(length)).await?;
    let filler = vec![b' '; 64 * 1024];
    for _ in 0..length / filler.len() {
        socket.write_all(&filler).await?;
    }
    Ok(After::Close)
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
    fn the_wait_is_told_in_one_form_only() {
        let documented = Reply::json(429, &serde_json::json!({}))
            .header("X-RateLimit-Reset", "1")
            .header("Retry-After", "9");
        assert_eq!(told(documented.clone(), Wait::Documented, 5), documented);
        assert_eq!(
            names(&told(documented.clone(), Wait::Absent, 5)),
            ["Content-Type"]
        );
        assert_eq!(
            names(&told(documented.clone(), Wait::Seconds, 5)),
            ["Content-Type", "Retry-After"]
        );
        assert_eq!(
            names(&told(documented.clone(), Wait::Date, 5)),
            ["Content-Type", "Date", "Retry-After"]
        );
        assert_eq!(
            names(&told(documented, Wait::Epoch, 5)),
            ["Content-Type", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
        );
    }

    #[test]
    fn a_cut_answer_is_no_longer_json() {
        let cut = cut(Reply::json(200, &serde_json::json!({"results": [1, 2, 3]})));
        assert!(serde_json::from_slice::<serde_json::Value>(&cut.body).is_err());
    }
}
