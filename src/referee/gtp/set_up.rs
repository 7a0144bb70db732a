//! The commands that an engine is sent before the game, and whenever its board has to be set up again.

use std::time::Duration;

use super::commands::{EngineCommand, KnownVerbs, Verb};
use crate::game::{GtpBoard, GtpForm, Side};
use crate::referee::wire::seconds;

/// The size that every Othello program uses without `boardsize`.
const USUAL_SQUARES: u8 = 8;

/// The commands that prepare the engine for a game of `form` with `budget` on its clock.
///
/// # Errors
/// Fails if the engine does not support a command that the game needs.
pub(super) fn set_up(form: &GtpForm, known: KnownVerbs, budget: Option<Duration>) -> Result<Vec<EngineCommand>, Verb> {
    let needs_size = form.board == GtpBoard::Points || form.size != USUAL_SQUARES;
    let needed = [Verb::ClearBoard, Verb::Play, Verb::Genmove].into_iter();
    let missing = needed.chain(needs_size.then_some(Verb::Boardsize)).find(|&verb| !known.has(verb));
    if let Some(verb) = missing {
        return Err(verb);
    }
    let mut commands = vec![
        EngineCommand::new(Verb::SetGame, form.board.game()),
        EngineCommand::new(Verb::Boardsize, form.size.to_string()),
    ];
    commands.extend(starting_position(form, known));
    if form.board == GtpBoard::Points {
        commands.push(EngineCommand::optional(Verb::Komi, form.komi.to_string()));
    }
    let time = match budget {
        Some(budget) => format!("{} 0 0", seconds(budget)),
        // The protocol's way to express "no limit": overtime in which no stone has to be placed.
        None => "0 1 0".to_owned(),
    };
    commands.push(EngineCommand::optional(Verb::TimeSettings, time));
    commands.retain(|command| known.has(command.verb));
    Ok(commands)
}

/// The commands that give the engine the position in which the game starts.
pub(super) fn starting_position(form: &GtpForm, known: KnownVerbs) -> Vec<EngineCommand> {
    let mut commands = vec![EngineCommand::new(Verb::ClearBoard, "")];
    match &form.handicap {
        None => {}
        // The protocol supports handicap stones only for black.
        Some((Side::Black, points)) if known.has(Verb::SetFreeHandicap) => {
            let points: Vec<String> = points.iter().map(|point| point.to_ascii_uppercase()).collect();
            commands.push(EngineCommand::new(Verb::SetFreeHandicap, points.join(" ")));
        }
        Some((side, points)) => commands.extend(points.iter().map(|point| play(*side, point))),
    }
    commands
}

/// The command that informs the engine of a placement. Engines take both cases; upper case is usual.
pub(super) fn play(side: Side, field: &str) -> EngineCommand {
    EngineCommand::new(Verb::Play, format!("{side} {}", field.to_ascii_uppercase()))
}

/// The command that informs the engine of a pass on `board`. On squares, passes are forced, so engines do not have to
/// be informed of them, and some do not accept `pass`.
pub(super) fn play_pass(side: Side, board: GtpBoard) -> EngineCommand {
    let pass = format!("{side} pass");
    match board {
        GtpBoard::Squares => EngineCommand::optional(Verb::Play, pass),
        GtpBoard::Points => EngineCommand::new(Verb::Play, pass),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;

    const ALL: &str = "set_game boardsize clear_board komi set_free_handicap time_settings time_left play genmove";

    /// The set-up for `ruleset` that is sent to an engine that supports the commands in `known`.
    fn sent(ruleset: &str, known: &str, budget: Option<Duration>) -> Result<String, Verb> {
        let form = ruleset.parse::<Ruleset>().expect("a rule set").gtp_form().expect("it has a form");
        let mut verbs = KnownVerbs::default();
        known.split(' ').for_each(|verb| verbs.add(verb));
        let commands = set_up(&form, verbs, budget)?;
        Ok(commands.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn an_engine_is_told_of_all_that_it_understands() {
        let minute = Some(Duration::from_mins(1));
        for (ruleset, known, budget, commands) in [
            ("go-9", ALL, minute, "set_game Go; boardsize 9; clear_board; komi 7.5; time_settings 60 0 0"),
            ("go-19", "boardsize clear_board play genmove", minute, "boardsize 19; clear_board"),
            ("othello", ALL, None, "set_game Othello; boardsize 8; clear_board; time_settings 0 1 0"),
            ("othello", "clear_board play genmove", None, "clear_board"),
            (
                "go-9 handicap=1,3",
                "boardsize clear_board play genmove set_free_handicap",
                None,
                "boardsize 9; clear_board; set_free_handicap C3 G7 C7",
            ),
            (
                "go-9 handicap=1,2",
                "boardsize clear_board play genmove",
                None,
                "boardsize 9; clear_board; play black C3; play black G7",
            ),
            (
                "go-9 handicap=2,2",
                "boardsize clear_board play genmove set_free_handicap",
                None,
                "boardsize 9; clear_board; play white C3; play white G7",
            ),
        ] {
            assert_eq!(sent(ruleset, known, budget).as_deref(), Ok(commands), "{ruleset}, {known}");
        }
    }

    #[test]
    fn a_command_that_the_game_needs_must_be_known() {
        for (ruleset, known, missing) in [
            ("go-9", "boardsize clear_board play", Verb::Genmove),
            ("go-9", "boardsize clear_board genmove", Verb::Play),
            ("go-9", "boardsize play genmove", Verb::ClearBoard),
            ("go-9", "clear_board play genmove", Verb::Boardsize),
            ("othello-10", "clear_board play genmove", Verb::Boardsize),
        ] {
            assert_eq!(sent(ruleset, known, None), Err(missing), "{known}");
        }
    }
}
