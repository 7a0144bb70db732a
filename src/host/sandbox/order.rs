//! Orders to stages. An order consists of the policy that a stage carries out, and the accompanying descriptors.
//!
//! An order is sent over the stage's control socket, never on a command line, which every process on the machine can
//! read. The socket passes the descriptor of a file without a name that contains the policy, so a bot's environment can
//! be as large as the system allows. The file is in memory if the system allows that, and otherwise on the disk.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use tempfile::tempfile_in;

use super::Policy;
use super::control_messages::{receive, send};

/// An order that a stage has received.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) policy: Policy,
    /// The claim on the bot's user id, if the bot has its own. Keep the claim as long as any process runs under that
    /// id.
    pub(super) claim: Option<OwnedFd>,
    /// The bot's stdin; `None` if it has none.
    pub(super) stdin: Option<OwnedFd>,
}

/// Which descriptors accompany an order, in addition to the policy's descriptor.
#[derive(Serialize, Deserialize)]
struct Enclosed {
    claim: bool,
    stdin: bool,
}

/// A written order, which can be sent to several stages.
pub(super) struct WrittenOrder(File);

impl WrittenOrder {
    /// Writes the policy to a file without a name: in memory, or on the disk that contains the policy's root if the
    /// system refuses files in memory.
    ///
    /// # Errors
    /// Fails if the machine is out of memory, descriptors or disk space.
    pub(super) fn new(policy: &Policy) -> io::Result<Self> {
        let mut file = match file_in_memory() {
            Ok(file) => File::from(file),
            Err(error) if is_refusal(error) => tempfile_in(&policy.root)?,
            Err(error) => return Err(error.into()),
        };
        file.write_all(&serde_json::to_vec(policy)?)?;
        Ok(Self(file))
    }

    /// Sends the order over `socket`, with the claim on the bot's user id and the bot's stdin.
    ///
    /// # Errors
    /// Fails if the other end is closed, or if the machine is out of memory.
    pub(super) fn send(
        &self,
        socket: impl AsFd,
        claim: Option<BorrowedFd<'_>>,
        stdin: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        let enclosed = Enclosed { claim: claim.is_some(), stdin: stdin.is_some() };
        let descriptors: Vec<BorrowedFd<'_>> = [Some(self.0.as_fd()), claim, stdin].into_iter().flatten().collect();
        send(socket, &enclosed, &descriptors)
    }
}

impl Order {
    /// Receives the next order from `socket`; `None` once the other end is closed.
    ///
    /// # Errors
    /// Fails if the message is not an order, or if the machine is out of memory or descriptors.
    pub(super) fn receive(socket: impl AsFd) -> io::Result<Option<Self>> {
        let Some((enclosed, descriptors)) = receive::<Enclosed>(socket)? else { return Ok(None) };
        let mut descriptors = descriptors.into_iter();
        // The system discards descriptors that exceed the limit of the process.
        let mut next = || descriptors.next().ok_or_else(|| io::Error::from(Errno::MFILE));
        let policy = read(&File::from(next()?))?;
        let mut enclosed_one = |is_enclosed: bool| is_enclosed.then(&mut next).transpose();
        let (claim, stdin) = (enclosed_one(enclosed.claim)?, enclosed_one(enclosed.stdin)?);
        Ok(Some(Self { policy, claim, stdin }))
    }
}

/// Creates an empty, unnamed file in memory.
fn file_in_memory() -> Result<OwnedFd, Errno> {
    let named = |flags| memfd_create("order", MemfdFlags::CLOEXEC | flags);
    // Some systems insist that the file be marked as not executable. Kernels before 6.3 do not support that flag.
    match named(MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => named(MemfdFlags::empty()),
        made => made,
    }
}

/// Whether the system always answers with `error`, rather than only while it is short of something.
const fn is_refusal(error: Errno) -> bool {
    matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOSYS)
}

/// Whether the system refuses files in memory, so that orders are written to the disk.
pub(crate) fn lacks_files_in_memory() -> bool {
    file_in_memory().is_err_and(is_refusal)
}

/// Reads the policy from the beginning of `file`. All holders of the descriptor share one position in the file, so this
/// neither uses nor changes that position.
fn read(file: &File) -> io::Result<Policy> {
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut text = vec![0; length];
    file.read_exact_at(&mut text, 0)?;
    Ok(serde_json::from_slice(&text)?)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::io::Read;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::super::Tier;
    use super::*;
    use crate::host::start::{BuildCopy, RefereeLink, ShownFile, Start, Workdir};

    fn odd(length: usize) -> OsString {
        OsString::from_vec((1..=255).cycle().filter(|byte| ![b'=', b'/'].contains(byte)).take(length).collect())
    }

    /// A policy whose environment contains `size` bytes, none of which are valid UTF-8.
    fn policy(size: usize) -> Policy {
        Policy {
            start: Start {
                args: vec!["{}".to_owned()],
                workdir: Workdir::Build(BuildCopy { path: PathBuf::from(odd(305)), max_bytes: 1 }),
                env: vec![(odd(302), odd(size))],
                contact: RefereeLink::HostPort(29_068),
                readable: vec![ShownFile { path: PathBuf::from(odd(303)), file: PathBuf::from(odd(306)) }],
                output_cap: 1,
                cpus: Some(vec![1]),
                ..Start::new(PathBuf::from(odd(300)), PathBuf::from(odd(301)))
            },
            tier: Tier::B,
            root: PathBuf::from(odd(304)),
            uid: None,
            memory_group: None,
        }
    }

    #[test]
    fn an_order_of_any_size_and_bytes_reaches_each_stage() {
        for size in [0, 1 << 10, 128 << 10, 1 << 20] {
            let (ours, theirs) =
                socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).expect("a pair");
            let policy = policy(size);
            let (reading, mut writing) = io::pipe().expect("a pipe");
            let written = WrittenOrder::new(&policy).expect("written");
            written.send(&ours, None, None).expect("sent");
            written.send(&ours, Some(ours.as_fd()), Some(reading.as_fd())).expect("sent");
            drop((written, reading, ours));
            let first = Order::receive(&theirs).expect("an order").expect("the first");
            assert!(first.policy == policy && first.claim.is_none() && first.stdin.is_none(), "{size}");
            let second = Order::receive(&theirs).expect("an order").expect("the second");
            assert!(second.policy == policy && second.claim.is_some(), "{size}");
            writing.write_all(b"to the bot").expect("written");
            drop(writing);
            let mut heard = String::new();
            File::from(second.stdin.expect("enclosed")).read_to_string(&mut heard).expect("read");
            assert_eq!(heard, "to the bot");
            drop(second.claim);
            assert!(Order::receive(&theirs).expect("the end").is_none());
        }
    }

    #[test]
    fn an_order_without_its_descriptors_shows_a_shortage_of_descriptors() {
        let (reading, _writing) = io::pipe().expect("a pipe");
        let written = WrittenOrder::new(&policy(1)).expect("written");
        for (enclosed, arrived) in [
            (Enclosed { claim: false, stdin: false }, vec![]),
            (Enclosed { claim: true, stdin: false }, vec![written.0.as_fd()]),
            (Enclosed { claim: true, stdin: true }, vec![written.0.as_fd(), reading.as_fd()]),
        ] {
            let (ours, theirs) =
                socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).expect("a pair");
            send(&ours, &enclosed, &arrived).expect("sent");
            let error = Order::receive(&theirs).expect_err("something is missing");
            assert_eq!(Errno::from_io_error(&error), Some(Errno::MFILE), "{error}");
        }
    }
}
