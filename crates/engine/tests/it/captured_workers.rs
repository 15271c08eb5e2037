//! What a worker can still do after a document took it over: the system refuses everything but computing
//! and answering, and the parent believes no answer that no reader gives.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use engine::worker::{DocumentWorkers, NotRead, OcrProgram, OcrUse};
use fault::{Case, Fault};
use reading::document::{Document, Hint, Limits, read_document};
use serde_json::{Value, json};
use testkit::documents::pdf;

/// The system calls of one architecture, made in the real worker through the eyes of a debugger.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system_calls {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use engine::worker::WORKER_ARGUMENTS;
    use reading::document::{Hint, Limits};

    const WORKER: &str = env!("CARGO_BIN_EXE_document-worker");
    const DOCUMENT: &str = include_str!("captured_workers/document.pl");
    const RECOGNISER: &str = include_str!("captured_workers/recogniser.pl");

    fn output(command: &mut Command, input: &str) -> String {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_document_worker_reaches_nothing_but_its_pipes() {
        const REFUSED: &[&str] = &[
            "open 257 -100 path 0",
            "socket 41 2 1 0",
            "fork 57",
            "fork_by_clone 56 17",
            "execute 59 path 0 0",
            "ptrace_parent 101 16 parent",
            "signal_parent 62 parent 0",
            "signal_thread_of_parent 234 parent parent 0",
            "signal_others_by_pipe 72 0 8 parent",
            "write_inherited 1 inherited path 4",
            "read_inherited 0 inherited path 4",
            "map_inherited 9 0 4096 1 1 inherited 0",
            "duplicate_inherited 33 inherited 1",
            "become_readable 157 4 1",
            "limits_of_parent 302 parent 7 0 0",
            "memory_of_parent 310 parent path 1 path 1 0",
        ];
        let task = serde_json::json!({"hint": Hint::default(), "limits": Limits::default()});
        let attempts = format!(
            "{task}\n{}\nclone3 435 path 88\nsignal_itself 234 own own 0\n",
            REFUSED.join("\n")
        );
        let mut perl = Command::new("perl");
        perl.args(["-e", DOCUMENT, WORKER]).args(WORKER_ARGUMENTS);
        let outcomes = output(&mut perl, &attempts);
        let mut expected = String::new();
        for attempt in REFUSED {
            let name = attempt.split(' ').next().unwrap();
            expected += &format!("{name} {}\n", -libc::EPERM);
        }
        // C libraries go on with the older call when the system does not know this one.
        expected += &format!("clone3 {}\nsignal_itself 0\n", -libc::ENOSYS);
        assert_eq!(outcomes, expected);
    }

    #[test]
    fn a_recogniser_reaches_nothing_but_what_belongs_to_programs() {
        let mut worker = Command::new(WORKER);
        worker.args([
            "__worker",
            "ocr",
            "60",
            "",
            "/usr/bin/perl",
            "-e",
            RECOGNISER,
        ]);
        let outcomes = output(&mut worker, "");
        let done: Vec<&str> = outcomes.lines().filter(|it| it.ends_with("done")).collect();
        assert_eq!(done, ["signal_itself done"], "{outcomes}");
        assert_eq!(outcomes.lines().count(), 15, "{outcomes}");
    }
}

/// Reads a document with a program as its worker that answers as this script says.
async fn read_with(script: &str) -> Result<Document, Fault> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("worker");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let limits = Limits {
        time: Duration::from_secs(1),
        text: 100_000,
        ..Limits::default()
    };
    let ocr = OcrProgram {
        program: "/bin/true".into(),
        languages: vec!["eng".to_owned()],
        search_path: "/bin".into(),
        data: None,
    };
    let workers = DocumentWorkers::new(&program)
        .with_limits(limits)
        .with_ocr(OcrUse::With(ocr));
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    let read = workers.read_document(good_document(), Hint::default(), deadline);
    read.await.map_err(|error| match error {
        NotRead::Fault(fault) => fault,
        NotRead::TookTooLong => panic!("it was given a minute"),
    })
}

fn good_document() -> Vec<u8> {
    pdf(&["BT /F1 10 Tf 50 700 Td (Words of a page.) Tj ET"])
}

/// The line that a worker answers with, after this change.
fn answer(scans: &[u32], change: impl FnOnce(&mut Value)) -> String {
    let mut document = json!(read_document(&good_document(), &Hint::default()).unwrap());
    change(&mut document);
    let answer = json!({"result": {"Ok": document}, "scans": scans, "was_confined": true});
    format!("cat <<'END'\n{answer}\nEND\n")
}

#[tokio::test]
async fn a_worker_that_writes_without_end_or_never_ends_is_ended() {
    for script in ["exec cat /dev/zero", "exec yes '{}'", "exec sleep 600"] {
        let fault = read_with(script).await.expect_err(script);
        assert_eq!(fault.case(), Case::TooCostly, "{script}: {fault}");
    }
    // It has answered, and waits for nothing.
    let silent = format!("{}\nexec sleep 600", answer(&[], |_| {}));
    assert!(read_with(&silent).await.is_err());
}

#[tokio::test]
async fn forged_answers_are_a_broken_document() {
    let honest = read_with(&answer(&[], |_| {})).await.unwrap();
    assert!(honest.markdown.contains("Words of a page."));
    let start = |start: usize| {
        answer(&[1], |document| {
            document["markdown"] = json!("éé");
            document["parts"][0]["start"] = json!(start);
        })
    };
    let picture = |head: Value| format!("{}\ncat <<'END'\n{head}\nEND\n", answer(&[1], |_| {}));
    let forged = [
        answer(&[], |document| document["markdown"] = json!("x".repeat(100_001))),
        answer(&[1], |document| {
            let part = document["parts"][0].clone();
            document["parts"] = json!([part, part]);
            document["parts"][0]["start"] = json!(4);
        }),
        start(1),
        start(1_000_000),
        start(usize::MAX),
        "printf '{\"page\":1,\"size\":[1,1],\"dpi\":null}\\n'".to_owned(),
        "printf '{\"result\":{\"Err\":\"words of its own\"},\"scans\":[],\"was_confined\":true}\\n'"
            .to_owned(),
    ];
    for script in forged {
        let fault = read_with(&script).await.expect_err(&script);
        assert!(!fault.to_string().contains("words of its own"), "{fault}");
    }
    // What follows an answer is no picture that was asked for: the worker is not believed any more.
    let largest = json!({"page": 1, "size": [u32::MAX, u32::MAX], "dpi": 300});
    let other = json!({"page": 7, "size": [1, 1], "dpi": 300});
    for head in [largest, other] {
        let fault = read_with(&picture(head))
            .await
            .expect_err("no picture follows");
        assert_eq!(fault.case(), Case::Internal, "{fault}");
    }
}
