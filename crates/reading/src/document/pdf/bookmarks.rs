//! The bookmarks of a PDF: the outline that its author made, and the pages that it leads to.

use std::collections::{HashMap, HashSet};

use hayro_syntax::Pdf;
use hayro_syntax::object::{
    Array, Dict, MaybeRef, Name, ObjRef, Object, ObjectIdentifier, String as PdfString,
};
use hayro_syntax::xref::XRef;

use super::super::budget::Budget;
use super::super::parts::{Bookmark, Part, Unit};
use super::super::present;
use super::text_string;

/// The most bookmarks, and how deep they are nested.
const MAX_BOOKMARKS: usize = 5_000;
const MAX_LEVEL: u8 = 16;
/// The most characters of a title.
const MAX_TITLE: usize = 300;
/// The most nodes of the tree of named places, and the most names.
const MAX_NODES: usize = 4_000;
const MAX_NAMES: usize = 100_000;
/// What a bookmark or a node costs, in instructions.
const COST: u64 = 20;

/// Adds the bookmarks of the file to the pages that they lead to.
pub(super) fn add_bookmarks(parts: &mut [Part], pdf: &Pdf, budget: &Budget) {
    let pages = parts
        .iter_mut()
        .filter(|part| part.unit == Unit::Page)
        .map(|part| (part.number, part));
    let mut pages: HashMap<u32, &mut Part> = pages.collect();
    let found = Reader::new(pdf, budget).bookmarks();
    let mut next = None;
    // A bookmark that leads nowhere is the title of those that follow.
    let placed = found.into_iter().rev().filter_map(|(bookmark, page)| {
        next = page.or(next);
        next.map(|page| (bookmark, page))
    });
    let placed: Vec<(Bookmark, u32)> = placed.collect();
    for (bookmark, page) in placed.into_iter().rev() {
        if let Some(part) = pages.get_mut(&page) {
            part.bookmarks.push(bookmark);
        }
    }
}

/// The places that have names.
struct Named<'a> {
    tree: HashMap<Vec<u8>, Object<'a>>,
    /// Those in a dictionary, as before PDF 1.2.
    old: Dict<'a>,
}

struct Reader<'a> {
    xref: &'a XRef,
    catalogue: Dict<'a>,
    pages: HashMap<ObjectIdentifier, u32>,
    page_count: u32,
    /// The places that have names, once one is asked for.
    named: Option<Named<'a>>,
    budget: &'a Budget,
}

impl<'a> Reader<'a> {
    fn new(pdf: &'a Pdf, budget: &'a Budget) -> Reader<'a> {
        let xref = pdf.xref();
        let ids = pdf.pages().iter().map(|page| page.raw().obj_id());
        let pages = ids.zip(1..).filter_map(|(id, number)| Some((id?, number)));
        Reader {
            xref,
            catalogue: xref.get(xref.root_id()).unwrap_or_default(),
            pages: pages.collect(),
            page_count: u32::try_from(pdf.pages().len()).unwrap_or(u32::MAX),
            named: None,
            budget,
        }
    }

    /// Whether there is no time for more.
    fn is_over(&self) -> bool {
        self.budget.check_time().is_err() || self.budget.count_operations(COST).is_err()
    }

    /// The bookmarks in their order, with the pages that they lead to.
    fn bookmarks(&mut self) -> Vec<(Bookmark, Option<u32>)> {
        let mut bookmarks = Vec::new();
        let outlines = self.catalogue.get::<Dict<'a>>("Outlines");
        let first = outlines.and_then(|outlines| outlines.get_ref("First"));
        let mut waiting: Vec<(ObjRef, u8)> = first.map(|first| (first, 1)).into_iter().collect();
        let mut seen = HashSet::new();
        while let Some((item, level)) = waiting.pop()
            && bookmarks.len() < MAX_BOOKMARKS
            && !self.is_over()
        {
            // A chain that comes back to itself has no end.
            if !seen.insert(item) || seen.len() > 2 * MAX_BOOKMARKS {
                continue;
            }
            let Some(item) = self.xref.get::<Dict<'a>>(item.into()) else {
                continue;
            };
            waiting.extend(item.get_ref("Next").map(|next| (next, level)));
            let below = item.get_ref("First").filter(|_| level < MAX_LEVEL);
            waiting.extend(below.map(|first| (first, level + 1)));
            if let Some(title) = title(&item) {
                bookmarks.push((Bookmark { level, title }, self.page(&item)));
            }
        }
        bookmarks
    }

    /// The page that a bookmark leads to.
    fn page(&mut self, item: &Dict<'a>) -> Option<u32> {
        let action = || {
            let action = item.get::<Dict<'a>>("A")?;
            let kind = action.get::<Name<'_>>("S")?;
            (kind.as_str() == "GoTo").then(|| action.get::<Object<'a>>("D"))?
        };
        let place = item.get::<Object<'a>>("Dest").or_else(action)?;
        let place = match place {
            Object::Name(name) => self.named(&name)?,
            Object::String(name) => self.named(&name)?,
            place => place,
        };
        let list = match place {
            Object::Dict(place) => place.get::<Array<'a>>("D")?,
            place => place.into_array()?,
        };
        match list.raw_iter().next()? {
            MaybeRef::Ref(page) => self.pages.get(&page.into()).copied(),
            // The number of the page, from zero: for other files, but also found in this one.
            MaybeRef::NotRef(page) => {
                let index = u32::try_from(page.into_i32()?).ok()?;
                (index < self.page_count).then(|| index + 1)
            }
        }
    }

    /// The place of this name.
    fn named(&mut self, name: &[u8]) -> Option<Object<'a>> {
        if self.named.is_none() {
            let old = self.catalogue.get::<Dict<'a>>("Dests");
            self.named = Some(Named {
                tree: self.tree_of_names(),
                old: old.unwrap_or_default(),
            });
        }
        let named = self.named.as_ref()?;
        let found = named.tree.get(name).cloned();
        found.or_else(|| named.old.get(name))
    }

    fn tree_of_names(&self) -> HashMap<Vec<u8>, Object<'a>> {
        let mut named = HashMap::new();
        let mut left = MAX_NAMES;
        let names = self.catalogue.get::<Dict<'a>>("Names");
        let root = names.and_then(|names| names.get::<Dict<'a>>("Dests"));
        let mut waiting: Vec<Dict<'a>> = root.into_iter().collect();
        let mut seen = HashSet::new();
        while let Some(node) = waiting.pop()
            && left > 0
            && !self.is_over()
        {
            let list = node.get::<Array<'a>>("Names");
            let mut entries = list.iter().flat_map(|list| list.iter::<Object<'a>>());
            while let (Some(key), Some(place)) = (entries.next(), entries.next())
                && left > 0
            {
                left -= 1;
                if let Object::String(key) = key {
                    named.insert(key.to_vec(), place);
                }
            }
            let branches = node.get::<Array<'a>>("Kids");
            let branches = branches.iter().flat_map(|list| list.raw_iter());
            let ids = branches.filter_map(|branch| branch.as_obj_ref());
            let new = ids.take(MAX_NODES.saturating_sub(seen.len()));
            let new = new.filter(|id| seen.insert(*id));
            let new = new.filter_map(|id| self.xref.get::<Dict<'a>>(id.into()));
            waiting.extend(new.take(MAX_NODES.saturating_sub(waiting.len())));
        }
        named
    }
}

fn title(item: &Dict<'_>) -> Option<String> {
    let title = present(text_string(&item.get::<PdfString<'_>>("Title")?))?;
    Some(title.chars().take(MAX_TITLE).collect())
}
