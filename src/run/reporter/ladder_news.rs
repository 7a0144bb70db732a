//! Describes the events in a ladder, as lines for its teacher.

use crate::base::sanitise::sanitised;
use crate::run::journal::{JournalEntry, StatusEntry};

/// The line about `entry`; `None` if there is nothing to report.
pub(super) fn news(entry: &JournalEntry) -> Option<String> {
    let with_reason = |StatusEntry { version, reason, .. }: &StatusEntry, what: &str| {
        let reason = if reason.is_empty() { String::new() } else { format!(": {}", sanitised(reason)) };
        Some(format!("{} {what}{reason}", sanitised(version)))
    };
    match entry {
        JournalEntry::Version(entry) => Some(format!("{} plays from now on", sanitised(&entry.player.name))),
        JournalEntry::Refused(entry) => {
            Some(format!("{} is refused: {}", sanitised(&entry.version.name()), sanitised(&entry.reason)))
        }
        JournalEntry::Paused(entry) => with_reason(entry, "is paused"),
        JournalEntry::Resumed(entry) => with_reason(entry, "plays again"),
        JournalEntry::Retired(entry) => with_reason(entry, "is retired"),
        JournalEntry::Frozen(_) => Some("the ladder is frozen: no more versions are accepted".to_owned()),
        JournalEntry::Reopened(entry) => {
            Some(format!("{} may hand in versions until {}", sanitised(&entry.player), entry.until))
        }
        _ => None,
    }
}
