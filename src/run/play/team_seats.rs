//! The seats of teams, for which new programs are started in each mode.

use std::sync::Arc;

use super::Arena;
use super::seats::OpenedSeats;
use super::turns::{ReliefSource, Reliefs};
use crate::base::machine::Core;
use crate::game::quantum::Mode;
use crate::game::{BySeat, Seat};
use crate::host::seat::Opened;
use crate::host::seat::address::AddressLease;
use crate::referee::result::Void;
use crate::tournament::schedule::GameSpec;

/// The addresses of a game's seats, which are kept until the game's last process has exited or another program has
/// taken the seat.
#[derive(Debug, Default)]
pub(super) struct Leases(Vec<(Option<Seat>, AddressLease)>);

impl Leases {
    /// Takes over the leases of `opened` seats.
    pub(super) fn of<'o>(opened: impl Iterator<Item = (Seat, &'o mut Opened)>) -> Self {
        let mut leases = Self::default();
        leases.keep(opened);
        leases
    }

    fn keep<'o>(&mut self, opened: impl Iterator<Item = (Seat, &'o mut Opened)>) {
        self.0.extend(opened.filter_map(|(seat, opened)| Some((Some(seat), opened.lease.take()?))));
    }

    /// Takes the lease of the address that only one game can use at a time, if one of this game's seats has it.
    fn take_original(&mut self) -> Option<AddressLease> {
        let is_original = |(_, lease): &(Option<Seat>, AddressLease)| matches!(lease, AddressLease::Original(_));
        let place = self.0.iter().position(is_original)?;
        Some(self.0.swap_remove(place).1)
    }
}

/// The seats of one game whose players include a team.
#[derive(Debug)]
pub(super) struct TeamSeats<'a> {
    pub(super) arena: &'a Arena,
    pub(super) spec: &'a GameSpec,
    pub(super) leases: &'a mut Leases,
    /// The cores of the seats.
    pub(super) cores: &'a BySeat<Option<Arc<Core>>>,
}

impl TeamSeats<'_> {
    async fn open(&mut self, relieved: Vec<Seat>, mode: Mode) -> Result<Vec<(Seat, Opened)>, Void> {
        // The programs to be relieved have connected, so the addresses of their seats are no longer needed.
        let original = self.leases.take_original();
        self.leases.0.retain(|(seat, _)| seat.is_none_or(|seat| !relieved.contains(&seat)));
        let mut opened = Vec::new();
        let mut wanted = Vec::new();
        for seat in relieved {
            if let Some(void) = self.arena.changed_by_others(self.spec, seat) {
                return Err(void);
            }
            match self.arena.why_unstartable(self.spec, seat) {
                Some(reason) => opened.push((seat, Opened::not_started(reason))),
                None => wanted.push((seat, None)),
            }
        }
        let OpenedSeats { seats, unused } =
            self.arena.open_groups(self.spec, (Some(mode), wanted), self.cores, original).await?;
        opened.extend(seats.into_iter().filter_map(|(seat, opened)| Some((seat, opened?))));
        opened.sort_by_key(|(seat, _)| *seat);
        self.leases.keep(opened.iter_mut().map(|(seat, opened)| (*seat, opened)));
        self.leases.0.extend(unused.map(|lease| (None, lease)));
        Ok(opened)
    }
}

impl ReliefSource for TeamSeats<'_> {
    fn start(&mut self, seats: Vec<Seat>, mode: Mode) -> Reliefs<'_> {
        Box::pin(self.open(seats, mode))
    }
}
