//! Tests the rules against games and positions that others have worked out, and against plain code.

mod laws;
mod oracle;
mod vectors;
