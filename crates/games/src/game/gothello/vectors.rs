//! Positions with which programs in other languages can test their rules.

use std::collections::BTreeSet;

use super::{Game, Point, SIZE, points};
use crate::base::random::SplitMix64;
use crate::game::Move;

/// How many positions there are.
const POSITIONS: usize = 500;

/// The maximum number of empty points in a position. With more, nearly all of them are legal, and there is little to
/// test.
const MOST_EMPTY: u32 = 16;

/// The positions as a JSON array, with each position as an object on a line of its own. All values are strings: `board`
/// and `after`, the points from a5 to e5, then from a4 to e4, and so on, each `b`, `w` or `.`; `to_move`, `b` or `w`;
/// `legal`, the points on which that side may place a stone, in the same order; and `move`, the move that leads to
/// `after`.
///
/// All positions have different boards. The text is always the same.
pub fn json() -> String {
    let lines: Vec<String> = vectors().iter().map(Vector::line).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// A position of a random game, and one legal move.
#[derive(Clone, Copy, Debug)]
struct Vector {
    game: Game,
    played: Move,
}

impl Vector {
    /// A random position of the random game that starts from `seed`; every position of that game is equally likely. In
    /// three out of four positions, the move captures as many stones as possible.
    fn random(seed: u64) -> Option<Self> {
        let mut random = SplitMix64::new(seed);
        let mut game = Game::default();
        let mut vectors = Vec::new();
        while !game.is_over() {
            let all: Vec<Point> = points(game.placements()).collect();
            let most = all.iter().map(|&point| captured(&game, point)).max();
            let largest: Vec<Point> =
                all.iter().copied().filter(|&point| Some(captured(&game, point)) == most).collect();
            let from = if random.below(4) == 0 { &all } else { &largest };
            let played = pick(from, &mut random).map_or(Move::PASS, Point::to_move);
            if game.empty_points() <= MOST_EMPTY {
                vectors.push(Self { game, played });
            }
            game = pick(&all, &mut random).map_or_else(|| game.pass(), |point| game.place(point));
        }
        pick(&vectors, &mut random)
    }

    fn line(&self) -> String {
        let is_legal = |point: &Point| self.game.placements() & point.bit() != 0;
        let legal: Vec<String> = reading_order().filter(is_legal).map(|point| point.to_string()).collect();
        let after = self.game.after(self.played);
        format!(
            r#"{{"board":"{}","to_move":"{}","legal":"{}","move":"{}","after":"{}"}}"#,
            flat(&self.game),
            self.game.side().letter(),
            legal.join(" "),
            self.played,
            flat(&after),
        )
    }
}

/// A random one of `things`, all equally likely; `None` if there are none.
fn pick<T: Copy>(things: &[T], random: &mut SplitMix64) -> Option<T> {
    let nth = (!things.is_empty()).then(|| random.below(things.len() as u64))?;
    things.get(usize::try_from(nth).ok()?).copied()
}

/// How many stones a placement captures.
fn captured(game: &Game, point: Point) -> u32 {
    let theirs = game.side().opponent();
    let stones = |game: &Game| game.board().stones(theirs).count_ones();
    stones(game) - stones(&game.place(point))
}

/// The points from a5 to e5, then a4 to e4, and so on.
fn reading_order() -> impl Iterator<Item = Point> {
    (0..SIZE).rev().flat_map(|rank| (0..SIZE).filter_map(move |file| Point::new(file, rank)))
}

fn flat(game: &Game) -> String {
    game.board().to_string().replace('\n', "")
}

/// [`POSITIONS`] positions, each from a different game.
fn vectors() -> Vec<Vector> {
    let mut seen = BTreeSet::new();
    let all = (0..).filter_map(Vector::random);
    all.filter(|vector| seen.insert(flat(&vector.game))).take(POSITIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;

    impl Vector {
        /// How many stones the move captures.
        fn captures(&self) -> u32 {
            Point::parse(self.played.as_str()).map_or(0, |point| captured(&self.game, point))
        }

        /// Whether a point is refused although a stone there would take the last liberty of a group of the opponent.
        fn tempts(&self) -> bool {
            let (side, board) = (self.game.side(), self.game.board());
            let refused = board.empty() & !self.game.placements();
            let stones = |point| board.place(side, point).stones(side).count_ones();
            points(refused).any(|point| stones(point) > board.stones(side).count_ones() + 1)
        }
    }

    /// Compares examples/vectors.json with the rules. To rewrite the file, run this test with
    /// `GOTHELLO_ARENA_WRITE_VECTORS=1`.
    #[test]
    fn the_file_in_examples_has_the_same_positions() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vectors.json");
        if std::env::var_os("GOTHELLO_ARENA_WRITE_VECTORS").is_some() {
            std::fs::write(path, json()).expect("written");
        }
        let found = std::fs::read_to_string(path).expect("readable");
        assert!(found == json(), "{path} does not match the rules");
    }

    #[test]
    fn the_positions_show_what_programs_get_wrong() {
        let vectors = vectors();
        assert_eq!(vectors.len(), POSITIONS);
        let count = |is_one: &dyn Fn(&Vector) -> bool| vectors.iter().filter(|vector| is_one(vector)).count();
        for (what, least, found) in [
            ("black to move", 200, count(&|vector| vector.game.side() == Side::Black)),
            ("white to move", 200, count(&|vector| vector.game.side() == Side::White)),
            ("one stone captured", 60, count(&|vector| vector.captures() == 1)),
            ("two or three stones captured", 30, count(&|vector| matches!(vector.captures(), 2 | 3))),
            ("four stones captured or more", 30, count(&|vector| vector.captures() >= 4)),
            ("a capture refused", 60, count(&Vector::tempts)),
            ("only the pass", 10, count(&|vector| vector.played.is_pass())),
        ] {
            assert!(found >= least, "{what}: {found} positions");
        }
    }
}
