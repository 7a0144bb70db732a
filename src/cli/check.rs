//! `gothello-arena check`.

mod bots;
mod report;

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::load::{Loaded, balanced_openings, load, warn_of_openings};
use super::{CommandResult, Exit, note, print, refusal};
use crate::base::printable::{Shown as _, printable};
use crate::base::time::now;
use crate::base::tree::TreeError;
use crate::base::units::{bytes, counted};
use crate::exact::adjudication::ProofBy;
use crate::game::rules::{BySide, Ruleset};
use crate::host::program::{NotFound, files_of_tree, find_build, find_player, take_inventory};
use crate::players::bots::{Builtin, ErrorRate};
use crate::referee::clock::{Meter, TimeControl};
use crate::run::campaign::{Remark, games_at_a_time, seegover_table};
use crate::tournament::file::{
    BetweenMoves, Format, HostName, Isolation, Player, PlayerKind, Program, Remote, Tournament, Transport,
};
use crate::tournament::schedule::Schedule;

/// Check a tournament file, or whether bots are ready to play
#[derive(Debug, clap::Args)]
#[command(help_template = SHORT_HELP, override_usage = USAGE, after_help = "Before --command: --dir DIR, --build COMMAND, --stdio, --name NAME. Anywhere:
--skip ID leaves a scenario out; --isolation require, auto or off as in `run`.
Exit codes: 0 success, 2 bad usage or file, 3 no program, or a MUST fails (with
--strict, a SHOULD). docs/check.md describes scenarios and formats.
Example:
  gothello-arena check tournaments/class.toml --bots")]
pub(super) struct Args {
    /// Tournament file, or `-` for stdin [default: the embedded class.toml]
    file: Option<PathBuf>,
    #[command(flatten)]
    drill: bots::DrillArgs,
}

/// The help of a command with many options, without headings over arguments and options.
const SHORT_HELP: &str = "{about-with-newline}{usage-heading} {usage}\n{positionals}\n{options}{after-help}";

const USAGE: &str = "gothello-arena check [FILE] [--bots | --command WORD... | --listen ADDR]";

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if self.drill.is_asked_for() {
            return self.drill.run(self.file.as_deref());
        }
        let loaded = match load(self.file.as_deref()) {
            Ok(loaded) => loaded,
            Err(error) => return error.report(),
        };
        let Loaded { tournament, base, shown, .. } = &loaded;
        let mut text = format!("{}: {}\n", shown.shown(), tournament.name);
        let width = tournament.players.iter().map(|player| player.name.as_str().chars().count()).max().unwrap_or(0);
        let mut exit = Exit::Success;
        for player in &tournament.players {
            let found = describe(player, tournament, base).unwrap_or_else(|missing| {
                note(format_args!("player `{}`: {missing}", player.name));
                exit = Exit::DoesNotHold;
                "cannot be run".to_owned()
            });
            let _ = writeln!(text, "  {:width$}  {found}", player.name);
        }
        if let Err(error) = seegover_table::find(tournament) {
            let hint = refusal::hint(&error).map(|hint| format!(" ({hint})")).unwrap_or_default();
            note(format_args!("{:#}{hint}", anyhow::Error::new(error)));
            exit = Exit::DoesNotHold;
        }
        if tournament.isolation == Isolation::Off {
            for remark in Remark::of_idle_hosts(tournament, None) {
                note(format_args!("{remark}"));
            }
        }
        text += &summary(tournament);
        warn_of_openings(tournament);
        if let Some(chosen) = balanced_openings(tournament) {
            let _ = writeln!(text, "balanced openings: {chosen}");
        }
        print(text)?;
        Ok(exit)
    }
}

/// Why a player's program cannot be run.
#[derive(Debug, thiserror::Error)]
enum Missing {
    #[error("directory `{}` not found", .0.shown())]
    Dir(PathBuf),
    #[error(transparent)]
    Program(#[from] NotFound),
    #[error("cannot be built: {0}")]
    Build(NotFound),
    #[error("its files cannot be read for a digest: {0}")]
    Unreadable(#[from] TreeError),
}

/// What plays for `player`, in one line.
fn describe(player: &Player, tournament: &Tournament, base: &Path) -> Result<String, Missing> {
    Ok(match &player.kind {
        PlayerKind::Program(program) => program_line(program, base)?,
        PlayerKind::Builtin(builtin) => builtin_line(*builtin),
        PlayerKind::Remote(remote) => remote_line(remote, tournament),
    })
}

fn program_line(program: &Program, base: &Path) -> Result<String, Missing> {
    let dir = program.working_dir(base);
    if !dir.is_dir() {
        return Err(Missing::Dir(dir));
    }
    let build = find_build(program, base).map_err(Missing::Build)?;
    let words: Vec<String> = program.command.iter().map(|word| printable(&word.to_string())).collect();
    let over = match program.transport {
        Transport::Tcp => "",
        Transport::Stdio => " over stdin and stdout",
    };
    if build.is_none() {
        for script in missing_scripts(program, &dir) {
            let script = printable(&script);
            note(format_args!("`{script}` is not in `{}`, where `{}` starts", dir.shown(), words.join(" ")));
        }
    }
    let place = program.dir.as_ref().map(|dir| format!(" in {}", dir.shown())).unwrap_or_default();
    let source = match (find_player(program, base), build) {
        // A digest would say nothing before the build has changed the files.
        (_, Some(build)) => {
            if program.dir.is_some() {
                files_of_tree(&dir)?;
            }
            format!("built by {}", build.shown())
        }
        (Ok(executable), None) => {
            format!("sha256 {}", take_inventory(program, Some(&executable), base, &patient())?.digest())
        }
        (Err(missing), None) => return Err(missing.into()),
    };
    let hosts: Vec<&str> = program.hosts.iter().map(HostName::as_str).collect();
    let hosts = if hosts.is_empty() { String::new() } else { format!(", with its seat at {}", hosts.join(", ")) };
    Ok(format!("{}{over}{place}{hosts}, {source}", words.join(" ")))
}

/// Always continues reading a program's files, and reports progress once if that takes longer than a moment.
fn patient() -> impl Fn(u64) -> bool {
    const MOMENT: Duration = Duration::from_secs(2);
    let (begun, told) = (now(), Cell::new(false));
    move |read| {
        if !told.get() && now() > begun + MOMENT {
            told.set(true);
            note(format_args!("reading its files: {} so far", bytes(read)));
        }
        true
    }
}

/// The arguments that look like the name of a file that does not exist: usually the script for an interpreter.
fn missing_scripts<'a>(program: &'a Program, dir: &'a Path) -> impl Iterator<Item = String> + use<'a> {
    const ENDINGS: [&str; 8] = ["py", "js", "mjs", "jar", "rb", "pl", "lua", "sh"];
    let literal = program.command.iter().skip(1).filter(|word| word.is_literal());
    let words = literal.map(|word| word.fill(|_| String::new()));
    words.filter(|word| {
        let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.contains(&ending)) && !dir.join(word).exists()
    })
}

fn builtin_line(builtin: Builtin) -> String {
    let depth = builtin.depth.map(|depth| format!(", depth {depth}")).unwrap_or_default();
    let playouts = builtin.playouts.map(|playouts| format!(", {playouts} playouts")).unwrap_or_default();
    let seed = builtin.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
    let error = match builtin.error {
        ErrorRate::NEVER => String::new(),
        error => format!(", error {error}"),
    };
    format!("built in: {}{depth}{playouts}{error}{seed}", builtin.engine)
}

fn remote_line(remote: &Remote, tournament: &Tournament) -> String {
    match (remote.listen, tournament.listen) {
        (Some(own), _) => format!("remote, on {own}"),
        (None, Some(public)) => format!("remote, by name and token on {public}"),
        (None, None) => "remote".to_owned(),
    }
}

/// The rules unless they are Gothello's, and the size of the tournament: players, games and thinking time.
fn summary(tournament: &Tournament) -> String {
    let schedule = Schedule::new(tournament);
    let (games, at_most) = (schedule.at_most(), if schedule.len().is_none() { "at most " } else { "" });
    let at_a_time = games_at_a_time(tournament, None);
    let (players, format) = (tournament.players.len(), format_line(tournament));
    let (clocks, thinking) = clocks(tournament);
    let bound = thinking.map_or("no limit on the time it may take".to_owned(), |one_game| {
        let whole_seconds = one_game.as_secs() + u64::from(one_game.subsec_nanos() > 0);
        let in_a_row = games.div_ceil(at_a_time.get() as u64);
        format!("at most {} of thinking in total", show(Duration::from_secs(whole_seconds.saturating_mul(in_a_row))))
    });
    let rules = match tournament.ruleset {
        Ruleset::Gothello => String::new(),
        ruleset @ Ruleset::Seegover(_) => format!("{ruleset}: "),
    };
    format!("{rules}{players} players, {format}, {at_most}{games} games, {at_a_time} at a time\n{clocks}: {bound}\n")
}

/// The format with the players that it names, how games begin, and how they are adjudicated.
fn format_line(tournament: &Tournament) -> String {
    let name = |index: usize| format!("`{}`", tournament.players[index].name);
    let names = |indices: &[usize]| indices.iter().map(|&index| name(index)).collect::<Vec<_>>().join(", ");
    let mut line = match &tournament.format {
        Format::Gauntlet { rounds, challengers } => {
            let rounds = counted(rounds.get(), "round");
            format!("gauntlet of {} against the others, {rounds}", names(challengers))
        }
        Format::Sprt { test, .. } => format!("sprt of {} against {}, {test}", name(0), name(1)),
        format @ Format::RoundRobin { .. } => format!("round-robin, {format}"),
        format @ (Format::Swiss { .. } | Format::Knockout { .. }) => format.to_string(),
    };
    match tournament.opening_plies {
        0 => {}
        1 => line.push_str(", openings of 1 ply"),
        plies => {
            let _ = write!(line, ", openings of {plies} plies");
        }
    }
    if let Some(adjudicate) = tournament.adjudicate {
        let by = match adjudicate.by() {
            ProofBy::Nodes(nodes) => format!("proof within {nodes} nodes"),
            ProofBy::Table => "the table of Seegover".to_owned(),
        };
        let _ = write!(line, ", ended by {by} after ply {}", adjudicate.after_ply());
    }
    line
}

/// The clocks in words, and how long both sides of a game may think together.
fn clocks(tournament: &Tournament) -> (String, Option<Duration>) {
    let (mut words, mut bound) = wall_clocks(tournament);
    if let Meter::Cpu { wall_limit } = tournament.meter {
        words.push_str(" of CPU time");
        bound = Some(wall_limit.black + wall_limit.white);
    }
    if tournament.between_moves == BetweenMoves::Freeze {
        words.push_str(", none of it during the opponent's turn");
    }
    (words, bound)
}

/// The same, as if the clocks counted wall time.
fn wall_clocks(tournament: &Tournament) -> (String, Option<Duration>) {
    match tournament.time_control {
        TimeControl::SuddenDeath(BySide { black, white }) => {
            let both_alike = black == white;
            let separate = || format!("{} for black, {} for white", show(black), show(white));
            (if both_alike { format!("{} a side", show(black)) } else { separate() }, Some(black + white))
        }
        TimeControl::Unlimited => match tournament.limits.game_limit {
            Some(limit) => (format!("no clocks, {} a game", show(limit)), Some(limit)),
            None => ("no clocks".to_owned(), None),
        },
    }
}

fn show(time: Duration) -> humantime::FormattedDuration {
    humantime::format_duration(time)
}
