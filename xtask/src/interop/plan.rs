//! Which clients make which calls over which transports, and the expected results.

use std::net::SocketAddr;

use serde_json::{Value, json};
use server::tools::TOOLS;

use super::pages;

/// A client, and the protocol era that it is told to use.
pub(super) struct Client {
    pub(super) name: &'static str,
    pub(super) program: Program,
    pub(super) mode: &'static str,
    /// The version that it must negotiate with our server; some clients do not report it.
    pub(super) version: &'static str,
}

/// A driver's script.
pub(super) enum Program {
    Python(&'static str),
    /// With the version of the Python SDK before the one that the others use.
    OlderPython(&'static str),
    Node(&'static str),
}

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

pub(super) static CLIENTS: &[Client] = &[
    Client {
        name: "python mcp (auto)",
        program: Program::Python("client.py"),
        mode: "auto",
        version: MODERN,
    },
    Client {
        name: "python mcp (legacy)",
        program: Program::Python("client.py"),
        mode: "legacy",
        version: LEGACY,
    },
    Client {
        name: "python mcp (2026-07-28)",
        program: Program::Python("client.py"),
        mode: MODERN,
        version: MODERN,
    },
    Client {
        name: "typescript sdk v1",
        program: Program::Node("v1.mjs"),
        mode: "legacy",
        version: LEGACY,
    },
    Client {
        name: "typescript client v2 (legacy)",
        program: Program::Node("v2.mjs"),
        mode: "legacy",
        version: LEGACY,
    },
    Client {
        name: "typescript client v2 (auto)",
        program: Program::Node("v2.mjs"),
        mode: "auto",
        version: MODERN,
    },
    Client {
        name: "inspector (legacy)",
        program: Program::Node("inspector.mjs"),
        mode: "legacy",
        version: LEGACY,
    },
    Client {
        name: "inspector (modern)",
        program: Program::Node("inspector.mjs"),
        mode: "modern",
        version: MODERN,
    },
    Client {
        name: "fastmcp",
        program: Program::Python("fastmcp_client.py"),
        mode: "auto",
        version: MODERN,
    },
    Client {
        name: "openai agents sdk",
        program: Program::Python("openai_agents_client.py"),
        mode: "auto",
        version: MODERN,
    },
    Client {
        name: "langchain mcp adapters",
        program: Program::OlderPython("langchain_client.py"),
        mode: "legacy",
        version: LEGACY,
    },
];

/// The client that validates even failures against the advertised schema and throws if they do not
/// fit.
pub(super) const STRICTEST: &str = "typescript sdk v1";

/// How a client reaches a server.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) reached: Where,
}

pub(super) enum Where {
    /// The client starts the server.
    Stdio(Vec<String>),
    Http(String),
}

/// One client that makes all its calls over one transport.
pub(super) struct Job<'j> {
    pub(super) client: &'j Client,
    pub(super) place: &'j Place,
    pub(super) cases: &'j [Case],
}

impl Job<'_> {
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.client.name, self.place.name)
    }

    /// The input of the driver.
    pub(super) fn plan(&self) -> Value {
        let place = match &self.place.reached {
            Where::Stdio(command) => json!({ "command": command }),
            Where::Http(url) => json!({ "url": url }),
        };
        let calls: Vec<Value> = self
            .cases
            .iter()
            .map(|case| json!({ "tool": case.tool, "arguments": case.arguments }))
            .collect();
        json!({ "where": place, "mode": self.client.mode, "calls": calls })
    }
}

/// One call and its expected result.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) expected: Expected,
}

pub(super) enum Expected {
    /// A success whose structured content has this flag set.
    Flag(&'static str),
    /// A success with this in its text and no structured content.
    Page(&'static str),
    /// An error of this kind and reason, whose text contains `says`.
    Fault {
        kind: &'static str,
        reason: &'static str,
        says: &'static str,
    },
    /// An error in any form, with a text.
    Rendered,
    /// An error of the protocol itself: the client throws.
    Refused,
}

/// The calls that every client makes, limited to the tools of this build.
pub(super) fn cases(pages: SocketAddr) -> Vec<Case> {
    let mut cases = vec![
        case(
            "health_check works",
            "health_check",
            json!({}),
            Expected::Flag("server_healthy"),
        ),
        case(
            "an unknown argument is told",
            "health_check",
            json!({ "no_such_argument": true }),
            invalid("argument"),
        ),
        case(
            "an unknown tool is refused",
            "no_such_tool",
            json!({}),
            Expected::Refused,
        ),
    ];
    if has_pages() {
        cases.extend(page_cases(pages));
    }
    cases
}

/// Failures whose form depends on the dialect. The tests of `fault` check the content of each form.
pub(super) fn rendered_cases() -> Vec<Case> {
    let mut cases = vec![case(
        "an unknown argument is told",
        "health_check",
        json!({ "no_such_argument": true }),
        Expected::Rendered,
    )];
    if has_pages() {
        cases.push(case(
            "a missing url is told",
            "scrape_page",
            json!({}),
            Expected::Rendered,
        ));
        cases.push(case(
            "a private address is told",
            "scrape_page",
            json!({ "url": PRIVATE }),
            Expected::Rendered,
        ));
    }
    cases
}

fn has_pages() -> bool {
    TOOLS.iter().any(|tool| tool.name == "scrape_page")
}

/// A loopback address, so that a broken guard does no harm, but not the one that the server may
/// reach.
const PRIVATE: &str = "http://127.0.0.2:8080/";

fn page_cases(pages: SocketAddr) -> [Case; 4] {
    let at = |path: &str| json!({ "url": format!("http://{pages}{path}") });
    [
        case(
            "a missing url is told",
            "scrape_page",
            json!({}),
            invalid("url"),
        ),
        case(
            "a page is read",
            "scrape_page",
            at(pages::PAGE),
            Expected::Page(pages::SENTENCE),
        ),
        case(
            "a missing page is not_found",
            "scrape_page",
            at("/missing"),
            fault("not_found", "http_404"),
        ),
        case(
            "a private address is refused",
            "scrape_page",
            json!({ "url": PRIVATE }),
            fault("validation", "policy_private_address"),
        ),
    ]
}

fn case(name: &'static str, tool: &'static str, arguments: Value, expected: Expected) -> Case {
    Case {
        name,
        tool,
        arguments,
        expected,
    }
}

fn invalid(says: &'static str) -> Expected {
    Expected::Fault {
        kind: "validation",
        reason: "invalid_argument",
        says,
    }
}

fn fault(kind: &'static str, reason: &'static str) -> Expected {
    Expected::Fault {
        kind,
        reason,
        says: "",
    }
}
