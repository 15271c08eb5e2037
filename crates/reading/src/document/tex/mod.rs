//! Equations as TeX: those of Office (OMML), and of OpenDocument, books and pages (MathML).

mod mathml;
mod omml;
mod symbols;

pub(super) use mathml::from_mathml;
pub(super) use omml::from_omml;

use super::xml::XmlTree;

/// A larger equation is read as its text.
const MAX_NODES: usize = 20_000;

/// The TeX of a `math` element that is written as XML. `None` if it has no text or is no XML.
pub(crate) fn mathml_to_tex(xml: &str) -> Option<String> {
    let tree = XmlTree::parse_str(xml, MAX_NODES).ok()?;
    let tex = from_mathml(tree.root());
    (!tree.incomplete && !tex.is_empty()).then_some(tex)
}

/// An argument of a command: braces around anything longer than one letter.
fn argument(tex: &str) -> String {
    format!("{{{}}}", tex.trim())
}

/// A base that takes an index: braces where it is more than one symbol.
fn base(tex: &str) -> String {
    let tex = tex.trim();
    let is_command = tex.strip_prefix('\\').is_some_and(|name| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphabetic())
    });
    if is_command || tex.chars().count() == 1 {
        tex.to_owned()
    } else {
        argument(tex)
    }
}

/// Joins pieces so that a command does not run into a letter that follows it.
fn joined(pieces: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for piece in pieces {
        let ends_in_command = text.rsplit_once('\\').is_some_and(|(_, name)| {
            !name.is_empty() && name.chars().all(|it| it.is_ascii_alphabetic())
        });
        if ends_in_command && piece.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            text.push(' ');
        }
        text.push_str(&piece);
    }
    text
}

/// A delimiter behind `\left` or `\right`. An empty one is a dot.
fn delimiter(text: &str) -> String {
    match text {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{text}"),
        text => symbols::tex(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
