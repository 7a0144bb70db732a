//! The bracket of a knockout, drawn with lines from left to right.

use unicode_width::UnicodeWidthStr;

use super::result_points::halves;
use super::text_table::{Look, shown};
use crate::results::format_result::{BracketPairing, BracketSeat, KnockoutResult, WonBy};

/// The maximum number of columns of text.
const MOST_COLUMNS: usize = 80;

/// The maximum number of players: a larger bracket does not fit on a screen.
const MOST_PLAYERS: usize = 32;

/// The labels of one round, or of the champion: one for each place, from the top.
struct Column {
    texts: Vec<String>,
    width: usize,
}

/// The drawing, each line with its newline; `None` if it would be wider than [`MOST_COLUMNS`], or too long.
pub(super) fn drawn(knockout: &KnockoutResult) -> Option<String> {
    if knockout.rounds.is_empty() || 2 * knockout.rounds[0].pairings.len() > MOST_PLAYERS {
        return None;
    }
    let champion = knockout.champion.as_deref().map_or_else(|| "?".to_owned(), |name| shown(name, Look::Plain));
    let rounds = knockout.rounds.iter().map(|round| column(&round.pairings));
    let columns: Vec<Column> = rounds.chain([Column::new(vec![champion])]).collect();
    let width = columns.iter().map(|column| column.width).sum::<usize>() + 5 * (columns.len() - 1);
    (width <= MOST_COLUMNS).then(|| lines(&columns))
}

impl Column {
    fn new(texts: Vec<String>) -> Self {
        let width = texts.iter().map(|text| text.width()).max().unwrap_or_default();
        Self { texts, width }
    }
}

/// The column of a round: names on the left, points on the right, and the reason why a player advances if points did
/// not decide it.
fn column(pairings: &[BracketPairing]) -> Column {
    let halves_of = |seat: &BracketSeat| match seat {
        BracketSeat::Player { name, half_points } => (shown(name, Look::Plain), half_points.map(halves)),
        BracketSeat::Bye => ("-".to_owned(), None),
        BracketSeat::Open => ("?".to_owned(), None),
    };
    let mut cells = Vec::new();
    for pairing in pairings {
        for (place, seat) in pairing.seats.iter().enumerate() {
            let (name, points) = halves_of(seat);
            let mark = pairing.won.filter(|(winner, _)| *winner == place).and_then(|(_, by)| match by {
                WonBy::Points => None,
                WonBy::Walkover => Some("w/o"),
                WonBy::Seed => Some("seed"),
                WonBy::Bye => Some("bye"),
            });
            let right: Vec<String> = points.into_iter().chain(mark.map(str::to_owned)).collect();
            cells.push((name, right.join(" ")));
        }
    }
    let longest = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text.width()).max().unwrap_or(0);
    let left = longest(&mut cells.iter().map(|(name, _)| name));
    let right = longest(&mut cells.iter().map(|(_, right)| right));
    let text = |(name, points): (String, String)| match right {
        0 => padded(&name, left),
        _ => format!("{} {}", padded(&name, left), padded(&points, right)),
    };
    Column::new(cells.into_iter().map(text).collect())
}

/// Draws the columns: place `i` in column `c` is on line `2^c (2 i + 1) - 1`, halfway between the two places in the
/// previous column that lead to it.
fn lines(columns: &[Column]) -> String {
    let mut text = String::new();
    for line in 0..2 * columns[0].texts.len() - 1 {
        let mut drawn = String::new();
        for (c, column) in columns.iter().enumerate() {
            let (at, step) = (line + 1, 1 << c);
            let is_place = at % step == 0 && (at / step) % 2 == 1;
            if is_place {
                let name = &column.texts[at / step / 2];
                drawn.push_str(&padded(name, column.width));
            } else {
                drawn.push_str(&" ".repeat(column.width));
            }
            if c + 1 < columns.len() {
                drawn.push_str(joint(at, step, is_place));
            }
        }
        text.push_str(drawn.trim_end());
        text.push('\n');
    }
    text
}

/// `text`, padded with spaces to `width` columns of a terminal. Some characters take two columns.
fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The part of line `at` that joins column `c` to the next one. Places in column `c` are on odd multiples of `step`,
/// which is 2^c.
fn joint(at: usize, step: usize, is_place: bool) -> &'static str {
    // The two places of a pair are on lines 1 and 3 times `step`, 5 and 7 times `step`, and so on; a vertical line
    // joins them.
    let within = at % (4 * step);
    if is_place {
        if within == step { " ─┐  " } else { " ─┘  " }
    } else if within == 2 * step {
        "  ├─ "
    } else if (step..3 * step).contains(&within) {
        "  │  "
    } else {
        "     "
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::format_result::BracketRound;

    /// A bracket of two semifinals and a final between `players`. The first player of each pairing wins.
    fn bracket(players: [&str; 4]) -> KnockoutResult {
        let seat = |index: usize, half_points| BracketSeat::Player { name: players[index].to_owned(), half_points };
        let pairing = |one, other| BracketPairing {
            seats: [seat(one, Some(4)), seat(other, Some(0))],
            won: Some((0, WonBy::Points)),
        };
        let rounds = vec![
            BracketRound { pairings: vec![pairing(0, 1), pairing(2, 3)] },
            BracketRound { pairings: vec![pairing(0, 2)] },
        ];
        KnockoutResult { champion: Some(players[0].to_owned()), rounds, places: Vec::new() }
    }

    /// The terminal columns in which each line has a character that is neither a space nor part of a name.
    fn joints(drawn: &str) -> Vec<Vec<usize>> {
        let of_line = |line: &str| {
            let found = line.char_indices().filter(|(_, c)| "─┐┘├│".contains(*c));
            found.map(|(at, _)| line[..at].width()).collect()
        };
        drawn.lines().map(of_line).collect()
    }

    #[test]
    fn lines_are_straight_whatever_the_width_of_names() {
        let narrow = drawn(&bracket(["abcd", "b", "cd", "d"])).expect("a drawing");
        let wide = drawn(&bracket(["棋士", "b", "é\u{301}c", "d"])).expect("a drawing");
        assert_eq!(joints(&wide), joints(&narrow), "{wide}\n{narrow}");
    }

    #[test]
    fn wide_names_count_two_columns_each_for_the_width_of_the_drawing() {
        let of = |name: &str| drawn(&bracket([name, "b", "c", "d"]));
        assert!(of(&"a".repeat(20)).is_some() && of(&"棋".repeat(10)).is_some() && of(&"棋".repeat(20)).is_none());
    }
}
