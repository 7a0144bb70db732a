//! A game on the whole screen of a terminal.

mod keys;
mod puzzle_screen;
mod scenes;
#[cfg(test)]
mod tests;
mod view;

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;

use crate::base::time::{Instant, now};
use crate::game::{Move, Side};
use crate::practice::better_line::BetterLine;
use crate::practice::board_game::BoardGame;
use crate::practice::distant_opponent::DistantNews;
use crate::practice::findings::MoveFinding;
use crate::practice::hints::{Adviser, BoardInquiry};
use crate::practice::plain::BoardSeating;
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::ScreenLook;
use crate::practice::session::Session;
use crate::practice::shown_board::ShownBoard;
use crate::referee::record::Ply;

pub(crate) use puzzle_screen::ScreenPuzzles;

/// What a move gave away, as far as it is found.
#[derive(Debug)]
struct LossShown {
    played: Move,
    before: BoardGame,
    inquiry: BoardInquiry,
    found: Vec<MoveFinding>,
}

/// A game on the screen.
#[derive(Debug)]
pub(crate) struct ScreenGame {
    session: Session,
    seating: BoardSeating,
    adviser: Adviser,
    /// Whether hints are shown at each turn of the person.
    with_hints: bool,
    hint: Option<BoardInquiry>,
    /// The hints for the present position.
    hints: Vec<MoveFinding>,
    loss: Option<LossShown>,
    /// The better line that is being shown, and how many of its moves have been made.
    better: Option<(BetterLine, usize)>,
    /// When the present turn began, and the clocks as last shown.
    turn_began: Instant,
    seconds: Option<[u64; 2]>,
    /// The row from the top and the file of the marked field.
    cursor: (usize, usize),
    typed: String,
    message: String,
    /// Whether the opponent has been asked for its move.
    is_waiting: bool,
    /// Whether the last key asked to resign, and the next one has to confirm it.
    is_resigning: bool,
}

impl ScreenGame {
    /// The game of `session`, between those in `seating`.
    ///
    /// # Errors
    /// Fails if there is no thread left.
    pub(crate) fn new(session: Session, seating: BoardSeating) -> io::Result<Self> {
        let game = session.game();
        let board = ShownBoard::of(game.position(), game.ruleset());
        let (cursor, adviser) = ((board.ranks() / 2, board.files() / 2), Adviser::start(game.ruleset())?);
        let mut game = Self {
            session,
            seating,
            adviser,
            with_hints: false,
            hint: None,
            hints: Vec::new(),
            loss: None,
            better: None,
            turn_began: now(),
            seconds: None,
            cursor,
            typed: String::new(),
            message: String::new(),
            is_waiting: false,
            is_resigning: false,
        };
        game.begin_turn();
        Ok(game)
    }

    /// Plays on the terminal until the person leaves, and returns the game as far as it was played.
    ///
    /// # Errors
    /// Fails if the terminal or a thread does.
    pub(crate) fn play(mut self, look: ScreenLook) -> io::Result<(Session, ScreenEnd)> {
        let end = shown_until_left(&mut self, look)?;
        let Self { mut session, seating, .. } = self;
        if let BoardSeating::Distant(_, mut opponent) = seating
            && end == ScreenEnd::Left
            && session.end().is_some()
        {
            // The record comes once the program has left.
            opponent.finish(&mut session, &AtomicBool::new(false));
        }
        Ok((session, end))
    }

    fn board(&self) -> ShownBoard {
        let game = self.session.game();
        ShownBoard::of(game.position(), game.ruleset())
    }

    /// Whether the person is to move.
    fn is_own_turn(&self) -> bool {
        let is_settled = match &self.seating {
            BoardSeating::Distant(_, opponent) => opponent.is_settled(&self.session),
            BoardSeating::Against(..) | BoardSeating::Two => true,
        };
        is_settled && self.session.end().is_none() && self.seating.is_person(self.session.to_move())
    }

    /// The side whose last move is taken back or explained.
    fn taker(&self) -> Option<Side> {
        self.seating.person().or_else(|| self.session.plies().last().map(Ply::side))
    }

    /// Does what is to be done once the position has changed.
    fn begin_turn(&mut self) {
        (self.hint, self.hints) = (None, Vec::new());
        self.typed.clear();
        self.turn_began = now();
        let to_move = self.session.to_move();
        if let BoardSeating::Against(person, opponent) = &self.seating
            && self.session.end().is_none()
            && *person != to_move
        {
            opponent.ask(self.session.game(), self.session.clock(to_move).left());
            self.is_waiting = true;
        }
        self.ask_for_hints();
    }

    fn ask_for_hints(&mut self) {
        if self.with_hints && self.is_own_turn() {
            self.hint = Some(self.adviser.moves(self.session.game()));
        }
    }

    /// Takes the moves of the opponent. Returns whether there were any, or anything else has changed.
    fn collect_moves(&mut self) -> io::Result<bool> {
        let changed = match &mut self.seating {
            BoardSeating::Against(_, opponent) if self.is_waiting => {
                let played = opponent.answer_within(Duration::ZERO).map_err(io::Error::other)?;
                self.is_waiting = played.is_none();
                let elapsed = self.turn_began.elapsed();
                // A bot whose flag has fallen answers in vain.
                match played.filter(|_| !self.session.tick(elapsed) && self.session.end().is_none()) {
                    Some(played) => {
                        self.session.play_after(played.as_str(), elapsed).map_err(io::Error::other)?;
                        true
                    }
                    None => self.session.tick(elapsed),
                }
            }
            BoardSeating::Distant(_, opponent) => match opponent.news_within(Duration::ZERO, &mut self.session) {
                DistantNews::Nothing => false,
                DistantNews::Changed => true,
                DistantNews::Refused(why) => {
                    self.message = format!("the referee refused: {why}");
                    true
                }
            },
            BoardSeating::Against(..) | BoardSeating::Two => self.session.tick(self.turn_began.elapsed()),
        };
        if changed {
            self.begin_turn();
        }
        Ok(changed)
    }

    /// Whether the clocks show other seconds than before.
    fn is_another_second(&mut self) -> bool {
        let elapsed = self.turn_began.elapsed();
        let left = |side| self.seating.left(side, &self.session, elapsed).map(|left| left.as_secs());
        let seconds = left(Side::Black).zip(left(Side::White)).map(|(black, white)| [black, white]);
        std::mem::replace(&mut self.seconds, seconds) != seconds
    }
}

impl ScreenView for ScreenGame {
    fn collect(&mut self) -> io::Result<bool> {
        let mut has_news = self.collect_moves()?;
        let at_once = now();
        let next = |inquiry: &BoardInquiry| inquiry.next_before(at_once);
        while let Some(finding) = self.hint.as_ref().and_then(next) {
            self.hints.push(finding);
            has_news = true;
        }
        if let Some(loss) = &mut self.loss {
            while let Some(finding) = next(&loss.inquiry) {
                loss.found.push(finding);
                has_news = true;
            }
        }
        Ok(self.is_another_second() | has_news)
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        self.obey_key(key)
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        view::draw(&scenes::scene(self), look, buffer);
    }
}
