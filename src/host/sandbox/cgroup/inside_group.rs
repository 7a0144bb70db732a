//! The stage that starts a bot, while it is in the bot's memory group.

use std::fs::File;
use std::io::{self, Write as _};

use super::memory_meter::MemoryMeter;
use super::{MemoryGroup, members, move_into};
use crate::base::machine::Place;
use crate::host::sandbox::control_messages::{Failed, InStep as _};

/// The membership of this process in a bot's group, until the process leaves.
#[derive(Debug)]
pub(crate) struct Inside {
    /// The list of members of the group from which this process came.
    origin: File,
}

impl Inside {
    /// Moves this process into `group`. The files that are needed to leave and to read the group stay open, even if the
    /// file system of the process changes.
    pub(crate) fn enter(group: &MemoryGroup) -> Result<(Self, MemoryMeter), Failed> {
        let enter = || {
            let origin = members(&group.origin, group.version).or_else(|_| {
                // Someone has moved the arena to another group since it created its own.
                let place = Place::here(group.version.hierarchy()).ok_or(io::ErrorKind::NotFound)?;
                members(&place.own, group.version)
            })?;
            let account = MemoryMeter::open(group)?;
            move_into(&group.dir, group.version)?;
            Ok::<_, io::Error>((Self { origin }, account))
        };
        enter().step("enter the bot's memory group")
    }

    /// Moves this process back to the group from which it came. Processes that it has started stay in the bot's group.
    pub(crate) fn leave(mut self) -> Result<(), Failed> {
        self.origin.write_all(b"0").step("leave the bot's memory group")
    }
}
