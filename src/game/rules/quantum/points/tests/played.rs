//! Games of Go alone, played as a game would drive the board: turns, supplies, and the proof.

use super::{Arrangement, GoBoard, GoPoint, GoRules, KoRule, PointRefusal, handicap_points, seat};
use crate::game::rules::quantum::seats::Seat;

/// What is played, as the first line of the games' files says.
#[derive(Clone, Copy, Debug)]
pub(super) struct GoLineup {
    pub(super) seats: u8,
    pub(super) size: u8,
    pub(super) rules: GoRules,
    pub(super) has_proof: bool,
    pub(super) is_supplied: bool,
    /// The number of a seat, and how many stones it is given.
    pub(super) handicap: (u8, u8),
}

impl GoLineup {
    /// Takes in one `key=value`.
    pub(super) fn set(&mut self, option: &str) {
        let (key, value) = option.split_once('=').expect("an option");
        let number = || value.parse().expect("a number");
        match key {
            "players" => self.seats = number(),
            "points" => self.size = number(),
            "ko" => self.rules.ko = KoRule::ALL.into_iter().find(|ko| ko.name() == value).expect("a ko rule"),
            "suicide" => self.rules.suicide = value == "yes",
            "count" => self.has_proof = value == "territory",
            "supplies" => self.is_supplied = value == "yes",
            "handicap" => {
                let (seat, stones) = value.split_once(',').expect("two numbers");
                self.handicap = (seat.parse().expect("a number"), stones.parse().expect("a number"));
            }
            _ => {}
        }
    }
}

/// Where a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoStage {
    Go,
    Proof,
    Over,
}

/// A game of Go alone.
#[derive(Clone, Debug)]
pub(super) struct GoGame {
    lineup: GoLineup,
    pub(super) board: GoBoard,
    pub(super) on_move: Seat,
    pub(super) stage: GoStage,
    supplies: Option<Vec<u16>>,
    passes: u8,
}

impl GoGame {
    /// A game that begins with `stones` beside the handicap.
    pub(super) fn new(lineup: GoLineup, mut stones: Arrangement, on_move: Seat) -> Self {
        if lineup.handicap.1 > 0 {
            for point in handicap_points(lineup.size, lineup.handicap.1).expect("they fit") {
                stones.put(seat(lineup.handicap.0), point);
            }
        }
        let before = on_move.previous(lineup.seats);
        let board = GoBoard::new(lineup.size, lineup.seats, lineup.rules, &stones, before).expect("liberties");
        let mut game = Self { lineup, board, on_move, stage: GoStage::Go, supplies: None, passes: 0 };
        game.hand_out();
        game
    }

    fn hand_out(&mut self) {
        let (seats, all) = (u16::from(self.lineup.seats), u16::from(self.lineup.size).pow(2));
        let mut supplies = vec![all / seats; usize::from(seats)];
        let mut seat = self.on_move;
        for _ in 0..all % seats {
            supplies[seat.index()] += 1;
            seat = seat.next(self.lineup.seats);
        }
        self.supplies = self.lineup.is_supplied.then_some(supplies);
    }

    fn can_place(&self) -> bool {
        self.stage != GoStage::Over && self.supplies.as_ref().is_none_or(|left| left[self.on_move.index()] > 0)
    }

    /// Where the seat on move may place a stone.
    pub(super) fn placements(&self) -> Vec<GoPoint> {
        if self.can_place() { self.board.legal(self.on_move).iter().collect() } else { Vec::new() }
    }

    pub(super) fn place(&mut self, point: GoPoint) -> Result<(), PointRefusal> {
        assert!(self.can_place(), "no stone for {point}");
        self.board.play(self.on_move, point)?;
        if let Some(left) = &mut self.supplies {
            left[self.on_move.index()] -= 1;
        }
        self.passes = 0;
        self.end_turn();
        Ok(())
    }

    pub(super) fn pass(&mut self) {
        self.board.pass(self.on_move);
        self.passes += 1;
        self.end_turn();
    }

    fn end_turn(&mut self) {
        self.on_move = self.on_move.next(self.lineup.seats);
        let is_used_up = self.supplies.as_ref().is_some_and(|left| left.iter().all(|&left| left == 0));
        if self.passes < self.lineup.seats && !is_used_up {
            return;
        }
        self.passes = 0;
        if self.stage == GoStage::Go && self.lineup.has_proof {
            self.stage = GoStage::Proof;
            self.board.begin_proof();
            self.hand_out();
        } else {
            self.stage = GoStage::Over;
        }
    }

    /// Plays the move with this text, which is legal.
    pub(super) fn play(&mut self, text: &str) {
        match text {
            "pass" => self.pass(),
            point => self.place(point.parse().expect("a point")).expect("legal"),
        }
    }

    /// What each seat has in the end.
    pub(super) fn counts(&self) -> Vec<u32> {
        let (board, seats) = (&self.board, self.lineup.seats);
        if self.lineup.has_proof {
            let territory = board.territory();
            Seat::all(seats).map(|seat| territory[seat] + board.prisoners()[seat]).collect()
        } else {
            board.area().of(seats).map(|(_, &count)| count).collect()
        }
    }

    /// The stones, the highest rank first, ranks parted by `/`.
    pub(super) fn stones(&self) -> String {
        let letter = |file, rank| {
            let owner = self.board.stones().owner(GoPoint::new(file, rank).expect("a point"));
            owner.map_or('.', |seat| seat.letter(self.lineup.seats))
        };
        let ranks = (0..self.lineup.size).rev();
        ranks
            .map(|rank| (0..self.lineup.size).map(|file| letter(file, rank)).collect::<String>())
            .collect::<Vec<_>>()
            .join("/")
    }
}
