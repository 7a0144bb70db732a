//! How good the claims of a player were, over all its games.

use std::time::Duration;

use super::claims::ShownClaim;
use crate::game::Side;
use crate::referee::result::{Fault, GameResult};
use crate::referee::thought::ClaimedChance;

/// How many classes of claimed chances there are, each a tenth wide.
const CLASSES: usize = 10;

/// The classes of times: where each ends, and its name.
pub(super) const TIMES: [(Duration, &str); 6] = [
    (Duration::from_millis(1), "under 1 ms"),
    (Duration::from_millis(10), "1 to 10 ms"),
    (Duration::from_millis(100), "10 to 100 ms"),
    (Duration::from_secs(1), "0.1 to 1 s"),
    (Duration::from_secs(10), "1 to 10 s"),
    (Duration::MAX, "10 s or more"),
];

/// A sum of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MeanSum {
    sum: f64,
    pub(super) count: u32,
}

impl MeanSum {
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.count += 1;
    }

    /// The mean; `None` without numbers.
    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// The moves with a claimed chance in the same tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ChanceClass {
    /// The claimed chances.
    pub(super) claimed: MeanSum,
    /// The result: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub(super) came: MeanSum,
}

/// What a player claimed, and how the games turned out.
#[derive(Clone, Debug, Default)]
pub(super) struct ClaimTally {
    /// The number of moves before which the player claimed anything.
    pub(super) moves: u64,
    /// The squared differences between claimed chances and results.
    pub(super) brier: MeanSum,
    pub(super) chances: [ChanceClass; CLASSES],
    /// The differences between claimed points and the final margin.
    pub(super) points: MeanSum,
    /// The nodes, and the time in which they were searched.
    nodes: (f64, Duration),
    /// The depths, by the class of the move's time.
    pub(super) depths: [MeanSum; TIMES.len()],
}

impl ClaimTally {
    /// Adds a claim of the player in a game that ended with `result`.
    pub(super) fn add(&mut self, claim: &ShownClaim, result: Option<&GameResult>) {
        self.moves += 1;
        // A game that somebody forfeited says nothing about the position.
        if let Some(result) = result.filter(|result| result.fault() == Fault::Nobody) {
            self.compare(claim, result);
        }
        let Some(elapsed) = claim.elapsed else { return };
        #[expect(clippy::cast_precision_loss, reason = "a speed is shown with a few digits")]
        if let Some(nodes) = claim.nodes {
            self.nodes.0 += nodes as f64;
            self.nodes.1 = self.nodes.1.saturating_add(elapsed);
        }
        if let Some(depth) = claim.depth {
            let class = TIMES.iter().take_while(|(end, _)| elapsed >= *end).count();
            self.depths[class.min(TIMES.len() - 1)].add(depth.into());
        }
    }

    fn compare(&mut self, claim: &ShownClaim, result: &GameResult) {
        let came = match result.winner() {
            Some(winner) if winner == claim.side => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        };
        if let Some(chance) = claim.win.map(ClaimedChance::chance) {
            self.brier.add((chance - came).powi(2));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10")]
            let class = &mut self.chances[((chance * 10.0) as usize).min(CLASSES - 1)];
            class.claimed.add(chance);
            class.came.add(came);
        }
        if let (Some(value), Some(margin)) = (claim.value, result.margin()) {
            let own = if claim.side == Side::Black { margin } else { -margin };
            self.points.add((value.points() - f64::from(own)).abs());
        }
    }

    /// The nodes per second of all moves whose nodes and times are known.
    pub(super) fn nodes_per_second(&self) -> Option<f64> {
        let (nodes, time) = self.nodes;
        (!time.is_zero()).then(|| nodes / time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::shown::claims::ShownClaims;
    use crate::referee::record::GameRecord;

    fn tally(result: &str, side: Side) -> ClaimTally {
        let text = format!(
            "[Black \"a\"]\n[White \"b\"]\n{result}\n\n1. c3 {{[%emt 0:00:00.000500] [%eval +3 W0.7 D2 N1000]}} \
             b2 {{[%emt 0:00:00.000500] [%eval -3 W1]}} 2. d4 {{[%emt 0:00:00.001000] [%eval -2 W0.65 D4 N2000]}} {}\n",
            if result.contains("0-1") { "0-1" } else { "1/2-1/2" }
        );
        let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let mut tally = ClaimTally::default();
        for claim in ShownClaims::of(&record).all.iter().filter(|claim| claim.side == side) {
            tally.add(claim, record.result.as_ref().ok());
        }
        tally
    }

    #[test]
    fn claims_are_compared_with_what_came() {
        let won = "[Result \"0-1\"]\n[Margin \"5\"]";
        let black = tally(won, Side::Black);
        assert_eq!(black.moves, 2);
        assert!((black.brier.mean().expect("two chances") - f64::midpoint(0.09, 0.1225)).abs() < 1e-9);
        assert_eq!(black.points.mean(), Some(4.5));
        assert_eq!(
            (black.chances[7].came.mean(), black.chances[6].came.mean(), black.chances[5].came.mean()),
            (Some(1.0), Some(1.0), None)
        );
        assert_eq!(black.nodes_per_second(), Some(2e6));
        assert_eq!(black.depths.map(MeanSum::mean)[..3], [Some(2.0), Some(4.0), None]);
        let white = tally(won, Side::White);
        assert_eq!(
            (white.brier.mean(), white.points.mean(), white.chances[9].came.mean()),
            (Some(1.0), Some(2.0), Some(0.0))
        );
        assert_eq!(white.nodes_per_second(), None);
    }

    #[test]
    fn a_draw_is_half_a_win_and_a_forfeit_says_nothing() {
        assert_eq!(tally("[Result \"1/2-1/2\"]\n[Margin \"0\"]", Side::White).brier.mean(), Some(0.25));
        let forfeit = tally("[Result \"0-1\"]\n[Termination \"time\"]", Side::White);
        assert_eq!((forfeit.moves, forfeit.brier.mean(), forfeit.points.mean()), (1, None, None));
    }
}
