//! The messages between the arena and the stages: one JSON object per packet, over a packet socket.

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

use super::exceeded::Exceeded;
use crate::base::machine::explained;
use crate::host::shortage::Observed;
use crate::host::start::ProcessEnd;

/// The maximum size of a packet in bytes. A report can contain two paths.
const MAX_PACKET: usize = 64 << 10;

/// The maximum number of descriptors in a packet.
const MAX_DESCRIPTORS: usize = 3;

/// A report from a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StageReport {
    /// The bot is about to be started. The descriptors of its network, if it has its own, are sent with this report. In
    /// tier A, no stage sends it.
    Ready,
    /// The bot is about to start in a process group that none of its processes can leave. This is sent only in tier C.
    Starting {
        /// The group's id.
        group: i32,
    },
    /// The bot could not be confined.
    Failed(Failed),
    /// The bot's own process has ended.
    Gone(ProcessEnd),
    /// No process of the bot is left.
    Alone,
    /// The bot exceeded a limit, and all its processes were killed.
    Exceeded(Exceeded),
    /// The stage has completed a request.
    Done,
    /// The CPU time that all processes have used so far, in nanoseconds.
    Cpu(u64),
    /// All processes are gone. The report contains their total usage.
    Used {
        /// User CPU time in microseconds.
        user_micros: u64,
        /// System CPU time in microseconds.
        system_micros: u64,
        /// The highest observed total memory, in bytes.
        peak_memory: u64,
        /// The highest observed number of simultaneous processes and threads.
        processes: u64,
        /// How many bytes were written to files, pipes, stdout and stderr; 0 if the kernel does not count them.
        written: u64,
        /// What the machine lacked while the bot ran.
        observed: Observed,
    },
}

/// A request from the arena to the last stage while the bot runs. Each request gets one answer, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StageRequest {
    /// Stop all processes of the bot; answered by [`StageReport::Done`].
    Stop,
    /// Resume all processes of the bot; answered by [`StageReport::Done`].
    Continue,
    /// Report how much CPU time the bot's processes have used; answered by [`StageReport::Cpu`].
    Cpu,
}

/// A step of confinement that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// The purpose of the step.
    pub step: String,
    /// The system's error number, if a system call failed.
    pub errno: Option<i32>,
    /// Where the fault lies.
    pub blame: Blame,
}

/// Where the fault lies when a bot cannot be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// The program or its directory.
    Program,
    /// The machine, which cannot confine bots by this tier, or lacks something at the moment.
    Machine,
    /// The arena, which has a bug, or one of whose stages has ended without a report.
    Arena,
}

impl Failed {
    /// A step that failed because of the machine.
    pub(super) fn by_machine(step: String) -> Self {
        Self { step, errno: None, blame: Blame::Machine }
    }

    /// A step that failed because of the arena.
    pub(super) fn by_arena(step: &str) -> Self {
        Self { step: step.to_owned(), errno: None, blame: Blame::Arena }
    }

    /// Whether the program or its directory, and therefore the player, is at fault.
    pub fn is_by_program(&self) -> bool {
        self.blame == Blame::Program
    }

    /// The system's error, if a system call failed.
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

/// Sends `message` with `descriptors`.
pub(super) fn send(socket: impl AsFd, message: &impl Serialize, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let packet = serde_json::to_vec(message)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    sendmsg(socket, &[IoSlice::new(&packet)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives the next packet, with its descriptors; `None` once the other end is closed.
pub(super) fn receive<T: for<'de> Deserialize<'de>>(socket: impl AsFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    receive_with(socket, RecvFlags::empty())
}

/// Like [`receive`], with additional flags.
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
    // A peer that exits before it has read everything resets the connection. Its earlier messages can still be read.
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

/// Adds the purpose of the failed step to an error.
pub(super) trait InStep<T> {
    /// Names the step that failed. The system's errors are blamed on the machine, and all others on the arena.
    fn step(self, step: &str) -> Result<T, Failed>;
}

impl<T, E: Into<io::Error>> InStep<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, Failed> {
        self.map_err(|error| {
            let errno = error.into().raw_os_error();
            let blame = if errno.is_some() { Blame::Machine } else { Blame::Arena };
            Failed { step: step.to_owned(), errno, blame }
        })
    }
}
