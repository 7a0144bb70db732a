//! Progress reports of a drill.

use tokio::sync::mpsc::UnboundedSender;

use crate::base::stop::StopSignal;
use crate::drill::readiness::{SkipReason, Trial};
use crate::drill::script::{BotSeat, Scenario};

/// An event in a drill.
#[derive(Debug)]
pub(crate) enum DrillNews {
    /// A game is about to begin.
    Begins {
        /// The player's index.
        player: usize,
        /// The scenario.
        scenario: &'static Scenario,
        /// The bot's side or seat.
        side: BotSeat,
        /// The index of the game in the scenario.
        game: u32,
    },
    /// A fault of the machine has spoiled a game.
    Void {
        /// The player's index.
        player: usize,
        /// The scenario.
        scenario: &'static Scenario,
        /// The bot's side or seat.
        side: BotSeat,
        /// The index of the game in the scenario.
        game: u32,
        /// The reason, as hostile text.
        why: String,
    },
    /// A trial has ended or was skipped.
    Ended {
        /// The player's index.
        player: usize,
        /// The trial's outcome.
        trial: Box<Trial>,
        /// Whether the trial is finished. An interrupted drill skips second tries.
        is_finished: bool,
    },
}

/// A trial to be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// The player's index.
    pub(super) player: usize,
    /// The bot's side or seat.
    pub(super) side: BotSeat,
    /// The scenario.
    pub(super) scenario: &'static Scenario,
}

/// The listener of a drill, and the signal that ends the drill.
pub(super) struct DrillCall<'a> {
    /// Receives the drill's events.
    pub(super) told: &'a UnboundedSender<DrillNews>,
    /// Asks the drill to end.
    pub(super) stop: StopSignal,
}

impl DrillCall<'_> {
    pub(super) fn begins(&self, Due { player, side, scenario }: Due, game: u32) {
        // The listener may be gone.
        let _ = self.told.send(DrillNews::Begins { player, scenario, side, game });
    }

    pub(super) fn is_void(&self, Due { player, side, scenario }: Due, game: u32, why: &str) {
        let why = why.to_owned();
        // The listener may be gone.
        let _ = self.told.send(DrillNews::Void { player, scenario, side, game, why });
    }

    pub(super) fn tell(&self, player: usize, trial: Trial, is_finished: bool) {
        // The listener may be gone.
        let _ = self.told.send(DrillNews::Ended { player, trial: Box::new(trial), is_finished });
    }

    pub(super) fn skip(&self, Due { player, side, scenario }: Due, why: SkipReason) {
        self.tell(player, Trial::skipped(scenario, side, why), false);
    }
}
