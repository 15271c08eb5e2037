//! The compressed RTF of Outlook: a dictionary of the last 4 KB that starts with common RTF.

/// What the dictionary starts with, by the specification (MS-OXRTFCP).
const START: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

const DICTIONARY: usize = 4_096;
const HEADER: usize = 16;

/// The RTF. `None` if it is neither compressed nor stored as the format says. The result has at most
/// `most` bytes.
pub(super) fn unpacked(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let content = bytes.get(HEADER..)?;
    match bytes.get(8..12)? {
        b"LZFu" => Some(decoded(content, most)),
        b"MELA" => Some(content[..content.len().min(most)].to_vec()),
        _ => None,
    }
}

fn decoded(content: &[u8], most: usize) -> Vec<u8> {
    let mut dictionary = [b' '; DICTIONARY];
    dictionary[..START.len()].copy_from_slice(START);
    let mut at = START.len();
    let mut out = Vec::new();
    let mut bytes = content.iter().copied();
    'runs: while let Some(control) = bytes.next() {
        for bit in 0..8 {
            if out.len() >= most {
                break 'runs;
            }
            let Some(first) = bytes.next() else {
                break 'runs;
            };
            if control >> bit & 1 == 0 {
                dictionary[at] = first;
                at = (at + 1) % DICTIONARY;
                out.push(first);
                continue;
            }
            let Some(second) = bytes.next() else {
                break 'runs;
            };
            let reference = usize::from(first) << 8 | usize::from(second);
            let (offset, length) = (reference >> 4, (reference & 0xF) + 2);
            // A reference to the place that is written next marks the end.
            if offset == at {
                break 'runs;
            }
            for step in 0..length {
                let byte = dictionary[(offset + step) % DICTIONARY];
                dictionary[at] = byte;
                at = (at + 1) % DICTIONARY;
                out.push(byte);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_is_decoded() {
        let packed: &[u8] = &[
            0x2D, 0, 0, 0, 0x2B, 0, 0, 0, 0x4C, 0x5A, 0x46, 0x75, 0xF1, 0xC5, 0xC7, 0xA7, 0x03, 0,
            0x0A, 0, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0A, 0xF3, 0x20, 0x68,
            0x65, 0x6C, 0x09, 0, 0x20, 0x62, 0x77, 0x05, 0xB0, 0x6C, 0x64, 0x7D, 0x0A, 0x80, 0x0F,
            0xA0,
        ];
        assert_eq!(
            unpacked(packed, 1_000).as_deref(),
            Some(&b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"[..])
        );
    }

    #[test]
    fn a_stream_that_is_cut_ends_early() {
        let mut packed = b"........LZFu....".to_vec();
        packed.extend([0xFF; 10_000]);
        assert!(unpacked(&packed, 5_000).is_some_and(|out| out.len() < 5_100));
        assert_eq!(unpacked(b"short", 10), None);
    }
}
