//! The confinement of a run's bots and builds.

use super::program::VisiblePaths;
use super::sandbox::Cage;

/// How bots and builds are confined, and which of the tournament's files they may see.
#[derive(Debug)]
pub struct Confinement {
    /// Starts programs in confinement.
    pub cage: Cage,
    /// The paths that the programs may see.
    pub visible_paths: VisiblePaths,
}

impl Confinement {
    /// Whether each confined bot reaches its seat through a loopback interface of its own.
    pub const fn has_own_loopback(&self) -> bool {
        self.cage.tier().has_namespaces()
    }
}
