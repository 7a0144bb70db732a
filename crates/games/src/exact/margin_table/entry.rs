//! What the entries of a table say.

/// The entry of a colouring that is not a position, since it has a group without a liberty.
pub const ILLEGAL: i8 = i8::MIN;

/// The largest margin that an entry can have.
pub const LARGEST: i8 = 25;

/// What an entry says about its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMeaning {
    /// The margin.
    Margin,
    /// The sign of the margin.
    Winner,
}
