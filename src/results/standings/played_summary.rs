//! The summary of a game with any number of seats.

use std::time::Duration;

use super::GameSummary;
use crate::game::{BySeat, Fraction, Seat};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::record::{GroupRecord, LoggedGame};
use crate::referee::result::Termination;
use crate::referee::usage::Usage;

/// The summary of a game with any number of seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayedSummary<S = String> {
    /// A game of two seats.
    Pair(GameSummary<S>),
    /// A game of more than two seats.
    Group(GroupSummary<S>),
}

impl PlayedSummary {
    /// The same summary, with its texts borrowed.
    pub fn view(&self) -> PlayedSummary<&str> {
        match self {
            Self::Pair(game) => PlayedSummary::Pair(game.view()),
            Self::Group(game) => PlayedSummary::Group(game.view()),
        }
    }
}

impl From<&LoggedGame> for PlayedSummary {
    fn from(game: &LoggedGame) -> Self {
        match game {
            LoggedGame::Two(record) => Self::Pair(GameSummary::from(&**record)),
            LoggedGame::Group(record) => Self::Group(GroupSummary::from(&**record)),
        }
    }
}

/// A game of more than two seats as represented in results.csv and in the standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSummary<S = String> {
    /// The game's id; empty if the record has none.
    pub game: S,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySeat<S>,
    /// The places; `None` for a void game.
    pub result: Option<BySeat<PlacedSeat>>,
    /// The seats that dropped out, in this order, and why.
    pub outs: Vec<(Seat, Termination)>,
    /// How many moves were accepted.
    pub plies: usize,
    /// The total time used, according to the record.
    pub used: BySeat<Duration>,
    /// The resources used by each player's processes, if known.
    pub usage: BySeat<Option<Usage>>,
    /// A digest of the moves.
    pub moves: MovesDigest,
}

/// The result of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedSeat {
    /// The place, from 1.
    pub place: u8,
    /// The sum of the seat's counts and its compensation.
    pub total: Fraction,
    /// How many modes the seat has won.
    pub points: u8,
}

impl<S> GroupSummary<S> {
    /// The same summary with the texts `game` and `players`.
    pub(crate) fn with_texts<T>(&self, game: T, players: BySeat<T>) -> GroupSummary<T> {
        GroupSummary {
            game,
            round: self.round,
            players,
            result: self.result.clone(),
            outs: self.outs.clone(),
            plies: self.plies,
            used: self.used.clone(),
            usage: self.usage.clone(),
            moves: self.moves,
        }
    }
}

impl GroupSummary {
    /// The same summary, with its texts borrowed.
    pub fn view(&self) -> GroupSummary<&str> {
        self.with_texts(&self.game, self.players.as_ref().map(String::as_str))
    }
}

impl GroupSummary<&str> {
    /// The same summary, with owned texts.
    pub fn to_summary(&self) -> GroupSummary {
        self.with_texts(self.game.to_owned(), self.players.clone().map(str::to_owned))
    }
}

impl From<&GroupRecord> for GroupSummary {
    fn from(record: &GroupRecord) -> Self {
        let result = record.result.as_ref().ok().map(|standing| {
            BySeat::from_fn(record.seats(), |seat| PlacedSeat {
                place: standing.placing[seat],
                total: standing.totals[seat],
                points: standing.points[seat],
            })
        });
        Self {
            game: record.game.clone().unwrap_or_default(),
            round: record.round,
            players: record.players.clone(),
            result,
            outs: record.outs.iter().map(|out| (out.seat, out.termination)).collect(),
            plies: record.plies.len(),
            used: BySeat::from_fn(record.seats(), |seat| record.used(seat)),
            usage: record.usage.clone(),
            moves: MovesDigest::of(record.plies.iter().map(|ply| ply.played)),
        }
    }
}
