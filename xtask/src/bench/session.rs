//! A minimal client on two pipes, so that the measurement is of the server and not of the client.
//!
//! A request is one prepared line and a reply is one line, which is parsed after the clock has
//! stopped.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::usage;
use crate::mcp_client::initialize;

/// One kind of call, and whether it is expected to fail.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) fails: bool,
}

#[derive(Debug)]
pub(crate) struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    reply: Vec<u8>,
    next_id: u64,
    /// The time from before the process existed until its first reply.
    pub(crate) start: Duration,
}

impl Session {
    /// Starts a server with an almost empty environment and opens a session.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Result<Session, String> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear();
        Session::open(command)
    }

    /// Starts a server and opens a session.
    pub(crate) fn open(mut command: Command) -> Result<Session, String> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let hello = line(0, "initialize", &initialize());
        let began = Instant::now();
        let mut child = command.spawn().map_err(|error| {
            format!(
                "{} does not start ({})",
                command.get_program().display(),
                error.kind()
            )
        })?;
        let (input, output) = child
            .stdin
            .take()
            .zip(child.stdout.take())
            .ok_or("a child without pipes")?;
        let mut session = Session {
            child,
            input,
            output: BufReader::new(output),
            reply: Vec::new(),
            next_id: 1,
            start: Duration::ZERO,
        };
        session.exchange(&hello)?;
        session.start = began.elapsed();
        session.answer()?;
        session.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(session)
    }

    pub(crate) fn resident_kilobytes(&self) -> Result<u64, String> {
        usage::resident_kilobytes(self.child.id())
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn processor_time(&self) -> Result<Duration, String> {
        usage::processor_time(self.child.id())
    }

    /// The size of the reply to a request, in bytes.
    pub(crate) fn reply_bytes(&mut self, method: &str) -> Result<usize, String> {
        let request = line(self.fresh_id(), method, &json!({}));
        self.exchange(&request)?;
        self.answer()?;
        Ok(self.reply.len())
    }

    /// Makes one call. Returns the time from its first byte sent to the last byte received.
    pub(crate) fn call(&mut self, ask: &Ask) -> Result<Duration, String> {
        let request = self.prepare(ask);
        let began = Instant::now();
        self.exchange(&request)?;
        let took = began.elapsed();
        self.check(ask)?;
        Ok(took)
    }

    /// Makes one call. Returns its time and the reply, whether it failed or not.
    pub(crate) fn answered(&mut self, ask: &Ask) -> Result<(Duration, Value), String> {
        let took = self.call(ask)?;
        Ok((took, self.answer()?))
    }

    /// Sends several calls before it reads the first reply. Returns a message for each that did not
    /// end as expected.
    pub(crate) fn at_once(&mut self, asks: &[Ask]) -> Result<Vec<String>, String> {
        let requests: Vec<u8> = asks.iter().flat_map(|ask| self.prepare(ask)).collect();
        self.write(&requests)?;
        let mut wrong = Vec::new();
        for ask in asks {
            self.read_reply()?;
            wrong.extend(self.check(ask).err());
        }
        Ok(wrong)
    }

    /// Makes many calls, a fixed number of them at the same time.
    pub(crate) fn calls(
        &mut self,
        ask: &Ask,
        count: usize,
        in_flight: usize,
    ) -> Result<(), String> {
        for sent in 0..count + in_flight {
            if sent < count {
                let request = self.prepare(ask);
                self.write(&request)?;
            }
            if sent >= in_flight {
                self.read_reply()?;
                self.check(ask)?;
            }
        }
        Ok(())
    }

    fn prepare(&mut self, ask: &Ask) -> Vec<u8> {
        line(
            self.fresh_id(),
            "tools/call",
            &json!({"name": ask.tool, "arguments": ask.arguments}),
        )
    }

    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn exchange(&mut self, request: &[u8]) -> Result<(), String> {
        self.write(request)?;
        self.read_reply()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.input
            .write_all(bytes)
            .map_err(|error| format!("the server does not read ({})", error.kind()))
    }

    fn read_reply(&mut self) -> Result<(), String> {
        self.reply.clear();
        match self.output.read_until(b'\n', &mut self.reply) {
            Ok(0) => Err("the server ended".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("the server does not answer ({})", error.kind())),
        }
    }

    fn answer(&self) -> Result<Value, String> {
        let reply: Value =
            serde_json::from_slice(&self.reply).map_err(|_| "a reply that is not JSON")?;
        match reply.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(format!("not a result: {reply}")),
        }
    }

    /// Checks the reply, because a benchmark of wrong answers would be worthless.
    fn check(&self, ask: &Ask) -> Result<(), String> {
        let answer = self.answer()?;
        let failed = answer["isError"] == true;
        if failed == ask.fails {
            Ok(())
        } else {
            Err(format!("{} answered {answer}", ask.tool))
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(id: u64, method: &str, params: &Value) -> Vec<u8> {
    let mut line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        .to_string()
        .into_bytes();
    line.push(b'\n');
    line
}
