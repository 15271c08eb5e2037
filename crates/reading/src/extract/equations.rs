//! The equations of a page (MathML).

use fault::characters::{is_invisible, is_joiner};

use super::html_tree::NodeId;
use super::render::Source;
use crate::tex::{MathElement, from_mathml};

/// Elements nested deeper than this are left out.
const MAX_LEVEL: usize = 100;

/// The chosen text of a `math` element as TeX. `None` if there is none.
pub(super) fn tex(source: Source<'_>, math: NodeId) -> Option<String> {
    let math = PageElement {
        source,
        id: math,
        level: 0,
    };
    Some(from_mathml(math)).filter(|tex| !tex.is_empty())
}

/// An element of a page, and how deep it is in its equation.
#[derive(Clone, Copy)]
struct PageElement<'t> {
    source: Source<'t>,
    id: NodeId,
    level: usize,
}

impl PageElement<'_> {
    fn is_shown(&self) -> bool {
        let Source {
            tree, visibility, ..
        } = self.source;
        self.level <= MAX_LEVEL && !visibility.excludes(tree, self.id)
    }

    fn children(&self) -> impl Iterator<Item = Self> {
        let child = |id| PageElement {
            id,
            level: self.level + 1,
            ..*self
        };
        self.source.tree.children(self.id).map(child)
    }

    fn push_text(&self, text: &mut String) {
        for child in self.children() {
            match self.source.tree.text(child.id) {
                Some(letters) if self.source.chosen[child.id as usize] => {
                    let is_seen = |letter: &char| !is_invisible(*letter) || is_joiner(*letter);
                    text.extend(letters.chars().filter(is_seen));
                }
                Some(_) => {}
                None if child.is_shown() => child.push_text(text),
                None => {}
            }
        }
    }
}

impl MathElement for PageElement<'_> {
    fn name(&self) -> &str {
        self.source.tree.name(self.id)
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.source.tree.attribute(self.id, name)
    }

    fn elements(&self) -> Vec<Self> {
        let is_element = |child: &Self| self.source.tree.text(child.id).is_none();
        let children = self.children().filter(is_element);
        children.filter(PageElement::is_shown).collect()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        self.push_text(&mut text);
        text
    }
}
