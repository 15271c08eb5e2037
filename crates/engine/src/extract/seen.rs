//! Which elements a reader never sees.

use super::tree::{Id, NONE, ROOT, Tree};

/// What of a page is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    /// Whether what the page says to readers without scripts is its text.
    noscript: bool,
    /// Whether what is hidden counts as shown.
    hidden: bool,
}

impl Sight {
    /// Some pages are built by scripts and carry their text a second time, for readers without. Others are hidden as a whole
    /// until their scripts have run; where nothing at all is shown, what is hidden is what the page will show.
    pub(super) fn of(tree: &Tree) -> Sight {
        let usual = Sight { noscript: false, hidden: false };
        let noscript = Sight { noscript: true, ..usual };
        let (shown, with_noscript) = (usual.amount(tree), noscript.amount(tree));
        if with_noscript > 200 + 2 * shown {
            return noscript;
        }
        Sight { hidden: shown < 20, ..usual }
    }

    /// Bytes of text that are shown.
    fn amount(self, tree: &Tree) -> usize {
        let (mut amount, mut at) = (0, ROOT);
        while at != NONE {
            amount += tree.text(at).map_or(0, |it| it.trim().len());
            at = tree.following(at, self.hides(tree, at));
        }
        amount
    }

    /// Whether nothing below an element is shown: it is no text (scripts), a control, or hidden by its own attributes. Only
    /// what the element itself says counts: a page's style sheets are not read.
    pub(super) fn hides(self, tree: &Tree, id: Id) -> bool {
        let name = tree.name(id);
        never_text(name) || (name == "noscript" && !self.noscript) || (!self.hidden && is_hidden(tree, id))
    }
}

fn never_text(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "template"
            | "svg"
            | "iframe"
            | "head"
            | "select"
            | "textarea"
            | "option"
            | "datalist"
            | "object"
            | "embed"
            | "canvas"
            | "audio"
            | "video"
            | "map"
            | "annotation"
            | "annotation-xml"
            | "noembed"
            | "noframes"
            | "input"
            | "rp"
            | "frameset"
    )
}

fn is_hidden(tree: &Tree, id: Id) -> bool {
    let name = tree.name(id);
    // Pages hide their body until their scripts have run; then everything is shown.
    if matches!(name, "html" | "body") {
        return false;
    }
    let closed_dialog = name == "dialog" && tree.attribute(id, "open").is_none();
    closed_dialog
        || tree.attributes(id).iter().any(|it| match &*it.name.local {
            "hidden" => &*it.value != "until-found" && !is_streamed(tree, id),
            "style" => hides(&it.value),
            _ => false,
        })
}

/// React sends parts of a page late, hidden, and moves them into place at once; their ids are its own.
fn is_streamed(tree: &Tree, id: Id) -> bool {
    tree.attribute(id, "id").is_some_and(|it| it.strip_prefix("S:").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit())))
}

/// Whether a style attribute takes an element out of sight. Opacity does not count: pages fade their text in.
fn hides(style: &str) -> bool {
    let mut style: String = style.chars().filter(|it| !it.is_whitespace()).collect();
    style.make_ascii_lowercase();
    let declarations = || style.split(';').filter_map(|it| it.split_once(':'));
    let value = |property: &str| declarations().rfind(|(name, _)| *name == property).map(|(_, value)| value);
    let is = |property: &str, wanted: &str| value(property).is_some_and(|it| it.trim_end_matches("!important") == wanted);
    let zero = |property: &str| value(property).is_some_and(|it| matches!(it.trim_end_matches("!important"), "0" | "0px" | "1px"));
    let far = |property: &str| {
        let value = value(property).and_then(|it| it.strip_prefix('-'));
        value.is_some_and(|it| it.bytes().take_while(u8::is_ascii_digit).count() >= 4 || it.starts_with("999"))
    };
    let out_of_flow = is("position", "absolute") || is("position", "fixed");
    is("display", "none")
        || is("visibility", "hidden")
        || value("font-size").is_some_and(|it| matches!(it, "0" | "0px" | "0pt" | "0em"))
        || far("text-indent")
        || (out_of_flow
            && (far("left")
                || far("top")
                || far("right")
                || value("clip").is_some_and(|it| it.starts_with("rect(0") || it.starts_with("rect(1px"))))
        || (is("overflow", "hidden") && (zero("height") || zero("max-height") || zero("width")))
}

/// Elements that start a line of their own.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "button"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "optgroup"
            | "listing"
            | "xmp"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        for style in [
            "display:none",
            "DISPLAY : none !important;",
            "visibility: hidden",
            "font-size:0",
            "position:absolute; left:-9999px",
            "text-indent:-10000px",
            "height:0;overflow:hidden",
            "position:absolute;clip:rect(0 0 0 0)",
        ] {
            assert!(hides(style), "{style}");
        }
        for style in [
            "display:block",
            "opacity:0",
            "left:-10px",
            "position:absolute;left:-5px",
            "height:0",
            "color:red",
            "display:none;display:block",
        ] {
            assert!(!hides(style), "{style}");
        }
    }
}
