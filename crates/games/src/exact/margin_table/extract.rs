//! Writes the margins in the program to a separate file.

use std::io::{self, Cursor};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::embedded;
use super::entry::ILLEGAL;
use super::layer_files::LayerTotal;
use super::numbering::{EntryPlace, Numbering};
use super::table_file::{self, MarginHeader};
use super::tally::{Counts, LayerTally};

/// Writes the margins in the program to `file`, in one step and in the format of a table. The header describes only the
/// layers in the file.
///
/// # Errors
/// Fails if the file cannot be written; an older file is then unchanged.
pub fn write(file: &Path) -> io::Result<MarginHeader> {
    let numbering = Numbering::gothello();
    let layers: Vec<Vec<u8>> = (0..=embedded::STONES).map(|stones| entries(numbering, stones)).collect();
    let index = table_file::index_of(numbering, embedded::STONES);
    let header = MarginHeader {
        size: numbering.grid().size(),
        kept: embedded::STONES,
        layers: (0..).zip(&layers).map(|(stones, layer)| total(numbering, stones, layer)).collect(),
        index: Sha256::digest(&index).into(),
    };
    table_file::write(file, &header, &index, |stones| Ok(Cursor::new(&layers[stones as usize])))?;
    Ok(header)
}

/// The entries of a layer, block by block.
fn entries(numbering: &Numbering, stones: u32) -> Vec<u8> {
    let blocks = 0..numbering.layer(stones).count();
    let places = blocks.flat_map(|block| (0..1_usize << stones).map(move |index| EntryPlace { stones, block, index }));
    places.map(|place| embedded::margin(place).cast_unsigned()).collect()
}

/// The counts and the digest of a layer. The numbers of positions with only one best move are missing, since they
/// require the margins of the next layer.
fn total(numbering: &Numbering, stones: u32, layer: &[u8]) -> LayerTotal {
    let (mut tally, mut digest) = (LayerTally::default(), Sha256::new());
    let sets = numbering.layer(stones).sets();
    for (&empty, block) in sets.iter().zip(layer.chunks_exact(1 << stones)) {
        let count = |holds: fn(i8) -> bool| {
            let margins = block.iter().map(|entry| entry.cast_signed());
            margins.filter(|&margin| margin != ILLEGAL && holds(margin)).count() as u64
        };
        let [won, drawn, lost] = [count(|margin| margin > 0), count(|margin| margin == 0), count(|margin| margin < 0)];
        let counts = Counts { won, drawn, lost, ..Counts::default() };
        tally += LayerTally::of_class(counts, numbering.grid().orbit(empty));
        digest.update(Sha256::digest(block));
    }
    LayerTotal { stones, blocks: sets.len() as u64, tally, digest: digest.finalize().into(), is_verified: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::exact::margin_table::known::{KnownMargins, board_at};
    use crate::exact::margin_table::table_file::MarginFile;
    use crate::game::Side;
    use crate::game::gothello::Game;

    #[test]
    fn the_file_is_a_table_with_the_margins_of_the_program() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("margins");
        let header = write(&file).expect("written");
        let table = MarginFile::open(&file).expect("a table");
        assert_eq!(table.header(), &header);
        assert_eq!((header.layers.len(), header.kept), (8, 7));
        // The numbers in docs/measure/solution.md.
        let seven = header.layers[7].tally.of_board;
        assert_eq!([seven.won, seven.drawn, seven.lost], [36_810_882, 1_471_486, 22_043_528]);
        let (numbering, mut random) = (Numbering::gothello(), SplitMix64::new(1));
        let mut below = |bound: usize| usize::try_from(random.below(bound as u64)).expect("an index");
        for _ in 0..2000 {
            let stones = u32::try_from(below(8)).expect("small");
            let place = EntryPlace { stones, block: below(numbering.layer(stones).count()), index: below(1 << stones) };
            let margin = table.margin(place).expect("readable");
            let game = Game::from_board(board_at(numbering, place), Side::Black);
            let known =
                KnownMargins::Embedded.margin(game.board().stones(Side::Black), game.board().stones(Side::White));
            assert_eq!((margin != ILLEGAL).then_some(i32::from(margin)), known, "{place:?}");
        }
    }
}
