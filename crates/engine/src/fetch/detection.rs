//! Asks the detector whether a response is content or something that was sent in its place.

use reading::detect::{self, Verdict};
use url::Url;

/// The facts beside the text. They are owned, because detection runs on another thread.
pub(super) struct ResponseFacts {
    status: u16,
    headers: http::HeaderMap,
    requested: Url,
    pub(super) final_url: Url,
}

impl ResponseFacts {
    pub(super) fn new(response: &net::Response) -> ResponseFacts {
        let requested = response
            .redirects
            .first()
            .map_or(&response.final_url, |hop| &hop.from);
        ResponseFacts {
            status: response.status,
            headers: response.headers.clone(),
            requested: requested.clone(),
            final_url: response.final_url.clone(),
        }
    }

    /// Whether the page is content. `main_text` is what extraction took from `source`.
    pub(super) fn judge(&self, source: &str, main_text: &str) -> Verdict {
        let header = |name: &str| {
            let values: Vec<&str> = self
                .headers
                .get_all(name)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .collect();
            (!values.is_empty()).then(|| values.join(", "))
        };
        let (status, requested, final_url) = (self.status, &self.requested, &self.final_url);
        detect::judge_page(&detect::Answer {
            status,
            header: &header,
            requested,
            final_url,
            html: source,
            main_text,
            title: None,
        })
    }
}
