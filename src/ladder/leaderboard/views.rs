//! Who sees what in a ladder.
//!
//! A guest sees the ranking, and nothing about refused hand-ins, failures or single games. If the ladder is anonymous,
//! a guest sees only the names of the leaders, and how many others there are. A student also sees everything about its
//! own versions, and the ratings of the three players ahead, but nothing else about other players. The teacher sees
//! everything.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use super::picture::{LadderPicture, PicturedPlayer, PicturedRating, PicturedVersion, VersionWord};

/// How many players an anonymous ladder names.
const NAMED: u64 = 10;

/// The number of players ahead of a student whose ratings the student sees.
const AHEAD: u64 = 3;

/// The maximum number of versions in the sparkline of a player.
const SPARK: usize = 24;

/// Who looks at the page, as one word in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum ViewRole {
    Guest,
    Student,
    Teacher,
}

/// What a visitor sees of a ladder, as JSON.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LeaderboardView<'p> {
    format: u32,
    seq: String,
    role: ViewRole,
    title: &'p str,
    activity: &'static str,
    anonymous: bool,
    closes: Option<i64>,
    frozen: Option<i64>,
    target_error: i64,
    games: u64,
    in_flight: u64,
    zero: Option<&'p str>,
    rows: Vec<RankedView<'p>>,
    /// How many of the participating players are not in `rows`.
    unnamed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<OwnView<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<WholeView<'p>>,
}

/// A player in the ranking.
#[derive(Clone, Debug, Serialize)]
struct RankedView<'p> {
    rank: Option<u64>,
    player: &'p str,
    baseline: bool,
    elo: Option<i64>,
    error95: Option<i64>,
    change: Option<i64>,
    games: u64,
    /// When the latest version that was not refused arrived.
    handed_in: Option<i64>,
    /// The ratings of the versions, oldest first.
    spark: Vec<i64>,
    own: bool,
}

/// What a student sees of itself.
#[derive(Clone, Debug, Serialize)]
struct OwnView<'p> {
    player: &'p str,
    rank: Option<u64>,
    ahead: Vec<AheadView>,
    versions: Vec<VersionView<'p>>,
    waiting: Vec<OwnWaiting>,
    lost: usize,
}

/// A player ahead of a student, without its name.
#[derive(Clone, Copy, Debug, Serialize)]
struct AheadView {
    rank: u64,
    elo: i64,
    error95: i64,
}

/// A hand-in of a student that has no verdict yet.
#[derive(Clone, Copy, Debug, Serialize)]
struct OwnWaiting {
    arrived: i64,
    /// How many hand-ins are checked before it.
    before: usize,
    /// Whether the hand-in is being checked.
    checking: bool,
}

/// A version, for its owner and for the teacher.
#[derive(Clone, Debug, Serialize)]
struct VersionView<'p> {
    version: &'p str,
    state: &'static str,
    reason: &'p str,
    elo: Option<i64>,
    error95: Option<i64>,
    won: u64,
    drawn: u64,
    lost: u64,
    arrived: Option<i64>,
    door: &'p str,
    /// Where the version came from. Only the teacher sees this: it may be a path on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'p str>,
}

/// What only the teacher sees.
#[derive(Clone, Debug, Serialize)]
struct WholeView<'p> {
    versions: Vec<VersionView<'p>>,
    waiting: Vec<WaitingView<'p>>,
    checking: bool,
    troubles: &'p BTreeMap<String, String>,
    selection: Option<SelectionView>,
}

/// A hand-in that has no verdict yet, for the teacher.
#[derive(Clone, Copy, Debug, Serialize)]
struct WaitingView<'p> {
    player: &'p str,
    arrived: i64,
}

/// The test of the selection, for the teacher.
#[derive(Clone, Copy, Debug, Serialize)]
struct SelectionView {
    drawn: u64,
    p_value: Option<f64>,
    disagrees: bool,
}

/// What a visitor without a token sees of `picture`. `seq` identifies the picture.
pub(super) fn guest_view(picture: &LadderPicture, seq: String) -> LeaderboardView<'_> {
    view(picture, seq, ViewRole::Guest, None)
}

/// What the player called `name` sees.
pub(super) fn student_view<'p>(picture: &'p LadderPicture, seq: String, name: &'p str) -> LeaderboardView<'p> {
    let own = own_view(picture, name);
    LeaderboardView { own: Some(own), ..view(picture, seq, ViewRole::Student, Some(name)) }
}

/// What the teacher sees.
pub(super) fn teacher_view(picture: &LadderPicture, seq: String) -> LeaderboardView<'_> {
    let all = WholeView {
        versions: picture
            .players
            .iter()
            .flat_map(|player| &player.versions)
            .map(|version| VersionView { origin: Some(&version.origin), ..VersionView::of(version) })
            .collect(),
        waiting: picture
            .waiting
            .iter()
            .map(|hand_in| WaitingView { player: &hand_in.player, arrived: hand_in.arrived })
            .collect(),
        checking: picture.is_checking,
        troubles: &picture.troubles,
        selection: picture.selection.map(|test| SelectionView {
            drawn: test.drawn,
            p_value: test.p_value,
            disagrees: test.disagrees,
        }),
    };
    LeaderboardView { all: Some(all), ..view(picture, seq, ViewRole::Teacher, None) }
}

/// The name of the player called `opponent`, if the player called `name` may read it.
pub(super) fn opponent_name<'p>(picture: &'p LadderPicture, opponent: &str) -> Option<&'p str> {
    let known = picture.players.iter().find(|player| player.name == opponent)?;
    is_named(picture, known).then_some(known.name.as_str())
}

/// The part of the view that everyone sees. If the viewer is a student, its own name is never hidden.
fn view<'p>(picture: &'p LadderPicture, seq: String, role: ViewRole, own: Option<&str>) -> LeaderboardView<'p> {
    let is_own = |player: &PicturedPlayer| own == Some(player.name.as_str());
    let is_seen = |player: &PicturedPlayer| role == ViewRole::Teacher || is_own(player) || is_named(picture, player);
    // A guest does not see players without a version that plays.
    let is_part = |player: &&PicturedPlayer| role == ViewRole::Teacher || player.takes_part();
    let part: Vec<&PicturedPlayer> = picture.players.iter().filter(is_part).collect();
    let seen = part.iter().filter(|player| is_seen(player));
    let rows: Vec<RankedView<'p>> = seen.map(|player| RankedView::of(player, is_own(player))).collect();
    LeaderboardView {
        format: 1,
        seq,
        role,
        title: &picture.title,
        activity: picture.activity.name(),
        anonymous: picture.is_anonymous,
        closes: picture.closes,
        frozen: picture.frozen,
        target_error: rounded(picture.target_error),
        games: picture.games,
        in_flight: picture.in_flight,
        zero: picture.zero.as_deref(),
        unnamed: (part.len() - rows.len()) as u64,
        rows,
        own: None,
        all: None,
    }
}

/// Whether the name of `player` is public. Players that the teacher has added for comparison are not secret.
fn is_named(picture: &LadderPicture, player: &PicturedPlayer) -> bool {
    !picture.is_anonymous || player.is_baseline || player.rank.is_some_and(|rank| rank <= NAMED)
}

impl<'p> RankedView<'p> {
    fn of(player: &'p PicturedPlayer, own: bool) -> Self {
        let accepted = || player.versions.iter().filter(|version| version.state != VersionWord::Refused);
        let rated: Vec<i64> = accepted().filter_map(|version| elo(version.rating)).collect();
        Self {
            rank: player.rank,
            player: &player.name,
            baseline: player.is_baseline,
            elo: elo(player.rating),
            error95: error95(player.rating),
            change: player.change.map(rounded),
            games: player.games,
            handed_in: accepted().filter_map(|version| version.arrived).max(),
            spark: rated[rated.len().saturating_sub(SPARK)..].to_vec(),
            own,
        }
    }
}

impl<'p> VersionView<'p> {
    fn of(version: &'p PicturedVersion) -> Self {
        let [won, drawn, lost] = version.results;
        Self {
            version: &version.name,
            state: version.state.name(),
            reason: &version.reason,
            elo: elo(version.rating),
            error95: error95(version.rating),
            won,
            drawn,
            lost,
            arrived: version.arrived,
            door: &version.door,
            origin: None,
        }
    }
}

fn own_view<'p>(picture: &'p LadderPicture, name: &'p str) -> OwnView<'p> {
    let own = picture.players.iter().find(|player| player.name == name);
    let rank = own.and_then(|own| own.rank);
    let is_ahead = |other: u64| rank.is_some_and(|own| other < own && own - other <= AHEAD);
    let ahead = |player: &PicturedPlayer| {
        let (rank, rating) = (player.rank.filter(|&rank| is_ahead(rank))?, player.rating);
        Some(AheadView { rank, elo: elo(rating)?, error95: error95(rating)? })
    };
    let waiting = picture.waiting.iter().enumerate().filter(|(_, hand_in)| hand_in.player == name);
    let waiting = waiting.map(|(before, hand_in)| OwnWaiting {
        arrived: hand_in.arrived,
        before,
        checking: before == 0 && picture.is_checking,
    });
    OwnView {
        player: name,
        rank,
        ahead: picture.players.iter().filter_map(ahead).collect(),
        versions: own.iter().flat_map(|own| &own.versions).map(VersionView::of).collect(),
        waiting: waiting.collect(),
        lost: own.map_or(0, |own| own.lost.len()),
    }
}

fn elo(rating: Option<PicturedRating>) -> Option<i64> {
    rating.map(|rating| rounded(rating.elo))
}

fn error95(rating: Option<PicturedRating>) -> Option<i64> {
    rating.map(|rating| rounded(rating.error95))
}

/// `figure`, in Elo, rounded to an integer.
#[expect(clippy::cast_possible_truncation, reason = "ratings are far smaller, and the conversion saturates")]
fn rounded(figure: f64) -> i64 {
    figure.round() as i64
}
