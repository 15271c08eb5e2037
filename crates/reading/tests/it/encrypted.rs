//! Documents with a password: what opens them, and what is said of those that do not open.

use fault::Case;
use reading::document::{Document, DocumentKind, Hint, Password, read_document};

const TEXT: &str = "The harbour lights are green.";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../encrypted/", $name))
    };
}

fn hint(password: Option<&str>, part: Option<&str>) -> Hint {
    Hint {
        password: password.map(Password::new),
        part: part.map(str::to_owned),
        ..Hint::default()
    }
}

fn opened(bytes: &[u8], password: Option<&str>, part: Option<&str>) -> Document {
    read_document(bytes, &hint(password, part)).expect("the password opens it")
}

/// The sentence about a file that does not open.
fn refused(bytes: &[u8], password: Option<&str>, part: Option<&str>) -> String {
    let fault = read_document(bytes, &hint(password, part)).expect_err("stays closed");
    assert_eq!(fault.case(), Case::BrokenDocument);
    let said = fault.sentence().as_str().to_owned();
    password
        .into_iter()
        .for_each(|it| assert!(!said.contains(it)));
    said
}

fn standard() -> Vec<u8> {
    testkit::documents::compound(&[
        ("EncryptionInfo", fixture!("standard.info")),
        ("EncryptedPackage", fixture!("standard.package")),
        // WPS Office adds a document that says only that it cannot be opened.
        ("WordDocument", b"x"),
    ])
}

#[test]
fn office_files_open_with_their_password() {
    for (bytes, password) in [
        (fixture!("agile.docx").to_vec(), Some("korrekt ✓")),
        (fixture!("read-only.docx").to_vec(), None),
        (standard(), Some("1234")),
    ] {
        let document = opened(&bytes, password, None);
        assert_eq!(document.markdown, TEXT);
        assert_eq!(document.kind, DocumentKind::DOCX);
        assert_eq!(document.warnings, []);
    }
    for bytes in [fixture!("agile.docx").to_vec(), standard()] {
        let wrong = refused(&bytes, Some("wrong-one"), None);
        assert!(wrong.contains("does not open"), "{wrong}");
        let closed = refused(&bytes, None, None);
        assert!(closed.contains("DOCX"), "{closed}");
        assert!(closed.contains("Read it again with password"), "{closed}");
    }
}

/// The stream of slides as a presentation.
fn slides(stream: &[u8]) -> Vec<u8> {
    const LAST_EDIT: u32 = 398;
    let encrypted = 0xF3D1_C4DF_u32.to_le_bytes();
    let user = [&[0; 12][..], &encrypted, &LAST_EDIT.to_le_bytes()].concat();
    testkit::documents::compound(&[("PowerPoint Document", stream), ("Current User", &user)])
}

fn old_office() -> [(Vec<u8>, DocumentKind); 4] {
    [
        (fixture!("rc4.doc").to_vec(), DocumentKind::DOC),
        (fixture!("rc4.xls").to_vec(), DocumentKind::XLS),
        (fixture!("xor.xls").to_vec(), DocumentKind::XLS),
        (slides(fixture!("cryptoapi.slides")), DocumentKind::PPT),
    ]
}

#[test]
fn office_files_before_2007_open_with_their_password() {
    for (bytes, kind) in old_office() {
        let document = opened(&bytes, Some("korrekt"), None);
        assert!(document.markdown.contains(TEXT), "{}", document.markdown);
        assert_eq!((document.kind, document.warnings), (kind, vec![]));
        let wrong = refused(&bytes, Some("wrong-one"), None);
        assert!(wrong.contains("does not open"), "{wrong}");
        let closed = refused(&bytes, None, None);
        assert!(closed.contains("opens with a password"), "{closed}");
        assert!(closed.contains("Read it again with password"), "{closed}");
    }
}

#[test]
fn damaged_ones_before_2007_end() {
    for (bytes, _) in old_office() {
        for at in (0..bytes.len()).step_by(61) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            for password in [None, Some("korrekt")] {
                let _ = read_document(&damaged, &hint(password, None));
                let _ = read_document(&bytes[..at], &hint(password, None));
            }
        }
    }
}

#[test]
fn a_password_that_is_not_needed_does_no_harm() {
    let bytes = fixture!("owner.pdf");
    for password in [None, Some("captain"), Some("wrong")] {
        let read = opened(bytes, password, None);
        assert!(read.markdown.contains(TEXT), "{}", read.markdown);
    }
    let read = opened(fixture!("read-only.docx"), Some("wrong"), None);
    assert!(read.markdown.contains(TEXT), "{}", read.markdown);
}

/// The PDFs with a password for readers and another one for their owner, by the length of their keys.
fn pdfs() -> [&'static [u8]; 3] {
    [
        fixture!("both40.pdf"),
        fixture!("both128.pdf"),
        fixture!("both256.pdf"),
    ]
}

#[test]
fn a_pdf_opens_with_either_of_its_passwords() {
    for bytes in pdfs() {
        for password in ["korrekt", "captain"] {
            let read = opened(bytes, Some(password), None);
            assert!(read.markdown.contains(TEXT), "{}", read.markdown);
        }
        assert!(refused(bytes, Some("wrong-one"), None).contains("does not open"));
        assert!(refused(bytes, None, None).contains("opens with a password"));
    }
}

/// Without its table of objects, it was called damaged, and no one tried a password.
#[test]
fn a_damaged_pdf_that_is_encrypted_says_so() {
    for bytes in pdfs() {
        let table = bytes.windows(9).rposition(|it| it == b"startxref").unwrap();
        let damaged = [&bytes[..table], b"startxref\n7\n%%EOF"].concat();
        assert!(refused(&damaged, None, None).contains("opens with a password"));
        assert!(refused(&damaged, Some("wrong-one"), None).contains("does not open"));
        let read = opened(&damaged, Some("korrekt"), None);
        assert!(read.markdown.contains(TEXT), "{}", read.markdown);
    }
}

#[test]
fn a_pdf_with_encrypted_attachments_shows_its_pages() {
    let whole = fixture!("both256.pdf");
    let start = whole.windows(7).position(|it| it == b"<< /CF ").unwrap();
    let end = whole.windows(7).rposition(|it| it == b"endobj\n").unwrap();
    let description = String::from_utf8_lossy(&whole[start..end]);
    let plain = testkit::documents::pdf(&["BT /F1 12 Tf 50 700 Td (In the open.) Tj ET"]);
    let plain: String = plain.iter().map(|byte| char::from(*byte)).collect();
    let with = |description: &str| -> Vec<u8> {
        let trailer = format!("/ID[<00><00>]/Encrypt {description}/Root 1 0 R");
        let file = plain.replace("/Root 1 0 R", &trailer);
        file.chars().map(|it| it as u8).collect()
    };
    let open = description
        .replace("/StmF /StdCF", "/StmF /Identity")
        .replace("/StrF /StdCF", "/StrF /Identity/EFF /StdCF");
    let read = opened(&with(&open), None, None);
    assert!(read.markdown.contains("In the open."), "{}", read.markdown);
    assert!(refused(&with(&open), None, Some("a.txt")).contains("opens with a password"));
    assert!(refused(&with(&description), None, None).contains("opens with a password"));
}

#[test]
fn files_in_encrypted_archives_open_with_their_password() {
    for (bytes, part) in [
        (&fixture!("aes128.zip")[..], "notes/a.txt"),
        (fixture!("aes256.zip"), "notes/a.txt"),
        (fixture!("aes256.zip"), "b.docx"),
        (fixture!("pkzip.zip"), "a.txt"),
        (fixture!("pkzip-streamed.zip"), "-"),
    ] {
        // The names are not encrypted.
        let listing = opened(bytes, None, None);
        assert!(listing.markdown.contains(part), "{}", listing.markdown);
        let document = opened(bytes, Some("korrekt"), Some(part));
        assert_eq!(document.markdown, TEXT);
        let closed = refused(bytes, None, Some(part));
        assert!(closed.contains("ZIP archive is encrypted"), "{closed}");
        // The old encryption lets one password in 256 pass its first check.
        let tries = if part == "a.txt" { 600 } else { 2 };
        for number in 0..tries {
            let wrong = refused(bytes, Some(&format!("wrong{number}")), Some(part));
            assert!(wrong.contains("does not open"), "{wrong}");
        }
    }
}

#[test]
fn an_opendocument_file_opens_with_its_password() {
    let bytes = fixture!("aes.odt");
    let document = opened(bytes, Some("korrekt"), None);
    assert_eq!(
        (document.kind, &*document.markdown),
        (DocumentKind::ODT, TEXT)
    );
    assert!(refused(bytes, None, None).contains("OpenDocument file is encrypted"));
    assert!(refused(bytes, Some("wrong"), None).contains("does not open"));
}

#[test]
fn what_no_password_opens_says_what_would() {
    let certificate = testkit::documents::compound(&[
        ("EncryptionInfo", &[4, 0, 3, 0, 0, 0, 0, 0]),
        ("EncryptedPackage", b"x"),
    ]);
    let whole = testkit::documents::zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("encrypted-package", b"x"),
    ]);
    let restricted = testkit::documents::compound(&[
        ("\u{6}DataSpaces/DataSpaceInfo/DRMEncryptedDataSpace", b"x"),
        ("EncryptedPackage", b"x"),
    ]);
    for (bytes, word) in [
        (certificate, "Office file"),
        (whole, "LibreOffice"),
        (restricted, "rights management"),
    ] {
        for password in [None, Some("any-one")] {
            let said = refused(&bytes, password, None);
            assert!(said.contains("cannot be opened here"), "{said}");
            assert!(said.contains(word), "{said}");
        }
    }
}

/// Every byte of what describes the encryption, changed: no panic, and no text from a wrong key.
#[test]
fn a_damaged_one_ends() {
    let small = [
        (&fixture!("pkzip.zip")[..], 1, Some("a.txt")),
        (fixture!("aes.odt"), 31, None),
    ];
    let password = "korrekt";
    for (bytes, step, part) in small {
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x55;
            let _ = read_document(&damaged, &hint(Some(password), part));
            let _ = read_document(&bytes[..at], &hint(Some(password), part));
        }
    }
    let info = fixture!("standard.info");
    for at in (0..info.len()).step_by(29) {
        for changed in [
            info[..at].to_vec(),
            [&info[..at], &[0xFF], &info[at + 1..]].concat(),
        ] {
            let bytes = testkit::documents::compound(&[
                ("EncryptionInfo", &changed),
                ("EncryptedPackage", b"short"),
            ]);
            assert!(read_document(&bytes, &hint(Some("1234"), None)).is_err());
        }
    }
}

/// A file that asks for more rounds of hashing than the format allows is not begun.
#[test]
fn endless_rounds_are_refused() {
    let agile = |rounds: &str| {
        let key = "cipherAlgorithm='AES' cipherChaining='ChainingModeCBC' hashAlgorithm='SHA512' saltValue='AAAA' keyBits='256'";
        let xml = format!(
            "<encryption><keyData {key}/><encryptedKey {key} spinCount='{rounds}' encryptedVerifierHashInput='AAAA' encryptedVerifierHashValue='AAAA' encryptedKeyValue='AAAA'/></encryption>"
        );
        let info = [&[4, 0, 4, 0, 0x40, 0, 0, 0], xml.as_bytes()].concat();
        testkit::documents::compound(&[("EncryptionInfo", &info), ("EncryptedPackage", b"x")])
    };
    assert!(refused(&agile("2"), Some("x1"), None).contains("does not open"));
    for rounds in ["4294967295", "99999999999", "-1"] {
        assert!(refused(&agile(rounds), Some("x1"), None).contains("cannot be opened here"));
    }
}
