//! The page of a ladder: the standings for guests, their own versions and lost games for the players, and everything
//! for the teacher.
//!
//! The keeper of the ladder makes an immutable picture of it, at most once a second, and this page answers from the
//! latest picture on a thread of its own. Clients can only read.
//!
//! | room | contents |
//! | --- | --- |
//! | `admission` | who sends a request |
//! | `judge` | the thread that finds the mistakes in lost games |
//! | `losses` | a lost game as its loser sees it |
//! | `markup` | the page |
//! | `picture` | the ladder at one moment; pure |
//! | `site` | the answer to each request |
//! | `views` | who sees what; pure |

mod admission;
mod judge;
mod losses;
mod markup;
pub(crate) mod picture;
mod site;
#[cfg(test)]
mod tests;
mod views;

use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime;
use tokio::sync::{oneshot, watch};
use tokio::task::LocalSet;

use admission::Doorkeeper;
use judge::Judge;
use site::{LeaderboardSite, SharedPicture};

use super::places::{page_address_file, token_store};
use super::tokens::SubmissionToken;
use crate::base::console;
use crate::base::files::write_whole;
use crate::base::machine::{keep_to, step_back};
use crate::base::percent::encoded;
use crate::base::sanitise::Shown as _;
use crate::base::time::{now, timeout_at};
use crate::game::Ruleset;
use crate::page::http::{self, Access, OpenedPage, SiteAnswers};
use crate::page::shown::leaderboard_policy;
use crate::run::event::Event;
use crate::run::listener::{Listener, ListenerContext};

/// The difference between the niceness of the page's thread and the niceness of the games.
const NICENESS: i32 = 5;

/// The time that clients have to read the last answers when the page shuts down.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How many files the page may have open besides its connections: a log, a report, the output of a bot, and the cache
/// of analyses with its replacement.
const OWN_FILES: u64 = 5;

/// Where the keeper of a ladder puts its pictures.
pub(crate) type PictureSender = watch::Sender<SharedPicture>;

/// Where the page finds the pictures.
pub(crate) type Pictures = watch::Receiver<SharedPicture>;

/// Both ends of the channel from the keeper of a ladder to its page.
pub(crate) fn pictures() -> (PictureSender, Pictures) {
    watch::channel(None)
}

/// The ladder that a page shows.
#[derive(Debug)]
pub(crate) struct LeaderboardPlan {
    /// The directory of the results.
    pub(crate) dir: PathBuf,
    /// The rules of the games.
    pub(crate) ruleset: Ruleset,
    pub(crate) pictures: Pictures,
}

/// A page that is being served.
#[derive(Debug)]
pub(crate) struct LeaderboardPage {
    quit: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// The link that shows everything.
    teacher: String,
}

/// Tells the page when the games begin.
#[derive(Debug)]
pub(crate) struct LeaderboardListener {
    begun: Option<oneshot::Sender<Vec<u32>>>,
    files: u64,
}

impl Listener for LeaderboardListener {
    fn begin(&mut self, context: &ListenerContext<'_>) {
        if let Some(begun) = self.begun.take() {
            // An error means that the page has ended, and no longer needs the CPUs.
            let _ = begun.send(context.spare_cpus.to_vec());
        }
    }

    /// The page gets everything from the keeper of the ladder.
    fn tell(&mut self, _: &Event) {}

    fn open_files(&self) -> u64 {
        self.files
    }
}

impl LeaderboardPage {
    /// Serves the page from now on.
    ///
    /// # Errors
    /// Fails if the thread or its runtime cannot be created, or if the system cannot provide random numbers.
    pub(crate) fn start(opened: OpenedPage, plan: LeaderboardPlan) -> io::Result<(Self, LeaderboardListener)> {
        let (url, outside_url, files) = (opened.url(), opened.outside_url(), opened.open_files() + OWN_FILES);
        let token = SubmissionToken::random()?;
        let teacher = player_link(&url, "", &token);
        let (listener, access) = opened.into_parts();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let ((quit, told_to_quit), (begun, begins)) = (oneshot::channel(), oneshot::channel());
        let doorkeeper = Doorkeeper::new(token_store(&plan.dir), &token);
        let run = move || {
            // An error means that the system does not support niceness.
            let _ = step_back(NICENESS);
            let begins = when_begun(begins, plan.dir.clone(), outside_url);
            LocalSet::new().block_on(&runtime, async {
                let beginning = tokio::task::spawn_local(begins);
                serve((listener, access), doorkeeper, plan, told_to_quit).await;
                beginning.abort();
            });
        };
        let thread = std::thread::Builder::new().name("leaderboard".to_owned()).spawn(run)?;
        let page = Self { quit: Some(quit), thread: Some(thread), teacher };
        Ok((page, LeaderboardListener { begun: Some(begun), files }))
    }

    /// The link that shows everything.
    pub(crate) fn teacher_link(&self) -> &str {
        &self.teacher
    }

    /// Ends the page.
    pub(crate) fn end(mut self) {
        self.quit = None;
        // A panic of the page's thread has already been printed, and is not a reason to lose a run.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The link to the page at `url` for the player called `name`, or for the teacher if `name` is empty.
pub(crate) fn player_link(url: &str, name: &str, token: &SubmissionToken) -> String {
    format!("{url}#{}:{}", encoded(name), token.text())
}

/// Prepares the page's thread once the games begin, and stores the address `url` for the links of players.
async fn when_begun(begins: oneshot::Receiver<Vec<u32>>, dir: PathBuf, url: String) {
    let Ok(cpus) = begins.await else { return };
    // If the system refuses, the thread runs on any CPU.
    let _ = keep_to(&cpus);
    let file = page_address_file(&dir);
    if let Err(error) = write_whole(&file, format!("{url}\n").as_bytes()) {
        console::warn(format_args!("could not write `{}`: {error}", file.shown()));
    }
}

/// Serves the page until `quit`, which also completes when its sender is dropped.
async fn serve(
    (listener, access): (TcpListener, Access),
    doorkeeper: Doorkeeper,
    plan: LeaderboardPlan,
    quit: oneshot::Receiver<()>,
) {
    let LeaderboardPlan { dir, ruleset, pictures } = plan;
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let Ok(answers) = SiteAnswers::new(&leaderboard_policy(), access) else { return };
    let judge = Judge::new(ruleset, dir.clone());
    let site = LeaderboardSite::new(answers, doorkeeper, pictures, (dir, judge));
    let (stop, stopped) = oneshot::channel();
    let serving = tokio::task::spawn_local(http::serve(listener, site, stopped));
    // A dropped sender also tells the page to quit.
    let _ = quit.await;
    drop(stop);
    let _ = timeout_at(now() + LAST_WORDS, serving).await;
}
