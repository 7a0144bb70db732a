//! The one place that prints: data on stdout, everything else on stderr.
//!
//! It is not an error if the reader is gone. Reading stderr is optional, so writing to it never fails. The reader of
//! stdout, such as `head` or a terminal, may go away before all data has been written; only other failures, such as a
//! full disk, are errors.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use rustix::termios::tcgetwinsize;

use crate::base::hyperlink::{file_uri, link, link_within};
use crate::base::machine;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::wrapping::{styled, wrapped};

/// Which of stdout and stderr show colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColouredStreams {
    /// Whether stdout shows colours.
    pub stdout: bool,
    /// Whether stderr shows colours.
    pub stderr: bool,
}

/// The colours of this process's streams, which the program decides once, before it prints anything.
static COLOURED: OnceLock<ColouredStreams> = OnceLock::new();

/// The ANSI codes of errors and forfeits.
pub const RED: &str = "1;31";
/// The ANSI codes of warnings.
pub const YELLOW: &str = "1;33";
/// The ANSI code of winners.
pub const BOLD: &str = "1";
/// The ANSI codes of the program's name before a note, and of the word before a hint.
const DIM: &str = "2";
const GREEN: &str = "32";

/// Sets which streams show colours. `is_coloured` decides for each stream, given whether it is a terminal. Only the
/// first call has an effect; until then, no stream shows colours.
pub fn set_colours(is_coloured: impl Fn(bool) -> bool) {
    // A second decision could contradict output that has already been printed.
    let _ = COLOURED
        .set(ColouredStreams { stdout: is_coloured(stdout().is_terminal()), stderr: is_coloured(has_terminal()) });
}

/// Returns which streams show colours.
pub fn colours() -> ColouredStreams {
    COLOURED.get().copied().unwrap_or_default()
}

/// Whether paths are links on streams that are terminals.
static HAS_LINKS: AtomicBool = AtomicBool::new(false);

/// Sets whether paths are links on streams that are terminals; at first, they are not.
pub fn set_links(has_links: bool) {
    HAS_LINKS.store(has_links, Ordering::Relaxed);
}

/// Returns the URI of `path` for links on `stream`; `None` if the stream does not show links.
fn uri_on(stream: &impl IsTerminal, path: &Path) -> Option<String> {
    if !HAS_LINKS.load(Ordering::Relaxed) || !stream.is_terminal() {
        return None;
    }
    // A path that is not absolute depends on a directory, which may have been deleted.
    Some(file_uri(&machine::name()?, &std::path::absolute(path).ok()?))
}

/// Returns `label` for stdout: a link to `path` if stdout shows links. Nothing in `label` may control a terminal.
pub fn path_as(label: &str, path: &Path) -> String {
    uri_on(&stdout(), path).map_or_else(|| label.to_owned(), |uri| link(&uri, label))
}

/// Returns `text` for stdout, with `path` between back-quotes as a link if stdout shows links.
pub fn linking(text: &str, path: &Path) -> String {
    uri_on(&stdout(), path).map_or_else(|| text.to_owned(), |uri| link_within(text, &path.shown(), &uri))
}

/// Prints `message` on stderr, prefixed with the program's name.
pub fn note(message: impl Display) {
    marked(DIM, "gothello-arena:", &message.to_string(), None);
}

/// Prints `message` like [`note`]. If stderr shows links, `path` between back-quotes becomes one.
pub fn note_of(path: &Path, message: impl Display) {
    marked(DIM, "gothello-arena:", &message.to_string(), Some(path));
}

/// Whether the user wants details.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

/// Sets whether [`detail`] prints anything; at first, it does not.
pub fn set_verbose(is_verbose: bool) {
    IS_VERBOSE.store(is_verbose, Ordering::Relaxed);
}

/// Prints `message` like [`note`] if the user wants details.
pub fn detail(message: impl Display) {
    if IS_VERBOSE.load(Ordering::Relaxed) {
        note(message);
    }
}

/// Prints `message` like [`note_of`] if the user wants details.
pub fn detail_of(path: &Path, message: impl Display) {
    if IS_VERBOSE.load(Ordering::Relaxed) {
        note_of(path, message);
    }
}

/// Prints `message` on stderr as a warning.
pub fn warn(message: impl Display) {
    marked(YELLOW, "warning:", &message.to_string(), None);
}

/// Prints `message` like [`warn`]. If stderr shows links, `path` between back-quotes becomes one.
pub fn warn_of(path: &Path, message: impl Display) {
    marked(YELLOW, "warning:", &message.to_string(), Some(path));
}

/// Prints `message` on stderr as an error, in the same format as errors of the command line. `hint` suggests what the
/// user can do next.
pub fn error(message: impl Display, hint: Option<&str>) {
    marked(RED, "error:", &message.to_string(), None);
    if let Some(hint) = hint {
        to_stderr("\n");
        marked(GREEN, "  tip:", hint, None);
    }
}

/// Prints `message` on stderr after the word `mark`, which has the colour `ansi`. The message may have several lines.
/// In the message, `path` is a link if stderr shows links.
fn marked(ansi: &str, mark: &str, message: &str, path: Option<&Path>) {
    let (first, rest) = message.split_once('\n').map_or((message, None), |(first, rest)| (first, Some(rest)));
    let first = styled_line(&[(ansi, mark), ("", &format!(" {first}"))]);
    let text = first + "\n" + &rest.map(printable).unwrap_or_default();
    // The text has already been wrapped, so the invisible part of the link does not affect where lines end.
    let linked = path.and_then(|path| Some(link_within(&text, &path.shown(), &uri_on(&stderr(), path)?)));
    to_stderr(&linked.unwrap_or(text));
}

/// Returns one line for stderr, with each part in its ANSI codes if stderr shows colours. The line contains nothing
/// that could control a terminal or a CI server and, on a terminal, is wrapped at its width.
pub fn styled_line(parts: &[(&str, &str)]) -> String {
    let parts: Vec<(&str, String)> = parts.iter().map(|(ansi, text)| (*ansi, sanitised(text))).collect();
    styled(&parts, columns(), colours().stderr)
}

/// Prints `text` on stderr, followed by a line break. Anything that could control a terminal or a CI server is escaped
/// in each line.
pub fn say(text: impl Display) {
    to_stderr(&printable(&text.to_string()));
}

/// Returns the lines of `text` as they are printed on stderr: without anything that could control a terminal or a CI
/// server and, on a terminal, wrapped at its width. Each line ends with a line break.
pub fn printable(text: &str) -> String {
    let width = columns();
    let lines = text.split('\n').map(sanitised);
    lines.map(|line| width.map_or_else(|| line.clone(), |width| wrapped(&line, width)) + "\n").collect()
}

/// Returns the width of the terminal on stderr; `None` if stderr is not a terminal, or if the terminal does not report
/// its width.
pub fn columns() -> Option<usize> {
    let size = if has_terminal() { tcgetwinsize(stderr()).ok()? } else { return None };
    Some(usize::from(size.ws_col)).filter(|&width| width > 0)
}

/// Returns the rows and columns of the terminal on stdout; `None` if stdout is not a terminal, or if it does not report
/// them.
pub fn screen() -> Option<(usize, usize)> {
    let size = if stdout().is_terminal() { tcgetwinsize(stdout()).ok()? } else { return None };
    let screen = (usize::from(size.ws_row), usize::from(size.ws_col));
    (screen.0 > 0 && screen.1 > 0).then_some(screen)
}

/// Returns the width of the terminal on stdout; `None` if stdout is not a terminal.
pub fn data_columns() -> Option<usize> {
    /// The width of a terminal that does not report its width.
    const USUAL: usize = 80;
    stdout().is_terminal().then(|| screen().map_or(USUAL, |(_, columns)| columns))
}

/// Prints whole lines on stderr, unchanged, such as workflow commands and text with colours. Any untrusted text in
/// them must already be sanitised.
pub fn whole_lines(lines: &str) {
    to_stderr(lines);
}

/// Returns whether stderr is a terminal, on which one line can replace another.
pub fn has_terminal() -> bool {
    stderr().is_terminal()
}

/// Whether the last line of the terminal on stderr was printed by [`status`].
static HAS_STATUS: AtomicBool = AtomicBool::new(false);

/// Replaces the last line of the terminal on stderr with `line`, which stays until the next call, the next line on
/// stderr, or [`clear_status`].
pub fn status(line: impl Display) {
    HAS_STATUS.store(true, Ordering::Relaxed);
    write_stderr(&format!("\r{}\x1b[K", sanitised(&line.to_string())));
}

/// Removes the line that [`status`] left behind, if it is still there.
pub fn clear_status() {
    to_stderr("");
}

/// Saves the title of the window of the terminal on stderr.
pub fn save_title() {
    to_stderr("\x1b[22;0t");
}

/// Sets the title of the window of the terminal on stderr.
pub fn set_title(title: &str) {
    to_stderr(&format!("\x1b]0;{}\x07", sanitised(title)));
}

/// Restores the title that [`save_title`] saved.
pub fn restore_title() {
    to_stderr("\x1b[23;0t");
}

/// Prints `data` on stdout, unchanged.
///
/// # Errors
/// Returns an error if `data` could not be written, unless the reader is gone.
pub fn data(data: impl AsRef<[u8]>) -> io::Result<()> {
    let mut stdout = stdout().lock();
    unless_gone(stdout.write_all(data.as_ref()).and_then(|()| stdout.flush()), ())
}

/// Calls `write` with stdout. Returns its value, or `gone` if the reader went away before the end.
///
/// # Errors
/// Returns the errors of `write`, except those that mean that the reader is gone.
pub fn data_with<T>(gone: T, write: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<T>) -> io::Result<T> {
    let mut stdout = stdout().lock();
    let written = write(&mut stdout).and_then(|value| stdout.flush().map(|()| value));
    unless_gone(written, gone)
}

/// Returns stdout as one end of a protocol, where it matters whether the other end is still there.
pub fn stream() -> io::StdoutLock<'static> {
    stdout().lock()
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that prints")]
fn stdout() -> io::Stdout {
    io::stdout()
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that prints")]
fn stderr() -> io::Stderr {
    io::stderr()
}

/// Writes `text` on stderr, in place of the line that [`status`] left behind, if there is one.
fn to_stderr(text: &str) {
    if HAS_STATUS.swap(false, Ordering::Relaxed) {
        write_stderr(&format!("\r\x1b[K{text}"));
    } else if !text.is_empty() {
        write_stderr(text);
    }
}

/// Writes `text` in one call, so that the lines of several processes on one stderr do not mix.
fn write_stderr(text: &str) {
    // Reading stderr is optional, and there is no other place to report the error.
    let _ = stderr().lock().write_all(text.as_bytes());
}

/// Returns `written`, or `gone` if writing failed because the reader of stdout is gone.
fn unless_gone<T>(written: io::Result<T>, gone: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(gone),
        // For a terminal that was closed, the kernel returns EIO. For a file, EIO means a broken disk.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) && is_device() => Ok(gone),
        written => written,
    }
}

/// Returns whether stdout is a device, as terminals are. A closed terminal no longer reports that it is a terminal.
fn is_device() -> bool {
    fstat(stdout()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice)
}
