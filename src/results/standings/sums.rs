//! The totals of a tally's games by player and by pair.

use std::collections::HashMap;

use super::Tally;
use crate::game::BySide;
use crate::results::rating::Wdl;

/// The results of all ordered pairs from black's and from white's point of view, including results that count for
/// points only. A double forfeit is a loss for both.
fn seen(tally: &Tally) -> impl Iterator<Item = ((usize, usize), BySide<Wdl>)> {
    let odds = tally.odds().iter().map(|(&pair, &games)| (pair, games));
    let played = tally.rated().pairs().chain(odds);
    let played = played.map(|(pair, games)| (pair, BySide { black: games, white: games.reversed() }));
    let lost = tally.double_forfeits().iter().map(|(&pair, &losses)| {
        let lost = Wdl { losses, ..Wdl::default() };
        (pair, BySide { black: lost, white: lost })
    });
    played.chain(lost)
}

/// Each player's number of rated games.
pub(super) fn rated_games(tally: &Tally) -> Vec<u64> {
    let mut games = vec![0; tally.players().count()];
    for ((black, white), results) in tally.rated().pairs() {
        games[black] += results.games();
        games[white] += if white == black { 0 } else { results.games() };
    }
    games
}

/// Each player's results with each colour.
pub(super) fn by_side(tally: &Tally) -> Vec<BySide<Wdl>> {
    let mut by_side = vec![BySide::<Wdl>::default(); tally.players().count()];
    for ((black, white), games) in seen(tally) {
        by_side[black].black += games.black;
        by_side[white].white += games.white;
    }
    by_side
}

/// The results of each player against each opponent, from the player's point of view.
pub(super) fn crosstable(tally: &Tally) -> HashMap<(usize, usize), Wdl> {
    let mut crosstable: HashMap<(usize, usize), Wdl> = HashMap::new();
    for ((black, white), games) in seen(tally) {
        *crosstable.entry((black, white)).or_default() += games.black;
        *crosstable.entry((white, black)).or_default() += games.white;
    }
    crosstable
}
