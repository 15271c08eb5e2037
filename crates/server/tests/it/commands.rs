//! The command line: `mask`, `explain`, `errors`.

use std::{path::Path, process::Stdio};

use tokio::io::AsyncWriteExt;

use crate::client::{Exit, program};

pub(super) async fn run(
    arguments: &[&str],
    variables: &[(&str, &str)],
    directory: Option<&Path>,
    input: &[u8],
) -> Exit {
    let mut command = program();
    command.args(arguments).envs(variables.iter().copied());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A program that refuses its settings may exit before it reads its input.
    let _ = pipe.write_all(input).await;
    drop(pipe);
    Exit::from_output(&child.wait_with_output().await.unwrap())
}

#[tokio::test]
async fn wrong_commands_end_with_code_2_and_help_with_0() {
    for (line, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["serve", "--help"], 0),
        (&[], 2),
        (&["srve"], 2),
        (&["serve", "--no-such"], 2),
        (&["serve", "--http", "somewhere"], 2),
    ] {
        let ended = run(line, &[], None, b"").await;
        assert_eq!(ended.code, Some(code), "{line:?} {}", ended.stderr);
    }
    let version = run(&["--version"], &[], None, b"").await;
    assert_eq!(
        version.stdout,
        format!("fingerpost {}\n", env!("CARGO_PKG_VERSION"))
    );
    for page in [
        &["serve", "--help"][..],
        &["help", "settings"],
        &["settings"],
    ] {
        let help = run(page, &[], None, b"").await;
        for row in server::settings::TABLE.iter() {
            let flag = format!("--{} ", row.key);
            let switch = format!("--{}[", row.key);
            let is_listed = help.stdout.contains(&flag) || help.stdout.contains(&switch);
            assert!(is_listed, "{page:?}: {}", row.key);
        }
        assert!(help.stdout.contains("Settings of search providers:"));
    }
}

#[tokio::test]
async fn the_help_fits_a_screen() {
    for page in ["--help", "-h", "help"] {
        let help = run(&[page], &[("COLUMNS", "80")], None, b"").await.stdout;
        assert!(help.lines().count() <= 40, "{page}: {help}");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{help}");
        for word in ["serve", "doctor", "--toolset", "fingerpost help settings"] {
            assert!(help.contains(word), "{word} in {help}");
        }
        assert!(
            !help.contains("brave"),
            "providers are told elsewhere: {help}"
        );
    }
}

#[tokio::test]
async fn mask_copies_text_and_reads_json_lines() {
    let text = "nothing secret here\nsecond line";
    let ended = run(&["mask"], &[], None, text.as_bytes()).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), text));

    let lines = "{\"id\":\"a\",\"text\":\"hello\"}\nbroken\n{\"id\":[1],\"text\":\"world\"}\n";
    let ended = run(&["mask", "--jsonl"], &[], None, lines.as_bytes()).await;
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.stdout,
        "{\"id\":\"a\",\"masked\":\"hello\"}\n{\"id\":[1],\"masked\":\"world\"}\n"
    );
    assert_eq!(ended.stderr, "fingerpost: line 2: not JSON\n");
}

#[tokio::test]
async fn explain_shows_one_entry_or_the_list_and_suggests_the_nearest_name() {
    let ended = run(&["explain", "http_429"], &[], None, b"").await;
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.stdout.contains("rate_limited/http_429"),
        "{}",
        ended.stdout
    );
    let ended = run(&["explain"], &[], None, b"").await;
    assert!(ended.stdout.contains("bot_challenge") && ended.stdout.contains("WEB_SEARCH_TIMEOUT"));
    let ended = run(&["explain", "rate_limitd"], &[], None, b"").await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("did you mean rate_limited?"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn a_key_in_the_wrong_place_is_not_printed() {
    let (shaped, known) = (
        "sk-ant-api03-Zk3q9Vt7Lm2Xc5Rb8Nw1Yp4",
        "correct-horse-battery",
    );
    let here = tempfile::tempdir().unwrap();
    std::fs::write(
        here.path().join("mine.toml"),
        format!("\"{known}\" = 1\ndialect = \"{shaped}\"\n"),
    )
    .unwrap();
    for key in [shaped, known] {
        let flag = format!("--{key}");
        for line in [
            &["serve", key][..],
            &["serve", &flag],
            &[key],
            &["serve", "--dialect", key],
            &["serve", "--http", key],
            &["serve", "--config", key],
            &["serve", "--config", "mine.toml"],
            &["explain", key],
            &[
                "serve",
                "--dialect",
                "x",
                "--exa-api-key",
                &format!("{key}\u{7}"),
            ],
        ] {
            let ended = run(
                line,
                &[("BRAVE_API_KEY", known), ("FINGERPOST_LOG_FORMAT", key)],
                Some(here.path()),
                b"",
            )
            .await;
            assert!(
                !ended.stderr.is_empty() && !(ended.stderr.clone() + &ended.stdout).contains(key),
                "{line:?}: {}",
                ended.stderr
            );
        }
    }
}

#[tokio::test]
async fn a_found_settings_file_cannot_prevent_the_start_or_extend_trust() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(
        here.path().join("fingerpost.toml"),
        "issue-url = \"https://evil.example/\"\nlog = \"off\"\ndeadline = \"x\"\n",
    )
    .unwrap();
    let ended = run(&["serve"], &[], Some(here.path()), b"").await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("issue-url") && ended.stderr.contains("--config fingerpost.toml"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn settings_without_effect_are_refused() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("empty.pem"), "no certificate").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken
        .local_addr()
        .map(|address| (taken, address.to_string()))
        .unwrap();
    for (line, part) in [
        (&["serve", "--log", "nonsense"][..], "--log: \"nonsense\""),
        (
            &["serve", "--ca", "empty.pem"],
            "--ca: \"empty.pem\" does not work here; expected a PEM file with at least one certificate",
        ),
        (&["serve", "--config", "."], "this is a directory"),
        (
            &["serve", "--http", "127.0.0.1:99999"],
            "a port from 0 to 65535",
        ),
        (&["serve", "--http", &taken.1], "choose another port"),
        (&["serve", "--ephemeral=maybe"], "Example: --ephemeral=true"),
    ] {
        let ended = run(line, &[], Some(here.path()), b"").await;
        assert!(
            matches!(ended.code, Some(1 | 2)) && ended.stderr.contains(part),
            "{line:?}: {:?} {}",
            ended.code,
            ended.stderr
        );
        assert!(
            !ended.stderr.contains("explain bad_setting"),
            "{}",
            ended.stderr
        );
    }
    let almost = run(&["serve"], &[("FINGERPOST_DEADLIN", "5")], None, b"").await;
    assert!(
        almost.code == Some(0) && almost.stderr.contains("did you mean FINGERPOST_DEADLINE?"),
        "{}",
        almost.stderr
    );
}

#[tokio::test]
async fn mask_knows_the_secrets_of_the_environment() {
    let ended = run(
        &["mask"],
        &[("BRAVE_API_KEY", "correct-horse-battery")],
        None,
        b"a correct-horse-battery b",
    )
    .await;
    assert_eq!(ended.stdout, "a *** b");
}

#[tokio::test]
async fn errors_shows_a_record_by_id_alone_and_names_the_directory_when_there_is_none() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().to_str().unwrap();
    let none = run(&["errors", "--data-dir", folder], &[], None, b"").await;
    assert!(none.stdout.contains(folder), "{}", none.stdout);
    let faults =
        engine::store::FaultRecords::new(engine::store::open(None, Some(kept.path())).unwrap());
    let record = serde_json::json!({"eventId": "abc123def456", "tool": "\u{1b}[31mred"});
    faults
        .record_event(&"abc123def456".parse().unwrap(), &record)
        .await
        .unwrap();
    let shown = run(
        &["errors", "abc123def456", "--data-dir", folder],
        &[],
        None,
        b"",
    )
    .await;
    assert!(
        shown.code == Some(0) && shown.stdout.contains("abc123def456"),
        "{}{}",
        shown.stdout,
        shown.stderr
    );
    let list = run(&["errors", "list", "--data-dir", folder], &[], None, b"").await;
    assert!(
        list.stdout.contains("red") && !list.stdout.contains('\u{1b}'),
        "{:?}",
        list.stdout
    );
}

#[tokio::test]
async fn errors_lists_every_failure_and_says_when_the_directory_is_not_there() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().to_str().unwrap();
    let faults =
        engine::store::FaultRecords::new(engine::store::open(None, Some(kept.path())).unwrap());
    let record = serde_json::json!({
        "requestId": "req_1", "kind": "blocked", "timestamp": "2026-01-01T00:00:00Z", "user": "ada",
    });
    faults.record_failed_call("req_1", &record).await.unwrap();
    let list = run(&["errors", "list", "--data-dir", folder], &[], None, b"").await;
    assert!(
        list.stdout.contains("blocked") && list.stdout.contains("req_1 ada"),
        "{}",
        list.stdout
    );
    let missing = kept.path().join("no-such-directory");
    for action in [&["list"][..], &["show", "req_1"]] {
        let arguments = [
            &["errors"],
            action,
            &["--data-dir", missing.to_str().unwrap()],
        ]
        .concat();
        let ended = run(&arguments, &[], None, b"").await;
        assert!(
            ended.code == Some(1) && ended.stderr.contains("there is no directory"),
            "{}{}",
            ended.stdout,
            ended.stderr
        );
        assert!(!missing.exists(), "nothing is made");
    }
}

#[tokio::test]
async fn errors_shows_nothing_that_controls_a_terminal() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().to_str().unwrap();
    let faults =
        engine::store::FaultRecords::new(engine::store::open(None, Some(kept.path())).unwrap());
    let hostile = "E \u{9b}31mRED \u{202e}RTL \u{1b}]0;title\u{7} end";
    let record = serde_json::json!({
        "eventId": "abc123def456", "requestId": "req_1", "host": hostile, "upstream": [hostile],
    });
    faults
        .record_event(&"abc123def456".parse().unwrap(), &record)
        .await
        .unwrap();
    for arguments in [&["show", "req_1"][..], &["list", "--json"], &["list"]] {
        let arguments = [&["errors"], arguments, &["--data-dir", folder]].concat();
        let shown = run(&arguments, &[], None, b"").await.stdout;
        let controls = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            shown.contains("RED") && !shown.contains(controls),
            "{arguments:?}: {shown:?}"
        );
        if shown.starts_with('{') {
            let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
            assert_eq!(read["upstream"][0], hostile, "the same JSON");
        }
    }
}

#[tokio::test]
async fn patterns_show_wants_an_id_and_answers_in_json_where_asked() {
    let none = run(&["patterns", "show"], &[], None, b"").await;
    assert_eq!(none.code, Some(2), "{}", none.stderr);
    let wrong = run(&["patterns", "show", "nope", "--json"], &[], None, b"").await;
    let error: serde_json::Value = serde_json::from_str(&wrong.stdout).unwrap();
    assert_eq!(wrong.code, Some(1));
    assert!(error["error"]["message"].is_string(), "{error}");
}
