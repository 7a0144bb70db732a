//! The teacher's requests to a running ladder: files in a directory of the run, so that only the run writes to its
//! journal.
//!
//! A request is one file, which becomes visible only once it is complete. The run takes requests in the order of their
//! names, which begin with the time. A request stays until the entry that fulfils it is in the journal. If a run is
//! killed before it has removed a request, the next run reads the request again; it has no effect if it has already
//! been fulfilled.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::base::files::{is_temporary, write_whole};
use crate::base::time::wall_clock;
use crate::run::results_dir;

/// The name of the mailbox within the directory of the results.
const MAILBOX: &str = "mailbox";

/// The maximum size of a request in bytes.
const MOST_BYTES: u64 = 1 << 16;

/// The maximum number of rounds of the last round robin.
pub(crate) const MOST_ROUNDS: u32 = 100;

/// What the teacher asks a ladder to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum LadderRequest {
    /// A version does not play until it is resumed.
    Pause {
        /// The version, such as `ada.7`.
        version: String,
        /// Why; may be empty.
        reason: String,
    },
    /// A paused version plays again.
    Resume {
        /// The version.
        version: String,
    },
    /// A version does not play again.
    Retire {
        /// The version.
        version: String,
        /// Why; may be empty.
        reason: String,
    },
    /// No more versions are accepted, and the last versions of all players play a round robin.
    Freeze {
        /// The number of rounds of the round robin, from 1 to [`MOST_ROUNDS`].
        rounds: u32,
    },
    /// The teacher hands in a version for a player.
    Add {
        /// The player.
        player: String,
        /// The name of the directory with the added sources, which is in the inbox.
        entry: String,
    },
    /// A player may hand in versions even though the ladder is frozen.
    Reopen {
        /// The player.
        player: String,
        /// The player's new deadline.
        until: Timestamp,
    },
}

/// A request that has arrived.
#[derive(Debug)]
pub(crate) struct ArrivedRequest {
    /// The file in the mailbox.
    pub(crate) file: PathBuf,
    /// The request, or the reason why the file is not a request.
    pub(crate) request: Result<LadderRequest, String>,
}

impl ArrivedRequest {
    /// Removes the request, which has been fulfilled. A file that is not a request is kept under another name.
    ///
    /// # Errors
    /// Fails if the file can be neither removed nor renamed.
    pub(crate) fn settle(&self) -> io::Result<()> {
        match &self.request {
            Ok(_) => fs::remove_file(&self.file),
            Err(_) => fs::rename(&self.file, self.file.with_extension("unreadable")),
        }
    }
}

/// Puts `request` into the mailbox of the run in `dir`.
///
/// # Errors
/// Fails if the file cannot be written.
pub(crate) fn post(dir: &Path, request: &LadderRequest) -> io::Result<()> {
    let mailbox = dir.join(MAILBOX);
    fs::create_dir_all(&mailbox)?;
    let time = wall_clock().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("{:020}-{}.json", time.as_nanos(), std::process::id());
    let text = serde_json::to_string(request).map_err(io::Error::other)?;
    write_whole(&mailbox.join(name), format!("{text}\n").as_bytes())
}

/// The requests in the mailbox of the run in `dir`, oldest first, except those whose files are `known`.
///
/// # Errors
/// Fails if the directory cannot be read.
pub(crate) fn requests(dir: &Path, known: &BTreeSet<PathBuf>) -> io::Result<Vec<ArrivedRequest>> {
    let mailbox = dir.join(MAILBOX);
    let entries = match fs::read_dir(&mailbox) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let is_json = Path::new(&name).extension().is_some_and(|extension| extension == "json");
        let is_request = is_json && name.to_str().is_some_and(|name| !is_temporary(name));
        names.extend(is_request.then_some(name));
    }
    names.sort();
    let files = names.into_iter().map(|name| mailbox.join(name)).filter(|file| !known.contains(file));
    let read = |file: PathBuf| {
        let request = read(&file).map_err(|error| error.to_string());
        ArrivedRequest { file, request }
    };
    Ok(files.map(read).collect())
}

fn read(file: &Path) -> io::Result<LadderRequest> {
    let mut text = String::new();
    results_dir::open(file)?.take(MOST_BYTES).read_to_string(&mut text)?;
    let request = serde_json::from_str(&text)?;
    match request {
        LadderRequest::Freeze { rounds } if !(1..=MOST_ROUNDS).contains(&rounds) => {
            Err(io::Error::other(format!("`rounds` is {rounds}, but must be from 1 to {MOST_ROUNDS}")))
        }
        request => Ok(request),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_arrive_in_order_and_stay_until_they_are_settled() {
        let dir = tempfile::tempdir().expect("a directory");
        assert!(requests(dir.path(), &BTreeSet::new()).expect("no mailbox yet").is_empty());
        let all = [
            LadderRequest::Pause { version: "ada.7".to_owned(), reason: "too loud".to_owned() },
            LadderRequest::Resume { version: "ada.7".to_owned() },
            LadderRequest::Freeze { rounds: MOST_ROUNDS },
            LadderRequest::Add { player: "ada".to_owned(), entry: "3".to_owned() },
        ];
        for request in &all {
            post(dir.path(), request).expect("posted");
        }
        let arrived = || requests(dir.path(), &BTreeSet::new()).expect("readable");
        let read: Vec<LadderRequest> = arrived().into_iter().filter_map(|arrived| arrived.request.ok()).collect();
        assert_eq!(read, all);
        let known = BTreeSet::from([arrived()[1].file.clone()]);
        assert_eq!(requests(dir.path(), &known).expect("readable").len(), 3);
        arrived()[0].settle().expect("removed");
        assert_eq!(arrived().len(), 3);
        fs::write(dir.path().join(MAILBOX).join("0.json"), "{\"delete\":{}}").expect("written");
        let wrong = arrived().swap_remove(0);
        assert!(wrong.request.as_ref().is_err_and(|why| why.contains("unknown variant `delete`")), "{wrong:?}");
        wrong.settle().expect("renamed");
        assert_eq!(arrived().len(), 3, "it is not read again");
    }
}
