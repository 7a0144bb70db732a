//! The meaning of the entries of a table.

/// The entry of a colouring that is not a position, because a group has no liberty.
pub const ILLEGAL: i8 = i8::MIN;

/// The largest margin that an entry can have.
pub const LARGEST: i8 = 25;

/// The kind of value that an entry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMeaning {
    /// The margin.
    Margin,
    /// The sign of the margin.
    Winner,
}
