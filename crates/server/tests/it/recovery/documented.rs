//! Every documented error of every provider: what is said about it, and whether the calls that are
//! suggested help once the provider has recovered.

use std::time::Duration;

use engine::search::{KeyRequirement, ProviderSpec, providers};
use lab::{FaultMode, OrderedFault, RunningLab, WaitForm};
use serde_json::{Value, json};

use super::outage::{started, tool_of};
use super::{AT_ONCE, all, rules};
use crate::client::Client;

/// A longer wait is not waited for: it is a default of ours, and other tests pause the clock.
const LONGEST_WAIT: u64 = 3;

/// One provider with one documented error.
#[derive(Debug, Clone, Copy)]
struct DocumentedError {
    provider: &'static str,
    has_key: bool,
    mode: FaultMode,
    status: Option<u16>,
}

const MODES: &[(FaultMode, Option<u16>)] = &[
    (FaultMode::RateLimited, None),
    (FaultMode::Quota, None),
    (FaultMode::BadKey, None),
    (FaultMode::NoKey, None),
    (FaultMode::Forbidden, None),
    (FaultMode::BadRequest, None),
    (FaultMode::Overloaded, None),
    (FaultMode::Internal, None),
    (FaultMode::Status, Some(401)),
    (FaultMode::Status, Some(403)),
    (FaultMode::Challenge, None),
];

/// A provider with an optional key is asked with it and without.
fn keys(spec: &ProviderSpec) -> &'static [bool] {
    match spec.key {
        KeyRequirement::Needed => &[true],
        KeyRequirement::Optional => &[true, false],
        KeyRequirement::None => &[false],
    }
}

fn every_documented_error() -> Vec<DocumentedError> {
    let mut errors = Vec::new();
    for provider in providers() {
        for has_key in keys(provider.spec()) {
            errors.extend(MODES.iter().map(|(mode, status)| DocumentedError {
                provider: provider.spec().id(),
                has_key: *has_key,
                mode: *mode,
                status: *status,
            }));
        }
    }
    errors
}

impl DocumentedError {
    fn order(&self) -> OrderedFault {
        let order = OrderedFault::new(self.provider, self.mode);
        let mut order = match self.mode {
            FaultMode::RateLimited | FaultMode::Overloaded | FaultMode::Internal => {
                order.wait(WaitForm::Seconds, 1)
            }
            _ => order,
        };
        order.status = self.status;
        order
    }

    /// The real program with every provider in the lab, this one with or without its key.
    async fn server(&self, lab: &RunningLab) -> Client {
        let mut flags: Vec<String> = ["--ephemeral", "--browser=never", "--deadline=2"]
            .map(str::to_owned)
            .to_vec();
        let key = format!("{}-api-key", self.provider);
        for (name, value) in lab.settings() {
            if name != key || self.has_key {
                flags.push(format!("--{name}={value}"));
            }
        }
        let mut client = Client::spawn(&flags.iter().map(String::as_str).collect::<Vec<_>>());
        client.patience = Duration::from_secs(40);
        client.initialize("2025-11-25").await;
        client
    }

    /// Everything that is wrong with the reply and with the calls that it suggests.
    async fn mistakes(self) -> Vec<String> {
        let lab = started().await;
        lab.fault(self.order());
        let mut client = self.server(&lab).await;
        let (tool, arguments) = (
            tool_of(self.provider),
            json!({"query": "sodium", "provider": self.provider, "max_results": 4}),
        );
        let failed = client.call(tool, arguments.clone()).await;
        // DuckDuckGo has two pages, and a status may be one that says "no results".
        if failed["isError"] == false {
            return Vec::new();
        }
        let error = &failed["structuredContent"]["error"];
        let text = failed["content"][0]["text"].as_str().unwrap();
        let sentence = text.lines().next().unwrap();
        let mut mistakes: Vec<String> = rules::broken(text, error, tool, &arguments)
            .into_iter()
            .chain(self.wrong_words(sentence, error))
            .map(str::to_owned)
            .collect();
        lab.clear();
        mistakes.extend(dead_calls(&mut client, error).await);
        let shown = |mistake| format!("{self:?}: {mistake}\n    {sentence}\n    {error}");
        mistakes.into_iter().map(shown).collect()
    }

    fn wrong_words(&self, sentence: &str, error: &Value) -> Vec<&'static str> {
        let has_word = |wanted: &str| {
            let mut words = sentence.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word.eq_ignore_ascii_case(wanted))
        };
        let variable = format!("FINGERPOST_{}_", self.provider.to_uppercase());
        let rules = [
            (
                [
                    "can't be read directly",
                    "the page",
                    "this page",
                    "the site",
                ]
                .iter()
                .any(|words| sentence.contains(words)),
                "a sentence for pages",
            ),
            (
                !self.has_key && (has_word("key") || has_word("credentials") || has_word("login")),
                "a sentence about a key that is not used",
            ),
            (
                !self.has_key && error["suggestedAction"] == "check_api_key",
                "advice about a key that is not used",
            ),
            (
                // The contact is one setting for all providers that ask for one.
                sentence.contains("FINGERPOST_")
                    && !sentence.contains(&variable)
                    && !sentence.contains("FINGERPOST_CONTACT"),
                "the setting of another provider",
            ),
            (
                error["provider"] != self.provider,
                "the provider is not named",
            ),
            (
                error["reason"] == "bad_request" && error["suggestedAction"] != "broaden_query",
                "a refused query is not to be broadened",
            ),
            (
                error["nextCalls"][0]["arguments"]["max_results"] != 4,
                "a suggested call lacks the caller's options",
            ),
        ];
        let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
        broken.map(|(_, rule)| rule).collect()
    }
}

/// Makes every suggested call after its wait. The ones that fail in the same way are mistakes.
async fn dead_calls(client: &mut Client, error: &Value) -> Vec<String> {
    let mut dead = Vec::new();
    for call in error["nextCalls"].as_array().into_iter().flatten() {
        let wait = call["afterSeconds"].as_u64().unwrap_or_default();
        if wait > LONGEST_WAIT {
            continue;
        }
        tokio::time::sleep(Duration::from_secs(wait)).await;
        let tool = call["tool"].as_str().unwrap();
        let result = client.call(tool, call["arguments"].clone()).await;
        if result["isError"] == true {
            dead.push(format!("{call} fails: {}", result["structuredContent"]));
        }
    }
    dead
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_documented_error_of_every_provider_is_told_right() {
    let walks = every_documented_error()
        .into_iter()
        .map(DocumentedError::mistakes);
    let mistakes: Vec<String> = all(AT_ONCE, walks.collect())
        .await
        .into_iter()
        .flatten()
        .collect();
    assert!(
        mistakes.is_empty(),
        "{} mistakes\n{}",
        mistakes.len(),
        mistakes.join("\n")
    );
}
