//! Every key of a tournament file: what it is called, which values it takes, what it means, and what follows from that.
//!
//! The reader, the hints in its messages, the JSON Schema and the tables of the documentation come from here. A new key needs a
//! line here and the code that obeys it.

pub(crate) mod player;
pub(crate) mod rules;
pub(crate) mod top;
