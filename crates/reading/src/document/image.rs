//! Pictures: what they are, how large, and the text that cameras and programs put beside the pixels.
//!
//! What the picture shows is for a program that recognises text ([`picture`]); where there is none, a
//! warning says that the picture was not looked at.

use std::io::Cursor;

use exif::{Exif, In, Tag, Value};
use image::{DynamicImage, ImageDecoder, ImageReader};
use imagesize::ImageType;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::scan::{MAX_SAMPLES, Picture, ScanSource, Scans};
use super::{Document, Input, present};

impl DocumentKind {
    /// A picture.
    pub const IMAGE: DocumentKind = DocumentKind::named("image");
}

pub(super) static IMAGE: Format = Format {
    kind: DocumentKind::IMAGE,
    label: Some("images (size and EXIF)"),
    media_types: &["image/*"],
    extensions: &[
        "png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "heic", "heif", "avif", "ico",
        "jxl",
    ],
    signature: Signature::Within(|start, _| is_image(start)),
    needs_worker: true,
    is_text: false,
    read: read_image,
};

fn is_image(start: &[u8]) -> bool {
    const MARKS: &[&[u8]] = &[
        b"\x89PNG\r\n\x1A\n",
        b"GIF87a",
        b"GIF89a",
        b"\xFF\xD8\xFF",
        b"II*\0",
        b"MM\0*",
        b"\0\0\x01\0",
        b"\xFF\x0A",
        b"\0\0\0\x0CJXL ",
    ];
    let inside = |at: usize, mark: &[u8]| start.get(at..at + mark.len()) == Some(mark);
    MARKS.iter().any(|mark| start.starts_with(mark))
        || (start.starts_with(b"RIFF") && inside(8, b"WEBP"))
        // The size of the header, which the offset of the pixels depends on.
        || (start.starts_with(b"BM") && inside(6, &[0, 0, 0, 0]) && inside(15, &[0, 0, 0]))
        || (inside(4, b"ftyp")
            && [b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"avis"]
                .iter()
                .any(|brand| inside(8, *brand)))
}

/// The fields of EXIF that say something about the content, as they are called here.
const FIELDS: &[(Tag, &str)] = &[
    (Tag::ImageDescription, "Description"),
    (Tag::UserComment, "Comment"),
    (Tag::Artist, "Artist"),
    (Tag::Copyright, "Copyright"),
    (Tag::DateTimeOriginal, "Taken"),
    (Tag::DateTime, "Changed"),
    (Tag::Make, "Camera maker"),
    (Tag::Model, "Camera"),
    (Tag::LensModel, "Lens"),
    (Tag::Software, "Software"),
    (Tag::ExposureTime, "Exposure"),
    (Tag::FNumber, "Aperture"),
    (Tag::PhotographicSensitivity, "ISO"),
    (Tag::FocalLength, "Focal length"),
    (Tag::Orientation, "Orientation"),
    (Tag::GPSLatitude, "Latitude"),
    (Tag::GPSLongitude, "Longitude"),
    (Tag::GPSAltitude, "Altitude"),
];

fn read_image(input: &Input<'_>) -> Result<Document, DocumentError> {
    let size = imagesize::blob_size(input.bytes);
    let exif = exif_of(input.bytes);
    let kind = imagesize::image_type(input.bytes).map_or("Other", name);
    let mut markdown = input.markdown();
    match (size, &exif) {
        (Ok(size), _) => markdown.block(&format!(
            "{kind} image, {} × {} pixels.",
            size.width, size.height
        )),
        (Err(_), Some(_)) => markdown.block(&format!("{kind} image of unknown size.")),
        (Err(_), None) => return Err(DocumentError::Broken),
    }
    for (name, value) in exif.iter().flat_map(fields) {
        markdown.item(0, None, &format!("{name}: {value}"));
    }
    let texts = png_texts(input.bytes);
    for (name, value) in &texts {
        markdown.item(0, None, &format!("{name}: {value}"));
    }
    let mut document = Document::new(DocumentKind::IMAGE, markdown);
    let field = |tag| exif.as_ref().and_then(|exif| text_of(exif, tag));
    let written = |name: &str| {
        let mut texts = texts.iter();
        texts
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.clone())
    };
    document.title = field(Tag::ImageDescription).or_else(|| written("Title"));
    document.author = field(Tag::Artist).or_else(|| written("Author"));
    document.date = field(Tag::DateTimeOriginal).or_else(|| field(Tag::DateTime));
    if !is_decoded(input.bytes) {
        document.warn(Warning::PictureNotDecoded);
        return Ok(document);
    }
    document.warn(Warning::PictureNotRead);
    document.scans = vec![1];
    if input.hint.scans.is_some() {
        let scans = Scans(ScanSource::Image(input.bytes.to_vec()));
        input.keep_scans(Some(scans));
    }
    Ok(document)
}

/// The EXIF of a picture, as much of it as is intact: programs leave out its last bytes, and cameras
/// write fields that do not follow the standard.
fn exif_of(bytes: &[u8]) -> Option<Exif> {
    let mut reader = exif::Reader::new();
    let read = reader
        .continue_on_error(true)
        .read_from_container(&mut Cursor::new(bytes));
    read.or_else(|error| error.distill_partial_result(|_| {}))
        .ok()
}

/// The most samples of a picture that is decoded, and the memory for it.
const MAX_PIXELS: u64 = 40_000_000;
const MAX_MEMORY: u64 = 300_000_000;

/// Whether the format is one whose pixels can be read, as those of phones (HEIC, AVIF) cannot.
fn is_decoded(bytes: &[u8]) -> bool {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let format = reader.ok().and_then(|reader| reader.format());
    format.is_some_and(|format| format.reading_enabled())
}

/// The picture in shades of grey, upright, on white paper. `None` if it cannot be decoded.
pub(super) fn picture(bytes: &[u8]) -> Option<Picture> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .ok()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return None;
    }
    let orientation = decoder.orientation().ok();
    let mut image = on_paper(DynamicImage::from_decoder(decoder).ok()?);
    if let Some(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    let pixels = u64::from(image.width()) * u64::from(image.height());
    if pixels > MAX_SAMPLES {
        let shrink = (MAX_SAMPLES as f64 * 0.99 / pixels as f64).sqrt();
        let side = |length: u32| (f64::from(length) * shrink) as u32;
        image = image.thumbnail_exact(side(image.width()).max(1), side(image.height()).max(1));
    }
    Some(Picture {
        width: image.width(),
        height: image.height(),
        dpi: None,
        samples: image.into_luma8().into_raw(),
    })
}

/// Grey, with white behind what is transparent: black letters on nothing would vanish.
fn on_paper(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image.into_luma8().into();
    }
    let mut grey = image.into_luma_alpha8();
    for pixel in grey.pixels_mut() {
        let [luma, alpha] = pixel.0.map(u32::from);
        pixel.0[0] = ((luma * alpha + 255 * (255 - alpha)) / 255) as u8;
        pixel.0[1] = 255;
    }
    DynamicImage::from(grey).into_luma8().into()
}

fn name(kind: ImageType) -> &'static str {
    match kind {
        ImageType::Png => "PNG",
        ImageType::Jpeg => "JPEG",
        ImageType::Gif => "GIF",
        ImageType::Webp => "WebP",
        ImageType::Tiff => "TIFF",
        ImageType::Bmp => "BMP",
        ImageType::Ico => "Icon",
        ImageType::Heif(_) => "HEIF or AVIF",
        ImageType::Jxl => "JPEG XL",
        _ => "Other",
    }
}

fn fields(exif: &Exif) -> Vec<(&'static str, String)> {
    FIELDS
        .iter()
        .filter_map(|(tag, name)| Some((*name, text_of(exif, *tag)?)))
        .collect()
}

/// The value of a field on one line.
fn text_of(exif: &Exif, tag: Tag) -> Option<String> {
    let field = exif.get_field(tag, In::PRIMARY)?;
    let text = match &field.value {
        Value::Ascii(lines) => {
            let lines: Vec<_> = lines
                .iter()
                .map(|line| String::from_utf8_lossy(line))
                .collect();
            lines.join(" ")
        }
        // A comment says in its first eight bytes how it is encoded.
        Value::Undefined(bytes, _) if tag == Tag::UserComment => {
            String::from_utf8_lossy(bytes.get(8..)?).into_owned()
        }
        _ => field.display_value().with_unit(exif).to_string(),
    };
    let text = present(text.trim_matches(['\0', ' ']))?;
    // Dates are written 2026:01:31 10:00:00.
    let is_date = matches!(tag, Tag::DateTime | Tag::DateTimeOriginal);
    Some(if is_date && text.as_bytes().get(4) == Some(&b':') {
        text.replacen(':', "-", 2)
    } else {
        text
    })
}

/// The longest text of a PNG that is shown, in bytes, and how many of them.
const MAX_TEXT: usize = 2_000;
const MAX_TEXTS: usize = 50;

/// The uncompressed texts of a PNG: pairs of a keyword and Latin-1.
fn png_texts(bytes: &[u8]) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1A\n").unwrap_or(&[]);
    while let Some((head, after)) = rest.split_at_checked(8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(data) = after.get(..length) else {
            break;
        };
        if &head[4..] == b"tEXt" && texts.len() < MAX_TEXTS {
            texts.extend(png_text(data));
        }
        rest = after.get(length.saturating_add(4)..).unwrap_or(&[]);
    }
    texts
}

fn png_text(data: &[u8]) -> Option<(String, String)> {
    let end = data.iter().position(|byte| *byte == 0)?;
    let (keyword, text) = (&data[..end], &data[end + 1..]);
    let text = &text[..text.len().min(MAX_TEXT)];
    let latin = |bytes: &[u8]| encoding_rs::mem::decode_latin1(bytes).into_owned();
    Some((present(latin(keyword))?, present(latin(text))?))
}
