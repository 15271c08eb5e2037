//! Searching while providers fail: every fault of the lab, temporary and permanent, of one provider
//! and of all.

use std::net::Ipv4Addr;
use std::time::Duration;

use lab::{Api, FaultMode, Lab, OrderedFault, RunningLab, WaitForm, apis};
use serde_json::{Value, json};

use super::obey::{Course, Wish, obey};
use crate::client::Client;

/// How long a temporary outage lasts: as long as the advised wait, if there is one.
const OUTAGE: u64 = 1;

/// Which providers fail, and which one the call names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// The named provider fails for a second.
    Passing,
    /// The named provider fails permanently.
    Lasting,
    /// One provider fails permanently, and the call names none.
    Auto,
    /// All providers fail permanently, and the call names none.
    Everyone,
}

impl Scene {
    pub fn as_str(self) -> &'static str {
        match self {
            Scene::Passing => "passing",
            Scene::Lasting => "lasting",
            Scene::Auto => "auto",
            Scene::Everyone => "everyone",
        }
    }
}

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Outage {
    pub provider: &'static str,
    pub mode: FaultMode,
    pub scene: Scene,
    /// How the provider states the wait, if not in the usual way of the mode.
    pub wait: Option<WaitForm>,
}

impl Outage {
    pub fn new(provider: &'static str, mode: FaultMode, scene: Scene) -> Outage {
        Outage {
            provider,
            mode,
            scene,
            wait: None,
        }
    }

    pub fn order(&self) -> OrderedFault {
        let who = if self.scene == Scene::Everyone {
            "*"
        } else {
            self.provider
        };
        let usual = match self.mode {
            FaultMode::RateLimited
            | FaultMode::Quota
            | FaultMode::Overloaded
            | FaultMode::Internal
            | FaultMode::Status => WaitForm::Seconds,
            _ => WaitForm::Documented,
        };
        let order = OrderedFault::new(who, self.mode).wait(self.wait.unwrap_or(usual), OUTAGE);
        let order = if self.mode == FaultMode::Status {
            order.status(502)
        } else {
            order
        };
        if self.scene == Scene::Passing {
            order.until_waited()
        } else {
            order
        }
    }

    pub fn wish(&self, patience: Duration) -> Wish {
        let mut arguments = json!({"query": "sodium"});
        if matches!(self.scene, Scene::Passing | Scene::Lasting) {
            arguments["provider"] = json!(self.provider);
        }
        Wish {
            tool: tool_of(self.provider),
            arguments,
            wanted: &["odium-ion", "sodium-cell"],
            patience,
        }
    }

    /// Runs the real program, with every provider in its own lab, and an obedient client.
    pub async fn run(&self, patience: Duration) -> Course {
        let lab = started().await;
        let mut client = ours(&lab, &[]).await;
        lab.fault(self.order());
        obey(&mut client, &self.wish(patience), || asked(&lab)).await
    }

    /// The same in a research session, whose steps the client wants to keep.
    pub async fn run_in_session(&self, patience: Duration) -> Course {
        let lab = started().await;
        let mut client = ours(&lab, &[]).await;
        let begun = client
            .call(
                "sequential_search",
                json!({"goal": "Which cells last longest?", "searchStep": "Look around"}),
            )
            .await;
        let mut wish = self.wish(patience);
        wish.arguments["sessionId"] = begun["structuredContent"]["sessionId"].clone();
        lab.fault(self.order());
        let course = obey(&mut client, &wish, || asked(&lab)).await;
        for call in &course.calls {
            assert_eq!(
                call.arguments["sessionId"], wish.arguments["sessionId"],
                "a next call left the session: {call:?}"
            );
        }
        course
    }
}

pub async fn started() -> RunningLab {
    Lab::start((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap()
}

pub fn asked(lab: &RunningLab) -> u64 {
    lab.counts().values().sum()
}

pub fn tool_of(provider: &str) -> &'static str {
    match provider {
        "openalex" | "semanticscholar" | "crossref" | "arxiv" | "pubmed" | "core" => {
            "academic_search"
        }
        "searchapi" | "lens" | "epo" | "uspto" => "patent_search",
        _ => "web_search",
    }
}

/// The APIs of the lab that are search providers.
pub fn providers() -> Vec<&'static Api> {
    let known = engine::search::providers();
    let is_known = |api: &&Api| known.iter().any(|it| it.spec().id() == api.id);
    apis().iter().copied().filter(is_known).collect()
}

/// The real program, with every provider in this lab.
pub async fn ours(lab: &RunningLab, more: &[&str]) -> Client {
    let mut arguments: Vec<String> = ["--ephemeral", "--browser", "never"]
        .iter()
        .chain(more)
        .map(|it| (*it).to_owned())
        .collect();
    for (name, value) in lab.settings() {
        arguments.extend([format!("--{name}"), value]);
    }
    for api in providers() {
        // A stalled provider times out after a second, to keep the runs short.
        arguments.extend([format!("--{}-timeout", api.id), "1".to_owned()]);
    }
    let mut client = Client::spawn(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    client.patience = Duration::from_secs(40);
    client.initialize("2025-11-25").await;
    client
}

/// The mode as the lab takes it.
pub fn name_of(mode: FaultMode) -> String {
    let value: Value = serde_json::to_value(mode).unwrap();
    value.as_str().unwrap().to_owned()
}
