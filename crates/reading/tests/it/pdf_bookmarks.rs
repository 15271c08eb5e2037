//! The bookmarks of a PDF, and the pages that they lead to.

use testkit::documents::{assembled, pdf_stream};

use crate::pdf::{document, object};

/// A PDF of three pages (objects 3 to 5) with these entries in its catalogue, and more objects from 7 on.
fn book(catalogue: &str, more: &[&str]) -> Vec<u8> {
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>/Contents 6 0 R>>";
    let mut objects = vec![
        object(&format!("<</Type/Catalog/Pages 2 0 R{catalogue}>>")),
        object("<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>"),
        object(page),
        object(page),
        object(page),
        pdf_stream("", b"BT /F1 12 Tf 50 700 Td (The text.) Tj ET"),
    ];
    objects.extend(more.iter().map(|more| object(more)));
    assembled(&objects)
}

/// The bookmarks as the number of the page, the level and the title.
fn bookmarks(bytes: &[u8]) -> Vec<(u32, u8, String)> {
    let parts = document(bytes).parts.into_iter();
    let of_part = parts.flat_map(|part| {
        let number = part.number;
        let bookmarks = part.bookmarks.into_iter();
        bookmarks.map(move |it| (number, it.level, it.title))
    });
    of_part.collect()
}

fn expected(bookmarks: &[(u32, u8, &str)]) -> Vec<(u32, u8, String)> {
    let owned = |(page, level, title): &(u32, u8, &str)| (*page, *level, (*title).to_owned());
    bookmarks.iter().map(owned).collect()
}

#[test]
fn bookmarks_lead_to_their_pages_however_they_name_them() {
    let names = "/Names<</Dests<</Kids[14 0 R]>>>>/Dests<</old[5 0 R/Fit]>>/Outlines 7 0 R";
    let file = book(
        names,
        &[
            "<</First 8 0 R/Count 99>>",
            // A part leads nowhere itself.
            "<</Title(Part\nOne)/First 9 0 R/Next 12 0 R>>",
            "<</Title(By place)/Dest[3 0 R/XYZ 0 0 0]/Next 10 0 R>>",
            "<</Title<FEFF00C4>/Dest(chapter)/First 11 0 R/Next 13 0 R>>",
            "<</Title(By action)/A<</S/GoTo/D[4 0 R/Fit]>>>>",
            "<</Title(By old name)/Dest/old/Next 15 0 R>>",
            "<</Title(By number)/Dest[2/Fit]>>",
            "<</Names[(chapter)<</D[4 0 R/Fit]>>]>>",
            "<</Title(Elsewhere)/A<</S/URI/URI(https://a.example/)>>>>",
        ],
    );
    assert_eq!(
        bookmarks(&file),
        expected(&[
            (1, 1, "Part One"),
            (1, 2, "By place"),
            (2, 2, "Ä"),
            (2, 3, "By action"),
            (3, 2, "By number"),
            (3, 1, "By old name"),
        ])
    );
}

/// Bookmarks that come back to one another, and chains without end.
#[test]
fn bookmarks_without_end_end() {
    let turning = book(
        "/Outlines 7 0 R",
        &[
            "<</First 8 0 R>>",
            "<</Title(a)/Dest[3 0 R]/First 8 0 R/Next 9 0 R>>",
            "<</Title(b)/Dest[4 0 R]/First 7 0 R/Next 8 0 R>>",
        ],
    );
    assert_eq!(bookmarks(&turning), expected(&[(1, 1, "a"), (2, 1, "b")]));
    let deep: Vec<String> = (9..20_000)
        .map(|next| format!("<</Title(t)/Dest[3 0 R]/First {next} 0 R>>"))
        .collect();
    let long: Vec<String> = (9..20_000)
        .map(|next| format!("<</Title(t)/Dest[3 0 R]/Next {next} 0 R>>"))
        .collect();
    for (chain, most) in [(deep, 16), (long, 5_000)] {
        let mut objects = vec!["<</First 8 0 R>>"];
        objects.extend(chain.iter().map(String::as_str));
        assert_eq!(bookmarks(&book("/Outlines 7 0 R", &objects)).len(), most);
    }
}

#[test]
fn bookmarks_with_many_names_take_no_time() {
    let names: String = (0..60_000).map(|it| format!("/n{it}[3 0 R]")).collect();
    let item = |index: usize| format!("<</Title(T)/Dest/n{index}/Next {} 0 R>>", index + 10);
    let mut more = vec!["<</First 9 0 R>>".to_owned(), format!("<<{names}>>")];
    more.extend((0..4_000).map(item));
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let file = book("/Dests 8 0 R/Outlines 7 0 R", &more);
    assert_eq!(bookmarks(&file).len(), 4_000);
}
