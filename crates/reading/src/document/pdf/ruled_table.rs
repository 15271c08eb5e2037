//! Tables whose cells are divided by lines.
//!
//! Lines that meet form a grid. The text between them is put into its cells, and a row of the page
//! that stands for the table takes its place.

mod beside;

use super::grid_order::{Placed, is_scattered, is_torn};
use super::paragraph::join;
use super::rows::{PdfRow, Segment};
use super::ruled_band::Band;
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

/// A grid in which so many lines, and one of so many, go on across the lines beside them is the layout of
/// a page: its boxes stand beside one another, but are no rows.
const MIN_CONTINUED: usize = 6;
const LAYOUT_SHARE: usize = 4;
/// So many bands, no two of which are divided in the same place, are no table.
const MIN_BOXED: usize = 4;
/// How far apart the lines of one text are, relative to the font size.
const WIDEST_LINE: f64 = 1.8;

/// The lines of a table.
struct Grid {
    /// The places of the vertical and the horizontal lines.
    across: Vec<f64>,
    down: Vec<f64>,
    horizontal: Vec<Rule>,
    /// For each band, whether there is a line left of each column.
    ruled: Vec<Vec<bool>>,
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
        let lines = (of(0, flat), of(flat.len(), upright));
        let parts = beside::parted(lines).into_iter();
        grids.extend(parts.filter_map(|(flat, upright)| Grid::new(flat, upright)));
    }
    grids
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
        let ruled = |band: &[f64]| -> Vec<bool> {
            let walls = vertical.iter().filter(|rule| rule.spans(band[0], band[1]));
            let walls: Vec<f64> = walls.map(|rule| rule.at).collect();
            let has_wall = |edge: f64| walls.iter().any(|at| (at - edge).abs() < NEAR);
            let columns = 0..across.len() - 1;
            columns.map(|it| it == 0 || has_wall(across[it])).collect()
        };
        if !is_grid {
            return None;
        }
        let ruled = down.windows(2).map(ruled).collect();
        Some(Grid {
            across,
            down,
            horizontal,
            ruled,
        })
    }

    /// Whether no two bands are divided in the same place: boxes around some words of a text.
    fn is_of_boxes(&self) -> bool {
        let columns = 1..self.across.len() - 1;
        let in_bands = |column: usize| self.ruled.iter().filter(|it| it[column]).count();
        self.ruled.len() >= MIN_BOXED && columns.map(in_bands).all(|bands| bands < 2)
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
        if self.is_of_boxes() {
            return None;
        }
        let (columns, bands) = (self.across.len() - 1, self.down.len() - 1);
        let mut cells: Vec<Vec<String>> = Vec::new();
        let mut crowded = 0;
        // The last text of each column, with the row in which it is told.
        let mut last: Vec<Option<(f64, usize)>> = vec![None; columns];
        let mut starts = vec![0; columns];
        let mut continued = 0;
        let mut placed: Vec<Placed> = Vec::new();
        let inside: Vec<Band<'_>> = (0..bands).map(|it| self.band(it, rows)).collect();
        for (band, inside) in inside.iter().enumerate() {
            let (lines, apart) = (inside.lines.len(), inside.apart());
            if lines >= MIN_FRAMED && apart * 2 > lines {
                return None;
            }
            crowded += apart;
            let first = cells.len();
            let all = || inside.has_undivided_columns().then(|| (0..lines).collect());
            let rows_of_lines: Option<Vec<usize>> = inside.rows_of_lines().or_else(all);
            let is_single = lines == 1;
            cells.push(vec![String::new(); columns]);
            for column in self.closed_above(band) {
                (last[column], starts[column]) = (None, first);
            }
            for (index, (row, of_segments)) in inside.lines.iter().enumerate() {
                let own = first + rows_of_lines.as_ref().map_or(0, |rows| rows[index]);
                if own == cells.len() {
                    cells.push(vec![String::new(); columns]);
                }
                for (segment, &column) in row.segments.iter().zip(of_segments) {
                    let start = match last[column] {
                        _ if rows_of_lines.is_some() => own,
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
                    placed.push(Placed {
                        row: target,
                        column,
                        order: segment.order,
                    });
                }
            }
        }
        cells.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let is_used = |column: &usize| cells.iter().any(|row| !row[*column].is_empty());
        let used: Vec<usize> = (0..columns).filter(is_used).collect();
        let is_crowded = crowded >= MIN_CROWDED && crowded * 2 > rows.len();
        let texts: usize = rows.iter().map(|row| row.segments.len()).sum();
        let is_layout = continued >= MIN_CONTINUED && continued * LAYOUT_SHARE > texts;
        if is_crowded || is_layout || is_scattered(&inside, used.len()) || is_torn(placed) {
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
            && !Self::is_chart(&inside);
        is_table.then(|| PdfRow::of_table(cells, self.across[0], self.across[columns], rows))
    }

    /// The columns that something divides from the one before them in a band: a line, or a gap between
    /// texts that are all within columns which lines divide in most other bands.
    fn walls(&self, band: usize, rows: &[&PdfRow]) -> Vec<bool> {
        let columns = self.across.len() - 1;
        let mut walls = self.ruled[band].clone();
        let bands = self.ruled.len();
        let is_usual = |column: usize| {
            let ruled = self.ruled.iter().filter(|walls| walls[column]);
            ruled.count() * 2 > bands
        };
        let segments = || rows.iter().flat_map(|row| &row.segments);
        let mut first = 0;
        while first < columns {
            let open = walls[first + 1..].iter().take_while(|it| !**it).count();
            let edges = &self.across[first + 1..first + 1 + open];
            let is_crossed = |edge: &f64| {
                let mut segments = segments();
                segments.any(|it| it.left < *edge - NEAR && it.right > *edge + NEAR)
            };
            let is_between = |edge: &f64| {
                let is_left = |it: &Segment| it.right <= *edge + NEAR;
                let beside = |row: &&PdfRow| {
                    let mut pairs = row.segments.windows(2);
                    pairs.any(|pair| is_left(&pair[0]) && !is_left(&pair[1]))
                };
                rows.iter().any(beside)
            };
            let after = first + 1 + open;
            let is_divided = open > 0
                && (first + 1..after).all(is_usual)
                && !edges.iter().any(is_crossed)
                && edges.iter().all(is_between);
            walls[first + 1..after].fill(is_divided);
            first = after;
        }
        walls
    }

    /// The column of a segment: the first of those that nothing divides.
    fn column(&self, segment: &Segment, walls: &[bool]) -> usize {
        let columns = walls.len();
        let middle = (segment.left + segment.right) / 2.0;
        let column = self.across[1..columns].partition_point(|edge| *edge <= middle);
        walls[..=column].iter().rposition(|it| *it).unwrap_or(0)
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

    /// The lines of text in a band, with the column of each of their segments.
    fn band<'r>(&self, band: usize, rows: &'r [PdfRow]) -> Band<'r> {
        let (top, bottom) = (self.down[band], self.down[band + 1]);
        let is_inside = |row: &&PdfRow| (top..bottom).contains(&(row.baseline - 0.3 * row.size));
        let inside: Vec<&PdfRow> = rows.iter().filter(is_inside).collect();
        let walls = self.walls(band, &inside);
        let columns_of = |row: &PdfRow| -> Vec<usize> {
            let segments = row.segments.iter();
            segments.map(|it| self.column(it, &walls)).collect()
        };
        let lines = inside.into_iter().map(|row| (row, columns_of(row)));
        Band {
            lines: lines.collect(),
        }
    }

    /// Whether most lines are drawn before the one above them in their cell, as the numbers along the axis of
    /// a chart are.
    fn is_chart(bands: &[Band<'_>]) -> bool {
        let moves = bands.iter().map(Band::moves);
        let (up, down) = moves.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        up >= MIN_UPWARD && up > down
    }
}
