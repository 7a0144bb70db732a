//! Head-to-head results, compared with the fit's predictions.

use std::collections::BTreeMap;

use super::column::{JsonObject, RoundedFigure, TableCell, TableColumn, grid};
use super::standings_columns::{of_player, wdl};
use super::text_table::Grid;
use crate::results::rating::HeadToHead;
use crate::results::standings::{Opposition, PlayerRow, Standings};
use crate::results::text_cell::text_cell;

/// The title of the table of players.
pub(super) const ALL_TITLE: &str = "Actual and predicted points, mean Elo of the opponents, performance";

/// The title of the table of pairings.
pub(super) const TITLE: &str = "Head to head: the player's actual and predicted points";

/// A column in the table of players' games against all opponents.
type OpposedColumn<'s> = TableColumn<'s, (&'s PlayerRow, &'s Opposition)>;

/// A column of the table of pairings.
type PairingColumn<'s> = TableColumn<'s, HeadToHead>;

/// A player's figures against all opponents.
pub(super) fn columns<'s>() -> Vec<OpposedColumn<'s>> {
    vec![
        OpposedColumn::for_people("games", |(_, own)| own.games),
        OpposedColumn::for_people("points", |(_, own)| own.score),
        OpposedColumn::new("expected", "expected", |(_, own)| {
            (own.games > 0).then(|| RoundedFigure::to(4, own.expected))
        }),
        OpposedColumn::for_people("diff.", |(_, own)| difference(own.score - own.expected)),
        OpposedColumn::new("opponents_elo", "opponents", |(_, own)| own.opponents),
        OpposedColumn::new("performance", "perf.", |(_, own)| own.performance),
    ]
}

/// One line per player with a rated game.
pub(super) fn all_table(standings: &Standings, opposition: &[Opposition]) -> Grid {
    let columns: Vec<OpposedColumn<'_>> = of_player(|(row, _)| row).into_iter().chain(columns()).collect();
    grid(&columns, standings.rows().iter().zip(opposition).filter(|(_, own)| own.games > 0))
}

/// A pairing's players and figures.
pub(super) fn pairing_columns(standings: &Standings) -> Vec<PairingColumn<'_>> {
    let name = |row: usize| standings.rows()[row].player.as_str();
    let names = [
        PairingColumn::new("player", "player", move |pairing| name(pairing.player)),
        PairingColumn::new("opponent", "opponent", move |pairing| name(pairing.other)),
    ];
    names.into_iter().chain(figures()).collect()
}

/// A pairing's figures.
fn figures<'s>() -> Vec<PairingColumn<'s>> {
    vec![
        PairingColumn::new("games", "games", |pairing| pairing.games.games()),
        PairingColumn::in_json("wins", |pairing| pairing.games.wins),
        PairingColumn::in_json("draws", |pairing| pairing.games.draws),
        PairingColumn::in_json("losses", |pairing| pairing.games.losses),
        PairingColumn::for_people("W-D-L", |pairing| wdl(pairing.games)),
        PairingColumn::new("score", "points", |pairing| pairing.score()),
        PairingColumn::new("expected", "expected", |pairing| RoundedFigure::to(4, pairing.expected)),
        PairingColumn::new("difference", "diff.", |pairing| difference(pairing.score() - pairing.expected)),
        PairingColumn::new("deviation", "in sd", |pairing| difference(pairing.deviation())),
    ]
}

/// One line per pairing.
pub(super) fn table(standings: &Standings, met: &[HeadToHead]) -> Grid {
    let rank = PairingColumn::for_people("#", |pairing| standings.rows()[pairing.player].rank);
    let columns: Vec<_> = std::iter::once(rank).chain(pairing_columns(standings)).collect();
    grid(&columns, met.iter().copied())
}

const fn difference(value: f64) -> RoundedFigure {
    RoundedFigure::to(4, value).signed()
}

/// All pairings, each from both players' points of view. The key consists of the player's row and the opponent's row.
pub(super) struct Encounters(BTreeMap<(usize, usize), HeadToHead>);

impl Encounters {
    /// The encounters of the pairings `met`.
    pub(super) fn of(met: &[HeadToHead]) -> Self {
        let both = met.iter().flat_map(|pairing| [*pairing, pairing.reversed()]);
        Self(both.map(|pairing| ((pairing.player, pairing.other), pairing)).collect())
    }

    /// The pairings of the player in `row` in JSON, with the opponents' names as keys.
    pub(super) fn object<'s>(&self, standings: &'s Standings, row: usize) -> JsonObject<'s> {
        let columns = figures();
        let name = |other: usize| standings.rows()[other].player.as_str();
        let of_row = self.0.range((row, 0)..(row + 1, 0));
        JsonObject::by_name(of_row.map(|(&(_, other), &pairing)| (name(other), JsonObject::of(&columns, pairing))))
    }

    /// The columns in CSV with a figure for each opponent. Their input is the number of a player's row in the
    /// standings.
    pub(super) fn columns<'s>(&'s self, standings: &'s Standings) -> Vec<TableColumn<'s, usize>> {
        let of_each = |name: &'static str, figure: fn(&HeadToHead) -> TableCell<'s>| {
            standings.rows().iter().enumerate().map(move |(other, row)| {
                let name = format!("{name}_against_{}", text_cell(&row.player));
                TableColumn::in_csv(name, move |player| self.0.get(&(player, other)).map(figure))
            })
        };
        let score = of_each("score", |pairing| pairing.score().into());
        score.chain(of_each("expected", |pairing| RoundedFigure::to(4, pairing.expected).into())).collect()
    }
}
