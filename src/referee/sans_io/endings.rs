//! What the arena tells the remaining player when a game ends through its opponent's fault.

/// What the arena tells the remaining player when its opponent crashed, resigned, ran out of time or broke the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endings {
    /// The codes of the protocol document: 327/328, 361/362, 391/392.
    #[default]
    Documented,
    /// Lines that every old client library understands as a clean win.
    Compatible,
}
