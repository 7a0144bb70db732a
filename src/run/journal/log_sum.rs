//! A digest of the state of many game logs, which shows whether any of them has been touched since.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::TextDigest;

/// A digest of a log's name, its size, and when the file was last written and last changed in any way. Programs can set
/// the former time, but not the latter, so an edited log has a different stamp even if its size and its time of writing
/// are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogStamp(u64);

impl LogStamp {
    /// The stamp of the log of the game `id`.
    pub(crate) fn of(id: &str, log: &Metadata) -> Self {
        let mut digest = Sha256::new();
        digest.update(log.size().to_be_bytes());
        for part in [log.mtime(), log.mtime_nsec(), log.ctime(), log.ctime_nsec()] {
            digest.update(part.to_be_bytes());
        }
        digest.update([u8::from(log.is_file())]);
        digest.update(id);
        Self(TextDigest::from_sha256(&digest.finalize().into()).0)
    }
}

/// The number of logs in a set, and the sum of their stamps, which does not depend on the order of the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSum {
    logs: u64,
    sum: u64,
}

impl LogSum {
    /// Adds a log.
    pub(crate) const fn add(&mut self, LogStamp(stamp): LogStamp) {
        self.logs += 1;
        self.sum = self.sum.wrapping_add(stamp);
    }
}
