//! Feeds as lists of their items, and any other XML as an outline of its elements.

use super::error::{DocumentError, Warning};
use super::markdown::{Markdown, one_line};
use super::xml::{XmlChild, XmlElement, XmlTree};
use super::{Document, Input, Kind, plain, present, xhtml};

/// RSS, Atom and RDF. What turns out to be neither is read as XML.
pub(super) fn read_feed(input: &Input<'_>) -> Result<Document, DocumentError> {
    let Ok(tree) = XmlTree::parse(input.bytes, input.nodes()) else {
        return as_it_stands(input);
    };
    let root = tree.root();
    let channel = root.child("channel").unwrap_or(root);
    let items: Vec<XmlElement<'_>> = [root, channel]
        .into_iter()
        .take(if root.child("channel").is_some() {
            2
        } else {
            1
        })
        .flat_map(|parent| {
            parent
                .elements()
                .filter(|element| matches!(element.name(), "item" | "entry"))
        })
        .collect();
    let mut markdown = input.markdown();
    if let Some(title) = value(channel, &["title"]) {
        markdown.heading(1, &title);
    }
    if let Some(text) = value(channel, &["description", "subtitle"]) {
        markdown.block(&text);
    }
    for item in &items {
        write_item(*item, input, &mut markdown);
    }
    let mut document = Document::new(Kind::Feed, markdown);
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

/// Feeds carry HTML inside text, XHTML inside XML, or plain text.
fn write_body(body: XmlElement<'_>, input: &Input<'_>, markdown: &mut Markdown) {
    let link = |target: &str| target.contains("://").then(|| target.to_owned());
    let text = body.text();
    if body.elements().next().is_some() {
        xhtml::write_xhtml(body, &link, markdown);
    } else if text.contains('<') {
        // Void elements of HTML are not closed in it; the tree takes the others as they come.
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

/// RSS writes the address as text, Atom as an attribute of the link that is no other relation.
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

/// XML that is no feed: each element a line, indented by its depth, with its attributes and text.
pub(super) fn read_xml(input: &Input<'_>) -> Result<Document, DocumentError> {
    let Ok(tree) = XmlTree::parse(input.bytes, input.nodes()) else {
        return as_it_stands(input);
    };
    let mut outline = String::new();
    write_outline(tree.root(), 0, input.budget.limits.text, &mut outline);
    let mut markdown = input.markdown();
    markdown.code("xml", &outline);
    let mut document = Document::new(Kind::Xml, markdown);
    if tree.incomplete {
        document.warn(Warning::Malformed);
    }
    Ok(document)
}

fn as_it_stands(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut document = plain::read_text(Kind::Text, input)?;
    document.kind = Kind::Xml;
    document.warn(Warning::Malformed);
    Ok(document)
}

fn write_outline(element: XmlElement<'_>, depth: usize, room: usize, outline: &mut String) {
    // One more than fits is enough for the writer to notice that it is cut.
    if outline.len() > room {
        return;
    }
    let indent = "  ".repeat(depth.min(40));
    let name = element.name();
    let attributes: String = element
        .attributes()
        .map(|(key, value)| format!(" {key}=\"{}\"", value.replace('"', "&quot;")))
        .collect();
    let mut children = element
        .children()
        .filter(|child| !matches!(child, XmlChild::Text(text) if text.trim().is_empty()))
        .peekable();
    match children.peek() {
        None => outline.push_str(&format!("{indent}<{name}{attributes}/>\n")),
        Some(XmlChild::Text(_)) if element.elements().next().is_none() => {
            outline.push_str(&format!(
                "{indent}<{name}{attributes}>{}</{name}>\n",
                one_line(&element.text())
            ));
        }
        Some(_) => {
            outline.push_str(&format!("{indent}<{name}{attributes}>\n"));
            for child in children {
                match child {
                    XmlChild::Text(text) => {
                        outline.push_str(&format!("{indent}  {}\n", one_line(text)))
                    }
                    XmlChild::Element(element) => write_outline(element, depth + 1, room, outline),
                }
            }
            outline.push_str(&format!("{indent}</{name}>\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn void_elements_are_closed() {
        assert_eq!(
            close_void("a<br>b<br/>c<br class='x'>d<broken>", "br"),
            "a<br/>b<br/>c<br class='x'/>d<broken>"
        );
    }
}
