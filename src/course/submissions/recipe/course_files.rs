//! Files of the course, which students hand in along with their own: the library, the server and the example players.

use super::submitted_files::{file_name, stem};

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

/// Parts of the library and of programs. A file with one of these names is a player only if it connects to the referee.
const PARTS: [&str; 6] = ["board", "move", "state", "gth", "setup", "conftest"];

/// The course's example players, by the names of their files.
const EXAMPLES: [&str; 5] = ["grossthello", "gthrandom", "gthplayer_random", "gthmanual", "random_player"];

/// The origin of the file from which a bot would be started, in order from the most likely origin to the least likely
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProgramOrigin {
    /// The student wrote the file.
    Student,
    /// The arena wrote exactly this file as a starting point for students.
    Starter,
    /// The file has the name of one of the course's example players.
    Example,
    /// The course handed out exactly this file.
    Given,
}

fn own_stem(name: &str) -> String {
    stem(name).to_ascii_lowercase()
}

/// Whether the file `name` is certainly not a player: it belongs to the course's library or server, is hidden, contains
/// unit tests or a server, or has the name of a part and a `text` that does not connect to the referee.
pub(super) fn is_no_player(name: &str, text: &str) -> bool {
    let stem = own_stem(name);
    is_library(name)
        || (PARTS.contains(&stem.as_str()) && !connects(text))
        || file_name(name).starts_with('.')
        || is_unit_test(text)
        || is_server(text)
}

/// Whether the file `name` has the name of a part of the course's library or of its server.
pub(super) fn is_library(name: &str) -> bool {
    LIBRARY.contains(&own_stem(name).as_str())
}

/// Whether the file `name` has the name of one of the course's example players.
pub(super) fn is_example(name: &str) -> bool {
    EXAMPLES.contains(&own_stem(name).as_str())
}

/// Whether `word` in a README is the name of an example player's file or class.
pub(super) fn names_example(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    !word.is_empty() && is_example(word.rsplit(['/', '\\']).next().unwrap_or(word))
}

/// Whether `text` connects to the referee, using the course's library, the starters' library, or a socket.
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

/// Whether `text` contains unit tests.
fn is_unit_test(text: &str) -> bool {
    ["org.junit", "import pytest", "import unittest", "unittest.TestCase"].iter().any(|word| text.contains(word))
        && !text.contains("GthClient(")
}

/// Whether `text` belongs to a server, which listens for connections.
fn is_server(text: &str) -> bool {
    ["ServerSocket(", ".listen(", " listen(", ".accept()", "createServer("].iter().any(|word| text.contains(word))
        && !["GthClient(", "gth_start_game(", ".connect("].iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

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
