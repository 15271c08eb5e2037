//! HTML from providers: snippets with tags in them, and result pages of providers without an API.

use fault::characters::{is_direction_mark, is_invisible, is_joiner};
use reading::extract::bounded;
use reading::extract::html_tree::{HtmlTree, NodeId, ROOT};

/// Plain text of at most `most` characters: tags and entities resolved, control characters and
/// direction overrides dropped, white space collapsed. A text that was cut ends in `…`.
///
/// Providers do not say which of their texts are markup. A text counts as markup if it has an
/// entity or one of the [`TAGS`]; `Vec<T>` and `a < b` do not.
pub(crate) fn plain(text: &str, most: usize) -> String {
    if is_markup(text) {
        tidy(&Markup::parse(text).text(ROOT), most)
    } else {
        tidy(text, most)
    }
}

/// Tags that providers put into titles and descriptions, those of JATS included.
const TAGS: &[&str] = &[
    "a", "abstract", "b", "body", "bold", "br", "button", "code", "div", "em", "embed", "font",
    "form", "h1", "h2", "h3", "h4", "html", "i", "iframe", "img", "inf", "input", "italic", "li",
    "link", "mark", "math", "meta", "object", "ol", "p", "q", "s", "sc", "scp", "script", "sec",
    "small", "span", "strong", "style", "sub", "sup", "svg", "table", "td", "template", "title",
    "tr", "tt", "u", "ul", "video", "wbr",
];

fn is_markup(text: &str) -> bool {
    let tag = |rest: &str| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let end = rest
            .find(['>', ' ', '/', '\t', '\n'])
            .filter(|_| rest.contains('>'));
        let name = end.map_or("", |end| &rest[..end]).to_ascii_lowercase();
        TAGS.contains(&name.rsplit(':').next().unwrap_or(&name))
    };
    let entity = |rest: &str| {
        let name = rest.strip_prefix('#').unwrap_or(rest);
        name.find(';').is_some_and(|end| {
            (2..=10).contains(&end) && name[..end].bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    text.split('<').skip(1).any(tag) || text.split('&').skip(1).any(entity)
}

/// Like [`plain`], for text that is known to be no markup.
pub(crate) fn tidy(text: &str, most: usize) -> String {
    let mut kept = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !is_hidden(*c)).collect();
        if word.is_empty() {
            continue;
        }
        let gap = usize::from(count > 0);
        let length = word.chars().count();
        if count + gap + length > most {
            let room = most.saturating_sub(count + gap + 1);
            kept.extend(
                " ".chars()
                    .take(gap)
                    .chain(word.chars().take(room))
                    .chain(['…'])
                    .take(most - count),
            );
            return kept;
        }
        kept.push_str(&" "[..gap]);
        kept.push_str(&word);
        count += gap + length;
    }
    kept
}

fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c) && !is_joiner(c) && !is_direction_mark(c)
}

/// A parsed page of results.
#[derive(Debug)]
pub(crate) struct Markup {
    tree: HtmlTree,
}

impl Markup {
    /// Parses a page, within the limits that hold for every page.
    pub(crate) fn parse(html: &str) -> Markup {
        Markup {
            tree: bounded::parse(html).tree,
        }
    }

    /// The elements of a class below an element, in order.
    pub(crate) fn of_class<'a>(
        &'a self,
        within: NodeId,
        class: &'a str,
    ) -> impl Iterator<Item = NodeId> + 'a {
        self.tree
            .below(within)
            .filter(move |id| self.has_class(*id, class))
    }

    /// The first element of a class on the page.
    pub(crate) fn first(&self, class: &str) -> Option<NodeId> {
        self.of_class(ROOT, class).next()
    }

    /// Whether an element has a class.
    pub(crate) fn has_class(&self, id: NodeId, class: &str) -> bool {
        self.attribute(id, "class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|it| it == class))
    }

    /// An attribute of an element.
    pub(crate) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.tree.attribute(id, name)
    }

    /// The element with an id.
    pub(crate) fn by_id(&self, name: &str) -> Option<NodeId> {
        self.tree
            .below(ROOT)
            .find(|id| self.attribute(*id, "id") == Some(name))
    }

    /// All text below an element.
    pub(crate) fn text(&self, id: NodeId) -> String {
        self.tree.text_below(id)
    }
}

/// Where a search for elements starts.
pub(crate) const WHOLE: NodeId = ROOT;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_plain_text() {
        assert_eq!(
            plain("a <b>bold</b>  &lt;claim&gt; &#39;x&#39;\n", 100),
            "a bold <claim> 'x'"
        );
        assert_eq!(
            plain("the <script> tag and its end", 100),
            "the tag and its end"
        );
        assert_eq!(plain("<jats:p>One</jats:p> <scp>DNA</scp>", 100), "One DNA");
        for words in [
            "1 < 2 & 3",
            "Vec<T> and HashMap<String, u32>",
            "a<b",
            "R&D; x",
            "<",
            "&;",
            "AT&T",
        ] {
            assert_eq!(plain(words, 100), words);
        }
        assert_eq!(plain("a\u{202e}b\u{7} \u{200b} c", 100), "ab c");
    }

    #[test]
    fn long_text_is_cut_at_a_number_of_characters() {
        for most in 1..12 {
            let cut = tidy("語語 語語 語語語語", most);
            assert!(cut.chars().count() <= most, "{most}: {cut}");
        }
        assert_eq!(tidy("one two", 7), "one two");
        assert_eq!(tidy("one two", 6), "one t…");
    }
}
