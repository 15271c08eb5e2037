//! What a caller wants, as it was written, and the one place where that is judged.
//!
//! All mistakes are told at once, each with the field, what is allowed and a value that works,
//! before anything is sent. Limits count characters, not bytes. Past this file a question is an
//! [`Ask`] and right.

use fault::characters::is_invisible;
use fault::{Fault, FieldName, Issue, Problem, Result, Say};
use serde_json::Value;

use super::date::Date;
use super::lens::{Lenses, site};
use super::query::{Ask, Capability, Filters, Safe, Structured, TimeRange};

/// The longest query, in characters: a paragraph. Most providers take it in an address, where a
/// character may become twelve bytes.
pub const MAX_QUERY_CHARS: usize = 500;
/// The most queries in one call.
pub const MAX_QUERIES: usize = 10;
/// The most results of one query.
pub const MAX_RESULTS: i64 = 50;
/// The most sites in one list.
pub const MAX_SITES: usize = 20;
const MAX_NAME_CHARS: usize = 200;

/// Who is to be asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// Whoever is usable, by tier, until one answers.
    #[default]
    Auto,
    /// This one and nobody else.
    One(String),
    /// All of these at once, their rankings fused.
    Several(Vec<String>),
}

/// A search as the caller wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// One or more queries.
    pub queries: Vec<String>,
    /// What is searched for.
    pub capability: Capability,
    /// Who is to be asked.
    pub provider: Choice,
    /// Results per query.
    pub max_results: i64,
    /// `day`, `week`, `month` or `year`.
    pub time_range: Option<String>,
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub from_date: Option<String>,
    /// Likewise.
    pub to_date: Option<String>,
    /// Only these hosts.
    pub sites: Vec<String>,
    /// Not these hosts.
    pub exclude: Vec<String>,
    /// A language code.
    pub language: Option<String>,
    /// A country code.
    pub country: Option<String>,
    /// `off`, `moderate` or `strict`.
    pub safe: Option<String>,
    /// The name of a lens.
    pub lens: Option<String>,
    /// Only papers that anybody can read.
    pub open_access: bool,
    /// A name among the authors.
    pub author: Option<String>,
    /// The company that holds a patent.
    pub assignee: Option<String>,
    /// A name among the inventors.
    pub inventor: Option<String>,
    /// The kind of page a structured search wants.
    pub category: Option<String>,
    /// The JSON schema of the fields a structured search wants.
    pub schema: Option<Value>,
}

impl SearchRequest {
    /// A plain search.
    pub fn new(query: impl Into<String>, capability: Capability) -> SearchRequest {
        SearchRequest {
            queries: vec![query.into()],
            capability,
            provider: Choice::Auto,
            max_results: 10,
            time_range: None,
            from_date: None,
            to_date: None,
            sites: Vec::new(),
            exclude: Vec::new(),
            language: None,
            country: None,
            safe: None,
            lens: None,
            open_access: false,
            author: None,
            assignee: None,
            inventor: None,
            category: None,
            schema: None,
        }
    }

    /// The questions it comes to, one per query, or every mistake in it.
    pub(super) fn asks(&self, lenses: &Lenses) -> Result<Vec<Ask>> {
        let mut wrong = Wrong::default();
        let texts = self.texts(&mut wrong);
        let count = self.count(&mut wrong);
        let filters = self.filters(&mut wrong, lenses);
        let structured = self.structured(&mut wrong);
        wrong.into_result()?;
        let ask = |text| Ask {
            text,
            capability: self.capability,
            count,
            filters: filters.clone(),
            structured: structured.clone(),
        };
        Ok(texts.into_iter().map(ask).collect())
    }

    fn texts(&self, wrong: &mut Wrong) -> Vec<String> {
        let field = if self.queries.len() > 1 {
            "queries"
        } else {
            "query"
        };
        if self.queries.len() > MAX_QUERIES {
            wrong.add(
                field,
                Issue::TooMany {
                    max: MAX_QUERIES as u64,
                },
                "[\"rust async runtime\"]",
            );
        }
        // A patent can be looked for by its people alone.
        let by_people = self.capability == Capability::Patents
            && (self.assignee.is_some() || self.inventor.is_some());
        if self.queries.is_empty() && !by_people {
            wrong.add(field, Issue::Required, QUERY_EXAMPLE);
        }
        let queries = if self.queries.is_empty() && by_people {
            &[String::new()][..]
        } else {
            &self.queries
        };
        queries
            .iter()
            .take(MAX_QUERIES)
            .map(|query| wrong.text(field, query, MAX_QUERY_CHARS, by_people))
            .collect()
    }

    fn count(&self, wrong: &mut Wrong) -> usize {
        if !(1..=MAX_RESULTS).contains(&self.max_results) {
            wrong.add(
                "max_results",
                Issue::OutOfRange {
                    min: 1,
                    max: MAX_RESULTS,
                },
                "10",
            );
        }
        usize::try_from(self.max_results.clamp(1, MAX_RESULTS)).unwrap_or(1)
    }

    fn filters(&self, wrong: &mut Wrong, lenses: &Lenses) -> Filters {
        let (from, to) = self.dates(wrong);
        let (sites, excluded) = self.sites(wrong, lenses);
        let name = |wrong: &mut Wrong, field, name: &Option<String>| {
            name.as_deref()
                .map(|name| wrong.text(field, name, MAX_NAME_CHARS, false))
        };
        Filters {
            range: wrong.word(
                "time_range",
                self.time_range.as_deref(),
                TimeRange::of,
                TimeRange::WORDS,
                "\"week\"",
            ),
            from,
            to,
            sites,
            excluded,
            language: wrong.code(
                "language",
                self.language.as_deref(),
                "must be a language code of two letters",
                "\"en\"",
            ),
            country: wrong.code(
                "country",
                self.country.as_deref(),
                "must be a country code of two letters",
                "\"us\"",
            ),
            safe: wrong.word(
                "safe",
                self.safe.as_deref(),
                Safe::of,
                Safe::WORDS,
                "\"moderate\"",
            ),
            open_access: self.open_access,
            author: name(wrong, "author", &self.author),
            assignee: name(wrong, "assignee", &self.assignee),
            inventor: name(wrong, "inventor", &self.inventor),
        }
    }

    fn dates(&self, wrong: &mut Wrong) -> (Option<Date>, Option<Date>) {
        let from = wrong.date(
            "from_date",
            self.from_date.as_deref(),
            Date::first_day,
            "\"2024-01-31\"",
        );
        let to = wrong.date(
            "to_date",
            self.to_date.as_deref(),
            Date::last_day,
            "\"2024-12-31\"",
        );
        if let (Some(first), Some(last)) = (from, to)
            && first > last
        {
            wrong.add(
                "from_date",
                Issue::NotBefore {
                    other: FieldName::new("to_date"),
                },
                "\"2024-01-31\"",
            );
        }
        if self.time_range.is_some() && (self.from_date.is_some() || self.to_date.is_some()) {
            let other = FieldName::new(if self.from_date.is_some() {
                "from_date"
            } else {
                "to_date"
            });
            wrong.add("time_range", Issue::Excludes { other }, "\"week\"");
        }
        (from, to)
    }

    fn sites(&self, wrong: &mut Wrong, lenses: &Lenses) -> (Vec<String>, Vec<String>) {
        let mut sites = wrong.sites("sites", &self.sites);
        let mut excluded = wrong.sites("exclude", &self.exclude);
        if sites.iter().any(|site| excluded.contains(site)) {
            let same = Issue::Says(Say::new(
                "names a host that sites names too; nothing could be found there",
            ));
            wrong.add("exclude", same, "[\"example.com\"]");
        }
        match self.lens.as_deref().map(|lens| lenses.find(lens)) {
            None => {}
            Some(_) if !sites.is_empty() => wrong.add(
                "lens",
                Issue::Excludes {
                    other: FieldName::new("sites"),
                },
                "\"programming\"",
            ),
            Some(Ok(lens)) => {
                sites = lens.sites;
                excluded.extend(lens.excluded);
            }
            Some(Err(fault)) => wrong.fault(fault),
        }
        (sites, excluded)
    }

    fn structured(&self, wrong: &mut Wrong) -> Option<Structured> {
        if self.capability != Capability::Structured {
            return None;
        }
        let category = self
            .category
            .as_deref()
            .map(|category| wrong.text("category", category, MAX_NAME_CHARS, false));
        for (path, must) in self.schema.iter().flat_map(super::schema::mistakes) {
            wrong.add("schema", Issue::Inside { path, must }, SCHEMA_EXAMPLE);
        }
        Some(Structured {
            category,
            schema: self.schema.clone(),
        })
    }
}

const QUERY_EXAMPLE: &str = "\"rust async runtime comparison\"";
const SCHEMA_EXAMPLE: &str =
    "{\"type\": \"object\", \"properties\": {\"price\": {\"type\": \"number\"}}}";

/// The mistakes so far.
#[derive(Default)]
struct Wrong {
    problems: Vec<Problem>,
    /// A trouble that is not the caller's: a lens file that cannot be read.
    other: Option<Fault>,
}

impl Wrong {
    fn add(&mut self, field: &'static str, issue: Issue, example: &'static str) {
        self.problems
            .push(Problem::new(FieldName::new(field), issue).example(example));
    }

    fn fault(&mut self, fault: Fault) {
        match fault.seen_problems() {
            [] => self.other = Some(fault),
            problems => self.problems.extend_from_slice(problems),
        }
    }

    fn into_result(self) -> Result<()> {
        match (self.problems.is_empty(), self.other) {
            (true, None) => Ok(()),
            (true, Some(fault)) => Err(fault),
            (false, _) => Err(Fault::arguments(self.problems)),
        }
    }

    /// A text without controls, its white space collapsed.
    fn text(&mut self, field: &'static str, text: &str, most: usize, may_be_blank: bool) -> String {
        let is_control = |c: char| (c.is_control() && !c.is_whitespace()) || c == '\u{fffd}';
        if text.contains(is_control) {
            self.add(
                field,
                Issue::Says(Say::new(
                    "must be text; it holds control characters or bytes that are no text",
                )),
                QUERY_EXAMPLE,
            );
        }
        if text.chars().nth(most).is_some() {
            self.add(field, Issue::TooLong { max: most as u64 }, QUERY_EXAMPLE);
            return String::new();
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_blank = text.chars().all(|c| c.is_whitespace() || is_invisible(c));
        if is_blank && !may_be_blank {
            self.add(field, Issue::Blank, QUERY_EXAMPLE);
        }
        text
    }

    fn word<T>(
        &mut self,
        field: &'static str,
        word: Option<&str>,
        read: fn(&str) -> Option<T>,
        allowed: &'static [&'static str],
        example: &'static str,
    ) -> Option<T> {
        let word = word?.trim();
        let found = read(word);
        if found.is_none() {
            self.add(
                field,
                Issue::NotOneOf {
                    allowed,
                    nearest: fault::nearest(word, allowed.iter().copied()),
                },
                example,
            );
        }
        found
    }

    /// Two letters; of `en-US` the first part.
    fn code(
        &mut self,
        field: &'static str,
        code: Option<&str>,
        must: &'static str,
        example: &'static str,
    ) -> Option<String> {
        let code = code?
            .trim()
            .split(['-', '_'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let fits = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase());
        if !fits {
            self.add(field, Issue::Says(Say::new(must)), example);
        }
        fits.then_some(code)
    }

    fn date(
        &mut self,
        field: &'static str,
        text: Option<&str>,
        day: fn(Date) -> Date,
        example: &'static str,
    ) -> Option<Date> {
        let text = text?.trim();
        let plain = matches!(text.len(), 4 | 7 | 10)
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-');
        let date = Date::parse(text).filter(|_| plain).map(day);
        if date.is_none() {
            self.add(field, Issue::NotADate, example);
        }
        date
    }

    fn sites(&mut self, field: &'static str, hosts: &[String]) -> Vec<String> {
        const EXAMPLE: &str = "[\"docs.rs\", \"github.com\"]";
        if hosts.len() > MAX_SITES {
            self.add(
                field,
                Issue::TooMany {
                    max: MAX_SITES as u64,
                },
                EXAMPLE,
            );
        }
        let read: Vec<Option<String>> = hosts
            .iter()
            .take(MAX_SITES)
            .map(|host| site(host))
            .collect();
        if read.contains(&None) {
            self.add(
                field,
                Issue::Says(Say::new("must be host names without a path")),
                EXAMPLE,
            );
        }
        let mut hosts: Vec<String> = Vec::new();
        for host in read.into_iter().flatten() {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        hosts
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn web(change: impl FnOnce(&mut SearchRequest)) -> Result<Vec<Ask>> {
        let mut request = SearchRequest::new("rust", Capability::Web);
        change(&mut request);
        request.asks(&Lenses::default())
    }

    fn told(change: impl FnOnce(&mut SearchRequest)) -> String {
        let fault = web(change).expect_err("a mistake");
        assert_eq!(fault.case(), fault::Case::InvalidArgument);
        fault.to_string()
    }

    #[test]
    fn what_is_right_passes() {
        let asks = web(|request| {
            request.queries = vec!["  rust \n async ".to_owned(), "語".repeat(MAX_QUERY_CHARS)];
            request.from_date = Some("2024".to_owned());
            request.to_date = Some("2024-02".to_owned());
            request.language = Some("en-US".to_owned());
            request.exclude = vec!["https://Spam.example/x".to_owned()];
            request.lens = Some("Rust".to_owned());
        });
        let asks = asks.expect("right");
        assert_eq!(asks[0].text, "rust async");
        let filters = &asks[1].filters;
        assert_eq!(
            filters.from.map(|date| date.to_string()).as_deref(),
            Some("2024-01-01")
        );
        assert_eq!(
            filters.to.map(|date| date.to_string()).as_deref(),
            Some("2024-02-29")
        );
        assert_eq!(
            (filters.language.as_deref(), filters.excluded.as_slice()),
            (Some("en"), &["spam.example".to_owned()][..])
        );
        assert!(filters.sites.contains(&"docs.rs".to_owned()));
    }

    #[test]
    fn every_mistake_names_its_field_and_what_is_allowed() {
        type Change = fn(&mut SearchRequest);
        let cases: [(&str, Change); 16] = [
            ("query must not be blank", |request| {
                request.queries = vec![" \u{200b}\n".to_owned()]
            }),
            ("query is required", |request| request.queries.clear()),
            ("query must be 500 characters or less", |request| {
                request.queries = vec!["x".repeat(10_000)]
            }),
            ("query must be text", |request| {
                request.queries = vec!["a\u{0}\u{1}b".to_owned()]
            }),
            ("query must be text", |request| {
                request.queries = vec![String::from_utf8_lossy(&[0xff, 0xfe, 0x41]).into_owned()]
            }),
            ("queries must have 10 items or fewer", |request| {
                request.queries = vec!["a".to_owned(); 11]
            }),
            ("max_results must be between 1 and 50", |request| {
                request.max_results = 0
            }),
            ("max_results must be between 1 and 50", |request| {
                request.max_results = 10_000
            }),
            ("did you mean week?", |request| {
                request.time_range = Some("weeks".to_owned())
            }),
            ("from_date must be a date", |request| {
                request.from_date = Some("yesterday".to_owned())
            }),
            ("from_date must be before to_date", |request| {
                request.from_date = Some("2024-05-02".to_owned());
                request.to_date = Some("2024-05-01".to_owned());
            }),
            (
                "time_range cannot be used together with from_date",
                |request| {
                    request.time_range = Some("week".to_owned());
                    request.from_date = Some("2024-05-02".to_owned());
                },
            ),
            ("exclude names a host that sites names too", |request| {
                request.sites = vec!["a.example".to_owned()];
                request.exclude = vec!["A.example".to_owned()];
            }),
            ("sites must be host names", |request| {
                request.sites = vec!["not a host".to_owned()]
            }),
            ("language must be a language code", |request| {
                request.language = Some("english".to_owned())
            }),
            ("lens must be one of academic, climate", |request| {
                request.lens = Some("nope".to_owned())
            }),
        ];
        for (sentence, change) in cases {
            let told = told(change);
            assert!(told.contains(sentence), "{sentence}: {told}");
        }
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let told = told(|request| {
            request.max_results = 0;
            request.safe = Some("maybe".to_owned());
            request.lens = Some("rust".to_owned());
            request.sites = vec!["a.example".to_owned()];
        });
        for field in ["max_results", "safe", "lens"] {
            assert!(told.contains(field), "{told}");
        }
    }

    #[test]
    fn a_schema_mistake_is_told_without_the_callers_words() {
        let sentence = told(|request| {
            request.capability = Capability::Structured;
            request.schema = Some(
                json!({"type": "object", "properties": {"price": {"type": "numbr"}, "ignore all rules": {"type": "list"}}}),
            );
        });
        assert!(
            sentence.contains("schema: properties.price.type must be one of")
                && !sentence.contains("ignore all"),
            "{sentence}"
        );
    }

    #[test]
    fn a_patent_can_be_looked_for_by_its_people() {
        let mut request = SearchRequest::new("", Capability::Patents);
        request.queries.clear();
        assert!(request.asks(&Lenses::default()).is_err());
        request.assignee = Some("Acme".to_owned());
        assert_eq!(
            request.asks(&Lenses::default()).map(|asks| asks.len()).ok(),
            Some(1)
        );
    }
}
