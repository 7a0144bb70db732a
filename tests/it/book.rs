//! The opening book's two checks: `book check`, and the example that has nothing in common with the library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use gothello_arena::exact::book::plan::Plan;
use gothello_arena::exact::book::{Book, Class, Entry};
use gothello_arena::exact::solver::{Question, Solver, Table};
use gothello_arena::game::rules::gothello::{Game, Point, points};
use gothello_arena::game::rules::{Move, Side};

fn book_check(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gothello-arena"));
    ran(command.args(["book", "check"]).args(args))
}

fn ran(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_book_that_comes_along_holds_or_is_not_yet_whole() {
    let (code, out, error) = book_check(&["--sample", "0"]);
    let book = Book::embedded();
    let whole = Plan::default().missing(book).is_empty();
    assert_eq!(code, if whole { 0 } else { 3 }, "{out}{error}");
    assert!(out.starts_with(&format!("entries:  {};", book.len())), "{out}");
    assert_eq!(error.is_empty(), whole, "{error}");
}

#[test]
fn a_broken_book_is_told_with_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.txt");
    let name = file.to_str().unwrap();
    let check = |text: &str| {
        fs::write(&file, text).unwrap();
        book_check(&["--sample", "0", name])
    };
    // After c3, it is white that is to move and loses.
    let (code, out, error) =
        check("..... ..... ..... ..... ..... draw ? c3\n..... ..... ..w.. ..... ..... loss ? b2\n");
    assert_eq!(code, 3, "{error}");
    assert!(out.contains("entries:  2; the side to move wins 0, draws 1, loses 1\n"), "{out}");
    assert!(out.contains("0 of 2 outcomes follow from the leaves") && out.contains("that of the start not"), "{out}");
    assert!(error.contains("..... ..... ..... ..... .....: a draw is too little: `c3` leads to a win"), "{error}");
    assert!(error.contains(": its entry is missing\n  and "), "{error}");
    let (code, out, error) = check("..... ..... ..... ..... ..... win ? c3\n..... ..... ..w.. ..... ..... loss ? c3\n");
    assert_eq!((code, out.as_str()), (3, ""));
    assert!(error.contains("book.txt`: line 2 of the book: `c3` is not a legal move there"), "{error}");
}

/// A game that begins with ten empty points, and its book, in which the side to move at the start comes to this outcome.
fn small(outcome: i32, to_move: Side) -> (Plan, Book) {
    (0..200)
        .filter_map(|number| start(number, to_move))
        .find_map(|start| {
            let table = Table::for_game(&start);
            let mut solver = Solver::new(&table);
            let plan = Plan { start, plies: 1, live_from: 6 };
            let mut book = Book::default();
            let found = Entry::solved(&mut solver, Class::of(&start).0).ok()?;
            (found.outcome == outcome).then(|| {
                loop {
                    let missing = plan.missing(&book);
                    if missing.is_empty() {
                        break;
                    }
                    for class in missing {
                        book.insert(class, Entry::solved(&mut solver, class).unwrap());
                    }
                }
                (plan, book)
            })
        })
        .expect("one of the starts has this outcome")
}

/// One of many positions with ten empty points.
fn start(number: usize, to_move: Side) -> Option<Game> {
    let mut game = Game::default();
    while game.board().empty().count_ones() > 10 {
        let placements: Vec<Point> = points(game.placements()).collect();
        let empty = usize::try_from(game.board().empty().count_ones()).ok()?;
        game = game.place(*placements.get(number * empty * empty / 7 % placements.len().max(1))?);
    }
    Some(Game::from_board(game.board(), to_move))
}

/// The example, compiled by itself: it can't use anything of the library.
static PROGRAM: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("check_proof");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/check_proof.rs");
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024", "-O", "-D", "warnings", "-o"]).arg(&program).arg(source);
    let (code, _, error) = ran(&mut command);
    assert_eq!(code, 0, "{error}");
    (dir, program)
});

/// Checks the proof of a small game as `text` has it, all leaves of both sides.
fn check_proof(plan: &Plan, text: &str) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.txt");
    fs::write(&file, text).unwrap();
    let board = plan.start.board().to_string();
    let live = plan.live_from.to_string();
    let mut command = Command::new(&PROGRAM.1);
    command.arg(&file).args(["--from", &board, "--to-move", plan.start.side().name(), "--live", &live]);
    ran(command.args(["--sample", "1000000", "--threads", "2"]))
}

/// The book's text with the line of one class changed, or gone.
fn changed(book: &Book, class: Class, change: impl Fn(&str) -> Option<String>) -> String {
    let board = class.game().board().to_string().replace('\n', " ");
    let lines = book.to_string();
    let lines =
        lines.lines().filter_map(|line| if line.starts_with(&board) { change(line) } else { Some(line.to_owned()) });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn the_other_program_confirms_what_the_library_has_solved() {
    for (outcome, to_move) in [(1, Side::Black), (0, Side::White), (-1, Side::Black), (1, Side::White)] {
        let (plan, book) = small(outcome, to_move);
        let (code, out, error) = check_proof(&plan, &book.to_string());
        assert_eq!((code, error.as_str()), (0, ""), "{out}");
        let word = ["loss", "draw", "win"][usize::try_from(outcome + 1).unwrap()];
        assert!(out.starts_with(&format!("{} entries; the start, {to_move} to move: {word}\n", book.len())), "{out}");
        for side in Side::BOTH {
            let choices = plan.choices(&book, side).len();
            assert!(out.contains(&format!("\n{side}: a move for each of {choices} positions, ")), "{choices}: {out}");
        }
        assert_eq!(
            out.matches(" leaves solved again (100.00 % of those with a promise), seed 1; 0 wrong").count(),
            2,
            "{out}"
        );
    }
}

#[test]
fn the_other_program_finds_what_is_missing_wrong_or_against_the_rules() {
    let (plan, book) = small(1, Side::Black);
    let (start, _) = Class::of(&plan.start);
    let broken = |text: &str, said: &str| {
        let (code, out, error) = check_proof(&plan, text);
        assert_eq!(code, 1, "{said}: {out}");
        assert!(error.contains(said), "{said}: {error}");
    };
    let column = |line: &str, from_end: usize, word: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        let place = words.len() - from_end;
        words[place] = word;
        Some(words.join(" "))
    };
    broken(&changed(&book, start, |_| None), "the book does not have it");
    broken(&changed(&book, start, |line| column(line, 1, "-")), "the book has no move");
    let full = Point::all().find(|point| start.game().board().empty() & point.bit() == 0).unwrap();
    broken(&changed(&book, start, |line| column(line, 1, full.to_move().as_str())), "the book's move is on a stone");
    broken(
        &changed(&book, start, |line| column(line, 2, "?").map(|line| line.replace('?', "? a9"))),
        "can be understood",
    );

    // A move that loses shows in what the book says after some answer, or in a leaf.
    let table = Table::for_game(&plan.start);
    let mut solver = Solver::new(&table);
    let keeping = solver.best_moves(&start.game(), Question::Winner).unwrap();
    let losing =
        points(start.game().placements()).map(Point::to_move).chain([Move::PASS]).find(|by| !keeping.contains(by));
    let losing = losing.expect("a position that can be lost");
    let (code, _, error) = check_proof(&plan, &changed(&book, start, |line| column(line, 1, losing.as_str())));
    assert_eq!(code, 1);
    assert!(!error.is_empty());

    // What is won after black's move and any answer, said to be lost.
    let reply = book.reply(&plan.start).unwrap();
    let after = plan.start.after(reply);
    let answered = points(after.placements()).map(|point| Class::of(&after.place(point)).0);
    let layer: Vec<Class> = answered.filter(|class| class.empty() > plan.live_from).collect();
    let lost = changed(&book, layer[0], |line| Some(line.replace("win", "loss")));
    broken(&lost, "win was promised, and the book says loss");
    // What is lost in white's last choices, said to be won: only leaves can tell.
    let white = plan.choices(&book, Side::White);
    let class = white.into_iter().find(|&class| class.empty() == 7 && book.entry(class).unwrap().outcome < 0).unwrap();
    broken(&changed(&book, class, |line| Some(line.replace("loss", "win"))), "a win was promised, and it is none");
}

#[test]
fn the_other_program_knows_that_a_capture_does_not_make_a_stone_legal() {
    // White at c3 would take all four black stones, and have no empty point beside it even so.
    let start = Game::from_board("..w.. .wbw. wb.bw .wbw. ..w..".parse().unwrap(), Side::White);
    let plan = Plan { start, plies: 0, live_from: 0 };
    for (reply, said) in [("c3", "the rules forbid the book's move"), ("a1", "the book does not have it")] {
        assert_eq!(start.placements() & Point::parse(reply).unwrap().bit() == 0, reply == "c3");
        let (code, _, error) = check_proof(&plan, &format!("..b.. .bwb. bw.wb .bwb. ..b.. win ? {reply}\n"));
        assert_eq!((code, error.contains("the rules forbid the book's move")), (1, reply == "c3"), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
