//! Finds the program of a player: its directory, its build or the file that runs, its script, and a digest of its files.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::time::now;
use crate::base::tree::TreeError;
use crate::base::units::bytes;
use crate::cli::note;
use crate::host::program::{UnusableProgram, files_of_tree, find_build, find_player, take_inventory};
use crate::tournament::{HostName, Program, Transport};

/// Why a player's program cannot be run.
#[derive(Debug, thiserror::Error)]
pub(super) enum Missing {
    #[error("directory `{}` not found", .0.shown())]
    Dir(PathBuf),
    #[error(transparent)]
    Program(#[from] UnusableProgram),
    #[error("cannot be built: {0}")]
    Build(UnusableProgram),
    #[error("its files cannot be read to compute a digest: {0}")]
    Unreadable(#[from] TreeError),
}

/// What is known of a player.
#[derive(Debug)]
pub(super) struct PlayerLine {
    /// Who or what plays, in one line.
    pub(super) line: String,
    /// The files of its command that seem to be missing, each in a clause.
    pub(super) lacks: Vec<String>,
}

impl From<String> for PlayerLine {
    fn from(line: String) -> Self {
        Self { line, lacks: Vec::new() }
    }
}

/// How `program` is started and what shows that it is the same, in one line. `base` is the tournament file's directory.
pub(super) fn program_line(program: &Program, base: &Path) -> Result<PlayerLine, Missing> {
    let dir = program.working_dir(base);
    if !dir.is_dir() {
        return Err(Missing::Dir(dir));
    }
    let build = find_build(program, base).map_err(Missing::Build)?;
    let words: Vec<String> = program.command.iter().map(|word| sanitised(&word.to_string())).collect();
    let over = match program.transport {
        Transport::Tcp => "",
        Transport::Stdio => " over stdin and stdout",
        Transport::Gtp => " over GTP",
    };
    // A build may make any file.
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
    Ok(PlayerLine { line: format!("{}{over}{place}{hosts}, {source}", words.join(" ")), lacks })
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
