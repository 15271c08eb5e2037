//! Examples from the documentation of the five systems whose clients must understand us, byte for
//! byte. Each module names the system; each test has the name of the heading its example stands
//! under.

use std::time::Duration;

use fault::{
    Case, Context, Dialect, Echo, Fault, FieldName, Format, Host, Issue, NeedsInput, Origin,
    Problem, ProviderId, Quoted, Retry, Say, SettingName, Surface, render,
};
use serde_json::{Value, json};

fn text(fault: &Fault, dialect: Dialect) -> String {
    render(fault, dialect, &Context::new(Surface::Search)).blocks[0]
        .text
        .clone()
}

fn host(name: &str) -> Option<Host> {
    Host::from_url(&url::Url::parse(&format!("https://{name}/")).unwrap())
}

fn query(issue: Issue) -> Problem {
    Problem::new(FieldName::new("query"), issue)
}

mod dual {
    //! web-researcher-mcp.
    use super::*;

    #[test]
    fn response_format() {
        let fault =
            Fault::new(Case::RateLimited, Origin::Provider).provider(ProviderId::new("google"));
        assert_eq!(
            text(&fault, Dialect::Dual),
            "Rate limited (google). Wait 60 seconds and retry, or try a different provider.\n\n\
             {\"error\":{\"kind\":\"rate_limited\",\"retryable\":true,\"retryAfterSeconds\":60,\"suggestedAction\":\"retry_after_delay\",\"provider\":\"google\"}}"
        );
    }

    #[test]
    fn errors_are_actionable_not_diagnostic() {
        let fault = Fault::new(Case::Blocked, Origin::Page)
            .host(host("x.com"))
            .status(403u16);
        assert_eq!(
            text(&fault, Dialect::Dual),
            "Blocked: x.com uses bot detection. Try an alternative source — its content can't be read directly.\n\n\
             {\"error\":{\"kind\":\"blocked\",\"retryable\":false,\"suggestedAction\":\"inform_user\",\"detail\":\"access blocked: HTTP 403\"}}"
        );
    }

    #[test]
    fn validation_errors() {
        let lines = |problem| {
            text(&Fault::arguments(vec![problem]), Dialect::Dual)
                .lines()
                .next()
                .unwrap()
                .to_owned()
        };
        assert_eq!(lines(query(Issue::Required)), "query is required");
        assert_eq!(
            lines(query(Issue::TooLong { max: 500 })),
            "query must be 500 characters or less"
        );
        let either = Problem::new(
            FieldName::new("query, assignee, or inventor"),
            Issue::Required,
        );
        assert_eq!(lines(either), "query, assignee, or inventor is required");
    }
}

mod code {
    //! The web tools of devkit-pi.
    use super::*;

    #[test]
    fn error_return_structure() {
        let fault = Fault::arguments(vec![query(Issue::Required)]);
        let value: Value = serde_json::from_str(&text(&fault, Dialect::Code)).unwrap();
        assert_eq!(
            value,
            json!({"error": {"code": "WEB_SEARCH_INVALID_QUERY", "message": "query is required"}})
        );
    }

    #[test]
    fn a_message_carries_its_own_example() {
        // The dialect has no field for a next call, so the corrected example stands in the message.
        let url = Problem::new(FieldName::new("url"), Issue::Required)
            .example("\"https://example.com/article\"");
        let value: Value =
            serde_json::from_str(&text(&Fault::arguments(vec![url]), Dialect::Code)).unwrap();
        assert_eq!(
            value["error"]["message"],
            "url is required. Example: {\"url\": \"https://example.com/article\"}"
        );
    }

    #[test]
    fn http_status_code_mapping() {
        let cases = [
            (Case::BadKey, "PROVIDER_AUTH_FAILED"),
            (Case::Forbidden, "PROVIDER_AUTH_FAILED"),
            (Case::Http429, "PROVIDER_RATE_LIMITED"),
            (Case::HttpStatus, "PROVIDER_UNAVAILABLE"),
            (Case::BadRequest, "WEB_SEARCH_FAILED"),
            (Case::ConnectionRefused, "NETWORK_ERROR"),
            (Case::Timeout, "WEB_SEARCH_TIMEOUT"),
        ];
        for (case, code) in cases {
            let value: Value =
                serde_json::from_str(&text(&Fault::new(case, Origin::Provider), Dialect::Code))
                    .unwrap();
            assert_eq!(value["error"]["code"], code);
        }
    }

    #[test]
    fn fetch_content_url_and_security_policy() {
        let code = |case| {
            let reply = render(
                &Fault::new(case, Origin::Local),
                Dialect::Code,
                &Context::new(Surface::Fetch),
            );
            reply.structured.unwrap()["error"]["code"].clone()
        };
        assert_eq!(code(Case::InvalidUrl), "CONTENT_FETCH_INVALID_URL");
        assert_eq!(code(Case::PolicyScheme), "CONTENT_FETCH_INVALID_URL");
        assert_eq!(code(Case::PolicyPrivateAddress), "CONTENT_FETCH_FAILED");
        assert_eq!(code(Case::UnsupportedType), "CONTENT_FETCH_FAILED");
        assert_eq!(code(Case::InvalidArgument), "INVALID_INPUT");
    }
}

mod flat {
    //! grok-search-mcp.
    use super::*;

    fn example(fault: Fault, request: &str, echo: Echo) -> String {
        let fault = fault.request_id(request.parse::<fault::RequestId>().ok());
        let context = Context {
            echo,
            unix_millis: 1_750_766_400_000,
            ..Context::new(Surface::Search)
        };
        let compact = render(&fault, Dialect::Flat, &context).blocks[0]
            .text
            .clone();
        // The documentation prints the object over several lines; key order and values are compared
        // byte for byte.
        compact
            .replace(",\"", ",\n  \"")
            .replace("\":", "\": ")
            .replacen('{', "{\n  ", 1)
            .replacen('}', "\n}", 1)
    }

    fn web(query: &str) -> Echo {
        Echo {
            query: Some(Quoted::from_input(query)),
            ..Echo::default()
        }
    }

    fn news(query: &str, from: Option<&str>, to: Option<&str>) -> Echo {
        Echo {
            search_type: Some(Quoted::from_input("news")),
            from_date: from.map(Quoted::from_input),
            to_date: to.map(Quoted::from_input),
            ..web(query)
        }
    }

    #[test]
    fn api_key_errors() {
        let fault =
            Fault::new(Case::MissingKey, Origin::Local).setting(SettingName::new("XAI_API_KEY"));
        assert_eq!(
            example(
                fault,
                "req_1719230400000_a1b2c3d4e",
                web("latest AI developments")
            ),
            r#"{
  "error": "API service is not healthy - missing XAI_API_KEY",
  "status": "failed",
  "query": "latest AI developments",
  "search_type": "web",
  "analysis_mode": "basic",
  "timestamp": "2025-06-24T12:00:00.000Z",
  "request_id": "req_1719230400000_a1b2c3d4e",
  "from_date": null,
  "to_date": null
}"#
        );
    }

    fn error_of(fault: Fault) -> String {
        let value = render(&fault, Dialect::Flat, &Context::new(Surface::Search))
            .structured
            .unwrap();
        value["error"].as_str().unwrap().to_owned()
    }

    #[test]
    fn input_validation_errors() {
        let field = FieldName::new;
        let one = |problem| error_of(Fault::arguments(vec![problem]));
        assert_eq!(
            one(query(Issue::Blank)),
            "Search query must be a non-empty string"
        );
        assert_eq!(
            one(query(Issue::TooLong { max: 1000 })),
            "Search query too long (max 1000 characters)"
        );
        assert_eq!(
            one(Problem::new(field("from_date"), Issue::NotADate)),
            "from_date must be in ISO8601 format (YYYY-MM-DD)"
        );
        assert_eq!(
            one(Problem::new(
                field("from_date"),
                Issue::NotBefore {
                    other: field("to_date")
                }
            )),
            "from_date must be before to_date"
        );
        assert_eq!(
            one(Problem::new(
                field("max_results"),
                Issue::OutOfRange { min: 1, max: 20 }
            )),
            "max_results must be between 1 and 20"
        );
    }

    #[test]
    fn invalid_date_format() {
        let fault = Fault::arguments(vec![Problem::new(
            FieldName::new("from_date"),
            Issue::NotADate,
        )]);
        assert_eq!(
            example(
                fault,
                "req_1719230400000_d4e5f6g7h",
                news("climate change news", Some("06/01/2025"), None)
            ),
            r#"{
  "error": "from_date must be in ISO8601 format (YYYY-MM-DD)",
  "status": "failed",
  "query": "climate change news",
  "search_type": "news",
  "analysis_mode": "basic",
  "timestamp": "2025-06-24T12:00:00.000Z",
  "request_id": "req_1719230400000_d4e5f6g7h",
  "from_date": "06/01/2025",
  "to_date": null
}"#
        );
    }

    #[test]
    fn api_rate_limiting() {
        let fault = Fault::new(Case::Http429, Origin::Provider).status(429u16);
        assert_eq!(
            error_of(fault),
            "API request failed: 429 - Rate limit exceeded. Please try again later."
        );
    }

    #[test]
    fn network_and_timeout_errors() {
        let xai = ProviderId::titled("xai", "xAI API");
        let timeout = Fault::new(Case::Timeout, Origin::Provider)
            .provider(xai)
            .elapsed(Duration::from_secs(30));
        assert_eq!(error_of(timeout), "Request timeout after 30000ms");
        let refused = Fault::new(Case::ConnectionRefused, Origin::Provider).provider(xai);
        assert_eq!(
            error_of(refused),
            "Failed to make API request: Network error - Unable to connect to xAI API"
        );
    }

    #[test]
    fn parsing_errors() {
        // The documented words, then what to do.
        let error = error_of(Fault::new(Case::BadShape, Origin::Provider));
        assert!(
            error.starts_with(
                "Failed to parse search results: Unexpected response format. Do not retry"
            ),
            "{error}"
        );
    }
}

mod gated {
    //! The MCP server of EffectPatterns.
    use super::*;

    fn blocks(fault: &Fault, format: Format) -> Value {
        let reply = render(
            fault,
            Dialect::Gated,
            &Context {
                format,
                ..Context::new(Surface::Search)
            },
        );
        let content: Vec<Value> = reply
            .blocks
            .iter()
            .map(|block| json!({"type": "text", "text": block.text, "mimeType": block.mime}))
            .collect();
        json!({"content": content, "structuredContent": reply.structured, "isError": reply.is_error})
    }

    fn timeout() -> Fault {
        Fault::new(Case::Timeout, Origin::Provider)
    }

    fn expected(message: &str, code: &str, retryable: bool, status: Option<u16>) -> Value {
        let mut structured = json!({"kind": "toolError:v1", "code": code, "message": message, "retryable": retryable});
        if let Some(status) = status {
            structured["details"] = json!({"statusCode": status});
        }
        json!({"content": [{"type": "text", "text": message, "mimeType": "text/markdown"}], "structuredContent": structured, "isError": true})
    }

    #[test]
    fn examples_in_markdown() {
        let local = |case| Fault::new(case, Origin::Local);
        let limit = Problem::new(
            FieldName::new("limit"),
            Issue::OutOfRange { min: 1, max: 100 },
        );
        let missing = local(Case::Http404).status(404u16).saying(Say::new(
            "Resource not found: /api/patterns/invalid-resource",
        ));
        let cases = [
            (
                timeout(),
                expected(
                    "Network error: Request timeout",
                    "NETWORK_ERROR",
                    true,
                    None,
                ),
            ),
            (
                Fault::new(Case::BadKey, Origin::Provider).status(401u16),
                expected(
                    "Authentication required: Missing or invalid API key",
                    "AUTHENTICATION_ERROR",
                    false,
                    Some(401),
                ),
            ),
            (
                local(Case::Store).status(500u16),
                expected(
                    "Internal server error: Database connection failed",
                    "SERVER_ERROR",
                    true,
                    Some(500),
                ),
            ),
            (
                Fault::arguments(vec![limit]).status(400u16),
                expected(
                    "Invalid request: limit must be between 1 and 100",
                    "CLIENT_ERROR",
                    false,
                    Some(400),
                ),
            ),
            (
                missing,
                expected(
                    "Resource not found: /api/patterns/invalid-resource",
                    "NOT_FOUND",
                    false,
                    Some(404),
                ),
            ),
            (
                local(Case::Internal),
                expected("Unknown error occurred", "UNKNOWN_ERROR", false, None),
            ),
        ];
        for (fault, wanted) in cases {
            let mut shown = blocks(&fault, Format::Markdown);
            // The text goes on with what to do, because its reader sees nothing else.
            let text = shown["content"][0]["text"].as_str().unwrap();
            let example = wanted["content"][0]["text"].as_str().unwrap();
            assert!(text.starts_with(example), "{text}");
            shown["content"][0]["text"] = json!(example);
            assert_eq!(shown, wanted);
        }
    }

    const JSON_BLOCK: &str = "{\n  \"kind\": \"toolError:v1\",\n  \"code\": \"NETWORK_ERROR\",\n  \"message\": \"Network error: Request timeout\",\n  \"retryable\": true\n}";

    #[test]
    fn error_response_with_format_both_and_json() {
        let both = blocks(&timeout(), Format::Both);
        let text = both["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("Network error: Request timeout. Wait 5 seconds"));
        assert_eq!(
            both["content"][1],
            json!({"type": "text", "text": JSON_BLOCK, "mimeType": "application/json"})
        );
        let only = blocks(&timeout(), Format::Json);
        assert_eq!(
            only["content"],
            json!([{"type": "text", "text": JSON_BLOCK, "mimeType": "application/json"}])
        );
    }

    #[test]
    fn distinction_errors_vs_elicitation() {
        let question = NeedsInput {
            message: Say::new("Which pattern do you mean?"),
            fields: vec![FieldName::new("id")],
            reason: Say::new("No pattern has that id."),
            suggestions: serde_json::from_str(r#"{"id":["retry-with-backoff"]}"#).unwrap(),
            options: vec![],
        };
        let reply = fault::dialect::needs_input(&question, Format::Both);
        assert!(!reply.is_error);
        assert_eq!(
            reply.structured.unwrap(),
            json!({"kind": "needsInput:v1", "type": "elicitation", "message": "Which pattern do you mean?",
                "needsInput": {"fields": ["id"], "reason": "No pattern has that id.", "suggestions": {"id": ["retry-with-backoff"]}}})
        );
    }
}

mod sections {
    //! sentry-mcp.
    use super::*;

    fn agent(fault: &Fault) -> String {
        let value: Value = serde_json::from_str(&text(fault, Dialect::Agent)).unwrap();
        value["error"].as_str().unwrap().to_owned()
    }

    #[test]
    fn embedded_agent_tools() {
        let input = Fault::arguments(vec![query(Issue::Required)]);
        assert_eq!(
            agent(&input),
            "Input Error: query is required. You may be able to resolve this by addressing the concern and trying again."
        );
        let missing = Fault::new(Case::UnknownId, Origin::Provider)
            .status(404u16)
            .saying(Say::new("Project not found"));
        assert_eq!(
            agent(&missing),
            "Input Error: API error (404): Project not found. Please verify the parameters are correct. You may be able to resolve this by addressing the concern and trying again."
        );
        let server = Fault::new(Case::HttpStatus, Origin::Provider)
            .status(502u16)
            .saying(Say::new("Bad Gateway"))
            .retry(Retry::Never)
            .event_id("abc123def456".parse::<fault::EventId>().ok());
        assert_eq!(
            agent(&server),
            "Server Error (502): Bad Gateway. Event ID: abc123def456. This is a system error that cannot be resolved by retrying."
        );
    }

    #[test]
    fn permission_error_in_embedded_agent_tool() {
        let words = Say::new(
            "You do not have access to query across multiple projects. Please select a project for your query.",
        );
        let fault = Fault::new(Case::Forbidden, Origin::Provider)
            .status(403u16)
            .saying(words);
        assert_eq!(
            agent(&fault),
            "Input Error: API error (403): You do not have access to query across multiple projects. Please select a project for your query. You may be able to resolve this by addressing the concern and trying again."
        );
    }

    #[test]
    fn headers_are_bold_and_an_event_id_needs_a_record() {
        let input = text(
            &Fault::arguments(vec![query(Issue::Required)]),
            Dialect::Section,
        );
        assert!(input.starts_with("**Input Error**\n\n"), "{input}");
        let server = Fault::new(Case::HttpStatus, Origin::Provider).status(502u16);
        assert!(!text(&server, Dialect::Section).contains("Event ID"));
        let recorded = server.event_id("abc123def456".parse::<fault::EventId>().ok());
        let shown = text(&recorded, Dialect::Section);
        assert!(
            shown.starts_with("**Error**\n\n") && shown.contains("**Event ID**: abc123def456"),
            "{shown}"
        );
    }
}
