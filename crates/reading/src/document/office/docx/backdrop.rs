//! Whether text stands on white paper, where white text is hidden.
//!
//! White text on something dark is visible, and visible text must not be lost. So whatever may be
//! dark counts as dark: a shaded table, a text box, a picture behind the text.

use super::looks::shading;
use super::{DocxWriter, Relationship};
use crate::document::xml::XmlElement;

/// Whether nothing is drawn behind the text of the main part.
pub(super) fn is_plain(document: XmlElement<'_>) -> bool {
    document.child("background").is_none() && !has_picture_behind(document)
}

fn has_picture_behind(part: XmlElement<'_>) -> bool {
    let is_behind = |anchor: &XmlElement<'_>| {
        !matches!(anchor.attribute("behindDoc"), None | Some("0" | "false"))
    };
    let is_below = |shape: &XmlElement<'_>| {
        let style = shape.attribute("style").unwrap_or_default();
        style.replace(' ', "").contains("z-index:-")
    };
    part.find_all("anchor").iter().any(is_behind)
        || ["shape", "rect"]
            .iter()
            .any(|name| part.find_all(name).iter().any(is_below))
}

/// Whether the properties in an element, or in a part of it, give a dark background.
pub(super) fn has_shading(element: XmlElement<'_>) -> bool {
    let mut inside = vec![element];
    while let Some(element) = inside.pop() {
        if shading(element) == Some(true) {
            return true;
        }
        inside.extend(element.elements());
    }
    false
}

impl DocxWriter<'_> {
    /// Whether the text that is being read stands on white paper.
    pub(super) fn is_on_white(&self) -> bool {
        self.dark_around == 0 && *self.is_white_paper.get_or_init(|| self.has_white_headers())
    }

    /// Whether no header or footer draws a picture behind the pages.
    fn has_white_headers(&self) -> bool {
        let is_running =
            |it: &&Relationship| it.kind.ends_with("/header") || it.kind.ends_with("/footer");
        let mut parts = self.relations.values().filter(is_running);
        parts.all(|it| match self.package.intact_part(&it.target) {
            Ok(Some(tree)) => !has_picture_behind(tree.root()),
            Ok(None) => true,
            Err(_) => false,
        })
    }

    /// Whether a table, or a table in it, has a dark background somewhere.
    pub(super) fn is_dark_table(&self, table: XmlElement<'_>) -> bool {
        let styles = table.find_all("tblStyle");
        let mut names = styles.iter().filter_map(|it| it.attribute("val"));
        names.any(|name| self.styles.is_dark(name)) || has_shading(table)
    }
}
