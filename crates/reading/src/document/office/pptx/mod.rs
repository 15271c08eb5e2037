//! PowerPoint presentations: slides in the order of presentation, each with its title, shapes by
//! their place, notes and comments.

mod backdrop;
mod comments;
mod positions;
mod shapes;

use std::collections::{HashMap, HashSet};

use super::{Package, Relationship};
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Markdown, one_line};
use crate::document::parts::Unit;
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Document, Input};
use positions::Positions;

impl DocumentKind {
    /// A PowerPoint presentation.
    pub const PPTX: DocumentKind = DocumentKind::named("pptx");
}

pub(in crate::document) static PPTX: Format = Format {
    kind: DocumentKind::PPTX,
    label: Some("PPTX"),
    media_types: &[
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
        "application/vnd.ms-powerpoint.template.macroenabled.12",
    ],
    extensions: &["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
    signature: Signature::Zip(|zip| {
        zip.has_folder("ppt/") || zip.declares_main_part(&["presentationml", "ms-powerpoint"])
    }),
    needs_worker: true,
    is_text: false,
    read: read_pptx,
};

fn read_pptx(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("ppt/presentation.xml")?;
    let tree = package.part(&main)?.ok_or(DocumentError::Broken)?;
    let relations = package.relations(&main)?;
    let mut writer = SlideWriter {
        authors: comments::authors(&package, &relations)?,
        package: &package,
        markdown: input.markdown(),
        relations: HashMap::new(),
        positions: Positions::default(),
        footers: Vec::new(),
        known_footers: HashSet::new(),
        backdrops: HashSet::new(),
        size: slide_size(tree.root()),
        title: None,
        link: None,
        warnings: Vec::new(),
        hidden: 0,
        shows_hidden: false,
    };
    let parts = slide_parts(tree.root(), &relations);
    let looked_at = writer.slides(&parts)?;
    if looked_at > 0 && writer.hidden == looked_at {
        // Then hiding them does not set them apart from the content.
        writer.shows_hidden = true;
        writer.warnings.clear();
        writer.markdown = input.markdown();
        writer.slides(&parts)?;
    }
    if parts.is_empty() {
        return Err(if tree.incomplete {
            DocumentError::Broken
        } else {
            DocumentError::Empty
        });
    }
    writer.markdown.end_parts();
    writer.write_footers();
    let mut document = Document::new(DocumentKind::PPTX, writer.markdown);
    package.describe(&mut document)?;
    document.pages = Some(u32::try_from(parts.len()).unwrap_or(u32::MAX));
    for warning in writer.warnings {
        document.warn(warning);
    }
    if let Some(warning) = tree.warning() {
        document.warn(warning);
    }
    Ok(document)
}

/// The part of each slide, in order. `None` for a slide whose part is missing.
fn slide_parts<'r>(
    presentation: XmlElement<'_>,
    relations: &'r HashMap<String, Relationship>,
) -> Vec<Option<&'r str>> {
    let slides = presentation
        .find("sldIdLst")
        .into_iter()
        .flat_map(|list| list.all("sldId").collect::<Vec<_>>());
    slides
        .map(|slide| {
            let relation = relations.get(slide.qualified_attribute("id")?)?;
            Some(relation.target.as_str())
        })
        .collect()
}

/// The height and the width of the slides.
fn slide_size(presentation: XmlElement<'_>) -> (i64, i64) {
    let size = presentation.child("sldSz");
    let side = |name: &str| size.and_then(|it| it.attribute(name)?.parse().ok());
    (
        side("cy").unwrap_or(i64::MAX),
        side("cx").unwrap_or(i64::MAX),
    )
}

struct SlideWriter<'p> {
    package: &'p Package<'p>,
    markdown: Markdown,
    /// The relationships of the slide that is being read.
    relations: HashMap<String, Relationship>,
    /// Where the layout of the slide puts its placeholders.
    positions: Positions,
    /// The authors of comments, by id.
    authors: HashMap<String, String>,
    /// The footers of all slides, each once.
    footers: Vec<String>,
    known_footers: HashSet<String>,
    /// The layouts and masters whose texts are among the footers.
    backdrops: HashSet<String>,
    /// The height and the width of a slide.
    size: (i64, i64),
    /// The title of the slide, until the shape that has it is passed.
    title: Option<String>,
    /// The address that the shape that is being read leads to.
    link: Option<String>,
    warnings: Vec<Warning>,
    /// How many slides are hidden.
    hidden: u32,
    shows_hidden: bool,
}

impl<'p> SlideWriter<'p> {
    /// Writes the slides that are wanted, and returns how many it looked at.
    fn slides(&mut self, parts: &[Option<&str>]) -> Result<u32, DocumentError> {
        let mut looked_at = 0;
        for (part, number) in parts.iter().zip(1..) {
            let is_late = looked_at > 0 && self.package.input.budget.is_late();
            if is_late {
                self.warnings.push(Warning::Truncated);
            }
            if is_late || self.markdown.is_full() || !self.package.input.wants_number(number) {
                self.markdown.part_without_text(Unit::Slide, number, None);
                continue;
            }
            looked_at += 1;
            match part.map(|part| self.slide(part, number)).transpose() {
                Ok(Some(())) => {}
                Ok(None) | Err(DocumentError::Broken) => self.warnings.push(Warning::Incomplete),
                Err(error) => return Err(error),
            }
            if self.markdown.part_count() < number as usize {
                self.markdown.part_without_text(Unit::Slide, number, None);
            }
        }
        Ok(looked_at)
    }

    fn slide(&mut self, part: &str, number: u32) -> Result<(), DocumentError> {
        let tree = self.package.part(part)?.ok_or(DocumentError::Broken)?;
        let is_hidden = matches!(tree.root().attribute("show"), Some("0" | "false"));
        self.relations = self.package.relations(part)?;
        self.positions = Positions::of_layout(self.package, &self.relations)?;
        let shapes = tree.root().find("spTree").ok_or(DocumentError::Broken)?;
        let title = shapes::title(shapes);
        if !self.begin(number, title.as_deref(), is_hidden) {
            return Ok(());
        }
        self.markdown
            .heading(2, title.as_deref().unwrap_or_default());
        self.title = title;
        self.shapes(shapes)?;
        self.backdrop(tree.root())?;
        if let Some(tree) = self.related("/notesSlide")? {
            self.notes(&tree);
        }
        for comment in comments::comments(self.package, &self.relations, &self.authors)? {
            self.markdown.block(&format!("> Comment{comment}"));
        }
        self.warnings.extend(tree.warning());
        Ok(())
    }

    /// Lists a slide, and returns whether it is to be read.
    fn begin(&mut self, number: u32, title: Option<&str>, is_hidden: bool) -> bool {
        if !is_hidden || self.shows_hidden {
            return self.markdown.part(Unit::Slide, number, title);
        }
        let is_wanted = self.markdown.hidden_part(Unit::Slide, number, title);
        if is_wanted {
            self.warnings.push(Warning::HiddenPart);
        } else if self.package.input.leaves_out(number) {
            self.hidden += 1;
            self.warnings.push(Warning::HiddenParts);
        }
        is_wanted
    }

    /// The part that the slide refers to in this way.
    fn related(&self, kind: &str) -> Result<Option<XmlTree>, DocumentError> {
        let relation = self.relations.values().find(|it| it.kind.ends_with(kind));
        match relation {
            Some(relation) => self.package.intact_part(&relation.target),
            None => Ok(None),
        }
    }

    fn notes(&mut self, tree: &XmlTree) {
        let body = tree
            .root()
            .find_all("sp")
            .into_iter()
            .filter(|shape| matches!(shapes::placeholder(*shape), Some("body" | "obj") | None));
        let lines: Vec<String> = body
            .flat_map(shapes::paragraphs)
            .map(|paragraph| one_line(&shapes::paragraph_text(paragraph)))
            .collect();
        let text = lines.join("\n").trim().to_owned();
        if !text.is_empty() {
            self.markdown
                .block(&format!("> Notes: {}", text.replace('\n', "\n> ")));
        }
    }

    fn write_footers(&mut self) {
        if !self.footers.is_empty() {
            self.markdown.block("<!-- footers -->");
        }
        for footer in std::mem::take(&mut self.footers) {
            self.markdown.block(&footer);
        }
    }
}
