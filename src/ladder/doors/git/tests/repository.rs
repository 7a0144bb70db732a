//! A Git repository.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// A working directory and the bare repository to which it is pushed.
pub(super) struct Repository {
    pub(super) dir: TempDir,
}

impl Repository {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let repository = Self { dir };
        fs::create_dir(repository.work()).expect("made");
        repository.git(&["init", "--quiet", "--bare", "-b", "main", "../bot.git"]);
        repository.git(&["init", "--quiet", "-b", "main"]);
        repository
    }

    pub(super) fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.work()).env_clear().env("PATH", std::env::var_os("PATH").expect("a path"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("HOME", self.dir.path());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "bo").env(format!("GIT_{role}_EMAIL"), "bo@example.org");
        }
        let output = command.output().expect("git is installed");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().expect("one")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Commits and pushes all changes. Returns the commit.
    pub(super) fn push(&self) -> String {
        self.git(&["add", "--all", "--force"]);
        self.commit()
    }

    pub(super) fn commit(&self) -> String {
        self.git(&["commit", "--quiet", "--message", "x"]);
        self.git(&["push", "--quiet", "../bot.git", "HEAD:main"]);
        self.git(&["rev-parse", "HEAD"])
    }
}
