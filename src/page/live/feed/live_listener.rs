//! The end of the channel at which a run tells its page what happens.

use tokio::sync::mpsc::UnboundedSender;

use super::{BegunRun, FeedOrder, ShownRun, no_outputs};
use crate::page::live::state::LiveState;
use crate::page::shown::aliases::Aliases;
use crate::results::standings::PlayedSummary;
use crate::run::event::{Ended, Event};
use crate::run::journal::Ledger;
use crate::run::listener::{EventQueue, Listener, ListenerContext};

/// The maximum number of games that the page reports even though they ended before it was started.
const RECALLED: usize = 200;

/// The listener that feeds a page. It does as little as possible, since the results of all games must wait for it.
#[derive(Debug)]
pub(crate) struct LiveListener {
    pub(super) shown: ShownRun,
    pub(super) files: u64,
    pub(super) queue: EventQueue,
    pub(super) plan: UnboundedSender<FeedOrder>,
}

impl LiveListener {
    /// Sends `order`. It is not an error if the page's thread is gone.
    fn send(&self, order: FeedOrder) {
        let _ = self.plan.send(order);
    }
}

impl Listener for LiveListener {
    fn begin(&mut self, context: &ListenerContext<'_>) {
        let &ListenerContext { schedule, results, ledger, spare_cpus } = context;
        let state = LiveState::new(self.shown.premise(Some(schedule)), past(ledger));
        let is_test = schedule.clone().progress(results).is_some();
        let test = is_test.then(|| (schedule.clone(), results.clone()));
        let (cpus, aliases) = (spare_cpus.to_vec(), self.shown.aliases.as_ref().map(Aliases::json));
        let latest = ledger.latest(RECALLED).into_iter().map(str::to_owned).collect();
        self.send(FeedOrder::Begin(Box::new(BegunRun { state, test, cpus, aliases, latest })));
    }

    fn tell(&mut self, event: &Event) {
        let Event::Ended(Ended { game, number, record, again, .. }) = event else {
            self.queue.put(event);
            return;
        };
        // The page does not use the bots' outputs, which may be long.
        let (record, outputs, again) = (record.clone(), no_outputs(), *again);
        let ended = Ended { game: game.clone(), number: *number, record, outputs, again };
        if !self.queue.put(&Event::Ended(ended)) {
            self.send(FeedOrder::Overflow { id: game.clone(), number: *number });
        }
    }

    fn close(&mut self) {
        self.send(FeedOrder::Close);
    }

    fn open_files(&self) -> u64 {
        self.files
    }

    fn queue(&self) -> Option<EventQueue> {
        Some(self.queue.clone())
    }
}

/// The games in `ledger`, each with its number.
fn past(ledger: &Ledger) -> impl Iterator<Item = (u64, PlayedSummary)> {
    ledger.in_order().into_iter().map(|kept| (kept.number, kept.summary().to_summary()))
}
