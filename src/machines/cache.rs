//! A worker's cache of bundles, each as the archive received from the broker.
//!
//! An archive is named by its SHA-256, which is checked whenever the archive is used, so it does not matter whether
//! other programs write to the directory. Bots never see the directory: their files are unpacked elsewhere for each
//! run. Files are created under other names and then renamed. Several workers may share a directory: none of them keeps
//! an archive open, so a worker may evict an archive that another worker has used.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::bundle::MOST_ARCHIVE;
use crate::base::files::TemporaryName;
use crate::base::hex::hex;
use crate::base::sanitise::Shown as _;

/// The maximum total size of all archives in bytes. Beyond this, the least recently used archives are evicted.
pub(crate) const MOST_CACHED: u64 = 4 << 30;

/// The suffix after the digest in the name of an archive.
const SUFFIX: &str = ".tar.gz";

/// Why the cache is not available.
#[derive(Debug, Error)]
pub(crate) enum CacheError {
    /// The directory cannot be used.
    #[error("cannot store players' files in `{}` (--cache): {why}", dir.shown())]
    Unusable {
        /// The directory.
        dir: PathBuf,
        /// The reason.
        why: io::Error,
    },
    /// The environment does not determine the directory.
    #[error(
        "there is no directory for players' files: neither XDG_CACHE_HOME nor HOME is set; name one with --cache DIR"
    )]
    Nowhere,
}

/// A directory of archives.
#[derive(Clone, Debug)]
pub(crate) struct BundleCache {
    dir: PathBuf,
    most: u64,
}

/// The result of looking up a bundle.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cached {
    /// The archive.
    Whole(Vec<u8>),
    /// The file had been altered, and has been removed.
    Changed,
    /// There is no such archive.
    Missing,
}

/// An archive in the directory.
struct KeptArchive {
    path: PathBuf,
    bytes: u64,
    /// When the archive was last used, in seconds and nanoseconds since 1970.
    used: (i64, i64),
}

impl BundleCache {
    /// Opens the cache in `dir`, which is created if it is missing. The archives may have up to `most` bytes in total.
    /// Partial files that killed workers have left behind are removed.
    ///
    /// # Errors
    /// Fails if the directory cannot be created or read.
    pub(crate) fn open(dir: PathBuf, most: u64) -> Result<Self, CacheError> {
        let swept = fs::create_dir_all(&dir).and_then(|()| sweep(&dir));
        match swept {
            Ok(()) => Ok(Self { dir, most }),
            Err(why) => Err(CacheError::Unusable { dir, why }),
        }
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.dir.join(format!("{digest}{SUFFIX}"))
    }

    /// Returns the archive with this `digest`, and marks it as the most recently used.
    pub(crate) fn get(&self, digest: &str) -> Cached {
        let path = self.path(digest);
        let mut bytes = Vec::new();
        let Ok(file) = File::open(&path) else { return Cached::Missing };
        let read = (&file).take(MOST_ARCHIVE + 1).read_to_end(&mut bytes);
        if read.is_ok() && hex(&Sha256::digest(&bytes)) == digest {
            // If this fails, the archive is merely evicted sooner.
            let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
            let _ = futimens(&file, &Timestamps { last_access: now, last_modification: now });
            return Cached::Whole(bytes);
        }
        // If this fails, the change will be detected again.
        let _ = fs::remove_file(&path);
        Cached::Changed
    }

    /// Stores `bytes`, the archive with this `digest`, and evicts the least recently used archives.
    ///
    /// # Errors
    /// Fails if the archive cannot be written. In that case, no part of it is left.
    pub(crate) fn put(&self, digest: &str, bytes: &[u8]) -> Result<(), CacheError> {
        let temporary = self.dir.join(OsString::from(TemporaryName::unused()));
        let path = self.path(digest);
        let create = || OpenOptions::new().write(true).create_new(true).open(&temporary);
        let written = create().and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&temporary, &path));
        if let Err(why) = written {
            // The file may not exist.
            let _ = fs::remove_file(&temporary);
            return Err(CacheError::Unusable { dir: self.dir.clone(), why });
        }
        self.shrink(&path);
        Ok(())
    }

    /// Evicts the least recently used archives until the remaining ones are within the limit. `newest` stays in any
    /// case.
    fn shrink(&self, newest: &Path) {
        let mut kept = self.kept();
        kept.sort_by_key(|kept| (kept.path != newest, std::cmp::Reverse(kept.used)));
        let mut total = 0_u64;
        for KeptArchive { path, bytes, .. } in kept {
            total = total.saturating_add(bytes);
            if total > self.most && path != newest {
                // Another worker may already have removed the file.
                let _ = fs::remove_file(path);
            }
        }
    }

    fn kept(&self) -> Vec<KeptArchive> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let kept = entries.filter_map(|entry| {
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            let is_archive = entry.file_name().to_str()?.ends_with(SUFFIX);
            let used = (metadata.mtime(), metadata.mtime_nsec());
            is_archive.then(|| KeptArchive { path: entry.path(), bytes: metadata.len(), used })
        });
        kept.collect()
    }
}

/// Whether `text` is a SHA-256 in hexadecimal, and so the name of a bundle.
pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes partial files that killed workers left behind in `dir`.
fn sweep(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if TemporaryName::parse(&entry.file_name()).is_some_and(TemporaryName::is_abandoned) {
            // Another worker may already have removed the file.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive that consists of `length` times `byte`, with its digest.
    fn archive(byte: u8, length: usize) -> (String, Vec<u8>) {
        let bytes = vec![byte; length];
        (hex(&Sha256::digest(&bytes)), bytes)
    }

    fn names(dir: &Path) -> usize {
        fs::read_dir(dir).expect("there").count()
    }

    #[test]
    fn what_was_put_comes_back_until_somebody_changes_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let cache = BundleCache::open(dir.path().join("deep/down"), 1000).expect("opened");
        let (digest, bytes) = archive(1, 10);
        assert_eq!(cache.get(&digest), Cached::Missing);
        cache.put(&digest, &bytes).expect("written");
        assert_eq!(cache.get(&digest), Cached::Whole(bytes.clone()));
        fs::write(cache.path(&digest), "other").expect("changed");
        assert_eq!(cache.get(&digest), Cached::Changed);
        assert_eq!(cache.get(&digest), Cached::Missing);
        cache.put(&digest, &bytes).expect("written");
        File::options().write(true).open(cache.path(&digest)).and_then(|file| file.set_len(9)).expect("cut");
        assert_eq!(cache.get(&digest), Cached::Changed, "as after a power failure");
        cache.put(&digest, &bytes).expect("written");
        cache.put(&digest, &bytes).expect("written over it");
        assert_eq!(cache.get(&digest), Cached::Whole(bytes));
        assert_eq!(names(&cache.dir), 1);
    }

    #[test]
    fn beyond_the_bound_the_archives_go_that_were_not_used_for_the_longest_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let cache = BundleCache::open(dir.path().to_owned(), 25).expect("opened");
        let archives: Vec<_> = (0..3).map(|byte| archive(byte, 10)).collect();
        let set = |digest: &str, seconds| {
            let time = Timespec { tv_sec: seconds, tv_nsec: 0 };
            let file = File::options().write(true).open(cache.path(digest)).expect("there");
            futimens(&file, &Timestamps { last_access: time, last_modification: time }).expect("set");
        };
        fs::write(dir.path().join("notes.txt"), vec![0; 1000]).expect("written");
        for (nth, (digest, bytes)) in (0..).zip(archives.iter().take(2)) {
            cache.put(digest, bytes).expect("written");
            set(digest, 100 + nth);
        }
        // The older archive is used again.
        assert!(matches!(cache.get(&archives[0].0), Cached::Whole(_)));
        cache.put(&archives[2].0, &archives[2].1).expect("written");
        assert!(matches!(cache.get(&archives[0].0), Cached::Whole(_)));
        assert_eq!(cache.get(&archives[1].0), Cached::Missing);
        assert!(matches!(cache.get(&archives[2].0), Cached::Whole(_)));
        // The newest archive stays even though it alone exceeds the limit, and unrelated files stay in any case.
        let (digest, bytes) = archive(9, 30);
        cache.put(&digest, &bytes).expect("written");
        assert!(matches!(cache.get(&digest), Cached::Whole(_)));
        assert_eq!(names(dir.path()), 2);
    }

    #[test]
    fn what_a_killed_worker_left_half_written_goes_and_what_a_living_one_writes_stays() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut dead = std::process::Command::new("true").spawn().expect("started");
        dead.wait().expect("ended");
        fs::write(dir.path().join(format!(".arena-{}-0.tmp", dead.id())), "half").expect("written");
        fs::write(dir.path().join(OsString::from(TemporaryName::unused())), "half").expect("written");
        BundleCache::open(dir.path().to_owned(), 1000).expect("opened");
        assert_eq!(names(dir.path()), 1);
    }

    #[test]
    fn a_directory_that_cannot_be_used_is_named_with_the_option() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("file");
        fs::write(&file, "").expect("written");
        let error = BundleCache::open(file.clone(), 1).expect_err("a file");
        assert!(
            error.to_string().starts_with(&format!("cannot store players' files in `{}` (--cache): ", file.display()))
        );
        let cache = BundleCache::open(dir.path().join("gone"), 1).expect("opened");
        fs::remove_dir(&cache.dir).expect("removed");
        let (digest, bytes) = archive(1, 10);
        assert!(cache.put(&digest, &bytes).is_err());
    }

    #[test]
    fn only_a_digest_names_a_bundle() {
        assert!(is_digest(&archive(1, 1).0));
        for text in ["", "../../etc/passwd", &"A".repeat(64), &"a".repeat(63), &format!("/{}", "a".repeat(63))] {
            assert!(!is_digest(text), "{text}");
        }
    }
}
