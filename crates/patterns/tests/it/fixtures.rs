//! Every rule against its fixtures: `fixtures/<rule>/{bad,good}.<language>`. A comment `finds` marks
//! that the rule finds something in the next line.

use std::{fs, path::PathBuf};

use patterns::analysis::rules::{FixLabel, Rule, all};
use patterns::analysis::{Analysis, Config, DiagnosticKind, Language, analyse, apply_edits};

fn fixture(rule: &Rule, which: &str, language: Language) -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(rule.id)
        .join(format!("{which}.{}", language.extensions()[0]));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing", path.display()));
    (path, text)
}

fn analysed(name: &str, text: &str) -> Analysis {
    let mut config = Config::default();
    for rule in all().filter(|rule| !rule.is_on()) {
        config.set(rule.id, "warn").expect("a rule and a level");
    }
    analyse(name, text, &config).expect("fixtures are small and of known languages")
}

fn lines_of(rule: &Rule, analysis: &Analysis) -> Vec<usize> {
    let found = analysis.findings.iter();
    let mut lines: Vec<usize> = found
        .filter(|finding| finding.rule.id == rule.id)
        .map(|finding| finding.start.line)
        .collect();
    lines.dedup();
    lines
}

fn marked_lines(text: &str) -> Vec<usize> {
    let is_mark = |line: &str| matches!(line.trim(), "// finds" | "# finds");
    text.lines()
        .enumerate()
        .filter(|(_, line)| is_mark(line))
        .map(|(index, _)| index + 2)
        .collect()
}

fn each(mut check: impl FnMut(&'static Rule, Language) -> Vec<String>) {
    let wrong: Vec<String> = all()
        .flat_map(|rule| rule.languages().map(move |language| (rule, language)))
        .flat_map(|(rule, language)| check(rule, language))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_finds_what_its_bad_fixture_marks_and_nothing_else() {
    each(|rule, language| {
        let mut wrong = Vec::new();
        let (path, text) = fixture(rule, "bad", language);
        let marked = marked_lines(&text);
        let analysis = analysed(
            "fixture.x".replace('x', language.extensions()[0]).as_str(),
            &text,
        );
        let found = lines_of(rule, &analysis);
        if found != marked || marked.is_empty() {
            wrong.push(format!(
                "{}: marked {marked:?}, found {found:?}",
                path.display()
            ));
        }
        if analysis
            .diagnostics
            .iter()
            .any(|it| it.kind == DiagnosticKind::SyntaxError)
        {
            wrong.push(format!("{}: does not parse", path.display()));
        }
        wrong
    });
}

#[test]
fn no_rule_finds_anything_in_its_good_fixture() {
    each(|rule, language| {
        let (path, text) = fixture(rule, "good", language);
        let analysis = analysed(&format!("fixture.{}", language.extensions()[0]), &text);
        let mut wrong = Vec::new();
        let found = lines_of(rule, &analysis);
        if !found.is_empty() {
            wrong.push(format!("{}: found {found:?}", path.display()));
        }
        if analysis
            .diagnostics
            .iter()
            .any(|it| it.kind == DiagnosticKind::SyntaxError)
        {
            wrong.push(format!("{}: does not parse", path.display()));
        }
        wrong
    });
}

#[test]
fn safe_codemods_give_code_that_parses_and_has_the_finding_no_more() {
    each(|rule, language| {
        let (path, text) = fixture(rule, "bad", language);
        let name = format!("fixture.{}", language.extensions()[0]);
        let analysis = analysed(&name, &text);
        let own = || {
            analysis
                .findings
                .iter()
                .filter(|finding| finding.rule.id == rule.id)
        };
        let edits: Vec<_> = own().flat_map(|finding| finding.edits.clone()).collect();
        if rule.fix != FixLabel::SafeCodemod {
            let has_none = edits.is_empty();
            return (!has_none)
                .then(|| format!("{}: edits without the label", path.display()))
                .into_iter()
                .collect();
        }
        if !own().all(|finding| finding.fix_label() == FixLabel::SafeCodemod) {
            // A language of the rule may have no codemod; another must have one.
            return Vec::new();
        }
        let changed = analysed(&name, &apply_edits(&text, &edits));
        let mut wrong = Vec::new();
        if !lines_of(rule, &changed).is_empty() {
            wrong.push(format!("{}: still found after its codemod", path.display()));
        }
        if changed
            .diagnostics
            .iter()
            .any(|it| it.kind == DiagnosticKind::SyntaxError)
        {
            wrong.push(format!(
                "{}: does not parse after its codemod",
                path.display()
            ));
        }
        wrong
    });
}

#[test]
fn a_rule_with_the_label_safe_codemod_has_edits_in_some_fixture() {
    for rule in all().filter(|rule| rule.fix == FixLabel::SafeCodemod) {
        let has_edits = rule.languages().any(|language| {
            let (_, text) = fixture(rule, "bad", language);
            let name = format!("fixture.{}", language.extensions()[0]);
            let analysis = analysed(&name, &text);
            analysis
                .findings
                .iter()
                .any(|it| it.rule.id == rule.id && !it.edits.is_empty())
        });
        assert!(has_edits, "{}", rule.id);
    }
}

#[test]
fn there_are_no_fixtures_without_a_rule_or_language() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for directory in fs::read_dir(root).expect("the fixtures") {
        let directory = directory.expect("an entry").path();
        let id = directory
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        let rule = all().find(|rule| rule.id == id);
        let rule = rule.unwrap_or_else(|| panic!("no rule is called {id}"));
        let expected = rule.languages().count() * 2;
        assert_eq!(
            fs::read_dir(&directory).expect("fixtures").count(),
            expected,
            "{id}"
        );
    }
}

#[test]
fn rules_have_legal_unique_ids_and_there_are_enough() {
    let ids: Vec<&str> = all().map(|rule| rule.id).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert!(ids.len() >= 40, "{}", ids.len());
    for rule in all() {
        assert!(
            rule.id
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
            "{}",
            rule.id
        );
        assert!(
            rule.advice.ends_with('.') && !rule.title.ends_with('.'),
            "{}",
            rule.id
        );
    }
}
