//! Starts and ends a browser's processes.
//!
//! The browser expects its pipes at descriptors 3 and 4. The standard library cannot place them
//! there, but a shell can: it moves its standard input and output and then becomes the browser.
//! Only this process holds the other ends of the pipes, so the browser ends when this process does,
//! for whatever reason.
//!
//! All its processes form one group, so that they can be killed together. Its environment contains
//! only a path and directories: a page that breaks out of its renderer finds no key of ours there.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::devtools::DevTools;
use super::find_program::search_path;
use super::flags::flags;
use super::profile::Profile;

/// The most that a start may take. On a busy machine with a cold cache it takes seconds.
const START_TIME: Duration = Duration::from_secs(30);

/// How long the browser has to exit after its pipes have closed, before it is killed.
const EXIT_TIME: Duration = Duration::from_secs(3);

/// How many bytes of the browser's error output are kept.
const STDERR_TAIL: usize = 4_000;

const SHELL: &str = "/bin/sh";
const BECOME_BROWSER: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// Why a browser did not start: its error output, for the operator.
#[derive(Debug)]
pub(super) struct LaunchError(pub(super) String);

/// Starts a browser with its sandbox, or without it where the system does not support it.
pub(super) async fn launch(program: &Path) -> Result<(DevTools, BrowserProcess), LaunchError> {
    if is_root() {
        tracing::warn!("the browser runs without its sandbox, because this process is root");
        return start(program, false).await;
    }
    match start(program, true).await {
        Err(failed) if lacks_namespaces() => {
            tracing::warn!(
                words = failed.0,
                "the browser runs without its sandbox, because user namespaces are not available here"
            );
            start(program, false).await
        }
        outcome => outcome,
    }
}

async fn start(program: &Path, sandboxed: bool) -> Result<(DevTools, BrowserProcess), LaunchError> {
    let failed = |error: io::Error| LaunchError(error.to_string());
    let profile = Profile::new().map_err(failed)?;
    let mut child = command(program, profile.path(), sandboxed)
        .spawn()
        .map_err(failed)?;
    #[cfg(target_os = "linux")]
    if let Some(id) = child.id() {
        super::memory::limit_data(id);
    }
    let (input, output, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut running = BrowserProcess {
        group: child.id(),
        child,
        profile: Some(profile),
    };
    let words = StderrTail::default();
    if let Some(stderr) = stderr {
        tokio::spawn(words.clone().listen(stderr));
    }
    let (Some(input), Some(output)) = (input, output) else {
        return Err(LaunchError("no pipes".into()));
    };
    let devtools = DevTools::open(input, output);
    let answered = tokio::select! {
        answer = devtools.call(None, "Browser.getVersion", json!({})) => answer.is_ok(),
        _ = running.child.wait() => false,
        () = tokio::time::sleep(START_TIME) => false,
    };
    if answered {
        return Ok((devtools, running));
    }
    running.end(devtools.closed()).await;
    Err(LaunchError(words.text()))
}

fn command(program: &Path, profile: &Path, sandboxed: bool) -> Command {
    let mut command = Command::new(SHELL);
    command
        .arg("-c")
        .arg(BECOME_BROWSER)
        .arg(program)
        .args(flags(profile, sandboxed));
    command
        .env_clear()
        .env("PATH", search_path())
        .env("LANG", "C.UTF-8");
    command
        .env("HOME", profile)
        .env("TMPDIR", profile)
        .env("XDG_CONFIG_HOME", profile)
        .env("XDG_CACHE_HOME", profile);
    command
        .current_dir(profile)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// The processes and files of one browser. Dropping it kills and removes them.
#[derive(Debug)]
pub(super) struct BrowserProcess {
    child: Child,
    /// The id of the process group.
    group: Option<u32>,
    profile: Option<Profile>,
}

impl BrowserProcess {
    /// The id of its process group.
    pub(super) fn group(&self) -> Option<u32> {
        self.group
    }

    /// Waits until the browser exits by itself.
    pub(super) async fn ended(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Ends the browser: closes its pipes, which asks it to exit, and kills it after a while.
    pub(super) async fn end(mut self, pipes: &CancellationToken) {
        pipes.cancel();
        let _ = tokio::time::timeout(EXIT_TIME, self.child.wait()).await;
        self.kill();
        let _ = self.child.wait().await;
        let profile = self.profile.take();
        // Removing files blocks for a moment.
        let _ = tokio::task::spawn_blocking(move || drop(profile)).await;
        self.reap();
    }

    #[cfg(unix)]
    fn kill(&mut self) {
        if let Some(group) = self.id() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    /// In a container this process may be the parent of orphans, so it must collect their exit
    /// status.
    #[cfg(unix)]
    fn reap(&mut self) {
        use rustix::process::{WaitOptions, waitpgid};
        let Some(group) = self.id() else { return };
        while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
        self.group = None;
    }

    #[cfg(unix)]
    fn id(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(i32::try_from(self.group?).ok()?)
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        let _ = self.child.start_kill();
    }

    #[cfg(not(unix))]
    fn reap(&mut self) {
        self.group = None;
    }
}

impl Drop for BrowserProcess {
    /// Only does something when the runtime is shut down; otherwise [`BrowserProcess::end`] has
    /// already run.
    fn drop(&mut self) {
        if self.group.is_some() {
            self.kill();
            let _ = self.child.try_wait();
            drop(self.profile.take());
            self.reap();
        }
    }
}

/// The end of the browser's error output.
#[derive(Debug, Clone, Default)]
struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl StderrTail {
    async fn listen(self, mut stderr: impl AsyncRead + Unpin) {
        let mut piece = [0; 1024];
        while let Ok(read @ 1..) = stderr.read(&mut piece).await {
            let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            words.extend_from_slice(&piece[..read]);
            let excess = words.len().saturating_sub(STDERR_TAIL);
            words.drain(..excess);
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// Whether the system forbids unprivileged user namespaces, which the sandbox needs.
fn lacks_namespaces() -> bool {
    let says = |path: &str, value: &str| {
        std::fs::read_to_string(path).is_ok_and(|found| found.trim() == value)
    };
    let filtered = || {
        std::fs::read_to_string("/proc/self/status")
            .is_ok_and(|status| status.lines().any(|line| line == "Seccomp:\t2"))
    };
    says("/proc/sys/kernel/unprivileged_userns_clone", "0")
        || says("/proc/sys/user/max_user_namespaces", "0")
        || says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")
        // A container's system call filter usually forbids them.
        || filtered()
}
