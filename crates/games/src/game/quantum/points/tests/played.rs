//! A game that consists only of Go, with unlimited stones. It drives the board as a real game does: with turns, passes,
//! and the proof.

use super::{Arrangement, GoBoard, GoPoint, GoRules, KoRule, PointRefusal};
use crate::game::quantum::seats::Seat;

/// The game's settings, as given by a position's options.
#[derive(Clone, Copy, Debug)]
pub(super) struct GoLineup {
    pub(super) seats: u8,
    pub(super) size: u8,
    pub(super) rules: GoRules,
    pub(super) has_proof: bool,
}

impl GoLineup {
    /// Applies an option of the form `key=value`.
    pub(super) fn set(&mut self, option: &str) {
        let (key, value) = option.split_once('=').expect("an option");
        match key {
            "players" => self.seats = value.parse().expect("a number"),
            "ko" => self.rules.ko = KoRule::ALL.into_iter().find(|ko| ko.name() == value).expect("a ko rule"),
            "suicide" => self.rules.suicide = value == "yes",
            "count" => self.has_proof = value == "territory",
            _ => panic!("{option}"),
        }
    }
}

/// The stage of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoStage {
    Go,
    Proof,
    Over,
}

/// A game that consists only of Go.
#[derive(Clone, Debug)]
pub(super) struct GoGame {
    lineup: GoLineup,
    pub(super) board: GoBoard,
    pub(super) on_move: Seat,
    pub(super) stage: GoStage,
    passes: u8,
}

impl GoGame {
    /// A game that begins with `stones`.
    pub(super) fn new(lineup: GoLineup, stones: &Arrangement, on_move: Seat) -> Self {
        let before = on_move.previous(lineup.seats);
        let board = GoBoard::new(lineup.size, lineup.seats, lineup.rules, stones, before).expect("liberties");
        Self { lineup, board, on_move, stage: GoStage::Go, passes: 0 }
    }

    pub(super) fn place(&mut self, point: GoPoint) -> Result<(), PointRefusal> {
        self.board.play(self.on_move, point)?;
        self.passes = 0;
        self.on_move = self.on_move.next(self.lineup.seats);
        Ok(())
    }

    fn pass(&mut self) {
        self.board.pass(self.on_move);
        self.passes += 1;
        self.on_move = self.on_move.next(self.lineup.seats);
        if self.passes < self.lineup.seats {
            return;
        }
        self.passes = 0;
        if self.stage == GoStage::Go && self.lineup.has_proof {
            self.stage = GoStage::Proof;
            self.board.begin_proof();
        } else {
            self.stage = GoStage::Over;
        }
    }

    /// Plays the move with this text, which must be legal.
    pub(super) fn play(&mut self, text: &str) {
        assert_ne!(self.stage, GoStage::Over, "{text}");
        match text {
            "pass" => self.pass(),
            point => self.place(point.parse().expect("a point")).expect("legal"),
        }
    }

    /// The final count of each seat.
    pub(super) fn counts(&self) -> Vec<u32> {
        let (board, seats) = (&self.board, self.lineup.seats);
        if self.lineup.has_proof {
            let territory = board.territory();
            Seat::all(seats).map(|seat| territory[seat] + board.prisoners()[seat]).collect()
        } else {
            board.area().of(seats).map(|(_, &count)| count).collect()
        }
    }

    /// The stones, highest rank first, with the ranks separated by `/`.
    pub(super) fn stones(&self) -> String {
        let letter = |file, rank| {
            let owner = self.board.stones().owner(GoPoint::new(file, rank).expect("a point"));
            owner.map_or('.', |seat| seat.letter(self.lineup.seats))
        };
        let line = |rank| (0..self.lineup.size).map(|file| letter(file, rank)).collect();
        (0..self.lineup.size).rev().map(line).collect::<Vec<String>>().join("/")
    }
}
