//! The block of a run on the terminal, which is drawn by a separate thread.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::block::RunBlock;
use super::leaders::Leaders;
use super::terminal_title::TerminalTitle;
use crate::base::console;
use crate::base::time::{Instant, now};
use crate::run::event::{Ended, Event};
use crate::run::listener::{EventQueue, EventReader, event_queue};

/// How often the block is drawn.
const DRAWN_EVERY: Duration = Duration::from_millis(100);

/// How many starts and moves may wait for the next drawing. A fast run makes several thousand moves between two
/// drawings; moves that do not fit are not shown.
const CAPACITY: usize = 4096;

/// The width of a terminal that does not report its width.
const WIDTH: usize = 80;

/// A block on the terminal.
#[derive(Debug)]
pub(super) struct BlockScreen {
    bar: ProgressBar,
    block: Arc<Mutex<RunBlock>>,
    /// Dropped in order to end the thread.
    life: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl BlockScreen {
    /// Shows `block` with the `leaders`. The thread reads starts and moves from `reader`. Without a thread, there is no
    /// block, and the lines are still printed.
    pub(super) fn show(block: RunBlock, leaders: Leaders, reader: EventReader) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // The template is a constant; if indicatif rejected it, the block would have its default style.
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let block = Arc::new(Mutex::new(block));
        let (life, lives) = channel();
        let (drawn, state) = (bar.clone(), Arc::clone(&block));
        let drawing = move || {
            let mut source = BlockSource { begun: now(), reader, leaders, title: TerminalTitle::take_over() };
            loop {
                draw(&drawn, &state, &mut source);
                if lives.recv_timeout(DRAWN_EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(drawing).ok();
        Self { bar, block, life: Some(life), thread }
    }

    /// A queue for starts and moves, and the end at which the thread reads them.
    pub(super) fn queue() -> (EventQueue, EventReader) {
        event_queue(CAPACITY)
    }

    /// Records the end of a game.
    pub(super) fn end(&self, ended: &Ended) {
        locked(&self.block).end(&ended.game, &ended.record);
    }

    /// Prints `text` above the block.
    pub(super) fn print(&self, text: String) {
        self.bar.println(text);
    }

    /// Removes the block.
    pub(super) fn close(mut self) {
        drop(self.life.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported, and the run is over.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// The state that only the drawing thread uses.
struct BlockSource {
    begun: Instant,
    reader: EventReader,
    leaders: Leaders,
    title: Option<TerminalTitle>,
}

/// Reads the new events, and draws the block.
fn draw(bar: &ProgressBar, shared: &Mutex<RunBlock>, source: &mut BlockSource) {
    let elapsed = source.begun.elapsed();
    // Ratings are fitted while the block is not locked, so that no result waits for them.
    for game in locked(shared).take_results() {
        source.leaders.add(&game);
    }
    let leaders = source.leaders.line(elapsed);
    let mut block = locked(shared);
    // The queue is bounded, but more events may arrive while it is being read.
    for event in std::iter::from_fn(|| source.reader.ready()).take(CAPACITY) {
        if !matches!(event, Event::Ended(_)) {
            block.hear(&event, elapsed);
        }
    }
    let (text, count) = (block.text(console::columns().unwrap_or(WIDTH), elapsed, leaders), block.count());
    drop(block);
    if let Some(title) = &mut source.title {
        title.show(count);
    }
    bar.set_message(text);
}

/// Locks the block, even if a thread has panicked while holding the lock: every state of the block can be drawn.
fn locked(block: &Mutex<RunBlock>) -> MutexGuard<'_, RunBlock> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}
