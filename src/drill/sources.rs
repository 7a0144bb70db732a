//! A bot's source files, read for diagnoses.
//!
//! The directory is untrusted: it may contain links, pipes, a million files or a sparse file of terabytes. Directories
//! are opened one by one relative to their open parents, links are not followed, only regular files are read, and the
//! number, the size and the depth of files are limited.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::base::held_dir::{HeldDir, open_plain_file};
use crate::host::program::ProgramFiles;

/// The maximum number of files that are read.
const MOST_FILES: usize = 200;

/// The maximum size of one file in bytes. A larger file is not source code written by a person.
const MOST_BYTES_EACH: u64 = 256 << 10;

/// The maximum total size of all files in bytes.
const MOST_BYTES_IN_ALL: u64 = 4 << 20;

/// The maximum number of directory entries that are examined.
const MOST_ENTRIES_SEEN: usize = 5_000;

/// The maximum nesting depth of directories.
const DEEPEST: usize = 8;

/// The extensions of files that may be sources or settings.
const ENDINGS: [&str; 28] = [
    "c",
    "c++",
    "cc",
    "cfg",
    "cjs",
    "conf",
    "config",
    "cpp",
    "cxx",
    "env",
    "h",
    "hh",
    "hpp",
    "hxx",
    "ini",
    "java",
    "js",
    "json",
    "mjs",
    "properties",
    "py",
    "pyw",
    "rs",
    "toml",
    "ts",
    "txt",
    "yaml",
    "yml",
];

/// Directories of third-party files or build products.
const LEFT_OUT: [&str; 7] = ["__pycache__", "build", "dist", "node_modules", "site-packages", "target", "venv"];

/// The readable source files among `files`: each with its name relative to the bot's directory, and its text. Files
/// near the top of the tree come first, and files in one directory are sorted by name.
pub(crate) fn read_sources(files: &ProgramFiles) -> Vec<(String, String)> {
    let mut reader = SourceReader::default();
    match files {
        ProgramFiles::Tree(root) => reader.read_tree(root),
        ProgramFiles::Files(files) => {
            for named in files {
                let name = named.path.file_name().unwrap_or_default();
                if let Ok(file) = open_plain_file(&named.file) {
                    reader.read(name.to_string_lossy().into_owned(), file);
                }
            }
        }
    }
    reader.found
}

#[derive(Debug, Default)]
struct SourceReader {
    found: Vec<(String, String)>,
    bytes: u64,
    entries: usize,
}

impl SourceReader {
    fn read_tree(&mut self, root: &Path) {
        // The player's own directory may be a link created by the teacher.
        let Ok(root) = HeldDir::open(root) else { return };
        let mut level = vec![(String::new(), root)];
        for _ in 0..DEEPEST {
            let mut below = Vec::new();
            for (path, dir) in &level {
                below.extend(self.read_directory(path, dir));
            }
            level = below;
        }
    }

    /// Reads the files of the directory `dir`, whose relative path is `path`, and returns the directories in it.
    fn read_directory(&mut self, path: &str, dir: &HeldDir) -> Vec<(String, HeldDir)> {
        let Ok(listing) = dir.names() else { return Vec::new() };
        let room = MOST_ENTRIES_SEEN.saturating_sub(self.entries);
        let mut names: Vec<OsString> = listing.take(room).flatten().filter(is_wanted).collect();
        self.entries += names.len();
        names.sort();
        let mut below = Vec::new();
        for name in names {
            let shown = format!("{path}{}", name.to_string_lossy());
            let name = Path::new(&name);
            match dir.metadata(name) {
                Ok(metadata) if metadata.is_dir() => {
                    below.extend(dir.dir(name).ok().map(|dir| (format!("{shown}/"), dir)));
                }
                Ok(metadata) if metadata.is_file() => {
                    if let Ok(file) = dir.file(name) {
                        self.read(shown, file);
                    }
                }
                _ => {}
            }
        }
        below
    }

    /// Reads `file`, a regular file, if it is text of a sensible size with a known extension.
    fn read(&mut self, name: String, file: File) {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let is_source = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
        if !is_source || self.found.len() >= MOST_FILES {
            return;
        }
        let room = MOST_BYTES_IN_ALL.saturating_sub(self.bytes).min(MOST_BYTES_EACH);
        let mut bytes = Vec::new();
        // Reading one byte too many detects a file that is too large, even if it has grown in the meantime.
        if file.take(room + 1).read_to_end(&mut bytes).is_err() || bytes.len() as u64 > room || bytes.contains(&0) {
            return;
        }
        self.bytes += bytes.len() as u64;
        self.found.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
}

/// Whether a directory entry called `name` is examined: it must not be hidden, or a directory of third-party files or
/// build products.
fn is_wanted(name: &OsString) -> bool {
    let name = name.as_bytes();
    !name.starts_with(b".") && !LEFT_OUT.iter().any(|other| other.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::host::program::NamedFile;

    fn names(dir: &Path) -> Vec<String> {
        read_sources(&ProgramFiles::Tree(dir.to_owned())).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn only_sources_are_read_and_those_near_the_top_come_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        for below in ["a/b", "node_modules/x", ".git", ".bench"] {
            fs::create_dir_all(path.join(below)).unwrap();
        }
        for name in [
            "z.py",
            "a/deep.java",
            "a/b/deeper.c",
            "node_modules/x/i.js",
            ".git/c.py",
            ".bench/v.py",
            "photo.png",
            "README",
        ] {
            fs::write(path.join(name), "text").unwrap();
        }
        fs::write(path.join("latin.py"), b"# \xe4\n").unwrap();
        fs::write(path.join("binary.c"), b"\x7fELF\0\0").unwrap();
        assert_eq!(names(path), ["latin.py", "z.py", "a/deep.java", "a/b/deeper.c"]);
        let named = |name: &str| NamedFile { path: path.join(name), file: path.canonicalize().unwrap().join(name) };
        let single = ProgramFiles::Files(["a/deep.java", "README", "none.py"].map(named).to_vec());
        assert_eq!(read_sources(&single), [("deep.java".to_owned(), "text".to_owned())]);
    }

    #[test]
    fn a_hostile_directory_gives_nothing_and_is_not_waited_for() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = dir.path();
        fs::write(outside.path().join("secret.py"), "secret").unwrap();
        symlink(outside.path(), path.join("linked")).unwrap();
        symlink(outside.path().join("secret.py"), path.join("secret.py")).unwrap();
        symlink(path, path.join("circle")).unwrap();
        nix::unistd::mkfifo(&path.join("pipe.py"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        File::create(path.join("sparse.py")).unwrap().set_len(4 << 40).unwrap();
        assert_eq!(names(path), Vec::<String>::new());
        let mut deep = path.to_owned();
        for _ in 0..DEEPEST + 2 {
            deep.push("d");
            fs::create_dir(&deep).unwrap();
            fs::write(deep.join("x.py"), "").unwrap();
        }
        assert_eq!(names(path).len(), DEEPEST - 1);
    }

    #[test]
    fn what_is_read_is_bounded_in_number_and_size() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..MOST_FILES + 5 {
            fs::write(dir.path().join(format!("{number}.py")), "x").unwrap();
        }
        assert_eq!(names(dir.path()).len(), MOST_FILES);
        let large = tempfile::tempdir().unwrap();
        for number in 0..20 {
            fs::write(large.path().join(format!("{number}.py")), vec![b'x'; 256 << 10]).unwrap();
        }
        fs::write(large.path().join("larger.py"), vec![b'x'; (256 << 10) + 1]).unwrap();
        assert_eq!(names(large.path()).len(), 16);
    }
}
