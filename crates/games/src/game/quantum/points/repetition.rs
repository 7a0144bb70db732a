//! Which arrangements a stone must not repeat.

use crate::base::word_enum::words;

/// Which arrangements a stone must not repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Those since the end of the seat's own last turn.
    Simple,
    /// All those in this mode.
    #[default]
    Positional,
    /// Those after a turn of the same seat, and what [`KoRule::Simple`] forbids.
    Situational,
    /// Those after a turn of the same seat if the differences between all seats' prisoners are the same now as then, and
    /// what [`KoRule::Simple`] forbids.
    Balanced,
}

words! { pub KoRule; Simple => "simple", Positional => "positional", Situational => "situational", Balanced => "balanced" }
