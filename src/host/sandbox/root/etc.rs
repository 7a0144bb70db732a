//! A private `/etc` for a bot, in which the host names of the bot's seat resolve to the bot's loopback.
//!
//! The bot sees everything that the machine's `/etc` contains, except for two files. `hosts` contains the names, and
//! `nsswitch.conf` makes the C library look only in `hosts`. Resolvers that do not support `nsswitch.conf`, such as
//! musl's, look in `hosts` first. The confinement has no network, so names could not resolve to anything else anyway.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::closed_mounts::ListedMounts;
use super::{bind, within};

/// The directory that is replaced.
pub(super) const ETC: &str = "/etc";
const HOSTS: &str = "hosts";
const NSSWITCH: &str = "nsswitch.conf";

/// Builds `/etc` within `root` for a bot whose seat has the names `hosts`.
///
/// The files are not mounted over the machine's own, because a machine may lack these files, or have links in their
/// place.
///
/// # Errors
/// Fails if the machine's `/etc` cannot be read, or if something cannot be created.
pub(super) fn with_hosts(root: &Path, hosts: &[String]) -> io::Result<()> {
    let etc = within(root, Path::new(ETC));
    fs::create_dir(&etc)?;
    // The bot's user must be able to read the directory and its files, whatever the arena's umask.
    fs::set_permissions(&etc, Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(ETC)? {
        let entry = entry?;
        if entry.file_name() == HOSTS || entry.file_name() == NSSWITCH {
            continue;
        }
        let shown = if entry.file_type()?.is_symlink() {
            fs::read_link(entry.path()).and_then(|target| symlink(target, etc.join(entry.file_name())))
        } else {
            bind(root, &entry.path(), &entry.path())
        };
        match shown {
            // The entry has been removed since the directory was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            shown => shown?,
        }
    }
    ListedMounts::now()?.close_within(&etc)?;
    let before = fs::read(Path::new(ETC).join(NSSWITCH)).unwrap_or_default();
    let own_name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let files = [(HOSTS, hosts_file(hosts, &own_name)), (NSSWITCH, nsswitch(&String::from_utf8_lossy(&before)))];
    for (name, text) in files {
        let path = etc.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// The contents of `hosts`. Programs also look up the machine's `own_name`, which must resolve without delay.
fn hosts_file(hosts: &[String], own_name: &str) -> String {
    // The address of `localhost` comes first: a reverse lookup of the loopback's address returns it.
    let names = ["localhost", own_name].into_iter().chain(hosts.iter().map(String::as_str));
    names.fold(String::new(), |mut text, name| {
        // Writing to a string never fails.
        let _ = writeln!(text, "127.0.0.1 {name}");
        text
    })
}

/// The contents of `nsswitch.conf`: the machine's contents `before`, changed so that host names are looked up only in
/// files.
fn nsswitch(before: &str) -> String {
    let is_about_hosts = |line: &&str| line.split_once(':').is_some_and(|(database, _)| database.trim() == "hosts");
    let others = before.lines().filter(|line| !is_about_hosts(line));
    others.chain(["hosts: files"]).fold(String::new(), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_the_loopback() {
        assert_eq!(
            hosts_file(&["barton.example.edu".to_owned(), "games".to_owned()], "vm"),
            "127.0.0.1 localhost\n127.0.0.1 vm\n127.0.0.1 barton.example.edu\n127.0.0.1 games\n"
        );
    }

    #[test]
    fn hosts_are_looked_up_in_files_alone_and_users_as_before() {
        let before = "# hosts: as usual\npasswd: files systemd\n hosts : mymachines resolve [!UNAVAIL=return] files dns\nhosts:dns";
        assert_eq!(nsswitch(before), "# hosts: as usual\npasswd: files systemd\nhosts: files\n");
        assert_eq!(nsswitch(""), "hosts: files\n");
    }
}
