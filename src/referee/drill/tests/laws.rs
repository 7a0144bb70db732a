//! Laws that hold whatever a bot says.
