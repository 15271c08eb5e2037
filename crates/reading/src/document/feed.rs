//! RSS, Atom and RDF feeds, as a list of their items.

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::markdown::Markdown;
use super::xml::{XmlElement, XmlTree};
use super::xml_outline::{read_xml, unparsed_xml};
use super::{Document, Input, present, xhtml};
use crate::extract::{self, StyleRules};

impl DocumentKind {
    /// RSS or Atom.
    pub const FEED: DocumentKind = DocumentKind::named("feed");
}

pub(super) static FEED: Format = Format {
    kind: DocumentKind::FEED,
    label: Some("RSS, Atom"),
    media_types: &[
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
    ],
    extensions: &["rss", "atom"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_feed,
};

fn read_feed(input: &Input<'_>) -> Result<Document, DocumentError> {
    let Ok(tree) = XmlTree::parse(input.bytes, input.nodes()) else {
        return unparsed_xml(input);
    };
    let root = tree.root();
    let items = items(root);
    // RDF is a format of many uses; feeds are only one of them.
    if items.is_empty() && root.child("channel").is_none() && root.name() == "RDF" {
        return read_xml(input);
    }
    let channel = root.child("channel").unwrap_or(root);
    let mut markdown = input.markdown();
    if let Some(title) = title(channel) {
        markdown.heading(1, &title);
    }
    for name in ["description", "subtitle", "tagline", "info", "summary"] {
        if let Some(text) = channel.child(name) {
            write_body(text, input, &mut markdown);
        }
    }
    write_facts(channel, CHANNEL_PARTS, &[], &mut markdown);
    for item in &items {
        if markdown.is_full() {
            break;
        }
        write_item(*item, input, &mut markdown);
    }
    let mut document = Document::new(DocumentKind::FEED, markdown);
    document.title = title(channel);
    document.author = channel
        .child("author")
        .and_then(author)
        .or_else(|| value(channel, &["managingEditor", "creator"]));
    document.date = value(channel, &["lastBuildDate", "pubDate", "updated", "date"]);
    document.language =
        value(channel, &["language"]).or_else(|| root.attribute("xml:lang").and_then(present));
    if let Some(warning) = tree.warning() {
        document.warn(warning);
    }
    Ok(document)
}

/// The items of a feed. RSS has them in the channel, Atom and RDF in the root.
fn items(root: XmlElement<'_>) -> Vec<XmlElement<'_>> {
    [Some(root), root.child("channel")]
        .into_iter()
        .flatten()
        .flat_map(|parent| {
            parent
                .elements()
                .filter(|element| matches!(element.name(), "item" | "entry"))
        })
        .collect()
}

fn write_item(item: XmlElement<'_>, input: &Input<'_>, markdown: &mut Markdown) {
    let link = link(item);
    let date = value(item, DATES);
    let author = item
        .child("author")
        .and_then(author)
        .or_else(|| value(item, &["creator"]));
    let heading = title(item)
        .or_else(|| link.clone())
        .or_else(|| date.clone())
        .unwrap_or_else(|| "Untitled".to_owned());
    match &link {
        Some(link) if *link == heading => markdown.heading(2, &format!("<{link}>")),
        Some(link) => markdown.heading(2, &format!("[{heading}]({link})")),
        None => markdown.heading(2, &heading),
    }
    let facts: Vec<String> = date.into_iter().chain(author).collect();
    markdown.block(&facts.join(" · "));
    let shown: Vec<String> = facts.into_iter().chain(link).collect();
    let body = ["encoded", "content", "description", "summary"]
        .iter()
        .find_map(|name| item.child(name).filter(|it| !it.text().trim().is_empty()));
    if let Some(body) = body {
        write_body(body, input, markdown);
    }
    write_facts(item, ITEM_PARTS, &shown, markdown);
}

const DATES: &[&str] = &[
    "pubDate",
    "published",
    "updated",
    "date",
    "issued",
    "modified",
    "created",
];

/// The parts of a channel that are written in their own way, or say nothing about its content.
const CHANNEL_PARTS: &[&str] = &[
    "title",
    "description",
    "subtitle",
    "tagline",
    "info",
    "summary",
    "item",
    "entry",
    "items",
    "language",
    "docs",
    "ttl",
    "cloud",
    "skipHours",
    "skipDays",
    "updatePeriod",
    "updateFrequency",
    "updateBase",
];

/// The same for an item.
const ITEM_PARTS: &[&str] = &[
    "title",
    "description",
    "summary",
    "content",
    "encoded",
    "author",
    "creator",
    "guid",
    "id",
    "pubDate",
    "published",
    "date",
];

/// The longest value of a fact, in characters, and how many facts are written.
const MAX_FACT: usize = 500;
const MAX_FACTS: usize = 40;

/// Writes what else a channel or an item says: links, rights, contributors, categories, files.
/// `shown` are the values that were written already.
fn write_facts(
    element: XmlElement<'_>,
    handled: &[&str],
    shown: &[String],
    markdown: &mut Markdown,
) {
    let is_handled = |part: &XmlElement<'_>| {
        handled.contains(&part.name()) || part.attribute("rel") == Some("self")
    };
    let facts = element
        .elements()
        .filter(|part| !is_handled(part))
        .filter_map(|part| Some((part.name(), fact(part)?)))
        .filter(|(_, fact)| !shown.contains(fact));
    for (name, fact) in facts.take(MAX_FACTS) {
        let fact: String = fact.chars().take(MAX_FACT).collect();
        markdown.item(0, None, &format!("{name}: {fact}"));
    }
}

/// The text of an element, or the attribute that stands for it.
fn fact(element: XmlElement<'_>) -> Option<String> {
    let texts: Vec<String> = if element.elements().next().is_some() {
        element.elements().filter_map(fact).collect()
    } else {
        present(element.text()).into_iter().collect()
    };
    let attribute = || {
        ["href", "url", "term", "label", "resource", "src"]
            .iter()
            .find_map(|name| element.attribute(name).and_then(present))
    };
    present(texts.join(", ")).or_else(attribute)
}

/// A title without the HTML that some feeds have in it.
fn title(element: XmlElement<'_>) -> Option<String> {
    let title = value(element, &["title"])?;
    if title.contains(['<', '&']) {
        present(extract::whole_text(&title))
    } else {
        Some(title)
    }
}

/// Writes the body of an item: escaped HTML, XHTML elements, or plain text.
fn write_body(body: XmlElement<'_>, input: &Input<'_>, markdown: &mut Markdown) {
    let link = |target: &str| target.contains("://").then(|| target.to_owned());
    let text = body.text();
    if body.elements().next().is_some() {
        xhtml::write_xhtml(body, &link, &StyleRules::default(), markdown);
    } else if text.contains(['<', '&']) {
        let base = input.hint.url.as_deref().unwrap_or("about:blank");
        markdown.block(&extract::whole_markdown(&text, base).markdown);
    } else {
        markdown.block(text.trim());
    }
}

/// The text of the first of these children.
fn value(element: XmlElement<'_>, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| element.child(name).and_then(|child| present(child.text())))
}

fn author(element: XmlElement<'_>) -> Option<String> {
    element
        .child("name")
        .and_then(|name| present(name.text()))
        .or_else(|| present(element.text()))
}

/// The address of an item. RSS has it as text, Atom in the `href` of the link whose relation is
/// `alternate` or missing.
fn link(item: XmlElement<'_>) -> Option<String> {
    let alternate = item.all("link").find(|link| {
        link.attribute("rel")
            .is_none_or(|relation| relation == "alternate")
    });
    let written = alternate.and_then(|link| {
        link.attribute("href")
            .map(str::to_owned)
            .or_else(|| present(link.text()))
    });
    written.or_else(|| value(item, &["guid"]).filter(|guid| guid.contains("://")))
}
