//! The events of a run, as owned values for listeners on this machine or elsewhere.
//!
//! An event about a game carries the game's id, which distinguishes it from events of concurrent games. Every event is serialised
//! as an object whose member `event` is its kind.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::game::{BySide, Move, Side};
use crate::referee::record::GameRecord;
use crate::run::ply_offsets::PlyOffsets;
use crate::tournament::schedule::GameId;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// A player's build has begun.
    Building {
        /// The player's name.
        player: String,
    },
    /// Reading a player's files takes longer than a moment.
    Reading {
        /// The player's name.
        player: String,
        /// How many bytes have been read so far.
        bytes: u64,
    },
    /// A player's program cannot be started.
    Unstartable {
        /// The player's name.
        player: String,
        /// Why not.
        reason: String,
        /// The output of its build, if the build was the reason.
        output: String,
    },
    /// A player could not be prepared because the machine lacked something, or because its build did not finish in time. Its
    /// games are void.
    Unprepared {
        /// The player's name.
        player: String,
        /// What the machine lacked, or the timeout of the build.
        reason: String,
        /// The output of the player's build, if it did not finish in time.
        output: String,
    },
    /// A game is waiting for a remote player.
    Waiting {
        /// The game.
        game: GameId,
        /// The player's name.
        player: String,
        /// The player's side in that game.
        side: Side,
        /// The address at which the player should connect.
        address: String,
    },
    /// Both players are seated, and the game starts.
    Started {
        /// The game.
        game: GameId,
        /// The players' names.
        players: BySide<String>,
        /// The opening: the moves that precede the players' own.
        #[serde(serialize_with = "texts")]
        opening: Vec<Move>,
    },
    /// A move was made.
    Moved {
        /// The game.
        game: GameId,
        /// The number of the ply, from 1, including the opening. A gap means that the listener missed a move.
        ply: usize,
        /// The move.
        #[serde(serialize_with = "text")]
        played: Move,
        /// The time left on the mover's clock, in microseconds when serialised.
        #[serde(rename = "left_us", serialize_with = "micros")]
        left: Option<Duration>,
    },
    /// The workers of the run, or their numbers of slots, have changed.
    Staffed {
        /// How many there are.
        workers: usize,
        /// How many games they play at a time in total.
        slots: usize,
    },
    /// A game has ended.
    Ended(Ended),
}

/// A game that has ended, with a result or as void through no player's fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// The game.
    pub game: GameId,
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// The game's record; a void game has a reason in place of a result. Serialised as the text of its log.
    #[serde(serialize_with = "text")]
    pub record: Box<GameRecord>,
    /// The bots' outputs.
    pub outputs: BySide<Outputs>,
    /// The further try that a void game will get in this run, if any.
    pub again: Option<Retry>,
}

/// A further try at a void game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Retry {
    /// The number of this further try, from 1.
    pub nth: u32,
    /// The maximum number of further tries for a game.
    pub of: u32,
}

/// A bot's output other than its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outputs {
    /// What it wrote to stdout, unless that was its connection.
    #[serde(serialize_with = "output")]
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    #[serde(serialize_with = "output")]
    pub stderr: Vec<u8>,
    /// The offset in its stderr at which each of its turns begins. Serialised as pairs of a ply and an offset.
    #[serde(serialize_with = "turns", skip_serializing_if = "PlyOffsets::is_empty")]
    pub turns: PlyOffsets,
}

impl Outputs {
    /// Whether the bot wrote nothing.
    pub fn is_empty(&self) -> bool {
        self.stdout.is_empty() && self.stderr.is_empty()
    }
}

fn text<S: Serializer>(value: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn texts<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(moves.iter().map(Move::as_str))
}

#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn micros<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    // No clock has more microseconds than fit.
    time.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX)).serialize(serializer)
}

fn turns<S: Serializer>(turns: &PlyOffsets, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(turns.turns())
}

/// Serialises bytes as a string if they are UTF-8, and otherwise as bytes, so that nothing is lost either way.
fn output<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.serialize_bytes(bytes),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_serialise_with_their_kind_and_their_games_id() {
        let game = GameId::from_text("r1-a-b");
        let played: Move = "c3".parse().expect("a move");
        let moved = |left| Event::Moved { game: game.clone(), ply: 3, played, left };
        let text = "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n[Termination \"no show\"]\n\n0-1\n";
        let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let log = record.to_string();
        let turns = PlyOffsets::new(vec![(1, 0), (3, 2)]).expect("in order");
        let black = Outputs { stdout: b"ready\n".to_vec(), stderr: vec![0xff, 1], turns };
        let outputs = BySide { black, white: Outputs::default() };
        let again = Some(Retry { nth: 1, of: 2 });
        let ended = Ended { game: game.clone(), number: 7, record: Box::new(record), outputs, again };
        let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
        for (event, expected) in [
            (
                Event::Started { game: game.clone(), players, opening: vec![played] },
                json!({"event": "started", "game": "r1-a-b", "players": {"black": "a", "white": "b"}, "opening": ["c3"]}),
            ),
            (
                moved(Some(Duration::from_millis(1500))),
                json!({"event": "moved", "game": "r1-a-b", "ply": 3, "played": "c3", "left_us": 1_500_000}),
            ),
            (Event::Staffed { workers: 2, slots: 6 }, json!({"event": "staffed", "workers": 2, "slots": 6})),
            (moved(None), json!({"event": "moved", "game": "r1-a-b", "ply": 3, "played": "c3", "left_us": null})),
            (
                Event::Ended(ended),
                json!({
                    "event": "ended", "game": "r1-a-b", "number": 7, "record": log, "again": {"nth": 1, "of": 2},
                    "outputs": {
                        "black": {"stdout": "ready\n", "stderr": [255, 1], "turns": [[1, 0], [3, 2]]},
                        "white": {"stdout": "", "stderr": ""},
                    },
                }),
            ),
        ] {
            assert_eq!(serde_json::to_value(&event).expect("plain data"), expected);
        }
    }
}
