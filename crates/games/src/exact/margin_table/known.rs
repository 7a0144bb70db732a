//! The margins of early Gothello positions, known without a search.

use super::embedded;
use super::entry::ILLEGAL;
use super::grid::PointSet;
use super::numbering::{EntryPlace, Numbering, unpacked};
use crate::game::Outcome;
use crate::game::gothello::{Board, Game, Points, SIZE};

/// A table that contains more margins than the program does.
pub trait MarginSource: std::fmt::Debug + Sync {
    /// The maximum number of stones of a position in the table.
    fn most_stones(&self) -> u32;

    /// The entry at `place`, which must have at most [`Self::most_stones`] stones; `None` if it cannot be read.
    fn entry(&self, place: EntryPlace) -> Option<i8>;
}

/// Which margins are known.
#[derive(Clone, Copy, Debug)]
pub enum KnownMargins<'a> {
    /// No margins.
    Nothing,
    /// The margins of positions with up to [`embedded::STONES`] stones, which are in the program.
    Embedded,
    /// The margins in a table, and those in the program.
    Table(&'a dyn MarginSource),
}

impl<'a> KnownMargins<'a> {
    /// The margins in `table`, if there is one, and those in the program.
    pub fn with<S: MarginSource>(table: Option<&'a S>) -> Self {
        table.map_or(Self::Embedded, |table| Self::Table(table))
    }

    /// The margin of a position that does not follow a pass, from the perspective of the side to move, which has the
    /// stones `own`. Returns `None` if the margin is not known, or if a group has no liberty.
    pub fn margin(self, own: Points, theirs: Points) -> Option<i32> {
        let count = (own | theirs).count_ones();
        let most = match self {
            Self::Nothing => return None,
            Self::Embedded => embedded::STONES,
            Self::Table(table) => table.most_stones().max(embedded::STONES),
        };
        if count > most {
            return None;
        }
        let place = Numbering::gothello().place(in_table(own), in_table(theirs));
        let margin = match self {
            Self::Table(table) if count > embedded::STONES => table.entry(place)?,
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
        let margin = side.own(self.margin(board.stones(side), board.stones(side.opponent()))?);
        // After a pass, the side to move may end the game with the stones as they are.
        let end = if game.passed() { side.own(board.margin()).max(side.own(margin)) } else { side.own(margin) };
        Some(Outcome::of_margin(side.own(end)))
    }
}

/// The board of the position at `place`, as if black were to move.
pub fn board_at(numbering: &Numbering, place: EntryPlace) -> Board {
    let occupied = numbering.grid().all() & !numbering.layer(place.stones).sets()[place.block];
    let own = unpacked(place.index, occupied);
    Board::new(on_board(own), on_board(occupied & !own)).expect("the stones are on different points")
}

/// The bits of one rank in the table's numbering of points, which has no gaps.
const RANK: PointSet = (1 << SIZE) - 1;

/// Converts `set` to the table's numbering of points.
pub fn in_table(set: Points) -> PointSet {
    (0..SIZE).fold(0, |all, rank| all | (set >> (rank * (SIZE + 1)) & RANK) << (rank * SIZE))
}

/// Converts `set` from the table's numbering of points to that of the rules.
fn on_board(set: PointSet) -> Points {
    (0..SIZE).fold(0, |all, rank| all | (set >> (rank * SIZE) & RANK) << (rank * (SIZE + 1)))
}
