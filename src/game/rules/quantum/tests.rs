//! The rules against games and positions that others have worked out.

mod vectors;
