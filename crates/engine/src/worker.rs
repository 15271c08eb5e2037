//! Reads documents in worker processes.
//!
//! Parsers of binary formats meet hostile input, and some of their failures cannot be caught: they
//! exhaust memory, overflow the stack or never return. So the program starts itself again as a
//! worker that reads one document and exits. The worker limits its own memory and processor time
//! and gives up files, network and programs (`sandbox`) where the system supports it; the parent
//! enforces the deadline and treats a worker that died as a broken document. The parent never
//! parses these formats itself.
//!
//! The parent writes one line of JSON (the hint and the limits) and the document to the worker's
//! stdin, and reads the result as JSON from its stdout.

mod sandbox;

use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Once};
use std::time::Duration;

use fault::Fault;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::busy::readers_are_busy;
use crate::parser_threads::{self, NotDone};
use reading::document::{Document, DocumentError, Hint, Limits, read_document_within};

/// The arguments that make the program a worker.
pub const WORKER_ARGUMENTS: [&str; 2] = ["__worker", "document"];

/// More than parsers need that recurse to a limited depth.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// Time for the process to start and to send its result, beyond the time to read the document.
const GRACE: Duration = Duration::from_secs(2);
/// How often a worker checks that its parent still runs.
#[cfg(unix)]
const PARENT_CHECK: Duration = Duration::from_millis(250);
/// Bytes of the line of JSON before the document.
const MAX_TASK: u64 = 64 * 1024;
/// Workers at a time; each may take [`Limits::memory`].
const WORKERS: usize = 2;

#[derive(Serialize, Deserialize)]
struct WorkerTask {
    hint: Hint,
    limits: Limits,
}

type WorkerResult = Result<Document, DocumentError>;

#[derive(Serialize, Deserialize)]
struct WorkerAnswer {
    result: WorkerResult,
    /// Whether the worker had given up everything that it does not need.
    was_confined: bool,
}

/// The main function of a worker: reads one document from `input`, writes the result to `output`.
///
/// Call it before any thread or runtime starts, because it limits the whole process.
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
    let answer = WorkerAnswer {
        result: read_on_own_thread(bytes, task),
        was_confined,
    };
    let mut output = io::BufWriter::new(output);
    serde_json::to_writer(&mut output, &answer)?;
    output.flush()
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

/// Reads on a thread with a stack of known size, and turns a panic into a result.
fn read_on_own_thread(bytes: Vec<u8>, task: WorkerTask) -> WorkerResult {
    std::panic::set_hook(Box::new(|_| {}));
    let job = move || read_document_within(&bytes, &task.hint, task.limits);
    match std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(job)
    {
        Ok(thread) => thread.join().unwrap_or(Err(DocumentError::Crashed)),
        Err(_) => Err(DocumentError::OutOfMemory),
    }
}

/// Limits this process. Where the system refuses that, the parent's deadline still holds.
#[cfg(unix)]
fn restrict(limits: &Limits) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let cap = |value| Rlimit {
        current: Some(value),
        maximum: Some(value),
    };
    let _ = setrlimit(Resource::As, cap(limits.memory));
    let _ = setrlimit(Resource::Cpu, cap(limits.time.as_secs() + GRACE.as_secs()));
    let _ = setrlimit(Resource::Core, cap(0));
}

#[cfg(not(unix))]
fn restrict(_: &Limits) {}

/// Why a document was not read.
#[derive(Debug, Clone)]
pub enum NotRead {
    /// It was not finished by the deadline.
    TookTooLong,
    /// Anything else, such as a broken document, or a server that is busy with others.
    Fault(Fault),
}

/// Reads documents in worker processes.
#[derive(Debug, Clone)]
pub struct DocumentWorkers {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: Limits,
    permits: Arc<Semaphore>,
}

/// Covers what decides how a document is read. The permits are state, not a setting.
impl Hash for DocumentWorkers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let DocumentWorkers {
            program,
            arguments,
            limits,
            permits: _,
        } = self;
        (program, arguments, limits).hash(state);
    }
}

impl DocumentWorkers {
    /// `program` is started as the worker. It must call [`worker_main`] when its arguments are
    /// [`WORKER_ARGUMENTS`].
    pub fn new(program: impl Into<PathBuf>) -> DocumentWorkers {
        DocumentWorkers {
            program: program.into(),
            arguments: WORKER_ARGUMENTS.map(OsString::from).to_vec(),
            limits: Limits::default(),
            permits: Arc::new(Semaphore::new(WORKERS)),
        }
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> DocumentWorkers {
        self.limits = limits;
        self
    }

    /// Reads a document: formats with a parser that could take long in a worker, the simple text
    /// formats on a thread. Dropping the future ends the worker.
    pub async fn read_document(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        hint: Hint,
        deadline: Instant,
    ) -> Result<Document, NotRead> {
        let size = bytes.as_ref().len();
        let limits = self.limits;
        let answer = match () {
            () if size > limits.input => Ok(Err(DocumentError::InputTooLarge)),
            () if hint.kind(bytes.as_ref()).needs_worker() => {
                self.in_turn(bytes.as_ref(), hint, deadline).await
            }
            () => {
                let read = move || read_document_within(bytes.as_ref(), &hint, limits);
                match parser_threads::run(deadline, read).await {
                    Err(NotDone::Panicked) => Ok(Err(DocumentError::Crashed)),
                    done => done,
                }
            }
        };
        match answer {
            Ok(read) => read.map_err(|error| NotRead::Fault(error.fault(size, &limits))),
            Err(NotDone::Waited) => Err(NotRead::Fault(readers_are_busy())),
            Err(_) => Err(NotRead::TookTooLong),
        }
    }

    /// Waits for a worker to be free, then runs one.
    async fn in_turn(
        &self,
        bytes: &[u8],
        hint: Hint,
        deadline: Instant,
    ) -> Result<WorkerResult, NotDone> {
        let asked = Instant::now();
        let Ok(permit) = tokio::time::timeout_at(deadline, self.permits.acquire()).await else {
            return Err(NotDone::Waited);
        };
        let Ok(_permit) = permit else {
            return Ok(Err(DocumentError::NoWorker));
        };
        let begun = Instant::now();
        tokio::time::timeout_at(deadline, self.run_worker(bytes, hint))
            .await
            .map_err(|_| NotDone::late(asked, begun))
    }

    async fn run_worker(&self, bytes: &[u8], hint: Hint) -> WorkerResult {
        let mut task = serde_json::to_vec(&WorkerTask {
            hint,
            limits: self.limits,
        })
        .map_err(|_| DocumentError::NoWorker)?;
        task.push(b'\n');
        let child = self.start().map_err(|_| DocumentError::NoWorker)?;
        match tokio::time::timeout(
            self.limits.time + GRACE,
            exchange(child, &task, bytes, self.limits.text),
        )
        .await
        {
            Ok(answer) => answer,
            // The timeout dropped the child, which killed it.
            Err(_) => Err(DocumentError::TooSlow),
        }
    }

    /// Starts a worker without environment variables and without stderr.
    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.env_clear();
        command.spawn()
    }
}

/// Sends the document, receives the result, and waits for the exit.
async fn exchange(mut child: Child, task: &[u8], bytes: &[u8], text: usize) -> WorkerResult {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(DocumentError::NoWorker);
    };
    let send = async move {
        // A worker that exited early has closed the pipe; its exit status says why.
        let _ = stdin.write_all(task).await;
        let _ = stdin.write_all(bytes).await;
        drop(stdin);
    };
    // JSON escapes some characters as six bytes.
    let most = 6 * text as u64 + MAX_TASK;
    let receive = async move {
        let mut answer = Vec::new();
        let _ = stdout.take(most).read_to_end(&mut answer).await;
        answer
    };
    let ((), answer) = tokio::join!(send, receive);
    let status = child.wait().await.map_err(|_| DocumentError::NoWorker)?;
    match serde_json::from_slice::<WorkerAnswer>(&answer) {
        Ok(answer) => {
            warn_if_unconfined(answer.was_confined);
            answer.result
        }
        Err(_) => Err(error_from_exit(status)),
    }
}

/// Says once that documents are read without a sandbox, because nobody would notice otherwise.
fn warn_if_unconfined(was_confined: bool) {
    static WARNING: Once = Once::new();
    if !was_confined {
        WARNING.call_once(|| {
            tracing::warn!(
                "this system has no seccomp filters: document workers can open files and the network"
            );
        });
    }
}

/// What the exit status of a worker without a result says about the document.
fn error_from_exit(status: ExitStatus) -> DocumentError {
    match signal(status) {
        // SIGABRT: an allocation failed, or the stack overflowed.
        Some(6) => DocumentError::OutOfMemory,
        // SIGXCPU: the processor time is used up.
        Some(24) => DocumentError::TooSlow,
        // SIGKILL: most likely from the system's out-of-memory killer.
        Some(9) => DocumentError::OutOfMemory,
        Some(_) => DocumentError::Crashed,
        None => DocumentError::NoWorker,
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Without signals, any failure counts as a crash.
#[cfg(not(unix))]
fn signal(status: ExitStatus) -> Option<i32> {
    (!status.success()).then_some(0)
}
