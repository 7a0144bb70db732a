//! The one place that prints: data on stdout, everything else on stderr.
//!
//! A reader that has gone is no failure. Nobody has to read stderr at all, so nothing that is said there can fail. Data
//! on stdout may lose its reader, such as `head` or a terminal that was closed, but a disk that is full is an error.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};

use rustix::fs::{FileType, fstat};
use rustix::io::Errno;

use crate::base::printable::printable;

/// Says `message` on stderr, behind the name of the program.
pub fn note(message: impl Display) {
    say(format_args!("gothello-arena: {message}"));
}

/// Says `text` on stderr, with a line break at its end. Whatever could steer a terminal is escaped in each of its lines.
pub fn say(text: impl Display) {
    let lines: Vec<String> = text.to_string().split('\n').map(printable).collect();
    to_stderr(&(lines.join("\n") + "\n"));
}

/// Whether stderr is a terminal, on which a line can be replaced by another.
pub fn has_terminal() -> bool {
    stderr().is_terminal()
}

/// Replaces the last line of the terminal on stderr by `line`, which stays until the next one or [`clear_status`].
pub fn status(line: impl Display) {
    to_stderr(&format!("\r{}\x1b[K", printable(&line.to_string())));
}

/// Removes the line that [`status`] left.
pub fn clear_status() {
    to_stderr("\r\x1b[K");
}

/// Prints `data` on stdout, as it is.
///
/// # Errors
/// When it could not be written, unless that is because the reader has gone.
pub fn data(data: impl AsRef<[u8]>) -> io::Result<()> {
    let mut stdout = stdout().lock();
    unless_gone(stdout.write_all(data.as_ref()).and_then(|()| stdout.flush()), ())
}

/// Prints what `write` writes to stdout. Returns what it returned, or `gone` if the reader went before the end.
///
/// # Errors
/// Those of `write`, other than that the reader has gone.
pub fn data_with<T>(gone: T, write: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<T>) -> io::Result<T> {
    let mut stdout = stdout().lock();
    let written = write(&mut stdout).and_then(|value| stdout.flush().map(|()| value));
    unless_gone(written, gone)
}

/// Prints the help that was asked for on stdout, or what is wrong with the command line on stderr.
///
/// # Errors
/// As [`data`], for help; none for what goes to stderr.
pub fn usage(error: &clap::Error) -> io::Result<()> {
    // It knows which of the two streams is right, and whether that shows colours.
    let printed = error.print();
    if error.use_stderr() { Ok(()) } else { unless_gone(printed.and_then(|()| stdout().flush()), ()) }
}

/// Stdout as a stream of a protocol, whose other end matters.
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

/// Writes `text` at once, so that lines of several processes on one stderr do not mix.
fn to_stderr(text: &str) {
    // Nobody has to read it, and there is no other place to complain.
    let _ = stderr().lock().write_all(text.as_bytes());
}

/// `written`, or `gone` where it failed because the reader of stdout has gone.
fn unless_gone<T>(written: io::Result<T>, gone: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(gone),
        // So the kernel calls a terminal that was closed, and for a file it is a broken disk.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) && is_device() => Ok(gone),
        written => written,
    }
}

/// Whether stdout is a device, as terminals are. A terminal that was closed no longer says that it is one.
fn is_device() -> bool {
    fstat(stdout()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice)
}
