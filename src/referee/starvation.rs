//! How long a player's processes were prevented from running during its turns, and whether this explains a loss on
//! time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use thiserror::Error;

use crate::referee::times::{parse_seconds, seconds_text};

/// How a player's processes spent the measured part of its turns. See docs/reference/confinement.md for how each figure
/// is measured.
///
/// Its text form is the value of a tag in a log: `starved 0.812345 ran 0.101000 of 1.000312`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starvation {
    /// How long at least one of the player's threads was ready to run while none of them ran. This is a lower bound,
    /// since threads that wait for each other are not starving.
    pub starved: Duration,
    /// How long its threads ran in total.
    pub ran: Duration,
    /// The total length of its measured turns.
    pub of: Duration,
}

/// If a player was starved for less than 1/`LEAST_PART` of its turns, this did not cause its loss.
const LEAST_PART: u32 = 10;

impl Starvation {
    /// Whether a loss on time may be the machine's fault: the player was starved for longer than it ran.
    ///
    /// A player that sleeps or hangs hardly runs at all, but can still wait a moment for a core when it does run. So
    /// the player must also have been starved for at least a tenth of its turns.
    pub fn explains_time_loss(self) -> bool {
        self.starved > self.ran && self.starved >= self.of / LEAST_PART
    }

    /// The combined figures of `self` and `more`.
    #[must_use]
    pub const fn plus(self, more: Self) -> Self {
        Self {
            starved: self.starved.saturating_add(more.starved),
            ran: self.ran.saturating_add(more.ran),
            of: self.of.saturating_add(more.of),
        }
    }
}

/// The names of the figures, in the order in which `Display` writes them.
const NAMES: [&str; 3] = ["starved", "ran", "of"];

impl fmt::Display for Starvation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [starved, ran, of] = [self.starved, self.ran, self.of].map(seconds_text);
        write!(f, "starved {starved} ran {ran} of {of}")
    }
}

/// The error for text that is not a [`Starvation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected `starved 0.1 ran 0.1 of 0.1`, in seconds")]
pub struct NotAStarvation;

/// Reads the text that `Display` writes. Seconds can have fewer decimals, and words can be separated by any whitespace.
impl FromStr for Starvation {
    type Err = NotAStarvation;

    fn from_str(text: &str) -> Result<Self, NotAStarvation> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let value = |index: usize| {
            let is_named = words.get(2 * index) == Some(&NAMES[index]);
            words.get(2 * index + 1).filter(|_| is_named).and_then(|word| parse_seconds(word)).ok_or(NotAStarvation)
        };
        if words.len() != 2 * NAMES.len() {
            return Err(NotAStarvation);
        }
        Ok(Self { starved: value(0)?, ran: value(1)?, of: value(2)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn figures(starved: u64, ran: u64, of: u64) -> Starvation {
        let ms = Duration::from_millis;
        Starvation { starved: ms(starved), ran: ms(ran), of: ms(of) }
    }

    #[test]
    fn a_loss_is_explained_by_more_starving_than_running_and_never_by_a_moment() {
        for (starved, ran, of, expected) in [
            (0, 0, 0, false),
            (0, 0, 1000, false),
            (501, 499, 1000, true),
            (500, 500, 1000, false),
            (499, 501, 1000, false),
            // The player slept most of the time.
            (100, 99, 1000, true),
            (99, 1, 1000, false),
            // Eight threads together run for longer than the turn.
            (500, 3000, 1000, false),
        ] {
            assert_eq!(figures(starved, ran, of).explains_time_loss(), expected, "{starved} {ran} {of}");
        }
    }

    #[test]
    fn the_documented_text_is_written_and_other_text_is_refused() {
        let text = "starved 0.812345 ran 0.101000 of 1.000312";
        let read: Starvation = text.parse().expect("figures");
        assert_eq!(read.to_string(), text);
        assert_eq!(read.plus(figures(1, 2, 3)).to_string(), "starved 0.813345 ran 0.103000 of 1.003312");
        for wrong in
            ["", "starved 1 ran 1", "ran 1 starved 1 of 1", "starved 1 ran 1 of -1", "starved 1 ran 1 of 1 more"]
        {
            assert_eq!(wrong.parse::<Starvation>(), Err(NotAStarvation), "{wrong}");
        }
    }
}
