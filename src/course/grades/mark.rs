//! The mark of one student in one item.

use crate::base::word_enum::words;
use crate::course::rubric::GradePoints;

/// The mark of one student in one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemMark {
    /// The points, rounded as the rubric says. `None` while the mark is incomplete, and in an item that the teacher marks.
    pub points: Option<GradePoints>,
    /// The figure that the points follow from; `None` if there is no evidence for one.
    pub figure: Option<MarkFigure>,
    /// How certain the mark is.
    pub state: MarkState,
    /// What the mark rests on, in one sentence without a name of a student: `12.5 points of 20 games against greedy, of which
    /// 12 are distinct; ...`. It is printable.
    pub sentence: String,
    /// What shows it.
    pub evidence: MarkEvidence,
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkFigure {
    /// The figure that was measured, such as a mean score. With an interval, another value may count: see
    /// [`MarkFigure::counted`].
    pub value: f64,
    /// The lower and the upper end of the interval; `None` for a count that is no sample.
    pub interval: Option<[f64; 2]>,
    /// The value that the points are given for: `value`, or an end of the interval.
    pub counted: f64,
    /// The unit of all of them.
    pub unit: FigureUnit,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUnit {
    /// A share from 0 to 1: of scenarios, of points in games, of moves.
    Share,
    /// Moves of a thousand.
    PerThousand,
    /// A number of games.
    Games,
    /// Stones for each move.
    Stones,
}

words! { pub FigureUnit; Share => "share", PerThousand => "per_1000", Games => "games", Stones => "stones" }

/// How certain a mark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkState {
    /// No game that may still be played changes it.
    Settled,
    /// The interval reaches over points that differ, and no more games are to be played.
    Borderline,
    /// Evidence is missing or void, through no fault of the student's. There are no points.
    Incomplete,
    /// The teacher gives the points.
    Manual,
}

words! {
    pub MarkState;
    Settled => "settled", Borderline => "borderline", Incomplete => "incomplete", Manual => "manual",
}

/// What shows a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkEvidence {
    /// The ids of the games that count, as [`super::GradedGame::id`] has them.
    pub games: Vec<String>,
    /// The names of the trials that count, such as `clock.black`.
    pub trials: Vec<String>,
    /// How many of the games are distinct; `None` in items that count every game.
    pub distinct: Option<usize>,
}
