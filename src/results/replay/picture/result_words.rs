//! How a game ended, in the words that pages use.

use crate::base::digits::rounded;
use crate::base::units::counted;
use crate::game::{Ruleset, Seat, Side};
use crate::referee::record::{GameRecord, LoggedGame};
use crate::referee::result::{GameResult, Termination};

/// `black won by 7`, `draw`, `void`; with more than two seats `1st seat 3, 2nd seat 1, 3rd seat 2, 4th seat 4`.
pub(super) fn result_words(game: &LoggedGame) -> String {
    match game {
        LoggedGame::Two(record) => of_two(record),
        LoggedGame::Group(record) => match &record.result {
            Err(_) => "void".to_owned(),
            Ok(standing) => {
                let mut places: Vec<(u8, Seat)> = standing.placing.iter().map(|(seat, place)| (*place, seat)).collect();
                places.sort_by_key(|(place, _)| *place);
                let words = places.into_iter().map(|(place, seat)| format!("{} seat {seat}", ordinal(place)));
                words.collect::<Vec<_>>().join(", ")
            }
        },
    }
}

fn ordinal(place: u8) -> String {
    let end = match place {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{place}{end}")
}

fn of_two(record: &GameRecord) -> String {
    let Ok(result) = &record.result else { return "void".to_owned() };
    match result.winner() {
        None if result.termination() == Termination::DoubleForfeit => "both lost".to_owned(),
        None => "draw".to_owned(),
        Some(winner) => format!("{winner} won{}", lead(record.ruleset, result, winner)),
    }
}

/// By how many points the winner was ahead or, if the compensation decided the game, behind.
fn lead(ruleset: Ruleset, result: &GameResult, winner: Side) -> String {
    let Some(margin) = result.margin() else { return String::new() };
    let for_winner = |black: f64| if winner == Side::Black { black } else { -black };
    let margin = f64::from(margin);
    let total = margin + compensation(ruleset);
    // The margin does not include the compensation, which may decide who won.
    let ahead = if for_winner(total) > 0.0 { for_winner(total) } else { for_winner(margin) };
    if ahead > 0.0 {
        return format!(" by {ahead}");
    }
    // The compensation can only have decided the game if the boards were level, or the other side was ahead by whole
    // points.
    match ahead {
        0.0 => ", level on points".to_owned(),
        _ => format!(", {} behind", counted(whole(-ahead), "point")),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of points of a board")]
const fn whole(points: f64) -> u64 {
    points as u64
}

/// Black's compensation minus white's, with four decimals, as on pages.
fn compensation(ruleset: Ruleset) -> f64 {
    let Ruleset::Quantum(rules) = ruleset else { return 0.0 };
    let [black, white] = Side::BOTH.map(|side| {
        let parts = f64::from(rules.compensation().parts(side.into()));
        rounded(parts / f64::from(rules.seats()), 4)
    });
    black - white
}
