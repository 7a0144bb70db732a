//! Links that players have placed where the arena looks for a program or a file.
//!
//! A program can be a link, such as `venv/bin/python` in a virtual environment. The author of the bot, or the bot's
//! build, chooses the target of the link. The arena therefore follows the link only to files that the bot may see
//! anyway, or to a program that the arena's user has put into the PATH. A file that a command names must be the file
//! itself, not a link.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

use super::find_in;
use super::places::{resolved, system_dir_of};
use crate::base::sanitise::Shown as _;
use crate::tournament::Program;

/// The maximum number of links on the way to a file, as in the kernel.
const MOST_LINKS: usize = 40;

/// Directories in which a link can lead to a different target for each process.
const SPECIAL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// A player's link that has a forbidden target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{}` is a link to `{}`: {}", link.shown(), end.shown(), rule.advice())]
pub struct StrayLink {
    /// The link.
    pub link: PathBuf,
    /// The link's final target.
    pub end: PathBuf,
    /// The rule that the link breaks.
    pub rule: LinkRule,
}

/// The rules for links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRule {
    /// The program of a player that has a `dir`.
    ProgramInDir,
    /// The program of a player without a `dir`.
    Program,
    /// A file that the command of a player without a `dir` names.
    NamedFile,
}

impl LinkRule {
    const fn advice(self) -> &'static str {
        match self {
            Self::ProgramInDir => {
                "a program in the player's `dir` may be a link only to another file there, to a system program or one \
                 found in the PATH, or to a file in its `readable`; name the link's target itself, or copy it into \
                 `dir`"
            }
            Self::Program => {
                "without a `dir`, a program may be a link only to a system program or one found in the PATH, or to \
                 a file in the player's `readable`; name the link's target itself, or replace the link with a copy"
            }
            Self::NamedFile => {
                "without a `dir`, a file that the command names must be the file itself, or be in the player's \
                 `readable`; replace the link with the file, or give the player a `dir`"
            }
        }
    }
}

/// A file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The file's path as given in the command, appended to the path of the tournament file's directory.
    pub path: PathBuf,
    /// The file's path, with all links resolved.
    pub file: PathBuf,
}

/// The identity of a player's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identified {
    /// The program is the file that was named. All links on the way to the file `end` belong to the arena's user. `end`
    /// is `None` if there is no executable file.
    Named { end: Option<PathBuf> },
    /// The program is the player's `link` to the file `end`, which the player may read anyway.
    Linked { link: PathBuf, end: PathBuf },
    /// The program is the player's `link` to the file `end`, which is also found in the PATH, at `tool`.
    LinkedTool { link: PathBuf, end: PathBuf, tool: PathBuf },
}

/// Identifies the program of `player` that was found at `executable`. `base` is the tournament file's directory, and
/// `own_path` the PATH of the arena's user.
///
/// # Errors
/// Returns the player's first link on the way to the program, if the link's target is forbidden.
pub(super) fn identify(
    executable: &Path,
    player: &Program,
    base: &Path,
    own_path: &OsStr,
) -> Result<Identified, StrayLink> {
    let grounds = grounds_of_program(executable, player, base, own_path);
    let (end, link, others, is_special) = match follow(executable, &grounds) {
        Ok(Trail { end, link: Some(link), others, is_special }) => (end, link, others, is_special),
        Ok(Trail { end, link: None, .. }) => return Ok(Identified::Named { end: Some(end) }),
        // There is no longer an executable file, or there are too many links. The error is reported when the program is
        // started.
        Err(_) => return Ok(Identified::Named { end: None }),
    };
    let is_own = player.dir.is_some() && grounds.iter().any(|ground| end.starts_with(ground));
    if !is_special && (is_own || system_dir_of(&end).is_some() || is_readable(&end, player, base)) {
        return Ok(Identified::Linked { link, end });
    }
    let rule = if player.dir.is_some() { LinkRule::ProgramInDir } else { LinkRule::Program };
    match found_as(&end, &others, own_path, &grounds) {
        Some(tool) if !is_special => Ok(Identified::LinkedTool { link, end, tool }),
        _ => Err(StrayLink { link, end, rule }),
    }
}

/// Returns the file that `word` names in the command of `player`, which has no `dir`; `None` if it is not a file name.
/// `base` is the tournament file's directory.
///
/// # Errors
/// Returns the first link on the way to the file, unless the player may read the file anyway.
pub(super) fn named_file(word: &str, player: &Program, base: &Path) -> Result<Option<NamedFile>, StrayLink> {
    let path = base.join(word);
    let Ok(Trail { end, link, is_special, .. }) = follow(&path, &grounds_of(&path, base)) else { return Ok(None) };
    if !end.is_file() {
        return Ok(None);
    }
    match link {
        Some(link) if is_special || !is_readable(&end, player, base) => {
            Err(StrayLink { link, end, rule: LinkRule::NamedFile })
        }
        _ => Ok(Some(NamedFile { path, file: end })),
    }
}

/// The directories in which `player` may have placed links that lead to its program, which was found at `executable`;
/// see [`identify`].
pub(super) fn grounds_of_program(executable: &Path, player: &Program, base: &Path, own_path: &OsStr) -> Vec<PathBuf> {
    match &player.dir {
        Some(_) => vec![resolved(&player.working_dir(base))],
        // Only the arena's user controls the directories of the PATH.
        None if env::split_paths(own_path).any(|dir| dir.is_absolute() && executable.parent() == Some(&*dir)) => {
            Vec::new()
        }
        None => grounds_of(executable, base),
    }
}

/// Returns the path, with all links resolved, of the file or directory at `path`; `None` if `path` does not exist, or
/// if it leads through a link in one of `grounds`, which are resolved paths.
pub(super) fn without_links(path: &Path, grounds: &[PathBuf]) -> Option<PathBuf> {
    follow(path, grounds).ok().filter(|trail| trail.link.is_none()).map(|trail| trail.end)
}

/// The directories in which players may have placed links: the tournament file's directory `base`, and the directory of
/// `file` if it is below `base`.
fn grounds_of(file: &Path, base: &Path) -> Vec<PathBuf> {
    // An empty path means the directory of this process.
    let base = absolute(base);
    let beside = absolute(file).parent().filter(|dir| dir.starts_with(&base)).map(resolved);
    [Some(resolved(&base)), beside].into_iter().flatten().collect()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(Path::new(".").join(path)).unwrap_or_else(|_| path.to_owned())
}

fn is_readable(file: &Path, player: &Program, base: &Path) -> bool {
    player.readable.iter().any(|path| file.starts_with(resolved(&base.join(path))))
}

/// Looks up the program `end` in `paths`, a PATH, under its own name or the name of one of the links `others` that lead
/// to it. Directories in `grounds` are skipped, because players control their contents.
fn found_as(end: &Path, others: &[PathBuf], paths: &OsStr, grounds: &[PathBuf]) -> Option<PathBuf> {
    let is_trusted = |dir: &PathBuf| {
        let place = resolved(dir);
        dir.is_absolute() && !grounds.iter().any(|ground| place.starts_with(ground))
    };
    let trusted = env::join_paths(env::split_paths(paths).filter(is_trusted)).ok()?;
    let names = others.iter().map(PathBuf::as_path).chain([end]).filter_map(Path::file_name);
    let mut found = names.filter_map(|name| find_in(name, Path::new("/"), Some(&trusted)).ok());
    found.find(|tool| tool.canonicalize().is_ok_and(|file| file == end))
}

/// The way from a path to a file.
#[derive(Debug)]
struct Trail {
    /// The file's path, with all links resolved.
    end: PathBuf,
    /// The first link in a directory that players control.
    link: Option<PathBuf>,
    /// The links that follow `link`.
    others: Vec<PathBuf>,
    /// Whether, after `link`, the way leads through a directory whose contents are different for each process.
    is_special: bool,
}

/// Follows `path` as the kernel does, and notes the links in directories below one of `grounds`, which are resolved
/// paths.
///
/// # Errors
/// Returns an error if nothing is there, or if the links form a loop.
fn follow(path: &Path, grounds: &[PathBuf]) -> io::Result<Trail> {
    let path = absolute(path);
    let mut trail = Trail { end: PathBuf::from("/"), link: None, others: Vec::new(), is_special: false };
    let mut left = Vec::new();
    push(&mut left, &path);
    let mut count = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            trail.end.pop();
            continue;
        }
        // An absolute component replaces everything before it.
        let next = trail.end.join(part);
        match fs::read_link(&next) {
            Ok(target) => {
                count += 1;
                if count > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                push(&mut left, &target);
                if trail.link.is_some() {
                    trail.others.push(next);
                } else if grounds.iter().any(|ground| trail.end.starts_with(ground)) {
                    trail.link = Some(next);
                }
            }
            // The file exists and is not a link.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) => trail.end = next,
            Err(error) => return Err(error),
        }
        trail.is_special |= trail.link.is_some() && SPECIAL.iter().any(|dir| trail.end.starts_with(dir));
    }
    Ok(trail)
}

/// Pushes the components of `path` onto the stack `left`, with the first one on top.
fn push(left: &mut Vec<OsString>, path: &Path) {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let parts: Vec<OsString> = parts.map(|part| part.as_os_str().to_owned()).collect();
    left.extend(parts.into_iter().rev());
}

#[cfg(test)]
mod tests;
