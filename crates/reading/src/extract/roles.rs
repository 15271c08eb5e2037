//! What the names that authors give to elements say about their role.
//!
//! A class or an id is split into words, and the element gets the roles of its words. Tags and ARIA
//! roles give roles as well. Roles are features for the model and decide nothing alone: a whole
//! article may be in a `sidebar`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::html_tree::{HtmlTree, NodeId};

/// A set of roles, one bit each.
pub(super) type Roles = u64;

/// How many roles there are.
pub(super) const ROLES: usize = WORDS.len() + TAGS.len() + 4;

/// Words of class and id that give a role, in the order of the bits.
const WORDS: &[(&str, &str)] = &[
    (
        "menu",
        "nav navbar navigation menu submenu dropdown megamenu toolbar topnav subnav navlist",
    ),
    (
        "pager",
        "breadcrumb crumb pagination pager paging pagenav prev previous next toc",
    ),
    (
        "footer",
        "footer foot bottom colophon copyright legal disclaimer",
    ),
    ("header", "header masthead topbar hero head jumbotron"),
    (
        "side",
        "sidebar aside side widget rail secondary complementary",
    ),
    (
        "share",
        "share sharing social follow facebook twitter addthis sharedaddy whatsapp",
    ),
    (
        "related",
        "related recommend recommended recommendation suggestion suggested similar more also trending popular latest recent upsell readmore teaser promoted",
    ),
    (
        "ad",
        "ad advert advertisement advertising sponsor sponsored promo promotion outbrain taboola dfp banner gpt adsbygoogle",
    ),
    (
        "popup",
        "cookie consent gdpr modal popup overlay dialog lightbox toast notice alert notification tooltip",
    ),
    (
        "meta",
        "meta byline author date time timestamp published tag category categories posted info credit postmeta updated dateline",
    ),
    (
        "letter",
        "newsletter subscribe subscription signup email optin cta login signin register paywall",
    ),
    ("comment", "comment disqus respond discussion commentlist"),
    (
        "unseen",
        "hidden hide sr visuallyhidden screenreader skip print noprint offscreen only invisible",
    ),
    (
        "content",
        "content article post entry body story text main page single markdown prose richtext rte articlebody maincontent",
    ),
    (
        "product",
        "product description desc detail spec specification feature price sku summary pdp accordion tab",
    ),
    (
        "forum",
        "thread message reply answer question topic forum bbcode qa postbody cooked conversation",
    ),
    (
        "list",
        "list grid item card tile result row col column collection catalog feed listing archive",
    ),
    (
        "media",
        "caption figure image photo gallery media video slideshow carousel slider slide",
    ),
    ("code", "highlight code snippet syntax sourcecode"),
    (
        "user",
        "user avatar profile reputation signature member badge bio",
    ),
    (
        "action",
        "button btn action vote control cart filter sort search form option checkout wishlist rating review",
    ),
];

/// Tags that give a role, in the order of the bits after those of the words.
const TAGS: &[(&str, &str)] = &[
    ("t_article", "article"),
    ("t_main", "main"),
    ("t_nav", "nav"),
    ("t_aside", "aside"),
    ("t_footer", "footer"),
    ("t_header", "header"),
    ("t_form", "form"),
    ("t_list", "ul ol"),
    ("t_table", "table"),
    ("t_section", "section"),
    ("t_figure", "figure"),
    ("t_quote", "blockquote"),
    ("t_dl", "dl"),
    ("t_link", "a"),
    ("t_button", "button"),
    ("t_pre", "pre"),
    ("t_details", "details"),
    ("t_label", "label legend fieldset"),
];

// Roles that other modules ask for, by their index in the two tables. A test compares the names.
pub(super) const MENU: usize = 0;
pub(super) const PAGER: usize = 1;
pub(super) const SIDE: usize = 4;
pub(super) const RELATED: usize = 6;
pub(super) const COMMENT: usize = 11;
pub(super) const ARTICLE_TAG: usize = 21;
pub(super) const MAIN_TAG: usize = 22;
pub(super) const NAV_TAG: usize = 23;
pub(super) const FOOTER_TAG: usize = 25;
pub(super) const FORM_TAG: usize = 27;
pub(super) const TABLE_TAG: usize = 29;
pub(super) const BUTTON_TAG: usize = 35;

/// Roles of boilerplate, by name and by tag.
pub(super) const BOILERPLATE: &[usize] = &[
    0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 19, 20, 23, 24, 25, 27, 31, 35, 38, 39,
];

const ARIA_HIDDEN: usize = WORDS.len() + TAGS.len();
const BODY_PROPERTY: usize = ARIA_HIDDEN + 1;
const OTHER_PROPERTY: usize = ARIA_HIDDEN + 2;
const LIVE: usize = ARIA_HIDDEN + 3;

/// The bit of a role, by its index.
pub(super) const fn bit(index: usize) -> Roles {
    1 << index
}

/// The names of all roles, as the names of features.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    WORDS.iter().chain(TAGS).map(|(name, _)| *name).chain([
        "aria_hidden",
        "p_body",
        "p_other",
        "live",
    ])
}

static WORD_ROLES: LazyLock<HashMap<&'static str, Roles>> = LazyLock::new(|| lookup(WORDS, 0));
static TAG_ROLES: LazyLock<HashMap<&'static str, Roles>> =
    LazyLock::new(|| lookup(TAGS, WORDS.len()));

fn lookup(table: &'static [(&str, &str)], from: usize) -> HashMap<&'static str, Roles> {
    let mut map = HashMap::new();
    for (index, (_, words)) in table.iter().enumerate() {
        words
            .split(' ')
            .for_each(|word| *map.entry(word).or_insert(0) |= bit(from + index));
    }
    map
}

/// The roles of one element.
pub(super) fn element_roles(tree: &HtmlTree, id: NodeId) -> Roles {
    let mut roles = TAG_ROLES.get(tree.name(id)).copied().unwrap_or(0);
    for attribute in tree.attributes(id) {
        roles |= match &*attribute.name.local {
            "class" | "id" => roles_of_words(&attribute.value),
            "role" => aria_roles(&attribute.value),
            "aria-hidden" if &*attribute.value == "true" => bit(ARIA_HIDDEN),
            "aria-live" => bit(LIVE),
            "itemprop" if matches!(&*attribute.value, "articleBody" | "text" | "description") => {
                bit(BODY_PROPERTY)
            }
            "itemprop" => bit(OTHER_PROPERTY),
            _ => 0,
        };
    }
    roles
}

fn aria_roles(role: &str) -> Roles {
    let tag = match role {
        "main" => "main",
        "navigation" | "menu" | "menubar" => "nav",
        "complementary" => "aside",
        "contentinfo" => "footer",
        "banner" => "header",
        "search" | "form" => "form",
        "article" => "article",
        "button" => "button",
        "dialog" | "alertdialog" => return roles_of_words("dialog"),
        _ => return 0,
    };
    TAG_ROLES.get(tag).copied().unwrap_or(0)
}

/// The roles of the words in a class or id. Words end at anything but letters, and where a capital
/// follows a small letter. Only the start of long values is read: they say the least.
fn roles_of_words(value: &str) -> Roles {
    let (mut roles, mut word) = (0, String::with_capacity(24));
    let mut was_small = false;
    for c in value.chars().take(300).chain([' ']) {
        if !c.is_ascii_alphabetic() || (was_small && c.is_ascii_uppercase()) {
            roles |= role_of_word(&word);
            word.clear();
        }
        was_small = c.is_ascii_lowercase();
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
    }
    roles
}

fn role_of_word(word: &str) -> Roles {
    let found = WORD_ROLES
        .get(word)
        .or_else(|| WORD_ROLES.get(word.strip_suffix('s')?));
    found.copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_indices_are_those_of_the_tables() {
        let names: Vec<&str> = names().collect();
        for (index, name) in [
            (MENU, "menu"),
            (PAGER, "pager"),
            (SIDE, "side"),
            (RELATED, "related"),
            (COMMENT, "comment"),
            (ARTICLE_TAG, "t_article"),
            (MAIN_TAG, "t_main"),
            (NAV_TAG, "t_nav"),
            (FOOTER_TAG, "t_footer"),
            (FORM_TAG, "t_form"),
            (TABLE_TAG, "t_table"),
            (BUTTON_TAG, "t_button"),
        ] {
            assert_eq!(names[index], name);
        }
    }
}
