//! The players of a ladder: the players in the tournament file, and the versions in the journal.

use std::collections::BTreeSet;
use std::path::Path;

use crate::players::bots::{Builtin, Thinker};
use crate::run::journal::{HandInEntry, LadderHistory, LadderPlayer, Ledger, VersionStatus};
use crate::run::results_dir::VERSIONS;
use crate::tournament::definition::{Definition, PlayerDefinition};
use crate::tournament::ladder::{EntryProgram, Ladder, LadderEntry, VersionProgram};
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::{Player, PlayerKind, PlayerName, Tournament, slug};

/// The directory with the files of the version `name`, relative to the results directory.
pub(crate) fn version_dir(name: &str) -> String {
    format!("{VERSIONS}/{}", slug(name))
}

/// Version `hand_in` of the player `entry`, as it plays in a run whose results are in `dir`.
pub(crate) fn version(
    entry: &LadderEntry,
    hand_in: &HandInEntry,
    program: VersionProgram,
    dir: &Path,
) -> Option<Player> {
    let dir = dir.join(version_dir(&hand_in.name()));
    let dir = std::path::absolute(&dir).unwrap_or(dir);
    entry.version(hand_in.number, program, dir)
}

/// The identity of the version `player`. Its directory is given relative to the results, because the results can be
/// moved.
pub(crate) fn definition(player: &Player) -> PlayerDefinition {
    let mut named = player.clone();
    if let PlayerKind::Program(program) = &mut named.kind {
        // The path within the results is the same wherever the results are.
        let own = version_dir(player.name.as_str());
        let below = program.dir.as_ref().map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default();
        let within = below.rfind(&own).map_or(own.as_str(), |at| &below[at..]);
        program.dir = Some(within.into());
    }
    PlayerDefinition::from(&named)
}

/// The tournament `file` with the players of the ladder in `ledger`, in the ladder's order, for a run whose results are
/// in `dir`. Players that are only in the file are left out. The `absent` players, which are only in the journal, are
/// replaced with stand-ins.
///
/// # Errors
/// Returns the name of the first player that neither the file nor the journal describes, and that still has games to
/// play.
pub(crate) fn field(
    file: &Tournament,
    ledger: &Ledger,
    absent: &BTreeSet<PlayerIndex>,
    dir: &Path,
) -> Result<Tournament, String> {
    let (Some(ladder), Some(history)) = (&file.ladder, ledger.ladder()) else { return Ok(file.clone()) };
    let player = |(place, player): (PlayerIndex, &LadderPlayer)| {
        let found = match (&player.version, &player.program) {
            (Some(hand_in), Some(line)) => {
                line.program().and_then(|program| version(&entry_of(ladder, hand_in), hand_in, program, dir))
            }
            _ if absent.contains(&place) => stand_in(&player.name),
            _ => file.players.iter().find(|known| known.name.as_str() == player.name).cloned(),
        };
        found.ok_or_else(|| player.name.clone())
    };
    let players = history.players().iter().enumerate().map(player).collect::<Result<Vec<_>, _>>()?;
    Ok(Tournament { players, ..file.clone() })
}

/// The places of players that have no versions, are no longer in the tournament `file`, and have no games left in the
/// ladder in `ledger`.
pub(crate) fn absent(file: &Tournament, ledger: &Ledger) -> BTreeSet<PlayerIndex> {
    let Some(history) = ledger.ladder() else { return BTreeSet::new() };
    let unplayed = unplayed(ledger, history);
    // The last games of a frozen ladder may still be unplayed.
    let has_games = |place: PlayerIndex, player: &LadderPlayer| {
        let is_retired = matches!(player.status, VersionStatus::Retired(_));
        unplayed.contains(&place) || history.frozen().is_some() && !is_retired
    };
    let is_in_file = |player: &LadderPlayer| file.players.iter().any(|known| known.name.as_str() == player.name);
    let players = history.players().iter().enumerate();
    let absent =
        players.filter(|(place, player)| player.version.is_none() && !is_in_file(player) && !has_games(*place, player));
    absent.map(|(place, _)| place).collect()
}

/// A stand-in that keeps the place of a player that no longer plays. It is never prepared.
fn stand_in(name: &str) -> Option<Player> {
    let bot = PlayerKind::Builtin(Builtin::new(Thinker::Random));
    Some(Player::new(PlayerName::new(name.to_owned()).ok()?, bot))
}

/// The players of games without a result.
fn unplayed(ledger: &Ledger, history: &LadderHistory) -> BTreeSet<PlayerIndex> {
    let games = history.schedule().games();
    let unplayed = games.filter(|spec| ledger.game(spec.id.as_str()).is_none_or(|kept| !kept.has_result()));
    unplayed.flat_map(|spec| spec.players.values().copied().collect::<Vec<_>>()).collect()
}

/// The player that handed in `hand_in`. A player that is no longer in the file hands in no more versions, but its
/// versions still play their games.
fn entry_of(ladder: &Ladder, hand_in: &HandInEntry) -> LadderEntry {
    let found = ladder.entries.iter().find(|entry| entry.name.as_str() == hand_in.of);
    found.cloned().unwrap_or_else(|| LadderEntry {
        name: PlayerName::new(hand_in.of.clone())
            .unwrap_or_else(|_| unreachable!("the journal contains only valid names")),
        door: crate::tournament::ladder::LadderDoor::Submit,
        program: EntryProgram::default(),
        is_told_clock: true,
    })
}

/// The definition that a ladder's journal must contain, given its current definition, `begun`, and the definition of
/// the `file`. The result contains the players of the journal, each defined as in the file if the file contains that
/// player. A player that is no longer in the file no longer plays.
pub(crate) fn asked(begun: &Definition, file: &Definition, history: &LadderHistory) -> Definition {
    let is_version = |name: &str| history.place(name).is_some_and(|place| history.players()[place].version.is_some());
    let mut asked = Definition { players: Vec::new(), ..file.clone() };
    asked.frame.slugs.clear();
    for player in &begun.players {
        let now = file.player(&player.name).filter(|_| !is_version(&player.name));
        asked.add_player(now.unwrap_or(player).clone());
    }
    asked
}

/// The players of the ladder in `ledger` that must be prepared before its next game: the players without versions, the
/// newest versions that play, and all players of games without a result. Others are prepared when a game needs them.
pub(crate) fn needed(ladder: &Ladder, ledger: &Ledger) -> BTreeSet<PlayerIndex> {
    let Some(history) = ledger.ladder() else { return BTreeSet::new() };
    let mut needed = BTreeSet::new();
    for (place, player) in history.players().iter().enumerate() {
        let Some(hand_in) = &player.version else {
            needed.insert(place);
            continue;
        };
        let is_later = |other: &&LadderPlayer| {
            let version = other.version.as_ref();
            other.status == VersionStatus::Playing
                && version.is_some_and(|version| version.of == hand_in.of && version.number > hand_in.number)
        };
        let later = history.players().iter().filter(is_later).count();
        if player.status == VersionStatus::Playing && later < usize::try_from(ladder.terms.active).unwrap_or(usize::MAX)
        {
            needed.insert(place);
        }
    }
    needed.extend(unplayed(ledger, history));
    needed
}
