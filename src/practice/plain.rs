//! A game line by line, for screen readers, pipes and tests.

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::base::units::counted;
use crate::game::Side;
use crate::practice::advice_text::{hint_text, loss_text};
use crate::practice::better_line::BetterLine;
use crate::practice::distant_opponent::{DistantNews, NO_TAKE_BACK};
use crate::practice::findings::MoveFinding;
use crate::practice::hints::{Adviser, BoardInquiry};
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;
use crate::practice::typed::{BoardRequest, HELP, TypedLine};
use crate::practice::typed_lines::{TypedEvent, TypedLines};
use crate::referee::record::verdict;
use crate::results::replay::Style;

/// How long a person waits for an answer about the values of moves. Values that are not known by then are shown as
/// unknown.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often to check the clocks, the signals and the opponent's actions while the person is to move.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the game continues after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The game goes on.
    On,
    /// The person has left.
    Left,
}

/// How a line-by-line game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainEnd {
    /// The game is over, or the person has left it.
    Left,
    /// A signal ended it.
    Signalled,
}

/// A game that is played line by line.
#[derive(Debug)]
pub(crate) struct PlainGame {
    session: Session,
    seating: BoardSeating,
    /// The thread that answers questions, once one has been asked.
    adviser: Option<Adviser>,
    /// How many threads find hints.
    threads: NonZeroUsize,
    style: Style,
    /// When the current turn began.
    turn_began: Instant,
}

impl PlainGame {
    /// The game of `session` between the players in `seating`. `threads` is the number of threads that look for hints.
    pub(crate) fn new(session: Session, seating: BoardSeating, threads: NonZeroUsize, style: Style) -> Self {
        Self { session, seating, adviser: None, threads, style, turn_began: now() }
    }

    /// The game up to its latest move.
    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }

    /// Plays until the game is over, the person leaves it, `input` ends, or `stop` is raised.
    ///
    /// # Errors
    /// Fails if `input` or `out` does, or if no thread can be started.
    pub(crate) fn play(&mut self, input: &TypedLines, out: &mut impl Write, stop: &AtomicBool) -> io::Result<PlainEnd> {
        write!(out, "{}", self.greeting())?;
        let (mut shown, mut has_prompted, mut asked) = (None, false, false);
        while !stop.load(Ordering::Relaxed) {
            // If the game ends without a move, the board has not changed.
            let plies = self.session.plies().len();
            if shown.replace(plies) != Some(plies) {
                write!(out, "\n{}", self.session.shown(self.style))?;
                (self.turn_began, has_prompted, asked) = (now(), false, false);
            }
            if self.session.end().is_some() {
                return self.tell_end(out, stop);
            }
            if !self.seating.is_own_turn(&self.session) {
                out.flush()?;
                self.let_opponent_move(&mut asked, out)?;
                continue;
            }
            if !std::mem::replace(&mut has_prompted, true) {
                let clocks = self.seating.clocks_text(&self.session, self.turn_began.elapsed());
                let clocks = clocks.map(|clocks| format!(" ({clocks})")).unwrap_or_default();
                writeln!(out, "{} to move{clocks}", self.session.to_move())?;
            }
            out.flush()?;
            self.take_news(out)?;
            if self.session.end().is_some() {
                continue;
            }
            match input.next_within(LOOK)? {
                TypedEvent::Nothing => {}
                TypedEvent::End => return Ok(PlainEnd::Left),
                TypedEvent::Line(line) => {
                    if self.obey(&TypedLine::of(&line), out)? == Next::Left {
                        return out.flush().map(|()| PlainEnd::Left);
                    }
                }
            }
        }
        Ok(PlainEnd::Signalled)
    }

    fn greeting(&self) -> String {
        let players = self.session.players();
        let who = match self.seating.person() {
            Some(person) => {
                let opponent = person.opponent();
                format!("you play {person}, and {} plays {opponent}", sanitised(&players[opponent]))
            }
            None => "you play both sides".to_owned(),
        };
        format!("{}: {who}; type a move, or `help`\n", self.session.game().ruleset())
    }

    /// Waits a moment for the opponent, which is asked for its move unless it has been asked already.
    fn let_opponent_move(&mut self, asked: &mut bool, out: &mut impl Write) -> io::Result<()> {
        match &mut self.seating {
            BoardSeating::Against(_, opponent) => {
                if !std::mem::replace(asked, true) {
                    opponent.ask(self.session.game(), self.session.clock(self.session.to_move()).left());
                }
                let played = opponent.answer_within(LOOK).map_err(io::Error::other)?;
                let elapsed = self.turn_began.elapsed();
                // A bot's answer is ignored if its flag has fallen.
                if !self.session.tick(elapsed)
                    && let Some(played) = played
                {
                    self.session.play_after(played.as_str(), elapsed).map_err(io::Error::other)?;
                }
            }
            BoardSeating::Distant(_, opponent) => {
                if let DistantNews::Refused(why) = opponent.news_within(LOOK, &mut self.session) {
                    writeln!(out, "the referee refused the move: {why}")?;
                }
            }
            BoardSeating::Two => {}
        }
        Ok(())
    }

    /// Handles events on the clock, and actions of a distant opponent, while the person is to move.
    fn take_news(&mut self, out: &mut impl Write) -> io::Result<()> {
        if let BoardSeating::Distant(_, opponent) = &mut self.seating
            && let DistantNews::Refused(why) = opponent.news_within(Duration::ZERO, &mut self.session)
        {
            writeln!(out, "the referee refused the move: {why}")?;
        }
        self.session.tick(self.turn_began.elapsed());
        Ok(())
    }

    fn tell_end(&mut self, out: &mut impl Write, stop: &AtomicBool) -> io::Result<PlainEnd> {
        let mut last_words = None;
        if let BoardSeating::Distant(_, opponent) = &mut self.seating {
            opponent.finish(&mut self.session, stop);
            last_words = opponent.last_words().map(str::to_owned);
        }
        if let Some(end) = self.session.end() {
            let reason = self.session.result().and_then(|result| result.reason().map(sanitised));
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            writeln!(out, "{}{reason}", sanitised(&verdict(&end)))?;
        }
        if let Some(words) = last_words {
            writeln!(out, "the opponent's stderr: {words}")?;
        }
        out.flush().map(|()| PlainEnd::Left)
    }

    /// Carries out the request in a line.
    fn obey(&mut self, line: &TypedLine, out: &mut impl Write) -> io::Result<Next> {
        let request = match line {
            TypedLine::Blank => return Ok(Next::On),
            TypedLine::Move(text) => return self.play_move(text, out),
            TypedLine::Request(request) => request,
        };
        match request {
            BoardRequest::Help => write!(out, "{HELP}")?,
            BoardRequest::Quit => return Ok(Next::Left),
            BoardRequest::Resign => {
                match &mut self.seating {
                    BoardSeating::Distant(_, opponent) => opponent.tell_resignation(&self.session),
                    BoardSeating::Against(..) | BoardSeating::Two => {}
                }
                self.session.resign();
            }
            BoardRequest::Undo if matches!(self.seating, BoardSeating::Distant(..)) => {
                writeln!(out, "{NO_TAKE_BACK}")?;
            }
            BoardRequest::Undo => match self.taker().and_then(|side| self.session.take_back(side)) {
                Some(plies) => {
                    writeln!(out, "took back {}", counted(u32::try_from(plies).unwrap_or(u32::MAX), "move"))?;
                }
                None => writeln!(out, "you have no move to take back")?,
            },
            BoardRequest::Hint => write!(out, "{}", self.hint()?)?,
            BoardRequest::Why => write!(out, "{}", self.why()?)?,
            BoardRequest::Line => write!(out, "{}", self.better_line()?)?,
        }
        Ok(Next::On)
    }

    fn play_move(&mut self, text: &str, out: &mut impl Write) -> io::Result<Next> {
        let played = self.seating.play(text, &mut self.session, self.turn_began.elapsed());
        match played {
            Err(refused) if self.session.end().is_none() => writeln!(out, "{refused}").map(|()| Next::On),
            Ok(_) | Err(_) => Ok(Next::On),
        }
    }

    /// The side whose last move would be taken back or explained: the person's side or, if a person plays both sides,
    /// the side that moved last.
    fn taker(&self) -> Option<Side> {
        self.seating.taker(self.session.plies())
    }

    fn adviser(&mut self) -> io::Result<&Adviser> {
        let adviser = match self.adviser.take() {
            Some(adviser) => adviser,
            None => Adviser::start(self.session.game().ruleset(), self.threads)?,
        };
        Ok(self.adviser.insert(adviser))
    }

    /// Who wins after each legal move.
    fn hint(&mut self) -> io::Result<String> {
        let game = self.session.game().clone();
        let inquiry = self.adviser()?.moves(&game);
        let position = game.position();
        Ok(hint_text(&position.legal_moves(), position.to_move(), &gathered(&inquiry)))
    }

    /// What the last move gave away.
    fn why(&mut self) -> io::Result<String> {
        let Some(index) = self.taker().and_then(|side| self.session.last_of(side)) else {
            return Ok(NOT_MOVED.to_owned());
        };
        let played = self.session.plies()[index].played;
        Ok(loss_text(played, &self.loss(index)?))
    }

    /// All findings about what the move with this `index` gave away.
    fn loss(&mut self, index: usize) -> io::Result<Vec<MoveFinding>> {
        let (before, ply, after) = self.session.around(index);
        let (before, played, after) = (before.clone(), ply.played, after.clone());
        let inquiry = self.adviser()?.loss(&before, played, &after);
        Ok(gathered(&inquiry))
    }

    /// The line that would have been better than the last move, with the board after each of its moves.
    fn better_line(&mut self) -> io::Result<String> {
        let Some(index) = self.taker().and_then(|side| self.session.last_of(side)) else {
            return Ok(NOT_MOVED.to_owned());
        };
        let found = self.loss(index)?;
        let better = found.iter().rev().find_map(|finding| match finding {
            MoveFinding::BetterLine(moves) => BetterLine::new(self.session.around(index).0, moves),
            _ => None,
        });
        Ok(match better {
            Some(better) => better.text(self.style),
            None => format!("no better line is known\n{}", loss_text(self.session.plies()[index].played, &found)),
        })
    }
}

/// The answer to a request about the last move of a person who has not moved yet.
const NOT_MOVED: &str = "you have not moved yet\n";

/// All findings until the search ends, but at most for [`PATIENCE`].
fn gathered(inquiry: &BoardInquiry) -> Vec<MoveFinding> {
    let deadline = now() + PATIENCE;
    std::iter::from_fn(|| inquiry.next_before(deadline)).collect()
}
