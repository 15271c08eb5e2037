//! What styles take out of sight: those of an element, and the simple rules of the page's own style
//! sheets.
//!
//! Nothing that a reader sees may be lost, and a page's look is the work of many rules, scripts and
//! files that are not read here. So only the plainest rules count (`.a`, `#b`, `p.a.b`, outside of
//! every condition), and a name that any other rule may bring back into sight is taken for visible.

use std::collections::{HashMap, HashSet};

use super::tree::{Id, ROOT, Tree};

/// As much of a page's style sheets as is read.
const MAX_SHEET_BYTES: usize = 512 * 1_024;

/// As many rules as are tried on one element.
const MAX_TRIED: usize = 64;

/// How sure it is that a style hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hiding {
    /// It does not.
    No,
    /// It does now, but may be where an animation starts.
    Perhaps,
    /// It does.
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

    /// Whether a length or a number is nothing.
    fn is_nothing(&self, property: &str) -> bool {
        self.value(property).is_some_and(is_nothing)
    }

    /// Far out on the left or above.
    fn is_far(&self, property: &str) -> bool {
        let value = self.value(property).and_then(|it| it.strip_prefix('-'));
        value.is_some_and(|it| {
            it.bytes().take_while(u8::is_ascii_digit).count() >= 4 || it.starts_with("999")
        })
    }

    fn is_small(&self, property: &str) -> bool {
        self.is_nothing(property) || self.is(property, &["1px"])
    }

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

    /// Letters in the colour of their ground.
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
        self.is_nothing("opacity")
            || self.value("transform").is_some_and(shrunk)
            || self.is_nothing("scale")
    }

    /// How a rule hides: what moves is on its way into sight, and letters without a size may get
    /// one from another rule.
    fn in_rule(&self) -> Hiding {
        let moves = ["transition", "animation", "animation-name", "will-change"]
            .iter()
            .any(|it| self.value(it).is_some());
        match () {
            () if self.hide() => Hiding::Yes,
            () if !moves && (self.fade() || self.is_nothing("font-size")) => Hiding::Perhaps,
            () => Hiding::No,
        }
    }

    /// Whether they make something visible that another rule may have hidden.
    fn show(&self) -> bool {
        let other =
            |property: &str, hiding: &str| self.value(property).is_some_and(|it| it != hiding);
        let some = |property: &str| self.value(property).is_some_and(|it| !is_nothing(it));
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

fn is_nothing(value: &str) -> bool {
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

/// What the style attribute of an element says.
pub(super) fn of_attribute(tree: &Tree, id: Id, style: &str) -> Hiding {
    let style = plain(style);
    let declarations = Declarations(&style);
    if declarations.hide() || (declarations.is_nothing("font-size") && !sized_again(tree, id)) {
        return Hiding::Yes;
    }
    if declarations.fade() {
        Hiding::Perhaps
    } else {
        Hiding::No
    }
}

/// Letters of no size close the gaps between boxes in letters and old layouts; what is in the boxes
/// has a size of its own.
fn sized_again(tree: &Tree, id: Id) -> bool {
    const MANY: usize = 200;
    let mut below = tree.below(id).skip(1);
    let sized = |it: Id| {
        tree.attributes(it)
            .iter()
            .any(|it| matches!(&*it.name.local, "class" | "style" | "size"))
    };
    below.by_ref().take(MANY).any(sized) || below.next().is_some()
}

/// A tag, an id and classes that must all be an element's own.
#[derive(Debug)]
struct Compound {
    hiding: Hiding,
    tag: String,
    /// With their mark: `.a`, `#b`.
    names: Vec<String>,
}

/// The rules of a page's own style sheets that hide.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// By the first of their names.
    hiding: HashMap<String, Vec<Compound>>,
    /// Names that some rule shows.
    shown: HashSet<String>,
}

impl Sheet {
    /// Reads the style sheets of a page.
    pub(super) fn of(tree: &Tree) -> Sheet {
        let mut sheet = Sheet::default();
        let mut left = MAX_SHEET_BYTES;
        for style in tree.below(ROOT).filter(|it| tree.name(*it) == "style") {
            let text = tree.text_below(style);
            let end = (0..=left.min(text.len()))
                .rev()
                .find(|it| text.is_char_boundary(*it))
                .unwrap_or(0);
            left -= end;
            sheet.read(&text[..end]);
        }
        sheet
    }

    /// Reads the rules, those inside of conditions as well: these may show, but never hide.
    fn read(&mut self, css: &str) {
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
                        self.rule(selector, &css[from..at], depth > 1);
                    }
                    selector = "";
                    depth = depth.saturating_sub(1);
                    from = at + 1;
                }
                // Rules without a block, at the top or between the rules of a condition.
                b';' if selector.is_empty() || selector.starts_with('@') => from = at + 1,
                _ => {}
            }
        }
    }

    fn rule(&mut self, selector: &str, body: &str, conditional: bool) {
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
            match Compound::of(selector, hiding) {
                Some(compound) if hides => {
                    if !conditional && let Some(first) = compound.names.first() {
                        self.hiding.entry(first.clone()).or_default().push(compound);
                    }
                }
                // Only the end of a selector says whom it shows; it may well hold more than is
                // understood here.
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

    /// What the rules say of an element.
    pub(super) fn hiding(&self, tree: &Tree, id: Id) -> Hiding {
        if self.hiding.is_empty() {
            return Hiding::No;
        }
        let classes = tree
            .attribute(id, "class")
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(|it| format!(".{it}"));
        let own: Vec<String> = classes
            .chain(tree.attribute(id, "id").map(|it| format!("#{it}")))
            .take(50)
            .collect();
        if own.iter().any(|name| self.shown.contains(name)) {
            return Hiding::No;
        }
        let fits = |it: &&Compound| {
            (it.tag.is_empty() || it.tag == tree.name(id))
                && it.names.iter().all(|name| own.contains(name))
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
    /// A selector without spaces, states and attributes; nothing for any other.
    fn of(selector: &str, hiding: Hiding) -> Option<Compound> {
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
        of_attribute(&tree, id, tree.attribute(id, "style").unwrap_or_default())
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
    fn letters_of_no_size_around_boxes_are_a_layout() {
        let tree = bounded::parse(
            "<div style='font-size:0'><span style='font-size:14px'>shown</span></div>",
        )
        .tree;
        let id = tree
            .below(ROOT)
            .find(|it| tree.name(*it) == "div")
            .unwrap_or(ROOT);
        assert_eq!(of_attribute(&tree, id, "font-size:0"), Hiding::No);
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
        let sheet = Sheet::of(&tree);
        let hidden: String = tree
            .below(ROOT)
            .filter(|it| sheet.hiding(&tree, *it) == Hiding::Yes)
            .map(|it| tree.text_below(it))
            .collect();
        assert_eq!(hidden, "123");
        let faded = bounded::parse("<style>.a,.b{opacity:0}.c{font-size:0}.x .b{opacity:1}.d{opacity:0;transition:all 1s}</style><p class=a>1<p class=b>2<p class=c>3<p class=d>4").tree;
        let sheet = Sheet::of(&faded);
        let perhaps: String = faded
            .below(ROOT)
            .filter(|it| sheet.hiding(&faded, *it) == Hiding::Perhaps)
            .map(|it| faded.text_below(it))
            .collect();
        assert_eq!(perhaps, "13");
    }
}
