//! Tables and lists of pages, read as files.

use reading::document::{Hint, read_document};

fn page(body: &str) -> String {
    let hint = Hint {
        file_name: Some("a.html".to_owned()),
        ..Hint::default()
    };
    let page = format!("<html><body><p>Words before.</p>{body}</body></html>");
    let read = read_document(page.as_bytes(), &hint);
    let text = read
        .unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
        .markdown;
    text.trim_start_matches("Words before.").trim().to_owned()
}

fn row(tag: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|it| format!("<{tag}>{it}</{tag}>")).collect();
    format!("<tr>{cells}</tr>")
}

#[test]
fn a_wide_table_is_csv_with_all_its_columns() {
    let head = row("th", (0..70).map(|it| format!("w{it}")));
    let body = row("td", (0..70).map(|it| format!("v{it}|,")));
    let joined = |cell: &dyn Fn(usize) -> String| (0..70).map(cell).collect::<Vec<_>>().join(",");
    let wanted = format!(
        "```csv\n{}\n{}\n```",
        joined(&|it| format!("w{it}")),
        joined(&|it| format!("\"v{it}|,\""))
    );
    assert_eq!(page(&format!("<table>{head}{body}</table>")), wanted);
}

#[test]
fn a_wide_span_takes_no_cell_away() {
    for columns in [100, 300, 1_000, 4_000_000] {
        let table = format!(
            "<table><tr><th colspan={columns}>T</th><th>next</th></tr><tr><td>a</td><td>b</td><td>c</td></tr></table>"
        );
        let text = page(&table);
        for cell in ["T", "next", "a", "b", "c"] {
            assert!(text.contains(&format!("| {cell} |")), "{columns}: {text}");
        }
        assert!(text.len() < 200, "{text}");
    }
    let cells: String = (0..20)
        .map(|it| format!("<td colspan=1000 rowspan=1000>cell{it}</td>"))
        .collect();
    let text = page(&format!(
        "<table><tr>{cells}</tr><tr><td>after</td></tr></table>"
    ));
    assert!(
        (0..20).all(|it| text.contains(&format!("cell{it}"))),
        "{text}"
    );
    assert!(text.contains("after") && text.len() < 2_000, "{text}");
}

#[test]
fn a_table_that_is_too_large_says_how_much_is_missing() {
    let wide = row("td", (0..1_500).map(|it| format!("c{it}")));
    let text = page(&format!("<table>{wide}{wide}</table>"));
    assert!(text.contains("c999") && !text.contains("c1000"));
    assert!(
        text.ends_with("(1000 more cells of this table are left out.)"),
        "{text}"
    );
    // Each row repeats a thousand cells from above.
    let reaching = "<td rowspan=0>x</td>".repeat(999);
    let rows = "<tr><td>y</td></tr>".repeat(3_000);
    let text = page(&format!(
        "<table><tr>{reaching}<td>z</td></tr>{rows}</table>"
    ));
    assert!(text.ends_with("more cells of this table are left out.)"));
    assert!(text.len() < 5_000_000);
}

#[test]
fn list_items_have_the_numbers_of_the_page() {
    assert_eq!(
        page("<ol start=5><li>five</li><li value=9>nine</li><li>ten</li></ol>"),
        "5. five\n9. nine\n10. ten"
    );
    assert_eq!(
        page("<ol reversed><li>three</li><li>two</li><li>one</li></ol>"),
        "3. three\n2. two\n1. one"
    );
}
