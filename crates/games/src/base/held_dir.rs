//! Directories that are held open, so that links cannot lead out of them.
//!
//! Anyone who can write to a directory can replace a file or directory with a link at any moment, even between a check
//! and the use of what was checked (a TOCTOU race). So a [`HeldDir`] walks by name from one open directory to the next,
//! does not follow symbolic links, and never goes up. The directory itself is opened by its path, which can contain
//! links, because it was specified by the arena's user.
//!
//! This is the only place that opens files under a player's control. The target of a link matters only to the bot,
//! which follows it in its confinement; links to programs are handled by `host::program`.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, mkdirat, openat, openat2, readlinkat, symlinkat,
};
use rustix::io::Errno;

/// How many times to retry if directories along the path are renamed in the meantime.
const TRIES: usize = 16;

/// An open directory. All names are relative to it and can have several components.
#[derive(Debug)]
pub struct HeldDir(OwnedFd);

impl AsFd for HeldDir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl HeldDir {
    /// Opens the directory `path`, which may be a link.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened or is not a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens the directory `name`.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened, if it is not a directory, or if the path to it contains a link.
    pub fn dir(&self, name: &Path) -> io::Result<Self> {
        open_beneath(self, name, OFlags::RDONLY | OFlags::DIRECTORY).map(Self)
    }

    /// Opens the directory `name`, and creates it and the directories above it if they are missing.
    ///
    /// # Errors
    /// Returns the errors of [`HeldDir::dir`], and an error if a directory cannot be created.
    pub fn made_dir(&self, name: &Path) -> io::Result<Self> {
        let mut at = self.dir(Path::new(""))?;
        for part in names(name)? {
            match mkdirat(&at, part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            at = at.dir(Path::new(part))?;
        }
        Ok(at)
    }

    /// Opens the regular file `name` for reading. If a pipe or a device is there, the call does not wait for it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, if it is not a regular file, or if it is a link or the path to it
    /// contains one.
    pub fn file(&self, name: &Path) -> io::Result<File> {
        regular(open_beneath(self, name, OFlags::RDONLY | OFlags::NONBLOCK)?)
    }

    /// Returns the metadata of `name`, which can be any kind of entry; for a link, returns the metadata of the link
    /// itself.
    ///
    /// # Errors
    /// Returns an error if nothing is there, or if the path to it contains a link.
    pub fn metadata(&self, name: &Path) -> io::Result<Metadata> {
        File::from(open_beneath(self, name, OFlags::PATH | OFlags::NOFOLLOW)?).metadata()
    }

    /// Returns the target of the symbolic link `name`.
    ///
    /// # Errors
    /// Returns an error if there is no such link, or if the path to it contains another one.
    pub fn link(&self, name: &Path) -> io::Result<PathBuf> {
        let link = open_beneath(self, name, OFlags::PATH | OFlags::NOFOLLOW)?;
        let target = readlinkat(link, c"", Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Creates the symbolic link `name` to `target` in this directory.
    ///
    /// # Errors
    /// Returns an error if the link cannot be created, for example because something with this name already exists.
    pub fn make_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(symlinkat(target, self, name)?)
    }

    /// Creates the file `name` in this directory and opens it for writing. Only this user may read and write it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created, for example because something with this name already exists.
    pub fn make_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(self, name, flags, Mode::from_raw_mode(0o600))?))
    }

    /// Returns the names in this directory, in no particular order.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read.
    pub fn names(&self) -> io::Result<impl Iterator<Item = io::Result<OsString>> + use<>> {
        let names = Dir::read_from(self)?.filter_map(|entry| match entry {
            Ok(entry) if [c".", c".."].contains(&entry.file_name()) => None,
            Ok(entry) => Some(Ok(OsStr::from_bytes(entry.file_name().to_bytes()).to_owned())),
            Err(error) => Some(Err(error.into())),
        });
        Ok(names)
    }
}

/// Opens the regular file `path` for reading, as [`HeldDir::file`] does, but follows links, because the path was
/// specified by the arena's user.
///
/// # Errors
/// Returns an error if the file cannot be opened, or is not a regular file.
pub fn open_named_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    regular(openat(CWD, path, flags, Mode::empty())?)
}

/// Opens the regular file at the absolute path `path` for reading, as [`HeldDir::file`] does: no part of the path may
/// be a link.
///
/// # Errors
/// Returns the errors of [`HeldDir::file`].
pub fn open_plain_file(path: &Path) -> io::Result<File> {
    regular(open_plain(path, OFlags::RDONLY | OFlags::NONBLOCK)?)
}

/// Opens the file or directory at the absolute path `path`, no part of which may be a link.
///
/// # Errors
/// Returns an error if nothing is there, if it cannot be opened, or if any part of the path is a link.
pub fn open_plain(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let root = openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    open_beneath(root, path.strip_prefix("/").map_err(|_| Errno::INVAL)?, flags)
}

fn regular(opened: OwnedFd) -> io::Result<File> {
    let file = File::from(opened);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// Opens `name` within `dir`. With `NOFOLLOW` and `PATH`, the last component can be a link, in which case the link
/// itself is opened.
fn open_beneath(dir: impl AsFd, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let dir = dir.as_fd();
    let flags = flags | OFlags::CLOEXEC;
    names(name)?;
    let name = if name.as_os_str().is_empty() { Path::new(".") } else { name };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..TRIES {
        match openat2(dir, name, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Old kernels do not have this call, and a filter in a container may refuse it.
            Err(Errno::NOSYS | Errno::PERM) => return walk(dir, name, flags),
            opened => return Ok(opened?),
        }
    }
    walk(dir, name, flags)
}

/// Opens `name` within `dir` component by component, if the kernel does not do it in one call.
fn walk(dir: BorrowedFd<'_>, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let parts = names(name)?;
    let Some((last, above)) = parts.split_last() else {
        return Ok(openat(dir, c".", flags, Mode::empty())?);
    };
    let mut at: Option<OwnedFd> = None;
    for part in above {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let next = openat(at.as_ref().map_or(dir, AsFd::as_fd), *part, flags, Mode::empty())?;
        at = Some(next);
    }
    let opened = openat(at.as_ref().map_or(dir, AsFd::as_fd), *last, flags | OFlags::NOFOLLOW, Mode::empty())?;
    let is_link = || fstat(&opened).map(|stat| FileType::from_raw_mode(stat.st_mode).is_symlink());
    // With `PATH`, a link itself would be opened instead of being refused.
    if flags.contains(OFlags::PATH) && !flags.contains(OFlags::NOFOLLOW) && is_link()? {
        return Err(Errno::LOOP.into());
    }
    Ok(opened)
}

/// The components of `name`. It is an error if one of them leads up or to the root.
fn names(name: &Path) -> io::Result<Vec<&OsStr>> {
    let parts = name.components().filter(|part| *part != Component::CurDir);
    let names = parts.map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Errno::XDEV.into()),
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A directory with entries of every kind, and a secret outside it.
    fn scene() -> (tempfile::TempDir, PathBuf) {
        let around = tempfile::tempdir().expect("a directory");
        let dir = around.path().join("dir");
        fs::create_dir_all(dir.join("sub/deep")).expect("made");
        fs::write(around.path().join("secret"), "secret").expect("written");
        for name in ["file", "sub/file", "sub/deep/file"] {
            fs::write(dir.join(name), "own").expect("written");
        }
        let outside = around.path();
        for (name, target) in [
            ("absolute", outside.join("secret")),
            ("relative", PathBuf::from("../secret")),
            ("sub/up", PathBuf::from("../../secret")),
            ("within", PathBuf::from("sub/file")),
            ("chain", PathBuf::from("relative")),
            ("around", outside.to_owned()),
            ("parent", PathBuf::from("..")),
            ("circle", PathBuf::from("circle")),
            ("own", dir.clone()),
            ("proc", PathBuf::from("/proc/self/cwd")),
            ("root", PathBuf::from("/")),
        ] {
            symlink(target, dir.join(name)).expect("linked");
        }
        nix::unistd::mkfifo(&dir.join("fifo"), nix::sys::stat::Mode::S_IRWXU).expect("made");
        (around, dir)
    }

    /// The paths that must not be opened as files.
    const ASTRAY: [&str; 20] = [
        "absolute",
        "relative",
        "sub/up",
        "within",
        "chain",
        "around/secret",
        "parent/secret",
        "parent/dir/file",
        "own/file",
        "circle",
        "circle/file",
        "proc/Cargo.toml",
        "root/etc/passwd",
        "../secret",
        "sub/../../secret",
        "/etc/passwd",
        "fifo",
        "sub",
        "none",
        "file/x",
    ];

    #[test]
    fn no_link_is_followed_whether_the_kernel_resolves_the_name_or_the_walk_does() {
        let (_around, dir) = scene();
        let held = HeldDir::open(&dir).expect("opened");
        let reading = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let walked = |name: &str, flags| walk(held.as_fd(), Path::new(name), flags);
        for name in ASTRAY {
            assert!(held.file(Path::new(name)).is_err(), "{name}");
            assert!(walked(name, reading).and_then(regular).is_err(), "walk {name}");
        }
        for name in ["absolute", "around", "parent", "own/sub", "root", "proc", "around/dir", "..", "sub/../.."] {
            assert!(held.dir(Path::new(name)).is_err(), "{name}");
            assert!(walked(name, OFlags::RDONLY | OFlags::DIRECTORY).is_err(), "walk {name}");
            assert!(walked(name, OFlags::PATH).is_err(), "walk {name}");
        }
        for name in ["file", "sub/file", "./sub/./deep/file"] {
            let mut files = [held.file(Path::new(name)), walked(name, reading).map(File::from)];
            for file in &mut files {
                let mut text = String::new();
                file.as_mut().expect("opened").read_to_string(&mut text).expect("read");
                assert_eq!(text, "own", "{name}");
            }
        }
        for name in ["", ".", "sub", "sub/deep"] {
            assert!(held.dir(Path::new(name)).is_ok() && walked(name, OFlags::PATH).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_absolute_path_is_opened_only_without_links() {
        let (around, dir) = scene();
        let (outside, dir) = (around.path().canonicalize().expect("there"), dir.canonicalize().expect("there"));
        assert!(open_plain_file(&dir.join("sub/file")).is_ok() && open_plain_file(&outside.join("secret")).is_ok());
        for name in ["absolute", "within", "around/secret", "own/file", "sub/../../secret"] {
            assert!(open_plain_file(&dir.join(name)).is_err(), "{name}");
        }
        assert!(open_plain(Path::new("etc/passwd"), OFlags::PATH).is_err(), "relative");
        assert!(open_plain(Path::new("/"), OFlags::PATH).is_ok());
    }

    #[test]
    fn a_link_is_described_and_copied_as_a_link() {
        let (_around, dir) = scene();
        let held = HeldDir::open(&dir).expect("opened");
        assert!(held.metadata(Path::new("relative")).expect("there").is_symlink());
        assert!(held.metadata(Path::new("sub/file")).expect("there").is_file());
        assert!(held.metadata(Path::new("around/secret")).is_err());
        assert_eq!(held.link(Path::new("sub/up")).expect("a link"), Path::new("../../secret"));
        assert!(held.link(Path::new("file")).is_err() && held.link(Path::new("own/relative")).is_err());
        let names = held.dir(Path::new("sub")).expect("opened").names().expect("read");
        let mut names: Vec<OsString> = names.flatten().collect();
        names.sort();
        assert_eq!(names, ["deep", "file", "up"]);
    }

    #[test]
    fn directories_are_made_and_files_written_only_within() {
        let (around, dir) = scene();
        let held = HeldDir::open(&dir).expect("opened");
        held.made_dir(Path::new("new/deep")).expect("made").make_file(OsStr::new("x")).expect("made");
        assert!(dir.join("new/deep/x").is_file());
        for name in ["around/new", "parent/new", "../new", "absolute", "root/tmp"] {
            assert!(held.made_dir(Path::new(name)).is_err(), "{name}");
        }
        assert!(!around.path().join("new").exists());
        for name in ["relative", "file", "sub"] {
            assert!(held.make_file(OsStr::new(name)).is_err(), "{name}");
            assert!(held.make_link(OsStr::new(name), Path::new("x")).is_err(), "{name}");
        }
        assert_eq!(fs::read_to_string(around.path().join("secret")).expect("there"), "secret");
    }
}
