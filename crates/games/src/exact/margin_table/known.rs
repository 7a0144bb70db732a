//! The margins of early positions of Gothello, known without a search.

use super::block::ILLEGAL;
use super::embedded;
use super::grid::Points as TablePoints;
use super::numbering::{EntryPlace, Numbering, unpacked};
use super::table_file::MarginFile;
use crate::exact::solver::Stones;
use crate::game::Outcome;
use crate::game::gothello::{Board, Game, Points, SIZE};

/// Which margins are known.
#[derive(Clone, Copy, Debug)]
pub enum KnownMargins<'a> {
    /// None.
    Nothing,
    /// Those of up to [`embedded::STONES`] stones, which are in the program.
    Embedded,
    /// Those in a file, and those in the program.
    File(&'a MarginFile),
}

impl<'a> KnownMargins<'a> {
    /// Those in `file`, if there is one, and those in the program.
    pub const fn with(file: Option<&'a MarginFile>) -> Self {
        match file {
            Some(file) => Self::File(file),
            None => Self::Embedded,
        }
    }

    /// The margin of a position that does not follow a pass, for the side to move. `None` if it is not known, or if a
    /// group has no liberty.
    pub fn margin(self, stones: Stones) -> Option<i32> {
        let count = (stones.own | stones.theirs).count_ones();
        let most = match self {
            Self::Nothing => return None,
            Self::Embedded => embedded::STONES,
            Self::File(file) => file.header().kept.max(embedded::STONES),
        };
        if count > most {
            return None;
        }
        let place = Numbering::gothello().place(in_table(stones.own), in_table(stones.theirs));
        let margin = match self {
            Self::File(file) if count > embedded::STONES => file.margin(place).ok()?,
            _ => embedded::margin(place),
        };
        (margin != ILLEGAL).then_some(margin.into())
    }

    /// The outcome of `game` with best play, if it is known.
    pub fn outcome(self, game: &Game) -> Option<Outcome> {
        let (board, side) = (game.board(), game.side());
        if game.is_over() {
            return Some(Outcome::of_margin(board.margin()));
        }
        let stones = Stones { own: board.stones(side), theirs: board.stones(side.opponent()) };
        let margin = self.margin(stones)?;
        Some(Outcome::of_margin(side.own(if game.passed() { margin.max(stones.lead()) } else { margin })))
    }
}

/// The board of the position at `place`, as if black were to move.
pub fn board_at(numbering: &Numbering, place: EntryPlace) -> Board {
    let occupied = numbering.grid().all() & !numbering.layer(place.stones).sets()[place.block];
    let own = unpacked(place.index, occupied);
    Board::new(on_board(own), on_board(occupied & !own)).expect("the stones are on different points")
}

/// The bits of one rank in the table's numbering of points, which has no gaps.
const RANK: TablePoints = (1 << SIZE) - 1;

/// The points of `set` as the table numbers them.
fn in_table(set: Points) -> TablePoints {
    (0..SIZE).fold(0, |all, rank| all | (set >> (rank * (SIZE + 1)) & RANK) << (rank * SIZE))
}

/// The points of the table's `set` as the rules number them.
fn on_board(set: TablePoints) -> Points {
    (0..SIZE).fold(0, |all, rank| all | (set >> (rank * SIZE) & RANK) << (rank * (SIZE + 1)))
}
