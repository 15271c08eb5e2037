//! Texts that a layout or a master shows behind every slide that uses it: the name of a company, the
//! class of a document. They are kept once, with the footers.

use super::super::Relationship;
use super::SlideWriter;
use super::positions::own;
use super::shapes::{is_hidden, paragraphs, placeholder, text_beside_fields};
use crate::document::error::DocumentError;
use crate::document::markdown::one_line;
use crate::document::xml::XmlElement;

impl SlideWriter<'_> {
    /// Keeps the texts behind a slide whose relationships are being read.
    pub(super) fn backdrop(&mut self, slide: XmlElement<'_>) -> Result<(), DocumentError> {
        if !shows_what_is_behind(slide) {
            return Ok(());
        }
        let Some(layout) = target(self.relations.values(), "/slideLayout") else {
            return Ok(());
        };
        if self.backdrops.insert(layout.clone()) && self.texts_behind(&layout)? {
            let relations = self.package.relations(&layout)?;
            let master = target(relations.values(), "/slideMaster");
            if let Some(master) = master.filter(|it| self.backdrops.insert(it.clone())) {
                self.texts_behind(&master)?;
            }
        }
        Ok(())
    }

    /// Keeps the texts of a layout or a master, and returns whether it shows what is behind it.
    fn texts_behind(&mut self, part: &str) -> Result<bool, DocumentError> {
        let Some(tree) = self.package.intact_part(part)? else {
            return Ok(false);
        };
        let Some(shapes) = tree.root().find("spTree") else {
            return Ok(false);
        };
        let (height, width) = self.size;
        for shape in shapes.elements().filter(|it| !is_hidden(*it)) {
            // Hints for those who use a template stand beside the slide.
            let is_on_slide = own(shape)
                .is_none_or(|(top, left)| (0..height).contains(&top) && (0..width).contains(&left));
            if is_on_slide {
                self.text_behind(shape);
            }
        }
        Ok(shows_what_is_behind(tree.root()))
    }

    /// Placeholders show the text of the slide, not their own, and numbers are those of the slide.
    fn text_behind(&mut self, shape: XmlElement<'_>) {
        match shape.name() {
            "sp" if placeholder(shape).is_none() => {
                let lines = paragraphs(shape).map(text_beside_fields);
                let text = one_line(&lines.collect::<Vec<_>>().join(" "));
                if text.contains(char::is_alphabetic) {
                    self.footer(text);
                }
            }
            "grpSp" => {
                let inner = shape.find_all("sp").into_iter();
                for shape in inner.filter(|it| !is_hidden(*it)) {
                    self.text_behind(shape);
                }
            }
            _ => {}
        }
    }
}

fn shows_what_is_behind(slide: XmlElement<'_>) -> bool {
    !matches!(slide.attribute("showMasterSp"), Some("0" | "false"))
}

/// The part that one of these relationships leads to.
fn target<'r>(mut relations: impl Iterator<Item = &'r Relationship>, kind: &str) -> Option<String> {
    let relation = relations.find(|it| it.kind.ends_with(kind))?;
    Some(relation.target.clone())
}
