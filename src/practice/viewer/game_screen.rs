//! A game on the screen: the position shown, and the findings about it.

mod picture;

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::time::Duration;

use ratatui::buffer::Buffer;

use super::game_keys::{GameKey, HELP, KEYS, WATCHING_HELP, WATCHING_KEYS};
use super::story::GameStory;
use crate::base::time::{Instant, now};
use crate::game::{Feature, Move, Outcome, Ruleset, Side};
use crate::practice::board_game::BoardGame;
use crate::practice::findings::{MoveFinding, MoveValue};
use crate::practice::hints::{Adviser, BoardInquiry};
use crate::practice::screen_text::ScreenLook;
use crate::run::bot_stderr::StderrOfGame;
pub(crate) use picture::{board_room, draw_board};

/// How long each position is shown while the game is played back.
const PLAY_EVERY: Duration = Duration::from_millis(700);

/// What the screen's owner must do after a key was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameRequest {
    Nothing,
    OtherGame {
        is_next: bool,
    },
    /// Show the bots' stderr.
    Stderr,
    Back,
    Quit,
}

/// A search for the values of the moves in a position.
#[derive(Debug)]
struct ValueSearch {
    ply: usize,
    inquiry: BoardInquiry,
    legal: Vec<Move>,
}

/// A game on the screen.
#[derive(Debug)]
pub(crate) struct GameScreen {
    story: GameStory,
    /// The ply whose position is shown.
    at: usize,
    /// Whether a screen that shows the last position advances to the new position when a move is made.
    is_following: bool,
    /// When the next position will be shown, while the game is being played back.
    next_at: Option<Instant>,
    /// The number of the solver's threads.
    threads: NonZeroUsize,
    adviser: Option<Adviser>,
    search: Option<ValueSearch>,
    /// The findings about the moves in each position.
    found: BTreeMap<usize, Vec<MoveFinding>>,
    message: String,
    /// The log as a command line names it; `None` if there is no log.
    log: Option<String>,
    /// The commands to print at the end.
    kept: Vec<String>,
    /// The bots' stderr, if it is shown.
    stderr: Option<StderrOfGame>,
}

impl GameScreen {
    /// Creates a screen that shows the first position of `story`. `log` is the log of this game as a command line names
    /// it. The solver uses `threads` threads.
    pub(crate) const fn new(story: GameStory, log: Option<String>, threads: NonZeroUsize) -> Self {
        Self {
            story,
            at: 0,
            is_following: false,
            next_at: None,
            threads,
            adviser: None,
            search: None,
            found: BTreeMap::new(),
            message: String::new(),
            log,
            kept: Vec::new(),
            stderr: None,
        }
    }

    /// The same screen for a game that is being played, at its last position.
    #[must_use]
    pub(crate) fn following(mut self) -> Self {
        self.is_following = true;
        self.at = self.story.plies();
        self
    }

    /// Calls `change` to continue the game.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut GameStory)) {
        let was_last = self.at == self.story.plies();
        change(&mut self.story);
        if self.is_following && was_last {
            self.show(self.story.plies());
        }
    }

    /// Shows the bots' stderr from now on.
    pub(crate) fn show_stderr(&mut self, stderr: StderrOfGame) {
        self.stderr = Some(stderr);
    }

    /// Hides the bots' stderr. Returns whether it was shown.
    pub(crate) fn hide_stderr(&mut self) -> bool {
        self.stderr.take().is_some()
    }

    /// The bots' stderr that belongs to the shown position, or at least as much of its end as fits on a screen. Empty
    /// unless stderr is shown.
    fn stderr(&self) -> Vec<String> {
        /// The number of bytes of each bot's stderr that are read: more than a screen has room for.
        const MOST: usize = 1 << 16;
        let text = self.stderr.as_ref().map(|stderr| stderr.tail_at(self.at, MOST)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Takes the commands to print at the end.
    pub(crate) fn take_kept(&mut self) -> Vec<String> {
        std::mem::take(&mut self.kept)
    }

    /// Collects new findings, and continues the playback. Returns whether the screen has changed.
    pub(crate) fn collect(&mut self) -> bool {
        let mut has_news = false;
        if let Some(search) = &self.search {
            let at_once = now();
            while let Some(finding) = search.inquiry.next_before(at_once) {
                self.found.entry(search.ply).or_default().push(finding);
                has_news = true;
            }
        }
        if self.next_at.is_some_and(|next| next <= now()) {
            self.show(self.at + 1);
            self.next_at = (self.at < self.story.plies()).then(|| now() + PLAY_EVERY);
            has_news = true;
        }
        has_news
    }

    /// Draws the game on the whole of `buffer`. `status` is a line about where the game comes from.
    pub(crate) fn draw(&self, look: ScreenLook, buffer: &mut Buffer, status: &str) {
        picture::draw(self, look, buffer, status);
    }

    /// Obeys `key`. Returns the part of the request that only the owner of the screen can carry out.
    pub(crate) fn obey(&mut self, key: GameKey) -> io::Result<GameRequest> {
        self.message.clear();
        let was_playing = self.next_at.take().is_some();
        match key {
            GameKey::Next => self.show(self.at + 1),
            GameKey::Previous => self.show(self.at.saturating_sub(1)),
            GameKey::First => self.show(0),
            GameKey::Last => self.show(self.story.plies()),
            GameKey::NextMistake => self.jump(self.story.mistake(self.at, true), "no mistake is known after this ply"),
            GameKey::PreviousMistake => {
                self.jump(self.story.mistake(self.at, false), "no mistake is known before this ply");
            }
            GameKey::Decisive => self.jump(self.story.decisive(), "no move is known to have changed the winner"),
            GameKey::Play => {
                if !was_playing {
                    if self.at == self.story.plies() {
                        self.show(0);
                    }
                    self.next_at = Some(now() + PLAY_EVERY);
                }
            }
            GameKey::Solve => self.solve()?,
            GameKey::Keep => self.keep(),
            GameKey::Stderr => return Ok(GameRequest::Stderr),
            GameKey::Help => {
                let help = if self.is_following { WATCHING_HELP } else { HELP };
                help.clone_into(&mut self.message);
            }
            GameKey::Back if self.search.take().is_some() => self.tell("search stopped"),
            GameKey::Back => return Ok(GameRequest::Back),
            GameKey::OtherGame { is_next } => return Ok(GameRequest::OtherGame { is_next }),
            GameKey::Quit => return Ok(GameRequest::Quit),
        }
        Ok(GameRequest::Nothing)
    }

    /// What the keys do, in one line.
    const fn keys(&self) -> &'static str {
        if self.is_following { WATCHING_KEYS } else { KEYS }
    }

    /// How many moves in the shown position have known values, and how many moves there are; `None` unless a search for
    /// more values is under way.
    fn searching(&self) -> Option<(usize, usize)> {
        let search = self.search.as_ref().filter(|search| search.ply == self.at)?;
        let known = search.legal.iter().filter(|&&played| self.value_of(played).is_some()).count();
        let found = self.found.get(&self.at).map(Vec::as_slice).unwrap_or_default();
        let lacks = found.iter().any(|finding| matches!(finding, MoveFinding::Lack(_)));
        (known < search.legal.len() && !lacks).then_some((known, search.legal.len()))
    }

    /// The value of the shown position, from the analysis of the game or from a search.
    fn value(&self) -> Option<MoveValue> {
        let frame = self.story.frame(self.at);
        let side = frame.to_move.map(crate::game::Seat::side)?;
        let known = |value: MoveValue| value.outcome.margin.is_some();
        match (frame.value, self.best(side)) {
            (Some(value), Some(best)) if !known(value) && known(best) => Some(best),
            (Some(value), _) => Some(value),
            (None, best) => best,
        }
    }

    /// The value of the best move for `side`, or only the winner while the values of some moves are unknown.
    fn best(&self, side: Side) -> Option<MoveValue> {
        let legal = self.legal();
        let values: Vec<MoveValue> = legal.iter().filter_map(|&played| self.value_of(played)).collect();
        let best = values.iter().copied().max_by_key(|value| value.rank(side))?;
        if values.len() == legal.len() {
            return Some(best);
        }
        let winner = best.outcome.winner.filter(|&winner| winner == side);
        winner.map(|winner| Outcome { winner: Some(winner), margin: None }.into())
    }

    /// The legal moves in the shown position.
    fn legal(&self) -> Vec<Move> {
        match &self.search {
            Some(search) if search.ply == self.at => search.legal.clone(),
            _ => {
                let game = self.story.frame(self.at).game.as_ref().filter(|_| self.found.contains_key(&self.at));
                game.map_or_else(Vec::new, |game| game.position().legal_moves())
            }
        }
    }

    /// The latest value of a move in the shown position.
    fn value_of(&self, wanted: Move) -> Option<MoveValue> {
        self.found.get(&self.at)?.iter().rev().find_map(|finding| match finding {
            MoveFinding::Value(played, value) if *played == wanted => Some(*value),
            _ => None,
        })
    }

    /// Shows the position after `ply` plies, or the last one if there are fewer.
    fn show(&mut self, ply: usize) {
        let ply = ply.min(self.story.plies());
        if ply != self.at {
            self.search = None;
        }
        self.at = ply;
    }

    fn jump(&mut self, ply: Option<usize>, nothing: &str) {
        match ply {
            Some(ply) => self.show(ply),
            None => self.tell(nothing),
        }
    }

    /// Shows `message` until the next key.
    pub(crate) fn tell(&mut self, message: &str) {
        message.clone_into(&mut self.message);
    }

    /// Begins to search for the values of the moves in the shown position.
    fn solve(&mut self) -> io::Result<()> {
        if self.story.frame(self.at).to_move.is_none() {
            self.tell("the game is over in this position");
            return Ok(());
        }
        let Some(game) = self.story.frame(self.at).game.clone() else {
            self.tell("the moves before this position were not seen, so this position cannot be solved");
            return Ok(());
        };
        let adviser = match self.adviser.take() {
            Some(adviser) => adviser,
            None => Adviser::start(self.story.ruleset(), self.threads)?,
        };
        self.found.remove(&self.at);
        let (inquiry, legal) = (adviser.moves(&game), game.position().legal_moves());
        self.search = Some(ValueSearch { ply: self.at, inquiry, legal });
        self.adviser = Some(adviser);
        Ok(())
    }

    /// Keeps the command that solves the shown position, so that it can be printed at the end.
    fn keep(&mut self) {
        match self.command() {
            Ok(command) => {
                self.message = format!("printed at the end: {command}");
                if !self.kept.contains(&command) {
                    self.kept.push(command);
                }
            }
            Err(why) => self.message = why,
        }
    }

    /// The command that solves the shown position.
    fn command(&self) -> Result<String, String> {
        let ruleset = self.story.ruleset();
        ruleset.require(Feature::Solver).map_err(|missing| missing.to_string())?;
        if let Some(log) = &self.log {
            return Ok(format!("gothello-arena solve --log {log} --ply {}", self.at));
        }
        let frame = self.story.frame(self.at);
        let game = frame.game.as_ref().ok_or("the moves before this position were not seen")?;
        let position = game.position();
        let board = position.to_string().lines().collect::<Vec<_>>().join(" ");
        let to_move = position.to_move();
        let rules = match ruleset {
            Ruleset::Gothello => String::new(),
            other => format!(" --ruleset \"{other}\""),
        };
        let is_passed = matches!(game, BoardGame::Gothello(_)) && frame.brief.ends_with(" pass");
        let passed = if is_passed { " --passed" } else { "" };
        Ok(format!("gothello-arena solve --board \"{board}\" --to-move {to_move}{passed}{rules}"))
    }
}
