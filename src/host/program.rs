//! Programs on this machine: where they are, and which files they consist of.
//!
//! | room | contents |
//! | --- | --- |
//! | `environment` | the variables that a program gets from the arena's own environment |
//! | `digested_files` | a program's files and their digests |
//! | `own_program` | this program's own file, and what identifies its code |
//! | `places` | the kind of place that a path leads to |
//! | `stray_link` | where players' links may lead |
//! | `visible_files`, `unseen_file` | the files that a confined program may read, and files that it could not find |

mod digested_files;
mod environment;
mod own_program;
mod places;
mod stray_link;
mod unseen_file;
mod visible_files;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::sanitise::Shown;
use crate::base::tree::TreeError;
use crate::tournament::Program;
pub(crate) use digested_files::is_made_by_running;
pub use digested_files::{BENCH_DIR, GoOn, Inventory, ProgramFiles, files_of_tree};
pub use environment::{INHERITED, inherited};
pub use own_program::{own_digest, own_executable};
pub use places::{resolved, system_dir_of};
pub use stray_link::{LinkRule, NamedFile, StrayLink};
pub use visible_files::VisiblePaths;

/// The reason why a player's program cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnusableProgram {
    /// The program was not found.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The program, or a file that its command names, is a link with a forbidden target.
    #[error(transparent)]
    Stray(#[from] StrayLink),
}

/// A program that could not be found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{}", describe(program, tried), advice(program))]
pub struct NotFound {
    /// The program, as specified by the caller.
    pub program: OsString,
    /// The files that were tried, in order, and why each is unsuitable.
    pub tried: Vec<(PathBuf, Unfit)>,
}

/// The reason why a file cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// The file does not exist, or cannot be examined.
    #[error("no such file")]
    Missing,
    /// The path leads to a directory, or to something else that cannot be a program.
    #[error("not a regular file")]
    NotAFile,
    /// The file is not executable.
    #[error("not executable")]
    NotExecutable,
}

fn describe(program: &OsStr, tried: &[(PathBuf, Unfit)]) -> String {
    let program = program.shown();
    match tried {
        [] => format!("program `{program}` not found: PATH is not set"),
        [(path, why)] => format!("program `{program}` not found: {}: {why}", path.shown()),
        many => {
            // If a file was found but is unsuitable, say so; otherwise, name the directories.
            let unfit: Vec<String> = many
                .iter()
                .filter(|(_, why)| *why != Unfit::Missing)
                .map(|(path, why)| format!("{}: {why}", path.shown()))
                .collect();
            if !unfit.is_empty() {
                return format!("program `{program}` not found: {}", unfit.join(", "));
            }
            let mut places: Vec<String> = Vec::new();
            for place in many.iter().filter_map(|(path, _)| path.parent()).map(Shown::shown) {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            format!("program `{program}` not found in {}", places.join(", "))
        }
    }
}

/// The Debian packages of the languages in which bots are written, and of the engines in the arena's own tournament
/// files.
const PACKAGES: [(&str, &str); 20] = [
    ("c++", "g++"),
    ("cargo", "cargo"),
    ("cc", "gcc"),
    ("clang", "clang"),
    ("g++", "g++"),
    ("gcc", "gcc"),
    ("gnugo", "gnugo"),
    ("go", "golang-go"),
    ("gtp-rhino", "grhino"),
    ("java", "default-jre-headless"),
    ("javac", "default-jdk-headless"),
    ("lua", "lua5.4"),
    ("make", "make"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("perl", "perl"),
    ("python3", "python3"),
    ("ruby", "ruby"),
    ("rustc", "rustc"),
    ("sbcl", "sbcl"),
];

/// Advice on how to install `program`, if it is well known. A relative path leads to a player's own file, which no
/// package provides.
fn advice(program: &OsStr) -> String {
    let path = Path::new(program);
    let name = path.file_name().filter(|name| path.is_absolute() || *name == program);
    let package = PACKAGES.iter().find(|(known, _)| name == Some(OsStr::new(known)));
    package.map_or_else(String::new, |(_, package)| format!(" (on Debian or Ubuntu: apt install {package})"))
}

/// Returns the absolute path of the file that running `program` in the directory `dir` would start. A name with a slash
/// is relative to `dir`; any other name is looked up in the directories of `PATH`.
///
/// # Errors
/// Reports the files that were tried.
pub fn find(program: &OsStr, dir: &Path) -> Result<PathBuf, NotFound> {
    find_in(program, dir, env::var_os("PATH").as_deref())
}

/// Returns the file that starting `player` would run. `base` is the tournament file's directory. This searches like
/// [`find`] in the player's working directory, but with the player's own `PATH` if its `env` sets one.
///
/// # Errors
/// Reports the files that were tried, or the player's link that has a forbidden target.
pub fn find_player(player: &Program, base: &Path) -> Result<PathBuf, UnusableProgram> {
    let literal = player.command.iter().skip(1).filter(|word| word.is_literal());
    let words: Vec<String> = literal.map(|word| word.fill(|_| String::new())).collect();
    find_for(player, OsStr::new(&player.executable()), words.iter().map(String::as_str), base)
}

/// Returns the file that the `build` of `player` would run, or `None` if there is nothing to build; see
/// [`find_player`].
///
/// # Errors
/// Fails for the same reasons as [`find_player`].
pub fn find_build(player: &Program, base: &Path) -> Result<Option<PathBuf>, UnusableProgram> {
    let Some((program, words)) = player.build.as_ref().and_then(|build| build.split_first()) else {
        return Ok(None);
    };
    find_for(player, OsStr::new(program), words.iter().map(String::as_str), base).map(Some)
}

/// Returns the file that running `program` with the arguments `words` would start for `player`.
fn find_for<'w>(
    player: &Program,
    program: &OsStr,
    words: impl Iterator<Item = &'w str>,
    base: &Path,
) -> Result<PathBuf, UnusableProgram> {
    let found = find_in(program, &player.working_dir(base), search_path(player).as_deref())?;
    stray_link::identify(&found, player, base, &env::var_os("PATH").unwrap_or_default())?;
    if player.dir.is_none() {
        for word in words {
            stray_link::named_file(word, player, base)?;
        }
    }
    Ok(found)
}

fn search_path(player: &Program) -> Option<OsString> {
    let own = player.env.iter().find(|(name, value)| name == "PATH" && value.is_literal());
    own.map(|(_, value)| OsString::from(value.fill(|_| String::new()))).or_else(|| env::var_os("PATH"))
}

/// Takes the inventory of the files that `player` runs; see [`ProgramFiles::of`]. `executable` is the result of
/// [`find_player`]. Calls `go_on` at intervals.
///
/// # Errors
/// Fails for the same reasons as [`Inventory::take`].
pub fn take_inventory(
    player: &Program,
    executable: Option<&Path>,
    base: &Path,
    go_on: GoOn<'_>,
) -> Result<Inventory, TreeError> {
    let literal = player.command.iter().skip(1).filter(|word| word.is_literal());
    let words = literal.map(|word| word.fill(|_| String::new()));
    let words: Vec<String> = words.chain(player.build.iter().flatten().cloned()).collect();
    let extent = ProgramFiles::of(player, base, words.iter().map(String::as_str));
    Inventory::take(executable, &extent, go_on)
}

/// Like [`find`], but searches `path`, a `PATH` whose relative entries are relative to `dir`.
///
/// # Errors
/// Reports the files that were tried.
pub fn find_in(program: &OsStr, dir: &Path, path: Option<&OsStr>) -> Result<PathBuf, NotFound> {
    // An absolute path remains valid for a child that starts in another directory.
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let candidates: Vec<PathBuf> = if program.as_bytes().contains(&b'/') {
        vec![dir.join(program).components().collect()]
    } else {
        path.map(|path| env::split_paths(path).map(|entry| dir.join(entry).join(program)).collect()).unwrap_or_default()
    };
    let mut tried = Vec::new();
    for candidate in candidates {
        match fitness(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(unfit) => tried.push((candidate, unfit)),
        }
    }
    Err(NotFound { program: program.to_owned(), tried })
}

fn fitness(path: &Path) -> Result<(), Unfit> {
    let metadata = fs::metadata(path).map_err(|_| Unfit::Missing)?;
    if !metadata.is_file() {
        Err(Unfit::NotAFile)
    } else if metadata.permissions().mode() & 0o111 == 0 {
        Err(Unfit::NotExecutable)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{PlayerKind, Tournament};

    /// Writes a file with the permissions `mode`.
    pub(super) fn write(path: &Path, content: &str, mode: u32) {
        fs::write(path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The program of a player with these `keys`.
    pub(super) fn program(keys: &str) -> Program {
        let text = format!("[[player]]\nname = \"a\"\n{keys}\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n");
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let PlayerKind::Program(program) = &tournament.players[0].kind else { panic!("a program") };
        program.clone()
    }

    #[test]
    fn of_a_known_program_the_message_says_how_to_install_it() {
        let missing = |program| {
            find_in(OsStr::new(program), Path::new("/dev"), Some(OsStr::new("/dev"))).unwrap_err().to_string()
        };
        assert!(missing("/dev/gnugo").ends_with("(on Debian or Ubuntu: apt install gnugo)"));
        assert!(missing("gtp-rhino").ends_with("(on Debian or Ubuntu: apt install grhino)"));
        assert!(["bot", "./gcc", "bin/gcc"].iter().all(|own| !missing(own).contains("install")));
    }

    #[test]
    fn a_name_with_a_slash_is_relative_to_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let bot = dir.path().join("bot");
        write(&bot, "", 0o755);
        assert_eq!(find_in(OsStr::new("./bot"), dir.path(), None), Ok(dir.path().join("bot")));
        assert_eq!(find_in(bot.as_os_str(), Path::new("/"), None), Ok(bot));
        let missing = find_in(OsStr::new("bin/bot"), dir.path(), Some(OsStr::new("/bin"))).unwrap_err();
        assert_eq!(missing.tried, [(dir.path().join("bin/bot"), Unfit::Missing)]);
    }

    #[test]
    fn a_plain_name_is_looked_for_in_the_path_alone() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::create_dir(dir.path().join("a/bot")).unwrap();
        write(&dir.path().join("b/bot"), "", 0o644);
        write(&dir.path().join("c/bot"), "", 0o755);
        write(&dir.path().join("bot"), "", 0o755);
        let path = env::join_paths([dir.path().join("a"), PathBuf::from("b"), dir.path().join("c")]).unwrap();
        assert_eq!(find_in(OsStr::new("bot"), dir.path(), Some(&path)), Ok(dir.path().join("c/bot")));

        let path = env::join_paths([dir.path().join("a"), dir.path().join("b"), dir.path().join("d")]).unwrap();
        let error = find_in(OsStr::new("bot"), dir.path(), Some(&path)).unwrap_err();
        let why: Vec<Unfit> = error.tried.iter().map(|(_, why)| *why).collect();
        assert_eq!(why, [Unfit::NotAFile, Unfit::NotExecutable, Unfit::Missing]);
    }

    #[test]
    fn the_message_says_what_was_tried() {
        let error =
            find_in(OsStr::new("javac"), Path::new("/"), Some(OsStr::new("/none:/nor:/none/:/nor"))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "program `javac` not found in /none, /nor (on Debian or Ubuntu: apt install default-jdk-headless)"
        );
        let error = find_in(OsStr::new("./bot"), Path::new("/none"), None).unwrap_err();
        assert_eq!(error.to_string(), "program `./bot` not found: /none/bot: no such file");
    }
}
