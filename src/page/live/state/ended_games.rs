//! The games that have ended: how they enter the state, and what readers of the page can ask about them.

use std::time::Duration;

use super::finished::{FinishedGame, FinishedGames};
use super::live_standings::LiveStandings;
use super::{LiveState, Premise, ShownPlayers};
use crate::game::{BySeat, Side};
use crate::referee::record::LoggedGame;
use crate::results::standings::{GameSummary, GroupSummary, PlayedSummary};
use crate::tournament::schedule::GameId;

/// A game that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedGame<'r> {
    /// The game's id in the tournament.
    pub id: &'r str,
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// The game's record.
    pub record: &'r LoggedGame,
}

impl LiveState {
    /// Records that a game has ended: with a result, or void.
    pub(crate) fn ended(&mut self, at: Duration, game: EndedGame<'_>) {
        let EndedGame { id, number, record } = game;
        self.boards.end((at, id));
        if let Some(upcoming) = &mut self.premise.upcoming {
            upcoming.end(id, record);
        }
        let mut summary = PlayedSummary::from(record);
        match &mut summary {
            PlayedSummary::Pair(game) => id.clone_into(&mut game.game),
            PlayedSummary::Group(game) => id.clone_into(&mut game.game),
        }
        let (shown_id, players) = add((&mut self.finished, &mut self.standings), &mut self.premise, number, summary);
        self.meet_players();
        if record.void().is_none() {
            self.pace.add(at);
        }
        self.note_shortest(record, &players, &shown_id);
        self.tell(record, &players, &shown_id);
        self.keep(shown_id, record);
        self.news.any = true;
    }

    /// Logs the game `id`, which had ended before the page was started and is already among its games.
    pub(crate) fn recall(&mut self, id: &str, record: &LoggedGame) {
        let Some(players) = self.numbers(record) else { return };
        let shown_id = self.premise.roster.shown_id(id, &players);
        self.tell(record, &players, &shown_id);
        self.news.any = true;
    }

    /// The numbers of the players of `record`, if all are known.
    fn numbers(&self, record: &LoggedGame) -> Option<BySeat<usize>> {
        BySeat::from_fn(record.seats(), |seat| self.premise.roster.find(record.player(seat))).all()
    }

    /// The next game to be analyzed, by its id on the page: first the game of the moment, then the game that may become
    /// the next game of the moment, then the games that have ended, the latest first. Each game is returned once.
    pub(crate) fn next_to_analyze(&mut self) -> Option<String> {
        self.values.next([self.moments.chosen(), self.moments.best()])
    }

    /// Records the `values` of the positions of the game `shown_id`, as entries in `games` contain them.
    pub(crate) fn analyzed(&mut self, shown_id: &str, values: String) {
        self.values.keep(shown_id, values);
        self.news.any = true;
    }

    /// Keeps a game with its moves, and drops the oldest kept game if there are too many. Does nothing if the page
    /// keeps no games.
    fn keep(&mut self, shown_id: String, record: &LoggedGame) {
        if let Some(entry) = self.game(&shown_id, record).filter(|_| self.premise.keeps > 0) {
            self.kept.push_back((shown_id, entry));
            if self.kept.len() > self.premise.keeps {
                self.kept.pop_front();
            }
        }
    }

    /// The tournament's id for the game that the page calls `shown_id`, if the game has ended and its log is final:
    /// on a page that is behind the run, the log of a void game may already be the log of the next attempt.
    pub(crate) fn id(&self, shown_id: &str) -> Option<&str> {
        let is_final = self.serving.delay.is_zero() || !self.finished.is_void(shown_id);
        self.finished.id(shown_id).filter(|_| is_final)
    }

    /// The game that the page calls `shown_id`, as an entry in `games` with its moves, if the page keeps it itself.
    pub(crate) fn kept(&self, shown_id: &str) -> Option<&str> {
        self.kept.iter().find(|(id, _)| id == shown_id).map(|(_, entry)| entry.as_str())
    }

    /// The game that the page calls `shown_id`, as an entry in `games` with its moves.
    pub(crate) fn game(&self, shown_id: &str, record: &LoggedGame) -> Option<String> {
        let summary = PlayedSummary::from(record);
        let players = self.numbers(record)?;
        let shown_id = shown_id.to_owned();
        let opening_plies = record.two().map_or(0, |record| record.opening_plies);
        let game = FinishedGame { number: 0, shown_id, players, summary: &summary, opening_plies };
        Some(game.whole(record, &self.premise.table.shown_clocks(), self.values.of(&game.shown_id)))
    }
}

/// Adds a finished game to the games and to the standings. Returns its id on the page, and the numbers of its players.
pub(super) fn add(
    (finished, standings): (&mut FinishedGames, &mut LiveStandings),
    premise: &mut Premise,
    number: u64,
    summary: PlayedSummary,
) -> (String, BySeat<usize>) {
    let roster = &mut premise.roster;
    let (id, names) = match &summary {
        PlayedSummary::Pair(game) => (game.game.clone(), game.players.clone().into()),
        PlayedSummary::Group(game) => (game.game.clone(), game.players.clone()),
    };
    let players = names.as_ref().map(|name| roster.number(name));
    let shown_id = roster.shown_id(&id, &players);
    let opening_plies = premise.opening_plies;
    let game = FinishedGame { number, shown_id: shown_id.clone(), players, summary: &summary, opening_plies };
    finished.add(&game, &id, default_id(roster, &game).as_deref());
    let players = game.players;
    if let (Some(history), PlayedSummary::Pair(game)) = (&mut premise.history, &summary) {
        history.add(game);
    }
    let shown = |name: &String| roster.find(name).map_or("", |number| roster.shown(number)).to_owned();
    standings.add(match summary {
        PlayedSummary::Pair(game) => {
            PlayedSummary::Pair(GameSummary { players: game.players.as_ref().map(shown), ..game })
        }
        PlayedSummary::Group(game) => {
            PlayedSummary::Group(GroupSummary { players: game.players.as_ref().map(shown), ..game })
        }
    });
    (shown_id, players)
}

/// The id that the page derives for `game` if the game's entry contains none: the id of the first game between the same
/// players in the same round.
fn default_id(roster: &ShownPlayers, game: &FinishedGame<'_>) -> Option<String> {
    let PlayedSummary::Pair(summary) = game.summary else { return None };
    let players = game.players.clone().by_side().ok()?;
    let slug = |side: Side| roster.players()[players[side]].shown_slug.as_str();
    let id = GameId::new(summary.round.unwrap_or_default(), slug(Side::Black), slug(Side::White), 1);
    Some(id.to_string())
}
