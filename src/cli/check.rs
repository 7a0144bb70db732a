//! `gothello-arena check`: checks the program of each player in a tournament file, and shows the tournament's size.

mod drill;
mod report;

use std::fmt::Write as _;
use std::path::PathBuf;

use super::telling::tell;
use super::{CommandResult, Exit, note, print, warn};
use crate::base::console::error;
use crate::base::exit::{CommandError as _, with_causes};
use crate::base::sanitise::Shown as _;
use crate::base::units::bytes;
use crate::host::player_line::{PlayerLine, player_line};
use crate::host::sandbox::Tier;
use crate::host::tournament_file::{LoadedTournament, load};
use crate::run::campaign::enough_resources::AtATime;
use crate::run::campaign::{Warning, games_at_a_time, seegover_table};
use crate::tournament::Isolation;
use crate::tournament::advice::{balanced_openings, early_proof_warning, opening_warnings, tables};
use crate::tournament::summary::summary;

/// Check a tournament file, or whether bots are ready to play
#[derive(Debug, clap::Args)]
#[command(help_template = SHORT_HELP, override_usage = USAGE, after_help = "Before --command: --dir DIR, --build COMMAND, --stdio, --name NAME. Anywhere:
--skip ID leaves a scenario out; --isolation require, auto or off as in `run`.
Exit codes: 0 success, 2 bad usage or file, 3 a MUST fails (docs/bot/check.md).
Example:
  gothello-arena check tournaments/class.toml --bots")]
pub(super) struct Args {
    /// Tournament file, or `-` for stdin [default: the embedded class.toml]
    file: Option<PathBuf>,
    #[command(flatten)]
    drill: drill::DrillArgs,
}

/// The help template for a command with many options, without headings above arguments and options.
const SHORT_HELP: &str = "{about-with-newline}{usage-heading} {usage}\n{positionals}\n{options}{after-help}";

const USAGE: &str = "gothello-arena check [FILE] [--bots | --command WORD... | --listen ADDR]";

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if self.drill.is_asked_for() {
            return self.drill.run(self.file.as_deref());
        }
        let loaded = load(self.file.as_deref())?;
        let LoadedTournament { tournament, base, shown, .. } = &loaded;
        let mut text = format!("{}: {}\n", shown.shown(), tournament.name);
        let entries = tournament.ladder.iter().flat_map(|ladder| &ladder.entries).map(|entry| &entry.name);
        let names = tournament.players.iter().map(|player| &player.name).chain(entries);
        let width = names.map(|name| name.as_str().chars().count()).max().unwrap_or(0);
        let mut exit = Exit::Success;
        // On a terminal, the list of players must appear before the problems with these players.
        let (mut lacking, mut wrong) = (Vec::new(), Vec::new());
        let reading = |read| note(format_args!("reading its files: {} so far", bytes(read)));
        for player in &tournament.players {
            let line = match player_line(player, tournament, base, reading) {
                Ok(PlayerLine { line, lacks }) if lacks.is_empty() => line,
                Ok(PlayerLine { line, lacks }) => {
                    lacking.extend(lacks.iter().map(|lack| format!("player `{}`: {lack}", player.name)));
                    format!("{line} (a file named in its command does not exist)")
                }
                Err(missing) => {
                    wrong.push(format!("player `{}`: {missing}", player.name));
                    exit = Exit::DoesNotHold;
                    "cannot be run".to_owned()
                }
            };
            let _ = writeln!(text, "  {:width$}  {line}", player.name);
        }
        for entry in tournament.ladder.iter().flat_map(|ladder| &ladder.entries) {
            let _ = writeln!(text, "  {:width$}  {}", entry.name, entry.door);
        }
        text += &summary(tournament, games_at_a_time(tournament, None));
        if let Some(tables) = tables(tournament) {
            let _ = writeln!(text, "{tables}");
        }
        if let Some(chosen) = balanced_openings(tournament) {
            let _ = writeln!(text, "balanced openings: {chosen}");
        }
        print(text)?;
        lacking.iter().for_each(warn);
        for problem in &wrong {
            error(problem, None);
        }
        if let Err(missing) = seegover_table::find(tournament) {
            let hint = missing.error_exit().hint;
            error(with_causes(&missing), hint.as_deref());
            exit = Exit::DoesNotHold;
        }
        if tournament.isolation == Isolation::Off {
            for warning in Warning::of_idle_hosts(tournament, None) {
                warn(warning);
            }
        }
        let tier = if tournament.isolation == Isolation::Off { Tier::D } else { Tier::A };
        let games = AtATime::Games { count: games_at_a_time(tournament, None), seats: tournament.ruleset.seats() };
        // Which tier the machine supports is not tested, since this would start programs; most machines have
        // namespaces.
        Warning::of_room(&tournament.players, games, tier).into_iter().for_each(tell);
        opening_warnings(tournament).into_iter().chain(early_proof_warning(tournament)).for_each(warn);
        Ok(exit)
    }
}
