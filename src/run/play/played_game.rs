//! Creates the record of a game that has been played.

use super::Arena;
use super::starved_bots::{failures, may_be_for_lack};
use crate::base::time::today;
use crate::game::{BySeat, Seat};
use crate::host::confinement::Confinement;
use crate::host::process::Remains;
use crate::host::sandbox::Tier;
use crate::referee::record::{Circumstances, LoggedGame, ODDS_TAG, RecordedClocks, SPEED_TAG};
use crate::referee::result::Termination;
use crate::referee::sans_io::Finished;
use crate::run::entrants::{Entrant, ReadyBot};
use crate::tournament::schedule::GameSpec;

impl Arena {
    /// The record of the game `spec`. `remains` is the state that its bots left behind.
    pub(super) fn record(&self, spec: &GameSpec, finished: Finished, remains: &BySeat<Remains>) -> LoggedGame {
        let players = BySeat::from_fn(spec.players.seats(), |seat| self.name(spec, seat).to_owned());
        let record = finished.record(players).under(Circumstances {
            event: Some(self.tournament.name.clone()),
            site: self.site.clone(),
            date: Some(today()),
            round: Some(spec.round),
            game: Some(spec.id.to_string()),
            seed: Some(spec.seed),
            clocks: RecordedClocks {
                // These are the clocks of the tournament, before scaling.
                time_control: self.tournament.time_control,
                time_scale: self.pace.scale,
                meter: self.tournament.meter,
            },
            digests: spec.players.as_ref().map(|&player| match &*self.entrants[player] {
                Entrant::Program { identity, .. } => identity.digest().map(str::to_owned),
                Entrant::Remote
                | Entrant::Resting
                | Entrant::Unstartable(_)
                | Entrant::Changed(_)
                | Entrant::Void(_) => None,
            }),
            usage: remains.as_ref().map(|remains| remains.usage),
            other_tags: [
                self.isolation(spec).map(|tier| ("Isolation".to_owned(), tier.to_string())),
                self.pace.speed.map(|speed| (SPEED_TAG.to_owned(), speed.to_string())),
                self.odds(spec).map(|odds| (ODDS_TAG.to_owned(), odds)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        });
        self.with_hints(spec, record, remains)
    }

    /// The handicaps and compensations that belong to individual players of a game, if there are any.
    fn odds(&self, spec: &GameSpec) -> Option<String> {
        let name = |player: usize| self.tournament.players[player].name.as_str();
        self.tournament.advantages.text(spec.players.values().copied(), name)
    }

    /// How the bots of a game are confined, if any player is a program.
    fn isolation(&self, spec: &GameSpec) -> Option<Tier> {
        let is_program = |player: &usize| self.tournament.players[*player].programs().next().is_some();
        let tier = self.confinement.as_ref().map_or(Tier::D, |confinement| confinement.cage.tier());
        spec.players.values().any(is_program).then_some(tier)
    }

    /// `record`, with advice added if a bot failed because its confinement hides a file that it needs.
    fn with_hints(&self, spec: &GameSpec, record: LoggedGame, remains: &BySeat<Remains>) -> LoggedGame {
        failures(&record).into_iter().fold(record, |record, failure| match self.hint(spec, failure, remains) {
            Some(hint) => with_hint(record, failure.0, &hint),
            None => record,
        })
    }

    /// The advice about the bot in `seat`, which failed with this `termination`.
    fn hint(
        &self,
        spec: &GameSpec,
        (seat, termination): (Seat, Termination),
        remains: &BySeat<Remains>,
    ) -> Option<String> {
        let Confinement { visible_paths, .. } = self.confinement.as_deref()?;
        if !may_be_for_lack(termination) {
            return None;
        }
        let bots = self.entrants[spec.players[seat]].bots().iter().filter(|bot| !bot.is_own);
        let stderr = remains[seat].stderr.text();
        let mut hints = bots.filter_map(|ReadyBot { program, executable, dir, .. }| {
            visible_paths.unseen(program, executable, dir, &stderr)
        });
        hints.next()
    }
}

/// `record`, with `hint` added to the reason why the player in `seat` failed.
fn with_hint(record: LoggedGame, seat: Seat, hint: &str) -> LoggedGame {
    match record {
        LoggedGame::Two(mut record) => {
            record.result = record.result.map(|result| result.with_hint(hint));
            LoggedGame::Two(record)
        }
        LoggedGame::Group(mut record) => {
            let out = record.outs.iter_mut().find(|out| out.seat == seat);
            if let Some(reason) = out.and_then(|out| out.reason.as_mut()) {
                reason.push_str("; ");
                reason.push_str(hint);
            }
            LoggedGame::Group(record)
        }
    }
}
