//! Whether a phrase is the page's own statement: not quoted from somebody else, not under a
//! condition, not only an invitation to reply.

/// Beginnings of the words for replying, commenting, voting and buying: a page can be read without
/// doing so.
const REPLIES: &[&str] = &[
    "repl",
    "comment",
    "post",
    "join the conversation",
    "join this conversation",
    "vote",
    "price",
    "preis",
    "prix",
    "precio",
    "prezz",
    "цен",
    "価格",
    "价格",
    "가격",
    "wishlist",
    "wish list",
    "basket",
    "cart",
    "like",
    "rate",
    "review",
    "ask",
    "follow",
    "save",
    "antwort",
    "kommentar",
    "beitrag",
    "schreiben",
    "repond",
    "comenta",
    "respond",
    "publicar",
    "rispond",
    "scriver",
    "ответ",
    "коммент",
    "остав",
    "писать",
    "コメント",
    "返信",
    "投稿",
    "评论",
    "回复",
    "发表",
    "評論",
    "回覆",
    "留言",
    "댓글",
    "답글",
    "reageren",
    "koment",
    "yorum",
];

/// Whether the text after a demand to log in is about replying, voting or buying.
pub(super) fn is_about_replies(after: &str) -> bool {
    let near: String = after.chars().take(60).collect();
    REPLIES.iter().any(|word| near.contains(word))
}

/// Whether the text at `start` stands in quotation marks.
pub(super) fn is_quoted(text: &str, start: usize) -> bool {
    let (before, after) = text.split_at(start);
    let is_opened = matches!(
        before.trim_end().chars().next_back(),
        Some('"' | '\'' | '`' | '(')
    );
    let is_inside = before.matches('"').count() % 2 == 1 && after.contains('"');
    is_opened
        || is_inside
        || BRACKETS
            .iter()
            .any(|(open, close)| is_between(before, *open, *close))
}

const BRACKETS: &[(char, char)] = &[('「', '」'), ('『', '』'), ('《', '》')];

fn is_between(before: &str, open: char, close: char) -> bool {
    before
        .rfind(open)
        .is_some_and(|at| !before[at..].contains(close))
}

/// Words that make a sentence a rule instead of a notice.
const CONDITIONS: &[&str] = &[
    "if",
    "when",
    "whenever",
    "unless",
    "wenn",
    "falls",
    "sobald",
    "si",
    "lorsque",
    "quand",
    "cuando",
    "quando",
    "caso",
    "qualora",
    "se",
    "если",
    "когда",
    "als",
    "wanneer",
    "jesli",
    "gdy",
    "eger",
];
/// The same in scripts without spaces.
const UNSPACED_CONDITIONS: &[&str] = &["場合", "ときは", "際に", "如果", "如遇", "当您", "경우"];

/// Whether a folded sentence says what happens under a condition.
pub(super) fn is_conditional(sentence: &str) -> bool {
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| CONDITIONS.contains(&word))
        || UNSPACED_CONDITIONS
            .iter()
            .any(|word| sentence.contains(word))
}

/// The sentences of a folded text.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['。', '！', '？', '!', '?'])
        .flat_map(|part| part.split_inclusive(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_not_the_pages_own() {
        let quoted = |text: &str, phrase: &str| is_quoted(text, text.find(phrase).unwrap_or(0));
        assert!(quoted(
            "the sign said \"the lift is closed for maintenance\" all week",
            "closed for"
        ));
        assert!(quoted(
            "混雑時に「しばらくしてから再度お試しください」と表示",
            "再度"
        ));
        assert!(!quoted(
            "「お知らせ」ただいまメンテナンス中です",
            "メンテナンス"
        ));
        assert!(!quoted("page not found", "page"));
    }

    #[test]
    fn a_rule_is_no_notice() {
        assert!(is_conditional(
            "if you exceed the limit your requests are rejected."
        ));
        assert!(is_conditional("制限を超えた場合は拒否されます"));
        assert!(!is_conditional("you have sent too many requests."));
        assert_eq!(sentences("one. two! three").count(), 3);
    }
}
