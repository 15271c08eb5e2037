//! Types of settings that nothing but the settings defines.

use http::HeaderValue;

/// When the browser is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BrowserChoice {
    #[default]
    Auto,
    Never,
    Always,
}

/// When text in pictures is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OcrChoice {
    #[default]
    Auto,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    Text,
    Json,
}

/// The User-Agent header of page requests.
#[derive(Debug, Clone, PartialEq)]
pub struct UserAgent(HeaderValue);

impl UserAgent {
    /// `None` unless the text is 1 to 200 visible ASCII characters and spaces.
    pub fn new(text: &str) -> Option<UserAgent> {
        let is_visible = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        let is_valid = is_visible && (1..=200).contains(&text.len());
        HeaderValue::from_str(text)
            .ok()
            .filter(|_| is_valid)
            .map(UserAgent)
    }

    pub fn header(&self) -> &HeaderValue {
        &self.0
    }

    /// The product name, which robots.txt addresses: `my-agent` of `my-agent/1.0`.
    pub fn product(&self) -> &str {
        let text = self.0.to_str().ok();
        text.and_then(|text| text.split(['/', ' ']).next())
            .unwrap_or("fingerpost")
    }
}

impl Default for UserAgent {
    fn default() -> UserAgent {
        UserAgent(HeaderValue::from_static("fingerpost"))
    }
}
