//! Reading in a process of its own.
//!
//! Parsers of binary formats meet hostile input, and some of what they can do cannot be caught: run
//! out of memory, overflow the stack, never come back. So the program starts itself again as a
//! worker that reads one document and ends. The worker limits its own memory and processor time
//! where the system lets it; the parent holds the deadline, kills what does not keep it, and takes
//! any other end for a broken document. The parent never parses these formats itself.
//!
//! The pipe carries one line of JSON (the hint and the limits), then the document; back comes the
//! result as JSON.

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use fault::Fault;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use reading::document::{Document, DocumentError, Hint, Limits, read_document_within};
use reading::extract;

/// The arguments that make the program a worker.
pub const WORKER_ARGUMENTS: [&str; 2] = ["__worker", "document"];

/// Room for walkers of capped depth, with a wide margin.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// Time for the process to start and to hand over its result, beyond the time to read.
const GRACE: Duration = Duration::from_secs(2);
/// How often a worker looks whether its parent is still there.
#[cfg(unix)]
const PARENT_WATCH: Duration = Duration::from_millis(250);
/// The longest line of JSON before a document.
const MAX_TASK: u64 = 64 * 1024;
/// Workers at a time; each may take [`Limits::memory`].
const WORKERS: usize = 2;

#[derive(Serialize, Deserialize)]
struct Task {
    hint: Hint,
    limits: Limits,
}

type Answer = Result<Document, DocumentError>;

/// What the worker process does: reads one document from `input`, writes the result to `output`.
///
/// Call it before anything else starts (threads, runtimes): it limits the whole process.
pub fn worker_main(input: impl Read, output: impl Write) -> io::Result<()> {
    let mut input = io::BufReader::new(input);
    let mut line = Vec::new();
    input.by_ref().take(MAX_TASK).read_until(b'\n', &mut line)?;
    let task: Task = serde_json::from_slice(&line)?;
    restrict(&task.limits);
    end_with_the_parent();
    let mut bytes = Vec::new();
    input
        .take(task.limits.input as u64 + 1)
        .read_to_end(&mut bytes)?;
    let answer = contained(bytes, task);
    let mut output = io::BufWriter::new(output);
    serde_json::to_writer(&mut output, &answer)?;
    output.flush()
}

/// Nobody waits for the result of a worker whose parent was killed.
#[cfg(unix)]
fn end_with_the_parent() {
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(PARENT_WATCH);
        }
        std::process::exit(1);
    });
}

#[cfg(not(unix))]
fn end_with_the_parent() {}

/// Reads on a thread with a stack of known size; a panic there is an answer.
fn contained(bytes: Vec<u8>, task: Task) -> Answer {
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

/// Caps this process. Where the system refuses, the parent's deadline still holds.
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

/// Extractions at once. They are CPU work; more of them would only share the same cores and hold
/// more memory.
static PARSER_THREADS: Semaphore = Semaphore::const_new(4);

/// Runs extraction on a thread of its own: it is CPU work on hostile input, and a tree walker that
/// runs out of stack would take the whole process with it. The turn ends with the thread, not with
/// the caller, so callers that give up cannot pile up work. `None` when it panicked.
pub(crate) async fn on_parser_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let turn = PARSER_THREADS.acquire().await.ok()?;
    let (answer, answered) = tokio::sync::oneshot::channel();
    let job = move || {
        let _turn = turn;
        let _ = answer.send(work());
    };
    std::thread::Builder::new()
        .name("extract".to_owned())
        .stack_size(extract::STACK_BYTES)
        .spawn(job)
        .ok()?;
    answered.await.ok()
}

/// Reads documents in worker processes.
#[derive(Debug, Clone)]
pub struct DocumentWorkers {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: Limits,
    permits: Arc<Semaphore>,
}

impl DocumentWorkers {
    /// Workers are started from this program, which must call [`worker_main`] when its arguments
    /// are [`WORKER_ARGUMENTS`].
    pub fn new(program: impl Into<PathBuf>) -> DocumentWorkers {
        DocumentWorkers {
            program: program.into(),
            arguments: WORKER_ARGUMENTS.map(OsString::from).to_vec(),
            limits: Limits::default(),
            permits: Arc::new(Semaphore::new(WORKERS)),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> DocumentWorkers {
        self.limits = limits;
        self
    }

    /// Reads a document: binary formats in a worker, text on a thread. Dropping the future ends the
    /// worker.
    pub async fn read(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        hint: Hint,
    ) -> Result<Document, Fault> {
        let size = bytes.as_ref().len();
        let limits = self.limits;
        let answer = match () {
            () if size > limits.input => Err(DocumentError::InputTooLarge),
            () if hint.kind(bytes.as_ref()).needs_worker() => self.work(bytes.as_ref(), hint).await,
            () => on_parser_thread(move || read_document_within(bytes.as_ref(), &hint, limits))
                .await
                .unwrap_or(Err(DocumentError::Crashed)),
        };
        answer.map_err(|error| error.fault(size, &limits))
    }

    async fn work(&self, bytes: &[u8], hint: Hint) -> Answer {
        let _permit = self
            .permits
            .acquire()
            .await
            .map_err(|_| DocumentError::NoWorker)?;
        let mut task = serde_json::to_vec(&Task {
            hint,
            limits: self.limits,
        })
        .map_err(|_| DocumentError::NoWorker)?;
        task.push(b'\n');
        let child = self.start().map_err(|_| DocumentError::NoWorker)?;
        match tokio::time::timeout(
            self.limits.time + GRACE,
            converse(child, &task, bytes, self.limits.text),
        )
        .await
        {
            Ok(answer) => answer,
            // Dropping the conversation dropped the child, which ended it.
            Err(_) => Err(DocumentError::TooSlow),
        }
    }

    /// A worker knows nothing of this process: no variables, no standard error.
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

/// Hands the document over, takes the result, and waits for the end.
async fn converse(mut child: Child, task: &[u8], bytes: &[u8], text: usize) -> Answer {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(DocumentError::NoWorker);
    };
    let send = async move {
        // A worker that ended early closes the pipe; its status tells why.
        let _ = stdin.write_all(task).await;
        let _ = stdin.write_all(bytes).await;
        drop(stdin);
    };
    // JSON writes some characters as six.
    let most = 6 * text as u64 + MAX_TASK;
    let receive = async move {
        let mut answer = Vec::new();
        let _ = stdout.take(most).read_to_end(&mut answer).await;
        answer
    };
    let ((), answer) = tokio::join!(send, receive);
    let status = child.wait().await.map_err(|_| DocumentError::NoWorker)?;
    match serde_json::from_slice::<Answer>(&answer) {
        Ok(answer) => answer,
        Err(_) => Err(ending(status)),
    }
}

/// What the way a worker ended says about the document.
fn ending(status: ExitStatus) -> DocumentError {
    match signal(status) {
        // An allocation that fails aborts; so does a stack that overflows, which is memory too.
        Some(6) => DocumentError::OutOfMemory,
        // Out of processor time, or killed by whoever guards the machine's memory.
        Some(24) => DocumentError::TooSlow,
        Some(9) => DocumentError::OutOfMemory,
        Some(_) => DocumentError::Crashed,
        None => DocumentError::NoWorker,
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Without signals, any odd end is taken for a crash.
#[cfg(not(unix))]
fn signal(status: ExitStatus) -> Option<i32> {
    (!status.success()).then_some(0)
}
