//! Runs the tests that the Python package in python/ contains.

use std::path::Path;
use std::process::{Command, Output};

use crate::harness::arena::{program, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// Runs Python in `dir`; reports the test as skipped if numpy is not installed.
pub(crate) fn with_numpy(dir: &Path, words: &[&str]) -> Option<Output> {
    let has_numpy = Command::new("python3").args(["-c", "import numpy"]).output_in_time();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        skipped(Need::Numpy, "it is not installed");
        return None;
    }
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut command = Command::new("python3");
    command.args(words).current_dir(dir).env("PYTHONPATH", python).env("GOTHELLO_ARENA", program());
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("XDG_CACHE_HOME", dir.join("cache"));
    Some(command.output_in_time().expect("python3 starts"))
}

#[test]
fn the_python_package_knows_the_rules_and_the_values() {
    let dir = tempfile::tempdir().expect("a directory");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/tests");
    let words = ["-m", "unittest", "discover", tests.to_str().expect("a plain path")];
    let Some(output) = with_numpy(dir.path(), &words) else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
}
