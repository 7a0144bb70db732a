//! The messages that go through the broker, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::base::hex::hex;
use crate::game::{BySeat, BySide, Move};
use crate::host::bot_output::BotOutput;
use crate::host::sandbox::Tier;
use crate::machines::sent_player::SentPlayer;
use crate::referee::pace::Speed;
use crate::tournament::Isolation;
use crate::tournament::schedule::{GameId, GameSpec, PlayerIndex};

/// The version of the messages. Machines with different versions of the program do not play together, even if their
/// message versions are the same.
pub(crate) const FORMAT: u32 = 4;

/// A coordinator's heartbeat, which shows workers that the coordinator is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunNotice {
    /// The version of the messages; see [`FORMAT`].
    pub format: u32,
    /// The version of the coordinator's program.
    pub program: String,
    /// The run's name at the broker.
    pub run: String,
    /// The SHA-256 of the text of the run's [`Manifest`], which the broker stores separately.
    #[serde(default)]
    pub manifest: String,
    /// The SHA-256 of the first manifest since the coordinator was started. Later manifests differ from it only in
    /// their players.
    #[serde(default)]
    pub first_manifest: String,
}

impl RunNotice {
    /// The notice of the run `run`, whose manifest has the text `manifest`.
    pub(crate) fn of(run: String, manifest: &[u8]) -> Self {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let manifest = hex(&Sha256::digest(manifest));
        Self { format: FORMAT, program, run, first_manifest: manifest.clone(), manifest }
    }

    /// Announces a later manifest, which has the text `manifest`.
    pub(crate) fn announce(&mut self, manifest: &[u8]) {
        self.manifest = hex(&Sha256::digest(manifest));
    }

    /// Whether `later` is from the same coordinator, which has not been restarted since. Its players may differ.
    pub(crate) fn continues_in(&self, later: &Self) -> bool {
        Self { manifest: self.manifest.clone(), ..later.clone() } == *self
    }

    /// The manifest in `text`, if its digest is correct.
    pub(crate) fn manifest(&self, text: &[u8]) -> Option<Manifest> {
        let is_meant = hex(&Sha256::digest(text)) == self.manifest;
        serde_json::from_slice(text).ok().filter(|manifest: &Manifest| is_meant && manifest.run == self.run)
    }
}

/// The description of a coordinator's run for workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The run's name at the broker.
    pub run: String,
    /// The name of the tournament file, without its extension.
    pub stem: String,
    /// The text of the tournament file, without the tokens of remote players.
    pub tournament: String,
    /// The coordinator's speed, by which workers scale clocks; absent if the speed could not be measured.
    pub speed: Option<Speed>,
    /// How bots are confined, if the user has overridden the tournament file: the name of an [`Isolation`].
    pub isolation: Option<String>,
    /// The players whose games workers can play, by their places in the tournament. In a ladder, these are the players
    /// that currently play.
    pub players: BTreeMap<PlayerIndex, SentPlayer>,
    /// How long a worker may be silent before its game is given to another worker, in milliseconds.
    pub timeout_ms: u64,
}

impl Manifest {
    /// How bots are confined, if the user has overridden the tournament file.
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
    /// The number of this attempt at the game, from 1.
    pub nth: u32,
    round: u32,
    #[serde(flatten)]
    players: JobPlayers,
    seed: u64,
    opening: Vec<String>,
}

/// The players of a job, as indices into the tournament's players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum JobPlayers {
    /// The players of a game with two seats.
    Two { black: usize, white: usize },
    /// The players of a game with more seats, seat 1 first.
    Group { players: BySeat<usize> },
}

impl From<BySeat<usize>> for JobPlayers {
    fn from(players: BySeat<usize>) -> Self {
        match players.by_side() {
            Ok(BySide { black, white }) => Self::Two { black, white },
            Err(players) => Self::Group { players },
        }
    }
}

impl Job {
    /// The job for the `nth` attempt at the game `spec`.
    pub(crate) fn new(spec: &GameSpec, nth: u32) -> Self {
        Self {
            game: spec.id.to_string(),
            number: spec.number,
            nth,
            round: spec.round,
            players: spec.players.clone().into(),
            seed: spec.seed,
            opening: spec.opening.iter().map(|played| played.as_str().to_owned()).collect(),
        }
    }

    /// The job's game, if it is possible in a tournament with `players` players and `seats` seats per game, and if the
    /// opening consists of moves.
    pub(crate) fn spec(&self, seats: u8, players: usize) -> Option<GameSpec> {
        let opening: Option<Vec<Move>> = self.opening.iter().map(|text| text.parse().ok()).collect();
        let seated = match self.players.clone() {
            JobPlayers::Two { black, white } => BySide { black, white }.into(),
            JobPlayers::Group { players } if players.seats() > 2 => players,
            JobPlayers::Group { .. } => return None,
        };
        (seated.seats() == seats && seated.values().all(|&player| player < players)).then_some(GameSpec {
            id: GameId::from_text(self.game.as_str()),
            number: self.number,
            round: self.round,
            players: seated,
            seed: self.seed,
            opening: opening?,
        })
    }
}

/// A worker's announcement that it has taken a game.
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
    #[serde(flatten)]
    bots: AnsweredBots,
}

/// The part of an answer that concerns the game's bots: their output, and the SHA-256 of the worker's copy of each
/// player's bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum AnsweredBots {
    /// The bots of a game with two seats.
    Two { black: BotOutput, white: BotOutput, black_bundle: Option<String>, white_bundle: Option<String> },
    /// The bots of a game with more seats, seat 1 first.
    Group { outputs: BySeat<BotOutput>, bundles: BySeat<Option<String>> },
}

impl JobAnswer {
    /// The answer of `worker`: a log, the output of the bots, and the bundles from which the bots were started.
    pub(crate) fn new(
        worker: &str,
        record: String,
        outputs: BySeat<BotOutput>,
        bundles: BySeat<Option<String>>,
    ) -> Self {
        let bots = match (outputs.by_side(), bundles.by_side()) {
            (Ok(BySide { black, white }), Ok(BySide { black: black_bundle, white: white_bundle })) => {
                AnsweredBots::Two { black, white, black_bundle, white_bundle }
            }
            (Err(outputs), Err(bundles)) => AnsweredBots::Group { outputs, bundles },
            _ => panic!("each bot has an output and may have a bundle"),
        };
        Self { worker: worker.to_owned(), record, bots }
    }

    /// The SHA-256 of the worker's copy of each player's bundle.
    pub(crate) fn bundles(&self) -> BySeat<Option<&str>> {
        match &self.bots {
            AnsweredBots::Two { black_bundle, white_bundle, .. } => {
                BySide { black: black_bundle.as_deref(), white: white_bundle.as_deref() }.into()
            }
            AnsweredBots::Group { bundles, .. } => bundles.as_ref().map(Option::as_deref),
        }
    }

    /// The number of bots whose output the answer contains.
    pub(crate) fn outputs_number(&self) -> u8 {
        match &self.bots {
            AnsweredBots::Two { .. } => 2,
            AnsweredBots::Group { outputs, .. } => outputs.seats(),
        }
    }

    /// The output of the bots.
    pub(crate) fn outputs(self) -> BySeat<BotOutput> {
        match self.bots {
            AnsweredBots::Two { black, white, .. } => BySide { black, white }.into(),
            AnsweredBots::Group { outputs, .. } => outputs,
        }
    }
}

/// A worker's heartbeat, with its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkerStatus {
    /// The worker's name.
    pub name: String,
    /// The version of the worker's program.
    pub program: String,
    /// The run for which the worker plays, if there is one.
    pub run: Option<String>,
    /// How many games the worker plays at a time.
    pub slots: usize,
    /// How many cores the worker's machine has.
    pub cores: usize,
    /// The best confinement that works on the worker's machine; absent if this could not be determined.
    pub tier: Option<Tier>,
    /// The speed of the worker's machine; absent if the speed could not be measured.
    pub speed: Option<Speed>,
    /// How many games the worker is playing at the moment.
    pub playing: usize,
    /// How many games the worker has played.
    pub played: u64,
    /// Why the worker does not play for a run that it has found.
    pub unfit: Option<String>,
    /// The run for which the worker does not play.
    pub unfit_for: Option<String>,
    /// The SHA-256 of the manifest whose players the worker has prepared.
    #[serde(default)]
    pub manifest: Option<String>,
    /// The players of the worker's run whose games it cannot play, and why.
    pub cannot: BTreeMap<String, Inability>,
}

/// Why a worker cannot play a player's games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inability {
    /// The kind of thing that is missing.
    pub lacks: WorkerLack,
    /// The reason, as text.
    pub why: String,
}

/// Something that a worker needs to play a player's games, but lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerLack {
    /// A program that the player's command needs. If every machine lacks the program, the player is at fault.
    Program,
    /// The player's files, because the worker has no space for them or cannot fetch them.
    Files,
    /// The player's files, because the broker's copy has been altered.
    TrueFiles,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_leads_to_its_own_manifest_and_to_no_other() {
        let manifest = Manifest {
            run: "r".to_owned(),
            stem: "class".to_owned(),
            tournament: String::new(),
            speed: None,
            isolation: None,
            players: BTreeMap::new(),
            timeout_ms: 1,
        };
        let text = serde_json::to_vec(&manifest).expect("plain data");
        let notice = RunNotice::of("r".to_owned(), &text);
        assert_eq!(notice.manifest(&text), Some(manifest.clone()));
        let later = serde_json::to_vec(&Manifest { timeout_ms: 2, ..manifest }).expect("plain data");
        assert_eq!(notice.manifest(&later), None, "the coordinator was restarted");
        let mut grown = notice.clone();
        grown.announce(&later);
        assert!(grown.manifest(&later).is_some() && notice.continues_in(&grown) && grown.continues_in(&notice));
        assert!(!notice.continues_in(&RunNotice::of("r".to_owned(), &later)), "the coordinator was restarted");
        assert_eq!(RunNotice::of("s".to_owned(), &text).manifest(&text), None, "the notice belongs to another run");
        assert_eq!(RunNotice::of("r".to_owned(), b"{}").manifest(b"{}"), None);
    }

    #[test]
    fn a_job_and_its_answer_have_the_players_of_every_seat() {
        let spec = |players: BySeat<usize>| GameSpec {
            id: GameId::from_text("r1-t1-g1"),
            number: 3,
            round: 1,
            players,
            seed: 7,
            opening: Vec::new(),
        };
        let two = spec(BySide { black: 1, white: 0 }.into());
        let text = serde_json::to_string(&Job::new(&two, 2)).expect("plain data");
        let expected = r#"{"game":"r1-t1-g1","number":3,"nth":2,"round":1,"black":1,"white":0,"seed":7,"opening":[]}"#;
        assert_eq!(text, expected);
        let disguised = expected.replace(r#""black":1,"white":0"#, r#""players":[1,0]"#);
        let disguised: Job = serde_json::from_str(&disguised).unwrap_or_else(|error| panic!("{error}: {disguised}"));
        assert_eq!(disguised.spec(2, 4), None, "a game of two has a side for each player");
        let group = spec(BySeat::from_fn(4, |seat| 3 - seat.index()));
        for (spec, seats) in [(two, 2), (group, 4)] {
            let text = serde_json::to_string(&Job::new(&spec, 2)).expect("plain data");
            let job: Job = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(job.spec(seats, 4).as_ref(), Some(&spec));
            assert_eq!([job.spec(6, 4), job.spec(seats, 1)], [None, None], "a player or a seat that does not exist");
            let output = |text: &str| BotOutput { stderr: text.as_bytes().to_vec(), ..BotOutput::default() };
            let outputs = spec.players.as_ref().map(|player| output(&player.to_string()));
            let bundles = spec.players.as_ref().map(|player| (*player > 0).then(|| player.to_string()));
            let answer = JobAnswer::new("w", "log".to_owned(), outputs.clone(), bundles.clone());
            let text = serde_json::to_string(&answer).expect("plain data");
            assert_eq!(text.contains("\"black_bundle\""), seats == 2, "{text}");
            let read: JobAnswer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!((&read, read.bundles()), (&answer, bundles.as_ref().map(Option::as_deref)));
            assert_eq!(read.outputs(), outputs);
        }
    }

    #[test]
    fn a_notice_of_another_version_is_understood_well_enough_to_name_it() {
        let text = r#"{"format": 1, "program": "9.8.7", "run": "r", "stem": "class", "tournament": "rounds = 1"}"#;
        let notice: RunNotice = serde_json::from_str(text).expect("enough");
        assert_eq!((notice.format, notice.program.as_str(), notice.manifest.as_str()), (1, "9.8.7", ""));
    }
}
