//! Parts of documents as an agent asks for them: pages, sheets, attachments, files of archives, and
//! the outline that says what there is.

use serde_json::{Value, json};
use testkit::documents::{assembled, gzip, pdf, pdf_stream, tar, zip};
use testkit::{Reply, Web};

use crate::cases::machine;
use crate::client::{Client, page_body};

const MESSAGE: &str = "From: ada@a.example\r\nTo: bo@b.example\r\nSubject: The plan\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
    --x\r\nContent-Type: text/plain\r\n\r\nSee the table.\r\n--x\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=\"t.csv\"\r\n\r\na,b\r\n1,2\r\n--x--\r\n";

pub(crate) async fn reader(web: &Web, more: &[&str]) -> Client {
    let allow = format!("127.0.0.1:{}", web.port());
    let common = [
        "--ephemeral",
        "--deadline",
        "30",
        "--toolset",
        "web",
        "--dialect",
        "dual",
        "--allow-private",
        &allow,
    ];
    let mut client = Client::spawn(&[&common, more].concat());
    client.initialize("2025-11-25").await;
    client
}

pub(crate) fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn three_pages() -> Vec<u8> {
    let page = |words: &str| {
        format!("BT /F1 12 Tf 50 700 Td ({words} of this report, in a sentence.) Tj ET")
    };
    let pages = ["The first page", "The second page", "The third page"].map(page);
    pdf(&pages.each_ref().map(String::as_str))
}

pub(crate) fn serve(web: &Web, path: &str, media_type: &str, bytes: Vec<u8>) {
    let reply = Reply::new(200, bytes).header("Content-Type", media_type);
    web.on(path, reply);
}

#[tokio::test]
async fn an_agent_reads_the_pages_it_names() {
    let web = Web::start().await;
    serve(&web, "/report.pdf", "application/pdf", three_pages());
    let mut client = reader(&web, &[]).await;
    let url = web.url("/report.pdf");
    let whole = client.call("convert_content", json!({"url": url})).await;
    // Pages have no names to ask for.
    let says = "Parts: 3 pages (pages=\"2-3\" reads some)";
    assert!(text_of(&whole).contains(says), "{whole}");
    for (pages, has, lacks) in [
        ("2", "second page", ["first page", "third page"]),
        ("2-", "third page", ["first page", "fourth page"]),
        ("-2", "first page", ["third page", "fourth page"]),
    ] {
        let ask = json!({"url": url, "pages": pages});
        let read = client.call("convert_content", ask).await;
        let body = page_body(text_of(&read));
        assert!(body.contains(has), "{pages}: {read}");
        assert!(!lacks.iter().any(|it| body.contains(it)), "{pages}: {read}");
    }
    let outline = client
        .call("convert_content", json!({"url": url, "mode": "outline"}))
        .await;
    assert!(
        page_body(text_of(&outline)).contains("\tpage 3"),
        "{outline}"
    );
    let ask = json!({"url": url, "mode": "outline", "pages": "2"});
    let outline = client.call("convert_content", ask).await;
    let body = page_body(text_of(&outline));
    let only_second = body.contains("\tpage 2") && !body.contains("\tpage 3");
    assert!(only_second, "{outline}");
    for pages in ["seven", "1,3", "-"] {
        let ask = json!({"url": url, "pages": pages, "password": "right-horse"});
        let refused = client.call("convert_content", ask).await;
        assert_eq!(machine(&refused)["reason"], "invalid_argument", "{refused}");
        assert!(text_of(&refused).contains("3-7"), "{refused}");
        assert!(!refused.to_string().contains("right-horse"), "{refused}");
    }
    for (pages, says, corrected) in [
        ("7-3", "smaller number first", json!("3-7")),
        ("0-2", "from 1 on", json!("1-2")),
        ("0", "from 1 on", Value::Null),
    ] {
        let ask = json!({"url": url, "pages": pages, "mode": "all"});
        let refused = client.call("convert_content", ask).await;
        let error = machine(&refused);
        assert_eq!(error["reason"], "invalid_argument", "{refused}");
        assert!(text_of(&refused).contains(says), "{refused}");
        // Both mistakes are told, and a call without the one that cannot be corrected is not offered.
        assert!(text_of(&refused).contains("mode"), "{refused}");
        let next = &error["nextCalls"][0]["arguments"]["pages"];
        assert_eq!(*next, corrected, "{refused}");
    }
    for pages in ["9", "99999999999"] {
        let refused = client
            .call("convert_content", json!({"url": url, "pages": pages}))
            .await;
        let error = machine(&refused);
        assert_eq!(error["reason"], "unknown_id", "{refused}");
        let next = error["nextCalls"][0]["arguments"].clone();
        let outline = client.call("convert_content", next).await;
        assert!(
            text_of(&outline).contains("\tpage 3"),
            "{refused}: {outline}"
        );
    }
}

#[tokio::test]
async fn a_cursor_stays_within_the_pages() {
    let web = Web::start().await;
    serve(&web, "/report.pdf", "application/pdf", three_pages());
    let mut client = reader(&web, &[]).await;
    let url = web.url("/report.pdf");
    let ask = |cursor: u64| json!({"url": url, "pages": "2-3", "max_chars": 200, "cursor": cursor});
    let read = client.call("convert_content", ask(0)).await;
    assert!(page_body(text_of(&read)).contains("third page"), "{read}");
    assert_eq!(read["_meta"]["cursor"], Value::Null, "{read}");
}

#[tokio::test]
async fn a_file_of_an_archive_and_an_attachment_are_read_by_name() {
    let web = Web::start().await;
    let archive = zip(&[
        ("notes.txt", b"Some notes."),
        ("data/t.csv", b"a,b\n1,2\n"),
        ("mail.eml", MESSAGE.as_bytes()),
    ]);
    serve(&web, "/all.zip", "application/zip", archive);
    serve(&web, "/mail.eml", "message/rfc822", MESSAGE.into());
    let mut client = reader(&web, &[]).await;
    let all = web.url("/all.zip");
    let list = client.call("convert_content", json!({"url": all})).await;
    let text = text_of(&list);
    assert!(
        text.contains("3 files: notes.txt, data/t.csv, mail.eml (sheet="),
        "{list}"
    );
    assert!(page_body(text).contains("| data/t.csv | 8 |"), "{list}");
    let table = "| 1 | 2 |";
    for (url, name, has) in [
        (&all, "t.csv", table),
        (&all, "notes.txt", "Some notes."),
        (&all, "mail.eml", "See the table."),
        (&web.url("/mail.eml"), "t.csv", table),
    ] {
        let read = client
            .call("convert_content", json!({"url": url, "sheet": name}))
            .await;
        assert!(page_body(text_of(&read)).contains(has), "{name}: {read}");
    }
    let missing = client
        .call("convert_content", json!({"url": all, "sheet": "no.txt"}))
        .await;
    assert_eq!(machine(&missing)["reason"], "unknown_id", "{missing}");
    assert!(text_of(&missing).contains("lists the names"), "{missing}");
}

#[tokio::test]
async fn a_file_that_a_pdf_carries_is_told_and_read_by_name() {
    let web = Web::start().await;
    let content = b"BT /F1 12 Tf 50 700 Td (The text of the invoice, in a sentence.) Tj ET";
    let file = assembled(&[
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(t)<</F(t.csv)/EF<</F 6 0 R>>>>]>>>>>>".to_vec(),
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>".to_vec(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>".to_vec(),
        pdf_stream("", content),
        pdf_stream("", b"a,b\n1,2\n"),
    ]);
    serve(&web, "/invoice.pdf", "application/pdf", file);
    let mut client = reader(&web, &[]).await;
    let url = web.url("/invoice.pdf");
    let whole = client.call("convert_content", json!({"url": url})).await;
    assert!(
        text_of(&whole).contains("Parts: 1 attachment: t.csv"),
        "{whole}"
    );
    assert!(page_body(text_of(&whole)).contains("The text"), "{whole}");
    for (name, value, has) in [
        ("sheet", "t.csv", "| 1 | 2 |"),
        ("pages", "1", "The text of the invoice"),
    ] {
        let ask = json!({"url": url, name: value});
        let read = client.call("convert_content", ask).await;
        assert!(page_body(text_of(&read)).contains(has), "{name}: {read}");
    }
}

#[tokio::test]
async fn a_password_is_in_no_reply() {
    let web = Web::start().await;
    let locked = include_bytes!("../../../testkit/fixtures/locked.pdf");
    serve(&web, "/locked.pdf", "application/pdf", locked.to_vec());
    let mut client = reader(&web, &[]).await;
    let url = web.url("/locked.pdf");
    let ask = json!({"url": url, "password": "wrong-horse-battery", "pages": "1"});
    let refused = client.call("convert_content", ask).await;
    assert_eq!(machine(&refused)["reason"], "broken_document", "{refused}");
    assert!(!refused.to_string().contains("wrong-horse"), "{refused}");
    let says = "Ask the user for the right password";
    assert!(text_of(&refused).contains(says), "{refused}");
    let refused = client.call("convert_content", json!({"url": url})).await;
    let says = "Read it again with password";
    assert!(text_of(&refused).contains(says), "{refused}");
    serve(&web, "/report.pdf", "application/pdf", three_pages());
    let url = web.url("/report.pdf");
    for (name, value) in [
        ("pages", json!("9")),
        ("cursor", json!(9_999_999)),
        ("mode", json!("outlin")),
    ] {
        let ask = json!({"url": url, "password": "wrong-horse-battery", name: value});
        let refused = client.call("convert_content", ask).await;
        let next = &machine(&refused)["nextCalls"][0]["arguments"];
        assert_eq!(next["url"], json!(url), "{name}: {refused}");
        assert!(!refused.to_string().contains("wrong-horse"), "{refused}");
    }
}

#[tokio::test]
async fn every_tool_that_reads_an_address_reads_a_part_of_it() {
    let web = Web::start().await;
    serve(&web, "/report.pdf", "application/pdf", three_pages());
    let inner = zip(&[("words.txt", b"Inner words.")]);
    let archive = zip(&[("notes.txt", b"Some notes."), ("inner.zip", &inner)]);
    serve(&web, "/all.zip", "application/zip", archive);
    let mut client = reader(&web, &["--toolset", "research"]).await;
    let (report, all) = (web.url("/report.pdf"), web.url("/all.zip"));
    for tool in ["convert_content", "fetch_content", "scrape_page"] {
        let ask = json!({"url": report, "pages": "2"});
        let read = client.call(tool, ask).await;
        let body = page_body(text_of(&read));
        let only_second = body.contains("second page") && !body.contains("third page");
        assert!(only_second, "{tool}: {read}");
        let ask = json!({"url": report, "mode": "outline"});
        let outline = client.call(tool, ask).await;
        assert!(text_of(&outline).contains("\tpage 3"), "{tool}: {outline}");
        let list = client.call(tool, json!({"url": all})).await;
        assert!(text_of(&list).contains("(sheet="), "{tool}: {list}");
        for (name, has) in [
            ("notes.txt", "Some notes."),
            ("inner.zip", "(sheet=\"THIS!/NAME\" reads one"),
            ("inner.zip!/words.txt", "Inner words."),
        ] {
            let read = client.call(tool, json!({"url": all, "sheet": name})).await;
            assert!(text_of(&read).contains(has), "{tool}: {read}");
        }
        let missing = client
            .call(tool, json!({"url": report, "pages": "9"}))
            .await;
        let next = machine(&missing)["nextCalls"][0].clone();
        assert_eq!(next["tool"], json!(tool), "{missing}");
        let outline = client.call(tool, next["arguments"].clone()).await;
        assert!(text_of(&outline).contains("\tpage 3"), "{tool}: {outline}");
    }
}

#[tokio::test]
async fn formulas_are_shown_on_request_and_not_from_the_cache() {
    let web = Web::start().await;
    let sheet = "<worksheet><sheetData><row><c><v>1</v></c><c><f>A1+2</f><v>3</v></c></row></sheetData></worksheet>";
    let book = "<workbook><sheets><sheet name='Q1' r:id='r1'/></sheets></workbook>";
    let relations = "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='worksheets/s.xml'/></Relationships>";
    let bytes = zip(&[
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
        ("xl/worksheets/s.xml", sheet.as_bytes()),
    ]);
    let media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    serve(&web, "/book.xlsx", media_type, bytes);
    let mut client = reader(&web, &[]).await;
    let url = web.url("/book.xlsx");
    for tool in ["convert_content", "fetch_content"] {
        let plain = client.call(tool, json!({"url": url})).await;
        assert!(text_of(&plain).contains("| 1 | 3 |"), "{tool}: {plain}");
        let ask = json!({"url": url, "formulas": true});
        let shown = client.call(tool, ask).await;
        assert!(text_of(&shown).contains("| 3 (=A1+2) |"), "{tool}: {shown}");
    }
}

#[tokio::test]
async fn what_a_password_opens_is_kept_nowhere() {
    let web = Web::start().await;
    let locked = include_bytes!("../../../reading/tests/encrypted/agile.docx");
    let (right, words) = ("korrekt ✓", "The harbour lights are green.");
    let media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    serve(&web, "/locked.docx", media_type, locked.to_vec());
    serve(&web, "/open.txt", "text/plain", b"Open words.".to_vec());
    let mut client = reader(&web, &["--toolset", "research"]).await;
    let (url, open) = (web.url("/locked.docx"), web.url("/open.txt"));
    for tool in ["convert_content", "fetch_content", "scrape_page"] {
        for (password, has) in [
            (json!(right), words),
            (json!(null), "Read it again with password"),
            (json!("wrong-horse"), "Ask the user for the right password"),
        ] {
            let mut ask = json!({"url": url, "password": password});
            if password.is_null() {
                ask.as_object_mut().unwrap().remove("password");
            }
            let read = client.call(tool, ask).await;
            assert!(text_of(&read).contains(has), "{tool}: {read}");
            assert!(!read.to_string().contains("Response id"), "{tool}: {read}");
            for secret in [right, "wrong-horse"] {
                assert!(!read.to_string().contains(secret), "{tool}: {read}");
            }
        }
    }
    let ask = json!({"urls": [url, open], "password": right});
    let both = client.call("fetch_content", ask).await;
    assert!(text_of(&both).contains(words), "{both}");
    assert!(!both.to_string().contains("Response id"), "{both}");
    let gone = web.url("/gone");
    let ask = json!({"urls": [url, gone], "password": "wrong-horse"});
    let none = client.call("fetch_content", ask).await;
    assert!(!none.to_string().contains("wrong-horse"), "{none}");
    let ask = json!({"urls": [open, gone]});
    let stored = client.call("fetch_content", ask).await;
    assert!(stored.to_string().contains("Response id"), "{stored}");
}

#[tokio::test]
async fn the_pages_of_a_document_inside_an_archive_are_read() {
    let web = Web::start().await;
    let report = three_pages();
    let archive = zip(&[
        ("in/report.pdf", &report),
        ("a\u{200b}b\nc.txt", b"Hidden name."),
    ]);
    serve(&web, "/all.zip", "application/zip", archive);
    serve(&web, "/notes.txt", "text/plain", b"Some notes.".to_vec());
    let mut client = reader(&web, &[]).await;
    let all = web.url("/all.zip");
    let list = client.call("convert_content", json!({"url": all})).await;
    let says = "2 files: in/report.pdf, ab c.txt (sheet=\"NAME\" reads one)";
    assert!(text_of(&list).contains(says), "{list}");
    let ask = json!({"url": all, "sheet": "report.pdf"});
    let whole = client.call("convert_content", ask).await;
    let text = text_of(&whole);
    assert!(page_body(text).contains("third page"), "{whole}");
    assert!(text.contains("3 pages (pages=\"2-3\" reads"), "{whole}");
    let ask = json!({"url": all, "sheet": "in/report.pdf", "pages": "2"});
    let second = client.call("convert_content", ask).await;
    let body = page_body(text_of(&second));
    let only_second = body.contains("second page") && !body.contains("third page");
    assert!(only_second, "{second}");
    let ask = json!({"url": all, "sheet": "ab c.txt"});
    let shown = client.call("convert_content", ask).await;
    assert!(text_of(&shown).contains("Hidden name."), "{shown}");
    let ask = json!({"url": web.url("/notes.txt"), "sheet": "Q1"});
    let none = client.call("convert_content", ask).await;
    assert_eq!(machine(&none)["reason"], "unknown_id", "{none}");
}

#[tokio::test]
async fn a_local_archive_is_read_by_name_and_a_broken_file_names_no_site() {
    let web = Web::start().await;
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("a.zip"), zip(&[("in.txt", b"Inside.")])).unwrap();
    std::fs::write(home.path().join("b.pdf"), b"%PDF-1.7 cut").unwrap();
    let open = home.path().to_str().unwrap();
    let mut client = reader(&web, &["--allow-path", open]).await;
    let path = home.path().join("a.zip");
    let read = client
        .call("convert_content", json!({"path": path, "sheet": "in.txt"}))
        .await;
    assert_eq!(page_body(text_of(&read)).trim(), "Inside.", "{read}");
    let path = home.path().join("c.zip");
    std::fs::write(&path, zip(&[("r.pdf", &three_pages())])).unwrap();
    let ask = json!({"path": path, "sheet": "r.pdf", "pages": "3"});
    let third = client.call("convert_content", ask).await;
    let body = page_body(text_of(&third));
    let only_third = body.contains("third page") && !body.contains("first page");
    assert!(only_third, "{third}");
    let path = home.path().join("b.pdf");
    let broken = client.call("convert_content", json!({"path": path})).await;
    assert!(!text_of(&broken).contains("the site"), "{broken}");
}

#[tokio::test]
async fn what_is_said_of_a_file_in_an_archive_is_true() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(folder.path().join(name), bytes).unwrap();
    let zeros = vec![0; 5_000_000];
    put(
        "zeros.zip",
        zip(&[("zeros.bin", &zeros), ("a.txt", b"words")]),
    );
    put("zeros.bin.gz", gzip(&zeros));
    let same: &[(&str, &[u8])] = &[("a.txt", b"older"), ("b.txt", b"b"), ("a.txt", b"newer")];
    put("same.zip", zip(same));
    put("same.tar", tar(same));
    let mut other_method = zip(&[("a.txt", b"words")]);
    let directory = other_method
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .unwrap();
    other_method[directory + 10] = 14;
    put("lzma.zip", other_method);
    let web = Web::start().await;
    let place = folder.path().to_str().unwrap();
    let mut client = reader(&web, &["--allow-path", place]).await;
    for (path, sheet, reason, sentence) in [
        (
            "zeros.zip",
            Some("zeros.bin"),
            "unsupported_type",
            "holds no readable text",
        ),
        (
            "zeros.bin.gz",
            None,
            "unsupported_type",
            "holds no readable text",
        ),
        (
            "lzma.zip",
            Some("a.txt"),
            "unsupported_type",
            "other than Deflate",
        ),
        (".", None, "invalid_argument", "path names a directory"),
        (place, None, "invalid_argument", "path names a directory"),
    ] {
        let mut ask = json!({"path": path});
        if let Some(sheet) = sheet {
            ask["sheet"] = json!(sheet);
        }
        let refused = client.call("convert_content", ask).await;
        assert_eq!(machine(&refused)["reason"], reason, "{path}: {refused}");
        let text = text_of(&refused);
        assert!(text.contains(sentence), "{path}: {text}");
        assert!(!text.contains("damaged"), "{path}: {text}");
    }
    for path in ["same.zip", "same.tar"] {
        let list = client.call("convert_content", json!({"path": path})).await;
        assert!(
            text_of(&list).contains("by that name the last of them is read"),
            "{list}"
        );
        let ask = json!({"path": path, "sheet": "a.txt"});
        let read = client.call("convert_content", ask).await;
        assert!(page_body(text_of(&read)).contains("newer"), "{read}");
        assert!(
            text_of(&read).contains("several files of this name"),
            "{read}"
        );
        let ask = json!({"path": path, "sheet": "b.txt"});
        let read = client.call("convert_content", ask).await;
        assert!(!text_of(&read).contains("several files"), "{read}");
    }
}
