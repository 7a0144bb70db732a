//! The boards of a rule set as pages show them: which boards there are, and how their fields are numbered.
//!
//! Fields are numbered from 0: board by board, on each board rank by rank from rank 1, and on each rank from file a.

use serde::Serialize;

use crate::game::quantum::{CountRule, Mode};
use crate::game::{Move, Position, Ruleset, Side};

/// The style in which the fields of a board are named and drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// The 5x5 board of Gothello and Seegover, with a1 at the bottom left.
    Board,
    /// Squares, with a1 at the top left, and with a file i.
    Squares,
    /// Crossings of lines, with a1 at the bottom left, and without a file i.
    Points,
}

/// One board: its kind, and the number of its ranks and of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BoardLayer(pub LayerKind, pub u8);

impl BoardLayer {
    fn fields(self) -> usize {
        usize::from(self.1).pow(2)
    }
}

/// A mode of a game, and the number of the board on which it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PageMode(pub &'static str, pub usize);

/// The boards of a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers(Vec<BoardLayer>);

impl Layers {
    /// The boards of `ruleset`.
    pub fn of(ruleset: Ruleset) -> Self {
        let Ruleset::Quantum(rules) = ruleset else { return Self(vec![BoardLayer(LayerKind::Board, 5)]) };
        let lineup = rules.lineup();
        let all = [BoardLayer(LayerKind::Squares, lineup.squares()), BoardLayer(LayerKind::Points, lineup.points())];
        Self(all.into_iter().filter(|layer| layer.1 > 0).collect())
    }

    /// The boards.
    pub fn all(&self) -> &[BoardLayer] {
        &self.0
    }

    /// The number of ranks, and of files, of the first board.
    pub fn size(&self) -> u8 {
        self.0.first().map_or(0, |layer| layer.1)
    }

    /// The number of fields on all boards.
    pub fn fields(&self) -> usize {
        self.0.iter().map(|layer| layer.fields()).sum()
    }

    /// The letters of `position` in the order of the fields.
    pub fn letters(&self, position: &dyn Position) -> Vec<u8> {
        let text = position.to_string();
        let mut lines = text.lines();
        let mut letters = Vec::with_capacity(self.fields());
        for &BoardLayer(kind, size) in &self.0 {
            let mut ranks: Vec<&str> = lines.by_ref().take(usize::from(size)).collect();
            // The text of a position shows the highest rank of a board of points first.
            if kind != LayerKind::Squares {
                ranks.reverse();
            }
            letters.extend(ranks.into_iter().flat_map(str::bytes));
        }
        letters
    }

    /// The side with more stones on the first board, if there is one. While `position` is played on points, neither
    /// side leads, since the number of stones means little there.
    pub fn lead(&self, position: &dyn Position) -> Option<Side> {
        let is_on_squares = |mode| [Mode::Reverse, Mode::Othello].map(Mode::name).contains(&mode);
        let board = self.0.first().filter(|board| board.0 != LayerKind::Points)?;
        if !position.mode_name().is_none_or(is_on_squares) {
            return None;
        }
        let letters = self.letters(position);
        let count =
            |side: Side| letters.iter().take(board.fields()).filter(|&&letter| letter == side.letter() as u8).count();
        Side::ahead(i32::try_from(count(Side::Black)).ok()? - i32::try_from(count(Side::White)).ok()?)
    }

    /// The number of the field on which `played` puts a stone in the mode `mode` of `modes`.
    pub fn placed(&self, played: Move, modes: &[PageMode], mode: usize) -> Option<usize> {
        let layer = modes.get(mode).map_or(0, |mode| mode.1);
        self.field(layer, played.as_str().split('-').next()?)
    }

    /// The number of the field that is called `name` on the board with the number `layer`.
    pub fn field(&self, layer: usize, name: &str) -> Option<usize> {
        let &BoardLayer(kind, size) = self.0.get(layer)?;
        let letter = *name.as_bytes().first()?;
        let file = match (kind, letter) {
            (LayerKind::Points, b'i') => return None,
            (LayerKind::Points, b'j'..) => letter.checked_sub(b'b')?,
            _ => letter.checked_sub(b'a')?,
        };
        let rank: u8 = name.get(1..)?.parse().ok()?;
        let is_there = file < size && (1..=size).contains(&rank);
        let before: usize = self.0[..layer].iter().map(|layer| layer.fields()).sum();
        is_there.then(|| before + usize::from(rank - 1) * usize::from(size) + usize::from(file))
    }
}

/// The modes of `ruleset` in order; empty if games have only one mode, without a name.
pub fn page_modes(ruleset: Ruleset) -> Vec<PageMode> {
    let Ruleset::Quantum(rules) = ruleset else { return Vec::new() };
    let lineup = rules.lineup();
    let points = usize::from(lineup.squares() > 0);
    let on = |mode: Mode| if mode == Mode::Go { points } else { 0 };
    let mut modes: Vec<PageMode> = lineup.modes().iter().map(|&mode| PageMode(mode.name(), on(mode))).collect();
    if lineup.has(Mode::Go) && rules.count() == CountRule::Territory {
        modes.push(PageMode(PROOF, points));
    }
    modes
}

/// The part of Go in which stones are proven dead.
const PROOF: &str = "proof";

/// The number of the mode of `position` in `modes`, which is `mode` or a later one.
pub fn mode_at(modes: &[PageMode], mode: usize, position: &dyn Position) -> usize {
    let ahead = |name: &str| modes.iter().skip(mode).position(|known| known.0 == name);
    mode + position.mode_name().and_then(ahead).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(ruleset: &str) -> Layers {
        Layers::of(ruleset.parse().expect("a rule set"))
    }

    #[test]
    fn squares_count_from_the_top_and_points_from_the_bottom() {
        let quantum = layers("quantum");
        assert_eq!(quantum.fields(), 221);
        assert_eq!(
            ["a1", "j1", "a2", "j10"].map(|name| quantum.field(0, name)),
            [Some(0), Some(9), Some(10), Some(99)]
        );
        assert_eq!(
            ["a1", "h1", "j1", "l1", "a2", "l11"].map(|name| quantum.field(1, name)),
            [Some(100), Some(107), Some(108), Some(110), Some(111), Some(220)]
        );
        for name in ["i1", "m1", "a12", "a0", "", "a", "pass"] {
            assert_eq!(quantum.field(1, name), None, "{name}");
        }
        assert_eq!(layers("gothello").field(0, "e5"), Some(24));
        let start: Ruleset = "othello".parse().expect("a rule set");
        let letters = Layers::of(start).letters(&*start.start());
        let stone = |name: &str| char::from(letters[layers("othello").field(0, name).expect("a square")]);
        assert_eq!(["d4", "e4", "d5", "e5", "a1"].map(stone), ['w', 'b', 'b', 'w', '.']);
    }

    #[test]
    fn the_lead_is_that_of_the_stones_on_squares_and_nobody_leads_on_points() {
        let lead = |ruleset: &str, moves: &[&str]| {
            let ruleset: Ruleset = ruleset.parse().expect("a rule set");
            let mut position = ruleset.start();
            for text in moves {
                position.play(text).expect("a legal move");
            }
            Layers::of(ruleset).lead(&*position)
        };
        assert_eq!(lead("othello", &[]), None);
        assert_eq!(lead("othello", &["d3"]), Some(Side::Black));
        assert_eq!(lead("quantum-8", &["d3"]), Some(Side::Black));
        assert_eq!(lead("gothello", &["c3"]), Some(Side::Black));
        assert_eq!(lead("go-9", &["c3"]), None);
    }

    #[test]
    fn modes_name_the_board_on_which_they_are_played() {
        let modes = |ruleset: &str| page_modes(ruleset.parse().expect("a rule set"));
        assert_eq!(modes("gothello"), []);
        assert_eq!(modes("go-9"), [PageMode("go", 0)]);
        assert_eq!(modes("quantum-8"), [PageMode("othello", 0), PageMode("go", 1), PageMode("proof", 1)]);
        assert_eq!(modes("quantum-8 count=area"), [PageMode("othello", 0), PageMode("go", 1)]);
    }
}
