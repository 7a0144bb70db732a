//! The values of moves in words.

use std::fmt::Display;

use crate::base::sanitise::sanitised;
use crate::game::{Move, Side};
use crate::practice::findings::{MoveFinding, MoveValue};
use crate::results::analysis::{AnalyzedMove, MoveQuality};

/// The lines of [`hint_lines`], each with a line break.
pub(crate) fn hint_text(legal: &[Move], side: Side, found: &[MoveFinding]) -> String {
    hint_lines(legal, side, found).concat()
}

/// Lines that say why not everything is known, followed by a line for each value, best for `side` first, with the moves
/// that lead to this value. If there is a reason and no value is known, no moves are listed.
pub(crate) fn hint_lines(legal: &[Move], side: Side, found: &[MoveFinding]) -> Vec<String> {
    let mut lines: Vec<String> = lacks(found).collect();
    let value = |wanted: Move| {
        found.iter().rev().find_map(|finding| match finding {
            MoveFinding::Value(played, value) if *played == wanted => Some(*value),
            _ => None,
        })
    };
    let mut values: Vec<(MoveValue, Vec<Move>)> = Vec::new();
    let mut unknown = Vec::new();
    for &played in legal {
        match value(played) {
            None => unknown.push(played),
            Some(found) => match values.iter_mut().find(|(known, _)| *known == found) {
                Some((_, moves)) => moves.push(played),
                None => values.push((found, vec![played])),
            },
        }
    }
    let is_unknowable = !lines.is_empty() && values.is_empty();
    values.sort_by_key(|(value, _)| std::cmp::Reverse(value.rank(side)));
    for (value, moves) in values {
        lines.push(valued_line(value, &moves));
    }
    if !unknown.is_empty() && !is_unknowable {
        lines.push(valued_line("?", &unknown));
    }
    lines
}

/// The value of the move that consists of the field `name`, if this value has been found.
pub(crate) fn value_at(found: &[MoveFinding], name: &str) -> Option<MoveValue> {
    found.iter().rev().find_map(|finding| match finding {
        MoveFinding::Value(played, value) if played.as_str() == name => Some(*value),
        _ => None,
    })
}

/// A value for `side` in up to three characters: `+3`, `-12`, `=`, `W` or `L`.
pub(crate) fn brief(value: MoveValue, side: Side) -> String {
    match (value.outcome.winner, value.outcome.lead(side)) {
        (None, _) => "=".to_owned(),
        (Some(_), Some(lead)) => format!("{lead:+}"),
        (Some(winner), None) => if winner == side { "W" } else { "L" }.to_owned(),
    }
}

/// Says what the move `played` gave away, and how to do better.
pub(crate) fn loss_text(played: Move, found: &[MoveFinding]) -> String {
    let mut text: String = lacks(found).collect();
    let judged = found.iter().rev().find_map(|finding| match finding {
        MoveFinding::Judged(judged) => Some(judged),
        _ => None,
    });
    let judged = judged.map_or_else(|| UNKNOWN.to_owned(), judgement);
    text = text + played.as_str() + ": " + &judged + "\n";
    for finding in found {
        if let MoveFinding::BetterLine(line) = finding
            && !line.is_empty()
        {
            text += &valued_line("better", line);
        }
    }
    text
}

/// The text about a move whose value has not been found.
const UNKNOWN: &str = "? (not known)";

/// A move in words.
fn judgement(judged: &AnalyzedMove) -> String {
    match (judged.quality(), judged.after, judged.comment()) {
        (Some(MoveQuality::Kept), Some(after), _) => format!("gave nothing away: {after}"),
        (_, _, Some(comment)) => comment,
        _ => UNKNOWN.to_owned(),
    }
}

/// A line for each reason why not everything is known.
fn lacks(found: &[MoveFinding]) -> impl Iterator<Item = String> {
    found.iter().filter_map(|finding| match finding {
        MoveFinding::Lack(why) => Some(sanitised(why) + "\n"),
        _ => None,
    })
}

/// A line with `value` and the moves that lead to it.
fn valued_line(value: impl Display, moves: &[Move]) -> String {
    format!("{value}: {}\n", moves.iter().map(Move::as_str).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;

    #[test]
    fn moves_with_equal_values_share_a_line_the_best_first() {
        let moves: Vec<Move> = ["a1", "b1", "c1", "pass"].iter().map(|text| text.parse().expect("a move")).collect();
        let value = |margin: i32| Outcome::of_margin(margin).into();
        let found = [
            MoveFinding::Value(moves[0], Outcome { winner: Some(Side::Black), margin: None }.into()),
            MoveFinding::Value(moves[1], value(-2)),
            MoveFinding::Value(moves[2], value(4)),
            MoveFinding::Value(moves[0], value(4)),
        ];
        assert_eq!(hint_text(&moves, Side::White, &found), "white wins by 2: b1\nblack wins by 4: a1 c1\n?: pass\n");
    }

    #[test]
    fn moves_whose_values_nobody_can_find_are_not_listed() {
        let moves: Vec<Move> = ["d3", "c4"].iter().map(|text| text.parse().expect("a move")).collect();
        let lack = MoveFinding::Lack("there is no solver".to_owned());
        assert_eq!(hint_text(&moves, Side::Black, std::slice::from_ref(&lack)), "there is no solver\n");
        let found = [lack, MoveFinding::Value(moves[0], Outcome::of_margin(2).into())];
        assert_eq!(hint_text(&moves, Side::Black, &found), "there is no solver\nblack wins by 2: d3\n?: c4\n");
    }

    #[test]
    fn a_value_is_brief_and_seen_by_the_side_to_move() {
        let values =
            [Outcome::of_margin(12), Outcome::of_margin(0), Outcome { winner: Some(Side::White), margin: None }];
        assert_eq!(values.map(|outcome| brief(outcome.into(), Side::Black)), ["+12", "=", "L"]);
        assert_eq!(values.map(|outcome| brief(outcome.into(), Side::White)), ["-12", "=", "W"]);
    }
}
