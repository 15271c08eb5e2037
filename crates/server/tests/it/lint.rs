//! `fingerpost lint` and `fingerpost patterns`.

use std::path::Path;

use serde_json::Value;

use crate::client::{Exit, program};

async fn run(directory: &Path, arguments: &[&str]) -> Exit {
    let mut command = program();
    command.args(arguments).current_dir(directory);
    Exit::from_output(&command.output().await.unwrap())
}

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("src/a.py", "page = requests.get(url)\n");
    write(
        "src/b.go",
        "package main\n\nfunc f(err error) error {\n\treturn fmt.Errorf(\"x: %v\", err)\n}\n",
    );
    write("built/c.py", "page = requests.get(url)\n");
    write("tests/test_d.py", "page = requests.get(url)\n");
    write("notes.txt", "requests.get(url)\n");
    write(".ignore", "built/\n");
    directory
}

#[tokio::test]
async fn findings_are_printed_for_people_and_errors_end_with_one() {
    let project = project();
    let ended = run(project.path(), &["lint", "."]).await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let first = "src/a.py:1:8: error[request-without-timeout]: ";
    assert!(ended.stdout.contains(first), "{}", ended.stdout);
    assert!(
        ended
            .stdout
            .contains("fingerpost patterns show timeout-on-every-request")
    );
    assert!(
        !ended.stdout.contains("built/"),
        "what is ignored is left out"
    );
    assert!(
        ended.stdout.contains("errors: 1, warnings: 1, files: 3"),
        "{}",
        ended.stdout
    );
}

#[tokio::test]
async fn levels_come_from_a_file_and_strict_counts_warnings() {
    let project = project();
    let rules = project.path().join("fingerpost-lint.toml");
    std::fs::write(&rules, "[rules]\nrequest-without-timeout = \"off\"\n").unwrap();
    assert_eq!(run(project.path(), &["lint", "src"]).await.code, Some(0));
    assert_eq!(
        run(project.path(), &["lint", "src", "--strict"]).await.code,
        Some(1)
    );
    for (text, part) in [
        (
            "[rules]\nrequest-without-timeouts = \"off\"\n",
            "did you mean request-without-timeout?",
        ),
        ("[rules]\ncause-dropped = \"loud\"\n", "off, warn, error"),
        ("[ruls]\n", "[rules]"),
    ] {
        std::fs::write(&rules, text).unwrap();
        let ended = run(project.path(), &["lint", "src"]).await;
        assert_eq!(ended.code, Some(2), "{text}");
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
    let missing = run(
        project.path(),
        &["lint", "no/such/path", "--rules", "x.toml"],
    )
    .await;
    assert_eq!(missing.code, Some(2));
}

#[tokio::test]
async fn programs_get_json_or_sarif() {
    let project = project();
    let json = run(project.path(), &["lint", ".", "--format", "json"]).await;
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["summary"]["errors"], 1);
    assert_eq!(
        report["findings"][0]["id"],
        "request-without-timeout:src/a.py:1:8"
    );
    let sarif = run(project.path(), &["lint", ".", "--format", "sarif"]).await;
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert!(
        run["tool"]["driver"]["rules"]
            .as_array()
            .is_some_and(|it| it.len() >= 40)
    );
    let result = &run["results"][0];
    assert_eq!(
        (result["ruleId"].as_str(), result["level"].as_str()),
        (Some("request-without-timeout"), Some("error"))
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a.py");
    assert_eq!(place["region"]["startLine"], 1);
}

#[tokio::test]
async fn safe_fixes_are_made_on_request() {
    let project = project();
    let ended = run(project.path(), &["lint", "src", "--fix"]).await;
    assert!(ended.stdout.contains("fixed: 1"), "{}", ended.stdout);
    let changed = std::fs::read_to_string(project.path().join("src/b.go")).unwrap();
    assert!(changed.contains("\"x: %w\""), "{changed}");
}

#[tokio::test]
async fn patterns_are_listed_searched_and_shown() {
    let here = std::env::temp_dir();
    let listed = run(&here, &["patterns"]).await;
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(
        listed
            .stdout
            .lines()
            .any(|line| line.starts_with("unguessable-session-ids "))
    );
    let found = run(&here, &["patterns", "search", "guess", "session", "--json"]).await;
    let first: Value = serde_json::from_str(found.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["id"], "unguessable-session-ids");
    let shown = run(&here, &["patterns", "show", "unguessable-session-ids"]).await;
    assert!(
        shown.stdout.contains("## The failure it prevents"),
        "{}",
        shown.stdout
    );
    let missing = run(&here, &["patterns", "show", "ungessable-session-ids"]).await;
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("unguessable-session-ids"),
        "{}",
        missing.stderr
    );
}

#[tokio::test]
async fn odd_names_are_shown_safely_and_each_file_counts_once() {
    let project = tempfile::tempdir().unwrap();
    let source = "import requests\npage = requests.get(url)\n";
    for name in ["a.py", "a b%41:c.py", "red\u{1b}[31m\nnote: all clear.py"] {
        std::fs::write(project.path().join(name), source).unwrap();
    }
    let twice = run(project.path(), &["lint", ".", "a.py", "--format", "json"]).await;
    let found: Value = serde_json::from_str(&twice.stdout).unwrap();
    let ids: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
    let people = run(project.path(), &["lint", "."]).await.stdout;
    assert!(!people.contains('\u{1b}'), "{people:?}");
    assert!(!people.contains("\nnote: all clear"), "{people:?}");
    let sarif = run(project.path(), &["lint", ".", "--format", "sarif"]).await;
    assert!(
        sarif.stdout.contains("\"./a%20b%2541:c.py\""),
        "{}",
        sarif.stdout
    );
    std::fs::write(project.path().join("notes.txt"), "text").unwrap();
    let named = run(project.path(), &["lint", "notes.txt"]).await;
    assert_eq!(named.code, Some(2), "{}", named.stderr);
    assert!(named.stderr.contains("no rules"), "{}", named.stderr);
}

#[tokio::test]
async fn names_that_differ_only_in_what_cannot_be_shown_have_different_ids() {
    use std::os::unix::ffi::OsStrExt;
    let project = tempfile::tempdir().unwrap();
    for name in [b"a\xff.py", b"a\xfe.py", b"a\x1b.py"] {
        let path = project.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, "page = requests.get(url)\n").unwrap();
    }
    let ended = run(project.path(), &["lint", ".", "--format", "json"]).await;
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    let findings = found["findings"].as_array().unwrap();
    let ids: std::collections::BTreeSet<&str> = findings
        .iter()
        .map(|finding| finding["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[tokio::test]
async fn what_was_not_analysed_is_told_in_every_format() {
    let project = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(project.path().join(name), text).unwrap();
    let chain = format!("x{};\n", "\n.a(x)".repeat(200));
    write("hostile.ts", &chain.repeat(80));
    write("bundle.js", "var __commonJS = (cb) => cb;\nfetch(url);\n");
    write("broken.py", "def broken(:\n");
    let people = run(project.path(), &["lint", "."]).await;
    assert_eq!(people.code, Some(0), "{}", people.stderr);
    for told in [
        "hostile.ts: takes too much work to analyse",
        "bundle.js: a bundle of several packages",
    ] {
        assert!(people.stderr.contains(told), "{}", people.stderr);
    }
    let root = project.path().to_str().unwrap();
    let sarif = run(project.path(), &["lint", root, "--format", "sarif"]).await;
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true, "{invocation}");
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    let places: Vec<(&str, &str)> = notes
        .iter()
        .map(|note| {
            let place = &note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            let id = note["descriptor"]["id"].as_str().unwrap();
            (id, place.as_str().unwrap().rsplit('/').next().unwrap())
        })
        .collect();
    for expected in [
        ("file-not-analysed", "hostile.ts"),
        ("file-not-analysed", "bundle.js"),
        ("syntax-error", "broken.py"),
    ] {
        assert!(places.contains(&expected), "{places:?}");
    }
    let uri = &notes[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(uri.as_str().unwrap().starts_with("file:///"), "{uri}");
    for path in ["hostile.ts", "/dev/null"] {
        let named = run(project.path(), &["lint", path]).await;
        assert_eq!(named.code, Some(2), "{path}: {}", named.stderr);
    }
}

#[tokio::test]
async fn a_wrong_file_of_patterns_is_told_by_patterns_and_doctor() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("wrong.md"), "no front matter").unwrap();
    let flags = ["--patterns-dir", directory.path().to_str().unwrap()];
    let listed = run(directory.path(), &[&["patterns"], &flags[..]].concat()).await;
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(
        listed.stdout.contains("is-error-flag"),
        "shipped ones are there"
    );
    assert!(listed.stderr.contains("wrong.md"), "{}", listed.stderr);
    let doctor = run(
        directory.path(),
        &[&["doctor", "--offline"], &flags[..]].concat(),
    )
    .await;
    assert_eq!(doctor.code, Some(1), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("wrong.md"), "{}", doctor.stdout);
    let unknown = run(directory.path(), &["patterns", "show", "no-such"]).await;
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("lists them all"),
        "{}",
        unknown.stderr
    );
}
