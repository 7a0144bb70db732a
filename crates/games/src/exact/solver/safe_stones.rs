//! Finds stones that can never change colour, and the bounds that follow from them.
//!
//! Consider some groups of one colour, called walls, and the connected parts of the rest of the board, called regions.
//! As long as no wall changes colour, the other side cannot fill the last empty point of a region: the group of its
//! stone would be within the region and have no liberty. So a region keeps an empty point if the owner of the walls
//! does not play in it. A region is vital to a wall if all the region's empty points are liberties of that wall: the
//! point that stays empty in the end is then a liberty of the wall. If every wall has a vital region, no wall can be
//! the first to be captured, so all walls are safe as long as their owner passes, which is always legal. This is David
//! Benson's "Life in the game of Go" (1976) with one vital region instead of two, because here, a stone may not capture
//! by filling its own last liberty.
//!
//! In the end, the owner of the walls has all of them, and the other side has all other points except one in each
//! region.
//!
//! A region of one or two points is spare if the walls around it have vital regions that are not spare. Its owner can
//! fill it at any time, because the stone's group keeps a liberty elsewhere. In a region of two points, the other side
//! has at most one stone, which is captured. So all of a spare region belongs to its owner. From a region of one point,
//! the owner gains a point instead of nothing; from a region of two points, it gains two points instead of losing a
//! stone.

use super::stones::{Groups, flood};
use super::task::MOST;
use crate::game::gothello::{ALL, Points, neighbours};

/// The number of points on the board.
const POINTS: i32 = ALL.count_ones().cast_signed();

/// The maximum number of regions: one on every second point.
const MAX_REGIONS: usize = 13;

/// Returns the final lead that good play guarantees the owner of `groups`, whichever side is to move; [`-MOST`](MOST)
/// if nothing is safe.
pub(super) fn assured(groups: &Groups, empty: Points) -> i32 {
    let mut walls = groups.stones;
    loop {
        let outside = ALL & !walls;
        // A region with an empty point that is not adjacent to any wall is not vital to a wall.
        let open = flood(empty & !neighbours(walls), outside);
        let mut rest = outside & !open;
        if rest & empty == 0 {
            return -MOST;
        }
        let mut regions = [0; MAX_REGIONS];
        let (mut count, mut kept) = (0, 0);
        while rest != 0 && count < MAX_REGIONS {
            let region = flood(rest & rest.wrapping_neg(), outside);
            rest &= !region;
            regions[count] = region;
            count += 1;
            let room = region & empty;
            let lives = groups.iter().filter(|group| room & !group.liberties == 0);
            kept |= lives.fold(0, |all, group| all | group.stones);
        }
        kept &= walls;
        if kept == 0 {
            return -MOST;
        }
        if kept == walls {
            let regions = &regions[..count];
            let ahead = 2 * kept.count_ones().cast_signed() - POINTS + parts(outside);
            return if count > 1 { ahead + spare(groups, walls, empty, regions) } else { ahead };
        }
        // The other walls may be captured, and the regions beyond them then merge.
        walls = kept;
    }
}

/// A quick version of [`assured`], in which the only regions that count are single empty points.
pub(super) fn eyed(groups: &Groups, empty: Points, others: Points) -> i32 {
    let eyes = empty & !neighbours(empty | others);
    if eyes == 0 {
        return -MOST;
    }
    let alive = groups.iter().filter(|group| group.liberties & eyes != 0);
    let kept = alive.fold(0, |all, group| all | group.stones);
    2 * kept.count_ones().cast_signed() - POINTS + eyes.count_ones().cast_signed()
}

/// Returns how many connected parts a set has.
fn parts(set: Points) -> i32 {
    let (mut rest, mut count) = (set, 0);
    while rest != 0 {
        rest &= !flood(rest & rest.wrapping_neg(), set);
        count += 1;
    }
    count
}

/// Returns how much the spare regions add to the lead.
fn spare(groups: &Groups, walls: Points, empty: Points, regions: &[Points]) -> i32 {
    let mut found: u32 = 0;
    let mut gain = 0;
    for (i, &region) in regions.iter().enumerate() {
        let worth = match region.count_ones() {
            1 => 1,
            2 => 3,
            _ => continue,
        };
        let beside = neighbours(region) & walls;
        let is_vital = |group: Points, j: usize| j != i && found >> j & 1 == 0 && regions[j] & empty & !group == 0;
        let is_needed = |liberties: Points| !(0..regions.len()).any(|j| is_vital(liberties, j));
        if !groups.iter().any(|group| group.stones & beside != 0 && is_needed(group.liberties)) {
            found |= 1 << i;
            gain += worth;
        }
    }
    gain
}

#[cfg(test)]
mod tests {
    use super::super::stones::{SearchPosition, Stones};
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::game::Side;
    use crate::game::gothello::{Board, Game, points};

    /// Returns black's certain lead, according to [`assured`] and to [`eyed`].
    fn of_black(board: &str) -> [i32; 2] {
        let board: Board = board.parse().unwrap();
        let stones = Stones { own: board.stones(Side::Black), theirs: board.stones(Side::White) };
        let position = SearchPosition::of(stones);
        [assured(&position.own, position.empty), eyed(&position.own, position.empty, stones.theirs)]
    }

    /// Returns the value for the side to move, using only the rules.
    fn minimax(game: &Game) -> i32 {
        if game.is_over() {
            let margin = game.board().margin();
            return game.side().own(margin);
        }
        let passing = -minimax(&game.pass());
        points(game.placements()).map(|point| -minimax(&game.place(point))).fold(passing, i32::max)
    }

    #[test]
    fn no_side_ever_ends_below_what_is_certain_for_it() {
        let mut random = SplitMix64::new(31);
        let mut certain = 0;
        for number in 0..2000 {
            // Random placements leave 2 to 5 points empty. In half of the games, filling small eyes is avoided.
            let mut game = Game::default();
            while game.board().empty().count_ones() > 2 + number % 4 && game.placements() != 0 {
                let own = game.board().stones(game.side());
                let eyes = game.board().empty() & !neighbours(ALL & !own);
                let mut choices = game.placements();
                if number % 2 == 0 && choices & !eyes != 0 {
                    choices &= !eyes;
                }
                let chosen = random.below(u64::from(choices.count_ones()));
                game = points(choices).nth(usize::try_from(chosen).unwrap()).map_or(game, |point| game.place(point));
            }
            let board = game.board();
            let position =
                SearchPosition::of(Stones { own: board.stones(Side::Black), theirs: board.stones(Side::White) });
            let values =
                [minimax(&Game::from_board(board, Side::Black)), -minimax(&Game::from_board(board, Side::White))];
            for (groups, others, sign) in [(&position.own, &position.theirs, 1), (&position.theirs, &position.own, -1)]
            {
                let bound = assured(groups, position.empty);
                certain += i32::from(bound > -MOST);
                for value in values {
                    assert!(sign * value >= bound, "{sign} {value} {bound}\n{board}");
                    assert!(sign * value >= eyed(groups, position.empty, others.stones), "{board}");
                }
            }
        }
        assert!(certain > 1000, "{certain}");
    }

    #[test]
    fn one_eye_makes_a_group_safe_and_a_spare_one_is_filled() {
        // Two stones next to a corner are two groups, and the corner keeps both alive.
        assert_eq!(of_black("..... ..... ..... b.... .b..."), [2 * 2 - 25 + 2, 2 * 2 - 25 + 1]);
        assert_eq!(of_black("..... ..... ..... b.... .w..."), [-MOST, -MOST]);
        // One group has both points as its liberties.
        assert_eq!(of_black("..... ..... ..... bbb.. ..b.."), [2 * 4 - 25 + 2, -MOST]);
        // The same group, with a stone of the other side that will stay there.
        assert_eq!(of_black("..... ..... ..... bbb.. w.b.."), [2 * 4 - 25 + 2, -MOST]);
        // With a second eye, a first eye of one point counts as one point, and a first eye of two points counts as two.
        assert_eq!(of_black("..... ..... ..... bbbb. .b.b."), [2 * 6 - 25 + 3 + 1, 2 * 6 - 25 + 2]);
        assert_eq!(of_black("..... ..... ..... bbbb. ..b.b"), [2 * 6 - 25 + 3 + 3, 2 * 6 - 25 + 1]);
        // A region that one of two adjacent groups needs is not spare.
        assert_eq!(of_black("..... ..... bbbb. .b.bw ..b.."), [2 * 7 - 25 + 3, 2 * 7 - 25 + 1]);
    }
}
