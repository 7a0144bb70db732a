//! The directory of a class: its players' files, class.toml, import.json and IMPORT.md.
//!
//! A new class is created in a directory next to its final place, and then renamed as a whole. An update writes
//! import.json first, with the digests of the new files. If the update is killed, the next one can thus distinguish
//! files that were put in place from files that the teacher edited.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::arrival::{ArrivedSubmission, Earlier, was_ready};
use super::refusal::UnpackError;
use super::staging::{Leftovers, Staging};
use super::unfold::files_of;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::files::{free_name, write_whole};
use crate::base::hex::hex;
use crate::base::machine::LockHolders;
use crate::base::sanitise::Shown;
use crate::course::roster::{BadRoster, Roster, RosterStudent, SubmissionState};
use crate::course::submissions::class_file::{ClassFile, block, lines_in};
use crate::course::submissions::import_page::ImportPage;
use crate::course::submissions::recipe::{GivenFiles, recognise_bot};
use crate::course::submissions::update_notes::{LostPlayer, UpdateNotes, has_player, name_in};
use crate::course::submissions::{ImportChange, Imported, reason};
use crate::game::Side;
use crate::host::dir_lock::{DirLock, DirLockError, DirUse};
use crate::referee::time_control::SideControl;
use crate::tournament::Tournament;
use crate::tournament::file::{FileProblems, TOURNAMENT_SCHEMA};

/// The names of the files in the directory.
const CLASS: &str = "class.toml";
const ROSTER: &str = "import.json";
const PAGE: &str = "IMPORT.md";
const SCHEMA: &str = "tournament.schema.json";
const BOTS: &str = "bots";
const REPLACED: &str = "replaced";

/// Each side's default time control.
const CONTROL: SideControl = SideControl::sudden_death(Duration::from_mins(1));

/// Why a class was not imported.
#[derive(Debug, Error)]
pub(crate) enum NotImported {
    /// The directory already contains an import.
    #[error("`{}` already contains an import: add `--update` to import new submissions, or name another directory with `--out`", .0.shown())]
    Exists(PathBuf),
    /// The directory contains something else.
    #[error("`{}` is not empty, and does not contain an import (with `--out`, name a directory that is empty or does not exist yet)", .0.shown())]
    NotEmpty(PathBuf),
    /// The directory does not contain an import to update.
    #[error("`{}` does not contain a {ROSTER} to update: leave out `--update`", .0.shown())]
    Nothing(PathBuf),
    /// import.json is not a valid roster.
    #[error("cannot read `{}`: {source}", path.shown())]
    Roster { path: PathBuf, source: BadRoster },
    /// The teacher's class.toml has mistakes.
    #[error("nothing was changed, because `{}` has mistakes:\n{}", path.shown(), problems.display(path))]
    ClassFile { path: PathBuf, problems: FileProblems },
    /// Other processes are importing into the directory, or playing from it.
    #[error("nothing was changed, because `{}` is in use by {holders}: repeat the command once it is free", dir.shown())]
    InUse { dir: PathBuf, holders: LockHolders },
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Io(#[from] UnpackError),
}

impl CommandError for NotImported {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Io(_) => Exit::ArenaFailed.alone(),
            Self::Exists(_)
            | Self::NotEmpty(_)
            | Self::Nothing(_)
            | Self::Roster { .. }
            | Self::ClassFile { .. }
            | Self::InUse { .. } => Exit::Usage.alone(),
        }
    }
}

/// The directory of a class, which may not exist yet.
#[derive(Debug)]
pub(crate) struct ClassDir {
    out: PathBuf,
    /// The name of the class, which is also the name of the directory.
    name: String,
    /// The roster of the last import.
    pub(crate) roster: Option<Roster>,
    /// The lock on the directory, which excludes other imports.
    lock: Option<DirLock>,
    /// The reason why the directory to be updated cannot be locked; `None` if it is locked.
    pub(crate) unlockable: Option<io::Error>,
}

/// Arrivals, and the locks on the directories that they will be put into.
#[derive(Debug)]
pub(crate) struct HeldArrivals {
    pub(crate) arrivals: Vec<ArrivedSubmission>,
    _locks: Vec<DirLock>,
}

/// The inputs of an import apart from the submissions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportSetting<'a> {
    /// Each side's time control, if the teacher specifies one.
    pub(crate) control: Option<SideControl>,
    pub(crate) is_unconfined: bool,
    pub(crate) absent: &'a [RosterStudent],
    pub(crate) warnings: &'a [String],
    /// The files of the course.
    pub(crate) given: &'a GivenFiles,
}

/// The changes made by an update.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// The names of the players whose files are new.
    pub(crate) redo: Vec<String>,
    /// The names of the players who are new.
    pub(crate) added: Vec<String>,
    /// The player names of the submissions that were imported but whose players are not in class.toml.
    pub(crate) without_player: Vec<String>,
    /// Whether the text of class.toml is kept because the teacher edited it.
    pub(crate) keeps_class_file: bool,
    /// The changes to class.toml that remain for the teacher to make.
    pub(crate) notes: UpdateNotes,
}

/// A class.toml that the teacher has edited.
struct EditedClass {
    tournament: Tournament,
    text: String,
}

impl EditedClass {
    /// Reads the file's `bytes`; `None` if it has mistakes.
    fn read(bytes: &[u8]) -> Option<Self> {
        let tournament = Tournament::parse_bytes(bytes, "class").ok()?;
        Some(Self { tournament, text: String::from_utf8_lossy(bytes).into_owned() })
    }
}

/// Data for the files next to class.toml.
struct Rest {
    class_toml_sha256: String,
    notes: UpdateNotes,
}

impl Rest {
    fn new(class_toml_sha256: String) -> Self {
        Self { class_toml_sha256, notes: UpdateNotes::default() }
    }
}

impl ClassDir {
    /// Opens the class in `out`; from then on, no other process can import into it.
    ///
    /// # Errors
    /// As for [`ClassDir::open`]; also refuses while another import into `out` is in progress.
    pub(crate) fn open_alone(out: &Path, is_update: bool) -> Result<Self, NotImported> {
        // A new class is first created elsewhere, so there is no directory to lock yet.
        let locked = is_update.then(|| DirLock::take_soon(out, DirUse::Change));
        let (lock, unlockable) = match locked {
            None => (None, None),
            Some(Ok(lock)) => (Some(lock), None),
            Some(Err(DirLockError::Held(holders))) => {
                return Err(NotImported::InUse { dir: out.to_owned(), holders });
            }
            Some(Err(DirLockError::Unlockable(error))) => (None, Some(error)),
        };
        Ok(Self { lock, unlockable, ..Self::open(out, is_update)? })
    }

    /// Opens the class in `out` for reading only.
    ///
    /// # Errors
    /// Refuses a directory that contains anything other than an import, and an existing import unless this is an
    /// update.
    pub(crate) fn open(out: &Path, is_update: bool) -> Result<Self, NotImported> {
        let path = out.join(ROSTER);
        let whole = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
        let name = whole.file_name().map_or_else(|| "class".to_owned(), Shown::shown);
        match fs::read(&path) {
            Ok(_) if !is_update => Err(NotImported::Exists(out.to_owned())),
            Ok(text) => {
                let roster = Roster::parse(&text).map_err(|source| NotImported::Roster { path, source })?;
                Ok(Self { out: out.to_owned(), name, roster: Some(roster), lock: None, unlockable: None })
            }
            Err(error) if error.kind() == ErrorKind::NotFound && is_update => Err(NotImported::Nothing(out.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match fs::read_dir(out).map(|mut entries| entries.next()) {
                    Ok(Some(_)) => Err(NotImported::NotEmpty(out.to_owned())),
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(UnpackError::at(out)(error).into()),
                    Ok(None) | Err(_) => {
                        Ok(Self { out: out.to_owned(), name, roster: None, lock: None, unlockable: None })
                    }
                }
            }
            Err(error) => Err(UnpackError::at(path)(error).into()),
        }
    }

    /// Creates a directory in which submissions are unpacked, so that they can be renamed into place. Leftovers of
    /// killed imports are removed.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created.
    pub(crate) fn staging(&self) -> Result<Staging, UnpackError> {
        if self.roster.is_some() {
            let leftovers = if self.lock.is_some() { Leftovers::All } else { Leftovers::OfTheDead };
            return Staging::in_dir(&self.out, leftovers).map_err(UnpackError::at(&self.out));
        }
        let whole = std::path::absolute(&self.out).map_err(UnpackError::at(&self.out))?;
        let parent = whole.parent().unwrap_or(Path::new("/")).to_owned();
        fs::create_dir_all(&parent).map_err(UnpackError::at(&parent))?;
        Staging::in_dir(&parent, Leftovers::OfTheDead).map_err(UnpackError::at(&parent))
    }

    /// Puts the arrivals in place, by way of the directory `staging`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written; in that case, a new class does not exist, and an update
    /// can be repeated.
    pub(crate) fn install(
        &self,
        held: HeldArrivals,
        setting: ImportSetting<'_>,
        staging: &Path,
    ) -> Result<Replaced, NotImported> {
        let HeldArrivals { arrivals, _locks } = held;
        let (submissions, trees): (Vec<Imported>, Vec<Option<PathBuf>>) =
            arrivals.into_iter().map(|arrival| (arrival.imported, arrival.tree)).unzip();
        match &self.roster {
            None => self.make(&submissions, &trees, setting, staging),
            Some(roster) => self.update(roster, &submissions, &trees, setting),
        }
    }

    fn make(
        &self,
        submissions: &[Imported],
        trees: &[Option<PathBuf>],
        setting: ImportSetting<'_>,
        staging: &Path,
    ) -> Result<Replaced, NotImported> {
        let new = staging.join("class");
        fs::create_dir_all(new.join(BOTS)).map_err(UnpackError::at(&new))?;
        for (submission, tree) in submissions.iter().zip(trees) {
            if let Some(tree) = tree {
                fs::rename(tree, new.join(BOTS).join(&submission.entry.slug)).map_err(UnpackError::at(tree))?;
            }
        }
        let text = self.class_file(submissions, setting, b"");
        let path = new.join(CLASS);
        write_whole(&path, text.as_bytes()).map_err(UnpackError::at(&path))?;
        self.write_rest(&new, submissions, setting, &Rest::new(sha256(text.as_bytes())))?;
        if let Err(error) = fs::rename(&new, &self.out) {
            // Another import has created the class in the meantime.
            let is_there = self.out.join(ROSTER).symlink_metadata().is_ok();
            let elsewhere = || NotImported::Exists(self.out.clone());
            return Err(if is_there { elsewhere() } else { UnpackError::at(&self.out)(error).into() });
        }
        let added = new_players(submissions, None, false).into_iter().map(|one| one.entry.player.clone()).collect();
        Ok(Replaced { added, ..Replaced::default() })
    }

    fn update(
        &self,
        roster: &Roster,
        submissions: &[Imported],
        trees: &[Option<PathBuf>],
        setting: ImportSetting<'_>,
    ) -> Result<Replaced, NotImported> {
        let path = self.out.join(CLASS);
        let old = fs::read(&path).map_err(UnpackError::at(&path))?;
        let keeps_class_file = sha256(&old) != roster.class_toml_sha256;
        let text = if keeps_class_file {
            self.extended(&old, submissions)?
        } else {
            self.class_file(submissions, setting, &old)
        };
        let mut coming = roster.clone();
        let arrived = || submissions.iter().zip(trees).filter(|(one, _)| is_new(one));
        coming.incoming = arrived().map(|(one, _)| (one.entry.slug.clone(), one.entry.files_sha256.clone())).collect();
        let edited = keeps_class_file.then(|| EditedClass::read(&old)).flatten();
        let replaced = self.outlook(roster, submissions, edited.as_ref(), setting);
        let roster_path = self.out.join(ROSTER);
        write_whole(&roster_path, coming.json().as_bytes()).map_err(UnpackError::at(&roster_path))?;
        for (submission, tree) in arrived() {
            self.put_in_place(&submission.entry.slug, tree.as_deref())?;
        }
        let kept_digest = keeps_class_file.then(|| roster.class_toml_sha256.clone());
        write_whole(&path, text.as_bytes()).map_err(UnpackError::at(&path))?;
        let class_toml_sha256 = kept_digest.unwrap_or_else(|| sha256(text.as_bytes()));
        let rest = Rest { class_toml_sha256, notes: replaced.notes.clone() };
        self.write_rest(&self.out, submissions, setting, &rest)?;
        Ok(Replaced { keeps_class_file, ..replaced })
    }

    /// The changes that an update with `submissions` would make. Nothing is written.
    ///
    /// # Errors
    /// Returns an error if class.toml cannot be read, or has mistakes and would have to be extended.
    pub(crate) fn would_replace(
        &self,
        submissions: &[Imported],
        setting: ImportSetting<'_>,
    ) -> Result<Replaced, NotImported> {
        let Some(roster) = &self.roster else { return Ok(Replaced::default()) };
        let path = self.out.join(CLASS);
        let old = fs::read(&path).map_err(UnpackError::at(&path))?;
        let keeps_class_file = sha256(&old) != roster.class_toml_sha256;
        if keeps_class_file {
            self.extended(&old, submissions)?;
        }
        let edited = keeps_class_file.then(|| EditedClass::read(&old)).flatten();
        Ok(Replaced { keeps_class_file, ..self.outlook(roster, submissions, edited.as_ref(), setting) })
    }

    /// The changes made when `submissions` are put in place. `edited` is the teacher's class.toml, if the teacher has
    /// edited it.
    fn outlook(
        &self,
        roster: &Roster,
        submissions: &[Imported],
        edited: Option<&EditedClass>,
        setting: ImportSetting<'_>,
    ) -> Replaced {
        let outdated =
            edited.map(|EditedClass { tournament, text }| UpdateNotes::outdated(text, tournament, submissions));
        let edited = edited.map(|class| &class.tournament);
        let arrived = || submissions.iter().filter(|one| is_new(one));
        let without = || arrived().filter(|one| one.entry.state != SubmissionState::Ready);
        let is_there = |one: &Imported| self.out.join(BOTS).join(&one.entry.slug).symlink_metadata().is_ok();
        let lost = without().filter(|one| was_ready(Some(roster), &one.entry.player) && is_there(one));
        let notes = UpdateNotes {
            lost: lost.map(|one| self.lost(roster, one, edited, setting.given)).collect(),
            stale: edited.map(|class| UpdateNotes::stale(class, submissions)).unwrap_or_default(),
            outdated: outdated.unwrap_or_default(),
        };
        let of_class = |new: Vec<&Imported>| -> Vec<String> {
            new.into_iter().map(|one| name_in(edited, one).to_owned()).collect()
        };
        Replaced {
            without_player: without().map(|one| one.entry.player.clone()).collect(),
            notes,
            redo: of_class(new_players(submissions, Some(roster), true)),
            added: of_class(new_players(submissions, Some(roster), false)),
            keeps_class_file: false,
        }
    }

    /// Locks the directories of the players whose files `arrivals` would replace, since no program may play from a
    /// directory that is being replaced. If a directory is in use, its files stay as they are, and the arrival records
    /// this.
    ///
    /// # Errors
    /// Returns an error if an arrival would replace a directory that is in use and does not belong to an
    /// earlier submission.
    pub(crate) fn hold(
        &self,
        mut arrivals: Vec<ArrivedSubmission>,
        earlier: Earlier<'_>,
    ) -> Result<HeldArrivals, NotImported> {
        let mut locks = Vec::new();
        for arrival in arrivals.iter_mut().filter(|arrival| is_new(&arrival.imported)) {
            let dir = self.out.join(BOTS).join(&arrival.imported.entry.slug);
            match DirLock::take_soon(&dir, DirUse::Change) {
                Ok(lock) => locks.push(lock),
                Err(DirLockError::Held(holders)) => match earlier.in_use(&arrival.imported.entry.player, &holders) {
                    Some(kept) => *arrival = kept,
                    None => return Err(NotImported::InUse { dir, holders }),
                },
                // The directory does not exist, or cannot be locked for the same reason as the whole class.
                Err(DirLockError::Unlockable(_)) => {}
            }
        }
        Ok(HeldArrivals { arrivals, _locks: locks })
    }

    /// The player of `submission`, which has no program and replaces the player's previous bot.
    fn lost(
        &self,
        roster: &Roster,
        submission: &Imported,
        edited: Option<&Tournament>,
        given: &GivenFiles,
    ) -> LostPlayer {
        let player = submission.entry.player.clone();
        let files = roster.of_player(&player).map_or(&[][..], |entry| &entry.files);
        let slug = &submission.entry.slug;
        let recipe = recognise_bot(&files_of(&self.out.join(BOTS).join(slug), files, given)).recipe;
        let former = self.place_aside(slug).file_name().map_or_else(String::new, Shown::shown);
        let former = format!("{REPLACED}/{former}");
        LostPlayer {
            lines: recipe.map(|recipe| lines_in(&former, Some(&recipe))).unwrap_or_default(),
            why: reason(submission),
            is_in_class: edited.is_some_and(|class| has_player(class, submission)),
            player,
            former,
        }
    }

    /// The directory to which the files of the player `slug` are moved when they are replaced.
    fn place_aside(&self, slug: &str) -> PathBuf {
        free_name(&self.out.join(REPLACED).join(slug), "before")
    }

    /// Makes `tree` the directory of the player `slug`. The previous contents are kept in the directory `replaced`.
    fn put_in_place(&self, slug: &str, tree: Option<&Path>) -> Result<(), UnpackError> {
        let place = self.out.join(BOTS).join(slug);
        fs::create_dir_all(self.out.join(BOTS)).map_err(UnpackError::at(&place))?;
        if place.symlink_metadata().is_ok() {
            let aside = self.out.join(REPLACED);
            fs::create_dir_all(&aside).map_err(UnpackError::at(&aside))?;
            fs::rename(&place, self.place_aside(slug)).map_err(UnpackError::at(&place))?;
        }
        if let Some(tree) = tree {
            fs::rename(tree, &place).map_err(UnpackError::at(&place))?;
        }
        Ok(())
    }

    /// The text of class.toml. An update keeps the name and the clocks of the class, so that its run can continue.
    fn class_file(&self, submissions: &[Imported], setting: ImportSetting<'_>, old: &[u8]) -> String {
        let former: toml::Table = str::from_utf8(old).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
        let name = former.get("name").and_then(toml::Value::as_str).unwrap_or(&self.name);
        let control = setting.control.or_else(|| clock_of(old)).unwrap_or(CONTROL);
        ClassFile { name, control, is_unconfined: setting.is_unconfined, submissions }.text()
    }

    /// The text `old` of the teacher's class.toml, with the missing players added.
    fn extended(&self, old: &[u8], submissions: &[Imported]) -> Result<String, NotImported> {
        let path = self.out.join(CLASS);
        let wrong = |problems| NotImported::ClassFile { path: path.clone(), problems };
        let known = Tournament::parse_bytes(old, "class").map_err(wrong)?;
        let mut text = String::from_utf8_lossy(old).into_owned();
        let new =
            |one: &&Imported| is_new(one) && one.entry.state == SubmissionState::Ready && !has_player(&known, one);
        text.extend(submissions.iter().filter(new).map(block));
        Tournament::parse(&text, "class").map(|_| text).map_err(wrong)
    }

    /// Writes all files of a class except class.toml. import.json must be written last, since it records that the other
    /// files exist.
    fn write_rest(
        &self,
        dir: &Path,
        submissions: &[Imported],
        setting: ImportSetting<'_>,
        rest: &Rest,
    ) -> Result<(), UnpackError> {
        let entries = submissions.iter().map(|submission| submission.entry.clone()).collect();
        let mut roster = Roster::new(entries);
        roster.absent = setting.absent.to_vec();
        roster.class_toml_sha256.clone_from(&rest.class_toml_sha256);
        roster.given = setting.given.digests().map(str::to_owned).collect();
        let page = ImportPage { notes: Some(&rest.notes), ..self.page(submissions, setting) }.markdown();
        for (name, text) in [(SCHEMA, TOURNAMENT_SCHEMA), (PAGE, &page), (ROSTER, &roster.json())] {
            let path = dir.join(name);
            write_whole(&path, text.as_bytes()).map_err(UnpackError::at(&path))?;
        }
        Ok(())
    }

    /// The report about the class.
    pub(crate) fn page<'a>(&'a self, submissions: &'a [Imported], setting: ImportSetting<'a>) -> ImportPage<'a> {
        let ImportSetting { absent, warnings, .. } = setting;
        ImportPage { name: &self.name, submissions, absent, warnings, notes: None }
    }
}

/// The time control of both sides in `old`, the text of a class.toml that an import wrote.
fn clock_of(old: &[u8]) -> Option<SideControl> {
    Tournament::parse_bytes(old, "class").ok()?.time_control.of(Side::Black)
}

/// Whether the current import includes `submission`, as a new submission or in place of an earlier one.
fn is_new(submission: &Imported) -> bool {
    matches!(submission.change, ImportChange::Added | ImportChange::Replaced)
}

/// The submissions that the current import includes: if `were_there`, only those whose players class.toml already
/// contained after the last import, and otherwise only the others.
fn new_players<'s>(submissions: &'s [Imported], roster: Option<&Roster>, were_there: bool) -> Vec<&'s Imported> {
    let ready = submissions.iter().filter(|one| is_new(one)).filter(|one| one.entry.state == SubmissionState::Ready);
    ready.filter(|one| was_ready(roster, &one.entry.player) == were_there).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::submissions::imported_for_tests::imported;

    #[test]
    fn an_edited_class_file_gets_the_new_players_that_it_lacks() {
        use SubmissionState::{Ready, Unknown};
        let dir = tempfile::tempdir().expect("a directory");
        let class = ClassDir::open(dir.path(), false).unwrap_or_else(|error| panic!("{error}"));
        let old = "# The teacher's.\n[[player]]\nname = \"ann\"\nbuiltin = \"random\"\n\
                   [[player]]\nname = \"renamed\"\ndir = \"bots/bea\"\ncommand = [\"./bot\"]\n";
        let submissions = [
            imported("ann", Ready, ImportChange::Added),
            imported("bea", Ready, ImportChange::Replaced),
            imported("cleo", Ready, ImportChange::Added),
            imported("dan", Ready, ImportChange::Replaced),
            imported("eve", Ready, ImportChange::Unchanged),
            imported("fay", Ready, ImportChange::Edited),
            imported("gus", Unknown, ImportChange::Added),
        ];
        let text = class.extended(old.as_bytes(), &submissions).unwrap_or_else(|error| panic!("{error}"));
        assert!(text.starts_with(old), "{text}");
        let tournament = Tournament::parse(&text, "class").unwrap_or_else(|problems| panic!("{problems}"));
        let players: Vec<&str> = tournament.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(players, ["ann", "renamed", "cleo", "dan"]);
    }
}
