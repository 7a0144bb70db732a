//! Which arrangements a stone must not repeat.

use crate::base::word_enum::words;

/// Which arrangements a stone must not repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// The arrangements since the end of the seat's own last turn.
    Simple,
    /// All arrangements in this mode.
    #[default]
    Positional,
    /// The arrangements after turns of the same seat, and those that [`KoRule::Simple`] forbids.
    Situational,
    /// The arrangements after turns of the same seat if the differences between all seats' prisoners are the same now
    /// as then, and those that [`KoRule::Simple`] forbids.
    Balanced,
}

words! { pub KoRule; Simple => "simple", Positional => "positional", Situational => "situational", Balanced => "balanced" }
