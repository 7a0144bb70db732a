//! Programs on this machine: where they are, and digests of what was run.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::hex::hex;
use crate::tournament;

/// A program that could not be found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", describe(program, tried))]
pub struct NotFound {
    /// The program, as it was asked for.
    pub program: OsString,
    /// What was looked at, in this order, and what was wrong with each.
    pub tried: Vec<(PathBuf, Unfit)>,
}

/// Why a file can't be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// It is not there, or can't be looked at.
    #[error("no such file")]
    Missing,
    /// It is a directory or something else that is no program.
    #[error("not a regular file")]
    NotAFile,
    /// It lacks the permission.
    #[error("not executable")]
    NotExecutable,
}

fn describe(program: &OsStr, tried: &[(PathBuf, Unfit)]) -> String {
    let program = program.display();
    match tried {
        [] => format!("program `{program}` not found: there is no PATH to look for it in"),
        [(path, why)] => format!("program `{program}` not found: {}: {why}", path.display()),
        many => {
            // Where one file was there but would not do, that is the news; else the directories are.
            let unfit: Vec<String> = many
                .iter()
                .filter(|(_, why)| *why != Unfit::Missing)
                .map(|(path, why)| format!("{}: {why}", path.display()))
                .collect();
            if !unfit.is_empty() {
                return format!("program `{program}` not found: {}", unfit.join(", "));
            }
            let places: Vec<String> =
                many.iter().filter_map(|(path, _)| path.parent()).map(|dir| dir.display().to_string()).collect();
            format!("program `{program}` not found in {}", places.join(", "))
        }
    }
}

/// The file that running `program` in the directory `dir` would start, as an absolute path: a name with a slash is
/// relative to `dir`, any other is looked for in the directories of `PATH`.
///
/// # Errors
/// Says what was tried.
pub fn find(program: &OsStr, dir: &Path) -> Result<PathBuf, NotFound> {
    find_in(program, dir, env::var_os("PATH").as_deref())
}

/// The file that starting `player` would run, `base` being the tournament file's directory: like [`find`] in the
/// player's working directory, with its own `PATH` where its `env` sets one.
///
/// # Errors
/// Says what was tried.
pub fn find_player(player: &tournament::Program, base: &Path) -> Result<PathBuf, NotFound> {
    find_in(OsStr::new(&player.executable()), &player.working_dir(base), search_path(player).as_deref())
}

/// The file that the `build` of `player` would run, or `None` where there is nothing to build; see [`find_player`].
///
/// # Errors
/// Says what was tried.
pub fn find_build(player: &tournament::Program, base: &Path) -> Result<Option<PathBuf>, NotFound> {
    let Some(program) = player.build.as_ref().and_then(|build| build.first()) else {
        return Ok(None);
    };
    find_in(OsStr::new(program), &player.working_dir(base), search_path(player).as_deref()).map(Some)
}

fn search_path(player: &tournament::Program) -> Option<OsString> {
    let own = player.env.iter().find(|(name, value)| name == "PATH" && value.is_literal());
    own.map(|(_, value)| OsString::from(value.fill(|_| String::new()))).or_else(|| env::var_os("PATH"))
}

/// The digest of what `player` runs, `executable` being what [`find_player`] returned; see [`digest`] and
/// [`Extent::of`].
///
/// # Errors
/// When something can't be read; the message has its path.
pub fn digest_player(player: &tournament::Program, executable: &Path, base: &Path) -> io::Result<String> {
    let literal = player.command.iter().skip(1).filter(|word| word.is_literal());
    let words: Vec<String> = literal.map(|word| word.fill(|_| String::new())).collect();
    digest(executable, &Extent::of(player.dir.as_deref(), base, words.iter().map(String::as_str)))
}

/// Like [`find`], with another `PATH`; entries that are not absolute are relative to `dir`.
///
/// # Errors
/// Says what was tried.
pub fn find_in(program: &OsStr, dir: &Path, path: Option<&OsStr>) -> Result<PathBuf, NotFound> {
    // Absolute, so that it means the same to a child that starts in another directory.
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let candidates: Vec<PathBuf> = if program.as_bytes().contains(&b'/') {
        vec![dir.join(program)]
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

/// What belongs to a program besides its own file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every file under this directory.
    Tree(PathBuf),
    /// These files.
    Files(Vec<PathBuf>),
}

impl Extent {
    /// What belongs to a player: everything in its `dir`, or without one those of its arguments that name files
    /// relative to `base`, the tournament file's directory.
    pub fn of<'a>(dir: Option<&Path>, base: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        match dir {
            Some(dir) => Self::Tree(base.join(dir)),
            None => {
                Self::Files(arguments.into_iter().map(|word| base.join(word)).filter(|file| file.is_file()).collect())
            }
        }
    }
}

/// The SHA-256, in hexadecimal, of the program file `program` and of what belongs to it.
///
/// It is the digest of one record after another: a letter for the kind, the length of the path in bytes as eight bytes
/// (little-endian), the path, and the SHA-256 of the content. `p` is the program, its path left empty; `f` a file of a
/// tree with its path relative to the tree, or a single file with its name; `l` a symbolic link in a tree, which is not
/// followed, with the path that it holds for its content. A tree's directories are gone through in the order of their
/// names as bytes; what is neither file, directory nor link is passed over.
///
/// # Errors
/// When something can't be read; the message has its path.
pub fn digest(program: &Path, extent: &Extent) -> io::Result<String> {
    let mut all = Sha256::new();
    add(&mut all, b'p', Path::new(""), hash_file(program)?);
    match extent {
        Extent::Tree(root) => add_directory(&mut all, root, Path::new(""))?,
        Extent::Files(files) => {
            for file in files {
                add(&mut all, b'f', file.file_name().map_or(Path::new(""), Path::new), hash_file(file)?);
            }
        }
    }
    Ok(hex(&all.finalize()))
}

fn add(all: &mut Sha256, kind: u8, path: &Path, content: [u8; 32]) {
    let path = path.as_os_str().as_bytes();
    all.update([kind]);
    all.update((path.len() as u64).to_le_bytes());
    all.update(path);
    all.update(content);
}

/// Adds what is in the directory `relative` under `root`.
fn add_directory(all: &mut Sha256, root: &Path, relative: &Path) -> io::Result<()> {
    let directory = root.join(relative);
    let mut entries = fs::read_dir(&directory)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(|error| naming(&directory, &error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, relative) = (entry.path(), relative.join(entry.file_name()));
        let kind = entry.file_type().map_err(|error| naming(&path, &error))?;
        if kind.is_dir() {
            add_directory(all, root, &relative)?;
        } else if kind.is_file() {
            add(all, b'f', &relative, hash_file(&path)?);
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(|error| naming(&path, &error))?;
            add(all, b'l', &relative, Sha256::digest(target.as_os_str().as_bytes()).into());
        }
    }
    Ok(())
}

/// The SHA-256 of a file's content, read piece by piece.
fn hash_file(path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut file = File::open(path).map_err(|error| naming(path, &error))?;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().into()),
            Ok(length) => hasher.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(naming(path, &error)),
        }
    }
}

fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn write(path: &Path, content: &str, mode: u32) {
        fs::write(path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_name_with_a_slash_is_relative_to_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let bot = dir.path().join("bot");
        write(&bot, "", 0o755);
        assert_eq!(find_in(OsStr::new("./bot"), dir.path(), None), Ok(dir.path().join("./bot")));
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
        let error = find_in(OsStr::new("javac"), Path::new("/"), Some(OsStr::new("/none:/nor"))).unwrap_err();
        assert_eq!(error.to_string(), "program `javac` not found in /none, /nor");
        let error = find_in(OsStr::new("./bot"), Path::new("/none"), None).unwrap_err();
        assert_eq!(error.to_string(), "program `./bot` not found: /none/./bot: no such file");
    }

    #[test]
    fn a_digest_changes_with_every_path_and_content_and_with_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        write(&program, "1", 0o755);
        let root = dir.path().join("bot");
        fs::create_dir_all(root.join("sub")).unwrap();
        write(&root.join("sub/x"), "content", 0o644);
        symlink("/etc", root.join("link")).unwrap();
        let tree = || digest(&program, &Extent::Tree(root.clone())).unwrap();

        let mut seen = vec![tree()];
        assert_eq!(seen[0].len(), 64);
        assert_eq!(tree(), seen[0]);
        let changes: [&dyn Fn(); 5] = [
            &|| write(&root.join("sub/x"), "other", 0o644),
            &|| fs::rename(root.join("sub/x"), root.join("sub/y")).unwrap(),
            &|| fs::rename(root.join("sub/y"), root.join("x")).unwrap(),
            &|| {
                fs::remove_file(root.join("link")).unwrap();
                symlink("/usr", root.join("link")).unwrap();
            },
            &|| write(&program, "2", 0o755),
        ];
        for change in changes {
            change();
            let digest = tree();
            assert!(!seen.contains(&digest));
            seen.push(digest);
        }
        fs::create_dir(root.join("empty")).unwrap();
        assert_eq!(Some(&tree()), seen.last());
    }

    #[test]
    fn the_digest_of_a_program_alone_is_as_described() {
        // sha256("p" + 8 zero bytes + sha256("abc")), computed by a separate program.
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        write(&program, "abc", 0o755);
        assert_eq!(
            digest(&program, &Extent::Files(Vec::new())).unwrap(),
            "155c8dc0ee5d4383ad5153800aa1de2a16659e3116b82aae3b546b15a2aafe90"
        );
    }

    #[test]
    fn without_a_directory_the_arguments_that_are_files_belong_to_a_program() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir.path().join("bot.py"), "", 0o644);
        let words = ["bot.py", "black", "none.py", "."];
        assert_eq!(Extent::of(None, dir.path(), words), Extent::Files(vec![dir.path().join("bot.py")]));
        assert_eq!(Extent::of(Some(Path::new("x")), dir.path(), words), Extent::Tree(dir.path().join("x")));
    }
}
