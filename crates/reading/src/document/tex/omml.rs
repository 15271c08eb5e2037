//! The equations of Office.

use super::super::xml::XmlElement;
use super::symbols::{accent, function, tex};
use super::{argument, base, delimiter, joined};

/// The TeX of an `oMath` element.
pub(in crate::document) fn from_omml(math: XmlElement<'_>) -> String {
    row(math).trim().to_owned()
}

fn row(parent: XmlElement<'_>) -> String {
    joined(parent.elements().map(element))
}

fn child(parent: XmlElement<'_>, name: &str) -> String {
    parent.child(name).map(row).unwrap_or_default()
}

/// The value of a property, such as the letter of an accent.
fn property<'t>(parent: XmlElement<'t>, name: &str) -> Option<&'t str> {
    let properties = parent
        .elements()
        .find(|element| element.name().ends_with("Pr"))?;
    Some(properties.child(name)?.attribute("val").unwrap_or_default())
}

fn is_on(parent: XmlElement<'_>, name: &str) -> bool {
    property(parent, name).is_some_and(|value| !matches!(value, "0" | "off" | "false"))
}

fn element(element: XmlElement<'_>) -> String {
    let child = |name: &str| child(element, name);
    let (below, above) = (|| argument(&child("sub")), || argument(&child("sup")));
    match element.name() {
        "r" => run(element),
        "f" if property(element, "type") == Some("lin") => {
            format!("{}/{}", base(&child("num")), base(&child("den")))
        }
        "f" if property(element, "type") == Some("noBar") => {
            format!(
                "\\binom{}{}",
                argument(&child("num")),
                argument(&child("den"))
            )
        }
        "f" => format!(
            "\\frac{}{}",
            argument(&child("num")),
            argument(&child("den"))
        ),
        "sSup" => format!("{}^{}", base(&child("e")), above()),
        "sSub" => format!("{}_{}", base(&child("e")), below()),
        "sSubSup" => format!("{}_{}^{}", base(&child("e")), below(), above()),
        "sPre" => format!("{{}}_{}^{}{}", below(), above(), base(&child("e"))),
        "rad" => radical(element),
        "nary" => operator(element),
        "d" => delimited(element),
        "func" => format!("{} {}", child("fName").trim(), child("e").trim()),
        "limLow" => format!("{}_{}", limit_base(&child("e")), argument(&child("lim"))),
        "limUpp" => format!("{}^{}", limit_base(&child("e")), argument(&child("lim"))),
        "acc" => {
            let mark = property(element, "chr").unwrap_or("\u{302}");
            format!("{}{}", accent(mark), argument(&child("e")))
        }
        "bar" if property(element, "pos") == Some("top") => {
            format!("\\overline{}", argument(&child("e")))
        }
        "bar" => format!("\\underline{}", argument(&child("e"))),
        "groupChr" if property(element, "pos") == Some("top") => {
            format!("\\overbrace{}", argument(&child("e")))
        }
        "groupChr" => format!("\\underbrace{}", argument(&child("e"))),
        "borderBox" => format!("\\boxed{}", argument(&child("e"))),
        "phant" if !is_on(element, "show") => format!("\\phantom{}", argument(&child("e"))),
        "m" => matrix(element),
        "eqArr" => {
            let lines: Vec<String> = element.all("e").map(row).collect();
            format!("\\begin{{aligned}}{}\\end{{aligned}}", lines.join(" \\\\ "))
        }
        // Deleted text and the properties of the structures.
        "del" | "moveFrom" => String::new(),
        name if name.ends_with("Pr") => String::new(),
        _ => row(element),
    }
}

fn run(run: XmlElement<'_>) -> String {
    let text: String = run.all("t").map(XmlElement::text).collect();
    let is_plain_text = run.child("rPr").is_some_and(|it| it.child("nor").is_some());
    if is_plain_text && text.contains(char::is_alphabetic) {
        return format!("\\text{{{text}}}");
    }
    function(text.trim()).map_or_else(|| tex(&text), str::to_owned)
}

fn radical(radical: XmlElement<'_>) -> String {
    let degree = child(radical, "deg");
    let inside = argument(&child(radical, "e"));
    if degree.trim().is_empty() || is_on(radical, "degHide") {
        format!("\\sqrt{inside}")
    } else {
        format!("\\sqrt[{}]{inside}", degree.trim())
    }
}

/// A large operator with its limits, such as a sum. Without a sign it is an integral.
fn operator(operator: XmlElement<'_>) -> String {
    let mut text = tex(property(operator, "chr").unwrap_or("∫"));
    for (name, mark) in [("sub", '_'), ("sup", '^')] {
        let limit = child(operator, name);
        if !limit.trim().is_empty() {
            text.push(mark);
            text.push_str(&argument(&limit));
        }
    }
    format!("{text} {}", child(operator, "e").trim())
}

fn delimited(group: XmlElement<'_>) -> String {
    let letter = |name: &str, usual: &str| delimiter(property(group, name).unwrap_or(usual));
    let separator = match property(group, "sepChr").unwrap_or("|") {
        "|" => "\\mid ".to_owned(),
        other => tex(other),
    };
    let inside: Vec<String> = group
        .all("e")
        .map(|part| row(part).trim().to_owned())
        .collect();
    format!(
        "\\left{} {} \\right{}",
        letter("begChr", "("),
        inside.join(&separator),
        letter("endChr", ")")
    )
}

fn matrix(matrix: XmlElement<'_>) -> String {
    let rows = matrix.all("mr").map(|line| {
        let cells: Vec<String> = line
            .all("e")
            .map(|cell| row(cell).trim().to_owned())
            .collect();
        cells.join(" & ")
    });
    let rows: Vec<String> = rows.collect();
    format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
}

/// What a limit stands under: `\lim` as it is, and anything else as an operator.
fn limit_base(tex: &str) -> String {
    let tex = tex.trim();
    if tex.starts_with('\\') {
        tex.to_owned()
    } else {
        base(tex)
    }
}
