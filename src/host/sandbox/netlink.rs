//! Netlink requests to the kernel, each with a single answer.

use std::io;
use std::os::fd::AsRawFd;

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};

/// The length of a message's header: length, type, flags, sequence, port.
const HEADER: usize = 16;

const NLMSG_ERROR: u16 = 2;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;

/// The kind of answer to expect from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// A message of the request's own type.
    Message,
    /// An acknowledgement, whose body is empty.
    Acknowledgement,
}

/// Sends a request of the type `kind` with `body`, and returns the body of the answer.
///
/// # Errors
/// Fails if the kernel refuses the request, or if its answer is not of the expected kind.
pub(super) fn ask(protocol: SockProtocol, kind: u16, body: &[u8], expected: Expected) -> io::Result<Vec<u8>> {
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, protocol)?;
    let flags = match expected {
        Expected::Message => NLM_F_REQUEST,
        Expected::Acknowledgement => NLM_F_REQUEST | NLM_F_ACK,
    };
    let length = u32::try_from(HEADER + body.len()).unwrap_or(u32::MAX);
    let mut message = Vec::with_capacity(HEADER + body.len());
    message.extend(length.to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend(body);
    send(socket.as_raw_fd(), &message, MsgFlags::empty())?;
    let mut answer = [0; 1024];
    // The kernel has answered before `send` returns.
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::MSG_DONTWAIT)?;
    let answer = answer.get(..length).unwrap_or_default();
    let answered = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let body = answer.get(HEADER..).unwrap_or_default();
    match answered {
        Some(NLMSG_ERROR) => match word(body, 0).map(u32::cast_signed) {
            Some(0) if expected == Expected::Acknowledgement => Ok(Vec::new()),
            // The error number, negated.
            Some(code @ ..0) => Err(io::Error::from_raw_os_error(code.wrapping_neg())),
            _ => Err(io::ErrorKind::InvalidData.into()),
        },
        Some(answered) if answered == kind && expected == Expected::Message => Ok(body.to_vec()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The four bytes of `body` at the offset `at`, as a number.
pub(super) fn word(body: &[u8], at: usize) -> Option<u32> {
    body.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}
