//! What the page of a run shows before its first event.

use std::sync::Arc;

use crate::base::time::today;
use crate::page::live::state::{FormatHistory, Premise, RulesAndClocks, ShownPlayer, ShownPlayers, Upcoming};
use crate::page::shown::aliases::Aliases;
use crate::results::standings::Test;
use crate::tournament::schedule::Schedule;
use crate::tournament::sprt::TestedPairs;
use crate::tournament::{Format, Player, Tournament, slug as slug_of};

/// The data of a tournament that the page shows.
#[derive(Clone, Debug)]
pub(crate) struct ShownRun {
    /// The tournament.
    pub tournament: Arc<Tournament>,
    /// The address at which other machines can reach the page, if they can.
    pub address: Option<String>,
    /// The names to show instead of the players' own, if these are hidden.
    pub aliases: Option<Aliases>,
}

impl ShownRun {
    /// The page's initial information, before its first event. `schedule` is the run's schedule, from which no game may
    /// have been taken yet; `None` if no games will begin.
    pub(crate) fn premise(&self, schedule: Option<&Schedule>) -> Premise {
        let Tournament { name, ruleset, time_control, meter, opening_plies, players, .. } = &*self.tournament;
        let shown = |player: &Player| {
            let (name, slug) = (player.name.to_string(), player.name.slug());
            let shown = self.aliases.as_ref().map_or(name.as_str(), |aliases| aliases.of(&name)).to_owned();
            ShownPlayer { shown_slug: slug_of(&shown), shown, name, slug }
        };
        let test = match (&self.tournament.format, &players[..]) {
            (Format::Sprt { test, .. }, [player, opponent]) => Some(Test {
                player: shown(player).shown,
                opponent: shown(opponent).shown,
                progress: *TestedPairs::new(*test).progress(),
            }),
            _ => None,
        };
        let roster = ShownPlayers::new(players.iter().map(shown).collect());
        Premise {
            title: self.aliases.as_ref().map_or_else(|| name.clone(), |aliases| aliases.in_text(name)),
            date: Some(today().replace('.', "-")),
            table: RulesAndClocks { ruleset: *ruleset, clocks: *time_control, meter: *meter },
            opening_plies: usize::try_from(*opening_plies).unwrap_or(usize::MAX),
            total: schedule.map(Schedule::at_most),
            is_most: schedule.is_some_and(|schedule| schedule.len().is_none()),
            upcoming: schedule.map(|schedule| {
                let number = |player: &Player| roster.find(player.name.as_str()).unwrap_or_default();
                Upcoming::new(schedule.clone(), players.iter().map(number).collect())
            }),
            roster,
            keeps: 0,
            address: self.address.clone(),
            history: FormatHistory::new(&self.tournament, schedule),
            test,
        }
    }
}
