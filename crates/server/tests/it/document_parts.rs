//! Parts of documents that are long, hidden, inside an archive or asked for in too little time.

use serde_json::{Value, json};
use testkit::Web;
use testkit::documents::{package, pdf, zip};

use crate::cases::machine;
use crate::client::page_body;
use crate::documents::{reader, serve, text_of};

fn pages(count: usize) -> Vec<u8> {
    let page = |number: usize| {
        format!("BT /F1 12 Tf 50 700 Td (This is leaf {number} of the report.) Tj ET")
    };
    let contents: Vec<String> = (1..=count).map(page).collect();
    pdf(&contents.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A workbook of three sheets, of which the second is hidden.
fn workbook() -> Vec<u8> {
    let sheet = |text: &str| {
        format!(
            r#"<worksheet><sheetData><row><c t="str"><v>{text}</v></c></row></sheetData></worksheet>"#
        )
    };
    package(
        "xl/workbook.xml",
        r#"<workbook><sheets><sheet name="Q1" r:id="r1"/><sheet name="Draft" state="hidden" r:id="r2"/><sheet name="Q2" r:id="r3"/></sheets></workbook>"#,
        &[
            (
                "xl/_rels/workbook.xml.rels",
                r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="1.xml"/><Relationship Id="r2" Type="x/worksheet" Target="2.xml"/>
                   <Relationship Id="r3" Type="x/worksheet" Target="3.xml"/></Relationships>"#,
            ),
            ("xl/1.xml", &sheet("first")),
            ("xl/2.xml", &sheet("second")),
            ("xl/3.xml", &sheet("third")),
        ],
    )
}

#[tokio::test]
async fn pages_of_a_long_document_are_read_in_any_order() {
    let web = Web::start().await;
    serve(&web, "/long.pdf", "application/pdf", pages(60));
    let mut client = reader(&web, &[]).await;
    let url = web.url("/long.pdf");
    let mut bodies = Vec::new();
    for pages in ["59", "2-3", "59"] {
        let ask = json!({"url": url, "pages": pages});
        let read = client.call("convert_content", ask).await;
        assert!(text_of(&read).contains("60 pages"), "{read}");
        bodies.push(page_body(text_of(&read)).to_owned());
    }
    assert!(bodies[0].contains("leaf 59") && !bodies[0].contains("leaf 58"));
    assert!(bodies[1].contains("leaf 2 of") && bodies[1].contains("leaf 3 of"));
    assert_eq!(bodies[0], bodies[2]);
    let whole = client.call("convert_content", json!({"url": url})).await;
    let body = page_body(text_of(&whole));
    assert!(
        body.contains("leaf 1 of") && body.contains("leaf 60 of"),
        "{whole}"
    );
    let ask = json!({"url": url, "pages": "61"});
    let refused = client.call("convert_content", ask).await;
    assert_eq!(machine(&refused)["reason"], "unknown_id", "{refused}");
}

#[tokio::test]
async fn the_cursor_of_some_pages_counts_from_the_first_of_them() {
    let web = Web::start().await;
    serve(&web, "/long.pdf", "application/pdf", pages(60));
    let mut client = reader(&web, &[]).await;
    let url = web.url("/long.pdf");
    for before in [false, true] {
        if before {
            client.call("convert_content", json!({"url": url})).await;
        }
        let (mut text, mut cursor) = (String::new(), json!(0));
        while !cursor.is_null() {
            let ask = json!({"url": url, "pages": "40-49", "max_chars": 200, "cursor": cursor});
            let read = client.call("convert_content", ask).await;
            text.push_str(page_body(text_of(&read)));
            cursor = read["_meta"]["cursor"].clone();
        }
        for number in 40..=49 {
            let leaf = format!("page {number} -->");
            assert_eq!(text.matches(&leaf).count(), 1, "{before} {leaf}: {text}");
        }
    }
}

#[tokio::test]
async fn the_numbers_of_sheets_are_those_of_the_list_and_a_hidden_one_is_read_by_name() {
    let web = Web::start().await;
    serve(&web, "/book.xlsx", "application/zip", workbook());
    let mut client = reader(&web, &[]).await;
    let url = web.url("/book.xlsx");
    let whole = client.call("convert_content", json!({"url": url})).await;
    let list = "3 sheets: Q1, Draft (hidden), Q2";
    assert!(text_of(&whole).contains(list), "{whole}");
    for (argument, value, has) in [
        ("pages", "3", "third"),
        ("pages", "2", "second"),
        ("sheet", "draft", "second"),
        ("sheet", "Q1", "first"),
    ] {
        let mut ask = json!({"url": url});
        ask[argument] = json!(value);
        let read = client.call("convert_content", ask).await;
        assert!(page_body(text_of(&read)).contains(has), "{value}: {read}");
        let is_hidden = text_of(&read).contains("The document hides what is read here.");
        assert_eq!(is_hidden, has == "second", "{read}");
    }
}

#[tokio::test]
async fn next_calls_and_sources_are_those_of_the_file_in_the_archive() {
    let web = Web::start().await;
    let archive = zip(&[("r.pdf", &pages(3)), ("x.py", b"print( 1 )\n\n\n\n# end\n")]);
    serve(&web, "/all.zip", "application/zip", archive);
    let mut client = reader(&web, &[]).await;
    let url = web.url("/all.zip");
    let ask = json!({"url": url, "sheet": "r.pdf", "pages": "77"});
    let refused = client.call("convert_content", ask).await;
    let next = machine(&refused)["nextCalls"][0]["arguments"].clone();
    assert_eq!(next["sheet"], "r.pdf", "{refused}");
    let outline = client.call("convert_content", next).await;
    assert!(text_of(&outline).contains("\tpage 3"), "{outline}");
    let ask = json!({"url": url, "sheet": "x.py", "mode": "raw"});
    let source = client.call("convert_content", ask).await;
    assert!(
        page_body(text_of(&source)).contains("print( 1 )\n\n\n\n# end"),
        "{source}"
    );
    let ask = json!({"url": url, "sheet": "r.pdf", "mode": "raw"});
    let refused = client.call("convert_content", ask).await;
    assert_eq!(machine(&refused)["reason"], "unsupported_type", "{refused}");
    let ask = json!({"url": url, "sheet": "none", "pages": "1"});
    let refused = client.call("convert_content", ask).await;
    let next = &machine(&refused)["nextCalls"][0]["arguments"];
    assert_eq!(next["sheet"], Value::Null, "{refused}");
}
