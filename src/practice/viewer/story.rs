//! A game as a screen shows it: its positions one after another, with everything that is known about the moves.

use std::time::Duration;

use thiserror::Error;

use crate::base::sanitise::sanitised;
use crate::game::{BySeat, IllegalMove, Move, Ruleset, Seat};
use crate::practice::board_game::BoardGame;
use crate::practice::findings::MoveValue;
use crate::practice::shown_board::ShownBoard;
use crate::results::analysis::{Analysis, MoveQuality};

/// A game with its positions. All its strings are printable.
#[derive(Clone, Debug)]
pub(crate) struct GameStory {
    heading: String,
    ruleset: Ruleset,
    names: BySeat<String>,
    /// How many moves each seat has made.
    moves: BySeat<usize>,
    frames: Vec<StoryFrame>,
    ending: Vec<String>,
}

/// A position, and the move that led to it.
#[derive(Clone, Debug)]
pub(crate) struct StoryFrame {
    pub(crate) board: ShownBoard,
    /// The position; `None` if only the board is known, because the earlier moves were not seen.
    pub(crate) game: Option<BoardGame>,
    /// The fields on which the move put stones, each as the row from the top and the file.
    pub(crate) marks: Vec<(usize, usize)>,
    /// `start`, or the move with its number and its player.
    pub(crate) label: String,
    /// The move as the list of moves shows it.
    pub(crate) brief: String,
    /// Times, comments and refused lines.
    pub(crate) lines: Vec<String>,
    /// The seat to move; `None` if the game is over.
    pub(crate) to_move: Option<Seat>,
    /// The time left on each clock; `None` if it is unknown.
    pub(crate) left: BySeat<Option<Duration>>,
    /// The value of the position, if it is known.
    pub(crate) value: Option<MoveValue>,
    /// The effect of the move, if it is known.
    pub(crate) quality: Option<MoveQuality>,
}

/// What is known about a move beyond what follows from the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameDetails {
    /// The time left on the mover's clock.
    pub(crate) left: Option<Duration>,
    /// Further lines, which need not be printable.
    pub(crate) lines: Vec<String>,
}

/// A move that was seen, with what is known about the position after it.
#[derive(Clone, Debug)]
pub(crate) struct SeenMove {
    pub(crate) mover: Seat,
    /// The number of the move, counted among the moves of its seat.
    pub(crate) number: usize,
    pub(crate) played: Move,
    pub(crate) board: ShownBoard,
    /// The seat to move; `None` if the game is over.
    pub(crate) to_move: Option<Seat>,
    pub(crate) game: Option<BoardGame>,
}

/// Why a move cannot be played by the rules.
#[derive(Debug, Error)]
pub(crate) enum StrayMove {
    /// The position is not known.
    #[error("the moves before this one were not seen")]
    Unknown,
    /// The rules refuse the move.
    #[error(transparent)]
    Illegal(IllegalMove),
}

impl GameStory {
    /// A game of `ruleset` between players with these `names`, before its first move.
    pub(crate) fn new(ruleset: Ruleset, names: &BySeat<String>, heading: &str) -> Self {
        let game = BoardGame::start(ruleset);
        let seats = names.seats();
        let first = StoryFrame {
            board: ShownBoard::of(game.position(), ruleset),
            marks: Vec::new(),
            label: "start".to_owned(),
            brief: String::new(),
            lines: Vec::new(),
            to_move: Some(game.position().seat_to_move()),
            left: BySeat::from_fn(seats, |_| None),
            value: None,
            quality: None,
            game: Some(game),
        };
        Self {
            heading: sanitised(heading),
            ruleset,
            names: names.as_ref().map(|name| sanitised(name)),
            moves: BySeat::from_fn(seats, |_| 0),
            frames: vec![first],
            ending: Vec::new(),
        }
    }

    /// Plays a move in the last position, which must be known.
    ///
    /// # Errors
    /// Returns why the rules refuse the move. The game is then unchanged.
    pub(crate) fn play(&mut self, played: &str, details: FrameDetails) -> Result<(), StrayMove> {
        let mut game = self.last().game.clone().ok_or(StrayMove::Unknown)?;
        let mover = game.position().seat_to_move();
        let played = game.position_mut().play(played).map_err(StrayMove::Illegal)?;
        let board = ShownBoard::of(game.position(), self.ruleset);
        let to_move = (!game.position().is_over()).then(|| game.position().seat_to_move());
        let number = self.moves.get(mover).copied().unwrap_or_default() + 1;
        let seen = SeenMove { mover, number, played, board, to_move, game: Some(game) };
        self.add(seen, details);
        Ok(())
    }

    /// Sets the number of the next move that `seat` makes. The seat's earlier moves were not seen.
    pub(crate) fn begin_with(&mut self, seat: Seat, number: usize) {
        if self.moves.has(seat) {
            self.moves[seat] = number.saturating_sub(1);
        }
    }

    /// Adds a move that was seen. The position after it may be unknown.
    pub(crate) fn add(&mut self, seen: SeenMove, details: FrameDetails) {
        let SeenMove { mover, number, played, board, to_move, game } = seen;
        let FrameDetails { left: own_left, lines } = details;
        if self.moves.has(mover) {
            self.moves[mover] = number;
        }
        let dots = if self.names.seats() == 2 && mover.index() == 1 { "..." } else { "." };
        let brief = format!("{number}{dots} {played}");
        let before = &self.last().board;
        let mut left = self.last().left.clone();
        if left.has(mover) {
            left[mover] = own_left.or(left[mover]);
        }
        let frame = StoryFrame {
            // The next mode may be played on another board.
            marks: if board.is_like(before) { before.places(played.as_str()) } else { Vec::new() },
            board,
            label: format!("{brief} by {}", self.named(mover)),
            brief,
            lines: lines.into_iter().map(|line| sanitised(&line)).collect(),
            to_move,
            left,
            value: None,
            quality: None,
            game,
        };
        self.frames.push(frame);
    }

    /// Replaces the last position, because moves have been made that were not seen.
    pub(crate) fn replace_board(&mut self, board: ShownBoard, to_move: Option<Seat>, game: Option<BoardGame>) {
        let last = self.last_mut();
        last.marks.clear();
        (last.board, last.to_move, last.game) = (board, to_move, game);
    }

    /// Sets whose turn it is in the last position.
    pub(crate) fn set_to_move(&mut self, to_move: Option<Seat>) {
        self.last_mut().to_move = to_move;
    }

    /// Removes `seat` from a game with more than two seats, and adds `text` to the last position. If the seat cannot be
    /// removed, this only adds the text.
    pub(crate) fn drop_out(&mut self, seat: Seat, text: &str) {
        let seats = self.names.seats();
        let last = self.last_mut();
        if let Some(game) = last.game.as_mut().filter(|game| seats > 2 && game.position().is_in(seat)) {
            game.position_mut().drop_out(seat);
            last.to_move = (!game.position().is_over()).then(|| game.position().seat_to_move());
        }
        self.note(text);
    }

    /// Adds a line to the last position.
    pub(crate) fn note(&mut self, text: &str) {
        /// The maximum number of lines kept for a position: more than any game has, unless its server is hostile.
        const MOST: usize = 100;
        let text = sanitised(text);
        let lines = &mut self.last_mut().lines;
        lines.push(text);
        if lines.len() > MOST {
            lines.remove(0);
        }
    }

    /// Sets the remaining times on the clocks in the last position.
    pub(crate) fn set_left(&mut self, left: BySeat<Option<Duration>>) {
        if left.seats() == self.names.seats() {
            self.last_mut().left = left;
        }
    }

    /// Sets the name of the player in `seat`, if there is such a seat.
    pub(crate) fn rename(&mut self, seat: Seat, name: &str) {
        if self.names.has(seat) {
            self.names[seat] = sanitised(name);
        }
    }

    /// Sets the heading.
    pub(crate) fn set_heading(&mut self, heading: &str) {
        self.heading = sanitised(heading);
    }

    /// Ends the game. `lines` say how it ended.
    pub(crate) fn end(&mut self, lines: &[String]) {
        self.ending.extend(lines.iter().map(|line| sanitised(line)));
    }

    /// Adds the values from `analysis`, an analysis of this game, to the positions.
    pub(crate) fn judge(&mut self, analysis: &Analysis) {
        for (index, analyzed) in analysis.moves.iter().enumerate() {
            let value = |outcome, plies| Some(MoveValue { outcome, plies });
            if let (Some(before), Some(frame)) = (analyzed.before, self.frames.get_mut(index)) {
                frame.value = value(before, analyzed.depths[0]);
            }
            if let Some(frame) = self.frames.get_mut(index + 1) {
                frame.value = analyzed.after.and_then(|after| value(after, analyzed.depths[1]));
                frame.quality = analyzed.quality();
                let comment = analyzed.comment().filter(|comment| !frame.lines.contains(comment));
                frame.lines.extend(comment);
            }
        }
    }

    /// The heading.
    pub(crate) fn heading(&self) -> &str {
        &self.heading
    }

    /// How many plies have been made.
    pub(crate) const fn plies(&self) -> usize {
        self.frames.len() - 1
    }

    /// The position after `plies` plies, or the last one if there are fewer.
    pub(crate) fn frame(&self, plies: usize) -> &StoryFrame {
        &self.frames[plies.min(self.plies())]
    }

    /// How the game ended; empty while it goes on.
    pub(crate) fn ending(&self) -> &[String] {
        &self.ending
    }

    /// The players' names.
    pub(crate) const fn names(&self) -> &BySeat<String> {
        &self.names
    }

    /// The rule set of the game.
    pub(crate) const fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The name of the player in `seat`, followed by the seat, such as `bo (white)` or `cyd (seat 3)`.
    pub(crate) fn named(&self, seat: Seat) -> String {
        let name = self.names.get(seat).map_or("?", String::as_str);
        format!("{name} ({})", seat.name(self.names.seats()))
    }

    /// The nearest ply after `from`, or before it unless `forwards`, whose move lost something.
    pub(crate) fn mistake(&self, from: usize, forwards: bool) -> Option<usize> {
        let is_mistake =
            |&ply: &usize| matches!(self.frame(ply).quality, Some(MoveQuality::Blunder | MoveQuality::LostStones));
        if forwards { (from + 1..=self.plies()).find(is_mistake) } else { (1..from).rev().find(is_mistake) }
    }

    /// The last ply that changed who wins.
    pub(crate) fn decisive(&self) -> Option<usize> {
        (1..=self.plies()).rev().find(|&ply| self.frame(ply).quality == Some(MoveQuality::Blunder))
    }

    /// The last position.
    pub(crate) fn last(&self) -> &StoryFrame {
        &self.frames[self.frames.len() - 1]
    }

    fn last_mut(&mut self) -> &mut StoryFrame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }
}
