//! Checks which crate may depend on which, using Cargo's own metadata.
//!
//! A crate without an HTTP client cannot bypass the address guard, and a crate without a runtime
//! cannot do I/O. Documentation alone would not keep it so, so the rules are a table here and a
//! failing check.

use std::process::Command;

use serde_json::Value;

use crate::{Outcome, no_arguments, place, process};

/// One of our crates, and our crates that it may depend on. Arrows only point down.
struct Layer {
    name: &'static str,
    may_use: &'static [&'static str],
}

static LAYERS: &[Layer] = &[
    Layer {
        name: "mask",
        may_use: &[],
    },
    Layer {
        name: "fault",
        may_use: &["mask"],
    },
    Layer {
        name: "reading",
        may_use: &["fault"],
    },
    // Sources in, findings out.
    Layer {
        name: "patterns",
        may_use: &[],
    },
    Layer {
        name: "net",
        may_use: &["fault", "mask"],
    },
    Layer {
        name: "engine",
        may_use: &["fault", "mask", "net", "reading"],
    },
    Layer {
        name: "fingerpost",
        may_use: &[
            "engine", "fault", "lab", "mask", "net", "patterns", "reading",
        ],
    },
    Layer {
        name: "lab",
        may_use: &[],
    },
    // The tests' fake web is the lab's HTTP server.
    Layer {
        name: "testkit",
        may_use: &["lab"],
    },
    // The benchmarks use the lab's HTTP server, and the same large and hostile documents as the
    // tests.
    Layer {
        name: "xtask",
        may_use: &["fault", "fingerpost", "lab", "patterns", "testkit"],
    },
];

/// Our crates that the tests of any crate may use as well.
static FOR_TESTS: &[&str] = &["testkit", "lab"];

/// Crates that reach another machine: HTTP clients, resolvers, TLS.
static REACHES_OUT: &[&str] = &[
    "awc",
    "curl",
    "hickory-client",
    "hickory-net",
    "hickory-proto",
    "hickory-resolver",
    "hyper",
    "hyper-rustls",
    "hyper-tls",
    "hyper-util",
    "isahc",
    "minreq",
    "native-tls",
    "openssl",
    "reqwest",
    "rustls",
    "surf",
    "tokio-native-tls",
    "tokio-rustls",
    "trust-dns-resolver",
    "tungstenite",
    "tokio-tungstenite",
    "ureq",
    "webpki-roots",
];

/// The crate that contacts outside addresses for all others, and the one that plays the other side
/// in tests.
static MAY_REACH_OUT: &[&str] = &["net", "testkit"];

/// Clients of servers that the operator configures, and the one crate that may use each. No address
/// from a caller goes through them.
static OPERATORS_OWN: &[(&str, &str)] = &[("redis", "engine")];

/// Crates that must not be in the dependency tree at any depth: a second HTTP client would bypass
/// the guard.
static NOWHERE: &[&str] = &[
    "curl",
    "isahc",
    "native-tls",
    "openssl",
    "reqwest",
    "surf",
    "ureq",
];

/// Crates that write replies or parse hostile bytes, which must not be able to do I/O.
static PURE: &[&str] = &["mask", "fault", "reading", "patterns"];
static RUNTIMES: &[&str] = &["async-io", "async-std", "mio", "smol", "socket2", "tokio"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments)?;
    check()
}

pub(crate) fn check() -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(place::root());
    let metadata: Value = serde_json::from_str(&process::quietly(&mut command)?)
        .map_err(|_| "cargo metadata did not answer in JSON")?;
    let edges = direct(&metadata);
    let mut mistakes: Vec<String> = edges.iter().filter_map(judge).collect();
    mistakes.extend(unwanted(&metadata));
    for name in PURE {
        mistakes.extend(impure(&metadata, name));
    }
    if mistakes.is_empty() {
        println!("{} direct dependencies keep to the layers", edges.len());
        return Ok(());
    }
    Err(format!(
        "dependencies that the layers do not allow (xtask/src/deps.rs says why):\n  {}",
        mistakes.join("\n  ")
    ))
}

/// A dependency in one of our Cargo.toml files.
#[derive(Debug, PartialEq, Eq)]
struct Edge {
    from: String,
    to: String,
    in_tests_only: bool,
}

fn direct(metadata: &Value) -> Vec<Edge> {
    let members = list(&metadata["workspace_members"]);
    let ours = list(&metadata["packages"])
        .iter()
        .filter(|package| members.contains(&package["id"]));
    let edges = ours.flat_map(|package| {
        list(&package["dependencies"])
            .iter()
            .map(|dependency| Edge {
                from: text(&package["name"]),
                to: text(&dependency["name"]),
                in_tests_only: dependency["kind"] == "dev",
            })
    });
    edges.collect()
}

fn judge(edge: &Edge) -> Option<String> {
    let Edge {
        from,
        to,
        in_tests_only,
    } = edge;
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == from) else {
        return Some(format!("{from} is a new crate: give it a row in LAYERS"));
    };
    if REACHES_OUT.contains(&to.as_str()) && !MAY_REACH_OUT.contains(&from.as_str()) {
        return Some(format!(
            "{from} -> {to}: only net reaches other machines; ask net instead"
        ));
    }
    if let Some((_, keeper)) = OPERATORS_OWN
        .iter()
        .find(|(client, keeper)| client == to && keeper != from)
    {
        return Some(format!("{from} -> {to}: only {keeper} speaks to it"));
    }
    let is_ours = LAYERS.iter().any(|layer| layer.name == to);
    let for_tests = *in_tests_only && FOR_TESTS.contains(&to.as_str());
    let allowed = !is_ours || for_tests || layer.may_use.contains(&to.as_str());
    (!allowed).then(|| match to.as_str() {
        "testkit" => format!("{from} -> {to}: testkit is for dev-dependencies and xtask only"),
        _ => format!("{from} -> {to}: arrows only point down (mask <- fault <- reading, net <- engine <- server)"),
    })
}

fn unwanted(metadata: &Value) -> Vec<String> {
    let names = list(&metadata["packages"])
        .iter()
        .map(|package| text(&package["name"]));
    let found = names.filter(|name| NOWHERE.contains(&name.as_str()));
    found
        .map(|name| format!("{name} is in the tree (`cargo tree -i {name}` shows who brings it): there is one HTTP client, in net"))
        .collect()
}

/// Runtimes that a pure crate depends on, directly or through others.
fn impure(metadata: &Value, pure: &str) -> Vec<String> {
    let nodes = list(&metadata["resolve"]["nodes"]);
    let name_of = |id: &Value| {
        list(&metadata["packages"])
            .iter()
            .find(|package| package["id"] == *id)
            .map(|package| text(&package["name"]))
    };
    let mut todo: Vec<&Value> = nodes
        .iter()
        .filter(|node| name_of(&node["id"]).as_deref() == Some(pure))
        .collect();
    let mut seen: Vec<&Value> = Vec::new();
    while let Some(node) = todo.pop() {
        for id in normal_dependencies(node) {
            if !seen.contains(&id) {
                seen.push(id);
                todo.extend(nodes.iter().filter(|other| other["id"] == *id));
            }
        }
    }
    let found = seen
        .into_iter()
        .filter_map(name_of)
        .filter(|name| RUNTIMES.contains(&name.as_str()));
    found
        .map(|name| format!("{pure} pulls in {name}: it must stay free of I/O"))
        .collect()
}

fn normal_dependencies(node: &Value) -> impl Iterator<Item = &Value> {
    let used = |dependency: &&Value| {
        list(&dependency["dep_kinds"])
            .iter()
            .any(|kind| kind["kind"].is_null())
    };
    list(&node["deps"])
        .iter()
        .filter(used)
        .map(|dependency| &dependency["pkg"])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edge(from: &str, to: &str, in_tests_only: bool) -> Edge {
        Edge {
            from: from.to_owned(),
            to: to.to_owned(),
            in_tests_only,
        }
    }

    #[test]
    fn arrows_point_down() {
        for fine in [
            edge("engine", "net", false),
            edge("net", "hyper", false),
            edge("net", "testkit", true),
            edge("testkit", "tokio-rustls", false),
            edge("fingerpost", "axum", false),
            edge("xtask", "testkit", false),
        ] {
            assert_eq!(judge(&fine), None, "{fine:?}");
        }
        for wrong in [
            edge("net", "engine", false),
            edge("fault", "net", true),
            edge("engine", "hyper", false),
            edge("fingerpost", "reqwest", true),
            edge("engine", "testkit", false),
            edge("newcomer", "serde", false),
        ] {
            assert!(judge(&wrong).is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn a_runtime_is_found_however_deep() {
        let package = |name: &str| json!({ "id": name, "name": name });
        let node = |name: &str, below: &str, kind: Value| json!({ "id": name, "deps": [{ "pkg": below, "dep_kinds": [{ "kind": kind }] }] });
        let tree = |kind: Value| {
            json!({
                "packages": [package("fault"), package("middle"), package("tokio")],
                "resolve": { "nodes": [node("fault", "middle", Value::Null), node("middle", "tokio", kind), json!({ "id": "tokio", "deps": [] })] },
            })
        };
        assert_eq!(impure(&tree(Value::Null), "fault").len(), 1);
        assert_eq!(impure(&tree(json!("dev")), "fault"), Vec::<String>::new());
    }
}
