//! The state of a live page: all events of a run folded into one value, and the texts that the page receives.
//!
//! Everything here is pure: the caller passes the time of each event, measured from the start of the page. The page
//! itself does not know the rules; it shows the boards that it receives.
//!
//! # `/state`
//!
//! ```text
//! {"page": {...},        the JSON of a page, version 1 (see page/shown/data.rs). In its `games`, moves, times and
//!                        values are empty: `/game/<id>` contains them. `terms` lists all possible words, so it never
//!                        changes. `players` are in the order of the tournament; a player without games has `elo` null.
//!  "seq": 12,            the number of the latest frame that is part of the state
//!  "now": [board...],    the games that are being played
//!  "ended": [board...],  the last boards of games that have ended and whose slots are still empty
//!  "next": [{"players": [numbers...], "round"}...], the next games, as far as they are certain
//!  "log": [line...],     the latest 200 lines
//!  "progress": {"done": 3, "total": 660|null, "most": whether the total is only a maximum, "eta_s": 75|null,
//!               "test": text|null, "workers": text|null, "missed": moves},
//!  "figures": [text...]|null, the values in the figures of a sequential test: see page/shown/markup/sequential_test.rs
//!  "ending": {"complete": bool, "text"}|null, how the run has ended, and who won if it is complete
//!  "moment": id|null,    the game of the moment: `/game/<id>` contains it
//!  "address": text|null, the address of the page for other machines, if it is public
//!  "qr": [row...]|null,  the address as a QR code: each row consists of `0` (light) and `1` (dark)
//!  "delay_s": seconds,   how far the page is behind the run
//!  "answers": bool,      whether `/value` answers questions
//!  "over": bool}         whether there are no more games
//! ```
//!
//! A board: `{"slot", "id", "black", "white", "board": 25 of "bw.", "ply", "to": "b"|"w"|null, "left": [text|null,
//! text|null], "spent": [ms, ms], "last": text|null, "run", "behind", "leads", "calm"}`. In games on other boards,
//! `board` contains a letter for each field, and `at` is present: the field of the last stone, or null, and the number
//! of the mode. `left` is the time that black and white had left when the turn began, in the terms of their time
//! controls, as in results.csv: `41.5+1`, `0:3x30`, `1/move+9.5bank`. `spent` is the time that each side had used in
//! the current turn when the text was made, and the clock of `to` runs on from there if `run` is true. If `behind` is
//! true, moves were missed: the board stays as it is until the game ends, and `to` is null. `leads` is the number of
//! times that the lead in stones has changed sides. `calm` means that people can follow the game: it has had fewer than
//! two plies per second in the last minute. `say` is present if a player has made a public claim: for each player, the
//! latest value and chance that it has claimed, `["+3, 73%", null]`. `opening` is present if the game began with an
//! opening: its moves and, if known, the value of the position after them, `c3 d3 (black by 2)`.
//!
//! In games with more than two seats, `players` replaces `black` and `white`, and `left` and `spent` contain a value
//! for each seat, seat 1 first. `to` is the number of the seat, from 1. `stones` is the number of stones that each seat
//! may still place, or null if there is no limit. `outs` contains the seats that have dropped out, in the order in
//! which they did so: `{"seat": number, "ply": the number of plies made before, "why": termination}`. In the page,
//! `seats` is the number of seats, and `seatRows` contains, for each seat, the seat's advantage in Elo over the mean
//! seat, and a summary of all players' games in that seat: `{"elo": number|null, "e95": number|null, "games", "pts",
//! "mean": number|null, "places": [times...]}`. Each player has such a summary instead of `g` and `b`, and in `seats`,
//! one for each seat. The entries in `games` are described in groups/entry.rs.
//!
//! A line: `{"n": number from 1, "kind": "game"|"forfeit"|"out"|"void"|"highlight"|"note", "text", "game": id|null}`.
//!
//! # `/events`
//!
//! `event: state` contains the object above; it is sent first, and whenever the client has missed frames. `event:
//! frame` contains
//!
//! ```text
//! {"seq", "on": [board...], "off": [slot...], "ended": [board...], "done": [entries in games, each with its id],
//!  "log": [new lines], "progress": {...}, "standings": players?, "ratings": over?, "seatRows": seats?, "figures"?,
//!  "ending"?, "moment": id?, "next": [game...]?, "judged": [[id, values]...]?}
//! ```
//!
//! Members marked `?` are present only if they have changed. Apply `off` before `on`: a slot may be reused immediately.
//! `ended` contains the last boards of games that have ended and whose slots are still empty. A game in `done` replaces
//! an earlier, void game with the same id. The crosstable can be derived from the games. `judged` contains the values
//! of games that have been analyzed since the last frame; `/game/<id>` contains them from then on. `event: end`
//! contains an empty object; no event follows it, and the client should not reconnect.
//!
//! # `/value`
//!
//! `/value?reader=NAME&moves=c3,d3,pass` returns the value of the position after these moves: `{"winner":
//! "black"|"white"|"draw"|null, "margin": number|null}`, where null means that the value was not found in time. `NAME`
//! is a word that the client has chosen. A new question with the same name replaces an open question with that name,
//! which is then answered with null.

mod boards;
mod ended_games;
mod event_log;
mod finished;
mod format_history;
mod game_values;
#[cfg(test)]
mod group_tests;
mod lead;
mod live_standings;
mod moments;
mod pace;
mod roster;
mod telling;
#[cfg(test)]
mod tests;
mod texts;
mod upcoming;

use std::collections::VecDeque;
use std::time::Duration;

use serde::Serialize;

use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::game::{BySeat, Move, Ruleset, Seat};
use crate::page::shown::{TestFigures, ratio_text};
use crate::referee::thought::Thought;
use crate::results::format_result::FormatResult;
use crate::results::standings::{PlayedSummary, RunState, Test};
use crate::tournament::sprt::SprtProgress;
use boards::Boards;
pub(crate) use boards::{DropOutNews, RulesAndClocks};
pub(crate) use ended_games::EndedGame;
use ended_games::add;
use event_log::{EventLog, Tone};
use finished::FinishedGames;
pub(crate) use format_history::FormatHistory;
use game_values::GameValues;
use live_standings::LiveStandings;
use moments::{Appeal, Moments};
use pace::{Pace, ProgressObject, ProgressWarnings};
pub(crate) use roster::{ShownPlayer, ShownPlayers};
pub(crate) use upcoming::Upcoming;

/// The initial information of a page, before its first event.
#[derive(Debug)]
pub(crate) struct Premise {
    /// The title of the page.
    pub title: String,
    /// The day on which the page was started, as `2026-11-21`.
    pub date: Option<String>,
    /// The rules and clocks of all games.
    pub table: RulesAndClocks,
    /// The number of plies in a game's opening.
    pub opening_plies: usize,
    /// The number of games, if known.
    pub total: Option<u64>,
    /// Whether `total` is only a maximum, because the results decide how many games there are.
    pub is_most: bool,
    /// The players.
    pub roster: ShownPlayers,
    /// How many of the latest games to keep with their moves, if games are not kept elsewhere.
    pub keeps: usize,
    /// The address of the page for other machines, if it is public.
    pub address: Option<String>,
    /// The data from which the format's result is derived, if the format has one.
    pub history: Option<FormatHistory>,
    /// The sequential test before its first pair, with the names that the page shows, if the run is one.
    pub test: Option<Test>,
    /// The next games, if the schedule is known.
    pub upcoming: Option<Upcoming>,
}

/// Facts about a page's server that its readers should know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ServingTerms {
    /// How far the page is behind the run.
    pub delay: Duration,
    /// Whether questions about positions are answered.
    pub answers: bool,
}

/// A run as its page shows it.
#[derive(Debug)]
pub(crate) struct LiveState {
    premise: Premise,
    serving: ServingTerms,
    boards: Boards,
    finished: FinishedGames,
    standings: LiveStandings,
    log: EventLog,
    moments: Moments,
    values: GameValues,
    pace: Pace,
    /// The progress of a sequential test, in words.
    test: Option<String>,
    /// The figures of a sequential test, as of the last fit.
    figures: Option<TestFigures>,
    /// The number of workers, in words; `None` before the first one.
    workers: Option<String>,
    missed: u64,
    shortest: Option<usize>,
    /// The latest games with their moves, by their ids on the page.
    kept: VecDeque<(String, String)>,
    seq: u64,
    news: FrameNews,
    is_over: bool,
}

/// The contents of the next frame other than boards and games.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of news")]
struct FrameNews {
    /// Whether there is any news.
    any: bool,
    standings: bool,
    moment: bool,
    /// Whether the run has ended.
    ending: bool,
}

impl LiveState {
    /// The state of a run. `past` contains the games that have already ended, each with its number in the schedule.
    pub(crate) fn new(mut premise: Premise, past: impl IntoIterator<Item = (u64, PlayedSummary)>) -> Self {
        let mut finished = FinishedGames::default();
        let seats = premise.table.ruleset.seats();
        let mut standings = LiveStandings::new(&premise.roster, seats, premise.test.is_some());
        let (mut ended, mut shortest) = (0, None::<usize>);
        for (number, summary) in past {
            if let Some(plies) = telling::plies_of_win(&summary, premise.opening_plies) {
                shortest = Some(shortest.map_or(plies, |shortest| shortest.min(plies)));
            }
            ended += u64::from(has_result(&summary));
            if let Some(upcoming) = &mut premise.upcoming {
                upcoming.recall(id_of(&summary), &summary);
            }
            add((&mut finished, &mut standings), &mut premise, number, summary);
        }
        let _ = finished.take_new();
        let (boards, pace) = (Boards::new(premise.table), Pace::new(ended, premise.total, premise.is_most));
        let mut state = Self {
            premise,
            serving: ServingTerms::default(),
            boards,
            finished,
            standings,
            log: EventLog::default(),
            moments: Moments::default(),
            values: GameValues::default(),
            pace,
            test: None,
            figures: None,
            workers: None,
            missed: 0,
            shortest,
            kept: VecDeque::new(),
            seq: 0,
            news: FrameNews::default(),
            is_over: false,
        };
        state.fit();
        state.news = FrameNews::default();
        state
    }

    /// Tells readers that the page is served under these terms.
    pub(crate) const fn serve_under(&mut self, serving: ServingTerms) {
        self.serving = serving;
    }

    /// The title of the page.
    pub(crate) fn title(&self) -> &str {
        &self.premise.title
    }

    /// The rules of all games.
    pub(crate) const fn ruleset(&self) -> Ruleset {
        self.premise.table.ruleset
    }

    /// Records that the game `id` begins, after the moves of `opening`.
    pub(crate) fn started(&mut self, (at, id): (Duration, &str), players: &BySeat<String>, opening: &[Move]) {
        let players = players.as_ref().map(|name| self.premise.roster.number(name));
        let shown_id = self.premise.roster.shown_id(id, &players);
        self.boards.begin((at, id), shown_id, players, opening);
        if let Some(upcoming) = &mut self.premise.upcoming {
            upcoming.begin(id);
        }
        self.news.any = true;
        self.meet_players();
    }

    /// Records that ply `number`, from 1, of the game `id` has been made, with `left` on the mover's clock.
    pub(crate) fn moved(&mut self, (at, id): (Duration, &str), number: usize, played: Move, left: Option<Duration>) {
        self.boards.play((at, id), number, played, left);
        self.news.any = true;
    }

    /// Records what the player in `seat` of the game `id` has reported about its thinking.
    pub(crate) fn told(&mut self, id: &str, seat: Seat, thought: &Thought) {
        self.boards.tell(id, seat, thought);
        self.news.any = true;
    }

    /// Records that a player has dropped out of the game `id`, which has more than two seats.
    pub(crate) fn dropped_out(&mut self, (at, id): (Duration, &str), out: DropOutNews) {
        if let Some((players, ply)) = self.boards.drop_out((at, id), out) {
            self.tell_of_drop_out(&players, ply, out);
            self.news.any = true;
        }
    }

    /// Records that an event other than a move was missed: a player may have dropped out.
    pub(crate) fn lost_track(&mut self) {
        self.boards.lose_track();
        self.news.any = true;
    }

    /// Adds new players to the standings, because the page refers to players by their numbers there.
    fn meet_players(&mut self) {
        self.news.standings |= self.standings.meet(&self.premise.roster);
    }

    /// Records that the game `id` was broken off.
    pub(crate) fn broken_off(&mut self, id: &str) {
        self.boards.break_off(id);
        self.news.any = true;
    }

    /// Logs another event, described by `text`. If it concerns `player`, the player's name precedes the text.
    pub(crate) fn note(&mut self, player: Option<&str>, text: &str) {
        let number = player.map(|player| self.premise.roster.number(player));
        let name = number.map(|number| sanitised(self.premise.roster.shown(number)) + " ").unwrap_or_default();
        self.log.add(Tone::Note, name + text, None);
        self.news.any = true;
    }

    /// Records that a sequential test has advanced to `progress`.
    pub(crate) fn tested(&mut self, progress: &SprtProgress) {
        self.test = Some(test_progress(progress));
        if let Some(test) = &mut self.premise.test {
            test.progress = *progress;
            self.standings.expire();
        }
        if let Some(last_round) = progress.last_round() {
            self.standings.end_test(last_round);
        }
        self.news.any = true;
    }

    /// Records that `workers` workers play from now on, with `slots` slots in total.
    pub(crate) fn staffed(&mut self, workers: usize, slots: usize) {
        self.workers = Some(match workers {
            0 => "no workers left".to_owned(),
            _ => format!("{}, {} at a time", counted(workers as u64, "worker"), counted(slots as u64, "game")),
        });
        self.news.any = true;
    }

    /// The progress of the run at the time `at`.
    fn progress(&self, at: Duration) -> ProgressObject<'_> {
        let Self { test, workers, missed, .. } = self;
        self.pace.progress(at, ProgressWarnings { test: test.as_deref(), workers: workers.as_deref(), missed: *missed })
    }

    /// Records that the page has missed `moves` moves so far.
    pub(crate) fn missed(&mut self, moves: u64) {
        self.news.any |= moves != self.missed;
        self.missed = moves;
    }

    /// Records that there are no more events.
    pub(crate) fn finish(&mut self) {
        self.boards.end_all();
        self.fit();
        self.is_over = true;
        if let Some(news) = self.ending_news() {
            self.log.add(Tone::Highlight, news, None);
        }
        self.news.ending = true;
        self.news.any = true;
    }

    /// Whether to fit the ratings now, at the time `at`.
    pub(crate) fn wants_fit(&self, at: Duration) -> bool {
        self.standings.wants_fit(at)
    }

    /// Fits the ratings to all games so far, and derives the result of the format.
    pub(crate) fn fit(&mut self) {
        let Premise { roster, history, test, .. } = &mut self.premise;
        let result = history.as_mut().and_then(|history| history.result(roster));
        let mut run = RunState { result, test: test.clone(), ..RunState::default() };
        let unplayed = self.unplayed(&run);
        run.missing.count(unplayed);
        self.finished.voids().for_each(|id| run.missing.add(id, Some(String::new())));
        self.figures = run.test.clone().map(|test| TestFigures::of(test, self.standings.tested()));
        self.standings.fit(&self.premise.roster, run);
        self.news = FrameNews { any: true, standings: true, ..self.news };
    }

    /// How many games have not been played. While the results decide how many games follow, the number may be too
    /// large, but it is zero if and only if there are none.
    fn unplayed(&self, run: &RunState) -> u64 {
        let known = self.premise.total.map_or(0, |total| total.saturating_sub(self.finished.count()));
        let has_result = run.result.as_ref().is_some_and(FormatResult::is_final);
        let is_decided = run.test.as_ref().is_some_and(|test| test.progress.is_over());
        if has_result || is_decided { 0 } else { known }
    }

    /// Records that the last fit was made at `at` and took `cost`.
    pub(crate) fn rest_from_fits(&mut self, at: Duration, cost: Duration) {
        self.standings.rest(at, cost);
    }

    /// The number of the latest frame.
    pub(crate) const fn seq(&self) -> u64 {
        self.seq
    }

    /// Switches to `begun`, which has more information, and continues this state's log and frame numbers.
    pub(crate) fn replace(&mut self, mut begun: Self) {
        begun.standings.follow(&self.standings);
        let (log, serving) = (std::mem::take(&mut self.log), self.serving);
        let news = FrameNews { any: true, standings: true, ..FrameNews::default() };
        *self = Self { log, serving, seq: self.seq, news, ..begun };
    }

    /// The number of times that the ratings have been fitted, which is also the number of times that
    /// [`LiveState::document`] has changed.
    pub(crate) const fn fits(&self) -> u64 {
        self.standings.fits()
    }
}

/// The progress of a sequential test in a few words; its figures show the rest.
fn test_progress(progress: &SprtProgress) -> String {
    format!("LLR {} after {}", ratio_text(progress.llr()), counted(progress.all_pairs(), "pair"))
}

/// The tournament's id for the game in `summary`.
fn id_of(summary: &PlayedSummary) -> &str {
    match summary {
        PlayedSummary::Pair(game) => &game.game,
        PlayedSummary::Group(game) => &game.game,
    }
}

/// Whether the game in `summary` has a result.
const fn has_result(summary: &PlayedSummary) -> bool {
    match summary {
        PlayedSummary::Pair(game) => game.result.is_some(),
        PlayedSummary::Group(game) => game.result.is_some(),
    }
}

/// `value` as JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and strings are JSON")
}
