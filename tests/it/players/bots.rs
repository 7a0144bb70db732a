//! How the built-in bots play.

use std::num::NonZeroU32;

use gothello_arena::game::gothello::Game;
use gothello_arena::game::{BySide, Move, Position, Side};
use gothello_arena::players::bots::Bot;
use gothello_arena::players::bots::{Builtin, ErrorRate, Thinker};

/// Plays a whole game. Returns its moves and its final position.
fn play(thinkers: BySide<Thinker>, seed: u64) -> (Vec<Move>, Game) {
    let mut seeds = seed..;
    let mut bots = thinkers.map(|thinker| Bot::new(thinker, NonZeroU32::new(2), seeds.next().unwrap()));
    let (mut game, mut moves) = (Game::default(), Vec::new());
    while game.outcome().is_none() {
        let chosen = bots[game.side()].choose(&game);
        moves.push(game.play(chosen.as_str()).expect("bots make legal moves"));
    }
    (moves, game)
}

/// All pairs of thinkers.
fn pairs() -> impl Iterator<Item = BySide<Thinker>> {
    Thinker::ALL.into_iter().flat_map(|black| Thinker::ALL.map(|white| BySide { black, white }))
}

fn position(board: &str, to_move: Side) -> Game {
    Game::from_board(board.parse().unwrap(), to_move)
}

#[test]
fn every_game_ends_by_the_rules() {
    for thinkers in pairs() {
        for seed in 0..6 {
            let (moves, _) = play(thinkers, seed);
            assert!(moves.ends_with(&[Move::PASS, Move::PASS]));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_game() {
    for thinkers in pairs() {
        assert_eq!(play(thinkers, 7), play(thinkers, 7), "{thinkers:?}");
        assert_ne!(play(thinkers, 7), play(thinkers, 8), "{thinkers:?}");
    }
}

#[test]
fn bots_pass_when_no_placement_is_legal() {
    let game = position("bwbwb bwwbw bwbw. wbbbw bwwwb", Side::Black);
    for thinker in Thinker::ALL {
        assert_eq!(Bot::new(thinker, None, 1).choose(&game), Move::PASS);
    }
}

#[test]
fn a_leading_bot_answers_a_pass_with_the_winning_pass() {
    // Black leads by one stone. Wherever it places another stone, white has enough room to recover.
    let game = position("..... ..... ..b.. ..... .....", Side::White).pass();
    for thinker in [Thinker::Greedy, Thinker::Alphabeta] {
        assert_eq!(Bot::new(thinker, None, 1).choose(&game), Move::PASS, "{thinker}");
    }
}

#[test]
fn a_bot_that_does_not_lead_keeps_playing_after_a_pass() {
    for board in ["..... ..... ..w.. ..... .....", "..... ..... ..... ..... ....."] {
        let game = position(board, Side::White).pass();
        for thinker in Thinker::ALL {
            assert_ne!(Bot::new(thinker, None, 1).choose(&game), Move::PASS, "{thinker} on {board}");
        }
    }
}

/// Placing a stone is not always better than passing: each of black's three placements takes a liberty from its own
/// stones and lets white capture in reply.
#[test]
fn alphabeta_passes_rather_than_helping_the_opponent() {
    let game = position("ww.ww ..ww. b.wbw bbwbw bbbbb", Side::Black);
    assert_eq!(game.placements().count_ones(), 3);
    for depth in 2..6 {
        assert_eq!(Bot::new(Thinker::Alphabeta, NonZeroU32::new(depth), 1).choose(&game), Move::PASS, "depth {depth}");
    }
}

#[test]
fn greedy_captures_as_many_stones_as_possible() {
    // b5 captures one stone, e2 captures two.
    let game = position("w.... b...b ...bw ...b. ...bw", Side::Black);
    assert_eq!(Bot::new(Thinker::Greedy, None, 1).choose(&game).as_str(), "e2");
}

#[test]
fn random_chooses_every_point_equally_often() {
    let mut bot = Bot::new(Thinker::Random, None, 3);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..25_000 {
        *counts.entry(bot.choose(&Game::default()).to_string()).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 25);
    // The bound of 190 is about six standard deviations (31 each).
    assert!(counts.values().all(|count| count.abs_diff(1000) < 190), "{counts:?}");
}

#[test]
fn alphabeta_beats_greedy() {
    let won = |seed: u64| {
        let alphabeta = if seed.is_multiple_of(2) { Side::Black } else { Side::White };
        let other = Thinker::Greedy;
        let mut thinkers = BySide { black: other, white: other };
        thinkers[alphabeta] = Thinker::Alphabeta;
        play(thinkers, seed).1.outcome().unwrap().winner == Some(alphabeta)
    };
    let wins = (0..40).filter(|&seed| won(seed)).count();
    assert!(wins >= 34, "{wins} of 40");
}

#[test]
fn a_bot_errs_at_its_error_rate_and_then_plays_another_move() {
    // In this position, passing is the only best move.
    let game = position("ww.ww ..ww. b.wbw bbwbw bbbbb", Side::Black);
    let errors = |error: f64| {
        let error = ErrorRate::new(error).expect("a chance");
        (0..2_000)
            .filter(|&seed| {
                Bot::of(Builtin { error, ..Builtin::new(Thinker::Alphabeta) }, seed).choose(&game) != Move::PASS
            })
            .count()
    };
    assert_eq!((errors(0.0), errors(1.0)), (0, 2_000));
    assert!((140..260).contains(&errors(0.1)), "{}", errors(0.1));
}

#[test]
fn mcts_with_more_playouts_is_stronger() {
    let mut wins = 0;
    for seed in 0..40 {
        let strong = if seed % 2 == 0 { Side::Black } else { Side::White };
        let mut bots = BySide::from_fn(|side| {
            let playouts = std::num::NonZeroU32::new(if side == strong { 300 } else { 10 });
            Bot::of(Builtin { playouts, ..Builtin::new(Thinker::Mcts) }, seed)
        });
        let mut game = Game::default();
        while game.outcome().is_none() {
            let chosen = bots[game.side()].choose(&game);
            game.play(chosen.as_str()).expect("legal");
        }
        wins += usize::from(game.outcome().is_some_and(|outcome| outcome.winner == Some(strong)));
    }
    assert!(wins >= 30, "{wins} of 40");
}
