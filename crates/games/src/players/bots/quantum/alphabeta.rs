//! Alpha-beta search (in negamax form) to a fixed depth.

use super::{on_grid, on_lines, worth};
use crate::base::random::SplitMix64;
use crate::game::quantum::{Game, LegalTurn, Mode};
use crate::game::{Position as _, Side};
use crate::players::bots::choice::Choice;

/// The value of a win in addition to the margin, which is more than any estimate.
const WIN: i32 = 1_000_000;

/// A value above every score.
const INFINITY: i32 = 2 * WIN;

/// How many of the best-looking placements to consider in each position of Go, in addition to those that take stones.
const BREADTH: usize = 10;

/// Returns the turn with the best score `depth` plies on. Among turns with the same score, one is chosen at random, but
/// a pass is preferred to placements that do not gain anything.
pub(super) fn best(game: &Game, depth: u32, random: &mut SplitMix64) -> LegalTurn {
    let mut choice = Choice::default();
    for (turn, after) in children(game, true) {
        // The bound is one below the best score, so that an equally good turn can be distinguished from a worse one.
        let alpha = choice.score().map_or(-INFINITY, |best| best - 1);
        let score = -search(&after, depth - 1, -INFINITY, -alpha);
        let is_better_pass = turn == LegalTurn::Pass && choice.score().is_none_or(|best| score >= best);
        if is_better_pass {
            return LegalTurn::Pass;
        }
        choice.offer(score, turn, random);
    }
    choice.best.map_or(LegalTurn::Pass, |(_, turn)| turn)
}

/// Returns the score of `game` for the side to move, `depth` plies on, if it is between `alpha` and `beta`; otherwise,
/// returns a bound on the same side of this range.
fn search(game: &Game, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    let side = game.to_move();
    if depth == 0 || game.is_over() {
        return side.own(score(game));
    }
    for (turn, after) in children(game, depth > 1) {
        // On squares, a pass is forced, so it costs no depth.
        let is_forced = turn == LegalTurn::Pass && game.mode() != Some(Mode::Go);
        alpha = alpha.max(-search(&after, if is_forced { depth } else { depth - 1 }, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// Returns the turns to consider, with the games after them and with the pass last. If `sorted`, the best-looking ones
/// for the side to move come first.
fn children(game: &Game, sorted: bool) -> Vec<(LegalTurn, Game)> {
    let is_go = game.mode() == Some(Mode::Go);
    let side = game.to_move();
    let mut children: Vec<(LegalTurn, Game)> =
        placements(game).into_iter().map(|turn| (turn, after(game, turn))).collect();
    if is_go {
        children.sort_by_cached_key(|(_, after)| -side.own(rough_score(after)));
        let mut nth = 0;
        children.retain(|&(turn, _)| {
            nth += 1;
            nth <= BREADTH || takes(game, turn)
        });
    } else if sorted {
        children.sort_by_cached_key(|(_, after)| -side.own(score(after)));
    }
    if game.may_pass() {
        children.push((LegalTurn::Pass, after(game, LegalTurn::Pass)));
    }
    children
}

/// Returns the placements to consider.
fn placements(game: &Game) -> Vec<LegalTurn> {
    let mut turns = game.placements();
    if let (Some(Mode::Go), Some(board)) = (game.mode(), game.points()) {
        let (seat, lively) = (game.seat_to_move(), on_lines::lively(board));
        turns.retain(|turn| match turn {
            LegalTurn::Point(point) => lively.contains(*point) && !on_lines::is_eye(board, seat, *point),
            _ => true,
        });
    }
    turns
}

/// Returns whether the placement takes stones of the other side.
fn takes(game: &Game, turn: LegalTurn) -> bool {
    match (turn, game.points()) {
        (LegalTurn::Point(point), Some(board)) => board.would_take(game.seat_to_move(), point) > 0,
        _ => false,
    }
}

fn after(game: &Game, turn: LegalTurn) -> Game {
    let mut after = game.clone();
    after.advance(turn);
    after
}

/// Returns the score for black: that of the result if the game is over, or else an estimate.
fn score(game: &Game) -> i32 {
    score_with(game, on_lines::estimate)
}

/// Returns the score for black as [`score`] does, but without examining individual chains on points.
fn rough_score(game: &Game) -> i32 {
    score_with(game, on_lines::rough_estimate)
}

fn score_with(game: &Game, on_lines: impl Fn(&Game) -> i32) -> i32 {
    let present = match game.mode() {
        None => WIN * Side::Black.score(game.outcome().and_then(|outcome| outcome.winner)),
        Some(Mode::Go) => on_lines(game),
        Some(Mode::Reverse | Mode::Othello) => on_grid::estimate(game),
    };
    on_grid::STONE * worth::counted_margin(game) + present
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after_random, game};
    use super::*;

    /// Computes the same as [`search`], but without bounds and without sorting on squares.
    fn minimax(game: &Game, depth: u32) -> i32 {
        if depth == 0 || game.is_over() {
            return game.to_move().own(score(game));
        }
        let of_child = |(turn, after): (LegalTurn, Game)| {
            let is_forced = turn == LegalTurn::Pass && game.mode() != Some(Mode::Go);
            -minimax(&after, if is_forced { depth } else { depth - 1 })
        };
        children(game, false).into_iter().map(of_child).max().unwrap_or(-INFINITY)
    }

    #[test]
    fn pruning_changes_neither_scores_nor_choices() {
        let mut random = SplitMix64::new(5);
        for (ruleset, plies, depth) in
            [("othello", 60, 2), ("othello", 60, 3), ("quantum rows=one", 96, 2), ("quantum-8", 75, 2), ("go-9", 70, 2)]
        {
            for _ in 0..3 {
                let plies = random.below(plies);
                let game = after_random(game(ruleset), plies, &mut random);
                let exact = minimax(&game, depth);
                assert_eq!(search(&game, depth, -INFINITY, INFINITY), exact, "{ruleset}\n{game}");
                let chosen = after(&game, best(&game, depth, &mut random));
                let depth = if game.may_pass() && game.mode() != Some(Mode::Go) { depth } else { depth - 1 };
                assert_eq!(-minimax(&chosen, depth), exact, "{ruleset}\n{game}");
            }
        }
    }

    #[test]
    fn an_estimate_never_looks_like_a_result() {
        let mut random = SplitMix64::new(6);
        for ruleset in ["quantum-20", "go-19", "othello", "quantum rows=one"] {
            for _ in 0..4 {
                let plies = random.below(100);
                let game = after_random(game(ruleset), plies, &mut random);
                assert!(score(&game).abs() < WIN / 2, "{ruleset}\n{game}");
            }
        }
    }
}
