//! What the instructions of a page have set: the matrices, and the font, the spacing and the ink of the text.

use std::rc::Rc;

use hayro_font::kurbo::Affine;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::Number;

use super::font::PdfFont;
use super::visibility::Ink;

#[derive(Clone)]
pub(super) struct GraphicsState<'a> {
    pub(super) page: Affine,
    pub(super) text: Affine,
    line: Affine,
    pub(super) font: Option<Rc<PdfFont<'a>>>,
    pub(super) size: f64,
    pub(super) letter_space: f64,
    pub(super) word_space: f64,
    pub(super) stretch: f64,
    pub(super) leading: f64,
    pub(super) rise: f64,
    pub(super) ink: Ink,
    line_width: f64,
}

impl GraphicsState<'_> {
    pub(super) fn new(page: Affine) -> Self {
        GraphicsState {
            page,
            text: Affine::IDENTITY,
            line: Affine::IDENTITY,
            font: None,
            size: 1.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
            ink: Ink::BLACK,
            line_width: 1.0,
        }
    }

    /// Applies an instruction that only sets a matrix or a parameter of the text.
    pub(super) fn apply(&mut self, instruction: TypedInstruction<'_, '_>) {
        use TypedInstruction as Op;
        match instruction {
            Op::Transform(it) => self.page *= matrix([it.0, it.1, it.2, it.3, it.4, it.5]),
            Op::BeginText(_) => {
                self.text = Affine::IDENTITY;
                self.line = Affine::IDENTITY;
            }
            Op::CharacterSpacing(it) => self.letter_space = it.0.as_f64(),
            Op::WordSpacing(it) => self.word_space = it.0.as_f64(),
            Op::HorizontalScaling(it) => self.stretch = it.0.as_f64() / 100.0,
            Op::TextLeading(it) => self.leading = it.0.as_f64(),
            Op::TextRise(it) => self.rise = it.0.as_f64(),
            Op::LineWidth(it) => self.line_width = it.0.as_f64(),
            Op::TextRenderingMode(it) => self.ink.set_mode(it.0.as_i64()),
            Op::NonStrokeColorDeviceGray(it) => self.ink.set_device_colour(&[it.0]),
            Op::NonStrokeColorDeviceRgb(it) => self.ink.set_device_colour(&[it.0, it.1, it.2]),
            Op::NonStrokeColorCmyk(it) => self.ink.set_device_colour(&[it.0, it.1, it.2, it.3]),
            Op::NonStrokeColor(it) => self.ink.set_colour(&it.0),
            Op::NonStrokeColorNamed(it) => self.ink.set_colour(&it.0),
            Op::NextLine(it) => self.next_line(it.0.as_f64(), it.1.as_f64()),
            Op::NextLineAndSetLeading(it) => {
                self.leading = -it.1.as_f64();
                self.next_line(it.0.as_f64(), it.1.as_f64());
            }
            Op::SetTextMatrix(it) => {
                self.line = matrix([it.0, it.1, it.2, it.3, it.4, it.5]);
                self.text = self.line;
            }
            Op::NextLineUsingLeading(_) => self.next_line(0.0, -self.leading),
            _ => {}
        }
    }

    /// How thick lines are on the page.
    pub(super) fn pen(&self) -> f64 {
        self.line_width * self.page.determinant().abs().sqrt()
    }

    pub(super) fn next_line(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.text = self.line;
    }

    /// Moves along the line. The distance is in text space.
    pub(super) fn advance(&mut self, distance: f64, is_horizontal: bool) {
        let step = if is_horizontal {
            (distance * self.stretch, 0.0)
        } else {
            (0.0, distance)
        };
        self.text *= Affine::translate(step);
    }
}

fn matrix(numbers: [Number; 6]) -> Affine {
    Affine::new(numbers.map(|number| number.as_f64()))
}
