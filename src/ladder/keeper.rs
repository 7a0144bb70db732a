//! Keeps a ladder going: accepts hand-ins from the doors, has them checked, decides which games are played, and carries
//! out the teacher's requests.
//!
//! Every decision is first written to the journal as a line, and takes effect once the line is on disk: see
//! [`crate::run::growth`]. A hand-in stays in the inbox, and a request in the mailbox, until its outcome is in the
//! journal.
//!
//! | room | contents |
//! | --- | --- |
//! | `opening` | the initial state of a ladder |
//! | `hand_ins` | checks and their verdicts |
//! | `membership`, `field`, `naps` | who plays; programs that this machine has prepared or could not prepare |
//! | `teacher`, `requests`, `reread` | the tournament file and the mailbox |
//! | `door_plan` | the plan of the doors |
//! | `spoiled` | games that the machine spoiled |
//! | `ending` | the freeze, and the end |
//! | `showing` | pictures for the page |
//! | `follower` | what is on disk |

mod door_plan;
mod ending;
mod field;
mod follower;
mod hand_ins;
mod membership;
mod naps;
mod opening;
mod requests;
mod reread;
mod showing;
mod spoiled;
mod teacher;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as StdError;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender};
use tokio::task::{JoinError, JoinHandle};

use self::ending::{ClosedDoors, ComingFreeze};
use self::field::{NewPlayer, PreparedPlayers, WokenPlayer};
use self::follower::LadderFact;
use self::hand_ins::{CheckCandidate, CheckInProgress};
use self::naps::Naps;
use self::requests::TeacherRequests;
use self::reread::TournamentFileWatch;
use self::showing::{Moment, Showing};
use self::spoiled::SpoiledGames;
use super::checking::CheckSite;
use super::doors::{DoorNews, Doors, DoorsError, SubmitNotPublic};
use super::hand_in::HandIn;
use super::leaderboard::PictureSender;
use super::queue::WaitingQueue;
use super::state::LadderState;
use crate::base::exit::Exit;
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{Instant, now, sleep_until, utc_now, wall_clock};
use crate::run::addition::Addition;
use crate::run::elsewhere::RunSlots;
use crate::run::entrants::Entrant;
use crate::run::event::Event;
use crate::run::growth::{GrowingField, Growth, GrowthContext, NoGrowth};
use crate::run::journal::JournalEntry;
use crate::tournament::ladder::Ladder;
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::{Player, Tournament};

/// How often the mailbox, the tournament file and the time are checked.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// What a ladder tells its teacher while it is played. All of it is printable text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LadderNews {
    /// Something that requires no action.
    Note(String),
    /// Something that the teacher should look at.
    Warning(String),
}

/// What a run needs to keep the ladder of a tournament file.
pub(crate) struct LadderKeeper {
    /// The tournament file; `None` if it cannot be read again.
    pub(crate) file: Option<PathBuf>,
    /// The file's players without versions.
    pub(crate) players: Vec<Player>,
    /// Whether uploads may come directly from other machines.
    pub(crate) is_submit_public: bool,
    /// A function that receives the news for the teacher.
    pub(crate) tell: Arc<dyn Fn(LadderNews) + Send + Sync>,
    /// Where pictures of the ladder go; `None` without a page.
    pub(crate) pictures: Option<PictureSender>,
}

impl std::fmt::Debug for LadderKeeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, players: _, is_submit_public, tell: _, pictures: _ } = self;
        f.debug_struct("LadderKeeper")
            .field("file", file)
            .field("is_submit_public", is_submit_public)
            .finish_non_exhaustive()
    }
}

impl GrowingField for LadderKeeper {
    fn grow<'a>(&'a self, context: GrowthContext<'a>) -> Pin<Box<dyn Future<Output = Result<Growth, NoGrowth>> + 'a>> {
        Box::pin(async move {
            let (keeping, additions, follower) = Keeping::open(self, context).map_err(no_growth)?;
            // Fitting the ratings of a large ladder takes up to a second, which must not delay the games.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| no_growth(error.into()))?;
            let task = tokio::task::spawn_blocking(move || runtime.block_on(keeping.keep()));
            Ok(Growth { additions, follower: Box::new(follower), task })
        })
    }
}

/// A ladder that cannot start because of `source`. Its tournament file may name an address for uploads that cannot be
/// used.
fn no_growth(source: Box<dyn StdError + Send + Sync>) -> NoGrowth {
    let is_of_address =
        source.is::<SubmitNotPublic>() || matches!(source.downcast_ref(), Some(DoorsError::Listen { .. }));
    NoGrowth { exit: if is_of_address { Exit::Usage } else { Exit::ArenaFailed }, source }
}

/// What happens once an entry about a player is on disk.
#[derive(Debug)]
struct SentEntry {
    /// The hand-in that is settled then.
    hand_in: Option<HandIn>,
    /// The player that plays from then on, with its program.
    joining: Option<(Player, Arc<Entrant>)>,
}

/// A ladder that is being played.
struct Keeping {
    state: LadderState,
    tournament: Arc<Tournament>,
    /// The tournament file's players without versions.
    file_players: Vec<Player>,
    ladder: Ladder,
    players: PreparedPlayers,
    site: CheckSite,
    slots: RunSlots,
    events: UnboundedSender<Event>,
    additions: UnboundedSender<Addition>,
    happened: UnboundedReceiver<LadderFact>,
    doors: Option<Doors>,
    news: Receiver<DoorNews>,
    closed: ClosedDoors,
    watch: Option<TournamentFileWatch>,
    tell: Arc<dyn Fn(LadderNews) + Send + Sync>,
    stop: StopSignal,
    queue: WaitingQueue<CheckCandidate>,
    check: Option<CheckInProgress>,
    waking: Option<JoinHandle<Vec<WokenPlayer>>>,
    /// The preparation of players that were added to the tournament file without versions.
    joining: Option<JoinHandle<Vec<NewPlayer>>>,
    /// What happens once the entries that were sent to the journal are on disk, by the name of the player.
    sent: BTreeMap<String, SentEntry>,
    /// Whether a decision on a game was sent to the journal but is not on disk yet.
    is_deciding: bool,
    /// Whether the end of the hand-ins was sent to the journal.
    is_freezing: bool,
    /// The freeze that the teacher requested but that has not happened yet.
    freeze: Option<ComingFreeze>,
    requests: TeacherRequests,
    spoiled: SpoiledGames,
    /// The programs that the machine could not prepare.
    naps: Naps,
    /// The new players without versions that cannot be prepared, each with the time of the next attempt, if there is
    /// one.
    unable: BTreeMap<String, Option<Instant>>,
    /// The versions whose change of status was sent to the journal but is not on disk yet.
    changing: BTreeSet<String>,
    /// Whether some players may have left the tournament file without having been retired.
    may_have_left: bool,
    /// The players with games, as last reported to the run.
    playing: BTreeSet<PlayerIndex>,
    showing: Showing,
}

impl Keeping {
    /// Keeps the ladder going until the run stops, or until it is frozen and all its games have been played.
    async fn keep(mut self) {
        let mut stop = self.stop.clone();
        let known = self.state.history().terms().map(|terms| (terms.active, terms.target_error));
        self.enter_terms(known);
        // The requests that the teacher has made in the meantime come first.
        self.poll();
        let mut next_poll = now() + POLL_EVERY;
        loop {
            self.act();
            if self.has_ended() {
                break;
            }
            self.show(false);
            tokio::select! {
                biased;
                () = stop.reached(Stop::Drain) => break,
                followed = self.happened.recv() => match followed {
                    Some(followed) => self.follow(followed),
                    None => break,
                },
                verdict = ended(self.check.as_mut().map(|check| &mut check.task)) => self.judge(verdict),
                woken = ended(self.waking.as_mut()) => self.wake(woken),
                prepared = ended(self.joining.as_mut()) => self.join(prepared),
                news = self.news.recv() => match news {
                    Some(news) => self.hear(news),
                    None => break,
                },
                () = sleep_until(next_poll) => {
                    next_poll = now() + POLL_EVERY;
                    self.poll();
                    // Only a change of the tournament file requires a new picture.
                    continue;
                }
            }
            self.showing.changed();
        }
        self.show(true);
        // Anything that the doors deliver from now on stays in the inbox.
        let doors = self.doors.take();
        drop(tokio::task::spawn_blocking(move || drop(doors)).await);
    }

    /// Makes a picture for the page if there is something new, or at the end. While there is no fit, the last picture
    /// stays: a fit for the page alone would change which games are played.
    fn show(&mut self, is_end: bool) {
        if is_end {
            self.state.fit(&self.ladder.terms);
        }
        if self.state.last_fit().is_none() || !(is_end || self.showing.is_due()) {
            return;
        }
        let checked = self.check.as_ref().map(|check| (check.turn.owner.clone(), check.turn.arrived));
        let moment = Moment {
            title: &self.tournament.name,
            ladder: &self.ladder,
            state: &self.state,
            waiting: self.queue.order(wall_clock()),
            checked,
            is_busy: self.is_deciding || self.waking.is_some(),
            is_end,
        };
        self.showing.show(&moment);
    }

    fn enter(&self, entry: JournalEntry) {
        // If the collector is gone, the run has failed, and reports the reason.
        let _ = self.events.send(Event::Enter(Box::new(entry)));
    }

    fn warn(&self, text: String) {
        (self.tell)(LadderNews::Warning(text));
    }

    /// Starts everything that can start now.
    fn act(&mut self) {
        self.obey();
        self.start_check();
        self.freeze_in_time();
        self.pause_who_fails();
        self.retire_who_left();
        self.let_join();
        self.start_waking();
        self.send_spoiled_again();
        self.decide();
        self.say_who_plays();
    }

    /// Decides on the next game, if there is room for one.
    fn decide(&mut self) {
        let is_settled = self.changing.is_empty() && !self.is_deciding && !self.is_freezing;
        if !is_settled || self.state.in_flight() >= self.wanted() + self.spoiled.len() {
            return;
        }
        let (players, naps) = (&self.players, &self.naps);
        let is_ready = |player| players.is_prepared(player) || naps.has_given_up(player);
        let pairing = self.state.next_pairing(&self.ladder.terms, is_ready, this_second());
        if let Some(pairing) = pairing {
            self.is_deciding = true;
            self.enter(JournalEntry::Pairing(pairing));
        }
    }

    /// How many games may be in flight at a time. With one game more than there are slots, no slot waits for a
    /// decision; with a single slot, every decision takes the results of all earlier games into account.
    fn wanted(&self) -> usize {
        match self.slots.now() {
            slots @ ..=1 => slots,
            slots => slots + 1,
        }
    }

    /// Processes what has happened in the run.
    fn follow(&mut self, followed: LadderFact) {
        match followed {
            LadderFact::Ended { number, outcome: Some(outcome), .. } => {
                self.spoiled.remove(number);
                self.state.end(number, outcome);
            }
            LadderFact::Ended { number, outcome: None, is_final } => {
                if is_final {
                    self.spoiled.add(number, now());
                }
            }
            LadderFact::Entered(entry) => self.take(&entry),
        }
    }

    /// Carries out the consequences of an entry that is on disk.
    fn take(&mut self, entry: &JournalEntry) {
        let game = match self.state.take(entry) {
            Ok(game) => game,
            // The journal has accepted the entry.
            Err(error) => unreachable!("{error}"),
        };
        match entry {
            JournalEntry::Pairing(_) => {
                self.is_deciding = false;
                if let Some(spec) = game {
                    self.send(spec);
                }
            }
            JournalEntry::Version(entry) => {
                self.settle(&entry.player.name);
                self.may_have_left = true;
            }
            JournalEntry::Refused(entry) => self.settle(&entry.version.name()),
            JournalEntry::Paused(entry) | JournalEntry::Retired(entry) => {
                self.changing.remove(&entry.version);
            }
            JournalEntry::Resumed(entry) => {
                self.changing.remove(&entry.version);
                self.prepare_again(&entry.version);
            }
            JournalEntry::Frozen(_) => self.take_freeze(),
            JournalEntry::Reopened(_) => self.change_doors(),
            _ => {}
        }
        self.fulfil(entry);
    }

    /// Adds the version called `name` to the field if it was accepted, and removes its hand-in from the inbox.
    fn settle(&mut self, name: &str) {
        let Some(SentEntry { hand_in, joining }) = self.sent.remove(name) else { return };
        if let Some((player, entrant)) = joining {
            let arena = self.players.add(player, entrant, &self.site);
            self.site.tournament = Arc::clone(&arena.tournament);
            let _ = self.additions.send(Addition::Arena(arena));
        }
        if let Some(hand_in) = &hand_in {
            self.remove(hand_in);
        }
    }

    /// Handles news from the doors.
    fn hear(&mut self, news: DoorNews) {
        match news {
            DoorNews::HandIn(hand_in) => {
                let (player, arrived) = (hand_in.player.to_string(), hand_in.arrived);
                self.queue.add(&player, arrived, CheckCandidate { hand_in, not_before: None });
            }
            DoorNews::Trouble { player, door, trouble } => {
                self.showing.trouble(player.as_str(), Some(&trouble));
                self.warn(format!("{player} (`{door}`): {trouble}"));
            }
            DoorNews::Mended { player, door } => {
                self.showing.trouble(player.as_str(), None);
                (self.tell)(LadderNews::Note(format!("{player} (`{door}`): the door is working again")));
            }
            DoorNews::Closed { player, closes } => {
                self.closed.insert(player, closes);
            }
            DoorNews::SubmitTrouble { trouble } => {
                self.showing.trouble("", Some(&trouble));
                self.warn(trouble);
            }
            DoorNews::SubmitMended => {
                self.showing.trouble("", None);
                (self.tell)(LadderNews::Note("the process that receives submissions is working again".to_owned()));
            }
        }
    }
}

/// The current time in whole seconds, which is enough for most journal entries.
fn this_second() -> Timestamp {
    Timestamp::from_second(utc_now().as_second()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Waits until `task` ends; waits forever if there is none.
async fn ended<T>(task: Option<&mut JoinHandle<T>>) -> Result<T, JoinError> {
    match task {
        Some(task) => task.await,
        None => std::future::pending().await,
    }
}

/// Resumes the panic of a task, which only a bug can cause.
fn resumed<T>(error: JoinError) -> T {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(error) => panic!("a ladder task was aborted: {error}"),
    }
}
