//! Which elements styles hide: the `style` attribute of an element, and the simple rules of the
//! page's own style sheets.
//!
//! Visible text must not be lost, and how a page looks depends on many rules, scripts and files
//! that are not read here. So only the simplest selectors hide (`.a`, `#b`, `p.a.b`, outside of
//! every `@media`), and a class or id that any other rule may show again is taken for visible.

use std::collections::{HashMap, HashSet};

use super::html_tree::{HtmlTree, NodeId, ROOT};

/// The most bytes of a page's style sheets that are read.
const MAX_SHEET_BYTES: usize = 512 * 1_024;

/// The most rules that are tried on one element.
const MAX_TRIED: usize = 64;

/// Whether a style hides an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hiding {
    No,
    /// It hides now, but may be the start of an animation.
    Perhaps,
    Yes,
}

/// The declarations of one style, lower case, without white space.
struct Declarations<'s>(&'s str);

impl<'s> Declarations<'s> {
    /// The value that counts: the last one.
    fn value(&self, property: &str) -> Option<&'s str> {
        let mut pairs = self.0.split(';').filter_map(|it| it.split_once(':'));
        pairs
            .rfind(|(name, _)| *name == property)
            .map(|(_, value)| value.trim_end_matches("!important"))
    }

    fn is(&self, property: &str, wanted: &[&str]) -> bool {
        self.value(property).is_some_and(|it| wanted.contains(&it))
    }

    /// Whether a length or a number is zero.
    fn is_zero(&self, property: &str) -> bool {
        self.value(property).is_some_and(is_zero)
    }

    /// Whether it moves the element far out of the page to the left or above.
    fn is_far(&self, property: &str) -> bool {
        let value = self.value(property).and_then(|it| it.strip_prefix('-'));
        value.is_some_and(|it| {
            it.bytes().take_while(u8::is_ascii_digit).count() >= 4 || it.starts_with("999")
        })
    }

    fn is_small(&self, property: &str) -> bool {
        self.is_zero(property) || self.is(property, &["1px"])
    }

    /// Whether they hide for certain.
    fn hide(&self) -> bool {
        let out_of_flow = self.is("position", &["absolute", "fixed"]);
        let clipped = |it: &str| it.starts_with("rect(0") || it.starts_with("rect(1px");
        self.is("display", &["none"])
            || self.is("visibility", &["hidden", "collapse"])
            || self.is_far("text-indent")
            || (out_of_flow && ["left", "top", "right"].iter().any(|it| self.is_far(it)))
            || (out_of_flow && self.value("clip").is_some_and(clipped))
            || (self.is("overflow", &["hidden"])
                && ["height", "max-height", "width"]
                    .iter()
                    .any(|it| self.is_small(it)))
            || self.is_painted_over()
    }

    /// Whether the text has the colour of its background.
    fn is_painted_over(&self) -> bool {
        let ground = self
            .value("background-color")
            .or_else(|| self.value("background"));
        let named = |it: &&str| {
            !matches!(
                *it,
                "transparent" | "inherit" | "initial" | "unset" | "none"
            ) && !it.starts_with("var(")
        };
        self.value("color")
            .filter(named)
            .is_some_and(|it| ground.is_some_and(|ground| colour(ground) == colour(it)))
    }

    /// Whether they make the element transparent or shrink it to nothing.
    fn fade(&self) -> bool {
        let shrunk = |it: &str| {
            [
                "scale(0)",
                "scale(0,0)",
                "scalex(0)",
                "scaley(0)",
                "scale3d(0,",
            ]
            .iter()
            .any(|no| it.contains(no))
        };
        self.is_zero("opacity")
            || self.value("transform").is_some_and(shrunk)
            || self.is_zero("scale")
    }

    /// How they hide as a rule: what is animated is about to be shown, and a font size of zero may
    /// be overridden by another rule.
    fn in_rule(&self) -> Hiding {
        let moves = ["transition", "animation", "animation-name", "will-change"]
            .iter()
            .any(|it| self.value(it).is_some());
        match () {
            () if self.hide() => Hiding::Yes,
            () if !moves && (self.fade() || self.is_zero("font-size")) => Hiding::Perhaps,
            () => Hiding::No,
        }
    }

    /// Whether they make something visible that another rule may have hidden.
    fn show(&self) -> bool {
        let other =
            |property: &str, hiding: &str| self.value(property).is_some_and(|it| it != hiding);
        let some = |property: &str| self.value(property).is_some_and(|it| !is_zero(it));
        some("opacity")
            || some("font-size")
            || some("animation")
            || some("transition")
            || other("display", "none")
            || other("visibility", "hidden")
            || other("position", "absolute")
            || other("clip", "rect(0,0,0,0)")
    }
}

fn is_zero(value: &str) -> bool {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    !digits.is_empty() && digits.bytes().all(|it| matches!(it, b'0' | b'.'))
}

/// One spelling for the colours that pages hide text with.
fn colour(value: &str) -> &str {
    match value {
        "#fff" | "#ffffff" | "rgb(255,255,255)" => "white",
        "#000" | "#000000" | "rgb(0,0,0)" => "black",
        other => other,
    }
}

/// Lower case, without white space and comments.
fn plain(style: &str) -> String {
    let mut plain = without_comments(style);
    plain.retain(|it| !it.is_whitespace());
    plain.make_ascii_lowercase();
    plain
}

/// Whether the `style` attribute of an element hides it.
pub(super) fn attribute_hiding(tree: &HtmlTree, id: NodeId, style: &str) -> Hiding {
    let style = plain(style);
    let declarations = Declarations(&style);
    if declarations.hide() || (declarations.is_zero("font-size") && !is_sized_again(tree, id)) {
        return Hiding::Yes;
    }
    if declarations.fade() {
        Hiding::Perhaps
    } else {
        Hiding::No
    }
}

/// Whether elements below set a font size of their own. E-mails and old layouts set a size of zero
/// to close the gaps between boxes.
fn is_sized_again(tree: &HtmlTree, id: NodeId) -> bool {
    const MANY: usize = 200;
    let mut below = tree.below(id).skip(1);
    let sized = |it: NodeId| {
        tree.attributes(it)
            .iter()
            .any(|it| matches!(&*it.name.local, "class" | "style" | "size"))
    };
    below.by_ref().take(MANY).any(sized) || below.next().is_some()
}

/// A selector without spaces: a tag, an id and classes that an element must all have.
#[derive(Debug)]
struct Compound {
    hiding: Hiding,
    tag: String,
    /// With their sign: `.a`, `#b`.
    names: Vec<String>,
}

/// The rules of a page's own style sheets that hide.
#[derive(Debug, Default)]
pub(crate) struct StyleRules {
    /// By the first of their names.
    hiding: HashMap<String, Vec<Compound>>,
    /// Names that some rule shows.
    shown: HashSet<String>,
}

impl StyleRules {
    /// Reads the style sheets of a page.
    pub(super) fn of_page(tree: &HtmlTree) -> StyleRules {
        let mut rules = StyleRules::default();
        let mut left = MAX_SHEET_BYTES;
        for style in tree.below(ROOT).filter(|it| tree.name(*it) == "style") {
            let text = tree.text_below(style);
            let end = (0..=left.min(text.len()))
                .rev()
                .find(|it| text.is_char_boundary(*it))
                .unwrap_or(0);
            left -= end;
            rules.add_rules(&text[..end]);
        }
        rules
    }

    /// Reads style sheets that stand beside a page or in it.
    pub(crate) fn of_sheets(sheets: &[String]) -> StyleRules {
        let mut rules = StyleRules::default();
        let mut left = MAX_SHEET_BYTES;
        for sheet in sheets {
            let end = sheet.floor_char_boundary(left);
            left -= end;
            rules.add_rules(&sheet[..end]);
        }
        rules
    }

    /// Reads the rules of a style sheet. Those inside of `@media` and the like may show, but never
    /// hide.
    fn add_rules(&mut self, css: &str) {
        let css = without_comments(css);
        let (mut depth, mut from) = (0_usize, 0);
        let mut selector = "";
        for (at, byte) in css.bytes().enumerate() {
            match byte {
                b'{' => {
                    selector = css[from..at].trim();
                    depth += 1;
                    from = at + 1;
                }
                b'}' => {
                    if !selector.is_empty() {
                        self.add_rule(selector, &css[from..at], depth > 1);
                    }
                    selector = "";
                    depth = depth.saturating_sub(1);
                    from = at + 1;
                }
                // Statements without a block, such as `@import`.
                b';' if selector.is_empty() || selector.starts_with('@') => from = at + 1,
                _ => {}
            }
        }
    }

    fn add_rule(&mut self, selector: &str, body: &str, conditional: bool) {
        if selector.starts_with('@') {
            return;
        }
        let body = plain(body);
        let declarations = Declarations(&body);
        let hiding = declarations.in_rule();
        let hides = hiding != Hiding::No;
        if !hides && !declarations.show() {
            return;
        }
        for selector in selector.split(',').map(str::trim) {
            match Compound::parse(selector, hiding) {
                Some(compound) if hides => {
                    if !conditional && let Some(first) = compound.names.first() {
                        self.hiding.entry(first.clone()).or_default().push(compound);
                    }
                }
                // The last part of a selector names the elements it shows. It may have more in it
                // than is understood here.
                _ if !hides => self.shown.extend(names(
                    selector
                        .rsplit([' ', '>', '+', '~'])
                        .next()
                        .unwrap_or_default(),
                )),
                _ => {}
            }
        }
    }

    /// Whether the rules hide an element.
    pub(super) fn hiding(&self, tree: &HtmlTree, id: NodeId) -> Hiding {
        let attribute = |name: &str| tree.attribute(id, name);
        self.hiding_of(tree.name(id), attribute("class"), attribute("id"))
    }

    /// Whether the rules hide an element of that name, with these classes and this id, for certain.
    pub(crate) fn hide(&self, name: &str, classes: Option<&str>, id: Option<&str>) -> bool {
        self.hiding_of(name, classes, id) == Hiding::Yes
    }

    fn hiding_of(&self, tag: &str, classes: Option<&str>, id: Option<&str>) -> Hiding {
        if self.hiding.is_empty() {
            return Hiding::No;
        }
        let classes = classes
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(|it| format!(".{it}"));
        let own: Vec<String> = classes
            .chain(id.map(|it| format!("#{it}")))
            .take(50)
            .collect();
        if own.iter().any(|name| self.shown.contains(name)) {
            return Hiding::No;
        }
        let fits = |it: &&Compound| {
            (it.tag.is_empty() || it.tag == tag) && it.names.iter().all(|name| own.contains(name))
        };
        let tried = own
            .iter()
            .filter_map(|name| self.hiding.get(name))
            .flatten()
            .take(MAX_TRIED);
        tried
            .filter(fits)
            .map(|it| it.hiding)
            .max()
            .unwrap_or(Hiding::No)
    }
}

impl Compound {
    /// Parses a selector; `None` for one with spaces, states or attributes.
    fn parse(selector: &str, hiding: Hiding) -> Option<Compound> {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#');
        let end = selector.find(['.', '#'])?;
        (selector.len() <= 200 && selector.chars().all(is_name)).then(|| Compound {
            hiding,
            tag: selector[..end].to_ascii_lowercase(),
            names: names(selector).collect(),
        })
    }
}

/// The classes and ids in a selector.
fn names(selector: &str) -> impl Iterator<Item = String> + '_ {
    selector.match_indices(['.', '#']).filter_map(|(at, _)| {
        let rest = &selector[at + 1..];
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
            .unwrap_or(rest.len());
        (end > 0).then(|| selector[at..at + 1 + end].to_owned())
    })
}

fn without_comments(css: &str) -> String {
    let mut kept = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(open) = rest.find("/*") {
        kept.push_str(&rest[..open]);
        rest = rest[open..]
            .find("*/")
            .map_or("", |close| &rest[open + close + 2..]);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::super::bounded;
    use super::*;

    fn hiding(style: &str) -> Hiding {
        let tree = bounded::parse(&format!("<p id=it style=\"{style}\">text")).tree;
        let id = tree
            .below(ROOT)
            .find(|it| tree.name(*it) == "p")
            .unwrap_or(ROOT);
        attribute_hiding(&tree, id, tree.attribute(id, "style").unwrap_or_default())
    }

    #[test]
    fn styles_that_hide() {
        for style in [
            "display:none",
            "DISPLAY : none !important;",
            "visibility: hidden",
            "font-size:0",
            "font-size: 0.0em",
            "position:absolute; left:-9999px",
            "text-indent:-10000px",
            "height:0;overflow:hidden",
            "position:absolute;clip:rect(0 0 0 0)",
            "color:#fff;background:white",
        ] {
            assert_eq!(hiding(style), Hiding::Yes, "{style}");
        }
        for style in [
            "opacity:0",
            "opacity: 0.0",
            "transform:translateY(10px) scale(0)",
        ] {
            assert_eq!(hiding(style), Hiding::Perhaps, "{style}");
        }
        for style in [
            "display:block",
            "opacity:0.5",
            "left:-10px",
            "position:absolute;left:-5px",
            "height:0",
            "color:red",
            "color:white;background:black",
            "transform:scale(0.9)",
            "display:none;display:block",
        ] {
            assert_eq!(hiding(style), Hiding::No, "{style}");
        }
    }

    #[test]
    fn a_font_size_of_zero_around_sized_boxes_hides_nothing() {
        let tree = bounded::parse(
            "<div style='font-size:0'><span style='font-size:14px'>shown</span></div>",
        )
        .tree;
        let id = tree
            .below(ROOT)
            .find(|it| tree.name(*it) == "div")
            .unwrap_or(ROOT);
        assert_eq!(attribute_hiding(&tree, id, "font-size:0"), Hiding::No);
    }

    #[test]
    fn only_plain_rules_hide_and_any_rule_may_show() {
        let css = "@import 'x.css'; .gone, p.odd#x { display : none } /* .seen{display:none} */ #far{position:absolute;left:-9999px}\
            @media print { .seen { display:none } } .menu .seen { display:none } .seen:hover{visibility:hidden}\
            .panel{display:none} .open > .panel.on { display:block } .tab{visibility:hidden} @media (min-width:1px){ .tab{visibility:visible} }\
            @font-face{font-family:x} .late{display:none";
        let page = format!(
            "<style>{css}</style><p class='a gone'>1<p class=odd id=x>2<p id=far>3<p class=seen>4<p class=panel>5<p class=tab>6<p class=odd>7<p class=late>8<p>9"
        );
        let tree = bounded::parse(&page).tree;
        let rules = StyleRules::of_page(&tree);
        let hidden: String = tree
            .below(ROOT)
            .filter(|it| rules.hiding(&tree, *it) == Hiding::Yes)
            .map(|it| tree.text_below(it))
            .collect();
        assert_eq!(hidden, "123");
        let faded = bounded::parse("<style>.a,.b{opacity:0}.c{font-size:0}.x .b{opacity:1}.d{opacity:0;transition:all 1s}</style><p class=a>1<p class=b>2<p class=c>3<p class=d>4").tree;
        let rules = StyleRules::of_page(&faded);
        let perhaps: String = faded
            .below(ROOT)
            .filter(|it| rules.hiding(&faded, *it) == Hiding::Perhaps)
            .map(|it| faded.text_below(it))
            .collect();
        assert_eq!(perhaps, "13");
    }
}
