//! The namespaces of a bot, their loopback, and the seat's listener.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::SockProtocol;

use super::control_messages::{Failed, InStep};
use super::netlink::{self, Expected};
use super::{Policy, Tier};
use crate::host::start::RefereeLink;
use crate::referee::wire::BASE_PORT;

/// How many connections can wait to be accepted. This is the usual limit of the kernel.
const BACKLOG: i32 = 4096;

/// A bot's own network.
#[derive(Debug)]
pub(super) struct OwnNetwork {
    /// The network namespace.
    pub namespace: OwnedFd,
    /// The seat's listener on the loopback of this namespace, if the bot connects to its seat there.
    pub listener: Option<TcpListener>,
}

impl OwnNetwork {
    /// The descriptors to send to the arena.
    pub(super) fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let listener = self.listener.as_ref().map(AsFd::as_fd);
        [Some(self.namespace.as_fd()), listener].into_iter().flatten().collect()
    }

    /// The network whose [descriptors](Self::descriptors) the arena has received; `None` if there are none.
    pub(super) fn from_descriptors(descriptors: Vec<OwnedFd>) -> Option<Self> {
        let mut descriptors = descriptors.into_iter();
        Some(Self { namespace: descriptors.next()?, listener: descriptors.next().map(TcpListener::from) })
    }
}

/// Creates new namespaces for the bot of `policy`, for this thread and all processes that it starts from then on.
/// Returns the bot's network, if it does not use that of the host.
///
/// In tier B, the process must have only one thread.
///
/// # Errors
/// Fails if the machine refuses to create the namespaces, or to set up their loopback.
pub(super) fn enter(policy: &Policy) -> Result<Option<OwnNetwork>, Failed> {
    let mut flags =
        CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS;
    let has_own_network = policy.start.contact != RefereeLink::HostNetwork;
    if has_own_network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    if policy.tier == Tier::B {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    unshare(flags).map_err(|error| match error {
        // The system limits the number of namespaces, often to 0. Here, this error does not mean that a disk is full.
        nix::Error::ENOSPC => Failed::by_machine(
            "make namespaces: the system allows no more of them (`sysctl user.max_user_namespaces` and similar \
             settings)"
                .to_owned(),
        ),
        error => Err::<(), _>(error).step("make namespaces").unwrap_err(),
    })?;
    if policy.tier == Tier::B {
        // As user 0, pid 1 keeps the privileges that it needs to build the file system. The bot gives them up.
        fs::write("/proc/self/setgroups", "deny").step("disable setgroups")?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1")).step("map the user id")?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1")).step("map the group id")?;
    }
    if !has_own_network {
        return Ok(None);
    }
    loopback_up().step("bring up the loopback interface")?;
    if policy.memory_group.is_none() {
        // If the system's settings are not writable, connections keep buffers of the usual size.
        let _ = small_buffers();
    }
    let listener = if policy.start.contact == RefereeLink::OwnLoopback {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, BASE_PORT)).step("bind the seat's port")?;
        // If the backlog is full when a client connects, a second or more passes before the kernel tries again.
        rustix::net::listen(&listener, BACKLOG).step("listen on the seat's port")?;
        Some(listener)
    } else {
        None
    };
    let namespace = File::open("/proc/thread-self/ns/net").step("keep the network namespace")?.into();
    Ok(Some(OwnNetwork { namespace, listener }))
}

/// Limits the TCP buffers in this network namespace to the size that the memory estimate assumes for a descriptor.
fn small_buffers() -> io::Result<()> {
    fs::write("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 131072")?;
    fs::write("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 131072")
}

/// Brings up the interface `lo`, number 1 in every network namespace, with an `RTM_NEWLINK` request that sets `IFF_UP`.
fn loopback_up() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const IFF_UP: u32 = 1;
    let mut request = Vec::with_capacity(16);
    // Family and padding, type, index, flags, and the mask of the flags to change.
    request.extend([0; 4]);
    request.extend(1_i32.to_ne_bytes());
    request.extend(IFF_UP.to_ne_bytes());
    request.extend(IFF_UP.to_ne_bytes());
    netlink::ask(SockProtocol::NetlinkRoute, RTM_NEWLINK, &request, Expected::Acknowledgement).map(drop)
}
