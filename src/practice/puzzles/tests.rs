use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::{Solver, TranspositionTable};
use crate::game::gothello::{Board, Point};
use crate::game::{BySide, Outcome, Position as _, Ruleset, Side};
use crate::players::bots::{Bot, Thinker};
use crate::referee::record::{GameRecord, Ply};
use crate::referee::result::GameResult;
use crate::results::replay::Style;

static NEVER: AtomicBool = AtomicBool::new(false);

fn maker(threads: usize, wish: PuzzleWish) -> PuzzleMaker<'static> {
    let threads = NonZeroUsize::new(threads).expect("not zero");
    PuzzleMaker { threads, known: KnownMargins::Embedded, wish, stop: &NEVER }
}

fn made(seed: u64, threads: usize, wish: PuzzleWish) -> Vec<Puzzle> {
    let mut positions = RandomPositions::new(seed, 4, 8);
    maker(threads, wish).random(&mut positions, 24, |_| ()).expect("not stopped")
}

/// The values of all legal moves for the side to move, each found by a separate search.
fn values(game: &Game) -> Vec<(Move, i32)> {
    let table = TranspositionTable::with_bytes(1 << 20);
    let mut solver = Solver::new(&table).looking_up(KnownMargins::Nothing);
    let mut value = |played: Move| game.side().own(solver.margin(&game.after(played)).expect("no limit"));
    game.legal_moves().into_iter().map(|played| (played, value(played))).collect()
}

/// Searches every move to check that exactly one achieves the puzzle's goal, and that this move is the answer.
fn assert_one_answer(puzzle: &Puzzle) {
    let values = values(&puzzle.game);
    let best = values.iter().map(|&(_, value)| value).max().expect("a move");
    let does = |value: i32| match puzzle.goal {
        PuzzleGoal::Win => value > 0,
        PuzzleGoal::Draw => value == 0 && best == 0,
        PuzzleGoal::Margin => value == best,
    };
    let right: Vec<Move> = values.iter().filter(|(_, value)| does(*value)).map(|&(played, _)| played).collect();
    assert_eq!(right, [puzzle.answer], "{puzzle:?}");
}

#[test]
fn every_puzzle_has_one_answer_by_a_search_of_every_move() {
    for (margin, easy) in [(false, false), (true, true)] {
        for puzzle in made(3, 2, PuzzleWish { margin, easy }) {
            assert_one_answer(&puzzle);
            assert!(margin || puzzle.goal != PuzzleGoal::Margin);
            assert!(easy || !is_greedy(&puzzle.game, puzzle.answer));
        }
    }
}

/// Does the same as [`every_puzzle_has_one_answer_by_a_search_of_every_move`] with many puzzles, which are judged on
/// two threads.
#[test]
#[ignore = "takes minutes; run it after changes to the solver or to the puzzles"]
fn ten_thousand_puzzles_have_one_answer_each() {
    const PUZZLES: usize = 10_000;
    for (margin, easy) in [(false, false), (true, true)] {
        let mut positions = RandomPositions::new(17, 6, 12);
        let found = maker(2, PuzzleWish { margin, easy }).random(&mut positions, PUZZLES, |_| ()).expect("not stopped");
        assert_eq!(found.len(), PUZZLES);
        let grid = BoardGrid::new(5);
        let classes: std::collections::BTreeSet<PuzzleClass> =
            found.iter().map(|puzzle| class_of(&grid, &puzzle.game)).collect();
        assert_eq!(classes.len(), PUZZLES);
        std::thread::scope(|scope| {
            for half in found.chunks(PUZZLES / 2) {
                scope.spawn(|| half.iter().for_each(assert_one_answer));
            }
        });
    }
}

#[test]
fn puzzles_differ_by_more_than_a_symmetry_and_do_not_depend_on_the_threads() {
    let wish = PuzzleWish { margin: false, easy: false };
    let puzzles = made(5, 3, wish);
    assert_eq!(puzzles, made(5, 1, wish));
    assert_eq!(puzzles.len(), 24);
    let grid = BoardGrid::new(5);
    let mut classes: Vec<PuzzleClass> = puzzles.iter().map(|puzzle| class_of(&grid, &puzzle.game)).collect();
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), puzzles.len());
}

#[test]
fn positions_that_become_too_rare_end_the_search() {
    let mut positions = RandomPositions::new(1, 24, 24);
    let puzzles = maker(1, PuzzleWish { margin: true, easy: true }).random(&mut positions, 9, |_| ());
    assert!(puzzles.expect("not stopped").len() < 9, "one stone has six places up to symmetry");
}

#[test]
fn what_greedy_plays_is_what_it_may_play() {
    let mut positions = RandomPositions::new(11, 3, 20);
    for seed in 0..300 {
        let game = positions.next().expect("endless");
        let played = Bot::new(Thinker::Greedy, None, seed).choose(&game);
        assert!(played.is_pass() && !game.wins_by_passing() || is_greedy(&game, played), "{game} {played}");
    }
}

#[test]
fn images_of_a_position_are_of_one_class() {
    let grid = BoardGrid::new(5);
    let board = |own: &[&str], theirs: &[&str]| {
        let set = |names: &[&str]| names.iter().filter_map(|name| Point::parse(name)).map(Point::bit).sum();
        Board::new(set(own), set(theirs)).expect("a board")
    };
    let one = Game::from_board(board(&["a1", "b3"], &["c3"]), Side::Black);
    let mirrored = Game::from_board(board(&["e1", "d3"], &["c3"]), Side::Black);
    let exchanged = Game::from_board(board(&["c3"], &["a1", "b3"]), Side::White);
    let other = Game::from_board(board(&["a1", "b3"], &["c3"]), Side::White);
    assert_eq!(class_of(&grid, &one), class_of(&grid, &mirrored));
    assert_eq!(class_of(&grid, &one), class_of(&grid, &exchanged));
    assert_ne!(class_of(&grid, &one), class_of(&grid, &other));
    assert_ne!(class_of(&grid, &one), class_of(&grid, &other.pass()));
}

/// A game with two players with these moves.
fn record(players: [&str; 2], moves: &[Move]) -> GameRecord {
    let [black, white] = players.map(str::to_owned);
    let ply = |(index, &played): (usize, &Move)| Ply::untimed(Side::BOTH[index % 2], played);
    let result = Ok(GameResult::played(Outcome::of_margin(0)));
    let plies = moves.iter().enumerate().map(ply).collect();
    GameRecord { plies, ..GameRecord::of(Ruleset::Gothello, BySide { black, white }, result) }
}

/// The move reflected in the third file.
fn mirrored(played: Move) -> Move {
    let point = Point::parse(played.as_str());
    point.and_then(|point| Point::new(4 - point.file(), point.rank())).map_or(played, Point::to_move)
}

#[test]
fn those_who_were_to_move_in_any_image_are_compared_with_the_answer() {
    let mut random = SplitMix64::new(4);
    let mut positions = PlayedPositions::default();
    for number in 0..3 {
        let (mut game, mut moves) = (Game::default(), Vec::new());
        while !game.is_over() {
            let legal = game.legal_moves();
            let nth = usize::try_from(random.below(legal.len() as u64)).expect("few");
            moves.push(legal[nth]);
            game = game.after(legal[nth]);
        }
        positions.add(&format!("one {number}"), &record(["ann", "bob"], &moves));
        let images: Vec<Move> = moves.into_iter().map(mirrored).collect();
        positions.add(&format!("other {number}"), &record(["cid", "dan"], &images));
    }
    let puzzles = maker(2, PuzzleWish { margin: true, easy: true }).played(&positions, |_| ()).expect("not stopped");
    assert!(puzzles.len() > 10);
    let (mut found, mut failed) = (0, 0);
    for puzzle in &puzzles {
        let tried = puzzle.tried.as_ref().expect("they were played");
        assert!(tried.first.0.starts_with("one "), "{tried:?}");
        let of = |name: &str| tried.players.iter().find(|(player, _)| player == name).map(|&(_, found)| found);
        assert_eq!([of("ann"), of("bob")], [of("cid"), of("dan")], "{tried:?}");
        failed += tried.failed();
        found += tried.players.len() - tried.failed();
    }
    assert!(found > 0 && failed > found, "{found} {failed}");
    // Every position occurs once.
    let text = puzzles_text(&puzzles, Style::PLAIN);
    assert_eq!(text.matches(" to move.").count(), puzzles.len());
    assert!(text.contains("\nAnswers\n   1. ") && text.contains("ply "), "{text}");
    let discs = puzzles_text(&puzzles, Style { has_colours: false, has_discs: true });
    let swapped = discs.replace('●', "b").replace('○', "w");
    assert!(discs.contains(['●', '○']) && swapped == text, "{discs}");
}

#[test]
fn a_deck_has_a_line_a_puzzle_with_four_columns() {
    let puzzles = made(9, 2, PuzzleWish { margin: false, easy: true });
    let deck = deck(&puzzles);
    let cards: Vec<&str> = deck.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(cards.len(), puzzles.len());
    for (card, puzzle) in cards.iter().zip(&puzzles) {
        let columns: Vec<&str> = card.split('\t').collect();
        assert_eq!(columns.len(), 4);
        assert_eq!(columns[2], puzzle.answer.as_str());
    }
}

#[test]
fn a_sheet_shows_no_answer_before_the_section_of_answers() {
    let puzzles = made(9, 2, PuzzleWish { margin: false, easy: true });
    let page = sheet("An <exam>", &puzzles);
    assert!(page.contains("<h1>An &lt;exam&gt;</h1>"));
    let (boards, answers) = page.split_once("<h2>Answers</h2>").expect("the section");
    assert_eq!(boards.matches("<svg").count(), puzzles.len());
    assert_eq!(boards.matches("<b>").count(), 0);
    assert_eq!(answers.matches("<b>").count(), puzzles.len());
}
