//! The perfect opponent, checked against exact values of positions.

use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::solver::{Question, Solver, TranspositionTable};
use gothello_arena::game::gothello::{Game, Point, points};
use gothello_arena::game::{Move, Position, Side};
use gothello_arena::players::bots::ErrorRate;
use gothello_arena::players::perfect::{BestPlay, Perfect, Proof};

use crate::harness::arena::{Arena, text};

/// A random legal move.
fn any_move(game: &Game, random: &mut SplitMix64) -> Move {
    let moves: Vec<Move> = points(game.placements()).map(Point::to_move).chain([Move::PASS]).collect();
    moves[usize::try_from(random.below(moves.len() as u64)).expect("few")]
}

/// A random unfinished position with `empty` empty points.
fn any_position(empty: u32, random: &mut SplitMix64) -> Game {
    loop {
        let mut game = Game::default();
        while game.board().empty().count_ones() > empty && !game.is_over() {
            game = game.after(any_move(&game, random));
        }
        if !game.is_over() {
            return game;
        }
    }
}

/// Plays the rest of a game against random moves, and calls `check` for each move of the perfect player.
fn play(start: Game, side: Side, perfect: &mut Perfect, seed: u64, mut check: impl FnMut(&Game, Move, Proof)) -> Game {
    let mut random = SplitMix64::new(seed);
    let mut game = start;
    while !game.is_over() {
        let played = if game.side() == side {
            let (played, proof) = perfect.choose(&game, Some(Duration::from_mins(10)));
            check(&game, played, proof);
            played
        } else {
            any_move(&game, &mut random)
        };
        game = game.after(played);
    }
    game
}

#[test]
fn with_12_empty_points_no_move_loses_a_stone() {
    let mut random = SplitMix64::new(41);
    for number in 0..12 {
        let start = any_position(12, &mut random);
        let side = if number % 2 == 0 { Side::Black } else { Side::White };
        let table = TranspositionTable::for_game(&start);
        play(start, side, &mut Perfect::new(ErrorRate::NEVER, number), number, |game, played, proof| {
            let best = Solver::new(&table).best_moves(game, Question::Margin).expect("no limit");
            assert!(best.contains(&played), "{played} is not one of {best:?} in\n{}", game.board());
            assert_eq!(proof, Proof::Margin);
        });
    }
}

#[test]
fn an_error_rate_of_1_avoids_best_moves_where_possible() {
    let mut random = SplitMix64::new(42);
    let always = ErrorRate::new(1.0).expect("a chance");
    let mut errors = 0;
    for number in 0..6 {
        let start = any_position(9, &mut random);
        let table = TranspositionTable::for_game(&start);
        play(start, start.side(), &mut Perfect::new(always, number), number, |game, played, proof| {
            let best = Solver::new(&table).best_moves(game, Question::Margin).expect("no limit");
            let all = game.placements().count_ones() as usize + 1;
            assert_eq!(best.contains(&played), best.len() == all, "{played} of {best:?}");
            assert_eq!(proof, Proof::Error);
            errors += usize::from(best.len() < all);
        });
    }
    assert!(errors > 6, "{errors}");
}

#[test]
fn without_time_perfect_plays_the_opening_without_losing_a_stone() {
    let table = TranspositionTable::with_bytes(1 << 20);
    for seed in 0..20 {
        let mut perfect = Perfect::new(ErrorRate::NEVER, seed);
        let mut random = SplitMix64::new(seed);
        let mut game = Game::default();
        while game.empty_points() > 18 && !game.is_over() {
            let (played, proof) = perfect.choose(&game, Some(Duration::ZERO));
            let best = Solver::new(&table).best_moves(&game, Question::Margin).expect("no limit");
            assert!(proof == Proof::Margin && best.contains(&played), "{played} of {best:?} in\n{game}");
            game = game.after(any_move(&game, &mut random));
        }
    }
}

#[test]
fn without_time_perfect_guesses_and_says_so() {
    let mut random = SplitMix64::new(43);
    // In a position with more empty points, the values after all moves are built into the program.
    let game = any_position(18, &mut random);
    let (chosen, proof) = Perfect::new(ErrorRate::NEVER, 1).choose(&game, Some(Duration::ZERO));
    assert_eq!(proof, Proof::Nothing);
    assert!(game.legal_moves().contains(&chosen));
}

#[test]
fn with_little_time_perfect_still_solves_the_endgame() {
    let mut random = SplitMix64::new(44);
    for left in [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(2)] {
        let game = any_position(6, &mut random);
        let (chosen, proof) = Perfect::new(ErrorRate::NEVER, 1).choose(&game, Some(left));
        let best =
            Solver::new(&TranspositionTable::for_game(&game)).best_moves(&game, Question::Margin).expect("no limit");
        assert_eq!((proof, best.contains(&chosen)), (Proof::Margin, true), "{left:?}");
    }
}

/// Takes a few minutes: `cargo test --release --test it -- --ignored perfect`.
#[test]
#[ignore = "takes minutes, and only with optimisation"]
fn from_the_empty_board_no_move_loses_a_stone() {
    for number in 0..20 {
        let side = if number % 2 == 0 { Side::Black } else { Side::White };
        let table = TranspositionTable::with_bytes(1 << 28);
        let mut values = Vec::new();
        play(
            Game::default(),
            side,
            &mut Perfect::new(ErrorRate::NEVER, number),
            100 + number,
            |game, played, proof| {
                assert_eq!(proof, Proof::Margin, "{}", game.board());
                values.push((*game, played));
            },
        );
        for (game, played) in values {
            let mut solver = Solver::new(&table);
            let mut margin = |game: &Game| solver.margin(game).expect("no limit");
            assert_eq!(margin(&game), margin(&game.after(played)), "{played} in\n{}", game.board());
        }
    }
}

#[test]
fn perfect_plays_a_tournament_and_reports_its_guesses() {
    let arena = Arena::new(
        // The clock counts CPU time, so the result does not depend on the machine's load. A move takes the longest when
        // there are seven stones on the board.
        "seed = 3\ntime = \"1s\"\nclock = \"cpu\"\nopenings = { plies = 7 }\n\
         [[player]]\nname = \"perfect\"\nbuiltin = \"perfect\"\nerror = 0.1\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
    );
    let output = arena.run(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let endings: Vec<String> = arena.results().iter().map(|row| row["termination"].clone()).collect();
    assert!(endings.iter().all(|ending| ending == "normal"), "{endings:?}");
    let said = arena.results().iter().any(|row| {
        ["black", "white"].iter().any(|side| {
            let file = arena.out().join(format!("games/{}.{side}.stderr", row["game"]));
            std::fs::read_to_string(file).is_ok_and(|said| said.contains("a guess"))
        })
    });
    assert!(said);
}
