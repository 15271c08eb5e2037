//! A request as an API sees it: the path below its prefix and decoded parameters.

use serde_json::Value;
use url::form_urlencoded;

use crate::http::HttpRequest;

/// A request to one API or to the lab's own controls.
#[derive(Debug, Clone, Default)]
pub struct ApiRequest {
    /// In upper case, as sent.
    pub method: String,
    /// The path below the API's prefix, still percent-encoded, always starting with `/`.
    pub path: String,
    /// The query parameters, decoded, in order.
    pub query: Vec<(String, String)>,
    /// Names in lower case, in the order they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl From<HttpRequest> for ApiRequest {
    fn from(request: HttpRequest) -> ApiRequest {
        ApiRequest {
            headers: request.headers,
            body: request.body,
            ..ApiRequest::new(&request.method, &request.target)
        }
    }
}

impl ApiRequest {
    /// Splits the target into path and query. The path is still the whole one; see `below`.
    pub(crate) fn new(method: &str, target: &str) -> ApiRequest {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        ApiRequest {
            method: method.to_owned(),
            path: path.to_owned(),
            query: pairs(query.as_bytes()),
            ..ApiRequest::default()
        }
    }

    /// The same request with the path below this prefix.
    pub(crate) fn below(mut self, prefix: &str) -> ApiRequest {
        let rest = self.path.strip_prefix(prefix).unwrap_or_default();
        self.path = if rest.is_empty() {
            "/".to_owned()
        } else {
            rest.to_owned()
        };
        self
    }

    /// The first value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The first value of a query parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// A query parameter that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<usize> {
        self.param(name)?.parse().ok()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The fields of a form body, decoded, in order.
    #[must_use]
    pub fn form(&self) -> Vec<(String, String)> {
        pairs(&self.body)
    }

    /// A field of the form body, or else a query parameter: some servers accept either.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        let form = self
            .form()
            .into_iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value);
        form.or_else(|| self.param(name).map(str::to_owned))
    }
}

fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_seen_from_below_its_prefix() {
        let request = ApiRequest::new("GET", "/brave/web/search?q=a%20b+c&count=3").below("/brave");
        assert_eq!(
            (
                request.path.as_str(),
                request.param("q"),
                request.number("count")
            ),
            ("/web/search", Some("a b c"), Some(3))
        );
        assert_eq!(ApiRequest::new("GET", "/brave").below("/brave").path, "/");
    }

    #[test]
    fn a_field_comes_from_the_form_first() {
        let mut request = ApiRequest::new("POST", "/html?q=address&b=");
        request.body = b"q=form".to_vec();
        assert_eq!(
            (
                request.field("q").as_deref(),
                request.field("b").as_deref(),
                request.field("kl")
            ),
            (Some("form"), Some(""), None)
        );
    }
}
