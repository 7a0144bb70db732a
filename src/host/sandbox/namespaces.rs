//! The first stage: namespaces, their loopback, and the seat's listener.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Stdio};

use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send as send_bytes, socket};

use super::control::{Failed, Report, Step, send};
use super::init::let_go_of_outputs;
use super::order::Order;
use super::{Policy, Tier};
use crate::referee::wire::BASE_PORT;

/// How many connections may wait to be accepted; as many as the kernel allows, as a rule.
const BACKLOG: i32 = 4096;

pub(super) fn run() -> u8 {
    let control = io::stdin();
    let done = Order::receive(&control).step("hear the policy").and_then(|received| match received {
        Some(Order { policy, claim: _claim, .. }) => prepare(&policy),
        None => Ok(0),
    });
    match done {
        Ok(code) => code,
        Err(failed) => {
            // The arena sees the end of the socket if it can't be told.
            let _ = send(&control, &Report::Failed(failed), &[]);
            1
        }
    }
}

fn prepare(policy: &Policy) -> Result<u8, Failed> {
    let mut flags =
        CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS;
    let has_own_network = !policy.workplace.as_ref().is_some_and(|workplace| workplace.network);
    if has_own_network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    if policy.tier == Tier::B {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    unshare(flags).map_err(|error| match error {
        // The number of namespaces is bounded, often by 0, and no disk is full.
        nix::Error::ENOSPC => Failed::by_machine(
            "make namespaces: the system allows no more of them (`sysctl user.max_user_namespaces` and its like)"
                .to_owned(),
        ),
        error => Err::<(), _>(error).step("make namespaces").unwrap_err(),
    })?;
    if policy.tier == Tier::B {
        // As user 0, pid 1 keeps what it takes to build the file system when it is started; the bot gives that up.
        fs::write("/proc/self/setgroups", "deny").step("give up changing groups")?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1")).step("map the user id")?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1")).step("map the group id")?;
    }
    if has_own_network {
        loopback_up().step("bring the loopback up")?;
    }
    if has_own_network && policy.memory_group.is_none() {
        // Where the system's settings can't be written, connections have the buffers that they have elsewhere.
        let _ = small_buffers();
    }
    let listener = if policy.listens {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, BASE_PORT)).step("bind the seat's port")?;
        // Who connects faster than that waits for its own repetitions, a second and more each.
        rustix::net::listen(&listener, BACKLOG).step("listen on the seat's port")?;
        Some(listener)
    } else {
        None
    };
    let control = io::stdin();
    send(&control, &Report::Ready, &Vec::from_iter(listener.as_ref().map(AsFd::as_fd)))
        .step("hand over the listener")?;
    drop(listener);
    let control = control.as_fd().try_clone_to_owned().step("share the control socket")?;
    let mut init = Command::new("/proc/self/exe");
    init.args(["confine", "init"]).env_clear().stdin(Stdio::from(control));
    let mut init = init.spawn().step("start pid 1")?;
    // Held here, their ends would only be seen when the game is over.
    let_go_of_outputs()?;
    let status = init.wait().step("wait for pid 1")?;
    Ok(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
}

/// Keeps the buffers of TCP within what a descriptor counts for, on this network alone.
fn small_buffers() -> io::Result<()> {
    fs::write("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 131072")?;
    fs::write("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 131072")
}

/// Sets the interface `lo`, number 1 in every network namespace, up: a `RTM_NEWLINK` with `IFF_UP`.
fn loopback_up() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST_ACK: u16 = 1 | 4;
    const IFF_UP: u32 = 1;
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)?;
    let mut message = Vec::with_capacity(32);
    // The header: length, type, flags, sequence, port.
    message.extend(32_u32.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(NLM_F_REQUEST_ACK.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    // The interface: family and padding, type, index, flags, and which of them to change.
    message.extend([0; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    send_bytes(socket.as_raw_fd(), &message, MsgFlags::empty())?;
    let mut answer = [0; 512];
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    // An error message holds the error number, negated, behind the header; 0 is success.
    let code =
        answer.get(16..20).filter(|_| length >= 20).and_then(|code| code.try_into().ok()).map(i32::from_ne_bytes);
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::Error::from(io::ErrorKind::InvalidData)),
    }
}
