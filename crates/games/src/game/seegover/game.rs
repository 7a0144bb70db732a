//! A game with its history.

use std::collections::BTreeSet;
use std::fmt;

use thiserror::Error;

use super::board::Board;
use super::options::{BackRule, CycleRule, DropRule, Options};
use super::play::{Form, Play};
use super::squares::{CENTRE, Square, squares};
use super::view::{FULL, View};
use crate::game::{IllegalMove, Move, Outcome, Position, Side};

/// A game in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    rules: Options,
    board: Board,
    to_move: Side,
    /// Every position of the move phase so far, including the present one.
    seen: BTreeSet<(Board, Side)>,
    ending: Option<Ending>,
}

/// How the rules ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// This side won, because the other side has four stones or fewer.
    Won(Side),
    /// The position occurred for the second time.
    Repeated,
    /// The rule against cycles forbids every turn.
    NoTurn,
}

/// The reason why a game cannot continue from a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UnplayableBoard {
    /// There is a stone in the centre in the drop phase.
    #[error("c3 stays empty until 24 stones are on the board: this board has one on c3, but only {stones} in total")]
    Centre {
        /// The number of stones on the board.
        stones: u32,
    },
    /// There is an odd number of stones although each turn drops two.
    #[error("each turn drops two stones, so a board cannot have {stones} stones")]
    Odd {
        /// The number of stones on the board.
        stones: u32,
    },
}

impl Game {
    /// Creates a game on the empty board, with black to move.
    pub fn new(rules: Options) -> Self {
        Self { rules, board: Board::default(), to_move: Side::Black, seen: BTreeSet::new(), ending: None }
    }

    /// Creates a game that begins on `board`, without any earlier turns.
    ///
    /// # Errors
    /// Fails if the drop phase cannot end when it begins on `board`.
    pub fn from_board(rules: Options, board: Board, to_move: Side) -> Result<Self, UnplayableBoard> {
        let stones = board.count();
        if !board.is_full() {
            if board.empty() & CENTRE.bit() == 0 {
                return Err(UnplayableBoard::Centre { stones });
            }
            if !(FULL - stones).is_multiple_of(rules.drop.stones()) {
                return Err(UnplayableBoard::Odd { stones });
            }
        }
        let mut game = Self { rules, board, to_move, seen: BTreeSet::new(), ending: None };
        game.judge();
        Ok(game)
    }

    /// The options of the rules.
    pub const fn rules(&self) -> Options {
        self.rules
    }

    /// The stones.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The side to move.
    pub const fn side(&self) -> Side {
        self.to_move
    }

    /// The stones from the perspective of the side to move.
    pub const fn view(&self) -> View {
        self.board.view(self.to_move)
    }

    /// How the game ended; `None` while it goes on.
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Whether `board` with `to_move` to move has already occurred in the move phase.
    pub fn has_occurred(&self, board: Board, to_move: Side) -> bool {
        self.seen.contains(&(board, to_move))
    }

    /// Every position of the move phase so far, including the present one.
    pub fn occurred(&self) -> impl Iterator<Item = (Board, Side)> {
        self.seen.iter().copied()
    }

    /// Every legal turn; none once the game is over.
    pub fn plays(&self) -> Vec<Play> {
        if self.ending.is_some() { Vec::new() } else { self.legal() }
    }

    /// The game after a legal turn.
    #[must_use]
    pub fn after(&self, play: Play) -> Self {
        let mut game = self.clone();
        game.advance(play);
        game
    }

    /// The number of sequences of exactly `plies` turns from here. Sequences that are shorter because the game ends are
    /// not counted.
    pub fn perft(&self, plies: u32) -> u64 {
        self.clone().count(plies)
    }

    fn count(&mut self, plies: u32) -> u64 {
        match plies {
            0 => return 1,
            1 => return self.plays().len() as u64,
            _ => {}
        }
        let (board, to_move) = (self.board, self.to_move);
        let mut sequences = 0;
        for play in self.plays() {
            let is_new = self.advance(play);
            sequences += self.count(plies - 1);
            if is_new {
                self.seen.remove(&(self.board, self.to_move));
            }
            (self.board, self.to_move, self.ending) = (board, to_move, None);
        }
        sequences
    }

    /// Makes a legal turn. Returns whether the position is new in the history.
    fn advance(&mut self, play: Play) -> bool {
        self.board = self.board_after(play);
        self.to_move = self.to_move.opponent();
        self.judge()
    }

    fn board_after(&self, play: Play) -> Board {
        Board::of(self.to_move, self.view().after(play, self.rules))
    }

    /// Determines whether the present position ends the game, and adds the position to the history. Returns whether the
    /// position is new in the history.
    fn judge(&mut self) -> bool {
        if !self.board.is_full() {
            return false;
        }
        if let Some(loser) = Side::BOTH.into_iter().find(|&side| self.board.view(side).is_lost()) {
            self.ending = Some(Ending::Won(loser.opponent()));
            return false;
        }
        let is_new = self.seen.insert((self.board, self.to_move));
        if !is_new {
            self.ending = Some(Ending::Repeated);
        } else if self.rules.cycle == CycleRule::Superko && self.legal().is_empty() {
            self.ending = Some(Ending::NoTurn);
        }
        is_new
    }

    /// Every turn that the rules allow in a game that is not over.
    fn legal(&self) -> Vec<Play> {
        match self.view().hole() {
            Some(hole) => self.moves(hole),
            None => self.drops(),
        }
    }

    fn drops(&self) -> Vec<Play> {
        let free = self.board.empty() & !CENTRE.bit();
        match self.rules.drop {
            DropRule::One => squares(free).map(Play::Drop).collect(),
            DropRule::Two => {
                let later = |first: Square| squares(free).filter(move |&second| second > first);
                squares(free).flat_map(|first| later(first).map(move |second| Play::Pair(first, second))).collect()
            }
        }
    }

    fn moves(&self, hole: Square) -> Vec<Play> {
        let (view, mut found) = (self.view(), Vec::new());
        view.each_step(hole, self.rules, |play, after| found.extend(self.allows(after).then_some(play)));
        if found.is_empty() {
            view.each_lift(hole, self.rules, |play, after| found.extend(self.allows(after).then_some(play)));
        }
        found
    }

    /// Whether the rule against cycles allows a turn that leads to `after`, which is from the perspective of the side
    /// that made the turn.
    fn allows(&self, after: View) -> bool {
        let next = (Board::of(self.to_move, after), self.to_move.opponent());
        self.rules.cycle == CycleRule::Draw || !self.seen.contains(&next)
    }

    /// Judges a turn in a game that is not over, checking the reasons for refusal in order.
    fn check(&self, form: Form) -> Result<Play, IllegalMove> {
        match self.view().hole() {
            Some(hole) => self.check_move(form, hole),
            None => self.check_drop(form),
        }
    }

    fn check_drop(&self, form: Form) -> Result<Play, IllegalMove> {
        let (first, second) = match (form, form.play()) {
            (Form::Drop(at), _) => (at, None),
            (Form::Pair(one, other), _) => (one, Some(other)),
            _ if self.rules.drop == DropRule::One => {
                return Err(refused("a turn drops one stone until 24 are on the board"));
            }
            _ => return Err(refused("a turn drops two stones until 24 are on the board")),
        };
        if first == CENTRE || second == Some(CENTRE) {
            return Err(refused("the centre stays empty until 24 stones are on the board"));
        }
        let is_empty = |square: Square| self.board.empty() & square.bit() != 0;
        if !is_empty(first) || second.is_some_and(|second| second == first || !is_empty(second)) {
            return Err(OCCUPIED);
        }
        form.play().ok_or(OCCUPIED)
    }

    fn check_move(&self, form: Form, hole: Square) -> Result<Play, IllegalMove> {
        let (from, to) = match form {
            Form::Drop(_) | Form::Pair(..) => return Err(refused("all stones are already on the board")),
            Form::Return(from, _, back) if from != back => {
                return Err(refused("a stone can return only to its original square"));
            }
            Form::Return(from, to, _) | Form::Move(from, to) => (from, to),
        };
        let view = self.view();
        if view.empty() & from.bit() != 0 {
            return Err(refused("there is no stone on the first square"));
        }
        if view.enemy() & from.bit() != 0 {
            return Err(refused("the stone is the opponent's"));
        }
        if to != hole {
            return Err(OCCUPIED);
        }
        self.check_arrival(form, from, hole)
    }

    /// Judges a turn in which the side's own stone on `from` moves into the empty square.
    fn check_arrival(&self, form: Form, from: Square, hole: Square) -> Result<Play, IllegalMove> {
        let view = self.view();
        let is_stepper = |stone: Square| view.steppers(hole) & stone.bit() != 0;
        let (is_step, returns) = (is_stepper(from), matches!(form, Form::Return(..)));
        let legal = self.moves(hole);
        let has_step = legal.iter().any(|play| play.from().is_some_and(is_stepper));
        if !is_step && has_step {
            return Err(refused("a stone next to the empty square must move"));
        }
        if returns && !is_step {
            return Err(refused("a lifted stone cannot return"));
        }
        let (stepped, captured) = view.carry(from, hole, self.rules.capture);
        if returns && captured == 0 {
            return Err(refused("a stone returns only after a capture"));
        }
        let more = stepped.carry(hole, from, self.rules.capture).1;
        if returns && more == 0 && self.rules.back == BackRule::Capture {
            return Err(refused("a return must capture"));
        }
        form.play().filter(|play| legal.contains(play)).ok_or(refused("the rule against cycles forbids this turn"))
    }
}

const OCCUPIED: IllegalMove = refused("the square is occupied");

const fn refused(why: &'static str) -> IllegalMove {
    IllegalMove::Refused(why)
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.board.fmt(f)
    }
}

impl Position for Game {
    fn to_move(&self) -> Side {
        self.to_move
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.plays().into_iter().map(Play::to_move).collect()
    }

    fn play(&mut self, text: &str) -> Result<Move, IllegalMove> {
        let is_pass = text == Move::PASS.as_str();
        let form = Form::parse(text, self.rules.drop);
        if !is_pass && form.is_none() {
            return Err(IllegalMove::NotUnderstood);
        }
        if self.ending.is_some() {
            return Err(IllegalMove::GameOver);
        }
        let Some(form) = form else { return Err(refused("passing is not allowed")) };
        let play = self.check(form)?;
        self.advance(play);
        Ok(play.to_move())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.ending.map(|ending| match ending {
            Ending::Won(_) => Outcome::of_margin(self.board.margin()),
            Ending::Repeated | Ending::NoTurn => Outcome::of_margin(0),
        })
    }

    fn reason(&self) -> Option<&'static str> {
        match self.ending? {
            Ending::Won(_) => None,
            Ending::Repeated => Some("the position repeated"),
            Ending::NoTurn => Some("every turn would repeat a position"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of superko in the rules, before `a2-a5`. After that turn, white's only turn is a step. If
    /// `is_seen` returns `true` for a possible next turn of white, the board after it has already occurred.
    fn example(is_seen: impl Fn(Play) -> bool) -> Game {
        let superko = Options { cycle: CycleRule::Superko, ..Options::DEFAULT };
        let board = ".wbbw/wwbbw/bwbbb/bbbbb/wbwbb".parse().expect("a board");
        let mut game = Game::from_board(superko, board, Side::Black).expect("24 stones");
        let lift = Play::parse("a2-a5", DropRule::One).expect("a turn");
        let next = game.after(lift);
        let hole = next.view().hole().expect("an empty square");
        let mut seen = Vec::new();
        let mut add = |play, after| seen.extend(is_seen(play).then_some((Board::of(Side::White, after), Side::Black)));
        next.view().each_step(hole, superko, &mut add);
        next.view().each_lift(hole, superko, &mut add);
        game.seen.extend(seen);
        assert_eq!(game.play("a2-a5").map(|played| played.to_string()), Ok("a2-a5".to_owned()));
        game
    }

    #[test]
    fn a_side_whose_steps_would_all_repeat_lifts_from_anywhere() {
        let game = example(|play| play.to_move().as_str() == "a1-a2");
        let lifts = game.plays();
        assert_eq!(game.ending(), None);
        assert_eq!(lifts.len(), game.view().own().count_ones() as usize - 1);
        for from in squares(game.view().own()) {
            let text = format!("{from}-a2");
            let expected = if text == "a1-a2" {
                Err(refused("the rule against cycles forbids this turn"))
            } else {
                Ok(text.clone())
            };
            assert_eq!(game.clone().play(&text).map(|played| played.to_string()), expected);
        }
        assert_eq!(game.clone().play("e5-a2-e5"), Err(refused("a lifted stone cannot return")));
    }

    #[test]
    fn a_game_without_a_turn_that_repeats_nothing_is_drawn() {
        let game = example(|_| true);
        assert_eq!((game.ending(), game.plays()), (Some(Ending::NoTurn), Vec::new()));
        assert_eq!(game.outcome(), Some(Outcome { winner: None, margin: Some(0) }));
        assert_eq!(game.reason(), Some("every turn would repeat a position"));
        let other = example(|play| play.to_move().as_str() != "c1-a2");
        assert_eq!(other.plays(), [Play::parse("c1-a2", DropRule::One).expect("a turn")]);
    }
}
