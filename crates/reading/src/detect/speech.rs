//! Whose words a phrase is: the page's own, or somebody's that it quotes, asks for or makes depend
//! on a condition.

/// Beginnings of the words for replying, commenting, voting: a thread may be read without doing so.
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

/// Whether what follows a demand to log in is only about taking part.
pub(super) fn is_about_replies(after: &str) -> bool {
    let near: String = after.chars().take(60).collect();
    REPLIES.iter().any(|word| near.contains(word))
}

/// Whether the text at `start` stands in quotation marks, and so is somebody else's.
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
/// The same where words are not set apart.
const UNSPACED_CONDITIONS: &[&str] = &["場合", "ときは", "際に", "如果", "如遇", "当您", "경우"];

/// Whether a folded sentence tells what happens under a condition.
pub(super) fn is_conditional(sentence: &str) -> bool {
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| CONDITIONS.contains(&word))
        || UNSPACED_CONDITIONS
            .iter()
            .any(|word| sentence.contains(word))
}

/// The sentences of a folded text, each with where it begins.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['。', '！', '？', '!', '?'])
        .flat_map(|part| part.split_inclusive(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_told_from_the_page_s_own() {
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
    fn rules_are_told_from_notices() {
        assert!(is_conditional(
            "if you exceed the limit your requests are rejected."
        ));
        assert!(is_conditional("制限を超えた場合は拒否されます"));
        assert!(!is_conditional("you have sent too many requests."));
        assert_eq!(sentences("one. two! three").count(), 3);
    }
}
