//! Which elements a reader never sees.

use crate::elements;

use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
use super::styles::{self, Hiding, StyleRules};

/// Which parts of a page a reader can see.
#[derive(Debug)]
pub(super) struct Visibility {
    /// Whether the text in `noscript` is the page's text.
    noscript: bool,
    /// By element: whether its own attributes hide it. It is not part of the page.
    hidden: Vec<bool>,
    /// By node: whether style rules or a state hide it. It counts in the model's features, as it
    /// did when the model was trained, but it is never part of the output.
    withheld: Vec<bool>,
}

/// Why an element is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Its own attributes say so.
    Own,
    /// A rule of the page's style sheets says so, or the class of screen-reader-only text.
    Rule,
    /// It is transparent or shrunk, as are elements that an animation is about to show.
    State,
}

impl Visibility {
    /// Finds what is visible.
    ///
    /// Some pages are built by scripts and carry their text a second time in `noscript`. Others are
    /// hidden as a whole until their scripts have run: where no text is visible, the hidden text is
    /// what the page will show. And where rules or states hide most of a page, a script or an
    /// animation is about to show it, so they do not count.
    pub(super) fn of_page(tree: &HtmlTree) -> Visibility {
        let causes = causes(tree);
        let hidden = causes.iter().map(|it| *it == Some(Cause::Own)).collect();
        let mut visibility = Visibility {
            noscript: false,
            hidden,
            withheld: vec![false; tree.node_count()],
        };
        let shown = visibility.visible_bytes(tree, |_| false);
        visibility.noscript = true;
        if visibility.visible_bytes(tree, |_| false) > 200 + 2 * shown {
            return visibility;
        }
        visibility.noscript = false;
        if shown < 20 {
            visibility.hidden.fill(false);
            return visibility;
        }
        let without =
            |cause: Cause| visibility.visible_bytes(tree, |id| causes[id as usize] == Some(cause));
        let (by_rules, by_states) = (shown - without(Cause::Rule), shown - without(Cause::State));
        let rules_count = by_rules <= 2_000 + 4 * (shown - by_rules);
        let states_count = by_states * 4 <= shown;
        visibility.withhold(tree, |id| match causes[id as usize] {
            Some(Cause::Rule) => rules_count,
            Some(Cause::State) => states_count,
            _ => false,
        });
        visibility
    }

    /// Finds what is visible of HTML in which no script runs and nothing moves, such as a message:
    /// what is hidden there stays hidden, however little else there is.
    pub(super) fn without_scripts(tree: &HtmlTree) -> Visibility {
        let causes = causes(tree);
        let mut visibility = Visibility {
            noscript: true,
            hidden: causes.iter().map(|it| *it == Some(Cause::Own)).collect(),
            withheld: vec![false; tree.node_count()],
        };
        visibility.withhold(tree, |id| {
            matches!(causes[id as usize], Some(Cause::Rule | Cause::State))
        });
        visibility
    }

    /// Bytes of visible text, without the elements that `skips` names.
    fn visible_bytes(&self, tree: &HtmlTree, skips: impl Fn(NodeId) -> bool) -> usize {
        let (mut amount, mut at) = (0, ROOT);
        while at != NONE {
            amount += tree.text(at).map_or(0, |it| it.trim().len());
            at = tree.following(at, self.excludes(tree, at) || skips(at));
        }
        amount
    }

    /// Marks everything below the elements that `hides` names.
    fn withhold(&mut self, tree: &HtmlTree, hides: impl Fn(NodeId) -> bool) {
        let mut at = ROOT;
        while at != NONE {
            let is_hidden = hides(at);
            if is_hidden {
                tree.below(at)
                    .for_each(|it| self.withheld[it as usize] = true);
            }
            at = tree.following(at, is_hidden);
        }
    }

    /// Whether an element and everything below it is no part of the page: scripts, controls, and
    /// what its own attributes hide.
    pub(super) fn excludes(&self, tree: &HtmlTree, id: NodeId) -> bool {
        let name = tree.name(id);
        never_holds_text(name) || (name == "noscript" && !self.noscript) || self.hidden[id as usize]
    }

    /// Whether a text node is part of the page but hidden by style rules or a state.
    pub(super) fn is_withheld(&self, text: NodeId) -> bool {
        self.withheld[text as usize]
    }
}

/// By node: why it is hidden; `None` when it is visible.
fn causes(tree: &HtmlTree) -> Vec<Option<Cause>> {
    let rules = StyleRules::of_page(tree);
    let mut causes = vec![None; tree.node_count()];
    // Pages hide their body until their scripts have run; then everything is shown.
    for id in tree
        .below(ROOT)
        .filter(|it| !matches!(tree.name(*it), "" | "html" | "body"))
    {
        causes[id as usize] = cause(tree, id, &rules);
    }
    causes
}

fn cause(tree: &HtmlTree, id: NodeId, rules: &StyleRules) -> Option<Cause> {
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
            "style" => match styles::attribute_hiding(tree, id, &it.value) {
                Hiding::Yes => Some(Cause::Own),
                Hiding::Perhaps => Some(Cause::State),
                Hiding::No => None,
            },
            "class" if it.value.split_ascii_whitespace().any(is_screen_reader_only) => {
                Some(Cause::Rule)
            }
            _ => None,
        });
    let found = causes.min_by_key(|it| *it != Cause::Own);
    if found == Some(Cause::Own) {
        return found;
    }
    let ruled = if matches!(name, "main" | "article") {
        Hiding::No
    } else {
        rules.hiding(tree, id)
    };
    match ruled {
        Hiding::Yes if !is_collapsible(tree, id) => Some(Cause::Rule),
        Hiding::Perhaps if found.is_none() && !is_collapsible(tree, id) => Some(Cause::State),
        _ => found,
    }
}

/// Whether a reader can open it: the answer to a question, a tab, the next slide of a carousel.
/// Such text is content although it is hidden at first.
fn is_collapsible(tree: &HtmlTree, id: NodeId) -> bool {
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

/// Classes of screen-reader-only text, by the names that frameworks give them.
fn is_screen_reader_only(class: &str) -> bool {
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

fn never_holds_text(name: &str) -> bool {
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

/// React streams parts of a page late and hidden, and moves them into place with a script. It gives
/// them ids of this form.
fn is_streamed(tree: &HtmlTree, id: NodeId) -> bool {
    tree.attribute(id, "id").is_some_and(|it| {
        it.strip_prefix("S:")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

/// Whether an element starts a line of its own. Cells and captions of tables do, because each is
/// judged by itself.
pub(super) fn is_block(name: &str) -> bool {
    elements::is_block(name)
        || matches!(
            name,
            "caption"
                | "dir"
                | "hgroup"
                | "menu"
                | "search"
                | "td"
                | "tfoot"
                | "th"
                | "thead"
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
        let visibility = Visibility::of_page(&tree);
        let (mut text, mut at) = (String::new(), ROOT);
        while at != NONE {
            text.push_str(
                tree.text(at)
                    .filter(|_| !visibility.is_withheld(at))
                    .unwrap_or_default(),
            );
            at = tree.following(at, visibility.excludes(&tree, at));
        }
        text
    }

    const WORDS: &str =
        "Words that everyone can see, and quite a few of them at that, so that the rest is little.";

    #[test]
    fn hidden_text_is_left_out() {
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
    fn text_that_scripts_or_readers_can_show_is_kept() {
        for page in [
            format!("<p>Head of the page.</p><div style='opacity:0'>{WORDS}</div>"),
            // Hidden from screen readers only.
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
