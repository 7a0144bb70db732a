//! The files of a commit, from the output of `git ls-tree` and `git cat-file`. No checkout is made, so a repository's
//! attributes, filters and hooks have no effect: each file is exactly as committed, byte for byte.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};

use crate::course::submissions::is_left_out;
use crate::course::unpacking::{EntryKind, SourceEntry, SubmissionBounds, UnpackError, UnpackRefusal, Visit};

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedFile {
    /// The id of the object.
    object: String,
    /// The path of the file, as written in the commit.
    name: String,
    kind: EntryKind,
    is_executable: bool,
    size: u64,
}

/// The maximum length of a link's target. No system can follow a link with a longer target.
const LONGEST_LINK: u64 = 4096;

/// The files of a commit that are wanted, according to `listing`, the output of `git ls-tree -r -z --long`. Directories
/// of other repositories (submodules) count as devices, which are left out.
///
/// # Errors
/// Refuses a commit that exceeds `bounds`, before any of its files is read.
pub(super) fn wanted(listing: &[u8], bounds: SubmissionBounds) -> Result<Vec<WantedFile>, UnpackRefusal> {
    let (mut wanted, mut bytes) = (Vec::new(), 0_u64);
    for line in listing.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line);
        let broken = || UnpackRefusal::Damaged { what: "its commit contains an entry that cannot be read".to_owned() };
        let (facts, name) = line.split_once('\t').ok_or_else(broken)?;
        let [mode, _, object, size] = facts.split_whitespace().collect::<Vec<_>>()[..] else { return Err(broken()) };
        let (kind, is_executable) = match mode {
            "100755" => (EntryKind::File, true),
            "120000" => (EntryKind::Link, false),
            "160000" => (EntryKind::Special, false),
            mode if mode.starts_with("100") => (EntryKind::File, false),
            _ => return Err(broken()),
        };
        let size = if kind == EntryKind::Special { 0 } else { size.parse().map_err(|_| broken())? };
        // Files that are left out need not be read, and do not count.
        if is_left_out(name.as_bytes()) {
            continue;
        }
        bytes = bytes.saturating_add(size);
        wanted.push(WantedFile { object: object.to_owned(), name: name.to_owned(), kind, is_executable, size });
        if wanted.len() > bounds.files {
            return Err(UnpackRefusal::TooManyFiles { most: bounds.files });
        }
        if bytes > bounds.bytes {
            return Err(UnpackRefusal::TooLarge { most: bounds.bytes });
        }
    }
    Ok(wanted)
}

/// The ids of the objects of `wanted`, as the input of `git cat-file --batch`.
pub(super) fn names(wanted: &[WantedFile]) -> Vec<u8> {
    wanted.iter().filter(|file| is_read(file)).flat_map(|file| format!("{}\n", file.object).into_bytes()).collect()
}

fn is_read(file: &WantedFile) -> bool {
    match file.kind {
        EntryKind::File => true,
        EntryKind::Link => file.size <= LONGEST_LINK,
        EntryKind::Directory | EntryKind::HardLink | EntryKind::Special => false,
    }
}

/// Calls `visit` for each file in `wanted`. `contents` is the output of `git cat-file --batch` for these files.
///
/// # Errors
/// Returns the error of `visit`, and refuses contents that do not belong to the files.
pub(super) fn each(wanted: &[WantedFile], contents: &mut File, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let mut contents = BufReader::new(contents);
    let damaged = |error: &io::Error| UnpackRefusal::Damaged { what: format!("its objects cannot be read: {error}") };
    for file in wanted {
        let size = if is_read(file) {
            let size = header(&mut contents, &file.object).map_err(|error| damaged(&error))?;
            if size == file.size { size } else { return Err(damaged(&unfit()).into()) }
        } else {
            0
        };
        let mut content = (&mut contents).take(size);
        visit(&mut SourceEntry {
            name: &file.name,
            kind: file.kind,
            is_executable: file.is_executable,
            modified: 0,
            packed: u64::MAX,
            content: &mut content,
        })?;
        if is_read(file) {
            // Skips the part of the object that was not read, and then the line break that ends each object.
            io::copy(&mut content, &mut io::sink()).map_err(|error| damaged(&error))?;
            let mut end = [0];
            contents.read_exact(&mut end).map_err(|error| damaged(&error))?;
        }
    }
    Ok(())
}

/// Reads the line before the contents of `object`. Returns the size of the contents.
fn header(contents: &mut BufReader<&mut File>, object: &str) -> io::Result<u64> {
    /// Longer than any object's id, type and size together.
    const LONGEST: u64 = 256;
    let mut line = String::new();
    contents.by_ref().take(LONGEST).read_line(&mut line)?;
    let size = line.strip_prefix(object).and_then(|rest| rest.strip_prefix(" blob "));
    size.and_then(|size| size.trim_end().parse().ok()).ok_or_else(unfit)
}

fn unfit() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "they do not match the commit's list")
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    const BOUNDS: SubmissionBounds = SubmissionBounds { bytes: 1000, files: 3 };

    fn line(mode: &str, object: &str, size: &str, name: &str) -> Vec<u8> {
        format!("{mode} blob {object} {size:>7}\t{name}\0").into_bytes()
    }

    #[test]
    fn a_commit_is_bounded_before_its_files_are_read() {
        let small = line("100644", "aa", "1", "a");
        let ignored = [line("100644", "bb", "9999", ".git/x"), line("100644", "bb", "9999", "target/x")].concat();
        assert_eq!(wanted(&[&small[..], &ignored].concat(), BOUNDS).expect("small").len(), 1);
        let huge = line("100644", "cc", "1000", "huge");
        assert!(matches!(wanted(&[&small[..], &huge].concat(), BOUNDS), Err(UnpackRefusal::TooLarge { most: 1000 })));
        let most = line("100644", "cc", &u64::MAX.to_string(), "huge");
        assert!(matches!(wanted(&[&most[..], &most].concat(), BOUNDS), Err(UnpackRefusal::TooLarge { .. })));
        assert!(matches!(wanted(&small.repeat(4), BOUNDS), Err(UnpackRefusal::TooManyFiles { most: 3 })));
        for odd in
            [&b"100644 blob aa 1 a\0"[..], b"100644 blob aa -\ta\0", b"040000 tree aa -\ta\0", b"\xff\0", b"a\tb\tc\0"]
        {
            assert!(matches!(wanted(odd, BOUNDS), Err(UnpackRefusal::Damaged { .. })), "{odd:?}");
        }
    }

    #[test]
    fn contents_that_do_not_fit_are_refused() {
        let listing =
            [line("100755", "aa", "3", "a"), line("120000", "bb", "1", "b"), line("160000", "cc", "-", "c")].concat();
        let files = wanted(&listing, BOUNDS).expect("three");
        assert_eq!(names(&files), b"aa\nbb\n");
        let visited = |text: &str| {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(text.as_bytes()).expect("written");
            file.rewind().expect("rewound");
            let mut seen = Vec::new();
            each(&files, &mut file, &mut |entry| {
                let mut text = String::new();
                entry.content.read_to_string(&mut text).expect("readable");
                seen.push(format!("{} {:?} {} {text}", entry.name, entry.kind, entry.is_executable));
                Ok(())
            })
            .map(|()| seen)
        };
        let seen = visited("aa blob 3\nx\ny\nbb blob 1\na\n").expect("read");
        assert_eq!(seen, ["a File true x\ny", "b Link false a", "c Special false "]);
        for wrong in [
            "",
            "aa missing\n",
            "aa blob 4\nxxxx\nbb blob 1\na\n",
            "aa blob 3\nxx",
            "bb blob 3\nxxx\n",
            "aa tree 3\nxxx\n",
            &"a".repeat(10_000),
        ] {
            assert!(matches!(visited(wrong), Err(UnpackError::Refused(UnpackRefusal::Damaged { .. }))), "{wrong}");
        }
    }
}
