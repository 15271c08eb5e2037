//! Lines that repeat at the top and the bottom of the pages of a PDF, and the numbers of the pages.

use testkit::documents::pdf;

use super::pdf::{at, document};

/// The text of pages that are made of their numbers.
fn text_of(count: u32, page: impl Fn(u32) -> String) -> String {
    let pages: Vec<String> = (1..=count).map(page).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    document(&pdf(&pages)).markdown
}

#[test]
fn running_heads_stay_once_and_compounds_keep_their_hyphens() {
    let pages: Vec<String> = (1..=4)
        .map(|number| {
            let mut content = at(50, 770, "The yearly report");
            content += &at(50, 700, "It is a well-known fact that the sunflower of");
            content += &at(50, 688, &format!("page {number} is the sun-"));
            content += &at(50, 676, "flower of a well-");
            content += &at(50, 664, "known author.");
            content += &at(290, 30, &number.to_string());
            content
        })
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let text = document(&pdf(&pages)).markdown;
    assert_eq!(text.matches("The yearly report").count(), 1, "{text}");
    assert_eq!(
        text.matches("the sunflower of a well-known author.")
            .count(),
        4,
        "{text}"
    );
    assert!(!text.contains("\n\n4"), "{text}");
}

#[test]
fn numbers_that_count_up_at_the_edge_of_pages_are_dropped_only_as_page_numbers() {
    let pages: Vec<String> = (1..=5)
        .map(|number| {
            let year = 2018 + number;
            let mut content = format!("BT /F1 20 Tf 50 770 Td ({year}) Tj ET ");
            content += &at(50, 750, &format!("Chapter {number}"));
            content += &at(50, 700, "The first line of the page is here.");
            content += &at(50, 688, "The second line of the page is here.");
            content += &at(50, 676, "The third line of the page is here.");
            content += &at(50, 60, &format!("Score: {}", 40 + number));
            content += &at(50, 30, "A yearly review");
            content += &at(540, 30, &(100 + number).to_string());
            content
        })
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let text = document(&pdf(&pages)).markdown;
    for number in 1..=5 {
        for kept in [
            format!("{}", 2018 + number),
            format!("Chapter {number}"),
            format!("Score: {}", 40 + number),
        ] {
            assert!(text.contains(&kept), "{kept} in {text}");
        }
    }
    assert!(!text.contains("104"), "{text}");
    assert_eq!(text.matches("A yearly review").count(), 1, "{text}");
}

#[test]
fn slides_with_one_line_of_text_lose_their_foot() {
    let text = text_of(6, |page| {
        // A frame of a talk is two pages.
        let frame = page.div_ceil(2);
        let mut content = at(50, 500, &format!("The text of slide {page}."));
        content += &at(400, 12, &format!("A talk about learning - {frame} / 48"));
        content
    });
    assert_eq!(text.matches("A talk about learning").count(), 1, "{text}");
    assert!(!text.contains("2 / 48"), "{text}");
    assert!(text.contains("The text of slide 6."), "{text}");
}

#[test]
fn the_head_of_a_chapter_goes_beside_the_one_of_the_document() {
    let text = text_of(6, |page| {
        let chapter = if page <= 3 { "Reading" } else { "Writing" };
        let mut content = at(50, 770, "A manual") + &at(400, 770, chapter);
        content += &at(50, 700, &format!("The text of page {page} is"));
        content += &at(50, 688, "about the registers.");
        content
    });
    for head in ["A manual", "Reading", "Writing"] {
        assert_eq!(text.matches(head).count(), 1, "{head} in {text}");
    }
}

#[test]
fn a_number_after_the_title_is_the_one_of_the_page_if_all_pages_have_it() {
    let foot = |count: u32| {
        text_of(count, |page| {
            let content = at(50, 700, &format!("The text of page {page}."));
            content + &at(300, 30, &format!("A communication protocol {page}"))
        })
    };
    let text = foot(6);
    assert_eq!(
        text.matches("A communication protocol").count(),
        1,
        "{text}"
    );
    let text = foot(4);
    assert_eq!(
        text.matches("A communication protocol").count(),
        4,
        "{text}"
    );
}

#[test]
fn a_table_at_the_foot_of_all_pages_is_told_once() {
    let text = text_of(4, |page| {
        let mut content = String::from("0.5 w ");
        for x in [50, 200, 350] {
            content += &format!("{x} 30 m {x} 60 l S ");
        }
        for y in [30, 45, 60] {
            content += &format!("50 {y} m 350 {y} l S ");
        }
        content += &(at(55, 49, "Type: APLUS") + &at(205, 49, &format!("Page: {page} / 4")));
        content += &(at(55, 34, "No. 162") + &at(205, 34, "Author: RR"));
        content + &at(50, 700, &format!("The text of page {page}."))
    });
    assert_eq!(text.matches("APLUS").count(), 1, "{text}");
    assert!(!text.contains("3 / 4"), "{text}");
}

#[test]
fn rows_of_a_table_that_goes_on_keep_the_words_that_they_share() {
    let text = text_of(4, |page| {
        let row = |(index, y): (u32, u32)| {
            let number = 100 * page + index;
            at(50, y, &number.to_string()) + &at(200, y, "float") + &at(400, y, "-")
        };
        (0..50).zip((20..780).rev().step_by(15)).map(row).collect()
    });
    assert_eq!(text.matches("float").count(), 4 * 50, "{text}");
}

#[test]
fn what_is_of_a_total_but_goes_down_is_no_page_number() {
    let points = [4, 9, 2, 7, 3, 8, 1, 6, 5, 2, 9, 4];
    for line in ["Points", "Rating:", ""] {
        let text = text_of(12, |page| {
            let points = format!("{line} {}/10", points[page as usize - 1]);
            at(50, 770, points.trim()) + &at(50, 700, &format!("The work of pupil {page}."))
        });
        assert_eq!(text.matches("/10").count(), 12, "{text}");
    }
}

#[test]
fn labels_and_values_at_the_edge_of_pages_stay_together() {
    let text = text_of(4, |page| {
        let mut content = at(50, 770, "Name:") + &at(300, 770, &format!("Pupil {page}"));
        content += &at(50, 700, &format!("The text of invoice {page}."));
        content += &(at(50, 40, "To pay") + &at(300, 40, &format!("EUR 1{page}.50")));
        content + &at(50, 25, &format!("Bank {page}")) + &at(300, 25, "0.00")
    });
    for (word, count) in [("Name:", 4), ("To pay", 4), ("0.00", 4)] {
        assert_eq!(text.matches(word).count(), count, "{word} in {text}");
    }
}

#[test]
fn numbers_of_other_things_are_no_page_numbers() {
    let text = text_of(80, |page| {
        let number = 100 + 17 * page % 50;
        at(50, 770, &number.to_string()) + &at(50, 700, &format!("The card of item {page}."))
    });
    for page in 1..=80 {
        let card = format!("\n{}\n\nThe card of item {page}.", 100 + 17 * page % 50);
        assert!(text.contains(&card), "{card} in {text:.2000}");
    }
}
