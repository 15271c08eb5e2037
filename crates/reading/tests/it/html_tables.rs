//! Tables and lists of pages, read as files.

use reading::document::{Hint, read_document};
use reading::extract::training::markdown;

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

#[test]
fn lists_and_tables_inside_cells_keep_their_text_and_their_numbers() {
    let table = "<table><tr><th>Bird</th><th>Facts</th></tr>\
        <tr><td>Teal</td><td><ol><li>Flies south</li><li>Nests on the ground</li></ol></td></tr>\
        <tr><td>Duck</td><td><ul><li>Pond</li><li>Marsh</li></ul></td></tr>\
        <tr><td>Goose</td><td><table><tr><td>Short</td><td>honk</td></tr><tr><td>Long</td><td>hoonk</td></tr></table></td></tr>\
        </table>";
    let wanted = "| Bird | Facts |\n| --- | --- |\n| Teal | 1. Flies south 2. Nests on the ground |\n\
        | Duck | • Pond • Marsh |\n| Goose | Short, honk; Long, hoonk |";
    assert_eq!(page(table), wanted);
}

#[test]
fn a_table_without_headings_stays_a_table_however_long_its_cells_are() {
    let long = "Many words of a note that nobody would put into a cell. ".repeat(60);
    let rows: String = (0..80)
        .map(|it| {
            format!(
                "<tr>\n      <td>\n        {it}.0\n      </td>\n<td>Name {it}</td><td>{long}</td></tr>"
            )
        })
        .collect();
    let text = page(&format!("<table><tbody>{rows}</tbody></table>"));
    assert!(text.contains("| 7.0 | Name 7 | Many words"), "{text}");
    assert_eq!(text.lines().filter(|it| it.starts_with('|')).count(), 82);
}

#[test]
fn a_row_that_is_only_a_heading_divides_a_table() {
    let table = "<table><tr><td colspan=2><h2>Classes</h2></td></tr>\
        <tr><td>class</td><td>Reader</td></tr><tr><td>class</td><td>Writer</td></tr>\
        <tr><td colspan=2><h2>Functions</h2></td></tr><tr><td>int</td><td>open()</td></tr></table>";
    let wanted = "## Classes\n\n|  |  |\n| --- | --- |\n| class | Reader |\n| class | Writer |\n\n\
        ## Functions\n\n|  |  |\n| --- | --- |\n| int | open() |";
    assert_eq!(page(table), wanted);
}

#[test]
fn a_file_keeps_its_text_and_loses_only_navigation() {
    let text = page(
        "<nav><a href=/>Home</a> <a href=/x>Elsewhere</a></nav><h1>Layout</h1>\
        <div class=sidebar><p>Beside</p></div><table><tr><td>Width</td><td>Height</td></tr></table>\
        <footer>Printed in Utrecht</footer>",
    );
    for wanted in [
        "# Layout",
        "Beside",
        "| Width | Height |",
        "Printed in Utrecht",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing in:\n{text}");
    }
    assert!(!text.contains("Elsewhere"), "{text}");
}

#[test]
fn a_table_of_data_in_the_text_of_a_page_is_part_of_it() {
    let words = "Plain words that make a paragraph long enough to count as one. ".repeat(12);
    let page = |class: &str| {
        format!(
            "<html><body><div id=box><p>{words}</p><div class={class}><table><tr><th>Name</th><th>Width</th></tr>\
            <tr><td>A4</td><td>210</td></tr></table></div><p>{words}</p></div></body></html>"
        )
    };
    // The model is sure of the paragraphs only.
    let probabilities = || vec![0.9, 0.1, 0.1, 0.1, 0.1, 0.9];
    let read = |class: &str| markdown(&page(class), "https://a.example/", probabilities());
    assert!(read("sizes").contains("| A4 | 210 |"), "{}", read("sizes"));
    assert!(!read("sidebar").contains("A4"), "{}", read("sidebar"));
}
