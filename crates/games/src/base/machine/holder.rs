//! Finds the process that listens on an address.

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use crate::base::sanitise::sanitised;

/// Formats `address` for a message, with the process that listens there: `127.0.0.1:29068 (taken by "java", process
/// 4711)`. The system may reveal the process's name only to its owner and to root.
pub fn taken(address: SocketAddr) -> String {
    match inodes(address).iter().find_map(|inode| holder(inode)) {
        Some((name, id)) => format!("{address} (taken by \"{}\", process {id})", sanitised(&name)),
        None => format!("{address} (taken by another process; `ss -ltnp` as root shows which)"),
    }
}

/// Returns the message for an `error` from listening on `address`, with the process that already listens there, if any.
pub fn not_listening(address: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!("could not listen on {}", taken(address)),
        _ => format!("could not listen on {address}"),
    }
}

/// Returns the inode numbers of the listening sockets that conflict with `address`.
fn inodes(address: SocketAddr) -> Vec<String> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(|line| listener(line, address)).collect()
}

/// Returns the inode number in a line of /proc/net/tcp, if that line describes a listener on `address` or on its port
/// at every address.
fn listener(line: &str, address: SocketAddr) -> Option<String> {
    const LISTEN: &str = "0A";
    let columns: Vec<&str> = line.split_whitespace().collect();
    let (host, port) = columns.get(1)?.split_once(':')?;
    let is_all = host.bytes().all(|digit| digit == b'0');
    let concerns = is_all || address.ip().is_unspecified() || host.ends_with(&kernel_order(address.ip()));
    let listens = columns.get(3) == Some(&LISTEN) && u16::from_str_radix(port, 16).ok()? == address.port();
    (listens && concerns).then(|| columns.get(9).map(|inode| (*inode).to_owned()))?
}

/// Formats `ip` as the kernel does: in words of four bytes, each in the machine's byte order.
fn kernel_order(ip: IpAddr) -> String {
    let bytes = match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let words = bytes.as_chunks::<4>().0.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word)));
    words.collect()
}

/// Returns the name and the id of a process that holds the socket with the inode number `inode`.
fn holder(inode: &str) -> Option<(String, u32)> {
    let socket = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has_it = |id: &u32| {
        let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        open.filter_map(|descriptor| fs::read_link(descriptor.path()).ok()).any(|it| it == Path::new(&socket))
    };
    let id = ids.find(has_it)?;
    Some((fs::read_to_string(format!("/proc/{id}/comm")).ok()?.trim_end().to_owned(), id))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_listening_process_is_named() {
        for host in ["127.0.0.1:0", "127.3.4.5:0", "0.0.0.0:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(host) else { continue };
            let address = listener.local_addr().unwrap();
            let said = taken(address);
            assert!(
                said.starts_with(&address.to_string()) && said.contains(&format!("process {})", std::process::id())),
                "{said}"
            );
        }
        assert!(taken("127.77.77.77:1".parse().unwrap()).contains("by another process"));
    }
}
