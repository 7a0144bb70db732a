//! Everything about a ladder at one moment, from which its page answers requests. All text is printable, and all times
//! are in seconds since the start of 1970.

use std::collections::BTreeMap;

use crate::base::word_enum::words;
use crate::game::Side;

/// A ladder at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LadderPicture {
    /// Increases with every picture of a run.
    pub(crate) seq: u64,
    /// The name of the tournament.
    pub(crate) title: String,
    /// Whether guests see the names of the leaders only.
    pub(crate) is_anonymous: bool,
    pub(crate) activity: LadderActivity,
    /// When the ladder freezes, if its teacher has set a time.
    pub(crate) closes: Option<i64>,
    /// When the ladder froze.
    pub(crate) frozen: Option<i64>,
    /// The standard error at which a rating is precise enough, in Elo.
    pub(crate) target_error: f64,
    /// How many games have been rated.
    pub(crate) games: u64,
    /// How many games have been decided on but have not ended.
    pub(crate) in_flight: u64,
    /// The player whose rating is 0.
    pub(crate) zero: Option<String>,
    /// The players: first those with a rank, in the order of their ranks, then the others.
    pub(crate) players: Vec<PicturedPlayer>,
    /// The hand-ins that have no verdict yet, in the order in which they are checked.
    pub(crate) waiting: Vec<WaitingHandIn>,
    /// Whether the first waiting hand-in is being checked.
    pub(crate) is_checking: bool,
    /// The problems with doors, by the name of the player. For the door for all uploads, the name is empty.
    pub(crate) troubles: BTreeMap<String, String>,
    /// Whether the games whose players were drawn at random agree with the others.
    pub(crate) selection: Option<PicturedSelection>,
}

/// What a ladder is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LadderActivity {
    /// Games are being played.
    #[default]
    Playing,
    /// All ratings are precise enough.
    Idle,
    /// The last round robin is being played.
    Frozen,
    /// The last round robin has been played.
    Over,
    /// The arena has stopped.
    Stopped,
}

words! {
    pub(crate) LadderActivity;
    Playing => "playing",
    Idle => "idle",
    Frozen => "frozen",
    Over => "over",
    Stopped => "stopped",
}

/// A rating, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PicturedRating {
    pub(crate) elo: f64,
    /// Half of the 95% interval.
    pub(crate) error95: f64,
}

/// A player of the ladder.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PicturedPlayer {
    pub(crate) name: String,
    /// Whether the player takes part without handing in versions.
    pub(crate) is_baseline: bool,
    /// The player's place among all players whose best version plays; `None` if none of the player's versions that play
    /// is rated.
    pub(crate) rank: Option<u64>,
    /// The rating of the best version that plays.
    pub(crate) rating: Option<PicturedRating>,
    /// By how much that rating exceeds the player's best rating of a week ago.
    pub(crate) change: Option<f64>,
    /// How many games the best version has played.
    pub(crate) games: u64,
    /// All hand-ins of the player that have a verdict, by number. A player that does not hand in versions has exactly
    /// one.
    pub(crate) versions: Vec<PicturedVersion>,
    /// The last games that the player lost, latest first.
    pub(crate) lost: Vec<LadderLoss>,
}

impl PicturedPlayer {
    /// Whether one of the player's versions takes part in games.
    pub(crate) fn takes_part(&self) -> bool {
        self.versions.iter().any(|version| matches!(version.state, VersionWord::Playing | VersionWord::Resting))
    }
}

/// The state of a version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum VersionWord {
    /// It plays.
    #[default]
    Playing,
    /// Newer or better versions of the player play in its place.
    Resting,
    /// The version does not play until the teacher resumes it.
    Paused,
    /// It does not play again.
    Retired,
    /// It never played.
    Refused,
}

words! {
    pub(crate) VersionWord;
    Playing => "playing",
    Resting => "resting",
    Paused => "paused",
    Retired => "retired",
    Refused => "refused",
}

/// A version of a player.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PicturedVersion {
    /// The name in games, such as `ada.7`.
    pub(crate) name: String,
    pub(crate) state: VersionWord,
    /// Why it does not play; empty if there is no reason.
    pub(crate) reason: String,
    pub(crate) rating: Option<PicturedRating>,
    /// How many games it won, drew and lost.
    pub(crate) results: [u64; 3],
    /// When it arrived; `None` for a player without versions.
    pub(crate) arrived: Option<i64>,
    /// How it arrived.
    pub(crate) door: String,
    /// Where it came from.
    pub(crate) origin: String,
}

/// A game that a player lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LadderLoss {
    /// The number of the game in the ladder.
    pub(crate) number: u64,
    /// The id of its log, which contains the names of both versions.
    pub(crate) id: String,
    /// The side of the player that lost.
    pub(crate) side: Side,
    /// The version that lost.
    pub(crate) version: String,
    /// The player that won.
    pub(crate) opponent: String,
}

/// A hand-in without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingHandIn {
    pub(crate) player: String,
    pub(crate) arrived: i64,
}

/// A test of whether the choice of pairs distorts the ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PicturedSelection {
    /// How many games had players that were drawn at random.
    pub(crate) drawn: u64,
    /// The probability that chance alone makes a difference at least this large, if there are enough games.
    pub(crate) p_value: Option<f64>,
    pub(crate) disagrees: bool,
}
