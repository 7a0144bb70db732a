//! Creates the record of a game that has been played.

use super::Arena;
use super::starved_bots::may_be_for_lack;
use crate::base::time::today;
use crate::game::{BySide, Side};
use crate::host::confinement::Confinement;
use crate::host::process::Remains;
use crate::host::sandbox::Tier;
use crate::referee::record::{GameRecord, SPEED_TAG};
use crate::referee::result::GameResult;
use crate::referee::sans_io::Finished;
use crate::run::entrants::Entrant;
use crate::tournament::PlayerKind;
use crate::tournament::schedule::GameSpec;

impl Arena {
    /// The record of the game `spec`. `remains` is the state that its bots left behind.
    pub(super) fn record(&self, spec: &GameSpec, finished: Finished, remains: &BySide<Remains>) -> GameRecord {
        let players = BySide::from_fn(|side| self.name(spec, side).to_owned());
        let record = finished.record(players.into()).into_two();
        let record = record.unwrap_or_else(|record| panic!("a game of {} seats", record.seats()));
        let result = record.result.map(|result| self.with_hints(spec, result, remains));
        GameRecord {
            event: Some(self.tournament.name.clone()),
            site: self.site.clone(),
            date: Some(today()),
            round: Some(spec.round),
            game: Some(spec.id.to_string()),
            seed: Some(spec.seed),
            digests: BySide::from_fn(|side| match &self.entrants[spec.players[side]] {
                Entrant::Program { identity, .. } => identity.digest().map(str::to_owned),
                Entrant::Remote | Entrant::Unstartable(_) | Entrant::Changed(_) | Entrant::Void(_) => None,
            }),
            usage: remains.as_ref().map(|remains| remains.usage),
            other_tags: [
                self.isolation(spec).map(|tier| ("Isolation".to_owned(), tier.to_string())),
                self.pace.speed.map(|speed| (SPEED_TAG.to_owned(), speed.to_string())),
            ]
            .into_iter()
            .flatten()
            .collect(),
            // These are the clocks of the tournament, before scaling.
            time_control: Some(self.tournament.time_control),
            meter: self.tournament.meter,
            time_scale: self.pace.scale,
            result,
            ..record
        }
    }

    /// How the bots of a game are confined, if any player is a program.
    fn isolation(&self, spec: &GameSpec) -> Option<Tier> {
        let is_program =
            |side: &Side| matches!(self.tournament.players[spec.players[*side]].kind, PlayerKind::Program(_));
        let tier = self.confinement.as_ref().map_or(Tier::D, |confinement| confinement.cage.tier());
        Side::BOTH.iter().any(is_program).then_some(tier)
    }

    /// `result`, with advice added if a bot failed because its confinement hides a file that it needs.
    fn with_hints(&self, spec: &GameSpec, result: GameResult, remains: &BySide<Remains>) -> GameResult {
        let Some(Confinement { visible_paths, .. }) = &self.confinement else { return result };
        let may_lack_a_file = may_be_for_lack(result.termination());
        let mut hints = Vec::new();
        for side in Side::BOTH.into_iter().filter(|&side| may_lack_a_file && result.fault().is_on(side)) {
            let player = spec.players[side];
            let is_own = matches!(self.tournament.players[player].kind, PlayerKind::Builtin(_));
            if let Entrant::Program { program, executable, dir, .. } = &self.entrants[player]
                && !is_own
            {
                hints.extend(visible_paths.unseen(program, executable, dir, &remains[side].stderr.text()));
            }
        }
        hints.iter().fold(result, |result, hint| result.with_hint(hint))
    }
}
