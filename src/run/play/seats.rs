//! The seats of a game: how each is opened for a bot or granted to a remote player.

use std::sync::Arc;

use super::Arena;
use super::together::try_all;
use crate::base::machine::{Core, explained};
use crate::game::quantum::Mode;
use crate::game::{BySeat, Seat};
use crate::host::confinement::Confinement;
use crate::host::seat::address::{AddressLease, OriginalPort, Reach};
use crate::host::seat::{Attendance, Launching, Opened, Seating, launch};
use crate::host::start::{Start, Workdir};
use crate::referee::result::Void;
use crate::referee::wire::Response;
use crate::run::entrants::{Entrant, ReadyBot};
use crate::tournament::schedule::{GameSpec, PlayerIndex};
use crate::tournament::{BetweenMoves, Tournament};

/// The resources that a game reserves for a seat before it is opened.
#[derive(Debug)]
struct Reserved<'a> {
    /// The lease of the address that the seat needs.
    lease: Option<AddressLease>,
    /// The core for the seat's bot.
    core: Option<&'a Core>,
}

/// The seats of a game in which no player is started, because some players cannot be started, for the reasons in
/// `reasons`. `attending` contains the attendance of the remote players.
pub(super) fn not_started(
    reasons: &BySeat<Option<String>>,
    attending: &mut BySeat<Option<Attendance>>,
) -> BySeat<Opened> {
    BySeat::from_fn(reasons.seats(), |seat| match &reasons[seat] {
        Some(reason) => Opened::not_started(reason),
        None => Opened::of_remote_player(attending[seat].take()),
    })
}

/// A seat to be opened, with the attendance of its player if the game has just begun and it is a remote player.
pub(super) type WantedSeat<'a> = (Seat, Option<&'a mut Option<Attendance>>);

/// The seats that have been opened.
#[derive(Debug)]
pub(super) struct OpenedSeats {
    /// Each seat; `None` for the seat of a remote player.
    pub(super) seats: Vec<(Seat, Option<Opened>)>,
    /// The lease that the game already had, if none of the seats needs it.
    pub(super) unused: Option<AddressLease>,
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
        if let Some(reason) = self.why_unprepared(spec) {
            return Err(Void { reason });
        }
        if let Some(void) = spec.players.all_seats().find_map(|seat| self.changed_by_others(spec, seat)) {
            return Err(void);
        }
        let unstartable = BySeat::from_fn(spec.players.seats(), |seat| self.why_unstartable(spec, seat));
        // If fewer than two players are left, the game is over, and no player is started.
        if unstartable.values().filter(|reason| reason.is_none()).count() < 2 {
            return Ok(not_started(&unstartable, attending));
        }
        let startable = attending.iter_mut().filter(|(seat, _)| unstartable[*seat].is_none());
        let startable = startable.map(|(seat, attending)| (seat, Some(attending))).collect();
        let opened = self.open_groups(spec, (self.first_mode(spec), startable), cores, None).await?;
        let mut seats = unstartable.map(|reason| reason.map(Opened::not_started));
        for (seat, opened) in opened.seats {
            seats[seat] = opened;
        }
        Ok(BySeat::from_fn(seats.seats(), |seat| {
            seats[seat].take().unwrap_or_else(|| Opened::of_remote_player(attending[seat].take()))
        }))
    }

    /// Why the game `spec` is void from the beginning, if a player could not be prepared.
    pub(crate) fn why_unprepared(&self, spec: &GameSpec) -> Option<String> {
        spec.players.iter().find_map(|(seat, &player)| match &*self.entrants[player] {
            Entrant::Void(reason) => {
                Some(format!("player `{}` could not be prepared: {reason}", self.name(spec, seat)))
            }
            _ => None,
        })
    }

    /// The mode in which the game `spec` begins, if any of its players is a team.
    fn first_mode(&self, spec: &GameSpec) -> Option<Mode> {
        spec.players.values().find(|&&player| self.entrants[player].is_team())?;
        let mut position = self.tournament.rules_of(&spec.players).start();
        for given in &spec.opening {
            position.play(given.as_str()).ok()?;
        }
        position.mode()
    }

    /// Why the player in this `seat` cannot be started; `None` if it can, or if it connects on its own.
    pub(super) fn why_unstartable(&self, spec: &GameSpec, seat: Seat) -> Option<String> {
        match &*self.entrants[spec.players[seat]] {
            Entrant::Unstartable(reason) | Entrant::Changed(reason) => Some(reason.clone()),
            Entrant::Program { identity, .. } => identity.change().map(ToString::to_string),
            Entrant::Remote | Entrant::Resting | Entrant::Void(_) => None,
        }
    }

    /// Opens the `wanted` seats for their programs for `mode`. `held` is the lease of 127.0.0.1:29068, if the game
    /// already has it.
    pub(super) async fn open_groups(
        &self,
        spec: &GameSpec,
        (mode, wanted): (Option<Mode>, Vec<WantedSeat<'_>>),
        cores: &BySeat<Option<Arc<Core>>>,
        held: Option<AddressLease>,
    ) -> Result<OpenedSeats, Void> {
        // Several seats may be at 127.0.0.1:29068. Their players connect one after the other, so that none can take
        // another's seat.
        let is_at_original = |seat: Seat| {
            let bot = self.entrants[spec.players[seat]].bot(mode);
            bot.is_some_and(|bot| self.port_of(bot) == OriginalPort::Localhost)
        };
        let (at_original, elsewhere): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(seat, _)| is_at_original(*seat));
        let (held, unused) = if at_original.is_empty() { (None, held) } else { (held, None) };
        let elsewhere = elsewhere.into_iter().map(|wanted| (vec![wanted], None));
        let groups = elsewhere.chain([(at_original, held)]);
        let opening: Vec<_> =
            groups.map(|(group, held)| self.open_one_by_one(spec, (mode, group), cores, held)).collect();
        let seats = try_all(opening.into_iter()).await?.into_iter().flatten().collect();
        Ok(OpenedSeats { seats, unused })
    }

    /// Opens the seats of a `group` one after the other. Seats that need the same address share its lease, which may be
    /// `held` already. Returns `None` for the seat of a remote player, whose attendance is passed in with the seat.
    async fn open_one_by_one(
        &self,
        spec: &GameSpec,
        (mode, group): (Option<Mode>, Vec<WantedSeat<'_>>),
        cores: &BySeat<Option<Arc<Core>>>,
        held: Option<AddressLease>,
    ) -> Result<Vec<(Seat, Option<Opened>)>, Void> {
        let (mut seats, mut lease) = (Vec::new(), held);
        for (seat, attending) in group {
            let reserved = Reserved { lease, core: cores[seat].as_deref() };
            let mut opened = self.open_seat(spec, (seat, mode), attending.unwrap_or(&mut None), reserved).await?;
            lease = opened.as_mut().and_then(|opened| opened.lease.take());
            seats.push((seat, opened));
        }
        // The last seat keeps the address until the game ends.
        if let Some((_, Some(last))) = seats.last_mut() {
            last.lease = lease;
        }
        Ok(seats)
    }

    /// Why the game is void if the program of the player in this `seat` has changed through no fault of the player.
    pub(super) fn changed_by_others(&self, spec: &GameSpec, seat: Seat) -> Option<Void> {
        let Entrant::Program { identity, bots } = &*self.entrants[spec.players[seat]] else { return None };
        let change = identity.change()?;
        let is_locked = bots.iter().all(|bot| bot.is_own || bot.lock.is_some());
        let remedy = remedy(change.is_product, self.confinement.is_some(), is_locked)?;
        Some(Void { reason: format!("player `{}`: {change}{remedy}", self.name(spec, seat)) })
    }

    /// How the seat of `player` depends on port 29068 in any mode.
    pub(crate) fn original_port(&self, player: PlayerIndex) -> OriginalPort {
        let bots = self.entrants[player].bots();
        let any = |port| bots.iter().any(|bot| self.port_of(bot) == port).then_some(port);
        any(OriginalPort::Localhost).or_else(|| any(OriginalPort::OwnHost)).unwrap_or(OriginalPort::Unneeded)
    }

    /// How the seat of `bot` depends on port 29068.
    fn port_of(&self, bot: &ReadyBot) -> OriginalPort {
        Reach::of(&bot.program, self.confinement_of(bot)).map_or(OriginalPort::Unneeded, Reach::original_port)
    }

    /// How `bot` is confined; `None` if it is not.
    fn confinement_of(&self, bot: &ReadyBot) -> Option<&Confinement> {
        // Built-in bots are part of the arena, and trusted.
        self.confinement.as_deref().filter(|_| !bot.is_own)
    }

    /// Opens one seat for its program for `mode`; returns `None` if the seat belongs to a remote player, whose
    /// attendance is `attending`. `reserved` contains the resources that the game has already reserved for the seat.
    async fn open_seat(
        &self,
        spec: &GameSpec,
        (seat, mode): (Seat, Option<Mode>),
        attending: &mut Option<Attendance>,
        reserved: Reserved<'_>,
    ) -> Result<Option<Opened>, Void> {
        let Some(bot) = self.entrants[spec.players[seat]].bot(mode) else {
            let is_told_clock = self.tournament.players[spec.players[seat]].is_told_clock;
            self.seat_remote_player((seat, is_told_clock), attending).await?;
            return Ok(None);
        };
        let ReadyBot { program, executable, dir, is_own, .. } = bot;
        let confinement = self.confinement_of(bot);
        let Tournament { between_moves, limits, .. } = *self.tournament;
        let address = self.addresses.listen_for(program, confinement, reserved.lease, limits.hello_timeout).await?;
        let launching = Launching {
            start: Start {
                workdir: if program.writable { Workdir::FreshCopy } else { Workdir::InPlace },
                resources: program.resources,
                output_cap: limits.output_cap,
                cpus: reserved.core.map(|core| core.cpus().to_vec()),
                freezable: between_moves == BetweenMoves::Freeze,
                single: *is_own,
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
            let unwatched = |error| Void { reason: format!("a connection cannot be monitored: {}", explained(&error)) };
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
