//! The features of a page, which all its blocks share.

use std::collections::HashSet;

use super::blocks::PageLayout;
use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
use super::metadata::PageInfo;
use super::roles;

/// Kinds of pages that JSON-LD names.
const KINDS: &[(&str, &[&str])] = &[
    (
        "article",
        &[
            "article",
            "newsarticle",
            "blogposting",
            "techarticle",
            "report",
            "reportagenewsarticle",
        ],
    ),
    (
        "product",
        &["product", "productgroup", "offer", "individualproduct"],
    ),
    (
        "list",
        &[
            "itemlist",
            "collectionpage",
            "offercatalog",
            "searchresultspage",
        ],
    ),
    ("forum", &["discussionforumposting", "qapage", "question"]),
    (
        "service",
        &[
            "service",
            "localbusiness",
            "organization",
            "faqpage",
            "course",
            "professionalservice",
        ],
    ),
];

/// Words of an address that tell what kind of page it leads to.
const PATHS: &[(&str, &[&str])] = &[
    (
        "forum",
        &[
            "forum",
            "forums",
            "thread",
            "threads",
            "topic",
            "t",
            "questions",
            "community",
            "viewtopic",
            "showthread",
            "discussion",
            "discussions",
            "r",
            "comments",
        ],
    ),
    (
        "docs",
        &[
            "docs",
            "doc",
            "documentation",
            "guide",
            "guides",
            "manual",
            "reference",
            "api",
            "tutorial",
            "userguide",
            "wiki",
            "help",
            "learn",
            "html",
            "en",
            "latest",
            "stable",
        ],
    ),
    (
        "product",
        &[
            "product", "products", "p", "dp", "item", "shop", "buy", "itm", "pd",
        ],
    ),
    (
        "collection",
        &[
            "collection",
            "collections",
            "category",
            "categories",
            "c",
            "catalog",
            "browse",
            "brand",
            "topic",
            "topics",
            "tag",
            "brands",
        ],
    ),
    (
        "listing",
        &[
            "news",
            "blog",
            "events",
            "jobs",
            "press",
            "articles",
            "stories",
            "archive",
            "insights",
            "resources",
            "careers",
        ],
    ),
    (
        "service",
        &[
            "services",
            "service",
            "solutions",
            "about",
            "pricing",
            "features",
            "courses",
            "insurance",
            "consulting",
        ],
    ),
];

const PAGE: &[&str] = &[
    "page_chars",
    "page_blocks",
    "page_links",
    "page_prose",
    "page_mean_prose",
    "page_articles",
    "page_h1",
    "page_json_body",
    "page_og_article",
    "page_og_product",
    "page_path_depth",
    "page_path_digits",
    "page_path_words",
    "page_code",
    "page_tables",
    "page_items",
    "page_headings",
    "page_forms",
    "page_top_share",
    "page_focus_share",
    "page_main_share",
    "page_prices",
];

/// The share of the page's text in the elements that hold most of its prose.
pub(super) struct Shares {
    pub(super) top: f32,
    pub(super) focus: f32,
    /// Characters of the whole page, at least one.
    pub(super) total: f32,
}

/// The names of the features, in order.
pub(super) fn names() -> impl Iterator<Item = String> {
    let kinds = KINDS.iter().map(|(it, _)| format!("page_kind_{it}"));
    let paths = PATHS.iter().map(|(it, _)| format!("page_path_{it}"));
    PAGE.iter()
        .map(|it| (*it).to_owned())
        .chain(kinds)
        .chain(paths)
}

/// The features, in the order of [`names`].
pub(super) fn numbers(
    tree: &HtmlTree,
    page: &PageLayout,
    info: &PageInfo,
    url: &str,
    shares: Shares,
) -> Vec<f32> {
    let address = url::Url::parse(url).ok();
    let path: Vec<&str> = address
        .iter()
        .flat_map(|it| it.path().split('/'))
        .filter(|it| !it.is_empty())
        .collect();
    let mut numbers = text_numbers(tree, page, info, &shares);
    numbers.extend(path_numbers(&path));
    numbers.extend(element_numbers(tree, page, &shares));
    numbers.push(count_prices(tree, page) as f32);
    numbers.extend(
        KINDS
            .iter()
            .map(|(_, kinds)| flag(info.types.iter().any(|it| kinds.contains(&it.as_str())))),
    );
    numbers.extend(kinds_of_path(&path));
    numbers
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// How much text of which kind there is, and what the page declares.
fn text_numbers(tree: &HtmlTree, page: &PageLayout, info: &PageInfo, shares: &Shares) -> Vec<f32> {
    let root = page.sums[ROOT as usize];
    let prose = page.blocks.iter().filter(|it| it.is_prose());
    let (chars, blocks) = prose.fold((0u32, 0usize), |sums, it| (sums.0 + it.chars, sums.1 + 1));
    vec![
        root.chars as f32,
        page.blocks.len() as f32,
        root.linked as f32 / shares.total,
        root.prose as f32 / shares.total,
        chars as f32 / blocks.max(1) as f32,
        elements_with(page, roles::ARTICLE_TAG).len() as f32,
        count_blocks(tree, page, &["h1"]),
        info.article_body.len() as f32,
        flag(info.og_type.contains("article")),
        flag(info.og_type.contains("product")),
    ]
}

/// How deep the address is, and what its last segment looks like.
fn path_numbers(path: &[&str]) -> [f32; 3] {
    let last = path.last().copied().unwrap_or_default();
    [
        path.len() as f32,
        last.bytes().filter(u8::is_ascii_digit).count() as f32,
        last.split(['-', '_']).count() as f32,
    ]
}

/// How many elements of which kind there are, and how much of the page the main ones hold.
fn element_numbers(tree: &HtmlTree, page: &PageLayout, shares: &Shares) -> [f32; 8] {
    let mut mains = page.nearest.iter().map(|it| it[roles::MAIN_TAG]);
    let main = mains.find(|it| *it != NONE);
    [
        count_blocks(tree, page, &["pre"]),
        count_blocks(tree, page, &["td", "th"]),
        count_blocks(tree, page, &["li"]),
        count_blocks(tree, page, &["h2", "h3", "h4"]),
        elements_with(page, roles::FORM_TAG).len() as f32,
        shares.top,
        shares.focus,
        main.map_or(-1.0, |it| {
            page.sums[it as usize].chars as f32 / shares.total
        }),
    ]
}

/// How many blocks have one of these elements.
fn count_blocks(tree: &HtmlTree, page: &PageLayout, names: &[&str]) -> f32 {
    let blocks = page.blocks.iter();
    blocks
        .filter(|it| names.contains(&tree.name(it.element)))
        .count() as f32
}

/// The elements with a role that have text below.
fn elements_with(page: &PageLayout, role: usize) -> HashSet<NodeId> {
    let nearest = page.nearest.iter().map(|it| it[role]);
    nearest.filter(|it| *it != NONE).collect()
}

/// How many short blocks show a price.
fn count_prices(tree: &HtmlTree, page: &PageLayout) -> usize {
    let short = page
        .blocks
        .iter()
        .filter(|it| it.chars < 40 && it.digits > 0);
    short
        .filter(|it| page.text_of(tree, it).contains(['$', '€', '£', '₹', '¥']))
        .count()
}

fn kinds_of_path(path: &[&str]) -> impl Iterator<Item = f32> {
    let words: Vec<String> = path
        .iter()
        .map(|it| {
            it.split('.')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase()
        })
        .collect();
    PATHS
        .iter()
        .map(move |(_, names)| flag(words.iter().any(|it| names.contains(&it.as_str()))))
}
