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
//! stdin, and reads the result as a line of JSON from its stdout. Pages that are wanted as pictures
//! follow, each as a line and its samples; `ocr` has another program recognise the text in them.

mod ocr;
mod ocr_text;
mod process;
mod sandbox;
mod scanned;
mod turns;

use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Once};
use std::time::Duration;

use fault::Fault;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::busy::readers_are_busy;
use crate::parser_threads::{self, NotDone};
use reading::document::{Document, DocumentError, Hint, Limits, read_document_within};
use scanned::{PagesToRecognise, ReadError};

pub use ocr::{OcrProgram, OcrState, OcrUse};
pub use process::{run_as_worker, worker_main};

/// The arguments that make the program a worker.
pub const WORKER_ARGUMENTS: [&str; 2] = ["__worker", "document"];

/// Time for the process to start and to send its result, beyond the time to read the document.
const GRACE: Duration = Duration::from_secs(2);
/// Bytes of the line of JSON before the document.
const MAX_TASK: u64 = 64 * 1024;
/// Workers at a time; each may take [`Limits::memory`].
const WORKERS: usize = 2;
/// Documents whose pictures are recognised at a time. Each has a worker and a recogniser.
const RECOGNISERS: usize = 2;

#[derive(Serialize, Deserialize)]
struct WorkerTask {
    hint: Hint,
    limits: Limits,
}

type WorkerResult = Result<Document, DocumentError>;

#[derive(Serialize, Deserialize)]
struct WorkerAnswer {
    result: WorkerResult,
    /// The pages that follow as pictures.
    scans: Vec<u32>,
    /// Whether the worker had given up everything that it does not need.
    was_confined: bool,
}

/// The line before the samples of a picture.
#[derive(Serialize, Deserialize)]
struct PictureHead {
    page: u32,
    /// Width and height. `None` if the picture cannot be decoded.
    size: Option<(u32, u32)>,
    dpi: Option<u32>,
}

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
    ocr: OcrUse,
    permits: Arc<Semaphore>,
    /// One more worker, for quick documents while the others are busy: two hostile ones would keep
    /// everybody else waiting for as long as a document may take.
    quick: Arc<Semaphore>,
    /// Turns to recognise text in the pictures of one document.
    recognisers: Arc<Semaphore>,
}

/// Covers what decides how a document is read. The permits are state, not a setting.
impl Hash for DocumentWorkers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let DocumentWorkers {
            program,
            arguments,
            limits,
            ocr,
            permits: _,
            quick: _,
            recognisers: _,
        } = self;
        (program, arguments, limits, ocr).hash(state);
    }
}

impl DocumentWorkers {
    /// `program` is started as the worker. It must call [`run_as_worker`] with its arguments.
    pub fn new(program: impl Into<PathBuf>) -> DocumentWorkers {
        DocumentWorkers {
            program: program.into(),
            arguments: WORKER_ARGUMENTS.map(OsString::from).to_vec(),
            limits: Limits::default(),
            ocr: OcrUse::default(),
            permits: Arc::new(Semaphore::new(WORKERS)),
            quick: Arc::new(Semaphore::new(1)),
            recognisers: Arc::new(Semaphore::new(RECOGNISERS)),
        }
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> DocumentWorkers {
        self.limits = limits;
        self
    }

    #[must_use]
    pub fn with_ocr(mut self, ocr: OcrUse) -> DocumentWorkers {
        self.ocr = ocr;
        self
    }

    /// Whether there is a program that recognises text in pictures.
    pub(crate) fn has_ocr(&self) -> bool {
        matches!(self.ocr, OcrUse::With(_))
    }

    /// Whether text in pictures can be recognised. Starts the program, if there is one.
    pub async fn ocr_state(&self) -> OcrState {
        match &self.ocr {
            OcrUse::Never => OcrState::Off,
            OcrUse::Missing => OcrState::Missing,
            OcrUse::With(ocr) => ocr.state(&self.program).await,
        }
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
            () if size > limits.input => Ok(Err(DocumentError::InputTooLarge.into())),
            () if hint.kind(bytes.as_ref()).needs_worker() => {
                self.in_turn(bytes.as_ref(), hint, deadline).await
            }
            () => {
                let limits = self.limits_until(deadline);
                let read = move || read_document_within(bytes.as_ref(), &hint, limits);
                match parser_threads::run(deadline, read).await {
                    Err(NotDone::Panicked) => Ok(Err(DocumentError::Crashed.into())),
                    done => done.map(|read| read.map_err(ReadError::from)),
                }
            }
        };
        match answer {
            Ok(read) => read.map_err(|error| NotRead::Fault(error.fault(size, &limits, &self.ocr))),
            Err(NotDone::Waited) => Err(NotRead::Fault(readers_are_busy())),
            Err(_) => Err(NotRead::TookTooLong),
        }
    }

    /// The limits for a document that is wanted by the deadline: a reader that knows how little time
    /// there is stops in time, with what it has.
    fn limits_until(&self, deadline: Instant) -> Limits {
        let left = deadline.saturating_duration_since(Instant::now());
        Limits {
            time: self.limits.time.min(left.mul_f32(0.9)),
            ..self.limits
        }
    }

    /// Waits for a worker to be free, then runs one.
    async fn in_turn(
        &self,
        bytes: &[u8],
        hint: Hint,
        deadline: Instant,
    ) -> Result<Result<Document, ReadError>, NotDone> {
        let scans = hint.scans.filter(|_| self.has_ocr());
        let hint = Hint { scans, ..hint };
        let is_short = deadline < Instant::now() + self.limits.time;
        let answered = self.read_in_turn(bytes, &hint, deadline).await?;
        match (answered, &self.ocr) {
            (Err(DocumentError::TooSlow), _) if is_short => Err(NotDone::TookTooLong),
            (Err(error), _) => Ok(Err(error.into())),
            (Ok(Answered::Whole(document)), _) => Ok(Ok(*document)),
            (Ok(Answered::WithPictures(pictures)), OcrUse::With(ocr)) => {
                let recognising = self.recognise(ocr, pictures, bytes, &hint, deadline);
                recognising.await
            }
            (Ok(Answered::WithPictures(pictures)), _) => Ok(Ok(pictures.document)),
        }
    }

    /// Recognises the text of pictures, when it is this document's turn. Turns are few and take long,
    /// so a document that waits for one keeps neither a worker nor a permit of other documents: it is
    /// read again.
    async fn recognise(
        &self,
        ocr: &OcrProgram,
        pictures: Box<PagesToRecognise>,
        bytes: &[u8],
        hint: &Hint,
        deadline: Instant,
    ) -> Result<Result<Document, ReadError>, NotDone> {
        if let Ok(_turn) = self.recognisers.try_acquire() {
            let read = pictures.recognise(ocr, &self.program, deadline);
            let read = tokio::time::timeout_at(deadline, read).await;
            return read.map_err(|_| NotDone::TookTooLong);
        }
        drop(pictures);
        let read = async {
            match self.run_worker(bytes, hint, deadline).await? {
                Answered::Whole(document) => Ok(*document),
                Answered::WithPictures(pictures) => {
                    pictures.recognise(ocr, &self.program, deadline).await
                }
            }
        };
        self.within(&self.recognisers, deadline, read).await
    }

    async fn run_worker(
        &self,
        bytes: &[u8],
        hint: &Hint,
        deadline: Instant,
    ) -> Result<Answered, DocumentError> {
        let limits = self.limits_until(deadline);
        let mut task = serde_json::to_vec(&WorkerTask {
            hint: hint.clone(),
            limits,
        })
        .map_err(|_| DocumentError::NoWorker)?;
        task.push(b'\n');
        let child = self.start().map_err(|_| DocumentError::NoWorker)?;
        let answered = tokio::time::timeout(
            limits.time + GRACE,
            exchange(child, &task, bytes, self.limits.text),
        );
        // A timeout drops the child, which kills it.
        answered.await.map_err(|_| DocumentError::TooSlow)?
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

/// What a worker has made of a document.
enum Answered {
    Whole(Box<Document>),
    /// It still runs, to hand over pages.
    WithPictures(Box<PagesToRecognise>),
}

/// Sends the document and receives the result. Waits for the exit, unless pictures follow.
async fn exchange(
    mut child: Child,
    task: &[u8],
    bytes: &[u8],
    text: usize,
) -> Result<Answered, DocumentError> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(DocumentError::NoWorker);
    };
    let send = async move {
        // A worker that exited early has closed the pipe; its exit status says why.
        let _ = stdin.write_all(task).await;
        let _ = stdin.write_all(bytes).await;
        drop(stdin);
    };
    let mut output = BufReader::new(stdout);
    // JSON escapes some characters as six bytes.
    let receive = read_line(&mut output, 6 * text as u64 + MAX_TASK);
    let ((), answer) = tokio::join!(send, receive);
    let Ok(answer) = serde_json::from_slice::<WorkerAnswer>(&answer) else {
        let status = child.wait().await.map_err(|_| DocumentError::NoWorker)?;
        return Err(error_from_exit(status));
    };
    warn_if_unconfined(answer.was_confined);
    let document = answer.result?;
    if !is_plausible(&document, text) {
        return Err(DocumentError::Crashed);
    }
    if answer.scans.is_empty() {
        let _ = child.wait().await;
        return Ok(Answered::Whole(Box::new(document)));
    }
    Ok(Answered::WithPictures(Box::new(PagesToRecognise {
        document,
        pages: answer.scans,
        child,
        output,
    })))
}

/// A line of the worker's output, with at most this many bytes.
async fn read_line(output: &mut BufReader<ChildStdout>, most: u64) -> Vec<u8> {
    let mut line = Vec::new();
    let _ = output.take(most).read_until(b'\n', &mut line).await;
    line
}

/// Whether a reader of ours can have made this. A worker that was taken over answers what it likes, and
/// its parts are places in the text, at which it is cut.
fn is_plausible(document: &Document, text: usize) -> bool {
    let starts = || document.parts.iter().filter_map(|part| part.start);
    document.markdown.len() <= text
        && starts().is_sorted()
        && starts().all(|start| document.markdown.is_char_boundary(start))
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
