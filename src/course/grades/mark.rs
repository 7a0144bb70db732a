//! The mark of one student for one item.

use crate::base::digits::rounded;
use crate::base::word_enum::words;
use crate::course::rubric::GradePoints;

/// The mark of one student for one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemMark {
    /// The points, rounded as the rubric says. `None` while the mark is incomplete, and for an item that the teacher
    /// marks.
    pub points: Option<GradePoints>,
    /// The figure that determines the points; `None` if there is no evidence for a figure.
    pub figure: Option<MarkFigure>,
    /// The certainty of the mark.
    pub state: MarkState,
    /// The evidence for the mark, in one plain and printable sentence without a student's name: `Scored 12.5 of 20
    /// games against greedy; ...`.
    pub sentence: String,
    /// The evidence.
    pub evidence: MarkEvidence,
}

/// A figure with its interval, all rounded by [`FigureUnit::rounded`], so that they are the same on every page and in
/// every file, and so that the points follow from the figure that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkFigure {
    /// The measured figure, such as a mean score. If there is an interval, another value may count: see
    /// [`MarkFigure::counted`].
    pub value: f64,
    /// The lower and the upper end of the interval; `None` for a count, which is not a sample.
    pub interval: Option<[f64; 2]>,
    /// The value that determines the points: `value`, or an end of the interval.
    pub counted: f64,
    /// The unit of `value`, `interval` and `counted`.
    pub unit: FigureUnit,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUnit {
    /// A share from 0 to 1, such as a share of scenarios, of points in games, or of moves.
    Share,
    /// Moves per thousand.
    PerThousand,
    /// A number of games.
    Games,
    /// Stones per move.
    Stones,
}

impl FigureUnit {
    /// `figure` as it is shown everywhere: to a tenth of a percent, a tenth of a move in a thousand, a whole game, or a
    /// hundredth of a stone.
    pub fn rounded(self, figure: f64) -> f64 {
        let places = match self {
            Self::Share => 3,
            Self::PerThousand => 1,
            Self::Games => 0,
            Self::Stones => 2,
        };
        rounded(figure, places)
    }
}

words! { pub FigureUnit; Share => "share", PerThousand => "per_1000", Games => "games", Stones => "stones" }

/// The certainty of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkState {
    /// No further game could change the mark.
    Settled,
    /// The interval still spans several point values, but no more games will be played.
    Borderline,
    /// Evidence is missing or void for a reason that is not the student's fault. There are no points.
    Incomplete,
    /// The teacher gives the points.
    Manual,
}

words! {
    pub MarkState;
    Settled => "settled", Borderline => "borderline", Incomplete => "incomplete", Manual => "manual",
}

/// The evidence for a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkEvidence {
    /// The ids of the games that count, as in [`super::GradedGame::id`].
    pub games: Vec<String>,
    /// The names of the trials that count, such as `clock.black`.
    pub trials: Vec<String>,
    /// The number of distinct games; `None` for items that count every game.
    pub distinct: Option<usize>,
}
