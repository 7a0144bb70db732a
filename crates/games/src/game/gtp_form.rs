//! The parts of a rule set that the Go Text Protocol can express: one board and, on points, the komi and the handicap.

use std::fmt;

use thiserror::Error;

use super::quantum::points::handicap_points;
use super::quantum::{Mode, QuantumRules, RowRule, Seat, StartRule};
use super::{Ruleset, Side};

/// A game as it is described to an engine. Both kinds of boards name their fields as the protocol does: points have
/// `a1` at the bottom left and no letter `i`, and squares have `a1` at the top left, as in Othello programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GtpForm {
    /// The kind of board.
    pub board: GtpBoard,
    /// The number of squares or points per side.
    pub size: u8,
    /// White's compensation minus black's, in halves of a point.
    pub komi: Komi,
    /// The side whose stones are on the board before the first turn, and their points.
    pub handicap: Option<(Side, Vec<String>)>,
}

/// The two kinds of boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GtpBoard {
    /// Squares, on which rows are turned over.
    Squares,
    /// Points, on which chains are enclosed.
    Points,
}

impl GtpBoard {
    /// The name of the game played on this board, as an argument to `set_game`.
    pub const fn game(self) -> &'static str {
        match self {
            Self::Squares => "Othello",
            Self::Points => "Go",
        }
    }
}

/// White's compensation minus black's, in halves of a point. Its text is `7.5`, `0` or `-6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Komi(i32);

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let half = if self.0 % 2 == 0 { "" } else { ".5" };
        write!(f, "{sign}{}{half}", self.0.abs() / 2)
    }
}

/// The reason why a game cannot be played over the Go Text Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoGtpForm {
    /// The rule set has no such form, regardless of its options.
    #[error(
        "the Go Text Protocol cannot express the rule set `{ruleset}` (it can express `othello`, `reverse` and `go-9` \
        to `go-19`)"
    )]
    Ruleset {
        /// The rule set.
        ruleset: &'static str,
    },
    /// The rule set has such a form, but not with this option.
    #[error("the Go Text Protocol cannot express `{option}`, the option set for `{ruleset}`")]
    Option {
        /// The rule set.
        ruleset: &'static str,
        /// The option, as written in a log's tag.
        option: &'static str,
    },
}

impl Ruleset {
    /// The game as the Go Text Protocol describes it to an engine.
    ///
    /// # Errors
    /// Fails if the protocol cannot express the game.
    pub fn gtp_form(self) -> Result<GtpForm, NoGtpForm> {
        let Self::Quantum(rules) = self else { return Err(NoGtpForm::Ruleset { ruleset: self.name() }) };
        let (board, size) = match rules.lineup().modes() {
            [Mode::Go] => (GtpBoard::Points, rules.lineup().points()),
            [Mode::Othello | Mode::Reverse] => (GtpBoard::Squares, rules.lineup().squares()),
            _ => return Err(NoGtpForm::Ruleset { ruleset: self.name() }),
        };
        let unsaid = |option| Err(NoGtpForm::Option { ruleset: self.name(), option });
        match (board, rules.start(), rules.rows()) {
            (GtpBoard::Squares, StartRule::Open, _) => return unsaid("start=open"),
            (GtpBoard::Squares, _, RowRule::One) => return unsaid("rows=one"),
            _ => {}
        }
        Ok(GtpForm { board, size, komi: komi(&rules), handicap: handicap(&rules) })
    }
}

fn komi(rules: &QuantumRules) -> Komi {
    let of = |side: Side| rules.compensation().parts(Seat::from(side));
    Komi(of(Side::White) - of(Side::Black))
}

fn handicap(rules: &QuantumRules) -> Option<(Side, Vec<String>)> {
    let handicap = rules.handicap()?;
    let points = handicap_points(rules.lineup().points(), handicap.stones)?;
    Some((handicap.seat.side(), points.iter().map(ToString::to_string).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(ruleset: &str) -> Result<GtpForm, NoGtpForm> {
        ruleset.parse::<Ruleset>().expect("a rule set").gtp_form()
    }

    #[test]
    fn games_on_one_board_have_a_form() {
        let table = [
            ("go-9", GtpBoard::Points, 9, "7.5"),
            ("go-19 compensation=0,0", GtpBoard::Points, 19, "0"),
            ("go-13 compensation=6,0", GtpBoard::Points, 13, "-6"),
            ("go-13 compensation=1/2,0", GtpBoard::Points, 13, "-0.5"),
            ("othello", GtpBoard::Squares, 8, "0"),
            ("othello-10", GtpBoard::Squares, 10, "0"),
            ("reverse", GtpBoard::Squares, 8, "0"),
        ];
        for (ruleset, board, size, komi) in table {
            let form = form(ruleset).expect("it has a form");
            assert_eq!((form.board, form.size, form.komi.to_string().as_str()), (board, size, komi), "{ruleset}");
            assert_eq!(form.handicap, None);
        }
    }

    #[test]
    fn handicap_stones_are_named() {
        let stones = |side, points: [&str; 2]| Some((side, points.map(str::to_owned).to_vec()));
        let black = form("go-9 handicap=1,2").expect("it has a form");
        assert_eq!(black.handicap, stones(Side::Black, ["c3", "g7"]));
        let white = form("go-19 handicap=2,2").expect("it has a form");
        assert_eq!(white.handicap, stones(Side::White, ["d4", "q16"]));
    }

    #[test]
    fn other_games_and_options_have_none_and_the_reason_names_them() {
        for name in ["gothello", "seegover", "quantum", "quantum-8", "quantum-4p"] {
            assert_eq!(form(name), Err(NoGtpForm::Ruleset { ruleset: name.parse::<Ruleset>().expect("known").name() }));
        }
        assert_eq!(form("othello start=open"), Err(NoGtpForm::Option { ruleset: "othello", option: "start=open" }));
        assert_eq!(form("reverse rows=one"), Err(NoGtpForm::Option { ruleset: "reverse", option: "rows=one" }));
    }
}
