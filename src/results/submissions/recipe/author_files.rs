//! Files of the course's author, which students hand in beside their own.

use super::submitted_files::{file_name, stem};

/// The author's files that are no player: server, clients and parts.
const NO_PLAYERS: [&str; 12] = [
    "gthd",
    "gthclient",
    "gthserver",
    "gthboard",
    "board",
    "move",
    "state",
    "gth",
    "setup",
    "conftest",
    "gothello_client",
    "gothelloclient",
];

/// The author's own players, which a student may have handed in beside another, or made the student's own.
const EXAMPLES: [&str; 5] = ["grossthello", "gthrandom", "gthplayer_random", "gthmanual", "random_player"];

/// Whether the file `name` is certainly not a student's player.
pub(super) fn is_no_player(name: &str) -> bool {
    let stem = stem(name).to_ascii_lowercase();
    let is_test = stem.starts_with("test") || stem.ends_with("test") || stem.ends_with("tests");
    NO_PLAYERS.contains(&stem.as_str()) || is_test || file_name(name).starts_with('.')
}

/// Whether the file `name` is called like one of the author's example players.
pub(super) fn is_example(name: &str) -> bool {
    EXAMPLES.contains(&stem(name).to_ascii_lowercase().as_str())
}

/// Whether `text` is a server's: it listens for connections.
pub(super) fn is_server(text: &str) -> bool {
    ["ServerSocket", ".listen(", "listen(", ".accept("].iter().any(|word| text.contains(word))
        && !text.contains("GthClient(")
}
