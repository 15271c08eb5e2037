//! Whether text can be seen: its colour, and what is painted beneath it.
//!
//! Text that no one sees is often meant for programs, not for readers: it must not pass for what the page
//! says. Where it is not certain that nothing dark lies under white letters, they count as seen.

use std::collections::HashMap;

use hayro_font::kurbo::{Point, Rect};
use hayro_syntax::object::{Array, Name, Number, Object};

use super::content::PageContent;
use super::graphics_state::GraphicsState;
use super::rulings::PaintedPath;

/// More areas than most pages have. With more, everything counts as painted.
const MAX_AREAS: usize = 4_000;

/// Which text of a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedText {
    Seen,
    /// Also what no one can see.
    All,
}

/// How the numbers of a colour are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColourSpace {
    /// Light, if there are one or three, and ink, if there are four.
    ByCount,
    /// Ink: none of it is white.
    Ink,
    /// A pattern, or anything else.
    Other,
}

/// What letters and areas are filled with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    space: ColourSpace,
    is_white: bool,
    is_clear: bool,
    mode: i64,
}

impl Ink {
    pub(super) const BLACK: Ink = Ink {
        space: ColourSpace::ByCount,
        is_white: false,
        is_clear: false,
        mode: 0,
    };

    /// Whether what is filled with it leaves white paper white.
    fn is_like_paper(&self) -> bool {
        self.is_white || self.is_clear
    }

    /// Whether letters are neither filled nor stroked, as those that a scanner lays over its picture.
    pub(super) fn is_invisible(&self) -> bool {
        self.mode == 3
    }

    /// Whether letters are filled and stroked.
    pub(super) fn is_stroked(&self) -> bool {
        matches!(self.mode, 2 | 6)
    }

    /// Whether letters have only this ink, which cannot be seen on paper.
    pub(super) fn hides_text(&self) -> bool {
        matches!(self.mode, 0 | 4) && self.is_like_paper()
    }

    pub(super) fn set_mode(&mut self, mode: i64) {
        self.mode = mode;
    }

    pub(super) fn set_opacity(&mut self, opacity: f64) {
        self.is_clear = opacity < 0.01;
    }

    /// Sets a space of colours by its name, or by what the resources say about the name.
    pub(super) fn set_space(&mut self, name: &str, described: Option<&Object<'_>>) {
        let list = match described {
            Some(Object::Array(list)) => Some(list),
            _ => None,
        };
        let family = list.and_then(|list: &Array<'_>| list.iter::<Name<'_>>().next());
        self.space = match family.as_ref().map_or(name, Name::as_str) {
            "DeviceGray" | "DeviceRGB" | "DeviceCMYK" | "CalGray" | "CalRGB" | "ICCBased" => {
                ColourSpace::ByCount
            }
            "Separation" | "DeviceN" => ColourSpace::Ink,
            _ => ColourSpace::Other,
        };
        self.is_white = false;
    }

    /// Sets a colour of the space that is set.
    pub(super) fn set_colour(&mut self, numbers: &[Number]) {
        let is_ink = match self.space {
            ColourSpace::ByCount => numbers.len() == 4,
            ColourSpace::Ink => true,
            ColourSpace::Other => {
                self.is_white = false;
                return;
            }
        };
        let mut numbers = numbers.iter().map(Number::as_f64).peekable();
        self.is_white = numbers.peek().is_some()
            && numbers.all(|it| if is_ink { it < 0.01 } else { it > 0.99 });
    }

    /// Sets a colour of a device.
    pub(super) fn set_device_colour(&mut self, numbers: &[Number]) {
        self.space = ColourSpace::ByCount;
        self.set_colour(numbers);
    }
}

/// What is painted on a page, except white on white and letters.
#[derive(Debug, Default)]
pub(super) struct Painted {
    areas: Vec<Rect>,
    strokes: Strokes,
    pictures: Vec<Rect>,
    is_everywhere: bool,
}

impl Painted {
    pub(super) fn add(&mut self, path: PaintedPath, state: &GraphicsState<'_>) {
        /// Letters can stand on a line that is thicker.
        const THICK: f64 = 4.0;
        let area = match path {
            PaintedPath::Filled(area) if !state.ink.is_like_paper() => area,
            PaintedPath::Stroked(area) if state.pen() > THICK => {
                area.inflate(state.pen() / 2.0, state.pen() / 2.0)
            }
            PaintedPath::Stroked(area) => return self.strokes.add(area),
            PaintedPath::Filled(_) => return,
        };
        self.is_everywhere |= self.areas.len() >= MAX_AREAS;
        if !self.is_everywhere {
            self.areas.push(area);
        }
    }

    pub(super) fn add_picture(&mut self, area: Rect) {
        self.is_everywhere |= self.pictures.len() >= MAX_AREAS;
        if !self.is_everywhere {
            self.pictures.push(area);
        }
    }

    /// Paints the whole page, for all that is known.
    pub(super) fn add_everywhere(&mut self) {
        self.is_everywhere = true;
    }

    /// Whether something is beneath a letter.
    pub(super) fn is_under(&self, letter: Point) -> bool {
        let mut areas = self.areas.iter().chain(&self.pictures);
        self.is_everywhere || areas.any(|area| area.inflate(1.0, 1.0).contains(letter))
    }

    /// Whether an area that is filled with this ink looks as before.
    pub(super) fn is_white_on_white(&self, area: Rect, ink: &Ink) -> bool {
        ink.is_white && !self.is_under(area.center())
    }

    /// Whether an invisible letter is the text of a picture, or of a letter that is drawn as a path.
    fn shows(&self, letter: Point, size: f64) -> bool {
        const HIGHEST: f64 = 3.0;
        let is_there = |area: &Rect| area.inflate(size, size).contains(letter);
        let mut drawn = self.areas.iter();
        self.is_everywhere
            || self.pictures.iter().any(is_there)
            || drawn.any(|area| area.height() < HIGHEST * size && is_there(area))
    }
}

/// Thin lines, by about where they are, each place with the length of its shortest. Programs that draw
/// circuits write with such lines, and put invisible text over them.
#[derive(Debug, Default)]
struct Strokes {
    shortest: HashMap<(i32, i32), f64>,
}

impl Strokes {
    /// The length of the side of a place.
    const PLACE: f64 = 8.0;
    /// More places than a large sheet has.
    const MAX_PLACES: usize = 100_000;

    fn place(point: Point) -> (i32, i32) {
        let number = |it: f64| (it / Self::PLACE).floor() as i32;
        (number(point.x), number(point.y))
    }

    fn add(&mut self, area: Rect) {
        let length = area.width().max(area.height());
        if length > 0.0 && self.shortest.len() < Self::MAX_PLACES {
            let shortest = self.shortest.entry(Self::place(area.center()));
            let shortest = shortest.or_insert(length);
            *shortest = shortest.min(length);
        }
    }

    /// Whether there are lines near a letter that are short enough to be parts of it.
    fn write(&self, letter: Point, size: f64) -> bool {
        let (across, down) = Self::place(letter);
        let mut near = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (across + x, down + y)));
        near.any(|place| self.shortest.get(&place).is_some_and(|it| *it < size))
    }
}

impl PageContent {
    /// Drops the letters beside a sheet.
    pub(super) fn drop_beside(&mut self, sheet: Rect) {
        if sheet.area() > 1.0 {
            self.letters.retain(|letter| {
                let near = sheet.inflate(letter.size / 2.0, letter.size / 2.0);
                near.contains(letter.middle())
            });
        }
    }

    /// Drops the letters of a sheet that no one can see: those that are too small, and invisible ones that
    /// are not the text of a picture.
    pub(super) fn drop_unseen(&mut self, sheet: Rect) {
        /// How many letters of a legible size a sheet has at most from top to bottom.
        const MOST_LINES: f64 = 2_000.0;
        let least = sheet.height().max(sheet.width()) / MOST_LINES;
        let is_sheet = sheet.area() > 1.0;
        let invisible = || self.letters.iter().filter(|letter| letter.is_invisible);
        let count = invisible().count();
        // The text of glyphs without a meaning may lie over them, and that of a page that a program has
        // written with thin lines.
        let is_text_of_glyphs = self.unmapped * 4 >= count && self.unmapped > 0;
        let strokes = &self.painted.strokes;
        let written = invisible().filter(|it| strokes.write(it.middle(), it.size));
        let is_written = count * 10 > self.letters.len() * 9 && written.count() * 2 > count;
        let (painted, unseen) = (&self.painted, &mut self.unseen);
        self.letters.retain(|letter| {
            let is_tiny = is_sheet && letter.size < least;
            let is_seen = !letter.is_invisible
                || is_text_of_glyphs
                || is_written
                || painted.shows(letter.middle(), letter.size);
            *unseen += usize::from(is_tiny || !is_seen);
            !is_tiny && is_seen
        });
    }
}
