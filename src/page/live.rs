//! The live page of a run: shows its events over HTTP, on a separate thread.
//!
//! Input: the events of a run or of `serve`, through a bounded queue that drops events if it is full. Output: a page,
//! and a stream of events for it. Clients can only read.
//!
//! | room | contents |
//! | --- | --- |
//! | `answer` | the response to each path |
//! | `delay_line` | events that wait until the page shows them |
//! | `event_stream` | the stream of events to one client |
//! | `feed` | the source of the events: a run |
//! | `hub` | the state and the latest frames, shared by all clients |
//! | `idle_analysis` | the thread that analyzes games, if the user requests it |
//! | `serve_feed` | the events of `serve` |
//! | `state` | all events folded into one value; pure |
//! | `tried_moves` | the questions of readers who try moves |

mod answer;
mod delay_line;
mod event_stream;
mod feed;
#[cfg(fuzzing)]
pub(crate) mod fuzzed_site;
mod hub;
mod idle_analysis;
mod serve_feed;
#[cfg(test)]
mod site_tests;
mod state;
mod tried_moves;

use std::cell::RefCell;
use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use answer::{Archive, PageSite, StagePages};
use feed::Feed;
pub(crate) use feed::{LiveListener, RunSite, ShownRun, of_run};
use hub::{FRAME_EVERY, Hub};
use idle_analysis::{IdleAnalysis, IdleAnswer};
pub(crate) use serve_feed::{ServeTeller, of_serve, premise_of_serve};
use state::{LiveState, Premise, ServingTerms};
use tried_moves::TriedMoves;

use crate::base::machine::{keep_to, step_back};
use crate::base::time::{Instant, now, timeout_at};
use crate::page::http::{self, Access, FrameOrigin, OpenedPage, SiteAnswers};
use crate::page::shown::PageKind;

/// The interval at which events are drained. The clocks on the page lag by no more than this.
const DRAIN_EVERY: Duration = Duration::from_millis(50);

/// The difference between the niceness of the page's thread and the niceness of the games.
const NICENESS: i32 = 5;

/// The time that clients have to read the last events when the page shuts down.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a page is served.
#[derive(Clone, Debug, Default)]
pub(crate) struct Serving {
    /// How far the page is behind the events of its feed.
    pub delay: Duration,
    /// The origins whose pages may show a board in a frame.
    pub embedders: Vec<FrameOrigin>,
}

impl OpenedPage {
    /// Starts serving the page, which shows the events of `feed`. The feed itself delays the events.
    ///
    /// # Errors
    /// Fails if the thread or its runtime cannot be created.
    pub(crate) fn start(self, premise: Premise, serving: Serving, feed: impl Feed + 'static) -> io::Result<LivePage> {
        let (listener, access) = self.into_parts();
        // The runtime is created here, where an error can still be reported.
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (quit, told_to_quit) = oneshot::channel();
        let (tell_all_shown, all_shown) = oneshot::channel();
        let signals = PageSignals { quit: told_to_quit, all_shown: tell_all_shown };
        let run = move || {
            // An error means that the system does not support niceness.
            let _ = step_back(NICENESS);
            let state = LiveState::new(premise, []);
            LocalSet::new().block_on(&runtime, serve((listener, access), state, &serving, feed, signals));
        };
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(run)?;
        Ok(LivePage { quit: Some(quit), all_shown, thread: Some(thread) })
    }
}

/// A page that is being served.
#[derive(Debug)]
pub(crate) struct LivePage {
    quit: Option<oneshot::Sender<()>>,
    all_shown: oneshot::Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl LivePage {
    /// Waits until the page has shown all events of its feed, or has ended.
    pub(crate) async fn all_shown(&mut self) {
        // The sender is dropped if the page has ended.
        let _ = (&mut self.all_shown).await;
    }

    /// Ends the page once its clients have read the last events, or after a short wait.
    pub(crate) fn end(mut self) {
        self.quit = None;
        // If the page panicked, the panic has already been printed, and the run should not be lost because of it.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The signals between a page's thread and its owner.
struct PageSignals {
    /// Completes when the page should end, for example because the sender was dropped.
    quit: oneshot::Receiver<()>,
    /// Dropped once the page has shown everything.
    all_shown: oneshot::Sender<()>,
}

/// Serves the page until it is told to quit.
async fn serve(
    (listener, access): (TcpListener, Access),
    mut state: LiveState,
    serving: &Serving,
    mut feed: impl Feed,
    signals: PageSignals,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let answers = feed.analyzes();
    state.serve_under(ServingTerms { delay: serving.delay, answers });
    let Ok(stages) = StagePages::new(state.title(), &serving.embedders) else { return };
    let hub = Hub::new(state);
    let Ok(site_answers) = SiteAnswers::new(&PageKind::Live.policy(), access) else { return };
    let archive = feed.archive();
    let tried = answers.then(Rc::<RefCell<TriedMoves>>::default);
    let site = PageSite {
        answers: site_answers,
        hub: Rc::clone(&hub),
        archive: Rc::clone(&archive),
        stages: Rc::new(stages),
        tried: tried.clone(),
    };
    let (stop, stopped) = oneshot::channel();
    let serving_task = tokio::task::spawn_local(http::serve(listener, site, stopped));
    let desk = AnalysisDesk { hub: Rc::clone(&hub), archive, tried };
    let PageSignals { mut quit, all_shown } = signals;
    let mut is_told = false;
    let (mut next_frame, mut idle) = (now(), None);
    let is_open = loop {
        let is_open = turn(&hub, &mut feed, &mut next_frame);
        if !is_open || is_told {
            break is_open;
        }
        // The analysis thread inherits this thread's CPU affinity.
        idle = idle.or_else(|| feed.idle_analysis());
        desk.hand_out(idle.as_mut());
        is_told = timeout_at(now() + DRAIN_EVERY, &mut quit).await.is_ok();
    };
    // A page that ends early must not show events that are still held back, and must not say that the run is over.
    if !is_open || serving.delay.is_zero() {
        hub.update(LiveState::finish);
        hub.publish();
        hub.end();
    }
    drop(all_shown);
    while !is_told && idle.is_some() {
        desk.hand_out(idle.as_mut());
        hub.publish();
        is_told = timeout_at(now() + DRAIN_EVERY, &mut quit).await.is_ok();
    }
    if !is_told {
        // A dropped sender also tells the page to quit.
        let _ = quit.await;
    }
    drop(idle);
    drop(stop);
    let _ = timeout_at(now() + LAST_WORDS, serving_task).await;
}

/// Hands out work to the thread that analyzes games, and takes its results.
struct AnalysisDesk {
    hub: Rc<Hub>,
    archive: Archive,
    tried: Option<Rc<RefCell<TriedMoves>>>,
}

impl AnalysisDesk {
    /// Takes the result of `idle`. If `idle` is free, gives it the next question from a reader or, if there is none,
    /// the next game.
    fn hand_out(&self, idle: Option<&mut IdleAnalysis>) {
        let Some(idle) = idle else { return };
        let Self { hub, archive, tried } = self;
        match idle.answer() {
            Some(IdleAnswer::Game(shown_id, values)) => hub.update(|state| state.analyzed(&shown_id, values)),
            Some(IdleAnswer::Position(found)) => {
                if let Some(tried) = tried {
                    tried.borrow_mut().found(found);
                }
            }
            None => {}
        }
        if !idle.is_free() {
            return;
        }
        if let Some(moves) = tried.as_ref().and_then(|tried| tried.borrow_mut().next(hub.at())) {
            idle.value(hub.update(|state| state.ruleset()), moves);
        } else if let Some(shown_id) = hub.update(LiveState::next_to_analyze)
            && let Some(record) = hub.update(|state| state.id(&shown_id).and_then(|id| archive(id)))
            && let Ok(record) = record.into_two()
        {
            idle.analyze(shown_id, record);
        }
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
