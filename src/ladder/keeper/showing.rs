//! The pictures of the ladder for its page.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, WallTime, now, utc_now};
use crate::ladder::leaderboard::PictureSender;
use crate::ladder::leaderboard::picture::{
    LadderActivity, LadderLoss, LadderPicture, PicturedPlayer, PicturedRating, PicturedSelection, PicturedVersion,
    VersionWord, WaitingHandIn,
};
use crate::ladder::state::{LadderRatings, LadderState};
use crate::results::ladder::{LadderCounts, VersionRating};
use crate::results::rating::Wdl;
use crate::run::journal::ladder_tally::DAY;
use crate::run::journal::{HandInEntry, LadderHistory, LadderPlayer, LostFixture, VersionStatus};
use crate::tournament::ladder::Ladder;

/// The shortest time from one picture to the next.
const PICTURE_EVERY: Duration = Duration::from_secs(1);

/// The ladder at the moment when a picture is made.
#[derive(Debug)]
pub(super) struct Moment<'k> {
    pub(super) title: &'k str,
    pub(super) ladder: &'k Ladder,
    pub(super) state: &'k LadderState,
    /// The owners and arrival times of the waiting hand-ins, in the order in which they will be checked.
    pub(super) waiting: Vec<(String, WallTime)>,
    /// The owner and the arrival time of the hand-in that is being checked.
    pub(super) checked: Option<(String, WallTime)>,
    /// Whether something is being prepared or decided on.
    pub(super) is_busy: bool,
    /// Whether this is the last picture.
    pub(super) is_end: bool,
}

/// Makes pictures if there is a page.
#[derive(Debug)]
pub(super) struct Showing {
    pictures: Option<PictureSender>,
    seq: u64,
    has_changed: bool,
    next: Instant,
    /// The problems with the doors, by player.
    troubles: BTreeMap<String, String>,
    /// The number of a day, and each player's best rating a week before it.
    week_ago: Option<(i64, HashMap<String, f64>)>,
}

impl Showing {
    /// Sends pictures to `pictures`, if there is a page.
    pub(super) fn new(pictures: Option<PictureSender>) -> Self {
        Self { pictures, seq: 0, has_changed: true, next: now(), troubles: BTreeMap::new(), week_ago: None }
    }

    /// Notes that something has changed.
    pub(super) const fn changed(&mut self) {
        self.has_changed = true;
    }

    /// Notes the problem with the door of `player`, or with the door for all uploads if `player` is empty. `None` means
    /// that the problem is over.
    pub(super) fn trouble(&mut self, player: &str, trouble: Option<&str>) {
        match trouble {
            Some(trouble) => self.troubles.insert(sanitised(player), sanitised(trouble)),
            None => self.troubles.remove(&sanitised(player)),
        };
        self.has_changed = true;
    }

    /// Whether there is a page, something has changed, and the last picture is old enough.
    pub(super) fn is_due(&self) -> bool {
        self.pictures.is_some() && self.has_changed && now() >= self.next
    }

    /// Makes a picture of `moment`.
    pub(super) fn show(&mut self, moment: &Moment<'_>) {
        let Some(pictures) = self.pictures.clone() else { return };
        (self.has_changed, self.next) = (false, now() + PICTURE_EVERY);
        self.remember_week_ago(moment.state);
        self.seq += 1;
        pictures.send_replace(Some(Arc::new(self.painted(moment))));
    }

    /// Once a day, fits the ratings as of a week ago.
    fn remember_week_ago(&mut self, state: &LadderState) {
        let time = utc_now().as_second();
        let day = time.div_euclid(DAY);
        if self.week_ago.as_ref().is_some_and(|(known, _)| *known == day) {
            return;
        }
        let mut best: HashMap<String, f64> = HashMap::new();
        let ratings = state.ratings_week_ago(time).unwrap_or_default();
        for (player, rating) in state.history().players().iter().zip(ratings) {
            let Some(elo) = rating.map(|rating| rating.elo.0) else { continue };
            best.entry(owner(player)).and_modify(|known| *known = known.max(elo)).or_insert(elo);
        }
        self.week_ago = Some((day, best));
    }

    fn painted(&self, moment: &Moment<'_>) -> LadderPicture {
        let &Moment { title, ladder, state, ref waiting, ref checked, is_busy, is_end } = moment;
        let history = state.history();
        let order = checked.iter().chain(waiting);
        let frozen = history.frozen();
        let activity = match () {
            // Until the run ends, players may still have extensions.
            () if is_end && state.is_over() => LadderActivity::Over,
            () if is_end => LadderActivity::Stopped,
            () if frozen.is_some() => LadderActivity::Frozen,
            () if state.in_flight() == 0 && !is_busy => LadderActivity::Idle,
            () => LadderActivity::Playing,
        };
        LadderPicture {
            seq: self.seq,
            title: sanitised(title),
            is_anonymous: ladder.terms.anonymous,
            activity,
            closes: ladder.terms.closes.map(Timestamp::as_second),
            frozen: frozen.map(|frozen| frozen.at.as_second()),
            target_error: ladder.terms.target_error,
            games: state.counts().total(),
            in_flight: state.in_flight() as u64,
            zero: history.players().iter().find(|player| player.version.is_none()).map(owner),
            players: self.players(ladder, state),
            waiting: order.map(|(owner, arrived)| waits(owner, *arrived)).collect(),
            is_checking: checked.is_some(),
            troubles: self.troubles.clone(),
            selection: state.selection().map(|test| PicturedSelection {
                drawn: test.drawn,
                p_value: test.p_value,
                disagrees: test.disagrees,
            }),
        }
    }

    fn players(&self, ladder: &Ladder, state: &LadderState) -> Vec<PicturedPlayer> {
        let history = state.history();
        let (ratings, active, results) =
            (state.ratings(), state.active(), results(state.counts(), history.players().len()));
        let mut players: BTreeMap<String, (PicturedPlayer, Vec<(u32, PicturedVersion)>)> = BTreeMap::new();
        for entry in &ladder.entries {
            players.entry(sanitised(entry.name.as_str())).or_default();
        }
        for (place, known) in history.players().iter().enumerate() {
            let version = version(known, active.contains(&place), (rating(&ratings, place), results[place]));
            let (player, versions) = players.entry(owner(known)).or_default();
            player.is_baseline = known.version.is_none();
            let elo = |rating: Option<PicturedRating>| rating.map(|rating| rating.elo);
            if version.state == VersionWord::Playing && elo(version.rating) > elo(player.rating) {
                player.rating = version.rating;
                player.games = version.results.iter().sum();
            }
            versions.push((known.version.as_ref().map_or(0, |version| version.number), version));
        }
        for refused in history.refused() {
            let (_, versions) = players.entry(sanitised(&refused.version.of)).or_default();
            let version = PicturedVersion {
                state: VersionWord::Refused,
                reason: sanitised(&refused.reason),
                ..handed_in(&refused.version)
            };
            versions.push((refused.version.number, version));
        }
        // The journal contains the names before they were sanitised.
        let versions = history.players().iter().filter_map(|player| Some(player.version.as_ref()?.of.as_str()));
        let owners: HashMap<String, &str> = versions.map(|of| (sanitised(of), of)).collect();
        let finished = |(name, (mut player, mut versions)): (String, (PicturedPlayer, Vec<(u32, PicturedVersion)>))| {
            versions.sort_by_key(|(number, _)| *number);
            player.versions = versions.into_iter().map(|(_, version)| version).collect();
            player.change = self.change(&name, player.rating);
            let lost = owners.get(&name).into_iter().flat_map(|of| state.lost_by(of));
            player.lost = lost.map(|game| loss(history, game)).collect();
            PicturedPlayer { name, ..player }
        };
        let mut players: Vec<PicturedPlayer> = players.into_iter().map(finished).collect();
        let key = |player: &PicturedPlayer| player.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
        players.sort_by(|one, other| key(other).total_cmp(&key(one)));
        for (rank, player) in (1..).zip(players.iter_mut().take_while(|player| player.rating.is_some())) {
            player.rank = Some(rank);
        }
        players
    }

    /// By how much this rating of the player called `name` exceeds the player's rating of a week ago.
    fn change(&self, name: &str, rating: Option<PicturedRating>) -> Option<f64> {
        let (_, before) = self.week_ago.as_ref()?;
        Some(rating?.elo - before.get(name)?)
    }
}

/// The numbers of games that each player has won, drawn and lost.
fn results(counts: &LadderCounts, players: usize) -> Vec<Wdl> {
    let mut results = vec![Wdl::default(); players];
    for (black, white, games) in counts.pairs() {
        results[black] += games;
        results[white] += games.reversed();
    }
    results
}

fn rating(ratings: &LadderRatings, place: usize) -> Option<VersionRating> {
    ratings.get(place).copied().flatten()
}

/// A version with its rating and results.
fn version(known: &LadderPlayer, is_active: bool, (rating, results): (Option<VersionRating>, Wdl)) -> PicturedVersion {
    let (state, reason) = match &known.status {
        VersionStatus::Playing if is_active => (VersionWord::Playing, ""),
        VersionStatus::Playing => (VersionWord::Resting, ""),
        VersionStatus::Paused(reason) => (VersionWord::Paused, reason.as_str()),
        VersionStatus::Retired(reason) => (VersionWord::Retired, reason.as_str()),
    };
    let rating = rating.filter(|_| results.games() > 0);
    let origin = known.version.as_ref().map(handed_in).unwrap_or_default();
    PicturedVersion {
        name: sanitised(&known.name),
        state,
        reason: sanitised(reason),
        rating: rating.map(|rating| PicturedRating { elo: rating.elo.0, error95: rating.error95().0 }),
        results: [results.wins, results.draws, results.losses],
        ..origin
    }
}

/// What is known about a version when it arrives.
fn handed_in(entry: &HandInEntry) -> PicturedVersion {
    PicturedVersion {
        name: sanitised(&entry.name()),
        arrived: Some(entry.arrived.as_second()),
        door: sanitised(&entry.door),
        origin: sanitised(&entry.origin),
        ..PicturedVersion::default()
    }
}

/// A lost game in the ladder with this `history`.
fn loss(history: &LadderHistory, &LostFixture { number, fixture, side }: &LostFixture) -> LadderLoss {
    let [loser, winner] = [side, side.opponent()].map(|side| &history.players()[fixture.players()[side]]);
    let id = history.schedule().id_of(fixture).as_str().to_owned();
    LadderLoss { number, id, side, version: sanitised(&loser.name), opponent: owner(winner) }
}

/// The name of the player to which `known` belongs.
fn owner(known: &LadderPlayer) -> String {
    sanitised(known.version.as_ref().map_or(known.name.as_str(), |version| version.of.as_str()))
}

fn waits(owner: &str, arrived: WallTime) -> WaitingHandIn {
    let arrived = Timestamp::try_from(arrived).map_or(0, Timestamp::as_second);
    WaitingHandIn { player: sanitised(owner), arrived }
}
