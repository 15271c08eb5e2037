//! What the styles of an OpenDocument file say that Markdown can express.

use std::collections::{HashMap, HashSet};

use super::super::markdown::Style;
use super::super::symbol_fonts::SymbolFont;
use super::super::xml::XmlElement;
use super::lists::{ListLevels, list_levels};
use crate::script::Script;

/// How many styles are followed, each based on the next.
const MAX_ANCESTORS: usize = 12;

/// The styles by name.
#[derive(Debug, Default)]
pub(super) struct OpenStyles<'t> {
    looks: HashMap<&'t str, Style>,
    parents: HashMap<&'t str, &'t str>,
    /// The fonts of symbols by the names that the file gives them.
    fonts: HashMap<&'t str, SymbolFont>,
    lists: HashMap<&'t str, ListLevels>,
    /// How headings are counted.
    headings: ListLevels,
    /// Styles of sheets and drawings that are not shown.
    hidden: HashSet<&'t str>,
    /// Styles of slides that do not show the footer, and those that do not show what is behind them.
    without_footer: HashSet<&'t str>,
    without_backdrop: HashSet<&'t str>,
    /// Styles whose text is not shown.
    unseen: Vec<&'t str>,
}

impl<'t> OpenStyles<'t> {
    /// Reads the styles of these roots. Later ones replace earlier ones of the same name.
    pub(super) fn read(roots: &[XmlElement<'t>]) -> OpenStyles<'t> {
        let mut styles = OpenStyles::default();
        for root in roots {
            styles.add_fonts(*root);
            for group in root.elements() {
                if !matches!(group.name(), "styles" | "automatic-styles") {
                    continue;
                }
                for style in group.elements() {
                    styles.add(style);
                }
            }
        }
        styles
    }

    /// Remembers which names of fonts stand for a font of symbols.
    fn add_fonts(&mut self, root: XmlElement<'t>) {
        let faces = root.child("font-face-decls");
        for face in faces.into_iter().flat_map(XmlElement::elements) {
            let family = face.attribute("font-family").unwrap_or_default();
            let font = SymbolFont::named(family);
            if let (Some(name), Some(font)) = (face.attribute("style:name"), font) {
                self.fonts.insert(name, font);
            }
        }
    }

    fn symbol_font(&self, properties: XmlElement<'t>) -> Option<SymbolFont> {
        let name = properties.attribute("style:font-name");
        let declared = name.and_then(|name| self.fonts.get(name).copied());
        let family = || properties.attribute("fo:font-family");
        declared.or_else(|| name.or_else(family).and_then(SymbolFont::named))
    }

    fn add(&mut self, style: XmlElement<'t>) {
        if style.name() == "outline-style" {
            self.headings = list_levels(style);
            return;
        }
        let Some(name) = style
            .attribute("style:name")
            .or_else(|| style.attribute("name"))
        else {
            return;
        };
        if style.name() == "list-style" {
            self.lists.insert(name, list_levels(style));
            return;
        }
        if let Some(parent) = style.attribute("parent-style-name") {
            self.parents.insert(name, parent);
        }
        let is_off = |name: &str| {
            style
                .elements()
                .any(|it| it.attribute(name) == Some("false"))
        };
        if is_off("presentation:display-footer") {
            self.without_footer.insert(name);
        }
        if is_off("presentation:background-objects-visible") {
            self.without_backdrop.insert(name);
        }
        let is_hidden = style.elements().any(|properties| {
            properties.attribute("display") == Some("false")
                && properties.name() == "table-properties"
                || properties.attribute("presentation:visibility") == Some("hidden")
        });
        if is_hidden {
            self.hidden.insert(name);
        }
        if let Some(properties) = style.child("text-properties") {
            if properties.attribute("display") == Some("none") {
                self.unseen.push(name);
            }
            let look = Style {
                bold: properties.attribute("fo:font-weight") == Some("bold"),
                italic: properties.attribute("fo:font-style") == Some("italic"),
                struck: properties
                    .attribute("text-line-through-style")
                    .is_some_and(|value| value != "none"),
                script: script(properties.attribute("text-position")),
                symbols: self.symbol_font(properties),
                ..Style::default()
            };
            self.looks.insert(name, look);
        }
    }

    /// The look that a style adds.
    pub(super) fn look(&self, name: &str) -> Style {
        self.looks.get(name).cloned().unwrap_or_default()
    }

    /// Whether a slide shows the footer of its master.
    pub(super) fn shows_footer(&self, slide: XmlElement<'_>) -> bool {
        let style = slide.attribute("draw:style-name");
        style.is_none_or(|style| !self.without_footer.contains(style))
    }

    /// Whether a slide shows the shapes of its master.
    pub(super) fn shows_backdrop(&self, slide: XmlElement<'_>) -> bool {
        let style = slide.attribute("draw:style-name");
        style.is_none_or(|style| !self.without_backdrop.contains(style))
    }

    /// Whether a style hides what has it.
    pub(super) fn hides(&self, element: XmlElement<'_>) -> bool {
        let names = ["table:style-name", "draw:style-name"];
        names
            .iter()
            .filter_map(|name| element.attribute(name))
            .any(|name| self.hidden.contains(&name))
    }

    /// Whether a style, or one that it is based on, says that its text is not shown.
    pub(super) fn hides_text(&self, name: &str) -> bool {
        self.unseen.iter().any(|unseen| self.is_a(name, unseen))
    }

    /// Whether a style is one of this name or based on it.
    pub(super) fn is_a(&self, name: &str, wanted: &str) -> bool {
        let mut next = Some(name);
        for _ in 0..MAX_ANCESTORS {
            match next {
                Some(name) if name == wanted => return true,
                Some(name) => next = self.parents.get(name).copied(),
                None => return false,
            }
        }
        false
    }

    /// How the levels of a list count.
    pub(super) fn list(&self, name: &str) -> Option<&ListLevels> {
        self.lists.get(name)
    }

    /// How headings count.
    pub(super) fn headings(&self) -> &ListLevels {
        &self.headings
    }
}

/// Where text of this position stands: `super 58%`, `sub`, or by how much of its size it is moved.
fn script(position: Option<&str>) -> Script {
    let place = position.and_then(|it| it.split_whitespace().next());
    match place {
        Some("super") => Script::Superscript,
        Some("sub") => Script::Subscript,
        Some(moved) => match moved.trim_end_matches('%').parse::<f32>() {
            Ok(moved) if moved > 0.0 => Script::Superscript,
            Ok(moved) if moved < 0.0 => Script::Subscript,
            _ => Script::Baseline,
        },
        None => Script::Baseline,
    }
}
