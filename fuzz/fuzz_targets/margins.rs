//! Files of margins. The digests in a header would hide nearly every change, so the target computes them. A header that
//! is accepted has the blocks of its board and no others, so it cannot make the arena reserve more memory than the table
//! needs.
//!
//! An input consists of the lines of the header before its digest, a NUL, and what follows the header. In place of the
//! digest of the index, a header may have an asterisk.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gothello_arena::exact::margin_table::grid::BoardGrid;
use gothello_arena::exact::margin_table::numbering::{EntryPlace, Numbering};
use gothello_arena::exact::margin_table::table_file::{HEADER, MarginFile};
use gothello_arena_fuzz::{MemoryDir, assert_message, parts, sha256};
use libfuzzer_sys::fuzz_target;

/// The numberings of the smaller boards. That of the largest board takes too long.
static NUMBERINGS: LazyLock<BTreeMap<u8, Numbering>> =
    LazyLock::new(|| [3, 4].map(|size| (size, Numbering::new(BoardGrid::new(size)))).into());

/// No file is longer than this.
const LONGEST: u64 = 1 << 40;

fuzz_target!(|data: &[u8]| {
    let head = parts(data).next().unwrap_or_default();
    let body = data.get(head.len() + 1..).unwrap_or_default();
    let text = String::from_utf8_lossy(head);
    let claimed = Claim::of(&text);
    let index: Vec<u8> = body.iter().copied().chain(std::iter::repeat(0)).take(claimed.known_index()).collect();
    let mut header = text.replace("\nindex sha256 *\n", &format!("\nindex sha256 {}\n", sha256(&index)));
    header += &format!("header sha256 {}\n\n", sha256(header.as_bytes()));
    let mut bytes = header.into_bytes();
    bytes.resize(HEADER.max(bytes.len()), b'\n');
    bytes.extend(body);
    let length = claimed.length().filter(|length| *length <= LONGEST).unwrap_or(bytes.len() as u64);
    MemoryDir::with(|memory| {
        let (path, _) = memory.file("margins", &bytes, length);
        match MarginFile::open(&path) {
            Ok(table) => is_sound(&table, &bytes),
            Err(error) => {
                assert_message(&error.to_string());
                let _ = error.is_replaceable();
            }
        }
    });
});

/// The numbers of blocks in a file, by the number of stones, as its header claims them.
struct Claim(Vec<(u32, u64)>);

impl Claim {
    fn of(text: &str) -> Self {
        let kept = text.lines().find_map(|line| line.strip_prefix("stones 0 to ")?.parse::<u32>().ok());
        let layer = |line: &str| {
            let mut words = line.strip_prefix("layer ")?.split(' ');
            let stones = words.next()?.parse().ok().filter(|&stones| stones <= kept.unwrap_or(0) && stones < 25)?;
            Some((stones, words.nth(1)?.parse().ok()?))
        };
        Self(text.lines().filter_map(layer).collect())
    }

    /// The length of the file, unless it is absurd.
    fn length(&self) -> Option<u64> {
        self.0.iter().try_fold(HEADER as u64, |length, &(stones, blocks)| {
            length.checked_add(blocks.checked_mul(4)?)?.checked_add(blocks.checked_mul(1 << stones)?)
        })
    }

    /// The length of the index, or 0 if it is longer than the index of a small board.
    fn known_index(&self) -> usize {
        let length = self.0.iter().try_fold(0_u64, |length, &(_, blocks)| length.checked_add(blocks.checked_mul(4)?));
        length.and_then(|length| usize::try_from(length).ok()).filter(|length| *length <= 1 << 16).unwrap_or(0)
    }
}

fn is_sound(table: &MarginFile, bytes: &[u8]) {
    let header = table.header();
    assert!(bytes.starts_with(header.to_string().as_bytes()), "{header}");
    assert!(header.kept < u32::from(header.size).pow(2));
    let Some(numbering) = NUMBERINGS.get(&header.size) else { return };
    for layer in header.kept_layers() {
        assert_eq!(layer.blocks, numbering.layer(layer.stones).count() as u64, "{header}");
        let (block, index) = (numbering.layer(layer.stones).count() - 1, (1 << layer.stones) - 1);
        let last = EntryPlace { stones: layer.stones, block, index };
        let mut entries = vec![0; 1 << layer.stones];
        table.read_block(layer.stones, block, &mut entries).expect("the file is long enough");
        // An entry may be no margin, but it is there.
        if let Ok(margin) = table.margin(last) {
            assert_eq!(margin.cast_unsigned(), entries[index]);
        }
    }
}
