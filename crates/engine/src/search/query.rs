//! What a provider is asked. All of it is valid: a provider does not check input again.

use serde_json::Value;

use super::date::Date;
use crate::layer::Keyed;

/// An enum whose variants have a word on the wire.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// The words of all variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The variant of a word, in upper or lower case.
            pub fn parse(word: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|variant| variant.as_str().eq_ignore_ascii_case(word))
            }
        }
    };
}

words! {
    /// What is searched for.
    Capability {
        /// Pages of any kind.
        Web = "web",
        /// Recent reports with a date.
        News = "news",
        Academic = "academic",
        /// Patents and applications.
        Patents = "patents",
        /// Pages of a category, with fields by a schema.
        Structured = "structured",
    }
}

words! {
    /// The age limit of results.
    TimeRange {
        /// The last 24 hours.
        Day = "day",
        /// The last 7 days.
        Week = "week",
        /// The last 31 days.
        Month = "month",
        /// The last 365 days.
        Year = "year",
    }
}

words! {
    /// How much explicit content is withheld.
    SafeSearch {
        /// Nothing is filtered.
        Off = "off",
        /// Explicit pictures.
        Moderate = "moderate",
        /// All of it.
        Strict = "strict",
    }
}

/// A filter. A provider lists those it applies; an answer reports the others as ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Filter {
    /// [`Filters::range`].
    TimeRange,
    /// [`Filters::from`] and [`Filters::to`].
    Dates,
    /// [`Filters::sites`].
    Sites,
    /// [`Filters::excluded`].
    Excluded,
    /// [`Filters::language`].
    Language,
    /// [`Filters::country`].
    Country,
    /// [`Filters::safe`].
    Safe,
    /// [`Filters::open_access`].
    OpenAccess,
    /// [`Filters::author`].
    Author,
    /// [`Filters::assignee`].
    Assignee,
    /// [`Filters::inventor`].
    Inventor,
}

impl Filter {
    pub const ALL: &'static [Filter] = &[
        Filter::TimeRange,
        Filter::Dates,
        Filter::Sites,
        Filter::Excluded,
        Filter::Language,
        Filter::Country,
        Filter::Safe,
        Filter::OpenAccess,
        Filter::Author,
        Filter::Assignee,
        Filter::Inventor,
    ];
}

impl TimeRange {
    /// Its length in days.
    pub const fn days(self) -> i64 {
        match self {
            TimeRange::Day => 1,
            TimeRange::Week => 7,
            TimeRange::Month => 31,
            TimeRange::Year => 365,
        }
    }
}

/// One query for one provider.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The text, trimmed and without control characters.
    pub text: String,
    /// What is searched for.
    pub capability: Capability,
    /// How many results are wanted; at least one. The caller cuts what a provider sends beyond.
    pub count: usize,
    pub filters: Filters,
    /// For [`Capability::Structured`] only.
    pub structured: Option<StructuredQuery>,
}

/// The filters of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// How recent; never together with `from` or `to`.
    pub range: Option<TimeRange>,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// Only these hosts and their subdomains, in lower case.
    pub sites: Vec<String>,
    /// Not these hosts or their subdomains.
    pub excluded: Vec<String>,
    /// ISO 639-1, lower case.
    pub language: Option<String>,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: Option<String>,
    /// How much explicit content is withheld.
    pub safe: Option<SafeSearch>,
    /// Only papers that anybody can read.
    pub open_access: bool,
    /// A name among the authors.
    pub author: Option<String>,
    /// The company that holds a patent.
    pub assignee: Option<String>,
    /// A name among the inventors.
    pub inventor: Option<String>,
}

/// The kinds of page that a structured search knows, in the words of Exa, which alone offers it.
pub const CATEGORIES: &[&str] = &[
    "company",
    "people",
    "research paper",
    "news",
    "personal site",
    "financial report",
];

/// The longest text that a provider takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLimit {
    pub(crate) chars: usize,
    pub(crate) words: usize,
}

impl TextLimit {
    fn admits(self, text: &str) -> bool {
        text.chars().count() <= self.chars && text.split_whitespace().count() <= self.words
    }

    /// As many whole words as fit.
    pub(crate) fn cut(self, text: &str) -> String {
        let mut kept = String::new();
        for word in text.split_whitespace() {
            let longer = format!("{kept}{}{word}", if kept.is_empty() { "" } else { " " });
            if !self.admits(&longer) {
                break;
            }
            kept = longer;
        }
        if kept.is_empty() {
            kept = text.chars().take(self.chars).collect();
        }
        kept
    }
}

/// A text within a [`TextLimit`], and what was left out of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LimitedText {
    pub(crate) text: String,
    /// Whether words of the query were left out.
    pub(crate) is_cut: bool,
    /// Whether wanted or excluded sites were left out.
    pub(crate) lacks_sites: bool,
}

/// What a structured search asks about each page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StructuredQuery {
    /// The kind of page: one of [`CATEGORIES`].
    pub category: Option<String>,
    /// The JSON schema of the fields that are wanted.
    pub schema: Option<Value>,
}

impl Filters {
    /// Which filters are set.
    pub fn set(&self) -> Vec<Filter> {
        let set = |filter: Filter| match filter {
            Filter::TimeRange => self.range.is_some(),
            Filter::Dates => self.from.is_some() || self.to.is_some(),
            Filter::Sites => !self.sites.is_empty(),
            Filter::Excluded => !self.excluded.is_empty(),
            Filter::Language => self.language.is_some(),
            Filter::Country => self.country.is_some(),
            Filter::Safe => self.safe.is_some(),
            Filter::OpenAccess => self.open_access,
            Filter::Author => self.author.is_some(),
            Filter::Assignee => self.assignee.is_some(),
            Filter::Inventor => self.inventor.is_some(),
        };
        Filter::ALL
            .iter()
            .copied()
            .filter(|filter| set(*filter))
            .collect()
    }

    /// The first day, from either `from` or `range`.
    pub fn since(&self) -> Option<Date> {
        self.from.or_else(|| {
            self.range
                .map(|range| Date::today().days_before(range.days()))
        })
    }
}

impl SearchQuery {
    /// A query for ten results without filters.
    pub fn new(text: impl Into<String>, capability: Capability) -> SearchQuery {
        SearchQuery {
            text: text.into(),
            capability,
            count: 10,
            filters: Filters::default(),
            structured: None,
        }
    }

    /// The text with `site:` and `-site:` operators, for providers that have no parameter for
    /// sites. Several sites are joined by `OR`.
    pub fn text_with_sites(&self) -> String {
        with_operators(&self.text, &self.filters.sites, &self.filters.excluded)
    }

    /// Like [`text_with_sites`](SearchQuery::text_with_sites), for a provider that takes only so
    /// much. Sites are left out before words: results are filtered by site afterwards anyway.
    pub(crate) fn text_with_sites_within(&self, limit: TextLimit) -> LimitedText {
        let text = limit.cut(&self.text);
        let (sites, excluded) = (&self.filters.sites, &self.filters.excluded);
        let fits = |sites: &[String], excluded: &[String]| {
            limit.admits(&with_operators(&text, sites, excluded))
        };
        let wanted = (0..=sites.len())
            .rev()
            .find(|count| fits(&sites[..*count], &[]))
            .unwrap_or(0);
        let left_out = (0..=excluded.len())
            .rev()
            .find(|count| fits(&sites[..wanted], &excluded[..*count]))
            .unwrap_or(0);
        LimitedText {
            is_cut: text.split_whitespace().ne(self.text.split_whitespace()),
            lacks_sites: wanted < sites.len() || left_out < excluded.len(),
            text: with_operators(&text, &sites[..wanted], &excluded[..left_out]),
        }
    }
}

fn with_operators(text: &str, sites: &[String], excluded: &[String]) -> String {
    let mut text = text.to_owned();
    let wanted: Vec<String> = sites.iter().map(|site| format!("site:{site}")).collect();
    match wanted.as_slice() {
        [] => {}
        [site] => text = format!("{text} {site}"),
        sites => text = format!("{text} ({})", sites.join(" OR ")),
    }
    for host in excluded {
        text.push_str(" -site:");
        text.push_str(host);
    }
    text
}

impl Keyed for SearchQuery {
    fn key(&self) -> Option<String> {
        let SearchQuery {
            text,
            capability,
            count,
            filters,
            structured,
        } = self;
        Some(format!(
            "{} {count} {filters:?} {structured:?} {text}",
            capability.as_str()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_become_operators_in_the_text() {
        let mut query = SearchQuery::new("rust", Capability::Web);
        query.filters.sites = vec!["a.example".to_owned(), "b.example".to_owned()];
        query.filters.excluded = vec!["c.example".to_owned()];
        assert_eq!(
            query.text_with_sites(),
            "rust (site:a.example OR site:b.example) -site:c.example"
        );
    }

    #[test]
    fn sites_are_left_out_before_words() {
        let limit = TextLimit {
            chars: 60,
            words: 8,
        };
        let mut query = SearchQuery::new("heat pump prices", Capability::Web);
        query.filters.sites = (0..9).map(|number| format!("s{number}.example")).collect();
        let limited = query.text_with_sites_within(limit);
        assert_eq!(
            limited.text,
            "heat pump prices (site:s0.example OR site:s1.example)"
        );
        assert!(limited.lacks_sites && !limited.is_cut);
        query.filters.sites.clear();
        assert_eq!(query.text_with_sites_within(limit).text, query.text);
        query.text = "word ".repeat(30).trim().to_owned();
        let limited = query.text_with_sites_within(limit);
        assert!(limited.is_cut && !limited.lacks_sites);
        assert_eq!(limited.text.split(' ').count(), 8);
    }

    #[test]
    fn every_filter_is_reported_when_it_is_set() {
        let day = Date::from_ymd(2024, 5, 3);
        let filters = Filters {
            range: Some(TimeRange::Week),
            from: day,
            to: day,
            sites: vec!["a.example".to_owned()],
            excluded: vec!["b.example".to_owned()],
            language: Some("en".to_owned()),
            country: Some("us".to_owned()),
            safe: Some(SafeSearch::Strict),
            open_access: true,
            author: Some("Curie".to_owned()),
            assignee: Some("Acme".to_owned()),
            inventor: Some("Tesla".to_owned()),
        };
        assert_eq!(filters.set(), Filter::ALL);
        assert!(Filters::default().set().is_empty());
    }
}
