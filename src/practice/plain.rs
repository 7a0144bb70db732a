//! A game line by line, for screen readers, pipes and tests.

use std::io::{self, BufRead, Read as _, Write};
use std::time::Duration;

use crate::base::sanitise::sanitised;
use crate::base::time::now;
use crate::base::units::counted;
use crate::game::Side;
use crate::practice::advice_text::{hint_text, loss_text};
use crate::practice::findings::MoveFinding;
use crate::practice::hints::{Adviser, BoardInquiry};
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;
use crate::practice::typed::{BoardRequest, HELP, TypedLine};
use crate::referee::record::verdict;
use crate::results::replay::Style;

/// The longest line that is read as a whole, in bytes. The rest of a longer line is skipped.
const MAX_LINE: u64 = 4096;

/// How long a person waits for an answer about the values of moves. What is not known by then is shown as unknown.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait for an opponent between two looks at whether it is still there.
const LOOK: Duration = Duration::from_secs(1);

/// How a line leaves the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The position has changed.
    Moved,
    /// The position is as before.
    Same,
    /// The person has left.
    Left,
}

/// A game that is played line by line.
#[derive(Debug)]
pub(crate) struct PlainGame {
    session: Session,
    seating: BoardSeating,
    /// The thread that answers questions, from the first one.
    adviser: Option<Adviser>,
    style: Style,
}

impl PlainGame {
    /// The game of `session`, between those in `seating`.
    pub(crate) const fn new(session: Session, seating: BoardSeating, style: Style) -> Self {
        Self { session, seating, adviser: None, style }
    }

    /// The game as far as it was played.
    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }

    /// Plays until the game is over, the person leaves it, or `input` ends.
    ///
    /// # Errors
    /// Fails if `input` or `out` does, or if no thread can be started.
    pub(crate) fn play(&mut self, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{}", self.greeting())?;
        let mut is_news = true;
        loop {
            if is_news {
                write!(out, "\n{}", self.session.shown(self.style))?;
            }
            if let Some(result) = self.session.result() {
                let reason = result.reason().map(|reason| format!(" ({})", sanitised(reason))).unwrap_or_default();
                writeln!(out, "{}{reason}", verdict(&Ok(result.clone())))?;
                return out.flush();
            }
            let side = self.session.to_move();
            if !self.seating.is_person(side) {
                out.flush()?;
                self.let_opponent_move()?;
                is_news = true;
                continue;
            }
            if is_news {
                writeln!(out, "{side} to move")?;
            }
            out.flush()?;
            let Some(line) = next_line(input)? else { return Ok(()) };
            match self.obey(&TypedLine::of(&line), out)? {
                Next::Left => return out.flush(),
                next => is_news = next == Next::Moved,
            }
        }
    }

    fn greeting(&self) -> String {
        let players = self.session.players();
        let who = match &self.seating {
            BoardSeating::Against(person, _) => {
                let opponent = person.opponent();
                format!("you play {person}, and {} plays {opponent}", sanitised(&players[opponent]))
            }
            BoardSeating::Two => "you play both sides".to_owned(),
        };
        format!("{}: {who}; type a move, or `help`\n", self.session.game().ruleset())
    }

    fn let_opponent_move(&mut self) -> io::Result<()> {
        let BoardSeating::Against(_, opponent) = &self.seating else { return Ok(()) };
        opponent.ask(self.session.game());
        let played = loop {
            if let Some(played) = opponent.answer_within(LOOK).map_err(io::Error::other)? {
                break played;
            }
        };
        self.session.play(played.as_str()).map_err(io::Error::other)?;
        Ok(())
    }

    /// Does what a line asks for.
    fn obey(&mut self, line: &TypedLine, out: &mut impl Write) -> io::Result<Next> {
        let request = match line {
            TypedLine::Blank => return Ok(Next::Same),
            TypedLine::Move(text) => {
                return match self.session.play(text) {
                    Ok(_) => Ok(Next::Moved),
                    Err(refused) => writeln!(out, "{refused}").map(|()| Next::Same),
                };
            }
            TypedLine::Request(request) => request,
        };
        match request {
            BoardRequest::Help => write!(out, "{HELP}")?,
            BoardRequest::Quit => return Ok(Next::Left),
            BoardRequest::Resign => {
                self.session.resign();
                return Ok(Next::Moved);
            }
            BoardRequest::Undo => match self.taker().and_then(|side| self.session.take_back(side)) {
                Some(plies) => {
                    writeln!(out, "took back {}", counted(u32::try_from(plies).unwrap_or(u32::MAX), "move"))?;
                    return Ok(Next::Moved);
                }
                None => writeln!(out, "you have no move to take back")?,
            },
            BoardRequest::Hint => write!(out, "{}", self.hint()?)?,
            BoardRequest::Why => write!(out, "{}", self.why()?)?,
        }
        Ok(Next::Same)
    }

    /// The side whose last move is taken back or explained.
    fn taker(&self) -> Option<Side> {
        self.seating.taker(self.session.plies())
    }

    fn adviser(&mut self) -> io::Result<&Adviser> {
        let adviser = match self.adviser.take() {
            Some(adviser) => adviser,
            None => Adviser::start(self.session.game().ruleset())?,
        };
        Ok(self.adviser.insert(adviser))
    }

    /// Who wins by each legal move.
    fn hint(&mut self) -> io::Result<String> {
        let game = self.session.game().clone();
        let inquiry = self.adviser()?.moves(&game);
        let position = game.position();
        Ok(hint_text(&position.legal_moves(), position.to_move(), &gathered(&inquiry)))
    }

    /// What the last move gave away.
    fn why(&mut self) -> io::Result<String> {
        let Some(index) = self.taker().and_then(|side| self.session.last_of(side)) else {
            return Ok("you have not moved yet\n".to_owned());
        };
        let (before, ply, after) = self.session.around(index);
        let (before, played, after) = (before.clone(), ply.played, after.clone());
        let inquiry = self.adviser()?.loss(&before, played, &after);
        Ok(loss_text(played, &gathered(&inquiry)))
    }
}

/// All findings up to the end of the search, or of the person's patience.
fn gathered(inquiry: &BoardInquiry) -> Vec<MoveFinding> {
    let deadline = now() + PATIENCE;
    std::iter::from_fn(|| inquiry.next_before(deadline)).collect()
}

/// The next line of `input`, without the part that is longer than any request; `None` at the end.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut part = Vec::new();
    loop {
        part.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut part)? == 0 {
            break;
        }
        if line.is_empty() {
            line.clone_from(&part);
        }
        if part.ends_with(b"\n") {
            break;
        }
    }
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BySide, Ruleset};
    use crate::players::bots::{Builtin, Thinker};
    use crate::practice::board_game::BoardGame;
    use crate::practice::opponent::BuiltinOpponent;

    /// What a game of `ruleset` prints if a person types `lines` for both sides.
    fn two(ruleset: Ruleset, lines: &str) -> (String, PlainGame) {
        let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
        let session = Session::new(BoardGame::start(ruleset), true, players);
        let mut game = PlainGame::new(session, BoardSeating::Two, Style::PLAIN);
        let mut out = Vec::new();
        game.play(&mut lines.as_bytes(), &mut out).expect("memory");
        (String::from_utf8(out).expect("text"), game)
    }

    #[test]
    fn two_people_play_a_game_to_its_end() {
        let (said, game) = two(Ruleset::Gothello, "c3\npass\nPASS\nc4\n");
        assert!(said.starts_with("gothello: you play both sides; type a move, or `help`\n"), "{said}");
        assert!(said.contains("3 . .[b]. .\n"), "{said}");
        assert!(said.ends_with("black wins by 1\n"), "{said}");
        assert_eq!(game.session().plies().len(), 3);
    }

    #[test]
    fn each_line_is_obeyed_and_nothing_that_is_typed_steers_the_terminal() {
        let long = "x".repeat(3 * usize::try_from(MAX_LINE).expect("small"));
        let (said, game) =
            two(Ruleset::Gothello, &format!("undo\nwhy\n\n{long}\n\u{1b}[2Jc3\nc3\nundo\nhelp\nhint\nquit\nc3\n"));
        for expected in [
            "you have no move to take back\n",
            "you have not moved yet\n",
            "\\u{1b}[2jc3: not a move",
            "took back 1 move\n",
            "\nblack wins by 3: ",
            HELP,
        ] {
            assert!(said.contains(expected), "{expected:?} in {said}");
        }
        assert!(!said.contains('\u{1b}') && said.len() < 10_000, "{said}");
        assert!(game.session().plies().is_empty() && game.session().result().is_none());
    }

    #[test]
    fn a_move_that_gave_something_away_is_explained_and_a_best_move_is_not_blamed() {
        let (said, _) = two(Ruleset::Gothello, "c3\nwhy\nundo\na1\nwhy\n");
        assert!(said.contains("c3: gave nothing away: black wins by 3\n"), "{said}");
        let blamed = said.split("\na1: ").nth(1).expect("an answer");
        assert!(blamed.contains("instead of black by 3"), "{blamed}");
    }

    #[test]
    fn the_opponent_answers_and_an_undo_takes_both_moves_back() {
        let bot = BuiltinOpponent::start(Builtin::new(Thinker::Greedy), 1, Ruleset::Gothello, None).expect("a thread");
        let players = BySide { black: "person".to_owned(), white: "greedy".to_owned() };
        let session = Session::new(BoardGame::start(Ruleset::Gothello), true, players);
        let mut game = PlainGame::new(session, BoardSeating::Against(Side::Black, bot), Style::PLAIN);
        let mut out = Vec::new();
        game.play(&mut "c3\nundo\nresign\n".as_bytes(), &mut out).expect("memory");
        let said = String::from_utf8(out).expect("text");
        assert!(said.starts_with("gothello: you play black, and greedy plays white;"), "{said}");
        assert!(said.contains("took back 2 moves\n"), "{said}");
        assert!(said.ends_with("white wins (resignation)\n"), "{said}");
    }
}
