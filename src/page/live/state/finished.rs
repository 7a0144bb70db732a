//! The games that have ended, each as the text that is sent to the page.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{has_result, json};
use crate::game::BySeat;
use crate::page::shown::data::{GameRow, RowExtras, RowResult};
use crate::page::shown::game_code::{GameCode, GroupCode};
use crate::page::shown::groups::{GroupEntry, GroupExtras};
use crate::page::shown::{PageClocks, ShownClaims};
use crate::referee::record::LoggedGame;
use crate::referee::result::{GameResult, Termination, Void};
use crate::results::standings::{GameSummary, PlayedSummary};

/// The words for how a game ended. Games refer to them by index.
pub(super) fn words() -> Vec<&'static str> {
    Termination::ALL.into_iter().map(Termination::name).chain([Void::WORD]).collect()
}

/// The index in [`words`] of the word for how a game ended.
fn word(result: Option<&GameResult>) -> usize {
    let place = result.and_then(|result| Termination::ALL.iter().position(|known| *known == result.termination()));
    place.unwrap_or(Termination::ALL.len())
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub(crate) struct FinishedGame<'g> {
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// The id that the page shows.
    pub shown_id: String,
    /// The numbers of the game's players.
    pub players: BySeat<usize>,
    /// The summary for the standings.
    pub summary: &'g PlayedSummary,
    /// The number of plies at the start of the game that came from an opening.
    pub opening_plies: usize,
}

impl FinishedGame<'_> {
    /// The game's entry in `games`, with its id and `values`; with the moves and times of `record`, if they can be
    /// coded; and with the game's clocks, if they differ from `usual_clocks`.
    pub(crate) fn whole(&self, record: &LoggedGame, usual_clocks: &PageClocks, values: &str) -> String {
        let own = |clocks| PageClocks::of(clocks).unlike(usual_clocks);
        let code = match record {
            LoggedGame::Two(record) => {
                let code = GameCode::of(record).map(|code| GameCode { values: values.to_owned(), ..code });
                GroupCode { code: code.unwrap_or_default(), supplies: Vec::new() }
            }
            LoggedGame::Group(record) => GroupCode::of(record).unwrap_or_default(),
        };
        let clocks = match record {
            LoggedGame::Two(record) => own(record.clocks()),
            LoggedGame::Group(record) => own(record.clocks()),
        };
        let mut claims = match record {
            LoggedGame::Two(record) => ShownClaims::of(record),
            LoggedGame::Group(record) => ShownClaims::of_group(record),
        };
        claims.make_public();
        let say = claims.coded();
        self.row(None, code, RowExtras { clocks, say, ..RowExtras::default() })
    }

    /// The game's entry in `games`. The game's id is left out if `default_id` is the same.
    fn entry(&self, default_id: Option<&str>) -> String {
        self.row(default_id, GroupCode::default(), RowExtras::default())
    }

    fn row(&self, default_id: Option<&str>, GroupCode { code, supplies }: GroupCode, extras: RowExtras) -> String {
        let id = (default_id != Some(self.shown_id.as_str())).then(|| self.shown_id.clone());
        let (game, players) = match (self.summary, self.players.clone().by_side()) {
            (PlayedSummary::Pair(game), Ok(players)) => (game, players),
            (PlayedSummary::Group(game), Err(players)) => {
                let extras = GroupExtras { clocks: extras.clocks, why: None, supplies, say: extras.say };
                let extras = (extras != GroupExtras::default()).then_some(extras);
                return json(&GroupEntry { players, game, code, id, extras });
            }
            _ => unreachable!("a game has as many players as its summary has seats"),
        };
        let extras = (extras != RowExtras::default()).then_some(extras);
        let GameSummary { round, result, plies, .. } = game;
        let result = result.as_ref();
        let GameCode { moves, times, values } = code;
        json(&GameRow {
            players,
            round: round.unwrap_or(0),
            result: RowResult::from(result),
            margin: result.and_then(GameResult::margin),
            termination: word(result),
            moves,
            times,
            values,
            opening_plies: self.opening_plies.min(*plies),
            id,
            extras,
        })
    }
}

/// The games that have ended, in the schedule's order.
#[derive(Debug, Default)]
pub(crate) struct FinishedGames {
    /// Each game's entry in `games`, by the game's number.
    entries: BTreeMap<u64, Box<str>>,
    /// The tournament's id for each game, by the id that the page shows.
    ids: HashMap<Box<str>, Box<str>>,
    /// The games that are void, by the ids that the page shows.
    voids: HashSet<Box<str>>,
    /// The entries since the last frame.
    new: Vec<String>,
}

impl FinishedGames {
    /// Adds a game, whose id in the tournament is `id`. The game replaces a void game with the same number.
    /// `default_id` is the id that the page itself derives for a game of the same players in the same round, if it
    /// derives one.
    pub(crate) fn add(&mut self, game: &FinishedGame<'_>, id: &str, default_id: Option<&str>) {
        self.ids.insert(game.shown_id.as_str().into(), id.into());
        if has_result(game.summary) {
            self.voids.remove(game.shown_id.as_str());
        } else {
            self.voids.insert(game.shown_id.as_str().into());
        }
        self.entries.insert(game.number, game.entry(default_id).into());
        self.new.push(game.entry(None));
    }

    /// The number of games that have ended, including void games.
    pub(crate) fn count(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The tournament's id for the game that the page calls `shown_id`, if the game has ended.
    pub(crate) fn id(&self, shown_id: &str) -> Option<&str> {
        self.ids.get(shown_id).map(AsRef::as_ref)
    }

    /// Whether the game that the page calls `shown_id` is void.
    pub(crate) fn is_void(&self, shown_id: &str) -> bool {
        self.voids.contains(shown_id)
    }

    /// The games that are void, by the ids that the page shows.
    pub(crate) fn voids(&self) -> impl Iterator<Item = &str> {
        self.voids.iter().map(AsRef::as_ref)
    }

    /// All entries, as the content of a JSON array.
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

    /// The entries since the last call, as the content of a JSON array.
    pub(crate) fn take_new(&mut self) -> String {
        std::mem::take(&mut self.new).join(",")
    }
}
