//! A game as a server's lines describe it to an observer.
//!
//! The server is not trusted: a line that is not understood is shown, a board that does not fit the rules is not shown,
//! and a game without an end is abandoned.

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::WatchError;
use crate::base::sanitise::sanitised;
use crate::game::gothello::{Board, Game};
use crate::game::{BySeat, Move, Ruleset, Seat, Side};
use crate::practice::board_game::BoardGame;
use crate::practice::shown_board::ShownBoard;
use crate::practice::viewer::{FrameDetails, GameStory, SeenMove};
use crate::referee::wire::{
    BadResponse, Decision, EntityName, GREETED_VERSION, Hello, Response, Role, ToMove, VERSION,
};

/// The maximum number of plies: more than any game has.
const MOST_PLIES: usize = 4000;

/// The maximum number of lines: more than any game needs, including its boards.
const MOST_LINES: usize = 400_000;

/// The number of ranks of a board whose announcement does not state it.
const RANKS: usize = 5;

/// The largest number of ranks of any board or pair of boards.
const MOST_RANKS: usize = 64;

/// The effect of a line on an observed game, as reported to the game's owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ObservedNews {
    /// Nothing.
    Nothing,
    /// The server has sent its greeting, and waits for this line.
    Greeted(String),
    /// The story has changed.
    Changed,
}

/// An announced move. The board after it has not been shown yet.
#[derive(Clone, Debug)]
struct AnnouncedMove {
    mover: Seat,
    number: usize,
    played: Move,
    left: Option<Duration>,
}

/// A board whose ranks are being received.
#[derive(Clone, Debug)]
struct OpenBoard {
    ranks: Vec<String>,
    wanted: usize,
}

/// The clocks, and whose turn it is, after the last move.
#[derive(Clone, Debug, Default)]
struct ToldState {
    left: Option<BySeat<Option<Duration>>>,
    to_move: Option<Seat>,
}

/// A game that is observed.
#[derive(Debug)]
pub(super) struct ObservedGame {
    name: Option<EntityName>,
    story: Option<GameStory>,
    /// The latest board from the server, as text.
    board: String,
    announced: Option<AnnouncedMove>,
    open: Option<OpenBoard>,
    /// The contents of the last state line.
    state: ToldState,
    lines: usize,
    /// Whether the server has sent a position.
    is_shown: bool,
    is_over: bool,
}

impl ObservedGame {
    /// A game about which nothing has been received yet. `name` is the name that the observer gives to the server, if
    /// any.
    pub(super) const fn new(name: Option<EntityName>) -> Self {
        Self {
            name,
            story: None,
            board: String::new(),
            announced: None,
            open: None,
            state: ToldState { left: None, to_move: None },
            lines: 0,
            is_shown: false,
            is_over: false,
        }
    }

    /// What is known about the game; `None` before the greeting.
    pub(super) const fn story(&self) -> Option<&GameStory> {
        self.story.as_ref()
    }

    /// Whether the server has sent a position.
    pub(super) const fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Whether the server has ended the game.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Processes one line from the server.
    ///
    /// # Errors
    /// Fails if the server refuses observers, plays by unknown rules, or sends more than any game has.
    pub(super) fn hear(&mut self, line: &str) -> Result<ObservedNews, WatchError> {
        self.lines += 1;
        let plies = self.story.as_ref().map_or(0, GameStory::plies);
        if self.lines > MOST_LINES || plies > MOST_PLIES {
            return Err(WatchError::Broken("the server sent more than any game can contain".to_owned()));
        }
        if let Some(board) = &mut self.open {
            board.ranks.push(line.trim().to_owned());
            if board.ranks.len() == board.wanted {
                let text = board.ranks.join("\n");
                self.open = None;
                self.show(&text);
                return Ok(ObservedNews::Changed);
            }
            return Ok(ObservedNews::Nothing);
        }
        if let Some(ranks) = ranks_after(line) {
            self.open = Some(OpenBoard { ranks: Vec::new(), wanted: ranks });
            return Ok(ObservedNews::Nothing);
        }
        match line.parse::<Response>() {
            Ok(response) => self.take(response, line),
            Err(BadResponse::Rules) => {
                let line = sanitised(line);
                Err(WatchError::Broken(format!("the server plays by rules that this program does not know: `{line}`")))
            }
            Err(_) => Ok(self.note(&format!("server: {line}"))),
        }
    }

    /// Records a line that was too long to be read.
    pub(super) fn miss(&mut self) -> ObservedNews {
        self.lines += 1;
        self.open = None;
        self.note("server: a line of more than 4 KiB, not shown here")
    }

    /// Records the end of the connection.
    pub(super) fn close(&mut self) {
        self.settle();
    }

    fn take(&mut self, response: Response, line: &str) -> Result<ObservedNews, WatchError> {
        match response {
            Response::Greeting(ruleset) if self.story.is_none() => {
                let names = BySeat::from_fn(ruleset.seats(), |seat| seat.name(ruleset.seats()).to_owned());
                self.story =
                    Some(GameStory::new(ruleset, &names, &format!("{ruleset}: waiting for the game to begin")));
                Ok(ObservedNews::Greeted(self.hello(ruleset)))
            }
            response if response.refuses_hello() => {
                Err(WatchError::Broken(format!("the server does not admit observers: `{}`", sanitised(line))))
            }
            _ if self.story.is_none() => {
                Err(WatchError::Broken(format!("this is not a Gothello server: `{}`", sanitised(line))))
            }
            response => Ok(self.follow(response, line)),
        }
    }

    /// Processes a line about the game.
    fn follow(&mut self, response: Response, line: &str) -> ObservedNews {
        let seconds = |left: BySeat<u64>| left.map(|seconds| Some(Duration::from_secs(seconds)));
        match response {
            Response::PlayerName(side, name) => self.rename(side.into(), &name),
            Response::SeatName(seat, name) => self.rename(seat, &name),
            Response::YouObserve => self.set_heading(),
            Response::GrantedTimed { first, second } => self.set_left(BySeat::new(vec![second, first]).map(seconds)),
            Response::GrantedInGroup(first) => self.set_left(Some(seconds(first))),
            Response::Moved { side, number, played, left } => self.announce(side.into(), number, played, left),
            Response::MovedInGroup { seat, number, played, left } => self.announce(seat, number, played, left),
            Response::State { left, to_move, .. } => {
                let to_move = to_move.map(|to_move| match to_move {
                    ToMove::Side(side) => side.into(),
                    ToMove::Seat(seat) => seat,
                });
                self.state = ToldState { left: left.map(seconds), to_move };
            }
            Response::DroppedOut { seat, why } => {
                self.settle();
                if let Some(story) = &mut self.story {
                    let text = format!("{} drops out: {why}", story.named(seat));
                    story.drop_out(seat, &text);
                }
            }
            Response::Granted
            | Response::Rules { .. }
            | Response::RuleOption { .. }
            | Response::Clocks(_)
            | Response::ObserverName(..)
            | Response::Observers(_) => return ObservedNews::Nothing,
            response => match self.ending(response) {
                Some(text) => self.end(&text),
                None => return self.note(&format!("server: {line}")),
            },
        }
        ObservedNews::Changed
    }

    /// How the game ended, if `response` reports that it did.
    fn ending(&mut self, response: Response) -> Option<String> {
        Some(match response {
            Response::MovedLast { side, number, played, decision } => {
                self.announce(side.into(), number, played, None);
                match decision {
                    Decision::Win => format!("{side} wins"),
                    Decision::Loss => format!("{} wins", side.opponent()),
                    Decision::Draw => "draw".to_owned(),
                }
            }
            Response::Placed(places) => {
                let places: Vec<String> = places.values().map(u8::to_string).collect();
                format!("the game is over: places {}", places.join(" "))
            }
            Response::WonByResignation(side) => format!("{side} wins by resignation"),
            Response::WonByTime(side) => format!("{side} wins on time"),
            Response::Disconnected(side) => format!("{side} has left the game"),
            Response::Problem(why) => format!("the game is over: {}", why.as_str()),
            _ => return None,
        })
    }

    /// The hello with which to observe games of `ruleset`, in the lowest version of the protocol that supports them.
    fn hello(&self, ruleset: Ruleset) -> String {
        let version = match ruleset {
            Ruleset::Gothello | Ruleset::Seegover(_) => GREETED_VERSION,
            Ruleset::Quantum(_) => VERSION,
        };
        Hello { version, role: Role::Observer, name: self.name.clone() }.to_string()
    }

    fn rename(&mut self, seat: Seat, name: &EntityName) {
        if let Some(story) = &mut self.story {
            story.rename(seat, name.as_str());
        }
        self.set_heading();
    }

    fn set_heading(&mut self) {
        if let Some(story) = &mut self.story {
            let names: Vec<&str> = story.names().values().map(String::as_str).collect();
            let heading = format!("{}: {}", story.ruleset(), names.join(" - "));
            story.set_heading(&heading);
        }
    }

    fn set_left(&mut self, left: Option<BySeat<Option<Duration>>>) {
        if let (Some(story), Some(left)) = (&mut self.story, left) {
            story.set_left(left);
        }
    }

    fn note(&mut self, text: &str) -> ObservedNews {
        match &mut self.story {
            Some(story) => {
                story.note(text);
                ObservedNews::Changed
            }
            None => ObservedNews::Nothing,
        }
    }

    fn announce(&mut self, mover: Seat, number: u32, played: Move, left: Option<u64>) {
        self.settle();
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.announced = Some(AnnouncedMove { mover, number, played, left: left.map(Duration::from_secs) });
    }

    fn end(&mut self, text: &str) {
        self.is_over = true;
        if let Some(story) = &mut self.story {
            story.end(&[text.to_owned()]);
        }
    }

    /// Plays the announced move by the rules, if there is one whose board was not shown.
    fn settle(&mut self) {
        let (Some(announced), Some(story)) = (self.announced.take(), &mut self.story) else { return };
        let details = FrameDetails { left: announced.left, lines: Vec::new() };
        story.begin_with(announced.mover, announced.number);
        match story.play(announced.played.as_str(), details) {
            Ok(()) => (self.board, self.is_shown) = (text_of(story), true),
            Err(error) => story.note(&format!("server: {} {}: {error}", announced.number, announced.played)),
        }
    }

    /// Shows the server's board `text`, after the announced move if there was one.
    fn show(&mut self, text: &str) {
        let (announced, state) = (self.announced.take(), std::mem::take(&mut self.state));
        let Some(story) = &mut self.story else { return };
        let ruleset = story.ruleset();
        let Some(board) = ShownBoard::of_text(text, ruleset, &self.board) else {
            story.note("server: a board that does not fit the rules");
            self.announced = announced;
            self.settle();
            return;
        };
        let ToldState { left, to_move } = state;
        match announced {
            Some(AnnouncedMove { mover, number, played, left }) => {
                let details = FrameDetails { left, lines: Vec::new() };
                story.begin_with(mover, number);
                let is_played = is_led_to(story, played, text) && story.play(played.as_str(), details.clone()).is_ok();
                if !is_played {
                    let game = known_position(ruleset, text, to_move, played.is_pass());
                    story.add(SeenMove { mover, number, played, board, to_move, game }, details);
                }
            }
            None if text_of(story) != text => {
                let game = known_position(ruleset, text, to_move, false);
                story.replace_board(board, to_move, game);
            }
            None => {}
        }
        if self.is_over {
            story.set_to_move(None);
        }
        text.clone_into(&mut self.board);
        self.is_shown = true;
        self.set_left(left);
    }
}

/// How many ranks of a board follow `line`, if it announces a board.
fn ranks_after(line: &str) -> Option<usize> {
    let number = || line.split_whitespace().nth(1)?.parse().ok();
    match line.get(..3)? {
        "382" => Some(RANKS),
        "383" => number().filter(|ranks| (1..=MOST_RANKS).contains(ranks)),
        _ => None,
    }
}

/// The text of the last position, if it is known.
fn text_of(story: &GameStory) -> String {
    story.last().game.as_ref().map(|game| game.position().to_string().trim_end().to_owned()).unwrap_or_default()
}

/// Whether `played` leads from the last position to the board `text`.
fn is_led_to(story: &GameStory, played: Move, text: &str) -> bool {
    let Some(mut game) = story.last().game.clone() else { return false };
    game.position_mut().play(played.as_str()).is_ok() && game.position().to_string().trim_end() == text
}

/// The position on the board `text`, if it does not depend on the earlier moves.
fn known_position(ruleset: Ruleset, text: &str, to_move: Option<Seat>, is_passed: bool) -> Option<BoardGame> {
    let (Ruleset::Gothello, Some(to_move)) = (ruleset, to_move) else { return None };
    let (board, side): (Board, Side) = (text.parse().ok()?, to_move.side());
    Some(BoardGame::Gothello(if is_passed {
        Game::from_board(board, side.opponent()).pass()
    } else {
        Game::from_board(board, side)
    }))
}
