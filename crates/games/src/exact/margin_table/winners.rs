//! Stores who wins in two bits for each entry: 0 for a colouring that is not a position, and 1, 2 and 3 for a position
//! that the side to move loses, draws and wins. The first entry of a byte is in its lowest bits.

use super::entry::ILLEGAL;

/// The number of entries in a byte.
const ENTRIES: usize = 4;

/// The length in bytes of a block of positions with `stones` stones.
pub const fn block_bytes(stones: u32) -> usize {
    (1_usize << stones).div_ceil(ENTRIES)
}

/// The bits of a block with the margins `entries`.
pub fn packed(entries: &[u8]) -> Vec<u8> {
    let code = |&entry: &u8| match entry.cast_signed() {
        ILLEGAL => 0,
        -127..0 => 1,
        0 => 2,
        1.. => 3,
    };
    let byte = |entries: &[u8]| entries.iter().rev().fold(0, |byte, entry| byte << 2 | code(entry));
    entries.chunks(ENTRIES).map(byte).collect()
}

/// Unpacks the bits of a block with `stones` stones: each entry becomes the sign of its margin, or [`ILLEGAL`].
pub fn unpacked(bits: &[u8], stones: u32) -> Vec<u8> {
    const SIGNS: [i8; 4] = [ILLEGAL, -1, 0, 1];
    let entries = bits.iter().flat_map(|byte| (0..ENTRIES).map(move |at| SIGNS[usize::from(byte >> (2 * at) & 3)]));
    entries.take(1 << stones).map(i8::cast_unsigned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_signs_remain() {
        let entries = [ILLEGAL, -24, -1, 0, 1, 24, 3, ILLEGAL].map(i8::cast_unsigned);
        let signs = [ILLEGAL, -1, -1, 0, 1, 1, 1, ILLEGAL].map(i8::cast_unsigned);
        assert_eq!(unpacked(&packed(&entries), 3), signs);
        assert_eq!(packed(&entries[3..5]), [2 | 3 << 2]);
        for stones in 0..4 {
            let entries = &entries[..1 << stones];
            assert_eq!(
                (packed(entries).len(), unpacked(&packed(entries), stones).len()),
                (block_bytes(stones), 1 << stones)
            );
        }
    }
}
