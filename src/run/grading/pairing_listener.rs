//! Tells how the games of a student with a baseline get on.

use super::{GradingNews, SpoiledThing};
use crate::run::event::{Ended, Event};
use crate::run::listener::{Listener, Outset};
use crate::tournament::rubric::Baseline;

/// Passes on what the user of a grading should know of one of its many runs.
pub(super) struct PairingListener<'a> {
    pub(super) news: &'a dyn Fn(GradingNews<'_>),
    pub(super) player: &'a str,
    pub(super) baseline: Baseline,
    /// How many games there will be.
    pub(super) games: u32,
    /// How many of them have ended.
    pub(super) ended: usize,
}

impl Listener for PairingListener<'_> {
    fn begin(&mut self, outset: &Outset<'_>) {
        self.ended = outset.results.len();
        self.tell_progress();
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Building { player } => (self.news)(GradingNews::Building { player }),
            Event::Ended(Ended { record, again, .. }) => {
                let (player, again) = (self.player, again.is_some());
                let what = SpoiledThing::Game(record.game.as_deref().unwrap_or_default());
                (self.news)(match &record.result {
                    Err(void) => GradingNews::Void { player, what, reason: &void.reason, again },
                    Ok(_) => GradingNews::Done { player, what },
                });
                if !again {
                    self.ended += 1;
                    self.tell_progress();
                }
            }
            _ => {}
        }
    }
}

impl PairingListener<'_> {
    fn tell_progress(&self) {
        let Self { player, baseline, games, ended, .. } = *self;
        (self.news)(GradingNews::Playing { player, baseline, games, ended });
    }
}
