//! The three decoders behind `decode`, and the buffer they write to. Each decoder is fed bytes and
//! knows when its stream has ended.

use std::io::{self, Write};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Crc, Decompress, FlushDecompress, Status};

/// The size of the output buffer.
const STEP: usize = 16 * 1024;

/// A longer gzip header is rejected.
const MAX_GZIP_HEADER: usize = 16 * 1024;

/// Each gzip member needs a fresh decoder, however small it is. Tools that split a stream write far
/// fewer members.
const MAX_MEMBERS: usize = 10_000;

/// Accepts bytes up to a limit, then returns an error.
#[derive(Debug, Default)]
pub(crate) struct CappedBuffer {
    pub(crate) held: Vec<u8>,
    limit: usize,
    pub(crate) overflowed: bool,
}

impl CappedBuffer {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            limit,
            overflowed: false,
        }
    }
}

impl Write for CappedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit - self.held.len();
        if room == 0 && !bytes.is_empty() {
            self.overflowed = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(room);
        self.held.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn broken() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// A deflate stream, raw or in a zlib wrapper.
struct Inflate {
    stream: Decompress,
    ended: bool,
}

impl Inflate {
    fn new(zlib: bool) -> Self {
        Self {
            stream: Decompress::new(zlib),
            ended: false,
        }
    }

    /// Returns how much of the input belonged to the stream.
    fn feed(&mut self, input: &[u8], out: &mut CappedBuffer) -> io::Result<usize> {
        let mut used = 0;
        let mut buffer = [0; STEP];
        while !self.ended {
            let (seen, made) = (self.stream.total_in(), self.stream.total_out());
            let status = self
                .stream
                .decompress(&input[used..], &mut buffer, FlushDecompress::None)
                .map_err(|_| broken())?;
            let taken = (self.stream.total_in() - seen) as usize;
            let given = (self.stream.total_out() - made) as usize;
            used += taken;
            out.write_all(&buffer[..given])?;
            self.ended = status == Status::StreamEnd;
            if given < STEP && (used == input.len() || taken + given == 0) {
                break;
            }
        }
        Ok(used)
    }
}

/// `Content-Encoding: deflate` should be zlib and is sometimes raw deflate. The first two bytes
/// decide.
#[derive(Default)]
pub(crate) struct Deflate {
    start: Vec<u8>,
    stream: Option<Inflate>,
}

impl Deflate {
    pub(crate) fn feed(&mut self, input: &[u8], out: &mut CappedBuffer) -> io::Result<()> {
        if let Some(stream) = &mut self.stream {
            return stream.feed(input, out).map(drop);
        }
        self.start.extend_from_slice(input);
        let [first, second, ..] = self.start[..] else {
            return Ok(());
        };
        let zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31);
        let stream = self.stream.insert(Inflate::new(zlib));
        stream.feed(&std::mem::take(&mut self.start), out).map(drop)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.stream
            .as_ref()
            .map_or(self.start.is_empty(), |stream| stream.ended)
    }
}

/// A sequence of gzip members. Bytes after the last member are ignored, as browsers do.
pub(crate) struct Gzip {
    state: GzipState,
    members: usize,
}

enum GzipState {
    Header(Vec<u8>),
    Body { stream: Inflate, sum: Crc },
    Trailer { bytes: Vec<u8>, sum: Crc },
    Junk,
}

impl Default for Gzip {
    fn default() -> Self {
        Self {
            state: GzipState::Header(Vec::new()),
            members: 0,
        }
    }
}

impl Gzip {
    pub(crate) fn feed(&mut self, input: &[u8], out: &mut CappedBuffer) -> io::Result<()> {
        let mut rest = input;
        while !rest.is_empty() {
            rest = self.step(rest, out)?;
        }
        Ok(())
    }

    pub(crate) fn has_ended(&self) -> bool {
        match &self.state {
            GzipState::Header(bytes) => self.members > 0 || bytes.is_empty(),
            GzipState::Junk => true,
            GzipState::Body { .. } | GzipState::Trailer { .. } => false,
        }
    }

    /// Advances by one state and returns the remaining input.
    fn step<'a>(&mut self, input: &'a [u8], out: &mut CappedBuffer) -> io::Result<&'a [u8]> {
        match &mut self.state {
            GzipState::Junk => Ok(&[]),
            GzipState::Header(bytes) => {
                let bytes = std::mem::take(bytes);
                self.read_header(bytes, input)
            }
            GzipState::Body { stream, sum } => {
                let before = out.held.len();
                let used = stream.feed(input, out)?;
                sum.update(&out.held[before..]);
                if stream.ended {
                    self.state = GzipState::Trailer {
                        bytes: Vec::new(),
                        sum: std::mem::take(sum),
                    };
                } else if used < input.len() {
                    return Err(broken());
                }
                Ok(&input[used..])
            }
            GzipState::Trailer { bytes, sum } => {
                let taken = input.len().min(8 - bytes.len());
                bytes.extend_from_slice(&input[..taken]);
                if let Some(checksum) = bytes.first_chunk().filter(|_| bytes.len() == 8) {
                    let matches = u32::from_le_bytes(*checksum) == sum.sum();
                    self.end_member(matches)?;
                }
                Ok(&input[taken..])
            }
        }
    }

    /// Reads a header of which `bytes` arrived earlier.
    fn read_header<'a>(&mut self, mut bytes: Vec<u8>, input: &'a [u8]) -> io::Result<&'a [u8]> {
        let before = bytes.len();
        // A complete header is read in place: a copy for each member would make many small members
        // expensive.
        let length = if before == 0 {
            header_length(input)
        } else {
            bytes.extend_from_slice(input);
            header_length(&bytes)
        };
        match length {
            Ok(None) => {
                if before == 0 {
                    bytes.extend_from_slice(input);
                }
                self.state = GzipState::Header(bytes);
                Ok(&[])
            }
            Ok(Some(length)) => {
                self.state = GzipState::Body {
                    stream: Inflate::new(false),
                    sum: Crc::new(),
                };
                Ok(&input[length - before..])
            }
            Err(_) if self.members > 0 => {
                self.state = GzipState::Junk;
                Ok(&[])
            }
            Err(error) => Err(error),
        }
    }

    fn end_member(&mut self, checksum_matches: bool) -> io::Result<()> {
        self.members += 1;
        if !checksum_matches || self.members > MAX_MEMBERS {
            return Err(broken());
        }
        self.state = GzipState::Header(Vec::new());
        Ok(())
    }
}

/// The length of the gzip header (RFC 1952) at the start of these bytes. `None` when it is
/// incomplete.
fn header_length(bytes: &[u8]) -> io::Result<Option<usize>> {
    let magic = [0x1f, 0x8b, 8];
    let known = bytes.len().min(magic.len());
    // Only the part that can be a header is examined, however many bytes follow.
    let end = header_end(&bytes[..bytes.len().min(MAX_GZIP_HEADER)]);
    if bytes[..known] != magic[..known] || (end.is_none() && bytes.len() >= MAX_GZIP_HEADER) {
        return Err(broken());
    }
    Ok(end)
}

fn header_end(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(u16::from_le_bytes([*bytes.get(10)?, *bytes.get(11)?]));
    }
    for text in [8, 16] {
        if flags & text != 0 {
            at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    (bytes.len() >= at).then_some(at)
}

type BrotliDecoderState = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// Brotli with the windows of RFC 7932: at most 16 MB, whatever the stream's header says.
pub(crate) struct Brotli {
    state: BrotliDecoderState,
    fed: bool,
    ended: bool,
}

impl Brotli {
    pub(crate) fn new() -> Self {
        let state = BrotliDecoderState::new_strict(
            StandardAlloc::default(),
            StandardAlloc::default(),
            StandardAlloc::default(),
        );
        Self {
            state,
            fed: false,
            ended: false,
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended || !self.fed
    }

    pub(crate) fn feed(&mut self, input: &[u8], out: &mut CappedBuffer) -> io::Result<()> {
        self.fed |= !input.is_empty();
        let (mut left, mut at, mut total) = (input.len(), 0, 0);
        let mut buffer = [0; STEP];
        while !self.ended {
            let (mut room, mut filled) = (STEP, 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut at,
                input,
                &mut room,
                &mut filled,
                &mut buffer,
                &mut total,
                &mut self.state,
            );
            out.write_all(&buffer[..filled])?;
            match result {
                BrotliResult::ResultSuccess => self.ended = true,
                BrotliResult::NeedsMoreInput => break,
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultFailure => return Err(broken()),
            }
        }
        Ok(())
    }
}
