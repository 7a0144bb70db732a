//! How the arena's own players choose their moves. The other half of this wing, their side of the protocol, depends on
//! the referee's lines, and is in the arena's own package.

pub mod bots;
pub mod perfect;
