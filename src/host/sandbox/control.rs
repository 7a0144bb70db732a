//! What the arena and the stages say to each other: one JSON object a packet, over a socket that keeps packets apart.

use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use crate::base::machine::explained;

/// The longest packet: a report may hold two paths.
const MAX_PACKET: usize = 64 << 10;

/// How many descriptors come with a packet at the most.
const MAX_DESCRIPTORS: usize = 3;

/// What a stage reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The listener comes with this, if there is one; the bot is about to be started.
    Ready,
    /// The bot has been started, and this is the process group that nothing of it can leave; in tier C.
    Started {
        /// The group's id.
        group: i32,
    },
    /// The bot could not be confined.
    Failed(Failed),
    /// The bot's own process has ended, by exit code or by signal.
    Gone {
        /// The exit code, unless it was a signal.
        code: Option<i32>,
        /// The signal, if it was one.
        signal: Option<i32>,
    },
    /// No process of the bot is left.
    Alone,
    /// A limit was exceeded: everything has been killed.
    Exceeded(Exceeded),
    /// What was asked for has been done.
    Done,
    /// The CPU time that all processes have used so far, in nanoseconds.
    Cpu(u64),
    /// All processes are gone; this is what they used in all.
    Used {
        /// User CPU time in microseconds.
        user_micros: u64,
        /// System CPU time in microseconds.
        system_micros: u64,
        /// The most memory that all had together, in bytes, as far as it was seen.
        peak_memory: u64,
        /// The most processes and threads at a time, as far as they were seen.
        processes: u64,
        /// What was written to files, pipes, stdout and stderr, in bytes; 0 where the kernel does not count it.
        written: u64,
    },
}

/// What the arena asks of init while the bot runs. Each is answered once, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// To stop all processes of the bot, which is answered by [`Report::Done`].
    Stop,
    /// To let them go on; answered likewise.
    Continue,
    /// How much CPU time they have used; answered by [`Report::Cpu`].
    Cpu,
}

/// A step that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// What was to be done.
    pub step: String,
    /// The system's error number, if it was the system.
    pub errno: Option<i32>,
    /// Whose fault that is.
    pub fault: Fault,
}

/// Whose fault it is that a bot could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The program's or its directory's.
    Program,
    /// The machine's, which can't confine in this way, or lacks something at the moment.
    Machine,
    /// The arena's own: a mistake in it, or a stage that has ended without a word.
    Arena,
}

impl Failed {
    /// What the machine could not do.
    pub(super) fn by_machine(step: String) -> Self {
        Self { step, errno: None, fault: Fault::Machine }
    }

    /// What went wrong in the arena.
    pub(super) fn by_arena(step: &str) -> Self {
        Self { step: step.to_owned(), errno: None, fault: Fault::Arena }
    }

    /// What the system said, if it was the system.
    pub fn error(&self) -> Option<io::Error> {
        self.errno.map(io::Error::from_raw_os_error)
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.step)?;
        self.error().map_or(Ok(()), |error| write!(f, ": {}", explained(&error)))
    }
}

/// A limit that was exceeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exceeded {
    /// Memory, in bytes.
    Memory(u64),
    /// Processes and threads.
    Processes(u64),
    /// CPU time in milliseconds.
    Cpu(u64),
    /// Scratch space in bytes.
    Scratch(u64),
    /// Descriptors that can't all be looked at, so that nobody knows how much memory and scratch space they hold.
    Descriptors(u64),
}

/// Sends what can be sent, with these descriptors.
pub(super) fn send(socket: impl AsFd, what: &impl Serialize, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let packet = serde_json::to_vec(what)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    sendmsg(socket, &[IoSlice::new(&packet)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The next packet, with the descriptors that came with it; `None` at the end.
pub(super) fn receive<T: for<'de> Deserialize<'de>>(socket: impl AsFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    receive_with(socket, RecvFlags::empty())
}

/// Like [`receive`], with these flags as well.
pub(super) fn receive_with<T: for<'de> Deserialize<'de>>(
    socket: impl AsFd,
    flags: RecvFlags,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut packet = vec![0; MAX_PACKET];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut hear = || {
        rustix::io::retry_on_intr(|| {
            recvmsg(&socket, &mut [IoSliceMut::new(&mut packet)], &mut ancillary, flags | RecvFlags::CMSG_CLOEXEC)
        })
    };
    // Who ends without having read everything resets the connection; what it said before is still there to be heard.
    let received = match hear() {
        Err(Errno::CONNRESET) => hear()?,
        received => received?,
    };
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    if received.bytes == 0 {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&packet[..received.bytes])?, descriptors)))
}

/// The result of a step, with what the step was.
pub(super) trait Step<T> {
    /// Names the step. What the system refuses is the machine's fault, and anything else the arena's.
    fn step(self, step: &str) -> Result<T, Failed>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, Failed> {
        self.map_err(|error| {
            let errno = error.into().raw_os_error();
            let fault = if errno.is_some() { Fault::Machine } else { Fault::Arena };
            Failed { step: step.to_owned(), errno, fault }
        })
    }
}
