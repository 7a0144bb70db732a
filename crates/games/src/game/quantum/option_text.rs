//! Options as words, such as `ko=simple`.

use std::fmt;

use thiserror::Error;

use super::choices::{CountRule, RowRule, ScoringRule, StartRule, StuckRule, SuicideRule};
use super::compensation::Compensation;
use super::lineup::{Lineup, Mode};
use super::options::{Handicap, Misfit, OptionValue, QuantumRules};
use super::points::KoRule;
use super::seats::Seat;
use crate::base::word_enum::alternatives;
use crate::game::{Fraction, NotAFraction};

impl QuantumRules {
    /// The keys of the options, in the order in which they are written.
    pub const KEYS: [&str; 9] =
        ["start", "rows", "stuck", "ko", "suicide", "count", "scoring", "compensation", "handicap"];

    /// The keys of the options that `lineup` has. The other options have only one possible value each in that line-up.
    pub fn keys_of(lineup: &Lineup) -> Vec<&'static str> {
        let has = |key: &str| match key {
            "start" => lineup.squares() > 0,
            "rows" => lineup.has(Mode::Reverse),
            "stuck" => lineup.seats() > 2,
            "ko" | "suicide" | "count" | "handicap" => lineup.has(Mode::Go),
            "scoring" => lineup.modes().len() > 1,
            _ => true,
        };
        Self::KEYS.into_iter().filter(|key| has(key)).collect()
    }

    /// Reads options of `lineup` such as `ko=simple`, each given at most once, in any order.
    ///
    /// # Errors
    /// Reports the first word that is not an option, or that does not fit the line-up.
    pub fn read<'a>(
        lineup: &'static Lineup,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, QuantumOptionError> {
        let (mut rules, mut given) = (Self::of(lineup), Vec::new());
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let key = Self::KEYS.into_iter().find(|known| *known == key);
            let key = key.ok_or_else(|| unknown(lineup, word))?;
            if given.contains(&key) {
                return Err(QuantumOptionError::Twice { key });
            }
            given.push(key);
            rules = rules.with(option(key, value, lineup.seats())?)?;
        }
        Ok(rules)
    }

    /// Every key with the text of its value.
    fn words(self) -> [(&'static str, String); 9] {
        let handicap = self.handicap().map_or_else(|| NO_HANDICAP.to_owned(), |handicap| handicap.to_string());
        let values = [
            self.start().to_string(),
            self.rows().to_string(),
            self.stuck().to_string(),
            self.ko().to_string(),
            self.suicide().to_string(),
            self.count().to_string(),
            self.scoring().to_string(),
            self.compensation().to_string(),
            handicap,
        ];
        let mut values = values.into_iter();
        Self::KEYS.map(|key| (key, values.next().unwrap_or_default()))
    }

    /// The options that differ from the line-up's defaults, each with its key and the text of its value, in the order
    /// of the keys.
    pub fn changed(self) -> impl Iterator<Item = (&'static str, String)> {
        let all = self.words().into_iter().zip(Self::of(self.lineup()).words());
        all.filter(|(given, own)| given != own).map(|(given, _)| given)
    }
}

/// The text of the option `handicap` if there is no handicap.
const NO_HANDICAP: &str = "0,0";

fn option(key: &'static str, value: &str, seats: u8) -> Result<OptionValue, QuantumOptionError> {
    Ok(match key {
        "start" => OptionValue::Start(chosen(key, value, &StartRule::ALL, StartRule::name)?),
        "rows" => OptionValue::Rows(chosen(key, value, &RowRule::ALL, RowRule::name)?),
        "stuck" => OptionValue::Stuck(chosen(key, value, &StuckRule::ALL, StuckRule::name)?),
        "ko" => OptionValue::Ko(chosen(key, value, &KoRule::ALL, KoRule::name)?),
        "suicide" => OptionValue::Suicide(chosen(key, value, &SuicideRule::ALL, SuicideRule::name)?),
        "count" => OptionValue::Count(chosen(key, value, &CountRule::ALL, CountRule::name)?),
        "scoring" => OptionValue::Scoring(chosen(key, value, &ScoringRule::ALL, ScoringRule::name)?),
        "compensation" => {
            let values: Result<Vec<Fraction>, NotAFraction> = value.split(',').map(str::parse).collect();
            let values = values.map_err(|_| QuantumOptionError::Compensation)?;
            OptionValue::Compensation(Compensation::new(seats, &values).map_err(Misfit::from)?)
        }
        _ if value == NO_HANDICAP => OptionValue::Handicap(None),
        _ => OptionValue::Handicap(Some(handicap(value).ok_or(QuantumOptionError::Handicap)?)),
    })
}

/// The error for `word`, which is not an option.
fn unknown(lineup: &Lineup, word: &str) -> QuantumOptionError {
    if word.split('=').next() == Some("komi") && lineup.has(Mode::Go) {
        return QuantumOptionError::Komi;
    }
    QuantumOptionError::Key { lineup: lineup.name(), known: QuantumRules::keys_of(lineup) }
}

fn chosen<T: Copy>(
    key: &'static str,
    value: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, QuantumOptionError> {
    let found = all.iter().copied().find(|&known| name(known) == value);
    found.ok_or_else(|| QuantumOptionError::Value { key, known: all.iter().map(|&known| name(known)).collect() })
}

/// Reads a handicap: two numbers of one digit.
fn handicap(value: &str) -> Option<Handicap> {
    let [seat @ b'0'..=b'9', b',', stones @ b'0'..=b'9'] = value.as_bytes() else { return None };
    Some(Handicap { seat: Seat::new(seat - b'0')?, stones: stones - b'0' })
}

impl fmt::Display for QuantumRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.changed().map(|(key, value)| format!(" {key}={value}"));
        f.pad(&options.fold(self.lineup().name().to_owned(), |text, option| text + &option))
    }
}

/// The error for a word that is not an option of a line-up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuantumOptionError {
    /// The key is unknown.
    #[error("expected an option of `{lineup}` ({}), such as `compensation=0,1/2`", alternatives(known))]
    Key {
        /// The line-up's name.
        lineup: &'static str,
        /// The keys of its options.
        known: Vec<&'static str>,
    },
    /// The key is the name of an option in the Go Text Protocol.
    #[error("the points that white gets are called `compensation`: write `compensation=0,13/2` for a komi of 6.5")]
    Komi,
    /// The option cannot have this value.
    #[error("`{key}` must be {}", alternatives(known))]
    Value {
        /// The option.
        key: &'static str,
        /// The values that it may have.
        known: Vec<&'static str>,
    },
    /// The text is not a compensation.
    #[error("`compensation` must be one number of points for each seat, such as `0,1/2`")]
    Compensation,
    /// The text is not a handicap.
    #[error("`handicap` must be a seat and a number of stones, such as `2,4`")]
    Handicap,
    /// The option is given twice.
    #[error("`{key}` is given twice")]
    Twice {
        /// The option.
        key: &'static str,
    },
    /// The option does not fit the line-up.
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<QuantumRules, String> {
        let mut words = text.split(' ');
        let lineup = words.next().and_then(Lineup::named).expect("a line-up");
        QuantumRules::read(lineup, words).map_err(|why| why.to_string())
    }

    #[test]
    fn options_read_back_from_their_text_in_the_documented_order() {
        for text in [
            "quantum",
            "quantum start=open rows=one ko=simple compensation=0,13/2 handicap=2,4",
            "quantum-4p start=corners stuck=beside ko=balanced suicide=yes count=area scoring=modes",
            "quantum-4p-beside stuck=pass",
            "quantum-6p compensation=0,0,1/6,1/6,5/6,999",
            "go-9 ko=situational count=territory compensation=0,0",
            "othello compensation=0,1/2",
        ] {
            assert_eq!(read(text).map(|rules| rules.to_string()), Ok(text.to_owned()));
        }
        for rules in QuantumRules::ALL {
            assert_eq!(read(rules.lineup().name()), Ok(rules));
        }
        let shuffled = read("quantum handicap=0,0 ko=simple rows=all compensation=0,0.5 start=open");
        assert_eq!(shuffled.map(|rules| rules.to_string()), Ok("quantum start=open ko=simple".to_owned()));
    }

    #[test]
    fn words_that_are_not_options_are_refused_with_the_valid_ones() {
        for (text, message) in [
            ("quantum ko=super", "`ko` must be `simple`, `positional`, `situational` or `balanced`"),
            ("quantum ko", "`ko` must be `simple`, `positional`, `situational` or `balanced`"),
            ("quantum ko=simple ko=simple", "`ko` is given twice"),
            ("quantum suicide=true", "`suicide` must be `no` or `yes`"),
            ("quantum compensation=x", "`compensation` must be one number of points for each seat, such as `0,1/2`"),
            ("quantum compensation=0,1/4", "`1/4` in `compensation` is not a multiple of 1/2 (the nearest one is 1/2)"),
            ("quantum handicap=white,4", "`handicap` must be a seat and a number of stones, such as `2,4`"),
            ("quantum handicap=7,4", "`handicap` must be a seat and a number of stones, such as `2,4`"),
            ("othello handicap=1,4", "`handicap` is an option of the go mode, which `othello` does not have"),
            (
                "go-9 kom=7",
                "expected an option of `go-9` (`ko`, `suicide`, `count`, `compensation` or `handicap`), such as `compensation=0,1/2`",
            ),
            (
                "go-9 komi=7",
                "the points that white gets are called `compensation`: write `compensation=0,13/2` for a komi of 6.5",
            ),
            (
                "othello komi=7",
                "expected an option of `othello` (`start` or `compensation`), such as `compensation=0,1/2`",
            ),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
    }
}
