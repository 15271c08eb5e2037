//! Scans that a real tesseract reads.

use serde_json::json;
use testkit::Web;
use testkit::documents::{assembled, pdf_stream, zip, zlib};
use testkit::pictures::{Turn, picture, scanned_pdf};

use super::{SYSTEM, doctor, serve, server, text_of};
use crate::cases::machine;
use crate::client::{Exit, page_body, program};

const LINES: [&str; 2] = ["THE HARBOUR PILOT READS", "TIDE TABLES BEFORE TIDE"];

/// Four pages as four scanners would make them.
fn four_pages() -> Vec<u8> {
    let picture = picture(&LINES);
    scanned_pdf(&[
        picture.flate_page(Turn::Upright),
        picture.stencil_page(),
        picture.jpeg_page(),
        picture.flate_page(Turn::Sideways),
    ])
}

#[tokio::test]
async fn scans_are_read_page_by_page_and_said_to_be_recognised() {
    let web = Web::start().await;
    serve(&web, "/scan.pdf", four_pages());
    let mut client = server(&web, SYSTEM, &["--deadline", "60"]).await;
    let url = web.url("/scan.pdf");
    let reply = client.call("scrape_page", json!({"url": url})).await;
    let text = text_of(&reply);
    // How sure it is depends on the version of tesseract.
    assert!(
        text.contains("read by OCR (tesseract), which is ")
            && text.contains(" % sure of the words"),
        "{text}"
    );
    assert!(text.contains("Parts: 4 pages"), "{text}");
    assert_eq!(reply["_meta"]["ocr"], true, "{reply}");
    let body = page_body(text);
    let pages: Vec<&str> = body.split("<!-- page ").skip(1).collect();
    assert_eq!(pages.len(), 4, "{text}");
    for page in pages {
        for word in ["HARBOUR", "PILOT", "TABLES", "BEFORE"] {
            assert!(page.contains(word), "{word} in {page}");
        }
    }
    let ask = json!({"url": url, "pages": "4"});
    let reply = client.call("convert_content", ask).await;
    let body = page_body(text_of(&reply));
    assert!(
        body.contains("page 4") && !body.contains("page 3"),
        "{reply}"
    );
}

#[tokio::test]
async fn pictures_and_scans_in_archives_are_read_too() {
    let web = Web::start().await;
    let png = picture(&LINES).png();
    let reply = testkit::Reply::new(200, png).header("Content-Type", "image/png");
    web.on("/picture.png", reply);
    let archive = zip(&[("papers/scan.pdf", &four_pages())]);
    let reply = testkit::Reply::new(200, archive).header("Content-Type", "application/zip");
    web.on("/papers.zip", reply);
    let mut client = server(&web, SYSTEM, &["--deadline", "60"]).await;
    let ask = json!({"url": web.url("/picture.png")});
    let reply = client.call("convert_content", ask).await;
    let text = text_of(&reply);
    assert!(
        text.contains("PNG image, ") && text.contains("HARBOUR PILOT"),
        "{text}"
    );
    assert!(text.contains("read by OCR"), "{text}");
    let ask = json!({"url": web.url("/papers.zip"), "sheet": "papers/scan.pdf", "pages": "2"});
    let reply = client.call("convert_content", ask).await;
    let body = page_body(text_of(&reply));
    assert!(
        body.contains("HARBOUR PILOT") && !body.contains("page 3"),
        "{reply}"
    );
}

/// Three pages of text, and one that is a picture.
fn mixed() -> Vec<u8> {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
    let scan = picture(&LINES).flate_page(Turn::Upright);
    let (entries, data) = (scan.entries, scan.data);
    let words = "BT /F 12 Tf 50 200 Td (These are typed words that need no recognition.) Tj ET";
    let page = |content: usize| {
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 300]/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>/Contents {content} 0 R>>").into_bytes()
    };
    assembled(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[7 0 R 8 0 R 9 0 R 10 0 R]/Count 4>>".to_vec(),
        font.as_bytes().to_vec(),
        pdf_stream(&format!("/Type/XObject/Subtype/Image{entries}"), &data),
        pdf_stream("/Filter/FlateDecode", &zlib(words.as_bytes())),
        pdf_stream("", b"500 0 0 300 0 0 cm /I Do"),
        page(5),
        page(6),
        page(5),
        page(5),
    ])
}

#[tokio::test]
async fn a_picture_in_a_text_is_recognised_when_its_page_is_named() {
    let web = Web::start().await;
    serve(&web, "/report.pdf", mixed());
    let mut client = server(&web, SYSTEM, &["--deadline", "60"]).await;
    let url = web.url("/report.pdf");
    let reply = client.call("convert_content", json!({"url": url})).await;
    let text = text_of(&reply);
    assert!(
        text.contains("typed words") && !text.contains("HARBOUR"),
        "{text}"
    );
    assert!(text.contains("Some pages hold only images"), "{text}");
    assert_eq!(reply["_meta"]["truncated"], false, "{reply}");
    let ask = json!({"url": url, "pages": "2"});
    let reply = client.call("convert_content", ask).await;
    let body = page_body(text_of(&reply));
    assert!(
        body.contains("HARBOUR PILOT") && !body.contains("typed"),
        "{reply}"
    );
}

#[tokio::test]
async fn a_scan_of_nothing_is_a_fault_that_says_so() {
    let web = Web::start().await;
    let blank = picture(&["", ""]).flate_page(Turn::Upright);
    serve(&web, "/blank.pdf", scanned_pdf(&[blank]));
    let mut client = server(&web, SYSTEM, &["--deadline", "60"]).await;
    let ask = json!({"url": web.url("/blank.pdf")});
    let reply = client.call("convert_content", ask).await;
    assert_eq!(machine(&reply)["reason"], "image_only_pdf", "{reply}");
    assert!(text_of(&reply).contains("recognised no text"), "{reply}");
}

#[tokio::test]
async fn the_command_line_reads_scans_and_the_doctor_finds_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scan.pdf");
    std::fs::write(&file, four_pages()).unwrap();
    let mut command = program();
    command
        .args(["convert", "--json", "--ephemeral", "--deadline", "60"])
        .arg(&file)
        .env("PATH", SYSTEM);
    let exit = Exit::from_output(&command.output().await.unwrap());
    let read: serde_json::Value = serde_json::from_str(&exit.stdout).expect(&exit.stderr);
    assert_eq!(read["ocr"], true, "{read}");
    assert!(
        read["text"].as_str().unwrap().contains("HARBOUR PILOT"),
        "{read}"
    );
    let warning = read["parse_warning"].as_str().unwrap();
    assert!(warning.contains("may be wrong"), "{read}");
    let rows = doctor(SYSTEM, &[]).await;
    assert!(rows.contains("read with tesseract (eng)"), "{rows}");
}
