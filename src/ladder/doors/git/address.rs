//! The addresses of repositories, and the names of branches. Everything that `git` could interpret as something else is
//! refused.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

use crate::base::digits::parse_digits;

/// The address of a repository: `https://`, `ssh://`, or `http://` on this machine's loopback.
///
/// Invariant: the address contains only printable ASCII characters, no user or password except for a user of `ssh`, and
/// neither the host nor the path begins with `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitAddress {
    scheme: GitScheme,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GitScheme {
    Https,
    Ssh,
    Http,
}

/// Why a string is not the address of a repository that a ladder can read. The messages do not contain the address,
/// since it may include a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum WrongGitAddress {
    /// The address has another scheme, or none.
    #[error("must begin with `https://` or `ssh://`")]
    Scheme,
    /// The address names a directory on this machine.
    #[error("must begin with `https://` or `ssh://`: use `folder` for a directory on this machine")]
    Local,
    /// The address is in the short form of `ssh`.
    #[error("must include the scheme: `ssh://git@HOST/PATH` instead of `git@HOST:PATH`")]
    ShortSsh,
    /// `http` would send everything, including any token, unencrypted.
    #[error(
        "may begin with `http://` only if the host is this machine (127.0.0.1, [::1] or localhost): use `https://`"
    )]
    Clear,
    /// Secrets do not belong in a tournament file.
    #[error(
        "must not contain a user name or password: put a token into a file with mode 0600, and name that file \
         in `git_token_file`"
    )]
    Secret,
    /// The host is missing or invalid.
    #[error("does not contain a valid host")]
    Host,
    /// The path is missing or invalid.
    #[error("does not contain a valid path to a repository")]
    Path,
}

impl GitAddress {
    /// Whether the repository is read over `ssh`.
    pub(crate) fn is_ssh(&self) -> bool {
        self.scheme == GitScheme::Ssh
    }

    /// The address, in the form that `git` reads.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The only protocol that `git` may use.
    pub(super) const fn protocol(&self) -> &'static str {
        match self.scheme {
            GitScheme::Https => "https",
            GitScheme::Ssh => "ssh",
            GitScheme::Http => "http",
        }
    }
}

impl fmt::Display for GitAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for GitAddress {
    type Err = WrongGitAddress;

    fn from_str(text: &str) -> Result<Self, WrongGitAddress> {
        let is_local = text.starts_with(['/', '.', '~']) || text.starts_with("file:");
        let Some((scheme, rest)) = text.split_once("://") else {
            let is_short =
                text.split_once(':').is_some_and(|(host, path)| host.contains('@') && !path.starts_with(':'));
            return Err(if is_local {
                WrongGitAddress::Local
            } else if is_short {
                WrongGitAddress::ShortSsh
            } else {
                WrongGitAddress::Scheme
            });
        };
        let scheme = match scheme {
            "https" => GitScheme::Https,
            "ssh" => GitScheme::Ssh,
            "http" => GitScheme::Http,
            "file" => return Err(WrongGitAddress::Local),
            _ => return Err(WrongGitAddress::Scheme),
        };
        let (authority, path) = rest.split_once('/').ok_or(WrongGitAddress::Path)?;
        let host = match authority.rsplit_once('@') {
            Some((user, host)) if scheme == GitScheme::Ssh && is_user(user) => host,
            Some(_) => return Err(WrongGitAddress::Secret),
            None => authority,
        };
        if !is_host_and_port(host) {
            return Err(WrongGitAddress::Host);
        }
        let is_fit = |byte: u8| byte.is_ascii_graphic() && !b"\"'\\`<>#?".contains(&byte);
        if path.is_empty() || path.starts_with(['-', '/']) || !path.bytes().all(is_fit) {
            return Err(WrongGitAddress::Path);
        }
        if scheme == GitScheme::Http && !is_loopback(host) {
            return Err(WrongGitAddress::Clear);
        }
        Ok(Self { scheme, text: text.to_owned() })
    }
}

/// Whether `user` is a plain user name, without a password.
fn is_user(user: &str) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !user.is_empty() && !user.starts_with('-') && user.bytes().all(is_fit)
}

/// The host in `HOST` or `HOST:PORT`, without the port, and whether the port is valid.
fn without_port(host: &str) -> (&str, bool) {
    let after_host = if host.starts_with('[') { host.find(']').map_or(host.len(), |end| end + 1) } else { 0 };
    match host[after_host..].find(':') {
        None => (host, true),
        Some(colon) => {
            let (name, port) = host.split_at(after_host + colon);
            (name, parse_digits(&port[1..]).is_some_and(|port| (1..=u64::from(u16::MAX)).contains(&port)))
        }
    }
}

/// Whether `host` is `HOST` or `HOST:PORT`, where `HOST` is an IPv6 address in brackets, or a name or an IPv4 address. A
/// name may end in a dot, as a complete domain name does, but does not begin with a hyphen, which would make it an
/// option of `ssh`.
fn is_host_and_port(host: &str) -> bool {
    let (name, has_valid_port) = without_port(host);
    let is_address = || {
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
    };
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_name = || !name.is_empty() && !name.starts_with(['-', '.']) && name.bytes().all(is_fit);
    has_valid_port && (is_address() || is_name())
}

/// Whether `host`, possibly with a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let (name, _) = without_port(host);
    let inner = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || inner.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The name of a branch.
///
/// Invariant: the name follows the rules of `git check-ref-format --branch`, and cannot be mistaken for an option or a
/// pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchName(String);

/// The error for a string that is not the name of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("is not a valid branch name, such as `main`")]
pub(crate) struct WrongBranch;

impl BranchName {
    /// The full name of the branch's reference.
    pub(super) fn reference(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for BranchName {
    type Err = WrongBranch;

    fn from_str(text: &str) -> Result<Self, WrongBranch> {
        const LONGEST: usize = 200;
        let is_fit = |c: char| !c.is_control() && !c.is_whitespace() && !"~^:?*[\\\"'`".contains(c);
        let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && part.strip_suffix(".lock").is_none();
        let is_name = text.len() <= LONGEST
            && text.chars().all(is_fit)
            && text.split('/').all(is_part)
            && !text.starts_with('-')
            && !text.ends_with('.')
            && !text.contains("..")
            && !text.contains("@{")
            && text != "@"
            && text.chars().all(|c| !crate::base::sanitise::is_unprintable(c));
        if is_name { Ok(Self(text.to_owned())) } else { Err(WrongBranch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_ssh_and_loopback_are_addresses() {
        use WrongGitAddress::{Clear, Host, Local, Path, Scheme, Secret, ShortSsh};

        for good in [
            "https://git.example/bo/bot.git",
            "https://git.example:8443/~bo/bot",
            "https://[2001:db8::1]/bot.git",
            "ssh://git@git.example/bo/bot.git",
            "ssh://git.example:2222/bot",
            "http://127.0.0.1:8080/bot.git",
            "http://localhost/bot.git",
            "http://[::1]:1/bot.git",
        ] {
            assert_eq!(good.parse::<GitAddress>().map(|address| address.text), Ok(good.to_owned()));
        }
        for (wrong, why) in [
            ("file:///etc/bot.git", Local),
            ("/srv/bot.git", Local),
            ("../bot.git", Local),
            ("file:bot", Local),
            ("ext::sh -c touch% /tmp/pwned", Scheme),
            ("ext::sh://-c/x", Scheme),
            ("git://git.example/bot.git", Scheme),
            ("HTTPS://git.example/bot.git", Scheme),
            ("ftp://git.example/bot.git", Scheme),
            ("", Scheme),
            ("bot", Scheme),
            ("-u./payload", Scheme),
            ("--upload-pack=touch /tmp/x", Scheme),
            ("git@git.example:bo/bot.git", ShortSsh),
            ("http://git.example/bot.git", Clear),
            ("http://127.0.0.1.evil.example/bot.git", Clear),
            ("http://localhost.evil.example/x", Clear),
            ("https://bo:secret@git.example/bot.git", Secret),
            ("https://token@git.example/bot.git", Secret),
            ("ssh://git:secret@git.example/bot.git", Secret),
            ("ssh://-oProxyCommand=x@git.example/bot.git", Secret),
            ("http://127.0.0.1@evil.example/x", Secret),
            ("ssh://-oProxyCommand=touch/x", Host),
            ("https:///bot.git", Host),
            ("https://git.example:0/bot.git", Host),
            ("https://git.example:99999/bot.git", Host),
            ("https://git.example:+80/bot.git", Host),
            ("http://127.0.0.1:+80/bot.git", Host),
            ("https://git.example:/bot.git", Host),
            ("https://git .example/bot.git", Host),
            ("https://[::1/bot.git", Host),
            ("https://git.example", Path),
            ("https://git.example/", Path),
            ("ssh://git.example/-u/payload", Path),
            ("https://git.example//etc", Path),
            ("https://git.example/a b", Path),
            ("https://git.example/a\nb", Path),
            ("https://git.example/a\u{202e}b", Path),
            ("https://git.example/a?b=c", Path),
        ] {
            assert_eq!(wrong.parse::<GitAddress>(), Err(why), "{wrong}");
        }
    }

    #[test]
    fn a_branch_is_a_name_and_no_option_or_pattern() {
        for good in ["main", "v1.2", "team/ada", "größer", "a-b_c"] {
            assert!(good.parse::<BranchName>().is_ok(), "{good}");
        }
        for wrong in [
            "",
            "-u",
            "--all",
            "a..b",
            "a b",
            "a:b",
            "a*",
            "a?",
            "a[",
            "a\\b",
            "a^",
            "a~1",
            "@",
            "a@{1}",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "a\nb",
            "a\u{7f}",
            "a\u{200b}",
            &"a".repeat(201),
        ] {
            assert_eq!(wrong.parse::<BranchName>(), Err(WrongBranch), "{wrong}");
        }
    }
}
