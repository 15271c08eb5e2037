//! A page as an answer shows it.

use engine::{Page, PagePart, Unit};

use crate::{params::Args, tools::PageText};

/// The page with at most `most` characters of its text, and the cursor for the rest.
pub(in crate::tools) fn shortened(mut page: Page, most: usize) -> Page {
    if let Some((end, _)) = page.text.char_indices().nth(most) {
        page.text.truncate(end);
    }
    let end = page.start + page.text.chars().count();
    page.cursor = (end < page.end).then_some(end);
    page
}

/// Converts a page for an answer. `read_on_with` names the tool and arguments to continue with,
/// besides the cursor; it is empty when the same call continues, and `None` when none does.
pub(in crate::tools) fn page_text(page: Page, read_on_with: Option<&str>) -> PageText {
    let cursor = page.cursor.filter(|_| read_on_with.is_some());
    let notice = match (page.cursor, read_on_with) {
        (Some(cursor), Some(read_on_with)) => Some(format!(
            "[truncated: characters {} to {cursor} of {}; read on with {read_on_with}cursor={cursor}]",
            page.start, page.total_chars
        )),
        (Some(end), None) => Some(format!(
            "[truncated: characters {} to {end} of {}]",
            page.start, page.total_chars
        )),
        (None, _) if page.unread.is_some() => unread_notice(&page, false),
        (None, _) if page.unreached.is_some() => unreached_notice(&page),
        (None, _) => page
            .source_truncated
            .then(|| "[truncated: the source is longer than this server can read]".to_owned()),
    };
    PageText {
        metadata: metadata(&page),
        has_ocr: page.has_ocr,
        source: page.url,
        body: page.text,
        truncated: notice.is_some(),
        notice,
        cursor,
        response_id: None,
    }
}

/// Says which pages were not recognised in the time of the call, and what reads them: the same call
/// with other pages, or, for one of several addresses, a call with the page in the address.
fn unread_notice(page: &Page, same_call: bool) -> Option<String> {
    let (first, last) = page.unread?;
    let way = if same_call {
        format!("pages=\"{first}-{last}\"")
    } else {
        let (url, _) = page.url.split_once('#').unwrap_or((&page.url, ""));
        format!("url=\"{url}#page={first}\"")
    };
    Some(format!(
        "[truncated: pages {first} to {last} are images, and there was no time to recognise them; read on with {way}]"
    ))
}

/// Says which parts a limit did not allow to be read, and what reads them.
fn unreached_notice(page: &Page) -> Option<String> {
    let (unit, first, last) = page.unreached?;
    let unit = unit.word();
    Some(if first == last {
        format!("[truncated: {unit} {first} was not read; read on with pages=\"{first}\"]")
    } else {
        format!(
            "[truncated: {unit}s {first} to {last} were not read; read on with pages=\"{first}-{last}\"]"
        )
    })
}

/// The most names of parts that are shown, and the longest of them in characters.
const MOST_NAMES: usize = 12;
const MOST_NAME: usize = 80;

/// The name of a part, and whether the document hides it.
fn name(part: &PagePart) -> Option<String> {
    let name: String = part.shown_name()?.chars().take(MOST_NAME).collect();
    Some(match part.is_hidden {
        true => format!("{name} (hidden)"),
        false => name,
    })
}

/// What a document consists of: `12 pages`, `2 sheets: Q1, Q2`, `3 pages; 1 attachment: data.csv`.
fn parts(page: &Page) -> Option<String> {
    let (files, others): (Vec<&PagePart>, Vec<&PagePart>) =
        page.parts.iter().partition(|part| part.unit.is_file());
    let lists = [others, files];
    let lists: Vec<String> = lists.iter().filter_map(|list| counted(list)).collect();
    (!lists.is_empty()).then(|| lists.join("; "))
}

/// How many parts of one kind there are, and the names of those that are asked for by name.
fn counted(parts: &[&PagePart]) -> Option<String> {
    let first = parts.first()?;
    let count = parts.len();
    let unit = first.unit.word();
    let plural = if count == 1 { "" } else { "s" };
    let is_named = matches!(first.unit, Unit::Sheet | Unit::File | Unit::Attachment);
    if !is_named {
        return (count > 1).then(|| format!("{count} {unit}{plural}"));
    }
    let shown = parts.iter().take(MOST_NAMES);
    let mut names: Vec<String> = shown.filter_map(|part| name(part)).collect();
    if count > MOST_NAMES {
        names.push("…".to_owned());
    }
    let names = names.join(", ");
    Some(format!("{count} {unit}{plural}: {names}"))
}

/// The page for an answer, which says how to read one of its parts.
pub(super) fn page_with_way(page: Page, args: &Args) -> PageText {
    let way = way(&page, args);
    let unread = unread_notice(&page, true).filter(|_| page.cursor.is_none());
    let mut text = page_text(page, Some(""));
    text.notice = unread.or(text.notice);
    let parts = text.metadata.iter_mut().find(|(name, _)| *name == "Parts");
    if let (Some((_, parts)), Some(way)) = (parts, way) {
        parts.push_str(way);
    }
    text
}

/// The arguments that read one of the parts. A file of an archive has no number to ask for, and a
/// file inside such a file is asked for by both names.
fn way(page: &Page, args: &Args) -> Option<&'static str> {
    let in_text = page.parts.iter().any(|part| !part.unit.is_file());
    let sheet = args.text("sheet");
    let is_file = sheet.is_some_and(|name| !page.parts.iter().any(|part| part.is_named(name)));
    let has_names = page.parts.iter().any(|part| part.name.is_some());
    match (in_text, is_file) {
        (true, false) if has_names => Some(" (pages=\"2-3\" or sheet=\"NAME\" reads some)"),
        (true, _) => Some(" (pages=\"2-3\" reads some)"),
        (false, false) => Some(" (sheet=\"NAME\" reads one)"),
        (false, true) => Some(" (sheet=\"THIS!/NAME\" reads one, THIS being this file's name)"),
    }
}

/// The longest description shown, in characters; on some sites it is as long as the page.
const MOST_DESCRIPTION: usize = 300;

fn metadata(page: &Page) -> Vec<(&'static str, String)> {
    let about = &page.metadata;
    let canonical = about
        .canonical
        .clone()
        .filter(|canonical| *canonical != page.url);
    // A description that repeats the text, often its first paragraph, is left out.
    let description = about
        .description
        .as_ref()
        .filter(|description| !page.text.contains(description.as_str()))
        .map(|description| description.chars().take(MOST_DESCRIPTION).collect());
    let age = page
        .age
        .filter(|age| age.as_secs() > 0)
        .map(|age| format!("{} s ago (cached)", age.as_secs()));
    let facts = [
        ("Title", about.title.clone()),
        ("Author", about.author.clone()),
        ("Published", about.published.clone()),
        ("Site", about.site.clone()),
        ("Language", about.language.clone()),
        ("Canonical", canonical),
        ("Description", description),
        ("Parts", parts(page)),
        ("Read", age),
        ("Warning", page.parse_warning.clone()),
    ];
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}
