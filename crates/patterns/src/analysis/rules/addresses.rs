//! Addresses that a caller chooses.

use super::common::{arguments, is_request};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Unit, has_word, mentions, word_at};

rules! {
    "url-fetched-unguarded": "An address from a caller is fetched without a check", Error, Medium, Manual,
        see "private-address-guard",
        "Refuse private, loopback and link-local addresses, also after each redirect.",
        { TypeScript: unguarded, Python: unguarded, Go: unguarded, Rust: unguarded }
    "address-checked-then-resolved-again": "The address that was checked need not be the one that is used", Error, Medium, Manual,
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
    if mentions(&unit.code, GUARDS) {
        return;
    }
    for call in unit
        .calls
        .iter()
        .filter(|call| is_request(unit, call) && !call.scope.in_test)
    {
        let Some((tool, _)) = unit.tool(call.scope) else {
            continue;
        };
        let all = arguments(call);
        let target = match (unit.language, call.name) {
            (Language::Rust, "send") => sent_address(call.receiver),
            (Language::Go, "Do") => "",
            (_, "request") => all.get(1).map_or("", |it| unit.text(*it)),
            _ => all.first().map_or("", |it| unit.text(*it)),
        };
        if is_callers(unit, target, &tool.params, unit.code(tool.node)) {
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
fn is_callers(unit: &Unit<'_>, target: &str, params: &[&str], tool: &str) -> bool {
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
    let from_params = params.contains(&head);
    let assigned = tool.lines().any(|line| {
        let Some((left, right)) = line.split_once('=') else {
            return false;
        };
        let takes = ["args", "arguments", "params", "request", "req", "input"]
            .iter()
            .any(|name| word_at(right, name).is_some());
        has_word(left, head)
            && takes
            && (unit.language != Language::Rust || mentions(right, &["url"]))
    });
    is_url
        && !head.is_empty()
        && !matches!(head, "self" | "this" | "config" | "settings")
        && (from_params || assigned)
}

fn resolved_again(unit: &Unit<'_>, report: &mut Report) {
    for call in &unit.calls {
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
        let asks_later = unit
            .calls_in(function.node)
            .any(|it| is_request(unit, it) && it.node.start_byte() > call.node.end_byte());
        let pins = mentions(
            unit.code(function.node),
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
        );
        if asks_later && !pins {
            report.at(call.node);
        }
    }
}
