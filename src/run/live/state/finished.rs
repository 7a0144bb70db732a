//! The games that have ended, each as the text that the page gets.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use crate::game::rules::{BySide, Side};
use crate::referee::record::GameRecord;
use crate::referee::result::{GameResult, Termination};
use crate::results::standings::GameSummary;

/// The word for a game without a result.
const VOID: &str = "void";

/// The words for how a game ended. A game names its word by the place in this list.
pub(super) fn words() -> Vec<&'static str> {
    Termination::ALL.into_iter().map(Termination::name).chain([VOID]).collect()
}

/// The place in [`words`] of how a game ended.
fn word(result: Option<&GameResult>) -> usize {
    let place = result.and_then(|result| Termination::ALL.iter().position(|known| *known == result.termination()));
    place.unwrap_or(Termination::ALL.len())
}

/// The number for a result: 0 black won, 1 white won, 2 draw, 3 both lost, 4 void.
fn number(result: Option<&GameResult>) -> u8 {
    match result {
        None => 4,
        Some(result) => match result.winner() {
            Some(Side::Black) => 0,
            Some(Side::White) => 1,
            None if result.termination() == Termination::DoubleForfeit => 3,
            None => 2,
        },
    }
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub(crate) struct FinishedGame<'g> {
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// The id that the page shows.
    pub shown_id: String,
    /// The numbers of its players.
    pub players: BySide<usize>,
    /// What the standings know of it.
    pub summary: &'g GameSummary,
    /// How many of its first plies were given.
    pub opening_plies: usize,
}

impl FinishedGame<'_> {
    /// The game's entry of `games`. Its id is left out if `default_id` is the same.
    fn entry(&self, default_id: Option<&str>) -> String {
        self.coded(default_id, ["", "", ""])
    }

    /// The game's entry with its id and with the moves and times of `record`, as far as they can be coded.
    pub(crate) fn whole(&self, _record: &GameRecord) -> String {
        self.coded(None, ["", "", ""])
    }

    fn coded(&self, default_id: Option<&str>, [moves, times, values]: [&str; 3]) -> String {
        let GameSummary { round, result, plies, .. } = self.summary;
        let result = result.as_ref();
        let id = (default_id != Some(self.shown_id.as_str())).then_some(&self.shown_id);
        let margin = result.and_then(GameResult::margin);
        let opening = self.opening_plies.min(*plies);
        let BySide { black, white } = self.players;
        json!([black, white, round, number(result), margin, word(result), moves, times, values, opening, id, 1])
            .to_string()
    }
}

/// The games that have ended, in the schedule's order.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// Each game's entry of `games`, by its number.
    entries: BTreeMap<u64, Box<str>>,
    /// The number of each game and its id in the tournament, by the id that the page shows.
    ids: HashMap<Box<str>, Box<str>>,
    /// The entries since the last frame.
    new: Vec<String>,
}

impl Finished {
    /// Adds a game, whose id in the tournament is `id`. It takes the place of a void one. `default_id` is the id that the
    /// page gives a game of these players in this round by itself.
    pub(crate) fn add(&mut self, game: &FinishedGame<'_>, id: &str, default_id: &str) {
        self.ids.insert(game.shown_id.as_str().into(), id.into());
        self.entries.insert(game.number, game.entry(Some(default_id)).into());
        self.new.push(game.entry(None));
    }

    /// The id in the tournament of the game that the page calls `shown_id`, if it has ended.
    pub(crate) fn id(&self, shown_id: &str) -> Option<&str> {
        self.ids.get(shown_id).map(AsRef::as_ref)
    }

    /// All entries, as the inside of a JSON array.
    pub(crate) fn entries(&self) -> String {
        let length: usize = self.entries.values().map(|entry| entry.len() + 1).sum();
        let mut text = String::with_capacity(length);
        for entry in self.entries.values() {
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(entry);
        }
        text
    }

    /// The entries since the last call, as the inside of a JSON array.
    pub(crate) fn take_new(&mut self) -> String {
        std::mem::take(&mut self.new).join(",")
    }
}
