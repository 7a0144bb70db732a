//! The seats of a game: how each is opened for a bot or granted to a remote player.

use std::sync::Arc;

use super::Arena;
use crate::base::machine::{Core, explained};
use crate::game::{BySide, Side};
use crate::host::confinement::Confinement;
use crate::host::seat::address::{AddressLease, OriginalPort, Reach};
use crate::host::seat::{Attendance, Launching, Opened, SeatFailure, Seating, launch};
use crate::host::start::{Start, Workdir};
use crate::referee::result::{Termination, Void};
use crate::referee::wire::Response;
use crate::run::entrants::Entrant;
use crate::tournament::schedule::{GameSpec, PlayerIndex};
use crate::tournament::{BetweenMoves, PlayerKind, Tournament};

/// The resources that a game reserves for a seat before it is opened.
#[derive(Debug)]
struct Reserved<'a> {
    /// The lease of the address that the seat needs.
    lease: Option<AddressLease>,
    /// The core for the seat's bot.
    core: Option<&'a Core>,
}

/// The seats of a game in which one of the players cannot be started, for the reason in `reasons`. If the other player is
/// remote, its attendance is in `attending`.
pub(super) fn not_started(
    reasons: &BySide<Option<String>>,
    attending: &mut BySide<Option<Attendance>>,
) -> BySide<Opened> {
    BySide::from_fn(|side| {
        Opened::without_child(match &reasons[side] {
            Some(reason) => Attendance::Failed(SeatFailure::new(Termination::NotStarted, reason.clone())),
            None => attending[side].take().unwrap_or(Attendance::Excused),
        })
    })
}

/// What to do about a program that has changed through no fault of its player, worded as the end of a sentence; `None`
/// if its bot may have changed it. A confined bot cannot change its files. An unconfined bot can; the only other
/// possible cause is an arena that builds in the same directory, which a lock on that directory rules out.
const fn remedy(is_product: bool, is_confined: bool, is_locked: bool) -> Option<&'static str> {
    match (is_product, is_confined, is_locked) {
        (true, true, _) | (true, false, false) => Some("; the same command builds the player again"),
        (false, true, _) => {
            Some(", which no confined bot can do; restore the file, or play its games again with `--redo`")
        }
        (_, false, _) => None,
    }
}

impl Arena {
    /// Opens both seats. If the machine cannot do this, the game is void, and the players that are `attending` can
    /// still be notified.
    pub(super) async fn open_seats(
        &self,
        spec: &GameSpec,
        attending: &mut BySide<Option<Attendance>>,
        cores: &BySide<Option<Arc<Core>>>,
    ) -> Result<BySide<Opened>, Void> {
        let black_core = cores.black.as_deref();
        let white_core = cores.white.as_deref();
        let entrant = |side: Side| &self.entrants[spec.players[side]];
        for side in Side::BOTH {
            if let Entrant::Void(reason) = entrant(side) {
                return Err(Void {
                    reason: format!("player `{}` could not be prepared: {reason}", self.name(spec, side)),
                });
            }
        }
        if let Some(void) = Side::BOTH.into_iter().find_map(|side| self.changed_by_others(spec, side)) {
            return Err(void);
        }
        // If a player cannot be started, the game is over, and the other player is not started.
        let unstartable = BySide::from_fn(|side| match entrant(side) {
            Entrant::Unstartable(reason) | Entrant::Changed(reason) => Some(reason.clone()),
            Entrant::Program { identity, .. } => identity.change().map(ToString::to_string),
            Entrant::Remote | Entrant::Void(_) => None,
        });
        if Side::BOTH.iter().any(|&side| unstartable[side].is_some()) {
            return Ok(not_started(&unstartable, attending));
        }
        if Side::BOTH.into_iter().all(|side| self.original_port(spec.players[side]) == OriginalPort::Localhost) {
            // Both can connect only to 127.0.0.1:29068. They connect one after the other, so that neither can take the
            // other's seat.
            let mut black =
                self.open_seat(spec, Side::Black, &mut None, Reserved { lease: None, core: black_core }).await?;
            let lease = black.as_mut().and_then(|black| black.lease.take());
            let white = self.open_seat(spec, Side::White, &mut None, Reserved { lease, core: white_core }).await?;
            return Ok(BySide { black, white }.map(|opened| opened.unwrap_or_else(|| Opened::of_remote_player(None))));
        }
        let BySide { black: black_attending, white: white_attending } = attending;
        let (black, white) = tokio::try_join!(
            self.open_seat(spec, Side::Black, black_attending, Reserved { lease: None, core: black_core }),
            self.open_seat(spec, Side::White, white_attending, Reserved { lease: None, core: white_core }),
        )?;
        Ok(BySide {
            black: black.unwrap_or_else(|| Opened::of_remote_player(black_attending.take())),
            white: white.unwrap_or_else(|| Opened::of_remote_player(white_attending.take())),
        })
    }

    /// Why the game is void if the program of this `side` has changed and its player is not to blame.
    fn changed_by_others(&self, spec: &GameSpec, side: Side) -> Option<Void> {
        let Entrant::Program { identity, lock, .. } = &self.entrants[spec.players[side]] else { return None };
        let change = identity.change()?;
        let remedy = remedy(change.is_product, self.confinement.is_some(), lock.is_some())?;
        Some(Void { reason: format!("player `{}`: {change}{remedy}", self.name(spec, side)) })
    }

    /// How the seat of `player` depends on port 29068.
    pub(crate) fn original_port(&self, player: PlayerIndex) -> OriginalPort {
        match &self.entrants[player] {
            Entrant::Program { program, .. } => {
                Reach::of(program, self.confinement_of(player)).map_or(OriginalPort::Unneeded, Reach::original_port)
            }
            Entrant::Remote | Entrant::Unstartable(_) | Entrant::Changed(_) | Entrant::Void(_) => {
                OriginalPort::Unneeded
            }
        }
    }

    /// How the bot of `player` is confined, if it is.
    fn confinement_of(&self, player: PlayerIndex) -> Option<&Confinement> {
        // Built-in bots are part of the arena, and trusted.
        self.confinement.as_ref().filter(|_| !self.is_own(player))
    }

    /// Whether `player` is one of the arena's own bots.
    fn is_own(&self, player: PlayerIndex) -> bool {
        matches!(self.tournament.players[player].kind, PlayerKind::Builtin(_))
    }

    /// Opens one seat; returns `None` if it belongs to a remote player, whose attendance is `attending`. `reserved`
    /// contains the resources that the game has already reserved for the seat.
    async fn open_seat(
        &self,
        spec: &GameSpec,
        side: Side,
        attending: &mut Option<Attendance>,
        reserved: Reserved<'_>,
    ) -> Result<Option<Opened>, Void> {
        let Entrant::Program { program, executable, dir, .. } = &self.entrants[spec.players[side]] else {
            let is_told_clock = self.tournament.players[spec.players[side]].is_told_clock;
            self.seat_remote_player((side, is_told_clock), attending).await?;
            return Ok(None);
        };
        let confinement = self.confinement_of(spec.players[side]);
        let Tournament { between_moves, limits, .. } = *self.tournament;
        let address = self.addresses.listen_for(program, confinement, reserved.lease, limits.hello_timeout).await?;
        let launching = Launching {
            start: Start {
                workdir: if program.writable { Workdir::FreshCopy } else { Workdir::InPlace },
                resources: program.resources,
                output_cap: limits.output_cap,
                cpus: reserved.core.map(|core| core.cpus().to_vec()),
                freezable: between_moves == BetweenMoves::Freeze,
                single: self.is_own(spec.players[side]),
                ..Start::new(executable.clone(), dir.clone())
            },
            program,
            name: self.name(spec, side),
            seed: spec.seat_seed(side.into()),
            seating: Seating {
                side,
                ruleset: self.tournament.rules_of(&spec.players),
                time_control: self.clocks(),
                is_told_clock: self.tournament.players[spec.players[side]].is_told_clock,
                hello_timeout: limits.hello_timeout,
                recorder: None,
            },
            confinement,
        };
        launch(launching, address).await.map(Some)
    }

    /// Grants a seat to a remote player, if it has connected.
    async fn seat_remote_player(
        &self,
        (side, is_told_clock): (Side, bool),
        attending: &mut Option<Attendance>,
    ) -> Result<(), Void> {
        let is_there = |attending: &mut Attendance| matches!(attending, Attendance::Seated(_));
        if let Some(Attendance::Seated(connection)) = attending.take_if(is_there) {
            let unwatched = |error| Void { reason: format!("a connection cannot be watched: {}", explained(&error)) };
            let mut connection = connection.settled().map_err(unwatched)?.telling_clock(is_told_clock);
            connection.say(&[Response::granted(self.clocks(), side)]).await;
            *attending = Some(Attendance::Seated(Box::new(connection)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn a_bot_without_confinement_is_blamed_for_what_no_other_arena_can_have_changed() {
        for (is_product, is_confined, is_locked, is_void) in [
            (true, true, true, true),
            (true, true, false, true),
            (true, false, true, false),
            (true, false, false, true),
            (false, true, true, true),
            (false, true, false, true),
            (false, false, true, false),
            (false, false, false, false),
        ] {
            let found = remedy(is_product, is_confined, is_locked);
            assert_eq!(found.is_some(), is_void, "product: {is_product}, confined: {is_confined}, locked: {is_locked}");
        }
    }
}
