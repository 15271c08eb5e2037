//! Pictures of text, as a scanner makes them: letters of a small raster, scaled up.

use crate::documents::{assembled, pdf_stream, zlib};

/// Shades of grey, row by row from the top.
#[derive(Debug, Clone)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub samples: Vec<u8>,
}

/// The size of a dot of a letter.
const DOT: usize = 4;
const MARGIN: usize = 60;

/// The capital letters, seven rows of five dots each.
const LETTERS: &[(char, [&str; 7])] = &[
    (
        'A',
        [
            ".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#",
        ],
    ),
    (
        'B',
        [
            "####.", "#...#", "#...#", "####.", "#...#", "#...#", "####.",
        ],
    ),
    (
        'D',
        [
            "####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####.",
        ],
    ),
    (
        'E',
        [
            "#####", "#....", "#....", "####.", "#....", "#....", "#####",
        ],
    ),
    (
        'F',
        [
            "#####", "#....", "#....", "####.", "#....", "#....", "#....",
        ],
    ),
    (
        'H',
        [
            "#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#",
        ],
    ),
    (
        'I',
        [
            "###..", ".#...", ".#...", ".#...", ".#...", ".#...", "###..",
        ],
    ),
    (
        'L',
        [
            "#....", "#....", "#....", "#....", "#....", "#....", "#####",
        ],
    ),
    (
        'O',
        [
            ".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###.",
        ],
    ),
    (
        'P',
        [
            "####.", "#...#", "#...#", "####.", "#....", "#....", "#....",
        ],
    ),
    (
        'R',
        [
            "####.", "#...#", "#...#", "####.", "#.#..", "#..#.", "#...#",
        ],
    ),
    (
        'S',
        [
            ".####", "#....", "#....", ".###.", "....#", "....#", "####.",
        ],
    ),
    (
        'T',
        [
            "#####", "..#..", "..#..", "..#..", "..#..", "..#..", "..#..",
        ],
    ),
    (
        'U',
        [
            "#...#", "#...#", "#...#", "#...#", "#...#", "#...#", ".###.",
        ],
    ),
];

/// Black letters on white. Knows the letters of `BEFORE THE HARBOUR PILOT READS TIDE TABLES`.
pub fn picture(lines: &[&str]) -> Picture {
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let width = 2 * MARGIN + longest * 6 * DOT;
    let height = 2 * MARGIN + lines.len() * 14 * DOT;
    let mut samples = vec![255; width * height];
    for (row, line) in lines.iter().enumerate() {
        for (column, letter) in line.chars().enumerate().filter(|(_, it)| *it != ' ') {
            let (_, dots) = LETTERS
                .iter()
                .find(|(known, _)| *known == letter)
                .expect("a letter of the raster");
            let (left, top) = (MARGIN + column * 6 * DOT, MARGIN + row * 14 * DOT);
            for (y, x) in (0..7 * DOT).flat_map(|y| (0..5 * DOT).map(move |x| (y, x))) {
                if dots[y / DOT].as_bytes()[x / DOT] == b'#' {
                    samples[(top + y) * width + left + x] = 0;
                }
            }
        }
    }
    Picture {
        width,
        height,
        samples,
    }
}

/// How a picture is drawn on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Upright,
    /// Drawn on its side, on a page that is shown turned.
    Sideways,
}

/// A page with one picture.
#[derive(Debug, Clone)]
pub struct ScannedPage {
    /// The entries of the picture's dictionary.
    pub entries: String,
    pub data: Vec<u8>,
    pub turn: Turn,
    /// Width and height of the picture on the page.
    pub points: (usize, usize),
}

impl Picture {
    /// The page of a scanner that packs shades of grey.
    pub fn flate_page(&self, turn: Turn) -> ScannedPage {
        let entries = self.entries("/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode");
        self.page(entries, zlib(&self.samples), turn)
    }

    /// The page of a scanner that keeps black and white, as ink.
    pub fn stencil_page(&self) -> ScannedPage {
        let bits = self.samples.chunks(self.width).flat_map(|row| {
            row.chunks(8).map(|eight| {
                let bit = |(at, sample): (usize, &u8)| u8::from(*sample > 127) << (7 - at);
                eight.iter().enumerate().map(bit).sum::<u8>()
            })
        });
        let bits: Vec<u8> = bits.collect();
        let entries = self.entries("/ImageMask true/BitsPerComponent 1/Filter/FlateDecode");
        self.page(entries, zlib(&bits), Turn::Upright)
    }

    /// The page of a scanner that makes JPEG.
    pub fn jpeg_page(&self) -> ScannedPage {
        let entries = self.entries("/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode");
        let data = self.encoded(image::ImageFormat::Jpeg);
        self.page(entries, data, Turn::Upright)
    }

    /// A page of 144 dots per inch.
    fn page(&self, entries: String, data: Vec<u8>, turn: Turn) -> ScannedPage {
        ScannedPage {
            entries,
            data,
            turn,
            points: (self.width / 2, self.height / 2),
        }
    }

    pub fn png(&self) -> Vec<u8> {
        self.encoded(image::ImageFormat::Png)
    }

    fn encoded(&self, format: image::ImageFormat) -> Vec<u8> {
        let (width, height) = (self.width as u32, self.height as u32);
        let image = image::GrayImage::from_raw(width, height, self.samples.clone());
        let mut file = std::io::Cursor::new(Vec::new());
        image
            .expect("as many samples as the size says")
            .write_to(&mut file, format)
            .expect("is encoded");
        file.into_inner()
    }

    fn entries(&self, more: &str) -> String {
        format!("/Width {}/Height {}{more}", self.width, self.height)
    }
}

/// A PDF whose pages are pictures.
pub fn scanned_pdf(pages: &[ScannedPage]) -> Vec<u8> {
    let kids: String = (0..pages.len())
        .map(|page| format!("{} 0 R ", 3 + 3 * page))
        .collect();
    let count = pages.len();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Count {count}>>").into_bytes(),
    ];
    for page in pages {
        let (picture, content) = (objects.len() + 2, objects.len() + 3);
        let (across, down) = page.points;
        let (rotation, (width, height), place) = match page.turn {
            Turn::Upright => (0, (across, down), format!("{across} 0 0 {down} 0 0")),
            Turn::Sideways => {
                let place = format!("0 {across} -{down} 0 {down} 0");
                (90, (down, across), place)
            }
        };
        objects.push(
            format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Rotate {rotation}/Resources<</XObject<</I {picture} 0 R>>>>/Contents {content} 0 R>>").into_bytes(),
        );
        let entries = format!("/Type/XObject/Subtype/Image{}", page.entries);
        objects.push(pdf_stream(&entries, &page.data));
        objects.push(pdf_stream("", format!("{place} cm /I Do").as_bytes()));
    }
    assembled(&objects)
}
