//! RSS, Atom and RDF feeds, as a list of their items.

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::Markdown;
use super::xml::{XmlElement, XmlTree};
use super::xml_outline::unparsed_xml;
use super::{Document, Input, present, xhtml};

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
    let channel = root.child("channel").unwrap_or(root);
    let mut markdown = input.markdown();
    if let Some(title) = value(channel, &["title"]) {
        markdown.heading(1, &title);
    }
    if let Some(text) = value(channel, &["description", "subtitle"]) {
        markdown.block(&text);
    }
    for item in items(root) {
        write_item(item, input, &mut markdown);
    }
    let mut document = Document::new(DocumentKind::FEED, markdown);
    document.title = value(channel, &["title"]);
    document.author = channel
        .child("author")
        .and_then(author)
        .or_else(|| value(channel, &["managingEditor", "creator"]));
    document.date = value(channel, &["lastBuildDate", "pubDate", "updated", "date"]);
    document.language =
        value(channel, &["language"]).or_else(|| root.attribute("xml:lang").and_then(present));
    if tree.incomplete {
        document.warn(Warning::Incomplete);
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
    let title = value(item, &["title"]).unwrap_or_else(|| "Untitled".to_owned());
    match link(item) {
        Some(link) => markdown.heading(2, &format!("[{title}]({link})")),
        None => markdown.heading(2, &title),
    }
    let date = value(item, &["pubDate", "published", "updated", "date"]);
    let author = item
        .child("author")
        .and_then(author)
        .or_else(|| value(item, &["creator"]));
    let facts: Vec<String> = date.into_iter().chain(author).collect();
    markdown.block(&facts.join(" · "));
    let body = ["encoded", "content", "description", "summary"]
        .iter()
        .find_map(|name| item.child(name).filter(|it| !it.text().trim().is_empty()));
    if let Some(body) = body {
        write_body(body, input, markdown);
    }
}

/// Writes the body of an item: escaped HTML, XHTML elements, or plain text.
fn write_body(body: XmlElement<'_>, input: &Input<'_>, markdown: &mut Markdown) {
    let link = |target: &str| target.contains("://").then(|| target.to_owned());
    let text = body.text();
    if body.elements().next().is_some() {
        xhtml::write_xhtml(body, &link, markdown);
    } else if text.contains('<') {
        // HTML does not close its void elements, and the XML parser needs them closed.
        let closed = ["br", "hr", "img"]
            .iter()
            .fold(text, |text, name| close_void(&text, name));
        match XmlTree::parse_str(&format!("<div>{closed}</div>"), input.nodes()) {
            Ok(tree) => xhtml::write_xhtml(tree.root(), &link, markdown),
            Err(_) => markdown.block(&closed),
        }
    } else {
        markdown.block(text.trim());
    }
}

/// Turns `<br>` into `<br/>`.
fn close_void(html: &str, name: &str) -> String {
    let mut closed = String::with_capacity(html.len() + 16);
    let mut rest = html;
    let opening = format!("<{name}");
    while let Some(at) = rest.find(&opening) {
        let Some(end) = rest[at..].find('>').map(|end| at + end) else {
            break;
        };
        let is_it = rest[at + opening.len()..].starts_with(['>', ' ', '/', '\n', '\t']);
        closed.push_str(&rest[..end]);
        if is_it && !rest[..end].ends_with('/') {
            closed.push('/');
        }
        closed.push('>');
        rest = &rest[end + 1..];
    }
    closed.push_str(rest);
    closed
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn void_elements_of_html_are_closed() {
        assert_eq!(
            close_void("a<br>b<br/>c<br class='x'>d<broken>", "br"),
            "a<br/>b<br/>c<br class='x'/>d<broken>"
        );
    }
}
