//! The pattern tools: formats, questions, findings, and asking the user through the client.

use serde_json::{Value, json};

use crate::client::{Client, modern_meta};

async fn server(arguments: &[&str]) -> Client {
    let all = [&["--ephemeral", "--toolset", "patterns"], arguments].concat();
    let mut client = Client::spawn(&all);
    client.initialize("2025-11-25").await;
    client
}

fn text(result: &Value, index: usize) -> &str {
    result["content"][index]["text"]
        .as_str()
        .unwrap_or_default()
}

fn block(result: &Value, index: usize) -> Value {
    serde_json::from_str(text(result, index)).expect("a JSON block")
}

#[tokio::test]
async fn the_format_chooses_the_blocks_of_answers_questions_and_failures_alike() {
    let mut client = server(&[]).await;
    let answer = |format: &str| json!({"id": "unguessable-session-ids", "format": format});
    let question = |format: &str| json!({"id": "no-such-thing-at-all", "format": format});
    let failure = |format: &str| json!({"id": 5, "format": format});
    let cases: [(fn(&str) -> Value, &str, bool); 3] = [
        (answer, "patternDetails:v1", false),
        (question, "needsInput:v1", false),
        (failure, "toolError:v1", true),
    ];
    for (arguments, kind, is_error) in cases {
        let markdown = client.call("get_pattern", arguments("markdown")).await;
        assert_eq!(
            markdown["content"].as_array().map(Vec::len),
            Some(1),
            "{markdown}"
        );
        assert!(!text(&markdown, 0).starts_with('{'), "{markdown}");
        let json = client.call("get_pattern", arguments("json")).await;
        assert_eq!(json["content"].as_array().map(Vec::len), Some(1), "{json}");
        assert_eq!(block(&json, 0)["kind"], kind);
        let both = client.call("get_pattern", arguments("both")).await;
        assert!(!text(&both, 0).starts_with('{'), "{both}");
        assert_eq!(block(&both, 1)["kind"], kind);
        for result in [&markdown, &json, &both] {
            assert_eq!(result["structuredContent"]["kind"], kind, "{result}");
            assert_eq!(result["isError"], is_error, "{result}");
        }
    }
}

#[tokio::test]
async fn a_search_tells_the_true_total_and_keeps_to_its_limit() {
    let mut client = server(&[]).await;
    let found = client
        .call(
            "search_patterns",
            json!({"q": "session", "category": "sessions", "limit": 1}),
        )
        .await;
    let facts = &found["structuredContent"];
    assert_eq!(facts["kind"], "patternSearchResults:v1");
    assert_eq!(facts["returned"], 1);
    assert!(
        facts["total"].as_u64().is_some_and(|total| total >= 2),
        "{facts}"
    );
    assert_eq!(facts["patterns"][0]["category"], "sessions");
    let none = client
        .call(
            "search_patterns",
            json!({"q": "xylophone", "category": "sessions"}),
        )
        .await;
    assert_eq!(
        (&none["isError"], &none["structuredContent"]["total"]),
        (&json!(false), &json!(0))
    );
    let refused = client
        .call("search_patterns", json!({"q": "x", "limit": 101}))
        .await;
    assert_eq!(refused["structuredContent"]["code"], "CLIENT_ERROR");
    assert!(
        text(&refused, 0).contains("limit must be between 1 and 100"),
        "{refused}"
    );
}

#[tokio::test]
async fn questions_are_computed_from_what_is_there() {
    let mut client = server(&[]).await;
    let blank = client.call("search_patterns", json!({"q": "  "})).await;
    let asked = &blank["structuredContent"];
    assert_eq!(
        (&blank["isError"], &asked["kind"]),
        (&json!(false), &json!("needsInput:v1"))
    );
    assert_eq!(asked["type"], "elicitation");
    assert_eq!(asked["needsInput"]["fields"][0], "q");
    let many = client.call("search_patterns", json!({"q": "error"})).await;
    let asked = &many["structuredContent"];
    assert_eq!(asked["kind"], "needsInput:v1", "{many}");
    let category = asked["needsInput"]["suggestions"]["category"][0].clone();
    let narrowed = client
        .call(
            "search_patterns",
            json!({"q": "error", "category": category}),
        )
        .await;
    let total = narrowed["structuredContent"]["total"]
        .as_u64()
        .unwrap_or_default();
    let option = format!("{} ({total})", category.as_str().unwrap_or_default());
    assert_eq!(
        asked["options"][0], option,
        "the count of the option is the total of its answer"
    );
    let typo = client
        .call("get_pattern", json!({"id": "ungessable-session-id"}))
        .await;
    let near = &typo["structuredContent"]["needsInput"]["suggestions"]["id"];
    assert_eq!(near[0], "unguessable-session-ids");
    assert!(near.as_array().is_some_and(|near| near.len() <= 5));
    let none = client
        .call("get_pattern", json!({"id": "qqqqqqqqqqqq"}))
        .await;
    assert!(
        none["structuredContent"].get("options").is_none(),
        "never canned: {none}"
    );
}

const BAD: &str = "import requests\n\n@mcp.tool()\ndef read(url: str):\n    try:\n        return requests.get(url).text\n    except Exception as error:\n        return f\"Error: {error}\"\n";

#[tokio::test]
async fn code_is_analysed_with_places_patterns_and_fixes() {
    let mut client = server(&[]).await;
    let arguments = json!({"source": BAD, "filename": "server.py"});
    let result = client.call("analyze_code", arguments).await;
    let facts = &result["structuredContent"];
    assert_eq!(
        (&facts["kind"], &facts["language"]),
        (&json!("codeAnalysis:v1"), &json!("python"))
    );
    let findings = facts["findings"].as_array().expect("findings");
    let timeout = findings
        .iter()
        .find(|it| it["ruleId"] == "request-without-timeout")
        .expect("the missing timeout");
    assert_eq!(timeout["id"], "request-without-timeout:server.py:6:16");
    assert_eq!(timeout["range"]["start"], json!({"line": 6, "column": 16}));
    assert_eq!(timeout["fix"]["label"], "assisted");
    assert!(text(&result, 0).contains("request-without-timeout"));
    let config = json!({"rules": {"request-without-timeout": "off"}});
    let quiet = client
        .call(
            "analyze_code",
            json!({"source": BAD, "filename": "server.py", "config": config}),
        )
        .await;
    assert!(
        !quiet.to_string().contains("request-without-timeout"),
        "{quiet}"
    );
}

#[tokio::test]
async fn what_cannot_be_analysed_is_said_clearly() {
    let mut client = server(&[]).await;
    let large = "x = 1\n".repeat(20_000);
    for (arguments, parts) in [
        (
            json!({"source": "x", "filename": "Main.java"}),
            &["filename must end in .rs"][..],
        ),
        (
            json!({"source": large, "filename": "a.py"}),
            &["120000 bytes", "102400 bytes"],
        ),
        (
            json!({"source": "x", "filename": "a.py", "config": {"rules": {"swalowed-error": "off"}}}),
            &["the nearest is swallowed-error"],
        ),
        (
            json!({"source": "x", "filename": "a.py", "config": {"rules": {"swallowed-error": "loud"}}}),
            &["not off, warn or error"],
        ),
    ] {
        let result = client.call("analyze_code", arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["structuredContent"]["code"], "CLIENT_ERROR");
        for part in parts {
            assert!(text(&result, 0).contains(part), "{result}");
        }
    }
    let broken = client
        .call(
            "analyze_code",
            json!({"source": "def f(:\n", "filename": "a.py"}),
        )
        .await;
    assert_eq!(broken["isError"], false);
    assert_eq!(
        broken["structuredContent"]["diagnostics"][0]["kind"],
        "syntax-error"
    );
}

#[tokio::test]
async fn a_review_shows_what_matters_most_and_counts_the_rest() {
    let mut client = server(&[]).await;
    let code = "page = requests.get(a)\n".repeat(7) + "raise Exception('x')\n";
    let result = client
        .call("review_code", json!({"code": code, "filePath": "a.py"}))
        .await;
    let facts = &result["structuredContent"];
    let shown = facts["findings"].as_array().expect("findings");
    assert_eq!(
        (shown.len(), &facts["total"], &facts["hidden"]),
        (5, &json!(8), &json!(3))
    );
    assert!(
        shown.iter().all(|it| it["severity"] == "error"),
        "errors come first"
    );
    let lines: Vec<u64> = shown
        .iter()
        .filter_map(|it| it["range"]["start"]["line"].as_u64())
        .collect();
    assert_eq!(lines, [1, 2, 3, 4, 5]);
    assert!(text(&result, 0).contains("3 more are hidden"));
}

#[tokio::test]
async fn every_rule_that_is_listed_has_languages_and_a_pattern_that_can_be_read() {
    let mut client = server(&[]).await;
    let result = client.call("list_analysis_rules", json!({})).await;
    let rules = result["structuredContent"]["rules"]
        .as_array()
        .expect("rules")
        .clone();
    assert!(rules.len() >= 40);
    for rule in rules {
        assert!(
            rule["languages"]
                .as_array()
                .is_some_and(|it| !it.is_empty()),
            "{rule}"
        );
        let pattern = client
            .call("get_pattern", json!({"id": rule["patternId"]}))
            .await;
        assert_eq!(
            pattern["structuredContent"]["kind"], "patternDetails:v1",
            "{rule}"
        );
    }
}

#[tokio::test]
async fn ids_and_categories_are_completed_where_the_tools_are_offered() {
    let mut client = server(&[]).await;
    let complete = |name: &str, value: &str| json!({"ref": {"type": "ref/prompt", "name": "get_pattern"}, "argument": {"name": name, "value": value}});
    let categories = client
        .request("completion/complete", complete("category", "re"))
        .await;
    assert_eq!(
        categories["result"]["completion"]["values"],
        json!(["retry-and-backoff"])
    );
    let ids = client
        .request("completion/complete", complete("id", "unguess"))
        .await;
    assert_eq!(
        ids["result"]["completion"]["values"],
        json!(["unguessable-session-ids"])
    );
    let mut other = Client::spawn(&["--ephemeral"]);
    other.initialize("2025-11-25").await;
    let none = other
        .request("completion/complete", complete("id", ""))
        .await;
    assert_eq!(none["result"]["completion"]["values"], json!([]));
}

#[tokio::test]
async fn a_client_of_an_older_revision_that_can_ask_its_user_is_asked() {
    for (reply, kind) in [
        (
            json!({"action": "accept", "content": {"id": "unguessable-session-ids"}}),
            "patternDetails:v1",
        ),
        (json!({"action": "decline"}), "needsInput:v1"),
    ] {
        let mut client = Client::spawn(&["--ephemeral", "--toolset", "patterns"]);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "test", "version": "1"}});
        client.request("initialize", params).await;
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        let id = client
            .begin(
                "tools/call",
                json!({"name": "get_pattern", "arguments": {"id": "ungessable-session-id"}}),
            )
            .await;
        let request = loop {
            let frame = client.frame().await.expect("a request");
            if frame["method"] == "elicitation/create" {
                break frame;
            }
        };
        let choices = &request["params"]["requestedSchema"]["properties"]["id"]["enum"];
        assert_eq!(choices[0], "unguessable-session-ids", "{request}");
        client
            .send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": reply}))
            .await;
        let result = client.reply(id).await["result"].clone();
        assert_eq!(result["structuredContent"]["kind"], kind, "{result}");
    }
}

#[tokio::test]
async fn a_client_of_the_stateless_revision_repeats_the_call_with_the_answer() {
    let mut client = Client::spawn(&["--ephemeral", "--toolset", "patterns"]);
    let mut meta = modern_meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
    let call =
        json!({"name": "get_pattern", "arguments": {"id": "ungessable-session-id"}, "_meta": meta});
    let asked = client.request("tools/call", call.clone()).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let request = &asked["inputRequests"]["choice"];
    assert_eq!(request["method"], "elicitation/create");
    for (answer, kind) in [
        (
            json!({"action": "accept", "content": {"id": "unguessable-session-ids"}}),
            "patternDetails:v1",
        ),
        (json!({"action": "cancel"}), "needsInput:v1"),
    ] {
        let mut again = call.clone();
        again["inputResponses"] = json!({"choice": answer});
        let result = client.request("tools/call", again).await["result"].clone();
        assert_eq!(result["structuredContent"]["kind"], kind, "{result}");
    }
    let mut mute = call;
    mute["_meta"] = modern_meta();
    let result = client.request("tools/call", mute).await["result"].clone();
    assert_eq!(
        result["structuredContent"]["kind"], "needsInput:v1",
        "{result}"
    );
}

const OWN_PATTERN: &str = "---\nid: our-own-rule\ntitle: Our own rule\ncategory: testing\nkind: pattern\ndifficulty: beginner\ntags: [own]\nsummary: S.\nuse_when: U.\navoid_when: A.\nrelated: []\n---\n\nText.\n";

#[tokio::test]
async fn the_users_own_patterns_are_found_and_a_broken_one_spoils_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("own.md");
    std::fs::write(&file, OWN_PATTERN).unwrap();
    let mut client = server(&["--patterns-dir", directory.path().to_str().unwrap()]).await;
    let found = client
        .call("get_pattern", json!({"id": "our-own-rule"}))
        .await;
    let pattern = &found["structuredContent"]["pattern"];
    assert_eq!(pattern["title"], "Our own rule");
    assert_eq!(
        found["structuredContent"]["mistakesInOwnFiles"],
        Value::Null
    );

    std::fs::write(&file, OWN_PATTERN.replace("Our own rule", "Another title")).unwrap();
    std::fs::write(directory.path().join("wrong.md"), "no front matter").unwrap();
    std::fs::write(directory.path().join("bytes.md"), b"\xff\xfe").unwrap();
    for (tool, arguments) in [
        ("get_pattern", json!({"id": "our-own-rule"})),
        ("get_pattern", json!({"id": "is-error-flag"})),
        ("search_patterns", json!({"q": "jitter"})),
    ] {
        let reply = client.call(tool, arguments).await;
        assert_ne!(reply["isError"], true, "{reply}");
        let told = &reply["structuredContent"];
        assert_eq!(told["mistakesInOwnFiles"], 2, "{reply}");
        assert!(text(&reply, 0).contains("left out"), "{reply}");
        assert!(
            !reply.to_string().contains("wrong.md"),
            "file names are for the operator"
        );
    }
    let changed = client
        .call("get_pattern", json!({"id": "our-own-rule"}))
        .await;
    let pattern = &changed["structuredContent"]["pattern"];
    assert_eq!(
        pattern["title"], "Another title",
        "a changed file is read again"
    );
}

#[tokio::test]
async fn a_long_file_name_keeps_its_language() {
    let mut client = server(&[]).await;
    let name = format!("{}x.py", "a/".repeat(120));
    let arguments = json!({"source": "page = requests.get(url)\n", "filename": name});
    let reply = client.call("analyze_code", arguments).await;
    assert_eq!(reply["structuredContent"]["language"], "python", "{reply}");
}

#[tokio::test]
async fn only_regular_files_are_patterns() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("notes.md")).unwrap();
    let pipe = directory.path().join("pipe.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let mut client = server(&["--patterns-dir", directory.path().to_str().unwrap()]).await;
    let reply = client
        .call("get_pattern", json!({"id": "is-error-flag"}))
        .await;
    assert_ne!(reply["isError"], true, "{reply}");
}

#[tokio::test]
async fn a_key_in_a_file_name_is_masked() {
    let mut client = server(&[]).await;
    let key = format!("sk-ant-api03-{}", "Ab3dEf6hIj9kLm2nOp5q".repeat(4));
    let name = format!("{key}.py");
    let arguments = json!({"source": "page = requests.get(url)\n", "filename": name});
    let reply = client.call("analyze_code", arguments).await;
    assert_ne!(reply["isError"], true, "{reply}");
    assert!(!reply.to_string().contains(&key), "{reply}");
}

#[tokio::test]
async fn a_source_that_takes_too_much_work_is_refused_for_good() {
    let mut client = server(&[]).await;
    let chain = format!("x{};\n", ".a(x)".repeat(200));
    for (tool, source, file) in [
        ("analyze_code", "source", "filename"),
        ("review_code", "code", "filePath"),
    ] {
        let arguments = json!({source: chain.repeat(100), file: "a.ts"});
        let reply = client.call(tool, arguments).await;
        assert_eq!(reply["isError"], true, "{reply}");
        let told = reply.to_string();
        assert!(told.contains("more work to analyse"), "{told}");
        assert!(told.contains("Send a part of it."), "{told}");
        assert!(!told.contains("retry in"), "{told}");
    }
    let calls = "requests.get(u)\n".repeat(300);
    let reply = client
        .call("analyze_code", json!({"source": calls, "filename": "a.py"}))
        .await;
    let analysis = &reply["structuredContent"];
    assert_eq!(analysis["summary"]["errors"], 300, "{reply}");
    assert_eq!(analysis["findings"].as_array().unwrap().len(), 200);
    assert_eq!(analysis["hidden"], 100);
    let closures = "x(()=>{fetch(u)});".repeat(5_000);
    let reply = client
        .call("review_code", json!({"code": closures, "filePath": "a.ts"}))
        .await;
    assert_ne!(reply["isError"], true, "{}", text(&reply, 0));
}
