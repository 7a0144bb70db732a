//! The directory of a class: its players' files, class.toml, import.json and IMPORT.md.
//!
//! A new class is created in a directory next to its final place, and then renamed as a whole. An update writes
//! import.json first, with the digests of the new files. If the update is killed, the next one can thus distinguish
//! files that were put in place from files that the teacher edited.

mod class_text;
mod not_imported;
mod outlook;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::arrival::{ArrivedSubmission, Earlier};
use super::refusal::UnpackError;
use super::staging::{Leftovers, Staging};
use crate::base::files::{free_name, write_whole};
use crate::base::hex::hex;
use crate::base::sanitise::Shown;
use crate::course::roster::{Roster, RosterStudent};
use crate::course::submissions::import_page::ImportPage;
use crate::course::submissions::recipe::GivenFiles;
use crate::course::submissions::update_notes::UpdateNotes;
use crate::course::submissions::{ImportChange, Imported};
use crate::host::dir_lock::{DirLock, DirLockError, DirUse};
use crate::referee::time_control::SideControl;
use crate::tournament::file::TOURNAMENT_SCHEMA;
use class_text::EditedClass;
pub(crate) use not_imported::NotImported;
pub(crate) use outlook::Replaced;
use outlook::new_players;

/// The names of the files in the directory.
const CLASS: &str = "class.toml";
const ROSTER: &str = "import.json";
const PAGE: &str = "IMPORT.md";
const SCHEMA: &str = "tournament.schema.json";
const BOTS: &str = "bots";
const REPLACED: &str = "replaced";

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

/// Whether the current import includes `submission`, as a new submission or in place of an earlier one.
fn is_new(submission: &Imported) -> bool {
    matches!(submission.change, ImportChange::Added | ImportChange::Replaced)
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
