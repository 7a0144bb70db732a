//! Every key of a tournament file, with its name, its values, its meaning, and its effects.
//!
//! The reader, the hints in its messages, the JSON Schema and the tables of the documentation are derived from these
//! keys. A new key needs an entry here and the code that implements it.

pub(crate) mod inner_tables;
pub(crate) mod ladder;
pub(crate) mod player;
pub(crate) mod rules;
pub(crate) mod top;
pub(crate) mod words;
