//! A Chromium process for one test.

use std::cell::RefCell;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use super::devtools::DevTools;
use super::tab::Tab;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Lines, Owned};

/// The names under which systems install the browser.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The variant of the browser without windows, which starts in a tenth of the CPU time. All of its tabs count as
/// visible.
const WINDOWLESS: &str = "chromium-headless-shell";

/// The browser's options: it runs without a sandbox, because root cannot use Chromium's sandbox, and without features
/// that contact servers.
const OPTIONS: [&str; 17] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-breakpad",
    "--disable-extensions",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-ipc-flooding-protection",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    "--remote-debugging-port=0",
];

/// Runs the browser until stdin ends, which happens even if the test is killed. The shell then ends the whole process
/// group.
const GUARD: &str = "\"$@\" </dev/null & exec 2>/dev/null; read -r _; kill -s KILL -- -$$";

/// A browser that ends with the test.
pub(super) struct Browser {
    process: Owned,
    devtools: RefCell<DevTools>,
    /// The directory for everything that the browser writes.
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser. If Chromium is not installed, reports that the test is skipped and returns `None`.
    pub(super) fn start() -> Option<Self> {
        Self::of(installed(&[WINDOWLESS]).or_else(|| installed(&NAMES)))
    }

    /// Like [`Browser::start`], but in this browser, only the tab in front counts as visible.
    pub(super) fn with_hidden_tabs() -> Option<Self> {
        Self::of(installed(&NAMES))
    }

    fn of(program: Option<PathBuf>) -> Option<Self> {
        let Some(program) = program else {
            skipped(Need::Browser, format_args!("Chromium is not installed ({})", NAMES.join(", ")));
            return None;
        };
        let profile = tempfile::tempdir().expect("a directory");
        let mut command = Command::new("sh");
        command
            .args(["-c", GUARD, "sh"])
            .arg(program)
            .args(OPTIONS)
            .arg(option("--user-data-dir=", profile.path()))
            .arg("about:blank");
        command
            .env("HOME", profile.path())
            .env("XDG_CONFIG_HOME", profile.path())
            .env("XDG_CACHE_HOME", profile.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut process = command.start().expect("the browser starts");
        let address = address(process.stderr.take().expect("piped"));
        let devtools = RefCell::new(DevTools::connect(&address));
        Some(Self { process, devtools, _profile: profile })
    }

    /// Opens an empty tab.
    pub(super) fn tab(&self) -> Tab<'_> {
        Tab::open(&self.devtools)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.process);
        // An error means that the whole group has already ended.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.process.wait();
    }
}

/// The browser's program, if one is installed under one of `names`.
fn installed(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name))).find(|program| program.is_file())
}

fn option(name: &str, path: &std::path::Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Waits until the browser prints its DevTools address to `stderr`, and keeps draining its output.
fn address(stderr: ChildStderr) -> String {
    let mut lines = Lines::new(stderr);
    let line = lines.hear("DevTools listening on ");
    let (_, address) = line.trim_end().split_once("DevTools listening on ").expect("heard");
    lines.ignore_the_rest();
    address.to_owned()
}
