//! The counts of each mode.

use super::lineup::Mode;
use super::seats::PerSeat;

/// The counts of the modes that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeCounts([Option<PerSeat<u16>>; Mode::ALL.len()]);

impl ModeCounts {
    /// The counts of `mode`, once it has ended.
    pub const fn get(&self, mode: Mode) -> Option<PerSeat<u16>> {
        self.0[mode as usize]
    }

    /// The modes that have ended, each with its counts, in the order in which they were played.
    pub fn iter(&self) -> impl Iterator<Item = (Mode, PerSeat<u16>)> + use<> {
        let counts = *self;
        Mode::ALL.into_iter().filter_map(move |mode| Some((mode, counts.get(mode)?)))
    }

    pub(super) fn set(&mut self, mode: Mode, counts: PerSeat<u16>) {
        self.0[mode as usize] = Some(counts);
    }
}
