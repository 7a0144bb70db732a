//! A run as its live page reports it: first the state, then frames with changes. The page is not trusted: all strings
//! are made printable, and numbers that refer to nothing are ignored.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::Deserialize;

use super::WatchError;
use crate::base::sanitise::sanitised;
use crate::base::units::spaced;
use crate::game::Ruleset;
use crate::practice::shown_board::ShownBoard;

/// The maximum numbers of log lines kept, of boards read, and of players read.
const LOG: usize = 200;
const BOARDS: usize = 1024;
const PLAYERS: usize = 10_000;

#[derive(Debug, Deserialize)]
struct HeardState {
    page: HeardHead,
    now: Vec<HeardBoard>,
    #[serde(default)]
    log: Vec<HeardLine>,
    progress: HeardProgress,
    #[serde(default)]
    delay_s: u64,
    #[serde(default)]
    over: bool,
}

#[derive(Debug, Deserialize)]
struct HeardHead {
    title: String,
    ruleset: String,
    players: Vec<HeardPlayer>,
}

#[derive(Debug, Deserialize)]
struct HeardPlayer {
    n: String,
    #[serde(default)]
    rank: usize,
    elo: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct HeardLine {
    text: String,
}

#[derive(Debug, Default, Deserialize)]
struct HeardProgress {
    done: u64,
    total: Option<u64>,
    #[serde(default)]
    most: bool,
    eta_s: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct HeardFrame {
    on: Vec<HeardBoard>,
    off: Vec<usize>,
    #[serde(default)]
    log: Vec<HeardLine>,
    progress: HeardProgress,
    standings: Option<Vec<HeardPlayer>>,
}

/// A board as the page sends it.
#[derive(Debug, Deserialize)]
struct HeardBoard {
    slot: usize,
    id: String,
    black: Option<usize>,
    white: Option<usize>,
    #[serde(default)]
    players: Vec<usize>,
    board: String,
    ply: usize,
    #[serde(default)]
    left: Vec<Option<String>>,
    last: Option<String>,
    at: Option<(Option<usize>, usize)>,
}

/// A game in progress. All its strings are printable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WatchedGame {
    pub(super) id: String,
    /// The players, each with the time left on its clock, if it has one.
    pub(super) players: Vec<(String, Option<String>)>,
    /// The board; `None` if its letters do not fit the rules.
    pub(super) board: Option<ShownBoard>,
    pub(super) marks: Vec<(usize, usize)>,
    pub(super) ply: usize,
    pub(super) last: Option<String>,
}

/// The changes that a message from the page has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PageNews {
    /// The slots of the games that have changed.
    pub(super) slots: Vec<usize>,
    /// New lines of the log.
    pub(super) lines: Vec<String>,
}

/// What a page has reported about its run.
#[derive(Debug, Default)]
pub(super) struct HeardRun {
    pub(super) title: String,
    ruleset: Option<Ruleset>,
    players: Vec<String>,
    /// The leaders, best first, each as a line such as `1 ann +120`.
    pub(super) leaders: Vec<String>,
    /// The games in progress, by their places on the page.
    pub(super) games: BTreeMap<usize, WatchedGame>,
    pub(super) log: VecDeque<String>,
    progress: HeardProgress,
    /// How far the page is behind the run.
    delay: Duration,
    pub(super) is_over: bool,
}

impl HeardRun {
    /// Processes the whole state.
    ///
    /// # Errors
    /// Fails if the text is not the state of a live page.
    pub(super) fn begin(&mut self, text: &str) -> Result<PageNews, WatchError> {
        let state: HeardState = serde_json::from_str(text).map_err(|_| unknown())?;
        let ruleset = state.page.ruleset.parse();
        *self = Self {
            title: sanitised(&state.page.title),
            ruleset: Some(ruleset.map_err(|_| unknown())?),
            progress: state.progress,
            delay: Duration::from_secs(state.delay_s),
            is_over: state.over,
            ..Self::default()
        };
        self.know(state.page.players);
        let slots = self.put(state.now);
        Ok(PageNews { slots, lines: self.log(state.log) })
    }

    /// Processes the changes in a frame.
    ///
    /// # Errors
    /// Fails if the text is not a frame of a live page, or if there was no state before.
    pub(super) fn go_on(&mut self, text: &str) -> Result<PageNews, WatchError> {
        let frame: HeardFrame = serde_json::from_str(text).map_err(|_| unknown())?;
        if self.ruleset.is_none() {
            return Err(unknown());
        }
        for slot in frame.off {
            self.games.remove(&slot);
        }
        if let Some(players) = frame.standings {
            self.know(players);
        }
        self.progress = frame.progress;
        let slots = self.put(frame.on);
        Ok(PageNews { slots, lines: self.log(frame.log) })
    }

    /// Records the end of the run.
    pub(super) fn end(&mut self) {
        self.is_over = true;
        self.games.clear();
    }

    /// The progress of the run, such as `12/60 games, about 2m 5s left, 30s behind`.
    pub(super) fn progress(&self) -> String {
        let HeardProgress { done, total, most, eta_s } = self.progress;
        let of = if most { " of at most " } else { "/" };
        let total = total.map(|total| format!("{of}{total}")).unwrap_or_default();
        let left = eta_s
            .filter(|_| !self.is_over)
            .map(|seconds| format!(", about {} left", spaced(Duration::from_secs(seconds))));
        let behind = if self.delay.is_zero() { String::new() } else { format!(", {} behind", spaced(self.delay)) };
        format!("{done}{total} games{}{behind}", left.unwrap_or_default())
    }

    fn know(&mut self, players: Vec<HeardPlayer>) {
        let players: Vec<HeardPlayer> = players.into_iter().take(PLAYERS).collect();
        self.players = players.iter().map(|player| sanitised(&player.n)).collect();
        let mut ranked: Vec<&HeardPlayer> = players.iter().filter(|player| player.elo.is_some()).collect();
        ranked.sort_by_key(|player| player.rank);
        let shown = |player: &&HeardPlayer| {
            format!("{} {} {:+}", player.rank, sanitised(&player.n), player.elo.unwrap_or_default())
        };
        self.leaders = ranked.iter().take(10).map(shown).collect();
    }

    fn log(&mut self, lines: Vec<HeardLine>) -> Vec<String> {
        let lines: Vec<String> = lines.into_iter().map(|line| sanitised(&line.text)).collect();
        self.log.extend(lines.iter().cloned());
        let surplus = self.log.len().saturating_sub(LOG);
        self.log.drain(..surplus);
        lines
    }

    /// Puts games in their places. Returns the places.
    fn put(&mut self, boards: Vec<HeardBoard>) -> Vec<usize> {
        let mut slots = Vec::new();
        for board in boards.into_iter().take(BOARDS) {
            let slot = board.slot;
            if let Some(game) = self.game(board)
                && (self.games.len() < BOARDS || self.games.contains_key(&slot))
            {
                self.games.insert(slot, game);
                slots.push(slot);
            }
        }
        slots
    }

    fn game(&self, heard: HeardBoard) -> Option<WatchedGame> {
        let ruleset = self.ruleset?;
        let name = |number: &usize| self.players.get(*number).cloned().unwrap_or_else(|| "?".to_owned());
        let numbers = if heard.players.is_empty() { vec![heard.black?, heard.white?] } else { heard.players };
        let left = |index: usize| heard.left.get(index).cloned().flatten().map(|left| sanitised(&left));
        let players = numbers.iter().enumerate().map(|(index, number)| (name(number), left(index))).collect();
        let mode = heard.at.map_or(0, |(_, mode)| mode);
        let board = ShownBoard::of_letters(&heard.board, ruleset, mode);
        let marks = match (&board, &heard.last) {
            // With two boards, the last move may have been made on the other one.
            (Some(board), Some(last)) if mode == 0 => board.places(last),
            _ => Vec::new(),
        };
        let last = heard.last.map(|last| sanitised(&last));
        Some(WatchedGame { id: sanitised(&heard.id), players, board, marks, ply: heard.ply, last })
    }
}

fn unknown() -> WatchError {
    WatchError::Broken("this is not the live page of a run, or it comes from another version of the program".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"page":{"title":"Cu\u001bp","ruleset":"gothello","players":[{"n":"ann","rank":1,"elo":120},
        {"n":"b\u202eo","rank":2,"elo":-120}],"games":[]},"seq":3,"now":[{"slot":0,"id":"r1-ann-bo","black":0,"white":1,
        "board":"b........................","ply":1,"to":"w","left":["59","60"],"spent":[0,0],"last":"a5","run":true,
        "behind":false,"leads":0,"calm":true}],"log":[{"n":1,"kind":"note","text":"x","game":null}],
        "progress":{"done":3,"total":60,"eta_s":90},"moment":null,"over":false}"#;

    #[test]
    fn a_page_is_followed_from_its_state_by_its_frames() {
        let mut run = HeardRun::default();
        assert!(run.go_on("{}").is_err());
        let news = run.begin(STATE).expect("a state");
        assert_eq!(news, PageNews { slots: vec![0], lines: vec!["x".to_owned()] });
        assert_eq!(run.progress(), "3/60 games, about 1m 30s left");
        run.begin(&STATE.replace("\"over\"", "\"delay_s\":45,\"over\"")).expect("a state");
        assert_eq!(run.progress(), "3/60 games, about 1m 30s left, 45s behind");
        run.begin(&STATE.replace(":60,", ":60,\"most\":true,")).expect("a state");
        assert_eq!(run.progress(), "3 of at most 60 games, about 1m 30s left");
        assert_eq!(run.leaders, ["1 ann +120", "2 b\\u{202e}o -120"]);
        assert!(!run.title.contains('\u{1b}'));
        let game = &run.games[&0];
        assert_eq!((game.marks.len(), game.players[0].1.as_deref()), (1, Some("59")));
        let frame = r#"{"seq":4,"on":[],"off":[0],"ended":[],"done":[],"log":[],"progress":{"done":4,"total":60}}"#;
        run.go_on(frame).expect("a frame");
        assert!(run.games.is_empty());
        run.end();
        assert!(run.is_over);
    }

    #[test]
    fn what_makes_no_sense_is_refused_or_left_out() {
        let mut run = HeardRun::default();
        for wrong in ["", "{}", "[]", "\u{1b}", &STATE.replace("gothello", "chess")] {
            assert!(run.begin(wrong).is_err(), "{wrong}");
        }
        let odd =
            STATE.replace("\"black\":0", "\"black\":77").replace("\"a5\"", "\"z\u{e9}99-\"").replace("b....", "x");
        run.begin(&odd).expect("a state");
        let game = &run.games[&0];
        assert_eq!((game.players[0].0.as_str(), &game.board), ("?", &None));
    }
}
