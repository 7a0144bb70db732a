//! The one place that prints: data on stdout, everything else on stderr.
//!
//! It is not an error if the reader has gone. Nobody has to read stderr, so writing to it never fails. The reader of
//! stdout, such as `head` or a terminal, may go away before all data has been written; only other failures, such as a
//! full disk, are errors.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};

use rustix::fs::{FileType, fstat};
use rustix::io::Errno;

use crate::base::sanitise::sanitised;

/// Prints `message` on stderr, prefixed with the program's name.
pub fn note(message: impl Display) {
    say(format_args!("gothello-arena: {message}"));
}

/// Prints `text` on stderr, followed by a line break. Anything that could control a terminal or a CI server is escaped
/// in each line.
pub fn say(text: impl Display) {
    let lines: Vec<String> = text.to_string().split('\n').map(sanitised).collect();
    to_stderr(&(lines.join("\n") + "\n"));
}

/// Prints the arena's own workflow commands, which are whole lines, on stderr. Any foreign text in them must already be
/// sanitised.
pub fn workflow_commands(lines: &str) {
    to_stderr(lines);
}

/// Returns whether stderr is a terminal, on which one line can replace another.
pub fn has_terminal() -> bool {
    stderr().is_terminal()
}

/// Replaces the last line of the terminal on stderr with `line`, which stays until the next call or [`clear_status`].
pub fn status(line: impl Display) {
    to_stderr(&format!("\r{}\x1b[K", sanitised(&line.to_string())));
}

/// Removes the line that [`status`] left behind.
pub fn clear_status() {
    to_stderr("\r\x1b[K");
}

/// Prints `data` on stdout, unchanged.
///
/// # Errors
/// Returns an error if `data` could not be written, unless the reader has gone.
pub fn data(data: impl AsRef<[u8]>) -> io::Result<()> {
    let mut stdout = stdout().lock();
    unless_gone(stdout.write_all(data.as_ref()).and_then(|()| stdout.flush()), ())
}

/// Runs `write` on stdout. Returns the value of `write`, or `gone` if the reader went away before the end.
///
/// # Errors
/// Returns the errors of `write`, except those that mean that the reader has gone.
pub fn data_with<T>(gone: T, write: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<T>) -> io::Result<T> {
    let mut stdout = stdout().lock();
    let written = write(&mut stdout).and_then(|value| stdout.flush().map(|()| value));
    unless_gone(written, gone)
}

/// Lets `print` write data on stdout itself, for example in the colours of a terminal.
///
/// # Errors
/// Returns the error of `print`, unless it means that the reader has gone.
pub fn data_by(print: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    unless_gone(print().and_then(|()| stdout().flush()), ())
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

/// Writes `text` in one call, so that the lines of several processes on one stderr do not mix.
fn to_stderr(text: &str) {
    // Nobody has to read stderr, and there is no other place to report the error.
    let _ = stderr().lock().write_all(text.as_bytes());
}

/// Returns `written`, or `gone` if it failed because the reader of stdout has gone.
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
