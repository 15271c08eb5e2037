//! What a provider is asked. Everything here has been checked: a provider never judges input again.

use serde_json::Value;

use super::date::Date;
use crate::layer::Keyed;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Their words, for a list of what is allowed.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The one of this word, in any case.
            pub fn of(word: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|it| it.as_str().eq_ignore_ascii_case(word))
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
        /// Papers.
        Academic = "academic",
        /// Patents and applications.
        Patents = "patents",
        /// Pages of a category, with fields by a schema.
        Structured = "structured",
    }
}

words! {
    /// How recent.
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
    /// How much is withheld from children.
    Safe {
        /// Nothing.
        Off = "off",
        /// The explicit.
        Moderate = "moderate",
        /// Whatever may be.
        Strict = "strict",
    }
}

words! {
    /// A wish that narrows a search. A provider lists those it honours; the others are told as
    /// degraded.
    Filter {
        /// [`Filters::range`].
        TimeRange = "time_range",
        /// [`Filters::from`] and [`Filters::to`].
        Dates = "dates",
        /// [`Filters::sites`].
        Sites = "sites",
        /// [`Filters::excluded`].
        Excluded = "exclude",
        /// [`Filters::language`].
        Language = "language",
        /// [`Filters::country`].
        Country = "country",
        /// [`Filters::safe`].
        Safe = "safe",
        /// [`Filters::open_access`].
        OpenAccess = "open_access",
        /// [`Filters::author`].
        Author = "author",
        /// [`Filters::assignee`].
        Assignee = "assignee",
        /// [`Filters::inventor`].
        Inventor = "inventor",
    }
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

/// One question to one provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The words, trimmed, without controls.
    pub text: String,
    /// What is searched for.
    pub capability: Capability,
    /// How many results are wanted: at least one; the caller cuts what a provider sends beyond.
    pub count: usize,
    /// What narrows it.
    pub filters: Filters,
    /// For [`Capability::Structured`] only.
    pub structured: Option<Structured>,
}

/// What narrows a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// How recent; never together with `from` or `to`.
    pub range: Option<TimeRange>,
    /// The first day, whole.
    pub from: Option<Date>,
    /// The last day, whole.
    pub to: Option<Date>,
    /// Only these hosts and what is below them, lower case.
    pub sites: Vec<String>,
    /// Not these hosts.
    pub excluded: Vec<String>,
    /// ISO 639-1, lower case.
    pub language: Option<String>,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: Option<String>,
    /// How much is withheld from children.
    pub safe: Option<Safe>,
    /// Only papers that anybody can read.
    pub open_access: bool,
    /// A name among the authors.
    pub author: Option<String>,
    /// The company that holds a patent.
    pub assignee: Option<String>,
    /// A name among the inventors.
    pub inventor: Option<String>,
}

/// What a structured search wants to know of each page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Structured {
    /// The kind of page, in the provider's words.
    pub category: Option<String>,
    /// The JSON schema of the fields that are wanted.
    pub schema: Option<Value>,
}

impl Filters {
    /// The filters that are set.
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

    /// The first day wanted, whether it was given as a day or as a range up to today.
    pub fn since(&self) -> Option<Date> {
        self.from.or_else(|| {
            self.range
                .map(|range| Date::today().days_before(range.days()))
        })
    }
}

impl Ask {
    /// A plain question.
    pub fn new(text: impl Into<String>, capability: Capability) -> Ask {
        Ask {
            text: text.into(),
            capability,
            count: 10,
            filters: Filters::default(),
            structured: None,
        }
    }

    /// The words with `site:` and `-site:` for providers that know these operators and have no
    /// parameter for them. Several sites are joined by `OR`.
    pub fn text_with_sites(&self) -> String {
        let mut text = self.text.clone();
        let sites: Vec<String> = self
            .filters
            .sites
            .iter()
            .map(|site| format!("site:{site}"))
            .collect();
        match sites.as_slice() {
            [] => {}
            [site] => text = format!("{text} {site}"),
            sites => text = format!("{text} ({})", sites.join(" OR ")),
        }
        for host in &self.filters.excluded {
            text.push_str(" -site:");
            text.push_str(host);
        }
        text
    }
}

impl Keyed for Ask {
    fn key(&self) -> Option<String> {
        let Ask {
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
    fn sites_become_operators() {
        let mut ask = Ask::new("rust", Capability::Web);
        ask.filters.sites = vec!["a.example".to_owned(), "b.example".to_owned()];
        ask.filters.excluded = vec!["c.example".to_owned()];
        assert_eq!(
            ask.text_with_sites(),
            "rust (site:a.example OR site:b.example) -site:c.example"
        );
    }

    #[test]
    fn every_filter_can_be_set() {
        let day = Date::of(2024, 5, 3);
        let filters = Filters {
            range: Some(TimeRange::Week),
            from: day,
            to: day,
            sites: vec!["a.example".to_owned()],
            excluded: vec!["b.example".to_owned()],
            language: Some("en".to_owned()),
            country: Some("us".to_owned()),
            safe: Some(Safe::Strict),
            open_access: true,
            author: Some("Curie".to_owned()),
            assignee: Some("Acme".to_owned()),
            inventor: Some("Tesla".to_owned()),
        };
        assert_eq!(filters.set(), Filter::ALL);
        assert!(Filters::default().set().is_empty());
    }
}
