//! What crosses the broker, as JSON.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::game::rules::{BySide, Move};
use crate::referee::pace::Speed;
use crate::results::ply_offsets::PlyOffsets;
use crate::run::event::Outputs;
use crate::tournament::file::Isolation;
use crate::tournament::schedule::{GameId, GameSpec};

/// The version of these messages. Machines of different versions of the program do not play together, whatever this says.
pub(crate) const FORMAT: u32 = 2;

/// What a coordinator plays, for workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// See [`FORMAT`].
    pub format: u32,
    /// The version of the coordinator's program.
    pub program: String,
    /// The run's name at the broker.
    pub run: String,
    /// The name of the tournament file, without its extension.
    pub stem: String,
    /// The text of the tournament file, without the tokens of remote players.
    pub tournament: String,
    /// The coordinator's speed, by which workers scale clocks; absent if it could not be measured.
    pub speed: Option<Speed>,
    /// How bots are confined, if the user has overridden the file: a word of [`Isolation`].
    pub isolation: Option<String>,
    /// The SHA-256 of each player's bundle, by the player's name. A player without one needs no files.
    pub bundles: BTreeMap<String, String>,
    /// The players that cannot be started, and why.
    pub unstartable: BTreeMap<String, String>,
    /// How long a worker may be silent before its game goes to another one, in milliseconds.
    pub patience_ms: u64,
}

impl Manifest {
    /// How bots are confined, if the user has overridden the file.
    pub(crate) fn isolation(&self) -> Option<Isolation> {
        let word = self.isolation.as_deref()?;
        Isolation::ALL.into_iter().find(|isolation| isolation.name() == word)
    }
}

/// A game for a worker to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The game's id.
    pub game: String,
    /// The game's number in the schedule.
    pub number: u64,
    /// Which try at the game this is, from 1.
    pub nth: u32,
    round: u32,
    black: usize,
    white: usize,
    seed: u64,
    opening: Vec<String>,
}

impl Job {
    /// The `nth` try at the game `spec`.
    pub(crate) fn new(spec: &GameSpec, nth: u32) -> Self {
        Self {
            game: spec.id.to_string(),
            number: spec.number,
            nth,
            round: spec.round,
            black: spec.players.black,
            white: spec.players.white,
            seed: spec.seed,
            opening: spec.opening.iter().map(|played| played.as_str().to_owned()).collect(),
        }
    }

    /// The game, if the tournament has that many `players` and the opening consists of moves.
    pub(crate) fn spec(&self, players: usize) -> Option<GameSpec> {
        let opening: Option<Vec<Move>> = self.opening.iter().map(|text| text.parse().ok()).collect();
        (self.black < players && self.white < players).then_some(GameSpec {
            id: GameId::from_text(self.game.as_str()),
            number: self.number,
            round: self.round,
            players: BySide { black: self.black, white: self.white },
            seed: self.seed,
            opening: opening?,
        })
    }
}

/// What a worker says when it takes a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// The game's number in the schedule.
    pub number: u64,
    /// The worker's name.
    pub worker: String,
}

/// A game that a worker has played, or that was void there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobAnswer {
    /// The worker's name.
    pub worker: String,
    /// The text of the game's log.
    pub record: String,
    black: AnsweredOutputs,
    white: AnsweredOutputs,
}

impl JobAnswer {
    /// The answer of `worker`: a log, and what the bots wrote.
    pub(crate) fn new(worker: &str, record: String, outputs: BySide<Outputs>) -> Self {
        let BySide { black, white } = outputs;
        Self { worker: worker.to_owned(), record, black: black.into(), white: white.into() }
    }

    /// What the bots wrote.
    pub(crate) fn outputs(&self) -> BySide<Outputs> {
        BySide { black: self.black.clone(), white: self.white.clone() }.map(Outputs::from)
    }
}

/// What a bot wrote besides its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AnsweredOutputs {
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    stdout: Vec<u8>,
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    stderr: Vec<u8>,
    turns: Vec<(usize, u64)>,
}

impl From<Outputs> for AnsweredOutputs {
    fn from(Outputs { stdout, stderr, turns }: Outputs) -> Self {
        Self { stdout, stderr, turns: turns.turns().to_vec() }
    }
}

impl From<AnsweredOutputs> for Outputs {
    fn from(AnsweredOutputs { stdout, stderr, turns }: AnsweredOutputs) -> Self {
        Self { stdout, stderr, turns: PlyOffsets::new(turns).unwrap_or_default() }
    }
}

/// What a worker says about itself, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// The version of its program.
    pub program: String,
    /// The run that it plays for, if there is one.
    pub run: Option<String>,
    /// How many games it plays at a time.
    pub slots: usize,
    /// How many cores it has.
    pub cores: usize,
    /// Its speed; absent if it could not be measured.
    pub speed: Option<Speed>,
    /// How many games it is playing.
    pub playing: usize,
    /// How many games it has played.
    pub played: u64,
    /// Why it does not play for a run that it has found.
    pub unfit: Option<String>,
    /// The run that it does not play for.
    pub unfit_for: Option<String>,
    /// The players of its run whose games it cannot play, and why.
    pub cannot: BTreeMap<String, Inability>,
}

/// Why a worker cannot play the games of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inability {
    /// What is missing.
    pub lacks: WorkerLack,
    /// Why, in words.
    pub why: String,
}

/// What a worker lacks to play the games of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerLack {
    /// A program that the player's command needs. If every machine lacks it, that is the player's fault.
    Program,
    /// The player's files, for which it has no room or which it cannot fetch.
    Files,
    /// The player's files, because the broker has something else in their place.
    TrueFiles,
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}
