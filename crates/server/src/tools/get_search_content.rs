//! Reads one item of an earlier answer, selected by index, query or address, in parts.

use engine::research::{Excerpt, Selected, Selector};
use fault::{Case, Fault, FieldName, Issue, NextCall, Origin, Problem, Say, Surface, ToolName};
use serde_json::{Map, Value, json};

use super::{Annotations, Answer, Call, Checking, Output, PageText, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};

const PARAMS: &[Param; 8] = &[
    Param {
        name: "responseId",
        about: "Id from an earlier answer",
        shape: Shape::Text {
            max_chars: u64::MAX,
        },
        required: true,
        example: "\"res_1794730000000_abc\"",
    },
    place("index", "Which item, from 0"),
    place("queryIndex", "Which query, from 0"),
    place("urlIndex", "Which page, from 0"),
    Param {
        name: "query",
        about: "Or the query itself",
        shape: Shape::Text {
            max_chars: u64::MAX,
        },
        required: false,
        example: "\"rust\"",
    },
    Param {
        name: "url",
        about: "Or the address itself",
        shape: Shape::Text {
            max_chars: u64::MAX,
        },
        required: false,
        example: "\"https://example.com/a\"",
    },
    super::page::CURSOR,
    super::page::MAX_CHARS,
];

const fn place(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::Integer {
            min: 0,
            max: i64::MAX,
            default: None,
        },
        required: false,
        example: "0",
    }
}

pub(super) const TOOL: Tool = Tool {
    name: "get_search_content",
    title: "Read a stored answer",
    about: "Read an earlier answer by its responseId: one query or page, in parts.",
    toolsets: &[Toolset::Research, Toolset::Web],
    surface: Surface::Stored,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| {
        Box::pin(async move {
            match args.text("responseId") {
                Some(_) => select(checking, args).await.map(drop),
                None => Ok(()),
            }
        })
    }),
    output: Output::Unstructured,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let checking = Checking {
        services: call.services,
        tenant: call.tenant,
    };
    let excerpt = select(checking, &args).await?;
    Ok(Answer::Page(page_text(excerpt)))
}

/// The part of the stored answer that the arguments select.
async fn select(checking: Checking<'_>, args: &Args) -> Result<Excerpt, Fault> {
    let id = args.text("responseId").unwrap_or_default();
    let count = |name: &str| {
        args.integer(name)
            .and_then(|number| u64::try_from(number).ok())
    };
    let most = count("max_chars")
        .and_then(|most| usize::try_from(most).ok())
        .unwrap_or(30_000);
    let selectors = selectors(args);
    let offset = count("cursor").unwrap_or_default();
    let Checking { services, tenant } = checking;
    let pick = async |selector, offset, most| {
        let picked = services.responses.pick(tenant, id, selector, offset, most);
        let unknown = |fault: Fault| fault.parameter(FieldName::new("responseId"));
        picked.await.map_err(unknown)
    };
    let mut selected = pick(selectors.first(), offset, most).await?;
    for other in selectors.iter().skip(1) {
        selected = both(selected, pick(Some(other), 0, 1).await?);
    }
    match selected {
        Selected::Found(excerpt) if excerpt.offset > 0 && excerpt.text.is_empty() => {
            Err(past_the_end(&excerpt, args))
        }
        Selected::Found(excerpt) => Ok(excerpt),
        Selected::Miss(valid) => {
            let fault = Fault::new(Case::StoredItem, Origin::Local)
                .saying(Say::new("No such stored item."))
                .parameter(FieldName::new(selectors.first().map_or("index", parameter)))
                .advising(listed(&valid));
            Err(suggest(fault, args, id, &valid))
        }
        Selected::WrongItemKind(valid) => {
            let says = Say::new("does not fit this answer.").then(listed(&valid));
            let wrong = Problem::new(wrong_selector(&selectors, &valid), Issue::Says(says));
            Err(suggest(Fault::arguments(vec![wrong]), args, id, &valid))
        }
    }
}

/// The fault for a cursor past the end of the text; an empty answer would hide the mistake.
fn past_the_end(excerpt: &Excerpt, args: &Args) -> Fault {
    let field = FieldName::new(super::page::CURSOR.name);
    let last = excerpt.item.characters.saturating_sub(1);
    let max = i64::try_from(last).unwrap_or(i64::MAX);
    let problems = vec![
        Problem::new(field, Issue::Says(Say::new("is past the end of the text"))),
        Problem::new(field, Issue::OutOfRange { min: 0, max }),
    ];
    let mut arguments = args.as_map().clone();
    arguments.remove(super::page::CURSOR.name);
    Fault::arguments(problems).next_call(NextCall::new(ToolName::new(TOOL.name), arguments))
}

/// The parameter that selects pages in a stored search, or queries in stored pages.
fn wrong_selector(given: &[Selector], valid: &[Selector]) -> FieldName {
    let is_of_pages = |selector: &Selector| match selector {
        Selector::UrlIndex(_) | Selector::Url(_) => Some(true),
        Selector::QueryIndex(_) | Selector::Query(_) => Some(false),
        Selector::Index(_) => None,
    };
    let has_pages = valid.first().and_then(is_of_pages);
    let mut given = given.iter();
    let wrong = given.find(|it| is_of_pages(it).is_some_and(|pages| Some(pages) != has_pages));
    FieldName::new(wrong.map_or("index", parameter))
}

const fn parameter(selector: &Selector) -> &'static str {
    match selector {
        Selector::Index(_) => "index",
        Selector::QueryIndex(_) => "queryIndex",
        Selector::UrlIndex(_) => "urlIndex",
        Selector::Query(_) => "query",
        Selector::Url(_) => "url",
    }
}

/// Adds a call for each selector that matches an item. The caller's other options are kept; the
/// cursor belongs to the item that was not found.
fn suggest(fault: Fault, args: &Args, id: &str, valid: &[Selector]) -> Fault {
    let calls = valid.iter().map(|way| choosing(id, way, args));
    calls.fold(fault, Fault::next_call)
}

/// The first selectors that match an item, by their index, for dialects that show only a sentence.
/// The next calls have the queries and addresses.
fn listed(valid: &[Selector]) -> Say {
    const QUERIES: [&str; 5] = [
        "Use queryIndex 0.",
        "Use queryIndex 0 or 1.",
        "Use queryIndex 0, 1 or 2.",
        "Use queryIndex 0, 1, 2 or 3.",
        "Use queryIndex 0, 1, 2, 3 or 4.",
    ];
    const PAGES: [&str; 5] = [
        "Use urlIndex 0.",
        "Use urlIndex 0 or 1.",
        "Use urlIndex 0, 1 or 2.",
        "Use urlIndex 0, 1, 2 or 3.",
        "Use urlIndex 0, 1, 2, 3 or 4.",
    ];
    let sentences = match valid.first() {
        // Two selectors that name different items.
        Some(Selector::Index(_)) => return Say::new("Use one of the selectors alone."),
        Some(Selector::Url(_)) => PAGES,
        _ => QUERIES,
    };
    let last = valid.len().clamp(1, sentences.len()) - 1;
    Say::new(sentences[last])
}

/// The selectors in the arguments.
fn selectors(args: &Args) -> Vec<Selector> {
    let count = |name: &str| {
        args.integer(name)
            .and_then(|number| u64::try_from(number).ok())
    };
    let ways = [
        count("index").map(Selector::Index),
        count("queryIndex").map(Selector::QueryIndex),
        count("urlIndex").map(Selector::UrlIndex),
        args.text("query")
            .map(|query| Selector::Query(query.to_owned())),
        args.text("url").map(|url| Selector::Url(url.to_owned())),
    ];
    ways.into_iter().flatten().collect()
}

/// What two selectors select together: the item that both name, or no item.
fn both(first: Selected, second: Selected) -> Selected {
    match (first, second) {
        (Selected::Found(first), Selected::Found(second)) if first.index != second.index => {
            let ways = [first.index, second.index].map(Selector::Index);
            Selected::Miss(ways.to_vec())
        }
        (first @ Selected::Found(_), Selected::Found(_)) => first,
        (Selected::Found(_), other) | (other, _) => other,
    }
}

/// A call with a selector that matches an item.
fn choosing(id: &str, way: &Selector, args: &Args) -> NextCall {
    let value = match way {
        Selector::Index(index) | Selector::QueryIndex(index) | Selector::UrlIndex(index) => {
            json!(index)
        }
        Selector::Query(name) | Selector::Url(name) => json!(name),
    };
    let mut arguments = Map::from_iter([
        ("responseId".to_owned(), Value::from(id)),
        (parameter(way).to_owned(), value),
    ]);
    let most = super::page::MAX_CHARS;
    let is_default =
        matches!(most.shape, Shape::Integer { default, .. } if default == args.integer(most.name));
    if !is_default && let Some(chosen) = args.integer(most.name) {
        arguments.insert(most.name.to_owned(), Value::from(chosen));
    }
    NextCall::new(ToolName::new(TOOL.name), arguments)
}

fn page_text(excerpt: Excerpt) -> PageText {
    let item = excerpt.item;
    let notice = match excerpt.cursor {
        Some(cursor) => Some(format!(
            "[truncated: characters {} to {cursor} of {}; read on with cursor={cursor}]",
            excerpt.offset, item.characters
        )),
        None => item
            .truncated
            .then(|| "[truncated: the text was longer than what is kept]".to_owned()),
    };
    PageText {
        source: item.name,
        metadata: item
            .title
            .into_iter()
            .map(|title| ("Title", title))
            .collect(),
        body: excerpt.text,
        truncated: notice.is_some(),
        notice,
        cursor: excerpt
            .cursor
            .and_then(|cursor| usize::try_from(cursor).ok()),
        response_id: None,
        has_ocr: false,
    }
}
