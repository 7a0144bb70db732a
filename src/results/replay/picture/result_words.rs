//! How a game ended, in the words that pages use.

use crate::game::Seat;
use crate::referee::record::{GameRecord, LoggedGame};
use crate::referee::result::Termination;
use crate::results::victory::lead;

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
