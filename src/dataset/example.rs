//! A position as fields, and its class under symmetries.

use sha2::{Digest as _, Sha256};

use super::label::ExactLabel;
use super::move_places::{MOVES, POINTS, marked, reading_order};
use super::symmetry::{IMAGES, image};
use crate::base::random::mix;
use crate::base::word_enum::words;
use crate::game::gothello::Game;

/// The board in reading order, for the side to move: 1 for its stones, -1 for the other side's stones.
pub fn own(game: &Game) -> [i8; POINTS] {
    let (board, side) = (game.board(), game.side());
    let mut own = [0; POINTS];
    for (value, point) in own.iter_mut().zip(reading_order()) {
        *value = i8::from(board.stones(side) & point.bit() != 0)
            - i8::from(board.stones(side.opponent()) & point.bit() != 0);
    }
    own
}

/// The class of `game`: all positions that become equal when the board is turned or mirrored, or when the two sides
/// exchange their colours. The class is represented by the first 64 bits of the SHA-256 of 26 characters. The first 25
/// characters are, in reading order, the image of the board that sorts first in ASCII among all eight images: `x` for a
/// stone of the side to move, `o` for a stone of the other side, and `.` for an empty point. The last character is `+`
/// after a pass and `-` otherwise.
pub fn class_of(game: &Game) -> u64 {
    let text = |image_number| {
        own(&image(game, image_number)).map(|value| match value {
            1 => b'x',
            -1 => b'o',
            _ => b'.',
        })
    };
    let least = (0..IMAGES).map(text).min().unwrap_or([b'.'; POINTS]);
    let digest = Sha256::new().chain_update(least).chain_update(if game.passed() { "+" } else { "-" }).finalize();
    u64::from_be_bytes(*digest.first_chunk().expect("32 bytes"))
}

/// The part of a data set that a class belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SplitName {
    /// The training examples.
    Train,
    /// The examples for choosing between trained models.
    Validation,
    /// The examples for measuring the chosen model.
    Test,
}

words! { pub SplitName; Train => "train", Validation => "validation", Test => "test" }

/// How many of every 100 classes belong to each split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitShares(pub [u8; 3]);

impl SplitShares {
    /// The split of `class`, which depends only on the class and on `seed`.
    pub fn split(self, class: u64, seed: u64) -> SplitName {
        let place = mix(seed, &format!("split {class:016x}")) % 100;
        let [train, validation, _] = self.0.map(u64::from);
        match place {
            _ if place < train => SplitName::Train,
            _ if place < train + validation => SplitName::Validation,
            _ => SplitName::Test,
        }
    }
}

/// A position with its label, as stored in a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetExample {
    /// The position.
    pub game: Game,
    /// The class of the position.
    pub class: u64,
    /// The known facts about the position.
    pub label: ExactLabel,
    /// How many plies were played before the position.
    pub ply: u32,
    /// Where the position comes from: `random`, `selfplay`, `run`, or `run:` and the game's id.
    pub source: String,
    /// How many times positions of this class occurred.
    pub count: u32,
    /// The split to which the class belongs.
    pub split: SplitName,
}

impl DatasetExample {
    /// The legal moves.
    pub fn legal(&self) -> [u8; MOVES] {
        use crate::game::Position as _;
        marked(self.game.legal_moves())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::game::gothello::Board;

    #[test]
    fn a_class_has_all_images_and_both_colours_and_no_other_position() {
        let board: Board = "b.... .w... ..b.. ....w .....".parse().expect("a board");
        let game = Game::from_board(board, Side::Black);
        let class = class_of(&game);
        let mut images: Vec<String> = (0..IMAGES).map(|number| image(&game, number).to_string()).collect();
        assert!((0..IMAGES).all(|number| class_of(&image(&game, number)) == class));
        images.sort();
        images.dedup();
        assert_eq!(images.len(), 8);
        let swapped = Board::new(board.stones(Side::White), board.stones(Side::Black)).expect("a board");
        assert_eq!(class_of(&Game::from_board(swapped, Side::White)), class);
        assert_ne!(class_of(&Game::from_board(board, Side::White)), class);
        assert_ne!(class_of(&Game::from_board(board, Side::White).pass()), class);
    }

    #[test]
    fn splits_have_their_shares() {
        let shares = SplitShares([80, 10, 10]);
        let splits: Vec<SplitName> = (0..10_000).map(|class| shares.split(class, 1)).collect();
        let count = |name| splits.iter().filter(|&&split| split == name).count();
        assert!((7800..8200).contains(&count(SplitName::Train)) && (900..1100).contains(&count(SplitName::Test)));
        assert_eq!(SplitShares([100, 0, 0]).split(7, 3), SplitName::Train);
        assert_eq!(SplitShares([0, 0, 100]).split(7, 3), SplitName::Test);
    }
}
