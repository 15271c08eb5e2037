//! Pages of a PDF that are pictures, drawn as one picture each for a program that recognises text.
//!
//! Only pictures are drawn, on white paper, upright. Scanners cut a page into strips, and put a dark
//! layer of letters over a light one of the paper, so drawing what the page draws is the way to see
//! what a reader sees.

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::Pdf;
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Dict, Name, Number, Stream};
use hayro_syntax::page::{Page, Resources};

use super::super::budget::{Budget, Limits};
use super::super::error::DocumentError;
use super::super::scan::{MAX_SAMPLES, Picture, Scan};
use super::samples::{self, Plane};

/// Samples to an inch beyond which recognition gains nothing.
const MAX_DPI: f64 = 400.0;
const POINTS_PER_INCH: f64 = 72.0;
/// Pictures of a page that are drawn, and samples that are decoded or written for them.
const MAX_PICTURES: usize = 1_000;
const MAX_WORK: u64 = 200_000_000;
const MAX_FORMS: usize = 8;
const MAX_SAVED: usize = 256;

/// The pages of a PDF that are wanted as pictures.
pub(in super::super) struct PdfScans {
    pub(in super::super) bytes: Vec<u8>,
    pub(in super::super) password: String,
    pub(in super::super) pages: Vec<u32>,
}

/// Without the password.
impl std::fmt::Debug for PdfScans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PdfScans")
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

impl PdfScans {
    pub(in super::super) fn hand_over(self, limits: Limits, take: &mut dyn FnMut(Scan) -> bool) {
        let Ok(pdf) = Pdf::new_with_password(self.bytes, &self.password) else {
            return;
        };
        for number in self.pages {
            let index = (number as usize).wrapping_sub(1);
            let picture = pdf
                .pages()
                .get(index)
                .and_then(|page| draw(page, &Budget::new(limits)));
            let scan = Scan {
                page: number,
                picture,
            };
            if !take(scan) {
                break;
            }
        }
    }
}

/// The page as a picture. `None` if none of its pictures can be decoded.
fn draw(page: &Page<'_>, budget: &Budget) -> Option<Picture> {
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    let sheet = Rect::new(0.0, 0.0, width, height);
    let scale = scale(page, sheet, budget)?;
    let size = |points: f64| ((points * scale).round() as usize).max(1);
    let mut canvas = Canvas {
        width: size(width),
        height: size(height),
        scale,
        samples: Vec::new(),
        drawn: 0,
        work: 0,
    };
    canvas.samples = vec![255; canvas.width * canvas.height];
    walk(page, budget, &mut |drawing| canvas.draw(drawing));
    (canvas.drawn > 0).then(|| Picture {
        width: canvas.width as u32,
        height: canvas.height as u32,
        dpi: Some((scale * POINTS_PER_INCH).round() as u32),
        samples: canvas.samples,
    })
}

/// Samples to a point at which the sheet is drawn: as many as its largest pictures have, or a whole
/// fraction of them, so that their rows and columns fall into place.
fn scale(page: &Page<'_>, sheet: Rect, budget: &Budget) -> Option<f64> {
    let mut pictures: Vec<(f64, f64)> = Vec::new();
    walk(page, budget, &mut |drawing| {
        let shown = drawing.frame().intersect(sheet).area();
        let size = samples::declared_size(drawing.picture);
        if let Some((width, height)) = size.filter(|_| shown > 0.0) {
            let (across, down) = sides(drawing.place);
            // A fax has more columns than rows to an inch.
            let density = (f64::from(width) / across).max(f64::from(height) / down);
            pictures.push((shown, density));
        }
    });
    let largest = pictures.iter().map(|it| it.0).fold(0.0, f64::max);
    let large = pictures.iter().filter(|it| it.0 * 4.0 >= largest);
    let density = large.map(|it| it.1).fold(0.0, f64::max);
    let is_real = density.is_finite() && density > 0.0 && sheet.area().is_finite();
    let samples = density * density * sheet.area();
    let excess = (density * POINTS_PER_INCH / MAX_DPI)
        .max((samples / (MAX_SAMPLES as f64 * 0.99)).sqrt())
        .ceil()
        .max(1.0);
    is_real.then(|| density / excess)
}

/// How long the sides of the unit square are at its place.
fn sides(place: Affine) -> (f64, f64) {
    let [a, b, c, d, ..] = place.as_coeffs();
    (a.hypot(b), c.hypot(d))
}

/// A picture as a page draws it.
struct Drawing<'p, 'a> {
    picture: &'p Stream<'a>,
    resources: &'p Resources<'a>,
    /// From the unit square, whose origin is below on the left, to the sheet.
    place: Affine,
    /// The grey of ink for stencils.
    ink: u8,
}

impl Drawing<'_, '_> {
    fn frame(&self) -> Rect {
        self.place
            .transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0))
    }
}

struct Canvas {
    width: usize,
    height: usize,
    /// Samples to a point.
    scale: f64,
    samples: Vec<u8>,
    drawn: usize,
    work: u64,
}

impl Canvas {
    fn draw(&mut self, drawing: Drawing<'_, '_>) {
        let Some((width, height)) = samples::declared_size(drawing.picture) else {
            return;
        };
        let place = Affine::scale(self.scale) * drawing.place;
        let frame = place.transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0));
        let sheet = Rect::new(0.0, 0.0, self.width as f64, self.height as f64);
        let shown = frame.intersect(sheet);
        let area = place.determinant().abs();
        self.work += u64::from(width) * u64::from(height) + shown.area() as u64;
        let is_real = shown.area() >= 1.0 && area.is_finite() && area >= 1.0;
        if !is_real || self.drawn >= MAX_PICTURES || self.work > MAX_WORK {
            return;
        }
        let target = (frame.width().ceil() as u32, frame.height().ceil() as u32);
        let Some(plane) = samples::grey(drawing.picture, drawing.resources, Some(target)) else {
            return;
        };
        let (across, down) = sides(place);
        let fitted = |plane: Plane| {
            let excess = (plane.width as f64 / across).min(plane.height as f64 / down);
            plane.shrunk(excess.round() as usize)
        };
        let layer = if samples::is_stencil(drawing.picture) {
            Layer {
                ink: Ink::Flat(drawing.ink),
                cover: Some(fitted(plane)),
            }
        } else {
            Layer {
                ink: Ink::Plane(fitted(plane)),
                cover: samples::opacity(drawing.picture, drawing.resources).map(fitted),
            }
        };
        self.paint(&layer, place.inverse(), shown);
        self.drawn += 1;
    }

    /// Writes the samples within `shown`; `to_unit` leads from them to the unit square.
    fn paint(&mut self, layer: &Layer, to_unit: Affine, shown: Rect) {
        let end = |edge: f64, most: usize| (edge.ceil() as usize).min(most);
        let columns = shown.x0.floor() as usize..end(shown.x1, self.width);
        for y in shown.y0.floor() as usize..end(shown.y1, self.height) {
            for x in columns.clone() {
                let at = to_unit * Point::new(x as f64 + 0.5, y as f64 + 0.5);
                if !(0.0..1.0).contains(&at.x) || !(0.0..1.0).contains(&at.y) {
                    continue;
                }
                let (across, down) = (at.x, 1.0 - at.y);
                let sample = &mut self.samples[y * self.width + x];
                *sample = layer.over(*sample, across, down);
            }
        }
    }
}

enum Ink {
    Flat(u8),
    Plane(Plane),
}

/// What is put on the sheet: a grey, and how much of it where.
struct Layer {
    ink: Ink,
    cover: Option<Plane>,
}

impl Layer {
    fn over(&self, below: u8, across: f64, down: f64) -> u8 {
        let at = |plane: &Plane| {
            let column = ((across * plane.width as f64) as usize).min(plane.width - 1);
            let row = ((down * plane.height as f64) as usize).min(plane.height - 1);
            plane.samples[row * plane.width + column]
        };
        let ink = match &self.ink {
            Ink::Flat(grey) => *grey,
            Ink::Plane(plane) => at(plane),
        };
        let cover = u32::from(self.cover.as_ref().map_or(255, at));
        ((u32::from(ink) * cover + u32::from(below) * (255 - cover)) / 255) as u8
    }
}

/// Calls `draw` for each picture that the page draws, in order.
fn walk(page: &Page<'_>, budget: &Budget, draw: &mut dyn FnMut(Drawing<'_, '_>)) {
    let base = Affine::new(page.initial_transform(true).as_coeffs());
    let mut walker = Walker {
        budget,
        draw,
        state: State {
            place: base,
            ink: 0,
        },
        saved: Vec::new(),
        depth: 0,
    };
    // What was drawn before a limit was reached is drawn.
    let _ = walker.stream(page.typed_operations(), page.resources());
}

#[derive(Debug, Clone, Copy)]
struct State {
    place: Affine,
    ink: u8,
}

struct Walker<'w> {
    budget: &'w Budget,
    draw: &'w mut dyn FnMut(Drawing<'_, '_>),
    state: State,
    saved: Vec<State>,
    depth: usize,
}

impl Walker<'_> {
    fn stream(
        &mut self,
        mut instructions: TypedIter<'_>,
        resources: &Resources<'_>,
    ) -> Result<(), DocumentError> {
        use TypedInstruction as Op;
        let floor = self.saved.len();
        while let Some(instruction) = instructions.next() {
            self.budget.count_operations(1)?;
            match instruction {
                Op::SaveState(_) if self.saved.len() < floor + MAX_SAVED => {
                    self.saved.push(self.state)
                }
                Op::RestoreState(_) if self.saved.len() > floor => {
                    self.state = self.saved.pop().unwrap_or(self.state)
                }
                Op::Transform(it) => {
                    let numbers = [it.0, it.1, it.2, it.3, it.4, it.5];
                    self.state.place *= Affine::new(numbers.map(|number| number.as_f64()));
                }
                Op::NonStrokeColorDeviceGray(it) => self.state.ink = shade(it.0),
                Op::NonStrokeColorDeviceRgb(it) => {
                    self.state.ink = shade(it.0).max(shade(it.1)).max(shade(it.2))
                }
                Op::NonStrokeColorCmyk(it) => self.state.ink = 255 - shade(it.3),
                Op::InlineImage(it) => self.picture(it.0, resources)?,
                Op::XObject(it) => {
                    if let Some(object) = resources.get_x_object(it.0) {
                        self.object(&object, resources)?;
                    }
                }
                _ => {}
            }
        }
        self.saved.truncate(floor);
        Ok(())
    }

    fn object(
        &mut self,
        object: &Stream<'_>,
        resources: &Resources<'_>,
    ) -> Result<(), DocumentError> {
        let kind = object.dict().get::<Name<'_>>("Subtype");
        match kind.as_ref().map(Name::as_str) {
            Some("Image") => self.picture(object, resources),
            Some("Form") if self.depth < MAX_FORMS => self.form(object, resources),
            _ => Ok(()),
        }
    }

    fn picture(
        &mut self,
        picture: &Stream<'_>,
        resources: &Resources<'_>,
    ) -> Result<(), DocumentError> {
        self.budget.check_time()?;
        (self.draw)(Drawing {
            picture,
            resources,
            place: self.state.place,
            ink: self.state.ink,
        });
        Ok(())
    }

    fn form(&mut self, form: &Stream<'_>, outer: &Resources<'_>) -> Result<(), DocumentError> {
        let Ok(data) = form.decoded_data() else {
            return Ok(());
        };
        self.budget.count_unpacked(data.len() as u64)?;
        let own = form.dict().get::<Dict<'_>>("Resources").map(Resources::new);
        let before = self.state;
        if let Some(place) = form.dict().get::<[f64; 6]>("Matrix") {
            self.state.place *= Affine::new(place);
        }
        self.depth += 1;
        let result = self.stream(TypedIter::new(&data), own.as_ref().unwrap_or(outer));
        self.depth -= 1;
        self.state = before;
        result
    }
}

fn shade(part: Number) -> u8 {
    (part.as_f64().clamp(0.0, 1.0) * 255.0) as u8
}
