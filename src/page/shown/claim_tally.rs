//! How accurate a player's claims were, over all its games.

use std::time::Duration;

use super::claims::ShownClaim;
use crate::game::{Seat, Side};
use crate::referee::result::{Fault, GameResult};
use crate::referee::thought::ClaimedChance;
use crate::results::standings::GroupResult;

/// How many classes of claimed chances there are, each a tenth wide.
const CLASSES: usize = 10;

/// The classes of times: the upper limit and the name of each.
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

/// How a game ended for the player that made a claim. A game that was forfeited says nothing about the claims in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EndForOne {
    /// 1 for a win, 0 for a loss, and the player's share of the first place if several players share it.
    came: f64,
    /// The player's lead in points over the best of the other players, if it is known.
    ahead: Option<f64>,
}

impl EndForOne {
    /// The end of a game with two seats for `side`.
    pub(super) fn of(result: Option<&GameResult>, side: Side) -> Option<Self> {
        let result = result.filter(|result| result.fault() == Fault::Nobody)?;
        let came = match result.winner() {
            Some(winner) if winner == side => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        };
        let ahead = result.margin().map(|margin| f64::from(if side == Side::Black { margin } else { -margin }));
        Some(Self { came, ahead })
    }

    /// The end of a game with more than two seats for `seat`.
    pub(super) fn of_group(result: Option<&GroupResult>, seat: Seat) -> Option<Self> {
        let result = result.filter(|result| result.outs().is_empty())?;
        let first = result.placing().values().filter(|place| **place == 1).count();
        let share = 1.0 / f64::from(u32::try_from(first).ok()?);
        // The compensation gives each seat fractions of a point, whose denominator is the number of seats.
        let seats = result.seats();
        let total = |seat: Seat| Some(f64::from(result.totals()[seat].parts(seats)?) / f64::from(seats));
        let others = result.totals().all_seats().filter(|other| *other != seat).map(total);
        let best = others.collect::<Option<Vec<f64>>>().map(|totals| totals.into_iter().fold(f64::MIN, f64::max));
        let ahead = total(seat).zip(best).map(|(own, best)| own - best);
        Some(Self { came: if result.placing()[seat] == 1 { share } else { 0.0 }, ahead })
    }
}

/// The claims of a player, compared with the outcomes of its games.
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
    /// Adds a claim of the player in a game that ended with `end`, if the end says anything about the claim.
    pub(super) fn add(&mut self, claim: &ShownClaim, end: Option<EndForOne>) {
        self.moves += 1;
        if let Some(end) = end {
            self.compare(claim, end);
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

    fn compare(&mut self, claim: &ShownClaim, EndForOne { came, ahead }: EndForOne) {
        if let Some(chance) = claim.win.map(ClaimedChance::chance) {
            self.brier.add((chance - came).powi(2));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10")]
            let class = &mut self.chances[((chance * 10.0) as usize).min(CLASSES - 1)];
            class.claimed.add(chance);
            class.came.add(came);
        }
        if let (Some(value), Some(ahead)) = (claim.value, ahead) {
            self.points.add((value.points() - ahead).abs());
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
    use crate::game::{BySeat, Fraction};
    use crate::page::shown::claims::ShownClaims;
    use crate::referee::record::GameRecord;
    use crate::referee::result::Termination;
    use crate::results::standings::SeatOut;

    fn tally(result: &str, side: Side) -> ClaimTally {
        let text = format!(
            "[Black \"a\"]\n[White \"b\"]\n{result}\n\n1. c3 {{[%emt 0:00:00.000500] [%eval +3 W0.7 D2 N1000]}} \
             b2 {{[%emt 0:00:00.000500] [%eval -3 W1]}} 2. d4 {{[%emt 0:00:00.001000] [%eval -2 W0.65 D4 N2000]}} {}\n",
            if result.contains("0-1") { "0-1" } else { "1/2-1/2" }
        );
        let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let mut tally = ClaimTally::default();
        for claim in ShownClaims::of(&record).all.iter().filter(|claim| claim.seat.side() == side) {
            tally.add(claim, EndForOne::of(record.result.as_ref().ok(), side));
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

    #[test]
    fn with_more_seats_a_win_is_the_first_place_and_points_count_against_the_best_other_seat() {
        let seats: Vec<Seat> = Seat::all(4).collect();
        let result = |placing: [u8; 4], totals: [i32; 4], outs: Vec<SeatOut>| {
            let values = |index: usize| Fraction::new(totals[index], 4);
            let placing = BySeat::from_fn(4, |seat| placing[seat.index()]);
            let totals = BySeat::from_fn(4, |seat| values(seat.index()));
            GroupResult::new(placing, totals, BySeat::from_fn(4, |_| 0), outs).expect("a result")
        };
        let end = |result: &GroupResult, seat: usize| EndForOne::of_group(Some(result), seats[seat]);
        let alone = result([2, 1, 3, 4], [40, 58, 33, 5], Vec::new());
        assert_eq!(end(&alone, 1), Some(EndForOne { came: 1.0, ahead: Some(4.5) }));
        assert_eq!(end(&alone, 0), Some(EndForOne { came: 0.0, ahead: Some(-4.5) }));
        let shared = result([1, 1, 3, 4], [40, 40, 33, 5], Vec::new());
        assert_eq!(end(&shared, 1), Some(EndForOne { came: 0.5, ahead: Some(0.0) }));
        let out = SeatOut { seat: seats[3], termination: Termination::Crash };
        assert_eq!(end(&result([2, 1, 3, 4], [40, 58, 33, 0], vec![out]), 1), None);
    }
}
