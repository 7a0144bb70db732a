//! Files of the course, which students hand in beside their own: the library, the server and the example players.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::submitted_files::{file_name, stem};
use crate::base::hex::hex;

/// The course's library and server, by the names of their files.
const LIBRARY: [&str; 9] = [
    "gthd",
    "gthclient",
    "gthserver",
    "gthboard",
    "gothello_client",
    "gothelloclient",
    "serverlog",
    "libgthclient",
    "gthc",
];

/// Parts of the library and of programs, which are a player only if they connect to the referee.
const PARTS: [&str; 6] = ["board", "move", "state", "gth", "setup", "conftest"];

/// The course's example players, by the names of their files.
const EXAMPLES: [&str; 5] = ["grossthello", "gthrandom", "gthplayer_random", "gthmanual", "random_player"];

/// Whose file it is that a bot would be started from, the likeliest one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The student's.
    Student,
    /// It is called like one of the course's example players.
    Example,
    /// The course has given out this very file.
    Given,
}

/// What the course has given out, by the digests of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenFiles {
    digests: BTreeSet<String>,
}

impl GivenFiles {
    /// Files with these digests, as [`GivenFiles::digests`] returns them.
    pub fn new(digests: impl IntoIterator<Item = String>) -> Self {
        Self { digests: digests.into_iter().collect() }
    }

    /// Adds a file that the course has given out. An empty file tells nothing and is left out.
    pub fn add(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.digests.insert(digest(text));
        }
    }

    /// Whether `text` is one of the files, however it ends its lines and whatever blanks stand before the ends.
    pub fn has(&self, text: &str) -> bool {
        !self.digests.is_empty() && self.digests.contains(&digest(text))
    }

    /// The digests in hexadecimal digits, in order.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.digests.iter().map(String::as_str)
    }
}

/// The digest of the lines of `text` without the blanks at their ends, and without the empty lines at the end of the text.
fn digest(text: &str) -> String {
    let mut digest = Sha256::new();
    for line in text.trim_end().lines() {
        digest.update(line.trim_end());
        digest.update(b"\n");
    }
    hex(&digest.finalize())
}

fn own_stem(name: &str) -> String {
    stem(name).to_ascii_lowercase()
}

/// Whether the file `name` is certainly no player: the course's library or server, a hidden file, or a part of a program that
/// does not connect to the referee by itself, as `text` tells.
pub(super) fn is_no_player(name: &str, text: &str) -> bool {
    let stem = own_stem(name);
    is_library(name)
        || (PARTS.contains(&stem.as_str()) && !connects(text))
        || file_name(name).starts_with('.')
        || is_unit_test(text)
        || is_server(text)
}

/// Whether the file `name` is called like a part of the course's library or like its server.
pub(super) fn is_library(name: &str) -> bool {
    LIBRARY.contains(&own_stem(name).as_str())
}

/// Whether the file `name` is called like one of the course's example players.
pub(super) fn is_example(name: &str) -> bool {
    EXAMPLES.contains(&own_stem(name).as_str())
}

/// Whether `word` of a README is the name of an example player's file or class.
pub(super) fn names_example(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    !word.is_empty() && is_example(word.rsplit(['/', '\\']).next().unwrap_or(word))
}

/// Whether `text` makes a connection to the referee: by the course's library, by that of the starters, or by a socket.
pub(super) fn connects(text: &str) -> bool {
    const WORDS: [&str; 15] = [
        "GthClient",
        "gthclient",
        "GothelloClient",
        "gothello_client",
        "gothello_connect",
        "gth_start_game",
        "Socket",
        "socket",
        "net.connect",
        "createConnection",
        "net.Dial",
        "TcpStream::connect",
        "open_connection",
        "INET",
        "asyncio.open",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether `text` holds unit tests.
fn is_unit_test(text: &str) -> bool {
    ["org.junit", "import pytest", "import unittest", "unittest.TestCase"].iter().any(|word| text.contains(word))
        && !text.contains("GthClient(")
}

/// Whether `text` is a server's: it listens for connections.
fn is_server(text: &str) -> bool {
    ["ServerSocket(", ".listen(", " listen(", ".accept()", "createServer("].iter().any(|word| text.contains(word))
        && !["GthClient(", "gth_start_game(", ".connect("].iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_files_are_known_by_what_they_say_and_not_by_how_lines_end() {
        let mut given = GivenFiles::default();
        given.add("import sys\nprint(1)\n");
        given.add(" \n");
        for text in ["import sys\nprint(1)\n", "import sys\r\nprint(1)\r\n\r\n", "import sys  \nprint(1)"] {
            assert!(given.has(text), "{text:?}");
        }
        for text in ["import sys\nprint(2)\n", " import sys\nprint(1)\n", "", "\n"] {
            assert!(!given.has(text), "{text:?}");
        }
        assert_eq!(GivenFiles::new(given.digests().map(str::to_owned)), given);
    }

    #[test]
    fn names_of_the_course_are_known_in_any_case() {
        for name in ["a/Gthd.java", "GTHCLIENT.py", "gthclient.c", "Board.java", ".hidden.py"] {
            assert!(is_no_player(name, ""), "{name}");
        }
        for (name, text) in [("Board.java", "new GthClient(side, host, 0)"), ("My.java", ""), ("boards.py", "")] {
            assert!(!is_no_player(name, text), "{name}");
        }
        assert!(is_no_player("my.py", "s.listen(1)") && !is_no_player("my.py", "button.listen(x); GthClient(a, b, c)"));
        for word in ["gthrandom.py", "lib/gthrandom.py", "Grossthello", "`grossthello.java`"] {
            assert!(names_example(word), "{word}");
        }
        assert!(!names_example("My.java") && !names_example("--"));
    }
}
