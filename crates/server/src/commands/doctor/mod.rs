//! `fingerpost doctor`: what is set up, what can be reached, and what to do about the rest, in a
//! table.

mod http_access;
mod machine;

use std::io::Write;
use std::time::{Duration, Instant};

use engine::live::KeyCheck;
use engine::search::{
    Availability, Capability, ProviderChoice, ProviderSpec, ProviderStatus, ProviderTier,
    SearchRequest,
};
use engine::{Call, Engine};
use fault::{Fault, Kind, Phase, Secret};
use futures_util::future::join_all;
use serde_json::json;

pub(super) use self::machine::data_directory_trouble;
use super::{Subcommand, arguments, error::CommandError, terminal};
use crate::pattern_library::PatternLibrary;
use crate::settings::Settings;
use crate::tools::search;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "doctor",
    about: "Check settings and reachability, and say what to do",
    arguments: || {
        vec![
            arguments::switch("offline").help("Contact no provider"),
            arguments::json(),
        ]
    },
    run: |matches| {
        let settings = arguments::load_settings(matches)?;
        run(
            &settings,
            matches.get_flag("offline"),
            matches.get_flag("json"),
        )
    },
};

/// Long enough for a slow interface, short enough for a person.
const PATIENCE: Duration = Duration::from_secs(10);

/// One line of the table.
struct Row {
    name: String,
    state: &'static str,
    advice: String,
}

/// The line of a provider, and the fault if it was asked in vain.
struct Probe {
    row: Row,
    spec: &'static ProviderSpec,
    fault: Option<Fault>,
}

/// Looks at everything. Providers that are set up are asked one small question each, unless that is
/// not wanted.
fn run(settings: &Settings, offline: bool, as_json: bool) -> Result<(), CommandError> {
    let runtime = terminal::runtime()?;
    let engine = Engine::new(settings.engine());
    let rows = runtime.block_on(async {
        let mut rows = machine::rows(settings).await;
        rows.extend(own_patterns(settings));
        rows.extend(store_server(settings).await);
        rows.extend(index(&engine).await);
        rows.extend(http_access::rows(settings, offline).await);
        rows.push(live(&engine, settings, offline).await);
        let providers = engine.searching().statuses();
        let asked = providers.map(|status| {
            let key = settings.key_origin(status.spec);
            provider(&engine, status, key, offline)
        });
        let mut probes = join_all(asked).await;
        rows.extend(missing_network(&mut probes));
        rows.extend(probes.into_iter().map(|probe| probe.row));
        rows
    });
    let wrong = rows.iter().any(|row| row.state == "fails");
    let text = if as_json {
        lines_of_json(&rows)
    } else {
        table(&rows)
    };
    let text = settings.masker().mask(&text).into_owned();
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))?;
    if wrong {
        Err(CommandError::Reported)
    } else {
        Ok(())
    }
}

/// The user's own patterns, if there is a directory of them.
fn own_patterns(settings: &Settings) -> Option<Row> {
    let directory = settings.patterns_dir.as_ref()?;
    let loaded = PatternLibrary::new(Some(directory.clone())).load();
    let (state, advice) = match loaded.mistakes.as_slice() {
        [] => ("ok", directory.display().to_string()),
        mistakes => ("fails", mistakes.join("; ")),
    };
    Some(Row {
        name: "patterns directory".to_owned(),
        state,
        advice,
    })
}

/// The server that keeps sessions, if one is set.
async fn store_server(settings: &Settings) -> Option<Row> {
    let url = settings.store_url.as_ref()?;
    let row = |state, advice| Row {
        name: "store".to_owned(),
        state,
        advice,
    };
    Some(match store_problem(url, settings).await {
        None => row(
            "ok",
            "it answers, takes changes and removes no record by itself".to_owned(),
        ),
        Some(problem) => row("fails", problem),
    })
}

/// What is wrong with the server that keeps sessions, and what to do, for the operator.
pub(super) async fn store_problem(url: &Secret, settings: &Settings) -> Option<String> {
    match engine::store::eviction_policy(url).await {
        Err(fault) => Some(store_trouble(&fault, settings)),
        Ok(Some(policy)) => Some(eviction_advice(policy)),
        Ok(None) => {
            let refused = settings.store().check_writing().await.err()?;
            Some(store_unwritable(&refused, settings))
        }
    }
}

/// Why a store does not answer, for the operator, and what to look at.
fn store_trouble(fault: &Fault, settings: &Settings) -> String {
    let why = terminal::words_of_store(fault, settings);
    format!(
        "it does not answer as it should ({why}); check the address and password in --store, and that the server runs. Until it answers, sessions, stored answers and shared limits fail"
    )
}

/// Why a store that answers takes no changes, for the operator, and what to look at.
fn store_unwritable(fault: &Fault, settings: &Settings) -> String {
    let why = terminal::words_of_store(fault, settings);
    format!(
        "it answers and cannot be written ({why}); check its memory and disk, whether it is a replica, and what the user in --store may do. Until then sessions, stored answers and shared limits fail"
    )
}

/// What to do about a store that removes records by itself.
fn eviction_advice(policy: &str) -> String {
    format!(
        "it removes records when its memory is full (maxmemory-policy {policy}), and sessions are lost; set maxmemory-policy noeviction on the server"
    )
}

async fn index(engine: &Engine) -> Option<Row> {
    let row = |state, advice| Row {
        name: "index".to_owned(),
        state,
        advice,
    };
    Some(match engine.index()?.count().await {
        Ok(count) => row(
            "ok",
            format!("pages and documents that can be searched offline: {count}"),
        ),
        Err(fault) => row("fails", fault.sentence().to_string()),
    })
}

/// The line of live search, whose key xAI is asked about.
async fn live(engine: &Engine, settings: &Settings, offline: bool) -> Row {
    let row = |state, advice: String| Row {
        name: "live search".to_owned(),
        state,
        advice,
    };
    if !engine.live().has_key() {
        let advice = "set XAI_API_KEY to use the toolset live. Keys: https://console.x.ai";
        return row("not set up", advice.to_owned());
    }
    let origin = settings.origins.get("xai-api-key");
    let origin = origin.map_or("the settings", |it| it.place.as_str());
    if offline {
        return row("set up", format!("xAI's models. Key from {origin}."));
    }
    match engine.live().check(&Call::within(PATIENCE)).await {
        Ok(KeyCheck::Accepted) => row("ok", format!("xAI takes the key; key from {origin}")),
        Ok(KeyCheck::NotOffered) => row(
            "set up",
            format!("the address answers and cannot check a key; key from {origin}"),
        ),
        Err(fault) => row("fails", format!("{} Key from {origin}.", fault.sentence())),
    }
}

/// The line for a machine without a network, when every provider on another machine failed for
/// lack of one. Their own lines then say no more than that they were not reached.
fn missing_network(probes: &mut [Probe]) -> Option<Row> {
    let mut failed: Vec<&mut Probe> = probes
        .iter_mut()
        .filter(|probe| probe.spec.tier != ProviderTier::Embedded)
        .filter(|probe| matches!(probe.row.state, "ok" | "fails"))
        .collect();
    let is_offline = |probe: &&mut Probe| {
        let fault = probe.fault.as_ref();
        fault.is_some_and(|fault| fault.kind() == Kind::Network)
    };
    if failed.len() < 2 || !failed.iter().all(is_offline) {
        return None;
    }
    let at_dns = |probe: &&mut Probe| {
        let phase = probe.fault.as_ref().and_then(Fault::seen_phase);
        phase == Some(Phase::Dns)
    };
    let advice = if failed.iter().all(at_dns) {
        "no name can be resolved: there is no network here, or no DNS server (--dns names one)"
    } else {
        "nothing can be reached: there is no network here, or a firewall is in the way"
    };
    for probe in &mut failed {
        probe.row.state = "not reached";
        probe.row.advice = probe.spec.about.to_owned();
    }
    Some(Row {
        name: "network".to_owned(),
        state: "fails",
        advice: advice.to_owned(),
    })
}

async fn provider(
    engine: &Engine,
    status: ProviderStatus,
    key: Option<String>,
    offline: bool,
) -> Probe {
    let spec = status.spec;
    let probe = |state, advice: String, fault| Probe {
        row: Row {
            name: spec.id().to_owned(),
            state,
            advice,
        },
        spec,
        fault,
    };
    let row = |state, advice: String| probe(state, advice, None);
    match status.availability {
        Availability::Disabled => return row("off", "turned off by --disable-provider".to_owned()),
        Availability::NoAddress(setting) => {
            return row(
                "not set up",
                format!("set {setting} to use it: {}", spec.about),
            );
        }
        Availability::Missing(setting) => {
            return row(
                "not set up",
                format!(
                    "set {setting} to use it: {} Keys: {}",
                    spec.about, spec.docs
                ),
            );
        }
        Availability::Ready if offline => {
            let key = key.map(|origin| format!(" Key from {origin}."));
            return row(
                "set up",
                format!("{}{}", spec.about, key.unwrap_or_default()),
            );
        }
        Availability::Ready => {}
    }
    let capability = spec
        .offers
        .first()
        .map_or(Capability::Web, |offer| offer.capability);
    let mut request = SearchRequest::new("test", capability);
    (request.provider, request.max_results) = (ProviderChoice::One(spec.id().to_owned()), 1);
    let began = Instant::now();
    match search::search(engine, &Call::within(PATIENCE), &request).await {
        Ok(_) => {
            let key = key.map(|origin| format!("; key from {origin}"));
            let (time, key) = (began.elapsed().as_millis(), key.unwrap_or_default());
            let future = spec.retires.map(|notice| format!("; {notice}"));
            let future = future.unwrap_or_default();
            row("ok", format!("answered in {time} ms{key}{future}"))
        }
        Err(fault) => {
            let key = key.map(|origin| format!(" Key from {origin}."));
            let advice = format!(
                "{}{} More: fingerpost provider check {}",
                fault.sentence(),
                key.unwrap_or_default(),
                spec.id()
            );
            probe("fails", advice, Some(fault))
        }
    }
}

fn table(rows: &[Row]) -> String {
    let name = rows
        .iter()
        .map(|row| row.name.len())
        .max()
        .unwrap_or_default();
    let state = rows
        .iter()
        .map(|row| row.state.len())
        .max()
        .unwrap_or_default();
    let indent = name + state + 4;
    rows.iter()
        .map(|row| {
            let advice = terminal::wrapped(&row.advice, indent);
            format!("{:<name$}  {:<state$}  {advice}\n", row.name, row.state)
        })
        .collect()
}

fn lines_of_json(rows: &[Row]) -> String {
    rows.iter()
        .map(|row| {
            format!(
                "{}\n",
                json!({"name": row.name, "state": row.state, "advice": row.advice})
            )
        })
        .collect()
}
