//! A block as numbers for the model: its text, its place, its surroundings, its page.
//!
//! `names()` lists them in order; the training script under `benches/extraction` reads that list,
//! so a feature is added here and nowhere else.

use std::collections::{HashMap, HashSet};

use super::blocks::{Block, Page};
use super::groups;
use super::hints::{self, ROLES};
use super::metadata::{Facts, squeezed};
use super::phrases;
use super::tree::{Id, NONE, ROOT, Tree};

/// The numbers of one block.
type Row = Vec<f32>;

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

const NEIGHBOURS: [isize; 6] = [-3, -2, -1, 1, 2, 3];
const LEVELS: usize = 5;

/// The names of the features, in order.
pub(super) fn names() -> Vec<String> {
    let mut names: Vec<String> = hints::names()
        .flat_map(|it| [format!("{it}_far"), format!("{it}_share")])
        .collect();
    names.extend(phrases::names().map(|it| format!("says_{it}")));
    names.extend(phrases::names().map(|it| format!("heading_says_{it}")));
    names.extend(TEXT.iter().chain(PLACE).map(|it| (*it).to_owned()));
    for level in 0..LEVELS {
        names.extend(
            ["chars", "links", "prose", "mean", "alike", "points"]
                .map(|it| format!("up{level}_{it}")),
        );
    }
    for offset in NEIGHBOURS {
        names.extend(["chars", "links", "tag", "shared"].map(|it| format!("near{offset}_{it}")));
    }
    names.extend(groups::NAMES.iter().chain(PAGE).map(|it| (*it).to_owned()));
    names.extend(KINDS.iter().map(|(it, _)| format!("page_kind_{it}")));
    names.extend(PATHS.iter().map(|(it, _)| format!("page_path_{it}")));
    names
}

const TEXT: &[&str] = &[
    "tag",
    "chars",
    "words",
    "word_chars",
    "links",
    "link_share",
    "commas",
    "stops",
    "digits",
    "capitals",
    "ended",
    "is_title",
    "repeated",
    "first_of_repeated",
    "in_json",
    "element_links",
    "element_chars",
];

const PLACE: &[&str] = &[
    "index",
    "offset",
    "depth",
    "from_first_prose",
    "to_last_prose",
    "from_heading1",
    "since_heading",
    "heading_rank",
    "in_top",
    "from_top",
    "top_ratio",
    "in_focus",
    "from_focus",
    "blocks_left",
    "prose_before",
    "list_links",
    "list_mean",
    "list_items",
    "since_related",
    "since_comment",
    "prose_outside_comment",
    "prose_outside_related",
    "prose_outside_side",
    "in_comment_ratio",
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

/// Everything about the page that its blocks share.
struct Common<'p> {
    tree: &'p Tree,
    page: &'p Page,
    facts: &'p Facts,
    total: f32,
    first_prose: usize,
    last_prose: usize,
    heading1: usize,
    top: Id,
    top_points: f32,
    top_line: HashMap<Id, u32>,
    focus_line: HashMap<Id, u32>,
    repeats: HashMap<u64, u32>,
    /// Prose of the page outside of everything with a role, by the roles in [`OUTSIDE`].
    outside: [f32; 3],
    json_words: HashSet<u64>,
    numbers: Vec<f32>,
}

/// Gives the numbers of each block in turn. They are never all held: on a page of many blocks they
/// outweigh it.
pub(super) fn each(
    tree: &Tree,
    page: &Page,
    facts: &Facts,
    url: &str,
    mut take: impl FnMut(&[f32]),
) {
    let common = Common::new(tree, page, facts, url);
    let mut state = Reading::default();
    let mut row = Row::with_capacity(256);
    for index in 0..page.blocks.len() {
        row.clear();
        common.fill(index, &mut state, &mut row);
        take(&row);
    }
}

/// What changes while the blocks are read from the top.
#[derive(Default)]
struct Reading {
    heading: Option<usize>,
    heading_rank: u32,
    seen: HashSet<u64>,
    chars: u32,
    prose: u32,
    /// The last short blocks that announce other stories, and comments.
    related: Option<usize>,
    comment: Option<usize>,
}

impl<'p> Common<'p> {
    fn new(tree: &'p Tree, page: &'p Page, facts: &'p Facts, url: &str) -> Common<'p> {
        let blocks = &page.blocks;
        let (top, top_points) = top(tree, page);
        let focus = focus(tree, page);
        let mut repeats = HashMap::with_capacity(blocks.len());
        blocks
            .iter()
            .for_each(|it| *repeats.entry(it.hash).or_default() += 1);
        let mut common = Common {
            tree,
            page,
            facts,
            total: (page.sums[ROOT as usize].chars as f32).max(1.0),
            first_prose: blocks.iter().position(Block::is_prose).unwrap_or(0),
            last_prose: blocks
                .iter()
                .rposition(Block::is_prose)
                .unwrap_or(blocks.len()),
            heading1: blocks
                .iter()
                .position(|it| tree.name(it.element) == "h1")
                .unwrap_or(0),
            top,
            top_points: top_points.max(1.0),
            top_line: line(tree, top),
            focus_line: line(tree, focus),
            repeats,
            outside: OUTSIDE.map(|role| prose_outside(page, role)),
            json_words: shingles(&facts.article_body),
            numbers: Vec::new(),
        };
        common.numbers = common.page_numbers(url, focus);
        common
    }

    fn share(&self, id: Id) -> f32 {
        self.page.sums[id as usize].chars as f32 / self.total
    }

    fn fill(&self, index: usize, state: &mut Reading, row: &mut Row) {
        let block = &self.page.blocks[index];
        self.add_roles(block, row);
        add_classes(block.classes, row);
        let heading = state.heading.map_or(0, |it| self.page.blocks[it].classes);
        add_classes(heading, row);
        self.add_text(block, state, row);
        self.add_place(index, block, state, row);
        self.add_levels(block, row);
        self.add_neighbours(index, block, row);
        row.extend(self.page.groups.numbers(index, self.total));
        row.extend(&self.numbers);
        state.pass(self.tree, index, block);
    }

    fn add_roles(&self, block: &Block, row: &mut Row) {
        let nearest = &self.page.nearest[block.nearest as usize];
        let mut far = [0.0f32; ROLES];
        if nearest.iter().any(|it| *it != NONE) {
            let mut distance = 1.0;
            let mut at = block.element;
            while at != NONE {
                for (slot, id) in far.iter_mut().zip(nearest) {
                    if *id == at {
                        *slot = distance;
                    }
                }
                distance += 1.0;
                at = self.tree.parent(at);
            }
        }
        for (distance, id) in far.iter().zip(nearest) {
            match *id {
                NONE => row.extend([99.0, 2.0]),
                id => row.extend([*distance, self.share(id)]),
            }
        }
    }

    fn add_text(&self, block: &Block, state: &mut Reading, row: &mut Row) {
        let chars = block.chars.max(1) as f32;
        let sums = self.page.sums[block.element as usize];
        let text = if block.chars < 300 {
            self.text(block)
        } else {
            String::new()
        };
        let in_json = if self.json_words.is_empty() || block.chars < 20 {
            -1.0
        } else {
            self.part_in_json(block)
        };
        row.extend([
            tag(self.tree.name(block.element)),
            block.chars as f32,
            block.words as f32,
            chars / block.words.max(1) as f32,
            block.links as f32,
            block.link_share(),
            block.commas as f32,
            block.stops as f32,
            block.digits as f32 / chars,
            block.capitals as f32 / chars,
            f32::from(u8::from(block.ended)),
            f32::from(u8::from(
                !text.is_empty() && self.facts.titles.iter().any(|it| is_title(it, &text)),
            )),
            self.repeats.get(&block.hash).copied().unwrap_or(1) as f32,
            f32::from(u8::from(state.seen.insert(block.hash))),
            in_json,
            sums.linked as f32 / sums.chars.max(1) as f32,
            sums.chars as f32,
        ]);
    }

    fn text(&self, block: &Block) -> String {
        let texts = &self.page.texts[block.texts.0 as usize..block.texts.1 as usize];
        let text: String = texts.iter().filter_map(|id| self.tree.text(*id)).collect();
        squeezed(&text)
    }

    fn part_in_json(&self, block: &Block) -> f32 {
        let words = shingles(&self.text(block));
        let found = words
            .iter()
            .filter(|it| self.json_words.contains(it))
            .count();
        found as f32 / words.len().max(1) as f32
    }

    fn add_place(&self, index: usize, block: &Block, state: &Reading, row: &mut Row) {
        let count = self.page.blocks.len();
        let since = state.heading.map_or(99.0, |it| (index - it) as f32);
        let (in_top, from_top) = self.relation(&self.top_line, block);
        let (in_focus, from_focus) = self.relation(&self.focus_line, block);
        let best = self
            .tree
            .ancestors(block.element)
            .map(|it| self.points(it))
            .fold(0.0, f32::max);
        row.extend([
            index as f32 / count as f32,
            state.chars as f32 / self.total,
            block.depth as f32,
            index as f32 - self.first_prose as f32,
            self.last_prose as f32 - index as f32,
            index as f32 - self.heading1 as f32,
            since,
            state.heading_rank as f32,
            in_top,
            from_top,
            best / self.top_points,
            in_focus,
            from_focus,
            (count - index) as f32,
            state.prose as f32,
        ]);
        self.add_list(block, row);
        let since = |at: Option<usize>| at.map_or(999.0, |it| (index - it) as f32);
        let nearest = &self.page.nearest[block.nearest as usize];
        let outside = |at: usize| {
            if nearest[OUTSIDE[at]] == NONE {
                -1.0
            } else {
                self.outside[at]
            }
        };
        row.extend([
            since(state.related),
            since(state.comment),
            outside(0),
            outside(1),
            outside(2),
        ]);
        let prose = self.page.sums[ROOT as usize].prose as f32;
        row.push(if nearest[OUTSIDE[0]] == NONE {
            -1.0
        } else {
            self.outside[0] / prose.max(1.0)
        });
    }

    fn add_list(&self, block: &Block, row: &mut Row) {
        let list = self.list_around(block);
        match list {
            NONE => row.extend([-1.0, -1.0, 0.0]),
            id => {
                let sums = self.page.sums[id as usize];
                let items = self.page.items.get(&id).copied().unwrap_or(1) as f32;
                row.extend([
                    sums.linked as f32 / sums.chars.max(1) as f32,
                    sums.chars as f32 / items,
                    items,
                ]);
            }
        }
    }

    fn list_around(&self, block: &Block) -> Id {
        let mut around = std::iter::once(block.element).chain(self.tree.ancestors(block.element));
        around
            .by_ref()
            .take(6)
            .find(|it| matches!(self.tree.name(*it), "ul" | "ol"))
            .unwrap_or(NONE)
    }

    /// Whether a block lies inside the end of a line of ancestors, and how far up it joins the
    /// line.
    fn relation(&self, line: &HashMap<Id, u32>, block: &Block) -> (f32, f32) {
        let meeting = std::iter::once(block.element)
            .chain(self.tree.ancestors(block.element))
            .find_map(|it| line.get(&it));
        let from = meeting.copied().unwrap_or(99) as f32;
        (f32::from(u8::from(from == 0.0)), from)
    }

    fn points(&self, id: Id) -> f32 {
        let sums = self.page.sums[id as usize];
        sums.points * (1.0 - sums.linked as f32 / sums.chars.max(1) as f32)
    }

    fn add_levels(&self, block: &Block, row: &mut Row) {
        let mut at = self.tree.parent(block.element);
        // Wrappers that add no text say nothing new; the next larger one does.
        let mut chars = self.page.sums[block.element as usize].chars;
        for _ in 0..LEVELS {
            while at != NONE
                && self.page.sums[at as usize].chars == chars
                && self.tree.parent(at) != NONE
            {
                at = self.tree.parent(at);
            }
            if at == NONE {
                row.extend([1.0, -1.0, -1.0, -1.0, 0.0, 0.0]);
                continue;
            }
            let sums = self.page.sums[at as usize];
            let total = sums.chars.max(1) as f32;
            row.extend([
                sums.chars as f32 / self.total,
                sums.linked as f32 / total,
                sums.prose as f32 / total,
                total / sums.blocks.max(1) as f32,
                self.page.alike[at as usize] as f32,
                self.points(at) / self.top_points,
            ]);
            chars = sums.chars;
            at = self.tree.parent(at);
        }
    }

    fn add_neighbours(&self, index: usize, block: &Block, row: &mut Row) {
        for offset in NEIGHBOURS {
            match index
                .checked_add_signed(offset)
                .and_then(|it| self.page.blocks.get(it))
            {
                Some(other) => {
                    let parents =
                        self.tree.parent(other.element) == self.tree.parent(block.element);
                    row.extend([
                        other.chars as f32,
                        other.link_share(),
                        tag(self.tree.name(other.element)),
                        f32::from(u8::from(parents)),
                    ]);
                }
                None => row.extend([0.0, -1.0, -1.0, 0.0]),
            }
        }
    }

    fn page_numbers(&self, url: &str, focus: Id) -> Vec<f32> {
        let (tree, page) = (self.tree, self.page);
        let root = page.sums[ROOT as usize];
        let count = |names: &[&str]| {
            page.blocks
                .iter()
                .filter(|it| names.contains(&tree.name(it.element)))
                .count() as f32
        };
        let prose: Vec<u32> = page
            .blocks
            .iter()
            .filter(|it| it.is_prose())
            .map(|it| it.chars)
            .collect();
        let articles: HashSet<Id> = page
            .nearest
            .iter()
            .map(|it| it[ARTICLE])
            .filter(|it| *it != NONE)
            .collect();
        let main = page
            .nearest
            .iter()
            .map(|it| it[MAIN])
            .find(|it| *it != NONE);
        let forms: HashSet<Id> = page
            .nearest
            .iter()
            .map(|it| it[FORM])
            .filter(|it| *it != NONE)
            .collect();
        let address = url::Url::parse(url).ok();
        let path: Vec<&str> = address
            .iter()
            .flat_map(|it| it.path().split('/'))
            .filter(|it| !it.is_empty())
            .collect();
        let words: Vec<String> = path
            .iter()
            .map(|it| {
                it.split('.')
                    .next()
                    .unwrap_or_default()
                    .to_ascii_lowercase()
            })
            .collect();
        let last = path.last().copied().unwrap_or_default();
        let prices = page
            .blocks
            .iter()
            .filter(|it| {
                it.chars < 40 && it.digits > 0 && self.text(it).contains(['$', '€', '£', '₹', '¥'])
            })
            .count();
        let mut numbers = vec![
            root.chars as f32,
            page.blocks.len() as f32,
            root.linked as f32 / self.total,
            root.prose as f32 / self.total,
            prose.iter().sum::<u32>() as f32 / prose.len().max(1) as f32,
            articles.len() as f32,
            count(&["h1"]),
            self.facts.article_body.len() as f32,
            f32::from(u8::from(self.facts.og_type.contains("article"))),
            f32::from(u8::from(self.facts.og_type.contains("product"))),
            path.len() as f32,
            last.bytes().filter(u8::is_ascii_digit).count() as f32,
            last.split(['-', '_']).count() as f32,
            count(&["pre"]),
            count(&["td", "th"]),
            count(&["li"]),
            count(&["h2", "h3", "h4"]),
            forms.len() as f32,
            self.share(self.top),
            self.share(focus),
            main.map_or(-1.0, |it| self.share(it)),
            prices as f32,
        ];
        numbers.extend(KINDS.iter().map(|(_, kinds)| {
            f32::from(u8::from(
                self.facts
                    .types
                    .iter()
                    .any(|it| kinds.contains(&it.as_str())),
            ))
        }));
        numbers.extend(PATHS.iter().map(|(_, names)| {
            f32::from(u8::from(
                words.iter().any(|it| names.contains(&it.as_str())),
            ))
        }));
        numbers
    }
}

impl Reading {
    fn pass(&mut self, tree: &Tree, index: usize, block: &Block) {
        self.chars += block.chars;
        if block.is_prose() {
            self.prose += block.chars;
        }
        if let Some(rank) = heading_rank(tree.name(block.element)) {
            (self.heading, self.heading_rank) = (Some(index), rank);
        }
        if block.chars < 60 {
            self.related = if block.classes & RELATED != 0 {
                Some(index)
            } else {
                self.related
            };
            self.comment = if block.classes & COMMENT != 0 {
                Some(index)
            } else {
                self.comment
            };
        }
    }
}

/// Phrases that announce other stories, and comments.
const RELATED: phrases::Classes = 1 << 3;
const COMMENT: phrases::Classes = 1 << 7;
/// Roles whose text matters less when there is enough outside of them: comment, related, side.
const OUTSIDE: [usize; 3] = [COMMENT_ROLE, 6, 4];
pub(super) const COMMENT_ROLE: usize = 11;

fn prose_outside(page: &Page, role: usize) -> f32 {
    let outside = page
        .blocks
        .iter()
        .filter(|it| page.nearest[it.nearest as usize][role] == NONE);
    outside
        .filter(|it| it.is_prose())
        .map(|it| it.chars as f32)
        .sum()
}

pub(super) const TABLE: usize = 29;
/// Roles of tags that hold no content: nav, footer, form, button.
pub(super) const FURNITURE: [usize; 4] = [23, 25, 27, 35];
const ARTICLE: usize = 21;
const MAIN: usize = 22;
const FORM: usize = 27;

fn add_classes(classes: phrases::Classes, row: &mut Row) {
    row.extend((0..phrases::COUNT).map(|it| f32::from(u8::from(classes & (1 << it) != 0))));
}

fn heading_rank(name: &str) -> Option<u32> {
    match name.as_bytes() {
        [b'h', rank @ b'1'..=b'6'] => Some(u32::from(rank - b'0')),
        _ => None,
    }
}

/// A tag as a number; near numbers are near meanings, which is all that trees need.
fn tag(name: &str) -> f32 {
    match name {
        "p" => 0.0,
        "blockquote" => 1.0,
        "pre" => 2.0,
        "h1" => 3.0,
        "h2" => 4.0,
        "h3" => 5.0,
        "h4" | "h5" | "h6" => 6.0,
        "li" => 7.0,
        "dd" => 8.0,
        "dt" => 9.0,
        "td" => 10.0,
        "th" => 11.0,
        "figcaption" | "caption" => 12.0,
        "article" | "section" | "main" => 13.0,
        "div" => 14.0,
        "summary" | "details" => 15.0,
        "button" => 16.0,
        "form" | "fieldset" | "legend" => 17.0,
        "nav" | "footer" | "header" | "aside" => 18.0,
        _ => 19.0,
    }
}

/// Titles often carry the site's name: either may start with the other.
fn is_title(title: &str, text: &str) -> bool {
    let (title, text) = (title.to_lowercase(), text.to_lowercase());
    text == title
        || (text.len() >= 10
            && (title.starts_with(&text) || (title.len() >= 10 && text.starts_with(&title))))
}

/// The element with the most points.
fn top(tree: &Tree, page: &Page) -> (Id, f32) {
    let mut best = (ROOT, 0.0);
    for (index, sums) in page.sums.iter().enumerate() {
        let points = sums.points * (1.0 - sums.linked as f32 / sums.chars.max(1) as f32);
        if points > best.1 && !matches!(tree.name(index as Id), "body" | "html") {
            best = (index as Id, points);
        }
    }
    best
}

/// The innermost element that still holds most of the page's prose.
fn focus(tree: &Tree, page: &Page) -> Id {
    let prose = |id: Id| page.sums[id as usize].prose;
    let all = prose(ROOT);
    let mut at = ROOT;
    while let Some(child) = tree
        .children(at)
        .find(|it| prose(*it) as f32 > 0.6 * all as f32)
    {
        at = child;
    }
    at
}

/// An element and its ancestors, each with its distance.
fn line(tree: &Tree, id: Id) -> HashMap<Id, u32> {
    std::iter::once(id)
        .chain(tree.ancestors(id))
        .zip(0..)
        .collect()
}

/// Hashes of all runs of three words.
fn shingles(text: &str) -> HashSet<u64> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .collect();
    let hash = |run: &[&str]| {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        hasher.finish()
    };
    words.windows(3).map(hash).collect()
}
