//! Wrong models of the board, and the boards that they lead to.

use crate::game::gothello::{ALL, Point, Points, flood, neighbours, points};

/// A wrong model of the rules or of the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belief {
    /// Captured groups stay as they are.
    NothingTurns,
    /// Only the stones that the bot itself captures turn.
    OwnTurn,
    /// Only the stones that the opponent captures turn.
    TheirsTurn,
    /// If several groups are captured, only the group with the lowest point turns.
    FirstGroup,
    /// If several groups are captured, only the group with the highest point turns.
    LastGroup,
    /// Only the stones of a captured group that are next to the move turn.
    TouchedStones,
    /// Captured stones leave the board.
    Removes,
    /// The bot uses one mapping of points to read the opponent's moves, and a different mapping to write its own moves.
    Reads(BoardTurn),
    /// The bot uses one mapping of points to read all moves, and a different mapping to write its own moves.
    Writes(BoardTurn),
}

/// A symmetry of the board other than identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardTurn {
    Ranks,
    Files,
    HalfTurn,
    Transposed,
    AntiTransposed,
    QuarterTurn,
    ThreeQuarterTurn,
}

impl BoardTurn {
    const ALL: [Self; 7] = [
        Self::Ranks,
        Self::Files,
        Self::HalfTurn,
        Self::Transposed,
        Self::AntiTransposed,
        Self::QuarterTurn,
        Self::ThreeQuarterTurn,
    ];

    /// The image of `point`.
    fn apply(self, point: Point) -> Point {
        let (file, rank) = (point.file(), point.rank());
        let (file, rank) = match self {
            Self::Ranks => (file, 4 - rank),
            Self::Files => (4 - file, rank),
            Self::HalfTurn => (4 - file, 4 - rank),
            Self::Transposed => (rank, file),
            Self::AntiTransposed => (4 - rank, 4 - file),
            Self::QuarterTurn => (rank, 4 - file),
            Self::ThreeQuarterTurn => (4 - rank, file),
        };
        Point::new(file, rank).unwrap_or(point)
    }

    fn apply_to_all(self, set: Points) -> Points {
        points(set).fold(0, |turned, point| turned | self.apply(point).bit())
    }
}

/// The position as the bot believes it to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BelievedBoard {
    own: Points,
    theirs: Points,
}

impl Belief {
    /// The wrong models of captures.
    pub(super) const OF_CAPTURES: [Self; 6] =
        [Self::NothingTurns, Self::OwnTurn, Self::TheirsTurn, Self::TouchedStones, Self::FirstGroup, Self::LastGroup];

    /// The wrong models in which the board is transformed by a symmetry, the most common ones first.
    pub(super) fn of_turned_boards() -> Vec<Self> {
        BoardTurn::ALL.into_iter().flat_map(|turning| [Self::Reads(turning), Self::Writes(turning)]).collect()
    }

    /// Every belief for which a board is tracked.
    pub(super) fn all() -> Vec<Self> {
        Self::OF_CAPTURES.into_iter().chain([Self::Removes]).chain(Self::of_turned_boards()).collect()
    }

    /// The board after a stone was placed on `point`, by the bot itself if `is_own`.
    pub(super) fn place(self, board: BelievedBoard, point: Point, is_own: bool) -> BelievedBoard {
        let point = match self {
            Self::Reads(turning) if !is_own => turning.apply(point),
            _ => point,
        };
        // A wrong board may already have a stone on this point.
        let BelievedBoard { own, theirs } = board;
        let (mover, other) = if is_own { (own, theirs) } else { (theirs, own) };
        let (mut mover, mut other) = (mover | point.bit(), other & !point.bit());
        let captured = self.turning(captured(mover, other, point), point, is_own);
        other &= !captured;
        if self != Self::Removes {
            mover |= captured;
        }
        if is_own { BelievedBoard { own: mover, theirs: other } } else { BelievedBoard { own: other, theirs: mover } }
    }

    /// The stones in the captured `groups` that change colour, or leave the board, under this belief.
    fn turning(self, groups: Vec<Points>, point: Point, is_own: bool) -> Points {
        let all = groups.iter().fold(0, |all, group| all | group);
        match self {
            Self::NothingTurns => 0,
            Self::OwnTurn if !is_own => 0,
            Self::TheirsTurn if is_own => 0,
            Self::FirstGroup => groups.into_iter().min_by_key(|group| group.trailing_zeros()).unwrap_or_default(),
            Self::LastGroup => groups.into_iter().max_by_key(|group| group.trailing_zeros()).unwrap_or_default(),
            Self::TouchedStones => all & neighbours(point.bit()),
            _ => all,
        }
    }

    /// The points on which the bot believes it may play, as it writes them.
    pub(super) fn legal(self, board: BelievedBoard) -> Points {
        let BelievedBoard { own, theirs } = board;
        let empty = ALL & !(own | theirs);
        let has_liberty = |point: &Point| {
            let group = flood(point.bit(), own | point.bit());
            neighbours(group) & empty & !point.bit() != 0
        };
        let legal = points(empty).filter(has_liberty).fold(0, |legal, point| legal | point.bit());
        match self {
            Self::Writes(turning) => turning.apply_to_all(legal),
            _ => legal,
        }
    }

    /// Describes how this belief transforms the board, and states the correct rule.
    pub(super) const fn turned_words(self) -> (&'static str, &'static str) {
        let (Self::Reads(turning) | Self::Writes(turning)) = self else {
            return ("is different", "Rank 1 is the bottom line.");
        };
        match turning {
            BoardTurn::Ranks => ("is upside down", "Rank 5 is at the top of the board, and rank 1 at the bottom."),
            BoardTurn::Files => ("is mirrored", "File a is on the left, and file e on the right."),
            BoardTurn::HalfTurn => ("is rotated by 180 degrees", "The point a1 is in the bottom left corner."),
            BoardTurn::Transposed | BoardTurn::AntiTransposed => (
                "has files and ranks swapped",
                "The letter is the file, from left to right, and the digit is the rank, from bottom to top.",
            ),
            BoardTurn::QuarterTurn | BoardTurn::ThreeQuarterTurn => (
                "is rotated by 90 degrees",
                "The letter is the file, from left to right, and the digit is the rank, from bottom to top.",
            ),
        }
    }
}

/// The groups of `other` next to `point` that have no liberties.
fn captured(mover: Points, other: Points, point: Point) -> Vec<Points> {
    let empty = ALL & !(mover | other);
    let mut touched = neighbours(point.bit()) & other;
    let mut groups = Vec::new();
    while touched != 0 {
        let group = flood(touched & touched.wrapping_neg(), other);
        touched &= !group;
        if neighbours(group) & empty == 0 {
            groups.push(group);
        }
    }
    groups
}

/// Whether a stone on any of the points in `point` would capture a group of `theirs`, on a board with the stones `own`
/// and `theirs`.
pub(super) fn would_capture(own: Points, theirs: Points, point: Points) -> bool {
    points(point).any(|point| !captured(own | point.bit(), theirs, point).is_empty())
}
