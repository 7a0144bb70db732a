//! Who is at the other end of a TCP connection within this machine: the kernel's `sock_diag` knows, without privilege.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};

/// A socket's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    /// The user who made it.
    pub(super) uid: u32,
    /// Its number among the system's sockets; 0 once it is nobody's.
    pub(super) inode: u32,
}

/// Whose the socket is that is bound to `own` and connected to `other`.
///
/// # Errors
/// When there is none, or the system does not tell.
pub(super) fn owner(own: SocketAddrV4, other: SocketAddrV4) -> io::Result<Owner> {
    const SOCK_DIAG_BY_FAMILY: u16 = 20;
    const NLMSG_ERROR: u16 = 2;
    const NLM_F_REQUEST: u16 = 1;
    const AF_INET: u8 = 2;
    const IPPROTO_TCP: u8 = 6;
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkSockDiag)?;
    let mut message = Vec::with_capacity(72);
    // The header: length, type, flags, sequence, port.
    message.extend(72_u32.to_ne_bytes());
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(NLM_F_REQUEST.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    // The request: family, protocol, no extensions, padding, all states.
    message.extend([AF_INET, IPPROTO_TCP, 0, 0]);
    message.extend(u32::MAX.to_ne_bytes());
    // Which socket: ports and addresses as on the wire, any interface, no cookie.
    message.extend(own.port().to_be_bytes());
    message.extend(other.port().to_be_bytes());
    for address in [own.ip(), other.ip()] {
        message.extend(address.octets());
        message.extend([0; 12]);
    }
    message.extend(0_u32.to_ne_bytes());
    message.extend([0xff; 8]);
    send(socket.as_raw_fd(), &message, MsgFlags::empty())?;
    let mut answer = [0; 1024];
    // The kernel has answered before it returned from that.
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::MSG_DONTWAIT)?;
    let half = |at: usize| answer.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let word = |at: usize| answer.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_ne_bytes);
    match (half(4), length) {
        // Behind the header: 4 bytes of state, 48 of addresses, 12 of times and queues.
        (Some(SOCK_DIAG_BY_FAMILY), 88..) => {
            Ok(Owner { uid: word(80).unwrap_or_default(), inode: word(84).unwrap_or_default() })
        }
        (Some(NLMSG_ERROR), 20..) => {
            let code = word(16).unwrap_or_default().cast_signed();
            Err(io::Error::from_raw_os_error(code.wrapping_neg()))
        }
        _ => Err(io::Error::from(io::ErrorKind::InvalidData)),
    }
}

/// Whether this system tells whose a connection is.
///
/// # Errors
/// Why it does not.
pub(super) fn check() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let connected = TcpStream::connect(listener.local_addr()?)?;
    match (connected.local_addr()?, connected.peer_addr()?) {
        (SocketAddr::V4(own), SocketAddr::V4(other)) => owner(own, other).map(drop),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Whether one of the `processes` holds the socket with this number.
pub(super) fn is_held(inode: u32, mut processes: impl Iterator<Item = u32>) -> bool {
    let name = format!("socket:[{inode}]");
    inode != 0
        && processes.any(|pid| {
            let mut open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            open.any(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target.as_os_str() == name.as_str()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn v4(address: io::Result<SocketAddr>) -> SocketAddrV4 {
        match address {
            Ok(SocketAddr::V4(address)) => address,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_end_of_a_connection_is_known_by_user_and_number() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let one = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        let (other, from) = listener.accept().expect("accepted");
        let (seat, from) = (v4(other.local_addr()), v4(Ok(from)));
        let (near, far) = (owner(from, seat).expect("told"), owner(seat, from).expect("told"));
        assert_eq!((near.uid, far.uid), [rustix::process::geteuid().as_raw(); 2].into());
        assert_ne!(near.inode, far.inode);
        let own = std::process::id();
        assert!(is_held(near.inode, std::iter::once(own)) && is_held(far.inode, std::iter::once(own)));

        let mut stranger = Command::new("sleep").arg("600").spawn().expect("it starts");
        assert!(!is_held(near.inode, std::iter::once(stranger.id())));
        stranger.kill().expect("killed");
        stranger.wait().expect("gone");

        drop((one, other));
        assert!(!owner(from, seat).is_ok_and(|gone| is_held(gone.inode, std::iter::once(own))));
    }

    #[test]
    fn of_a_connection_that_is_none_nothing_is_told() {
        let nobody = SocketAddrV4::new([127, 0, 0, 1].into(), 1);
        assert_eq!(owner(nobody, nobody).expect_err("none").kind(), io::ErrorKind::NotFound);
    }
}
