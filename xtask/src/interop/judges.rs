//! Programs of others that grade MCP servers, at pinned versions.
//!
//! A judge's findings must be exactly those that `interop/judges.json` accepts, each with its reason:
//! a new finding is a regression, and one that is gone is removed from the file, so that it cannot
//! come back unseen. The judges search the lab, so that what they find does not depend on a network.

use std::{collections::BTreeSet, fs, path::Path, process::Command, time::Duration};

use serde_json::Value;

use crate::{
    Outcome,
    install::Installed,
    place,
    process::{self, Server},
    score::Score,
};

/// The time limit for one judge; the slowest takes about 20 s on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);
const ACCEPTED: &str = "interop/judges.json";

struct Judge {
    name: &'static str,
    program: &'static str,
    /// Before the server, which is the last argument or arguments.
    arguments: &'static [&'static str],
    server: Reached,
    findings: fn(&Value) -> Option<Vec<String>>,
    grade: fn(&Value) -> String,
}

/// How a judge is told where the server is.
enum Reached {
    Url,
    /// The words of its command.
    Command,
}

static JUDGES: &[Judge] = &[
    Judge {
        name: "mcpscore, stdio",
        program: "mcpscore",
        arguments: &["--json", "--stdio"],
        server: Reached::Command,
        findings: failed_rules,
        grade: points,
    },
    Judge {
        name: "mcpscore, http",
        program: "mcpscore",
        arguments: &["--json"],
        server: Reached::Url,
        findings: failed_rules,
        grade: points,
    },
    Judge {
        name: "mcp-doctor fuzz",
        program: "mcp-doctor",
        arguments: &["fuzz", "--json", "--"],
        server: Reached::Command,
        findings: bad_calls,
        grade: |report| word(&report["grade"]),
    },
    Judge {
        name: "mcp-doctor truth",
        program: "mcp-doctor",
        arguments: &["fuzz", "--truth", "--json", "--url"],
        server: Reached::Url,
        findings: false_answers,
        grade: |report| word(&report["grade"]),
    },
    Judge {
        name: "mcp-quality",
        program: "mcp-quality",
        arguments: &["run", "--json"],
        server: Reached::Url,
        findings: quality,
        grade: |report| format!("{} of 100", report["overall"]["score"]),
    },
    Judge {
        name: "mcp-drill scan",
        program: "mcp-drill",
        arguments: &["scan", "--json", "--"],
        server: Reached::Command,
        findings: drilled,
        grade: |report| format!("error handling {}", report["error_handling_score"]),
    },
];

/// Asks every judge, two at a time like the clients.
pub(super) fn scored(installed: &Installed) -> Result<Score, String> {
    let accepted = Accepted::read(&place::root().join(ACCEPTED))?;
    let program = place::built(super::PROGRAM);
    let server = Server::start(
        &program,
        &["serve", "--http", "127.0.0.1:0", "--ephemeral", "--lab"],
    )?;
    let mut score = Score::default();
    score.record(
        "judges: every accepted finding names a judge",
        accepted.all_known(),
    );
    score.add(super::two_at_a_time(JUDGES.iter().collect(), |judge| {
        let verdict = ask(judge, installed, &program, &server)
            .and_then(|report| judged(judge, &report, &accepted));
        let grade = verdict.as_ref().map_or("", String::as_str);
        let name = format!("judge {} ({grade})", judge.name);
        vec![(name, verdict.map(drop))]
    }));
    Ok(score)
}

fn ask(
    judge: &Judge,
    installed: &Installed,
    program: &Path,
    server: &Server,
) -> Result<Value, String> {
    let mut command = Command::new(installed.python.with_file_name(judge.program));
    command.args(judge.arguments);
    match judge.server {
        Reached::Url => command.arg(server.url()),
        Reached::Command => command.arg(program).args(["serve", "--ephemeral", "--lab"]),
    };
    super::at_home(&mut command)?;
    let written = process::within(LIMIT, &mut command, "")?;
    serde_json::from_str(&written.stdout).map_err(|_| {
        let lines: Vec<&str> = written.stderr.lines().rev().take(5).collect();
        format!("no report in JSON; its last words: {}", lines.join(" / "))
    })
}

/// The judge's grade, if it finds what is accepted and nothing else.
fn judged(judge: &Judge, report: &Value, accepted: &Accepted) -> Result<String, String> {
    let found = (judge.findings)(report).ok_or("its report has another shape")?;
    let found: BTreeSet<String> = found.into_iter().collect();
    let (always, sometimes) = accepted.of(judge.name);
    let new: Vec<&String> = found
        .iter()
        .filter(|finding| !always.contains(*finding) && !sometimes.contains(*finding))
        .collect();
    let gone: Vec<&String> = always
        .iter()
        .filter(|finding| !found.contains(*finding))
        .collect();
    match (new.is_empty(), gone.is_empty()) {
        (true, true) => Ok((judge.grade)(report)),
        (false, _) => Err(format!("finds what {ACCEPTED} does not accept: {new:?}")),
        (true, false) => Err(format!(
            "no longer finds {gone:?}: remove them from {ACCEPTED}"
        )),
    }
}

/// `interop/judges.json`.
struct Accepted(Value);

impl Accepted {
    fn read(path: &Path) -> Result<Accepted, String> {
        let text = fs::read_to_string(path)
            .map_err(|error| format!("{} could not be read ({})", path.display(), error.kind()))?;
        let file =
            serde_json::from_str(&text).map_err(|_| format!("{} is not JSON", path.display()))?;
        Ok(Accepted(file))
    }

    fn all_known(&self) -> Outcome {
        let mut names = self.0.as_object().into_iter().flat_map(|file| file.keys());
        match names.find(|name| JUDGES.iter().all(|judge| judge.name != *name)) {
            Some(name) => Err(format!("there is no judge {name}")),
            None => Ok(()),
        }
    }

    /// What a judge always finds, and what it finds only on some machines.
    fn of(&self, judge: &str) -> (BTreeSet<String>, BTreeSet<String>) {
        let groups = self.0[judge].as_array().into_iter().flatten();
        let (sometimes, always): (Vec<&Value>, Vec<&Value>) =
            groups.partition(|group| group["sometimes"] == true);
        (findings(&always), findings(&sometimes))
    }
}

fn findings(groups: &[&Value]) -> BTreeSet<String> {
    let lists = groups
        .iter()
        .filter_map(|group| group["findings"].as_array());
    lists.flatten().map(word).collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn failed_rules(report: &Value) -> Option<Vec<String>> {
    let rules = report["results"].as_array()?.iter();
    let of_newest_revision = report["readiness"]["results"].as_array()?;
    let failed = rules
        .chain(of_newest_revision)
        .filter(|rule| rule["passed"] != true);
    Some(failed.map(|rule| word(&rule["rule_id"])).collect())
}

fn points(report: &Value) -> String {
    format!("{} of {}", report["score"], report["max_score"])
}

/// Leaves out the judge's times and sizes, which it compares with the server's own median.
fn bad_calls(report: &Value) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for tool in report["tools"].as_array()? {
        let name = word(&tool["name"]);
        for trouble in ["crashes", "timeouts"] {
            if tool[trouble].as_array().is_none_or(|list| !list.is_empty()) {
                found.push(format!("{name}: {trouble}"));
            }
        }
        if let Some(outcome) = tool["valid_call_issue"]["outcome"].as_str() {
            found.push(format!("{name}: {outcome}"));
        }
    }
    if report["grade"] != "A" {
        found.push(format!("grade {}", report["grade"]));
    }
    if report["hidden_error_count"] != 0 {
        found.push("hidden errors".to_owned());
    }
    Some(found)
}

fn false_answers(report: &Value) -> Option<Vec<String>> {
    let tools = report["tools"].as_array()?.iter();
    let flagged = tools.filter(|tool| tool["flagged"] != false);
    let mut found: Vec<String> = flagged.map(|tool| word(&tool["name"])).collect();
    if report["grade"] != "A" {
        found.push(format!("grade {}", report["grade"]));
    }
    Some(found)
}

fn quality(report: &Value) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for (name, family) in report["families"].as_object()? {
        for finding in family["findings"].as_array()? {
            found.push(format!(
                "{} {}",
                word(&finding["code"]),
                word(&finding["tool"])
            ));
        }
        found.extend(below_a(name, &family["grade"]));
    }
    found.extend(below_a("all", &report["overall"]["grade"]));
    Some(found)
}

fn below_a(name: &str, grade: &Value) -> Option<String> {
    (grade != "A").then(|| format!("{name}: grade {}", word(grade)))
}

fn drilled(report: &Value) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for (probe, outcome) in report["probes"].as_object()? {
        if outcome != "jsonrpc_error" && outcome != "tool_error" {
            found.push(format!("{probe}: {}", word(outcome)));
        }
    }
    if report["handshake_ok"] != true {
        found.push("no handshake".to_owned());
    }
    if report["output_schema_coverage"].as_f64()? < 1.0 {
        found.push("tools without an output schema".to_owned());
    }
    if report["vacuous_output_schemas"].as_u64()? > 0 {
        found.push("output schemas that admit any value".to_owned());
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(failed: &[&str]) -> Result<String, String> {
        let accepted = Accepted(json!({ "mcpscore, stdio": [
            { "why": "a reason", "findings": ["icons"] },
            { "why": "a machine", "findings": ["tls"], "sometimes": true },
        ] }));
        let rules: Vec<Value> = failed
            .iter()
            .map(|rule| json!({ "rule_id": rule, "passed": false }))
            .collect();
        let report = json!({ "results": rules, "readiness": { "results": [] }, "score": 9, "max_score": 10 });
        judged(&JUDGES[0], &report, &accepted)
    }

    #[test]
    fn findings_must_be_those_that_are_accepted() {
        assert_eq!(verdict(&["icons"]), Ok("9 of 10".to_owned()));
        assert_eq!(verdict(&["icons", "tls"]), Ok("9 of 10".to_owned()));
        assert!(verdict(&["icons", "names"]).is_err(), "a new finding");
        assert!(verdict(&["tls"]).is_err(), "one that is gone");
    }

    #[test]
    fn every_accepted_finding_has_a_reason() {
        let file: Value =
            serde_json::from_str(include_str!("../../../interop/judges.json")).expect("it is JSON");
        for group in file.as_object().expect("judges").values() {
            for group in group.as_array().expect("groups") {
                assert!(word(&group["why"]).len() > 10, "{group}");
                assert!(!findings(&[group]).is_empty(), "{group}");
            }
        }
    }
}
