//! Charts: their title, and their series as a table with a row for each category.
//!
//! A chart keeps a copy of the numbers that it shows, so that it can be drawn without the workbook
//! they come from. That copy is what is read.

use std::collections::BTreeMap;

use super::number_format::{formatted_number, plain_number};
use crate::document::markdown::{Markdown, one_line};
use crate::document::xml::XmlElement;

/// A chart with more points is cut.
const MAX_POINTS: usize = 20_000;
const MAX_SERIES: usize = 200;

/// One series: what it is called, and its values by the place of their category.
#[derive(Debug, Default)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) categories: BTreeMap<usize, String>,
    pub(super) values: BTreeMap<usize, String>,
}

/// A chart, from whatever kind of file.
#[derive(Debug, Default)]
pub(super) struct ChartData {
    pub(super) title: String,
    /// The titles of the axes, which often name the unit.
    pub(super) axes: Vec<String>,
    pub(super) series: Vec<Series>,
}

impl ChartData {
    /// Adds a series, as far as a chart may have more.
    pub(super) fn add(&mut self, series: Series) {
        if self.series.len() <= MAX_SERIES {
            self.series.push(series);
        }
    }

    /// Writes the chart. Returns `false` if it is cut.
    pub(super) fn write(self, markdown: &mut Markdown) -> bool {
        if self.title.is_empty() && self.series.is_empty() {
            return true;
        }
        markdown.block(&format!("Chart: {}", self.title));
        if !self.axes.is_empty() {
            markdown.block(&format!("Axes: {}", self.axes.join(", ")));
        }
        let points = |series: &Series| series.values.len().max(series.categories.len());
        let points: usize = self.series.iter().map(points).sum();
        if points > MAX_POINTS || self.series.len() > MAX_SERIES {
            return false;
        }
        // Some programs store none of the values.
        let is_blank = |series: &Series| {
            series.name.is_empty() && series.values.is_empty() && series.categories.is_empty()
        };
        let series = self.series.into_iter();
        for group in grouped(series.filter(|it| !is_blank(it)).collect()) {
            markdown.grid(&rows(&group));
        }
        true
    }
}

/// Writes a chart. Returns `false` if it is cut.
pub(super) fn write_chart(root: XmlElement<'_>, markdown: &mut Markdown) -> bool {
    let series = if root
        .find("plotArea")
        .is_some_and(|it| it.find("ser").is_some())
    {
        classic_series(root)
    } else {
        extended_series(root)
    };
    let title = root
        .find("title")
        .map(|title| title_text(title))
        .unwrap_or_default();
    let axes = axis_titles(root);
    let chart = ChartData {
        title,
        axes,
        series,
    };
    chart.write(markdown)
}

fn title_text(title: XmlElement<'_>) -> String {
    let rich = title.find_all("t").into_iter().map(XmlElement::text);
    let text = rich.collect::<Vec<_>>().join(" ");
    let text = one_line(&text);
    if text.is_empty() {
        cached(title).into_values().collect::<Vec<_>>().join(" ")
    } else {
        text
    }
}

/// The titles of the axes, which often name the unit.
fn axis_titles(root: XmlElement<'_>) -> Vec<String> {
    let Some(area) = root.find("plotArea") else {
        return Vec::new();
    };
    let axes = area.elements().filter(|it| it.name().ends_with("Ax"));
    axes.filter_map(|axis| axis.child("title"))
        .map(title_text)
        .filter(|title| !title.is_empty())
        .collect()
}

fn classic_series(root: XmlElement<'_>) -> Vec<Series> {
    let mut found = Vec::new();
    for series in root.find_all("ser").into_iter().take(MAX_SERIES + 1) {
        let child = |name: &str| series.child(name).map(cached).unwrap_or_default();
        let names = child("tx").into_values().collect::<Vec<_>>();
        let (mut categories, mut values) = (child("cat"), child("val"));
        if values.is_empty() {
            (categories, values) = (child("xVal"), child("yVal"));
        }
        let name = names.join(" ");
        let sizes = child("bubbleSize");
        let of_bubbles = (!sizes.is_empty()).then(|| Series {
            name: format!("{name} (size)"),
            categories: categories.clone(),
            values: sizes,
        });
        found.push(Series {
            name,
            categories,
            values,
        });
        found.extend(of_bubbles);
    }
    found
}

/// The points of a series that a chart keeps, by their place. Categories of several levels are
/// joined.
fn cached(data: XmlElement<'_>) -> BTreeMap<usize, String> {
    let mut points = BTreeMap::new();
    let levels = data.find_all("lvl");
    if levels.is_empty() {
        let format = data.find("formatCode").map(XmlElement::text);
        for point in data.find_all("pt").into_iter().take(MAX_POINTS + 1) {
            let text = point.child("v").map(XmlElement::text).unwrap_or_default();
            let text = shown(one_line(&text), format.as_deref());
            points.insert(place(point, points.len()), text);
        }
        if points.is_empty()
            && let Some(value) = data.child("v")
        {
            points.insert(0, one_line(&value.text()));
        }
        return points;
    }
    // The innermost level comes first; a point of an outer one stands for all that follow it.
    for level in levels.into_iter().take(8) {
        let outer: BTreeMap<usize, String> = level
            .all("pt")
            .take(MAX_POINTS + 1)
            .map(|point| (place(point, 0), one_line(&point.text())))
            .collect();
        if points.is_empty() {
            points = outer;
            continue;
        }
        for (index, text) in &mut points {
            if let Some((_, above)) = outer.range(..=*index).next_back() {
                *text = format!("{above} / {text}");
            }
        }
    }
    points
}

fn place(point: XmlElement<'_>, otherwise: usize) -> usize {
    point
        .attribute("idx")
        .and_then(|index| index.parse().ok())
        .unwrap_or(otherwise)
}

/// A value as its format shows it. Rounding is left out: a chart shows no digits.
fn shown(text: String, format: Option<&str>) -> String {
    match (text.parse::<f64>(), format) {
        (Ok(value), Some(format)) if is_date_like(format) => formatted_number(value, format, false),
        (Ok(value), _) => plain_number(value),
        (Err(_), _) => text,
    }
}

fn is_date_like(format: &str) -> bool {
    let format = format.to_ascii_lowercase();
    !format.starts_with("general") && format.contains(['y', 'd', 'h']) && !format.contains('#')
}

/// The series of the kinds of charts that came with Office 2016.
fn extended_series(root: XmlElement<'_>) -> Vec<Series> {
    let data: Vec<XmlElement<'_>> = root.find_all("data");
    let mut found = Vec::new();
    for series in root.find_all("series").into_iter().take(MAX_SERIES + 1) {
        let id = series.find("dataId").and_then(|it| it.attribute("val"));
        let own = data
            .iter()
            .find(|data| data.attribute("id") == id)
            .or(data.first());
        let dimension = |name: &str| {
            let dimension = own.and_then(|data| data.child(name));
            let points = dimension.map(|it| it.find_all("pt")).unwrap_or_default();
            let texts = points.into_iter().take(MAX_POINTS + 1).enumerate();
            texts
                .map(|(index, point)| (place(point, index), one_line(&point.text())))
                .collect::<BTreeMap<_, _>>()
        };
        let name = series.find("txData").and_then(|it| it.find("v"));
        found.push(Series {
            name: name.map(|it| one_line(&it.text())).unwrap_or_default(),
            categories: dimension("strDim"),
            values: dimension("numDim"),
        });
    }
    found
}

/// Series with the same categories make one table.
fn grouped(series: Vec<Series>) -> Vec<Vec<Series>> {
    let mut groups: Vec<Vec<Series>> = Vec::new();
    for one in series {
        let same = groups.iter_mut().find(|group| {
            let first = &group[0].categories;
            *first == one.categories || one.categories.is_empty()
        });
        match same {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

fn rows(group: &[Series]) -> Vec<Vec<String>> {
    let names = group.iter().map(|series| series.name.clone());
    let mut rows = vec![std::iter::once(String::new()).chain(names).collect()];
    let mut places: Vec<usize> = group
        .iter()
        .flat_map(|series| series.values.keys().chain(series.categories.keys()))
        .copied()
        .collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let category = group[0].categories.get(&place).cloned();
        let values = group
            .iter()
            .map(|series| series.values.get(&place).cloned().unwrap_or_default());
        let category = category.unwrap_or_else(|| (place + 1).to_string());
        rows.push(std::iter::once(category).chain(values).collect());
    }
    rows
}
