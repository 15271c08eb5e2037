//! Somebody who can write into an open directory swaps its files while they are read.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::client::Client;

const CALLS: usize = 300;
/// On a busy machine the swapping may rest for a while.
const MOST_CALLS: usize = 100 * CALLS;

/// Ends the swapping when the test ends, however it ends.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Replaces `path` by a regular file and by what `make` makes, again and again, as fast as it can.
fn keep_swapping(path: &Path, make: impl Fn(&Path) + Send + 'static) -> Stop {
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, path) = (Arc::clone(&stop), path.to_owned());
    std::thread::spawn(move || {
        let next = path.with_extension("next");
        while !stopped.load(Ordering::Relaxed) {
            std::fs::write(&next, "words of the file").unwrap();
            std::fs::rename(&next, &path).unwrap();
            make(&next);
            std::fs::rename(&next, &path).unwrap();
        }
    });
    Stop(stop)
}

fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).unwrap();
}

async fn server(open: &Path) -> Client {
    let mut client = Client::spawn(&[
        "--ephemeral",
        "--toolset",
        "web",
        "--deadline",
        "10",
        "--allow-path",
        open.to_str().unwrap(),
    ]);
    client.initialize("2025-11-25").await;
    client
}

/// Whether the call was refused for its path, which it must be if it was not answered.
fn is_refused(result: &Value) -> bool {
    let text = result["content"][0]["text"].as_str().unwrap();
    if result["isError"] == false {
        assert!(text.contains("\n\nwords of the file\n"), "{result}");
        return false;
    }
    let error: Value = serde_json::from_str(text).unwrap();
    assert_eq!(error["error"]["code"], "INVALID_INPUT", "{result}");
    true
}

async fn attack(client: &mut Client) -> (usize, usize) {
    let (mut read, mut refused) = (0, 0);
    for call in 0..MOST_CALLS {
        if call >= CALLS && read > 0 && refused > 0 {
            break;
        }
        let result = client
            .call("convert_content", json!({"path": "a.txt"}))
            .await;
        if is_refused(&result) {
            refused += 1;
        } else {
            read += 1;
        }
    }
    (read, refused)
}

#[tokio::test]
async fn a_file_that_is_swapped_for_a_link_never_shows_a_file_outside() {
    let folder = tempfile::tempdir().unwrap();
    let (open, secret) = (folder.path().join("open"), folder.path().join("secret.txt"));
    std::fs::create_dir(&open).unwrap();
    std::fs::write(&secret, "the secret").unwrap();
    std::fs::write(open.join("a.txt"), "words of the file").unwrap();
    let mut client = server(&open).await;
    let _stop = keep_swapping(&open.join("a.txt"), move |path| {
        std::os::unix::fs::symlink(&secret, path).unwrap();
    });
    let (read, refused) = attack(&mut client).await;
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}

#[tokio::test]
async fn a_file_that_is_swapped_for_a_pipe_never_holds_a_call() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "words of the file").unwrap();
    let mut client = server(folder.path()).await;
    let _stop = keep_swapping(&folder.path().join("a.txt"), |path| {
        make_pipe(path);
    });
    let (read, refused) = attack(&mut client).await;
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}

#[tokio::test]
async fn a_link_that_stays_inside_is_followed_and_a_pipe_is_told_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.txt"), "words of the file").unwrap();
    std::os::unix::fs::symlink("b.txt", folder.path().join("a.txt")).unwrap();
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    let mut client = server(folder.path()).await;
    let read = client
        .call("convert_content", json!({"path": "a.txt"}))
        .await;
    assert!(!is_refused(&read));
    let refused = client
        .call("convert_content", json!({"path": "pipe"}))
        .await;
    assert!(is_refused(&refused) && refused.to_string().contains("names a pipe"));
}
