//! Where a run's results go: a new directory, or one that holds a run to go on with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::base::files::is_temporary;
use crate::base::printable::Shown as _;
use crate::cli::{Exit, Failure, listed, note};
use crate::run::derived::{Derived, RESULTS, STANDINGS};
use crate::run::entrants::{Entrant, Known};
use crate::run::journal::{self, Durability, Entry, FORMAT, Header, Journal, JournalError, Ledger, PlayerEntry};
use crate::run::results_dir::JOURNAL;
use crate::tournament::definition::{Change, Definition};
use crate::tournament::file::{FORMER_ILLEGAL_TRIES, Format, Player, Tournament};

use super::redo::Redo;

/// What the user allows to differ from the run that is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    pub(super) extend: bool,
    pub(super) redo: Vec<String>,
    pub(super) durability: Durability,
}

/// Where the results go.
#[derive(Debug)]
pub(super) enum Place {
    /// To a directory in which there is no run.
    New { dir: PathBuf },
    /// To one with a run, whose journal is locked from here on.
    Old { dir: PathBuf, journal: Box<Journal>, ledger: Box<Ledger>, redo: Redo },
}

/// The name beside `dir` that `--fresh` takes: `dir` itself if it is unused, else `dir-2` and so on.
pub(super) fn fresh(dir: &Path) -> Result<PathBuf, Failure> {
    let mut number = 1_u64;
    let mut name = dir.to_owned();
    while !is_unused(&name)? {
        number += 1;
        let mut text = dir.as_os_str().to_owned();
        text.push(format!("-{number}"));
        name = PathBuf::from(text);
    }
    Ok(name)
}

impl Place {
    /// Compares what is in `dir` with what is to be played. A run that began under the former default of `illegal_tries` keeps
    /// that default: this function then sets it in `tournament`.
    pub(super) fn find(dir: PathBuf, tournament: &mut Tournament, wishes: &Wishes) -> Result<Self, Failure> {
        if !journal::is_in(&dir) {
            if !is_unused(&dir)? {
                return Err(Failure::usage(anyhow!(
                    "`{}` is not empty and holds no run to go on with: name another directory with `--out DIR`, or move \
                     this one away",
                    dir.shown()
                )));
            }
            if let Some(name) = wishes.redo.first() {
                return Err(Failure::usage(anyhow!(
                    "--redo {name}: there is no run in `{}` to play anything of again",
                    dir.shown()
                )));
            }
            return Ok(Self::New { dir });
        }
        let (journal, ledger, _) = Journal::resume(&dir, wishes.durability).map_err(|error| unusable(error, &dir))?;
        let redo = Redo::of(&wishes.redo, &ledger)?;
        if ledger.definition.has_former_tries(tournament) {
            tournament.limits.illegal_tries = Some(FORMER_ILLEGAL_TRIES);
            note(format_args!(
                "the run in `{}` goes on with `illegal_tries = {FORMER_ILLEGAL_TRIES}`, which was the default when it was begun",
                dir.shown()
            ));
        }
        let definition = &Definition::from(&*tournament);
        hold_against(&redefined(&ledger.definition, definition, &redo), definition, wishes.extend, &dir)?;
        if ledger.program != env!("CARGO_PKG_VERSION") {
            note(format_args!("the run in `{}` was begun by version {}", dir.shown(), ledger.program));
        }
        Ok(Self::Old { dir, journal: Box::new(journal), ledger: Box::new(ledger), redo })
    }

    pub(super) fn dir(&self) -> &Path {
        match self {
            Self::New { dir } | Self::Old { dir, .. } => dir,
        }
    }

    /// What the run knows of players, where there is one.
    pub(super) fn known(&self) -> Vec<Known> {
        let Self::Old { ledger, redo, .. } = self else { return Vec::new() };
        let known = |entry: &PlayerEntry| Known {
            entry: entry.clone(),
            is_bound: !redo.players.contains(&entry.name) && redo.leaves_games_of(&entry.name, ledger),
        };
        ledger.players.iter().map(known).collect()
    }

    /// Makes everything ready for the first game, or for the next one.
    pub(super) fn begin(
        self,
        tournament: &Tournament,
        entrants: &[Entrant],
        wishes: &Wishes,
    ) -> Result<(Journal, Ledger), Failure> {
        let definition = Definition::from(tournament);
        let players = players(tournament, entrants);
        match self {
            Self::New { dir } => {
                let header = Header {
                    format: FORMAT,
                    program: env!("CARGO_PKG_VERSION").to_owned(),
                    digest: definition.digest(),
                    definition,
                    players,
                };
                fs::create_dir_all(&dir)
                    .with_context(|| format!("could not make the directory `{}`", dir.shown()))
                    .map_err(|error| unwritable(&error))?;
                let journal =
                    Journal::create(&dir, &header, wishes.durability).map_err(|error| unwritable(&error.into()))?;
                Ok((journal, Ledger::new(header)?))
            }
            Self::Old { dir, mut journal, mut ledger, redo } => {
                hold_logs_against(&dir, &ledger)?;
                let entries = changes(tournament, &ledger, definition, &now(&players, entrants), &redo)?;
                // What was refused so far has changed nothing.
                if journal.mend()? {
                    note(format_args!(
                        "the last line of `{}` was cut off when the run before ended; it is dropped, and its game played again",
                        dir.join(JOURNAL).shown()
                    ));
                }
                if !entries.is_empty() {
                    journal.append(&entries)?;
                    for entry in entries {
                        ledger.take(entry)?;
                    }
                }
                mend(&dir, &ledger)?;
                Ok((*journal, *ledger))
            }
        }
    }
}

/// Whether nothing is there, or nothing but what a run leaves behind that was killed before its journal began.
fn is_unused(dir: &Path) -> Result<bool, Failure> {
    let fail = || format!("`{}` can't be used for results", dir.shown());
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        entries => entries.with_context(fail).map_err(Failure::usage)?,
    };
    for entry in entries {
        let name = entry.with_context(fail)?.file_name();
        if !name.to_str().is_some_and(is_temporary) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The directory can't be begun, and what to do.
fn unwritable(error: &anyhow::Error) -> Failure {
    Failure::from(anyhow!("{error:#}\nname another directory with `--out DIR`"))
}

/// What can't be gone on with, and what to do.
pub(in crate::cli) fn unusable(error: JournalError, dir: &Path) -> Failure {
    let shown = dir.shown();
    match &error {
        JournalError::Locked { .. } => Failure::usage(anyhow!(
            "another run is under way in `{shown}`: wait for its end, or name another directory with `--out DIR`"
        )),
        JournalError::Damaged { .. } | JournalError::Inconsistent { .. } | JournalError::NoHeader { .. } => Failure {
            exit: Exit::DoesNotHold,
            error: anyhow!(
                "{error}\nnothing was changed; `gothello-arena rebuild --salvage {shown}` keeps what is whole, `--fresh` \
                 starts anew beside it"
            ),
        },
        JournalError::Io { .. } | JournalError::Disturbed { .. } => Failure::from(error),
    }
}

/// The definition that was begun, with the players whose games are all played again as they are now.
fn redefined(begun: &Definition, asked: &Definition, redo: &Redo) -> Definition {
    let mut begun = begun.clone();
    for player in redo.players.iter().filter_map(|name| asked.player(name)) {
        begun.redefine(player.clone());
    }
    begun
}

/// Refuses a file that asks for another tournament than the one that was begun.
fn hold_against(begun: &Definition, asked: &Definition, extend: bool, dir: &Path) -> Result<(), Failure> {
    let changes = begun.changes(asked);
    let is_extended = begun.is_extended_by(asked);
    if changes.is_empty() || (extend && is_extended) {
        return Ok(());
    }
    let all: Vec<String> = changes.iter().map(|change| format!("\n  {change}")).collect();
    let of_players = changes.iter().map(Change::player_s_own).collect::<Option<BTreeSet<_>>>();
    let advice = match (of_players, extend, is_extended) {
        (Some(players), _, _) => {
            format!(
                "add `{}` to play their games again, undo the change, or add `--fresh` to start anew beside it",
                redo_words(players)
            )
        }
        (None, false, true) => {
            "add `--extend` to play what is new as well, or `--fresh` to start anew beside it".to_owned()
        }
        (None, true, _) => {
            "`--extend` takes more rounds, and more players behind the others, but nothing else; `--fresh` starts \
                      anew beside it"
                .to_owned()
        }
        (None, false, false) => "undo the change to go on, or add `--fresh` to start anew beside it".to_owned(),
    };
    Err(Failure::usage(anyhow!("the run in `{}` is of another tournament:{}\n{advice}", dir.shown(), all.concat())))
}

/// The options that have these players' games played again.
fn redo_words<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("--redo {}", quoted(name))).collect::<Vec<_>>().join(" ")
}

/// What the journal calls each player.
fn players(tournament: &Tournament, entrants: &[Entrant]) -> Vec<PlayerEntry> {
    let entry = |(player, entrant): (&Player, &Entrant)| {
        let (digest, files) = match entrant {
            Entrant::Program { identity, .. } => (identity.digest().map(str::to_owned), identity.files()),
            Entrant::Remote | Entrant::Unstartable(_) | Entrant::Changed(_) => (None, BTreeMap::new()),
        };
        let products = match entrant {
            Entrant::Program { identity, .. } => identity.products().cloned(),
            Entrant::Remote | Entrant::Unstartable(_) | Entrant::Changed(_) => None,
        };
        PlayerEntry { name: player.name.to_string(), digest, files, products }
    };
    tournament.players.iter().zip(entrants).map(entry).collect()
}

/// A player as it is now, and what of it has been found to be another already.
type Now<'a> = (&'a PlayerEntry, Option<&'a str>);

fn now<'a>(players: &'a [PlayerEntry], entrants: &'a [Entrant]) -> Vec<Now<'a>> {
    let found = entrants.iter().map(|entrant| match entrant {
        Entrant::Changed(what) => Some(what.as_str()),
        Entrant::Program { .. } | Entrant::Remote | Entrant::Unstartable(_) => None,
    });
    players.iter().zip(found).collect()
}

/// The entries that what has changed calls for. Players that have changed are refused unless all their games are to be
/// played again, or none has been played.
fn changes(
    tournament: &Tournament,
    ledger: &Ledger,
    definition: Definition,
    players: &[Now<'_>],
    redo: &Redo,
) -> Result<Vec<Entry>, Failure> {
    let find = |name: &str| players.iter().find(|(player, _)| player.name == name).copied();
    let depends = matches!(tournament.format, Format::Swiss { .. } | Format::Knockout { .. });
    let mut entries = redo.entries(ledger, depends);
    for (player, _) in redo.players.iter().filter_map(|name| find(name)) {
        let kept_to = ledger.first_round_of(&player.name).filter(|_| depends);
        let now = definition.player(&player.name).filter(|now| ledger.definition.player(&player.name) != Some(*now));
        entries.push(Entry::Redo { player: player.clone(), kept_to, definition: now.cloned() });
    }
    let mut after = ledger.clone();
    for entry in entries.iter().cloned() {
        after.take(entry)?;
    }
    // A built-in bot is told by the version of this program.
    let changed = after.players.iter().filter_map(|before| {
        let (player, found) = find(&before.name)?;
        Some((found.map(str::to_owned).or_else(|| before.change(player))?, player))
    });
    let (changed, unplayed): (Vec<_>, Vec<_>) = changed.partition(|(_, player)| {
        let is_found = find(&player.name).is_some_and(|(_, found)| found.is_some());
        is_found || after.first_round_of(&player.name).is_some()
    });
    if !changed.is_empty() {
        let what: Vec<String> = changed.iter().map(|(what, player)| format!("\n  {}: {what}", player.name)).collect();
        return Err(Failure::usage(anyhow!(
            "players are not what they were when the run was begun:{}\nadd `{}` to play their games again, restore what was \
             there, or add `--fresh` to start anew beside it",
            what.concat(),
            redo_words(changed.iter().map(|(_, player)| player.name.as_str())),
        )));
    }
    let anew =
        |(_, player): (String, &PlayerEntry)| Entry::Redo { player: player.clone(), kept_to: None, definition: None };
    entries.extend(unplayed.into_iter().map(anew));
    // Built again from the same files, a player has other products now.
    let is_built = |player: &&PlayerEntry| {
        let before = after.players.iter().find(|before| before.name == player.name);
        before.is_some_and(|before| before.change(player).is_none() && before.products != player.products)
    };
    let built = players.iter().map(|(player, _)| *player).filter(is_built);
    entries.extend(built.map(|player| Entry::Built(player.clone())));
    if after.definition != definition {
        let players = players.iter().map(|(player, _)| (*player).clone()).collect();
        entries.push(Entry::Extend { definition, players });
    }
    Ok(entries)
}

/// The name as an argument of a command line.
pub(in crate::cli) fn quoted(name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

/// Refuses game logs that the journal does not have so.
fn hold_logs_against(dir: &Path, ledger: &Ledger) -> Result<(), Failure> {
    let derived = Derived::in_dir(dir.to_owned());
    let strange = derived.compare(ledger, &derived.logs()?).strange;
    if strange.is_empty() { Ok(()) } else { Err(disagreement(dir, &strange)) }
}

/// Journal and game logs disagree.
pub(in crate::cli) fn disagreement(dir: &Path, strange: &[PathBuf]) -> Failure {
    Failure {
        exit: Exit::DoesNotHold,
        error: anyhow!(
            "game logs are not as the journal has them:{}\n`gothello-arena rebuild {}` makes all logs and tables \
             from the journal again; with `--from-logs` it first takes the games that the journal lacks",
            listed(strange.iter().map(|path| path.shown())),
            dir.shown()
        ),
    }
}

/// Writes the logs that are missing, and removes what has been superseded.
fn mend(dir: &Path, ledger: &Ledger) -> Result<(), Failure> {
    let derived = Derived::in_dir(dir.to_owned());
    derived.prepare()?;
    let comparison = derived.compare(ledger, &derived.logs()?);
    for id in &comparison.superseded {
        derived.remove_log(id)?;
    }
    if !comparison.behind.is_empty() {
        derived
            .write_logs(ledger, |id| comparison.behind.binary_search_by(|behind| behind.as_str().cmp(id)).is_ok())?;
    }
    // They tell of the run as it was; the end of this one, or `rebuild`, makes them again.
    for name in [RESULTS, STANDINGS] {
        derived.remove(name)?;
    }
    Ok(())
}
