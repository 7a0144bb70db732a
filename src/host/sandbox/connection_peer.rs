//! The process at the other end of a TCP connection within this machine. Any user may query the kernel's `sock_diag`.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};

use nix::sys::socket::SockProtocol;

use super::netlink::{self, Expected};

/// A socket's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    /// The id of the user that created the socket.
    pub(super) uid: u32,
    /// The socket's inode number; 0 once no process owns the socket.
    pub(super) inode: u32,
}

/// Returns the owner of the socket that is bound to `own` and connected to `other`.
///
/// # Errors
/// Fails if there is no such socket, or if the system does not report its owner.
pub(super) fn owner(own: SocketAddrV4, other: SocketAddrV4) -> io::Result<Owner> {
    const SOCK_DIAG_BY_FAMILY: u16 = 20;
    const AF_INET: u8 = 2;
    const IPPROTO_TCP: u8 = 6;
    let mut request = Vec::with_capacity(56);
    // Family, protocol, no extensions, padding, all states.
    request.extend([AF_INET, IPPROTO_TCP, 0, 0]);
    request.extend(u32::MAX.to_ne_bytes());
    // The socket: ports and addresses in network byte order, any interface, no cookie.
    request.extend(own.port().to_be_bytes());
    request.extend(other.port().to_be_bytes());
    for address in [own.ip(), other.ip()] {
        request.extend(address.octets());
        request.extend([0; 12]);
    }
    request.extend(0_u32.to_ne_bytes());
    request.extend([0xff; 8]);
    let answer = netlink::ask(SockProtocol::NetlinkSockDiag, SOCK_DIAG_BY_FAMILY, &request, Expected::Message)?;
    // The user id and the inode number follow 4 bytes of state, 48 of addresses, and 12 of times and queues.
    match (netlink::word(&answer, 64), netlink::word(&answer, 68)) {
        (Some(uid), Some(inode)) => Ok(Owner { uid, inode }),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Checks that this system reports who owns a connection.
///
/// # Errors
/// Returns the reason why the system does not report the owner.
pub(super) fn check() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let connected = TcpStream::connect(listener.local_addr()?)?;
    match (connected.local_addr()?, connected.peer_addr()?) {
        (SocketAddr::V4(own), SocketAddr::V4(other)) => owner(own, other).map(drop),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Whether one of `processes` has an open descriptor for the socket with the number `inode`.
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
        let (near, far) = (owner(from, seat).expect("answered"), owner(seat, from).expect("answered"));
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
    fn a_connection_that_does_not_exist_has_no_owner() {
        let nobody = SocketAddrV4::new([127, 0, 0, 1].into(), 1);
        assert_eq!(owner(nobody, nobody).expect_err("none").kind(), io::ErrorKind::NotFound);
    }
}
