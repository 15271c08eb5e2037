//! What the properties of a run say about its text: a font of symbols, above or below the line,
//! hidden. What the run itself does not say, its styles do.

use super::runs::is_on;
use crate::document::symbol_fonts::SymbolFont;
use crate::document::xml::XmlElement;
use crate::script::Script;

/// Text of this size or less, in half points, cannot be read by people.
const UNREADABLE: u32 = 2;

/// The properties that are present.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunLook {
    /// A font, and whether it has symbols.
    font: Option<Option<SymbolFont>>,
    script: Option<Script>,
    vanishes: Option<bool>,
    is_white: Option<bool>,
    is_shaded: Option<bool>,
    half_points: Option<u32>,
}

impl RunLook {
    /// What the properties of a run or a style say.
    pub(super) fn of(properties: XmlElement<'_>) -> RunLook {
        let value = |name: &str| {
            let property = properties.child(name)?;
            property.attribute("val")
        };
        let font = properties.child("rFonts");
        let font = font.and_then(|it| it.attribute("ascii").or_else(|| it.attribute("hAnsi")));
        let vanishes = properties.child("vanish").is_some();
        RunLook {
            font: font.map(SymbolFont::named),
            script: value("vertAlign").map(|place| match place {
                "superscript" => Script::Superscript,
                "subscript" => Script::Subscript,
                _ => Script::Baseline,
            }),
            vanishes: vanishes.then(|| is_on(properties, "vanish")),
            is_white: value("color").map(is_white),
            is_shaded: shading(properties),
            half_points: value("sz").and_then(|size| size.parse().ok()),
        }
    }

    /// These properties, and those of an outer style where one is not present.
    pub(super) fn or(self, outer: RunLook) -> RunLook {
        RunLook {
            font: self.font.or(outer.font),
            script: self.script.or(outer.script),
            vanishes: self.vanishes.or(outer.vanishes),
            is_white: self.is_white.or(outer.is_white),
            is_shaded: self.is_shaded.or(outer.is_shaded),
            half_points: self.half_points.or(outer.half_points),
        }
    }

    /// These properties in a paragraph with such a background, which only hides nothing if it is
    /// stated.
    pub(super) fn on(self, paragraph: Option<XmlElement<'_>>) -> RunLook {
        let behind = paragraph.and_then(shading);
        RunLook {
            is_shaded: self.is_shaded.or(behind),
            ..self
        }
    }

    pub(super) fn symbols(self) -> Option<SymbolFont> {
        self.font.flatten()
    }

    pub(super) fn script(self) -> Script {
        self.script.unwrap_or_default()
    }

    /// Whether nobody sees it, on whatever background.
    pub(super) fn is_hidden(self) -> bool {
        let is_tiny = self.half_points.is_some_and(|size| size <= UNREADABLE);
        self.vanishes == Some(true) || is_tiny
    }

    /// Whether nobody sees it on white paper.
    pub(super) fn is_white_on_white(self) -> bool {
        self.is_white == Some(true) && self.is_shaded != Some(true)
    }
}

/// Whether the properties give a background other than white. `None` if they give none.
pub(super) fn shading(properties: XmlElement<'_>) -> Option<bool> {
    let highlight = properties
        .child("highlight")
        .and_then(|it| it.attribute("val"));
    if let Some(colour) = highlight.filter(|colour| *colour != "none") {
        return Some(colour != "white");
    }
    let shading = properties.child("shd")?;
    // A pattern, such as `solid`, is drawn over the fill.
    let pattern = shading.attribute("val").unwrap_or("clear");
    let fill = shading.attribute("fill").unwrap_or("auto");
    let is_plain = matches!(pattern, "clear" | "nil") && (fill == "auto" || is_white(fill));
    Some(!is_plain)
}

fn is_white(colour: &str) -> bool {
    colour.eq_ignore_ascii_case("FFFFFF")
}
