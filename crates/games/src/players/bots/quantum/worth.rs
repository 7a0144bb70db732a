//! Evaluates counts.

use crate::game::Seat;
use crate::game::quantum::{Game, PerSeat, ScoringRule};

/// Returns the sum of the leads of `seat` over each other seat that is still in the game. With two seats, this is its
/// margin.
pub(super) fn lead(game: &Game, values: &PerSeat<i32>, seat: Seat) -> i32 {
    game.seats_in().map(|other| values[seat] - values[other]).sum()
}

/// Returns the sum of each seat's counts in all modes that have ended.
pub(super) fn counted(game: &Game) -> PerSeat<i32> {
    let counts = game.counts();
    PerSeat::from_fn(game.rules().seats(), |seat| counts.iter().map(|(_, count)| i32::from(count[seat])).sum())
}

/// What determines a seat's place: how many modes it has won, if that matters, and its total in parts of a point.
pub(super) type SeatMerit = (i32, i32);

/// Returns the merits of all seats as if the current mode were the last. If the mode is not over, `present` contains
/// its counts.
pub(super) fn merits(game: &Game, present: Option<PerSeat<i32>>) -> PerSeat<SeatMerit> {
    let rules = game.rules();
    let (seats, compensation) = (rules.seats(), rules.compensation());
    let ended = game.counts().iter().map(|(_, counts)| PerSeat::from_fn(seats, |seat| i32::from(counts[seat])));
    let modes: Vec<PerSeat<i32>> = ended.chain(present).collect();
    // A point has as many parts as there are seats.
    let parts = |counts: i32, seat: Seat| counts * i32::from(seats) + compensation.parts(seat);
    let has_won = |counts: &PerSeat<i32>, seat: Seat| {
        Seat::all(seats).all(|other| other == seat || parts(counts[seat], seat) > parts(counts[other], other))
    };
    let won = |seat| modes.iter().map(|counts| i32::from(has_won(counts, seat))).sum();
    PerSeat::from_fn(seats, |seat| {
        let total = parts(modes.iter().map(|counts| counts[seat]).sum(), seat);
        match rules.scoring() {
            ScoringRule::Sum => (0, total),
            ScoringRule::Modes => (won(seat), total),
        }
    })
}

/// Returns the part of `whole` that each seat still in the game gets for its place: all of it in first place, nothing
/// in last place, and equal steps between them. Tied seats divide their parts equally.
pub(super) fn shares<M: Ord + Copy>(game: &Game, merits: &PerSeat<M>, whole: i32) -> PerSeat<i32> {
    let steps = 2 * game.seats_in().skip(1).count().max(1);
    let placed_before = |seat: Seat| {
        let twice = |other: Seat| match merits[seat].cmp(&merits[other]) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        };
        game.seats_in().filter(|&other| other != seat).map(twice).sum::<i32>()
    };
    PerSeat::from_fn(game.rules().seats(), |seat| {
        if game.is_in(seat) { whole * placed_before(seat) / i32::try_from(steps).unwrap_or(1) } else { 0 }
    })
}
