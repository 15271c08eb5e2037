//! Tables that touch one another side by side.
//!
//! A table that is wider than its column of the page reaches the table in the next column. Their lines
//! meet, but those of one are at other heights than those of the other.

use super::super::rulings::Rule;
use super::NEAR;

/// A table has at least so many lines that end where the other table begins.
const MIN_LINES: usize = 3;
/// One of so many lines may cross the edge: lines of both tables that are at one height by chance.
const CROSSING_SHARE: usize = 4;
/// More tables side by side are one.
const MAX_PARTS: usize = 3;

/// The horizontal and the vertical lines of a table.
pub(super) type Lines = (Vec<Rule>, Vec<Rule>);

/// The lines of each table, of lines that meet.
pub(super) fn parted(lines: Lines) -> Vec<Lines> {
    let mut parts = Vec::new();
    let mut rest = lines;
    while parts.len() + 1 < MAX_PARTS {
        let edges = rest.1.iter().map(|rule| rule.at);
        let Some(edge) = edges.clone().find(|edge| is_between(*edge, &rest)) else {
            break;
        };
        parts.push(side(&rest, f64::MIN, edge));
        rest = side(&rest, edge, f64::MAX);
    }
    parts.push(rest);
    parts
}

/// Whether there is a table on both sides of an edge.
fn is_between(edge: f64, (flat, upright): &Lines) -> bool {
    let is_left = |rule: &&Rule| rule.to <= edge + NEAR;
    let is_right = |rule: &&Rule| rule.from >= edge - NEAR;
    let left: Vec<&Rule> = flat.iter().filter(is_left).collect();
    let right: Vec<&Rule> = flat.iter().filter(is_right).collect();
    let fewer = left.len().min(right.len());
    let crossing = flat.len().saturating_sub(left.len() + right.len());
    if fewer < MIN_LINES || crossing * CROSSING_SHARE > fewer {
        return false;
    }
    let mut heights: Vec<f64> = right.iter().map(|it| it.at).collect();
    heights.sort_by(f64::total_cmp);
    let has_level = |one: &&&Rule| {
        let next = heights.partition_point(|at| *at <= one.at - NEAR);
        heights.get(next).is_some_and(|at| *at < one.at + NEAR)
    };
    let level = left.iter().filter(has_level);
    let lines = &(flat.clone(), upright.clone());
    level.count() * CROSSING_SHARE <= fewer
        && is_regular(&side(lines, f64::MIN, edge))
        && is_regular(&side(lines, edge, f64::MAX))
}

/// Whether lines are those of a table without odd cells: all go from one side of it to the other.
fn is_regular((flat, upright): &Lines) -> bool {
    let across = |rules: &[Rule], others: &[Rule]| {
        let from = others.iter().map(|rule| rule.at).fold(f64::MAX, f64::min);
        let to = others.iter().map(|rule| rule.at).fold(f64::MIN, f64::max);
        let mut rules = rules.iter();
        rules.all(|rule| rule.from <= from + 2.0 * NEAR && rule.to >= to - 2.0 * NEAR)
    };
    let columns = super::distinct(upright.iter().map(|rule| rule.at).collect());
    columns.len() >= MIN_LINES && across(flat, upright) && across(upright, flat)
}

/// The lines between two edges.
fn side((flat, upright): &Lines, left: f64, right: f64) -> Lines {
    let part = |rule: &Rule| Rule {
        from: rule.from.max(left),
        to: rule.to.min(right),
        ..*rule
    };
    let mut flat: Vec<Rule> = flat.iter().map(part).collect();
    flat.retain(|rule| rule.to - rule.from > NEAR);
    let top = flat.iter().map(|rule| rule.at).fold(f64::MAX, f64::min);
    let bottom = flat.iter().map(|rule| rule.at).fold(f64::MIN, f64::max);
    let part = |rule: &Rule| Rule {
        from: rule.from.max(top),
        to: rule.to.min(bottom),
        ..*rule
    };
    let is_within = |rule: &&Rule| (left - NEAR..=right + NEAR).contains(&rule.at);
    let mut upright: Vec<Rule> = upright.iter().filter(is_within).map(part).collect();
    upright.retain(|rule| rule.to - rule.from > NEAR);
    (flat, upright)
}
