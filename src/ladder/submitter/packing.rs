//! The files of a directory, as a tar.gz. Files that `import` leaves out are not sent.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::PackError;
use crate::base::held_dir::HeldDir;
use crate::base::tree::{Kind, survey};
use crate::course::submissions::is_left_out;

/// A packed directory.
#[derive(Debug)]
pub(super) struct PackedDir {
    /// The archive, to be read from its beginning.
    pub(super) archive: File,
    /// The size of the archive.
    pub(super) bytes: u64,
    /// The number of files in the archive.
    pub(super) files: usize,
    /// The files that were left out because they contain the token.
    pub(super) secret: Vec<PathBuf>,
}

/// The player's token, which must not be sent with the files: anyone who reads the sources could hand in versions under
/// the player's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnToken<'a> {
    pub(super) token: &'a str,
    /// The device and inode numbers of the file with the token.
    pub(super) file: (u64, u64),
}

impl OwnToken<'_> {
    /// Whether `file` is the file with the token, or a copy of it.
    fn is_in(self, file: &File) -> io::Result<bool> {
        /// Larger than any file with a token.
        const LONGEST: u64 = 1024;
        let metadata = file.metadata()?;
        if (metadata.dev(), metadata.ino()) == self.file {
            return Ok(true);
        }
        let mut bytes = Vec::new();
        if metadata.len() <= LONGEST {
            let mut file = file;
            file.take(LONGEST).read_to_end(&mut bytes)?;
            file.rewind()?;
        }
        Ok(bytes.trim_ascii() == self.token.as_bytes())
    }
}

/// Packs the directory `dir` into an archive of at most `most` bytes, without the `token`.
///
/// # Errors
/// Fails if the directory cannot be read or contains no files to send, or if the archive would be too large.
pub(super) fn packed(dir: &Path, most: u64, token: OwnToken<'_>) -> Result<PackedDir, PackError> {
    let found = survey(dir, |name, _| is_left_out(name))?;
    let unreadable = |error| crate::base::tree::naming(dir, error);
    let held = HeldDir::open(dir).map_err(unreadable)?;
    let archive = tempfile::tempfile().map_err(PackError::Write)?;
    let bounded = Bounded { file: archive, left: most };
    let mut builder = Builder::new(GzEncoder::new(bounded, Compression::default()));
    let (mut files, mut secret) = (0, Vec::new());
    let write = |error: io::Error| if is_full(&error) { PackError::TooLarge(most) } else { PackError::Write(error) };
    for entry in found {
        let mut header = Header::new_gnu();
        header.set_mtime(u64::try_from(entry.stamp.modified.0).unwrap_or(0));
        match entry.kind {
            Kind::Directory => {}
            Kind::Link => {
                header.set_entry_type(EntryType::Symlink);
                header.set_size(0);
                header.set_mode(0o777);
                // A link that has disappeared in the meantime is left out.
                let Ok(target) = held.link(&entry.name) else { continue };
                builder.append_link(&mut header, &entry.name, target).map_err(write)?;
            }
            Kind::File => {
                let unreadable = |error| crate::base::tree::naming(&dir.join(&entry.name), error);
                let file = held.file(&entry.name).map_err(unreadable)?;
                if token.is_in(&file).map_err(unreadable)? {
                    secret.push(entry.name);
                    continue;
                }
                header.set_size(entry.stamp.size);
                header.set_mode(if entry.mode & 0o100 != 0 { 0o755 } else { 0o644 });
                let mut content = Exactly { file: file.take(entry.stamp.size), left: entry.stamp.size };
                let appended = builder.append_data(&mut header, &entry.name, &mut content);
                if content.left > 0 && appended.is_err() && !appended.as_ref().is_err_and(is_full) {
                    return Err(PackError::Changed(entry.name));
                }
                appended.map_err(write)?;
                files += 1;
            }
        }
    }
    if files == 0 {
        return Err(PackError::Empty);
    }
    let Bounded { mut file, left } = builder.into_inner().and_then(GzEncoder::finish).map_err(write)?;
    file.rewind().map_err(PackError::Write)?;
    Ok(PackedDir { archive: file, bytes: most - left, files, secret })
}

/// A file that cannot grow beyond the allowed size.
struct Bounded {
    file: File,
    left: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn is_full(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::FileTooLarge
}

/// A file of a known size, which must not end early.
struct Exactly {
    file: io::Take<File>,
    left: u64,
}

impl io::Read for Exactly {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.left -= read as u64;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use flate2::read::GzDecoder;

    use super::*;

    /// A token that is in no file.
    const ELSEWHERE: OwnToken<'_> = OwnToken { token: "s3cret", file: (0, 0) };

    #[test]
    fn the_token_is_not_sent_under_any_name() {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in [("token", "s3cret\n"), ("copy/of it", " s3cret"), ("bot.py", "s3cret = 1"), ("empty", "")]
        {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("one")).expect("made");
            fs::write(path, text).expect("written");
        }
        fs::hard_link(dir.path().join("token"), dir.path().join("same")).expect("linked");
        let metadata = fs::metadata(dir.path().join("token")).expect("there");
        // The file has changed since it was read.
        fs::write(dir.path().join("token"), "other").expect("written");
        let token = OwnToken { file: (metadata.dev(), metadata.ino()), ..ELSEWHERE };
        let packed = packed(dir.path(), 1 << 20, token).expect("packed");
        assert_eq!(packed.secret, ["copy/of it", "same", "token"].map(PathBuf::from));
        let mut archive = tar::Archive::new(GzDecoder::new(packed.archive));
        let texts = archive.entries().expect("entries").map(|entry| {
            let (mut entry, mut text) = (entry.expect("an entry"), String::new());
            entry.read_to_string(&mut text).expect("readable");
            (entry.path().expect("valid").display().to_string(), text)
        });
        let expected = [("bot.py", "s3cret = 1"), ("empty", "")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(texts.collect::<Vec<_>>(), expected);
        // Without these files, there is nothing to send.
        for name in ["bot.py", "empty"] {
            fs::remove_file(dir.path().join(name)).expect("removed");
        }
        assert!(matches!(super::packed(dir.path(), 1 << 20, token), Err(PackError::Empty)));
    }

    #[test]
    fn an_archive_contains_what_is_handed_in_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in ["bot.py", "run.sh", "src/a.py", ".git/config", ".bench/1/x", "target/debug/x", "a.o"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("one")).expect("made");
            fs::write(path, name).expect("written");
        }
        fs::set_permissions(dir.path().join("run.sh"), Permissions::from_mode(0o700)).expect("changed");
        symlink("bot.py", dir.path().join("link.py")).expect("linked");
        let packed = packed(dir.path(), 1 << 20, ELSEWHERE).expect("packed");
        assert_eq!(packed.files, 3);
        assert_eq!(packed.archive.metadata().expect("there").len(), packed.bytes);
        let mut archive = tar::Archive::new(GzDecoder::new(packed.archive));
        let entries = archive.entries().expect("entries").map(|entry| {
            let entry = entry.expect("an entry");
            let target = entry.link_name().expect("valid").map(|target| target.display().to_string());
            (entry.path().expect("valid").display().to_string(), entry.header().mode().expect("a mode"), target)
        });
        let entries: Vec<_> = entries.collect();
        let expected = [
            ("bot.py", 0o644, None),
            ("link.py", 0o777, Some("bot.py")),
            ("run.sh", 0o755, None),
            ("src/a.py", 0o644, None),
        ];
        assert_eq!(entries, expected.map(|(name, mode, target)| (name.to_owned(), mode, target.map(str::to_owned))));
    }

    #[test]
    fn too_much_or_nothing_is_not_packed() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join(".git")).expect("made");
        fs::write(dir.path().join(".git/x"), "x").expect("written");
        assert!(matches!(packed(dir.path(), 1 << 20, ELSEWHERE), Err(PackError::Empty)));
        // Random bytes do not compress.
        let mut random = crate::base::random::SplitMix64::new(1);
        let bytes: Vec<u8> = (0..10_000).flat_map(|_| random.next_u64().to_le_bytes()).collect();
        fs::write(dir.path().join("huge"), bytes).expect("written");
        assert!(matches!(packed(dir.path(), 10_000, ELSEWHERE), Err(PackError::TooLarge(10_000))));
        assert!(matches!(packed(&dir.path().join("missing"), 10_000, ELSEWHERE), Err(PackError::Tree(_))));
    }
}
