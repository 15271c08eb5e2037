//! XML that is neither a feed nor a page: one line per element, indented by depth, with attributes
//! and text.

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::one_line;
use super::xml::{XmlChild, XmlElement, XmlTree};
use super::{Document, Input, text};

impl DocumentKind {
    /// XML that is neither a feed nor a page.
    pub const XML: DocumentKind = DocumentKind::named("xml");
}

pub(super) static XML: Format = Format {
    kind: DocumentKind::XML,
    label: Some("XML"),
    media_types: &["application/xml", "text/xml", "*+xml"],
    extensions: &[
        "xml", "xsd", "xsl", "xslt", "svg", "opml", "kml", "gpx", "wsdl", "nxml",
    ],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_xml,
};

pub(super) fn read_xml(input: &Input<'_>) -> Result<Document, DocumentError> {
    let Ok(tree) = XmlTree::parse(input.bytes, input.nodes()) else {
        return unparsed_xml(input);
    };
    let mut outline = String::new();
    write_outline(tree.root(), 0, input.budget.limits.text, &mut outline);
    let mut markdown = input.markdown();
    markdown.code("xml", &outline);
    let mut document = Document::new(DocumentKind::XML, markdown);
    if tree.incomplete {
        document.warn(Warning::Malformed);
    }
    Ok(document)
}

/// Markup that does not even have a root element, as plain text.
pub(super) fn unparsed_xml(input: &Input<'_>) -> Result<Document, DocumentError> {
    let mut document = text::read_text(input)?;
    document.kind = DocumentKind::XML;
    document.warn(Warning::Malformed);
    Ok(document)
}

fn write_outline(element: XmlElement<'_>, depth: usize, room: usize, outline: &mut String) {
    // Slightly more than the limit is enough: the Markdown writer cuts it and reports that.
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
