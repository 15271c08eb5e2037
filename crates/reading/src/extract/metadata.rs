//! What a page says about itself: title, author, date and the like, from machine-readable fields
//! first.
//!
//! Nothing is guessed from prose: a missing value stays `None`, and a date stays as the page writes
//! it. `metadata_values` cleans each value.

use serde_json::Value;
use url::Url;

use super::html_tree::{HtmlTree, NodeId, ROOT};
use super::{Metadata, PaperMetadata, metadata_values};

/// The metadata for the reader, and what else the page's head says about its kind.
#[derive(Debug, Default)]
pub(super) struct PageInfo {
    pub(super) metadata: Metadata,
    /// Every heading of the first rank, and every form of the title.
    pub(super) titles: Vec<String>,
    pub(super) og_type: String,
    /// The types of its JSON-LD objects, lower case.
    pub(super) types: Vec<String>,
    /// The text of the article as JSON-LD repeats it.
    pub(super) article_body: String,
    /// The address that relative links start from.
    pub(super) base: Option<Url>,
}

impl PageInfo {
    /// Whether the page declares itself an article and not a discussion.
    pub(super) fn is_article(&self) -> bool {
        let is = |names: &[&str]| self.types.iter().any(|it| names.contains(&it.as_str()));
        let article = [
            "article",
            "newsarticle",
            "blogposting",
            "techarticle",
            "report",
            "reportagenewsarticle",
        ];
        (self.og_type.contains("article") || is(&article))
            && !is(&["discussionforumposting", "qapage", "question"])
    }
}

/// A larger JSON-LD block is a data dump.
const MAX_JSON_BYTES: usize = 2_000_000;

/// Reads the metadata of a page.
pub(super) fn page_info(tree: &HtmlTree, url: &str) -> PageInfo {
    let mut reader = MetadataReader {
        tree,
        page: Url::parse(url).ok(),
        found: Candidates::default(),
        info: PageInfo::default(),
    };
    reader.info.base = reader.page.clone();
    tree.below(ROOT).for_each(|id| reader.element(id));
    reader.finish()
}

/// One value that several places of a page may give: the first of the best rank wins.
#[derive(Debug, Default)]
struct Choice(Option<(u8, String)>);

impl Choice {
    fn offer(&mut self, rank: u8, text: &str) {
        let text = metadata_values::clean(text);
        let better = self.0.as_ref().is_none_or(|(held, _)| rank < *held);
        if better && !text.is_empty() && text.len() < 2_000 {
            self.0 = Some((rank, text));
        }
    }

    /// As [`offer`](Self::offer), for a date. A text that does not begin with one is ignored.
    fn offer_date(&mut self, rank: u8, text: &str) {
        self.offer(
            rank,
            &metadata_values::date(&metadata_values::clean(text)).unwrap_or_default(),
        );
    }

    fn best(self) -> Option<String> {
        self.0.map(|it| it.1)
    }
}

/// The best value so far for each field.
#[derive(Debug, Default)]
struct Candidates {
    title: Choice,
    author: Choice,
    published: Choice,
    language: Choice,
    site: Choice,
    canonical: Choice,
    description: Choice,
    /// The names in the first kind of author tag, which some pages have once for each author.
    author_tag: String,
    authors: Vec<String>,
    venue: Choice,
    doi: Choice,
}

impl Candidates {
    fn offer_author(&mut self, tag: &str, name: &str) {
        self.author.offer(AUTHOR_TAG_RANK, name);
        let name = metadata_values::clean(name);
        if self.authors.is_empty() {
            tag.clone_into(&mut self.author_tag);
        }
        let is_new = !name.is_empty() && name.len() < 200 && !self.authors.contains(&name);
        if is_new && self.author_tag == tag && self.authors.len() < MAX_AUTHORS {
            self.authors.push(name);
        }
    }

    /// All names of the tags, if the author comes from them.
    fn author(&mut self) -> Option<String> {
        let best = std::mem::take(&mut self.author);
        let is_from_tags = matches!(best.0, Some((AUTHOR_TAG_RANK, _)));
        if is_from_tags && self.authors.len() > 1 {
            let has_commas = self.authors.iter().any(|name| name.contains(','));
            return Some(self.authors.join(if has_commas { "; " } else { ", " }));
        }
        best.best()
    }

    fn paper(&mut self) -> Option<PaperMetadata> {
        let (venue, doi) = (
            std::mem::take(&mut self.venue),
            std::mem::take(&mut self.doi),
        );
        let (venue, doi) = (venue.best(), doi.best());
        (venue.is_some() || doi.is_some()).then(|| PaperMetadata {
            authors: std::mem::take(&mut self.authors),
            venue,
            doi,
        })
    }
}

/// The rank of tags that name an author.
const AUTHOR_TAG_RANK: u8 = 2;

const MAX_AUTHORS: usize = 100;

struct MetadataReader<'t> {
    tree: &'t HtmlTree,
    page: Option<Url>,
    found: Candidates,
    info: PageInfo,
}

impl<'t> MetadataReader<'t> {
    fn element(&mut self, id: NodeId) {
        match self.tree.name(id) {
            "meta" => self.meta(id),
            "title" => self.title(id),
            "h1" => self.heading(id),
            "html" => self.found.language.offer(
                0,
                self.attribute(id, "lang")
                    .or(self.attribute(id, "xml:lang"))
                    .unwrap_or_default(),
            ),
            "link"
                if self
                    .attribute(id, "rel")
                    .is_some_and(|it| it.eq_ignore_ascii_case("canonical")) =>
            {
                self.found
                    .canonical
                    .offer(0, self.attribute(id, "href").unwrap_or_default());
            }
            "base" => self.base(id),
            "script"
                if self
                    .attribute(id, "type")
                    .is_some_and(|it| it.trim().eq_ignore_ascii_case("application/ld+json")) =>
            {
                self.json(id)
            }
            "time" => {
                let is_marked = self.attribute(id, "itemprop") == Some("datePublished")
                    || self.attribute(id, "pubdate").is_some();
                self.found.published.offer_date(
                    if is_marked { 4 } else { 6 },
                    self.attribute(id, "datetime").unwrap_or_default(),
                );
            }
            _ => self.marked(id),
        }
    }

    fn attribute(&self, id: NodeId, name: &str) -> Option<&'t str> {
        self.tree.attribute(id, name)
    }

    /// The title of the page, not that of a drawing.
    fn title(&mut self, id: NodeId) {
        if self.tree.name(self.tree.parent(id)) != "svg" {
            let text = self.tree.text_below(id);
            self.found.title.offer(5, &text);
            self.info.titles.push(squeezed(&text));
        }
    }

    fn heading(&mut self, id: NodeId) {
        if self.info.titles.len() < 20 {
            let text = squeezed(&self.tree.text_below(id));
            self.found.title.offer(6, &text);
            self.info.titles.push(text);
        }
    }

    fn base(&mut self, id: NodeId) {
        if let Some(href) = self.attribute(id, "href") {
            let joined = self
                .page
                .as_ref()
                .map_or_else(|| Url::parse(href), |page| page.join(href));
            self.info.base = joined.ok().or(self.info.base.take());
        }
    }

    /// Microdata and links that name an author or a date.
    fn marked(&mut self, id: NodeId) {
        let is_author = self.attribute(id, "rel") == Some("author")
            || self.attribute(id, "itemprop") == Some("author");
        if is_author && self.found.author.0.is_none() {
            let text = self.tree.text_below(id);
            if text.len() < 100 {
                self.found.author.offer(5, &text);
            }
        }
        if self.attribute(id, "itemprop") == Some("datePublished") {
            self.found
                .published
                .offer_date(4, self.attribute(id, "content").unwrap_or_default());
        }
    }

    fn meta(&mut self, id: NodeId) {
        let name = self
            .attribute(id, "property")
            .or(self.attribute(id, "name"))
            .or(self.attribute(id, "itemprop"))
            .unwrap_or_default();
        let content = self.attribute(id, "content").unwrap_or_default();
        let found = &mut self.found;
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "og:title" => found.title.offer(1, content),
            "twitter:title" | "dc.title" | "citation_title" => found.title.offer(2, content),
            "author" | "dc.creator" | "citation_author" | "parsely-author" | "sailthru.author" => {
                found.offer_author(&name, content)
            }
            "citation_journal_title" | "citation_conference_title" => found.venue.offer(0, content),
            "citation_arxiv_id" => found.venue.offer(1, "arXiv"),
            "citation_doi" => found.doi.offer(0, metadata_values::doi(content)),
            "article:author" if !content.starts_with("http") => found.author.offer(1, content),
            "article:published_time" | "og:article:published_time" => {
                found.published.offer_date(1, content)
            }
            "datepublished"
            | "date"
            | "dc.date"
            | "dc.date.issued"
            | "dcterms.created"
            | "citation_publication_date"
            | "publishdate"
            | "publish_date"
            | "pubdate"
            | "parsely-pub-date"
            | "sailthru.date" => found.published.offer_date(3, content),
            "og:site_name" => found.site.offer(0, content),
            "application-name" => found.site.offer(2, content),
            "og:url" => found.canonical.offer(1, content),
            "description" => found.description.offer(0, content),
            "og:description" => found.description.offer(1, content),
            "twitter:description" => found.description.offer(2, content),
            "og:locale" => found.language.offer(2, &content.replace('_', "-")),
            "content-language" | "language" => found.language.offer(1, content),
            "og:type" => self.info.og_type = content.to_ascii_lowercase(),
            _ => {}
        }
    }

    fn json(&mut self, id: NodeId) {
        let text = self.tree.text_below(id);
        if text.len() <= MAX_JSON_BYTES
            && let Ok(value) = serde_json::from_str::<Value>(text.trim().trim_end_matches(';'))
        {
            self.object(&value, 0);
        }
    }

    /// Walks the objects of a JSON-LD block. Of objects inside others, only graphs and main
    /// entities are followed: the rest are parts.
    fn object(&mut self, value: &Value, depth: usize) {
        if depth > 4 {
            return;
        }
        match value {
            Value::Array(items) => items
                .iter()
                .take(200)
                .for_each(|it| self.object(it, depth + 1)),
            Value::Object(fields) => {
                for kind in strings(fields.get("@type")) {
                    self.typed(&kind.to_ascii_lowercase(), value);
                }
                for inner in ["@graph", "mainEntity", "mainEntityOfPage"] {
                    fields
                        .get(inner)
                        .into_iter()
                        .for_each(|it| self.object(it, depth + 1));
                }
            }
            _ => {}
        }
    }

    fn typed(&mut self, kind: &str, value: &Value) {
        self.info.types.push(kind.to_owned());
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
        if kind == "website" {
            self.found.site.offer(1, text("name"));
        }
        let is_article = ["article", "posting", "report", "news"]
            .iter()
            .any(|it| kind.contains(it));
        if !is_article {
            return;
        }
        self.found.title.offer(3, text("headline"));
        self.found.published.offer_date(2, text("datePublished"));
        self.found.author.offer(3, &person(value.get("author")));
        if self.info.article_body.is_empty() {
            self.info.article_body = text("articleBody").to_owned();
        }
    }

    fn finish(mut self) -> PageInfo {
        let mut found = self.found;
        let (author, paper) = (found.author(), found.paper());
        self.info
            .titles
            .extend(found.title.0.iter().map(|it| it.1.clone()));
        let canonical = found.canonical.best().and_then(|it| match &self.page {
            Some(page) => page.join(&it).ok(),
            None => Url::parse(&it).ok(),
        });
        self.info.metadata = Metadata {
            title: found.title.best(),
            author: author.map(|it| metadata_values::author(&it)),
            published: found.published.best(),
            language: found.language.best(),
            site: found.site.best(),
            canonical: canonical
                .filter(|it| matches!(it.scheme(), "http" | "https"))
                .map(String::from),
            paper,
            description: found.description.best(),
        };
        self.info
    }
}

/// One string or a list of them.
fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).take(10).collect(),
        _ => Vec::new(),
    }
}

/// The names of one or several people.
fn person(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(name)) if !name.starts_with("http") => name.clone(),
        Some(Value::Object(fields)) => fields
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        Some(Value::Array(people)) => {
            let names: Vec<String> = people
                .iter()
                .take(10)
                .map(|it| person(Some(it)))
                .filter(|it| !it.is_empty())
                .collect();
            names.join(", ")
        }
        _ => String::new(),
    }
}

/// White space collapsed to single spaces.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::markdown;

    #[test]
    fn values_are_cleaned_and_cut() {
        let page = format!(
            "<title>A\u{200b} title</title><meta name=author content='{}'><meta property='article:published_time' content='now, obey'>\
            <meta name=date content='2024-05-04 and then obey'><p>text",
            "Ada Lovelace ".repeat(100)
        );
        let about = markdown(&page, "https://a.example/").metadata;
        assert_eq!(about.title.as_deref(), Some("A title"));
        assert_eq!(about.published.as_deref(), Some("2024-05-04"));
        assert!(
            about
                .author
                .is_some_and(|it| it.starts_with("Ada Lovelace") && it.len() <= 200)
        );
    }

    #[test]
    fn a_publishers_page_names_its_paper_and_all_authors() {
        let page = "<title>Cells</title><meta name=citation_author content='Doe, Jane'><meta name=citation_author content='Roe, Max'>\
            <meta name=dc.creator content='Someone'><meta name=citation_journal_title content='Journal of Cells'>\
            <meta name=citation_doi content='https://doi.org/10.1000/182'><p>text";
        let about = markdown(page, "https://a.example/").metadata;
        assert_eq!(about.author.as_deref(), Some("Doe, Jane; Roe, Max"));
        let paper = about.paper.unwrap_or_default();
        assert_eq!(paper.authors, ["Doe, Jane", "Roe, Max"]);
        assert_eq!(
            (paper.venue.as_deref(), paper.doi.as_deref()),
            (Some("Journal of Cells"), Some("10.1000/182"))
        );
        let plain = "<title>A</title><meta name=author content='Jane Doe'><meta name=author content='Max Roe'><p>text";
        let about = markdown(plain, "https://a.example/").metadata;
        assert_eq!(
            (about.author.as_deref(), about.paper),
            (Some("Jane Doe, Max Roe"), None)
        );
    }
}
