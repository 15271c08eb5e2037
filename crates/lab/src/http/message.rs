//! A request as it arrived and a well-formed reply.

use serde_json::Value;

/// One request as it arrived.
#[derive(Debug, Clone, Default)]
pub struct HttpRequest {
    /// In capitals, as sent.
    pub method: String,
    /// Path and query, exactly as sent.
    pub target: String,
    /// Names in lower case, in the order they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// The first value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or(&self.target)
    }
}

/// A well-formed reply. `Content-Length` is added unless the headers already frame the body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    pub status: u16,
    /// In the order they are sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The body has no length and ends with the connection.
    pub until_close: bool,
}

impl Reply {
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status,
            body: body.into(),
            ..Reply::default()
        }
    }

    /// A body of this media type.
    #[must_use]
    pub fn typed(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Reply {
        Reply::new(status, body).header("Content-Type", content_type)
    }

    #[must_use]
    pub fn json(status: u16, body: &Value) -> Reply {
        Reply::typed(status, "application/json", body.to_string())
    }

    #[must_use]
    pub fn html(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply::typed(status, "text/html; charset=utf-8", body)
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: impl ToString) -> Reply {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sends no `Content-Length`: the body ends where the connection does.
    #[must_use]
    pub fn until_close(mut self) -> Reply {
        self.until_close = true;
        self
    }

    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Drops every header whose lower-case name the test accepts.
    pub(crate) fn drop_headers(&mut self, which: impl Fn(&str) -> bool) {
        self.headers
            .retain(|(name, _)| !which(&name.to_ascii_lowercase()));
    }

    /// The head as it is sent. A length is left out where the reply frames its body otherwise.
    pub(super) fn head(&self, length: Option<usize>) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(length) = length.filter(|_| !self.until_close && !self.frames_itself()) {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn frames_itself(&self) -> bool {
        let frames = |name: &str| {
            name.eq_ignore_ascii_case("content-length")
                || name.eq_ignore_ascii_case("transfer-encoding")
        };
        self.status == 204
            || self.status == 304
            || self.headers.iter().any(|(name, _)| frames(name))
    }
}

/// The phrase beside a status; clients ignore it, people read it.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        302 => "Found",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
