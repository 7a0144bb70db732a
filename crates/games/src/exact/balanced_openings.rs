//! The openings nearest to a draw.
//!
//! Games are played in pairs with colours swapped, so any opening is fair. But an opening that is already lost for one
//! side reveals little about two strong players, because each of them wins once.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::base::hex::hex;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::{folded, stones};
use crate::game::gothello::{Game, Point, points};
use crate::game::{Move, Side};

/// The maximum number of plies of an opening. There are 303,600 openings of this length.
const MOST_PLIES: u32 = 4;

/// The numbers of plies that openings can have.
pub const PLIES: RangeInclusive<u32> = 1..=MOST_PLIES;

/// The openings of a given number of plies that come nearest to a draw. These are the drawn openings if there are any;
/// otherwise, they are the openings that are won by the smallest margin, whoever wins.
///
/// Invariant: there is at least one opening, each is a sequence of placements, and they are ordered by their points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balanced {
    openings: Vec<Vec<Move>>,
    /// The number of stones by which the openings are won.
    stones: u32,
    /// How many of these openings black wins, and how many white wins.
    wins: [usize; 2],
    /// How many different openings there are, counting symmetric ones once.
    classes: usize,
}

/// Returns the balanced openings of `plies` plies, or `None` for a number that is not one of [`PLIES`]. They are the
/// same on every machine, since only the margins in the program are used.
pub fn balanced(plies: u32) -> Option<&'static Balanced> {
    static CHOSEN: [LazyLock<Balanced>; MOST_PLIES as usize] = [
        LazyLock::new(|| by_table(1)),
        LazyLock::new(|| by_table(2)),
        LazyLock::new(|| by_table(3)),
        LazyLock::new(|| by_table(4)),
    ];
    CHOSEN.get(plies.checked_sub(1)? as usize).map(LazyLock::force)
}

fn by_table(plies: u32) -> Balanced {
    let margin = |game: &Game| KnownMargins::Embedded.outcome(game).and_then(|outcome| outcome.margin);
    Balanced::by(plies, &|game| margin(game).expect("an opening has fewer stones than the table"))
}

impl Balanced {
    /// Chooses the balanced openings of `plies` plies, at least one ply, according to the margins for black that
    /// `margin_of` returns. `margin_of` must return the same margin for positions that are images of each other.
    pub fn by(plies: u32, margin_of: &dyn Fn(&Game) -> i32) -> Self {
        let mut chosen: Vec<(Vec<Move>, Game, i32)> = Vec::new();
        let mut least = u32::MAX;
        each_opening(plies, &Game::default(), &mut Vec::new(), &mut |opening, game| {
            let margin = margin_of(game);
            if margin.unsigned_abs() < least {
                least = margin.unsigned_abs();
                chosen.clear();
            }
            if margin.unsigned_abs() == least {
                chosen.push((opening.to_vec(), *game, margin));
            }
        });
        let wins = Side::BOTH.map(|side| chosen.iter().filter(|(_, _, margin)| side.own(*margin) > 0).count());
        let class = |(_, game, _): &(_, Game, _)| {
            let lowest = folded(stones(game)).0;
            (lowest.own, lowest.theirs)
        };
        let classes = chosen.iter().map(class).collect::<BTreeSet<_>>().len();
        let openings = chosen.into_iter().map(|(opening, _, _)| opening).collect();
        Self { openings, stones: least, wins, classes }
    }

    /// Returns the openings.
    pub fn openings(&self) -> &[Vec<Move>] {
        &self.openings
    }

    /// Returns the number of stones by which each of the openings is won with best play; 0 if they are draws.
    pub const fn stones(&self) -> u32 {
        self.stones
    }

    /// Returns the SHA-256 of the openings, in hexadecimal. A run with different openings is a different run.
    pub fn digest(&self) -> String {
        let mut text = String::new();
        for opening in &self.openings {
            for played in opening {
                // Writing to a string never fails.
                let _ = write!(text, "{played} ");
            }
            text.push('\n');
        }
        hex(&Sha256::digest(text))
    }
}

/// Writes, for example, `96 draws, 12 up to symmetry` or `96 won by 1 (48 by black, 48 by white), 12 up to symmetry`.
impl fmt::Display for Balanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, [black, white]) = (self.openings.len(), self.wins);
        match self.stones {
            0 => write!(f, "{count} draws")?,
            stones => write!(f, "{count} won by {stones} ({black} by black, {white} by white)")?,
        }
        write!(f, ", {} up to symmetry", self.classes)
    }
}

/// Calls `take` with each sequence of `plies` placements and the position after it, in the order of points.
fn each_opening(plies: u32, game: &Game, so_far: &mut Vec<Move>, take: &mut dyn FnMut(&[Move], &Game)) {
    if plies == 0 {
        take(so_far, game);
        return;
    }
    let placements: Vec<Point> = points(game.placements()).collect();
    for point in placements {
        so_far.push(point.to_move());
        each_opening(plies - 1, &game.place(point), so_far, take);
        so_far.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many stones are on the edge of the board. All images of a position have the same number.
    fn edge(game: &Game) -> u32 {
        const INNER: u32 = 0b01110 << 6 | 0b01110 << 12 | 0b01110 << 18;
        (!game.board().empty() & crate::game::gothello::ALL & !INNER).count_ones()
    }

    #[test]
    fn draws_are_preferred_and_then_the_least_margin() {
        let draws = Balanced::by(2, &|game| match edge(game) {
            2 => 0,
            1 => 1,
            _ => -3,
        });
        assert_eq!((draws.openings().len(), draws.stones()), (16 * 15, 0));

        let least = Balanced::by(2, &|game| match edge(game) {
            2 => 5,
            1 => 4,
            _ => -3,
        });
        assert_eq!((least.openings().len(), least.stones()), (9 * 8, 3));

        // Both sides win by the same margin, so both kinds are chosen.
        let both = Balanced::by(1, &|game| if edge(game) == 1 { 1 } else { -1 });
        assert_eq!(both.openings().len(), 25);
        assert_eq!(both.to_string(), "25 won by 1 (16 by black, 9 by white), 6 up to symmetry");
        assert_ne!(both.digest(), draws.digest());
    }

    #[test]
    fn no_opening_is_nearer_to_a_draw_than_those_that_are_chosen() {
        assert!(balanced(0).is_none() && balanced(MOST_PLIES + 1).is_none());
        for plies in 1..=3 {
            let chosen = balanced(plies).expect("a length");
            let margin = |game: &Game| {
                let outcome = KnownMargins::Embedded.outcome(game).expect("few stones");
                outcome.margin.expect("all margins are known").unsigned_abs()
            };
            let mut near = Vec::new();
            each_opening(plies, &Game::default(), &mut Vec::new(), &mut |opening, game| {
                assert!(margin(game) >= chosen.stones(), "{game} is nearer");
                near.extend((margin(game) == chosen.stones()).then(|| opening.to_vec()));
            });
            assert_eq!(chosen.openings(), near, "{plies}");
        }
    }
}
