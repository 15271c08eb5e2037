//! Generates small documents: archives, Office packages, PDFs.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// A ZIP archive of these entries. The first is stored uncompressed, as some formats require.
pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let packed = entries.iter().enumerate().map(|(index, (name, content))| {
        let stored = index == 0 || content.is_empty();
        let packed = if stored {
            content.to_vec()
        } else {
            deflated(content)
        };
        (
            *name,
            CompressedEntry {
                stored,
                packed,
                size: content.len(),
                crc: crc32(content),
            },
        )
    });
    zip_packed(&packed.collect::<Vec<_>>())
}

/// A compound file (OLE) of these streams. A slash in a name makes a storage.
pub fn compound(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let memory = std::io::Cursor::new(Vec::new());
    let mut file =
        cfb::CompoundFile::create_with_version(cfb::Version::V3, memory).expect("a compound file");
    for (name, content) in streams {
        if let Some((storage, _)) = name.rsplit_once('/') {
            file.create_storage_all(storage).expect("a storage");
        }
        let mut stream = file.create_stream(name).expect("a stream");
        stream.write_all(content).expect("writing to memory");
        stream.flush().expect("writing to memory");
    }
    file.flush().expect("writing to memory");
    file.into_inner().into_inner()
}

/// A TAR archive of these files.
pub fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[136..147].copy_from_slice(b"00000000000");
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
        header[154] = 0;
        archive.extend(header);
        archive.extend(*content);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.extend([0; 1_024]);
    archive
}

/// A signed message (CMS) without signers, around this content.
pub fn signed(content: &[u8]) -> Vec<u8> {
    let element = |tag: u8, content: &[u8]| {
        let length = u32::try_from(content.len()).expect("is short");
        [&[tag, 0x84][..], &length.to_be_bytes(), content].concat()
    };
    let family = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07";
    let octets = element(0xA0, &element(0x04, content));
    let data = element(0x30, &[&family[..], &[1], &octets].concat());
    let parts = [element(0x02, &[1]), element(0x31, &[]), data].concat();
    let message = element(0xA0, &element(0x30, &parts));
    element(0x30, &[&family[..], &[2], &message].concat())
}

/// The content in the GZIP format.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// The compressed content of an entry.
#[derive(Debug)]
pub struct CompressedEntry {
    stored: bool,
    packed: Vec<u8>,
    size: usize,
    crc: u32,
}

/// Megabytes of blanks between two texts. One megabyte is compressed and repeated, because
/// compressing all of them would take longer than the test.
pub fn blanks(before: &str, megabytes: usize, after: &str) -> CompressedEntry {
    let mut packed = flushed(before.as_bytes());
    packed.extend(flushed(&[b' '; 1_000_000]).repeat(megabytes));
    packed.extend(flushed(after.as_bytes()));
    packed.extend([3, 0]);
    CompressedEntry {
        stored: false,
        packed,
        size: before.len() + after.len() + megabytes * 1_000_000,
        crc: 0,
    }
}

/// A piece of a deflate stream that does not depend on the pieces before it.
fn flushed(content: &[u8]) -> Vec<u8> {
    let mut piece = Vec::with_capacity(content.len() + 1_000);
    let mut compress = flate2::Compress::new(Compression::best(), false);
    compress
        .compress_vec(content, &mut piece, flate2::FlushCompress::Full)
        .expect("writing to memory");
    piece
}

/// A ZIP archive of compressed entries.
pub fn zip_packed(entries: &[(&str, CompressedEntry)]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (name, entry) in entries {
        directory.extend(listed(name, entry, archive.len()));
        archive.extend(local(name, entry));
    }
    closed(archive, &directory, entries.len())
}

/// A ZIP archive with the same compressed content under many names, as in a small bomb.
pub fn zip_overlapping(names: &[String], entry: &CompressedEntry) -> Vec<u8> {
    let archive = names
        .first()
        .map(|name| local(name, entry))
        .unwrap_or_default();
    let directory: Vec<u8> = names
        .iter()
        .flat_map(|name| listed(name, entry, 0))
        .collect();
    closed(archive, &directory, names.len())
}

/// The local header of an entry.
fn local(name: &str, entry: &CompressedEntry) -> Vec<u8> {
    [
        b"PK\x03\x04",
        facts(name, entry).as_slice(),
        name.as_bytes(),
        &entry.packed,
    ]
    .concat()
}

/// The directory record of an entry.
fn listed(name: &str, entry: &CompressedEntry, offset: usize) -> Vec<u8> {
    [
        b"PK\x01\x02\x14\x00",
        facts(name, entry).as_slice(),
        &[0; 10],
        &(offset as u32).to_le_bytes(),
        name.as_bytes(),
    ]
    .concat()
}

/// The fields that both have.
fn facts(name: &str, entry: &CompressedEntry) -> Vec<u8> {
    let mut facts = vec![20, 0, 0, 0, if entry.stored { 0 } else { 8 }, 0, 0, 0, 0, 0];
    facts.extend(entry.crc.to_le_bytes());
    facts.extend((entry.packed.len() as u32).to_le_bytes());
    facts.extend((entry.size as u32).to_le_bytes());
    facts.extend((name.len() as u16).to_le_bytes());
    facts.extend([0, 0]);
    facts
}

/// The archive with its directory at the end.
fn closed(mut archive: Vec<u8>, directory: &[u8], entries: usize) -> Vec<u8> {
    let start = archive.len() as u32;
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend((entries as u16).to_le_bytes());
    archive.extend((entries as u16).to_le_bytes());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

fn crc32(content: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(content);
    crc.sum()
}

/// A package with one main part and the relations that point to it.
pub fn package(main: &str, content: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let relations = format!(
        r#"<Relationships><Relationship Id="rId1" Type="http://x/relationships/officeDocument" Target="{main}"/></Relationships>"#
    );
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", relations.as_bytes()),
        (main, content.as_bytes()),
    ];
    entries.extend(
        more.iter()
            .map(|(name, content)| (*name, content.as_bytes())),
    );
    zip(&entries)
}

/// A Word document with this body.
pub fn docx(body: &str) -> Vec<u8> {
    package(
        "word/document.xml",
        &format!("<w:document><w:body>{body}</w:body></w:document>"),
        &[],
    )
}

/// A PDF with one page per content stream, Helvetica as F1, and compressed streams.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    let count = pages.len();
    let kids: String = (0..count)
        .map(|page| format!("{} 0 R ", 4 + 2 * page))
        .collect();
    let mut objects: Vec<Vec<u8>> = vec![
        b"<</Type/Catalog/Pages 2 0 R/Lang(en-GB)>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Count {count}>>").into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
    ];
    for (index, content) in pages.iter().enumerate() {
        let stream = 5 + 2 * index;
        objects.push(
            format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents {stream} 0 R>>").into_bytes(),
        );
        objects.push(pdf_stream("/Filter/FlateDecode", &zlib(content.as_bytes())));
    }
    assembled(&objects)
}

/// A PDF stream with these dictionary entries in addition to its length.
pub fn pdf_stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut object = format!("<</Length {}{entries}>>stream\n", content.len()).into_bytes();
    object.extend(content);
    object.extend(b"\nendstream");
    object
}

/// PDF objects with their cross-reference table.
pub fn assembled(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n", index + 1).into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    file.extend(
        format!(
            "trailer<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF",
            objects.len() + 1
        )
        .into_bytes(),
    );
    file
}

/// A PDF of a few kilobytes whose forms draw one another: fourteen levels deep, each four times.
pub fn nested_forms() -> Vec<u8> {
    const LEVELS: usize = 14;
    let stream = |dict: &str, content: &str| {
        format!(
            "<<{dict}/Length {}>>stream\n{content}\nendstream",
            content.len()
        )
        .into_bytes()
    };
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>"
            .to_vec(),
        stream("", "/F Do"),
    ];
    for level in 0..LEVELS {
        let next = objects.len() + 2;
        let form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
        objects.push(if level + 1 < LEVELS {
            let resources = format!("{form}/Resources<</XObject<</F {next} 0 R>>>>");
            stream(&resources, "/F Do /F Do /F Do /F Do")
        } else {
            stream(form, "q Q")
        });
    }
    assembled(&objects)
}

/// Megabytes of blanks, compressed for a PDF.
pub fn zlib_blanks(megabytes: usize) -> Vec<u8> {
    let mut packed = vec![0x78, 0xDA];
    packed.extend(blanks("", megabytes, "").packed);
    packed
}

/// Content compressed for a PDF.
pub fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// A Word document whose parts all decompress to this many megabytes of the same blanks: kilobytes
/// that expand to gigabytes.
#[must_use]
pub fn overlapping_bomb(megabytes: usize, parts: usize) -> Vec<u8> {
    let names: Vec<String> = std::iter::once("word/document.xml".to_owned())
        .chain((1..parts).map(|part| format!("word/header{part}.xml")))
        .collect();
    zip_overlapping(
        &names,
        &blanks(
            "<w:document><w:body><w:p><w:r><w:t>",
            megabytes,
            "</w:t></w:r></w:p></w:body></w:document>",
        ),
    )
}

/// A Word document whose text is this many megabytes of blanks, compressed to a thousandth.
#[must_use]
pub fn bomb(megabytes: usize) -> Vec<u8> {
    let text = blanks(
        "<w:document><w:body><w:p><w:r><w:t>",
        megabytes,
        "</w:t></w:r></w:p></w:body></w:document>",
    );
    zip_packed(&[("word/document.xml", text)])
}
