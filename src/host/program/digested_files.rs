//! The files of a program, with digests that show whether it is still the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::base::hex::hex;
use crate::base::tree::{self, Account, Found, Stamp, TreeError, naming, open_file};

/// The files that belong to a program besides its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFiles {
    /// Every file under this directory.
    Tree(PathBuf),
    /// These files.
    Files(Vec<PathBuf>),
}

impl ProgramFiles {
    /// The files of a player: everything in its `dir`. Without a `dir`, the files that its arguments name relative to `base`,
    /// the tournament file's directory.
    pub fn of<'a>(dir: Option<&Path>, base: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        match dir {
            Some(dir) => Self::Tree(base.join(dir)),
            None => {
                Self::Files(arguments.into_iter().map(|word| base.join(word)).filter(|file| file.is_file()).collect())
            }
        }
    }
}

/// Says between two pieces of a file whether to go on. It gets the total number of bytes that have been read so far.
pub type GoOn<'a> = &'a dyn Fn(u64) -> bool;

/// The files of a program as they were at one time.
///
/// Directories `__pycache__` and files `*.pyc` and `*.log` are left out: running a bot makes them, and does not change it. So
/// is everything that is neither file, directory nor symbolic link.
#[derive(Clone, Debug)]
pub struct Inventory {
    items: Vec<ProgramPart>,
}

/// A file or link of a program.
#[derive(Clone, Debug)]
struct ProgramPart {
    kind: PartKind,
    /// Its path relative to the tree, or its name if there is no tree; empty for the program itself.
    name: PathBuf,
    path: PathBuf,
    content: [u8; 32],
    stamp: Stamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartKind {
    Program,
    File,
    Link,
}

impl ProgramPart {
    fn take(kind: PartKind, name: &Path, path: &Path, reading: &mut Reading<'_>) -> Result<Self, TreeError> {
        // Take the stamp first: then a change between the two shows later.
        let stamp = stamp(kind, path).map_err(|error| naming(path, error))?;
        let content = reading.content(kind, path, stamp.size)?;
        Ok(Self { kind, name: name.to_owned(), path: path.to_owned(), content, stamp })
    }

    /// How messages and the journal name it.
    fn label(&self) -> String {
        match self.kind {
            PartKind::Program => self.path.display().to_string(),
            PartKind::File | PartKind::Link => self.name.display().to_string(),
        }
    }

    fn has_changed(&self) -> bool {
        let Ok(now) = stamp(self.kind, &self.path) else { return true };
        // Only a file of the same size is worth reading: it may have been rewritten with the same content.
        let content = || Reading { go_on: &|_| true, read: 0 }.content(self.kind, &self.path, now.size);
        now != self.stamp && (now.size != self.stamp.size || content().ok() != Some(self.content))
    }
}

fn stamp(kind: PartKind, path: &Path) -> io::Result<Stamp> {
    let metadata = if kind == PartKind::Link { fs::symlink_metadata(path) } else { fs::metadata(path) };
    metadata.map(|metadata| Stamp::from(&metadata))
}

/// Reads files for as long as `go_on` says so.
struct Reading<'a> {
    go_on: GoOn<'a>,
    /// The number of bytes read so far.
    read: u64,
}

impl Reading<'_> {
    /// The SHA-256 of the content at `path`. Reads at most one byte more than `size`.
    fn content(&mut self, kind: PartKind, path: &Path, size: u64) -> Result<[u8; 32], TreeError> {
        if kind == PartKind::Link {
            let target = fs::read_link(path).map_err(|error| naming(path, error))?;
            return Ok(Sha256::digest(target.as_os_str().as_bytes()).into());
        }
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        // A file that grows while it is being read would have no end.
        let mut file = open_file(path, true)?.take(size.saturating_add(1));
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
                Err(error) => return Err(naming(path, error)),
            }
        }
    }
}

impl Inventory {
    /// Takes the inventory of the file `program`, if it is known, and of `extent`, the files that belong to it.
    ///
    /// # Errors
    /// When something cannot be read, when there is more than a player may have, and when `go_on` says no.
    pub fn take(program: Option<&Path>, extent: &ProgramFiles, go_on: GoOn<'_>) -> Result<Self, TreeError> {
        let mut reading = Reading { go_on, read: 0 };
        let mut items = Vec::new();
        if let Some(program) = program {
            let size = fs::metadata(program).map_err(|error| naming(program, error))?.len();
            Account::default().add(program, size)?;
            items.push(ProgramPart::take(PartKind::Program, Path::new(""), program, &mut reading)?);
        }
        match extent {
            ProgramFiles::Tree(root) => {
                for Found { name, kind, .. } in files_of_tree(root)? {
                    let kind = match kind {
                        tree::Kind::Directory => continue,
                        tree::Kind::File => PartKind::File,
                        tree::Kind::Link => PartKind::Link,
                    };
                    items.push(ProgramPart::take(kind, &name, &root.join(&name), &mut reading)?);
                }
            }
            ProgramFiles::Files(files) => {
                let mut account = Account::default();
                for file in files {
                    let size = fs::metadata(file).map_err(|error| naming(file, error))?.len();
                    account.add(file, size)?;
                    let name = file.file_name().map_or(Path::new(""), Path::new);
                    items.push(ProgramPart::take(PartKind::File, name, file, &mut reading)?);
                }
            }
        }
        Ok(Self { items })
    }

    /// The SHA-256 of the whole inventory, in hexadecimal.
    ///
    /// It covers one record for each part: a letter for the kind, the length of the path as eight bytes (little-endian), the
    /// path, and the SHA-256 of the content. `p` is the program, with an empty path. `f` is a file of a tree with its path
    /// relative to the tree, or a single file with its name. `l` is a symbolic link in a tree: it is not followed, and the path
    /// that it holds is its content. Directories of a tree are visited in the order of their names as bytes.
    pub fn digest(&self) -> String {
        let mut all = Sha256::new();
        for ProgramPart { kind, name, content, .. } in &self.items {
            let name = name.as_os_str().as_bytes();
            all.update(match kind {
                PartKind::Program => b"p",
                PartKind::File => b"f",
                PartKind::Link => b"l",
            });
            all.update((name.len() as u64).to_le_bytes());
            all.update(name);
            all.update(content);
        }
        hex(&all.finalize())
    }

    /// The inventory without the files that have one of these `names` relative to the directory `dir`.
    #[must_use]
    pub fn without(&self, names: &BTreeSet<String>, dir: &Path) -> Self {
        let is_named = |item: &ProgramPart| {
            let name = item.path.strip_prefix(dir).ok().map(|name| name.display().to_string());
            name.is_some_and(|name| names.contains(&name))
        };
        Self { items: self.items.iter().filter(|item| !is_named(item)).cloned().collect() }
    }

    /// Each file in the directory `dir`: its path relative to `dir`, and the first half of its content's SHA-256, in
    /// hexadecimal.
    pub fn files_in(&self, dir: &Path) -> BTreeMap<String, String> {
        let named = |item: &ProgramPart| {
            Some((item.path.strip_prefix(dir).ok()?.display().to_string(), hex(&item.content[..16])))
        };
        self.items.iter().filter_map(named).collect()
    }

    /// Each file's name with the first half of its content's SHA-256, in hexadecimal.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.items.iter().map(|item| (item.label(), hex(&item.content[..16]))).collect()
    }

    /// The name of the first file that has changed or gone. New files do not count as a change.
    pub fn changed(&self) -> Option<String> {
        self.items.iter().find(|item| item.has_changed()).map(ProgramPart::label)
    }
}

/// Whether running a bot makes a file or directory of this name.
fn is_made_by_running(name: &[u8], is_dir: bool) -> bool {
    if is_dir { name == b"__pycache__" } else { name.ends_with(b".pyc") || name.ends_with(b".log") }
}

/// The files of a program whose directory is `root`, and its directories.
///
/// # Errors
/// As `tree::survey`.
pub fn files_of_tree(root: &Path) -> Result<Vec<Found>, TreeError> {
    tree::survey(root, is_made_by_running)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::host::program::tests::write;

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
        assert_eq!(ProgramFiles::of(None, dir.path(), words), ProgramFiles::Files(vec![dir.path().join("bot.py")]));
        assert_eq!(ProgramFiles::of(Some(Path::new("x")), dir.path(), words), ProgramFiles::Tree(dir.path().join("x")));
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
        // Rewritten with the same content.
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
