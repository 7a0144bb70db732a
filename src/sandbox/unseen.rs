//! Memory that a process does not show, where no control group counts it: what of it is refused, and how the rest is estimated.
//!
//! The resident memory of a process lacks what it has written to shared memory and does not look at: shared mappings that were
//! given back or unmapped, files without a name, shared memory and semaphores of System V. None of that is to be had then;
//! programs that ask for it get an error, as on a kernel without it. What is in sockets and pipes can't be asked for cheaply
//! either: so their number is counted, and each stands for what it may hold.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use nix::libc as c;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{BackendError, SeccompRule};

use super::enter::{option, when};
use super::watch::has_memory;

/// How many descriptors are looked at each time, all processes together; of those beyond, each counts as a channel.
const MOST_LOOKED_AT: u64 = 4096;

/// How many channels a bot may have that do not count as memory.
const FREE: u64 = 64;

/// What a channel may hold, in bytes: the kernel's default for the buffer of a socket, 208 KiB, and more.
const CHANNEL: u64 = 256 << 10;

/// The sockets and pipes of a bot.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// Those that were seen, by name: processes share them.
    seen: HashSet<String>,
    /// How many descriptors were looked at.
    looked_at: u64,
    /// How many were not, at most.
    others: u64,
}

impl Channels {
    /// Looks at the process that is described in this directory of /proc. Returns the bytes that belong to it and are
    /// not resident: its page tables, and what is swapped out.
    pub(super) fn look(&mut self, dir: &Path) -> u64 {
        let status = fs::read_to_string(dir.join("status")).unwrap_or_default();
        let room = MOST_LOOKED_AT.saturating_sub(self.looked_at);
        let slots = field(&status, "FDSize:");
        match fs::read_dir(dir.join("fd")) {
            Ok(entries) if room > 0 => {
                let before = self.looked_at;
                for entry in entries.flatten().take(usize::try_from(room).unwrap_or(usize::MAX)) {
                    self.looked_at += 1;
                    let Ok(target) = fs::read_link(entry.path()) else { continue };
                    let target = target.to_string_lossy();
                    if ["socket:", "pipe:"].iter().any(|kind| target.starts_with(kind)) {
                        self.seen.insert(target.into_owned());
                    }
                }
                if self.looked_at - before == room {
                    self.others += slots.saturating_sub(room);
                }
            }
            Ok(_) => self.others += slots,
            // It does not let anybody look.
            Err(_) if has_memory(dir) => self.others += slots,
            Err(_) => {}
        }
        (field(&status, "VmPTE:") + field(&status, "VmSwap:")) << 10
    }

    /// What all channels may hold, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.seen.len() as u64).saturating_add(self.others).saturating_sub(FREE).saturating_mul(CHANNEL)
    }
}

/// The number in the line of a status file that begins with this name; 0 if there is none.
fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The calls that are refused where no group counts what they make, with the arguments that make them so.
pub(super) fn refused() -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let all = |call| (call, Vec::new());
    let shared = u64::from((c::MAP_SHARED | c::MAP_ANONYMOUS).unsigned_abs());
    // A thread with descriptors of its own has them where nobody looks.
    let (thread, files) = (0x1_0000, 0x400);
    Ok(vec![
        // MAP_SHARED_VALIDATE has the bit of MAP_SHARED, and MAP_PRIVATE does not.
        (c::SYS_mmap, vec![when(3, MaskedEq(shared), shared)?]),
        all(c::SYS_shmget),
        all(c::SYS_semget),
        all(c::SYS_msgget),
        all(c::SYS_mq_open),
        // A page in a pipe keeps all of the huge page that it is a part of.
        all(c::SYS_vmsplice),
        (c::SYS_fcntl, vec![when(1, Eq, u64::from(c::F_SETPIPE_SZ.unsigned_abs()))?]),
        (c::SYS_clone, vec![when(0, MaskedEq(thread | files), thread)?]),
    ])
}

/// The calls that are answered as by a kernel that does not have them, so that libraries do without.
pub(super) fn absent() -> [i64; 2] {
    [c::SYS_memfd_create, c::SYS_memfd_secret]
}

/// The calls that succeed and do nothing: the size of a socket's buffers is a wish, which the kernel may cut down as it likes.
pub(super) fn ignored() -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let wish = |name: i32| option(1, c::SOL_SOCKET, u64::from(name.unsigned_abs()));
    Ok(vec![(c::SYS_setsockopt, vec![wish(c::SO_SNDBUF)?, wish(c::SO_RCVBUF)?])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn each_socket_counts_once_however_many_have_it() {
        let pair = UnixStream::pair().expect("made");
        let _again = pair.0.try_clone().expect("made");
        let name = fs::read_link(format!("/proc/self/fd/{}", pair.0.as_raw_fd())).expect("there");
        let name = name.to_str().expect("text");
        let mut channels = Channels::default();
        channels.look(Path::new("/proc/self"));
        channels.look(Path::new("/proc/self"));
        // Other tests have descriptors in this process, too.
        assert_eq!(channels.seen.iter().filter(|seen| *seen == name).count(), 1);
        assert!(channels.looked_at >= 6 && channels.others == 0, "{channels:?}");
    }

    #[test]
    fn what_is_not_looked_at_counts_in_full() {
        let mut channels = Channels { looked_at: MOST_LOOKED_AT, ..Channels::default() };
        channels.look(Path::new("/proc/self"));
        assert!(channels.seen.is_empty() && channels.others >= 64, "{channels:?}");
        let held = |others| Channels { others, ..Channels::default() }.bytes();
        assert_eq!((held(FREE), held(FREE + 3)), (0, 3 * CHANNEL));
    }

    #[test]
    fn figures_of_a_status_file_are_found() {
        let status = "Name:\tVmPTE: 7\nFDSize:\t256\nVmPTE:\t      96 kB\nVmSwap:\t 8 kB\n";
        assert_eq!(["FDSize:", "VmPTE:", "VmSwap:", "Threads:"].map(|name| field(status, name)), [256, 96, 8, 0]);
    }
}
