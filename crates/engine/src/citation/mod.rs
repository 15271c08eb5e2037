//! The sources of a session as a bibliography: APA 7 and MLA 9 for readers, BibTeX, RIS and
//! CSL-JSON for programs.
//!
//! Titles and authors come from pages and cannot be trusted. First they become one line without
//! control or direction characters; each format then escapes its special characters. Nothing is
//! made up: what a page does not say is left out or called unknown, and a name that may be an
//! organisation's is not inverted. The result does not depend on the order of the sources.

mod data;
mod name;
mod prose;

use std::collections::HashMap;

use url::Url;

use self::name::Authors;
use crate::plain_text::{address, one_line};
use crate::research::{Publication, PublicationKind, Source};
use crate::search::Date;

/// Longer titles are cut.
const MAX_TITLE_CHARS: usize = 500;
/// Longer lists of authors are cut before they are parsed.
const MAX_AUTHORS_CHARS: usize = 5_000;

/// The format of a bibliography.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// APA, seventh edition, without italics.
    Apa,
    /// MLA, ninth edition, without italics.
    Mla,
    /// BibTeX and BibLaTeX.
    Bibtex,
    /// RIS, for reference managers.
    Ris,
    /// CSL-JSON, for citation processors.
    CslJson,
}

impl Style {
    /// Every style, in the order lists show them.
    pub const ALL: [Style; 5] = [
        Style::Apa,
        Style::Mla,
        Style::Bibtex,
        Style::Ris,
        Style::CslJson,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Style::Apa => "apa",
            Style::Mla => "mla",
            Style::Bibtex => "bibtex",
            Style::Ris => "ris",
            Style::CslJson => "csl-json",
        }
    }

    /// The style of a name.
    pub fn parse(name: &str) -> Option<Style> {
        Style::ALL.into_iter().find(|style| style.as_str() == name)
    }
}

/// The bibliography of these sources: one entry each, sorted by author, title and date. It ends
/// with a line break unless it is empty; CSL-JSON is never empty.
pub fn bibliography(style: Style, sources: &[Source]) -> String {
    let references = references(sources);
    let entries =
        |write: fn(&Reference) -> String| references.iter().map(write).collect::<Vec<_>>();
    match style {
        Style::Apa => entries(prose::apa).join("\n"),
        Style::Mla => entries(prose::mla).join("\n"),
        Style::Bibtex => entries(data::bibtex).join("\n"),
        Style::Ris => entries(data::ris).concat(),
        Style::CslJson => data::csl_json(&references),
    }
}

/// What is known of a source, cleaned, for all formats.
#[derive(Debug, Clone, PartialEq)]
struct Reference {
    /// Its citation key, unique in the bibliography.
    key: String,
    /// What it was published as; `None` for a web page.
    kind: Option<PublicationKind>,
    /// The journal, the conference or the preprint server.
    venue: Option<String>,
    /// The number of a patent.
    number: Option<String>,
    authors: Authors,
    title: Option<String>,
    published: Option<Date>,
    /// The host without `www.`; `None` for a DOI resolver.
    site: Option<String>,
    /// The DOI, if a provider or the address names it.
    doi: Option<String>,
    url: String,
    accessed: Option<Date>,
}

impl Reference {
    fn from_source(source: &Source) -> Reference {
        let url = address(&source.url);
        let parsed = Url::parse(&url).ok();
        let host = parsed
            .as_ref()
            .and_then(|url| Some(url.host_str()?.trim_start_matches("www.")))
            .unwrap_or_default()
            .to_owned();
        let is_resolver = matches!(host.as_str(), "doi.org" | "dx.doi.org");
        let publication = source.publication.as_ref();
        let text = |text: Option<&String>| {
            let text = one_line(text?, MAX_TITLE_CHARS);
            (!text.is_empty()).then_some(text)
        };
        Reference {
            key: String::new(),
            kind: publication.map(|publication| publication.kind),
            venue: text(publication.and_then(|publication| publication.venue.as_ref())),
            number: text(publication.and_then(|publication| publication.number.as_ref())),
            authors: authors(source, &host),
            doi: publication
                .and_then(|publication| doi(publication.doi.as_deref()?))
                .or_else(|| {
                    parsed
                        .filter(|_| is_resolver)
                        .and_then(|url| doi(url.path()))
                }),
            site: (!is_resolver && !host.is_empty()).then_some(host),
            title: source
                .title
                .as_deref()
                .map(|title| one_line(title, MAX_TITLE_CHARS))
                .filter(|title| !title.is_empty()),
            published: source.published.as_deref().and_then(published),
            accessed: i64::try_from(source.at / 1_000)
                .ok()
                .and_then(Date::from_unix),
            url,
        }
    }

    /// Where it appeared: the journal of a paper, the site of a page.
    fn container(&self) -> Option<&str> {
        self.venue.as_deref().or(self.site.as_deref())
    }

    /// Where a reader finds it: a DOI lasts longer than an address.
    fn link(&self) -> String {
        match &self.doi {
            Some(doi) => format!("https://doi.org/{doi}"),
            None => self.url.clone(),
        }
    }

    /// The sort key: author or else title, then date, then title, then address.
    fn order(&self) -> (String, Option<Date>, String, &str) {
        let title = self.title.as_deref().map(sort_key).unwrap_or_default();
        let first = self
            .authors
            .names
            .first()
            .map_or_else(|| title.clone(), |author| sort_key(&author.inverted()));
        (first, self.published, title, &self.url)
    }

    /// Its citation key, before a number makes it unique.
    fn wanted_key(&self) -> String {
        let letters = |text: &str| {
            text.chars()
                .filter(char::is_ascii_alphanumeric)
                .take(20)
                .collect::<String>()
                .to_ascii_lowercase()
        };
        let author = self
            .authors
            .names
            .first()
            .map(|author| letters(author.short()))
            .filter(|author| author.len() > 1);
        let who = author
            .or_else(|| self.site.as_deref().map(letters))
            .filter(|who| who.starts_with(|c: char| c.is_ascii_alphabetic()));
        let year = self
            .published
            .map_or_else(|| "nd".to_owned(), |date| date.year().to_string());
        let title = self.title.as_deref().map(sort_key).unwrap_or_default();
        let word = title
            .split(' ')
            .map(letters)
            .find(|word| word.len() > 2 && !word.starts_with(|c: char| c.is_ascii_digit()))
            .unwrap_or_default();
        format!("{}{year}{word}", who.unwrap_or_else(|| "source".to_owned()))
    }
}

/// All authors that a provider names, or those that the page names.
fn authors(source: &Source, host: &str) -> Authors {
    let named = |publication: &&Publication| !publication.authors.is_empty();
    if let Some(publication) = source.publication.as_ref().filter(named) {
        let names: Vec<String> = publication
            .authors
            .iter()
            .map(|name| one_line(name, MAX_TITLE_CHARS))
            .collect();
        return name::parse_list(names.iter().map(String::as_str), host);
    }
    let line = source.author.as_deref().unwrap_or_default();
    name::parse_authors(&one_line(line, MAX_AUTHORS_CHARS), host)
}

fn references(sources: &[Source]) -> Vec<Reference> {
    let mut references: Vec<Reference> = sources.iter().map(Reference::from_source).collect();
    references.sort_by(|one, other| {
        one.order()
            .cmp(&other.order())
            .then_with(|| one.accessed.cmp(&other.accessed))
    });
    let mut seen: HashMap<String, u32> = HashMap::new();
    for reference in &mut references {
        let wanted = reference.wanted_key();
        let count = seen.entry(wanted.clone()).or_default();
        *count += 1;
        // `wanted_key` has no hyphens, so a numbered key cannot be equal to one of those.
        reference.key = if *count == 1 {
            wanted
        } else {
            format!("{wanted}-{count}")
        };
    }
    references
}

/// The DOI in a resolver's path; `None` when it has characters that a format would have to escape.
fn doi(path: &str) -> Option<String> {
    let name = path.trim_start_matches('/');
    let is_plain = name.chars().all(|c| {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | '(' | ')' | ':' | ';')
    });
    (name.starts_with("10.") && name.contains('/') && is_plain).then(|| name.to_owned())
}

/// An absolute date. "2 days ago" was relative to the day on which the page was read.
fn published(text: &str) -> Option<Date> {
    let text = one_line(text, 100);
    let has_year = text
        .as_bytes()
        .windows(4)
        .any(|four| four.iter().all(u8::is_ascii_digit));
    if has_year { Date::parse(&text) } else { None }
}

/// A text for sorting: lower case, without punctuation or an article in front.
fn sort_key(text: &str) -> String {
    let lower = text
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let article = ["the ", "an ", "a "]
        .into_iter()
        .find_map(|article| lower.strip_prefix(article));
    article.map_or_else(|| lower.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    pub(super) fn source(
        url: &str,
        title: Option<&str>,
        author: Option<&str>,
        published: Option<&str>,
    ) -> Source {
        Source {
            url: url.to_owned(),
            title: title.map(str::to_owned),
            author: author.map(str::to_owned),
            published: published.map(str::to_owned),
            via: "html".to_owned(),
            tool: "scrape_page".to_owned(),
            at: 1_763_200_000_000, // 2025-11-15
            ..Source::default()
        }
    }

    fn goats() -> Vec<Source> {
        vec![
            source(
                "https://www.goats.example/climb",
                Some("Why goats climb"),
                Some("Jane Doe"),
                Some("2024-05-03T10:00:00Z"),
            ),
            source(
                "https://who.example/a",
                Some("The view from a tree"),
                Some("World Health Organization"),
                Some("2023"),
            ),
            source("https://x.example/", None, None, None),
            source(
                "https://www.goats.example/again",
                Some("Why goats climb"),
                Some("Jane Doe"),
                Some("2024"),
            ),
        ]
    }

    #[test]
    fn every_style_is_parsed_from_its_name() {
        for style in Style::ALL {
            assert_eq!(Style::parse(style.as_str()), Some(style));
        }
        assert_eq!(Style::parse("chicago"), None);
    }

    #[test]
    fn the_order_of_the_sources_does_not_matter() {
        let (goats, mut turned) = (goats(), goats());
        turned.reverse();
        for style in Style::ALL {
            assert_eq!(bibliography(style, &goats), bibliography(style, &turned));
        }
    }

    #[test]
    fn keys_have_author_year_and_word_and_are_unique() {
        let keys: Vec<String> = references(&goats())
            .into_iter()
            .map(|reference| reference.key)
            .collect();
        assert_eq!(
            keys,
            [
                "xexamplend",
                "doe2024why",
                "doe2024why-2",
                "worldhealthorganizat2023view"
            ]
        );
    }

    #[test]
    fn a_date_that_is_relative_or_unparsable_is_unknown() {
        for text in ["2 days ago", "yesterday", "soon", "", "99999999"] {
            assert_eq!(published(text), None, "{text}");
        }
        assert_eq!(
            published("May 3, 2024")
                .map(|date| date.to_string())
                .as_deref(),
            Some("2024-05-03")
        );
    }

    fn hostile() -> impl Strategy<Value = Option<String>> {
        let pieces = prop::sample::select(vec![
            "\nTY  - JOUR\n",
            "\r\nER  - \r\n",
            "}",
            "{",
            "\\",
            "\\}",
            "%",
            "\"",
            "@article{",
            ",",
            ";",
            " and ",
            "\u{2028}TY  - X",
            "\u{0}",
            "\u{1b}[2J",
            "Jane Doe",
            "von",
            "é",
            "漢字",
            "\u{202e}",
            "](javascript:x)",
            "2024",
            "-05",
            "www.",
            "https://a.example/",
            " ",
        ]);
        prop::option::of(prop_oneof![
            ".{0,40}",
            prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
        ])
    }

    fn any_source() -> impl Strategy<Value = Source> {
        let kind = prop::sample::select(vec![
            None,
            Some(PublicationKind::Article),
            Some(PublicationKind::Preprint),
            Some(PublicationKind::Patent),
        ]);
        let publication =
            (kind, hostile(), hostile(), hostile()).prop_map(|(kind, author, venue, other)| {
                Some(Publication {
                    kind: kind?,
                    authors: author.into_iter().collect(),
                    venue,
                    doi: other.clone(),
                    number: other,
                })
            });
        let texts = (hostile(), hostile(), hostile(), hostile());
        (texts, publication, any::<u64>()).prop_map(
            |((url, title, author, published), publication, at)| Source {
                at,
                publication,
                ..source(
                    &url.unwrap_or_default(),
                    title.as_deref(),
                    author.as_deref(),
                    published.as_deref(),
                )
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn there_is_one_ris_record_for_each_source(sources in prop::collection::vec(any_source(), 0..6)) {
            let text = bibliography(Style::Ris, &sources);
            // Split at everything that any reader takes for a line break.
            let lines: Vec<&str> = text.split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')).collect();
            for tag in ["TY  - ", "ER  - "] {
                prop_assert_eq!(lines.iter().filter(|line| line.starts_with(tag)).count(), sources.len());
            }
            prop_assert!(lines.iter().all(|line| line.is_empty() || line.get(2..6) == Some("  - ")));
        }

        #[test]
        fn bibtex_braces_balance_and_keys_differ(sources in prop::collection::vec(any_source(), 0..6)) {
            let text = bibliography(Style::Bibtex, &sources);
            let (mut depth, mut entries) = (0i32, Vec::new());
            for line in text.lines() {
                if depth == 0 && !line.is_empty() {
                    entries.push(line.to_owned());
                }
                for c in line.chars() {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    prop_assert!(depth >= 0);
                }
            }
            prop_assert_eq!(depth, 0);
            prop_assert_eq!(entries.len(), sources.len());
            prop_assert_eq!(entries.iter().collect::<HashSet<_>>().len(), sources.len());
        }

        #[test]
        fn csl_json_is_valid_and_has_every_source(sources in prop::collection::vec(any_source(), 0..6)) {
            let items: Vec<Value> = serde_json::from_str(&bibliography(Style::CslJson, &sources)).unwrap_or_default();
            prop_assert_eq!(items.len(), sources.len());
            prop_assert!(items.iter().all(|item| item["type"].is_string() && item["id"].is_string()));
        }

        #[test]
        fn apa_and_mla_have_one_line_for_each_source(sources in prop::collection::vec(any_source(), 0..6)) {
            for style in [Style::Apa, Style::Mla] {
                let text = bibliography(style, &sources);
                prop_assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), sources.len());
                prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
            }
        }
    }
}
