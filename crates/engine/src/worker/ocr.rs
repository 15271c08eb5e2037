//! Text in pictures, recognised by the operator's tesseract.
//!
//! The document worker starts no programs, so the server does. It starts this program again, which
//! limits itself, gives up what recognition does not need (`sandbox::confine_recogniser`) and becomes
//! tesseract. Tesseract is given one picture on its stdin: a header of three numbers that are
//! checked here, and as many samples as they say, passed on from the document worker piece by piece.
//! So its decoders of picture formats never see a byte that somebody else chose the meaning of.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use reading::document::scan::MAX_SAMPLES;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use super::PictureHead;
use super::ocr_text::{RecognisedText, recognised};

/// The first arguments that make the program a recogniser: then come the seconds of processor time,
/// the folder of its data, if it is not the usual one, the program to become and its arguments.
const RECOGNISER_ARGUMENTS: [&str; 2] = ["__worker", "ocr"];

/// The name of the program.
const PROGRAM: &str = "tesseract";

/// Bytes that are written about one page. A page of small print has 3 000 words, and a word takes 60.
const MAX_TEXT: u64 = 2_000_000;
/// Address space. A full sheet of the most samples takes less than 300 MB in one language, and each
/// further language brings its data.
#[cfg(unix)]
const MEMORY: u64 = 1_000_000_000;
/// Processor time for one page.
const PAGE_SECONDS: u64 = 120;
/// How long the program may take to say which languages it has.
const LIST_TIME: Duration = Duration::from_secs(5);

/// Whether text in pictures is recognised.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum OcrUse {
    /// The operator does not want it.
    Never,
    /// There is no program for it.
    #[default]
    Missing,
    With(OcrProgram),
}

/// The program that recognises text, and its surroundings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OcrProgram {
    pub program: PathBuf,
    /// The names of its language data, such as `eng`.
    pub languages: Vec<String>,
    /// The directories with programs, as in `PATH`.
    pub search_path: OsString,
    /// Where its language data are, as in `TESSDATA_PREFIX`.
    pub data: Option<OsString>,
}

/// What can be said about the program without a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OcrState {
    Off,
    Missing,
    /// It does not start, or does not answer.
    Fails,
    /// It has no data for these languages.
    NoLanguage(Vec<String>),
    Works,
}

/// Why the text of a page is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFailure {
    /// The picture cannot be decoded.
    Undecodable,
    /// The program ended with an error, or did not start.
    Failed,
    /// What came from the document worker is no picture.
    NoPicture,
}

impl OcrProgram {
    /// The program on this search path. `None` where there is none, and on systems where a program
    /// cannot be limited before it starts.
    pub fn find(search_path: &OsStr) -> Option<PathBuf> {
        // A folder without a root would be one below whatever directory this program runs in.
        let mut folders = std::env::split_paths(search_path).filter(|it| it.is_absolute());
        let found = folders.find_map(|folder| {
            let program = folder.join(PROGRAM);
            is_program(&program).then_some(program)
        });
        found.filter(|_| cfg!(unix))
    }

    /// Recognises the text of a picture whose samples `samples` holds.
    pub(super) async fn recognise(
        &self,
        own_program: &Path,
        head: &PictureHead,
        samples: &mut (impl AsyncRead + Unpin),
    ) -> Result<RecognisedText, PageFailure> {
        let Some((width, height)) = head.size else {
            return Err(PageFailure::Undecodable);
        };
        let bytes = u64::from(width) * u64::from(height);
        if !(1..=MAX_SAMPLES).contains(&bytes) {
            return Err(PageFailure::NoPicture);
        }
        let mut samples = samples.take(bytes);
        let read = self.run_on(own_program, (width, height), head.dpi, &mut samples);
        let read = read.await;
        // The next picture begins after this one, whether its samples were used or not.
        let _ = tokio::io::copy(&mut samples, &mut tokio::io::sink()).await;
        if samples.limit() > 0 {
            return Err(PageFailure::NoPicture);
        }
        read.ok_or(PageFailure::Failed)
    }

    async fn run_on(
        &self,
        own_program: &Path,
        (width, height): (u32, u32),
        dpi: Option<u32>,
        samples: &mut (impl AsyncRead + Unpin),
    ) -> Option<RecognisedText> {
        let mut arguments = vec!["stdin".to_owned(), "stdout".to_owned()];
        arguments.extend(["-l".to_owned(), self.languages.join("+")]);
        // A table of words instead of the text: it says how sure the program is of each.
        arguments.extend(["-c".to_owned(), "tessedit_create_tsv=1".to_owned()]);
        // Below 70 it would not believe it.
        if let Some(dpi) = dpi.filter(|dpi| (70..=2_400).contains(dpi)) {
            arguments.extend(["--dpi".to_owned(), dpi.to_string()]);
        }
        let mut child = self.start(own_program, &arguments).ok()?;
        let mut stdin = child.stdin.take()?;
        let send = async move {
            let head = format!("P5\n{width} {height}\n255\n");
            // A program that exited early has closed the pipe; its exit status says so.
            if stdin.write_all(head.as_bytes()).await.is_ok() {
                let _ = tokio::io::copy(samples, &mut stdin).await;
            }
            drop(stdin);
        };
        let ((), (text, status)) = tokio::join!(send, output(child));
        status?.success().then(|| recognised(&text))
    }

    /// Whether the program works and has the languages that are wanted.
    pub(super) async fn state(&self, own_program: &Path) -> OcrState {
        let Ok(child) = self.start(own_program, &["--list-langs".to_owned()]) else {
            return OcrState::Fails;
        };
        let listed = tokio::time::timeout(LIST_TIME, output(child)).await;
        let Ok((text, Some(status))) = listed else {
            return OcrState::Fails;
        };
        if !status.success() {
            return OcrState::Fails;
        }
        let text = String::from_utf8_lossy(&text);
        let has = |language: &String| text.lines().any(|line| line.trim() == language);
        let wanted = self.languages.iter();
        let missing: Vec<String> = wanted.filter(|it| !has(it)).cloned().collect();
        if missing.is_empty() {
            OcrState::Works
        } else {
            OcrState::NoLanguage(missing)
        }
    }

    /// Starts this program as one that becomes the recogniser. Dropping the child ends it.
    fn start(&self, own_program: &Path, arguments: &[String]) -> std::io::Result<Child> {
        let mut command = Command::new(own_program);
        command
            .args(RECOGNISER_ARGUMENTS)
            .arg(PAGE_SECONDS.to_string())
            .arg(self.data.as_deref().unwrap_or_default())
            .arg(&self.program)
            .args(arguments)
            .env_clear()
            .env("PATH", &self.search_path)
            // One page at a time, and no thread that would need a process limit.
            .env("OMP_THREAD_LIMIT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        if let Some(data) = &self.data {
            command.env("TESSDATA_PREFIX", data);
        }
        command.spawn()
    }
}

/// What the program writes, and how it ends.
async fn output(mut child: Child) -> (Vec<u8>, Option<ExitStatus>) {
    let mut text = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let _ = stdout.take(MAX_TEXT).read_to_end(&mut text).await;
    }
    (text, child.wait().await.ok())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(_: &Path) -> bool {
    false
}

/// Becomes the recogniser, if these are its arguments. Returns only if that fails.
#[cfg(unix)]
pub(super) fn run_as_worker(arguments: &[OsString]) -> Option<ExitCode> {
    use std::os::unix::process::CommandExt;
    let rest = arguments
        .split_first_chunk::<2>()
        .filter(|(first, _)| **first == RECOGNISER_ARGUMENTS)?
        .1;
    let [seconds, data, program, arguments @ ..] = rest else {
        return Some(ExitCode::FAILURE);
    };
    let seconds = seconds.to_str().and_then(|text| text.parse().ok());
    restrict(seconds.unwrap_or(PAGE_SECONDS));
    super::sandbox::confine_recogniser(Path::new(program), Path::new(data));
    let _failed = std::process::Command::new(program).args(arguments).exec();
    Some(ExitCode::FAILURE)
}

#[cfg(not(unix))]
pub(super) fn run_as_worker(arguments: &[OsString]) -> Option<ExitCode> {
    let first = arguments.get(..2)?;
    (first == RECOGNISER_ARGUMENTS).then_some(ExitCode::FAILURE)
}

/// Limits the process that becomes the recogniser.
#[cfg(unix)]
fn restrict(seconds: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limits = [
        (Resource::As, MEMORY),
        (Resource::Cpu, seconds),
        (Resource::Core, 0),
        (Resource::Nofile, 64),
    ];
    for (resource, most) in limits {
        let cap = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        let _ = setrlimit(resource, cap);
    }
}
