//! The drill of a bot, as it is kept on disk, so that the same bot is not drilled again.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::drill::readiness::{Diagnosis, SkipReason, Trial, TrialStatus, TriedPlayer};
use crate::drill::script::{BotSeat, BoutFacts, Level, OrdinaryClock};
use crate::game::Ruleset;
use crate::referee::record::TryKind;
use crate::referee::time_control::SideControl;
use crate::tournament::definition::PlayerDefinition;

/// The version of the file format, which docs/reference/schemas/drill.schema.json describes.
const FORMAT: u32 = 1;

/// The outcome of a drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptDrill {
    pub(super) format: u32,
    /// The version of the program that played the drill. Another version may have other scenarios.
    pub program: String,
    /// The rules.
    pub ruleset: Ruleset,
    /// The time control of each side in an ordinary game.
    #[serde(with = "control_text")]
    pub control: SideControl,
    /// How much wall time all turns of a side may take in an ordinary game, in microseconds, if the clocks count CPU
    /// time; `None` if they count wall time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_limit_us: Option<u64>,
    /// The tier in which the bot was confined: `A` to `D`.
    pub isolation: String,
    /// The player.
    pub player: String,
    /// The identity of the bot; `None` if it could not even be prepared.
    pub digest: Option<String>,
    /// The digest of each file that identifies the bot, or of each of the bot's files if it could not even be prepared.
    pub files: BTreeMap<String, String>,
    /// The digest of each file that the bot's build produced; `None` without a build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<BTreeMap<String, String>>,
    /// The digest of the files that `import` put into the bot's directory, according to import.json; `None` without
    /// that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<String>,
    /// The player's definition in the tournament file.
    pub definition: PlayerDefinition,
    /// The reason why the bot could not even be prepared, for example because its build failed; there are then no
    /// trials. Hostile text.
    pub broken: Option<String>,
    /// The fault of the machine that prevented the bot from being prepared; there are then no trials, and the drill is
    /// not kept. Hostile text.
    #[serde(skip)]
    pub void: Option<String>,
    /// Whether the bot is broken because its build exceeded `build_timeout`; the drill is then not kept either.
    #[serde(skip)]
    pub timed_out: bool,
    /// The duration of the drill in milliseconds.
    pub took_ms: u64,
    /// The outcome of each scenario on each side, in the order of the table of scenarios, black first.
    pub trials: Vec<KeptTrial>,
}

/// The terms that all scenarios of a drill have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrillTerms {
    /// The rules.
    pub ruleset: Ruleset,
    /// The clock of each side in an ordinary game.
    pub clock: OrdinaryClock,
}

/// The identity of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedBot {
    /// The digest of each of the bot's files.
    pub files: BTreeMap<String, String>,
    /// The digest of each file that the bot's build produced, if that is known.
    pub products: Option<BTreeMap<String, String>>,
    /// The digest of the files that `import` put into the bot's directory, according to import.json.
    pub submission: Option<String>,
    /// The player's definition in the tournament file.
    pub definition: PlayerDefinition,
}

/// The outcome of one scenario on one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptTrial {
    /// The scenario.
    pub id: String,
    /// The side that the bot played.
    pub side: BotSeat,
    /// The level of importance.
    #[serde(with = "level_word")]
    pub level: Level,
    /// The outcome.
    #[serde(with = "status_word")]
    pub status: TrialStatus,
    /// The bot's behaviour, in one or two sentences; printable.
    pub summary: String,
    /// The causes that were found; empty for a trial that was passed.
    pub diagnoses: Vec<KeptCause>,
    /// The file with the transcript, relative to the directory of the drill, if there is one.
    pub transcript: Option<String>,
    /// The number of the bot's moves that were accepted.
    pub made: u64,
    /// The number of moves that were rightly refused as illegal.
    pub refused: u64,
    /// The number of lines that were rightly refused as garbled.
    pub garbled: u64,
    /// The number of games that were played.
    pub games: u64,
    /// The duration of the games in milliseconds.
    pub games_ms: u64,
    /// Whether a fault of the machine made a game void.
    pub void: bool,
}

/// A cause that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptCause {
    /// The code of the cause, such as `D04`.
    pub code: String,
    /// The cause in a few words.
    pub title: String,
    /// The mistake, in two sentences; printable.
    pub text: String,
    /// The lines of the transcript or of stderr that show the mistake; printable.
    pub evidence: Vec<String>,
    /// The advice for fixing the mistake; printable.
    pub fix: String,
    /// The file that contains the mistake, relative to the bot's directory, if it was found; printable.
    pub file: Option<String>,
    /// The line of the mistake in `file`, from 1.
    pub line: Option<u32>,
}

impl KeptDrill {
    /// The drill of `player`, to be kept. It was played under `terms` by `bot`, confined as described by `isolation`.
    pub fn of(player: &TriedPlayer, terms: DrillTerms, isolation: &str, bot: TriedBot) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            ruleset: terms.ruleset,
            control: terms.clock.control,
            wall_limit_us: terms.clock.wall_limit.map(micros),
            isolation: isolation.to_owned(),
            player: player.player.clone(),
            digest: player.digest.clone(),
            files: bot.files,
            products: bot.products,
            submission: bot.submission,
            definition: bot.definition,
            broken: player.broken.clone(),
            void: None,
            timed_out: false,
            took_ms: millis(player.took),
            trials: player.trials.iter().map(KeptTrial::of).collect(),
        }
    }

    /// Reads the text that [`KeptDrill::to_json`] writes. Returns `None` if the text is damaged, or comes from another
    /// version of this program, whose scenarios may differ.
    pub fn read(text: &[u8]) -> Option<Self> {
        let kept: Self = serde_json::from_slice(text).ok()?;
        kept.is_by_this_program().then_some(kept)
    }

    /// Whether this version of the program wrote the drill.
    pub(super) fn is_by_this_program(&self) -> bool {
        self.format == FORMAT && self.program == env!("CARGO_PKG_VERSION")
    }

    /// The terms under which the drill was played.
    pub(super) fn terms(&self) -> DrillTerms {
        let wall_limit = self.wall_limit_us.map(Duration::from_micros);
        DrillTerms { ruleset: self.ruleset, clock: OrdinaryClock { control: self.control, wall_limit } }
    }

    /// The bot that was drilled.
    pub(super) fn bot(&self) -> TriedBot {
        TriedBot {
            files: self.files.clone(),
            products: self.products.clone(),
            submission: self.submission.clone(),
            definition: self.definition.clone(),
        }
    }

    /// The text of the file, with a final newline.
    pub fn to_json(&self) -> String {
        // A drill is plain data, which JSON can always represent.
        let text = serde_json::to_string_pretty(self).unwrap_or_else(|error| unreachable!("a drill is JSON: {error}"));
        text + "\n"
    }

    /// Whether this is the drill of `bot` under `terms`, in which case nothing has to be repeated. New files do not
    /// count as a change, because the bot may have written them. But if the bot could not be started, new files do
    /// count, because it may have lacked one of them. The files of a new submission are detected by the digest from
    /// `import`.
    pub fn is_of(&self, bot: &TriedBot, terms: DrillTerms) -> bool {
        let has = |(file, digest): (&String, &String)| bot.files.get(file) == Some(digest);
        let is_same = if self.broken.is_some() { self.files == bot.files } else { self.files.iter().all(has) };
        is_same && self.submission == bot.submission && self.definition == bot.definition && self.terms() == terms
    }

    /// The drill of a bot that could not be prepared because of a fault of the machine; `why` is the reason.
    pub fn void(player: String, terms: DrillTerms, isolation: &str, bot: TriedBot, why: String) -> Self {
        Self { void: Some(why), ..Self::without_trials(player, terms, isolation, bot) }
    }

    /// The drill of a bot before its first trial.
    pub(super) fn without_trials(player: String, terms: DrillTerms, isolation: &str, bot: TriedBot) -> Self {
        let tried = TriedPlayer {
            player,
            command: String::new(),
            sides: BotSeat::all(terms.ruleset.seats()).collect(),
            dir: None,
            digest: None,
            broken: None,
            control: terms.clock.control,
            trials: Vec::new(),
            took: Duration::ZERO,
        };
        Self::of(&tried, terms, isolation, bot)
    }

    /// Whether the drill may be kept: its outcome would be the same on another machine and with another
    /// `build_timeout`.
    pub fn is_final(&self) -> bool {
        self.void.is_none() && !self.timed_out && !self.trials.iter().any(|trial| trial.void)
    }
}

impl KeptTrial {
    pub(super) fn of(trial: &Trial) -> Self {
        let refused = |kind: TryKind| {
            let refusals = trial.games.iter().flat_map(BoutFacts::true_refusals);
            refusals.filter(|refusal| refusal.kind == kind).count() as u64
        };
        let took = trial.games.iter().map(|game| game.took).sum();
        Self {
            id: trial.scenario.id.to_owned(),
            side: trial.side,
            level: trial.scenario.level,
            status: trial.status,
            summary: trial.summary.clone(),
            diagnoses: trial.diagnoses.iter().map(KeptCause::of).collect(),
            transcript: trial.transcript_file.as_ref().map(|_| format!("{}.txt", trial.name())),
            made: trial.games.iter().map(|game| game.own_plies().count() as u64).sum(),
            refused: refused(TryKind::Illegal),
            garbled: refused(TryKind::Garbled),
            games: trial.games.len() as u64,
            games_ms: millis(took),
            // A scenario that was skipped because the machine was busy says nothing about the bot either.
            void: trial.is_void() || matches!(trial.skipped, Some(SkipReason::Starved { .. })),
        }
    }

    /// The trial's name: `clock.black`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.id, self.side.word())
    }

    /// Whether the bot did what the scenario expects. A warning on a MUST does not affect results, so the trial counts
    /// as passed, as in `check --bots`.
    pub fn is_passed(&self) -> bool {
        match self.status {
            TrialStatus::Pass | TrialStatus::Info => true,
            TrialStatus::Warn => self.level == Level::Must,
            TrialStatus::Fail | TrialStatus::Timeout | TrialStatus::Skip => false,
        }
    }

    /// Whether the trial counts as a failure of a MUST.
    pub const fn has_failed(&self) -> bool {
        matches!(self.status, TrialStatus::Fail | TrialStatus::Timeout)
    }

    /// Whether the bot's author should act on the trial: the bot failed, or there is a warning.
    pub const fn has_trouble(&self) -> bool {
        self.has_failed() || matches!(self.status, TrialStatus::Warn)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl KeptCause {
    fn of(diagnosis: &Diagnosis) -> Self {
        Self {
            code: diagnosis.cause.to_string(),
            title: diagnosis.title.clone(),
            text: diagnosis.text.clone(),
            evidence: diagnosis.evidence.clone(),
            fix: diagnosis.fix.clone(),
            file: diagnosis.place.as_ref().map(|place| place.file.clone()),
            line: diagnosis.place.as_ref().and_then(|place| place.line),
        }
    }
}

/// Serializes levels as words.
mod level_word {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::drill::script::Level;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(level: &Level, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(level.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = Level::ALL.into_iter().find(|level| level.name() == word);
        found.ok_or_else(|| D::Error::custom("unknown level"))
    }
}

/// Serializes time controls as text, as in logs.
mod control_text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::referee::time_control::SideControl;

    pub(super) fn serialize<S: Serializer>(control: &SideControl, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(control)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SideControl, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Serializes outcomes as words.
pub(super) mod status_word {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::drill::readiness::TrialStatus;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(in super::super) fn serialize<S: Serializer>(status: &TrialStatus, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(status.name())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TrialStatus, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = TrialStatus::ALL.into_iter().find(|status| status.name() == word);
        found.ok_or_else(|| D::Error::custom("unknown outcome"))
    }
}
