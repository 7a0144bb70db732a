//! The openings that are nearest to a draw, according to the opening book.
//!
//! Games are played in pairs with colours swapped, so any opening is fair. But an opening that is already lost for one
//! side reveals little about two strong players, because each of them wins once.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::base::hex::hex;
use crate::exact::book::{Book, Class, planned_positions};
use crate::game::gothello::{Game, Point, points};
use crate::game::{Move, Outcome, Side};

/// The numbers of plies for which the book has the value of every opening.
pub const PLIES: RangeInclusive<u32> = 1..=planned_positions::PLIES;

/// The openings of a given number of plies that are nearest to a draw. These are the drawn openings if there are any;
/// otherwise, they are the openings that are won by the smallest margin, whoever wins. If not all margins are known,
/// they are all openings, because any of them might be the nearest.
///
/// Invariant: there is at least one opening, each is a sequence of placements, and they are ordered by their points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balanced {
    openings: Vec<Vec<Move>>,
    distance: Distance,
    /// How many of these openings black wins, and how many white wins.
    wins: [usize; 2],
    /// How many different openings there are, counting symmetric ones once.
    classes: usize,
    /// How many openings have a winner but no known margin.
    unmeasured: usize,
}

/// How far openings are from a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// They are draws.
    Draw,
    /// They are won by this number of stones.
    Stones(u32),
    /// They are won, but not all of the margins are known.
    Unknown,
}

/// The error if the values of some openings are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the opening book lacks the values of {missing} of the {openings} openings of this length")]
pub struct UnknownValues {
    /// The length of the openings in plies.
    pub plies: u32,
    /// The number of openings.
    pub openings: usize,
    /// The number of openings without a value.
    pub missing: usize,
}

/// Returns the balanced openings of `plies` plies, according to the embedded book.
///
/// # Errors
/// Returns an error if the book does not have all their values, as is the case beyond [`PLIES`].
pub fn balanced(plies: u32) -> Result<&'static Balanced, UnknownValues> {
    static CHOSEN: [LazyLock<Result<Balanced, UnknownValues>>; planned_positions::PLIES as usize] =
        [LazyLock::new(|| by_book(1)), LazyLock::new(|| by_book(2)), LazyLock::new(|| by_book(3))];
    let unknown = UnknownValues { plies, openings: 0, missing: 0 };
    let place = plies.checked_sub(1).ok_or(unknown)?;
    match CHOSEN.get(place as usize).map(LazyLock::force) {
        Some(chosen) => chosen.as_ref().map_err(|&unknown| unknown),
        None => Err(unknown),
    }
}

fn by_book(plies: u32) -> Result<Balanced, UnknownValues> {
    Balanced::by(plies, &|game| Book::embedded().value(game))
}

impl Balanced {
    /// Chooses the balanced openings of `plies` plies, at least one ply, by the values that `value_of` returns. It must
    /// return the same value for positions that are images of each other.
    ///
    /// # Errors
    /// Returns an error if the winner of any opening is not known, because that opening might be the nearest.
    pub fn by(plies: u32, value_of: &dyn Fn(&Game) -> Option<Outcome>) -> Result<Self, UnknownValues> {
        let mut valued = Vec::new();
        let mut missing = 0;
        each_opening(plies, &Game::default(), &mut Vec::new(), &mut |opening, game| match value_of(game) {
            Some(value) => valued.push((opening.to_vec(), *game, value)),
            None => missing += 1,
        });
        if missing > 0 || valued.is_empty() {
            return Err(UnknownValues { plies, openings: valued.len() + missing, missing });
        }
        let stones = |value: &Outcome| match value.winner {
            None => Some(0),
            Some(_) => value.margin.map(i32::unsigned_abs),
        };
        let unmeasured = valued.iter().filter(|(_, _, value)| stones(value).is_none()).count();
        let least = valued.iter().filter_map(|(_, _, value)| stones(value)).min();
        // Nothing is nearer to a draw than a draw, so the unknown margins no longer matter.
        let least = least.filter(|&least| least == 0 || unmeasured == 0);
        valued.retain(|(_, _, value)| least.is_none() || stones(value) == least);
        let distance = match least {
            Some(0) => Distance::Draw,
            Some(least) => Distance::Stones(least),
            None => Distance::Unknown,
        };
        let wins = Side::BOTH.map(|side| valued.iter().filter(|(_, _, value)| value.winner == Some(side)).count());
        let classes = valued.iter().map(|(_, game, _)| Class::of(game).0).collect::<BTreeSet<_>>().len();
        let openings = valued.into_iter().map(|(opening, _, _)| opening).collect();
        Ok(Self { openings, distance, wins, classes, unmeasured })
    }

    /// Returns the openings.
    pub fn openings(&self) -> &[Vec<Move>] {
        &self.openings
    }

    /// Returns how far the openings are from a draw.
    pub const fn distance(&self) -> Distance {
        self.distance
    }

    /// Returns warnings about properties that a user would not expect of openings nearest to a draw.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.distance == Distance::Unknown {
            warnings.push(format!(
                "the winning margins of {} openings are not known, so `balanced` keeps all openings",
                self.unmeasured
            ));
        }
        if let Some(winner) = self.only_winner() {
            warnings.push(format!("with best play, {winner} wins from every one of the balanced openings"));
        }
        warnings
    }

    /// Returns the side that wins all of the openings, if there is one.
    pub fn only_winner(&self) -> Option<Side> {
        match self.wins {
            [black, 0] if black > 0 => Some(Side::Black),
            [0, white] if white > 0 => Some(Side::White),
            _ => None,
        }
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
        match self.distance {
            Distance::Draw => write!(f, "{count} draws")?,
            Distance::Stones(stones) => write!(f, "{count} won by {stones} ({black} by black, {white} by white)")?,
            Distance::Unknown => {
                write!(f, "{count} won, not all by known margins ({black} by black, {white} by white)")?;
            }
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

    const fn won(side: Side, margin: Option<i32>) -> Outcome {
        Outcome { winner: Some(side), margin }
    }

    /// Chooses the balanced openings of `plies` plies, given the value of each.
    fn by(plies: u32, value: impl Fn(&Game) -> Outcome) -> Balanced {
        Balanced::by(plies, &|game| Some(value(game))).expect("all values")
    }

    /// Returns how many stones are on the edge of the board. All images of a position have the same number.
    fn edge(game: &Game) -> u32 {
        const INNER: u32 = 0b01110 << 6 | 0b01110 << 12 | 0b01110 << 18;
        (!game.board().empty() & crate::game::gothello::ALL & !INNER).count_ones()
    }

    #[test]
    fn draws_are_preferred_then_the_least_margin_then_all_openings() {
        let draws = by(2, |game| match edge(game) {
            2 => Outcome { winner: None, margin: None },
            1 => won(Side::Black, Some(1)),
            _ => won(Side::White, None),
        });
        assert_eq!((draws.openings().len(), draws.distance(), draws.only_winner()), (16 * 15, Distance::Draw, None));
        assert!(draws.warnings().is_empty());

        let least = by(2, |game| match edge(game) {
            2 => won(Side::Black, Some(5)),
            1 => won(if game.board().empty().is_multiple_of(2) { Side::Black } else { Side::White }, Some(4)),
            _ => won(Side::White, Some(-3)),
        });
        assert_eq!((least.openings().len(), least.distance()), (9 * 8, Distance::Stones(3)));
        assert_eq!(least.warnings(), ["with best play, white wins from every one of the balanced openings"]);

        // The openings with one stone on the edge might be nearer.
        let some = by(2, |game| match edge(game) {
            1 => won(Side::Black, None),
            _ => won(Side::White, Some(-3)),
        });
        assert_eq!((some.openings().len(), some.distance()), (25 * 24, Distance::Unknown));
        let unmeasured = "the winning margins of 288 openings are not known, so `balanced` keeps all openings";
        assert_eq!(some.warnings(), [unmeasured]);
        let of_known = by(1, |_| won(Side::Black, Some(3)));
        assert_eq!(of_known.warnings(), ["with best play, black wins from every one of the balanced openings"]);

        // Both sides win by the same margin, so both kinds are chosen.
        let both = by(1, |game| match edge(game) {
            1 => won(Side::Black, Some(1)),
            _ => won(Side::White, Some(-1)),
        });
        assert_eq!((both.openings().len(), both.only_winner()), (25, None));
        assert_eq!(both.to_string(), "25 won by 1 (16 by black, 9 by white), 6 up to symmetry");

        let unknown = by(1, |_| won(Side::Black, None));
        assert_eq!((unknown.openings().len(), unknown.distance()), (25, Distance::Unknown));
        assert_eq!((unknown.only_winner(), unknown.warnings().len()), (Some(Side::Black), 2));
        assert_ne!(unknown.digest(), draws.digest());
    }

    #[test]
    fn an_unknown_value_might_be_the_nearest() {
        let known = |game: &Game| (edge(game) == 0).then(|| Outcome::of_margin(0));
        let unknown = UnknownValues { plies: 1, openings: 25, missing: 16 };
        assert_eq!(Balanced::by(1, &known), Err(unknown));
        assert!(balanced(0).is_err() && balanced(planned_positions::PLIES + 1).is_err());
    }

    /// Returns the classes of all openings of `plies` plies.
    fn classes_of(plies: u32) -> BTreeSet<Class> {
        let mut classes = BTreeSet::new();
        each_opening(plies, &Game::default(), &mut Vec::new(), &mut |_, game| {
            classes.insert(Class::of(game).0);
        });
        classes
    }

    #[test]
    fn the_book_s_nearest_openings_are_the_nearest() {
        for plies in PLIES {
            // An incomplete book returns an error here.
            let Ok(chosen) = balanced(plies) else { continue };
            let distance = |game: &Game| match Book::embedded().value(game).expect("all values") {
                Outcome { winner: None, .. } => Some(0),
                Outcome { margin, .. } => margin.map(i32::unsigned_abs),
            };
            let of = |opening: &Vec<Move>| {
                distance(&opening.iter().fold(Game::default(), |game, &played| game.after(played)))
            };
            let own: BTreeSet<Option<u32>> = chosen.openings().iter().map(of).collect();
            if chosen.distance() == Distance::Unknown {
                assert!(own.contains(&None) && !own.contains(&Some(0)), "{plies}");
                assert_eq!(chosen.classes, classes_of(plies).len());
                continue;
            }
            assert_eq!(own.len(), 1, "{plies}");
            let own = own.first().copied().flatten();
            let mut equally_near = 0;
            each_opening(plies, &Game::default(), &mut Vec::new(), &mut |_, game| {
                let other = distance(game);
                assert!(other.is_none_or(|other| own.is_some_and(|own| own <= other)), "{game} is nearer");
                equally_near += usize::from(other == own);
            });
            assert_eq!(chosen.openings().len(), equally_near);
        }
    }
}
