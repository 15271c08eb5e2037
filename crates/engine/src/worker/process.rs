//! What runs in a worker process: it reads one document, answers, and hands over the pages that are
//! wanted as pictures.

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{SyncSender, sync_channel};
#[cfg(unix)]
use std::time::Duration;

use reading::document::scan::Scan;
use reading::document::{DocumentError, Limits, read_with_scans};

use super::{GRACE, MAX_TASK, PictureHead, WORKER_ARGUMENTS, WorkerAnswer, WorkerTask};
use super::{ocr, sandbox};

/// More than parsers need that recurse to a limited depth.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// How often a worker checks that its parent still runs.
#[cfg(unix)]
const PARENT_CHECK: Duration = Duration::from_millis(250);

/// The main function of a worker. `None` if the arguments of the program, without its name, are not
/// those of a worker.
///
/// Call it before any thread or runtime starts, because it limits the whole process.
pub fn run_as_worker(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let arguments: Vec<OsString> = arguments.collect();
    if arguments == WORKER_ARGUMENTS {
        let done = worker_main(io::stdin().lock(), io::stdout().lock());
        return Some(match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        });
    }
    ocr::run_as_worker(&arguments)
}

/// Reads one document from `input`, writes the result to `output`.
pub fn worker_main(input: impl Read, output: impl Write) -> io::Result<()> {
    let mut input = io::BufReader::new(input);
    let mut line = Vec::new();
    input.by_ref().take(MAX_TASK).read_until(b'\n', &mut line)?;
    let task: WorkerTask = serde_json::from_slice(&line)?;
    restrict(&task.limits);
    let was_confined = sandbox::confine();
    exit_with_parent();
    let mut bytes = Vec::new();
    input
        .take(task.limits.input as u64 + 1)
        .read_to_end(&mut bytes)?;
    answer(bytes, task, was_confined, io::BufWriter::new(output))
}

/// Ends the worker when its parent was killed, since nobody waits for the result then.
#[cfg(unix)]
fn exit_with_parent() {
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(PARENT_CHECK);
        }
        std::process::exit(1);
    });
}

#[cfg(not(unix))]
fn exit_with_parent() {}

enum Message {
    Answer(Box<WorkerAnswer>),
    Scan(Scan),
}

/// Reads on a thread with a stack of known size, turns a panic into a result, and writes what the
/// thread finds. The thread waits until each message is written, so that no pictures pile up.
fn answer(
    bytes: Vec<u8>,
    task: WorkerTask,
    was_confined: bool,
    mut output: impl Write,
) -> io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, receiver) = sync_channel(0);
    let job = move || read_and_send(&bytes, task, was_confined, &sender);
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(job);
    let mut has_answered = false;
    for message in receiver {
        match message {
            Message::Answer(answer) => write_line(&mut output, &answer)?,
            Message::Scan(scan) => write_scan(&mut output, scan)?,
        }
        has_answered = true;
        output.flush()?;
    }
    if has_answered {
        return Ok(());
    }
    let failed = match thread {
        Ok(_) => DocumentError::Crashed,
        Err(_) => DocumentError::OutOfMemory,
    };
    let answer = WorkerAnswer {
        result: Err(failed),
        scans: Vec::new(),
        was_confined,
    };
    write_line(&mut output, &answer)?;
    output.flush()
}

fn read_and_send(bytes: &[u8], task: WorkerTask, was_confined: bool, sender: &SyncSender<Message>) {
    let (result, scans) = match read_with_scans(bytes, &task.hint, task.limits) {
        Ok((document, scans)) => (Ok(document), scans),
        Err(error) => (Err(error), None),
    };
    let answer = WorkerAnswer {
        result,
        scans: scans.as_ref().map(|it| it.pages()).unwrap_or_default(),
        was_confined,
    };
    // A receiver that is gone wants no more.
    if sender.send(Message::Answer(Box::new(answer))).is_err() {
        return;
    }
    if let Some(scans) = scans {
        scans.hand_over(task.limits, |scan| sender.send(Message::Scan(scan)).is_ok());
    }
}

/// Writes a line of JSON.
fn write_line(output: &mut impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    output.write_all(b"\n")
}

/// Writes a line about the page, and the samples of its picture after it.
fn write_scan(output: &mut impl Write, scan: Scan) -> io::Result<()> {
    let picture = scan.picture.as_ref();
    let head = PictureHead {
        page: scan.page,
        size: picture.map(|it| (it.width, it.height)),
        dpi: picture.and_then(|it| it.dpi),
    };
    write_line(output, &head)?;
    output.write_all(picture.map_or(&[], |it| &it.samples))
}

/// Limits this process. Where the system refuses that, the parent's deadline still holds.
#[cfg(unix)]
fn restrict(limits: &Limits) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let cap = |value, at_most| Rlimit {
        current: Some(value),
        maximum: Some(at_most),
    };
    let seconds = limits.time.as_secs() + GRACE.as_secs();
    let _ = setrlimit(Resource::As, cap(limits.memory, limits.memory));
    // At the second limit the system kills, which would look like too little memory.
    let _ = setrlimit(Resource::Cpu, cap(seconds, seconds + 1));
    let _ = setrlimit(Resource::Core, cap(0, 0));
}

#[cfg(not(unix))]
fn restrict(_: &Limits) {}
