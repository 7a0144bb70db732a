//! Puzzles line by line.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::base::word_enum::words;
use crate::practice::plain::PlainEnd;
use crate::practice::puzzle_round::{PuzzleRound, PuzzleTry};
use crate::practice::typed_lines::{TypedEvent, TypedLines};
use crate::results::replay::{Style, board};

/// How often to look for signals.
const LOOK: Duration = Duration::from_millis(50);

/// A request, other than a move, that a person can type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PuzzleRequest {
    /// Show the answer.
    Give,
    /// Leave.
    Quit,
    /// Say what can be typed.
    Help,
}

words! { PuzzleRequest; Give => "give", Quit => "quit", Help => "help" }

/// What a person can type.
const HELP: &str = "\
a move, such as c3 or pass
give    show the answer, and continue with the next puzzle
quit    leave (so does the end of the input)
help    these lines
";

/// Lets a person solve the puzzles of `round` line by line, and prints the score at the end, unless `stop` is raised.
///
/// # Errors
/// Fails if `input` or `out` does.
pub(crate) fn solve_lines(
    round: &mut PuzzleRound,
    (input, style): (&TypedLines, Style),
    out: &mut impl Write,
    stop: &AtomicBool,
) -> io::Result<PlainEnd> {
    writeln!(out, "type the right move, `give` for the answer, or `help`")?;
    let mut is_new = true;
    while !stop.load(Ordering::Relaxed) {
        let Some(puzzle) = round.puzzle() else { break };
        if std::mem::take(&mut is_new) {
            let shown = puzzle.game.to_string();
            write!(out, "\n{}\n\n{}", round.task(), board(&shown, &shown, None, style))?;
        }
        out.flush()?;
        let line = match input.next_within(LOOK)? {
            TypedEvent::Nothing => continue,
            TypedEvent::End => break,
            TypedEvent::Line(line) => line.trim().to_lowercase(),
        };
        match PuzzleRequest::ALL.into_iter().find(|request| request.name() == line) {
            _ if line.is_empty() => {}
            Some(PuzzleRequest::Quit) => break,
            Some(PuzzleRequest::Help) => write!(out, "{HELP}")?,
            Some(PuzzleRequest::Give) => {
                if let Some(answer) = round.give_up() {
                    writeln!(out, "the answer is {answer}")?;
                }
                is_new = true;
            }
            None => match round.attempt(&line) {
                PuzzleTry::Right(played) => {
                    writeln!(out, "{played} is right")?;
                    is_new = true;
                }
                PuzzleTry::Wrong(played) => writeln!(out, "{played} is wrong: try again, or type `give`")?,
                PuzzleTry::Refused(why) => writeln!(out, "{why}")?,
            },
        }
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(PlainEnd::Signalled);
    }
    writeln!(out, "\n{}", round.score())?;
    out.flush().map(|()| PlainEnd::Left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::puzzles::puzzles_of;

    fn solved(lines: &str) -> String {
        let one = |answer: &str| {
            format!(
                "{{\"board\": \"..... ..... ..b.. ..... .....\", \"to_move\": \"white\", \"passed\": false, \
                 \"goal\": \"win\", \"answer\": \"{answer}\", \"difficulty\": 1}}"
            )
        };
        let text = format!("{{\"format\": 1, \"puzzles\": [{}, {}]}}", one("c4"), one("a1"));
        let mut round = PuzzleRound::new(puzzles_of(&text).expect("puzzles"));
        let input = TypedLines::of(io::Cursor::new(lines.as_bytes().to_vec())).expect("a thread");
        let mut out = Vec::new();
        let never = AtomicBool::new(false);
        let end = solve_lines(&mut round, (&input, Style::PLAIN), &mut out, &never).expect("memory");
        assert_eq!(end, PlainEnd::Left);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn puzzles_are_solved_or_given_up_and_the_score_follows() {
        let said = solved("help\n\nb1\nc3\nC4\ngive\n");
        for expected in [
            HELP,
            "\npuzzle 1 of 2: White to move. Only one move wins. Difficulty 1.\n\n5 . . . . .\n",
            "b1 is wrong: try again, or type `give`\n",
            "c3: the point is occupied\n",
            "c4 is right\n\npuzzle 2 of 2",
            "the answer is a1\n",
        ] {
            assert!(said.contains(expected), "{expected:?} in {said}");
        }
        assert!(
            said.ends_with("\n0 of 2 puzzles solved on the first try, 1 after another try, 1 given up\n"),
            "{said}"
        );
        assert_eq!(said.matches("puzzle 1 of 2").count(), 1);
    }

    #[test]
    fn leaving_early_is_told_with_the_score() {
        for lines in ["c4\nquit\na1\n", "c4\n"] {
            let said = solved(lines);
            assert!(said.ends_with("\n1 of 2 puzzles solved on the first try, 1 not done\n"), "{said}");
        }
    }
}
