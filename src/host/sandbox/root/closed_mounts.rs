//! Makes mounts read-only for a bot, with everything that is mounted below them.
//!
//! Mounts are closed one by one, in the order in which the kernel lists them. The system call that closes a whole tree
//! in one step, `mount_setattr`, is missing from kernels before 5.12 and from the libraries that this program uses.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{MountFlags, mount_remount};

/// A mount, as listed in `/proc/self/mountinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    id: u64,
    /// The id of the parent mount.
    parent: u64,
    point: PathBuf,
    /// The flags that must be kept when the mount is closed. They cannot be cleared in a user namespace.
    flags: MountFlags,
}

/// The mounts of this process, as listed at one time. Listing them takes longer than closing one.
pub(super) struct ListedMounts(Vec<Mount>);

impl ListedMounts {
    /// Lists the mounts.
    ///
    /// # Errors
    /// Fails if the kernel does not list them.
    pub(super) fn now() -> io::Result<Self> {
        Ok(Self(parse(&fs::read("/proc/self/mountinfo")?)))
    }

    /// Makes the mount at `target`, and all listed mounts below it, read-only, without set-user-id programs and without
    /// devices.
    ///
    /// # Errors
    /// Fails if one of the mounts cannot be closed, or if there is none. In that case, `target` must not be shown to a
    /// bot.
    pub(super) fn close(&self, target: &Path) -> io::Result<()> {
        match self.close_within(target)? {
            0 => Err(io::Error::other("the kernel does not list the mount")),
            _ => Ok(()),
        }
    }

    /// Closes all listed mounts at and below `dir` as [`ListedMounts::close`] does, and returns their number.
    ///
    /// # Errors
    /// Fails if one of the mounts cannot be closed.
    pub(super) fn close_within(&self, dir: &Path) -> io::Result<usize> {
        let dir = fs::canonicalize(dir)?;
        let mut number = 0;
        for mount in self.0.iter().filter(|mount| mount.point.starts_with(&dir) && !is_hidden(mount, &self.0)) {
            let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | mount.flags;
            match mount_remount(&mount.point, flags, "") {
                // A directory on the way is inaccessible to pid 1, and therefore also to the bot, which has fewer
                // privileges.
                Err(Errno::ACCESS) => {}
                closed => {
                    closed?;
                    number += 1;
                }
            }
        }
        Ok(number)
    }
}

/// Whether no path leads to `mount`, because another mount covers its mount point or a directory above the mount point.
fn is_hidden(mount: &Mount, mounts: &[Mount]) -> bool {
    let mut at = mount;
    loop {
        let covers =
            |other: &Mount| other.parent == at.parent && other.point != at.point && at.point.starts_with(&other.point);
        let lies_over = |other: &Mount| other.parent == at.id && other.point == at.point;
        if mounts.iter().any(covers) || at.id == mount.id && mounts.iter().any(lies_over) {
            return true;
        }
        match mounts.iter().find(|other| other.id == at.parent && other.id != at.id) {
            Some(parent) => at = parent,
            None => return false,
        }
    }
}

/// The mounts in the text of `mountinfo`.
fn parse(mountinfo: &[u8]) -> Vec<Mount> {
    mountinfo.split(|byte| *byte == b'\n').filter_map(parse_line).collect()
}

fn parse_line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let mut number = || std::str::from_utf8(fields.next()?).ok()?.parse().ok();
    let (id, parent) = (number()?, number()?);
    // The device, and the part of the file system that is mounted, precede the mount point.
    let point = PathBuf::from(OsString::from_vec(unescaped(fields.nth(2)?)));
    let flags = fields.next()?.split(|byte| *byte == b',').fold(MountFlags::empty(), |flags, option| {
        flags
            | match option {
                b"noexec" => MountFlags::NOEXEC,
                b"nosymfollow" => MountFlags::NOSYMFOLLOW,
                _ => MountFlags::empty(),
            }
    });
    Some(Mount { id, parent, point, flags })
}

/// Decodes a path in which spaces and backslashes are written as a backslash and three octal digits.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path);
    while let [first, others @ ..] = rest {
        let octal = |digits: &[u8; 3]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok();
        let escaped = others.first_chunk().filter(|_| *first == b'\\').and_then(octal);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &others[3..] } else { others };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
        21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        30 21 0:50 / /root rw - tmpfs tmpfs rw\n\
        31 30 254:0 /usr /root/usr rw,nosuid,noexec,relatime shared:1 - ext4 /dev/vda rw\n\
        32 31 0:51 / /root/usr/a\\040b\\134c rw,nosymfollow - tmpfs tmpfs rw\n\
        33 31 0:52 / /root/usr/local/lib rw - tmpfs tmpfs rw\n\
        34 31 0:53 / /root/usr/local rw - tmpfs tmpfs rw\n\
        35 33 0:54 / /root/usr/local/lib/deep rw - tmpfs tmpfs rw\n\
        36 30 0:55 / /root/usrs rw - tmpfs tmpfs rw\n\
        37 36 0:56 / /root/usrs rw - tmpfs tmpfs rw\n\
        no mount\n";

    #[test]
    fn a_mount_has_its_point_and_the_flags_to_keep() {
        let mounts = parse(MOUNTS.as_bytes());
        assert_eq!(mounts.len(), 9);
        assert_eq!(
            mounts[2],
            Mount { id: 31, parent: 30, point: PathBuf::from("/root/usr"), flags: MountFlags::NOEXEC }
        );
        assert_eq!(mounts[3].point, Path::new("/root/usr/a b\\c"));
        assert_eq!(mounts[3].flags, MountFlags::NOSYMFOLLOW);
    }

    #[test]
    fn a_mount_is_hidden_by_what_lies_over_it_or_over_a_directory_above_it() {
        let mounts = parse(MOUNTS.as_bytes());
        let hidden: Vec<u64> = mounts.iter().filter(|mount| is_hidden(mount, &mounts)).map(|mount| mount.id).collect();
        assert_eq!(hidden, [33, 35, 36]);
    }
}
