//! Pages that are pictures, as they are handed over to a program that recognises text.

use reading::document::scan::{MAX_SAMPLES, Picture, Scan, WantedScans};
use reading::document::{Document, DocumentKind, Hint, Limits, Unit, read_with_scans};
use testkit::documents::{assembled, pdf_stream, zlib};
use testkit::pictures::{ScannedPage, Turn, picture, scanned_pdf};

fn scans(bytes: &[u8], wanted: WantedScans) -> (Document, Vec<Scan>) {
    let hint = Hint {
        scans: Some(wanted),
        ..Hint::default()
    };
    let (document, scans) = read_with_scans(bytes, &hint, Limits::default()).expect("is read");
    let mut found = Vec::new();
    if let Some(scans) = scans {
        scans.hand_over(Limits::default(), |scan| {
            found.push(scan);
            true
        });
    }
    (document, found)
}

fn only_picture(bytes: &[u8]) -> Picture {
    let (_, mut found) = scans(bytes, WantedScans::ALL);
    assert_eq!(found.len(), 1);
    found.remove(0).picture.expect("is decoded")
}

/// How many samples of two pictures differ in black and white.
fn differences(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.filter(|(a, b)| (**a > 127) != (**b > 127)).count()
}

#[test]
fn a_page_is_drawn_upright_with_the_samples_of_its_picture() {
    let scan = picture(&["THE HARBOUR", "PILOT"]);
    for (name, page) in [
        ("flate", scan.flate_page(Turn::Upright)),
        ("stencil", scan.stencil_page()),
        ("jpeg", scan.jpeg_page()),
        ("sideways", scan.flate_page(Turn::Sideways)),
    ] {
        let drawn = only_picture(&scanned_pdf(&[page]));
        let size = (drawn.width as usize, drawn.height as usize);
        assert_eq!(size, (scan.width, scan.height), "{name}");
        assert_eq!(drawn.dpi, Some(144), "{name}");
        assert_eq!(differences(&drawn.samples, &scan.samples), 0, "{name}");
    }
}

#[test]
fn strips_of_one_page_are_put_together() {
    let scan = picture(&["THE HARBOUR", "PILOT"]);
    let (width, height) = (scan.width, scan.height);
    let middle = height / 2;
    let strip = |samples: &[u8]| {
        let rows = samples.len() / width;
        let entries = format!(
            "/Type/XObject/Subtype/Image/Width {width}/Height {rows}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode"
        );
        pdf_stream(&entries, &zlib(samples))
    };
    let (above, below) = scan.samples.split_at(middle * width);
    let rest = height - middle;
    let content =
        format!("q {width} 0 0 {middle} 0 {rest} cm /A Do Q q {width} 0 0 {rest} 0 0 cm /B Do Q");
    let file = assembled(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Resources<</XObject<</A 4 0 R/B 5 0 R>>>>/Contents 6 0 R>>").into_bytes(),
        strip(above),
        strip(below),
        pdf_stream("", content.as_bytes()),
    ]);
    let drawn = only_picture(&file);
    assert_eq!(differences(&drawn.samples, &scan.samples), 0);
}

#[test]
fn only_the_pages_that_are_wanted_are_handed_over() {
    let page = picture(&["PILOT"]).flate_page(Turn::Upright);
    let file = scanned_pdf(&[page.clone(), page.clone(), page]);
    let wanted = WantedScans {
        first: 2,
        last: 2,
        are_named: true,
    };
    let (document, found) = scans(&file, wanted);
    assert_eq!(document.scans, [1, 2, 3]);
    assert_eq!(document.pages, Some(3));
    assert!(document.parts.iter().all(|part| part.unit == Unit::Page));
    assert!(!document.has_text());
    let pages: Vec<u32> = found.iter().map(|scan| scan.page).collect();
    assert_eq!(pages, [2]);
}

#[test]
fn a_large_picture_is_made_smaller_and_a_damaged_one_is_none() {
    let page = |entries: &str, data: Vec<u8>, points: (usize, usize)| ScannedPage {
        entries: format!("{entries}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode"),
        data,
        turn: Turn::Upright,
        points,
    };
    let white = zlib(&vec![255; 1_200 * 1_200]);
    let dense = page("/Width 1200/Height 1200", white, (72, 72));
    let drawn = only_picture(&scanned_pdf(&[dense]));
    assert_eq!((drawn.width, drawn.dpi), (400, Some(400)));
    let wide = page("/Width 60/Height 60", zlib(&[255; 3_600]), (14_400, 14_400));
    let drawn = only_picture(&scanned_pdf(&[wide]));
    assert!(u64::from(drawn.width) * u64::from(drawn.height) <= MAX_SAMPLES);
    for damaged in [
        page("/Width 60/Height 60", b"no zlib".to_vec(), (60, 60)),
        page("/Width 60000/Height 60000", zlib(b"small"), (60, 60)),
        page("/Width 0/Height 60", zlib(b"small"), (60, 60)),
    ] {
        let (_, found) = scans(&scanned_pdf(&[damaged]), WantedScans::ALL);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].picture, None);
    }
}

#[test]
fn an_image_file_is_a_picture_of_one_page() {
    let scan = picture(&["THE HARBOUR"]);
    let (document, found) = scans(&scan.png(), WantedScans::ALL);
    assert_eq!(
        (document.kind, &document.scans[..]),
        (DocumentKind::IMAGE, &[1][..])
    );
    let drawn = found[0].picture.as_ref().expect("is decoded");
    assert_eq!(drawn.samples, scan.samples);
}
