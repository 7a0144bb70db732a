//! Kinds of forfeits.

use crate::referee::result::Termination;

/// A set of terminations that are forfeits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ForfeitKinds(u32);

impl ForfeitKinds {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of all kinds of forfeits.
    pub fn all() -> Self {
        Termination::ALL.into_iter().filter(|kind| kind.is_forfeit()).collect()
    }

    /// Whether `kind` is in the set.
    pub fn contains(self, kind: Termination) -> bool {
        self.0 & bit(kind) != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, in the order in which the documentation lists them.
    pub fn kinds(self) -> impl Iterator<Item = Termination> {
        Termination::ALL.into_iter().filter(move |&kind| self.contains(kind))
    }
}

impl FromIterator<Termination> for ForfeitKinds {
    /// Collects the forfeits among `kinds`.
    fn from_iter<T: IntoIterator<Item = Termination>>(kinds: T) -> Self {
        let forfeits = kinds.into_iter().filter(|kind| kind.is_forfeit());
        Self(forfeits.fold(0, |set, kind| set | bit(kind)))
    }
}

/// The bit for `kind`, determined by its position in the list of all kinds.
fn bit(kind: Termination) -> u32 {
    let place = Termination::ALL.into_iter().position(|known| known == kind);
    place.map_or(0, |place| 1 << place)
}
