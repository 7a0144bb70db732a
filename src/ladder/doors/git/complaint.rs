//! What the failures of `git` mean to a teacher, and what to do about them.

use std::time::Duration;

use thiserror::Error;

use super::address::BranchName;
use super::running::GitFailure;
use super::{GitCredential, GitDoor};
use crate::base::sanitise::sanitised;

/// What `git` was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitTask {
    /// To name the newest commit.
    Poll,
    /// To fetch the newest commit.
    Fetch,
    /// To read the fetched files.
    Read,
}

/// Why a repository cannot be read. All strings are printable.
#[derive(Debug, Error)]
pub(super) enum GitComplaint {
    /// There is no `git`.
    #[error("there is no `git` in `PATH`: install it, and restart the arena")]
    NoGit,
    /// This version of `git` ignores the configuration that makes it safe to use.
    #[error("the `git` in `PATH` is too old to be used safely: install version 2.31 or later, and restart the arena")]
    OldGit,
    /// The file of a credential cannot be used.
    #[error("`{path}` (`git_key` or `git_token_file`): {why}")]
    Secret {
        /// The file.
        path: String,
        /// The reason.
        why: String,
    },
    /// The machine has no room for the files.
    #[error("its files cannot be stored on this machine: {0}")]
    NoRoom(String),
    /// The branch is missing.
    #[error("{}", match .0 {
        Some(branch) => format!("branch `{branch}` does not exist (`branch`)"),
        None => "it is empty: nothing has been pushed yet".to_owned(),
    })]
    NoBranch(Option<BranchName>),
    /// The directory is missing.
    #[error("directory `{0}` does not exist (`subdirectory`)")]
    NoDirectory(String),
    /// The server requires a credential, or a different one.
    #[error("{0}")]
    Denied(&'static str),
    /// The server redirects to another address.
    #[error("its server redirects to another address: use that address instead (`git`)")]
    Redirected,
    /// The server was not reached.
    #[error("its server cannot be reached ({0}): the arena will try again")]
    Unreachable(String),
    /// The key of the host has changed.
    #[error(
        "its host's key has changed: find out why, and then remove this player's file `known_hosts-…` from the \
         ladder's inbox"
    )]
    OtherHost,
    /// The user id of a confined `ssh` has no name.
    #[error(
        "`ssh` does not run under the user ID of a confined program if the arena runs as root: use `https://`, or run \
         the arena as an ordinary user"
    )]
    NoUser,
    /// The server is too slow, or never stops sending.
    #[error("it could not be read within {}: the arena will try again", humantime::format_duration(*.0))]
    Late(Duration),
    /// The repository is too large.
    #[error("its newest commit is too large: the player should commit only what the bot needs")]
    TooLarge,
    /// Anything else.
    #[error("`git` says: {0}")]
    Other(String),
}

/// The complaint that explains `failure`, which must not contain secrets. `git` was given the task `asked` for the
/// repository of `door`.
pub(super) fn explained(failure: &GitFailure, door: &GitDoor, asked: GitTask) -> GitComplaint {
    let text = match failure {
        GitFailure::Machine(why) => return GitComplaint::NoRoom(sanitised(why)),
        GitFailure::Late(after) => return GitComplaint::Late(*after),
        GitFailure::TooLarge => return GitComplaint::TooLarge,
        GitFailure::Refused(text) => text,
    };
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if asked == GitTask::Read {
        return match &door.subdirectory {
            Some(dir) if says(&["Not a valid object name", "not a tree object"]) => {
                GitComplaint::NoDirectory(sanitised(dir.as_str()))
            }
            _ => GitComplaint::Other(last_lines(text)),
        };
    }
    if says(&[
        "could not read Username",
        "could not read Password",
        "Authentication failed",
        "error: 401",
        "error: 403",
    ]) {
        return GitComplaint::Denied(match door.credential {
            GitCredential::TokenFile(_) => {
                "its server refuses the token in `git_token_file`: check that it is valid and grants read access"
            }
            GitCredential::Key(_) | GitCredential::None => {
                "it is private or does not exist: check the address, or put a token for it into a file with mode 0600, \
                 and name that file in `git_token_file`"
            }
        });
    }
    if says(&["Permission denied (", "Could not read from remote repository"]) && says(&["publickey", "no mutual"]) {
        return GitComplaint::Denied(match door.credential {
            GitCredential::Key(_) => {
                "its server refuses the key in `git_key`: add the key's public half as a deploy key"
            }
            GitCredential::TokenFile(_) | GitCredential::None => {
                "its server requires a key: create a deploy key without a passphrase, and name its file (mode 0600) \
                in `git_key`"
            }
        });
    }
    if says(&["No user exists for uid"]) {
        return GitComplaint::NoUser;
    }
    if says(&["REMOTE HOST IDENTIFICATION HAS CHANGED", "Host key verification failed"]) {
        return GitComplaint::OtherHost;
    }
    if says(&["redirect", "error: 301", "error: 302", "error: 307", "error: 308"]) {
        return GitComplaint::Redirected;
    }
    if says(&["not found", "error: 404", "does not appear to be a git repository"]) {
        return GitComplaint::Denied(
            "there is no such repository, or it is private: check the address (`git`), and `git_token_file` or \
             `git_key`",
        );
    }
    let unreachable =
        ["Could not resolve host", "Failed to connect", "Couldn't connect", "Connection refused", "timed out"];
    if says(&unreachable) {
        return GitComplaint::Unreachable(last_lines(text));
    }
    GitComplaint::Other(last_lines(text))
}

/// The last messages in `text`, as one printable line.
fn last_lines(text: &str) -> String {
    const LINES: usize = 3;
    const LONGEST: usize = 400;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("; ");
    let shown: String = sanitised(&last).chars().take(LONGEST).collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, credential: GitCredential, asked: GitTask) -> String {
        let door = GitDoor {
            address: "https://git.example/bo/bot.git".parse().expect("an address"),
            branch: None,
            subdirectory: crate::course::submissions::EntryPath::parse("bot").ok(),
            credential,
        };
        explained(&GitFailure::Refused(text.to_owned()), &door, asked).to_string()
    }

    #[test]
    fn each_failure_says_what_to_do() {
        let key = || GitCredential::Key("keys/bo".into());
        let token = || GitCredential::TokenFile("tokens/bo".into());
        for (text, credential, asked, words) in [
            (
                "fatal: could not read Username for 'https://x'",
                GitCredential::None,
                GitTask::Poll,
                "name that file in `git_token_file`",
            ),
            ("fatal: Authentication failed for 'https://x'", token(), GitTask::Poll, "refuses the token"),
            (
                "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                key(),
                GitTask::Poll,
                "deploy key",
            ),
            ("Permission denied (publickey)", GitCredential::None, GitTask::Poll, "`git_key`"),
            ("fatal: unable to update url base from redirection", GitCredential::None, GitTask::Poll, "redirects"),
            ("The requested URL returned error: 302", GitCredential::None, GitTask::Fetch, "redirects"),
            ("fatal: repository 'https://x/' not found", GitCredential::None, GitTask::Poll, "check the address"),
            ("fatal: unable to access: Could not resolve host: x", GitCredential::None, GitTask::Poll, "try again"),
            (
                "fatal: Not a valid object name refs/heads/arrived:bot",
                GitCredential::None,
                GitTask::Read,
                "`subdirectory`",
            ),
            ("Host key verification failed.", key(), GitTask::Poll, "its host's key has changed"),
            ("No user exists for uid 1735622655", key(), GitTask::Poll, "`https://`"),
            (
                "remote: \u{1b}[31mboo\n\nfatal: odd",
                GitCredential::None,
                GitTask::Fetch,
                "`git` says: remote: \\u{1b}[31mboo; fatal: odd",
            ),
            ("", GitCredential::None, GitTask::Fetch, "`git` says: nothing"),
        ] {
            let told = told(text, credential, asked);
            assert!(told.contains(words), "{text}: {told}");
        }
        assert!(told(&"x".repeat(10_000), GitCredential::None, GitTask::Poll).len() < 500);
    }
}
