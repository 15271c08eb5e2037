//! Texts that repeat on the slides of a presentation: footers, and what their masters show.

use std::collections::HashSet;

use super::super::markdown::one_line;
use super::super::xml::XmlElement;
use super::OpenDocumentWriter;

impl<'t> OpenDocumentWriter<'t> {
    /// Writes the texts behind these slides, each once.
    pub(super) fn footers(&mut self, body: XmlElement<'t>, slides: &[XmlElement<'t>]) {
        let masters: Vec<XmlElement<'t>> = self
            .masters
            .map(|masters| masters.all("master-page").collect())
            .unwrap_or_default();
        let declared = body.elements().flat_map(XmlElement::elements);
        let declared: Vec<XmlElement<'t>> = declared
            .filter(|it| matches!(it.name(), "footer-decl" | "header-decl" | "date-time-decl"))
            .collect();
        let mut shown: Vec<XmlElement<'t>> = Vec::new();
        let mut passed = HashSet::new();
        for slide in slides.iter().filter(|it| !self.styles.hides(**it)) {
            let footer = self.styles.shows_footer(*slide);
            let used = used_declarations(*slide, &declared).into_iter();
            shown.extend(used.filter(|it| footer || it.name() != "footer-decl"));
            let master_name = slide.attribute("draw:master-page-name");
            let of_name = |it: &&XmlElement<'t>| it.attribute("style:name") == master_name;
            let master = masters.iter().find(of_name);
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

/// The footers and dates that a slide names.
fn used_declarations<'t>(
    slide: XmlElement<'t>,
    declared: &[XmlElement<'t>],
) -> Vec<XmlElement<'t>> {
    let names = [
        ("footer-decl", "presentation:use-footer-name"),
        ("header-decl", "presentation:use-header-name"),
        ("date-time-decl", "presentation:use-date-time-name"),
    ];
    let is_used = |it: &&XmlElement<'t>| {
        let (_, attribute) = names.iter().find(|(kind, _)| *kind == it.name())?;
        let used = slide.attribute(attribute)?;
        Some(it.attribute("presentation:name") == Some(used))
    };
    let used = declared.iter().filter(|it| is_used(it) == Some(true));
    used.copied().collect()
}
