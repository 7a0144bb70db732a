//! The three-digit code of each response.

use super::{Decision, Response};
use crate::game::{Move, Side};

impl Response {
    /// Whether the response refuses a hello: the client has no seat, and does not observe.
    pub const fn refuses_hello(&self) -> bool {
        matches!(self.code(), 191..=199)
    }

    /// The three-digit code.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Greeting(_) => 0,
            Self::Granted => 100,
            Self::GrantedTimed { .. } => 101,
            Self::GrantedInGroup(_) => 102,
            Self::Taken | Self::NoSuchSeat => 191,
            Self::Full { .. } => 192,
            Self::Private => 193,
            Self::BadVersion | Self::OldVersion { .. } => 198,
            Self::BadHello(_) => 199,
            Self::Accepted(_) => 200,
            Self::Over { decision: Decision::Win, .. } => 201,
            Self::Over { decision: Decision::Loss, .. } => 202,
            Self::Over { decision: Decision::Draw, .. } => 203,
            Self::Resigned => 204,
            Self::AcceptedTimed { .. } => 207,
            Self::Illegal(_) => 291,
            Self::Garbled(_) => 299,
            Self::Moved { side, played, left, .. } => 311 + moved_offset(*side, played, left.is_some()),
            Self::MovedLast { side, decision, .. } => match (side, decision) {
                (Side::Black, Decision::Win) => 321,
                (Side::Black, Decision::Loss) => 322,
                (Side::White, Decision::Win) => 323,
                (Side::White, Decision::Loss) => 324,
                (Side::Black, Decision::Draw) => 325,
                (Side::White, Decision::Draw) => 326,
            },
            Self::WonByResignation(winner) => code_by_side(*winner, 327, 328),
            Self::MovedInGroup { left: None, .. } => 331,
            Self::MovedInGroup { left: Some(_), .. } => 332,
            Self::DroppedOut { .. } => 335,
            Self::Placed(_) => 336,
            Self::PlayerName(side, _) => code_by_side(*side, 342, 341),
            Self::ObserverName(..) => 343,
            Self::Observers(_) => 344,
            Self::Rules { .. } => 345,
            Self::RuleOption { .. } => 346,
            Self::Clocks(_) => 347,
            Self::SeatName(..) => 348,
            Self::MovesSoFar(_) => 349,
            Self::YouPlay(side) => code_by_side(*side, 352, 351),
            Self::YouObserve => 353,
            Self::YouPlaySeat(_) => 354,
            Self::WonByTime(winner) => code_by_side(*winner, 361, 362),
            Self::State { left: None, .. } => 380,
            Self::State { left: Some(_), .. } => 381,
            Self::Board(_) => 382,
            Self::CountedBoard(_) => 383,
            Self::Disconnected(side) => code_by_side(*side, 391, 392),
            Self::Problem(_) => 399,
        }
    }
}

/// Selects the code for `side`.
const fn code_by_side(side: Side, black: u16, white: u16) -> u16 {
    match side {
        Side::Black => black,
        Side::White => white,
    }
}

/// The codes for moves come before those for passes, untimed before timed, and black's before white's.
const fn moved_offset(side: Side, played: &Move, timed: bool) -> u16 {
    let pass = matches!(played.as_bytes(), b"pass");
    4 * pass as u16 + 2 * timed as u16 + code_by_side(side, 0, 1)
}
