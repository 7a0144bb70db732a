//! The seat in which a bot is tried.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::game::{Seat, Side};

/// The seat in which a bot is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BotSeat {
    /// In a game with two seats: the bot's side.
    Side(Side),
    /// In a game with more seats: the seat with this number.
    Seat(Seat),
}

impl BotSeat {
    /// Returns `seat` as a bot's seat in a game with `seats` seats.
    pub fn of(seats: u8, seat: impl Into<Seat>) -> Self {
        let seat = seat.into();
        if seats == 2 { Self::Side(seat.side()) } else { Self::Seat(seat) }
    }

    /// Every seat of a game with `seats` seats, in order.
    pub fn all(seats: u8) -> impl Iterator<Item = Self> {
        Seat::all(seats).map(move |seat| Self::of(seats, seat))
    }

    /// The seat as a number.
    pub fn seat(self) -> Seat {
        match self {
            Self::Side(side) => side.into(),
            Self::Seat(seat) => seat,
        }
    }

    /// The bot's side in a game with two seats. With more seats, sides are meaningless.
    pub fn side(self) -> Side {
        self.seat().side()
    }

    /// One word for names, files and seeds: `black`, `white`, or the number.
    pub fn word(self) -> String {
        match self {
            Self::Side(side) => side.name().to_owned(),
            Self::Seat(seat) => seat.to_string(),
        }
    }
}

impl From<Side> for BotSeat {
    fn from(side: Side) -> Self {
        Self::Side(side)
    }
}

impl From<BotSeat> for Seat {
    fn from(seat: BotSeat) -> Self {
        seat.seat()
    }
}

/// Whether this is the given side of a game with two seats.
impl PartialEq<Side> for BotSeat {
    fn eq(&self, side: &Side) -> bool {
        *self == Self::Side(*side)
    }
}

/// Like the comparison of a [`BotSeat`] with a side.
impl PartialEq<BotSeat> for Side {
    fn eq(&self, seat: &BotSeat) -> bool {
        seat == self
    }
}

/// Writes the side, or the number after the word `seat`.
impl fmt::Display for BotSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Side(side) => side.fmt(f),
            Self::Seat(seat) => write!(f, "seat {seat}"),
        }
    }
}

/// Reads what [`BotSeat::word`] returns.
impl FromStr for BotSeat {
    type Err = NotASeat;

    fn from_str(word: &str) -> Result<Self, NotASeat> {
        let seat = || Seat::new(word.parse().ok()?).map(Self::Seat);
        word.parse().map(Self::Side).ok().or_else(seat).ok_or(NotASeat)
    }
}

/// The error for a word that names neither a side nor a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `black`, `white` or a seat number")]
pub struct NotASeat;

impl Serialize for BotSeat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.word())
    }
}

impl<'de> Deserialize<'de> for BotSeat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_reads_back_from_its_word_and_two_seats_are_sides() {
        for seats in [2, 4, 6] {
            for (seat, number) in BotSeat::all(seats).zip(1..) {
                assert_eq!(seat.word().parse(), Ok(seat));
                assert_eq!(seat.seat().number(), number);
                let json = serde_json::to_string(&seat).expect("text");
                assert_eq!(serde_json::from_str::<BotSeat>(&json).expect("a seat"), seat);
            }
            assert_eq!(BotSeat::all(seats).count(), usize::from(seats));
        }
        assert_eq!(BotSeat::all(2).map(|seat| seat.to_string()).collect::<Vec<_>>(), ["black", "white"]);
        assert_eq!(BotSeat::of(4, Side::White).to_string(), "seat 2");
        for word in ["", "0", "7", "seat 3", "Black"] {
            assert_eq!(word.parse::<BotSeat>(), Err(NotASeat), "{word}");
        }
    }
}
