//! What the arena says to the player that is left when a game ends by its opponent's fault.

/// What the player left over is told when its opponent crashed, gave up, ran out of time or broke the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endings {
    /// The codes of the protocol document: 327/328, 361/362, 391/392.
    #[default]
    Documented,
    /// Lines that all the old client libraries take for a clean win.
    Compatible,
}
