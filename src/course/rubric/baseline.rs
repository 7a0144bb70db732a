//! The opponents that provide evidence, by their names in docs/teach/built-in-bots.md.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use thiserror::Error;

use crate::base::suggestion::nearest;
use crate::players::bots::{Builtin, ErrorRate, Thinker};

/// A built-in bot by its listed name: `greedy`, `alphabeta 2`, `mcts 1000`, `perfect, error 0.1`.
///
/// Displays as its canonical name, regardless of how the file spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baseline(Builtin);

impl Baseline {
    /// The bot.
    pub const fn builtin(&self) -> Builtin {
        self.0
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Builtin { thinker, depth, playouts, error, seed: _ } = self.0;
        let strength = depth.or(playouts).map(|number| format!(" {number}")).unwrap_or_default();
        let error = if error == ErrorRate::NEVER { String::new() } else { format!(", error {error}") };
        f.pad(&format!("{thinker}{strength}{error}"))
    }
}

/// Text that does not name a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidBaseline {
    /// The first word, which is hostile text, does not name a bot.
    #[error("there is no such built-in bot{}", meant(.0))]
    Unknown(String),
    /// The bot needs a number after its name.
    #[error("`{0}` needs a number (write `{0} {1}`)")]
    NoNumber(Thinker, u32),
    /// The bot takes no number after its name.
    #[error("`{0}` takes no number (write `{0}`)")]
    Number(Thinker),
    /// The number is too small, too large, or not a number.
    #[error("the number after `{0}` must be a whole number from 1 to {1}")]
    OutOfRange(Thinker, u32),
    /// The error rate is wrong.
    #[error("`error` takes a number from 0 to 1 (write `{0}, error 0.1`)")]
    NoErrorRate(Thinker),
    /// The bot takes no error rate.
    #[error("`{0}` does not search, so it takes no `error`")]
    NoError(Thinker),
}

/// Suggests the bot that `name` probably means, or lists the bots.
fn meant(name: &str) -> String {
    let known = Thinker::ALL.map(Thinker::name);
    match nearest(name, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!(" (choose from {})", known.join(", ")),
    }
}

impl FromStr for Baseline {
    type Err = InvalidBaseline;

    fn from_str(text: &str) -> Result<Self, InvalidBaseline> {
        let (bot, error) = text.split_once(',').map_or((text, None), |(bot, error)| (bot, Some(error)));
        let mut words = bot.split_whitespace();
        let name = words.next().unwrap_or_default();
        let thinker: Thinker = name.parse().map_err(|_| InvalidBaseline::Unknown(name.to_owned()))?;
        let number: Vec<&str> = words.collect();
        let number = (!number.is_empty()).then(|| number.join(" "));
        let within = |example: u32, most: u32| {
            let number = number.as_deref().ok_or(InvalidBaseline::NoNumber(thinker, example))?;
            let parsed = number.parse().ok().filter(|number: &NonZeroU32| number.get() <= most);
            parsed.map(Some).ok_or(InvalidBaseline::OutOfRange(thinker, most))
        };
        let mut bot = Builtin::new(thinker);
        match thinker {
            Thinker::Alphabeta => bot.depth = within(2, Builtin::MAX_DEPTH)?,
            Thinker::Mcts => bot.playouts = within(1000, Builtin::MAX_PLAYOUTS)?,
            Thinker::Random | Thinker::Greedy | Thinker::Perfect if number.is_some() => {
                return Err(InvalidBaseline::Number(thinker));
            }
            Thinker::Random | Thinker::Greedy | Thinker::Perfect => {}
        }
        if let Some(error) = error {
            let rate = error.trim().strip_prefix("error").map(str::trim).and_then(|rate| rate.parse().ok());
            let rate: ErrorRate = rate.ok_or(InvalidBaseline::NoErrorRate(thinker))?;
            if !thinker.searches() {
                return Err(InvalidBaseline::NoError(thinker));
            }
            bot.error = rate;
        }
        Ok(Self(bot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_names_its_bot() {
        let page = include_str!("../../../docs/teach/built-in-bots.md");
        let table = page
            .lines()
            .skip_while(|line| !line.starts_with("| perfect | 381"))
            .take_while(|line| line.starts_with('|'));
        let names: Vec<&str> = table.filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
        assert_eq!(names.len(), 14);
        for name in names {
            let baseline: Baseline = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(baseline.to_string(), name);
        }
    }

    #[test]
    fn blanks_make_no_difference() {
        let same: [Baseline; 2] =
            ["alphabeta 2, error 0.1", " alphabeta  2 ,error  0.10 "].map(|text| text.parse().expect("a bot"));
        assert_eq!(same[0], same[1]);
    }

    #[test]
    fn what_names_no_bot_is_refused_with_what_to_write() {
        for (text, message) in [
            ("", "there is no such built-in bot (choose from random, greedy, alphabeta, mcts, perfect)"),
            ("alphabta 2", "there is no such built-in bot; did you mean `alphabeta`?"),
            ("alphabeta", "`alphabeta` needs a number (write `alphabeta 2`)"),
            ("mcts", "`mcts` needs a number (write `mcts 1000`)"),
            ("greedy 2", "`greedy` takes no number (write `greedy`)"),
            ("alphabeta 26", "the number after `alphabeta` must be a whole number from 1 to 25"),
            ("alphabeta 2 3", "the number after `alphabeta` must be a whole number from 1 to 25"),
            ("alphabeta 2, error 2", "`error` takes a number from 0 to 1 (write `alphabeta, error 0.1`)"),
            ("alphabeta 2, 0.1", "`error` takes a number from 0 to 1 (write `alphabeta, error 0.1`)"),
            ("random, error 0.1", "`random` does not search, so it takes no `error`"),
        ] {
            let error = text.parse::<Baseline>().expect_err(text);
            assert_eq!(error.to_string(), message, "{text}");
        }
    }
}
