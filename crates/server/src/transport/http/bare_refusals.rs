//! Refusals by the HTTP library, which come before any code of ours.
//!
//! What it cannot parse as a request, it answers with a bare status. Here such a response is replaced
//! on its way out by one that says what is wrong, as every other refusal does.

use http::StatusCode;

use super::responses;

/// The response to send in place of this one, if it is a refusal by the HTTP library. All responses
/// of ours to requests in error have a body.
pub(super) fn replacement(response: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(response)
        .ok()?
        .strip_suffix("\r\n\r\n")?;
    let (status_line, headers) = head.split_once("\r\n")?;
    let code = status_line.strip_prefix("HTTP/1.1 ")?.get(..3)?;
    let status = StatusCode::from_bytes(code.as_bytes()).ok()?;
    let message = message(status)?;
    let mut lines = headers.split("\r\n");
    lines.find(|line| line.eq_ignore_ascii_case("content-length: 0"))?;
    let (content_type, body) = responses::problem_body(status, message);
    let response = format!(
        "{status_line}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    Some(response.into_bytes())
}

fn message(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::BAD_REQUEST => Some(
            "This is no request of HTTP/1.1: check the request line, the names and values of the headers, and Content-Length.",
        ),
        StatusCode::URI_TOO_LONG => Some("The address of the request is too long."),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Some(
            "The request has more than a hundred headers, or larger ones than are read. Send fewer or shorter ones.",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_refusal_is_replaced() {
        let bare = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let sent =
            String::from_utf8(replacement(bare.as_bytes()).expect("replaced")).expect("text");
        let (head, body) = sent.split_once("\r\n\r\n").expect("a head");
        assert!(
            head.contains(&format!("Content-Length: {}", body.len())),
            "{head}"
        );
        let problem: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(
            (&problem["status"], &problem["kind"]),
            (&400.into(), &"validation".into())
        );
        for other in [
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n",
            "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n",
            "",
        ] {
            assert_eq!(replacement(other.as_bytes()), None, "{other}");
        }
    }
}
