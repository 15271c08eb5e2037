//! Masks secrets. Every rendered string, log line, stored record and structured reply passes
//! through here.
//!
//! There are three methods, the most exact first. Configured secrets are known, so they are found
//! by their exact value in all encoded forms (`exact`). Keys of known providers are found by their
//! shape (`shape`, `middle`, `special`, `hook`), others by their place in a fixed format (`profile`).
//! All others are found by their context: a name that suggests a secret and a value that looks like
//! one (`context`, `name`, `join`, `value`, `judge`), in prose (`wording`, `sentence`, `spoken`), markup
//! (`markup`), dumps (`opening`), fields of one object (`neighbour`), before the name (`before`) and
//! tables (`table`); the parts of a URL (`url`), headers (`header`), command lines (`command`,
//! `logon`, `piped`, `place`), calls (`call`), maps (`nest`), text in base64 (`encoded`). Where no rule joins a
//! name and a value, a value that looks drawn at random counts if it stands near the name (`near`).
//! Some of what looks like it `stays`, such as public ids, source code and translations. What was found once is found everywhere (`again`), in the
//! lines it goes on in (`wrapped`), and in the same cell of other rows (`beside`).
//! `engine` runs all of it in one pass over the `trigger`s, and `view` undoes the escapes around
//! names so that the same recognisers read escaped text.
//!
//! Only the value is replaced by `***`. Names, schemes, hosts and the surrounding words stay,
//! because users turn the masking off if a masked log is unreadable.
//!
//! ```
//! use mask::Masker;
//! let masker = Masker::new(["hunter2-hunter2"]);
//! assert_eq!(masker.mask("GET /?q=1 with hunter2-hunter2"), "GET /?q=1 with ***");
//! assert_eq!(masker.mask("redis://:s3cret@cache:6379/0"), "redis://:***@cache:6379/0");
//! assert_eq!(masker.mask("nothing to hide"), "nothing to hide");
//! ```

mod again;
mod base64;
mod before;
mod beside;
mod call;
mod command;
mod context;
mod encoded;
mod engine;
mod escape;
mod exact;
mod extent;
mod header;
mod hook;
mod join;
mod json;
mod judge;
mod later;
mod logon;
mod markup;
mod middle;
mod name;
mod near;
mod neighbour;
mod nest;
mod opening;
mod piped;
mod place;
mod profile;
mod sentence;
mod shape;
mod special;
mod spoken;
mod stays;
mod table;
mod text;
mod trigger;
mod url;
mod value;
mod view;
mod wording;
mod words;
mod wrapped;

use std::borrow::Cow;

use self::exact::Exact;
pub use self::later::LaterSecrets;
use self::text::{Span, Text};

/// Masking one secret can complete another that was interrupted by it; a few rounds settle any
/// text.
const MOST_ROUNDS: usize = 8;

/// Finds and replaces secrets. Cheap to clone and safe to share.
#[derive(Clone, Default)]
pub struct Masker {
    exact: Option<Exact>,
    later: LaterSecrets,
}

impl std::fmt::Debug for Masker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Masker")
            .field("knows_secrets", &self.exact.is_some())
            .finish()
    }
}

impl Masker {
    /// A masker for the configured secrets and every pattern. Blank secrets are ignored.
    pub fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let secrets: Vec<S> = secrets.into_iter().collect();
        Self {
            exact: Exact::new(secrets.iter().map(AsRef::as_ref)),
            later: LaterSecrets::default(),
        }
    }

    /// Masks these too, from the moment at which each becomes known.
    #[must_use]
    pub fn with_later(mut self, later: LaterSecrets) -> Self {
        self.later = later;
        self
    }

    /// Replaces every secret by `***`. Borrows the text if there is none.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut masked = match self.round(text) {
            Cow::Borrowed(_) => return Cow::Borrowed(text),
            Cow::Owned(masked) => masked,
        };
        for _ in 1..MOST_ROUNDS {
            match self.round(&masked) {
                Cow::Borrowed(_) => break,
                Cow::Owned(again) => masked = again,
            }
        }
        Cow::Owned(masked)
    }

    /// Replaces only the configured secrets. This is for the text of pages, where a key in a
    /// tutorial is content and one of our keys is a leak.
    pub fn mask_configured<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut masked = Cow::Borrowed(text);
        for _ in 0..MOST_ROUNDS {
            let mut spans = Vec::new();
            self.find_exact(Text::new(&masked), &mut spans);
            match engine::replace(Text::new(&masked), spans) {
                Cow::Borrowed(_) => break,
                Cow::Owned(again) => masked = Cow::Owned(again),
            }
        }
        masked
    }

    /// As [`Masker::mask`], for the name of a field. Short configured secrets may be words, and
    /// names must stay what programs look for.
    fn mask_name<'t>(&self, name: &'t str) -> Cow<'t, str> {
        let text = Text::new(name);
        let mut spans = Vec::new();
        if let Some(exact) = &self.exact {
            exact.find_in_names(text, &mut spans);
        }
        if let Some(exact) = self.later.known() {
            exact.find_in_names(text, &mut spans);
        }
        engine::find(text, &mut spans);
        engine::replace(text, spans)
    }

    /// Masks every string in a JSON value, object keys too, and every value under a sensitive key.
    pub fn mask_json(&self, value: &mut serde_json::Value) {
        json::mask(self, value);
    }

    /// The URL with its user part, sensitive parameters and known keys masked, for display.
    pub fn mask_url(&self, url: &::url::Url) -> String {
        // The parser knows where the password is, whatever marks stand in the user's name.
        let mut shown = url.clone();
        if url.password().is_some() {
            let _ = shown.set_password(Some(engine::MASK));
        }
        let masked = self.mask(shown.as_str());
        // After a host such as `pw` a port reads like a password, and an address with a mask for a
        // port is none: such a port is left out.
        if url.port().is_some() && ::url::Url::parse(&masked).is_err() {
            let _ = shown.set_port(None);
            return self.mask(shown.as_str()).into_owned();
        }
        masked.into_owned()
    }

    fn round<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = Text::new(text);
        let mut spans = Vec::new();
        self.find_exact(text, &mut spans);
        engine::find(text, &mut spans);
        engine::replace(text, spans)
    }

    fn find_exact(&self, text: Text<'_>, spans: &mut Vec<Span>) {
        if let Some(exact) = &self.exact {
            exact.find(text, spans);
        }
        if let Some(exact) = self.later.known() {
            exact.find(text, spans);
        }
    }
}
