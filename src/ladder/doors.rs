//! The doors of a ladder: the ways new versions of players' bots arrive during a run.
//!
//! Input: a plan, which names a door for each player and may change at any time. Output: [`DoorNews`] over a channel.
//! The doors run on their own thread. An unresponsive repository or an unreadable directory does not delay other
//! players.
//!
//! | room | contents |
//! | --- | --- |
//! | `folder` | the first door: a directory |
//! | `git` | the second door: a Git repository |
//! | `submit` | the third door: uploads over HTTP, received by a process that may write to one directory only |
//! | `stillness` | when a directory that is being written counts as complete |
//! | `day_limit` | how many versions a player may hand in per day |
//! | `intake` | unpacks what arrived into the inbox |
//! | `stored_hand_in` | what is known about a hand-in, stored on disk |
//! | `inbox_listing` | the hand-ins in the inbox, for `ladder status` |
//! | `teacher` | what the teacher adds for a player |
//! | `desk` | what the doors share |
//! | `door_terms` | when one door closes, which may change |

mod day_limit;
mod desk;
mod door_terms;
mod folder;
mod git;
mod inbox_listing;
mod intake;
mod stillness;
mod stored_hand_in;
mod submit;
mod teacher;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use thiserror::Error;
use tokio::runtime;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, LocalSet, spawn_local};

use day_limit::DayLimit;
use desk::DoorDesk;
use door_terms::DoorTerms;
pub(crate) use folder::FolderDoor;
#[cfg(fuzzing)]
pub(crate) use git::fuzzed_repository;
pub(crate) use git::{GitCredential, GitDoor};
pub(crate) use inbox_listing::listed;
use intake::Intake;
pub(in crate::ladder) use submit::MOST_UPLOAD;
use submit::SubmitHall;
#[cfg(fuzzing)]
pub(crate) use submit::fuzzed_door;
pub(crate) use submit::{SubmitAddress, SubmitNotPublic, run_submission_door};
pub(crate) use teacher::{AddError, add, added, discard, sweep};

use super::hand_in::{DoorKind, HandIn};
use super::tokens::TokenStore;
use crate::base::machine::{not_listening, step_back};
use crate::base::sanitise::Shown as _;
use crate::base::time::{WallTime, now, sleep_until, wall_clock};
use crate::course::unpacking::SubmissionBounds;
use crate::host::sandbox::Cage;
use crate::tournament::PlayerName;

/// The difference between the niceness of the doors' thread and the niceness of the games.
const NICENESS: i32 = 5;

/// The interval between the first looks at two repositories, so that a class does not start a `git` for every player at
/// the same moment.
const STAGGER: Duration = Duration::from_millis(200);

/// The players' doors, and their limits.
#[derive(Clone, Debug)]
pub(crate) struct DoorsPlan {
    /// The players that hand in versions, each with its door.
    pub(crate) players: Vec<PlayerDoor>,
    /// The limits of the sources of one version.
    pub(crate) bounds: SubmissionBounds,
    /// The interval at which directories and repositories are examined.
    pub(crate) poll: Duration,
    /// How many versions a player may hand in within 24 hours.
    pub(crate) versions_per_day: NonZeroUsize,
}

/// A player, and how its versions arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayerDoor {
    pub(crate) name: PlayerName,
    pub(crate) entrance: Entrance,
    /// When the door closes; `None` if it stays open.
    pub(crate) closes: Option<WallTime>,
    /// The digest of the player's last hand-in, according to the journal.
    pub(crate) last_digest: Option<String>,
    /// The times at which the player handed in versions during the last 24 hours, according to the journal.
    pub(crate) recent: Vec<WallTime>,
}

/// The door of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entrance {
    /// A directory.
    Folder(FolderDoor),
    /// A Git repository.
    Git(GitDoor),
    /// Uploads.
    Submit,
}

/// What the doors need from a run.
#[derive(Debug)]
pub(crate) struct DoorPlaces {
    /// A directory that belongs to the doors and to `ladder add`, in the directory of the run, so that files can be
    /// moved between the two directories.
    pub(crate) inbox: PathBuf,
    /// The digests of the tokens for uploads.
    pub(crate) tokens: TokenStore,
    /// How programs are confined; `None` if they are not.
    pub(crate) cage: Option<Arc<Cage>>,
    /// Where uploads arrive; `None` if there is no door for uploads.
    pub(crate) submit: Option<SubmitAddress>,
}

/// What the doors report to a run.
#[derive(Debug)]
pub(crate) enum DoorNews {
    /// Something was handed in.
    HandIn(HandIn),
    /// A player's door does not work. The trouble is printable text for the teacher that says what to do.
    Trouble {
        /// The player.
        player: PlayerName,
        /// Its door.
        door: DoorKind,
        /// What is wrong.
        trouble: String,
    },
    /// A door is working again after reported trouble.
    Mended {
        /// The player.
        player: PlayerName,
        /// Its door.
        door: DoorKind,
    },
    /// A player's door has closed, and everything that arrived in time has been delivered. If a later plan moves the
    /// closing time, the door opens again, and its next closing is also reported.
    Closed {
        /// The player.
        player: PlayerName,
        /// The closing time of the door, according to the plan.
        closes: WallTime,
    },
    /// The door for uploads does not work for any player.
    SubmitTrouble {
        /// What is wrong, as printable text.
        trouble: String,
    },
    /// The door for uploads is working again after reported trouble.
    SubmitMended,
}

/// The directory in the inbox in which sources are unpacked.
const TREES: &str = "trees";

/// The directory in the inbox in which uploads stay until they are settled.
const UPLOADS: &str = "uploads";

/// Why the doors cannot be opened.
#[derive(Debug, Error)]
pub(crate) enum DoorsError {
    /// The address for uploads is not available.
    #[error("{} for submissions (`submit`)", not_listening(*address, source))]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The inbox cannot be used.
    #[error("cannot use `{}` as the ladder's inbox", path.shown())]
    Inbox {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The thread cannot be started.
    #[error("cannot start the thread that serves the doors")]
    Thread(#[source] io::Error),
}

/// The open doors of a ladder. The doors close when this is dropped.
#[derive(Debug)]
pub(crate) struct Doors {
    /// The plans, one after another. The doors close once the sender is dropped.
    plans: Option<mpsc::UnboundedSender<DoorsPlan>>,
    thread: Option<JoinHandle<()>>,
    submit_url: Option<String>,
}

impl Doors {
    /// Opens the doors. News is sent over `news`; while nothing receives it, nothing more is taken in.
    ///
    /// # Errors
    /// Fails if an address or a directory cannot be used, or if the thread cannot be started.
    pub(crate) fn open(plan: DoorsPlan, places: DoorPlaces, news: mpsc::Sender<DoorNews>) -> Result<Self, DoorsError> {
        let DoorPlaces { inbox, tokens, cage, submit } = places;
        let unusable = |source| DoorsError::Inbox { path: inbox.clone(), source };
        fs::create_dir_all(&inbox).map_err(unusable)?;
        let intake = Intake::in_dir(inbox.join(TREES)).map_err(unusable)?;
        let listener = submit.map(SubmitAddress::bind).transpose()?;
        let submit_url = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let submit_url = submit_url.map(|address| format!("http://{address}/submit/"));
        let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(DoorsError::Thread)?;
        let (plans, coming) = mpsc::unbounded_channel();
        let since = wall_clock();
        let run = move || {
            // An error means that the system does not support niceness.
            let _ = step_back(NICENESS);
            let day = DayLimit::new(plan.versions_per_day);
            let desk = DoorDesk::new((intake, inbox), cage, (plan.bounds, plan.poll), day, news);
            LocalSet::new().block_on(&runtime, attend(Rc::new(desk), plan, coming, listener, (tokens, since)));
        };
        let thread = std::thread::Builder::new().name("doors".to_owned()).spawn(run).map_err(DoorsError::Thread)?;
        Ok(Self { plans: Some(plans), thread: Some(thread), submit_url })
    }

    /// Changes the players, their doors and the limits. Doors that are the same in both plans stay open. If the closing
    /// time of a door is moved to a time that has just passed, the door looks one last time, and whatever it finds
    /// counts as having arrived at that time.
    pub(crate) fn change(&self, plan: DoorsPlan) {
        // An error means that the thread has panicked; the panic has been printed.
        let _ = self.plans.as_ref().map(|plans| plans.send(plan));
    }

    /// The beginning of the address to which a player uploads; the player's name is appended to it. `None` if there is
    /// no door for uploads.
    pub(crate) fn submit_url(&self) -> Option<&str> {
        self.submit_url.as_deref()
    }
}

impl Drop for Doors {
    fn drop(&mut self) {
        self.plans = None;
        // A panic of the thread has already been printed, and is not a reason to lose a run.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A door that is being attended to. The door closes permanently when this is dropped.
struct AttendedDoor {
    entrance: Entrance,
    terms: Rc<DoorTerms>,
    task: AbortHandle,
}

impl Drop for AttendedDoor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Attends to the doors until no more plans can arrive. The doors in the first `plan` have been open since `since`.
async fn attend(
    desk: Rc<DoorDesk>,
    mut plan: DoorsPlan,
    mut coming: mpsc::UnboundedReceiver<DoorsPlan>,
    listener: Option<TcpListener>,
    (tokens, mut since): (TokenStore, WallTime),
) {
    let mut open: HashMap<PlayerName, AttendedDoor> = HashMap::new();
    let hall = listener.map(|listener| Rc::new(SubmitHall::new(Rc::clone(&desk), listener, tokens)));
    let mut known = HashSet::new();
    know(&desk, &mut known, &plan);
    {
        let mut delivering = pin!(desk.deliver_left());
        loop {
            tokio::select! {
                biased;
                next = coming.recv() => match next {
                    Some(next) => plan = next,
                    None => return,
                },
                () = &mut delivering => break,
            }
        }
    }
    if let Some(hall) = &hall {
        // No upload is let in before this task waits for a plan. By then, the players have been admitted.
        submit::open(hall).await;
    }
    loop {
        desk.bounds.set(plan.bounds);
        desk.poll.set(plan.poll);
        desk.day.borrow_mut().allow(plan.versions_per_day);
        know(&desk, &mut known, &plan);
        if let Some(hall) = &hall {
            hall.admit(&plan.players);
        }
        open.retain(|name, door| {
            plan.players.iter().any(|player| player.name == *name && player.entrance == door.entrance)
        });
        for (number, player) in (0..).zip(&plan.players) {
            match open.get(&player.name) {
                Some(door) => door.terms.change(player.closes),
                None => {
                    let terms = Rc::new(DoorTerms::new(player.closes));
                    let (desk, hall, opened) = (Rc::clone(&desk), hall.clone(), (since, STAGGER * number));
                    let task = spawn_local(keep_open(desk, hall, player.clone(), Rc::clone(&terms), opened));
                    let task = task.abort_handle();
                    let entrance = player.entrance.clone();
                    open.insert(player.name.clone(), AttendedDoor { entrance, terms, task });
                }
            }
        }
        match coming.recv().await {
            Some(next) => (plan, since) = (next, wall_clock()),
            None => return,
        }
    }
}

/// Records what the journal says about the players of `plan` that are new. From then on, the doors themselves keep
/// track of the players.
fn know(desk: &DoorDesk, known: &mut HashSet<PlayerName>, plan: &DoorsPlan) {
    for player in &plan.players {
        if known.insert(player.name.clone()) {
            desk.know(player);
        }
    }
}

/// Attends to the door of `player` forever: a door that has closed may be opened again. The door has been open since
/// `opened`. A repository is first examined after a delay of `later`.
async fn keep_open(
    desk: Rc<DoorDesk>,
    hall: Option<Rc<SubmitHall>>,
    player: PlayerDoor,
    terms: Rc<DoorTerms>,
    (mut opened, later): (WallTime, Duration),
) {
    let PlayerDoor { name, entrance, .. } = player;
    if matches!(entrance, Entrance::Git(_)) {
        sleep_until(now() + later).await;
    }
    loop {
        let closes = match &entrance {
            Entrance::Folder(door) => folder::watch(&desk, &name, door, (&terms, opened)).await,
            Entrance::Git(door) => git::watch(&desk, &name, door, (&terms, opened)).await,
            Entrance::Submit => submit::watch(hall.as_deref(), &name, &terms).await,
        };
        // If the receiver is gone, the arena is ending.
        let _ = desk.news.send(DoorNews::Closed { player: name.clone(), closes }).await;
        while terms.closes() == Some(closes) {
            terms.changed().await;
        }
        opened = wall_clock();
    }
}

#[cfg(test)]
mod tests;
