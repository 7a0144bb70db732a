//! A game with more than two seats as an entry of `games`.

use serde::ser::SerializeTuple as _;
use serde::{Serialize, Serializer};

use crate::game::{BySeat, Seat};
use crate::page::shown::game_code::GameCode;
use crate::page::shown::page_clocks::PageClocks;
use crate::results::standings::{GroupResult, GroupSummary};

/// A game with more than two seats. Its entry has the members of other games in the same places, with `null` in place
/// of a member that such a game does not have. The first six members differ: the numbers of the players, `null`, the
/// round, the places of all seats or `null` for a void game, the totals of all seats as text, and the seats that
/// dropped out, each with the reason.
#[derive(Clone, Debug)]
pub struct GroupEntry<'g> {
    /// The numbers of the players.
    pub players: BySeat<usize>,
    /// The game.
    pub game: &'g GroupSummary,
    /// Its moves and times.
    pub code: GameCode,
    /// The id on the page.
    pub id: Option<String>,
    /// The members that only some games have.
    pub extras: Option<GroupExtras>,
}

/// The members that only some games with more than two seats have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GroupExtras {
    /// The clocks, if they differ from those of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clocks: Option<PageClocks>,
    /// What happened to seats that dropped out, or why the game is void.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// For each mode, the number of stones that each seat could still place before the first ply of the mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supplies: Vec<Option<BySeat<u16>>>,
    /// The players' claims: see [`crate::page::shown::ShownClaims::coded`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
}

impl Serialize for GroupEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Reserved for the script: this number means that the game can be shown.
        const OK: u8 = 1;
        let Self { players, game, code, id, extras } = self;
        let result = game.result.as_ref();
        let totals: Option<Vec<String>> =
            result.map(|result| result.totals().values().map(|total| total.shown()).collect());
        let outs = result.map(GroupResult::outs).unwrap_or_default().iter();
        let outs: Vec<(Seat, &str)> = outs.map(|out| (out.seat, out.termination.name())).collect();
        let mut row = serializer.serialize_tuple(12 + usize::from(extras.is_some()))?;
        row.serialize_element(players)?;
        row.serialize_element(&())?;
        row.serialize_element(&game.round.unwrap_or(0))?;
        row.serialize_element(&result.map(GroupResult::placing))?;
        row.serialize_element(&totals)?;
        row.serialize_element(&outs)?;
        row.serialize_element(&code.moves)?;
        row.serialize_element(&code.times)?;
        row.serialize_element(&code.values)?;
        row.serialize_element(&0)?;
        row.serialize_element(id)?;
        row.serialize_element(&OK)?;
        if let Some(extras) = extras {
            row.serialize_element(extras)?;
        }
        row.end()
    }
}
