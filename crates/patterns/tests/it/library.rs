//! The shipped library, and searching it.

use patterns::library::{CATEGORIES, Library, Mistake, Pattern};
use patterns::search::{MAX_NEAREST, Query, nearest_ids, search};

fn file(id: &str, title: &str, category: &str, body: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: {title}\ncategory: {category}\nkind: pattern\ndifficulty: beginner\ntags: [x]\nsummary: S.\nuse_when: U.\navoid_when: A.\nrelated: []\n---\n\n{body}\n"
    )
}

fn small() -> Library {
    let files = [
        file(
            "retry-budget",
            "Retries have a budget",
            "retry-and-backoff",
            "Count every retry.",
        ),
        file(
            "honour-wait",
            "Wait as told",
            "rate-limits",
            "A retry comes after the wait.",
        ),
        file(
            "mask-keys",
            "Mask keys",
            "secrets",
            "Keys stay out of logs.",
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|text| ("a.md", text.as_str())).collect();
    Library::default().extended(files).expect("good files")
}

#[test]
fn every_shipped_pattern_reads_and_every_relation_leads_somewhere() {
    assert!(Library::shipped().all().len() >= 60);
    for category in CATEGORIES {
        let has = |pattern: &&Pattern| pattern.category == *category;
        assert!(
            Library::shipped().all().iter().any(|it| has(&it)),
            "{category}"
        );
    }
}

#[test]
fn every_rule_is_explained_by_a_shipped_pattern() {
    for rule in patterns::analysis::rules::all() {
        assert!(
            Library::shipped().find(rule.pattern).is_some(),
            "{}",
            rule.id
        );
    }
}

#[test]
fn better_matches_come_first_and_all_are_counted() {
    let library = small();
    let ids = |words: &str| -> Vec<String> {
        let query = Query {
            words,
            ..Query::default()
        };
        search(&library, &query)
            .patterns
            .iter()
            .map(|it| it.id.clone())
            .collect()
    };
    assert_eq!(
        ids("retries"),
        ["retry-budget", "honour-wait"],
        "the title weighs more than the text"
    );
    assert_eq!(
        ids("retry wait"),
        ["honour-wait"],
        "all words where some text has them all"
    );
    assert_eq!(
        ids("wait logs"),
        ["honour-wait", "mask-keys"],
        "any word where none has all"
    );
    assert_eq!(ids("nothing-like-it"), Vec::<String>::new());
    assert_eq!(ids("").len(), 3);
}

#[test]
fn filters_hold_whatever_the_words() {
    let library = small();
    let query = Query {
        words: "retry",
        category: Some("rate-limits"),
        difficulty: None,
    };
    let found = search(&library, &query);
    assert_eq!(found.patterns.len(), 1);
    assert_eq!(found.by_category(), [("rate-limits", 1)]);
    let none = Query {
        words: "retry",
        category: None,
        difficulty: Some("advanced"),
    };
    assert_eq!(search(&library, &none).patterns.len(), 0);
}

#[test]
fn an_unknown_id_is_answered_with_near_ones_or_none() {
    let library = small();
    assert_eq!(
        nearest_ids(&library, "retry-budgets").first(),
        Some(&"retry-budget")
    );
    assert_eq!(nearest_ids(&library, "keys"), ["mask-keys"], "by its words");
    assert_eq!(nearest_ids(&library, "zzzzzz"), Vec::<&str>::new());
    let all = nearest_ids(Library::shipped(), "a retry that the error of a tool");
    assert!(all.len() <= MAX_NEAREST);
}

#[test]
fn the_users_own_file_adds_or_replaces_a_pattern() {
    let own = file("mask-keys", "Our own way", "secrets", "Text.");
    let extended = small()
        .extended([("own.md", own.as_str())])
        .expect("a good file");
    assert_eq!(extended.all().len(), 3);
    assert_eq!(
        extended.find("mask-keys").map(|it| it.title.as_str()),
        Some("Our own way")
    );
    let twice = small().extended([("a.md", own.as_str()), ("b.md", own.as_str())]);
    assert_eq!(twice.err().map(|it| it.what), Some(Mistake::DuplicateId));
    let astray = own.replace("related: []", "related: [nowhere]");
    let astray = small().extended([("a.md", astray.as_str())]).err();
    assert_eq!(
        astray.map(|it| it.what),
        Some(Mistake::UnknownRelated("nowhere".to_owned()))
    );
}
