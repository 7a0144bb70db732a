//! Alpha-beta search (in negamax form) to a fixed depth.

use super::super::choice::Choice;
use super::lead;
use crate::base::random::SplitMix64;
use crate::game::gothello::{Game, Point, Points, neighbours, points};

/// The value of a win in addition to the lead, which is more than any estimate.
const WIN: i32 = 10_000;

/// A value above every score.
const INFINITY: i32 = 2 * WIN;

// The weights used in estimates were found in matches of a few hundred games between candidates at depths 2 and 3.

/// The weight of a stone.
const STONE: i32 = 4;

/// The weight of a point on which only one side may play, for that side: an eye, or a chance to move when the other
/// side cannot.
const PRIVATE_POINT: i32 = 8;

/// The weight of each liberty of a side's stones for that side. A liberty shared by several stones counts once.
const LIBERTY: i32 = 1;

/// The maximum number of legal placements in a position.
const MAX_PLACEMENTS: usize = 25;

/// Returns the placement with the best score `depth` plies ahead, or `None` if passing is better than every placement.
/// Among placements with the same score, one is chosen at random.
pub(super) fn best(game: &Game, depth: u32, random: &mut SplitMix64) -> Option<Point> {
    let mut choice = Choice::default();
    for point in points(game.placements()) {
        // The bound is one below the best score, so that an equally good placement can be distinguished from a worse
        // one.
        let alpha = choice.score().map_or(-INFINITY, |best| best - 1);
        choice.offer(-search(&game.place(point), depth - 1, -INFINITY, -alpha), point, random);
    }
    let (score, point) = choice.best?;
    let passing = -search(&game.pass(), depth - 1, -INFINITY, -score);
    (passing <= score).then_some(point)
}

/// Returns the score of `game` for the side to move, looking `depth` plies ahead, if it is between `alpha` and `beta`;
/// otherwise, returns a bound on the same side of this range.
fn search(game: &Game, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    if game.is_over() {
        return ended(game);
    }
    if game.passed() {
        // A pass ends the game immediately, which does not require a search.
        alpha = alpha.max(ended(game));
        if alpha >= beta {
            return alpha;
        }
    }
    if depth == 0 {
        return alpha.max(estimate(game));
    }
    let placements = game.placements();
    if placements == 0 {
        // The pass is forced, so it costs no depth; two passes in a row end the game.
        return if game.passed() { alpha } else { -search(&game.pass(), depth, -beta, -alpha) };
    }
    let mut children = [(0, *game); MAX_PLACEMENTS];
    let mut count = 0;
    for point in points(placements) {
        let child = game.place(point);
        // Sorting does not pay off at the last ply.
        children[count] = (if depth > 1 { estimate(&child) } else { 0 }, child);
        count += 1;
    }
    let children = &mut children[..count];
    children.sort_by_key(|(score, _)| *score);
    for (_, child) in children.iter() {
        alpha = alpha.max(-search(child, depth - 1, -beta, -alpha));
        if alpha >= beta {
            return alpha;
        }
    }
    if game.passed() { alpha } else { alpha.max(-search(&game.pass(), depth - 1, -beta, -alpha)) }
}

/// Returns the score, for the side to move, of a game that is over or would be over after a pass.
const fn ended(game: &Game) -> i32 {
    let lead = lead(game, game.side());
    WIN * lead.signum() + lead
}

/// Estimates the score for the side to move, using only the board.
fn estimate(game: &Game) -> i32 {
    let (board, side) = (game.board(), game.side());
    let (own, theirs) = (board.placements(side), board.placements(side.opponent()));
    let private_points = difference(own & !theirs, theirs & !own);
    let empty = board.empty();
    let liberties = [side, side.opponent()].map(|side| neighbours(board.stones(side)) & empty);
    STONE * lead(game, side) + PRIVATE_POINT * private_points + LIBERTY * difference(liberties[0], liberties[1])
}

/// Returns how many more points `set` has than `other`.
const fn difference(set: Points, other: Points) -> i32 {
    set.count_ones().cast_signed() - other.count_ones().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::game::gothello::Board;

    /// Computes the same score as [`search`], but without bounds and without the shortcut for a pass that ends the
    /// game.
    fn minimax(game: &Game, depth: u32) -> i32 {
        if game.is_over() {
            return ended(game);
        }
        let placements = game.placements();
        let passing = |depth| if game.passed() { ended(game) } else { -minimax(&game.pass(), depth) };
        if depth == 0 {
            return if game.passed() { estimate(game).max(ended(game)) } else { estimate(game) };
        }
        if placements == 0 {
            return passing(depth);
        }
        let placing = points(placements).map(|point| -minimax(&game.place(point), depth - 1)).max();
        placing.unwrap_or(-INFINITY).max(passing(depth - 1))
    }

    /// Makes random moves, which include passes, and returns a game that is not over.
    fn any_position(random: &mut SplitMix64) -> Game {
        let mut game = Game::default();
        for _ in 0..random.below(40) {
            let placement = points(game.placements()).nth(usize::try_from(random.below(28)).unwrap());
            let next = placement.map_or_else(|| game.pass(), |point| game.place(point));
            if next.is_over() {
                break;
            }
            game = next;
        }
        game
    }

    #[test]
    fn pruning_changes_neither_scores_nor_choices() {
        let mut random = SplitMix64::new(5);
        for number in 0..400 {
            let game = any_position(&mut random);
            // Without pruning, three plies from an open board take too long.
            let depth = if game.board().empty().count_ones() > 12 { 1 + number % 2 } else { 3 };
            assert_eq!(search(&game, depth, -INFINITY, INFINITY), minimax(&game, depth), "{game}");
            let chosen = best(&game, depth, &mut random).map_or_else(|| game.pass(), |point| game.place(point));
            let scores = points(game.placements()).map(|point| game.place(point)).chain([game.pass()]);
            let scores: Vec<i32> = scores.map(|next| -minimax(&next, depth - 1)).collect();
            assert_eq!(Some(-minimax(&chosen, depth - 1)), scores.into_iter().max(), "depth {depth}\n{game}");
        }
    }

    #[test]
    fn an_estimate_never_looks_like_a_result() {
        let mut random = SplitMix64::new(6);
        for _ in 0..1000 {
            assert!(estimate(&any_position(&mut random)).abs() < WIN);
        }
    }

    #[test]
    fn swapping_colours_does_not_change_the_estimate() {
        let mut random = SplitMix64::new(7);
        for _ in 0..200 {
            let game = any_position(&mut random);
            let [own, theirs] = [game.side(), game.side().opponent()].map(|side| game.board().stones(side));
            let scores = [(own, theirs, Side::Black), (theirs, own, Side::White)]
                .map(|(black, white, side)| estimate(&Game::from_board(Board::new(black, white).unwrap(), side)));
            assert_eq!(scores[0], scores[1]);
        }
    }
}
