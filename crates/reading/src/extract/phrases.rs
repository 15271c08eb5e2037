//! Phrases that are typical of boilerplate: legal lines, sharing, newsletters, shop controls.
//!
//! Like class names they are features for the model and decide nothing alone. Only short blocks are
//! searched for them.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// The classes of phrases in the order of their bits.
const CLASSES: &[(&str, &[&str])] = &[
    (
        "legal",
        &[
            "copyright",
            "©",
            "all rights reserved",
            "privacy policy",
            "terms of",
            "cookie policy",
            "tous droits",
            "alle rechte",
            "impressum",
            "datenschutz",
            "derechos reservados",
            "terms and conditions",
            "disclaimer",
        ],
    ),
    (
        "letter",
        &[
            "newsletter",
            "subscribe",
            "sign up",
            "signup",
            "log in",
            "login",
            "sign in",
            "register",
            "your email",
            "create an account",
            "inbox",
            "abonnieren",
            "suscríbete",
            "s'abonner",
            "free trial",
            "unsubscribe",
        ],
    ),
    (
        "share",
        &[
            "share",
            "tweet",
            "facebook",
            "twitter",
            "follow us",
            "whatsapp",
            "linkedin",
            "pinterest",
            "instagram",
            "copy link",
            "youtube",
            "follow",
        ],
    ),
    (
        "related",
        &[
            "related",
            "you may also",
            "you might also",
            "recommended",
            "more from",
            "read more",
            "see also",
            "trending",
            "popular",
            "latest",
            "recent posts",
            "recently viewed",
            "more stories",
            "also like",
            "read next",
            "similar",
            "up next",
            "don't miss",
            "most read",
            "editor's picks",
            "more on",
            "explore more",
            "learn more",
            "lire aussi",
            "mehr zum thema",
            "te puede interesar",
            "customers also",
            "você pode gostar",
            "leia também",
            "veja também",
            "relacionados",
            "relacionadas",
            "das könnte",
            "auch interessant",
            "à lire aussi",
            "articles similaires",
            "también te puede",
            "leggi anche",
            "читайте также",
            "関連記事",
            "相关",
            "관련",
            "más leídas",
            "mais lidas",
            "meistgelesen",
            "les plus lus",
            "what to read next",
            "more like this",
            "keep reading",
            "top stories",
            "newest",
        ],
    ),
    (
        "shop",
        &[
            "add to cart",
            "add to bag",
            "add to basket",
            "buy now",
            "checkout",
            "in stock",
            "out of stock",
            "wishlist",
            "free shipping",
            "quantity",
            "shopping cart",
            "your cart",
            "sold out",
            "add to wishlist",
            "compare",
            "returns",
            "in den warenkorb",
            "ajouter au panier",
            "añadir al carrito",
            "sort by",
            "filter",
        ],
    ),
    (
        "cookie",
        &[
            "cookie",
            "cookies",
            "consent",
            "javascript",
            "browser",
            "gdpr",
            "ad blocker",
        ],
    ),
    (
        "control",
        &[
            "skip to",
            "menu",
            "home",
            "back to top",
            "next",
            "previous",
            "show more",
            "load more",
            "view all",
            "see all",
            "close",
            "toggle",
            "search",
            "loading",
            "contact us",
            "about us",
            "click here",
            "expand",
            "collapse",
            "scroll",
            "table of contents",
            "on this page",
            "in this article",
            "view more",
            "show all",
            "shop now",
            "print",
            "edit",
            "report",
            "download the app",
        ],
    ),
    (
        "comment",
        &[
            "comments",
            "comment",
            "leave a reply",
            "reply",
            "be the first",
            "replies",
            "join the conversation",
            "post a comment",
            "leave a comment",
            "add a comment",
            "responses",
            "response",
            "says",
            "thoughts on",
            "comentários",
            "comentarios",
            "commentaires",
            "kommentare",
            "commenti",
            "комментарии",
            "コメント",
            "评论",
            "댓글",
            "deixe um comentário",
            "your email address will not be published",
        ],
    ),
    (
        "ad",
        &[
            "advertisement",
            "sponsored",
            "advertise",
            "ad",
            "promoted",
            "affiliate",
            "commission",
            "anzeige",
            "publicidad",
            "publicité",
            "werbung",
            "paid content",
            "advertising",
        ],
    ),
    (
        "byline",
        &[
            "by",
            "posted",
            "published",
            "updated",
            "min read",
            "minute read",
            "minutes read",
            "written by",
            "author",
            "last modified",
            "last updated",
            "ago",
            "staff writer",
            "contributor",
            "views",
            "edited by",
            "reviewed by",
            "filed under",
            "tags",
            "tagged",
            "category",
            "categories",
            "posted in",
        ],
    ),
    (
        "credit",
        &[
            "photo",
            "image",
            "getty",
            "credit",
            "photograph",
            "courtesy",
            "reuters",
            "shutterstock",
            "afp",
            "photos",
            "photo by",
            "source",
            "images",
            "unsplash",
            "istock",
        ],
    ),
];

/// The set of classes of a block, one bit each.
pub(super) type Classes = u16;

/// The class of phrases that announce other stories.
pub(super) const RELATED: Classes = 1 << 3;
/// The class of phrases that announce comments.
pub(super) const COMMENT: Classes = 1 << 7;

/// How many classes there are.
pub(super) const COUNT: usize = CLASSES.len();

/// The names of the classes, as the names of features.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(name, _)| *name)
}

static FINDER: LazyLock<Option<(AhoCorasick, Vec<Classes>)>> = LazyLock::new(|| {
    let phrases: Vec<&str> = CLASSES
        .iter()
        .flat_map(|(_, phrases)| phrases.iter().copied())
        .collect();
    let classes = CLASSES
        .iter()
        .enumerate()
        .flat_map(|(index, (_, phrases))| phrases.iter().map(move |_| 1 << index))
        .collect();
    let finder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(phrases)
        .ok()?;
    Some((finder, classes))
});

/// The classes of the phrases in a text.
pub(super) fn classes_in(text: &str) -> Classes {
    let Some((finder, classes)) = &*FINDER else {
        return 0;
    };
    let whole = |at: usize, end: usize| {
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !inside(text[..at].chars().next_back()) && !inside(text[end..].chars().next())
    };
    finder
        .find_iter(text)
        .filter(|it| whole(it.start(), it.end()))
        .fold(0, |found, it| found | classes[it.pattern().as_usize()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words_only() {
        assert_eq!(classes_in("a readable adventure"), 0);
        assert_ne!(classes_in("Sign Up for more"), 0);
        assert_ne!(classes_in("© 2020"), 0);
    }
}
