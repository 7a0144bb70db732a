//! The files of a program, with digests that show whether they have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use super::stray_link::{NamedFile, named_file};
use crate::base::held_dir::{HeldDir, open_plain, open_plain_file};
use crate::base::hex::hex;
use crate::base::tree::{self, Account, Found, Stamp, TreeError, naming};
use crate::tournament::Program;

/// The files that belong to a program, other than its executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFiles {
    /// Every file below this directory.
    Tree(PathBuf),
    /// Only these files.
    Files(Vec<NamedFile>),
}

impl ProgramFiles {
    /// The files of `player`: everything in its `dir`. Without a `dir`, the files that `words` name relative to `base`,
    /// the tournament file's directory. A file that is a stray link is not included.
    pub fn of<'a>(player: &Program, base: &Path, words: impl IntoIterator<Item = &'a str>) -> Self {
        match &player.dir {
            Some(dir) => Self::Tree(base.join(dir)),
            None => Self::Files(
                words.into_iter().filter_map(|word| named_file(word, player, base).ok().flatten()).collect(),
            ),
        }
    }
}

/// The directory in which `bench` keeps the versions of a bot, next to its sources.
pub const BENCH_DIR: &str = ".bench";

/// Decides, before each chunk of a file, whether to continue reading, given the total number of bytes read so far.
pub type GoOn<'a> = &'a dyn Fn(u64) -> bool;

/// The files of a program at one point in time.
///
/// Directories named `__pycache__` and files named `*.pyc` or `*.log` are left out, because running a bot creates them
/// without changing the bot. Also left out are the directory `.bench`, in which `bench` keeps other versions, and
/// everything that is not a file, directory or symbolic link.
#[derive(Clone, Debug)]
pub struct Inventory {
    items: Vec<ProgramPart>,
    /// The root directory of the tree; `None` if there is no tree.
    root: Option<PathBuf>,
}

/// A file or link of a program.
#[derive(Clone, Debug)]
struct ProgramPart {
    place: PartPlace,
    content: [u8; 32],
    stamp: Stamp,
}

/// The location of a part.
#[derive(Clone, Debug)]
struct PartPlace {
    kind: PartKind,
    /// The part's path relative to the tree, or its name if there is no tree; empty for the program itself.
    name: PathBuf,
    path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PartKind {
    /// The program, which can be a link.
    Program,
    /// A file in the tree.
    File,
    /// A link in the tree.
    Link,
    /// A file that the command names. Contains the file's path with all links resolved.
    Named(PathBuf),
}

impl ProgramPart {
    /// The part's name in messages and the journal.
    fn label(&self) -> String {
        match self.place.kind {
            PartKind::Program => self.place.path.display().to_string(),
            PartKind::File | PartKind::Link | PartKind::Named(_) => self.place.name.display().to_string(),
        }
    }

    fn has_changed(&self, source: &PartSource) -> bool {
        let Ok(now) = source.stamp(&self.place) else { return true };
        // Only a file of the same size has to be read: it may have been rewritten with the same content.
        let content = || Reading { go_on: &|_| true, read: 0 }.content(source, &self.place, now.size);
        now != self.stamp && (now.size != self.stamp.size || content().ok() != Some(self.content))
    }
}

/// Opens the parts of a program.
struct PartSource {
    /// The root directory of the tree, held open; `None` if there is no tree.
    root: Option<HeldDir>,
}

impl PartSource {
    fn new(root: Option<&Path>) -> Result<Self, TreeError> {
        let root = root.map(|root| HeldDir::open(root).map_err(|error| naming(root, error))).transpose()?;
        Ok(Self { root })
    }

    fn root(&self) -> io::Result<&HeldDir> {
        self.root.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn stamp(&self, place: &PartPlace) -> io::Result<Stamp> {
        let plain = |path: &Path| -> io::Result<Metadata> { File::from(open_plain(path, OFlags::PATH)?).metadata() };
        let metadata = match &place.kind {
            PartKind::Program => plain(&place.path.canonicalize()?),
            PartKind::Named(file) => plain(file),
            PartKind::File | PartKind::Link => self.root()?.metadata(&place.name),
        };
        metadata.map(|metadata| Stamp::from(&metadata))
    }

    fn open(&self, place: &PartPlace) -> io::Result<File> {
        match &place.kind {
            PartKind::Program => open_plain_file(&place.path.canonicalize()?),
            PartKind::Named(file) => open_plain_file(file),
            PartKind::File | PartKind::Link => self.root()?.file(&place.name),
        }
    }
}

/// Reads files for as long as `go_on` allows.
struct Reading<'a> {
    go_on: GoOn<'a>,
    /// The number of bytes read so far.
    read: u64,
}

impl Reading<'_> {
    /// Reads the part at `place`, and counts it against the limits in `account`.
    fn take(&mut self, source: &PartSource, place: PartPlace, account: &mut Account) -> Result<ProgramPart, TreeError> {
        // Take the stamp first, so that a change during the reading is noticed later.
        let stamp = source.stamp(&place).map_err(|error| naming(&place.path, error))?;
        account.add(&place.path, stamp.size)?;
        let content = self.content(source, &place, stamp.size)?;
        Ok(ProgramPart { place, content, stamp })
    }

    /// The SHA-256 of the content at `place`. Reads at most one byte more than `size`.
    fn content(&mut self, source: &PartSource, place: &PartPlace, size: u64) -> Result<[u8; 32], TreeError> {
        let failed = |error| naming(&place.path, error);
        if place.kind == PartKind::Link {
            let target = source.root().and_then(|root| root.link(&place.name)).map_err(failed)?;
            return Ok(Sha256::digest(target.as_os_str().as_bytes()).into());
        }
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        // A file that grows while it is being read may never end.
        let mut file = source.open(place).map_err(failed)?.take(size.saturating_add(1));
        loop {
            if !(self.go_on)(self.read) {
                return Err(TreeError::Stopped);
            }
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finalize().into()),
                Ok(length) => {
                    hasher.update(&buffer[..length]);
                    self.read += length as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

impl Inventory {
    /// Takes the inventory of the file `program`, if given, and of `extent`, the files that belong to it.
    ///
    /// # Errors
    /// Fails if something cannot be read, if the files exceed the limits for a player, or if `go_on` returns `false`.
    pub fn take(program: Option<&Path>, extent: &ProgramFiles, go_on: GoOn<'_>) -> Result<Self, TreeError> {
        let root = match extent {
            ProgramFiles::Tree(root) => Some(root.as_path()),
            ProgramFiles::Files(_) => None,
        };
        let source = PartSource::new(root)?;
        let mut reading = Reading { go_on, read: 0 };
        let mut items = Vec::new();
        if let Some(program) = program {
            let place = PartPlace { kind: PartKind::Program, name: PathBuf::new(), path: program.to_owned() };
            items.push(reading.take(&source, place, &mut Account::default())?);
        }
        let mut account = Account::default();
        match extent {
            ProgramFiles::Tree(root) => {
                for Found { name, kind, .. } in files_of_tree(root)? {
                    let kind = match kind {
                        tree::Kind::Directory => continue,
                        tree::Kind::File => PartKind::File,
                        tree::Kind::Link => PartKind::Link,
                    };
                    let path = root.join(&name);
                    items.push(reading.take(&source, PartPlace { kind, name, path }, &mut account)?);
                }
            }
            ProgramFiles::Files(files) => {
                for NamedFile { path, file } in files {
                    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
                    let place = PartPlace { kind: PartKind::Named(file.clone()), name, path: path.clone() };
                    items.push(reading.take(&source, place, &mut account)?);
                }
            }
        }
        Ok(Self { items, root: root.map(Path::to_owned) })
    }

    /// The SHA-256 of the whole inventory, in hexadecimal.
    ///
    /// The digest covers one record for each part: a letter for the kind, the length of the path as eight bytes
    /// (little-endian), the path, and the SHA-256 of the content. `p` is the program, with an empty path. `f` is a file
    /// of a tree with its path relative to the tree, or a single file with its name. `l` is a symbolic link in a tree:
    /// it is not followed, and its content is the path that it contains. Directories of a tree are visited in the byte
    /// order of their names.
    pub fn digest(&self) -> String {
        let mut all = Sha256::new();
        for ProgramPart { place: PartPlace { kind, name, .. }, content, .. } in &self.items {
            let name = name.as_os_str().as_bytes();
            all.update(match kind {
                PartKind::Program => b"p",
                PartKind::File | PartKind::Named(_) => b"f",
                PartKind::Link => b"l",
            });
            all.update((name.len() as u64).to_le_bytes());
            all.update(name);
            all.update(content);
        }
        hex(&all.finalize())
    }

    /// Returns the inventory without the files in `names`, which are relative to the directory `dir`.
    #[must_use]
    pub fn without(&self, names: &BTreeSet<String>, dir: &Path) -> Self {
        let is_named = |item: &ProgramPart| {
            let name = item.place.path.strip_prefix(dir).ok().map(|name| name.display().to_string());
            name.is_some_and(|name| names.contains(&name))
        };
        let items = self.items.iter().filter(|item| !is_named(item)).cloned().collect();
        Self { items, root: self.root.clone() }
    }

    /// Returns each file in the directory `dir`: its path relative to `dir`, and the first half of its content's
    /// SHA-256, in hexadecimal.
    pub fn files_in(&self, dir: &Path) -> BTreeMap<String, String> {
        let named = |item: &ProgramPart| {
            Some((item.place.path.strip_prefix(dir).ok()?.display().to_string(), hex(&item.content[..16])))
        };
        self.items.iter().filter_map(named).collect()
    }

    /// Returns the name of each file, with the first half of its content's SHA-256, in hexadecimal.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.items.iter().map(|item| (item.label(), hex(&item.content[..16]))).collect()
    }

    /// The name of the first file that has changed or disappeared. New files do not count as a change.
    pub fn changed(&self) -> Option<String> {
        match PartSource::new(self.root.as_deref()) {
            Ok(source) => self.items.iter().find(|item| item.has_changed(&source)).map(ProgramPart::label),
            Err(_) => self.root.as_ref().map(|root| root.display().to_string()),
        }
    }
}

/// Whether running a bot or `bench` creates files (directories if `is_dir`) with this `name`.
pub(crate) fn is_made_by_running(name: &[u8], is_dir: bool) -> bool {
    if is_dir {
        name == b"__pycache__" || name == BENCH_DIR.as_bytes()
    } else {
        name.ends_with(b".pyc") || name.ends_with(b".log")
    }
}

/// Returns the files and directories of a program whose directory is `root`.
///
/// # Errors
/// Fails for the same reasons as `tree::survey`.
pub fn files_of_tree(root: &Path) -> Result<Vec<Found>, TreeError> {
    tree::survey(root, is_made_by_running)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::host::program::tests::{program, write};

    #[test]
    fn a_digest_changes_with_every_path_and_content_and_with_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        write(&program, "1", 0o755);
        let root = dir.path().join("bot");
        fs::create_dir_all(root.join("sub")).unwrap();
        write(&root.join("sub/x"), "content", 0o644);
        symlink("/etc", root.join("link")).unwrap();
        let tree = || Inventory::take(Some(&program), &ProgramFiles::Tree(root.clone()), &|_| true).unwrap().digest();

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
            Inventory::take(Some(&program), &ProgramFiles::Files(Vec::new()), &|_| true).unwrap().digest(),
            "155c8dc0ee5d4383ad5153800aa1de2a16659e3116b82aae3b546b15a2aafe90"
        );
    }

    #[test]
    fn without_a_directory_the_arguments_that_are_files_belong_to_a_program() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir.path().join("bot.py"), "", 0o644);
        let words = ["bot.py", "black", "none.py", "."];
        let path = dir.path().join("bot.py");
        let file = path.canonicalize().unwrap();
        let (alone, with_dir) = (program("command = [\"env\"]"), program("command = [\"env\"]\ndir = \"x\""));
        assert_eq!(ProgramFiles::of(&alone, dir.path(), words), ProgramFiles::Files(vec![NamedFile { path, file }]));
        assert_eq!(ProgramFiles::of(&with_dir, dir.path(), words), ProgramFiles::Tree(dir.path().join("x")));
    }

    #[test]
    fn changes_are_noticed_by_name_and_what_running_a_bot_makes_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("bot");
        fs::create_dir_all(root.join("__pycache__")).unwrap();
        let program = dir.path().join("program");
        write(&program, "1", 0o755);
        write(&root.join("bot.py"), "print()", 0o644);
        write(&root.join("debug.log"), "", 0o644);
        write(&root.join("__pycache__/bot.pyc"), "", 0o644);
        symlink("bot.py", root.join("main.py")).unwrap();
        let take = || Inventory::take(Some(&program), &ProgramFiles::Tree(root.clone()), &|_| true).unwrap();
        let before = take();
        assert_eq!(before.files().into_keys().skip(1).collect::<Vec<_>>(), ["bot.py", "main.py"]);
        write(&root.join("debug.log"), "thinking", 0o644);
        write(&root.join("__pycache__/bot.pyc"), "other", 0o644);
        fs::create_dir(root.join(BENCH_DIR)).unwrap();
        write(&root.join(BENCH_DIR).join("bot.py"), "an older version", 0o644);
        // The file is rewritten with the same content.
        write(&root.join("bot.py"), "print()", 0o644);
        assert_eq!((before.changed(), take().digest()), (None, before.digest()));
        write(&root.join("new.txt"), "", 0o644);
        assert_eq!(before.changed(), None);
        write(&root.join("bot.py"), "print(1)", 0o644);
        assert_eq!(before.changed().as_deref(), Some("bot.py"));
        write(&root.join("bot.py"), "print()", 0o644);
        assert_eq!(before.changed(), None);
        fs::remove_file(root.join("main.py")).unwrap();
        assert_eq!(before.changed().as_deref(), Some("main.py"));
        write(&program, "2", 0o755);
        assert_eq!(before.changed(), Some(program.display().to_string()));
    }
}
