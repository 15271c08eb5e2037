//! Texts that repeat on the slides of a presentation: footers, and what their masters show.

use std::collections::{HashMap, HashSet};

use super::super::markdown::one_line;
use super::super::xml::XmlElement;
use super::OpenDocumentWriter;

impl<'t> OpenDocumentWriter<'t> {
    /// Writes the texts behind these slides, each once.
    pub(super) fn footers(&mut self, body: XmlElement<'t>, slides: &[XmlElement<'t>]) {
        let masters = self.masters.into_iter();
        let masters: HashMap<_, _> = masters
            .flat_map(|masters| masters.all("master-page"))
            .map(|it| (it.attribute("style:name"), it))
            .collect();
        let mut declared = declarations(body);
        let mut shown: Vec<XmlElement<'t>> = Vec::new();
        let mut passed = HashSet::new();
        for slide in slides.iter().filter(|it| !self.styles.hides(**it)) {
            let footer = self.styles.shows_footer(*slide);
            for (kind, attribute) in DECLARATIONS {
                let is_shown = footer || kind != "footer-decl";
                let name = slide.attribute(attribute).filter(|_| is_shown);
                // Each once: a footer of all slides is one text.
                shown.extend(name.and_then(|name| declared.remove(&(kind, name))));
            }
            let master_name = slide.attribute("draw:master-page-name");
            let master = masters.get(&master_name);
            let shapes = master.into_iter().flat_map(|it| it.elements());
            let backdrop = self.styles.shows_backdrop(*slide);
            if !passed.insert((master_name, footer, backdrop)) {
                continue;
            }
            shown.extend(
                shapes.filter(|it| match it.attribute("presentation:class") {
                    Some("footer" | "header") => footer && backdrop,
                    Some(_) => false,
                    None => backdrop && !matches!(it.name(), "notes" | "forms"),
                }),
            );
        }
        self.write_once(shown);
    }

    fn write_once(&mut self, shown: Vec<XmlElement<'t>>) {
        let mut seen: HashSet<String> = HashSet::new();
        for element in shown {
            let text = match element.name().ends_with("-decl") {
                true => one_line(&element.text()),
                false => self.cell(element),
            };
            // The place of a number has a word in angle brackets.
            let is_place = text.starts_with('<') && text.ends_with('>');
            if is_place || !text.contains(char::is_alphabetic) || seen.contains(&text) {
                continue;
            }
            if seen.is_empty() {
                self.markdown.block("<!-- footers -->");
            }
            self.markdown.block(&text);
            seen.insert(text);
        }
    }
}

/// The footers and dates of slides, and the attributes by which slides name them.
const DECLARATIONS: [(&str, &str); 3] = [
    ("footer-decl", "presentation:use-footer-name"),
    ("header-decl", "presentation:use-header-name"),
    ("date-time-decl", "presentation:use-date-time-name"),
];

/// What slides can name, by kind and name.
fn declarations<'t>(body: XmlElement<'t>) -> HashMap<(&'static str, &'t str), XmlElement<'t>> {
    let mut declared = HashMap::new();
    for element in body.elements().flat_map(XmlElement::elements) {
        let kind = DECLARATIONS.iter().find(|it| it.0 == element.name());
        let name = element.attribute("presentation:name");
        if let (Some((kind, _)), Some(name)) = (kind, name) {
            declared.entry((*kind, name)).or_insert(element);
        }
    }
    declared
}
