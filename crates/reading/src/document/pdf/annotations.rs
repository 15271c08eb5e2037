//! Form fields, free texts and notes: what a PDF shows on top of a page.
//!
//! An annotation with an appearance is drawn like a form. A field or a free text without one is put
//! where it would be drawn. Other notes, which a viewer shows only on request, follow the page.

use hayro_font::kurbo::{Affine, Point, Rect, Vec2};
use hayro_syntax::object::{
    Array, Dict, Name, Object, Rect as PdfRect, Stream, String as PdfString,
};
use hayro_syntax::page::{Page, Resources};

use super::super::error::DocumentError;
use super::MIN_LETTERS;
use super::content::{Interpreter, UNORDERED};
use super::graphics_state::GraphicsState;
use super::marks::Mark;
use super::text_string;

const MAX_ANNOTATIONS: usize = 5_000;
const MAX_NOTES: usize = 500;
const MAX_PARENTS: usize = 16;
/// What an annotation costs, in instructions.
const ANNOTATION_COST: u64 = 20;

/// Bits of the entry `F`.
const HIDDEN: i64 = 1 << 1;
const NO_VIEW: i64 = 1 << 5;
/// Bits of the entry `Ff`.
const PASSWORD: i64 = 1 << 13;
const PUSH_BUTTON: i64 = 1 << 16;
const COMBO: i64 = 1 << 17;

const TICKED: &str = "☒";
const UNTICKED: &str = "☐";

/// A field that is ticked or not.
struct TickBox {
    place: Rect,
    is_ticked: bool,
}

impl<'a> Interpreter<'a, '_> {
    /// Reads the annotations of a page.
    pub(super) fn annotations(&mut self, page: &Page<'a>) -> Result<(), DocumentError> {
        let read = self.all_annotations(page);
        self.keep_quotes();
        read
    }

    fn all_annotations(&mut self, page: &Page<'a>) -> Result<(), DocumentError> {
        let Some(list) = page.raw().get::<Array<'a>>("Annots") else {
            return Ok(());
        };
        let mut boxes = Vec::new();
        for annotation in list.iter::<Dict<'a>>().take(MAX_ANNOTATIONS) {
            self.budget.count_operations(ANNOTATION_COST)?;
            let kind = annotation.get::<Name<'_>>("Subtype");
            let kind = kind.as_ref().map_or("", Name::as_str);
            let flags = annotation.get::<i64>("F").unwrap_or(0);
            let is_unseen = flags & (HIDDEN | NO_VIEW) != 0 || matches!(kind, "Link" | "Popup");
            // Some programs draw a password as it is.
            if is_unseen || (kind == "Widget" && is_password(&annotation)) {
                continue;
            }
            boxes.extend(self.annotation(&annotation, kind, page.resources())?);
        }
        self.put_boxes(boxes)
    }

    /// Reads an annotation. Returns a box to tick that is still to be put on the page.
    fn annotation(
        &mut self,
        annotation: &Dict<'a>,
        kind: &str,
        resources: &Resources<'a>,
    ) -> Result<Option<TickBox>, DocumentError> {
        let before = self.content.letters.len();
        let place = annotation.get::<PdfRect>("Rect").map(rect);
        if let (Some(appearance), Some(place)) = (appearance(annotation), place) {
            self.draw(&appearance, place, resources)?;
        }
        let is_drawn = self.content.letters.len() > before;
        let text = match kind {
            "Widget" => field_text(annotation, place),
            _ => contents(annotation),
        };
        match (kind, text, place) {
            ("Widget", Some(text), Some(place)) if text == TICKED || text == UNTICKED => {
                let is_ticked = text == TICKED;
                return Ok((!is_drawn).then_some(TickBox { place, is_ticked }));
            }
            ("Widget" | "FreeText", Some(text), Some(place)) if !is_drawn => {
                self.put(&text, place);
            }
            ("Widget" | "FreeText", ..) => {}
            ("Highlight" | "Underline" | "StrikeOut" | "Squiggly", Some(text), _)
                if self.content.quotes.len() < MAX_NOTES =>
            {
                self.content.quotes.push(text);
            }
            (_, Some(text), _) if self.content.notes.len() < MAX_NOTES => {
                self.content.notes.push(text);
            }
            _ => {}
        }
        Ok(None)
    }

    /// Keeps what is said about marked text as notes, except where it only repeats the text.
    fn keep_quotes(&mut self) {
        /// Fewer letters may be a word of the page by chance.
        const MIN_QUOTE: usize = 16;
        let quotes = std::mem::take(&mut self.content.quotes);
        if quotes.is_empty() {
            return;
        }
        let spelt =
            |text: &str| -> String { text.chars().filter(|it| it.is_alphanumeric()).collect() };
        let letters = self.content.letters.iter();
        let page: String = letters.map(|letter| spelt(&letter.text)).collect();
        for quote in quotes {
            let own = spelt(&quote);
            let is_repeated = own.chars().count() >= MIN_QUOTE && page.contains(&own);
            if !is_repeated && self.content.notes.len() < MAX_NOTES {
                self.content.notes.push(quote);
            }
        }
    }

    /// Draws an appearance so that its box fills the place of the annotation.
    fn draw(
        &mut self,
        appearance: &Stream<'a>,
        place: Rect,
        resources: &Resources<'a>,
    ) -> Result<(), DocumentError> {
        let dict = appearance.dict();
        let matrix = dict
            .get::<[f64; 6]>("Matrix")
            .map_or(Affine::IDENTITY, Affine::new);
        let whole = Rect::new(0.0, 0.0, place.width(), place.height());
        let shown = dict.get::<PdfRect>("BBox").map_or(whole, rect);
        let shown = matrix.transform_rect_bbox(shown);
        let scale = |to: f64, from: f64| if from.abs() > 1e-6 { to / from } else { 1.0 };
        let (across, down) = (
            scale(place.width(), shown.width()),
            scale(place.height(), shown.height()),
        );
        let fit = Affine::translate((place.x0 - shown.x0 * across, place.y0 - shown.y0 * down))
            * Affine::scale_non_uniform(across, down);
        self.state = GraphicsState::new(self.base * fit);
        self.form(appearance, resources)
    }

    /// Puts the boxes of fields where they would be drawn.
    fn put_boxes(&mut self, boxes: Vec<TickBox>) -> Result<(), DocumentError> {
        /// How many letters are looked at in the time of an instruction.
        const LETTERS: usize = 100;
        let letters = &self.content.letters;
        let count = letters.len();
        let is_marked = letters.iter().any(|it| matches!(it.mark, Mark::Leaf(_)));
        let has_values = letters.iter().any(|it| it.order == UNORDERED)
            || boxes.iter().any(|field| field.is_ticked);
        // In a picture of a form, they have no names. And the structure of an empty form says more.
        let shows_unticked = count >= MIN_LETTERS && (has_values || !is_marked);
        for field in boxes {
            self.budget.count_operations((count / LETTERS) as u64)?;
            let place = self.base.transform_rect_bbox(field.place);
            let mut letters = self.content.letters[..count].iter();
            // The page may draw a box itself.
            let is_drawn = letters.any(|it| place.contains(it.middle()));
            if field.is_ticked || (shows_unticked && !is_drawn) {
                self.put_box(&field, count);
            }
        }
        Ok(())
    }

    /// Puts a box in the middle of its place, or in line with what stands to the right of it among the
    /// letters of the page. It is as wide as the place: what stands beside it is its name.
    fn put_box(&mut self, field: &TickBox, count: usize) {
        const SIZE: f64 = 10.0;
        /// From the baseline to the middle of a box.
        const MIDDLE: f64 = 0.35;
        let place = field.place;
        let size = SIZE.min(place.height()).max(1.0);
        let baseline = place.center().y - MIDDLE * size;
        let mut origin = self.base * Point::new(place.x0, baseline);
        let along = self.base * Point::new(place.x1, baseline) - origin;
        let up = self.base * Point::new(place.x0, baseline + size) - origin;
        let shown = self.base.transform_rect_bbox(place);
        let beside = self.content.letters[..count].iter().map(|it| it.origin);
        let beside = beside.filter(|it| {
            let after = it.x - shown.x1;
            (shown.y0..=shown.y1).contains(&it.y) && (0.0..2.0 * shown.height()).contains(&after)
        });
        if let Some(name) = beside.min_by(|one, other| one.x.total_cmp(&other.x))
            && along.y.abs() < 0.1 * along.x
        {
            origin.y = name.y;
        }
        let text = if field.is_ticked { TICKED } else { UNTICKED };
        self.keep(Some(text), origin, along, Vec2::hypot(up));
    }

    /// Puts the lines of a text at the upper left of a place.
    fn put(&mut self, text: &str, place: Rect) {
        /// The size of most forms.
        const SIZE: f64 = 10.0;
        const WIDTH: f64 = 0.5;
        let size = SIZE.min(place.height()).max(1.0);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (index, line) in lines.enumerate() {
            // The text of a low field stands on its lower edge.
            let down = (index as f64 + 0.8) * size;
            let baseline = (place.y1 - down).min(place.y0.max(place.y1 - 1.5 * size) + 0.25 * size);
            let baseline = if index == 0 {
                baseline
            } else {
                place.y1 - down
            };
            let origin = self.base * Point::new(place.x0, baseline);
            let end = self.base
                * Point::new(
                    place.x0 + WIDTH * size * line.chars().count() as f64,
                    baseline,
                );
            let up = self.base * Point::new(place.x0, baseline + size) - origin;
            self.keep(Some(line), origin, end - origin, Vec2::hypot(up));
        }
    }
}

fn rect(it: PdfRect) -> Rect {
    Rect::new(it.x0, it.y0, it.x1, it.y1).abs()
}

/// The stream that draws an annotation in its present state.
fn appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    let normal = annotation.get::<Dict<'a>>("AP")?.get::<Object<'a>>("N")?;
    match normal {
        Object::Stream(stream) => Some(stream),
        Object::Dict(states) => states.get::<Stream<'a>>(annotation.get::<Name<'_>>("AS")?),
        _ => None,
    }
}

fn contents(annotation: &Dict<'_>) -> Option<String> {
    let text = text_string(&annotation.get::<PdfString<'_>>("Contents")?);
    Some(text).filter(|text| !text.trim().is_empty())
}

/// An entry of a field, or of the field that it is part of.
fn inherited<'a>(field: &Dict<'a>, key: &str) -> Option<Object<'a>> {
    let mut field = field.clone();
    for _ in 0..MAX_PARENTS {
        if let Some(value) = field.get::<Object<'a>>(key) {
            return Some(value);
        }
        field = field.get::<Dict<'a>>("Parent")?;
    }
    None
}

fn is_password(field: &Dict<'_>) -> bool {
    let kind = inherited(field, "FT").and_then(Object::into_name);
    kind.is_some_and(|kind| kind.as_str() == "Tx") && field_flags(field) & PASSWORD != 0
}

fn field_flags(field: &Dict<'_>) -> i64 {
    match inherited(field, "Ff") {
        Some(Object::Number(flags)) => flags.as_i64(),
        _ => 0,
    }
}

/// The value of a form field. `None` if it is empty, or not to be seen.
fn field_text(field: &Dict<'_>, place: Option<Rect>) -> Option<String> {
    /// The height of the lines of a list.
    const LINE: f64 = 10.0;
    let flags = field_flags(field);
    let kind = inherited(field, "FT")?.into_name()?;
    let room = place.map_or(0, |place| (place.height() / LINE) as usize);
    let text = match kind.as_str() {
        "Btn" if flags & PUSH_BUTTON != 0 => caption(field)?,
        "Btn" => {
            let state = field.get::<Name<'_>>("AS");
            let is_ticked = state.is_some_and(|state| state.as_str() != "Off");
            (if is_ticked { TICKED } else { UNTICKED }).to_owned()
        }
        // A list shows what can be chosen, and not only what is, as far as there is room.
        "Ch" if flags & COMBO == 0 && room > 1 && inherited(field, "Opt").is_some() => {
            options(inherited(field, "Opt")?, room)
        }
        "Tx" | "Ch" => strings(inherited(field, "V")?),
        _ => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

fn caption(field: &Dict<'_>) -> Option<String> {
    let look = field.get::<Dict<'_>>("MK")?;
    Some(text_string(&look.get::<PdfString<'_>>("CA")?))
}

/// A string, a stream that holds one, or several strings.
fn strings(value: Object<'_>) -> String {
    match value {
        Object::String(text) => text_string(&text),
        Object::Stream(stream) => stream
            .decoded_data()
            .map(|text| text_string(&text))
            .unwrap_or_default(),
        Object::Array(list) => list
            .iter::<PdfString<'_>>()
            .map(|text| text_string(&text))
            .collect::<Vec<_>>()
            .join(", "),
        _ => String::new(),
    }
}

/// What a list shows, a line for each. An option may have a value beside the text that is shown.
fn options(list: Object<'_>, room: usize) -> String {
    const MAX_OPTIONS: usize = 200;
    let Object::Array(list) = list else {
        return String::new();
    };
    let shown = list
        .iter::<Object<'_>>()
        .take(MAX_OPTIONS.min(room))
        .map(|option| match option {
            Object::Array(pair) => pair.iter::<Object<'_>>().nth(1).map(strings),
            text => Some(strings(text)),
        });
    shown.flatten().collect::<Vec<_>>().join("\n")
}
