//! The commands that are sent to an engine before the game, and whenever its board has to be set up again.

use std::time::Duration;

use super::commands::{EngineCommand, KnownVerbs, Verb};
use crate::game::{GtpBoard, GtpForm, Side};
use crate::referee::time_control::SideControl;
use crate::referee::wire::seconds;

/// The board size that every Othello program uses unless it receives `boardsize`.
const USUAL_SQUARES: u8 = 8;

/// The commands that prepare the engine for a game of `form` under `control`.
///
/// # Errors
/// Fails if the engine does not support a command that the game needs.
pub(super) fn set_up(
    form: &GtpForm,
    known: KnownVerbs,
    control: Option<SideControl>,
) -> Result<Vec<EngineCommand>, Verb> {
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
    commands.push(time_settings(control, known));
    commands.retain(|command| known.has(command.verb));
    Ok(commands)
}

/// The command that states the time control.
///
/// The protocol has a main time followed by overtime in which a number of stones have to be placed, so increments,
/// periods and times for a move are all sent as overtime for one stone. An engine that observes these settings never
/// uses more time than is left on its clock: the first increment is taken from the main time and becomes the overtime,
/// and a bank becomes a main time, although moves within `move_time` do not use it up. Japanese byo-yomi has a command
/// of its own, an extension of the Go server KGS.
fn time_settings(control: Option<SideControl>, known: KnownVerbs) -> EngineCommand {
    let settings = match control {
        // The protocol's way to express "no limit": overtime in which no stone has to be placed.
        None => "0 1 0".to_owned(),
        Some(SideControl::Game { time, increment: Duration::ZERO }) => format!("{} 0 0", seconds(time)),
        Some(SideControl::ByoYomi { time, periods, period }) if known.has(Verb::KgsTimeSettings) => {
            let settings = format!("byoyomi {} {} {periods}", seconds(time), seconds(period));
            return EngineCommand::optional(Verb::KgsTimeSettings, settings);
        }
        // The first turn may use the time at the start, but not an increment as well.
        Some(SideControl::Game { time, increment }) => {
            format!("{} {} 1", seconds(time.saturating_sub(increment)), seconds(increment.min(time)))
        }
        Some(
            SideControl::ByoYomi { time: main, period: overtime, .. }
            | SideControl::PerMove { bank: main, move_time: overtime },
        ) => match seconds(overtime) {
            // Engines accept only whole seconds, and would interpret zero as a game without overtime.
            0 => format!("{} 0 0", seconds(main)),
            overtime => format!("{} {overtime} 1", seconds(main)),
        },
    };
    EngineCommand::optional(Verb::TimeSettings, settings)
}

/// The arguments of `time_left` for an engine that may use `allowance` for its move: the seconds, and the number of
/// stones to be placed in that time, which is 0 during the main time. In Japanese byo-yomi, the number of periods takes
/// the place of the number of stones.
pub(super) fn time_left(control: SideControl, allowance: Duration, known: KnownVerbs) -> String {
    let (main, overtime) = match control.remaining(allowance) {
        SideControl::Game { time, increment: Duration::ZERO } => (time, None),
        SideControl::Game { time, increment } => (time.saturating_sub(increment), Some((time.min(increment), 1))),
        SideControl::ByoYomi { time, periods, period } => {
            let stones = if known.has(Verb::KgsTimeSettings) { periods } else { 1 };
            (time, Some((period, stones)))
        }
        SideControl::PerMove { move_time, bank } => (bank, Some((move_time, 1))),
    };
    match overtime {
        Some((time, stones)) if seconds(main) == 0 => format!("{} {stones}", seconds(time)),
        _ => format!("{} 0", seconds(main)),
    }
}

/// The commands that set up the position in which the game starts.
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

/// The command that informs the engine of a placement. Engines accept both cases; upper case is usual.
pub(super) fn play(side: Side, field: &str) -> EngineCommand {
    EngineCommand::new(Verb::Play, format!("{side} {}", field.to_ascii_uppercase()))
}

/// The command that informs the engine of a pass on `board`. On boards of squares, passes are forced, so engines do not
/// have to be informed of them, and some do not accept `pass`.
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
    fn sent(ruleset: &str, known: &str, control: Option<SideControl>) -> Result<String, Verb> {
        let form = ruleset.parse::<Ruleset>().expect("a rule set").gtp_form().expect("it has a form");
        let mut verbs = KnownVerbs::default();
        known.split(' ').for_each(|verb| verbs.add(verb));
        let commands = set_up(&form, verbs, control)?;
        Ok(commands.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn an_engine_is_told_of_all_that_it_understands() {
        let minute = Some(SideControl::sudden_death(Duration::from_mins(1)));
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

    /// The last commands of the set-up under `control`, and `time_left` for each of the allowances, in seconds.
    fn told(control: &str, known: &str, allowances: &[u64]) -> (String, Vec<String>) {
        let control: SideControl = control.parse().expect("a time control");
        let mut verbs = KnownVerbs::default();
        known.split(' ').for_each(|verb| verbs.add(verb));
        let left = allowances.iter().map(|&left| time_left(control, Duration::from_secs(left), verbs)).collect();
        (time_settings(Some(control), verbs).to_string(), left)
    }

    #[test]
    fn each_control_is_sent_in_the_terms_of_the_protocol() {
        let kgs = format!("{ALL} kgs-time_settings");
        for (control, known, settings, allowances, left) in [
            ("60", ALL, "time_settings 60 0 0", &[60, 7, 0][..], &["60 0", "7 0", "0 0"][..]),
            ("60+2", ALL, "time_settings 58 2 1", &[60, 3, 2, 1], &["58 0", "1 0", "2 1", "1 1"]),
            ("1+30", ALL, "time_settings 0 1 1", &[1, 31], &["1 1", "1 0"]),
            ("60+0.5", ALL, "time_settings 59 0 1", &[60], &["59 0"]),
            ("600:5x30", ALL, "time_settings 600 30 1", &[750, 151, 150, 60], &["600 0", "1 0", "30 1", "30 1"]),
            ("600:5x30", &kgs, "kgs-time_settings byoyomi 600 30 5", &[750, 150, 60], &["600 0", "30 5", "30 2"]),
            ("3/move", &kgs, "time_settings 0 3 1", &[3], &["3 1"]),
            ("3/move+60bank", ALL, "time_settings 60 3 1", &[63, 4, 3], &["60 0", "1 0", "3 1"]),
        ] {
            let left: Vec<String> = left.iter().map(|&left| left.to_owned()).collect();
            assert_eq!(told(control, known, allowances), (settings.to_owned(), left), "{control}");
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
