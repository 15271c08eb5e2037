//! Decodes content encodings while they stream, under a hard limit.
//!
//! A decoder is fed bytes and writes into a buffer that accepts no more than the limit, so a
//! decompression bomb stops there and not at the end of memory. Brotli runs without its
//! large-window extension, with which a few bytes of header could claim a gigabyte.

use std::io;

use fault::Phase;

use crate::encodings::{Brotli, CappedBuffer, Deflate, Gzip};
use crate::network_error::{NetworkError, NetworkErrorKind};

/// The `Accept-Encoding` we send: all encodings that can be decoded here.
pub(crate) const ACCEPTED: &str = "gzip, deflate, br";

/// The most encodings that may be applied on top of each other.
const MAX_STACKED: usize = 2;

/// Input is fed in pieces of this size, so that one piece of a bomb stays small and the deadline is
/// checked between pieces.
pub(crate) const PIECE: usize = 4096;

/// Whether there is room for more output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Open,
    Full,
}

/// Removes the content encodings of one body.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// In the order in which they are removed.
    stages: Vec<EncodingStage>,
    cap: usize,
    out: Vec<u8>,
}

impl Decoder {
    /// Reads the `Content-Encoding` values, which list the encodings in the order they were
    /// applied.
    pub(crate) fn new<'a>(
        values: impl Iterator<Item = &'a str>,
        cap: u64,
    ) -> Result<Self, NetworkError> {
        let names = values
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let mut stages = Vec::new();
        for name in names {
            stages.extend(EncodingStage::named(name)?);
        }
        if stages.len() > MAX_STACKED {
            return Err(NetworkError::new(NetworkErrorKind::UnknownEncoding).at(Phase::Decode));
        }
        stages.reverse();
        let cap = usize::try_from(cap).unwrap_or(usize::MAX);
        Ok(Self {
            stages,
            cap,
            out: Vec::new(),
        })
    }

    /// Feeds raw bytes, at most [`PIECE`] of them.
    pub(crate) fn feed(&mut self, raw: &[u8]) -> Result<Flow, NetworkError> {
        if self.stages.is_empty() {
            return Ok(self.keep(raw));
        }
        let mut bytes = CappedBuffer::new(usize::MAX);
        bytes.held.extend_from_slice(raw);
        let mut full = false;
        for stage in &mut self.stages {
            // An intermediate result may be as large as the final one; a larger one is a bomb in
            // any case.
            let mut next = CappedBuffer::new(self.cap.saturating_add(1));
            // In pieces again: the output of a stage may be a thousand times its input.
            let fed = bytes
                .held
                .chunks(PIECE)
                .try_for_each(|piece| stage.feed(piece, &mut next));
            full |= next.overflowed;
            if fed.is_err() && !full {
                return Err(NetworkError::new(NetworkErrorKind::BadEncoding).at(Phase::Decode));
            }
            bytes = next;
        }
        match self.keep(&bytes.held) {
            Flow::Open if !full => Ok(Flow::Open),
            _ => Ok(Flow::Full),
        }
    }

    fn keep(&mut self, bytes: &[u8]) -> Flow {
        let room = self.cap - self.out.len();
        self.out.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            Flow::Full
        } else {
            Flow::Open
        }
    }

    /// Checks that every stage has reached its end. An empty body is complete in any encoding.
    pub(crate) fn finish(&mut self) -> Result<(), NetworkError> {
        let ended = self.stages.iter().all(EncodingStage::has_ended);
        if ended {
            Ok(())
        } else {
            Err(NetworkError::new(NetworkErrorKind::CutBody).at(Phase::Decode))
        }
    }

    pub(crate) fn decoded(&self) -> usize {
        self.out.len()
    }

    pub(crate) fn take_decoded(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

enum EncodingStage {
    Gzip(Gzip),
    Deflate(Deflate),
    Brotli(Box<Brotli>),
}

impl std::fmt::Debug for EncodingStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Gzip(_) => "Gzip",
            Self::Deflate(_) => "Deflate",
            Self::Brotli(_) => "Brotli",
        })
    }
}

impl EncodingStage {
    fn named(name: &str) -> Result<Option<Self>, NetworkError> {
        match name.to_ascii_lowercase().as_str() {
            "identity" | "none" | "utf-8" => Ok(None), // the last two are common mistakes that mean "as is"
            "gzip" | "x-gzip" => Ok(Some(Self::Gzip(Gzip::default()))),
            "deflate" => Ok(Some(Self::Deflate(Deflate::default()))),
            "br" => Ok(Some(Self::Brotli(Box::new(Brotli::new())))),
            _ => Err(NetworkError::new(NetworkErrorKind::UnknownEncoding).at(Phase::Decode)),
        }
    }

    fn feed(&mut self, input: &[u8], out: &mut CappedBuffer) -> io::Result<()> {
        match self {
            Self::Gzip(gzip) => gzip.feed(input, out),
            Self::Deflate(deflate) => deflate.feed(input, out),
            Self::Brotli(brotli) => brotli.feed(input, out),
        }
    }

    fn has_ended(&self) -> bool {
        match self {
            Self::Gzip(gzip) => gzip.has_ended(),
            Self::Deflate(deflate) => deflate.has_ended(),
            Self::Brotli(brotli) => brotli.has_ended(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::bodies;

    fn decode(encoding: &str, body: &[u8], cap: u64) -> Result<(Vec<u8>, bool), NetworkErrorKind> {
        let mut decoder = Decoder::new([encoding].into_iter(), cap).map_err(|error| error.kind)?;
        let mut cut = false;
        for piece in body.chunks(PIECE) {
            if decoder.feed(piece).map_err(|error| error.kind)? == Flow::Full {
                cut = true;
                break;
            }
        }
        if !cut {
            decoder.finish().map_err(|error| error.kind)?;
        }
        Ok((decoder.take_decoded(), cut))
    }

    fn text() -> Vec<u8> {
        (0..40_000u32)
            .flat_map(|number| number.to_string().into_bytes())
            .collect()
    }

    #[test]
    fn every_encoding_is_decoded() {
        let plain = text();
        let cases = [
            ("gzip", bodies::gzip(&plain)),
            ("X-GZIP", bodies::gzip(&plain)),
            ("deflate", bodies::zlib(&plain)),
            ("deflate", bodies::raw_deflate(&plain)),
            ("br", bodies::brotli_stored(&plain)),
            ("identity", plain.clone()),
            ("gzip, br", bodies::brotli_stored(&bodies::gzip(&plain))),
            ("br, gzip", bodies::gzip(&bodies::brotli_stored(&plain))),
        ];
        for (encoding, body) in cases {
            assert_eq!(
                decode(encoding, &body, 1 << 20),
                Ok((plain.clone(), false)),
                "{encoding}"
            );
        }
    }

    #[test]
    fn gzip_in_gzip_is_decoded_when_the_inner_stream_is_compressible() {
        let plain = vec![b'a'; 3 << 20];
        let mut members = Vec::new();
        for part in plain.chunks(1000) {
            members.extend(bodies::gzip(part));
        }
        for inner in [bodies::gzip(&plain), members] {
            let body = bodies::gzip(&inner);
            assert_eq!(
                decode("gzip, gzip", &body, 4 << 20),
                Ok((plain.clone(), false))
            );
        }
        assert_eq!(
            decode(
                "br, gzip",
                &bodies::gzip(&bodies::brotli_stored(&plain)),
                4 << 20
            ),
            Ok((plain, false))
        );
    }

    #[test]
    fn an_endless_gzip_header_and_thousands_of_empty_members_are_rejected() {
        let mut endless = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0];
        endless.extend(vec![b'n'; 40_000]);
        assert_eq!(
            decode("gzip", &endless, 100),
            Err(NetworkErrorKind::BadEncoding)
        );
        let empty = bodies::gzip(b"").repeat(20_000);
        assert_eq!(
            decode("gzip", &empty, 100),
            Err(NetworkErrorKind::BadEncoding)
        );
    }

    #[test]
    fn a_body_of_exactly_the_limit_is_whole_and_one_byte_more_is_truncated() {
        let plain = text();
        for (encoding, body) in [
            ("gzip", bodies::gzip(&plain)),
            ("br", bodies::brotli_stored(&plain)),
            ("", plain.clone()),
        ] {
            let length = plain.len() as u64;
            assert_eq!(decode(encoding, &body, length), Ok((plain.clone(), false)));
            assert_eq!(
                decode(encoding, &body, length - 1),
                Ok((plain[..plain.len() - 1].to_vec(), true))
            );
        }
    }

    #[test]
    fn gzip_members_follow_one_another_and_junk_after_them_is_ignored() {
        let mut body = bodies::gzip(b"one ");
        body.extend(bodies::gzip(b"two"));
        assert_eq!(decode("gzip", &body, 100), Ok((b"one two".to_vec(), false)));
        body.extend(b"\0\0\0trailing");
        assert_eq!(decode("gzip", &body, 100), Ok((b"one two".to_vec(), false)));
    }

    #[test]
    fn invalid_and_incomplete_bodies_are_distinguished() {
        let plain = text();
        for (encoding, body) in [
            ("gzip", bodies::gzip(&plain)),
            ("deflate", bodies::zlib(&plain)),
            ("br", bodies::brotli_stored(&plain)),
        ] {
            assert_eq!(
                decode(encoding, &body[..body.len() / 2], 1 << 20),
                Err(NetworkErrorKind::CutBody),
                "{encoding}"
            );
            assert_eq!(
                decode(encoding, b"<html>this is not encoded</html>", 1 << 20).err(),
                Some(NetworkErrorKind::BadEncoding),
                "{encoding}"
            );
            assert_eq!(
                decode(encoding, b"", 1 << 20),
                Ok((Vec::new(), false)),
                "{encoding}"
            );
        }
        let mut flipped = bodies::gzip(&plain);
        let crc = flipped.len() - 6;
        flipped[crc] ^= 1;
        assert_eq!(
            decode("gzip", &flipped, 1 << 20),
            Err(NetworkErrorKind::BadEncoding)
        );
    }

    #[test]
    fn bombs_stop_at_the_cap() {
        let cap = 1 << 20;
        for (encoding, body) in [
            ("gzip", bodies::gzip_bomb(64)),
            ("br", bodies::brotli_bomb(64)),
            ("br, gzip", bodies::gzip(&bodies::brotli_bomb(64))),
        ] {
            let (bytes, cut) = decode(encoding, &body, cap).unwrap_or_default();
            assert!(
                cut && bytes.len() as u64 == cap,
                "{encoding}: {} {cut}",
                bytes.len()
            );
        }
    }

    #[test]
    fn unknown_encodings_are_refused() {
        for encoding in [
            "zstd",
            "compress",
            "gzip, zstd",
            "gzip, gzip, gzip",
            "br;q=1",
        ] {
            assert_eq!(
                decode(encoding, b"", 10),
                Err(NetworkErrorKind::UnknownEncoding),
                "{encoding}"
            );
        }
    }
}
