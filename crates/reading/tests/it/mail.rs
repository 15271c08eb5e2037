//! Messages and mailboxes whose charsets, encodings and separators are not as they should be.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use reading::document::{Document, DocumentKind, Hint, Unit, Warning, read_document};
use testkit::documents::signed;

fn named(bytes: &[u8], name: &str) -> Document {
    let hint = Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    };
    read_document(bytes, &hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

/// A message with these headers and this body.
fn message(headers: &[u8], body: &[u8]) -> Vec<u8> {
    let start = b"From: Ada <ada@a.example>\r\nTo: bo@a.example\r\n";
    [start, headers, b"\r\n\r\n", body].concat()
}

#[test]
fn a_sentence_that_begins_with_from_stays_in_its_message() {
    let mail = |subject: &str, body: &str| {
        format!("From: Ada <ada@a.example>\nTo: bo@a.example\nSubject: {subject}\n\n{body}\n")
    };
    let first = "Dear all,\n\nFrom the beginning we planned to pay 5000 EUR by Fri, in Mar.\nThe rest follows.\n\n>From Ada\n>>From both";
    for separator in [
        "From bo@a.example Tue Mar  5 11:00:00 2024",
        "From - Tue Mar 05 11:00:00 2024",
        "From bo at a.example  Tue Mar  5 11:00:00 2024",
        "From 17@xxx Tue Mar 05 11:00:00 +0000 2024",
    ] {
        let source = format!(
            "From ada@a.example Tue Mar  5 10:00:00 2024\n{}\n{separator}\n{}",
            mail("one", first),
            mail("two", "Body two")
        );
        let read = named(source.as_bytes(), "a.mbox");
        assert_eq!((read.kind, read.pages), (DocumentKind::MBOX, Some(2)));
        assert!(
            read.markdown.contains(
                "\n\nFrom the beginning we planned to pay 5000 EUR by Fri, in Mar.\nThe rest follows.\n\nFrom Ada\n>From both"
            ),
            "{}",
            read.markdown
        );
        let starts: Vec<&str> = read
            .parts
            .iter()
            .filter_map(|it| it.name.as_deref())
            .collect();
        assert_eq!(starts, ["one", "two"]);
        assert!(read.parts.iter().all(|it| it.unit == Unit::Message));
    }
}

#[test]
fn a_body_without_a_declared_charset_is_detected() {
    let page = b"<html><head><meta charset=\"windows-1251\"></head><body><p>\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0.</p></body></html>";
    let html = message(
        b"Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: text/html",
        page,
    );
    let koi = b"\xF0\xD2\xC9\xD7\xC5\xD4, \xCD\xC9\xD2. \xFC\xD4\xCF \xCF\xC2\xD9\xDE\xCE\xCF\xC5 \xD0\xC9\xD3\xD8\xCD\xCF.";
    let old = message(b"Subject: b", koi);
    let latin = message(
        b"Subject: c\r\nContent-Type: text/plain",
        b"Gr\xFC\xDFe aus K\xF6ln",
    );
    let quoted = message(
        b"Subject: d\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable",
        b"Gr=FC=DFe aus =\r\nK=F6ln",
    );
    let wrong = message(
        b"Subject: e\r\nContent-Type: text/plain; charset=klingon",
        b"Gr\xFC\xDFe aus K\xF6ln",
    );
    for (mail, text) in [
        (html, "Привет, мир."),
        (old, "Привет, мир. Это обычное письмо."),
        (latin, "Grüße aus Köln"),
        (quoted, "Grüße aus Köln"),
        (wrong, "Grüße aus Köln"),
    ] {
        let read = named(&mail, "a.eml");
        assert!(
            read.markdown.ends_with(&format!("\n\n{text}")),
            "{}",
            read.markdown
        );
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        let mailbox = [b"From a@a.example Tue Mar  5 10:00:00 2024\n", &mail[..]].concat();
        assert!(
            named(&mailbox, "a.mbox")
                .markdown
                .ends_with(&format!("\n\n{text}"))
        );
    }
    let broken = message(
        b"Subject: f\r\nContent-Type: text/plain; charset=utf-8",
        b"caf\xC3 and more",
    );
    assert_eq!(named(&broken, "a.eml").warnings, [Warning::Lossy]);
}

#[test]
fn headers_are_read_in_the_charset_of_the_message() {
    let raw = message(
        b"Subject: Gr\xFC\xDFe\r\nContent-Type: text/plain; charset=us-ascii",
        b"Sch\xF6ne Gr\xFC\xDFe \x96 \x80",
    );
    let read = named(&raw, "a.eml");
    assert_eq!(read.title.as_deref(), Some("Grüße"));
    assert!(
        read.markdown.ends_with("Schöne Grüße – €"),
        "{}",
        read.markdown
    );
    // A character may be divided between two words.
    for words in [
        "=?utf-8?Q?Caf=C3=A9_=E2=82?= =?UTF-8?Q?=AC?= =?utf-8?q?_x?=",
        "=?utf-8?B?Q2Fmw6kg4g==?=\r\n =?utf-8?B?gqwgeA==?=",
    ] {
        let read = named(
            &message(format!("Subject: {words}").as_bytes(), b"x"),
            "a.eml",
        );
        assert_eq!(read.title.as_deref(), Some("Café € x"), "{words}");
    }
    let apart = message(
        b"Subject: =?utf-8?Q?a?= b =?iso-8859-1?Q?=E9?= =?utf-8?Q?c?= =?x",
        b"x",
    );
    assert_eq!(named(&apart, "a.eml").title.as_deref(), Some("a b éc =?x"));
}

#[test]
fn a_stray_letter_or_a_footer_does_not_hide_a_body_in_base64() {
    let head = b"Subject: a\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64";
    let body = b"QmFzZTY0IGJvZHkgw7xuw69jb2RlIGxpbmUgdGhh!!\r\ndCBpcyBxdWl0ZSBsb25n\r\n\r\nA footer in clear text\r\n";
    let read = named(&message(head, body), "a.eml");
    assert!(
        read.markdown
            .ends_with("\n\nBase64 body ünïcode line that is quite long\n\nA footer in clear text"),
        "{}",
        read.markdown
    );
    let rich = b"Subject: a\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64";
    let read = named(&message(rich, b"PHA+SGVs!bG88L3A+"), "a.eml");
    assert!(read.markdown.ends_with("\n\nHello"), "{}", read.markdown);
    assert!(read.parts.is_empty(), "{:?}", read.parts);
}

#[test]
fn the_texts_of_pictures_in_a_message_are_kept() {
    let html = b"Subject: a\r\nContent-Type: text/html; charset=utf-8";
    let body = b"<body><a href=\"https://a.example/sale\"><img src=\"https://a.example/1.png\" alt=\"Sale: 50 % off\"></a>\
        <p>Dear Bo</p><p><img src=\"cid:2@a.example\" alt=\"A map of\n the town\"></p>\
        <img src=\"https://a.example/3.png\" alt=\"opened\" width=1 height=1><img src=\"cid:4@a.example\"></body>";
    let read = named(&message(html, body), "a.eml");
    assert!(
        read.markdown.ends_with(
            "\n\n[![Sale: 50 % off](https://a.example/1.png)](https://a.example/sale)\n\nDear Bo\n\n![A map of the town]"
        ),
        "{}",
        read.markdown
    );
}

#[test]
fn a_picture_with_a_long_address_is_not_preferred_to_the_plain_text() {
    let head =
        b"Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=x";
    let address = "a".repeat(200);
    let body = format!(
        "--x\r\nContent-Type: text/plain\r\n\r\nThe meeting is at noon in the town hall.\r\n\
         --x\r\nContent-Type: text/html\r\n\r\n<img src=\"https://a.example/{address}\" alt=\"Logo\">\r\n--x--\r\n"
    );
    let read = named(&message(head, body.as_bytes()), "a.eml");
    assert!(
        read.markdown
            .ends_with("\n\nThe meeting is at noon in the town hall."),
        "{}",
        read.markdown
    );
}

#[test]
fn the_date_is_shown_in_the_words_of_the_message() {
    for (header, shown, date) in [
        (
            "Tue, 5 Mar 2024 10:00:00 -0600 (CST)",
            "Tue, 5 Mar 2024 10:00:00 -0600 (CST)",
            Some("2024-03-05T10:00:00-06:00"),
        ),
        (
            "Tue,\r\n 5 Mar 2024 10:00:00 GMT",
            "Tue, 5 Mar 2024 10:00:00 GMT",
            Some("2024-03-05T10:00:00Z"),
        ),
        ("Di, den 5. M\u{E4}rz", "Di, den 5. M\u{E4}rz", None),
    ] {
        let headers = format!("Subject: a\r\nDate: {header}");
        let read = named(&message(headers.as_bytes(), b"Text"), "a.eml");
        assert!(
            read.markdown.contains(&format!("- Date: {shown}\n")),
            "{}",
            read.markdown
        );
        assert_eq!(read.date.as_deref(), date);
    }
}

#[test]
fn what_a_program_shows_of_attached_messages_is_read() {
    let inner = message(
        b"Subject: Inner\r\nReply-To: list@a.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=j",
        b"--j\r\nContent-Type: text/plain\r\n\r\nForwarded text.\r\n--j\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\n%PDF\r\n--j--\r\n",
    );
    let parts: [&[u8]; 5] = [
        b"--i\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n",
        b"--i\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n",
        b"--i\r\nContent-Type: message/rfc822\r\n\r\n",
        &inner,
        b"\r\n--i--\r\n",
    ];
    let outer = message(
        b"Subject: Outer\r\nReply-To: Ada <ada@a.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=i",
        &parts.concat(),
    );
    let read = named(&outer, "a.eml");
    let people = "- From: Ada <ada@a.example>\n- To: bo@a.example\n";
    let size = inner.len();
    assert_eq!(
        read.markdown,
        format!(
            "# Outer\n\n{people}\nSee below.\n\nAction: failed\nStatus: 5.1.1\n\n\
            ## Attachments\n\n| file | type | bytes |\n| --- | --- | --- |\n| Inner.eml | message/rfc822 | {size} |\n\n\
            ## Inner\n\n{people}- Reply-To: list@a.example\n\nForwarded text.\n\n\
            ### Attachments\n\n| file | type | bytes |\n| --- | --- | --- |\n| Inner.eml/a.pdf | application/pdf | 4 |"
        )
    );
    // The attachments of the inner message are asked for through it.
    assert_eq!(read.parts.len(), 1);
    let hint = Hint {
        file_name: Some("a.eml".to_owned()),
        part: Some("Inner.eml/a.pdf".to_owned()),
        ..Hint::default()
    };
    let read = read_document(&outer, &hint).expect("is named as the list says");
    assert_eq!(read.title.as_deref(), Some("a.pdf"));
}

#[test]
fn a_message_inside_its_signature_is_read_with_its_attachments() {
    let inner = b"Content-Type: multipart/mixed; boundary=i\r\n\r\n\
        --i\r\nContent-Type: text/plain\r\n\r\nThe words inside.\r\n\
        --i\r\nContent-Type: text/csv; name=data.csv\r\nContent-Disposition: attachment\r\n\r\na,b\r\n1,2\r\n\
        --i--\r\n";
    let opaque = |content: &[u8], name: &str| {
        let headers = format!(
            "Subject: signed\r\nMIME-Version: 1.0\r\n\
             Content-Type: application/pkcs7-mime; smime-type=signed-data;\r\n name={name}\r\n\
             Content-Transfer-Encoding: base64"
        );
        let body = BASE64.encode(signed(content));
        message(headers.as_bytes(), body.as_bytes())
    };
    let mail = opaque(inner, "smime.p7m");
    let twice = opaque(
        &[
            b"Content-Type: application/pkcs7-mime\r\n\r\n",
            &signed(inner)[..],
        ]
        .concat(),
        "smime.p7m",
    );
    let mailbox = [b"From ada@a.example Tue Mar  5 10:00:00 2024\n", &mail[..]].concat();
    for (mail, name) in [(&mail, "a.eml"), (&twice, "a.eml"), (&mailbox, "a.mbox")] {
        let read = named(mail, name);
        assert_eq!(read.title.as_deref(), Some("signed"));
        for text in [
            "From: Ada <ada@a.example>",
            "The words inside.",
            "| data.csv |",
        ] {
            assert!(read.markdown.contains(text), "{}", read.markdown);
        }
        assert_eq!(read.warnings, [Warning::SignatureNotChecked]);
    }
    let hint = Hint {
        file_name: Some("a.eml".to_owned()),
        part: Some("data.csv".to_owned()),
        ..Hint::default()
    };
    let read = read_document(&mail, &hint).expect("is attached");
    assert!(read.markdown.contains("| 1 | 2 |"), "{}", read.markdown);
    // A signed file that is sent alone is a file.
    let read = named(&opaque(b"<a>words</a>", "invoice.xml.p7m"), "a.eml");
    assert!(
        read.markdown.contains("| invoice.xml.p7m |"),
        "{}",
        read.markdown
    );
}

/// A message that Outlook packed (TNEF), with a file of this name.
fn winmail(name: &str, content: &[u8]) -> Vec<u8> {
    let attribute = |level: u8, number: u32, content: &[u8]| {
        let length = (content.len() as u32).to_le_bytes();
        [
            &[level][..],
            &number.to_le_bytes(),
            &length,
            content,
            &[0, 0],
        ]
        .concat()
    };
    let text = |number: u32, text: &str| {
        let wide: Vec<u8> = text
            .encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes)
            .collect();
        let head = (number << 16 | 0x1F).to_le_bytes();
        let (count, length) = (1_u32.to_le_bytes(), (wide.len() as u32).to_le_bytes());
        let filling = vec![0; wide.len().next_multiple_of(4) - wide.len()];
        [&head[..], &count, &length, &wide, &filling].concat()
    };
    // A property with a name, which is passed over, and several numbers in one.
    let named = [
        &0x8001_0003_u32.to_le_bytes()[..],
        &[7; 16],
        &[0; 4],
        &[1; 4],
        &[9; 4],
    ]
    .concat();
    let many = [
        &0x1234_1003_u32.to_le_bytes()[..],
        &2_u32.to_le_bytes(),
        &[5; 8],
    ]
    .concat();
    let message = [
        5_u32.to_le_bytes().to_vec(),
        named,
        many,
        text(0x0037, "Offer"),
        text(0x0C1A, "Ada"),
        text(0x1000, "The text in the packet."),
    ];
    let file = [1_u32.to_le_bytes().to_vec(), text(0x3707, name)];
    [
        b"\x78\x9F\x3E\x22\x01\x00".to_vec(),
        attribute(1, 0x0006_9007, &1252_u32.to_le_bytes()),
        attribute(1, 0x0001_8004, b"Old\0"),
        attribute(1, 0x0006_9003, &message.concat()),
        attribute(2, 0x0006_9002, &[1; 14]),
        attribute(2, 0x0001_8010, b"SHORT~1.CSV\0"),
        attribute(2, 0x0006_800F, content),
        attribute(2, 0x0006_9005, &file.concat()),
    ]
    .concat()
}

#[test]
fn what_outlook_packs_into_winmail_dat_is_read() {
    let packet = winmail("data – final.csv", b"a,b\n1,2\n");
    let read = named(&packet, "winmail.dat");
    assert_eq!(read.kind, DocumentKind::TNEF);
    assert_eq!(
        read.markdown,
        "# Offer\n\n- From: Ada\n\nThe text in the packet.\n\n## Attachments\n\n\
         | file | type | bytes |\n| --- | --- | --- |\n| data – final.csv |  | 8 |"
    );
    let part = |bytes: &[u8], file: &str| {
        let hint = Hint {
            file_name: Some(file.to_owned()),
            part: Some("data – final.csv".to_owned()),
            ..Hint::default()
        };
        read_document(bytes, &hint).expect("is packed").markdown
    };
    assert!(part(&packet, "winmail.dat").contains("| 1 | 2 |"));
    // In a message, what is packed stands in its place.
    let mail = |body: &str| {
        let parts = format!(
            "--i\r\nContent-Type: text/plain\r\n\r\n{body}\r\n--i\r\n\
             Content-Type: application/ms-tnef; name=winmail.dat\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--i--\r\n",
            BASE64.encode(&packet)
        );
        let headers =
            b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=i";
        message(headers, parts.as_bytes())
    };
    let read = named(&mail("The plain text."), "a.eml").markdown;
    assert!(
        read.contains("| data – final.csv |") && !read.contains("winmail"),
        "{read}"
    );
    assert!(
        read.contains("The plain text.") && !read.contains("in the packet"),
        "{read}"
    );
    assert!(
        named(&mail(""), "a.eml")
            .markdown
            .contains("The text in the packet.")
    );
    assert!(part(&mail(""), "a.eml").contains("| 1 | 2 |"));
    for length in 0..packet.len() {
        let _ = read_document(&packet[..length], &Hint::default());
    }
    for place in 6..packet.len() {
        let mut damaged = packet.clone();
        damaged[place] = 0xFF;
        let _ = read_document(&damaged, &Hint::default());
    }
}
