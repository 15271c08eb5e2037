//! What the advertised schemas promise: a call that is valid by them is not refused for its shape,
//! and every call that a refusal suggests is accepted.

use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::searching::{lab, server};

/// Random calls of each tool.
const ROUNDS: u64 = 40;

const PROVIDERS: &[&str] = &["tavily", "brave", "exa", "openalex", "arxiv", "wikipedia"];

/// Arguments that name something in a stored session. Whether they are right depends on the
/// session, so without one they are left out.
const ABOUT_A_SESSION: &[&str] = &[
    "stepNumber",
    "revisesStep",
    "branchFromStep",
    "branch",
    "closedGaps",
    "complete",
    "cursor",
    "urls",
];

/// A small generator of pseudo-random numbers (SplitMix64), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    fn choose<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        let index = usize::try_from(self.below(values.len() as u64)).unwrap();
        &values[index]
    }
}

/// A value that is valid by the schema. A keyword that this function does not know is a failure of
/// the test: the generator must learn it.
fn valid(schema: &Value, random: &mut Random) -> Value {
    for keyword in schema.as_object().unwrap().keys() {
        let known = [
            "type",
            "description",
            "default",
            "enum",
            "format",
            "pattern",
            "maxLength",
            "minimum",
            "maximum",
            "items",
            "minItems",
            "maxItems",
            "properties",
            "required",
            "additionalProperties",
        ];
        assert!(known.contains(&keyword.as_str()), "{keyword} in {schema}");
    }
    if let Some(words) = schema["enum"].as_array() {
        return random.choose(words).clone();
    }
    match schema["type"].as_str().unwrap() {
        "string" => Value::from(text(schema, random)),
        "integer" => Value::from(integer(schema, random)),
        "number" => {
            let share = *random.choose(&[0.0, 0.25, 1.0]);
            let (low, high) = (
                schema["minimum"].as_f64().unwrap(),
                schema["maximum"].as_f64().unwrap(),
            );
            Value::from(low + share * (high - low))
        }
        "boolean" => Value::from(random.one_in(2)),
        "array" => {
            let most = schema["maxItems"].as_u64().unwrap_or(30).min(30);
            let least = schema["minItems"].as_u64().unwrap_or(0);
            let count = *random.choose(&[least, 1, most]);
            (0..count)
                .map(|_| valid(&schema["items"], random))
                .collect()
        }
        "object" => object(schema, random),
        other => panic!("{other} in {schema}"),
    }
}

fn integer(schema: &Value, random: &mut Random) -> i64 {
    let low = schema["minimum"].as_i64().unwrap_or(-5);
    let high = schema["maximum"].as_i64().unwrap_or(i64::MAX);
    let between = i64::try_from(random.below(high.abs_diff(low).clamp(1, 1_000))).unwrap();
    *random.choose(&[low, high, low + between])
}

fn object(schema: &Value, random: &mut Random) -> Value {
    let mut fields = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&json!(name)) || random.one_in(3) {
            fields.insert(name.clone(), valid(property, random));
        }
    }
    if schema["additionalProperties"].is_object() {
        let property = valid(&schema["additionalProperties"], random);
        fields.insert("price".to_owned(), property);
    }
    Value::Object(fields)
}

fn text(schema: &Value, random: &mut Random) -> String {
    match (schema["format"].as_str(), schema["pattern"].as_str()) {
        (Some("uri"), None) => {
            let number = random.below(1_000);
            let forms = [
                format!("http://127.0.0.1:1/{number}"),
                format!("https://[::1]/a%20b?q={number}#x"),
                format!("HTTP://127.0.0.1:1/{}", "y".repeat(8_000)),
                format!("urn:isbn:{number}"),
            ];
            random.choose(&forms).clone()
        }
        (Some("date"), None) => {
            let (year, month) = (1 + random.below(9_999), 1 + random.below(12));
            format!("{year:04}-{month:02}-{:02}", 1 + random.below(28))
        }
        (Some("hostname"), None) => {
            let number = random.next();
            let forms = [
                format!("h{number}.example"),
                format!("h{number}.xn--bcher-kva.example"),
                format!("{}.{number}.example", "a".repeat(63)),
                format!("single{number}"),
            ];
            random.choose(&forms).clone()
        }
        (None, Some("^[A-Za-z]{2}$")) => (*random.choose(&["en", "DE", "zz"])).to_owned(),
        (None, Some("^@?[A-Za-z0-9_]{1,15}$")) => {
            (*random.choose(&["a", "@rust_lang", "ABCDEFGHIJKLMN9"])).to_owned()
        }
        (None, Some("^([1-9]\\d*-?|([1-9]\\d*)?-[1-9]\\d*)$")) => {
            let forms = ["3", "2-", "-7", "1-2", "99999999999"];
            (*random.choose(&forms)).to_owned()
        }
        (None, Some("\\S")) => {
            let text = letters(schema, random);
            if text.trim().is_empty() {
                "word".to_owned()
            } else {
                text
            }
        }
        (None, None) => letters(schema, random),
        other => panic!("{other:?} in {schema}"),
    }
}

/// Text with characters of several scripts, at most as long as the schema allows.
fn letters(schema: &Value, random: &mut Random) -> String {
    let longest = schema["maxLength"].as_u64().unwrap_or(3_000);
    let length = *random.choose(&[0, 1, 12, longest]);
    let alphabet: Vec<char> = "ab Z09.,:;\"'\\/<>{}[]()*%-_\n漢字ßé👩🏽".chars().collect();
    (0..length).map(|_| *random.choose(&alphabet)).collect()
}

/// The parameters of which a call needs one, as the tool's description says. A schema that hosts
/// accept cannot say it.
fn alternatives(tool: &Value) -> Vec<&str> {
    let description = tool["description"].as_str().unwrap();
    let needs = description.rsplit_once("Needs ").map(|(_, needs)| needs);
    let needs = needs
        .and_then(|needs| needs.strip_suffix('.'))
        .unwrap_or("");
    let names = needs.split(" or ").flat_map(|names| names.split(", "));
    // Some tools need what is no parameter, such as a key.
    let is_parameter = |name: &&str| tool["inputSchema"]["properties"].get(name).is_some();
    names.filter(is_parameter).collect()
}

const FILTERS_OF_LIVE_SEARCH: [&str; 4] = [
    "handles",
    "excluded_handles",
    "allowed_domains",
    "excluded_domains",
];

/// A call that is valid by the schema and makes sense: the first date comes first, and what is
/// about a session comes with its id.
fn valid_call(tool: &Value, random: &mut Random) -> Value {
    let schema = &tool["inputSchema"];
    let mut call = valid(schema, random);
    let fields = call.as_object_mut().unwrap();
    let session = fields.get("sessionId").and_then(Value::as_str);
    if session.is_none_or(|id| id.trim().is_empty()) {
        fields.retain(|name, _| !ABOUT_A_SESSION.contains(&name.as_str()));
    }
    let needed = alternatives(tool);
    if !needed.is_empty() && !needed.iter().any(|name| fields.contains_key(*name)) {
        let name = *random.choose(&needed);
        let value = valid(&schema["properties"][name], random);
        fields.insert(name.to_owned(), value);
    }
    if fields.contains_key("path") {
        // Which files may be read is the operator's choice and not a matter of shape.
        fields.insert("path".to_owned(), json!("notes.txt"));
    }
    let mut filters = FILTERS_OF_LIVE_SEARCH.iter();
    if tool["name"] == "grok_search" && filters.any(|name| fields.contains_key(*name)) {
        // A filter of something that is not searched contradicts the call.
        fields.insert("search_type".to_owned(), json!("general"));
    }
    if let (Some(from), Some(to)) = (fields.get("from_date"), fields.get("to_date"))
        && from.as_str() > to.as_str()
    {
        let (from, to) = (from.clone(), to.clone());
        fields.insert("from_date".to_owned(), to);
        fields.insert("to_date".to_owned(), from);
    }
    call
}

/// The JSON of a failed call.
fn error_of(result: &Value) -> Option<Value> {
    if result["isError"] != true {
        return None;
    }
    let text = result["content"][0]["text"].as_str().unwrap();
    let (_, machine) = text.split_once("\n\n").unwrap();
    Some(serde_json::from_str::<Value>(machine).unwrap()["error"].clone())
}

/// Whether the call was refused for its arguments.
fn is_refused(result: &Value) -> bool {
    error_of(result).is_some_and(|error| {
        ["invalid_argument", "invalid_url"].contains(&error["reason"].as_str().unwrap_or_default())
    })
}

async fn tools(client: &mut Client) -> Vec<Value> {
    let list = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    list.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_call_that_is_valid_by_its_schema_is_not_refused_for_its_shape() {
    let lab = lab().await;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "Some notes.").unwrap();
    let files = directory.path().display().to_string();
    let more = [
        "--toolset",
        "all",
        "--dialect",
        "dual",
        "--allow-path",
        &files,
    ];
    let mut client = server(&lab, PROVIDERS, &more).await;
    let mut refused = Vec::new();
    for tool in tools(&mut client).await {
        let name = tool["name"].as_str().unwrap();
        for seed in 0..ROUNDS {
            let call = valid_call(&tool, &mut Random(seed));
            let result = client.call(name, call.clone()).await;
            if is_refused(&result) {
                let call: String = call.to_string().chars().take(600).collect();
                refused.push(format!(
                    "{name} {seed} {call}: {}",
                    result["content"][0]["text"]
                ));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[tokio::test]
async fn each_alternative_is_enough_by_the_schema_and_for_the_server() {
    let lab = lab().await;
    let more = ["--toolset", "all", "--dialect", "dual"];
    let mut client = server(&lab, PROVIDERS, &more).await;
    let mut with_alternatives = Vec::new();
    for tool in tools(&mut client).await {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        for alternative in alternatives(&tool) {
            let property = &schema["properties"][alternative];
            let call = json!({ alternative: right(alternative, property) });
            let required = schema["required"].as_array().into_iter().flatten();
            let mut missing = required.filter(|it| call[it.as_str().unwrap()].is_null());
            assert!(missing.next().is_none(), "{call} of {tool}");
            let result = client.call(name, call.clone()).await;
            assert!(!is_refused(&result), "{name} {call}: {result}");
            with_alternatives.push(name.to_owned());
        }
        let nothing = client.call(name, json!({})).await;
        if !alternatives(&tool).is_empty() {
            assert!(is_refused(&nothing), "{name}: {nothing}");
        }
    }
    with_alternatives.dedup();
    for tool in [
        "web_search",
        "patent_search",
        "sequential_search",
        "fetch_content",
    ] {
        let is_there = with_alternatives.iter().any(|name| name == tool);
        assert!(is_there, "{with_alternatives:?}");
    }
}

/// Root keywords that make Claude's or OpenAI's interface refuse every request with the tool, or
/// Claude Code leave the tool out.
#[tokio::test]
async fn no_schema_has_a_root_keyword_that_hosts_refuse() {
    let mut client = Client::spawn(&["--ephemeral", "--toolset", "all"]);
    client.initialize("2025-11-25").await;
    for tool in tools(&mut client).await {
        for schema in ["inputSchema", "outputSchema"] {
            for keyword in ["anyOf", "oneOf", "allOf", "not", "if", "enum", "$ref"] {
                assert!(tool[schema][keyword].is_null(), "{keyword} in {tool}");
            }
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
}

/// A right value for each kind of parameter, from nothing but its schema.
fn right(name: &str, schema: &Value) -> Value {
    let plain = match schema["type"].as_str().unwrap() {
        "string" if schema["format"] == "uri" => json!("http://127.0.0.1:1/a"),
        "string" if schema["format"] == "date" => json!("2024-05-01"),
        "string" if schema["pattern"] == "^[A-Za-z]{2}$" => json!("en"),
        "string" if schema["pattern"] == "^([1-9]\\d*-?|([1-9]\\d*)?-[1-9]\\d*)$" => json!("3-7"),
        "string" => json!("rust"),
        "integer" => json!(schema["minimum"].as_i64().unwrap_or(1).max(1)),
        "number" => json!(0.5),
        "boolean" => json!(true),
        "array" if schema["items"]["format"] == "uri" => json!(["http://127.0.0.1:1/a"]),
        "array" => json!(["docs.rs"]),
        _ => json!({"type": "object"}),
    };
    match name {
        "provider" => json!("tavily"),
        "path" => json!("http://127.0.0.1:1/a"),
        _ => schema["enum"].get(0).cloned().unwrap_or(plain),
    }
}

/// What is required, a session, and what agents often give with it.
fn base_call(schema: &Value, session: &str) -> Map<String, Value> {
    let mut call = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = schema["required"]
            .as_array()
            .is_some_and(|required| required.contains(&json!(name)));
        let is_usual = [
            "goal",
            "provider",
            "max_results",
            "mode",
            "sites",
            "searchStep",
        ]
        .contains(&name.as_str());
        if name == "sessionId" {
            call.insert(name.clone(), json!(session));
        } else if is_required || is_usual {
            call.insert(name.clone(), right(name, property));
        }
    }
    call
}

/// The calls with one mistake each.
fn mistaken_calls(schema: &Value, base: &Map<String, Value>) -> Vec<(String, Map<String, Value>)> {
    let mut calls = Vec::new();
    let mut add = |what: &str, change: &dyn Fn(&mut Map<String, Value>)| {
        let mut call = base.clone();
        change(&mut call);
        calls.push((what.to_owned(), call));
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let wrong = [
            json!({"x": 1}),
            json!([]),
            json!(" "),
            json!([{"x": 1}]),
            json!(-1),
            json!(1e12),
            json!(7.5),
            json!(true),
            json!("word"),
            json!("example.com/page"),
            json!("x".repeat(9_000)),
            json!(vec!["a.example"; 2_000]),
            json!("2024-02-31"),
        ];
        for value in wrong {
            add(name, &|call| {
                call.insert(name.clone(), value.clone());
            });
        }
        add(name, &|call| {
            call.remove(name);
        });
        add(name, &|call| {
            let value = call.remove(name);
            let typo: String = name.chars().chain("s".chars()).collect();
            call.insert(typo, value.unwrap_or_else(|| right(name, property)));
        });
    }
    add("", &|call| {
        call.insert("surprise".to_owned(), json!("x"));
    });
    add("", &|call| call.clear());
    calls
}

#[tokio::test]
async fn the_calls_that_a_refusal_suggests_are_accepted_and_keep_what_was_right() {
    let lab = lab().await;
    let more = ["--toolset", "all", "--dialect", "dual"];
    let mut client = server(&lab, &["tavily", "exa", "openalex"], &more).await;
    let goal = json!({"goal": "rust", "searchStep": "begin"});
    let begun = client.call("sequential_search", goal).await;
    let session = begun["structuredContent"]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let (mut refusals, mut suggested) = (0, 0);
    for tool in tools(&mut client).await {
        let name = tool["name"].as_str().unwrap();
        let mut base = base_call(&tool["inputSchema"], &session);
        // A provider that cannot answer the tool would be a second mistake.
        match name {
            "academic_search" => base.insert("provider".to_owned(), json!("openalex")),
            "structured_search" => base.insert("provider".to_owned(), json!("exa")),
            "patent_search" => base.remove("provider"),
            _ => None,
        };
        for (mistake, call) in mistaken_calls(&tool["inputSchema"], &base) {
            let result = client.call(name, Value::Object(call.clone())).await;
            if !is_refused(&result) {
                continue;
            }
            refusals += 1;
            let error = error_of(&result).unwrap();
            for next in error["nextCalls"].as_array().into_iter().flatten() {
                suggested += 1;
                let (next_tool, arguments) = (next["tool"].as_str().unwrap(), &next["arguments"]);
                assert_ne!(arguments, &json!({}), "{name} {mistake}: {error}");
                for (kept, value) in base.iter().filter(|(kept, _)| **kept != mistake) {
                    if call.contains_key(kept) && next_tool == name {
                        assert_eq!(&arguments[kept], value, "{name} {mistake}: {error}");
                    }
                }
                let second = client.call(next_tool, arguments.clone()).await;
                let is_about_session = ABOUT_A_SESSION.contains(&mistake.as_str());
                assert!(
                    is_about_session || !is_refused(&second),
                    "{name} {mistake}: {next} led to {second}"
                );
            }
        }
    }
    assert!(refusals > 300 && suggested > 100, "{refusals}, {suggested}");
}

/// Whether a validating client accepts this structured content.
fn fits(content: &Value, schema: &Value) -> bool {
    let fields = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    content.is_object()
        && fields.iter().all(|(name, field)| {
            let value = &content[name];
            value.is_null()
                || match field["type"].as_str() {
                    Some("string") => value.is_string(),
                    Some("boolean") => value.is_boolean(),
                    Some("object") => value.is_object(),
                    other => panic!("{other:?}"),
                }
        })
}

#[tokio::test]
async fn answers_and_failures_fit_the_output_schema_in_every_dialect() {
    let lab = lab().await;
    for dialect in [
        "dual", "code", "flat", "gated", "section", "agent", "problem",
    ] {
        let mut client = server(&lab, &["tavily"], &["--dialect", dialect]).await;
        let mut with_schema = 0;
        for tool in tools(&mut client).await {
            let (name, schema) = (tool["name"].as_str().unwrap(), &tool["outputSchema"]);
            if schema.is_null() {
                continue;
            }
            with_schema += 1;
            let failed = client.call(name, json!({"surprise": 1})).await;
            assert_eq!(failed["isError"], true, "{failed}");
            let content = &failed["structuredContent"];
            assert!(
                content.is_null() || fits(content, schema),
                "{name}: {failed}"
            );
            let call = Value::Object(base_call(&tool["inputSchema"], ""));
            let answer = client.call(name, call).await;
            let content = &answer["structuredContent"];
            let is_failure = answer["isError"] == true && content.is_null();
            assert!(is_failure || fits(content, schema), "{name}: {answer}");
        }
        assert_eq!(with_schema, 8, "list tools and health_check");
    }
}

#[tokio::test]
async fn a_list_that_is_cut_says_so_to_programs() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    let mut session = Value::Null;
    for step in 0..3 {
        let goal = json!({"goal": format!("goal {step}"), "searchStep": "a step"});
        let begun = client.call("sequential_search", goal).await;
        session = begun["structuredContent"]["sessionId"].clone();
    }
    let more = json!({"sessionId": session, "goal": "goal 2", "searchStep": "another step"});
    client.call("sequential_search", more).await;
    for (arguments, is_cut) in [
        (json!({"limit": 2}), true),
        (json!({"limit": 3}), false),
        (json!({"sessionId": session, "limit": 1}), true),
        (json!({"sessionId": session, "limit": 2}), false),
    ] {
        let list = client.call("get_research_session", arguments.clone()).await;
        let facts = &list["structuredContent"];
        assert_eq!(facts["truncated"] == true, is_cut, "{arguments}: {list}");
        assert_eq!(facts["cursor"].is_string(), is_cut, "{arguments}: {list}");
    }
}
