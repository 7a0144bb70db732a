//! Tests the rules against games and positions from other sources, and against a simple implementation.

mod laws;
mod oracle;
mod vectors;
