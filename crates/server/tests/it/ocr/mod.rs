//! Documents whose pages are pictures: what is done with the program that recognises text, what it
//! may do, and what an agent is told without one. The programs here only pretend to recognise.

mod with_tesseract;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::documents::{zlib, zlib_blanks};
use testkit::pictures::{ScannedPage, Turn, picture, scanned_pdf};
use testkit::{Reply, Web};

use crate::cases::{machine, name_of};
use crate::client::{Client, Exit, page_body, program};

/// Where the programs are that scripts start.
const SYSTEM: &str = "/usr/local/bin:/usr/bin:/bin";

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// A directory with a program called tesseract.
fn recogniser(script: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tesseract");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn search_path(folder: &Path) -> String {
    format!("{}:{SYSTEM}", folder.display())
}

/// A server that finds programs on this search path.
async fn server(web: &Web, search_path: &str, more: &[&str]) -> Client {
    let allow = format!("127.0.0.1:{}", web.port());
    let mut command = program();
    command
        .arg("serve")
        .args([
            "--ephemeral",
            "--toolset",
            "web,research",
            "--dialect",
            "dual",
        ])
        .args(["--allow-private", &allow])
        .args(more)
        .env("PATH", search_path)
        .env("HARBOUR_API_TOKEN", "tok-8c1f5a9be27d4036");
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25").await;
    client
}

fn serve(web: &Web, path: &str, bytes: Vec<u8>) {
    let reply = Reply::new(200, bytes).header("Content-Type", "application/pdf");
    web.on(path, reply);
}

fn scan(pages: usize) -> Vec<u8> {
    let page = picture(&["THE HARBOUR PILOT"]).flate_page(Turn::Upright);
    scanned_pdf(&vec![page; pages])
}

/// Reads a scan of one page with a recogniser that is this script.
async fn read_with(script: &str, more: &[&str]) -> Value {
    let (web, folder) = (Web::start().await, recogniser(script));
    serve(&web, "/scan.pdf", scan(1));
    let mut client = server(&web, &search_path(folder.path()), more).await;
    let ask = json!({"url": web.url("/scan.pdf")});
    client.call("convert_content", ask).await
}

/// What the doctor says, on one line.
async fn doctor(search_path: &str, more: &[&str]) -> String {
    let mut command = program();
    command
        .args(["doctor", "--ephemeral"])
        .args(more)
        .env("PATH", search_path);
    let rows = Exit::from_output(&command.output().await.unwrap()).stdout;
    rows.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_server_without_a_recogniser_says_what_would_read_the_scan() {
    let web = Web::start().await;
    serve(&web, "/scan.pdf", scan(1));
    let folder = tempfile::tempdir().unwrap();
    let without = folder.path().to_str().unwrap();
    for (more, says, detail) in [
        (
            &[][..],
            "once tesseract is installed",
            "apt install tesseract-ocr",
        ),
        (
            &["--ocr", "never"],
            "OCR is turned off",
            "OCR is turned off",
        ),
    ] {
        let mut client = server(&web, without, more).await;
        let ask = json!({"url": web.url("/scan.pdf")});
        let reply = client.call("scrape_page", ask).await;
        let error = machine(&reply);
        assert_eq!(name_of(&error), "content_empty/image_only_pdf");
        assert!(text_of(&reply).contains(says), "{reply}");
        let details = error["detail"].as_str().unwrap_or_default();
        assert!(details.contains(detail), "{reply}");
        assert_eq!(error["retryable"], false, "{reply}");
    }
    let rows = doctor(without, &[]).await;
    assert!(rows.contains("apt install tesseract-ocr"), "{rows}");
    let rows = doctor(without, &["--ocr", "never"]).await;
    assert!(rows.contains("--ocr never"), "{rows}");
}

#[tokio::test]
async fn the_recogniser_is_given_a_picture_and_a_clean_environment() {
    let reply = read_with(
        "#!/bin/sh\nread kind\nread size\nread most\necho \"got $kind $size $most\"\nexec cat /proc/self/environ\n",
        &[],
    )
    .await;
    let text = text_of(&reply);
    assert!(text.contains("got P5 528 176 255"), "{text}");
    assert!(text.contains("OMP_THREAD_LIMIT=1"), "{text}");
    assert!(!text.contains("HARBOUR_API_TOKEN"), "{text}");
    assert!(!text.contains("tok-8c1f5a9be27d4036"), "{text}");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[tokio::test]
async fn the_recogniser_changes_no_file_reads_no_secret_and_reaches_no_network() {
    let inside = Web::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (written, secret) = (folder.path().join("written"), folder.path().join("secret"));
    fs::write(&secret, "horse battery\n").unwrap();
    let script = format!(
        "#!/bin/bash\necho words > {written} || echo no file\necho words > /dev/tcp/127.0.0.1/{port} || echo no network\nread words < {secret} && echo \"$words\" || echo no secret\nexec cat /proc/self/status\n",
        written = written.display(),
        port = inside.port(),
        secret = secret.display(),
    );
    let reply = read_with(&script, &[]).await;
    let text = text_of(&reply);
    for says in ["no file\n", "no network\n", "no secret\n"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(
        !written.exists() && !text.contains("horse battery"),
        "{text}"
    );
    assert_eq!(inside.connections(), 0, "{text}");
    for says in ["NoNewPrivs:\t1", "Seccomp:\t2"] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[tokio::test]
async fn a_recogniser_that_crashes_is_told_as_that() {
    for script in [
        "#!/bin/sh\nkill -SEGV $$\n",
        "#!/bin/sh\nexit 3\n",
        "#!/no/such/interpreter\n",
        // A second process is refused.
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        "#!/bin/sh\n/bin/true\necho words\n",
    ] {
        let reply = read_with(script, &[]).await;
        let error = machine(&reply);
        assert_eq!(name_of(&error), "content_empty/image_only_pdf");
        let says = "the OCR program of this server failed";
        assert!(text_of(&reply).contains(says), "{reply}");
    }
}

#[tokio::test]
async fn a_recogniser_that_hangs_ends_with_the_call() {
    let script = "#!/bin/sh\nwhile :; do :; done\n";
    let (web, folder) = (Web::start().await, recogniser(script));
    serve(&web, "/scan.pdf", scan(1));
    let mut client = server(&web, &search_path(folder.path()), &["--deadline", "5"]).await;
    let ask = json!({"url": web.url("/scan.pdf")});
    let reply = client.call("convert_content", ask).await;
    assert_eq!(name_of(&machine(&reply)), "content_empty/image_only_pdf");
    let says = "takes longer than a call may take";
    assert!(text_of(&reply).contains(says), "{reply}");
    let program = folder.path().join("tesseract").display().to_string();
    let runs = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut commands = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
        commands.any(|it| String::from_utf8_lossy(&it).contains(&program))
    };
    for _ in 0..500 {
        if !runs() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the recogniser still runs");
}

#[tokio::test]
async fn a_language_without_data_is_named_to_the_operator() {
    let script = "#!/bin/sh\n[ \"$1\" = --list-langs ] && echo eng && exit 0\nexit 1\n";
    let reply = read_with(script, &["--ocr-languages", "eng,deu"]).await;
    let says = "lacks the data of its languages";
    assert!(text_of(&reply).contains(says), "{reply}");
    let folder = recogniser(script);
    let rows = doctor(
        &search_path(folder.path()),
        &["--ocr-languages", "eng,chi_sim"],
    )
    .await;
    assert!(rows.contains("has no data for chi_sim"), "{rows}");
    assert!(rows.contains("tesseract-ocr-chi-sim"), "{rows}");
}

#[tokio::test]
async fn pages_that_the_time_does_not_allow_are_read_by_the_next_call() {
    let script = "#!/bin/sh\nexec python3 -c 'import sys,time; sys.stdin.buffer.read(); time.sleep(3); print(\"some words\")'\n";
    let (web, folder) = (Web::start().await, recogniser(script));
    serve(&web, "/scan.pdf", scan(12));
    let more = ["--deadline", "14"];
    let mut client = server(&web, &search_path(folder.path()), &more).await;
    let url = web.url("/scan.pdf");
    let reply = client.call("convert_content", json!({"url": url})).await;
    let text = text_of(&reply);
    assert_eq!(reply["_meta"]["truncated"], true, "{reply}");
    assert_eq!(reply["_meta"]["ocr"], true, "{reply}");
    let (_, next) = text.split_once("read on with pages=\"").expect(text);
    let (pages, _) = next.split_once('"').unwrap();
    let (first, last) = pages.split_once('-').unwrap();
    let first: u32 = first.parse().unwrap();
    assert!((2..=12).contains(&first) && last == "12", "{text}");
    let body = page_body(text);
    assert!(
        body.contains(&format!("<!-- page {} -->", first - 1)),
        "{text}"
    );
    assert!(!body.contains(&format!("<!-- page {first} -->")), "{text}");
    let ask = json!({"url": url, "pages": pages});
    let reply = client.call("convert_content", ask).await;
    let body = page_body(text_of(&reply));
    assert!(body.contains(&format!("<!-- page {first} -->")), "{reply}");
    // An address can name the first page, too.
    let ask = json!({"url": format!("{url}#page=12")});
    let reply = client.call("scrape_page", ask).await;
    let body = page_body(text_of(&reply));
    assert!(
        body.contains("<!-- page 12 -->") && !body.contains("page 11 "),
        "{reply}"
    );
}

#[tokio::test]
async fn pictures_that_are_bombs_or_damaged_are_faults_and_the_server_lives() {
    let script = "#!/bin/sh\necho words\n";
    let (web, folder) = (Web::start().await, recogniser(script));
    let grey = "/ColorSpace/DeviceGray/BitsPerComponent 8";
    let size = |size: &str| format!("{size}{grey}/Filter/FlateDecode");
    let page = |entries: String, data: Vec<u8>| ScannedPage {
        entries,
        data,
        turn: Turn::Upright,
        points: (300, 300),
    };
    let huge = page(size("/Width 60000/Height 60000"), zlib(b"small"));
    let bomb = page(size("/Width 6000/Height 6000"), zlib_blanks(1_500));
    let damaged = page(size("/Width 60/Height 60"), b"no zlib at all".to_vec());
    let broken = "/Width 60/Height 60/ColorSpace/DeviceGray/BitsPerComponent 8/Filter";
    let jpeg = page(format!("{broken}/DCTDecode"), b"\xFF\xD8\xFFno".to_vec());
    let wavelet = page(format!("{broken}/JPXDecode"), b"\0\0\0\x0CjP  no".to_vec());
    let fax = page(format!("{broken}/CCITTFaxDecode"), Vec::new());
    let bilevel = page(format!("{broken}/JBIG2Decode"), b"\0\0\0\0no".to_vec());
    let more = ["--deadline", "15"];
    let mut client = server(&web, &search_path(folder.path()), &more).await;
    let pages = [
        ("huge", huge),
        ("damaged", damaged),
        ("jpeg", jpeg),
        ("wavelet", wavelet),
        ("fax", fax),
        ("bilevel", bilevel),
        ("bomb", bomb),
    ];
    for (name, page) in pages {
        let path = format!("/{name}.pdf");
        serve(&web, &path, scanned_pdf(&[page]));
        let ask = json!({"url": web.url(&path)});
        let reply = client.call("convert_content", ask).await;
        let found = name_of(&machine(&reply));
        let allowed = ["content_empty/image_only_pdf", "validation/too_large"];
        assert!(allowed.contains(&found.as_str()), "{name}: {reply}");
    }
}
