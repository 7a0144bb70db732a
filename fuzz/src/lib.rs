//! What the fuzz targets share.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use gothello_arena::base::sanitise::is_unprintable;
use gothello_arena::tournament::file::FileProblems;
use sha2::{Digest, Sha256};

/// Checks that `text`, which may have several lines, cannot control a terminal.
pub fn assert_printable(text: &str) {
    assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'), "{text:?}");
}

/// Checks that `text` is a message: one line that is not empty, cannot control a terminal, and hides nothing.
pub fn assert_message(text: &str) {
    assert!(!text.is_empty() && !text.contains(is_unprintable), "{text:?}");
}

/// Checks that `text` has a line with the number `line` and, in it, a place with the number `column`.
pub fn assert_place(text: &str, (line, column): (usize, usize), problem: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    assert!(line >= 1 && line <= lines.len(), "{problem}");
    assert!(column >= 1 && column <= lines[line - 1].chars().count() + 1, "{problem}: {:?}", lines[line - 1]);
}

/// Checks that each of `problems` is a message with a place in the file `data`.
pub fn assert_problems(data: &[u8], problems: &FileProblems) {
    assert!(problems.iter().count() > 0);
    let text = String::from_utf8_lossy(data);
    for problem in problems {
        assert_message(&problem.to_string());
        assert_place(&text, (problem.place.line, problem.place.column), &problem.to_string());
    }
}

/// The first byte of `data`, as a number below `kinds`, and the other bytes. The digit 0 counts as 0.
pub fn kind(data: &[u8], kinds: u8) -> (u8, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (first.wrapping_sub(b'0') % kinds, rest))
}

/// The parts of `data`, which are separated by NUL bytes.
pub fn parts(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split(|&byte| byte == 0)
}

/// The SHA-256 of `bytes` in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `content` as a line of JSON with its checksum, as docs/reference/results.md describes it.
pub fn summed(content: &[u8]) -> Vec<u8> {
    [content, format!(",\"sum\":\"{}\"}}\n", &sha256(content)[..16]).as_bytes()].concat()
}

/// A directory in memory.
pub struct MemoryDir {
    path: PathBuf,
}

impl MemoryDir {
    /// Passes the directory of this process to `use_it`.
    pub fn with<T>(use_it: impl FnOnce(&Self) -> T) -> T {
        thread_local! {
            static DIR: RefCell<Option<MemoryDir>> = const { RefCell::new(None) };
        }
        DIR.with_borrow_mut(|dir| use_it(dir.get_or_insert_with(Self::new)))
    }

    fn new() -> Self {
        let path = Path::new("/dev/shm").join(format!("gothello-arena-fuzz-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory in memory");
        Self { path }
    }

    /// The path of `name` in the directory.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The file `name`, with this content at its beginning, and with this length. Beyond the content, it reads as zeros.
    pub fn file(&self, name: &str, content: &[u8], length: u64) -> (PathBuf, File) {
        let path = self.join(name);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        let file = opened.expect("a file in memory");
        file.write_all_at(content, 0).expect("written");
        file.set_len(length).expect("resized");
        (path, file)
    }

    /// The new directory `name`.
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.join(name);
        fs::create_dir(&path).expect("a new directory");
        path
    }
}

impl Drop for MemoryDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The paths of all files below `dir` with their sizes. Checks that there is nothing but files and directories.
pub fn files_below(dir: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry");
        let metadata = fs::symlink_metadata(entry.path()).expect("it is there");
        assert!(metadata.is_dir() || metadata.is_file(), "{:?}", entry.path());
        if metadata.is_dir() {
            found.extend(files_below(&entry.path()));
        } else {
            found.push((entry.path(), metadata.len()));
        }
    }
    found
}

/// Checks the beginning of the answer of an HTTP server, and returns its status; `None` if there is no answer. Every
/// answer but the refusals of malformed requests has the headers that protect a page.
pub fn assert_answer(answer: &[u8]) -> Option<u16> {
    if answer.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(answer);
    let (head, _) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)).and_then(|code| code.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status: {head}"));
    assert_printable(&head.replace("\r\n", "\n"));
    let has = |header: &str| head.to_ascii_lowercase().contains(&format!("\r\n{header}: "));
    let is_of_server = matches!(status, 400 | 414 | 431 | 505) && !has("content-type");
    if !is_of_server {
        for header in ["content-security-policy", "x-content-type-options", "referrer-policy", "cache-control"] {
            assert!(has(header), "no {header}: {head}");
        }
    }
    Some(status)
}
