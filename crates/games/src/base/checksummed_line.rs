//! Lines of JSON that end with their own checksum, which reveals damage.

use sha2::{Digest, Sha256};

use super::hex::hex;

/// The text before a line's checksum; the checksum's 16 digits and [`SUM_END`] follow.
const SUM_START: &str = ",\"sum\":\"";
const SUM_DIGITS: usize = 16;
const SUM_END: &str = "\"}\n";

/// Returns `object`, the text of a non-empty JSON object, as a line with its newline. The object gets one more member
/// at its end, `sum`, which is the checksum of `seal` and all bytes before that member.
pub fn with_checksum(mut object: String, seal: &str) -> String {
    object.pop();
    let sum = checksum(object.as_bytes(), seal);
    for part in [SUM_START, &sum, SUM_END] {
        object.push_str(part);
    }
    object
}

/// The text of the object in `line`, newline included, without its checksum; `None` if the checksum is missing or
/// wrong. Leaves the line's bytes in an unspecified state.
pub fn without_checksum<'l>(line: &'l mut [u8], seal: &str) -> Option<&'l [u8]> {
    let length = content(line, seal)?;
    // Without the checksum, the object ends here.
    line[length] = b'}';
    Some(&line[..=length])
}

/// Whether the checksum of `line`, newline included, is right.
pub fn has_checksum(line: &[u8], seal: &str) -> bool {
    content(line, seal).is_some()
}

/// The length of the part of `line` that its checksum covers; `None` if the checksum is missing or wrong.
fn content(line: &[u8], seal: &str) -> Option<usize> {
    let length = line.len().checked_sub(SUM_START.len() + SUM_DIGITS + SUM_END.len())?;
    let (content, tail) = line.split_at(length);
    let sum = tail.strip_prefix(SUM_START.as_bytes())?.strip_suffix(SUM_END.as_bytes())?;
    (sum == checksum(content, seal).as_bytes()).then_some(length)
}

/// The first 64 bits of the SHA-256 of `seal` and `bytes`, in hexadecimal.
fn checksum(bytes: &[u8], seal: &str) -> String {
    let digest = Sha256::new().chain_update(seal).chain_update(bytes).finalize();
    hex(&digest[..SUM_DIGITS / 2])
}
