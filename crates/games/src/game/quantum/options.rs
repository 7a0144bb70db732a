//! The options of the rules, their possible values, and the line-ups that have them.

use std::fmt;

use thiserror::Error;

use super::choices::{CountRule, RowRule, ScoringRule, StartRule, StuckRule, SuicideRule};
use super::compensation::{Compensation, CompensationError};
use super::lineup::{Lineup, Mode};
use super::points::{KoRule, most_handicap};
use super::seats::Seat;
use crate::base::units::counted;
use crate::base::word_enum::alternatives;

/// The stones that one seat has on the points before the first turn of Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handicap {
    /// The seat.
    pub seat: Seat,
    /// The number of stones, from 2 to 9.
    pub stones: u8,
}

impl Handicap {
    /// The minimum number of stones.
    pub const LEAST: u8 = 2;
    /// The maximum number of stones, if the board has room for them.
    pub const MOST: u8 = 9;
}

/// Writes the seat and the number of stones.
impl fmt::Display for Handicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.seat, self.stones)
    }
}

/// An option with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionValue {
    /// The option `start`.
    Start(StartRule),
    /// The option `rows`.
    Rows(RowRule),
    /// The option `stuck`.
    Stuck(StuckRule),
    /// The option `ko`.
    Ko(KoRule),
    /// The option `suicide`.
    Suicide(SuicideRule),
    /// The option `count`.
    Count(CountRule),
    /// The option `scoring`.
    Scoring(ScoringRule),
    /// The option `compensation`.
    Compensation(Compensation),
    /// The option `handicap`.
    Handicap(Option<Handicap>),
}

/// A line-up with options that fit it.
///
/// It is written as the line-up's name, followed by the options that differ from the line-up's defaults, such as
/// `quantum rows=one handicap=2,4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuantumRules {
    lineup: &'static Lineup,
    start: StartRule,
    rows: RowRule,
    stuck: StuckRule,
    ko: KoRule,
    suicide: SuicideRule,
    count: CountRule,
    scoring: ScoringRule,
    compensation: Compensation,
    handicap: Option<Handicap>,
}

impl QuantumRules {
    /// Every line-up with its default options.
    pub const ALL: [Self; Lineup::ALL.len()] = {
        const LINEUPS: &[Lineup] = &Lineup::ALL;
        let mut all = [Self::of(&LINEUPS[0]); Lineup::ALL.len()];
        let mut index = 1;
        while index < all.len() {
            all[index] = Self::of(&LINEUPS[index]);
            index += 1;
        }
        all
    };

    /// Creates the line-up with its default options.
    pub const fn of(lineup: &'static Lineup) -> Self {
        Self {
            lineup,
            start: lineup.start,
            rows: RowRule::All,
            stuck: lineup.stuck,
            ko: KoRule::Positional,
            suicide: SuicideRule::Forbidden,
            count: lineup.count,
            scoring: ScoringRule::Sum,
            compensation: Compensation::of_parts(lineup.seats, lineup.compensation),
            handicap: None,
        }
    }

    /// Returns these rules with `option` set.
    ///
    /// # Errors
    /// Fails if the option does not fit the line-up. A value that the line-up has by default always fits.
    pub fn with(self, option: OptionValue) -> Result<Self, Misfit> {
        let mut rules = self;
        match option {
            OptionValue::Start(start) => rules.start = start,
            OptionValue::Rows(rows) => rules.rows = rows,
            OptionValue::Stuck(stuck) => rules.stuck = stuck,
            OptionValue::Ko(ko) => rules.ko = ko,
            OptionValue::Suicide(suicide) => rules.suicide = suicide,
            OptionValue::Count(count) => rules.count = count,
            OptionValue::Scoring(scoring) => rules.scoring = scoring,
            OptionValue::Compensation(compensation) => rules.compensation = compensation,
            OptionValue::Handicap(handicap) => rules.handicap = handicap,
        }
        rules.misfit(option).map_or(Ok(rules), Err)
    }

    /// Returns the reason why `option`, which these rules already have, does not fit.
    fn misfit(self, option: OptionValue) -> Option<Misfit> {
        let (lineup, own) = (self.lineup, Self::of(self.lineup));
        let lacks = |mode, key| (!lineup.has(mode)).then_some(Misfit::NoMode { key, mode, lineup: lineup.name });
        match option {
            OptionValue::Start(start) if start != own.start && lineup.squares == 0 => {
                Some(Misfit::NoSquares { key: "start", lineup: lineup.name })
            }
            OptionValue::Start(start) => (start != own.start && !StartRule::of(lineup.seats).contains(&start))
                .then_some(Misfit::Start { start, seats: lineup.seats }),
            OptionValue::Rows(rows) if rows != own.rows => lacks(Mode::Reverse, "rows"),
            OptionValue::Stuck(stuck) if stuck != own.stuck => (lineup.seats == 2).then_some(Misfit::StuckOfTwo),
            OptionValue::Ko(ko) if ko != own.ko => lacks(Mode::Go, "ko"),
            OptionValue::Suicide(suicide) if suicide != own.suicide => lacks(Mode::Go, "suicide"),
            OptionValue::Count(count) if count != own.count => lacks(Mode::Go, "count"),
            OptionValue::Compensation(compensation) if compensation.seats() != lineup.seats => {
                Some(CompensationError::Seats { seats: lineup.seats, given: compensation.seats().into() }.into())
            }
            OptionValue::Handicap(Some(handicap)) => {
                lacks(Mode::Go, "handicap").or_else(|| misfit_of_handicap(handicap, lineup))
            }
            _ => None,
        }
    }

    /// Whether the margin alone decides the game: the scoring is `sum`, and no seat gets compensation.
    pub fn margin_decides(self) -> bool {
        let parts = Seat::all(self.seats()).map(|seat| self.compensation.parts(seat));
        self.scoring == ScoringRule::Sum && parts.sum::<i32>() == 0
    }

    /// The line-up.
    pub const fn lineup(&self) -> &'static Lineup {
        self.lineup
    }

    /// The number of seats.
    pub const fn seats(&self) -> u8 {
        self.lineup.seats
    }

    /// How the squares are occupied at the start.
    pub const fn start(&self) -> StartRule {
        self.start
    }

    /// Which rows are turned over in Reverse.
    pub const fn rows(&self) -> RowRule {
        self.rows
    }

    /// What a seat does if it cannot enclose a row.
    pub const fn stuck(&self) -> StuckRule {
        self.stuck
    }

    /// Which arrangements of the points may not be repeated.
    pub const fn ko(&self) -> KoRule {
        self.ko
    }

    /// Whether a stone may take its own chain's last liberty.
    pub const fn suicide(&self) -> SuicideRule {
        self.suicide
    }

    /// What is counted in Go.
    pub const fn count(&self) -> CountRule {
        self.count
    }

    /// What decides the placing.
    pub const fn scoring(&self) -> ScoringRule {
        self.scoring
    }

    /// The points that each seat gets in addition to its counts.
    pub const fn compensation(&self) -> Compensation {
        self.compensation
    }

    /// The handicap, if there is one.
    pub const fn handicap(&self) -> Option<Handicap> {
        self.handicap
    }
}

fn misfit_of_handicap(handicap: Handicap, lineup: &Lineup) -> Option<Misfit> {
    let most = most_handicap(lineup.points);
    if handicap.seat.number() > lineup.seats {
        Some(Misfit::HandicapSeat { seat: handicap.seat, seats: lineup.seats })
    } else if (Handicap::LEAST..=most).contains(&handicap.stones) {
        None
    } else {
        Some(Misfit::HandicapStones { stones: handicap.stones, points: lineup.points, most })
    }
}

/// The error for an option that does not fit its line-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Misfit {
    /// The line-up lacks the mode to which the option applies.
    #[error("`{key}` is an option of the {mode} mode, which `{lineup}` does not have")]
    NoMode {
        /// The option.
        key: &'static str,
        /// The mode.
        mode: Mode,
        /// The line-up's name.
        lineup: &'static str,
    },
    /// The line-up lacks the squares to which the option applies.
    #[error("`{key}` applies to squares, but `{lineup}` has none")]
    NoSquares {
        /// The option.
        key: &'static str,
        /// The line-up's name.
        lineup: &'static str,
    },
    /// The start is for a different number of seats.
    #[error("`start={start}` is not possible with {seats} seats: it must be {}", names(StartRule::of(*seats)))]
    Start {
        /// The start.
        start: StartRule,
        /// How many seats the line-up has.
        seats: u8,
    },
    /// The value `beside` of `stuck` is not available with two seats.
    #[error("`stuck=beside` requires more than two seats")]
    StuckOfTwo,
    /// The compensation does not fit the number of seats.
    #[error(transparent)]
    Compensation(#[from] CompensationError),
    /// The handicap is for a seat that the line-up does not have.
    #[error("the handicap is for seat {seat}, but the game has only {seats} seats")]
    HandicapSeat {
        /// The seat.
        seat: Seat,
        /// How many seats the line-up has.
        seats: u8,
    },
    /// The handicap has too few stones, or too many for the board.
    #[error("a handicap of {} does not fit: {}", counted(*stones, "stone"), fitting(*points, *most))]
    HandicapStones {
        /// The number of stones.
        stones: u8,
        /// Points per side.
        points: u8,
        /// The maximum number of stones on this board.
        most: u8,
    },
}

fn names(starts: &[StartRule]) -> String {
    let names: Vec<&str> = starts.iter().map(|start| start.name()).collect();
    alternatives(&names)
}

fn fitting(points: u8, most: u8) -> String {
    match most {
        0 => format!("a board of {points}x{points} points is too small for a handicap"),
        _ => format!("a board of {points}x{points} points has room for {} to {most}", Handicap::LEAST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(lineup: &str, option: OptionValue) -> Result<QuantumRules, String> {
        let lineup = Lineup::named(lineup).expect("a line-up");
        QuantumRules::of(lineup).with(option).map_err(|misfit| misfit.to_string())
    }

    #[test]
    fn an_option_that_does_not_fit_the_line_up_is_refused_with_the_reason() {
        let handicap = |seat, stones| OptionValue::Handicap(Some(Handicap { seat: Seat::new(seat).unwrap(), stones }));
        for (lineup, option, expected) in [
            (
                "othello",
                OptionValue::Ko(KoRule::Simple),
                "`ko` is an option of the go mode, which `othello` does not have",
            ),
            (
                "quantum-8",
                OptionValue::Rows(RowRule::One),
                "`rows` is an option of the reverse mode, which `quantum-8` does not have",
            ),
            ("go-9", OptionValue::Start(StartRule::Open), "`start` applies to squares, but `go-9` has none"),
            (
                "quantum",
                OptionValue::Start(StartRule::Corners),
                "`start=corners` is not possible with 2 seats: it must be `middle` or `open`",
            ),
            (
                "quantum-6p",
                OptionValue::Start(StartRule::Middle),
                "`start=middle` is not possible with 6 seats: it must be `none`",
            ),
            ("quantum", OptionValue::Stuck(StuckRule::Beside), "`stuck=beside` requires more than two seats"),
            ("quantum", handicap(3, 2), "the handicap is for seat 3, but the game has only 2 seats"),
            (
                "go-9",
                handicap(1, 10),
                "a handicap of 10 stones does not fit: a board of 9x9 points has room for 2 to 9",
            ),
            ("go-9", handicap(1, 1), "a handicap of 1 stone does not fit: a board of 9x9 points has room for 2 to 9"),
        ] {
            assert_eq!(with(lineup, option), Err(expected.to_owned()), "{lineup}");
        }
    }

    #[test]
    fn what_the_line_up_has_anyway_always_fits() {
        for rules in QuantumRules::ALL {
            for option in [
                OptionValue::Start(rules.start),
                OptionValue::Rows(rules.rows),
                OptionValue::Stuck(rules.stuck),
                OptionValue::Ko(rules.ko),
                OptionValue::Suicide(rules.suicide),
                OptionValue::Count(rules.count),
                OptionValue::Scoring(rules.scoring),
                OptionValue::Compensation(rules.compensation),
                OptionValue::Handicap(None),
            ] {
                assert_eq!(rules.with(option), Ok(rules), "{option:?}");
            }
        }
    }
}
