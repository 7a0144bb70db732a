//! The solver, checked against searches that share only the rules with it.

use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::exact::solver::{Question, Solver, TranspositionTable, Unsolved};
use gothello_arena::exact::team::Team;
use gothello_arena::game::gothello::{Board, Game, Point, points};
use gothello_arena::game::{Move, Position, Side};

/// A position after random placements, with `empty` empty points, sometimes after a pass.
fn any_position(empty: u32, random: &mut SplitMix64) -> Game {
    loop {
        let mut game = Game::default();
        while game.board().empty().count_ones() > empty && game.placements() != 0 {
            let placements = game.placements();
            let chosen = random.below(u64::from(placements.count_ones()));
            game = points(placements).nth(usize::try_from(chosen).unwrap()).map_or(game, |point| game.place(point));
        }
        if game.board().empty().count_ones() == empty {
            return if random.below(4) == 0 { game.pass() } else { game };
        }
    }
}

/// The lead of the side to move.
fn lead(game: &Game) -> i32 {
    let margin = game.board().margin();
    if game.side() == Side::Black { margin } else { -margin }
}

/// Every legal move, with the pass last, and the game after each of them.
fn children(game: &Game) -> impl Iterator<Item = (Move, Game)> {
    let placed = points(game.placements()).map(|point| (point.to_move(), game.place(point)));
    placed.chain([(Move::PASS, game.pass())])
}

/// The value for the side to move, computed using only the rules.
fn minimax(game: &Game) -> i32 {
    if game.is_over() {
        return lead(game);
    }
    children(game).map(|(_, next)| -minimax(&next)).max().unwrap()
}

/// The value of `minimax`, computed by alpha-beta search without a table, symmetries or bounds, with the moves in the
/// order of the rules.
fn alpha_beta(game: &Game, mut alpha: i32, beta: i32) -> i32 {
    if game.is_over() {
        return lead(game);
    }
    let mut best = -25;
    for (_, next) in children(game) {
        best = best.max(-alpha_beta(&next, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// The solver's margin for the side to move, from an empty table.
fn solved(game: &Game) -> i32 {
    let margin = Solver::new(&TranspositionTable::for_game(game)).margin(game).unwrap();
    if game.side() == Side::Black { margin } else { -margin }
}

/// Checks everything that the solver says about a position whose value is known.
fn agrees(game: &Game, value: i32, best: Option<&[Move]>) {
    let shown = format!("{game}\n{:?} to move, passed: {}", game.side(), game.passed());
    assert_eq!(solved(game), value, "{shown}");
    let table = TranspositionTable::for_game(game);
    let mut learning = Solver::new(&table);
    learning.learn();
    let black = if game.side() == Side::Black { value } else { -value };
    assert_eq!(learning.margin(game), Ok(black), "{shown}");
    let winner = match value.signum() {
        0 => None,
        1 => Some(game.side()),
        _ => Some(game.side().opponent()),
    };
    let table = TranspositionTable::for_game(game);
    let mut solver = Solver::new(&table);
    assert_eq!(solver.winner(game), Ok(winner), "{shown}");
    if let Some(best) = best {
        // Solve again with a table that already contains the winner.
        let solution = solver.solve(game, Question::Margin).unwrap();
        assert_eq!(solution.best, best, "{shown}");
        assert_eq!(
            (solution.outcome.winner, solution.outcome.margin.map(i32::abs)),
            (winner, Some(value.abs())),
            "{shown}"
        );
        let mut played = *game;
        for played_move in &solution.line {
            played.play(played_move.as_str()).unwrap();
        }
        assert_eq!(played.outcome().and_then(|outcome| outcome.margin), solution.outcome.margin, "{shown}");
    }
}

#[test]
fn positions_of_up_to_8_empty_points_have_the_values_and_best_moves_of_minimax() {
    let mut random = SplitMix64::new(21);
    for number in 0..500 {
        // Most of the larger positions are too slow without optimisation.
        let empty = if number % 100 == 0 { 8 } else { 1 + number % 6 };
        let game = any_position(empty, &mut random);
        let values: Vec<(Move, i32)> = children(&game).map(|(played, next)| (played, -minimax(&next))).collect();
        let value = values.iter().map(|&(_, value)| value).max().unwrap();
        let best: Vec<Move> = values.iter().filter(|&&(_, of)| of == value).map(|&(played, _)| played).collect();
        agrees(&game, value, Some(&best));
    }
}

#[test]
fn some_positions_of_9_empty_points_have_the_values_of_alpha_beta() {
    let mut random = SplitMix64::new(22);
    for _ in 0..2 {
        let game = any_position(9, &mut random);
        agrees(&game, alpha_beta(&game, -25, 25), None);
    }
}

/// Takes half a minute with optimisation: `cargo test --release --test it -- --ignored solver`.
#[test]
#[ignore = "takes long without optimisation"]
fn all_500_positions_of_either_size_agree() {
    let mut random = SplitMix64::new(23);
    for number in 0..500 {
        let game = any_position(1 + number % 8, &mut random);
        let values: Vec<(Move, i32)> = children(&game).map(|(played, next)| (played, -minimax(&next))).collect();
        let value = values.iter().map(|&(_, value)| value).max().unwrap();
        let best: Vec<Move> = values.iter().filter(|&&(_, of)| of == value).map(|&(played, _)| played).collect();
        agrees(&game, value, Some(&best));
    }
    for number in 0..500 {
        let game = any_position(9 + number % 3, &mut random);
        agrees(&game, alpha_beta(&game, -25, 25), None);
    }
}

/// The image of `board` under the symmetry numbered `symmetry`.
fn image(board: Board, symmetry: u8) -> Board {
    let [black, white] = Side::BOTH.map(|side| {
        points(board.stones(side)).fold(0, |all, point| {
            let (mut file, mut rank) = (point.file(), point.rank());
            if symmetry & 1 != 0 {
                file = 4 - file;
            }
            if symmetry & 2 != 0 {
                rank = 4 - rank;
            }
            if symmetry & 4 != 0 {
                (file, rank) = (rank, file);
            }
            all | Point::new(file, rank).map_or(0, Point::bit)
        })
    });
    Board::new(black, white).unwrap()
}

#[test]
fn symmetry_and_swapped_colours_keep_the_value_whatever_the_table_holds() {
    let mut random = SplitMix64::new(24);
    for _ in 0..20 {
        let game = any_position(9, &mut random);
        let value = solved(&game);
        // One table for all symmetries, so small that its entries are constantly replaced.
        let table = TranspositionTable::with_bytes(0);
        for symmetry in 0..8 {
            let board = image(game.board(), symmetry);
            let swapped = Board::new(board.stones(Side::White), board.stones(Side::Black)).unwrap();
            for (board, side) in [(board, game.side()), (swapped, game.side().opponent())] {
                let mut other = Game::from_board(board, side);
                if game.passed() {
                    other = Game::from_board(board, side.opponent()).pass();
                }
                let margin = Solver::new(&table).margin(&other).unwrap();
                assert_eq!(if side == Side::Black { margin } else { -margin }, value, "{game}\n{other}");
            }
        }
    }
}

/// A game that was ended by proof is proven again when its log is checked, whichever version of the program wrote the
/// log. Therefore, a solver that does not learn must always search the same nodes.
#[test]
fn a_proof_takes_as_many_nodes_as_in_all_earlier_versions() {
    let moves = ["c2", "d2", "d1", "b4", "e2", "e5", "b1"].map(|text| text.parse::<Move>().unwrap());
    let game = moves.into_iter().fold(Game::default(), |game, played| game.after(played));
    let table = TranspositionTable::with_bytes(16 << 20);
    let mut solver = Solver::new(&table).looking_up(KnownMargins::Nothing);
    assert!(solver.winner(&game).is_ok());
    assert_eq!(solver.nodes(), 51_091);
    let mut learning = Solver::new(&table).looking_up(KnownMargins::Nothing);
    learning.learn();
    assert_eq!(learning.winner(&game), solver.winner(&game));
}

#[test]
fn the_node_budget_is_kept_and_the_partial_work_is_reused() {
    let mut random = SplitMix64::new(25);
    let (mut from_nothing, mut from_half) = (0, 0);
    for _ in 0..16 {
        let game = any_position(11, &mut random);
        let table = TranspositionTable::for_game(&game);
        let mut solver = Solver::new(&table);
        let margin = solver.margin(&game).unwrap();
        let needed = solver.nodes();
        if needed < 100 {
            continue;
        }
        let table = TranspositionTable::for_game(&game);
        assert_eq!(Solver::new(&table).within(needed).margin(&game), Ok(margin));
        let table = TranspositionTable::for_game(&game);
        let mut solver = Solver::new(&table).within(needed / 2);
        let Err(Unsolved { nodes }) = solver.margin(&game) else { panic!("solved with half of the nodes") };
        assert!((needed / 2..needed / 2 + 25).contains(&nodes), "{nodes} of {needed}");
        let mut again = Solver::new(&table);
        assert_eq!(again.margin(&game), Ok(margin));
        // A single search may take more nodes than before, because other moves come first.
        (from_nothing, from_half) = (from_nothing + needed, from_half + again.nodes());
    }
    assert!(from_half < from_nothing * 9 / 10, "{from_half} of {from_nothing}");
}

#[test]
fn a_raised_flag_ends_a_search_that_would_take_hours() {
    let stop = AtomicBool::new(true);
    let table = TranspositionTable::with_bytes(1 << 20);
    let mut solver = Solver::new(&table).looking_up(KnownMargins::Nothing).until(&stop);
    assert!(solver.winner(&Game::default()).is_err());
}

#[test]
fn a_team_of_solvers_agrees_with_a_single_solver() {
    let mut random = SplitMix64::new(26);
    for _ in 0..3 {
        let game = any_position(12, &mut random);
        let table = TranspositionTable::for_game(&game);
        let stop = AtomicBool::new(false);
        let threads = NonZeroUsize::new(3).unwrap();
        let ask = |solver: &mut Solver<'_>| solver.solve(&game, Question::Margin);
        let answer = Team { threads, table: &table, known: KnownMargins::Embedded, stop: &stop }
            .solve_together(Duration::from_mins(1), |_| (), ask)
            .found
            .unwrap();
        let alone = TranspositionTable::for_game(&game);
        assert_eq!(answer, Solver::new(&alone).solve(&game, Question::Margin).unwrap());
    }
}

#[test]
fn the_last_empty_point_stays_empty_and_a_finished_game_has_no_moves() {
    let game = Game::from_board("wwwww wwwww ww.ww bbbbb bbbbb".parse().unwrap(), Side::Black);
    let solution = Solver::new(&TranspositionTable::for_game(&game)).solve(&game, Question::Margin).unwrap();
    assert_eq!((solution.outcome.margin, solution.best), (Some(-4), vec![Move::PASS]));
    let over = game.pass().pass();
    let solution = Solver::new(&TranspositionTable::for_game(&over)).solve(&over, Question::Winner).unwrap();
    assert_eq!((solution.outcome.winner, solution.best.len(), solution.line.len()), (Some(Side::White), 0, 0));
}

fn solve(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(program()).arg("solve").args(args).output_in_time().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_prints_one_json_object_or_readable_lines() {
    let board = ["--board", ".bbw. .wwb. w.bww .b.bw bww..", "--to-move", "black"];
    let (code, out, _) = solve(&[&board[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, found["margin"].as_i64(), found["winner"].as_str()), (0, Some(-4), Some("white")));
    assert_eq!(found["best"], serde_json::json!(["a4"]));
    assert_eq!(found["line"][0], "a4");
    assert!(found["nodes"].is_u64() && found["seconds"].is_f64());
    let (_, out, _) = solve(&[&board[..], &["--json", "--wdl", "--passed", "--threads", "1"]].concat());
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((found.get("margin"), found["winner"].as_str()), (None, Some("white")));
    assert_eq!(found["best"].as_array().unwrap().last().unwrap(), "pass");
    let (_, out, _) = solve(&board);
    assert!(out.starts_with("white wins by 4\nbest: a4\nline: a4 "), "{out}");
}

#[test]
fn each_kind_of_impossible_position_has_its_own_error() {
    for (board, said) in [
        ("..... .....", "a board has 5 ranks, but this one has 2"),
        ("...... ..... ..... ..... .....", "`......` (rank 5) has 6"),
        ("..x.. ..... ..... ..... .....", "`x` in rank 5"),
        ("bw... w.... ..... ..... .....", "the black group at a5 has no liberties"),
    ] {
        let (code, out, error) = solve(&["--board", board, "--to-move", "white"]);
        assert_eq!((code, out.as_str()), (2, ""), "{board}");
        assert!(error.contains(said), "{error}");
    }
    for (option, value) in [("--memory", "4294967295"), ("--threads", "100000")] {
        let board = "bbbbb bbbbb ww.ww wwwww wwwww";
        let (code, out, error) = solve(&["--board", board, "--to-move", "white", option, value]);
        assert_eq!((code, out.as_str()), (2, ""), "{error}");
        assert!(error.contains(option), "{error}");
    }
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/no-such.log");
    let (code, _, error) = solve(&["--log", log]);
    assert_eq!(code, 2);
    assert!(error.contains("cannot read"), "{error}");
}

#[test]
fn a_log_can_be_solved_after_any_of_its_plies() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("game.log");
    let moves = "1. c3 b3 2. pass pass";
    let text = format!(
        "[Black \"a\"]\n[White \"b\"]\n[Result \"1/2-1/2\"]\n[Margin \"0\"]\n[Termination \"normal\"]\n\n{moves} 1/2-1/2\n"
    );
    std::fs::write(&log, text).unwrap();
    let log = log.to_str().unwrap();
    let (code, out, error) = solve(&["--log", log, "--json"]);
    assert_eq!(code, 0, "{error}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((found["margin"].as_i64(), &found["best"]), (Some(0), &serde_json::json!([])));
    let (code, _, error) = solve(&["--log", log, "--ply", "5"]);
    assert_eq!(code, 2);
    assert!(error.contains("there is no position after ply 5: the game has 4 plies"), "{error}");
    let lie = std::fs::read_to_string(log).unwrap().replace("Margin \"0\"", "Margin \"2\"");
    std::fs::write(log, lie).unwrap();
    let (code, _, error) = solve(&["--log", log]);
    assert_eq!(code, 3, "{error}");
}

/// The margins of the table, compared with the results of a search that does not use the table.
#[test]
#[ignore = "takes hours: 2,000 positions, of up to 10 s of CPU time each in a release build"]
fn random_positions_of_few_stones_agree_with_a_search() {
    // A shared table would let one of the solvers use the other's results.
    let (searched, looked_up) = (TranspositionTable::with_bytes(1 << 30), TranspositionTable::with_bytes(1 << 26));
    for (empty, positions) in [(17, 1_000), (18, 700), (19, 300)] {
        let mut random = SplitMix64::new(u64::from(empty));
        for _ in 0..positions {
            let game = any_position(empty, &mut random);
            let margin = |known, table: &TranspositionTable| {
                let mut solver = Solver::new(table).looking_up(known);
                solver.learn();
                solver.margin(&game)
            };
            let known = margin(KnownMargins::Embedded, &looked_up);
            assert_eq!(known, margin(KnownMargins::Nothing, &searched), "{game}");
        }
    }
}

#[test]
fn the_margins_in_the_program_are_what_a_search_finds() {
    let (table, mut random) = (TranspositionTable::with_bytes(1 << 26), SplitMix64::new(7));
    for _ in 0..3 {
        let game = any_position(18, &mut random);
        let mut solver = Solver::new(&table).looking_up(KnownMargins::Nothing);
        solver.learn();
        let known = KnownMargins::Embedded.outcome(&game).expect("seven stones");
        assert_eq!(Ok(known.winner), solver.winner(&game), "{game}");
    }
}
