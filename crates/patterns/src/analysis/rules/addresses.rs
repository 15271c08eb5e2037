//! Addresses that a caller chooses.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::common::arguments;
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::Unit;
use crate::analysis::words::{has_any_word, mentions, names_in};

rules! {
    "url-fetched-unguarded": "An address from a caller is fetched without a check", Error, Medium, Manual,
        see "private-address-guard",
        "Refuse private, loopback and link-local addresses, also after each redirect.",
        { TypeScript: unguarded, Python: unguarded, Go: unguarded, Rust: unguarded }
    "address-checked-then-resolved-again": "The address that was checked need not be the one that is used", Error, Low, Manual,
        see "check-the-address-you-dial",
        "Connect to the address that was checked: a name can resolve differently a moment later.",
        { TypeScript: resolved_again, Python: resolved_again, Go: resolved_again, Rust: resolved_again }
}

/// Words of files that check addresses.
const GUARDS: &[&str] = &[
    "isprivate",
    "is_private",
    "private_ip",
    "privateip",
    "ssrf",
    "127.0.0.1",
    "is_loopback",
    "isloopback",
    "allowlist",
    "allowed_hosts",
    "allowedhosts",
    "alloweddomains",
    "allowed_domains",
    "blocklist",
    "is_global",
    "validateurl",
    "validate_url",
    "is_safe_url",
    "issafeurl",
    "assertpublic",
    "ipaddr",
    "blockedhosts",
    "private_range",
    "urlvalidator",
    "checkurl",
    "check_url",
    "safeurl",
    "safe_url",
];

fn unguarded(unit: &Unit<'_>, report: &mut Report) {
    if mentions(unit.whole_code(), GUARDS) {
        return;
    }
    let mut taken_by_tool = HashMap::new();
    for call in unit
        .calls()
        .filter(|call| call.is_request && !call.scope.in_test)
    {
        let Some((tool, _)) = unit.tool(call.scope) else {
            continue;
        };
        let taken = taken_by_tool
            .entry(tool.node.id())
            .or_insert_with(|| taken_names(unit, tool.node));
        let all = arguments(call);
        let target = match (unit.language, call.name) {
            (Language::Rust, "send") => sent_address(call.receiver),
            (Language::Go, "Do") => "",
            (_, "request") => all.get(1).map_or("", |it| unit.text(*it)),
            _ => all.first().map_or("", |it| unit.text(*it)),
        };
        if is_callers(target, |name| {
            tool.params.contains(name) || taken.contains(name)
        }) {
            report.at(call.node);
        }
    }
}

/// The address in `client.get(address).send()`.
fn sent_address(receiver: &str) -> &str {
    let begin = [".get(", ".post(", ".head(", ".put("]
        .iter()
        .find_map(|verb| Some(receiver.find(verb)? + verb.len()));
    let rest = begin
        .and_then(|begin| receiver.get(begin..))
        .unwrap_or_default();
    rest.split(')')
        .next()
        .unwrap_or_default()
        .trim_start_matches('&')
}

/// Whether an expression is an argument of the tool itself: the caller chooses the whole address.
fn is_callers(target: &str, is_taken: impl Fn(&str) -> bool) -> bool {
    let target = target.trim_end_matches("!").trim();
    let (head, last) = (
        target.split(['.', '?', '[']).next().unwrap_or_default(),
        target
            .rsplit(['.', '['])
            .next()
            .unwrap_or_default()
            .trim_matches(['"', '\'', ']']),
    );
    let is_url = mentions(last, &["url", "uri", "link", "endpoint"])
        && !target.contains(['(', '`', '+', ' ']);
    is_url
        && !head.is_empty()
        && !matches!(head, "self" | "this" | "config" | "settings")
        && is_taken(head)
}

/// The names in a tool that are assigned from its arguments.
fn taken_names<'u>(unit: &'u Unit<'_>, tool: Node<'_>) -> HashSet<&'u str> {
    let assignments = unit.code(tool).lines().filter_map(|it| it.split_once('='));
    let takes = |right: &str| {
        let arguments = ["args", "arguments", "params", "request", "req", "input"];
        // An address that is put together leaves the caller only a part of it.
        let is_whole = !right.contains(['`', '+']) && !right.contains("f\"");
        is_whole
            && has_any_word(right, &arguments)
            && (unit.language != Language::Rust || mentions(right, &["url"]))
    };
    assignments
        .filter(|(_, right)| takes(right))
        .flat_map(|(left, _)| names_in(left))
        .collect()
}

fn resolved_again(unit: &Unit<'_>, report: &mut Report) {
    let mut known = HashMap::new();
    for call in unit.calls() {
        let resolves = match unit.language {
            Language::TypeScript => matches!(
                call.callee,
                "dns.lookup"
                    | "dns.resolve"
                    | "dns.resolve4"
                    | "dnsPromises.lookup"
                    | "dns.promises.lookup"
                    | "lookup"
                    | "dnsLookup"
                    | "resolve4"
            ),
            Language::Python => matches!(
                call.callee,
                "socket.getaddrinfo" | "socket.gethostbyname" | "loop.getaddrinfo"
            ),
            Language::Go => matches!(
                call.callee,
                "net.LookupIP" | "net.LookupHost" | "net.ResolveIPAddr"
            ),
            Language::Rust => matches!(call.name, "lookup_host" | "to_socket_addrs" | "lookup_ip"),
        };
        let Some(function) = unit
            .frame(call.scope)
            .filter(|_| resolves && !call.scope.in_test)
        else {
            continue;
        };
        let (last_request, pins) = *known
            .entry(function.node.id())
            .or_insert_with(|| (last_request(unit, function.node), pins(unit, function.node)));
        if last_request > Some(call.node.end_byte()) && !pins {
            report.at(call.node);
        }
    }
}

/// Where the last request in a function begins.
fn last_request<'t>(unit: &Unit<'t>, function: Node<'t>) -> Option<usize> {
    let requests = unit.calls_in(function).filter(|it| it.is_request);
    requests.map(|it| it.node.start_byte()).max()
}

/// Whether a function says which address its connections go to.
fn pins(unit: &Unit<'_>, function: Node<'_>) -> bool {
    mentions(
        unit.code(function),
        &[
            "connectto",
            "dispatcher",
            "agent",
            "dialcontext",
            ".resolve(",
            "resolver",
            "transport",
            "server_hostname",
            "pinned",
        ],
    )
}
