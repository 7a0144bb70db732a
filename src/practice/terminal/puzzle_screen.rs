//! Puzzles on the screen.

use std::io;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::board_input::{BoardInput, BoardKey};
use super::view::{BoardScene, TextTone, draw};
use crate::game::Position as _;
use crate::game::gothello::Game;
use crate::practice::puzzle_round::{PuzzleRound, PuzzleTry};
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::ScreenLook;
use crate::practice::shown_board::ShownBoard;
use crate::results::replay::arrivals;

/// What the keys do, briefly: while a puzzle is being solved, once its answer is known, and at the end.
const SOLVING: &str = "arrows and Enter, or a typed move: try it  g answer  q quit";
const KNOWN: &str = "Enter next puzzle  q quit";
const DONE: &str = "q quit";

/// The maximum number of characters that can be typed: more than any move has.
const LONGEST: usize = 8;

/// The position after the answer to the last puzzle.
#[derive(Debug)]
struct AnsweredPuzzle {
    after: Game,
    answer: crate::game::Move,
    task: String,
}

/// Puzzles that a person solves on the screen.
#[derive(Debug)]
pub(crate) struct ScreenPuzzles {
    round: PuzzleRound,
    /// The puzzle whose answer is shown, before the next one.
    answered: Option<AnsweredPuzzle>,
    input: BoardInput,
    message: String,
}

impl ScreenPuzzles {
    /// The puzzles of `round`.
    pub(crate) const fn new(round: PuzzleRound) -> Self {
        Self { round, answered: None, input: BoardInput::new((2, 2), LONGEST), message: String::new() }
    }

    /// Lets a person solve the puzzles on the terminal. Returns the score as a line, and how the screen was left.
    ///
    /// # Errors
    /// Fails if the terminal does.
    pub(crate) fn solve(mut self, look: ScreenLook) -> io::Result<(String, ScreenEnd)> {
        let end = shown_until_left(&mut self, look)?;
        Ok((self.round.score(), end))
    }

    /// The position that is shown; `None` at the end.
    fn game(&self) -> Option<Game> {
        self.answered.as_ref().map(|answered| answered.after).or_else(|| Some(self.round.puzzle()?.game))
    }

    fn board(&self) -> ShownBoard {
        let game = self.game().unwrap_or_default();
        ShownBoard::of(&game, crate::game::Ruleset::Gothello)
    }

    fn try_move(&mut self, text: &str) {
        let (before, task) = (self.game(), self.round.task());
        self.message = match self.round.attempt(text) {
            PuzzleTry::Refused(why) => why,
            PuzzleTry::Wrong(played) => format!("{played} is wrong: try again, or press g for the answer"),
            PuzzleTry::Right(answer) => {
                self.answered = before.map(|game| AnsweredPuzzle { after: game.after(answer), answer, task });
                format!("{answer} is right")
            }
        };
    }

    fn give_up(&mut self) {
        let (before, task) = (self.game(), self.round.task());
        if let Some((game, answer)) = before.zip(self.round.give_up()) {
            self.answered = Some(AnsweredPuzzle { after: game.after(answer), answer, task });
            self.message = format!("the answer is {answer}");
        }
    }

    fn scene(&self) -> BoardScene<'_> {
        let board = self.board();
        let game = self.game();
        let is_solving = self.answered.is_none() && game.is_some();
        let mut texts = Vec::new();
        match &self.answered {
            Some(answered) => texts.push((answered.task.clone(), TextTone::Plain)),
            None => texts.push((self.round.task(), TextTone::Plain)),
        }
        if !self.input.typed.is_empty() {
            texts.push((format!("> {}", self.input.typed), TextTone::Plain));
        }
        if !self.message.is_empty() {
            texts.push((self.message.clone(), TextTone::Notice));
        }
        texts.push((self.round.score(), if game.is_some() { TextTone::Plain } else { TextTone::Strong }));
        let last = self.answered.as_ref().map(|answered| answered.answer);
        BoardScene {
            heading: "gothello: puzzles".to_owned(),
            keys: match (is_solving, game) {
                (true, _) => SOLVING,
                (false, Some(_)) => KNOWN,
                (false, None) => DONE,
            }
            .to_owned(),
            side: game.unwrap_or_default().side(),
            legal: game.filter(|_| is_solving).map(|game| game.legal_moves()).unwrap_or_default(),
            hints: &[],
            cursor: is_solving.then_some(self.input.cursor),
            marked: last.map(|answer| arrivals(answer, board.ranks())).unwrap_or_default(),
            texts,
            board,
        }
    }
}

impl ScreenView for ScreenPuzzles {
    fn collect(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        draw(&self.scene(), look, buffer);
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        if matches!(key.code, KeyCode::Char('q' | 'Q')) {
            return Some(ScreenEnd::Left);
        }
        if self.answered.is_some() {
            if matches!(key.code, KeyCode::Enter | KeyCode::Char(' ')) {
                self.answered = None;
                self.message.clear();
            }
            return None;
        }
        let board = self.board();
        match self.input.press(key.code, &board) {
            BoardKey::Taken | BoardKey::Other => {}
            BoardKey::Typed(text) | BoardKey::Field(text) => self.try_move(&text),
            BoardKey::Letter('g' | 'G') => self.give_up(),
            BoardKey::Letter(letter) => self.input.push(letter),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyModifiers;
    use ratatui::layout::Rect;

    use super::*;
    use crate::practice::puzzles::puzzles_of;

    fn screen() -> ScreenPuzzles {
        let one = |answer: &str| {
            format!(
                "{{\"board\": \"..... ..... ..b.. ..... .....\", \"to_move\": \"white\", \"passed\": false, \
                 \"goal\": \"win\", \"answer\": \"{answer}\", \"difficulty\": 1}}"
            )
        };
        let text = format!("{{\"format\": 1, \"puzzles\": [{}, {}]}}", one("c4"), one("pass"));
        ScreenPuzzles::new(PuzzleRound::new(puzzles_of(&text).expect("puzzles")))
    }

    fn press(screen: &mut ScreenPuzzles, keys: &str) -> Option<ScreenEnd> {
        let mut end = None;
        for key in keys.chars() {
            let code = match key {
                '\n' => KeyCode::Enter,
                '^' => KeyCode::Up,
                letter => KeyCode::Char(letter),
            };
            end = screen.press(KeyEvent::new(code, KeyModifiers::NONE));
        }
        end
    }

    fn shown(screen: &ScreenPuzzles, width: u16, height: u16) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        screen.draw(ScreenLook { unicode: false, colours: false }, &mut buffer);
        let rows = buffer.content().chunks(usize::from(width));
        let lines = rows.map(|cells| cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>() + "\n");
        lines.collect()
    }

    #[test]
    fn puzzles_are_solved_on_the_board_and_the_answer_is_shown_on_it() {
        let mut screen = screen();
        assert!(shown(&screen, 80, 24).contains("puzzle 1 of 2"), "{}", shown(&screen, 80, 24));
        press(&mut screen, "\n");
        assert!(shown(&screen, 80, 24).contains("c3: the point is occupied"));
        press(&mut screen, "b1\n");
        assert!(shown(&screen, 80, 24).contains("b1 is wrong"));
        press(&mut screen, "^\n");
        let seen = shown(&screen, 80, 24);
        assert!(seen.contains("c4 is right") && seen.contains("(w)") && seen.contains("puzzle 1 of 2"), "{seen}");
        press(&mut screen, "\n");
        assert!(shown(&screen, 40, 16).contains("puzzle 2 of 2"), "{}", shown(&screen, 40, 16));
        press(&mut screen, "g");
        assert!(shown(&screen, 80, 24).contains("the answer is pass"), "{}", shown(&screen, 80, 24));
        press(&mut screen, "\n");
        let seen = shown(&screen, 80, 24).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(seen.contains("all puzzles are done") && seen.contains("given up"), "{seen}");
        press(&mut screen, "g\nc3\n");
        assert_eq!(press(&mut screen, "q"), Some(ScreenEnd::Left));
        assert_eq!(screen.round.score(), "0 of 2 puzzles solved on the first try, 1 after another try, 1 given up");
    }
}
