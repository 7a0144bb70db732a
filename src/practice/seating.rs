//! Who sits where.

use std::time::Duration;

use crate::game::{Move, Side};
use crate::practice::distant_opponent::DistantOpponent;
use crate::practice::opponent::BuiltinOpponent;
use crate::practice::session::{RefusedMove, Session};
use crate::referee::record::Ply;

/// The occupants of the two seats of a game.
#[derive(Debug)]
pub(crate) enum BoardSeating {
    /// A person on this side, and an opponent on the other.
    Against(Side, BuiltinOpponent),
    /// A person on this side, and an opponent behind a referee on the other.
    Distant(Side, Box<DistantOpponent>),
    /// A person on both sides.
    Two,
}

impl BoardSeating {
    /// The person's side; `None` if a person plays both sides.
    pub(crate) const fn person(&self) -> Option<Side> {
        match self {
            Self::Against(person, _) | Self::Distant(person, _) => Some(*person),
            Self::Two => None,
        }
    }

    /// Whether a person plays `side`.
    pub(crate) fn is_person(&self, side: Side) -> bool {
        self.person().is_none_or(|person| person == side)
    }

    /// The side whose last move would be taken back or explained after `plies`: the person's side or, if a person plays
    /// both sides, the side that moved last.
    pub(crate) fn taker(&self, plies: &[Ply]) -> Option<Side> {
        self.person().or_else(|| plies.last().map(Ply::side))
    }

    /// Whether a person can make the next move in `session`.
    pub(crate) fn is_own_turn(&self, session: &Session) -> bool {
        let is_settled = match self {
            Self::Distant(_, opponent) => opponent.is_settled(session),
            Self::Against(..) | Self::Two => true,
        };
        is_settled && session.end().is_none() && self.is_person(session.to_move())
    }

    /// Plays the move that `text` names in `session`, `elapsed` after the current turn began, and reports it to a
    /// distant opponent.
    ///
    /// # Errors
    /// Fails if the rules forbid the move.
    pub(crate) fn play(&mut self, text: &str, session: &mut Session, elapsed: Duration) -> Result<Move, RefusedMove> {
        match self {
            // The referee measures the time.
            Self::Distant(_, opponent) => {
                let played = session.play(text)?;
                opponent.tell_move(session);
                Ok(played)
            }
            Self::Against(..) | Self::Two => session.play_after(text, elapsed),
        }
    }

    /// The time that `side` has left, `elapsed` after the current turn began; `None` without clocks.
    fn left(&self, side: Side, session: &Session, elapsed: Duration) -> Option<Duration> {
        if let Self::Distant(_, opponent) = self {
            return opponent.left(side, session);
        }
        let left = session.clock(side).left()?;
        let runs = session.end().is_none() && session.to_move() == side;
        Some(if runs { left.saturating_sub(elapsed) } else { left })
    }

    /// The seconds that `side` has left, rounded up, `elapsed` after the current turn began; `None` without clocks.
    pub(crate) fn seconds(&self, side: Side, session: &Session, elapsed: Duration) -> Option<u64> {
        let left = self.left(side, session, elapsed)?;
        Some(left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    /// The times that both sides have left, in words, `elapsed` after the current turn began; `None` without clocks.
    pub(crate) fn clocks_text(&self, session: &Session, elapsed: Duration) -> Option<String> {
        let shown = |side: Side| {
            let seconds = self.seconds(side, session, elapsed)?;
            Some(format!("{side} {}:{:02}", seconds / 60, seconds % 60))
        };
        Some(format!("{}, {}", shown(Side::Black)?, shown(Side::White)?))
    }
}
