//! The lines that only games of more than two seats have.

use crate::game::{Move, Seat};

/// A line that only games of more than two seats have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GroupLine {
    /// 102: the seconds for each seat's first turn, seat 1 first.
    Times(Vec<u64>),
    /// 331 and 332: a move or pass was made.
    Moved {
        /// The seat that moved.
        seat: Seat,
        /// The full-move number.
        number: u32,
        /// The move.
        played: Move,
    },
    /// 335: a seat has dropped out, and the others play on.
    Out(Seat),
    /// 336: the places of all seats. The game is over.
    Placing,
    /// 348: a player's name.
    Name,
    /// 354: the game starts, and the player has this seat.
    YouPlay(Seat),
}

impl GroupLine {
    /// Reads a line; `None` if it is not one of these.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let code = words.next()?;
        let seat = |word: Option<&str>| Seat::new(word?.parse().ok()?);
        Some(match code {
            "102" => Self::Times(words.map_while(|word| word.parse().ok()).collect()),
            "331" | "332" => {
                let number = words.next()?.parse().ok()?;
                let mut dots = 0;
                let played = words.find(|word| {
                    dots += u8::from(*word == "...");
                    *word != "..."
                })?;
                Self::Moved { seat: Seat::new(dots.checked_add(1)?)?, number, played: played.parse().ok()? }
            }
            "335" => Self::Out(seat(words.next())?),
            "336" => Self::Placing,
            "348" => Self::Name,
            "354" => Self::YouPlay(seat(words.next())?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_dots_is_the_seat() {
        let moved = |seat, number, played: &str| {
            let seat = Seat::new(seat).expect("a seat");
            Some(GroupLine::Moved { seat, number, played: played.parse().expect("a move") })
        };
        assert_eq!(GroupLine::read("331 1 g5 is seat 1 move, game continues"), moved(1, 1, "g5"));
        assert_eq!(GroupLine::read("332 12 ... ... f7 58 (secs) is seat 3 move, game continues"), moved(3, 12, "f7"));
        for line in
            ["331", "331 1", "331 1 ...", "331 x g5", "331 1 ... ... ... ... ... ... g5", "335 0 is out", "354 7"]
        {
            assert_eq!(GroupLine::read(line), None, "{line}");
        }
    }
}
