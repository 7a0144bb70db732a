//! Unpacks hand-ins into the inbox. This is the only room that turns untrusted files into sources. For this, it uses
//! the code of `import`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::stored_hand_in::stored;
use crate::base::files::remove_tree;
use crate::base::sanitise::sanitised;
use crate::base::units::bytes;
use crate::course::unpacking::{HandedIn, Source, SubmissionBounds, UnpackError, UnpackRefusal, Visit, unpack_one};
use crate::ladder::hand_in::{HandIn, HandedInSources};
use crate::ladder::sources_digest::{refusal_digest, sources_digest};

/// The directory in the inbox in which sources are unpacked.
#[derive(Debug)]
pub(super) struct Intake {
    dir: PathBuf,
    last: AtomicU64,
}

/// A hand-in that has been unpacked or refused.
#[derive(Debug)]
pub(super) struct TakenIn {
    pub(super) digest: String,
    pub(super) sources: Result<HandedInSources, String>,
    /// The directory in the inbox that belongs to the hand-in.
    pub(super) entry: PathBuf,
}

impl Intake {
    /// An intake in the directory `dir`.
    ///
    /// # Errors
    /// Fails if the directory cannot be made or read.
    pub(super) fn in_dir(dir: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&dir)?;
        let mut next = 0;
        for entry in fs::read_dir(&dir)? {
            let number = entry?.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            next = next.max(number.map_or(0, |number| number.saturating_add(1)));
        }
        Ok(Self { dir, last: AtomicU64::new(next) })
    }

    /// The hand-ins that an earlier arena delivered but did not settle, the earliest first. Removes everything else: it
    /// will arrive again, or its upload still exists. Call this before anything is taken in.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub(super) fn left(&self) -> io::Result<Vec<HandIn>> {
        let mut left = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?.path();
            match stored(&entry) {
                Some(hand_in) => left.push(hand_in),
                // Anything that cannot be removed does no harm.
                None => drop(remove_tree(&entry)),
            }
        }
        left.sort_by(|one, other| (one.arrived, &one.entries).cmp(&(other.arrived, &other.entries)));
        Ok(left)
    }

    /// Takes in the directory or the archive at `path`.
    ///
    /// # Errors
    /// Returns an error if the machine cannot read or write.
    pub(super) fn take_path(&self, path: &Path, bounds: SubmissionBounds) -> Result<TakenIn, UnpackError> {
        let source = Source::open(path).map_err(UnpackError::at(path))?;
        self.take(bounds, |visit| source.each(visit))
    }

    /// Takes in the entries that `each` visits.
    ///
    /// # Errors
    /// Returns an error if the machine cannot read or write.
    pub(super) fn take(
        &self,
        bounds: SubmissionBounds,
        each: impl FnOnce(&mut Visit<'_>) -> Result<(), UnpackError>,
    ) -> Result<TakenIn, UnpackError> {
        let entry = loop {
            let entry = self.dir.join(self.last.fetch_add(1, Relaxed).to_string());
            match fs::create_dir(&entry) {
                Ok(()) => break entry,
                // Another process has just created this directory.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(UnpackError::at(&entry)(error)),
            }
        };
        let taken = unpack_one(&entry, bounds, each).and_then(|handed_in| judged(handed_in, &entry));
        if taken.is_err() {
            let _ = remove_tree(&entry);
        }
        taken
    }
}

/// The result for `handed_in`, whose files are in `entry`.
fn judged(handed_in: HandedIn, entry: &Path) -> Result<TakenIn, UnpackError> {
    let HandedIn { tree, files, files_sha256: _, submitted: _, submission_sha256, refusal, warnings, left_out } =
        handed_in;
    let why = match (refusal, &tree) {
        (Some(refusal), _) => Some(told(&refusal)),
        (None, None) if !left_out.is_empty() => {
            let kinds: Vec<&str> = left_out.into_keys().collect();
            Some(format!("it contains only files that are left out (`{}`)", kinds.join("`, `")))
        }
        (None, None) => Some("it contains no files".to_owned()),
        (None, Some(_)) => None,
    };
    let (digest, sources) = match (why, tree) {
        (None, Some(dir)) => {
            let digest = sources_digest(&dir, &files).map_err(UnpackError::at(&dir))?;
            let warnings = warnings.iter().map(|warning| sanitised(warning)).collect();
            (digest, Ok(HandedInSources { dir, files, warnings }))
        }
        (why, _) => {
            let why = why.unwrap_or_default();
            (refusal_digest(&submission_sha256, &why), Err(why))
        }
    };
    Ok(TakenIn { digest, sources, entry: entry.to_owned() })
}

/// The reason for a refusal, worded for the player. The reasons that `import` gives are addressed to a teacher, who can
/// change its limits.
pub(super) fn told(refusal: &UnpackRefusal) -> String {
    match refusal {
        UnpackRefusal::TooLarge { most } | UnpackRefusal::ClassTooLarge { most } => {
            format!("it contains more than {} when unpacked: leave out what the bot does not need", bytes(*most))
        }
        UnpackRefusal::TooManyFiles { most } => {
            format!("it contains more than {most} files: leave out what the bot does not need")
        }
        UnpackRefusal::Bomb { from, to } => {
            format!(
                "its archive is a decompression bomb: {} had already expanded to {} when unpacking stopped",
                bytes(*from),
                bytes(*to)
            )
        }
        UnpackRefusal::Encrypted => "its archive is encrypted: pack it without a password".to_owned(),
        UnpackRefusal::Method => {
            "its archive uses an unsupported compression method: create an ordinary ZIP or tar.gz".to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, EntryType, Header};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::ladder::doors::stored_hand_in::store;

    const BOUNDS: SubmissionBounds = SubmissionBounds { bytes: 16 << 20, files: 5 };

    /// The result of taking in an archive called `name` that consists of `bytes`: its files, or the refusal.
    fn taken(name: &str, bytes: &[u8]) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join(name);
        fs::write(&path, bytes).expect("written");
        let intake = Intake::in_dir(dir.path().join("inbox/trees")).expect("made");
        let taken = intake.take_path(&path, BOUNDS).expect("the machine is well");
        let sources = taken.sources?;
        for file in &sources.files {
            let metadata = fs::symlink_metadata(sources.dir.join(file)).expect("there");
            assert!(metadata.is_file() && sources.dir.starts_with(&taken.entry));
        }
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 2, "nothing was written elsewhere");
        Ok(sources.files)
    }

    /// A tar archive with `entries`, each with its kind, its name, the target of its link and its size. All names are
    /// written verbatim.
    fn tar(entries: &[(EntryType, &str, &str, u64)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (kind, name, target, size) in entries {
            let mut header = Header::new_gnu();
            let fields = header.as_gnu_mut().expect("of GNU");
            fields.name[..name.len()].copy_from_slice(name.as_bytes());
            fields.linkname[..target.len()].copy_from_slice(target.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(*size);
            header.set_mode(0o4777);
            header.set_cksum();
            builder.append(&header, io::repeat(b'x').take(*size)).expect("appended");
        }
        builder.into_inner().expect("complete")
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("packed");
        encoder.finish().expect("complete")
    }

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).expect("begun");
            writer.write_all(bytes).expect("packed");
        }
        writer.finish().expect("complete").into_inner()
    }

    #[test]
    fn ordinary_archives_are_taken_in_as_import_takes_them() {
        use EntryType::{Link, Regular, Symlink};
        let files = |names: &[&str]| Ok(names.iter().map(|&name| name.to_owned()).collect());
        // The directory that contains everything is stripped.
        let whole = [
            (Regular, "bot/bot.py", "", 5),
            (Symlink, "bot/link.py", "bot.py", 0),
            (Link, "bot/hard.py", "bot/bot.py", 0),
        ];
        assert_eq!(taken("x.tar", &tar(&whole)), files(&["bot.py", "hard.py", "link.py"]));
        assert_eq!(taken("x.tar.gz", &gz(&tar(&whole))), files(&["bot.py", "hard.py", "link.py"]));
        let zipped = zip(&[("bot.py", b"x"), (".git/config", b"x"), (".bench/1", b"x"), ("__pycache__/x.pyc", b"x")]);
        assert_eq!(taken("x.zip", &zipped), files(&["bot.py"]));
        // An archive in an archive is unpacked if the outer archive contains nothing else.
        assert_eq!(taken("x.zip", &zip(&[("inner.zip", &zipped)])), files(&["bot.py"]));
    }

    #[test]
    fn hostile_archives_are_refused_with_words_for_the_player() {
        use EntryType::{Block, Char, Fifo, Link, Regular, Symlink};
        let bomb = gz(&tar(&[(Regular, "bomb", "", 15 << 20)]));
        let twice = gz(&bomb);
        for (name, bytes, words) in [
            ("x.tar", tar(&[(Regular, "../escaped", "", 1)]), "leads out of the archive"),
            ("x.tar", tar(&[(Regular, "bot.py", "", 1), (Regular, "/etc/escaped", "", 1)]), "absolute"),
            ("x.tar", tar(&[(Regular, "a\nb", "", 1)]), "control character"),
            ("x.tar", tar(&[(Regular, "a", "", 1), (Regular, "A", "", 1)]), "differ only in case"),
            ("x.tar", tar(&[(Regular, "a", "", 1), (Regular, "a/b", "", 1)]), "a file and a directory"),
            ("x.tar", tar(&[(Symlink, "a", "/etc/passwd", 0), (Link, "b", "../x", 0)]), "it contains no files"),
            ("x.tar", tar(&[(Char, "a", "", 0), (Block, "b", "", 0), (Fifo, "c", "", 0)]), "it contains no files"),
            ("x.tar", tar(&[(Regular, "huge", "", 17 << 20)]), "more than 16.0 MiB when unpacked: leave out"),
            ("x.tar", tar(&[(Regular, "a", "", 0); 2]), "occurs twice"),
            ("x.tar.gz", bomb, "its archive is a decompression bomb"),
            ("x.tar.gz", twice, "damaged"),
            ("x.tar.gz", gz(b"no tar at all")[..12].to_vec(), "damaged"),
            ("x.zip", b"PK\x03\x04 no zip at all".to_vec(), "damaged"),
            ("x.zip", zip(&[("target/debug/bot", b"x"), (".git/config", b"x")]), "only files that are left out"),
            ("x.zip", zip(&[]), "it contains no files"),
            (
                "x.zip",
                zip(&["1", "2", "3", "4", "5", "6"].map(|name| (name, &b""[..]))),
                "more than 5 files: leave out",
            ),
        ] {
            let refusal = taken(name, &bytes).expect_err(words);
            assert!(refusal.contains(words), "{words}: {refusal}");
            assert!(!refusal.contains("--") && refusal == sanitised(&refusal), "{refusal}");
        }
    }

    #[test]
    fn what_an_earlier_arena_has_not_delivered_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(dir.path().join("trees/7/raw")).expect("made");
        let intake = Intake::in_dir(dir.path().join("trees")).expect("made");
        assert_eq!(intake.left().expect("readable").len(), 0);
        assert_eq!(fs::read_dir(dir.path().join("trees")).expect("readable").count(), 0);
    }

    /// A hand-in in the new directory `name` of the inbox `trees`.
    fn hand_in(trees: &Path, name: &str, arrived: u64) -> HandIn {
        let (entry, files) = (trees.join(name), ["bin/run".to_owned(), "bot.py".to_owned()]);
        fs::create_dir_all(entry.join("raw/bin")).expect("made");
        for file in &files {
            fs::write(entry.join("raw").join(file), name).expect("written");
        }
        let dir = entry.join("raw");
        HandIn {
            player: crate::tournament::PlayerName::new("ada").expect("a name"),
            door: crate::ladder::hand_in::DoorKind::Git,
            arrived: crate::base::time::WallTime::UNIX_EPOCH + std::time::Duration::from_nanos(arrived),
            origin: "commit 0123".to_owned(),
            digest: sources_digest(&dir, &files).expect("readable"),
            sources: Ok(HandedInSources { dir, files: files.to_vec(), warnings: vec!["`x` was left out".to_owned()] }),
            entries: vec![entry],
        }
    }

    #[test]
    fn what_was_delivered_is_found_again_as_it_was_in_the_order_of_its_arrival() {
        let dir = tempfile::tempdir().expect("a directory");
        let trees = dir.path().join("trees");
        let (later, earlier) = (hand_in(&trees, "3", 2_000_000_001), hand_in(&trees, "10", 2_000_000_000));
        let why = "its archive is a decompression bomb".to_owned();
        let refused = HandIn { sources: Err(why), digest: "ff".to_owned(), ..hand_in(&trees, "4", 3_000_000_000) };
        let (unstored, changed) = (hand_in(&trees, "5", 0), hand_in(&trees, "6", 0));
        for hand_in in [&later, &earlier, &refused, &changed] {
            store(hand_in, &hand_in.entries[0]).expect("stored");
        }
        // A power failure has left a file without its contents.
        fs::write(changed.entries[0].join("raw/bot.py"), "").expect("written");
        let intake = Intake::in_dir(trees).expect("made");
        let told = |hand_ins: &[HandIn]| hand_ins.iter().map(|hand_in| format!("{hand_in:?}")).collect::<Vec<_>>();
        assert_eq!(told(&intake.left().expect("readable")), told(&[earlier, later, refused]));
        assert!(!unstored.entries[0].exists() && !changed.entries[0].exists());
        // The next sources that are taken in do not replace any of the hand-ins.
        let taken = intake.take(BOUNDS, |_| Ok(())).expect("taken");
        assert!(taken.entry.ends_with("11"), "{}", taken.entry.display());
    }
}
