//! The pictures in a PDF as shades of grey, whatever their colours, depth and compression.
//!
//! The colours are rough: a program that recognises text wants dark letters on a light page, and no
//! profile changes which of two colours is the darker one.

use hayro_syntax::object::stream::{ImageColorSpace, ImageDecodeParams};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_syntax::page::Resources;

/// The most samples of a picture that is decoded: A4 at 600 dots per inch has 35 million.
const MAX_PIXELS: u64 = 40_000_000;
/// Colour spaces that are made from others are followed up to this depth.
const MAX_BASES: usize = 4;

/// Samples of eight bits, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plane {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) samples: Vec<u8>,
}

impl Plane {
    /// The plane with squares of this many samples averaged to one.
    pub(super) fn shrunk(self, factor: usize) -> Plane {
        if factor < 2 {
            return self;
        }
        let (width, height) = (self.width.div_ceil(factor), self.height.div_ceil(factor));
        let mut samples = Vec::with_capacity(width * height);
        let mut sums = vec![0_u32; width];
        for rows in self.samples.chunks(self.width * factor) {
            sums.fill(0);
            for row in rows.chunks(self.width) {
                for (sum, square) in sums.iter_mut().zip(row.chunks(factor)) {
                    *sum += square.iter().map(|sample| u32::from(*sample)).sum::<u32>();
                }
            }
            let lines = rows.len().div_ceil(self.width);
            for (column, sum) in sums.iter().enumerate() {
                let columns = factor.min(self.width - column * factor);
                samples.push((sum / (lines * columns) as u32) as u8);
            }
        }
        Plane {
            width,
            height,
            samples,
        }
    }

    fn inverted(mut self) -> Plane {
        self.samples.iter_mut().for_each(|it| *it = 255 - *it);
        self
    }
}

/// The name of an entry, which has a short one in pictures that stand among the instructions.
fn key(dict: &Dict<'_>, name: &'static str, short: &'static str) -> &'static str {
    match dict.contains_key(name) {
        true => name,
        false => short,
    }
}

/// The width and height that the picture declares.
pub(super) fn declared_size(picture: &Stream<'_>) -> Option<(u32, u32)> {
    let dict = picture.dict();
    let size = (
        dict.get::<u32>(key(dict, "Width", "W"))?,
        dict.get::<u32>(key(dict, "Height", "H"))?,
    );
    let pixels = u64::from(size.0) * u64::from(size.1);
    (1..=MAX_PIXELS).contains(&pixels).then_some(size)
}

/// Whether the picture says where ink goes, and has no colours of its own.
pub(super) fn is_stencil(picture: &Stream<'_>) -> bool {
    picture
        .dict()
        .get::<bool>(key(picture.dict(), "ImageMask", "IM"))
        .unwrap_or(false)
}

/// The grey of the picture. For a stencil, how much ink goes where.
pub(super) fn grey(
    picture: &Stream<'_>,
    resources: &Resources<'_>,
    target: Option<(u32, u32)>,
) -> Option<Plane> {
    let dict = picture.dict();
    let (width, height) = declared_size(picture)?;
    let is_stencil = is_stencil(picture);
    let space = match dict.get::<Object<'_>>(key(dict, "ColorSpace", "CS")) {
        _ if is_stencil => Some(Space::Grey),
        Some(object) => Space::of(&object, resources, MAX_BASES),
        None => None,
    };
    let depth = match is_stencil {
        true => Some(1),
        false => dict.get::<u8>(key(dict, "BitsPerComponent", "BPC")),
    };
    let decoded = picture
        .decoded_image(&ImageDecodeParams {
            is_indexed: matches!(space, Some(Space::Indexed(_))),
            bpc: depth,
            num_components: space.as_ref().map(|space| space.components() as u8),
            target_dimension: target,
            width,
            height,
        })
        .ok()?;
    let own = decoded.image_data.as_ref();
    let layout = Layout {
        width: own.map_or(width, |own| own.width) as usize,
        height: own.map_or(height, |own| own.height) as usize,
        depth: own.map_or(depth.unwrap_or(8), |own| own.bits_per_component),
        space: space_of_data(space, own.and_then(|own| own.color_space)),
    };
    let plane = layout.plane(&decoded.data)?;
    let is_negative = dict
        .get::<Array<'_>>(key(dict, "Decode", "D"))
        .is_some_and(|decode| {
            let ends: Vec<f32> = decode.iter::<f32>().take(2).collect();
            matches!(ends[..], [from, to] if from > to)
        });
    Some(match is_stencil == is_negative {
        true => plane,
        false => plane.inverted(),
    })
}

/// How opaque the picture is, where it says so.
pub(super) fn opacity(picture: &Stream<'_>, resources: &Resources<'_>) -> Option<Plane> {
    let dict = picture.dict();
    if let Some(mask) = dict.get::<Stream<'_>>("SMask") {
        return grey(&mask, resources, None);
    }
    // A stencil of what is hidden.
    let mask = dict.get::<Stream<'_>>("Mask")?;
    grey(&mask, resources, None)
}

/// The colours that the data have: what the decoder says must fit what the file says.
fn space_of_data(declared: Option<Space>, decoded: Option<ImageColorSpace>) -> Space {
    let own = match decoded {
        Some(ImageColorSpace::Gray) => Some(Space::Grey),
        Some(ImageColorSpace::Rgb) => Some(Space::Rgb),
        Some(ImageColorSpace::Cmyk) => Some(Space::Cmyk),
        Some(ImageColorSpace::Unknown(count)) => Some(Space::Inks(usize::from(count.max(1)))),
        None => None,
    };
    match (declared, own) {
        (Some(declared), Some(own)) if declared.components() == own.components() => declared,
        (_, Some(own)) => own,
        (Some(declared), None) => declared,
        (None, None) => Space::Grey,
    }
}

/// What the components of a sample mean.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Space {
    Grey,
    Rgb,
    Cmyk,
    /// The first component is the lightness.
    Lab,
    /// Amounts of ink.
    Inks(usize),
    /// The grey of each number.
    Indexed(Vec<u8>),
}

impl Space {
    fn of(object: &Object<'_>, resources: &Resources<'_>, bases: usize) -> Option<Space> {
        let bases = bases.checked_sub(1)?;
        let list = match object {
            Object::Name(name) => {
                return Space::named(name.as_str()).or_else(|| {
                    let meant = resources.get_color_space(name)?;
                    Space::of(&meant, resources, bases)
                });
            }
            Object::Array(list) => list,
            _ => return None,
        };
        let mut items = list.iter::<Object<'_>>();
        let Some(Object::Name(kind)) = items.next() else {
            return None;
        };
        match kind.as_str() {
            "ICCBased" => {
                let Some(Object::Stream(profile)) = items.next() else {
                    return None;
                };
                Some(match profile.dict().get::<u8>("N")? {
                    3 => Space::Rgb,
                    4 => Space::Cmyk,
                    _ => Space::Grey,
                })
            }
            "CalRGB" => Some(Space::Rgb),
            "Lab" => Some(Space::Lab),
            "Separation" => Some(Space::Inks(1)),
            "DeviceN" => match items.next() {
                Some(Object::Array(inks)) => {
                    Some(Space::Inks(inks.iter::<Name<'_>>().count().clamp(1, 32)))
                }
                _ => None,
            },
            "Indexed" | "I" => {
                let base = Space::of(&items.next()?, resources, bases)?;
                let _last = items.next()?;
                let table = match items.next()? {
                    Object::String(text) => PdfString::as_bytes(&text).to_vec(),
                    Object::Stream(stream) => stream.decoded_data().ok()?.into_owned(),
                    _ => return None,
                };
                let greys = table.chunks_exact(base.components());
                Some(Space::Indexed(
                    greys.take(256).map(|entry| base.grey(entry)).collect(),
                ))
            }
            other => Space::named(other),
        }
    }

    fn named(name: &str) -> Option<Space> {
        Some(match name {
            "DeviceGray" | "G" | "CalGray" => Space::Grey,
            "DeviceRGB" | "RGB" => Space::Rgb,
            "DeviceCMYK" | "CMYK" => Space::Cmyk,
            _ => return None,
        })
    }

    fn components(&self) -> usize {
        match self {
            Space::Grey | Space::Indexed(_) => 1,
            Space::Rgb | Space::Lab => 3,
            Space::Cmyk => 4,
            Space::Inks(count) => *count,
        }
    }

    /// The grey of one sample. An indexed one is given as its number.
    fn grey(&self, sample: &[u8]) -> u8 {
        match (self, sample) {
            (Space::Rgb, [red, green, blue, ..]) => luma(*red, *green, *blue),
            (Space::Cmyk, [cyan, magenta, yellow, black, ..]) => {
                let light = luma(255 - cyan, 255 - magenta, 255 - yellow);
                (u32::from(light) * u32::from(255 - black) / 255) as u8
            }
            (Space::Inks(_), inks) => 255 - inks.iter().max().copied().unwrap_or(0),
            (Space::Indexed(greys), [number, ..]) => {
                greys.get(usize::from(*number)).copied().unwrap_or(0)
            }
            (_, sample) => sample.first().copied().unwrap_or(255),
        }
    }
}

fn luma(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue);
    (sum >> 8) as u8
}

/// How the samples of decoded data lie.
#[derive(Debug)]
struct Layout {
    width: usize,
    height: usize,
    depth: u8,
    space: Space,
}

impl Layout {
    /// The grey of all samples. Rows that the data do not reach are white.
    fn plane(&self, data: &[u8]) -> Option<Plane> {
        let pixels = self.width.checked_mul(self.height)?;
        if pixels == 0 || pixels as u64 > MAX_PIXELS || ![1, 2, 4, 8, 16].contains(&self.depth) {
            return None;
        }
        let count = self.space.components();
        let bits = self.width.checked_mul(count)? * usize::from(self.depth);
        let mut samples = Vec::with_capacity(pixels);
        let mut row = vec![0_u8; self.width * count];
        for bytes in data.chunks_exact(bits.div_ceil(8)).take(self.height) {
            self.unpack(bytes, &mut row);
            samples.extend(
                row.chunks_exact(count)
                    .map(|sample| self.space.grey(sample)),
            );
        }
        if samples.is_empty() {
            return None;
        }
        samples.resize(pixels, 255);
        Some(Plane {
            width: self.width,
            height: self.height,
            samples,
        })
    }

    /// One row with a byte for each component: from 0 to 255, or the number of an indexed colour.
    fn unpack(&self, bytes: &[u8], row: &mut [u8]) {
        let depth = usize::from(self.depth);
        match depth {
            8 => row.copy_from_slice(&bytes[..row.len()]),
            16 => {
                for (component, pair) in row.iter_mut().zip(bytes.chunks_exact(2)) {
                    *component = pair[0];
                }
            }
            _ => {
                let most = (1_u16 << depth) - 1;
                let stretch = match self.space {
                    Space::Indexed(_) => 1,
                    _ => 255 / most,
                };
                for (index, component) in row.iter_mut().enumerate() {
                    let bit = index * depth;
                    let shift = 8 - depth - bit % 8;
                    let value = (u16::from(bytes[bit / 8]) >> shift) & most;
                    *component = (value * stretch) as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(space: Space, depth: u8, width: usize, data: &[u8]) -> Option<Vec<u8>> {
        let layout = Layout {
            width,
            height: 2,
            depth,
            space,
        };
        layout.plane(data).map(|plane| plane.samples)
    }

    #[test]
    fn every_depth_and_colour_becomes_grey() {
        for (space, depth, width, data, grey) in [
            (
                Space::Grey,
                1,
                3,
                &[0b0100_0000, 0b1010_0000][..],
                [0, 255, 0, 255, 0, 255],
            ),
            (
                Space::Grey,
                4,
                3,
                &[0x0F, 0x80, 0xF0, 0x00],
                [0, 255, 136, 255, 0, 0],
            ),
            (
                Space::Grey,
                8,
                3,
                &[1, 2, 3, 4, 5],
                [1, 2, 3, 255, 255, 255],
            ),
            (
                Space::Grey,
                16,
                3,
                &[9, 1, 8, 1, 7, 1],
                [9, 8, 7, 255, 255, 255],
            ),
            (
                Space::Indexed(vec![7, 9]),
                1,
                3,
                &[0b0100_0000, 0],
                [7, 9, 7, 7, 7, 7],
            ),
            (
                Space::Inks(1),
                8,
                3,
                &[0, 255, 55],
                [255, 0, 200, 255, 255, 255],
            ),
        ] {
            let found = plane(space.clone(), depth, width, data);
            assert_eq!(found.as_deref(), Some(&grey[..]), "{space:?} {depth}");
        }
        let rgb = plane(Space::Rgb, 8, 1, &[255, 255, 255, 0, 0, 0]);
        assert_eq!(rgb, Some(vec![255, 0]));
        let cmyk = plane(Space::Cmyk, 8, 1, &[0, 0, 0, 255, 0, 0, 0, 0]);
        assert_eq!(cmyk, Some(vec![0, 255]));
        assert_eq!(plane(Space::Grey, 3, 1, &[0, 0]), None);
        assert_eq!(plane(Space::Grey, 8, usize::MAX, &[0, 0]), None);
        assert_eq!(plane(Space::Grey, 8, 3, &[0]), None);
    }

    #[test]
    fn squares_are_averaged() {
        let plane = Plane {
            width: 3,
            height: 3,
            samples: vec![0, 100, 10, 100, 200, 30, 7, 9, 5],
        };
        let small = plane.shrunk(2);
        assert_eq!((small.width, small.height), (2, 2));
        assert_eq!(small.samples, [100, 20, 8, 5]);
    }
}
