//! The points that the sources of Seegover leave open, as options of the rule set.

use std::fmt;

use thiserror::Error;

use crate::base::word_enum::{alternatives, words};

/// What happens when a position would occur a second time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CycleRule {
    /// The game is drawn.
    #[default]
    Draw,
    /// The turn is illegal.
    Superko,
}

/// How many stones a turn of the drop phase drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DropRule {
    /// One stone.
    #[default]
    One,
    /// Two stones.
    Two,
}

/// Which enclosed stones change colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CaptureRule {
    /// All stones of an enclosed run.
    #[default]
    Line,
    /// Only a single enclosed stone.
    Single,
}

/// When a stone may return after a capturing step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BackRule {
    /// Always.
    #[default]
    Free,
    /// Only if the return also captures.
    Capture,
}

words! { pub CycleRule; Draw => "draw", Superko => "superko" }
words! { pub DropRule; One => "1", Two => "2" }
words! { pub CaptureRule; Line => "line", Single => "single" }
words! { pub BackRule; Free => "free", Capture => "capture" }

impl DropRule {
    /// The number of stones.
    pub const fn stones(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// The options of Seegover. The defaults are those of the rule set's original description.
///
/// The text of the options is a space-separated list of those that differ from the default, such as `cycle=superko
/// drop=2`; it is empty if none differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The rule against cycles.
    pub cycle: CycleRule,
    /// How many stones a turn of the drop phase drops.
    pub drop: DropRule,
    /// Which stones are captured.
    pub capture: CaptureRule,
    /// When a stone may return.
    pub back: BackRule,
}

impl Options {
    /// The defaults.
    pub const DEFAULT: Self =
        Self { cycle: CycleRule::Draw, drop: DropRule::One, capture: CaptureRule::Line, back: BackRule::Free };

    /// The keys of the options, in the order in which they are written.
    pub const KEYS: [&str; 4] = ["cycle", "drop", "capture", "back"];

    /// Reads options such as `cycle=superko` and `drop=2`, each given at most once, in any order.
    ///
    /// # Errors
    /// Reports the first word that is not an option.
    pub fn read<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, OptionError> {
        let (mut options, mut given) = (Self::DEFAULT, Vec::new());
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let Some(key) = Self::KEYS.into_iter().find(|known| *known == key) else { return Err(OptionError::Key) };
            if given.contains(&key) {
                return Err(OptionError::Twice { key });
            }
            options.set(key, value)?;
            given.push(key);
        }
        Ok(options)
    }

    fn set(&mut self, key: &'static str, value: &str) -> Result<(), OptionError> {
        match key {
            "cycle" => self.cycle = chosen(key, value, &CycleRule::ALL.map(|rule| (rule.name(), rule)))?,
            "drop" => self.drop = chosen(key, value, &DropRule::ALL.map(|rule| (rule.name(), rule)))?,
            "capture" => self.capture = chosen(key, value, &CaptureRule::ALL.map(|rule| (rule.name(), rule)))?,
            _ => self.back = chosen(key, value, &BackRule::ALL.map(|rule| (rule.name(), rule)))?,
        }
        Ok(())
    }

    /// The option that prevents positions from having exact values, with the word for its value; `None` if positions
    /// have values. With superko, the legal turns depend on the positions that have occurred, so the board and the side
    /// to move do not determine a value.
    pub const fn unsolved(self) -> Option<(&'static str, &'static str)> {
        match self.cycle {
            CycleRule::Draw => None,
            CycleRule::Superko => Some((Self::KEYS[0], CycleRule::Superko.name())),
        }
    }

    /// The rules of the move phase.
    pub const fn move_rules(self) -> MoveRules {
        MoveRules { capture: self.capture, back: self.back }
    }

    /// Every key with the word for its value.
    const fn words(self) -> [(&'static str, &'static str); 4] {
        [
            ("cycle", self.cycle.name()),
            ("drop", self.drop.name()),
            ("capture", self.capture.name()),
            ("back", self.back.name()),
        ]
    }
}

/// The options on which the turns of the move phase depend. There is a table of values for each of the four
/// combinations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveRules {
    /// Which stones are captured.
    pub capture: CaptureRule,
    /// When a stone may return.
    pub back: BackRule,
}

impl MoveRules {
    /// The defaults.
    pub const DEFAULT: Self = Options::DEFAULT.move_rules();

    /// All rules, starting with the defaults.
    pub const ALL: [Self; 4] = [
        Self::DEFAULT,
        Self { back: BackRule::Capture, ..Self::DEFAULT },
        Self { capture: CaptureRule::Single, ..Self::DEFAULT },
        Self { capture: CaptureRule::Single, back: BackRule::Capture },
    ];

    /// These rules with `drop`, and with a draw when a position occurs a second time.
    pub const fn with(self, drop: DropRule) -> Options {
        Options { cycle: CycleRule::Draw, drop, capture: self.capture, back: self.back }
    }
}

fn chosen<T: Copy>(key: &'static str, value: &str, known: &[(&'static str, T)]) -> Result<T, OptionError> {
    let found = known.iter().find(|(name, _)| *name == value).map(|(_, value)| *value);
    found.ok_or_else(|| OptionError::Value { key, known: known.iter().map(|(name, _)| *name).collect() })
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.words().into_iter().zip(Self::DEFAULT.words());
        let changed = all.filter(|(own, default)| own != default).map(|((key, value), _)| format!("{key}={value}"));
        f.write_str(&changed.collect::<Vec<_>>().join(" "))
    }
}

/// The error for a word that is not an option of Seegover.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The key is unknown.
    #[error("expected an option of `seegover` ({}), such as `drop=2`", alternatives(&Options::KEYS))]
    Key,
    /// The option cannot have this value.
    #[error("`{key}` must be {}", alternatives(known))]
    Value {
        /// The option.
        key: &'static str,
        /// The values that it may have.
        known: Vec<&'static str>,
    },
    /// The option is given twice.
    #[error("`{key}` is given twice")]
    Twice {
        /// The option.
        key: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of options.
    fn all() -> Vec<Options> {
        let mut all = Vec::new();
        for cycle in CycleRule::ALL {
            for drop in DropRule::ALL {
                for capture in CaptureRule::ALL {
                    all.extend(BackRule::ALL.map(|back| Options { cycle, drop, capture, back }));
                }
            }
        }
        all
    }

    #[test]
    fn options_read_back_from_their_text() {
        for options in all() {
            assert_eq!(Options::read(options.to_string().split_whitespace()), Ok(options));
        }
        assert_eq!(Options::default().to_string(), "");
        let magazine =
            Options { drop: DropRule::Two, capture: CaptureRule::Single, back: BackRule::Capture, ..Options::DEFAULT };
        assert_eq!(magazine.to_string(), "drop=2 capture=single back=capture");
        assert_eq!(Options::read(["back=capture", "cycle=draw", "capture=single", "drop=2"]), Ok(magazine));
    }

    #[test]
    fn words_that_are_not_options_are_refused_with_the_valid_ones() {
        for (words, message) in [
            ("drops=2", "expected an option of `seegover` (`cycle`, `drop`, `capture` or `back`), such as `drop=2`"),
            ("cycle", "`cycle` must be `draw` or `superko`"),
            ("drop=3", "`drop` must be `1` or `2`"),
            ("drop=2 drop=2", "`drop` is given twice"),
        ] {
            assert_eq!(Options::read(words.split(' ')).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn all_options_but_superko_are_those_of_the_move_phase_and_a_drop() {
        for options in all() {
            match options.unsolved() {
                None => assert_eq!(options.move_rules().with(options.drop), options),
                Some(option) => assert_eq!((option, options.cycle), (("cycle", "superko"), CycleRule::Superko)),
            }
            assert!(MoveRules::ALL.contains(&options.move_rules()));
        }
        let texts = MoveRules::ALL.map(|rules| rules.with(DropRule::One).to_string());
        assert_eq!(texts, ["", "back=capture", "capture=single", "capture=single back=capture"]);
    }
}
