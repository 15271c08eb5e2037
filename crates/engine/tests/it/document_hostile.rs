//! Hostile documents: bombs, damage, wrong sizes. None of them panics, and each is ended by a limit of ours.

use std::time::{Duration, Instant};

use engine::worker::{DocumentWorkers, NotRead, WORKER_ARGUMENTS};
use fault::{Case, Fault};
use reading::document::{
    Document, DocumentError, Hint, Limits, read_document, read_document_within,
};

use testkit::documents::{
    assembled, blanks, bomb, compound, docx, gzip, nested_forms, package, pdf, tar, zip,
    zip_packed, zlib_blanks,
};

fn workers() -> DocumentWorkers {
    DocumentWorkers::new(env!("CARGO_BIN_EXE_document-worker"))
}

/// Reads a document in a worker, with more time than any takes.
async fn read_in_worker(
    workers: &DocumentWorkers,
    bytes: Vec<u8>,
    hint: Hint,
) -> Result<Document, Fault> {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    let read = workers.read_document(bytes, hint, deadline).await;
    read.map_err(|error| match error {
        NotRead::Fault(fault) => fault,
        NotRead::TookTooLong => panic!("it took longer than a minute"),
    })
}

fn error(bytes: &[u8]) -> DocumentError {
    read_document_within(bytes, &Hint::default(), Limits::default()).expect_err("must fail")
}

#[tokio::test]
async fn a_zip_bomb_is_refused_while_it_unpacks() {
    let bytes = bomb(4_000);
    assert!(bytes.len() < 5_000_000, "{}", bytes.len());
    assert_eq!(error(&bomb(200)), DocumentError::UnpacksTooLarge);
    let fault = read_in_worker(&workers(), bytes, Hint::default())
        .await
        .expect_err("is a bomb");
    assert_eq!(fault.case(), Case::TooCostly);
    assert!(fault.sentence().as_str().contains("unpacks"), "{fault}");
}

#[test]
fn unpacked_parts_and_entries_are_limited_together() {
    let sheets: String = (0..3)
        .map(|index| format!("<sheet name='s' r:id='r{index}'/>"))
        .collect();
    let relations: String = (0..3)
        .map(|index| format!("<Relationship Id='r{index}' Target='s{index}.xml'/>"))
        .collect();
    let workbook = blanks(&format!("<w><sheets>{sheets}</sheets></w>"), 0, "");
    let relations = blanks(
        &format!("<Relationships>{relations}</Relationships>"),
        0,
        "",
    );
    let sheet = || blanks("<worksheet><sheetData>", 40, "</sheetData></worksheet>");
    let parts = [
        ("xl/workbook.xml", workbook),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/s0.xml", sheet()),
        ("xl/s1.xml", sheet()),
        ("xl/s2.xml", sheet()),
    ];
    let mut bytes = zip_packed(&parts);
    assert_eq!(error(&bytes), DocumentError::UnpacksTooLarge);

    // The same with every sheet at the same offset, as in bombs whose entries overlap.
    let entries: Vec<usize> = (0..bytes.len() - 4)
        .filter(|at| bytes[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    let place: [u8; 4] = bytes[entries[2] + 42..entries[2] + 46].try_into().unwrap();
    for entry in &entries[3..] {
        bytes[entry + 42..entry + 46].copy_from_slice(&place);
    }
    assert_eq!(error(&bytes), DocumentError::UnpacksTooLarge);

    let names: Vec<String> = (0..100_050).map(|index| format!("word/{index}")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(error(&zip(&entries)), DocumentError::TooManyEntries);
    assert_eq!(error(&vec![b'x'; 50_000_001]), DocumentError::InputTooLarge);
}

#[test]
fn markup_that_repeats_content_is_limited() {
    let started = Instant::now();
    let cell = r#"<table:table-cell table:number-columns-repeated="99999"><text:p>xxxxxxxxxx</text:p></table:table-cell>"#;
    let row = format!(
        r#"<table:table-row table:number-rows-repeated="99999">{}</table:table-row>"#,
        cell.repeat(10)
    );
    let content = format!(
        "<d><office:body><s><table:table>{}</table:table></s></office:body></d>",
        row.repeat(500)
    );
    let ods = zip(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("content.xml", content.as_bytes()),
    ]);
    let sheet = read_document_within(&ods, &Hint::default(), Limits::default()).unwrap();
    assert!(sheet.truncated && sheet.markdown.len() <= 8_000_000);

    // A diagonal: as many columns as rows, and one filled cell in each.
    let letter = |number: u32| char::from(b'A' + (number % 26) as u8);
    let far: String = (0..10_000)
        .map(|at| {
            let column: String = [letter(at / 676), letter(at / 26), letter(at)]
                .iter()
                .collect();
            let row = at + 1;
            format!(r#"<row r="{row}"><c r="{column}{row}"><v>1</v></c></row>"#)
        })
        .collect();
    let sheet = format!("<worksheet><sheetData>{far}</sheetData></worksheet>");
    let relations = "<Relationships><Relationship Id='r' Target='s.xml'/></Relationships>";
    let workbook = "<w><sheets><sheet name='s' r:id='r'/></sheets></w>";
    let xlsx = package(
        "xl/workbook.xml",
        workbook,
        &[
            ("xl/_rels/workbook.xml.rels", relations),
            ("xl/s.xml", &sheet),
        ],
    );
    assert!(
        read_document_within(&xlsx, &Hint::default(), Limits::default())
            .unwrap()
            .truncated
    );

    let entities = "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><rss><channel><title>&b;</title></channel></rss>";
    assert_eq!(
        read_document_within(entities.as_bytes(), &Hint::default(), Limits::default())
            .unwrap()
            .markdown,
        "# &b;"
    );
    let deep =
        docx(&("<w:p>".repeat(50_000) + "<w:r><w:t>deep</w:t></w:r>" + &"</w:p>".repeat(50_000)));
    let _ = read_document_within(&deep, &Hint::default(), Limits::default());
    let rtf = "{\\rtf1 ".to_owned() + &"{".repeat(500_000) + "deep" + &"}".repeat(500_000);
    assert!(
        read_document(rtf.as_bytes(), &Hint::default())
            .unwrap()
            .markdown
            .contains("deep")
    );
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "{:?}",
        started.elapsed()
    );
}

/// A small deterministic generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

fn mutated(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes.truncate(at.max(8)),
            3 => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + random.below(64)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
        if bytes.len() < 8 {
            bytes.extend([0; 8]);
        }
    }
    bytes
}

/// Reads many damaged variants and returns how many could still be read. A panic fails the test.
fn read_damaged_variants(name: &str, original: &[u8], variants: usize) -> usize {
    let mut random = Random(0x5EED ^ original.len() as u64);
    let limits = Limits {
        time: Duration::from_secs(5),
        ..Limits::default()
    };
    let mut read = 0;
    for variant in 0..variants {
        let bytes = mutated(original, &mut random);
        let started = Instant::now();
        read += usize::from(read_document_within(&bytes, &Hint::default(), limits).is_ok());
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{name}, variant {variant}: {:?}",
            started.elapsed()
        );
    }
    read
}

#[test]
fn damaged_archives_and_texts_never_panic() {
    let word = docx(&"<w:p><w:r><w:t>Some words to damage.</w:t></w:r></w:p>".repeat(40));
    let sheet = r#"<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>45000</v></c></row></sheetData></worksheet>"#;
    let relations = "<Relationships><Relationship Id='r' Target='s.xml'/></Relationships>";
    let excel = package(
        "xl/workbook.xml",
        "<w><sheets><sheet name='s' r:id='r'/></sheets></w>",
        &[
            ("xl/_rels/workbook.xml.rels", relations),
            ("xl/s.xml", sheet),
        ],
    );
    let book = zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", br#"<c><rootfile full-path="b.opf"/></c>"#),
        ("b.opf", br#"<p><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></p>"#),
        ("a.xhtml", "<html><body><h1>One</h1><table><tr><td>1</td><td>2</td></tr></table></body></html>".as_bytes()),
    ]);
    let rtf = br"{\rtf1\ansi{\fonttbl{\f0 A;}}\pard Plain \b bold\b0\u8364?\'e9 {\field{\*\fldinst{HYPERLINK x:y}}{\fldrslt l}}\intbl a\cell\row\par}";
    for (name, original) in [
        ("docx", &word),
        ("xlsx", &excel),
        ("epub", &book),
        ("rtf", &rtf.to_vec()),
    ] {
        assert!(
            read_document_within(original, &Hint::default(), Limits::default()).is_ok(),
            "{name}"
        );
        read_damaged_variants(name, original, 250);
    }
}

#[test]
fn damaged_messages_archives_pictures_and_markup_never_panic() {
    let message = b"From: a@a.example\r\nSubject: =?utf-8?B?w6k=?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
        --x\r\nContent-Type: text/html\r\n\r\n<p>One <b>two</b></p>\r\n--x\r\nContent-Type: application/pdf; name=a.pdf\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--x--\r\n".to_vec();
    let properties = [0; 48];
    let outlook = compound(&[
        ("__properties_version1.0", &properties),
        ("__substg1.0_1000001E", b"Some words."),
        (
            "__attach_version1.0_#00000000/__substg1.0_37010102",
            b"A note.",
        ),
    ]);
    let packed = tar(&[("a.txt", b"words"), ("b/c.txt", b"more words")]);
    let picture = b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0....\0\0\0\x07tEXta\0words....".to_vec();
    let notebook = br#"{"cells":[{"cell_type":"code","source":["x"],"outputs":[{"data":{"text/html":"<table><tr><td>1"}}]}],"nbformat":4}"#.to_vec();
    let calendar = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY;X=\"a:b\":One\\, two\nDTSTART:20260131T100000Z\nEND:VEVENT\nEND:VCALENDAR".to_vec();
    for (name, original) in [
        ("eml", &message),
        ("msg", &outlook),
        ("tar", &packed),
        ("tgz", &gzip(&packed)),
        ("png", &picture),
        ("ipynb", &notebook),
        ("ics", &calendar),
    ] {
        let read = read_document_within(original, &Hint::default(), Limits::default());
        assert!(read.is_ok(), "{name}: {read:?}");
        read_damaged_variants(name, original, 250);
    }
}

/// In production a worker contains a panic of the PDF parser; these variants do not even cause one.
#[test]
fn damaged_pdfs_never_panic() {
    let text = "BT /F1 12 Tf 50 700 Td (Some words to damage.) Tj 0 -14 Td [(more) -200 (of) -200 (them)] TJ ET\n".repeat(5);
    let made = pdf(&[&text, &text]);
    for (name, original, variants) in [
        ("made", made.as_slice(), 250),
        (
            "columns",
            include_bytes!("../../../testkit/fixtures/columns.pdf"),
            60,
        ),
        (
            "cjk",
            include_bytes!("../../../testkit/fixtures/cjk.pdf"),
            60,
        ),
        (
            "unicode",
            include_bytes!("../../../testkit/fixtures/unicode.pdf"),
            60,
        ),
    ] {
        let read = read_damaged_variants(name, original, variants);
        assert!(
            read > variants / 5,
            "{name}: only {read} of {variants} damaged files were still read"
        );
    }
}

#[tokio::test]
async fn a_pdf_bomb_exhausts_only_the_worker() {
    let packed = zlib_blanks(200);
    let mut stream =
        format!("<</Length {}/Filter/FlateDecode>>stream\n", packed.len()).into_bytes();
    stream.extend(packed);
    stream.extend(b"\nendstream");
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>".to_vec(),
        stream,
    ];
    let limits = Limits {
        memory: 250_000_000,
        ..Limits::default()
    };
    let workers = workers().with_limits(limits);
    let fault = read_in_worker(&workers, assembled(&objects), Hint::default())
        .await
        .expect_err("is a bomb");
    assert_eq!(fault.case(), Case::TooCostly, "{fault:?}");
}

#[tokio::test]
async fn the_worker_gives_the_same_result_as_reading_in_process() {
    let hint = Hint {
        media_type: Some("text/html".into()),
        ..Hint::default()
    };
    let bytes = pdf(&["BT /F1 10 Tf 50 700 Td (Through the pipe.) Tj ET"]);
    let there = read_in_worker(&workers(), bytes.clone(), hint.clone())
        .await
        .unwrap();
    assert_eq!(there, read_document(&bytes, &hint).unwrap());
    let hint = Hint {
        file_name: Some("x.csv".into()),
        ..Hint::default()
    };
    let text = read_in_worker(&workers(), b"a,b\n1,2".to_vec(), hint)
        .await
        .unwrap();
    assert_eq!(text.markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |");
}

#[tokio::test]
async fn a_slow_or_missing_worker_is_a_fault() {
    let pages: Vec<String> = (0..400)
        .map(|page| {
            format!(
                "BT /F1 9 Tf 40 700 Td ({page} {}) Tj ET",
                "words ".repeat(2_000)
            )
        })
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let limits = Limits {
        time: Duration::ZERO,
        ..Limits::default()
    };
    let slow = workers().with_limits(limits);
    let fault = read_in_worker(&slow, pdf(&pages), Hint::default())
        .await
        .expect_err("has no time");
    assert_eq!(fault.case(), Case::TooCostly);
    let missing = DocumentWorkers::new("/nonexistent/worker");
    let missing = read_in_worker(&missing, pdf(&["BT ET"]), Hint::default())
        .await
        .expect_err("has no worker");
    assert_eq!(missing.case(), Case::Internal);
}

/// Forms that draw one another cost many times their size. What is limited is the work, so that
/// the limit is the same on a slow machine.
#[test]
fn forms_that_draw_one_another_are_limited_by_what_they_draw() {
    let bytes = nested_forms();
    assert!(bytes.len() < 4_000, "{}", bytes.len());
    let limits = Limits {
        operations: 300_000,
        time: Duration::from_secs(3_600),
        ..Limits::default()
    };
    let read = read_document_within(&bytes, &Hint::default(), limits);
    assert_eq!(read, Err(DocumentError::TooManyOperations));
    let fault = DocumentError::TooManyOperations.fault(bytes.len(), &limits);
    assert_eq!(fault.case(), Case::TooCostly);
}

#[cfg(unix)]
#[tokio::test]
async fn a_document_that_waits_for_a_worker_is_told_to_wait() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("worker");
    std::fs::write(&program, "#!/bin/sh\nexec sleep 60\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let workers = DocumentWorkers::new(&program);
    let read = |patience: u64| {
        let workers = workers.clone();
        let deadline = tokio::time::Instant::now() + Duration::from_millis(patience);
        async move {
            let bytes = pdf(&["BT ET"]);
            workers
                .read_document(bytes, Hint::default(), deadline)
                .await
        }
    };
    let busy: Vec<_> = (0..2).map(|_| tokio::spawn(read(3_000))).collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let _beside = tokio::spawn(read(3_000));
    tokio::time::sleep(Duration::from_millis(300)).await;
    let Err(NotRead::Fault(fault)) = read(500).await else {
        panic!("it waited");
    };
    assert_eq!(fault.case(), Case::LocalLimit);
    assert!(fault.advice().is_possible(), "{}", fault.sentence());
    for busy in busy {
        assert!(matches!(busy.await.unwrap(), Err(NotRead::TookTooLong)));
    }
}

/// Both workers are taken until the end of the test.
#[cfg(unix)]
#[tokio::test]
async fn a_quick_document_is_read_while_all_workers_are_busy() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (program, begun) = (folder.path().join("worker"), folder.path().join("begun"));
    let script = format!(
        "#!/bin/sh\nread -r task\ncase $task in *endless*) echo >> {}; exec sleep 600;; esac\n{{ printf '%s\\n' \"$task\"; cat; }} | {} \"$@\"\n",
        begun.display(),
        env!("CARGO_BIN_EXE_document-worker"),
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let limits = Limits {
        time: Duration::from_secs(600),
        ..Limits::default()
    };
    let workers = DocumentWorkers::new(&program).with_limits(limits);
    let until = |name: &str, seconds: u64| {
        let (workers, file_name) = (workers.clone(), Some(name.to_owned()));
        let hint = Hint {
            file_name,
            ..Hint::default()
        };
        let deadline = tokio::time::Instant::now() + Duration::from_secs(seconds);
        async move {
            let bytes = pdf(&["BT /F1 10 Tf 50 700 Td (A quick one.) Tj ET"]);
            workers.read_document(bytes, hint, deadline).await
        }
    };
    // The third is read beside the two, and then waits behind them.
    let endless: Vec<_> = (0..3)
        .map(|_| tokio::spawn(until("endless.pdf", 600)))
        .collect();
    let count = || {
        std::fs::read_to_string(&begun)
            .unwrap_or_default()
            .lines()
            .count()
    };
    while count() < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let quick = async {
        loop {
            // On a busy machine it may not be quick at once.
            if let Ok(document) = until("quick.pdf", 15).await {
                return document;
            }
        }
    };
    let quick = tokio::time::timeout(Duration::from_secs(120), quick).await;
    assert!(quick.unwrap().markdown.contains("A quick one."));
    assert!(!endless[0].is_finished(), "the premise");
    endless.iter().for_each(tokio::task::JoinHandle::abort);
}

/// A worker that waits for the rest of its document has given up what it does not need.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_worker_is_confined_before_it_sees_the_document() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let mut worker = Command::new(env!("CARGO_BIN_EXE_document-worker"))
        .args(WORKER_ARGUMENTS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let task = serde_json::json!({"hint": Hint::default(), "limits": Limits::default()});
    let mut input = worker.stdin.take().unwrap();
    writeln!(input, "{task}").unwrap();
    let field = |name: &str| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", worker.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1))
            .map(str::to_owned)
    };
    for _ in 0..500 {
        if field("Seccomp:").as_deref() == Some("2") {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(field("Seccomp:").as_deref(), Some("2"), "a filter is on");
    assert_eq!(field("NoNewPrivs:").as_deref(), Some("1"));
    input
        .write_all(&pdf(&["BT /F1 10 Tf 50 700 Td (In the sandbox.) Tj ET"]))
        .unwrap();
    drop(input);
    let output = worker.wait_with_output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains("In the sandbox."), "{answer}");
    assert!(answer.contains("\"was_confined\":true"), "{answer}");
}
