//! The parameters of the live tools, and the query that the arguments make.

use engine::live::{AnalysisMode, LiveKind, LiveQuery};
use engine::search::Date;
use fault::characters::is_unprintable;
use fault::{Fault, FieldName, Issue, Problem, Say};
use net::guard::DomainRule;

use super::same_search;
use crate::params::{Args, Param, Shape};

/// The longest query, in characters.
const MAX_QUERY_CHARS: u64 = 1_000;

/// How many results there are at most if nobody says so.
pub(super) const DEFAULT_RESULTS: usize = 10;

/// What xAI takes at most.
const MAX_HANDLES: u64 = 20;
const MAX_DOMAINS: u64 = 5;

pub(in crate::tools) const QUERY: Param = Param {
    name: "query",
    about: "What to search for",
    shape: Shape::Text {
        max_chars: MAX_QUERY_CHARS,
    },
    required: true,
    example: "\"latest AI developments\"",
};

pub(in crate::tools) const SEARCH_TYPE: Param = Param {
    name: "search_type",
    about: "What to search; general is all of it",
    shape: Shape::Choice {
        allowed: &const { kinds() },
        default: Some(LiveKind::Web.as_str()),
    },
    required: false,
    example: "\"news\"",
};

pub(in crate::tools) const ANALYSIS_MODE: Param = Param {
    name: "analysis_mode",
    about: "basic: a list of results; comprehensive: findings, timeline, quotes and views as well, which takes longer",
    shape: Shape::Choice {
        allowed: &const { modes() },
        default: Some(AnalysisMode::Basic.as_str()),
    },
    required: false,
    example: "\"basic\"",
};

pub(in crate::tools) const MAX_RESULTS: Param = Param {
    name: "max_results",
    about: "Most results",
    shape: Shape::Integer {
        min: 1,
        max: 20,
        default: Some(DEFAULT_RESULTS as i64),
    },
    required: false,
    example: "5",
};

pub(in crate::tools) const FROM_DATE: Param =
    date_param("from_date", "First day", "\"2026-01-31\"");
pub(in crate::tools) const TO_DATE: Param = date_param("to_date", "Last day", "\"2026-12-31\"");

const fn date_param(name: &'static str, about: &'static str, example: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::Date,
        required: false,
        example,
    }
}

pub(in crate::tools) const HANDLES: Param =
    handles_param("handles", "Only posts of these X accounts");
pub(in crate::tools) const EXCLUDED_HANDLES: Param =
    handles_param("excluded_handles", "No posts of these; handles override it");

const fn handles_param(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::List {
            of: &Shape::Account,
            max: MAX_HANDLES,
        },
        required: false,
        example: "[\"rustlang\"]",
    }
}

pub(in crate::tools) const DOMAINS: Param =
    domains_param("allowed_domains", "Only pages of these sites");
pub(in crate::tools) const EXCLUDED_DOMAINS: Param = domains_param(
    "excluded_domains",
    "No pages of these; allowed_domains overrides it",
);

const fn domains_param(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::List {
            of: &Shape::HostName,
            max: MAX_DOMAINS,
        },
        required: false,
        example: "[\"example.com\"]",
    }
}

const fn kinds() -> [&'static str; LiveKind::ALL.len()] {
    let mut words = [""; LiveKind::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = LiveKind::ALL[index].as_str();
        index += 1;
    }
    words
}

const fn modes() -> [&'static str; AnalysisMode::ALL.len()] {
    let mut words = [""; AnalysisMode::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = AnalysisMode::ALL[index].as_str();
        index += 1;
    }
    words
}

/// Finds the mistakes in the arguments of a tool that searches this.
pub(in crate::tools) fn check(args: &Args, kind: Option<LiveKind>) -> Result<(), Fault> {
    query(args, kind).map(|_| ())
}

/// The query that the arguments make, or every mistake in them as one fault.
pub(super) fn query(args: &Args, kind: Option<LiveKind>) -> Result<LiveQuery, Fault> {
    let mut mistakes = Mistakes::default();
    let text = args.text(QUERY.name).unwrap_or_default();
    let day = |param: &Param| args.text(param.name).and_then(Date::parse);
    let query = LiveQuery {
        text: visible(text),
        kind: kind.unwrap_or_else(|| kind_of(args)),
        mode: mode_of(args),
        count: args
            .integer(MAX_RESULTS.name)
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(DEFAULT_RESULTS),
        from: day(&FROM_DATE),
        to: day(&TO_DATE),
        handles: accounts(args, &HANDLES),
        excluded_handles: accounts(args, &EXCLUDED_HANDLES),
        domains: mistakes.domains(args, &DOMAINS),
        excluded_domains: mistakes.domains(args, &EXCLUDED_DOMAINS),
    };
    if query.text.is_empty() {
        mistakes.add(&QUERY, Issue::Blank);
    }
    if let (Some(from), Some(to)) = (query.from, query.to)
        && from > to
    {
        let other = FieldName::new(TO_DATE.name);
        mistakes.add(&FROM_DATE, Issue::NotBefore { other });
    }
    let is_understood = mistakes.0.is_empty();
    mistakes.misplaced_filters(&query);
    if mistakes.0.is_empty() {
        return Ok(query);
    }
    let fault = Fault::arguments(mistakes.0);
    if is_understood {
        let kind = kind_with_filters(&query);
        return Err(fault.next_call(same_search::with_kind(&query, kind)));
    }
    Err(fault)
}

/// What must be searched for the filters to have an effect. Who names accounts wants their posts.
fn kind_with_filters(query: &LiveQuery) -> LiveKind {
    match query.domains.is_empty() && query.excluded_domains.is_empty() {
        true => LiveKind::Posts,
        false => LiveKind::General,
    }
}

/// The text without characters that nobody sees.
fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text
        .chars()
        .map(shown)
        .filter(|c| !is_unprintable(*c))
        .collect();
    text.trim().to_owned()
}

fn kind_of(args: &Args) -> LiveKind {
    let word = args.text(SEARCH_TYPE.name);
    let kinds = LiveKind::ALL.into_iter();
    let mut named = kinds.filter(|kind| Some(kind.as_str()) == word);
    named.next().unwrap_or(LiveKind::Web)
}

fn mode_of(args: &Args) -> AnalysisMode {
    let word = args.text(ANALYSIS_MODE.name);
    let modes = AnalysisMode::ALL.into_iter();
    let mut named = modes.filter(|mode| Some(mode.as_str()) == word);
    named.next().unwrap_or(AnalysisMode::Basic)
}

/// The accounts of a list, each once.
fn accounts(args: &Args, param: &Param) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in args.texts(param.name) {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            names.push(name.to_owned());
        }
    }
    names
}

fn domain(text: &str) -> Option<String> {
    let name = text.trim().to_ascii_lowercase();
    name.parse::<DomainRule>().is_ok().then_some(name)
}

const ONLY_POSTS: Say = Say::new(
    "filters only posts on X: set search_type to twitter or general, or leave this filter out",
);
const ONLY_PAGES: Say = Say::new(
    "filters only pages: set search_type to web, news or general, or leave this filter out",
);

#[derive(Default)]
struct Mistakes(Vec<Problem>);

impl Mistakes {
    fn add(&mut self, param: &Param, issue: Issue) {
        let problem = Problem::new(FieldName::new(param.name), issue).example(param.example);
        self.0.push(problem);
    }

    /// The domains of a list; a list with something else in it is one mistake.
    fn domains(&mut self, args: &Args, param: &Param) -> Vec<String> {
        let domains: Option<Vec<String>> = args.texts(param.name).into_iter().map(domain).collect();
        if domains.is_none() {
            let expected = "must be domains, without scheme, port or path";
            self.add(param, Issue::Says(Say::new(expected)));
        }
        domains.unwrap_or_default()
    }

    /// Filters of something that is not searched. They would have no effect, and the results would
    /// look as if they had.
    fn misplaced_filters(&mut self, query: &LiveQuery) {
        let (posts, pages) = (query.kind.has_posts(), query.kind.has_web());
        let rows = [
            (&HANDLES, &query.handles, posts, ONLY_POSTS),
            (
                &EXCLUDED_HANDLES,
                &query.excluded_handles,
                posts,
                ONLY_POSTS,
            ),
            (&DOMAINS, &query.domains, pages, ONLY_PAGES),
            (
                &EXCLUDED_DOMAINS,
                &query.excluded_domains,
                pages,
                ONLY_PAGES,
            ),
        ];
        for (param, list, is_searched, says) in rows {
            if !is_searched && !list.is_empty() {
                let field = FieldName::new(param.name);
                self.0.push(Problem::new(field, Issue::Says(says)));
            }
        }
    }
}
