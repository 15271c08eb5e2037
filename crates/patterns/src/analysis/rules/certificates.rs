//! Connections to servers whose certificates nobody checks.

use tree_sitter::Node;

use super::common::arguments_bare;
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Scope, Unit};
use crate::analysis::words::{has_word, mentions};

rules! {
    "tls-verification-off": "Certificates are not checked", Error, High, Manual,
        see "verify-certificates",
        "Add the authority's certificate to the trusted ones instead.",
        { TypeScript: tls, Python: tls, Go: tls, Rust: tls }
}

/// Whether a setting is asked first: then the operator has chosen it for a server that he knows.
fn is_operators_choice(unit: &Unit<'_>, node: Node<'_>, scope: Scope) -> bool {
    let words = [
        "verify_",
        "verifyssl",
        "verifytls",
        "insecure",
        "selfsigned",
        "self_signed",
        "skip",
        "ignore",
    ];
    let around = match unit.frame(scope) {
        Some(_) => unit.frame_code(scope),
        None => unit.code_before(node.start_byte()),
    };
    // The option of Go has two of the words in its own name.
    let is_asked_here = mentions(&around.replace("InsecureSkipVerify", ""), &words);
    let row = node.start_position().row;
    scope.question.is_some()
        || is_asked_here
        || unit.has_comment(row..=row)
        || unit.line_of(node).contains("super().")
}

fn tls(unit: &Unit<'_>, report: &mut Report) {
    match unit.language {
        Language::TypeScript => {
            for (node, scope) in unit.of_kind("pair") {
                if unit.bare(*node).replace(' ', "") == "rejectUnauthorized:false"
                    && !is_operators_choice(unit, *node, *scope)
                {
                    report.at(*node);
                }
            }
            for (node, scope) in unit.of_kind("assignment_expression") {
                if unit.code(*node).contains("NODE_TLS_REJECT_UNAUTHORIZED")
                    && unit.code(*node).contains('0')
                    && !is_operators_choice(unit, *node, *scope)
                {
                    report.at(*node);
                }
            }
        }
        Language::Python => {
            for (node, scope) in unit.of_kind("keyword_argument") {
                let text = unit.bare(*node).replace(' ', "");
                let before = unit.code_before(node.start_byte());
                let is_request = mentions(before, &["requests.", "httpx", "session", "client"]);
                if matches!(text.as_str(), "verify=False" | "verify_ssl=False")
                    && is_request
                    && !scope.in_test
                    && !is_operators_choice(unit, *node, *scope)
                {
                    report.at(*node);
                }
            }
        }
        Language::Go => {
            for (node, scope) in unit.of_kind("keyed_element") {
                if unit.bare(*node).replace(' ', "") == "InsecureSkipVerify:true"
                    && !is_operators_choice(unit, *node, *scope)
                {
                    report.at(*node);
                }
            }
        }
        Language::Rust => {
            for call in unit
                .calls()
                .filter(|call| call.name == "danger_accept_invalid_certs")
            {
                if has_word(arguments_bare(unit, call), "true")
                    && !call.scope.in_test
                    && !is_operators_choice(unit, call.node, call.scope)
                {
                    report.at(call.node);
                }
            }
        }
    }
}
