//! Facts about each player that the standings do not contain, derived from the games.

use std::collections::BTreeMap;
use std::time::Duration;

use super::claim_tally::{ClaimTally, EndForOne};
use super::content::PageContent;
use super::data::RowResult;
use super::game_code::{GameCode, decoded_moves, decoded_times};
use super::think_times::ThinkTimes;
use crate::game::{BySide, Side};
use crate::referee::result::Fault;
use crate::results::analysis::MoveTally;
use crate::results::rating::Wdl;

/// The maximum number of forfeits of a player that a page lists. The others are only counted.
const LISTED: usize = 20;

/// The facts about one player.
#[derive(Clone, Debug, Default)]
pub(super) struct FactsOfPlayer {
    /// For each opponent, the results with each colour.
    pub(super) met: BTreeMap<usize, BySide<Wdl>>,
    /// The first win against the best of the opponents that the player has beaten.
    pub(super) best_win: Option<BestWin>,
    /// The accuracy of the moves with each colour.
    pub(super) analyzed: BySide<MoveTally>,
    /// The times of all moves.
    pub(super) think_times: ThinkTimes,
    /// The player's claims, compared with the outcomes of its games.
    pub(super) claims: ClaimTally,
    /// The total time used in all games with known times.
    pub(super) used: Duration,
    /// The maximum time used in a game.
    pub(super) most_used: Duration,
    /// The number of games with known times.
    pub(super) timed_games: u32,
    /// The number of games that the player forfeited.
    pub(super) forfeits: usize,
    /// The first forfeits.
    pub(super) shown_forfeits: Vec<ShownForfeit>,
}

/// A win against the best opponent that a player has beaten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BestWin {
    /// The opponent's index in the standings.
    pub(super) opponent: usize,
    /// The game's index among the games of the page.
    pub(super) game: usize,
}

/// A game that a player forfeited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownForfeit {
    /// The game's index among the games of the page.
    pub(super) game: usize,
    /// The player's side.
    pub(super) side: Side,
}

/// Gathers the facts about each player from the games of `content`, in the order of the standings.
pub(super) fn player_facts(content: &PageContent<'_>) -> Vec<FactsOfPlayer> {
    let mut facts = vec![FactsOfPlayer::default(); content.data.players.len()];
    for (index, (row, game)) in content.data.games.iter().zip(content.games).enumerate() {
        for (side, time) in timed_plies(&game.code) {
            facts[row.players[side]].think_times.add(time);
        }
        for claim in &game.claims.all {
            let side = claim.seat.side();
            facts[row.players[side]].claims.add(claim, EndForOne::of(game.summary.result.as_ref(), side));
        }
        for side in Side::BOTH {
            let analyzed = &mut facts[row.players[side]].analyzed[side];
            *analyzed = game.accuracy.as_ref().map_or(*analyzed, |accuracy| analyzed.plus(accuracy[side].all()));
        }
        let Some(result) = &game.summary.result else { continue };
        for side in Side::BOTH {
            let (player, opponent) = (row.players[side], row.players[side.opponent()]);
            let facts = &mut facts[player];
            facts.met.entry(opponent).or_default()[side] += seen(row.result, side);
            if result.winner() == Some(side) {
                // The players are sorted, best first.
                let is_better = facts.best_win.is_none_or(|best| opponent < best.opponent);
                facts.best_win = if is_better { Some(BestWin { opponent, game: index }) } else { facts.best_win };
            }
            facts.add_time(game.summary.used[side]);
            if result.fault() != Fault::Nobody && result.fault().is_on(side) {
                facts.add_forfeit(ShownForfeit { game: index, side });
            }
        }
    }
    facts
}

/// The plies of a game with known times: the side that moved, and its time.
fn timed_plies(code: &GameCode) -> impl Iterator<Item = (Side, Duration)> {
    let times = decoded_times(&code.times).unwrap_or_default();
    let sides: Vec<Side> = if code.moves.contains('~') {
        decoded_moves(&code.moves).unwrap_or_default().into_iter().map(|ply| ply.side).collect()
    } else {
        Side::BOTH.into_iter().cycle().take(times.len()).collect()
    };
    sides.into_iter().zip(times).filter_map(|(side, time)| Some((side, time?)))
}

impl FactsOfPlayer {
    fn add_time(&mut self, used: Duration) {
        if !used.is_zero() {
            self.used = self.used.saturating_add(used);
            self.most_used = self.most_used.max(used);
            self.timed_games += 1;
        }
    }

    fn add_forfeit(&mut self, forfeit: ShownForfeit) {
        self.forfeits += 1;
        if self.shown_forfeits.len() < LISTED {
            self.shown_forfeits.push(forfeit);
        }
    }
}

/// One game from the perspective of `side`: a double forfeit is a loss.
fn seen(result: RowResult, side: Side) -> Wdl {
    match result {
        RowResult::Black => Wdl::game(side, Some(Side::Black)),
        RowResult::White => Wdl::game(side, Some(Side::White)),
        RowResult::Draw => Wdl::game(side, None),
        RowResult::BothLost => Wdl { losses: 1, ..Wdl::default() },
        RowResult::Void => Wdl::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forfeits_are_counted_and_the_first_of_them_are_listed() {
        let mut facts = FactsOfPlayer::default();
        let forfeits: Vec<ShownForfeit> =
            (0..LISTED + 2).map(|game| ShownForfeit { game, side: Side::Black }).collect();
        for (number, &forfeit) in (1..).zip(&forfeits) {
            facts.add_forfeit(forfeit);
            assert_eq!(facts.forfeits, number);
            assert_eq!(facts.shown_forfeits, forfeits[..number.min(LISTED)]);
        }
    }
}
