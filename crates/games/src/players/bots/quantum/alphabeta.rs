//! Paranoid alpha-beta search to a fixed depth.
//!
//! The seat that searches chooses the turns that are best for it, and assumes that all other seats cooperate against
//! it. With two seats, this is the usual alpha-beta search.
//!
//! Source: Nathan Sturtevant and Richard Korf, "On Pruning Techniques for Multi-Player Games", AAAI 2000.

use super::{on_grid, on_lines, worth};
use crate::base::random::SplitMix64;
use crate::game::Seat;
use crate::game::quantum::{Game, LegalTurn, Mode, PerSeat};
use crate::players::bots::choice::Choice;

/// The value of first place, which is added to the lead. It exceeds every estimate.
const WIN: i32 = 1_000_000;

/// A value above every score.
const INFINITY: i32 = 2 * WIN;

/// How many of the best-looking placements to consider in each position of Go, in addition to those that take stones.
const BREADTH: usize = 10;

/// Returns the turn with the best score `depth` plies ahead. Among turns with the same score, one is chosen at random,
/// but a pass is preferred to placements that do not gain anything.
pub(super) fn best(game: &Game, depth: u32, random: &mut SplitMix64) -> LegalTurn {
    let seat = game.seat_to_move();
    let mut choice = Choice::default();
    for (turn, after) in children(game, seat, true) {
        // The bound is one below the best score, so that an equally good turn can be distinguished from a worse one.
        let alpha = choice.score().map_or(-INFINITY, |best| best - 1);
        let score = search(&after, seat, depth - 1, Window { alpha, beta: INFINITY });
        let is_better_pass = turn == LegalTurn::Pass && choice.score().is_none_or(|best| score >= best);
        if is_better_pass {
            return LegalTurn::Pass;
        }
        choice.offer(score, turn, random);
    }
    choice.best.map_or(LegalTurn::Pass, |(_, turn)| turn)
}

/// The range of scores that can still affect the result.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

/// Returns the score of `game` for `seat`, looking `depth` plies ahead, if it is within `window`; otherwise, returns a
/// bound on the same side of the window.
fn search(game: &Game, seat: Seat, depth: u32, Window { mut alpha, mut beta }: Window) -> i32 {
    if depth == 0 || game.is_over() {
        return score(game, seat);
    }
    let is_own = game.seat_to_move() == seat;
    for (turn, after) in children(game, seat, depth > 1) {
        // On squares, a pass is forced, so it costs no depth.
        let is_forced = turn == LegalTurn::Pass && game.mode() != Some(Mode::Go);
        let found = search(&after, seat, if is_forced { depth } else { depth - 1 }, Window { alpha, beta });
        if is_own {
            alpha = alpha.max(found);
        } else {
            beta = beta.min(found);
        }
        if alpha >= beta {
            break;
        }
    }
    if is_own { alpha } else { beta }
}

/// Returns the turns to consider, each with the game after it, and with the pass last. If `sorted`, the turns that look
/// best for `seat` come first if `seat` is to move, and last otherwise.
fn children(game: &Game, seat: Seat, sorted: bool) -> Vec<(LegalTurn, Game)> {
    let is_go = game.mode() == Some(Mode::Go);
    let own = |score: i32| if game.seat_to_move() == seat { -score } else { score };
    let mut children: Vec<(LegalTurn, Game)> =
        placements(game).into_iter().map(|turn| (turn, after(game, turn))).collect();
    if is_go {
        children.sort_by_cached_key(|(_, after)| own(rough_score(after, seat)));
        let mut nth = 0;
        children.retain(|&(turn, _)| {
            nth += 1;
            nth <= BREADTH || takes(game, turn)
        });
    } else if sorted {
        children.sort_by_cached_key(|(_, after)| own(score(after, seat)));
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

/// Returns whether the placement takes stones of other seats.
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

/// Returns the score for `seat`: the score of the final result if the game is over, or else an estimate.
fn score(game: &Game, seat: Seat) -> i32 {
    score_with(game, seat, on_lines::estimate)
}

/// Returns the score for `seat` as [`score`] does, but without examining individual chains on points.
fn rough_score(game: &Game, seat: Seat) -> i32 {
    score_with(game, seat, on_lines::rough_estimate)
}

fn score_with(game: &Game, seat: Seat, on_lines: impl Fn(&Game) -> PerSeat<i32>) -> i32 {
    let present = match game.mode() {
        None => worth::shares(game, &worth::merits(game, None), 2 * WIN)[seat] - WIN,
        Some(Mode::Go) => worth::lead(game, &on_lines(game), seat),
        Some(Mode::Reverse | Mode::Othello) => worth::lead(game, &on_grid::estimate(game), seat),
    };
    on_grid::STONE * worth::lead(game, &worth::counted(game), seat) + present
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after_random, game};
    use super::*;

    /// Computes the same score as [`search`], but without bounds and, on boards of squares, without sorting the moves.
    fn minimax(game: &Game, seat: Seat, depth: u32) -> i32 {
        if depth == 0 || game.is_over() {
            return score(game, seat);
        }
        let of_child = |(turn, after): (LegalTurn, Game)| {
            let is_forced = turn == LegalTurn::Pass && game.mode() != Some(Mode::Go);
            minimax(&after, seat, if is_forced { depth } else { depth - 1 })
        };
        let scores = children(game, seat, false).into_iter().map(of_child);
        if game.seat_to_move() == seat { scores.max() } else { scores.min() }.expect("a turn")
    }

    #[test]
    fn pruning_changes_neither_scores_nor_choices() {
        const ALL: Window = Window { alpha: -INFINITY, beta: INFINITY };
        let mut random = SplitMix64::new(5);
        for (ruleset, plies, depth) in [
            ("othello", 60, 2),
            ("othello", 60, 3),
            ("quantum rows=one", 96, 2),
            ("quantum-8", 75, 2),
            ("go-9", 70, 2),
            ("quantum-8-4p", 50, 3),
            ("quantum-4p rows=one", 90, 2),
            ("quantum-6p", 50, 2),
        ] {
            for nth in 0..3 {
                let plies = random.below(plies);
                let mut game = after_random(game(ruleset), plies, &mut random);
                if nth == 2 && game.rules().seats() > 2 {
                    game.resign(game.seat_to_move());
                }
                let seat = game.seat_to_move();
                for other in game.seats_in() {
                    assert_eq!(search(&game, other, depth, ALL), minimax(&game, other, depth), "{ruleset}\n{game}");
                }
                let chosen = after(&game, best(&game, depth, &mut random));
                let left = if game.may_pass() && game.mode() != Some(Mode::Go) { depth } else { depth - 1 };
                assert_eq!(minimax(&chosen, seat, left), minimax(&game, seat, depth), "{ruleset}\n{game}");
            }
        }
    }

    #[test]
    fn an_estimate_never_looks_like_a_result() {
        let mut random = SplitMix64::new(6);
        for ruleset in ["quantum-20", "go-19", "othello", "quantum rows=one", "quantum-4p", "quantum-6p"] {
            for _ in 0..4 {
                let plies = random.below(100);
                let game = after_random(game(ruleset), plies, &mut random);
                for seat in game.seats_in() {
                    assert!(score(&game, seat).abs() < WIN / 2, "{ruleset}\n{game}");
                }
            }
        }
    }

    #[test]
    fn scores_of_places_lie_evenly_between_the_last_and_the_first() {
        let mut random = SplitMix64::new(8);
        let mut game = game("quantum-8-4p");
        while !game.is_over() {
            let mut turns = game.placements();
            // Frequent passes keep Go short.
            turns.retain(|_| !game.may_pass() || random.below(3) > 0);
            let nth = usize::try_from(random.below(turns.len().max(1) as u64)).expect("few");
            game.advance(turns.get(nth).copied().unwrap_or(LegalTurn::Pass));
        }
        let placing = game.standing().placing;
        for seat in Seat::all(4) {
            let place = score(&game, seat) - on_grid::STONE * worth::lead(&game, &worth::counted(&game), seat);
            let expected = WIN - 2 * WIN * (i32::from(placing[seat]) - 1) / 3;
            assert!(place.abs_diff(expected) <= 1, "seat {seat}: {place} instead of {expected}");
        }
    }
}
