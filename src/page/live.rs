//! The live page of a run: shows its events over HTTP, on a separate thread.
//!
//! Input: the events of a run or of `serve`, through a bounded queue that drops events if it is full. Output: a page,
//! and a stream of events for it. Clients can only read.
//!
//! | room | contents |
//! | --- | --- |
//! | `answer` | the response to each path |
//! | `event_stream` | the stream of events to one client |
//! | `feed` | the source of the events: a run |
//! | `hub` | the state and the latest frames, shared by all clients |
//! | `idle_analysis` | the thread that analyzes games, if the user requests it |
//! | `serve_feed` | the events of `serve` |
//! | `state` | all events folded into one value; pure |

mod answer;
mod event_stream;
mod feed;
mod hub;
mod idle_analysis;
mod serve_feed;
mod state;

use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use answer::{Archive, PageSite};
use feed::Feed;
pub(crate) use feed::{LiveListener, RunSite, ShownRun, of_run};
use hub::{FRAME_EVERY, Hub};
use idle_analysis::IdleAnalysis;
pub(crate) use serve_feed::{ServeTeller, of_serve, premise_of_serve};
use state::{LiveState, Premise};

use crate::base::machine::{keep_to, step_back};
use crate::base::time::{Instant, now, timeout_at};
use crate::page::http::{self, Access, OpenedPage, SiteAnswers};
use crate::page::shown::PageKind;

/// The interval at which events are drained. The clocks on the page lag by no more than this.
const DRAIN_EVERY: Duration = Duration::from_millis(50);

/// The difference between the niceness of the page's thread and that of the games.
const NICENESS: i32 = 5;

/// The time that clients have to read the last events when the page shuts down.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl OpenedPage {
    /// Serves the page from now on, with the events of `feed`.
    ///
    /// # Errors
    /// Fails if the thread or its runtime cannot be created.
    pub(crate) fn start(self, premise: Premise, feed: impl Feed + 'static) -> io::Result<LivePage> {
        let (listener, access) = self.into_parts();
        // The runtime is created here, where an error can still be reported.
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (quit, told_to_quit) = oneshot::channel();
        let run = move || {
            // An error means that the system does not support niceness.
            let _ = step_back(NICENESS);
            LocalSet::new()
                .block_on(&runtime, serve(listener, access, LiveState::new(premise, []), feed, told_to_quit));
        };
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(run)?;
        Ok(LivePage { quit: Some(quit), thread: Some(thread) })
    }
}

/// A page that is being served.
#[derive(Debug)]
pub(crate) struct LivePage {
    quit: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LivePage {
    /// Ends the page after its clients have read the last events or have had a moment to do so.
    pub(crate) fn end(mut self) {
        self.quit = None;
        // A panic of the page has already been printed, and is not a reason to lose a run.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Serves the page until `quit`, which also completes when its sender is dropped.
async fn serve(
    listener: TcpListener,
    access: Access,
    state: LiveState,
    mut feed: impl Feed,
    mut quit: oneshot::Receiver<()>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let hub = Hub::new(state);
    let Ok(answers) = SiteAnswers::new(PageKind::Live.policy(), access) else { return };
    let archive = feed.archive();
    let site = PageSite { answers, hub: Rc::clone(&hub), archive: Rc::clone(&archive) };
    let (stop, stopped) = oneshot::channel();
    let serving = tokio::task::spawn_local(http::serve(listener, site, stopped));
    let mut is_told = false;
    let (mut next_frame, mut idle) = (now(), None);
    while turn(&hub, &mut feed, &mut next_frame) && !is_told {
        // The thread of the analysis inherits the CPU affinity of this one.
        idle = idle.or_else(|| feed.idle_analysis());
        analyze_next(&hub, idle.as_mut(), &archive);
        is_told = timeout_at(now() + DRAIN_EVERY, &mut quit).await.is_ok();
    }
    hub.update(LiveState::finish);
    hub.publish();
    hub.end();
    while !is_told && idle.is_some() {
        analyze_next(&hub, idle.as_mut(), &archive);
        hub.publish();
        is_told = timeout_at(now() + DRAIN_EVERY, &mut quit).await.is_ok();
    }
    if !is_told {
        // A dropped sender also tells the page to quit.
        let _ = quit.await;
    }
    drop(idle);
    drop(stop);
    let _ = timeout_at(now() + LAST_WORDS, serving).await;
}

/// Collects the result of `idle`, and gives it the next game once it is free.
fn analyze_next(hub: &Hub, idle: Option<&mut IdleAnalysis>, archive: &Archive) {
    let Some(idle) = idle else { return };
    if let Some((shown_id, values)) = idle.answer() {
        hub.update(|state| state.analyzed(&shown_id, values));
    }
    if idle.is_free()
        && let Some(shown_id) = hub.update(LiveState::next_to_analyze)
        && let Some(record) = hub.update(|state| state.id(&shown_id).and_then(|id| archive(id)))
        && let Ok(record) = record.into_two()
    {
        idle.ask(shown_id, record);
    }
}

/// Drains the pending events, and makes a frame if one is due. Returns whether more events may follow.
fn turn(hub: &Hub, feed: &mut impl Feed, next_frame: &mut Instant) -> bool {
    let at = hub.at();
    let is_open = hub.update(|state| feed.drain(state, at));
    if let Some(cpus) = feed.cpus() {
        // If the system refuses, the thread runs on any CPU.
        let _ = keep_to(&cpus);
    }
    if hub.update(|state| state.wants_fit(at)) {
        let begun = now();
        hub.update(LiveState::fit);
        hub.update(|state| state.rest_from_fits(at, begun.elapsed()));
    }
    if now() >= *next_frame {
        *next_frame = now() + FRAME_EVERY;
        hub.publish();
    }
    is_open
}
