//! The features of a block: numbers for the model about its text, its place, its surroundings and
//! its page (`page_features`).
//!
//! `names()` lists them in order. The training script under `benches/extraction` reads that list,
//! so a feature is added here and nowhere else.

use std::collections::{HashMap, HashSet};

use super::blocks::{PageBlock, PageLayout};
use super::groups;
use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
use super::metadata::PageInfo;
use super::page_features::{self, Shares};
use super::phrases;
use super::roles::{self, ROLES};

/// The features of one block.
type FeatureRow = Vec<f32>;

const NEIGHBOURS: [isize; 6] = [-3, -2, -1, 1, 2, 3];
const LEVELS: usize = 5;

/// The names of the features, in order.
pub(super) fn names() -> Vec<String> {
    let mut names: Vec<String> = roles::names()
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
    names.extend(groups::NAMES.iter().map(|it| (*it).to_owned()));
    names.extend(page_features::names());
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

/// What the features of all blocks of a page need.
struct PageContext<'p> {
    tree: &'p HtmlTree,
    page: &'p PageLayout,
    info: &'p PageInfo,
    total: f32,
    first_prose: usize,
    last_prose: usize,
    heading1: usize,
    top_points: f32,
    top_line: HashMap<NodeId, u32>,
    focus_line: HashMap<NodeId, u32>,
    repeats: HashMap<u64, u32>,
    /// By role of [`OUTSIDE`]: how much prose of the page is outside of elements with it.
    outside: [f32; 3],
    json_words: HashSet<u64>,
    numbers: Vec<f32>,
}

/// Calls `take` with the features of each block in turn. They are never all in memory: on a page of
/// many blocks they are larger than the page.
pub(super) fn for_each_block(
    tree: &HtmlTree,
    page: &PageLayout,
    info: &PageInfo,
    url: &str,
    mut take: impl FnMut(&[f32]),
) {
    let common = PageContext::new(tree, page, info, url);
    let mut state = Progress::default();
    let mut row = FeatureRow::with_capacity(256);
    for index in 0..page.blocks.len() {
        row.clear();
        common.fill(index, &mut state, &mut row);
        take(&row);
    }
}

/// What is known from the blocks before the current one.
#[derive(Default)]
struct Progress {
    heading: Option<usize>,
    heading_rank: u32,
    seen: HashSet<u64>,
    chars: u32,
    prose: u32,
    /// The last short block that announces other stories, and the last that announces comments.
    related: Option<usize>,
    comment: Option<usize>,
}

impl<'p> PageContext<'p> {
    fn new(
        tree: &'p HtmlTree,
        page: &'p PageLayout,
        info: &'p PageInfo,
        url: &str,
    ) -> PageContext<'p> {
        let blocks = &page.blocks;
        let (top, top_points) = top(tree, page);
        let focus = focus(tree, page);
        let mut repeats = HashMap::with_capacity(blocks.len());
        blocks
            .iter()
            .for_each(|it| *repeats.entry(it.hash).or_default() += 1);
        let mut common = PageContext {
            tree,
            page,
            info,
            total: (page.sums[ROOT as usize].chars as f32).max(1.0),
            first_prose: blocks.iter().position(PageBlock::is_prose).unwrap_or(0),
            last_prose: blocks
                .iter()
                .rposition(PageBlock::is_prose)
                .unwrap_or(blocks.len()),
            heading1: blocks
                .iter()
                .position(|it| tree.name(it.element) == "h1")
                .unwrap_or(0),
            top_points: top_points.max(1.0),
            top_line: line(tree, top),
            focus_line: line(tree, focus),
            repeats,
            outside: OUTSIDE.map(|role| prose_outside(page, role)),
            json_words: shingles(&info.article_body),
            numbers: Vec::new(),
        };
        let shares = Shares {
            top: common.share(top),
            focus: common.share(focus),
            total: common.total,
        };
        common.numbers = page_features::numbers(tree, page, info, url, shares);
        common
    }

    fn share(&self, id: NodeId) -> f32 {
        self.page.sums[id as usize].chars as f32 / self.total
    }

    /// Writes the features of a block into `row`.
    fn fill(&self, index: usize, state: &mut Progress, row: &mut FeatureRow) {
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

    fn add_roles(&self, block: &PageBlock, row: &mut FeatureRow) {
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

    fn add_text(&self, block: &PageBlock, state: &mut Progress, row: &mut FeatureRow) {
        let chars = block.chars.max(1) as f32;
        let sums = self.page.sums[block.element as usize];
        let text = if block.chars < 300 {
            self.page.text_of(self.tree, block)
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
                !text.is_empty() && self.info.titles.iter().any(|it| is_title(it, &text)),
            )),
            self.repeats.get(&block.hash).copied().unwrap_or(1) as f32,
            f32::from(u8::from(state.seen.insert(block.hash))),
            in_json,
            sums.linked as f32 / sums.chars.max(1) as f32,
            sums.chars as f32,
        ]);
    }

    fn part_in_json(&self, block: &PageBlock) -> f32 {
        let words = shingles(&self.page.text_of(self.tree, block));
        let found = words
            .iter()
            .filter(|it| self.json_words.contains(it))
            .count();
        found as f32 / words.len().max(1) as f32
    }

    fn add_place(&self, index: usize, block: &PageBlock, state: &Progress, row: &mut FeatureRow) {
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
        self.add_outside(index, block, state, row);
    }

    /// How far back other stories and comments were announced, and how much prose is outside of the
    /// elements for them.
    fn add_outside(&self, index: usize, block: &PageBlock, state: &Progress, row: &mut FeatureRow) {
        let since = |at: Option<usize>| at.map_or(999.0, |it| (index - it) as f32);
        let nearest = &self.page.nearest[block.nearest as usize];
        let outside = |at: usize, unit: f32| {
            if nearest[OUTSIDE[at]] == NONE {
                -1.0
            } else {
                self.outside[at] / unit
            }
        };
        let prose = self.page.sums[ROOT as usize].prose as f32;
        row.extend([
            since(state.related),
            since(state.comment),
            outside(0, 1.0),
            outside(1, 1.0),
            outside(2, 1.0),
            outside(0, prose.max(1.0)),
        ]);
    }

    fn add_list(&self, block: &PageBlock, row: &mut FeatureRow) {
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

    fn list_around(&self, block: &PageBlock) -> NodeId {
        let mut around = std::iter::once(block.element).chain(self.tree.ancestors(block.element));
        around
            .by_ref()
            .take(6)
            .find(|it| matches!(self.tree.name(*it), "ul" | "ol"))
            .unwrap_or(NONE)
    }

    /// Whether a block is inside the first element of a line of ancestors, and how far up it joins
    /// the line.
    fn relation(&self, line: &HashMap<NodeId, u32>, block: &PageBlock) -> (f32, f32) {
        let meeting = std::iter::once(block.element)
            .chain(self.tree.ancestors(block.element))
            .find_map(|it| line.get(&it));
        let from = meeting.copied().unwrap_or(99) as f32;
        (f32::from(u8::from(from == 0.0)), from)
    }

    fn points(&self, id: NodeId) -> f32 {
        let sums = self.page.sums[id as usize];
        sums.points * (1.0 - sums.linked as f32 / sums.chars.max(1) as f32)
    }

    fn add_levels(&self, block: &PageBlock, row: &mut FeatureRow) {
        let mut at = self.tree.parent(block.element);
        // Wrappers that add no text are skipped: they say nothing new.
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

    fn add_neighbours(&self, index: usize, block: &PageBlock, row: &mut FeatureRow) {
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
}

impl Progress {
    /// Moves on past a block.
    fn pass(&mut self, tree: &HtmlTree, index: usize, block: &PageBlock) {
        self.chars += block.chars;
        if block.is_prose() {
            self.prose += block.chars;
        }
        if let Some(rank) = heading_rank(tree.name(block.element)) {
            (self.heading, self.heading_rank) = (Some(index), rank);
        }
        if block.chars < 60 {
            self.related = if block.classes & phrases::RELATED != 0 {
                Some(index)
            } else {
                self.related
            };
            self.comment = if block.classes & phrases::COMMENT != 0 {
                Some(index)
            } else {
                self.comment
            };
        }
    }
}

/// Roles whose text matters less when there is enough prose outside of them.
const OUTSIDE: [usize; 3] = [roles::COMMENT, roles::RELATED, roles::SIDE];

fn prose_outside(page: &PageLayout, role: usize) -> f32 {
    let outside = page
        .blocks
        .iter()
        .filter(|it| page.nearest[it.nearest as usize][role] == NONE);
    outside
        .filter(|it| it.is_prose())
        .map(|it| it.chars as f32)
        .sum()
}

fn add_classes(classes: phrases::Classes, row: &mut FeatureRow) {
    row.extend((0..phrases::COUNT).map(|it| f32::from(u8::from(classes & (1 << it) != 0))));
}

fn heading_rank(name: &str) -> Option<u32> {
    match name.as_bytes() {
        [b'h', rank @ b'1'..=b'6'] => Some(u32::from(rank - b'0')),
        _ => None,
    }
}

/// A tag as a number. Similar tags have near numbers, which is what decision trees need.
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

/// Whether a text is the title. Titles often have the site's name added, so either may start with
/// the other.
fn is_title(title: &str, text: &str) -> bool {
    let (title, text) = (title.to_lowercase(), text.to_lowercase());
    text == title
        || (text.len() >= 10
            && (title.starts_with(&text) || (title.len() >= 10 && text.starts_with(&title))))
}

/// The element with the most points.
fn top(tree: &HtmlTree, page: &PageLayout) -> (NodeId, f32) {
    let mut best = (ROOT, 0.0);
    for (index, sums) in page.sums.iter().enumerate() {
        let points = sums.points * (1.0 - sums.linked as f32 / sums.chars.max(1) as f32);
        if points > best.1 && !matches!(tree.name(index as NodeId), "body" | "html") {
            best = (index as NodeId, points);
        }
    }
    best
}

/// The innermost element that still holds most of the page's prose.
fn focus(tree: &HtmlTree, page: &PageLayout) -> NodeId {
    let prose = |id: NodeId| page.sums[id as usize].prose;
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
fn line(tree: &HtmlTree, id: NodeId) -> HashMap<NodeId, u32> {
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
