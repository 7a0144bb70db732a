//! How many games the machine can play at a time, considering its cores and this process's limit on open files.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::Tell;
use super::warning::Warning;
use crate::base::machine::{Cores, default_concurrency};
use crate::referee::clock::Meter;
use crate::referee::time_control::TimeControl;
use crate::tournament::{Player, PlayerKind, Tournament};

/// The number of files that a run opens in addition to those of its games: results, threads, listeners, terminal.
const OF_THE_RUN: u64 = 64;

/// The maximum number of files that a seat opens while its bot starts: its listener and connection, the pipes for its
/// output and for its start, its process, and the socket to its confinement.
const OF_A_STARTED_SEAT: u64 = 10;

/// The number of files that the seat of a remote player opens.
const OF_A_REMOTE_SEAT: u64 = 1;

/// How many games of `tournament` to play at a time: `asked` if given, or else the number in the file, or else as many
/// as the machine has cores for.
pub(crate) fn games_at_a_time(tournament: &Tournament, asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let concurrency = asked.or(tournament.concurrency);
    concurrency.unwrap_or_else(|| default_concurrency(tournament.thinkers()))
}

/// The cores for the bots of `concurrency` games at a time, if each bot should have its own core and there are enough.
pub(crate) fn cores(tournament: &Tournament, concurrency: NonZeroUsize, tell: &Tell) -> Option<Arc<Cores>> {
    let is_launched = |player: &Player| !matches!(player.kind, PlayerKind::Remote(_));
    if !tournament.affinity || !tournament.players.iter().any(is_launched) {
        return None;
    }
    let wanted = concurrency.saturating_mul(tournament.thinkers());
    let teller = Arc::clone(tell);
    let cores = Cores::for_bots(wanted, move |lack| teller(Warning::NoCores(lack)));
    let clocks_suffer = tournament.meter == Meter::Wall && tournament.time_control != TimeControl::Unlimited;
    if cores.is_none() && clocks_suffer {
        tell(Warning::SharedCores { wanted, concurrency });
    }
    cores
}

/// The warning to issue before the first game if `concurrency` games of `tournament`, and listeners with up to
/// `listening` open files, may need more than `limit` open files.
pub(crate) fn shortage(
    tournament: &Tournament,
    concurrency: NonZeroUsize,
    listening: u64,
    limit: u64,
) -> Option<Warning> {
    let remotes =
        tournament.players.iter().filter(|player| matches!(player.kind, PlayerKind::Remote(_))).count() as u64;
    let locals = tournament.players.len() as u64 - remotes;
    let (games, of_a_game) = (concurrency.get() as u64, u64::from(tournament.ruleset.seats()));
    let seats = games * of_a_game;
    // A remote player plays one game at a time; the local players may take all other seats.
    let remote_seats = seats.min(remotes);
    let only_remote = games * of_a_game.saturating_sub(locals);
    let started_seats = if locals == 0 { 0 } else { seats - remote_seats.min(only_remote) };
    // Remote players that wait for a game also keep a connection open.
    let needed =
        OF_THE_RUN + listening + started_seats * OF_A_STARTED_SEAT + remote_seats.max(remotes) * OF_A_REMOTE_SEAT;
    (needed > limit).then_some(Warning::FewFiles { concurrency, needed, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tournament(remotes: usize, locals: usize) -> Tournament {
        let remote =
            |number| format!("[[player]]\nname = \"r{number}\"\nremote = true\ntoken = \"a word of theirs\"\n");
        let local = |number| format!("[[player]]\nname = \"l{number}\"\nbuiltin = \"random\"\n");
        let players: String = (0..remotes).map(remote).chain((0..locals).map(local)).collect();
        let text = format!("listen = \"127.0.0.1:0\"\n{players}");
        Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// The lowest limit at which there is no warning.
    fn needed(remotes: usize, locals: usize, games: usize) -> u64 {
        let (tournament, games) = (tournament(remotes, locals), NonZeroUsize::new(games).expect("some"));
        (0..10_000).find(|&limit| shortage(&tournament, games, 0, limit).is_none()).expect("some limit is enough")
    }

    #[test]
    fn a_seat_needs_more_files_if_the_arena_starts_its_bot() {
        assert_eq!(needed(0, 2, 8), 64 + 16 * 10);
        assert_eq!(needed(20, 0, 8), 64 + 20);
        // A single local player only meets remote players.
        assert_eq!(needed(20, 1, 8), 64 + 8 * 10 + 20);
        assert_eq!(needed(2, 2, 8), 64 + 16 * 10 + 2);
    }

    #[test]
    fn the_warning_has_the_figures_and_the_remedy() {
        let said =
            shortage(&tournament(0, 2), NonZeroUsize::new(100).expect("some"), 70, 1024).expect("too many").to_string();
        for word in ["100 concurrent games", "2134 open files", "1024", "`ulimit -n`"] {
            assert!(said.contains(word), "{said}");
        }
    }
}
