//! What a provider's reply means.
//!
//! The general rules for a status come first, then the provider's own table of machine codes.
//! Messages and the text of the query are not looked at.

use fault::{Case, Fault, Host, Kind, Origin, Say};
use reading::document::xml::XmlTree;
use serde_json::Value;

use super::{Api, CONTACT, for_operator};
use crate::search::provider::{ErrorMeaning, KeyRequirement};

/// The most elements, attributes and texts of an error in XML that are read.
const MAX_ERROR_NODES: usize = 1_000;

impl Api {
    /// The fault that a reply means; `None` when it is a success.
    pub(super) fn fault_of(&self, answer: &net::Response) -> Option<Fault> {
        let general = answer.fault(Origin::Provider);
        let wait = net::requested_wait(&answer.headers, answer.problem().as_ref());
        // A challenge comes from a service in front of the provider, so its table does not apply.
        let said = if is_challenge(answer) {
            Some(Case::BotChallenge)
        } else {
            self.meaning(answer)
        };
        // A 403 with a wait is a rate limit: GitHub sends those.
        let is_limit = || answer.status == 403 && wait.is_some();
        let fault = match (
            said.or_else(|| is_limit().then_some(Case::Http429)),
            general,
        ) {
            (Some(case), Some(general)) => refined(case, &general),
            (Some(case), None) => Fault::new(case, Origin::Provider)
                .status(answer.status)
                .host(Host::from_url(&self.base)),
            (None, general) => general?,
        };
        let fault = self.own(fault.requested_wait(wait));
        let remark = self.remark(answer, &fault);
        let fault = fault.tainted(for_operator(&answer.body));
        Some(match remark {
            Some(remark) => fault.detail(remark),
            None => fault,
        })
    }

    /// What is known about a refusal beyond its status: what the headers say, and the setting with
    /// which the provider would be more lenient.
    fn remark(&self, answer: &net::Response, fault: &Fault) -> Option<Say> {
        let is_limit = fault.kind() == Kind::RateLimited || answer.status == 503;
        let missing = is_limit.then(|| self.helpful_setting()).flatten();
        let own = (self.spec.remark)(answer);
        own.into_iter().chain(missing).reduce(Say::and)
    }

    fn helpful_setting(&self) -> Option<Say> {
        if self.spec.key == KeyRequirement::Optional && self.key.is_none() {
            let variable = self.spec.settings.key_variable.as_str();
            Some(
                Say::new("asked without a key; one in ")
                    .with(variable)
                    .with(" raises the limit"),
            )
        } else if self.spec.contact_helps && !self.identity().has_contact() {
            Some(
                Say::new("asked without a contact; a mail or web address in ")
                    .with(CONTACT.as_str())
                    .with(" raises the limit"),
            )
        } else {
            None
        }
    }

    /// The case of the first row of the provider's table that matches.
    fn meaning(&self, answer: &net::Response) -> Option<Case> {
        let mut rows = self
            .spec
            .errors
            .iter()
            .filter(|row| row.status == answer.status)
            .peekable();
        rows.peek()?;
        let codes = self.codes(answer);
        let matches = |row: &&ErrorMeaning| {
            row.code
                .is_none_or(|code| codes.iter().any(|found| found == code))
        };
        rows.find(matches).map(|row| row.case)
    }

    /// Whether the reply is an error by which the provider says that there are no results.
    pub(super) fn says_no_results(&self, answer: &net::Response) -> bool {
        let mut rows = self
            .spec
            .nothing
            .iter()
            .filter(|(status, _)| *status == answer.status)
            .peekable();
        if rows.peek().is_none() {
            return false;
        }
        let codes = self.codes(answer);
        rows.any(|(_, code)| match code {
            Some(code) => codes.iter().any(|found| found == code),
            None => answer.content_type().as_deref() == Some("application/json"),
        })
    }

    /// The machine codes of a reply, in the places that the spec names.
    fn codes(&self, answer: &net::Response) -> Vec<String> {
        let at = self.spec.codes_at.iter();
        let mut codes: Vec<String> = match serde_json::from_slice::<Value>(&answer.body) {
            Ok(body) => at
                .flat_map(|at| values_at(&body, at))
                .filter_map(code)
                .collect(),
            Err(_) => match XmlTree::parse(&answer.body, MAX_ERROR_NODES) {
                Ok(tree) => at.filter_map(|at| element_code(&tree, at)).collect(),
                // fingerpost-ignore failure-returned-as-empty: a body without codes is known by its status
                Err(_) => Vec::new(),
            },
        };
        let headers = self
            .spec
            .codes_in
            .iter()
            .filter_map(|name| answer.header(name));
        codes.extend(
            headers
                .flat_map(|value| value.split([' ', ',', ';', ':', '(', ')']))
                .map(str::to_owned),
        );
        codes
    }
}

/// The values at a JSON pointer, in which the step `*` stands for every element of a list.
fn values_at<'b>(body: &'b Value, pointer: &str) -> Vec<&'b Value> {
    match pointer.split_once("/*") {
        None => body.pointer(pointer).into_iter().collect(),
        Some((list, rest)) => {
            let list = body.pointer(list).and_then(Value::as_array);
            list.into_iter()
                .flatten()
                .flat_map(|element| values_at(element, rest))
                .collect()
        }
    }
}

/// The text of the XML element at a path; the first step is the outermost element.
fn element_code(tree: &XmlTree, at: &str) -> Option<String> {
    let mut steps = at.split('/').skip(1);
    let root = tree.root();
    let outermost = steps
        .next()
        .filter(|name| *name == root.name())
        .map(|_| root)?;
    let element = steps.try_fold(outermost, |element, name| element.child(name))?;
    Some(element.text().trim().to_owned())
}

/// A fault of another case with the facts of a general one.
pub(super) fn refined(case: Case, general: &Fault) -> Fault {
    Fault::new(case, Origin::Provider)
        .status(general.seen_status())
        .phase(general.seen_phase())
        .host(general.seen_host().cloned())
}

/// A code as text; `None` when the value is neither a word nor a number.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Whether Cloudflare answered with a challenge instead of the provider.
fn is_challenge(answer: &net::Response) -> bool {
    answer.header("cf-mitigated") == Some("challenge")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(xml: &str, at: &str) -> Option<String> {
        element_code(&XmlTree::parse(xml.as_bytes(), MAX_ERROR_NODES).ok()?, at)
    }

    #[test]
    fn a_star_stands_for_every_element_of_a_list() {
        let body = serde_json::json!({"errors": [{"loc": ["query", "q"]}, {"loc": ["header", "token"]}, {}]});
        assert_eq!(values_at(&body, "/errors/*/loc/1"), ["q", "token"]);
        assert_eq!(values_at(&body, "/errors/1/loc/1"), ["token"]);
        assert!(values_at(&body, "/other/*/loc/1").is_empty());
    }

    #[test]
    fn codes_are_read_from_elements_by_their_whole_path() {
        let fault = "<?xml version='1.0'?><fault xmlns=\"http://ops.epo.org\"><code> SERVER.EntityNotFound </code><message>403</message></fault>";
        assert_eq!(
            coded(fault, "/fault/code").as_deref(),
            Some("SERVER.EntityNotFound")
        );
        for elsewhere in [
            "/error/code",
            "/code",
            "/fault/code/x",
            "/fault/other",
            "fault",
            "",
        ] {
            assert_eq!(coded(fault, elsewhere), None, "{elsewhere}");
        }
        let page = "<html><body><fault><code>SERVER.EntityNotFound</code></fault></body></html>";
        assert_eq!(coded(page, "/fault/code"), None);
        assert_eq!(coded("not markup", "/fault/code"), None);
    }
}
