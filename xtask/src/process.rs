//! Starts other programs: commands that must succeed, commands whose output is needed, and servers
//! that are stopped again.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::place;

/// Runs a command with its output shown. The error names the command.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status})", shown(command)))
    }
}

/// Runs a command; its output is shown only if it fails.
pub(crate) fn quietly(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "`{}` failed ({})\n{text}{errors}",
        shown(command),
        output.status
    ))
}

/// The output of a command with a time limit, and whether it ended by itself.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) ended: bool,
}

/// Passes `input` to a command and waits at most `limit` for it to end.
pub(crate) fn within(
    limit: Duration,
    command: &mut Command,
    input: &str,
) -> Result<Written, String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading its input gives the reason in its output.
        let _ = stdin.write_all(input.as_bytes());
    }
    let (stdout, stderr) = (gather(child.stdout.take()), gather(child.stderr.take()));
    let ended = wait(&mut child, limit);
    Ok(Written {
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        ended,
    })
}

fn gather(pipe: Option<impl std::io::Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    while Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!(
        "`{}` could not be started ({})",
        shown(command),
        error.kind()
    )
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Our server over HTTP, stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts `program` and reads its address from its stderr.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Result<Server, String> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| cannot_start(&command, &error))?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no stderr")?).lines();
        let url = lines
            .by_ref()
            .map_while(Result::ok)
            .take(20)
            .find_map(|line| line.split_once("http://").map(|(_, rest)| rest.to_owned()));
        // The log must be drained, or the pipe fills and the server blocks forever.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        match url {
            Some(rest) => Ok(Server {
                child,
                url: format!("http://{}", rest.trim()),
            }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                Err(format!("`{}` did not say where it serves", shown(&command)))
            }
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its host and port.
    pub(crate) fn address(&self) -> &str {
        self.url
            .trim_start_matches("http://")
            .trim_end_matches("/mcp")
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds the program as people install it, and returns its path.
pub(crate) fn release_program() -> Result<PathBuf, String> {
    let build = ["build", "--release", "--locked", "--package", "fingerpost"];
    let mut command = Command::new(env!("CARGO"));
    run(command
        .args(build)
        .args(["--bin", "fingerpost"])
        .current_dir(place::root()))?;
    Ok(place::target().join("release/fingerpost"))
}
