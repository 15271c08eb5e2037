//! The equations of OpenDocument, books and pages.

use super::symbols::{accent, function, tex};
use super::{argument, base, delimiter, joined};

/// An element of an equation, in whichever tree it is. The tree bounds how deep elements are nested.
pub(crate) trait MathElement: Copy {
    fn name(&self) -> &str;
    fn attribute(&self, name: &str) -> Option<&str>;
    fn elements(&self) -> Vec<Self>;
    /// All text in it.
    fn text(&self) -> String;
}

/// The TeX of a `math` element.
pub(crate) fn from_mathml(math: impl MathElement) -> String {
    row(math).trim().to_owned()
}

fn row(parent: impl MathElement) -> String {
    joined(parent.elements().into_iter().map(element))
}

fn element<E: MathElement>(element: E) -> String {
    let parts = element.elements();
    let part = |index: usize| {
        parts
            .get(index)
            .map(|part| self::element(*part))
            .unwrap_or_default()
    };
    match element.name() {
        "mi" | "mn" | "mo" => {
            let text = element.text();
            let text = text.trim();
            function(text).map_or_else(|| tex(text), str::to_owned)
        }
        "mtext" | "ms" => match element.text().trim() {
            "" => " ".to_owned(),
            text => format!("\\text{{{text}}}"),
        },
        "mspace" => " ".to_owned(),
        "mfrac" => format!("\\frac{}{}", argument(&part(0)), argument(&part(1))),
        "msup" => format!("{}^{}", base(&part(0)), argument(&part(1))),
        "msub" => format!("{}_{}", base(&part(0)), argument(&part(1))),
        "msubsup" | "munderover" => format!(
            "{}_{}^{}",
            base(&part(0)),
            argument(&part(1)),
            argument(&part(2))
        ),
        "mover" => over(&part(0), parts.get(1).map(|it| it.text()), &part(1)),
        "munder" => format!("{}_{}", base(&part(0)), argument(&part(1))),
        "msqrt" => format!("\\sqrt{}", argument(&row(element))),
        "mroot" => format!("\\sqrt[{}]{}", part(1).trim(), argument(&part(0))),
        "mfenced" => {
            // Longer ones are no signs: a text would be hidden in them.
            let is_sign = |it: &&str| it.chars().count() <= 2;
            let letter = |name: &str, usual: &str| {
                delimiter(element.attribute(name).filter(is_sign).unwrap_or(usual))
            };
            let inside: Vec<String> = parts.iter().map(|part| self::element(*part)).collect();
            let separator = element.attribute("separators").unwrap_or(",");
            let separator = separator
                .chars()
                .next()
                .map(String::from)
                .unwrap_or_default();
            format!(
                "\\left{} {} \\right{}",
                letter("open", "("),
                inside.join(&separator),
                letter("close", ")")
            )
        }
        "mtable" => {
            let rows = named(parts, "mtr").map(|line| {
                let cells: Vec<String> = named(line.elements(), "mtd").map(row).collect();
                cells.join(" & ")
            });
            let rows: Vec<String> = rows.collect();
            format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
        }
        "mphantom" => format!("\\phantom{}", argument(&row(element))),
        // The same equation in another notation.
        "annotation" | "annotation-xml" => String::new(),
        _ => row(element),
    }
}

fn named<E: MathElement>(elements: Vec<E>, name: &str) -> impl Iterator<Item = E> {
    elements
        .into_iter()
        .filter(move |element| element.name() == name)
}

/// Something above something else: an accent, a bar or a limit.
fn over(under: &str, mark: Option<String>, above: &str) -> String {
    let mark = mark.unwrap_or_default();
    match mark.trim() {
        "" => under.to_owned(),
        mark if mark.chars().count() == 1 && !mark.contains(char::is_alphanumeric) => {
            format!("{}{}", accent(mark), argument(under))
        }
        _ => format!("{}^{}", base(under), argument(above)),
    }
}
