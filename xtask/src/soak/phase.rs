//! The two phases of a soak: a Redis that is killed and comes back, and a SQLite file that may not
//! grow any more.

use std::{cell::RefCell, path::Path, time::Duration};

use serde_json::json;

use super::{
    crowd::{Moment, Soak},
    ledger::Ledger,
    memory::Memory,
    plan,
    tally::Tally,
    world::World,
};
use crate::{
    Outcome,
    mcp_client::{Era, HttpClient},
    process::Server,
    redis::{Keeps, Redis},
};

/// What a phase has found.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) name: &'static str,
    pub(super) tally: Tally,
    pub(super) memory: Memory,
    pub(super) acknowledged: usize,
    pub(super) checks: Vec<(&'static str, Outcome)>,
}

/// Short, because a call that is held waits as long.
const DEADLINE_SECONDS: &str = "3";
/// How long Redis is away.
const AWAY: Duration = Duration::from_secs(1);
/// After which share of the calls it is killed, in percent.
const RESTARTS: [usize; 3] = [45, 65, 85];

/// Calls with a store in Redis, which is killed and started again three times.
pub(super) fn with_restarts(program: &Path, world: &World, calls: usize) -> Result<Report, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut redis = Redis::start(folder.path(), Keeps::Everything)?;
    let mut flags = flags(world, &folder.path().join("data"));
    flags.extend(["--store".to_owned(), redis.url()]);
    let server = start(program, &flags)?;
    let ledger = Ledger::default();
    let memory = RefCell::default();
    let soak = Soak {
        address: server.address(),
        world,
        ledger: &ledger,
        calls,
        long_text: "",
    };
    let redis = RefCell::new(&mut redis);
    let restarts = RESTARTS.map(|percent| Moment {
        after: calls * percent / 100,
        act: Box::new(|| redis.borrow_mut().restart(AWAY)),
    });
    let mut moments = looks_at(&memory, &server, calls);
    moments.extend(restarts);
    let tally = soak.run(moments)?;
    let mut memory = memory.into_inner();
    memory.note(&server)?;
    let checks = vec![
        (
            "the restarts were noticed",
            seen(&tally, "store", "no call met a store that was away"),
        ),
        ("no acknowledged step is lost", kept(&ledger, &server)),
        ("health_check answers", healthy(&server)),
    ];
    Ok(Report {
        name: "Redis restarts",
        acknowledged: ledger.steps(),
        tally,
        memory,
        checks,
    })
}

/// The limit of a file's size, in blocks of 512 or 1024 bytes, depending on the shell. The signal
/// is ignored, so that a write fails as on a full disk.
const WITH_SMALL_FILES: &str = "trap '' XFSZ; ulimit -f 1600; exec \"$0\" \"$@\"";
/// The longest text of a step is 20 000 characters.
const LONG_TEXT: usize = 19_000;

/// Calls with a store in SQLite, which soon has no room. Then the server is started again with room.
pub(super) fn with_full_store(
    program: &Path,
    world: &World,
    calls: usize,
) -> Result<Report, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let flags = flags(world, folder.path());
    let shown = program.display().to_string();
    let script = ["-c", WITH_SMALL_FILES, &shown].map(str::to_owned);
    let small: Vec<String> = script.into_iter().chain(flags.iter().cloned()).collect();
    let server = start(Path::new("sh"), &small)?;
    let ledger = Ledger::default();
    let memory = RefCell::default();
    let long_text = "long ".repeat(LONG_TEXT / 5);
    let soak = Soak {
        address: server.address(),
        world,
        ledger: &ledger,
        calls,
        long_text: &long_text,
    };
    let tally = soak.run(looks_at(&memory, &server, calls))?;
    let mut memory = memory.into_inner();
    memory.note(&server)?;
    let mut checks = vec![
        (
            "the store filled up",
            seen(&tally, "store", "every write had room"),
        ),
        ("no acknowledged step is lost", kept(&ledger, &server)),
        ("health_check answers", healthy(&server)),
    ];
    drop(server);
    let roomy = start(program, &flags)?;
    checks.extend([
        ("nor after a restart with room", kept(&ledger, &roomy)),
        ("and steps are taken again", takes_a_step(&roomy)),
    ]);
    Ok(Report {
        name: "SQLite without room",
        acknowledged: ledger.steps(),
        tally,
        memory,
        checks,
    })
}

/// The moments at which the server's memory is noted.
fn looks_at<'m>(memory: &'m RefCell<Memory>, server: &'m Server, calls: usize) -> Vec<Moment<'m>> {
    let look = |percent| Moment {
        after: calls * percent / 100,
        act: Box::new(|| memory.borrow_mut().note(server)),
    };
    Memory::MOMENTS.into_iter().map(look).collect()
}

fn flags(world: &World, data: &Path) -> Vec<String> {
    let own = [
        "serve",
        "--http",
        "127.0.0.1:0",
        "--browser",
        "never",
        "--deadline",
        DEADLINE_SECONDS,
        "--max-memory",
        "128",
        Memory::FLAG,
        "--data-dir",
    ];
    let mut flags: Vec<String> = own.map(str::to_owned).to_vec();
    flags.push(data.display().to_string());
    flags.extend(world.flags());
    flags
}

fn start(program: &Path, words: &[String]) -> Result<Server, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Server::start(program, &words)
}

/// Whether calls have failed for this reason: a soak that provokes nothing proves nothing.
fn seen(tally: &Tally, reason: &str, otherwise: &str) -> Outcome {
    match tally.failures_for(reason) {
        0 => Err(otherwise.to_owned()),
        _ => Ok(()),
    }
}

fn kept(ledger: &Ledger, server: &Server) -> Outcome {
    let mut client = HttpClient::connect(server.address(), Era::Stateless)?;
    let lost = ledger.lost(&mut client)?;
    match (ledger.steps(), lost.first()) {
        (0, _) => Err("no step was acknowledged at all".to_owned()),
        (_, None) => Ok(()),
        (_, Some(first)) => Err(format!("{} are, such as {first}", lost.len())),
    }
}

fn healthy(server: &Server) -> Outcome {
    succeeds(server, "health_check", &json!({}))
}

fn takes_a_step(server: &Server) -> Outcome {
    let step = json!({"goal": "Is there room?", "searchStep": "Look"});
    succeeds(server, plan::STEP, &step)
}

fn succeeds(server: &Server, tool: &str, arguments: &serde_json::Value) -> Outcome {
    let mut client = HttpClient::connect(server.address(), Era::Stateless)?;
    let message = client.prepare(json!({"name": tool, "arguments": arguments}));
    let reply = client.exchange(&message)?;
    if reply["result"]["isError"] == false {
        Ok(())
    } else {
        Err(format!("{tool} answered {reply}"))
    }
}
