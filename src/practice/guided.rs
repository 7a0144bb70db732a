//! A game with help for the person who plays it: hints, an opponent that answers, and an account of what the last move
//! gave away.

mod guide_answers;

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::base::time::{Instant, now};
use crate::game::{Move, Side};
use crate::practice::better_line::BetterLine;
use crate::practice::distant_opponent::{DistantNews, NO_TAKE_BACK};
use crate::practice::findings::MoveFinding;
use crate::practice::hints::Adviser;
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;
use crate::practice::shown_board::ShownBoard;
use guide_answers::GuideAnswers;
pub(crate) use guide_answers::LossShown;

/// Why a request is refused while the opponent is to move.
const THINKING: &str = "the opponent is thinking";

/// The effect of choosing a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChosenField {
    /// The move is played.
    Played(Move),
    /// This text begins a move, which needs another field.
    Begun(String),
    /// The move is refused for this reason.
    Refused(String),
}

/// A game between a person and an opponent, or between two people, with help.
#[derive(Debug)]
pub(crate) struct GuidedGame {
    session: Session,
    seating: BoardSeating,
    adviser: Adviser,
    /// Whether hints are shown at each of the person's turns.
    has_hints: bool,
    /// The hints for the current position.
    hints: Option<GuideAnswers>,
    loss: Option<LossShown>,
    /// Whether a built-in opponent has been asked for its move.
    is_waiting: bool,
    /// The refusal by a distant opponent's referee, until the person has seen it.
    refusal: Option<String>,
    /// When the current turn began, and the seconds that the clocks last showed.
    turn_began: Instant,
    seconds: Option<[u64; 2]>,
}

impl GuidedGame {
    /// The game of `session` between the players in `seating`. `threads` is the number of threads that look for hints.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(crate) fn new(session: Session, seating: BoardSeating, threads: NonZeroUsize) -> io::Result<Self> {
        let adviser = Adviser::start(session.game().ruleset(), threads)?;
        let (has_hints, hints, loss, is_waiting) = (false, None, None, false);
        let (refusal, turn_began, seconds) = (None, now(), None);
        let mut game =
            Self { session, seating, adviser, has_hints, hints, loss, is_waiting, refusal, turn_began, seconds };
        game.begin_turn();
        Ok(game)
    }

    /// The game up to its latest move.
    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the help, and returns the game up to its latest move. If a distant opponent has played the game to the end,
    /// waits for its referee's record.
    pub(crate) fn into_session(self) -> Session {
        let Self { mut session, seating, .. } = self;
        if let BoardSeating::Distant(_, mut opponent) = seating
            && session.end().is_some()
        {
            opponent.finish(&mut session, &AtomicBool::new(false));
        }
        session
    }

    /// Who sits where.
    pub(crate) const fn seating(&self) -> &BoardSeating {
        &self.seating
    }

    /// The board on which moves are made now.
    pub(crate) fn board(&self) -> ShownBoard {
        let game = self.session.game();
        ShownBoard::of(game.position(), game.ruleset())
    }

    /// Whether the opponent is choosing its move.
    pub(crate) fn is_waiting(&self) -> bool {
        self.session.end().is_none() && !self.is_own_turn()
    }

    /// Whether something may happen without a request from the person: the opponent or the solver may answer, or a flag
    /// may fall.
    pub(crate) fn is_busy(&self) -> bool {
        let is_open = |answers: &GuideAnswers| answers.is_open();
        let has_clocks = self.session.clock(self.session.to_move()).left().is_some();
        let is_live = self.session.end().is_none();
        self.is_waiting
            || is_live && (has_clocks || matches!(self.seating, BoardSeating::Distant(..)))
            || self.hints.as_ref().is_some_and(is_open)
            || self.loss.as_ref().is_some_and(LossShown::is_open)
    }

    /// Whether more hints may be found.
    pub(crate) fn is_searching(&self) -> bool {
        self.hints.as_ref().is_some_and(GuideAnswers::is_open)
    }

    /// The refusal by a distant opponent's referee since the last call, if there was one. Printable.
    pub(crate) fn take_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// The times that both sides have left, in words; `None` without clocks.
    pub(crate) fn clocks_text(&self) -> Option<String> {
        self.seating.clocks_text(&self.session, self.turn_began.elapsed())
    }

    /// Whether the person is to move.
    pub(crate) fn is_own_turn(&self) -> bool {
        self.seating.is_own_turn(&self.session)
    }

    /// Whether hints are wanted.
    pub(crate) const fn has_hints(&self) -> bool {
        self.has_hints
    }

    /// The hints found so far for the current position.
    pub(crate) fn hints(&self) -> &[MoveFinding] {
        self.hints.as_ref().map_or(&[], |hints| &hints.found)
    }

    /// What the last move gave away, if the person has asked for this.
    pub(crate) const fn loss(&self) -> Option<&LossShown> {
        self.loss.as_ref()
    }

    /// Begins the turn in a position that has just been reached, and asks a built-in opponent for its move if it is the
    /// opponent's turn.
    fn begin_turn(&mut self) {
        self.hints = None;
        self.turn_began = now();
        // A referee may have refused the move that was being explained.
        self.loss = self.loss.take().filter(|loss| loss.ply < self.session.plies().len());
        if let BoardSeating::Against(_, opponent) = &self.seating
            && self.session.end().is_none()
            && !self.is_own_turn()
        {
            opponent.ask(self.session.game(), self.session.clock(self.session.to_move()).left());
            self.is_waiting = true;
        }
        self.ask_for_hints();
    }

    fn ask_for_hints(&mut self) {
        if self.has_hints && self.is_own_turn() {
            self.hints = Some(GuideAnswers::to(self.adviser.moves(self.session.game())));
        }
    }

    /// Processes the opponent's actions, and reads the clocks. Returns whether the game has changed.
    fn collect_moves(&mut self) -> io::Result<bool> {
        let elapsed = self.turn_began.elapsed();
        let changed = match &mut self.seating {
            BoardSeating::Against(_, opponent) if self.is_waiting => {
                let played = opponent.answer_within(Duration::ZERO).map_err(io::Error::other)?;
                self.is_waiting = played.is_none();
                let has_fallen = self.session.tick(elapsed);
                // A bot's answer is ignored if its flag has fallen.
                match played.filter(|_| self.session.end().is_none()) {
                    Some(played) => {
                        self.session.play_after(played.as_str(), elapsed).map_err(io::Error::other)?;
                        true
                    }
                    None => has_fallen,
                }
            }
            BoardSeating::Distant(_, opponent) => match opponent.news_within(Duration::ZERO, &mut self.session) {
                DistantNews::Nothing => false,
                DistantNews::Changed => true,
                DistantNews::Refused(why) => {
                    self.refusal = Some(format!("the referee refused the move: {why}"));
                    true
                }
            },
            BoardSeating::Against(..) | BoardSeating::Two => self.session.tick(elapsed),
        };
        if changed {
            self.begin_turn();
        }
        Ok(changed)
    }

    /// The seconds that black and white have left, rounded up; `None` without clocks.
    pub(crate) fn seconds(&self) -> Option<[u64; 2]> {
        let elapsed = self.turn_began.elapsed();
        let left = |side| self.seating.seconds(side, &self.session, elapsed);
        left(Side::Black).zip(left(Side::White)).map(|(black, white)| [black, white])
    }

    /// Whether the seconds that the clocks show have changed.
    fn is_another_second(&mut self) -> bool {
        let seconds = self.seconds();
        std::mem::replace(&mut self.seconds, seconds) != seconds
    }

    /// Processes the answers from the threads, and reads the clocks. Returns whether there is anything new.
    ///
    /// # Errors
    /// Fails if the opponent is gone.
    pub(crate) fn collect(&mut self) -> io::Result<bool> {
        let mut has_news = self.collect_moves()? | self.is_another_second();
        has_news |= self.hints.as_mut().is_some_and(GuideAnswers::collect);
        has_news |= self.loss.as_mut().is_some_and(|loss| loss.answers.collect());
        Ok(has_news)
    }

    /// The side whose last move would be taken back or explained.
    fn taker(&self) -> Option<Side> {
        self.seating.taker(self.session.plies())
    }

    /// Shows hints from now on, or hides them.
    pub(crate) fn toggle_hints(&mut self) {
        self.has_hints = !self.has_hints;
        self.hints = None;
        self.ask_for_hints();
    }

    /// Requests an explanation of what the last move gave away, or hides it.
    ///
    /// # Errors
    /// Fails if there is no move to explain.
    pub(crate) fn explain(&mut self) -> Result<(), &'static str> {
        if self.loss.take().is_some() {
            return Ok(());
        }
        let index = self.taker().and_then(|side| self.session.last_of(side)).ok_or("you have not moved yet")?;
        let (before, ply, after) = self.session.around(index);
        let inquiry = self.adviser.loss(before, ply.played, after);
        self.loss = Some(LossShown { ply: index, played: ply.played, answers: GuideAnswers::to(inquiry) });
        Ok(())
    }

    /// The line that would have been better than the last move, once the person has asked what that move gave away.
    pub(crate) fn better_line(&self) -> Option<BetterLine> {
        let loss = self.loss.as_ref()?;
        let (before, ..) = self.session.around(loss.ply);
        loss.found().iter().rev().find_map(|finding| match finding {
            MoveFinding::BetterLine(moves) => BetterLine::new(before, moves),
            _ => None,
        })
    }

    /// Takes back the last move and the answer to it. Returns how many plies were taken back.
    ///
    /// # Errors
    /// Fails if there is no move to take back, if the opponent is thinking, or if the opponent cannot be told that a
    /// move is taken back.
    pub(crate) fn take_back(&mut self) -> Result<usize, &'static str> {
        if matches!(self.seating, BoardSeating::Distant(..)) {
            return Err(NO_TAKE_BACK);
        }
        self.wait_for_own_turn()?;
        // Before the first move, only the end of the game can be taken back.
        let side = self.taker().unwrap_or_else(|| self.session.to_move());
        let taken = self.session.take_back(side);
        let taken = taken.ok_or("you have no move to take back")?;
        self.loss = None;
        self.begin_turn();
        Ok(taken)
    }

    /// Lets the person resign. Does nothing if the game is over.
    ///
    /// # Errors
    /// Fails while the opponent is thinking.
    pub(crate) fn resign(&mut self) -> Result<(), &'static str> {
        self.wait_for_own_turn()?;
        if let BoardSeating::Distant(_, opponent) = &mut self.seating
            && self.session.end().is_none()
        {
            opponent.tell_resignation(&self.session);
        }
        self.session.resign();
        self.begin_turn();
        Ok(())
    }

    /// Plays the move on the field `name`, or uses this field to begin or continue a move that names several fields.
    /// `begun` is the text of the fields named so far.
    pub(crate) fn choose_field(&mut self, name: &str, begun: &str) -> ChosenField {
        let legal = self.session.game().position().legal_moves();
        let texts = if begun.is_empty() {
            vec![name.to_owned()]
        } else {
            ["-", "+"].map(|sign| format!("{begun}{sign}{name}")).to_vec()
        };
        let found = texts.iter().find(|text| legal.iter().any(|played| played.as_str().starts_with(text.as_str())));
        match found {
            Some(text) if legal.iter().all(|played| played.as_str() != text) => ChosenField::Begun(text.clone()),
            found => match self.play(found.unwrap_or(&texts[0])) {
                Ok(played) => ChosenField::Played(played),
                Err(why) => ChosenField::Refused(why),
            },
        }
    }

    /// Plays the move that the person has named.
    ///
    /// # Errors
    /// Fails if the rules forbid the move, or while the opponent is thinking.
    pub(crate) fn play(&mut self, text: &str) -> Result<Move, String> {
        self.wait_for_own_turn()?;
        let played = self.seating.play(text, &mut self.session, self.turn_began.elapsed());
        let played = played.map_err(|refused| refused.to_string())?;
        self.loss = None;
        self.begin_turn();
        Ok(played)
    }

    fn wait_for_own_turn(&self) -> Result<(), &'static str> {
        if self.is_waiting || self.is_waiting() { Err(THINKING) } else { Ok(()) }
    }
}
