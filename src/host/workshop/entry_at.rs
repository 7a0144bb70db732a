//! Entries of open directories, for copying products from one directory to another. Every step starts from an open
//! directory, so that a link cannot redirect the arena.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{AtFlags, Mode, mkdirat, renameat, unlinkat};
use rustix::io::Errno;

use crate::base::files::TemporaryName;
use crate::base::held_dir::HeldDir;
use crate::base::tree::{Found, Kind};

/// Removes partial files that a killed arena has left in `dir`.
pub(super) fn sweep(dir: &HeldDir) -> io::Result<()> {
    for name in dir.names()? {
        let name = name?;
        if TemporaryName::parse(&name).is_some_and(TemporaryName::is_abandoned) {
            match unlinkat(dir, &*name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT | Errno::ISDIR | Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Copies `product`, which is called `name`, from one directory to another.
pub(super) fn bring(from: &HeldDir, to: &HeldDir, name: &OsStr, product: &Found) -> io::Result<()> {
    let temporary: OsString = TemporaryName::unused().into();
    match product.kind {
        Kind::Directory => {
            return match mkdirat(to, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(error) => Err(error.into()),
            };
        }
        Kind::Link => {
            to.make_link(&temporary, &from.link(Path::new(name))?)?;
        }
        Kind::File => {
            copy_file(EntryAt { dir: from, name }, EntryAt { dir: to, name: &temporary }, product)?;
        }
    }
    renameat(to, &*temporary, to, name).map_err(|error| {
        let _ = unlinkat(to, &*temporary, AtFlags::empty());
        error.into()
    })
}

/// A name in an open directory.
#[derive(Clone, Copy)]
struct EntryAt<'a> {
    dir: &'a HeldDir,
    name: &'a OsStr,
}

/// Copies the file `from`, the product described by `product`, to the new file `to`.
fn copy_file(from: EntryAt<'_>, to: EntryAt<'_>, product: &Found) -> io::Result<()> {
    let source = from.dir.file(Path::new(from.name))?;
    let mut target = to.dir.make_file(to.name)?;
    let copied = io::copy(&mut source.take(product.stamp.size), &mut target).and_then(|_| {
        target.set_permissions(Permissions::from_mode(product.mode | 0o600))?;
        // Build tools compare modification times to see which file is older.
        let (seconds, nanoseconds) = product.stamp.modified;
        let since = Duration::new(seconds.try_into().unwrap_or(0), nanoseconds.try_into().unwrap_or(0));
        target.set_times(fs::FileTimes::new().set_modified(UNIX_EPOCH + since))
    });
    copied.inspect_err(|_| {
        let _ = unlinkat(to.dir, to.name, AtFlags::empty());
    })
}
