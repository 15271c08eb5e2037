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
    let (library, mistakes) = Library::default().extended(files);
    assert_eq!(mistakes, []);
    library
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
fn suggestions_come_from_names_and_never_from_what_texts_mention() {
    let library = Library::shipped();
    assert_eq!(nearest_ids(library, "no-such"), Vec::<&str>::new());
    assert_eq!(
        nearest_ids(library, "the-quick-brown-fox"),
        Vec::<&str>::new()
    );
    let near = nearest_ids(library, "jitter-backoff");
    assert!(near.contains(&"full-jitter-backoff"), "{near:?}");
}

#[test]
fn the_users_own_file_adds_or_replaces_a_pattern() {
    let own = file("mask-keys", "Our own way", "secrets", "Text.");
    let (extended, mistakes) = small().extended([("own.md", own.as_str())]);
    assert_eq!((extended.all().len(), mistakes.len()), (3, 0));
    assert_eq!(
        extended.find("mask-keys").map(|it| it.title.as_str()),
        Some("Our own way")
    );
}

#[test]
fn a_wrong_file_is_told_by_its_path_and_leaves_the_others_as_they_are() {
    let own = file("our-own", "Our own way", "secrets", "Text.");
    let astray = own.replace("related: []", "related: [nowhere, mask-keys]");
    let twice = own.as_str();
    let (extended, mistakes) = small().extended([
        ("a/astray.md", astray.as_str()),
        ("a/twice.md", twice),
        ("a/wrong.md", "no front matter"),
    ]);
    assert_eq!(extended.all().len(), 4);
    let pattern = extended
        .find("our-own")
        .expect("the first of the two files");
    assert_eq!(pattern.related, ["mask-keys"]);
    let told: Vec<(&str, &Mistake)> = mistakes
        .iter()
        .map(|it| (it.path.as_str(), &it.what))
        .collect();
    assert_eq!(
        told,
        [
            ("a/twice.md", &Mistake::DuplicateId),
            ("a/wrong.md", &Mistake::NoFrontMatter),
            (
                "a/astray.md",
                &Mistake::UnknownRelated("nowhere".to_owned())
            ),
        ]
    );
}
