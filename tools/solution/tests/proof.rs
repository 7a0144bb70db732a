//! Tests that the checker of proofs agrees with the library, with which it shares no code.

use std::fs;
use std::process::Command;

use gothello_arena::exact::book::planned_positions::BookPlan;
use gothello_arena::exact::book::{Book, BookEntry, Class};
use gothello_arena::exact::solver::{Question, Solver, TranspositionTable};
use gothello_arena::game::gothello::{Game, Point, points};
use gothello_arena::game::{Move, Side};

fn ran(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A game that starts with ten empty points, and its book. `outcome` is the value of the start for the side to move.
fn small(outcome: i32, to_move: Side) -> (BookPlan, Book) {
    (0..200)
        .filter_map(|number| start(number, to_move))
        .find_map(|start| {
            let table = TranspositionTable::for_game(&start);
            let mut solver = Solver::new(&table);
            let plan = BookPlan { start, plies: 1, live_from: 6 };
            let mut book = Book::default();
            let found = BookEntry::solved(&mut solver, Class::of(&start).0).ok()?;
            (found.outcome == outcome).then(|| {
                loop {
                    let missing = plan.missing(&book);
                    if missing.is_empty() {
                        break;
                    }
                    for class in missing {
                        book.insert(class, BookEntry::solved(&mut solver, class).unwrap());
                    }
                }
                (plan, book)
            })
        })
        .expect("one of the starts has this outcome")
}

/// Position number `number` among many with ten empty points; `None` if the legal placements run out before that.
fn start(number: usize, to_move: Side) -> Option<Game> {
    let mut game = Game::default();
    while game.board().empty().count_ones() > 10 {
        let placements: Vec<Point> = points(game.placements()).collect();
        let empty = usize::try_from(game.board().empty().count_ones()).ok()?;
        game = game.place(*placements.get(number * empty * empty / 7 % placements.len().max(1))?);
    }
    Some(Game::from_board(game.board(), to_move))
}

/// Checks `text` as the proof of a small game, including all leaves of both sides.
fn check_proof(plan: &BookPlan, text: &str) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.txt");
    fs::write(&file, text).unwrap();
    let board = plan.start.board().to_string();
    let live = plan.live_from.to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_check_proof"));
    command.arg(&file).args(["--from", &board, "--to-move", plan.start.side().name(), "--live", &live]);
    ran(command.args(["--sample", "1000000", "--threads", "2"]))
}

/// The text of `book` with the line of `class` replaced by `change`, or removed if `change` returns `None`.
fn changed(book: &Book, class: Class, change: impl Fn(&str) -> Option<String>) -> String {
    let board = class.game().board().to_string().replace('\n', " ");
    let lines = book.to_string();
    let lines =
        lines.lines().filter_map(|line| if line.starts_with(&board) { change(line) } else { Some(line.to_owned()) });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn the_independent_checker_confirms_the_librarys_solution() {
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
fn the_independent_checker_finds_missing_wrong_and_illegal_entries() {
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
        "cannot be understood",
    );

    // A losing move contradicts the entry after some answer, or is detected in a leaf.
    let table = TranspositionTable::for_game(&plan.start);
    let mut solver = Solver::new(&table);
    let keeping = solver.best_moves(&start.game(), Question::Winner).unwrap();
    let losing =
        points(start.game().placements()).map(Point::to_move).chain([Move::PASS]).find(|by| !keeping.contains(by));
    let losing = losing.expect("a position that can be lost");
    let (code, _, error) = check_proof(&plan, &changed(&book, start, |line| column(line, 1, losing.as_str())));
    assert_eq!(code, 1);
    assert!(!error.is_empty());

    // The book says that a position after black's move and an answer is lost, but it is won.
    let reply = book.reply(&plan.start).unwrap();
    let after = plan.start.after(reply);
    let answered = points(after.placements()).map(|point| Class::of(&after.place(point)).0);
    let layer: Vec<Class> = answered.filter(|class| class.empty() > plan.live_from).collect();
    let lost = changed(&book, layer[0], |line| Some(line.replace("win", "loss")));
    broken(&lost, "win was promised, but the book says loss");
    // The book says that one of the positions in which white chooses last is won, but it is lost. Only leaves can
    // reveal this.
    let white = plan.choices(&book, Side::White);
    let class = white.into_iter().find(|&class| class.empty() == 7 && book.entry(class).unwrap().outcome < 0).unwrap();
    broken(&changed(&book, class, |line| Some(line.replace("loss", "win"))), "a win was promised, but this is not one");
}

#[test]
fn the_independent_checker_rejects_a_capture_without_a_liberty() {
    // White at c3 would capture all four black stones but still have no adjacent empty point.
    let start = Game::from_board("..w.. .wbw. wb.bw .wbw. ..w..".parse().unwrap(), Side::White);
    let plan = BookPlan { start, plies: 0, live_from: 0 };
    for (reply, said) in [("c3", "the rules forbid the book's move"), ("a1", "the book does not have it")] {
        assert_eq!(start.placements() & Point::parse(reply).unwrap().bit() == 0, reply == "c3");
        let (code, _, error) = check_proof(&plan, &format!("..b.. .bwb. bw.wb .bwb. ..b.. win ? {reply}\n"));
        assert_eq!((code, error.contains("the rules forbid the book's move")), (1, reply == "c3"), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
