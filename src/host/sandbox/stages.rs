//! The stages of confinement. Each stage is a separate process of this program, with a control socket as its stdin.
//!
//! | room | contents |
//! | --- | --- |
//! | `namespaces` | the first stage in tier B: creates the namespaces, and starts `init` in them |
//! | `init` | pid 1 of the namespaces; the first stage in tier A |
//! | `warden` | the first stage if there are no namespaces |
//! | `enter` | the last steps before every bot: giving up privileges, and becoming the bot |
//!
//! The two programs of the self-test are started in the same way.

mod enter;
mod init;
mod namespaces;
mod warden;

use std::fs;
use std::io;

use super::control_messages::{Failed, InStep, StageReport, send};
use super::self_test::test_program;

/// A stage of confinement. On the command line, it is written as `confine` and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Creates the namespaces in tier B.
    Namespaces,
    /// Becomes pid 1 of the namespaces.
    Init,
    /// Becomes the child subreaper if there are no namespaces.
    Warden,
    /// Started by the warden, becomes the bot.
    Enter,
    /// The test program of the self-test, which runs in place of a bot.
    Test,
    /// The process that the test program tries to reach.
    Neighbour,
}

impl Stage {
    /// The stage called `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "namespaces" => Self::Namespaces,
            "init" => Self::Init,
            "warden" => Self::Warden,
            "enter" => Self::Enter,
            "test" => Self::Test,
            "neighbour" => Self::Neighbour,
            _ => return None,
        })
    }

    /// Runs the stage in this process, which must have no other threads. Returns the exit code.
    pub(crate) fn run(self) -> u8 {
        match self {
            Self::Namespaces => reported(close_inherited().and_then(|()| namespaces::run())),
            Self::Init => reported(init::run().map(|()| 0)),
            Self::Warden => reported(close_inherited().and_then(|()| warden::run()).map(|()| 0)),
            Self::Enter => enter::run(),
            Self::Test => test_program::run(),
            Self::Neighbour => test_program::wait(),
        }
    }
}

/// Closes the descriptors that a stage has inherited, except for its control socket and its outputs. The program
/// that started the arena, such as a shell or an editor, may have leaked open files to the arena, and the bot would
/// inherit them.
fn close_inherited() -> Result<(), Failed> {
    let open = fs::read_dir("/proc/self/fd").step("list the open files")?.flatten();
    let numbers: Vec<i32> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|&number| number > 2) {
        // The descriptor of the directory listing is already closed.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

/// Returns the exit code of a stage that has ended, and reports a failure to the arena.
fn reported(ended: Result<u8, Failed>) -> u8 {
    ended.unwrap_or_else(|failed| {
        // If the report does not reach the arena, the arena still notices that the socket is closed.
        let _ = send(io::stdin(), &StageReport::Failed(failed), &[]);
        1
    })
}
