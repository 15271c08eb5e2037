//! PubMed through NCBI's E-utilities: two requests for one query.
//!
//! `GET /esearch.fcgi?db=pubmed&term=…&retmax=…&retmode=json&datetype=pdat&mindate=…&maxdate=…`
//! returns `{"esearchresult":{"count":"n","idlist":["…"]}}`, or `{"esearchresult":{"ERROR":"…"}}`;
//! `GET /efetch.fcgi?db=pubmed&id=…&retmode=xml` returns a `PubmedArticleSet` with titles, authors,
//! journals, dates, identifiers and abstracts; a chapter of a book is a `PubmedBookArticle` in it.
//! `PubDate` is that of the issue, often only a month; `ArticleDate` is the day on which the article
//! appeared, so the more precise one is used. Failures behind NCBI's gateway come as 500 (or 200)
//! with `{"error":"error forwarding request","api-key":"…","type":"ip","status":"ok"}`, or with raw
//! line breaks in `ERROR`. Too many requests get `{"error":"API rate limit exceeded","count":"11"}`
//! with 429, sometimes with 200; an unknown key gets `{"error":"API key
//! invalid","api-key":"…","type":"invalid"}` with 400. These texts never vary and are compared as a
//! whole, like codes. Three requests a second are allowed without a key, so three queries in two
//! seconds.
//!
//! Seen 2026-11-16: parameters and limits in NCBI's documentation (NBK25497), records in the DTD of
//! 2025-01-01 and in fixtures of public clients, `ERROR` with status 200 in ropensci/rentrez#208
//! (2026-06-30), the gateway's 500 in ropensci/rentrez#159 and #162 (2020-12). That it also comes
//! with 200, and the raw line breaks, are known from issue 12 only. Tested against the lab.

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, ApiRequest};
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::search::terms::phrase;
use crate::upstream::Answering;
use reading::document::xml::XmlElement;

#[derive(Debug)]
pub(super) struct PubMed;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Academic,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::OpenAccess,
            Filter::Author,
        ],
        max_results: 100,
    }],
    base: Some("https://eutils.ncbi.nlm.nih.gov/entrez/eutils"),
    key: KeyRequirement::Optional,
    pace: Some(Pace {
        requests: 3,
        per: std::time::Duration::from_secs(2),
    }),
    at_once: 3,
    scope: Some("Only papers on medicine and biology were searched."),
    about: "PubMed's papers on medicine and biology; a free key raises the rate limit.",
    docs: "https://www.ncbi.nlm.nih.gov/books/NBK25497/",
    contact_helps: true,
    codes_at: &["/error"],
    errors: &[
        ErrorMeaning::code(200, "API rate limit exceeded", Case::Http429),
        ErrorMeaning::code(200, "error forwarding request", Case::HttpStatus),
        ErrorMeaning::code(400, "API key invalid", Case::BadKey),
    ],
    other_variables: &[("NCBI_API_KEY", "pubmed-api-key")],
    ..provider!("pubmed", "PubMed")
};

impl Provider for PubMed {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(
        &'a self,
        api: &'a Api,
        call: &'a Call,
        query: &'a SearchQuery,
    ) -> Answering<'a, Hits> {
        Box::pin(async move {
            let found: PubMedSearchReply = search(api, query).json(call).await?;
            let found = found.result;
            let ids = match (found.idlist, found.error) {
                (Some(ids), None) => ids,
                // The message is for people; a program can only see that the search failed.
                (_, Some(_)) => return Err(api.fault(Case::HttpStatus).status(200)),
                (None, None) => return Err(api.bad_shape(b"an esearchresult without an idlist")),
            };
            let total = found.count.and_then(|count| count.parse().ok());
            if ids.is_empty() {
                return Ok(Hits {
                    total,
                    ..Hits::default()
                });
            }
            let request = request(api, "/efetch.fcgi")
                .query("id", ids.join(","))
                .query("retmode", "xml");
            let answer = request.send(call).await?;
            let set = api.read_xml(&answer, "PubmedArticleSet")?;
            let record = |found: XmlElement<'_>| match found.name() {
                "PubmedArticle" => article(found),
                "PubmedBookArticle" => chapter(found),
                _ => None,
            };
            Ok(Hits {
                hits: set.root().elements().filter_map(record).collect(),
                total,
                ..Hits::default()
            })
        })
    }
}

/// A request with the name of this program, which NCBI asks for.
fn request<'a>(api: &'a Api, path: &str) -> ApiRequest<'a> {
    api.get(path)
        .query("db", "pubmed")
        .query("tool", "fingerpost")
        .identified()
        .mail_query("email")
        .secret_query("api_key", api.key())
}

fn search<'a>(api: &'a Api, query: &SearchQuery) -> ApiRequest<'a> {
    let (from, to) = (query.filters.since(), query.filters.to);
    let slashed = |day: Date| day.to_string().replace('-', "/");
    let request = request(api, "/esearch.fcgi")
        .query("term", term(query))
        .query("retmax", query.count)
        .query("retmode", "json");
    if from.is_none() && to.is_none() {
        return request.query("sort", "relevance");
    }
    // PubMed needs both ends of a range.
    let from = from.map_or_else(|| "1800".to_owned(), slashed);
    let request = request
        .query("sort", "relevance")
        .query("datetype", "pdat")
        .query("mindate", from);
    request.query("maxdate", to.map_or_else(|| "3000".to_owned(), slashed))
}

fn term(query: &SearchQuery) -> String {
    let mut term = query.text.clone();
    if let Some(author) = &query.filters.author {
        term = format!("({term}) AND {}[Author]", phrase(author));
    }
    if query.filters.open_access {
        term = format!("({term}) AND free full text[Filter]");
    }
    term
}

#[derive(Deserialize)]
struct PubMedSearchReply {
    #[serde(rename = "esearchresult")]
    result: PubMedIds,
}

#[derive(Deserialize)]
struct PubMedIds {
    count: Option<String>,
    idlist: Option<Vec<String>>,
    #[serde(rename = "ERROR")]
    error: Option<String>,
}

/// What an article and a chapter have in common.
struct PubMedRecord<'a> {
    /// `Article` or `BookDocument`, which have title, authors and abstract.
    document: XmlElement<'a>,
    pmid: String,
    venue: Option<String>,
    published: Option<Date>,
    ids: Option<XmlElement<'a>>,
}

fn article(found: XmlElement<'_>) -> Option<Hit> {
    let citation = found.child("MedlineCitation")?;
    let document = citation.child("Article")?;
    let journal = document.child("Journal");
    let issued = journal.and_then(|journal| date(journal.child("JournalIssue")?.child("PubDate")?));
    let record = PubMedRecord {
        document,
        pmid: pmid(citation)?,
        venue: journal
            .and_then(|journal| journal.child("Title"))
            .map(XmlElement::text),
        published: more_precise(issued, document.child("ArticleDate").and_then(date)),
        ids: found
            .child("PubmedData")
            .and_then(|data| data.child("ArticleIdList")),
    };
    let free = record
        .id_of("pmc")
        .map(|id| format!("https://pmc.ncbi.nlm.nih.gov/articles/{}/pdf/", id.trim()));
    record.into_hit(free.is_some().then_some(true), free)
}

/// A chapter of a book on NCBI's Bookshelf, all of which can be read.
fn chapter(found: XmlElement<'_>) -> Option<Hit> {
    let document = found.child("BookDocument")?;
    let book = document.child("Book");
    let record = PubMedRecord {
        document,
        pmid: pmid(document)?,
        venue: book
            .and_then(|book| book.child("BookTitle"))
            .map(XmlElement::text),
        published: book
            .and_then(|book| book.child("PubDate"))
            .and_then(date)
            .or_else(|| document.child("ContributionDate").and_then(date)),
        ids: found
            .child("PubmedBookData")
            .and_then(|data| data.child("ArticleIdList")),
    };
    record.into_hit(Some(true), None)
}

fn pmid(parent: XmlElement<'_>) -> Option<String> {
    Some(parent.child("PMID")?.text().trim().to_owned()).filter(|pmid| !pmid.is_empty())
}

/// The date of the article itself where it is a day and that of the issue is not.
fn more_precise(issued: Option<Date>, appeared: Option<Date>) -> Option<Date> {
    match (issued, appeared) {
        (Some(issued), Some(appeared)) if appeared.is_day() && !issued.is_day() => Some(appeared),
        (issued, appeared) => issued.or(appeared),
    }
}

impl PubMedRecord<'_> {
    fn id_of(&self, kind: &str) -> Option<String> {
        self.ids?
            .all("ArticleId")
            .find(|id| id.attribute("IdType") == Some(kind))
            .map(XmlElement::text)
    }

    fn into_hit(self, open_access: Option<bool>, pdf: Option<String>) -> Option<Hit> {
        let document = self.document;
        let text: Vec<String> = document
            .child("Abstract")
            .map(|text| text.all("AbstractText").map(part).collect())
            .unwrap_or_default();
        let authors = document
            .child("AuthorList")
            .map(|list| list.all("Author").filter_map(name).collect())
            .unwrap_or_default();
        let title = document
            .child("ArticleTitle")
            .map(XmlElement::text)
            .or_else(|| self.venue.clone())
            .unwrap_or_default();
        let hit = Hit::new(
            title.trim_end_matches('.'),
            &format!("https://pubmed.ncbi.nlm.nih.gov/{}/", self.pmid),
        )?
        .snippet(&text.join(" "))
        .dated(self.published)
        .source(self.venue.as_deref());
        let doi = self.id_of("doi");
        Some(hit.paper(Paper {
            authors,
            doi,
            venue: self.venue,
            pdf,
            open_access,
            id: Some(self.pmid),
            ..Paper::default()
        }))
    }
}

/// One part of an abstract, with its label if it has one: "METHODS".
fn part(text: XmlElement<'_>) -> String {
    match text.attribute("Label") {
        Some(label) => format!("{label}: {}", text.text()),
        None => text.text(),
    }
}

fn name(author: XmlElement<'_>) -> Option<String> {
    let parts: Vec<String> = ["ForeName", "LastName"]
        .iter()
        .filter_map(|part| author.child(part).map(XmlElement::text))
        .collect();
    if parts.is_empty() {
        author.child("CollectiveName").map(XmlElement::text)
    } else {
        Some(parts.join(" "))
    }
}

/// A date of `Year`, `Month` (a name or a number) and `Day`, or of a `MedlineDate` such as
/// "2020 Jan-Feb", of which only the year is used.
fn date(written: XmlElement<'_>) -> Option<Date> {
    let given = |name: &str| {
        written
            .child(name)
            .map(|part| part.text().trim().to_owned())
    };
    let Some(year) = given("Year") else {
        return Date::parse(given("MedlineDate")?.get(..4)?);
    };
    let date = match (given("Month"), given("Day")) {
        (Some(month), Some(day)) if is_number(&month) => {
            Date::parse(&format!("{year}-{month}-{day}"))
        }
        (Some(month), None) if is_number(&month) => Date::parse(&format!("{year}-{month}")),
        (Some(month), Some(day)) => Date::parse(&format!("{day} {month} {year}")),
        (Some(month), None) => Date::parse(&format!("{month} {year}")),
        _ => None,
    };
    date.or_else(|| Date::parse(&year))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Details;
    use reading::document::xml::XmlTree;

    fn parse_date(xml: &str) -> Option<String> {
        date(XmlTree::parse_str(xml, 100).ok()?.root()).map(|date| date.to_string())
    }

    #[test]
    fn every_form_of_date_is_parsed() {
        assert_eq!(
            parse_date("<a><Year>2024</Year><Month>Jun</Month><Day>3</Day></a>").as_deref(),
            Some("2024-06-03")
        );
        assert_eq!(
            parse_date("<a><Year>2024</Year><Month>06</Month><Day>03</Day></a>").as_deref(),
            Some("2024-06-03")
        );
        assert_eq!(
            parse_date("<a><Year>2024</Year><Month>06</Month></a>").as_deref(),
            Some("2024-06")
        );
        assert_eq!(
            parse_date("<a><Year>2024</Year><Season>Spring</Season></a>").as_deref(),
            Some("2024")
        );
        assert_eq!(
            parse_date("<a><MedlineDate>2020 Jan-Feb</MedlineDate></a>").as_deref(),
            Some("2020")
        );
        assert_eq!(parse_date("<a/>"), None);
    }

    #[test]
    fn an_article_becomes_a_paper() {
        let xml = r#"<PubmedArticle><MedlineCitation><PMID>39</PMID><Article><Journal><JournalIssue><PubDate><Year>2026</Year></PubDate></JournalIssue>
            <Title>Today</Title></Journal><ArticleTitle>On <i>x</i>.</ArticleTitle><Abstract><AbstractText Label="AIM">To.</AbstractText>
            <AbstractText Label="END">Fro.</AbstractText></Abstract><AuthorList><Author><LastName>Weiss</LastName><ForeName>Clara</ForeName></Author>
            <Author><CollectiveName>A Group</CollectiveName></Author></AuthorList></Article></MedlineCitation><PubmedData><ArticleIdList>
            <ArticleId IdType="doi">10.5555/X</ArticleId><ArticleId IdType="pmc">PMC7</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"#;
        let hit = XmlTree::parse_str(xml, 1_000)
            .ok()
            .and_then(|tree| article(tree.root()))
            .unwrap_or_else(|| panic!("a paper"));
        assert_eq!(
            (hit.title.as_str(), hit.url.as_str()),
            ("On x", "https://pubmed.ncbi.nlm.nih.gov/39/")
        );
        assert_eq!(
            (hit.snippet.as_str(), hit.published),
            ("AIM: To. END: Fro.", Date::from_year(2026))
        );
        let Details::Paper(paper) = hit.details else {
            panic!("a paper")
        };
        assert_eq!(paper.authors, ["Clara Weiss", "A Group"]);
        assert_eq!(
            (paper.doi.as_deref(), paper.open_access),
            (Some("10.5555/x"), Some(true))
        );
    }

    #[test]
    fn a_chapter_of_a_book_becomes_a_paper() {
        let xml = r#"<PubmedBookArticle><BookDocument><PMID Version="1">20301623</PMID><ArticleIdList><ArticleId IdType="bookaccession">NBK1450</ArticleId></ArticleIdList>
            <Book><BookTitle book="gene">GeneReviews</BookTitle><PubDate><Year>1993</Year></PubDate></Book><ArticleTitle book="gene" part="als">Overview</ArticleTitle>
            <AuthorList Type="authors"><Author><LastName>Siddique</LastName><ForeName>Nailah</ForeName></Author></AuthorList>
            <Abstract><AbstractText>A purpose.</AbstractText></Abstract></BookDocument><PubmedBookData><ArticleIdList>
            <ArticleId IdType="pubmed">20301623</ArticleId></ArticleIdList></PubmedBookData></PubmedBookArticle>"#;
        let hit = XmlTree::parse_str(xml, 1_000)
            .ok()
            .and_then(|tree| chapter(tree.root()))
            .unwrap_or_else(|| panic!("a chapter"));
        assert_eq!(
            (hit.title.as_str(), hit.url.as_str(), hit.source.as_deref()),
            (
                "Overview",
                "https://pubmed.ncbi.nlm.nih.gov/20301623/",
                Some("GeneReviews")
            )
        );
        assert_eq!(hit.published, Date::from_year(1993));
    }

    #[test]
    fn the_day_of_an_article_is_preferred_to_the_month_of_its_issue() {
        let (month, day) = (Date::from_year_month(2024, 6), Date::from_ymd(2024, 5, 30));
        assert_eq!(more_precise(month, day), day);
        assert_eq!(more_precise(day, month), day);
        assert_eq!(more_precise(month, None), month);
    }
}
