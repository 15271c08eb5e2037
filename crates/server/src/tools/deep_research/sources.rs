//! The pages that were found and read in this research, by the numbers that the model cites.
//!
//! A number is given when a page is first seen and never changes, so whatever a page says, it cannot
//! make itself another source.

use engine::research::{Source, SourceState};
use fault::characters::is_unprintable;
use mask::Masker;
use serde_json::{Value, json};
use url::Url;

use super::links::address_length;
use crate::tools::{InnerReply, Passage};

/// The most sources of one research that were only listed. What is read is bounded by the calls.
const MOST: usize = 300;

/// The longest title that is shown, in characters.
const TITLE_CHARS: usize = 160;

/// The longest text that is kept of a source, in characters.
const KEPT_CHARS: usize = 60_000;

/// The state of a source whose text was read.
pub(super) const READ: &str = "read";

#[derive(Debug, Clone)]
pub(super) struct FoundSource {
    pub(super) url: String,
    pub(super) title: Option<String>,
    /// Whether its text was read, or only what a search says of it.
    pub(super) is_read: bool,
    /// What was read of it, or what the search says.
    pub(super) text: String,
    /// Other addresses that led to it.
    aliases: Vec<String>,
    /// Its address as the model was told it, where secrets in it were masked.
    masked: Option<String>,
}

impl FoundSource {
    pub(super) fn state(&self) -> &'static str {
        if self.is_read { READ } else { "listed" }
    }
}

/// All sources. The number of one is its place, counted from 1.
#[derive(Debug, Default)]
pub(super) struct Sources {
    found: Vec<FoundSource>,
    /// The addresses in the caller's question.
    asked: Vec<String>,
    /// Addresses that a search provider found on itself.
    provider_pages: Vec<String>,
}

impl Sources {
    /// No sources yet, but the addresses that the caller wrote.
    pub(super) fn of_question(question: &str) -> Sources {
        let ends = |at: usize| at + 3 + address_length(&question[at + 3..]);
        let address = |(at, _): (usize, &str)| {
            let before = question[..at].rfind(|c: char| !c.is_ascii_alphabetic());
            let start = before.map_or(0, |at| {
                at + question[at..].chars().next().map_or(1, char::len_utf8)
            });
            comparable(&question[start..ends(at)])
        };
        Sources {
            found: Vec::new(),
            provider_pages: Vec::new(),
            asked: question.match_indices("://").filter_map(address).collect(),
        }
    }

    /// Whether an address is that of a source, or one that the caller wrote.
    pub(super) fn knows(&self, url: &str) -> bool {
        let is_asked = || comparable(url).is_some_and(|url| self.asked.contains(&url));
        self.number_of(url).is_some() || is_asked()
    }

    /// Adds what a call found, and returns the numbers of its sources.
    pub(super) fn add_reply(&mut self, reply: &InnerReply) -> Vec<usize> {
        let pages = reply
            .provider_pages
            .iter()
            .filter_map(|url| comparable(url));
        self.provider_pages.extend(pages);
        self.add_all(&reply.sources, &reply.passages)
    }

    /// Adds what stored content says of sources that are known. It may be of another call, or no
    /// page at all (a stored search is named by its query), so it makes no source, and none read.
    pub(super) fn add_stored(&mut self, reply: &InnerReply) -> Vec<usize> {
        let known = reply
            .passages
            .iter()
            .filter(|it| self.number_of(&it.url).is_some());
        let known: Vec<Passage> = known
            .map(|it| Passage {
                is_read: false,
                ..it.clone()
            })
            .collect();
        self.add_all(&[], &known)
    }

    /// Whether an address may be read on a host that only the operator's rules open.
    pub(super) fn may_be_private(&self, url: &str) -> bool {
        let is_known =
            |url: String| self.asked.contains(&url) || self.provider_pages.contains(&url);
        comparable(url).is_some_and(is_known)
    }

    /// Adds sources and texts, and returns the numbers of its sources in the order it names them.
    pub(super) fn add_all(&mut self, sources: &[Source], passages: &[Passage]) -> Vec<usize> {
        let mut numbers = Vec::new();
        for source in sources.iter().filter(|it| it.state != SourceState::Failed) {
            let number = self.add_source(source);
            numbers.extend(number.filter(|number| !numbers.contains(number)));
        }
        for passage in passages {
            let number = self.add_passage(passage);
            numbers.extend(number.filter(|number| !numbers.contains(number)));
        }
        numbers
    }

    fn add_source(&mut self, source: &Source) -> Option<usize> {
        let requested = source.requested.as_deref().filter(|url| *url != source.url);
        let known = self
            .number_of(&source.url)
            .or_else(|| self.number_of(requested?));
        let number = match known {
            Some(number) => number,
            None => self.push(&source.url, source.state == SourceState::Read)?,
        };
        let entry = self.found.get_mut(number - 1)?;
        entry.title = source.title.as_deref().map(shown).or(entry.title.take());
        if source.state == SourceState::Read && !entry.is_read {
            entry.is_read = true;
            entry.text.clear();
            let before = std::mem::replace(&mut entry.url, source.url.clone());
            entry.aliases.push(before);
        }
        entry.aliases.extend(requested.map(str::to_owned));
        Some(number)
    }

    fn add_passage(&mut self, passage: &Passage) -> Option<usize> {
        let number = match self.number_of(&passage.url) {
            Some(number) => number,
            None => self.push(&passage.url, passage.is_read)?,
        };
        let entry = self.found.get_mut(number - 1)?;
        entry.title = entry.title.take().or(passage.title.as_deref().map(shown));
        if passage.is_read || !entry.is_read {
            if passage.is_read && !entry.is_read {
                entry.text.clear();
            }
            entry.is_read |= passage.is_read;
            let left = KEPT_CHARS.saturating_sub(entry.text.chars().count());
            if !entry.text.contains(&passage.text) {
                entry.text.extend(passage.text.chars().take(left));
            }
        }
        Some(number)
    }

    /// A new source; `None` for what is not a web address, and when too many are only listed.
    fn push(&mut self, url: &str, will_be_read: bool) -> Option<usize> {
        let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_web || (!will_be_read && self.found.len() >= MOST) {
            return None;
        }
        self.found.push(FoundSource {
            url: url.to_owned(),
            title: None,
            is_read: false,
            text: String::new(),
            aliases: Vec::new(),
            masked: None,
        });
        Some(self.found.len())
    }

    pub(super) fn get(&self, number: usize) -> Option<&FoundSource> {
        self.found.get(number.checked_sub(1)?)
    }

    /// The sources with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &FoundSource)> {
        self.found
            .iter()
            .enumerate()
            .map(|(place, it)| (place + 1, it))
    }

    /// The number of the source with this address.
    pub(super) fn number_of(&self, url: &str) -> Option<usize> {
        let wanted = comparable(url)?;
        let is_it = |known: &String| comparable(known).is_some_and(|known| known == wanted);
        let found = self
            .found
            .iter()
            .position(|it| is_it(&it.url) || it.aliases.iter().any(is_it));
        found.map(|place| place + 1)
    }

    /// A source as the model sees it: without secrets, whoever wrote them into its address.
    pub(super) fn for_model(&mut self, number: usize, masker: &Masker) -> Option<Value> {
        let source = self.found.get_mut(number.checked_sub(1)?)?;
        let url = masker.mask(&source.url).into_owned();
        let title = source.title.as_deref().map(|title| masker.mask(title));
        let told = json!({"id": number, "url": url, "title": title, "state": source.state()});
        source.masked = Some(url).filter(|url| *url != source.url);
        Some(told)
    }

    /// The address that the model was told only with its secrets masked.
    pub(super) fn unmasked(&self, url: &str) -> Option<&str> {
        let is_it = |it: &&FoundSource| it.masked.as_deref() == Some(url.trim());
        self.found.iter().find(is_it).map(|it| it.url.as_str())
    }
}

/// An address without what does not change the page: the fragment, and the slash of a bare host.
fn comparable(url: &str) -> Option<String> {
    let mut url = Url::parse(url.trim()).ok()?;
    url.set_fragment(None);
    Some(url.as_str().trim_end_matches('/').to_owned())
}

/// One line of a title.
fn shown(title: &str) -> String {
    let plain: String = title
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !is_unprintable(*c))
        .take(TITLE_CHARS)
        .collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(url: &str, state: SourceState) -> Source {
        Source {
            url: url.to_owned(),
            state,
            title: Some("A\n title".to_owned()),
            ..Source::default()
        }
    }

    #[test]
    fn a_page_keeps_its_number_when_it_is_read() {
        let mut sources = Sources::default();
        let listed = [
            source("https://a.example/", SourceState::Listed),
            source("https://b.example/x", SourceState::Listed),
            source("https://c.example/", SourceState::Failed),
        ];
        assert_eq!(sources.add_all(&listed, &[]), [1, 2]);
        let read = Source {
            requested: Some("https://b.example/x".to_owned()),
            ..source("https://b.example/y", SourceState::Read)
        };
        assert_eq!(sources.add_all(&[read], &[]), [2]);
        let second = sources.get(2).expect("a source");
        assert_eq!(
            (second.url.as_str(), second.state()),
            ("https://b.example/y", "read")
        );
        assert_eq!(second.title.as_deref(), Some("A  title"));
        assert_eq!(sources.number_of("https://b.example/x#part"), Some(2));
        assert_eq!(sources.number_of("https://a.example"), Some(1));
        assert_eq!(
            (
                sources.number_of("https://c.example/"),
                sources.get(0).is_some()
            ),
            (None, false)
        );
    }

    #[test]
    fn only_whole_addresses_of_the_question_are_known() {
        let asked =
            Sources::of_question("Compare http://10.0.0.50/a, <https://b.example>, é://x and ://!");
        for known in [
            "http://10.0.0.50/a",
            "http://10.0.0.50/a#top",
            "https://b.example/",
        ] {
            assert!(asked.knows(known), "{known}");
        }
        for other in [
            "http://10.0.0.5",
            "http://10.0.0.50/",
            "http://10.0.0.50/a/b",
            "",
            "x",
        ] {
            assert!(!asked.knows(other), "{other}");
        }
    }

    #[test]
    fn texts_are_kept_with_their_source() {
        let mut sources = Sources::default();
        let passage = |text: &str, is_read| Passage {
            url: "https://a.example/".to_owned(),
            title: None,
            text: text.to_owned(),
            is_read,
        };
        sources.add_all(&[], &[passage("listed", false), passage("the page", true)]);
        sources.add_all(
            &[],
            &[passage("listed again", false), passage("the page", true)],
        );
        assert_eq!(sources.get(1).map(|it| it.text.as_str()), Some("the page"));
        let stored = Passage {
            url: "a query".to_owned(),
            ..passage("text", true)
        };
        assert_eq!(sources.add_all(&[], &[stored]), Vec::<usize>::new());
    }

    #[test]
    fn stored_content_makes_no_source_and_none_read() {
        let mut sources = Sources::default();
        sources.add_all(&[source("https://a.example/", SourceState::Listed)], &[]);
        let passage = |url: &str| Passage {
            url: url.to_owned(),
            title: None,
            text: "stored".to_owned(),
            is_read: true,
        };
        let reply = InnerReply {
            text: String::new(),
            fault: None,
            sources: vec![source("https://c.example/", SourceState::Read)],
            passages: vec![
                passage("https://a.example/"),
                passage("https://b.example/as-query"),
            ],
            provider_pages: Vec::new(),
            partial_searches: Vec::new(),
        };
        assert_eq!(sources.add_stored(&reply), [1]);
        let known = sources.get(1).expect("a source");
        assert_eq!((known.state(), known.text.as_str()), ("listed", "stored"));
        assert_eq!(sources.iter().count(), 1);
    }

    #[test]
    fn a_read_page_gets_a_number_however_many_are_listed() {
        let mut sources = Sources::default();
        for number in 0..=MOST {
            let url = format!("https://a.example/{number}");
            sources.add_all(&[source(&url, SourceState::Listed)], &[]);
        }
        assert_eq!(sources.iter().count(), MOST);
        let read = source("https://b.example/", SourceState::Read);
        assert_eq!(sources.add_all(&[read], &[]), [MOST + 1]);
    }

    #[test]
    fn the_model_sees_no_secret_and_its_address_still_leads_to_the_page() {
        let masker = Masker::new(["key-of-ours-12345678"]);
        let mut sources = Sources::default();
        let url = "https://a.example/?q=key-of-ours-12345678";
        let found = Source {
            title: Some("About key-of-ours-12345678".to_owned()),
            ..source(url, SourceState::Listed)
        };
        sources.add_all(&[found], &[]);
        let told = sources.for_model(1, &masker).expect("a source");
        assert!(!told.to_string().contains("key-of-ours"), "{told}");
        let masked = told["url"].as_str().expect("an address");
        assert_eq!(sources.unmasked(masked), Some(url));
        assert_eq!(sources.unmasked("https://b.example/"), None);
    }
}
