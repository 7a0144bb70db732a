//! The program that shows output longer than the screen.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use unicode_width::UnicodeWidthStr as _;

use super::print;
use super::settings;
use super::settings::choices::PagerChoice;
use crate::base::console;

/// The exit codes of a shell that could not run the command.
const NOT_RUN: [i32; 2] = [126, 127];

/// What `less` does unless the user's own variable says otherwise: show colours, and leave the text on the screen.
const LESS: &str = "FRX";

/// Whether pagers are used at all.
static PAGES: AtomicBool = AtomicBool::new(true);

/// Sets whether pagers are used at all, for the rest of the process.
pub(super) fn set_pages(pages: bool) {
    PAGES.store(pages, Ordering::Relaxed);
}

/// Prints `text` on stdout: in a pager if stdout is a terminal with fewer rows than the text needs, and the user wants
/// a pager.
///
/// # Errors
/// Returns an error if `text` could not be written, unless the reader has gone.
pub(super) fn show(text: &str) -> anyhow::Result<()> {
    match program_for(text) {
        // If no pager is needed, or if it cannot be run, the text is printed as usual.
        Some(program) if paged(&program, text).is_ok_and(was_run) => Ok(()),
        _ => print(text),
    }
}

/// The pager for `text`; `None` if it needs none.
fn program_for(text: &str) -> Option<String> {
    let is_wanted = PAGES.load(Ordering::Relaxed);
    let (rows, columns) = console::screen().filter(|_| is_wanted)?;
    let variable = |name: &str| std::env::var_os(name);
    let is_dumb = variable("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    let (choice, _) = PagerChoice::chosen(&variable, settings::of_file().pager.as_ref());
    match choice {
        PagerChoice::Program(program) if !is_dumb && height(text, columns) >= rows => Some(program),
        PagerChoice::Program(_) | PagerChoice::Never => None,
    }
}

/// The number of rows that `text` fills on a terminal with this number of `columns`.
fn height(text: &str, columns: usize) -> usize {
    text.lines().map(|line| without_codes(line).width().div_ceil(columns).max(1)).sum()
}

/// `line` without codes that change colours.
fn without_codes(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, text)| text))
}

/// Runs the shell command `program` on `text`, and waits until it ends. Ctrl-C is left to the pager.
fn paged(program: &str, text: &str) -> io::Result<ExitStatus> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let _left_to_the_pager = signal(SignalKind::interrupt())?;
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(program).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", LESS);
        }
        let mut pager = command.spawn()?;
        if let Some(mut stdin) = pager.stdin.take() {
            // A pager may end before it has read everything.
            let _ = stdin.write_all(text.as_bytes()).await;
        }
        pager.wait().await
    })
}

/// Whether the shell could run the pager.
fn was_run(status: ExitStatus) -> bool {
    status.code().is_none_or(|code| !NOT_RUN.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_fill_several_rows_and_colours_none() {
        assert_eq!(height("a\n\nb\n", 10), 3);
        assert_eq!(height("0123456789", 10), 1);
        assert_eq!(height("0123456789a", 10), 2);
        assert_eq!(height("\x1b[1;31m0123456789\x1b[0m", 10), 1);
        assert_eq!(height("●●●●●●", 5), 2);
    }
}
