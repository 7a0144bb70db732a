//! How many positions of a layer are won, drawn and lost, and how many of them have only one good move.

use std::ops::AddAssign;

use super::entry::ILLEGAL;

/// Numbers of positions in one or more blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerTally {
    /// The number of positions, counting one set of empty points from each class.
    pub of_classes: Counts,
    /// The numbers of positions on the whole board: the positions of a class count once for each different image of its
    /// empty points.
    pub of_board: Counts,
}

/// Numbers of positions by their value for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of positions that the side to move wins.
    pub won: u64,
    /// The number of drawn positions.
    pub drawn: u64,
    /// The number of positions that the side to move loses.
    pub lost: u64,
    /// The number of won positions with only one move that wins.
    pub one_wins: u64,
    /// The number of drawn positions with only one move that draws.
    pub one_draws: u64,
    /// The number of positions with only one move that keeps the margin.
    pub one_best: u64,
}

impl Counts {
    /// The number of positions.
    pub const fn positions(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// The number of fields.
    pub const FIELDS: usize = 6;

    /// The fields in order.
    pub const fn to_array(self) -> [u64; Self::FIELDS] {
        [self.won, self.drawn, self.lost, self.one_wins, self.one_draws, self.one_best]
    }

    /// The counts with these fields.
    pub const fn from_array([won, drawn, lost, one_wins, one_draws, one_best]: [u64; Self::FIELDS]) -> Self {
        Self { won, drawn, lost, one_wins, one_draws, one_best }
    }

    /// Counts positions. For each position, `tied` contains the number of best moves, and `winning` and `drawing`
    /// contain the numbers of moves that win and draw.
    pub(super) fn add(&mut self, margins: &[i8], tied: &[u8], winning: &[u8], drawing: &[u8]) {
        let count = |holds: &dyn Fn(usize) -> bool| (0..margins.len()).filter(|&at| holds(at)).count() as u64;
        *self += Self {
            won: count(&|at| margins[at] > 0),
            drawn: count(&|at| margins[at] == 0),
            lost: count(&|at| margins[at] < 0 && margins[at] != ILLEGAL),
            one_wins: count(&|at| margins[at] > 0 && winning[at] == 1),
            one_draws: count(&|at| margins[at] == 0 && drawing[at] == 1),
            one_best: count(&|at| margins[at] != ILLEGAL && tied[at] == 1),
        };
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let (mut sums, numbers) = (self.to_array(), other.to_array());
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += number;
        }
        *self = Self::from_array(sums);
    }
}

impl AddAssign for LayerTally {
    fn add_assign(&mut self, other: Self) {
        self.of_classes += other.of_classes;
        self.of_board += other.of_board;
    }
}

impl LayerTally {
    /// The tally of one class, whose set of empty points has `orbit` images.
    pub fn of_class(of_classes: Counts, orbit: u32) -> Self {
        Self { of_classes, of_board: Counts::from_array(of_classes.to_array().map(|number| number * u64::from(orbit))) }
    }
}
