//! Reports the progress of a student's games against a baseline.

use super::{GradingNews, SpoiledThing};
use crate::course::rubric::Baseline;
use crate::run::event::{Ended, Event};
use crate::run::listener::{Listener, ListenerContext};

/// Passes news about one of the many runs on to the user of `grade`.
pub(super) struct PairingListener<'a> {
    pub(super) news: &'a dyn Fn(GradingNews<'_>),
    pub(super) player: &'a str,
    pub(super) baseline: Baseline,
    /// The total number of games.
    pub(super) games: u32,
    /// The number of games that have ended.
    pub(super) ended: usize,
}

impl Listener for PairingListener<'_> {
    fn begin(&mut self, context: &ListenerContext<'_>) {
        self.ended = context.results.len();
        self.tell_progress();
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Building { player } => (self.news)(GradingNews::Building { player }),
            Event::Ended(Ended { record, again, .. }) => {
                let (player, again) = (self.player, again.is_some());
                let what = SpoiledThing::Game(record.game().unwrap_or_default());
                (self.news)(match record.void() {
                    Some(void) => GradingNews::Void { player, what, reason: &void.reason, again },
                    None => GradingNews::Done { player, what },
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::run::journal::{FORMAT, Header, Ledger};
    use crate::tournament::Tournament;
    use crate::tournament::definition::Definition;
    use crate::tournament::schedule::{Decided, GameId, Results, Schedule};

    #[test]
    fn a_grading_that_goes_on_counts_from_the_games_that_have_ended() {
        let player = |name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
        let text = format!("rounds = 20\n{}{}", player("ada"), player("greedy"));
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let (definition, players) = (Definition::from(&tournament), Vec::new());
        let (program, digest) = (String::new(), definition.digest());
        let header = Header { format: FORMAT, program, digest, definition, players, shard: None };
        let ledger = Ledger::new(header).unwrap_or_else(|error| panic!("{error}"));
        let told = RefCell::new(Vec::new());
        let news = |news: GradingNews<'_>| {
            if let GradingNews::Playing { games, ended, .. } = news {
                told.borrow_mut().push((ended, games));
            }
        };
        for kept in [0, 3] {
            let baseline = "greedy".parse().expect("a baseline");
            let mut listener = PairingListener { news: &news, player: "ada", baseline, games: 20, ended: 0 };
            let results: Results =
                (1..=kept).map(|round| (GameId::new(round, "ada", "greedy", 1), Decided::Drawn)).collect();
            let schedule = Schedule::new(&tournament);
            listener.begin(&ListenerContext {
                schedule: &schedule,
                results: &results,
                ledger: &ledger,
                spare_cpus: &[],
            });
        }
        assert_eq!(*told.borrow(), [(0, 20), (3, 20)]);
    }
}
