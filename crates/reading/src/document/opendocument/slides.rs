//! The slides of a presentation, their shapes by their place.

use super::super::error::{DocumentError, Warning};
use super::super::parts::Unit;
use super::super::xml::XmlElement;
use super::{OpenDocumentWriter, comment_text};

/// Shapes whose tops differ by less than this many millimetres are in one row.
const ROW: f64 = 4.0;

impl<'t> OpenDocumentWriter<'t> {
    pub(super) fn slides(&mut self, body: XmlElement<'t>) -> Result<u32, DocumentError> {
        let pages = body.find_all("page");
        for (page, number) in pages.iter().zip(1..) {
            self.slide(*page, number)?;
        }
        self.markdown.end_parts();
        self.footers(body, &pages);
        Ok(pages.len() as u32)
    }

    fn slide(&mut self, page: XmlElement<'t>, number: u32) -> Result<(), DocumentError> {
        let (titles, others): (Vec<_>, Vec<_>) = page
            .elements()
            .filter(|element| !matches!(element.name(), "notes" | "annotation"))
            .partition(|frame| frame.attribute("presentation:class") == Some("title"));
        let titles: Vec<String> = titles.into_iter().map(|it| self.cell(it)).collect();
        let name = titles.first().map(String::as_str);
        let is_hidden = self.styles.hides(page);
        let is_read = match is_hidden {
            true => self.markdown.hidden_part(Unit::Slide, number, name),
            false => self.markdown.part(Unit::Slide, number, name),
        };
        if is_hidden && (is_read || self.input.leaves_out(number)) {
            self.warnings.push(match is_read {
                true => Warning::HiddenPart,
                false => Warning::HiddenParts,
            });
        }
        if !is_read {
            return Ok(());
        }
        for title in &titles {
            self.markdown.heading(2, title);
        }
        for shape in ordered(others) {
            self.shape(shape)?;
        }
        let notes = page
            .child("notes")
            .map(|notes| self.notes_text(notes))
            .unwrap_or_default();
        if !notes.is_empty() {
            self.markdown
                .block(&format!("> Notes: {}", notes.replace('\n', "\n> ")));
        }
        for comment in page.all("annotation") {
            let (author, text) = comment_text(comment);
            let author = author.map(|name| format!(" ({name})")).unwrap_or_default();
            self.markdown.block(&format!("> Comment{author}: {text}"));
        }
        Ok(())
    }

    /// What the speaker noted, without the header, the date and the number of the page of notes.
    fn notes_text(&mut self, notes: XmlElement<'t>) -> String {
        let is_note = |it: &XmlElement<'_>| {
            let class = it.attribute("presentation:class");
            class.is_none_or(|class| matches!(class, "notes" | "outline" | "subtitle" | "text"))
        };
        let shapes = notes.elements().filter(is_note);
        let mut texts: Vec<String> = shapes.map(|it| self.cell(it)).collect();
        texts.retain(|text| !text.is_empty());
        texts.join("\n")
    }

    fn shape(&mut self, shape: XmlElement<'t>) -> Result<(), DocumentError> {
        match shape.name() {
            "g" => {
                self.description(shape);
                for inner in ordered(shape.elements().collect()) {
                    self.shape(inner)?;
                }
                Ok(())
            }
            "frame" if shape.child("text-box").is_none() && shape.child("table").is_none() => {
                self.description(shape);
                self.blocks(shape, 0)
            }
            // A text of its own, and not a shape around one.
            "p" | "h" | "list" | "table" => Ok(()),
            _ => self.blocks(shape, 0),
        }
    }
}

/// The shapes from top to bottom and from left to right. Those without a place keep theirs.
fn ordered(shapes: Vec<XmlElement<'_>>) -> Vec<XmlElement<'_>> {
    let mut placed: Vec<((f64, f64), XmlElement<'_>)> = shapes
        .into_iter()
        .map(|shape| (place(shape).unwrap_or_default(), shape))
        .collect();
    placed.sort_by(|(left, _), (right, _)| left.0.total_cmp(&right.0));
    let mut row_top = f64::MIN;
    for (position, _) in &mut placed {
        if position.0 - row_top >= ROW {
            row_top = position.0;
        }
        position.0 = row_top;
    }
    placed.sort_by(|(left, _), (right, _)| {
        left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1))
    });
    placed.into_iter().map(|(_, shape)| shape).collect()
}

/// Where the top and the left of a shape are. A group is where its shapes are.
fn place(shape: XmlElement<'_>) -> Option<(f64, f64)> {
    if shape.name() == "g" {
        let inside = shape.elements().filter_map(place);
        return inside.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)));
    }
    let side = |name: &str| shape.attribute(name).and_then(millimetres);
    let (top, left) = (side("svg:y"), side("svg:x"));
    // A line has two ends.
    let (top, left) = (top.or(side("svg:y1")), left.or(side("svg:x1")));
    (top.is_some() || left.is_some()).then(|| (top.unwrap_or(0.0), left.unwrap_or(0.0)))
}

fn millimetres(length: &str) -> Option<f64> {
    let digits = length.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.parse().ok()?;
    Some(match &length[digits.len()..] {
        "cm" => number * 10.0,
        "in" => number * 25.4,
        "pt" => number * 25.4 / 72.0,
        _ => number,
    })
}
