//! What the user can do, in words.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::sanitise::{Shown as _, quoted};
use crate::host::sandbox::Tier;

/// An alternative place for the results.
pub(super) const OTHER_DIR: &str = "name another directory with `--out DIR`";

/// How to play tournaments of any format on several machines.
pub(super) const NO_SHARDS: &str = "shards and `merge` are for `round-robin` and `gauntlet`; `run --nats URL` plays every format on several \
     machines (see docs/reference/several-machines.md)";

/// How a run can continue after its tournament file has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Replay all games of these players: the change affects only them.
    Redo(BTreeSet<String>),
    /// Extend the run: the change only adds players or rounds.
    Extend,
    /// Undo the change: the user wants to extend the run, but the change does more than that.
    NotByExtending,
    /// Undo the change: there is no other way.
    Undo,
}

impl Remedy {
    /// What the user can do.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Redo(players) => format!(
                "add `{}` to play their games again, undo the change, or add `--fresh` to start a new run next to \
                 this one",
                redo_words(players.iter().map(String::as_str))
            ),
            Self::Extend => {
                "add `--extend` to play the additions as well, or `--fresh` to start a new run next to this one".to_owned()
            }
            Self::NotByExtending => {
                "`--extend` accepts only more rounds and, if the format does not fix the number of each player's games, more \
                 players after the existing ones; `--fresh` starts a new run next to this one"
                    .to_owned()
            }
            Self::Undo => {
                "undo the change to continue this run, or add `--fresh` to start a new run next to it".to_owned()
            }
        }
    }
}

/// The hint if the journal lacks many games that have logs. `were_offered` says whether an attempt to add them has
/// already been made.
pub(super) fn unknown_logs(dir: &Path, were_offered: bool) -> String {
    let advice = if were_offered {
        "these games cannot be added to it: they are invalid, belong to another tournament, or were played by other programs"
            .to_owned()
    } else {
        format!("`gothello-arena rebuild --from-logs {}` adds the games that the journal lacks", dir.shown())
    };
    format!(
        "no log was changed; {advice}; `--force` renames these logs to `*.log.not-in-journal`. If the journal is an older copy, \
         restore the newer one instead"
    )
}

/// The hint if bots cannot be confined as the tournament file requires.
pub(super) fn unconfinable(tier: Tier) -> String {
    let instead = match tier {
        Tier::C => "; without namespaces, the arena can still confine bots by tier C, which isolation = \"auto\" uses",
        Tier::A | Tier::B | Tier::D => "",
    };
    format!("`gothello-arena doctor` reports what is missing{instead}")
}

/// The hint after another program has moved or changed the journal, which should be at `path`.
pub(super) fn how_to_go_on(path: &Path, rescued: &io::Result<PathBuf>) -> String {
    match rescued {
        Ok(copy) => format!(
            "the run has ended without writing its tables; all its games are in `{copy}`. Keep sync clients, editors and \
             scripts away from the directory, then continue with\n  mv {} {}\nfollowed by the same command",
            quoted(&copy.to_string_lossy()),
            quoted(&path.to_string_lossy()),
            copy = copy.shown(),
        ),
        Err(error) => format!(
            "the run has ended without writing its tables, and its journal could not be copied: {error}\nthe games that \
             were reported as finished are in the game logs: put the journal back, then `gothello-arena rebuild \
             --from-logs {}` adds the games that it lacks",
            quoted(&path.parent().unwrap_or(Path::new(".")).to_string_lossy())
        ),
    }
}

/// The options that replay all games of the players `names`.
pub(crate) fn redo_words<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("--redo {}", quoted(name))).collect::<Vec<_>>().join(" ")
}
