//! The straight lines of a page, which divide the cells of tables.
//!
//! Programs draw them as strokes, as thin rectangles or as the edges of filled cells.

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::Number;

use super::backgrounds::Surroundings;
use super::content::Letter;

/// More lines than any table has; a drawing may have more.
const MAX_RULES: usize = 4_000;
const MAX_PATH: usize = 2_000;
/// A rectangle that is narrower is a line.
const THIN: f64 = 3.0;
/// Lines that are nearer together than this are one.
const NEAR: f64 = 2.5;

/// A horizontal or vertical line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    /// Its distance from the upper or the left edge of the page.
    pub(super) at: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Rule {
    pub(super) fn covers(&self, place: f64) -> bool {
        (self.from - NEAR..=self.to + NEAR).contains(&place)
    }

    /// Whether it covers most of a range.
    pub(super) fn spans(&self, from: f64, to: f64) -> bool {
        self.to.min(to) - self.from.max(from) > 0.5 * (to - from)
    }
}

/// The lines of a page.
#[derive(Debug, Default)]
pub(super) struct Rulings {
    pub(super) horizontal: Vec<Rule>,
    pub(super) vertical: Vec<Rule>,
    /// What is filled. The edges are lines unless it is the background of text.
    filled: Vec<Filled>,
}

/// A box that is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Filled {
    pub(super) area: Rect,
    /// Whether it is white on white.
    pub(super) is_unseen: bool,
}

impl Rulings {
    fn add(&mut self, one: Point, other: Point) {
        let (across, down) = ((one.x - other.x).abs(), (one.y - other.y).abs());
        let is_real = [one.x, one.y, other.x, other.y]
            .iter()
            .all(|it| it.is_finite() && it.abs() < 1e6);
        let list = match () {
            () if !is_real || across.max(down) < THIN => return,
            () if down < 1.0 => &mut self.horizontal,
            () if across < 1.0 => &mut self.vertical,
            () => return,
        };
        let is_flat = down < 1.0;
        let place = |point: Point| {
            if is_flat {
                (point.y, point.x)
            } else {
                (point.x, point.y)
            }
        };
        let ((at, from), (_, to)) = (place(one), place(other));
        if list.len() < MAX_RULES {
            list.push(Rule {
                at,
                from: from.min(to),
                to: from.max(to),
            });
        }
    }

    fn fill(&mut self, area: Rect, is_unseen: bool) {
        if area.width().min(area.height()) < THIN {
            outline(area, self);
        } else if self.filled.len() < MAX_RULES {
            self.filled.push(Filled { area, is_unseen });
        }
    }

    /// Puts the pieces of each line together, in order, and adds the edges of cells that are filled.
    pub(super) fn joined(mut self, letters: &[Letter]) -> Rulings {
        let filled = std::mem::take(&mut self.filled);
        let drawn = Rulings {
            horizontal: joined(self.horizontal.clone()),
            vertical: joined(self.vertical.clone()),
            filled: Vec::new(),
        };
        for area in Surroundings::new(&drawn, &filled, letters).cells() {
            outline(area, &mut self);
        }
        Rulings {
            horizontal: joined(self.horizontal),
            vertical: joined(self.vertical),
            filled: Vec::new(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.horizontal.len() + self.vertical.len()
    }

    /// Whether an area is the background of a cell, or of a part of one: there are lines at its left and
    /// its right, and others above and below it.
    pub(super) fn are_around(&self, area: Rect) -> bool {
        /// How far a background may be from the lines beside it.
        const REACH: f64 = 10.0;
        let beside = |place: f64| {
            let near = self.vertical.iter();
            let mut near = near.filter(|rule| (rule.at - place).abs() <= REACH);
            near.any(|rule| rule.covers(area.y0) && rule.covers(area.y1))
        };
        let across = |is_beyond: &dyn Fn(f64) -> bool| {
            let mut beyond = self.horizontal.iter().filter(|rule| is_beyond(rule.at));
            beyond.any(|rule| rule.spans(area.x0, area.x1))
        };
        beside(area.x0)
            && beside(area.x1)
            && across(&|at| at <= area.y0 + NEAR)
            && across(&|at| at >= area.y1 - NEAR)
    }

    /// Whether a vertical line is between two places in a row.
    pub(super) fn divides(&self, left: f64, right: f64, baseline: f64) -> bool {
        let first = self.vertical.partition_point(|rule| rule.at < left - 1.0);
        self.vertical[first..]
            .iter()
            .take_while(|rule| rule.at <= right + 1.0)
            .any(|rule| (rule.from..=rule.to + 1.0).contains(&baseline))
    }
}

fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|one, other| one.at.total_cmp(&other.at));
    let mut lines: Vec<Rule> = Vec::new();
    let mut start = 0;
    while start < rules.len() {
        let first = rules[start].at;
        let end = start + rules[start..].partition_point(|rule| rule.at - first < NEAR);
        let mut pieces = rules[start..end].to_vec();
        pieces.sort_by(|one, other| one.from.total_cmp(&other.from));
        let line = lines.len();
        for piece in pieces {
            match lines[line..].last_mut() {
                Some(last) if piece.from <= last.to + 2.0 * NEAR => last.to = last.to.max(piece.to),
                _ => lines.push(piece),
            }
        }
        start = end;
    }
    lines
}

/// What lies within these bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PaintedPath {
    Filled(Rect),
    Stroked(Rect),
}

/// The path that is being drawn.
#[derive(Debug, Default)]
pub(super) struct Path {
    lines: Vec<(Point, Point)>,
    boxes: Vec<Rect>,
    has_curves: bool,
    /// What all of it lies in.
    area: Option<Rect>,
    start: Point,
    end: Point,
}

impl Path {
    /// Follows an instruction that draws or paints a path. Returns the path that it paints. The function
    /// tells of an area whether its filling is like what is below it.
    pub(super) fn apply(
        &mut self,
        instruction: &TypedInstruction<'_, '_>,
        place: Affine,
        rulings: &mut Rulings,
        is_unseen: &dyn Fn(Rect) -> bool,
    ) -> Option<PaintedPath> {
        use TypedInstruction as Op;
        let point = |x: &Number, y: &Number| place * Point::new(x.as_f64(), y.as_f64());
        match instruction {
            Op::MoveTo(it) => {
                self.start = point(&it.0, &it.1);
                self.end = self.start;
                self.reach(self.start);
            }
            Op::LineTo(it) => self.line_to(point(&it.0, &it.1)),
            Op::CubicTo(it) => self.curve_to(point(&it.4, &it.5)),
            Op::CubicStartTo(it) => self.curve_to(point(&it.2, &it.3)),
            Op::CubicEndTo(it) => self.curve_to(point(&it.2, &it.3)),
            Op::ClosePath(_) => self.line_to(self.start),
            Op::RectPath(it) => {
                let corner = Point::new(it.0.as_f64(), it.1.as_f64());
                let opposite = Point::new(corner.x + it.2.as_f64(), corner.y + it.3.as_f64());
                let area = Rect::from_points(place * corner, place * opposite);
                self.reach(area.origin());
                self.reach(Point::new(area.x1, area.y1));
                if self.boxes.len() < MAX_PATH {
                    self.boxes.push(area);
                }
            }
            Op::EndPath(_) => *self = Path::default(),
            _ => return self.paint_by(instruction, rulings, is_unseen),
        }
        None
    }

    fn paint_by(
        &mut self,
        instruction: &TypedInstruction<'_, '_>,
        rulings: &mut Rulings,
        is_unseen: &dyn Fn(Rect) -> bool,
    ) -> Option<PaintedPath> {
        use TypedInstruction as Op;
        match instruction {
            Op::CloseAndStrokePath(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => self.line_to(self.start),
            _ => {}
        }
        match instruction {
            Op::CloseAndStrokePath(_) | Op::StrokePath(_) => {
                self.stroke(rulings).map(PaintedPath::Stroked)
            }
            Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_)
            | Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_) => self.stroke(rulings).map(PaintedPath::Filled),
            Op::FillPathNonZero(_)
            | Op::FillPathNonZeroCompatibility(_)
            | Op::FillPathEvenOdd(_) => self.fill(rulings, is_unseen).map(PaintedPath::Filled),
            _ => None,
        }
    }

    fn reach(&mut self, point: Point) {
        let area = self.area.unwrap_or(Rect::from_points(point, point));
        self.area = Some(area.union_pt(point));
    }

    fn line_to(&mut self, point: Point) {
        if self.lines.len() < MAX_PATH {
            self.lines.push((self.end, point));
        }
        self.end = point;
        self.reach(point);
    }

    fn curve_to(&mut self, point: Point) {
        self.has_curves = true;
        self.end = point;
        self.reach(point);
    }

    /// Draws the lines of the path. Returns the area in which it lies.
    fn stroke(&mut self, rulings: &mut Rulings) -> Option<Rect> {
        let path = std::mem::take(self);
        for area in path.boxes {
            outline(area, rulings);
        }
        for (one, other) in path.lines {
            rulings.add(one, other);
        }
        path.area
    }

    /// Fills the path. Returns the area in which it lies.
    fn fill(&mut self, rulings: &mut Rulings, is_unseen: &dyn Fn(Rect) -> bool) -> Option<Rect> {
        let path = std::mem::take(self);
        // A filled box with round corners is behind words of a text, and no cell.
        let area = bounds(&path.lines).filter(|_| !path.has_curves);
        let areas = path.boxes.into_iter().chain(area);
        for area in areas {
            rulings.fill(area, is_unseen(area));
        }
        path.area
    }
}

/// The rectangle that these lines draw. `None` if they draw something else.
fn bounds(lines: &[(Point, Point)]) -> Option<Rect> {
    let is_box = (3..=5).contains(&lines.len())
        && lines
            .iter()
            .all(|(one, other)| (one.x - other.x).abs() < 0.5 || (one.y - other.y).abs() < 0.5);
    let mut area = Rect::from_points(lines.first()?.0, lines.first()?.1);
    for (one, other) in lines {
        area = area.union_pt(*one).union_pt(*other);
    }
    is_box.then_some(area)
}

/// A thin rectangle is a line. The edges of another are lines.
fn outline(area: Rect, rulings: &mut Rulings) {
    let middle = area.center();
    let corner = |x: f64, y: f64| Point::new(x, y);
    if area.height() < THIN {
        rulings.add(corner(area.x0, middle.y), corner(area.x1, middle.y));
    } else if area.width() < THIN {
        rulings.add(corner(middle.x, area.y0), corner(middle.x, area.y1));
    } else {
        rulings.add(corner(area.x0, area.y0), corner(area.x1, area.y0));
        rulings.add(corner(area.x0, area.y1), corner(area.x1, area.y1));
        rulings.add(corner(area.x0, area.y0), corner(area.x0, area.y1));
        rulings.add(corner(area.x1, area.y0), corner(area.x1, area.y1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_line_are_put_together() {
        let rule = |at, from, to| Rule { at, from, to };
        let lines = joined(vec![
            rule(10.2, 50.0, 90.0),
            rule(10.0, 0.0, 50.0),
            rule(30.0, 0.0, 90.0),
            rule(10.1, 200.0, 300.0),
        ]);
        assert_eq!(
            lines,
            [
                rule(10.0, 0.0, 90.0),
                rule(10.1, 200.0, 300.0),
                rule(30.0, 0.0, 90.0)
            ]
        );
    }
}
