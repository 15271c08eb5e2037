//! Encoded bodies, including decompression bombs.
//!
//! There is no brotli encoder: ordinary text goes into stored meta-blocks, and a bomb is a chain of
//! meta-blocks whose only literal costs zero bits, so sixteen megabytes take about fifteen bytes.

use std::io::Write;

use flate2::Compression;

/// A gzip member.
#[must_use]
pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// What `Content-Encoding: deflate` means by its standard.
#[must_use]
pub fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// What some servers send as `deflate`: without the zlib wrapper.
#[must_use]
pub fn raw_deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// `megabytes` of zeros as gzip, about a thousandth of that size.
#[must_use]
pub fn gzip_bomb(megabytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0u8; 1 << 20];
    for _ in 0..megabytes {
        encoder.write_all(&zeros).expect("writing to memory");
    }
    encoder.finish().expect("writing to memory")
}

/// Plain bytes in stored brotli meta-blocks.
#[must_use]
pub fn brotli_stored(plain: &[u8]) -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.put(0, 1); // a 64 KB window
    for block in plain.chunks(1 << 16) {
        bits.put(0, 1); // not the last
        bits.put(0, 2); // four nibbles of length
        bits.put(block.len() as u64 - 1, 16);
        bits.put(1, 1); // stored
        bits.align();
        bits.bytes.extend_from_slice(block);
    }
    bits.put(0b11, 2); // last and empty
    bits.align();
    bits.bytes
}

/// `blocks` times sixteen megabytes of zeros as brotli: 64 blocks unpack to one gigabyte.
#[must_use]
pub fn brotli_bomb(blocks: usize) -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.put(0, 1); // a 64 KB window
    for _ in 0..blocks {
        zero_block(&mut bits);
    }
    bits.put(0b11, 2); // last and empty
    bits.align();
    bits.bytes
}

/// One meta-block of 2^24 zero bytes (RFC 7932, section 9.2).
fn zero_block(bits: &mut BitWriter) {
    const LENGTH: u64 = 1 << 24;
    bits.put(0, 1); // not the last
    bits.put(2, 2); // six nibbles of length
    bits.put(LENGTH - 1, 24);
    bits.put(0, 1); // compressed
    bits.put(0, 3); // one block type each for literals, commands and distances
    bits.put(0, 6); // no postfix, no direct distances
    bits.put(0, 2); // literal context mode
    bits.put(0, 2); // one literal tree, one distance tree
    one_symbol(bits, 0, 8); // literal: the zero byte
    one_symbol(bits, 504, 10); // command: insert code 23, copy code 0
    one_symbol(bits, 0, 6); // distance: never used
    bits.put(LENGTH - 22_594, 24); // insert code 23 starts at 22594
}

/// A simple prefix code with a single symbol, which takes no bits.
fn one_symbol(bits: &mut BitWriter, symbol: u64, width: u32) {
    bits.put(1, 2);
    bits.put(0, 2);
    bits.put(symbol, width);
}

/// Fills bits from the lowest up, as brotli reads them.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    used: u32,
}

impl BitWriter {
    fn put(&mut self, value: u64, count: u32) {
        for index in 0..count {
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= (((value >> index) & 1) as u8) << self.used;
            }
            self.used = (self.used + 1) % 8;
        }
    }

    fn align(&mut self) {
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gigabyte_of_zeros_is_under_two_kilobytes_of_brotli() {
        assert!(brotli_bomb(64).len() < 2048, "{}", brotli_bomb(64).len());
    }
}
