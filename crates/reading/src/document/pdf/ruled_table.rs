//! Tables whose cells are divided by lines.
//!
//! Lines that meet form a grid. The text between them is put into its cells, and a row of the page
//! that stands for the table takes its place.

use std::collections::BTreeMap;

use super::aligned_table::are_numbers;
use super::content::UNORDERED;
use super::paragraph::join;
use super::rows::{PdfRow, Segment};
use super::rulings::{Rule, Rulings};

/// Lines that are nearer together than this are one.
const NEAR: f64 = 3.0;
/// A drawing with more lines is no table.
const MAX_LINES: usize = 1_200;
const MAX_COLUMNS: usize = 40;
/// A band of so many lines, most of which have several texts in one cell, is a part of a page or of a
/// drawing that lines frame.
const MIN_FRAMED: usize = 6;
/// The same for all bands together: the lines frame groups of cells.
const MIN_CROWDED: usize = 4;

/// A grid of which most cells are drawn from the bottom up, and at least so many lines, is a chart.
const MIN_UPWARD: usize = 3;

/// So many lines of a band with several texts in one cell are rows.
const MIN_PARTED: usize = 2;

/// A grid in which so many lines, and one of so many, go on across the lines beside them is the layout of
/// a page: its boxes stand beside one another, but are no rows.
const MIN_CONTINUED: usize = 6;
const LAYOUT_SHARE: usize = 4;
/// How far apart the lines of one text are, relative to the font size.
const WIDEST_LINE: f64 = 1.8;

/// The lines of a table.
struct Grid {
    /// The places of the vertical and the horizontal lines.
    across: Vec<f64>,
    down: Vec<f64>,
    horizontal: Vec<Rule>,
    vertical: Vec<Rule>,
}

/// Takes the text of ruled tables out of the rows and puts the tables in their place.
pub(super) fn with_ruled_tables(mut rows: Vec<PdfRow>, rulings: &Rulings) -> Vec<PdfRow> {
    for grid in grids(rulings) {
        let inside = grid.taken_from(&mut rows);
        if let Some(table) = grid.table(&inside) {
            let at = rows.partition_point(|row| row.baseline < table.baseline);
            rows.insert(at, table);
        } else {
            rows.extend(inside);
            rows.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
            rows = rejoined(rows);
        }
    }
    rows
}

/// Puts rows of one baseline, which were parted for nothing, together again.
fn rejoined(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    let mut joined: Vec<PdfRow> = Vec::with_capacity(rows.len());
    for row in rows {
        match joined.last_mut() {
            Some(last)
                if last.baseline == row.baseline && last.table.is_none() && row.table.is_none() =>
            {
                last.segments.extend(row.segments);
                last.segments
                    .sort_by(|one, other| one.left.total_cmp(&other.left));
            }
            _ => joined.push(row),
        }
    }
    joined
}

/// The grids that lines which meet form.
fn grids(rulings: &Rulings) -> Vec<Grid> {
    let (flat, upright) = (&rulings.horizontal, &rulings.vertical);
    if flat.len() > MAX_LINES || upright.len() > MAX_LINES {
        return Vec::new();
    }
    // The group of each line: first the horizontal ones, then the vertical ones.
    let mut groups: Vec<usize> = (0..flat.len() + upright.len()).collect();
    for (index, line) in flat.iter().enumerate() {
        for (other, wall) in upright.iter().enumerate() {
            if line.covers(wall.at) && wall.covers(line.at) {
                let (one, two) = (root(&groups, index), root(&groups, flat.len() + other));
                groups[one.max(two)] = one.min(two);
            }
        }
    }
    let mut grids = Vec::new();
    for leader in (0..flat.len()).filter(|index| groups[*index] == *index) {
        let of = |offset: usize, rules: &[Rule]| -> Vec<Rule> {
            let members = rules.iter().enumerate();
            members
                .filter(|(index, _)| root(&groups, offset + index) == leader)
                .map(|(_, rule)| *rule)
                .collect()
        };
        grids.extend(Grid::new(of(0, flat), of(flat.len(), upright)));
    }
    grids
}

/// Whether the file draws these bands neither one after the other nor column by column: the labels of a
/// drawing rather than a table.
fn is_scattered(bands: &[Vec<Segment>], columns: usize) -> bool {
    let mut places: Vec<(usize, usize)> = bands
        .iter()
        .enumerate()
        .flat_map(|(band, segments)| segments.iter().map(move |it| (it.order, band)))
        .filter(|(order, _)| *order != UNORDERED)
        .collect();
    places.sort_unstable();
    let back = places.windows(2).filter(|pair| pair[0].1 > pair[1].1);
    let back = back.count();
    back > columns && back * 4 > places.len()
}

fn root(groups: &[usize], mut index: usize) -> usize {
    while groups[index] != index {
        index = groups[index];
    }
    index
}

/// The places in order, each once.
fn distinct(mut places: Vec<f64>) -> Vec<f64> {
    places.sort_by(f64::total_cmp);
    places.dedup_by(|one, other| (*one - *other).abs() < NEAR);
    places
}

impl Grid {
    fn new(mut horizontal: Vec<Rule>, vertical: Vec<Rule>) -> Option<Grid> {
        horizontal.sort_by(|one, other| one.at.total_cmp(&other.at));
        let ends = |rules: &[Rule]| -> Vec<f64> {
            let from = rules.iter().map(|rule| rule.from).reduce(f64::min);
            let to = rules.iter().map(|rule| rule.to).reduce(f64::max);
            from.into_iter().chain(to).collect()
        };
        let mut across = ends(&horizontal);
        across.extend(vertical.iter().map(|rule| rule.at));
        let mut down = ends(&vertical);
        down.extend(horizontal.iter().map(|rule| rule.at));
        let (across, down) = (distinct(across), distinct(down));
        let is_grid =
            (3..=MAX_COLUMNS).contains(&across.len()) && down.len() >= 2 && !vertical.is_empty();
        is_grid.then_some(Grid {
            across,
            down,
            horizontal,
            vertical,
        })
    }

    /// Takes the segments within the grid out of the rows.
    fn taken_from(&self, rows: &mut Vec<PdfRow>) -> Vec<PdfRow> {
        let (left, right) = (
            self.across[0] - NEAR,
            self.across[self.across.len() - 1] + NEAR,
        );
        let (top, bottom) = (self.down[0], self.down[self.down.len() - 1]);
        let is_inside = |segment: &Segment| {
            let middle = (segment.left + segment.right) / 2.0;
            (left..=right).contains(&middle)
        };
        let mut taken = Vec::new();
        for row in rows.iter_mut() {
            // The middle of the letters, not their foot, is between two lines.
            let middle = row.baseline - 0.3 * row.size;
            if row.table.is_some() || !(top..=bottom).contains(&middle) {
                continue;
            }
            let (inside, outside): (Vec<Segment>, Vec<Segment>) = std::mem::take(&mut row.segments)
                .into_iter()
                .partition(is_inside);
            row.segments = outside;
            if !inside.is_empty() {
                taken.push(row.part(inside));
            }
        }
        rows.retain(|row| !row.segments.is_empty());
        taken
    }

    /// The table of these rows. `None` if the lines enclose something else.
    fn table(&self, rows: &[PdfRow]) -> Option<PdfRow> {
        let (columns, bands) = (self.across.len() - 1, self.down.len() - 1);
        let mut cells: Vec<Vec<String>> = Vec::new();
        let mut crowded = 0;
        let mut drawn: Vec<Vec<Segment>> = Vec::new();
        // The last text of each column, with the row in which it is told.
        let mut last: Vec<Option<(f64, usize)>> = vec![None; columns];
        let mut starts = vec![0; columns];
        let mut continued = 0;
        for band in 0..bands {
            let inside = self.inside(band, rows);
            let apart = inside.iter().filter(|row| self.is_apart(band, row)).count();
            if inside.len() >= MIN_FRAMED && apart * 2 > inside.len() {
                return None;
            }
            crowded += apart;
            drawn.push(inside.iter().flat_map(|row| row.segments.clone()).collect());
            let first = cells.len();
            // Texts beside one another in a cell stand for columns that no line divides.
            let has_columns = apart >= MIN_PARTED && apart * 2 >= inside.len();
            let lines_are_rows = has_columns || self.lines_are_rows(band, &inside);
            let is_single = inside.len() == 1;
            cells.push(vec![String::new(); columns]);
            for column in self.closed_above(band) {
                (last[column], starts[column]) = (None, first);
            }
            for (index, row) in inside.iter().enumerate() {
                if lines_are_rows && index > 0 {
                    cells.push(vec![String::new(); columns]);
                }
                for segment in &row.segments {
                    let column = self.column(segment, band);
                    let own = cells.len() - 1;
                    let start = match last[column] {
                        _ if lines_are_rows => own,
                        // A cell of several rows is told in the first of them.
                        None => starts[column],
                        Some((above, start)) if row.baseline - above < WIDEST_LINE * row.size => {
                            continued += usize::from(start < first);
                            start
                        }
                        Some((_, start)) => start.max(first),
                    };
                    // The only line of its band stands beside another cell, and is a row with it.
                    let is_row = last[column].is_some()
                        && is_single
                        && row.segments.len() > 1
                        && self.is_tall(band, column);
                    last[column] = Some((row.baseline, start));
                    let target = if is_row { own } else { start };
                    join(&mut cells[target][column], &segment.text);
                }
            }
        }
        cells.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let is_used = |column: &usize| cells.iter().any(|row| !row[*column].is_empty());
        let used: Vec<usize> = (0..columns).filter(is_used).collect();
        let is_crowded = crowded >= MIN_CROWDED && crowded * 2 > rows.len();
        let texts: usize = drawn.iter().map(Vec::len).sum();
        let is_layout = continued >= MIN_CONTINUED && continued * LAYOUT_SHARE > texts;
        if is_crowded || is_layout || is_scattered(&drawn, used.len()) {
            return None;
        }
        let cells: Vec<Vec<String>> = cells
            .iter()
            .map(|row| used.iter().map(|column| row[*column].clone()).collect())
            .collect();
        let filled: usize = cells
            .iter()
            .flatten()
            .filter(|cell| !cell.is_empty())
            .count();
        // Frames that only touch have one text in each of their rows.
        let has_row = |row: &Vec<String>| row.iter().filter(|cell| !cell.is_empty()).count() > 1;
        let is_table = used.len() >= 2
            && cells.len() >= 2
            && filled * 4 >= cells.len() * used.len()
            && cells.iter().any(has_row)
            && !self.is_chart(rows);
        is_table.then(|| PdfRow::of_table(cells, self.across[0], self.across[columns], rows))
    }

    /// The column of a segment: the first of those that no line divides in this band.
    fn column(&self, segment: &Segment, band: usize) -> usize {
        let columns = self.across.len() - 1;
        let middle = (segment.left + segment.right) / 2.0;
        let mut column = self.across[1..columns].partition_point(|edge| *edge <= middle);
        while column > 0 && !self.has_wall(band, column) {
            column -= 1;
        }
        column
    }

    /// Whether there is a line left of a column.
    fn has_wall(&self, band: usize, column: usize) -> bool {
        let (top, bottom) = (self.down[band], self.down[band + 1]);
        self.vertical
            .iter()
            .any(|rule| (rule.at - self.across[column]).abs() < NEAR && rule.spans(top, bottom))
    }

    /// Whether no line divides a cell from the one above it.
    fn is_open_above(&self, band: usize, column: usize) -> bool {
        let (left, right) = (self.across[column], self.across[column + 1]);
        band > 0
            && !self
                .horizontal
                .iter()
                .any(|rule| (rule.at - self.down[band]).abs() < NEAR && rule.spans(left, right))
    }

    /// The columns in which a line divides a band from the one above it. The lines are in order, so that
    /// each is looked at for the bands beside it only.
    fn closed_above(&self, band: usize) -> Vec<usize> {
        let (from, to) = (self.down[band] - NEAR, self.down[band] + NEAR);
        let first = self.horizontal.partition_point(|rule| rule.at <= from);
        let near = self.horizontal[first..].iter();
        let near: Vec<&Rule> = near.take_while(|rule| rule.at < to).collect();
        let columns = 0..self.across.len() - 1;
        let is_closed = |column: &usize| {
            let (left, right) = (self.across[*column], self.across[*column + 1]);
            band == 0 || near.iter().any(|rule| rule.spans(left, right))
        };
        columns.filter(is_closed).collect()
    }

    /// Whether a cell, which is open above, is higher than the two bands of a label or a heading.
    fn is_tall(&self, band: usize, column: usize) -> bool {
        let is_open = |band: usize| band + 1 < self.down.len() && self.is_open_above(band, column);
        is_open(band) && (is_open(band + 1) || is_open(band.saturating_sub(1)))
    }

    /// Whether a line has several texts in one cell.
    fn is_apart(&self, band: usize, row: &PdfRow) -> bool {
        let columns = row.segments.iter().map(|it| self.column(it, band));
        let columns: Vec<usize> = columns.collect();
        columns.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The rows in a band.
    fn inside<'r>(&self, band: usize, rows: &'r [PdfRow]) -> Vec<&'r PdfRow> {
        let (top, bottom) = (self.down[band], self.down[band + 1]);
        let is_inside = |row: &&PdfRow| (top..bottom).contains(&(row.baseline - 0.3 * row.size));
        rows.iter().filter(is_inside).collect()
    }

    /// Whether most lines are drawn before the one above them in their cell, as the numbers along the axis of
    /// a chart are.
    fn is_chart(&self, rows: &[PdfRow]) -> bool {
        let bands = 0..self.down.len() - 1;
        let moves = bands.map(|band| self.moves(band, &self.inside(band, rows)));
        let (up, down) = moves.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        up >= MIN_UPWARD && up > down
    }

    /// How many lines of the cells in a band are drawn before the line above them, and after it.
    fn moves(&self, band: usize, rows: &[&PdfRow]) -> (usize, usize) {
        let mut last: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let (mut up, mut down) = (0, 0);
        let segments = rows.iter().enumerate();
        let segments =
            segments.flat_map(|(line, row)| row.segments.iter().map(move |it| (line, it)));
        for (line, segment) in segments.filter(|(_, it)| it.order != UNORDERED) {
            let column = self.column(segment, band);
            let above = last.get(&column).filter(|above| above.0 < line);
            up += usize::from(above.is_some_and(|above| above.1 > segment.order));
            down += usize::from(above.is_some_and(|above| above.1 < segment.order));
            last.insert(column, (line, segment.order));
        }
        (up, down)
    }

    /// Whether the lines of text in a band are rows of the table, rather than lines of its cells: most
    /// have text in most columns.
    fn lines_are_rows(&self, band: usize, rows: &[&PdfRow]) -> bool {
        let columns = |row: &&&PdfRow| {
            let mut columns: Vec<usize> = row
                .segments
                .iter()
                .map(|segment| self.column(segment, band))
                .collect();
            columns.dedup();
            columns.len()
        };
        let most = rows.iter().map(|row| columns(&row)).max().unwrap_or(0);
        let full = rows.iter().filter(|row| columns(row) * 2 > most).count();
        let are_records =
            || rows.len() == 2 && rows.iter().all(|row| are_numbers(row.segments.iter()));
        most >= 2 && full * 10 >= rows.len() * 8 && (rows.len() >= 3 || are_records())
    }
}
