//! Repairs what keeps the parser from finding the objects of a damaged file.

const TABLE: &[u8] = b"startxref";
const START: &[u8] = b"stream";
const END: &[u8] = b"endstream";
const OBJECT_END: &[u8] = b"endobj";

/// The file without the place of its table of objects, so that the parser looks for the objects
/// themselves. Streams begin right after the line of their keyword, and have an end.
pub(super) fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut repaired = Vec::with_capacity(bytes.len() + 64);
    let mut is_open = false;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let taken = match rest[0] {
            b's' if rest.starts_with(TABLE) => {
                at += TABLE.len();
                continue;
            }
            b's' if rest.starts_with(START) && is_line_end(rest, START.len()) => {
                is_open = true;
                repaired.extend_from_slice(START);
                at += START.len() + blanks(rest, START.len());
                continue;
            }
            b'e' if rest.starts_with(END) => {
                is_open = false;
                END.len()
            }
            b'e' if is_open && rest.starts_with(OBJECT_END) => {
                is_open = false;
                repaired.extend_from_slice(END);
                repaired.push(b'\n');
                OBJECT_END.len()
            }
            _ => 1,
        };
        repaired.extend_from_slice(&rest[..taken]);
        at += taken;
    }
    repaired
}

fn blanks(bytes: &[u8], from: usize) -> usize {
    let blanks = bytes[from..].iter().take_while(|byte| **byte == b' ');
    blanks.count()
}

/// Whether nothing but blanks is left on the line.
fn is_line_end(bytes: &[u8], from: usize) -> bool {
    let end = bytes.get(from + blanks(bytes, from));
    end.is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_begin_after_their_line_and_end() {
        let damaged = b"<< >> stream  \r\nBT ET\nendobj 2 0 obj\nendobj\nstartxref\n7";
        assert_eq!(
            String::from_utf8_lossy(&repaired(damaged)),
            "<< >> stream\r\nBT ET\nendstream\nendobj 2 0 obj\nendobj\n\n7"
        );
        let sound = b"<< >> stream\nBT ET\nendstream endobj upstream";
        assert_eq!(repaired(sound), sound);
    }
}
