//! The equations of documents: those of Office are read here, MathML by [`crate::tex`].

use super::xml::XmlElement;
use crate::tex::{MathElement, accent, argument, base, delimiter, function, joined, tex};

/// An element of MathML in a document.
impl MathElement for XmlElement<'_> {
    fn name(&self) -> &str {
        (*self).name()
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        (*self).attribute(name)
    }

    fn elements(&self) -> Vec<Self> {
        (*self).elements().collect()
    }

    fn text(&self) -> String {
        (*self).text()
    }
}

/// The TeX of an `oMath` element.
pub(super) fn from_omml(math: XmlElement<'_>) -> String {
    row(math).trim().to_owned()
}

fn row(parent: XmlElement<'_>) -> String {
    if parent.elements().next().is_none() {
        // Elements deeper than the tree goes are missing, but not their text.
        return tex(parent.text().trim());
    }
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

#[cfg(test)]
mod tests {
    use super::super::xml::XmlTree;
    use super::*;
    use crate::tex::from_mathml;

    fn omml(xml: &str) -> String {
        let tree = XmlTree::parse_str(&format!("<m:oMath>{xml}</m:oMath>"), 10_000);
        from_omml(tree.expect("has a root").root())
    }

    fn r(text: &str) -> String {
        format!("<m:r><m:t>{text}</m:t></m:r>")
    }

    #[test]
    fn the_structures_of_office_become_commands() {
        let (a, b, x) = (r("a"), r("b"), r("x"));
        for (xml, tex) in [
            (
                format!("<m:f><m:num>{a}</m:num><m:den>{b}</m:den></m:f>"),
                r"\frac{a}{b}",
            ),
            (
                format!("<m:sSup><m:e>{x}</m:e><m:sup>{}</m:sup></m:sSup>", r("2")),
                "x^{2}",
            ),
            (
                format!(
                    "<m:sSubSup><m:e>{x}</m:e><m:sub>{a}</m:sub><m:sup>{b}</m:sup></m:sSubSup>"
                ),
                "x_{a}^{b}",
            ),
            (
                format!(
                    "<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{x}</m:e></m:rad>"
                ),
                r"\sqrt{x}",
            ),
            (
                format!("<m:rad><m:deg>{}</m:deg><m:e>{x}</m:e></m:rad>", r("3")),
                r"\sqrt[3]{x}",
            ),
            (
                format!(
                    "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{x}</m:e></m:nary>",
                    r("i=1"),
                    r("n")
                ),
                r"\sum_{i=1}^{n} x",
            ),
            (
                format!("<m:d><m:e>{a}</m:e><m:e>{b}</m:e></m:d>"),
                r"\left( a\mid b \right)",
            ),
            (
                format!(
                    "<m:func><m:fName>{}</m:fName><m:e>{x}</m:e></m:func>",
                    r("sin")
                ),
                r"\sin x",
            ),
            (
                format!(
                    "<m:m><m:mr><m:e>{a}</m:e><m:e>{b}</m:e></m:mr><m:mr><m:e>{x}</m:e></m:mr></m:m>"
                ),
                r"\begin{matrix}a & b \\ x\end{matrix}",
            ),
            (
                format!(
                    "<m:acc><m:accPr><m:chr m:val='\u{20D7}'/></m:accPr><m:e>{x}</m:e></m:acc>"
                ),
                r"\vec{x}",
            ),
            (r("αβ≤∞"), r"\alpha\beta\leq\infty"),
            (format!("{}{x}", r("π")), r"\pi x"),
        ] {
            assert_eq!(omml(&xml), tex, "{xml}");
        }
    }

    #[test]
    fn mathml_becomes_the_same() {
        let tree = XmlTree::parse_str(
            "<math><semantics><mrow><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac><mo>=</mo><msqrt><mi>π</mi></msqrt>\
             <munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mfenced><mi>x</mi><mi>y</mi></mfenced></mrow>\
             <annotation encoding='StarMath 5.0'>a over b</annotation></semantics></math>",
            10_000,
        );
        assert_eq!(
            from_mathml(tree.expect("has a root").root()),
            r"\frac{a}{b^{2}}=\sqrt{\pi}\sum_{i}^{n}\left( x,y \right)"
        );
    }
}
