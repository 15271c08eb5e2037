//! Which elements a reader never sees.

use super::styles::{self, Hiding, Sheet};
use super::tree::{Id, NONE, ROOT, Tree};

/// What of a page is shown.
#[derive(Debug)]
pub(super) struct Sight {
    /// Whether what the page says to readers without scripts is its text.
    noscript: bool,
    /// By element: whether its own attributes put it out of sight. It is no part of the page.
    hidden: Vec<bool>,
    /// By node: whether rules or states put it out of sight. It counts when the page is judged, as
    /// it did when the model was made, but it is never given.
    veiled: Vec<bool>,
}

/// Why an element is out of sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Its own attributes say so.
    Own,
    /// A rule of the page's style sheets does.
    Rule,
    /// It is in a state that pages also give to what they are about to show.
    State,
}

impl Sight {
    /// Some pages are built by scripts and carry their text a second time, for readers without.
    /// Others are hidden as a whole until their scripts have run; where nothing at all is shown,
    /// what is hidden is what the page will show. And where rules or states hide more than a page
    /// can spare, they are the start of an animation or of a script, not a secret.
    pub(super) fn of(tree: &Tree) -> Sight {
        let causes = causes(tree);
        let hidden = causes.iter().map(|it| *it == Some(Cause::Own)).collect();
        let mut sight = Sight {
            noscript: false,
            hidden,
            veiled: vec![false; tree.node_count()],
        };
        let shown = sight.amount(tree, |_| false);
        sight.noscript = true;
        if sight.amount(tree, |_| false) > 200 + 2 * shown {
            return sight;
        }
        sight.noscript = false;
        if shown < 20 {
            sight.hidden.fill(false);
            return sight;
        }
        let without = |cause: Cause| sight.amount(tree, |id| causes[id as usize] == Some(cause));
        let (by_rules, by_states) = (shown - without(Cause::Rule), shown - without(Cause::State));
        let rules_count = by_rules <= 2_000 + 4 * (shown - by_rules);
        let states_count = by_states * 4 <= shown;
        sight.veil(tree, |id| match causes[id as usize] {
            Some(Cause::Rule) => rules_count,
            Some(Cause::State) => states_count,
            _ => false,
        });
        sight
    }

    /// Bytes of text that are shown when some more elements are not.
    fn amount(&self, tree: &Tree, skips: impl Fn(Id) -> bool) -> usize {
        let (mut amount, mut at) = (0, ROOT);
        while at != NONE {
            amount += tree.text(at).map_or(0, |it| it.trim().len());
            at = tree.following(at, self.hides(tree, at) || skips(at));
        }
        amount
    }

    fn veil(&mut self, tree: &Tree, veils: impl Fn(Id) -> bool) {
        let mut at = ROOT;
        while at != NONE {
            let is_veiled = veils(at);
            if is_veiled {
                tree.below(at)
                    .for_each(|it| self.veiled[it as usize] = true);
            }
            at = tree.following(at, is_veiled);
        }
    }

    /// Whether nothing below an element is shown: it is no text (scripts), a control, or hidden by
    /// its own attributes.
    pub(super) fn hides(&self, tree: &Tree, id: Id) -> bool {
        let name = tree.name(id);
        never_text(name) || (name == "noscript" && !self.noscript) || self.hidden[id as usize]
    }

    /// Whether a text that is part of the page is out of sight all the same.
    pub(super) fn veils(&self, text: Id) -> bool {
        self.veiled[text as usize]
    }
}

/// By node: why it is out of sight, if it is.
fn causes(tree: &Tree) -> Vec<Option<Cause>> {
    let sheet = Sheet::of(tree);
    let mut causes = vec![None; tree.node_count()];
    // Pages hide their body until their scripts have run; then everything is shown.
    for id in tree
        .below(ROOT)
        .filter(|it| !matches!(tree.name(*it), "" | "html" | "body"))
    {
        causes[id as usize] = cause(tree, id, &sheet);
    }
    causes
}

fn cause(tree: &Tree, id: Id, sheet: &Sheet) -> Option<Cause> {
    let name = tree.name(id);
    if name == "dialog" && tree.attribute(id, "open").is_none() {
        return Some(Cause::Own);
    }
    let causes = tree
        .attributes(id)
        .iter()
        .filter_map(|it| match &*it.name.local {
            "hidden" => {
                (&*it.value != "until-found" && !is_streamed(tree, id)).then_some(Cause::Own)
            }
            "style" => match styles::of_attribute(tree, id, &it.value) {
                Hiding::Yes => Some(Cause::Own),
                Hiding::Perhaps => Some(Cause::State),
                Hiding::No => None,
            },
            "class" if it.value.split_ascii_whitespace().any(is_for_hearing) => Some(Cause::Rule),
            _ => None,
        });
    let found = causes.min_by_key(|it| *it != Cause::Own);
    if found == Some(Cause::Own) {
        return found;
    }
    let ruled = if matches!(name, "main" | "article") {
        Hiding::No
    } else {
        sheet.hiding(tree, id)
    };
    match ruled {
        Hiding::Yes if !opens(tree, id) => Some(Cause::Rule),
        Hiding::Perhaps if found.is_none() && !opens(tree, id) => Some(Cause::State),
        _ => found,
    }
}

/// Whether a reader can open it: the answer to a question, a leaf of a register, the next picture
/// of a row. That it is folded away at first does not make it a secret.
fn opens(tree: &Tree, id: Id) -> bool {
    const WORDS: &[&str] = &[
        "collaps",
        "accordion",
        "panel",
        "tab",
        "expand",
        "toggle",
        "faq",
        "slide",
        "carousel",
        "drawer",
        "answer",
        "more",
    ];
    const DEEP: usize = 4;
    let inward = std::iter::successors(Some(id), |it| {
        tree.children(*it)
            .find(|child| !tree.name(*child).is_empty())
    });
    inward.take(DEEP).any(|it| {
        tree.attributes(it)
            .iter()
            .any(|attribute| match &*attribute.name.local {
                "class" | "id" => {
                    let names = attribute.value.to_ascii_lowercase();
                    WORDS.iter().any(|word| names.contains(word))
                }
                "role" => matches!(&*attribute.value, "region" | "tabpanel" | "group"),
                "aria-labelledby" | "aria-expanded" => true,
                _ => false,
            })
    })
}

/// Classes of text for those who listen, by the names that frameworks give them.
fn is_for_hearing(class: &str) -> bool {
    matches!(
        class,
        "sr-only"
            | "visually-hidden"
            | "visuallyhidden"
            | "screen-reader-text"
            | "screen-reader-only"
            | "screenreader-only"
            | "u-visually-hidden"
    )
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

/// React sends parts of a page late, hidden, and moves them into place at once; their ids are its
/// own.
fn is_streamed(tree: &Tree, id: Id) -> bool {
    tree.attribute(id, "id").is_some_and(|it| {
        it.strip_prefix("S:")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()))
    })
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
    use super::super::bounded;
    use super::*;

    fn shown(html: &str) -> String {
        let tree = bounded::parse(html).tree;
        let sight = Sight::of(&tree);
        let (mut text, mut at) = (String::new(), ROOT);
        while at != NONE {
            text.push_str(
                tree.text(at)
                    .filter(|_| !sight.veils(at))
                    .unwrap_or_default(),
            );
            at = tree.following(at, sight.hides(&tree, at));
        }
        text
    }

    const WORDS: &str =
        "Words that everyone can see, and quite a few of them at that, so that the rest is little.";

    #[test]
    fn what_is_out_of_sight_is_left_out() {
        for hidden in [
            "<p style='opacity:0'>secret</p>",
            "<p style='font-size:0px'>secret</p>",
            "<p style='transform:scale(0)'>secret</p>",
            "<span class='x sr-only'>secret</span>",
            "<style>.trick{position:absolute;left:-9999px}</style><p class=trick>secret</p>",
            "<dialog>secret</dialog>",
            "<p hidden>secret</p>",
        ] {
            assert_eq!(shown(&format!("<p>{WORDS}</p>{hidden}")), WORDS, "{hidden}");
        }
    }

    #[test]
    fn what_may_be_seen_is_kept() {
        for page in [
            format!("<p>Head of the page.</p><div style='opacity:0'>{WORDS}</div>"),
            // It is only not read aloud.
            format!("<p>Head of the page.</p><div aria-hidden=true>{WORDS}</div>"),
            format!(
                "<style>.x{{display:none}}</style><p>Head of the page.</p><div class=x><div role=region>{WORDS}</div></div>"
            ),
            format!(
                "<style>#app{{visibility:hidden}}</style><p>Head of the page.</p><div id=app>{}</div>",
                WORDS.repeat(50)
            ),
            format!(
                "<style>main{{}}.c{{display:none}}</style><p>Head of the page.</p><main class=c>{WORDS}</main>"
            ),
            format!(
                "<style>body{{display:none}}</style><body style='visibility:hidden'>{WORDS}</body>"
            ),
            format!("<div style='display:none'>{WORDS}</div>"),
        ] {
            assert!(shown(&page).contains(WORDS), "{page}");
        }
    }
}
