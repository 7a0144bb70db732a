//! The seats of a game: how each is opened for a bot or granted to a remote player.

use std::sync::Arc;

use super::Arena;
use super::together::try_all;
use crate::base::machine::{Core, explained};
use crate::game::{BySeat, Seat};
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

/// The seats of a game in which some players cannot be started, for the reasons in `reasons`, and none of the others is
/// started either. The attendance of the remote players among them is in `attending`.
pub(super) fn not_started(
    reasons: &BySeat<Option<String>>,
    attending: &mut BySeat<Option<Attendance>>,
) -> BySeat<Opened> {
    BySeat::from_fn(reasons.seats(), |seat| match &reasons[seat] {
        Some(reason) => not_started_for(reason),
        None => Opened::of_remote_player(attending[seat].take()),
    })
}

/// The seat of a player that cannot be started, for this `reason`.
fn not_started_for(reason: &str) -> Opened {
    Opened::without_child(Attendance::Failed(SeatFailure::new(Termination::NotStarted, reason)))
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
    /// Opens all seats. If the machine cannot do this, the game is void, and the players that are `attending` can
    /// still be notified.
    pub(super) async fn open_seats(
        &self,
        spec: &GameSpec,
        attending: &mut BySeat<Option<Attendance>>,
        cores: &BySeat<Option<Arc<Core>>>,
    ) -> Result<BySeat<Opened>, Void> {
        let entrants = spec.players.as_ref().map(|&player| &self.entrants[player]);
        for (seat, entrant) in entrants.iter() {
            if let Entrant::Void(reason) = entrant {
                return Err(Void {
                    reason: format!("player `{}` could not be prepared: {reason}", self.name(spec, seat)),
                });
            }
        }
        if let Some(void) = spec.players.all_seats().find_map(|seat| self.changed_by_others(spec, seat)) {
            return Err(void);
        }
        let unstartable = entrants.map(|entrant| match entrant {
            Entrant::Unstartable(reason) | Entrant::Changed(reason) => Some(reason.clone()),
            Entrant::Program { identity, .. } => identity.change().map(ToString::to_string),
            Entrant::Remote | Entrant::Void(_) => None,
        });
        // If fewer than two players are left, the game is over, and no player is started.
        if unstartable.values().filter(|reason| reason.is_none()).count() < 2 {
            return Ok(not_started(&unstartable, attending));
        }
        // Several seats may be at 127.0.0.1:29068. Their players connect one after the other, so that none can take
        // another's seat.
        let is_at_original = |seat: &Seat| self.original_port(spec.players[*seat]) == OriginalPort::Localhost;
        let startable = || spec.players.all_seats().filter(|&seat| unstartable[seat].is_none());
        let at_original: Vec<Seat> = startable().filter(is_at_original).collect();
        let elsewhere = startable().filter(|seat| !is_at_original(seat)).map(|seat| vec![seat]);
        let groups: Vec<Vec<Seat>> = elsewhere.chain([at_original]).collect();
        let mut waiting: Vec<Option<&mut Option<Attendance>>> =
            attending.iter_mut().map(|(_, attending)| Some(attending)).collect();
        let opening = groups.into_iter().map(|group| {
            let group = group.into_iter().map(|seat| (seat, waiting[seat.index()].take())).collect();
            self.open_one_by_one(spec, group, cores)
        });
        let opening: Vec<_> = opening.collect();
        let opened = try_all(opening.into_iter()).await?;
        let mut seats = unstartable.map(|reason| reason.map(|reason| not_started_for(&reason)));
        for (seat, opened) in opened.into_iter().flatten() {
            seats[seat] = opened;
        }
        Ok(BySeat::from_fn(seats.seats(), |seat| {
            seats[seat].take().unwrap_or_else(|| Opened::of_remote_player(attending[seat].take()))
        }))
    }

    /// Opens the seats of a `group` one after the other, at the same address if they need the same one. Returns no seat for
    /// a remote player, whose attendance comes with its seat.
    async fn open_one_by_one(
        &self,
        spec: &GameSpec,
        group: Vec<(Seat, Option<&mut Option<Attendance>>)>,
        cores: &BySeat<Option<Arc<Core>>>,
    ) -> Result<Vec<(Seat, Option<Opened>)>, Void> {
        let (mut seats, mut lease) = (Vec::new(), None);
        for (seat, attending) in group {
            let reserved = Reserved { lease, core: cores[seat].as_deref() };
            let mut opened = self.open_seat(spec, seat, attending.unwrap_or(&mut None), reserved).await?;
            lease = opened.as_mut().and_then(|opened| opened.lease.take());
            seats.push((seat, opened));
        }
        // The last seat keeps the address until the game ends.
        if let Some((_, Some(last))) = seats.last_mut() {
            last.lease = lease;
        }
        Ok(seats)
    }

    /// Why the game is void if the program of the player in this `seat` has changed and its player is not to blame.
    fn changed_by_others(&self, spec: &GameSpec, seat: Seat) -> Option<Void> {
        let Entrant::Program { identity, lock, .. } = &self.entrants[spec.players[seat]] else { return None };
        let change = identity.change()?;
        let remedy = remedy(change.is_product, self.confinement.is_some(), lock.is_some())?;
        Some(Void { reason: format!("player `{}`: {change}{remedy}", self.name(spec, seat)) })
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
        seat: Seat,
        attending: &mut Option<Attendance>,
        reserved: Reserved<'_>,
    ) -> Result<Option<Opened>, Void> {
        let Entrant::Program { program, executable, dir, .. } = &self.entrants[spec.players[seat]] else {
            let is_told_clock = self.tournament.players[spec.players[seat]].is_told_clock;
            self.seat_remote_player((seat, is_told_clock), attending).await?;
            return Ok(None);
        };
        let confinement = self.confinement_of(spec.players[seat]);
        let Tournament { between_moves, limits, .. } = *self.tournament;
        let address = self.addresses.listen_for(program, confinement, reserved.lease, limits.hello_timeout).await?;
        let launching = Launching {
            start: Start {
                workdir: if program.writable { Workdir::FreshCopy } else { Workdir::InPlace },
                resources: program.resources,
                output_cap: limits.output_cap,
                cpus: reserved.core.map(|core| core.cpus().to_vec()),
                freezable: between_moves == BetweenMoves::Freeze,
                single: self.is_own(spec.players[seat]),
                ..Start::new(executable.clone(), dir.clone())
            },
            program,
            name: self.name(spec, seat),
            seed: spec.seat_seed(seat),
            seating: Seating {
                seat,
                ruleset: self.tournament.rules_of(&spec.players),
                time_control: self.clocks(),
                is_told_clock: self.tournament.players[spec.players[seat]].is_told_clock,
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
        (seat, is_told_clock): (Seat, bool),
        attending: &mut Option<Attendance>,
    ) -> Result<(), Void> {
        let is_there = |attending: &mut Attendance| matches!(attending, Attendance::Seated(_));
        if let Some(Attendance::Seated(connection)) = attending.take_if(is_there) {
            let unwatched = |error| Void { reason: format!("a connection cannot be watched: {}", explained(&error)) };
            let mut connection = connection.settled().map_err(unwatched)?.telling_clock(is_told_clock);
            connection.say(&[Response::granted_in(self.tournament.ruleset.seats(), self.clocks(), seat)]).await;
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
