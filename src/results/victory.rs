//! Who won a game with two seats, and by how much.

use crate::base::digits::rounded;
use crate::base::units::counted;
use crate::game::{BySide, Ruleset, Side};
use crate::referee::record::GameRecord;
use crate::referee::result::{GameResult, Termination};

/// How the game of `record` between `names` ended, by the winner's name: `ann beats bo by 5`, `bo beats ann (time)`.
/// `None` if nobody won.
pub(crate) fn victory(names: &BySide<String>, record: &GameRecord) -> Option<String> {
    let result = record.result.as_ref().ok()?;
    let winner = result.winner()?;
    let how = match result.termination() {
        Termination::Normal => String::new(),
        termination => format!(" ({termination})"),
    };
    let lead = lead(record.ruleset, result, winner);
    Some(format!("{} beats {}{lead}{how}", names[winner], names[winner.opponent()]))
}

/// By how many points the winner was ahead or, if the compensation decided the game, behind.
pub(super) fn lead(ruleset: Ruleset, result: &GameResult, winner: Side) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_is_ahead_with_its_compensation() {
        let told = |ruleset: &str, margin: i32, end: &str| {
            let result = end.split('"').nth(1).expect("a result");
            let text = format!(
                "[Black \"ann\"]\n[White \"bo\"]\n[Ruleset \"{ruleset}\"]\n[Result {end}]\n[Margin \"{margin}\"]\n\n{result}\n"
            );
            let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
            victory(&record.players, &record)
        };
        let normal = |result: &str| format!("\"{result}\"]\n[Termination \"normal\"");
        assert_eq!(told("gothello", 5, &normal("0-1")).as_deref(), Some("ann beats bo by 5"));
        assert_eq!(told("gothello", 0, &normal("1/2-1/2")), None);
        // White has 7.5 points of compensation.
        assert_eq!(told("go-9", 7, &normal("1-0")).as_deref(), Some("bo beats ann by 0.5"));
        assert_eq!(told("go-9", 21, &normal("0-1")).as_deref(), Some("ann beats bo by 13.5"));
    }
}
