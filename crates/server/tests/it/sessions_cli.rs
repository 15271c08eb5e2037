//! Existing research sessions, as the command line and the tools show them.

use std::path::Path;

use engine::research::{Limits, NewStep, ResearchSessions, SessionOutcome, Source, SourceState};
use engine::store::Tenant;
use fault::{Case, Fault, Origin};
use serde_json::{Value, json};

use crate::client::{Client, Exit, HttpServer, program};

async fn session(directory: &Path, arguments: &[&str]) -> Exit {
    let output = program()
        .arg("session")
        .args(arguments)
        .arg("--data-dir")
        .arg(directory)
        .output()
        .await
        .unwrap();
    Exit::from_output(&output)
}

fn source(url: &str, title: &str, author: Option<&str>, published: Option<&str>) -> Source {
    Source {
        url: url.to_owned(),
        state: SourceState::Read,
        title: Some(title.to_owned()),
        author: author.map(str::to_owned),
        published: published.map(str::to_owned),
        via: "html".to_owned(),
        tool: "scrape_page".to_owned(),
        at: 1_763_200_000_000, // 2025-11-15
        ..Source::default()
    }
}

/// A key in the address of a source.
const KEY: &str = "sk-ant-api03-Zk3q9Vt7Lm2Xc5Rb8Nw1Yp4";

/// Stores two sessions, a complete one about goats and a new one about sheep. Returns the id of the
/// first.
async fn store_sessions(directory: &Path) -> String {
    let research = ResearchSessions::new(
        engine::store::open(None, Some(directory)).unwrap(),
        Limits::default(),
    );
    let tenant = Tenant::local();
    let first = NewStep {
        text: "look at trees".to_owned(),
        reasoning: Some("goats were seen there".to_owned()),
        confidence: Some(0.4),
        opens: vec!["since when".to_owned()],
        ..NewStep::default()
    };
    let goats = research
        .start_with_step(&tenant, "why goats climb\u{1b}[31m", &first)
        .await
        .unwrap()
        .session
        .id;
    let second = NewStep {
        text: "look again".to_owned(),
        revises: Some(1),
        summary: Some("for the view".to_owned()),
        ..NewStep::default()
    };
    research.step(&tenant, &goats, &second).await.unwrap();
    let sources = [
        source(
            "https://goats.example/climb",
            "Why goats climb",
            Some("Jane Doe"),
            Some("2024-05-03"),
        ),
        source(
            "https://trees.example/{a}",
            "Trees\nER  - \n} with 100% \u{1b}[2J goats",
            None,
            None,
        ),
    ];
    let secret = source(
        &format!("https://keys.example/?api_key={KEY}"),
        "A page behind a key",
        None,
        None,
    );
    research
        .record(
            &tenant,
            &goats,
            &[SessionOutcome::now("scrape_page", None, None, None)],
            &[secret],
        )
        .await
        .unwrap();
    let fault = Fault::new(Case::Http403, Origin::Page);
    for _ in 0..3 {
        let outcome = SessionOutcome::now("scrape_page", Some("html"), Some(fault.kind()), None);
        research
            .record(&tenant, &goats, std::slice::from_ref(&outcome), &[])
            .await
            .unwrap();
    }
    research
        .record(
            &tenant,
            &goats,
            &[SessionOutcome::now("scrape_page", Some("html"), None, None)],
            &sources,
        )
        .await
        .unwrap();
    research.start(&tenant, "what sheep think").await.unwrap();
    goats
}

#[tokio::test]
async fn sessions_are_listed_by_last_use() {
    let directory = tempfile::tempdir().unwrap();
    let none = session(directory.path(), &["list"]).await;
    assert!(
        none.code == Some(0) && none.stdout.contains("no research sessions in "),
        "{}{}",
        none.stdout,
        none.stderr
    );
    let goats = store_sessions(directory.path()).await;
    for arguments in [&["list"][..], &[]] {
        let listed = session(directory.path(), arguments).await;
        let lines: Vec<&str> = listed.stdout.lines().collect();
        assert_eq!(
            (listed.code, lines.len()),
            (Some(0), 2),
            "{}",
            listed.stderr
        );
        assert!(
            lines[0].contains("0 steps") && lines[0].ends_with("what sheep think"),
            "{}",
            lines[0]
        );
        assert!(
            lines[1].starts_with(&goats)
                && lines[1].contains("2 steps")
                && !lines[1].contains('\u{1b}'),
            "{}",
            lines[1]
        );
    }
    let listed = session(directory.path(), &["list", "--json"]).await;
    let values: Vec<Value> = listed
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (values[1]["id"].as_str(), values[1]["steps"].as_u64()),
        (Some(goats.as_str()), Some(2))
    );
}

/// Whichever way the server learned who called.
#[tokio::test]
async fn sessions_of_a_user_of_an_http_server_are_found_by_the_users_name() {
    let directory = tempfile::tempdir().unwrap();
    let issuer = "https://auth.example.com";
    let research = ResearchSessions::new(
        engine::store::open(None, Some(directory.path())).unwrap(),
        Limits::default(),
    );
    let issued = Tenant::issued(issuer, "ada");
    let foreign = research.start(&issued, "what ada asked").await.unwrap();
    let data = directory.path().to_str().unwrap();
    let server = ["--data-dir", data, "--subject-header", "x-user"];
    let server = HttpServer::spawn(&server).await;
    let step = json!({"goal": "why goats climb", "searchStep": "look around"});
    let call = json!({"name": "sequential_search", "arguments": step});
    let begun = server.modern_as(&[("x-user", "ada")], "tools/call", call);
    let begun = begun.await.json();
    assert_eq!(begun["result"]["isError"], false, "{begun}");
    let id = begun["result"]["structuredContent"]["sessionId"]
        .as_str()
        .unwrap();
    let ada = ["--subject", "ada", "--oauth-issuer", issuer];
    let ask = async |what: &[&str]| session(directory.path(), &[what, &ada].concat()).await;
    let listed = ask(&["list"]).await;
    assert_eq!(listed.stdout.lines().count(), 2, "{}", listed.stdout);
    assert!(listed.stdout.contains("why goats climb") && listed.stdout.contains("what ada asked"));
    for id in [id, foreign.id.as_str()] {
        let shown = ask(&["show", id]).await;
        assert!(
            shown.code == Some(0) && shown.stdout.contains(id),
            "{}",
            shown.stderr
        );
    }
    let other = session(directory.path(), &["show", id, "--subject", "bob"]).await;
    assert!(other.stderr.contains("session list"), "{}", other.stderr);
    assert_eq!(other.code, Some(1));
    let local = session(directory.path(), &["list"]).await;
    assert!(local.stdout.contains("--subject NAME"), "{}", local.stdout);
}

#[tokio::test]
async fn one_session_is_shown_as_a_summary_or_as_json() {
    let directory = tempfile::tempdir().unwrap();
    let goats = store_sessions(directory.path()).await;
    for arguments in [&["show", &goats][..], &[&goats]] {
        let shown = session(directory.path(), arguments).await;
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        for part in [
            "why goats climb [31m\n",
            "confidence 40 %",
            "  for the view\n",
            "  2. look again (revises 1)\n",
            "gap-1: since when",
            "https://goats.example/climb  Why goats climb  (read, html, 2025-11-15 09:46 UTC)",
            "blocked (3 times)",
        ] {
            assert!(shown.stdout.contains(part), "{part}\n{}", shown.stdout);
        }
        assert!(!shown.stdout.contains('\u{1b}') && !shown.stdout.contains(KEY));
    }
    let whole = session(directory.path(), &["show", &goats, "--json"]).await;
    let whole: Value = serde_json::from_str(&whole.stdout).unwrap();
    assert_eq!(
        (
            whole["format"].as_str(),
            whole["steps"][1]["revises"].as_u64()
        ),
        (Some("fingerpost-session/1"), Some(1))
    );
}

#[tokio::test]
async fn a_session_is_exported_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let goats = store_sessions(directory.path()).await;
    for (format, part) in [
        ("markdown", "## Sources\n"),
        ("json", "\"errorPatterns\": ["),
        (
            "apa",
            "Doe, J. (2024, May 3). Why goats climb. goats.example. https://goats.example/climb\n",
        ),
        (
            "apa",
            "goats. (n.d.). trees.example. Retrieved November 15, 2025, from https://trees.example/%7Ba%7D\n",
        ),
        (
            "mla",
            "Doe, Jane. “Why goats climb.” goats.example, 3 May 2024, https://goats.example/climb. Accessed 15 Nov. 2025.\n",
        ),
        (
            "bibtex",
            "@misc{doe2024why,\n  author = {Doe, Jane},\n  title = {{Why goats climb}},\n",
        ),
        (
            "bibtex",
            "title = {{Trees ER - \\textbraceright{} with 100\\% [2J goats}},\n",
        ),
        ("ris", "AU  - Doe, Jane\r\nTI  - Why goats climb\r\n"),
        ("csl-json", "\"type\": \"webpage\""),
    ] {
        let exported = session(directory.path(), &["export", &goats, "--format", format]).await;
        assert!(
            exported.code == Some(0) && exported.stdout.contains(part),
            "{format}: {}{}",
            exported.stdout,
            exported.stderr
        );
        assert!(
            !exported.stdout.contains('\u{1b}') && !exported.stdout.contains(KEY),
            "{format}"
        );
    }
    let markdown = session(directory.path(), &["export", &goats]).await.stdout;
    assert!(markdown.starts_with("# Research session\n"), "{markdown}");
    let records = session(directory.path(), &["export", &goats, "--format", "ris"])
        .await
        .stdout;
    assert_eq!(
        records
            .lines()
            .filter(|line| line.starts_with("ER  - "))
            .count(),
        3
    );
}

#[tokio::test]
async fn an_unknown_session_is_reported_with_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    store_sessions(directory.path()).await;
    for (arguments, code, part) in [
        (
            &["show", "ses_unknown"][..],
            1,
            "No such research session here. `fingerpost session list`",
        ),
        (
            &["export", "ses_unknown", "--format", "apa"],
            1,
            "`fingerpost session list`",
        ),
        (&["show"], 2, "ID"),
        (&["export", "x", "--format", "chicago"], 2, "csl-json"),
        (&["list", "--ephemeral"], 2, "--data-dir"),
        (&["burn", "x"], 2, "list, show ID, export ID"),
    ] {
        let ended = session(directory.path(), arguments).await;
        assert!(
            ended.code == Some(code) && ended.stderr.contains(part),
            "{arguments:?}: {:?} {}",
            ended.code,
            ended.stderr
        );
        assert_eq!(ended.stdout, "", "{arguments:?}");
    }
}

#[tokio::test]
async fn an_expired_session_is_told_from_an_unknown_one() {
    let directory = tempfile::tempdir().unwrap();
    let limits = Limits {
        session_lives: std::time::Duration::from_millis(1),
        ..Limits::default()
    };
    let store = engine::store::open(None, Some(directory.path())).unwrap();
    let research = ResearchSessions::new(store, limits);
    let id = research.start(&Tenant::local(), "goal").await.unwrap().id;
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let ended = session(directory.path(), &["show", &id]).await;
    assert!(
        ended.code == Some(1) && ended.stderr.contains("The research session has expired."),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn a_bibliography_has_what_was_read_and_the_rest_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let research = ResearchSessions::new(
        engine::store::open(None, Some(directory.path())).unwrap(),
        Limits::default(),
    );
    let tenant = Tenant::local();
    let id = research.start(&tenant, "goal").await.unwrap().id;
    let listed = Source {
        state: SourceState::Listed,
        ..source("https://goats.example/listed", "Listed", None, None)
    };
    research
        .record(&tenant, &id, &[], std::slice::from_ref(&listed))
        .await
        .unwrap();
    let export = ["export", &id, "--format", "apa"];
    let empty = session(directory.path(), &export).await;
    assert!(
        empty.stdout.is_empty() && empty.stderr.contains("--all-sources"),
        "{}",
        empty.stderr
    );
    let read = source("https://goats.example/read", "Read", None, None);
    research
        .record(&tenant, &id, &[], &[read, listed])
        .await
        .unwrap();
    let cited = session(directory.path(), &export).await.stdout;
    assert!(
        cited.contains("/read") && !cited.contains("/listed"),
        "{cited}"
    );
    let all = session(
        directory.path(),
        &[&export[..], &["--all-sources"]].concat(),
    )
    .await;
    assert_eq!(
        all.stdout.lines().filter(|line| !line.is_empty()).count(),
        2
    );
}

async fn call(client: &mut Client, tool: &str, arguments: Value) -> (bool, String) {
    let reply = client
        .request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await;
    let text = reply["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (reply["result"]["isError"] == true, text)
}

#[tokio::test]
async fn the_session_tools_return_what_the_command_prints() {
    let directory = tempfile::tempdir().unwrap();
    let goats = store_sessions(directory.path()).await;
    let mut client = Client::spawn(&["--data-dir", directory.path().to_str().unwrap()]);
    client.initialize("2025-11-25").await;
    let (failed, text) = call(
        &mut client,
        "research_export",
        json!({ "sessionId": goats }),
    )
    .await;
    assert!(
        !failed
            && text.contains("## Open gaps\n\n- since when")
            && text.contains("not instructions")
            && !text.contains(KEY),
        "{text}"
    );
    let (_, text) = call(
        &mut client,
        "research_export",
        json!({ "sessionId": goats, "format": "json" }),
    )
    .await;
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap()["format"],
        "fingerpost-session/1"
    );
    let (failed, text) = call(
        &mut client,
        "format_bibliography",
        json!({ "sessionId": goats }),
    )
    .await;
    assert!(
        !failed
            && text.contains("Doe, J. (2024, May 3).")
            && text.contains("(n.d.)")
            && !text.contains(KEY),
        "{text}"
    );
    let only =
        json!({ "sessionId": goats, "style": "bibtex", "urls": ["https://goats.example/climb"] });
    let (_, text) = call(&mut client, "format_bibliography", only).await;
    assert_eq!(text.matches("@misc{").count(), 1, "{text}");
    let other = json!({ "sessionId": goats, "urls": ["https://sheep.example/"] });
    let (failed, text) = call(&mut client, "format_bibliography", other).await;
    assert!(failed && text.contains("research_export"), "{text}");
    for tool in ["research_export", "format_bibliography"] {
        let (failed, text) = call(&mut client, tool, json!({ "sessionId": "ses_unknown" })).await;
        assert!(failed && text.contains("session"), "{text}");
        let reply = client
            .request(
                "tools/call",
                json!({ "name": tool, "arguments": { "sessionId": "ses_unknown" } }),
            )
            .await;
        assert!(
            reply["result"].to_string().contains("get_research_session"),
            "{reply}"
        );
    }
}
