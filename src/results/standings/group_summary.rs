//! The data of a game with more than two seats that the standings keep after the game's log is written.

use std::time::Duration;

use thiserror::Error;

use crate::game::quantum::Mode;
use crate::game::{BySeat, Fraction, Seat};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::record::{GroupRecord, ODDS_TAG};
use crate::referee::result::Termination;
use crate::referee::time_control::SideControl;
use crate::referee::usage::Usage;

/// A game with more than two seats, as represented in results.csv and in the standings.
///
/// `S` is the type of its text fields, as in [`super::GameSummary`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSummary<S = String> {
    /// The game's id; empty if the record has none.
    pub game: S,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySeat<S>,
    /// The result; `None` for a void game.
    pub result: Option<GroupResult>,
    /// How many moves were accepted.
    pub plies: usize,
    /// The total time used, according to the record.
    pub used: BySeat<Duration>,
    /// The part of each seat's time control that remained at the end, if known.
    pub left: BySeat<Option<SideControl>>,
    /// The resources used by each player's processes, if known.
    pub usage: BySeat<Option<Usage>>,
    /// Whether a player had its own handicap or compensation.
    pub has_odds: bool,
    /// A digest of the moves.
    pub moves: MovesDigest,
}

/// The result of a game with more than two seats.
///
/// Invariant: the lists have the same number of seats, the place of a seat is one more than the number of seats that
/// are placed ahead of it, and the seats that dropped out have the last places, with the first to drop out in last
/// place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupResult {
    placing: BySeat<u8>,
    totals: BySeat<Fraction>,
    points: BySeat<u8>,
    outs: Vec<SeatOut>,
}

/// A seat that dropped out of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOut {
    /// The seat.
    pub seat: Seat,
    /// Why it dropped out: a resignation, or a forfeit of one player.
    pub termination: Termination,
}

/// The error for parts of a result that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InconsistentGroup {
    /// The lists have different lengths.
    #[error("placing, totals and points have different numbers of seats")]
    Seats,
    /// No game can have these places.
    #[error("this placing is impossible: a seat's place is one more than the number of seats placed ahead of it")]
    Placing,
    /// The game does not have the seat, or the seat has already dropped out.
    #[error("seat {0} cannot drop out: either the game has no such seat, or the seat has already dropped out")]
    Out(Seat),
    /// A seat dropped out with a termination that cannot happen to a single seat.
    #[error("`{0}` is not a way to drop out")]
    Termination(Termination),
    /// A seat that dropped out does not have the place that follows from the order of dropping out.
    #[error(
        "seat {seat} must have place {place}: a seat that drops out is placed last among the seats still in the game"
    )]
    PlaceOfOut {
        /// The seat.
        seat: Seat,
        /// The place that it must have.
        place: usize,
    },
    /// A seat won more modes than any game has.
    #[error("seat {0} cannot have {1} points: a game has at most {most} modes, and each is worth one point", most = Mode::ALL.len())]
    Points(Seat, u8),
}

impl GroupResult {
    /// Creates a result. `outs` are the seats that dropped out, in chronological order.
    ///
    /// # Errors
    /// Returns an error for the first part that contradicts another.
    pub fn new(
        placing: BySeat<u8>,
        totals: BySeat<Fraction>,
        points: BySeat<u8>,
        outs: Vec<SeatOut>,
    ) -> Result<Self, InconsistentGroup> {
        let seats = placing.seats();
        if totals.seats() != seats || points.seats() != seats {
            return Err(InconsistentGroup::Seats);
        }
        let before = |own: u8| placing.values().filter(|&&place| place < own).count();
        if !placing.values().all(|&place| usize::from(place) == before(place) + 1) {
            return Err(InconsistentGroup::Placing);
        }
        for (index, out) in outs.iter().enumerate() {
            if !placing.has(out.seat) || outs[..index].iter().any(|other| other.seat == out.seat) {
                return Err(InconsistentGroup::Out(out.seat));
            }
            if !can_drop_out_by(out.termination) {
                return Err(InconsistentGroup::Termination(out.termination));
            }
        }
        for (out, place) in outs.iter().zip((1..=usize::from(seats)).rev()) {
            if usize::from(placing[out.seat]) != place {
                return Err(InconsistentGroup::PlaceOfOut { seat: out.seat, place });
            }
        }
        if let Some((seat, &won)) = points.iter().find(|(_, won)| usize::from(**won) > Mode::ALL.len()) {
            return Err(InconsistentGroup::Points(seat, won));
        }
        Ok(Self { placing, totals, points, outs })
    }

    /// Creates the result of a record. An impossible placing, which only an unchecked record can contain, is replaced
    /// with the ranks of its numbers.
    pub(crate) fn of_record(
        placing: &BySeat<u8>,
        totals: BySeat<Fraction>,
        points: BySeat<u8>,
        outs: Vec<SeatOut>,
    ) -> Self {
        let before = |own: u8| placing.values().filter(|&&place| place < own).count();
        let placing = placing.as_ref().map(|&place| u8::try_from(before(place) + 1).unwrap_or(u8::MAX));
        Self { placing, totals, points, outs }
    }

    /// The number of seats.
    pub fn seats(&self) -> u8 {
        self.placing.seats()
    }

    /// The place of each seat, from 1. Equal seats share the better place.
    pub const fn placing(&self) -> &BySeat<u8> {
        &self.placing
    }

    /// Each seat's total.
    pub const fn totals(&self) -> &BySeat<Fraction> {
        &self.totals
    }

    /// How many modes each seat has won.
    pub const fn points(&self) -> &BySeat<u8> {
        &self.points
    }

    /// The seats that dropped out, in chronological order.
    pub fn outs(&self) -> &[SeatOut] {
        &self.outs
    }

    /// The seats that forfeited, in the order in which they dropped out.
    pub fn forfeits(&self) -> impl Iterator<Item = SeatOut> {
        self.outs.iter().copied().filter(|out| out.termination.is_forfeit())
    }

    /// Whether every seat forfeited, so that no player has won anything. Such a game is not rated.
    pub fn is_forfeited_by_all(&self) -> bool {
        self.forfeits().count() == usize::from(self.seats())
    }

    /// Twice the points that each seat gets in the standings: 2 for each seat that is placed behind it, and 1 for each
    /// other seat in the same place. A game that every seat forfeited yields no points.
    pub fn half_points(&self) -> BySeat<u32> {
        let all_failed = self.is_forfeited_by_all();
        let of = |own: u8| {
            let behind = self.placing.values().filter(|&&place| place > own).count();
            let equal = self.placing.values().filter(|&&place| place == own).count() - 1;
            if all_failed { 0 } else { u32::try_from(2 * behind + equal).unwrap_or(0) }
        };
        self.placing.as_ref().map(|&place| of(place))
    }
}

/// Whether a seat can drop out with `termination` while the others play on.
const fn can_drop_out_by(termination: Termination) -> bool {
    match termination {
        Termination::Resignation => true,
        Termination::DoubleForfeit => false,
        _ => termination.is_forfeit(),
    }
}

impl<S> GroupSummary<S> {
    /// Whether the game can repeat another game or be repeated.
    pub(crate) const fn can_repeat(&self) -> bool {
        super::repeats::can_repeat(self.result.is_some(), self.plies)
    }

    /// The same summary with the text fields `game` and `players`.
    pub(crate) fn with_texts<T>(&self, game: T, players: BySeat<T>) -> GroupSummary<T> {
        let Self { game: _, round, players: _, result, plies, used, left, usage, has_odds, moves } = self;
        GroupSummary {
            game,
            round: *round,
            players,
            result: result.clone(),
            plies: *plies,
            used: used.clone(),
            left: left.clone(),
            usage: usage.clone(),
            has_odds: *has_odds,
            moves: *moves,
        }
    }
}

impl GroupSummary {
    /// The same summary, with its text borrowed.
    pub fn view(&self) -> GroupSummary<&str> {
        self.with_texts(&self.game, self.players.as_ref().map(String::as_str))
    }
}

impl GroupSummary<&str> {
    /// The same summary, with owned text.
    pub fn to_summary(&self) -> GroupSummary {
        self.with_texts(self.game.to_owned(), self.players.clone().map(str::to_owned))
    }
}

impl From<&GroupRecord> for GroupSummary {
    fn from(record: &GroupRecord) -> Self {
        let seats = record.seats();
        let outs = record.outs.iter().map(|out| SeatOut { seat: out.seat, termination: out.termination });
        let result = record.result.as_ref().ok().map(|standing| {
            let (totals, points) = (standing.totals.clone(), standing.points.clone());
            GroupResult::of_record(&standing.placing, totals, points, outs.collect())
        });
        Self {
            game: record.game.clone().unwrap_or_default(),
            round: record.round,
            players: record.players.clone(),
            result,
            plies: record.plies.len(),
            used: BySeat::from_fn(seats, |seat| record.used(seat)),
            left: BySeat::from_fn(seats, |seat| record.left(seat)),
            usage: record.usage.clone(),
            has_odds: record.other_tags.iter().any(|(name, _)| name == ODDS_TAG),
            moves: MovesDigest::of(record.plies.iter().map(|ply| ply.played)),
        }
    }
}
