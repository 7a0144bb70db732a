//! Decides whether a tournament and its players are the same as those of the existing run.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Beginning;
use super::errors::{CampaignError, Remedy};
use super::ladder_field;
use super::redo::Redo;
use crate::run::entrants::Entrant;
use crate::run::journal::{JournalEntry, Ledger, PlayerEntry};
use crate::tournament::definition::{Change, Definition};
use crate::tournament::{Format, Player, Tournament};

/// The definition `begun`, but with the definitions in `asked` for the players whose games are all replayed.
pub(crate) fn redefined(begun: &Definition, asked: &Definition, redo: &Redo) -> Definition {
    let mut begun = begun.clone();
    for player in redo.players.iter().filter_map(|name| asked.player(name)) {
        begun.redefine(player.clone());
    }
    begun
}

/// Rejects a file whose tournament differs from that of the existing run; [`Beginning::Extend`] allows the tournament
/// to be larger.
///
/// # Errors
/// Returns every difference, and what would allow the run to continue.
pub(crate) fn hold_against(
    begun: &Definition,
    asked: &Definition,
    beginning: Beginning,
) -> Result<(), (Vec<Change>, Remedy)> {
    let changes = begun.changes(asked);
    let is_extended = begun.is_extended_by(asked);
    if changes.is_empty() || (beginning == Beginning::Extend && is_extended) {
        return Ok(());
    }
    let own = |change: &Change| change.player_s_own().map(str::to_owned);
    let of_players = changes.iter().map(own).collect::<Option<BTreeSet<String>>>();
    let remedy = match (of_players, beginning, is_extended) {
        (Some(players), _, _) => Remedy::Redo(players),
        (None, Beginning::Resume | Beginning::Fresh, true) => Remedy::Extend,
        (None, Beginning::Extend, _) => Remedy::NotByExtending,
        (None, Beginning::Resume | Beginning::Fresh, false) => Remedy::Undo,
    };
    Err((changes, remedy))
}

/// The journal's entry for each player.
pub(crate) fn players(tournament: &Tournament, entrants: &[Entrant]) -> Vec<PlayerEntry> {
    tournament.players.iter().zip(entrants).map(|(player, entrant)| player_entry(player, entrant)).collect()
}

/// The journal's entry for `player`, which is prepared as `entrant`.
pub(crate) fn player_entry(player: &Player, entrant: &Entrant) -> PlayerEntry {
    let name = player.name.to_string();
    match entrant {
        Entrant::Program { identity, .. } => PlayerEntry {
            name,
            digest: identity.digest().map(str::to_owned),
            files: identity.files(),
            products: identity.products().cloned(),
        },
        Entrant::Remote | Entrant::Resting | Entrant::Unstartable(_) | Entrant::Changed(_) | Entrant::Void(_) => {
            PlayerEntry { name, digest: None, files: BTreeMap::new(), products: None }
        }
    }
}

/// A player's current state, and the change in it that was already detected, if any.
type PlayerNow<'a> = (&'a PlayerEntry, Option<&'a str>);

/// The change in a player, and the player's current state.
type Changed<'a> = (String, &'a PlayerEntry);

/// The players' current state.
struct PlayersNow<'a>(Vec<PlayerNow<'a>>);

impl<'a> PlayersNow<'a> {
    fn new(players: &'a [PlayerEntry], entrants: &'a [Entrant]) -> Self {
        let found = entrants.iter().map(|entrant| match entrant {
            Entrant::Changed(what) => Some(what.as_str()),
            Entrant::Program { .. }
            | Entrant::Remote
            | Entrant::Resting
            | Entrant::Unstartable(_)
            | Entrant::Void(_) => None,
        });
        Self(players.iter().zip(found).collect())
    }

    fn find(&self, name: &str) -> Option<PlayerNow<'a>> {
        self.0.iter().find(|(player, _)| player.name == name).copied()
    }

    fn entries(&self) -> impl Iterator<Item = &'a PlayerEntry> {
        self.0.iter().map(|(player, _)| *player)
    }

    /// The players that differ from `ledger`, each with its change: first the players that have played, then the
    /// others. A built-in bot is identified by the version of this program.
    fn changed(&self, ledger: &Ledger) -> (Vec<Changed<'a>>, Vec<Changed<'a>>) {
        let changed = ledger.players.iter().filter_map(|before| {
            let (player, found) = self.find(&before.name)?;
            Some((found.map(str::to_owned).or_else(|| before.change(player))?, player))
        });
        changed.partition(|(_, player)| {
            let is_found = self.find(&player.name).is_some_and(|(_, found)| found.is_some());
            // A player that could not be prepared because of the machine has only void games so far, and nothing is
            // known about the player's files.
            let was_known = ledger.players.iter().any(|before| before.name == player.name && before.digest.is_some());
            let has_played =
                if was_known { ledger.has_game_of(&player.name) } else { ledger.has_result_of(&player.name) };
            is_found || has_played
        })
    }

    /// The players whose builds have produced different products from the same files.
    fn built_again(&self, ledger: &Ledger) -> impl Iterator<Item = &'a PlayerEntry> {
        let is_built = |player: &&PlayerEntry| {
            let before = ledger.players.iter().find(|before| before.name == player.name);
            before.is_some_and(|before| before.change(player).is_none() && before.products != player.products)
        };
        self.entries().filter(is_built)
    }
}

/// The entries that the journal needs before the run can continue, given everything that has changed since it began.
///
/// # Errors
/// Fails if players have changed, unless all their games are replayed or they have not played any.
pub(crate) fn entries(
    tournament: &Tournament,
    entrants: &[Entrant],
    ledger: &Ledger,
    redo: &Redo,
) -> Result<Vec<JournalEntry>, CampaignError> {
    let definition = match ledger.ladder() {
        Some(history) => ladder_field::asked(&ledger.definition, &Definition::from(tournament), history),
        None => Definition::from(tournament),
    };
    let mut players = players(tournament, entrants);
    let is_unknown = |entrant: &Entrant| matches!(entrant, Entrant::Void(_) | Entrant::Resting);
    for (player, _) in players.iter_mut().zip(entrants).filter(|(_, entrant)| is_unknown(entrant)) {
        // Nothing is currently known about the player's files. This does not count as a change.
        let before = ledger.players.iter().find(|before| before.name == player.name);
        before.inspect(|before| player.clone_from(before));
    }
    let field = PlayersNow::new(&players, entrants);
    let depends = matches!(tournament.format, Format::Swiss { .. } | Format::Knockout { .. });
    let mut entries = redo.entries(ledger, depends);
    for (player, _) in redo.players.iter().filter_map(|name| field.find(name)) {
        let kept_to = ledger.first_round_of(&player.name).filter(|_| depends);
        let now = definition.player(&player.name).filter(|now| ledger.definition.player(&player.name) != Some(*now));
        entries.push(JournalEntry::Redo { player: player.clone(), kept_to, definition: now.cloned() });
    }
    // The ledger of a long run is large, and most runs need no entries in order to continue.
    let mut after = Cow::Borrowed(ledger);
    for entry in entries.iter().cloned() {
        after.to_mut().take(entry)?;
    }
    let (changed, unplayed) = field.changed(&after);
    if !changed.is_empty() {
        let players = changed.into_iter().map(|(what, player)| (player.name.clone(), what)).collect();
        return Err(CampaignError::OtherPlayers { players });
    }
    let anew = |(_, player): (String, &PlayerEntry)| JournalEntry::Redo {
        player: player.clone(),
        kept_to: None,
        definition: None,
    };
    entries.extend(unplayed.into_iter().map(anew));
    entries.extend(field.built_again(&after).map(|player| JournalEntry::Built(player.clone())));
    // Players are added to a ladder one by one.
    if after.definition != definition && after.ladder().is_none() {
        let players = field.entries().cloned().collect();
        entries.push(JournalEntry::Extend { definition, players });
    }
    Ok(entries)
}
