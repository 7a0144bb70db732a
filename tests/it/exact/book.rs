//! The commands about the opening book. `tools/solution` checks its proof with a separate program.

use std::fs;
use std::process::{Command, Stdio};

use gothello_arena::exact::book::planned_positions::BookPlan;
use gothello_arena::exact::book::{Book, BookEntry, Class};
use gothello_arena::game::gothello::{Game, Point};
use rustix::process::{Pid, Signal};

use crate::harness::arena::{Arena, is_withheld, program};
use crate::harness::waiting::{InTime as _, Lines};

fn book_check(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(program());
    ran(command.args(["book", "check"]).args(args))
}

fn ran(command: &mut Command) -> (i32, String, String) {
    let output = command.output_in_time().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_embedded_book_is_valid_as_far_as_it_is_complete() {
    let (code, out, error) = book_check(&["--sample", "0"]);
    let book = Book::embedded();
    let whole = BookPlan::default().missing(book).is_empty();
    assert_eq!(code, if whole { 0 } else { 3 }, "{out}{error}");
    assert!(out.starts_with(&format!("entries:  {};", book.len())), "{out}");
    assert_eq!(error.is_empty(), whole, "{error}");
}

#[test]
fn book_check_says_what_is_wrong_with_a_book() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.txt");
    let name = file.to_str().unwrap();
    let check = |text: &str| {
        fs::write(&file, text).unwrap();
        book_check(&["--sample", "0", name])
    };
    // After c3 it is white's turn, and white loses.
    let (code, out, error) =
        check("..... ..... ..... ..... ..... draw ? c3\n..... ..... ..w.. ..... ..... loss ? b2\n");
    assert_eq!(code, 3, "{error}");
    assert!(out.contains("entries:  2; the side to move wins 0, draws 1, loses 1\n"), "{out}");
    assert!(
        out.contains("0 of 2 outcomes follow from the leaves") && out.contains("but not that of the start"),
        "{out}"
    );
    assert!(error.contains("..... ..... ..... ..... .....: a draw is too little: `c3` leads to a win"), "{error}");
    assert!(error.contains(": its entry is missing\n  and "), "{error}");
    let (code, out, error) = check("..... ..... ..... ..... ..... win ? c3\n..... ..... ..w.. ..... ..... loss ? c3\n");
    assert_eq!((code, out.as_str()), (3, ""));
    assert!(error.contains("book.txt`: line 2 of the book: `c3` is not a legal move there"), "{error}");
}

#[test]
fn extending_a_book_begins_with_what_was_played_and_an_interruption_loses_nothing() {
    if is_withheld(Signal::INT) {
        return;
    }
    let arena = Arena::new(
        "name = \"out\"\ntime = \"60s\"\nplayer = [{ name = \"a\", builtin = \"greedy\" }, { name = \"b\", builtin = \"random\" }]\n",
    );
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    let extend = |book: &str| {
        let mut command = arena.command(&["book", "extend", book, "out", "--memory", "1", "--threads", "1"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).start().expect("it starts")
    };
    let output = extend("none.txt").wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("there is no book `none.txt` to extend (`gothello-arena book build FILE` creates one)"),
        "{error}"
    );
    let file = arena.path().join("book.txt");
    fs::write(&file, "..... ..... ..... ..... ..... win ? c3\n").expect("written");
    let mut child = extend("book.txt");
    let mut stderr = Lines::new(child.stderr.take().expect("piped"));
    let first = stderr.line("what the book is extended by");
    assert!(first.contains("2 games, with ") && first.contains(" different positions of the first 5 plies"), "{first}");
    assert!(stderr.line("how much there is to do").contains(" positions to solve"));
    rustix::process::kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let rest = stderr.rest("`book extend`");
    assert!(rest.contains("`book.txt` has the positions solved so far; the same command continues"), "{rest}");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let kept: Book = fs::read_to_string(&file).expect("a file").parse().expect("a book");
    assert_eq!(
        kept.entries().next(),
        Some((
            Class::of(&Game::default()).0,
            BookEntry { outcome: 1, margin: None, reply: Some(Point::parse("c3").expect("a point").to_move()) }
        ))
    );
}
