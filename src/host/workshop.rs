//! The copy of a player's directory in which a build works, and the way its products are brought back.
//!
//! The arena cannot trust the files that a build leaves behind: there may be links to anywhere, pipes, devices, sparse
//! files, set-user-id bits, and names of arbitrary bytes. The arena brings back only regular files, directories, and
//! links, which it copies as links. Each file appears either completely or not at all. The arena does not follow links,
//! either in the copy or in the directory that receives the products.

mod entry_at;

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

use entry_at::{bring, sweep};

use crate::base::files::{Copying, Scratch, copy_file};
use crate::base::held_dir::HeldDir;
use crate::base::sanitise::Shown as _;
use crate::base::tree::{Account, Found, Kind, MOST_BYTES, MOST_ENTRIES, TreeError, survey};

/// A copy of a directory, with a survey of the copy made before the build. The copy is removed on drop.
#[derive(Debug)]
pub(crate) struct Workshop {
    /// The directory that contains only the copy.
    dir: Scratch,
    before: HashMap<PathBuf, Found>,
    /// Whether only some files were copied, in which case other files in the directory may be in the way of products.
    is_partial: bool,
}

/// The reason why the arena could not bring back products.
#[derive(Debug, Error)]
pub(crate) enum HandBackError {
    /// The system refused the operation.
    #[error("could not put `{}` into `{}`: {source}", product.shown(), dir.shown())]
    Io {
        /// The product.
        product: PathBuf,
        /// The directory that should have received the product.
        dir: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file that was not copied for the build is in the way.
    #[error(
        "it created `{}`, which already exists in `{}`: a build without its own `dir` may replace only files that its \
         `build` or `command` names",
        product.shown(), dir.shown()
    )]
    InTheWay {
        /// The product.
        product: PathBuf,
        /// The directory that should have received the product.
        dir: PathBuf,
    },
}

/// The name of the copy in its directory.
const COPY: &str = "dir";

impl Workshop {
    /// Copies the directory `dir`, except for the relative paths for which `without` returns `true`.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or the copy cannot be written. The error is `EFBIG` if the directory
    /// exceeds the limits for a player.
    pub(crate) fn of_directory(dir: &Path, without: &dyn Fn(&Path) -> bool) -> io::Result<Self> {
        let made = Self::make()?;
        let (to, except) = (made.path().join(COPY), made.path());
        let most = (MOST_BYTES, MOST_ENTRIES);
        Copying { from: dir, to: &to, except, owner: None, without, most }.run()?;
        Self::furnished(made, false)
    }

    /// Copies the regular files among `files`, whose paths are relative to `dir`. Links, and files reached through
    /// links, are left out.
    ///
    /// # Errors
    /// Fails for the same reasons as [`Workshop::of_directory`].
    pub(crate) fn of_files<'f>(dir: &Path, files: impl IntoIterator<Item = &'f Path>) -> io::Result<Self> {
        let made = Self::make()?;
        let (copy, mut account) = (made.path().join(COPY), Account::default());
        fs::create_dir(&copy)?;
        let held = HeldDir::open(dir)?;
        for name in files {
            let is_plain = name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let target = copy.join(name);
            let Some(metadata) = held.metadata(name).ok().filter(|metadata| metadata.is_file() && is_plain) else {
                continue;
            };
            if target.exists() {
                continue;
            }
            account.add(name, metadata.len()).map_err(|_| io::Error::from(Errno::FBIG))?;
            fs::create_dir_all(target.parent().unwrap_or(&copy))?;
            copy_file(&held, name, &target)?;
        }
        Self::furnished(made, true)
    }

    fn make() -> io::Result<Scratch> {
        let dir = Scratch::new()?;
        // A build may run as a separate user, which must be able to traverse this directory.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o711))?;
        Ok(dir)
    }

    fn furnished(dir: Scratch, is_partial: bool) -> io::Result<Self> {
        let found = survey(&dir.path().join(COPY), |_, _| false).map_err(io::Error::other)?;
        let before = found.into_iter().map(|found| (found.name.clone(), found)).collect();
        Ok(Self { dir, before, is_partial })
    }

    /// The path of the copy.
    pub(crate) fn copy(&self) -> PathBuf {
        self.dir.path().join(COPY)
    }

    /// Returns the entries of the copy that are new or have been written since the copy was made, in the order of
    /// [`survey`]. Call this only when no process works in the copy any more.
    ///
    /// # Errors
    /// Fails if the copy cannot be read, or if it exceeds the limits for a player.
    pub(crate) fn products(&self) -> Result<Vec<Found>, TreeError> {
        let mut found = survey(&self.copy(), |_, _| false)?;
        found.retain(|found| {
            let is_same = |before: &Found| {
                let is_written = before.kind != Kind::Directory && !before.stamp.is_as_written(&found.stamp);
                before.kind == found.kind && before.mode == found.mode && !is_written
            };
            !self.before.get(&found.name).is_some_and(is_same)
        });
        Ok(found)
    }

    /// Whether `name` was in the copy before the build.
    pub(crate) fn had(&self, name: &Path) -> bool {
        self.before.contains_key(name)
    }

    /// Copies `products` into `dir`. Files keep their times and permissions, except that set-user-id and similar bits
    /// are removed and that the arena's user is allowed to read and write the files; links stay as they are. Each
    /// product appears either completely or not at all. Nothing else in `dir` changes.
    ///
    /// # Errors
    /// Fails if a product cannot be copied. The products before it stay in `dir`.
    pub(crate) fn hand_back(&self, products: &[Found], dir: &Path) -> Result<(), HandBackError> {
        let mut swept = BTreeSet::new();
        for product in products {
            let failed = |source| HandBackError::Io { product: product.name.clone(), dir: dir.to_owned(), source };
            if self.is_partial && self.is_in_the_way(product, dir) {
                return Err(HandBackError::InTheWay { product: product.name.clone(), dir: dir.to_owned() });
            }
            let mut hand_back = || {
                let (from, to) = (HeldDir::open(&self.copy())?, HeldDir::open(dir)?);
                let (parent, name) = (product.name.parent().unwrap_or(Path::new("")), product.name.file_name());
                let name = name.ok_or(Errno::INVAL)?;
                let (from, to) = (from.dir(parent)?, to.made_dir(parent)?);
                if swept.insert(parent.to_owned()) {
                    sweep(&to)?;
                }
                bring(&from, &to, name, product)
            };
            hand_back().map_err(failed)?;
        }
        Ok(())
    }

    /// Whether the target of `product` is occupied by a file that differs from the product and was never in the copy.
    fn is_in_the_way(&self, product: &Found, dir: &Path) -> bool {
        let (Ok(there), Ok(made)) = (HeldDir::open(dir), HeldDir::open(&self.copy())) else { return false };
        let is_equal = || {
            let [one, other] = [&there, &made].map(|held| held.file(&product.name).ok());
            one.zip(other).is_some_and(|(one, other)| {
                let size = |file: &File| file.metadata().map_or(0, |metadata| metadata.len());
                size(&one) == size(&other)
                    && io::BufReader::new(one).bytes().flatten().eq(io::BufReader::new(other).bytes().flatten())
            })
        };
        let is_there = there.metadata(&product.name).is_ok();
        is_there && product.kind != Kind::Directory && !self.had(&product.name) && !is_equal()
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::base::files::TemporaryName;

    /// The products that are brought back into `dir` after `build` has worked in a copy.
    fn built(dir: &Path, build: impl Fn(&Path)) -> Result<Vec<PathBuf>, String> {
        let workshop = Workshop::of_directory(dir, &|_| false).expect("a copy");
        build(&workshop.copy());
        let products = workshop.products().map_err(|error| error.to_string())?;
        workshop.hand_back(&products, dir).map_err(|error| error.to_string())?;
        Ok(products.into_iter().map(|product| product.name).collect())
    }

    fn write(path: &Path, content: &str) {
        fs::write(path, content).expect("written");
    }

    #[test]
    fn a_file_that_the_build_did_not_write_is_not_a_product_and_stays_as_it_is() {
        let dir = tempfile::tempdir().expect("a directory");
        write(&dir.path().join("source"), "1");
        write(&dir.path().join("other"), "1");
        let stamp = |name: &str| crate::base::tree::Stamp::from(&fs::metadata(dir.path().join(name)).expect("there"));
        let before = stamp("source");
        let products = built(dir.path(), |copy| {
            assert_eq!(fs::read_to_string(copy.join("source")).expect("copied"), "1");
            write(&copy.join("other"), "2");
            fs::remove_file(copy.join("source")).expect("removed");
        });
        assert_eq!(products, Ok(vec![PathBuf::from("other")]));
        assert_eq!(stamp("source"), before);
        assert_eq!(fs::read_to_string(dir.path().join("other")).expect("there"), "2");
    }

    #[test]
    fn names_of_any_bytes_come_back_and_leftovers_of_a_killed_arena_are_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let abandoned = dir.path().join(".arena-999999999-3.tmp");
        let in_use: OsString = TemporaryName::unused().into();
        write(&abandoned, "half");
        write(&dir.path().join(&in_use), "half");
        let name = OsString::from_vec(vec![b'a', 0xff, b'\n']);
        built(dir.path(), |copy| write(&copy.join(&name), "odd")).expect("handed back");
        assert_eq!(fs::read_to_string(dir.path().join(&name)).expect("there"), "odd");
        assert!(!abandoned.exists() && dir.path().join(in_use).exists());
    }

    #[test]
    fn no_link_is_followed_on_the_way_back() {
        let (dir, outside) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        write(&outside.path().join("secret"), "secret");
        symlink(outside.path(), dir.path().join("sub")).expect("made");
        symlink(outside.path().join("secret"), dir.path().join("file")).expect("made");
        // The build has replaced a link to a directory with an actual directory.
        let error = built(dir.path(), |copy| {
            fs::remove_file(copy.join("sub")).expect("removed");
            fs::create_dir(copy.join("sub")).expect("made");
            write(&copy.join("sub/secret"), "forged");
        });
        assert!(error.expect_err("refused").contains("`sub/secret`"));
        // A link to a file is replaced, and a new link is brought back as a link.
        built(dir.path(), |copy| {
            fs::remove_file(copy.join("file")).expect("removed");
            write(&copy.join("file"), "mine");
            symlink(outside.path().join("secret"), copy.join("made")).expect("made");
        })
        .expect("handed back");
        assert_eq!(fs::read_to_string(dir.path().join("file")).expect("there"), "mine");
        assert!(fs::symlink_metadata(dir.path().join("made")).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(outside.path().join("secret")).expect("there"), "secret");
    }

    #[test]
    fn too_much_is_refused_before_any_of_it_comes_back() {
        let dir = tempfile::tempdir().expect("a directory");
        let error = built(dir.path(), |copy| {
            write(&copy.join("a"), "small");
            File::create(copy.join("huge")).expect("made").set_len(4 << 40).expect("a sparse file");
        });
        assert!(error.expect_err("refused").contains("`huge` is 4.0 TiB"));
        assert!(!dir.path().join("a").exists());
    }
}
