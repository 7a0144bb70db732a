//! The arguments and the environment of each `git`. The environment is built from scratch: no configuration from the
//! system, the teacher or a repository applies, and the only credential is the one for this repository.

use std::ffi::OsString;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::address::{BranchName, GitAddress};
use super::complaint::GitComplaint;
use super::{GitCredential, private_text};
use crate::course::submissions::EntryPath;

/// The reference to the fetched commit, which is also the path of the reference's file in the store.
pub(super) const FETCHED: &str = "refs/heads/arrived";

/// The names of the files in the store that only `ssh` reads.
pub(super) const KEY_FILE: &str = "deploy_key";
pub(super) const KNOWN_HOSTS: &str = "known_hosts";

/// The credential of one repository, as read from its file.
pub(super) struct GitSecret {
    key: Option<String>,
    /// The value of the header `Authorization`, and all strings that must never be shown.
    header: Option<(String, Vec<String>)>,
}

impl GitSecret {
    /// Reads the file that `credential` names.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if others can read it.
    pub(super) fn read(credential: &GitCredential) -> Result<Self, GitComplaint> {
        const MOST_BYTES: u64 = 64 << 10;
        Ok(match credential {
            GitCredential::None => Self { key: None, header: None },
            GitCredential::Key(path) => {
                let key = format!("{}\n", private_text(path, MOST_BYTES)?.trim_end());
                Self { key: Some(key), header: None }
            }
            GitCredential::TokenFile(path) => {
                let token = private_text(path, MOST_BYTES)?.trim().to_owned();
                // Servers whose tokens do not belong to a user accept this user name.
                let pair = if token.contains(':') { token.clone() } else { format!("x-access-token:{token}") };
                let encoded = STANDARD.encode(&pair);
                let alone = pair.split_once(':').map(|(_, token)| token.to_owned()).unwrap_or_default();
                Self {
                    key: None,
                    header: Some((format!("Authorization: Basic {encoded}"), vec![encoded, token, alone])),
                }
            }
        })
    }

    /// The private key for `ssh`.
    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns `text` with the secrets masked: a hostile server could send them back in a message.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        let secrets = self.header.iter().flat_map(|(_, secrets)| secrets).chain(&self.key);
        secrets.filter(|secret| !secret.is_empty()).fold(text.to_owned(), |text, secret| text.replace(&**secret, "***"))
    }
}

/// The repository to read, and its credential.
#[derive(Clone, Copy)]
pub(super) struct GitSetting<'a> {
    pub(super) address: &'a GitAddress,
    pub(super) secret: &'a GitSecret,
}

impl GitSetting<'_> {
    /// The arguments that make `git` print a configuration key; see [`is_obedient`].
    pub(super) fn test() -> Vec<String> {
        words(&["config", "--default", "", "--get", "protocol.allow"])
    }

    /// The arguments that make `git` name the newest commit of `branch`.
    pub(super) fn poll(self, branch: Option<&BranchName>) -> Vec<String> {
        let reference = branch.map_or_else(|| "HEAD".to_owned(), BranchName::reference);
        words(&["ls-remote", "--quiet", "--", self.address.text(), &reference])
    }

    /// The arguments that make `git` fetch `reference`.
    pub(super) fn fetch(self, reference: &str) -> Vec<String> {
        let mapping = format!("+{reference}:{FETCHED}");
        words(&[
            "fetch",
            "--quiet",
            "--no-progress",
            "--depth=1",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--refmap=",
            "--",
            self.address.text(),
            &mapping,
        ])
    }

    /// The arguments that make `git` list the commit's files in the directory `subdirectory`.
    pub(super) fn list(subdirectory: Option<&EntryPath>) -> Vec<String> {
        let tree = format!("{FETCHED}:{}", subdirectory.map_or("", EntryPath::as_str));
        words(&["ls-tree", "-r", "-z", "--long", "--full-tree", &tree])
    }

    /// The arguments that make `git` print the contents of the objects whose ids are written to its stdin.
    pub(super) fn contents() -> Vec<String> {
        words(&["cat-file", "--batch", "--buffer"])
    }

    /// The whole environment of the `git` at `program`.
    pub(super) fn environment(self, program: &Path) -> Vec<(OsString, OsString)> {
        let mut path = OsString::from("/usr/local/bin:/usr/bin:/bin");
        if let Some(own) = program.parent() {
            path = [own.as_os_str(), ":".as_ref(), &path].into_iter().collect();
        }
        let mut env: Vec<(OsString, OsString)> = vec![("PATH".into(), path)];
        let fixed = [
            ("LC_ALL", "C"),
            ("GIT_DIR", "."),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", "/bin/false"),
            ("SSH_ASKPASS", "/bin/false"),
            ("SSH_ASKPASS_REQUIRE", "never"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_ADVICE", "0"),
            ("GIT_SSH_VARIANT", "ssh"),
        ];
        env.extend(fixed.map(|(name, value)| (name.into(), value.into())));
        env.push(("GIT_SSH_COMMAND".into(), self.ssh().into()));
        let options = self.options();
        env.push(("GIT_CONFIG_COUNT".into(), options.len().to_string().into()));
        for (number, (key, value)) in options.into_iter().enumerate() {
            env.push((format!("GIT_CONFIG_KEY_{number}").into(), key.into()));
            env.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
        }
        env
    }

    /// The configuration. It takes precedence over all other configuration.
    fn options(self) -> Vec<(String, String)> {
        let fixed = [
            ("protocol.allow", "never"),
            ("protocol.version", "2"),
            ("http.followRedirects", "false"),
            // The arena gives up on a server that sends fewer bytes per second than this for this many seconds.
            ("http.lowSpeedLimit", "100"),
            ("http.lowSpeedTime", "30"),
            ("credential.helper", ""),
            ("core.hooksPath", "/dev/null"),
            ("core.attributesFile", "/dev/null"),
            ("core.fsmonitor", "false"),
            ("core.symlinks", "false"),
            ("submodule.recurse", "false"),
            ("fetch.recurseSubmodules", "false"),
            ("fetch.fsckObjects", "true"),
            ("fetch.unpackLimit", "1"),
            ("fetch.writeCommitGraph", "false"),
            ("transfer.bundleURI", "false"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("pack.threads", "1"),
        ];
        let mut options: Vec<(String, String)> =
            fixed.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        options.push((format!("protocol.{}.allow", self.address.protocol()), "always".to_owned()));
        if let Some((header, _)) = &self.secret.header {
            options.push((format!("http.{}.extraHeader", self.address.text()), header.clone()));
        }
        options
    }

    /// The command that runs `ssh`, which likewise has no other configuration. The key of an unknown host is accepted
    /// once.
    fn ssh(self) -> String {
        let mut words = vec!["ssh -F none -T".to_owned()];
        // Without this, `ssh` would try the keys in the home directory of the arena's user.
        words.push(if self.secret.key.is_some() {
            format!("-i ./{KEY_FILE}")
        } else {
            "-o IdentityFile=none".to_owned()
        });
        let options = [
            "BatchMode=yes",
            "IdentitiesOnly=yes",
            "IdentityAgent=none",
            "PreferredAuthentications=publickey",
            "StrictHostKeyChecking=accept-new",
            "UpdateHostKeys=no",
            "ForwardAgent=no",
            "ClearAllForwardings=yes",
            "PermitLocalCommand=no",
            "ProxyCommand=none",
            "ControlMaster=no",
            "ControlPath=none",
            "ConnectTimeout=20",
        ];
        words.extend(options.map(|option| format!("-o {option}")));
        words.push(format!("-o UserKnownHostsFile=./{KNOWN_HOSTS}"));
        words.join(" ")
    }
}

/// Whether `told`, the output of `git` with the arguments [`GitSetting::test`], shows that this `git` obeys the
/// configuration in its environment. Versions before 2.31 ignore that configuration.
pub(super) fn is_obedient(told: &[u8]) -> bool {
    told.trim_ascii() == b"never"
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
