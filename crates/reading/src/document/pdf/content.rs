//! Interprets the drawing instructions of a page and collects its letters, with position and size.
//!
//! Only instructions that affect text matter: the matrices, the text state, and forms, which are
//! pages within pages. Images are counted, to tell a scan from an empty page.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point, Rect, Vec2};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_syntax::page::{Page, Resources};

use super::super::budget::Budget;
use super::super::error::DocumentError;
use super::actual_text::{ActualTexts, UNKNOWN_LETTER};
use super::drawn_bullets::Dots;
use super::font::{PdfFont, PdfFonts};
use super::graphics_state::GraphicsState;
use super::marks::{Mark, Marks};
use super::rulings::{Path, Rulings};
use super::tags::Tags;
use super::visibility::{Painted, WantedText};

const MAX_FORMS: usize = 16;
/// What a form costs beside its instructions, in instructions: its data are unpacked and its
/// resources looked up each time it is drawn.
const FORM_COST: u64 = 200;
/// How many bytes of a text that is stated for a span cost as much as an instruction.
const STATED_BYTES: usize = 16;
/// What a font costs when a stream names it for the first time.
const FONT_COST: u64 = 100;
const MAX_SAVED: usize = 512;
/// More letters than any readable page has.
const MAX_LETTERS: usize = 400_000;

/// A letter, or the few that one glyph stands for. The origin of the page is its upper left corner.
#[derive(Debug, Clone)]
pub(super) struct Letter {
    pub(super) text: Box<str>,
    pub(super) origin: Point,
    /// From the origin to where the next letter starts.
    pub(super) advance: Vec2,
    pub(super) size: f64,
    /// Whether a blank was drawn just before it. Blanks are no letters of their own: those that fill
    /// up a cell may lie over the next one.
    pub(super) after_blank: bool,
    pub(super) is_bold: bool,
    /// Whether it is in italics or small capitals.
    pub(super) is_styled: bool,
    /// Whether all letters of its font are as wide, and it is drawn with the page.
    pub(super) is_fixed: bool,
    /// Whether it is laid over the page without being drawn, or drawn in the colour of the paper.
    pub(super) is_invisible: bool,
    /// Its place in the order in which the file draws the page, or [`UNORDERED`].
    pub(super) order: usize,
    pub(super) mark: Mark,
}

impl Letter {
    pub(super) fn middle(&self) -> Point {
        self.origin + self.advance / 2.0
    }
}

/// The order of text on top of the page, such as the values of a form: it is drawn after the page,
/// wherever it is.
pub(super) const UNORDERED: usize = usize::MAX;

/// Whether a letter is as wide as it is high: ideographs, and Latin letters and digits among them.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF01}'..='\u{FF60}')
}

#[derive(Debug, Default)]
pub(super) struct PageContent {
    pub(super) letters: Vec<Letter>,
    pub(super) images: usize,
    pub(super) rulings: Rulings,
    pub(super) painted: Painted,
    pub(super) dots: Dots,
    /// How many letters were left out because no one can see them.
    pub(super) unseen: usize,
    /// How many glyphs have no known text.
    pub(super) unmapped: usize,
    /// What people have written about the page without drawing it on the page.
    pub(super) notes: Vec<String>,
    /// What is said about text that is highlighted or struck out. Many programs put the text itself there.
    pub(super) quotes: Vec<String>,
    /// Whether the last glyph was a blank.
    pub(super) after_blank: bool,
}

pub(super) fn interpret_page<'a>(
    page: &Page<'a>,
    fonts: &PdfFonts<'a>,
    tags: Option<&Tags>,
    text: WantedText,
    turn: Affine,
    budget: &Budget,
) -> Result<PageContent, DocumentError> {
    let base = turn * Affine::new(page.initial_transform(true).as_coeffs());
    let mut interpreter = Interpreter {
        fonts,
        budget,
        base,
        state: GraphicsState::new(base),
        saved: Vec::new(),
        content: PageContent::default(),
        actual_texts: ActualTexts::default(),
        marks: Marks::new(tags, page.raw().obj_id()),
        path: Path::default(),
        is_on_top: false,
        steps: 0,
        depth: 0,
    };
    interpreter.stream(page.typed_operations(), page.resources())?;
    interpreter.is_on_top = true;
    match interpreter.annotations(page) {
        // The page itself is worth more than its annotations.
        Err(DocumentError::TooManyOperations) if !interpreter.content.letters.is_empty() => {}
        read => read?,
    }
    interpreter.content.drop_unknown();
    let sheet = page.intersected_crop_box();
    let sheet = base.transform_rect_bbox(Rect::new(sheet.x0, sheet.y0, sheet.x1, sheet.y1).abs());
    interpreter.content.drop_beside(sheet);
    if text == WantedText::Seen {
        interpreter.content.drop_unseen(sheet);
    }
    interpreter.content.add_drawn_bullets();
    Ok(interpreter.content)
}

pub(super) struct Interpreter<'a, 'f> {
    fonts: &'f PdfFonts<'a>,
    pub(super) budget: &'f Budget,
    /// From the coordinates of the page to ours.
    pub(super) base: Affine,
    pub(super) state: GraphicsState<'a>,
    saved: Vec<GraphicsState<'a>>,
    pub(super) content: PageContent,
    actual_texts: ActualTexts,
    marks: Marks<'f>,
    path: Path,
    /// Whether annotations are drawn.
    is_on_top: bool,
    steps: u32,
    depth: usize,
}

/// The fonts that one set of resources defines, by name.
type NamedFonts<'a> = HashMap<String, Option<Rc<PdfFont<'a>>>>;

impl<'a> Interpreter<'a, '_> {
    fn stream(
        &mut self,
        mut instructions: TypedIter<'_>,
        resources: &Resources<'a>,
    ) -> Result<(), DocumentError> {
        let mut fonts = NamedFonts::new();
        let floor = self.saved.len();
        while let Some(instruction) = instructions.next() {
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(4_096) {
                self.budget.check_time()?;
            }
            if self.content.letters.len() >= MAX_LETTERS {
                break;
            }
            self.budget.count_operations(1)?;
            self.apply_instruction(instruction, resources, &mut fonts, floor)?;
        }
        self.saved.truncate(floor);
        Ok(())
    }

    fn apply_instruction(
        &mut self,
        instruction: TypedInstruction<'_, '_>,
        resources: &Resources<'a>,
        fonts: &mut NamedFonts<'a>,
        floor: usize,
    ) -> Result<(), DocumentError> {
        use TypedInstruction as Op;
        match instruction {
            Op::SaveState(_) if self.saved.len() < floor + MAX_SAVED => {
                self.saved.push(self.state.clone())
            }
            Op::RestoreState(_) if self.saved.len() > floor => {
                self.state = self.saved.pop().unwrap_or_else(|| self.state.clone())
            }
            Op::TextFont(it) => {
                self.state.size = it.1.as_f64();
                self.set_font(it.0.as_str(), fonts, || resources.get_font(it.0))?;
            }
            Op::SetGraphicsState(it) => {
                let state = resources.get_ext_g_state(it.0).unwrap_or_default();
                if let Some(opacity) = state.get::<f64>("ca") {
                    self.state.ink.set_opacity(opacity);
                }
                let list = state.get::<Array<'a>>("Font");
                if let Some((font, size)) = list.as_ref().and_then(font_and_size) {
                    self.state.size = size;
                    // No name of a font starts so.
                    let name = format!(" {}", it.0.as_str());
                    self.set_font(&name, fonts, || Some(font))?;
                }
            }
            Op::ShowText(it) => self.show(it.0),
            Op::NextLineAndShowText(it) => {
                self.state.next_line(0.0, -self.state.leading);
                self.show(it.0);
            }
            Op::ShowTextWithParameters(it) => {
                self.state.word_space = it.0.as_f64();
                self.state.letter_space = it.1.as_f64();
                self.state.next_line(0.0, -self.state.leading);
                self.show(it.2);
            }
            Op::ShowTexts(it) => self.show_all(it.0.iter::<Object<'_>>()),
            Op::XObject(it) => self.object(it.0, resources)?,
            Op::InlineImage(_) => self.picture(),
            Op::Shading(_) => self.content.painted.add_everywhere(),
            Op::ColorSpaceNonStroke(it) => {
                let described = resources.get_color_space(it.0);
                self.state.ink.set_space(it.0.as_str(), described.as_ref());
            }
            Op::BeginMarkedContent(it) => {
                self.actual_texts.begin(None, &self.content);
                self.marks.begin(it.0.as_str(), None);
            }
            Op::BeginMarkedContentWithProperties(it) => {
                let properties = match it.1 {
                    Object::Dict(dict) => Some(dict.clone()),
                    Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                    _ => None,
                };
                let length = self.actual_texts.begin(properties.as_ref(), &self.content);
                self.budget
                    .count_operations((length / STATED_BYTES) as u64)?;
                self.marks.begin(it.0.as_str(), properties.as_ref());
            }
            Op::EndMarkedContent(_) => {
                self.actual_texts.end(&mut self.content);
                self.marks.end();
            }
            other => {
                // The frames of form fields are no table.
                if !self.is_on_top {
                    self.draw_path(&other);
                }
                self.state.apply(other);
            }
        }
        Ok(())
    }

    /// Follows an instruction that draws or paints a path.
    fn draw_path(&mut self, instruction: &TypedInstruction<'_, '_>) {
        let PageContent {
            rulings, painted, ..
        } = &mut self.content;
        let state = &self.state;
        let is_unseen = |area: Rect| painted.is_white_on_white(area, &state.ink);
        if let Some(path) = (self.path).apply(instruction, state.page, rulings, &is_unseen) {
            self.content.dots.add(path);
            self.content.painted.add(path, state);
        }
    }

    /// Sets the font of a name, which is looked up once in each stream.
    fn set_font(
        &mut self,
        name: &str,
        fonts: &mut NamedFonts<'a>,
        find: impl FnOnce() -> Option<Dict<'a>>,
    ) -> Result<(), DocumentError> {
        if !fonts.contains_key(name) {
            self.budget.count_operations(FONT_COST)?;
            let font = find().map(|dict| Rc::new(self.fonts.font(&dict)));
            fonts.insert(name.to_owned(), font);
        }
        self.state.font = fonts.get(name).cloned().flatten();
        Ok(())
    }

    fn show_all<'s>(&mut self, pieces: impl Iterator<Item = Object<'s>>) {
        for piece in pieces {
            match piece {
                Object::String(text) => self.show(&text),
                Object::Number(number) => {
                    let is_horizontal = self
                        .state
                        .font
                        .as_ref()
                        .is_none_or(|font| font.is_horizontal);
                    self.state
                        .advance(-number.as_f64() / 1_000.0 * self.state.size, is_horizontal);
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, text: &PdfString<'_>) {
        let font = self.state.font.clone();
        let font = font.unwrap_or_else(|| self.fonts.missing());
        let mut rest = text.as_bytes();
        while !rest.is_empty() && self.content.letters.len() < MAX_LETTERS {
            let code = font.code(rest);
            rest = &rest[code.size..];
            let state = &self.state;
            let width = code.meaning.advance / 1_000.0 * state.size;
            // No gap between ideographs is a blank.
            let spacing = match code.meaning.text.as_deref() {
                Some(text) if text.starts_with(is_wide) => state.letter_space.max(0.0),
                _ => 0.0,
            };
            let place = state.page * state.text;
            let origin = place * Point::new(0.0, state.rise);
            let end = place
                * if font.is_horizontal {
                    Point::new((width + spacing) * state.stretch, state.rise)
                } else {
                    Point::new(0.0, width)
                };
            let up = place * Point::new(0.0, state.size + state.rise) - origin;
            self.keep(
                code.meaning.text.as_deref(),
                origin,
                end - origin,
                up.hypot() * font.em,
            );
            let extra = self.state.letter_space
                + if code.is_space {
                    self.state.word_space
                } else {
                    0.0
                };
            self.state.advance(width + extra, font.is_horizontal);
        }
    }

    pub(super) fn keep(&mut self, text: Option<&str>, origin: Point, advance: Vec2, size: f64) {
        let is_real = [origin.x, origin.y, advance.x, advance.y, size]
            .iter()
            .all(|it| it.is_finite() && it.abs() < 1e6);
        match text {
            Some(text) if text.trim().is_empty() => self.content.after_blank = true,
            Some(text) if is_real && size > 0.01 => {
                let order = if self.is_on_top {
                    UNORDERED
                } else {
                    self.content.letters.len()
                };
                let font = self.state.font.as_ref();
                self.content.letters.push(Letter {
                    text: Box::from(text),
                    origin,
                    advance,
                    size,
                    after_blank: std::mem::take(&mut self.content.after_blank),
                    is_bold: font.is_some_and(|font| font.is_bold) || self.is_stroked_bold(size),
                    is_styled: font.is_some_and(|font| font.is_styled),
                    is_fixed: font.is_some_and(|font| font.is_fixed)
                        && !self.is_on_top
                        && !self.state.ink.is_invisible(),
                    is_invisible: self.state.ink.is_invisible()
                        || self.is_like_paper(origin + advance / 2.0),
                    order,
                    mark: self.marks.current(),
                });
            }
            Some(_) => {}
            None if self.actual_texts.state_text() => {
                self.keep(Some(UNKNOWN_LETTER), origin, advance, size);
            }
            None => self.content.unmapped += 1,
        }
    }

    /// Whether letters are made bold by a stroke around them, as where the font has no bold ones.
    fn is_stroked_bold(&self, size: f64) -> bool {
        /// A thinner stroke cannot be seen, and a thicker one is an outline.
        const STROKE: std::ops::Range<f64> = 0.02..0.08;
        self.state.ink.is_stroked() && STROKE.contains(&(self.state.pen() / size))
    }

    /// Whether a letter has the colour of the paper on which it stands.
    fn is_like_paper(&self, letter: Point) -> bool {
        !self.is_on_top && self.state.ink.hides_text() && !self.content.painted.is_under(letter)
    }

    fn picture(&mut self) {
        let area = Rect::new(0.0, 0.0, 1.0, 1.0);
        let area = self.state.page.transform_rect_bbox(area);
        self.content.painted.add_picture(area);
        self.content.images += 1;
        let has_letters = self.content.letters.last();
        let has_letters = has_letters.is_some_and(|it| it.mark == self.marks.current());
        if !has_letters && let Some(text) = self.marks.text_of_picture() {
            self.put_over(text, area);
        }
    }

    fn object(&mut self, name: &Name<'_>, resources: &Resources<'a>) -> Result<(), DocumentError> {
        let Some(stream) = resources.get_x_object(name) else {
            return Ok(());
        };
        let kind = stream.dict().get::<Name<'_>>("Subtype");
        match kind.as_ref().map(Name::as_str) {
            Some("Image") => self.picture(),
            Some("Form") if self.depth < MAX_FORMS => self.form(&stream, resources)?,
            _ => {}
        }
        Ok(())
    }

    /// Draws a form, which is a page within the page.
    pub(super) fn form(
        &mut self,
        stream: &Stream<'a>,
        outer: &Resources<'a>,
    ) -> Result<(), DocumentError> {
        let Ok(data) = stream.decoded_data() else {
            return Ok(());
        };
        self.budget.count_unpacked(data.len() as u64)?;
        self.budget.count_operations(FORM_COST)?;
        let own = stream
            .dict()
            .get::<Dict<'a>>("Resources")
            .map(Resources::new);
        let place = stream
            .dict()
            .get::<[f64; 6]>("Matrix")
            .unwrap_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let before = self.state.clone();
        let marks = self.marks.enter_form(stream.dict().obj_id());
        self.state.page *= Affine::new(place);
        self.depth += 1;
        let result = self.stream(TypedIter::new(&data), own.as_ref().unwrap_or(outer));
        self.depth -= 1;
        self.state = before;
        self.marks.leave_form(marks);
        result
    }
}

/// The font that a graphics state sets, and its size.
fn font_and_size<'a>(list: &Array<'a>) -> Option<(Dict<'a>, f64)> {
    let font = list.iter::<Dict<'a>>().next()?;
    let size = list.iter::<Object<'_>>().nth(1)?;
    match size {
        Object::Number(size) => Some((font, size.as_f64())),
        _ => None,
    }
}
