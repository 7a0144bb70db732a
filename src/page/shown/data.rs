//! The data of a page as JSON, version 1. docs/reference/report.md describes every member.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::ser::SerializeTuple as _;
use serde::{Serialize, Serializer};

use super::early_margins::early_margins;
use super::layers::Layers;
use super::line_budget::within_budget;
use super::mistakes::worst_mistakes;
use super::page_boards::PageBoards;
use super::page_clocks::PageClocks;
use super::rating_history::{RatingHistory, whole};
use super::shown_game::ShownGame;
use super::slugs::slugs;
use crate::base::digits::rounded;
use crate::base::sanitise::sanitised;
use crate::game::{BySide, Ruleset, Side};
use crate::referee::result::{GameResult, Termination, Void};
use crate::results::analysis::Accuracy;
use crate::results::rating::Wdl;
use crate::results::standings::{GameSummary, PlayerRow, Standings};

/// The version of the JSON.
pub(super) const VERSION: u32 = 1;

/// A page's description of the run, without its games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLabel {
    /// The heading.
    pub title: String,
    /// The tournament's name.
    pub name: String,
    /// The day of the last game, as `2026-11-21`.
    pub date: Option<String>,
    /// The rules.
    pub ruleset: Ruleset,
    /// Whether scheduled games are missing. A void game does not count as missing.
    pub so_far: bool,
    /// The number of games in the schedule, if it is known.
    pub total: Option<u64>,
    /// Whether `total` is only a maximum, because the results decide how many games there are.
    pub is_most: bool,
    /// The directory of the games' logs as the page's readers see it, with a trailing slash.
    pub logs: Option<String>,
    /// How far the page is behind the run; zero for a report.
    pub delay: Duration,
}

/// Everything that the page's script needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageData {
    v: u32,
    /// The heading.
    pub title: String,
    /// The tournament's name.
    pub name: String,
    /// The day of the last game, as `2026-11-21`.
    pub date: Option<String>,
    ruleset: String,
    size: u8,
    /// The boards, unless there is only a 5x5 board.
    #[serde(flatten)]
    boards: Option<PageBoards>,
    /// The clocks of the first game for which they are known.
    #[serde(skip_serializing_if = "PageClocks::are_none")]
    clocks: PageClocks,
    /// Whether scheduled games are missing.
    #[serde(rename = "soFar")]
    pub so_far: bool,
    /// The number of games in the schedule, if it is known.
    pub total: Option<u64>,
    /// Whether `total` is only a maximum.
    #[serde(skip)]
    pub is_most: bool,
    /// The directory of the games' logs, with a trailing slash.
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<String>,
    /// How far the page is behind the run.
    #[serde(skip)]
    pub delay: Duration,
    /// The players, the best first.
    pub players: Vec<PagePlayer>,
    /// The words for the endings of games, to which the games refer by number.
    pub terms: Vec<&'static str>,
    /// The history of the ratings.
    pub over: RatingHistory,
    /// The margins of early positions, if a game can be shown and there is a table of these margins.
    #[serde(skip_serializing_if = "Option::is_none")]
    early: Option<&'static str>,
    /// The games in the schedule's order.
    pub games: Vec<GameRow>,
}

/// One player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PagePlayer {
    /// The name, sanitised for display.
    #[serde(rename = "n")]
    pub name: String,
    /// The slug for links.
    #[serde(rename = "s")]
    pub slug: String,
    rank: usize,
    elo: Option<i64>,
    e95: Option<i64>,
    pts: f64,
    g: [u64; 3],
    b: [u64; 3],
    f: BTreeMap<&'static str, u64>,
    acc: Option<PageAccuracy>,
    /// The worst mistakes, each as the index of the game and the number of the ply, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) worst: Vec<(usize, usize)>,
    /// The number, from 1, of the group of players that the games make comparable with this player; see
    /// [`PlayerRow::component`].
    #[serde(rename = "comp", skip_serializing_if = "Option::is_none")]
    component: Option<usize>,
    /// On a live page, by the rules of a format with its own result: where the player is in the order of the places, from
    /// 0, its place, which a player that is still in a knockout does not have, and what decides the place, in a word or
    /// two.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<(usize, Option<usize>, String)>,
}

/// The quality of a player's moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct PageAccuracy {
    kept: Option<f64>,
    loss: Option<f64>,
    judged: u64,
    moves: u64,
}

impl From<Accuracy> for PageAccuracy {
    fn from(accuracy: Accuracy) -> Self {
        let all = accuracy.all();
        Self {
            kept: all.winner_kept().map(|share| rounded(share, 4)),
            loss: all.average_loss().map(|loss| rounded(loss, 4)),
            judged: all.judged,
            moves: all.moves,
        }
    }
}

impl PagePlayer {
    /// The player called `name` before its first game.
    pub(crate) fn without_games(name: &str, slug: String, rank: usize) -> Self {
        let name = sanitised(name);
        Self {
            name,
            slug,
            rank,
            elo: None,
            e95: None,
            pts: 0.0,
            g: [0; 3],
            b: [0; 3],
            f: BTreeMap::new(),
            acc: None,
            worst: Vec::new(),
            component: None,
            place: None,
        }
    }

    /// Puts the player at `place`.
    pub(crate) fn put(&mut self, place: Option<(usize, Option<usize>, String)>) {
        self.place = place;
    }

    /// The player of `row`, with `slug` in its links. A player without a rank has the rank `last`.
    pub(crate) fn new(row: &PlayerRow, slug: String, last: usize) -> Self {
        let wdl = |games: Wdl| [games.wins, games.draws, games.losses];
        #[expect(clippy::cast_precision_loss, reason = "a number of games")]
        let points = row.total().half_points() as f64 / 2.0;
        Self {
            name: sanitised(&row.player),
            slug,
            rank: row.rank.unwrap_or(last),
            elo: row.finite_rating().map(whole),
            e95: row.error95.map(whole),
            pts: points,
            g: wdl(row.total()),
            b: wdl(row.by_side.black),
            f: row.forfeits.iter().map(|(kind, &times)| (kind.name(), times)).collect(),
            acc: row.accuracy.map(PageAccuracy::from),
            worst: Vec::new(),
            component: row.rated_component(),
            place: None,
        }
    }
}

/// The players of `standings` as pages show them, the best first.
pub fn page_players(standings: &Standings) -> Vec<PagePlayer> {
    let rows = standings.rows();
    let slugs = slugs(rows.iter().map(|row| row.player.as_str()));
    let last = rows.iter().filter(|row| row.rank.is_some()).count() + 1;
    rows.iter().zip(slugs).map(|(row, slug)| PagePlayer::new(row, slug, last)).collect()
}

/// The result of a game, as its number in the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowResult {
    /// Black won.
    Black = 0,
    /// White won.
    White = 1,
    /// A draw.
    Draw = 2,
    /// Both sides forfeited.
    BothLost = 3,
    /// The game is void.
    Void = 4,
}

impl From<Option<&GameResult>> for RowResult {
    fn from(result: Option<&GameResult>) -> Self {
        match result.map(|result| (result.winner(), result.termination())) {
            Some((Some(Side::Black), _)) => Self::Black,
            Some((Some(Side::White), _)) => Self::White,
            Some((None, Termination::DoubleForfeit)) => Self::BothLost,
            Some((None, _)) => Self::Draw,
            None => Self::Void,
        }
    }
}

/// The members that only some games have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowExtras {
    /// The clocks, if they differ from those of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clocks: Option<PageClocks>,
    /// The values of the first positions, if they are known although the game is not analyzed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) early: Option<String>,
    /// The reason for the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// The tail of the stderr of black and white, on a private page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) err: Option<Vec<String>>,
    /// The players' claims: see [`super::ShownClaims::coded`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
}

/// One game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    pub(crate) players: BySide<usize>,
    pub(crate) round: u32,
    pub(crate) result: RowResult,
    pub(crate) margin: Option<i32>,
    pub(crate) termination: usize,
    pub(crate) moves: String,
    pub(crate) times: String,
    pub(crate) values: String,
    pub(crate) opening_plies: usize,
    /// The game's id; `None` if it can be derived from the round and the players.
    pub(crate) id: Option<String>,
    pub(crate) extras: Option<RowExtras>,
}

impl Serialize for GameRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Reserved for the script: this number means that the game can be shown.
        const OK: u8 = 1;
        let mut row = serializer.serialize_tuple(12 + usize::from(self.extras.is_some()))?;
        row.serialize_element(&self.players.black)?;
        row.serialize_element(&self.players.white)?;
        row.serialize_element(&self.round)?;
        row.serialize_element(&(self.result as u8))?;
        row.serialize_element(&self.margin)?;
        row.serialize_element(&self.termination)?;
        row.serialize_element(&self.moves)?;
        row.serialize_element(&self.times)?;
        row.serialize_element(&self.values)?;
        row.serialize_element(&self.opening_plies)?;
        row.serialize_element(&self.id)?;
        row.serialize_element(&OK)?;
        if let Some(extras) = &self.extras {
            row.serialize_element(extras)?;
        }
        row.end()
    }
}

/// Turns games into rows, looking up players by name and collecting the words for the endings of games.
#[derive(Debug, Default)]
struct RowMaker<'s> {
    players: HashMap<&'s str, usize>,
    slugs: Vec<&'s str>,
    terms: Vec<&'static str>,
}

impl<'s> RowMaker<'s> {
    fn new(standings: &'s Standings, players: &'s [PagePlayer]) -> Self {
        let rows = standings.rows().iter().enumerate();
        Self {
            players: rows.map(|(index, row)| (row.player.as_str(), index)).collect(),
            slugs: players.iter().map(|player| player.slug.as_str()).collect(),
            terms: Vec::new(),
        }
    }

    fn row(&mut self, game: &ShownGame, usual_clocks: &PageClocks) -> GameRow {
        let GameSummary { game: id, round, players, result, .. } = &game.summary;
        let players = players.as_ref().map(|name| self.players[name.as_str()]);
        let round = round.unwrap_or(0);
        let usual = usual_id(round, players.map(|player| self.slugs[player]));
        GameRow {
            players,
            round,
            result: RowResult::from(result.as_ref()),
            margin: result.as_ref().and_then(GameResult::margin),
            termination: self.term(result.as_ref().map_or(Void::WORD, |result| result.termination().name())),
            moves: game.code.moves.clone(),
            times: game.code.times.clone(),
            values: game.code.values.clone(),
            opening_plies: game.opening_plies,
            id: (*id != usual).then(|| sanitised(id)),
            extras: extras(game, usual_clocks),
        }
    }

    fn term(&mut self, word: &'static str) -> usize {
        let known = self.terms.iter().position(|&known| known == word);
        known.unwrap_or_else(|| {
            self.terms.push(word);
            self.terms.len() - 1
        })
    }
}

/// The id of a game that is the first of its pairing in its round.
fn usual_id(round: u32, slugs: BySide<&str>) -> String {
    format!("r{round}-{}-{}", slugs.black, slugs.white)
}

/// The members of `game` that only some games have.
fn extras(game: &ShownGame, usual_clocks: &PageClocks) -> Option<RowExtras> {
    let clocks = PageClocks::of(game.clocks).unlike(usual_clocks);
    let why = game.reason.as_deref().map(sanitised);
    let err = game.stderr.as_ref().map(|BySide { black, white }| vec![black.clone(), white.clone()]);
    let early = (!game.is_analyzed() && !game.early.is_empty()).then(|| game.early.clone());
    let say = if game.code.moves.is_empty() { None } else { game.claims.coded() };
    let extras = RowExtras { clocks, early, why, err, say };
    (extras != RowExtras::default()).then_some(extras)
}

impl PageData {
    /// The data of a run with `standings` after `games`, which are in the schedule's order.
    ///
    /// # Panics
    /// Panics if a game has a player that is not in `standings`.
    pub fn new(label: PageLabel, standings: &Standings, games: &[ShownGame]) -> Self {
        let mut players = page_players(standings);
        let mut maker = RowMaker::new(standings, &players);
        let clocks = PageClocks::of(games.iter().find_map(|game| game.clocks));
        let mut rows: Vec<GameRow> = games.iter().map(|game| maker.row(game, &clocks)).collect();
        within_budget(rows.iter_mut().map(|row| &mut row.values));
        let terms = maker.terms;
        let seats = rows.iter().zip(games).map(|(row, game)| (row.players, &*game.mistakes));
        for (player, worst) in players.iter_mut().zip(worst_mistakes(standings.rows().len(), seats)) {
            player.worst = worst;
        }
        let over = RatingHistory::new(standings, games.iter().map(|game| &game.summary));
        let PageLabel { title, name, date, ruleset, so_far, total, is_most, logs, delay } = label;
        Self {
            v: VERSION,
            title: sanitised(&title),
            name: sanitised(&name),
            date: date.map(|date| sanitised(&date)),
            ruleset: ruleset.to_string(),
            size: Layers::of(ruleset).size(),
            boards: PageBoards::of(ruleset),
            clocks,
            so_far,
            total,
            is_most,
            logs,
            delay,
            players,
            terms,
            over,
            early: early_margins(ruleset).filter(|_| rows.iter().any(|row| !row.moves.is_empty())),
            games: rows,
        }
    }

    /// The id of the game `row`.
    pub(super) fn id(&self, row: &GameRow) -> String {
        let slugs = row.players.map(|player| self.players[player].slug.as_str());
        row.id.clone().unwrap_or_else(|| usual_id(row.round, slugs))
    }

    /// Whether any game has moves.
    pub(super) fn has_moves(&self) -> bool {
        self.games.iter().any(|row| !row.moves.is_empty())
    }

    /// The number of games that have a result.
    pub(super) fn finished(&self) -> u64 {
        self.games.iter().filter(|row| row.result != RowResult::Void).count() as u64
    }

    /// The JSON text.
    pub fn json(&self) -> String {
        // A page's data is plain, with text keys, so JSON can always represent it.
        serde_json::to_string(self).unwrap_or_else(|error| unreachable!("a page's data is JSON: {error}"))
    }
}
