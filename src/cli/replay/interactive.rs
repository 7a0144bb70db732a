//! `replay -i`: games on the whole screen.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::base::console;
use crate::base::sanitise::{quoted, sanitised};
use crate::cli::colour::style_for;
use crate::cli::on_screen::{exit_of, screen_look};
use crate::cli::{CommandResult, Failure, print, settings};
use crate::exact::threads::threads_or_two;
use crate::practice::viewer::{GameBrowser, GameLibrary};

/// Shows the games in `paths`, and then prints the commands that the person has kept. If `with_stderr`, the bots'
/// stderr is visible from the beginning.
pub(super) fn browse(paths: &[PathBuf], with_stderr: bool) -> CommandResult {
    if paths.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::usage(anyhow!(
            "`replay -i -` would read the log from stdin, which is needed for the keys"
        )));
    }
    if !std::io::stdin().is_terminal() || !console::stream().is_terminal() {
        return Err(Failure::usage(anyhow!("{}", without_terminal(paths))));
    }
    let browser = GameBrowser::new(GameLibrary::read(paths)?, threads_or_two(settings::threads(None)))?;
    let browser = if with_stderr { browser.with_stderr() } else { browser };
    let (kept, end) = browser.show(screen_look(style_for(&console::stream())))?;
    for command in kept {
        print(sanitised(&command) + "\n")?;
    }
    Ok(exit_of(end))
}

/// The message about a missing terminal, which names a command that shows games without one.
fn without_terminal(paths: &[PathBuf]) -> String {
    let shown = |path: &PathBuf| sanitised(&quoted(&path.to_string_lossy()));
    let command = match paths {
        [log] if !log.is_dir() => format!("`gothello-arena replay {}` prints the boards", shown(log)),
        _ => "`gothello-arena replay LOG` prints the boards of one game".to_owned(),
    };
    format!("`replay -i` needs a terminal, but stdin or stdout is not one: {command}")
}
