//! The parameters of the search tools, and the request that their arguments make.

use engine::search::{
    Capability, MAX_QUERIES, MAX_QUERY_CHARS, MAX_SITES, ProviderChoice, SafeSearch, SearchRequest,
    TimeRange,
};
use serde_json::Value;

use crate::params::{Args, Param, Shape};

pub(in crate::tools) const QUERY: Param = Param {
    name: "query",
    about: "What to search for",
    shape: Shape::Text {
        max_chars: MAX_QUERY_CHARS as u64,
    },
    required: false,
    example: "\"rust async runtime comparison\"",
};

pub(in crate::tools) const QUERIES: Param = Param {
    name: "queries",
    about: "More searches",
    shape: Shape::List {
        of: &Shape::Text {
            max_chars: MAX_QUERY_CHARS as u64,
        },
        max: MAX_QUERIES as u64,
    },
    required: false,
    example: "[\"tokio scheduler\", \"smol executor\"]",
};

pub(in crate::tools) const PROVIDER: Param = Param {
    name: "provider",
    about: "auto, or ids with commas",
    shape: Shape::Text {
        max_chars: u64::MAX,
    },
    required: false,
    example: "\"auto\"",
};

pub(in crate::tools) const MAX_RESULTS: Param = Param {
    name: "max_results",
    about: "Per query",
    shape: Shape::Integer {
        min: 1,
        max: engine::search::MAX_RESULTS,
        default: Some(10),
    },
    required: false,
    example: "10",
};

pub(in crate::tools) const TIME_RANGE: Param = Param {
    name: "time_range",
    about: "How recent; dates override it",
    shape: Shape::Choice {
        allowed: TimeRange::WORDS,
        default: None,
    },
    required: false,
    example: "\"month\"",
};

pub(in crate::tools) const FROM_DATE: Param =
    date_param("from_date", "First day", "\"2024-01-31\"");
pub(in crate::tools) const TO_DATE: Param = date_param("to_date", "Last day", "\"2024-12-31\"");

const fn date_param(name: &'static str, about: &'static str, example: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::Period,
        required: false,
        example,
    }
}

pub(in crate::tools) const SITES: Param = sites_param("sites", "Only these sites", "[\"docs.rs\"]");
pub(in crate::tools) const EXCLUDE: Param =
    sites_param("exclude", "Not these sites", "[\"pinterest.com\"]");

const fn sites_param(name: &'static str, about: &'static str, example: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::List {
            of: &Shape::HostName,
            max: MAX_SITES as u64,
        },
        required: false,
        example,
    }
}

pub(in crate::tools) const LANGUAGE: Param = Param {
    shape: Shape::TwoLetters,
    ..text_param("language", "Two letters", "\"en\"")
};
pub(in crate::tools) const COUNTRY: Param = Param {
    shape: Shape::TwoLetters,
    ..text_param("country", "Two letters", "\"us\"")
};
pub(in crate::tools) const LENS: Param = Param {
    shape: Shape::Listed {
        known: engine::search::CURATED_LENSES,
    },
    ..text_param(
        "lens",
        "Curated sites; sites override it",
        "\"programming\"",
    )
};

pub(in crate::tools) const fn text_param(
    name: &'static str,
    about: &'static str,
    example: &'static str,
) -> Param {
    Param {
        name,
        about,
        shape: Shape::Text { max_chars: 200 },
        required: false,
        example,
    }
}

pub(in crate::tools) const SAFE: Param = Param {
    name: "safe",
    about: "Safe search",
    shape: Shape::Choice {
        allowed: SafeSearch::WORDS,
        default: None,
    },
    required: false,
    example: "\"moderate\"",
};

/// The query for everything of an assignee or inventor.
const ANY_QUERY: &str = "*";

/// The request that the arguments make. [`Search::plan`](engine::Search::plan) checks it.
pub(in crate::tools) fn request(args: &Args, capability: Capability) -> SearchRequest {
    let text = |name: &str| args.text(name).map(str::to_owned);
    let texts = |name: &str| {
        args.texts(name)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    // What is more exact holds, as the descriptions of the parameters say.
    let has_dates = args.text("from_date").or(args.text("to_date")).is_some();
    let has_sites = !args.list("sites").is_empty();
    let mut queries: Vec<String> = text("query").into_iter().collect();
    queries.extend(
        texts("queries")
            .into_iter()
            .filter(|query| Some(query.as_str()) != args.text("query")),
    );
    // A patent can be searched by its holder or inventor alone; the schema requires a query.
    if args.text("assignee").or(args.text("inventor")).is_some() {
        queries.retain(|query| query.trim() != ANY_QUERY);
    }
    SearchRequest {
        queries,
        capability,
        provider: choice(args.text("provider")),
        max_results: args.integer("max_results").unwrap_or(10),
        time_range: args
            .text("time_range")
            .filter(|_| !has_dates)
            .and_then(TimeRange::parse),
        from_date: text("from_date"),
        to_date: text("to_date"),
        sites: texts("sites"),
        exclude: texts("exclude"),
        language: text("language"),
        country: text("country"),
        safe: args.text("safe").and_then(SafeSearch::parse),
        lens: text("lens").filter(|_| !has_sites),
        open_access: args.flag("open_access"),
        author: text("author"),
        assignee: text("assignee"),
        inventor: text("inventor"),
        category: text("category"),
        schema: args.object("schema").cloned().map(Value::Object),
    }
}

/// `auto`, one id, or several ids separated by commas.
pub(crate) fn choice(provider: Option<&str>) -> ProviderChoice {
    let ids: Vec<String> = provider
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect();
    match ids.as_slice() {
        [] => ProviderChoice::Auto,
        [one] => ProviderChoice::One(one.clone()),
        _ => ProviderChoice::Several(ids),
    }
}

/// A text as a query: one line of whole words, of the length that a search takes.
pub(in crate::tools) fn as_query(text: &str) -> String {
    let mut query = String::new();
    for word in text.split_whitespace() {
        let length = query.chars().count() + 1 + word.chars().count();
        if length > MAX_QUERY_CHARS {
            break;
        }
        if !query.is_empty() {
            query.push(' ');
        }
        query.push_str(word);
    }
    if query.is_empty() {
        query = text.trim().chars().take(MAX_QUERY_CHARS).collect();
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_a_query_of_whole_words() {
        assert_eq!(as_query("What\n is  it?"), "What is it?");
        let long = as_query(&"wort ".repeat(1_000));
        assert!(long.chars().count() <= MAX_QUERY_CHARS && long.ends_with("wort"));
        assert_eq!(
            as_query(&"語".repeat(5_000)).chars().count(),
            MAX_QUERY_CHARS
        );
    }
}
