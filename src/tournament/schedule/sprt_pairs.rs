//! Two players in colour-swapped pairs, until a sequential test is decided.

use super::{Decided, Fixture, KnownEnding, PlayerIndex, Step};
use crate::game::BySide;
use crate::tournament::sprt::{Sprt, SprtProgress, TestedPairs};

/// The pairs of a test of player 0 against player 1; each pair is a separate round. Player 0 starts as black in
/// odd-numbered rounds.
#[derive(Clone, Debug)]
pub(super) struct SprtPairs {
    max_pairs: u32,
    /// How many games have been returned.
    taken: u64,
    /// How many pairs, counted from the first, have both results.
    complete: u32,
    tested: TestedPairs,
}

/// Returns how a fixture ended, if it has.
type GameLookup<'a> = &'a dyn Fn(&Fixture) -> Option<KnownEnding>;

const FIRST: PlayerIndex = 0;
const SECOND: PlayerIndex = 1;

impl SprtPairs {
    pub(super) fn new(test: Sprt, max_pairs: u32) -> Self {
        Self { max_pairs, taken: 0, complete: 0, tested: TestedPairs::new(test) }
    }

    pub(super) const fn at_most(&self) -> u64 {
        2 * self.max_pairs as u64
    }

    pub(super) fn next(&mut self, known: GameLookup<'_>) -> Step<Fixture> {
        // When a run is resumed, the games that decided the test are returned again.
        let decided = self.progress(known).is_over();
        let end = if decided { 2 * u64::from(self.complete) } else { self.at_most() };
        if self.taken >= end {
            return Step::Done;
        }
        let Ok(round) = u32::try_from(self.taken / 2 + 1) else { return Step::Done };
        let first = self.taken.is_multiple_of(2);
        self.taken += 1;
        let [begins, swapped] = pair(round);
        Step::Game(if first { begins } else { swapped })
    }

    /// Returns the progress of the test, based on the pairs up to the first incomplete one. A pair with a double
    /// forfeit is skipped, because such games are not rated, and a pair that repeats an earlier one is not counted
    /// again.
    pub(super) fn progress(&mut self, known: GameLookup<'_>) -> &SprtProgress {
        while !self.tested.progress().is_over() && self.complete < self.max_pairs {
            let games = pair(self.complete + 1).map(|fixture| Some((fixture, known(&fixture)?)));
            let [Some(one), Some(other)] = games else { break };
            self.complete += 1;
            let (as_black, as_white) = if one.0.players.black == FIRST { (one.1, other.1) } else { (other.1, one.1) };
            if [as_black, as_white].iter().all(|game| game.decided != Decided::BothForfeited) {
                self.tested.add(KnownEnding::pair(as_black, as_white));
            } else {
                self.tested.pass_over();
            }
        }
        self.tested.progress()
    }
}

/// Returns both games of the pair in round `round`.
fn pair(round: u32) -> [Fixture; 2] {
    let begins = BySide { black: FIRST, white: SECOND };
    let swapped = BySide { black: SECOND, white: FIRST };
    let players = if round.is_multiple_of(2) { [swapped, begins] } else { [begins, swapped] };
    players.map(|players| Fixture { round, nth: 1, players })
}
