//! Describes who or what plays for a player, in one line. For a program, this looks up its directory, its build or the
//! file that runs, its script, and a digest of its files.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::time::now;
use crate::base::tree::TreeError;
use crate::game::quantum::Mode;
use crate::host::program::{UnusableProgram, files_of_tree, find_build, find_player, take_inventory};
use crate::players::bots::{Builtin, ErrorRate};
use crate::tournament::{
    HostName, Player, PlayerKind, PlayerTeam, Program, Remote, TeamBot, TeamMember, Tournament, Transport,
};

/// Why a player's program cannot be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayerLack {
    /// The program's directory does not exist.
    #[error("directory `{}` not found", .0.shown())]
    Dir(PathBuf),
    /// The program was not found.
    #[error(transparent)]
    Program(#[from] UnusableProgram),
    /// The program that the build runs was not found.
    #[error("cannot be built: {0}")]
    Build(UnusableProgram),
    /// The program's files cannot be read.
    #[error("cannot compute a digest of its files: {0}")]
    Unreadable(#[from] TreeError),
    /// One of a team's programs cannot be run.
    #[error("its bot for {mode}: {lack}")]
    OfMode {
        /// The mode that the program plays.
        mode: Mode,
        /// Why it cannot be run.
        lack: Box<PlayerLack>,
    },
}

/// A player's description.
#[derive(Debug)]
pub(crate) struct PlayerLine {
    /// The description, in one line.
    pub(crate) line: String,
    /// The files named in the player's command that seem to be missing, each described in a clause.
    pub(crate) lacks: Vec<String>,
}

impl From<String> for PlayerLine {
    fn from(line: String) -> Self {
        Self { line, lacks: Vec::new() }
    }
}

/// Describes what plays for `player` of `tournament`, in one line. `base` is the tournament file's directory. If
/// reading the files of a program takes longer than a moment, `progress` is called once, with the number of bytes read
/// so far.
///
/// # Errors
/// Fails if the program cannot be run.
pub(crate) fn player_line(
    player: &Player,
    tournament: &Tournament,
    base: &Path,
    progress: impl Fn(u64),
) -> Result<PlayerLine, PlayerLack> {
    Ok(match &player.kind {
        PlayerKind::Program(program) => program_line(program, base, progress)?,
        PlayerKind::Builtin(builtin) => builtin_line(*builtin).into(),
        PlayerKind::Remote(remote) => remote_line(remote, tournament).into(),
        PlayerKind::Team(team) => team_line(team, base, progress)?,
    })
}

/// Describes each bot of `team`, with its mode, in one line.
fn team_line(team: &PlayerTeam, base: &Path, progress: impl Fn(u64)) -> Result<PlayerLine, PlayerLack> {
    let mut whole = PlayerLine { line: "a team".to_owned(), lacks: Vec::new() };
    for TeamMember { mode, bot } in team.members() {
        let PlayerLine { line, lacks } = match bot {
            TeamBot::Program(program) => {
                let of_mode = |lack| PlayerLack::OfMode { mode: *mode, lack: Box::new(lack) };
                program_line(program, base, &progress).map_err(of_mode)?
            }
            TeamBot::Builtin(builtin) => builtin_line(*builtin).into(),
        };
        whole.line = format!("{}; {mode}: {line}", whole.line);
        whole.lacks.extend(lacks.into_iter().map(|lack| format!("{mode}: {lack}")));
    }
    Ok(whole)
}

fn builtin_line(builtin: Builtin) -> String {
    let depth = builtin.depth.map(|depth| format!(", depth {depth}")).unwrap_or_default();
    let playouts = builtin.playouts.map(|playouts| format!(", {playouts} playouts")).unwrap_or_default();
    let seed = builtin.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
    let error = match builtin.error {
        ErrorRate::NEVER => String::new(),
        error => format!(", error {error}"),
    };
    format!("built in: {}{depth}{playouts}{error}{seed}", builtin.thinker)
}

fn remote_line(remote: &Remote, tournament: &Tournament) -> String {
    match (remote.listen, tournament.listen) {
        (Some(own), _) => format!("remote, on {own}"),
        (None, Some(public)) => format!("remote, by name and token on {public}"),
        (None, None) => "remote".to_owned(),
    }
}

/// Describes, in one line, how `program` is started, with a digest of its files or with the program that builds it.
/// `base` is the tournament file's directory.
fn program_line(program: &Program, base: &Path, progress: impl Fn(u64)) -> Result<PlayerLine, PlayerLack> {
    let dir = program.working_dir(base);
    if !dir.is_dir() {
        return Err(PlayerLack::Dir(dir));
    }
    let build = find_build(program, base).map_err(PlayerLack::Build)?;
    let words: Vec<String> = program.command.iter().map(|word| sanitised(&word.to_string())).collect();
    let over = match program.transport {
        Transport::Tcp => "",
        Transport::Stdio => " over stdin and stdout",
        Transport::Gtp => " over GTP",
    };
    // A build may create the missing files.
    let scripts = if build.is_none() { missing_scripts(program, &dir) } else { Vec::new() };
    let lack = |script: &String| {
        format!(
            "`{}` is not in `{}`, the directory in which `{}` starts",
            sanitised(script),
            dir.shown(),
            words.join(" ")
        )
    };
    let lacks = scripts.iter().map(lack).collect();
    let place = program.dir.as_ref().map(|dir| format!(" in {}", dir.shown())).unwrap_or_default();
    let source = match (find_player(program, base), build) {
        (Err(stray @ UnusableProgram::Stray(_)), _) => return Err(stray.into()),
        // A digest would be meaningless, since the build will change the files.
        (_, Some(build)) => {
            if program.dir.is_some() {
                files_of_tree(&dir)?;
            }
            format!("built by {}", build.shown())
        }
        (Ok(executable), None) => {
            format!("sha256 {}", take_inventory(program, Some(&executable), base, &patient(progress))?.digest())
        }
        (Err(missing), None) => return Err(missing.into()),
    };
    let hosts: Vec<&str> = program.hosts.iter().map(HostName::as_str).collect();
    let hosts = if hosts.is_empty() { String::new() } else { format!(", with its seat at {}", hosts.join(", ")) };
    Ok(PlayerLine { line: format!("{}{over}{place}{hosts}, {source}", words.join(" ")), lacks })
}

/// Returns a callback that always continues reading a program's files, and reports progress once if the reading takes
/// longer than a moment.
fn patient(progress: impl Fn(u64)) -> impl Fn(u64) -> bool {
    const MOMENT: Duration = Duration::from_secs(2);
    let (begun, told) = (now(), Cell::new(false));
    move |read| {
        if !told.get() && now() > begun + MOMENT {
            told.set(true);
            progress(read);
        }
        true
    }
}

/// The arguments that look like names of files but do not exist in `dir`, usually the script for an interpreter.
fn missing_scripts(program: &Program, dir: &Path) -> Vec<String> {
    const ENDINGS: [&str; 8] = ["py", "js", "mjs", "jar", "rb", "pl", "lua", "sh"];
    let literal = program.command.iter().skip(1).filter(|word| word.is_literal());
    let words = literal.map(|word| word.fill(|_| String::new()));
    words
        .filter(|word| {
            let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| ENDINGS.contains(&ending)) && !dir.join(word).exists()
        })
        .collect()
}
