//! Puzzles as a page to read or to print, with the answers on a separate page.

use maud::{Markup, html};

use super::puzzle_text::{board, task, tries};
use super::{DEEPEST, Puzzle};
use crate::game::Side;
use crate::game::gothello::{Point, SIZE};
use crate::page::shown::{PlainPage, plain_page};

const STYLE: &str = include_str!("sheet.css");

/// The distance between neighbouring lines of the board, and the width of the margin for the names of files and ranks,
/// in pixels.
const CELL: u8 = 24;
const EDGE: u8 = 16;

/// The puzzles as one HTML file.
pub fn sheet(title: &str, puzzles: &[Puzzle]) -> String {
    let body = html! {
        main class="puzzles" {
            h1 { (title) }
            p {
                "In each position, one move is right. A stone may be placed where its group then has a liberty; groups of the \
                 other colour without a liberty change colour. The difficulty is the number of plies to look ahead, from 1 to "
                (DEEPEST + 1) "."
            }
            ol class="boards" {
                @for puzzle in puzzles {
                    li {
                        (picture(puzzle))
                        p { (task(puzzle)) " Difficulty " (puzzle.difficulty) "." }
                        p class="line" { "Answer: " span { } }
                    }
                }
            }
            section class="answers" {
                h2 { "Answers" }
                ol { @for puzzle in puzzles { li { (answer(puzzle)) } } }
            }
        }
    };
    plain_page(&PlainPage { title, styles: &[STYLE], script: None, body: &body })
}

fn answer(puzzle: &Puzzle) -> Markup {
    let tries = tries(puzzle);
    html! {
        b { (puzzle.answer) }
        @if !tries.is_empty() { " (" (tries) ")" }
    }
}

/// The board. Screen readers read it out rank by rank.
fn picture(puzzle: &Puzzle) -> Markup {
    let (board_text, game) = (board(puzzle), &puzzle.game);
    let whole = u16::from(EDGE) + u16::from(SIZE) * u16::from(CELL) + 2;
    let x = |file: u8| EDGE + file * CELL + CELL / 2;
    let y = |rank: u8| 1 + (SIZE - 1 - rank) * CELL + CELL / 2;
    let size = whole.to_string();
    let ends = [x(0), x(SIZE - 1), y(0), y(SIZE - 1)];
    html! {
        svg viewBox={ "0 0 " (size) " " (size) } width=(size) height=(size) role="img"
            aria-label={ "Ranks 5 to 1: " (board_text) } {
            @for line in 0..SIZE {
                line class="grid" x1=(x(line)) x2=(x(line)) y1=(ends[3]) y2=(ends[2]) {}
                line class="grid" x1=(ends[0]) x2=(ends[1]) y1=(y(line)) y2=(y(line)) {}
                text x="3" y=(y(line) + 4) { (line + 1) }
                text x=(x(line) - 3) y=(whole - 2) { (char::from(b'a' + line)) }
            }
            @for side in Side::BOTH {
                @for point in Point::all().filter(|point| game.board().stones(side) & point.bit() != 0) {
                    circle class=(side.to_string()) cx=(x(point.file())) cy=(y(point.rank())) r=(CELL / 2 - 2) {}
                }
            }
        }
    }
}
