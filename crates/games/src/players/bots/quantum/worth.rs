//! Evaluates counts.

use crate::game::Side;
use crate::game::quantum::{Game, PerSeat, ScoringRule, Seat};

/// Returns black's value in `counts` minus white's.
pub(super) fn margin<T: Copy + Into<i32>>(counts: &PerSeat<T>) -> i32 {
    let [black, white] = Side::BOTH.map(|side| counts[Seat::from(side)].into());
    black - white
}

/// Returns the margin of all modes that have ended.
pub(super) fn counted_margin(game: &Game) -> i32 {
    game.counts().iter().map(|(_, counts)| margin(&counts)).sum()
}

/// Returns the side that wins if no mode is played after the current one, whose margin (if there is one) is `present`;
/// `None` if neither side does.
pub(super) fn winner(game: &Game, present: Option<i32>) -> Option<Side> {
    let compensation = game.rules().compensation();
    let [black, white] = Side::BOTH.map(|side| compensation.parts(Seat::from(side)));
    // A point has two parts.
    let with_compensation = |margin: i32| 2 * margin + black - white;
    let margins: Vec<i32> = game.counts().iter().map(|(_, counts)| margin(&counts)).chain(present).collect();
    let total = with_compensation(margins.iter().sum());
    let by_modes = match game.rules().scoring() {
        ScoringRule::Sum => 0,
        ScoringRule::Modes => margins.iter().map(|&margin| with_compensation(margin).signum()).sum(),
    };
    Side::ahead(by_modes).or(Side::ahead(total))
}
