//! The lines that a person types, read on a thread so that the game can go on in the meantime.

use std::io::{self, BufRead, Read as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The longest line that is read as a whole, in bytes. The rest of a longer line is skipped.
pub(super) const MAX_LINE: u64 = 4096;

/// How many lines are read ahead.
const READ_AHEAD: usize = 16;

/// The next event in a person's input.
#[derive(Debug)]
pub(crate) enum TypedEvent {
    /// A line.
    Line(String),
    /// Nothing yet.
    Nothing,
    /// The end of the input.
    End,
}

/// The lines of an input.
#[derive(Debug)]
pub(crate) struct TypedLines(Receiver<io::Result<String>>);

impl TypedLines {
    /// Begins to read `input`, on a thread that ends with the input or with the program.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(crate) fn of(mut input: impl BufRead + Send + 'static) -> io::Result<Self> {
        let (sender, lines) = mpsc::sync_channel(READ_AHEAD);
        std::thread::Builder::new().name("input".to_owned()).spawn(move || {
            while let Some(line) = next_line(&mut input).transpose() {
                let is_last = line.is_err();
                if sender.send(line).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Self(lines))
    }

    /// The next line, if it comes within `limit`.
    ///
    /// # Errors
    /// Fails if the input does.
    pub(crate) fn next_within(&self, limit: Duration) -> io::Result<TypedEvent> {
        match self.0.recv_timeout(limit) {
            Ok(line) => line.map(TypedEvent::Line),
            Err(RecvTimeoutError::Timeout) => Ok(TypedEvent::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(TypedEvent::End),
        }
    }
}

/// The next line of `input`, truncated to the length of the longest request; `None` at the end.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut part = Vec::new();
    loop {
        part.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut part)? == 0 {
            break;
        }
        if line.is_empty() {
            line.clone_from(&part);
        }
        if part.ends_with(b"\n") {
            break;
        }
    }
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_long_ones_cut_and_then_the_end() {
        let long = "x".repeat(3 * usize::try_from(MAX_LINE).expect("small"));
        let input = io::Cursor::new(format!("c3\n{long}\npass").into_bytes());
        let lines = TypedLines::of(input).expect("a thread");
        let next = || lines.next_within(Duration::from_mins(1)).expect("memory");
        assert!(matches!(next(), TypedEvent::Line(line) if line == "c3\n"));
        assert!(matches!(next(), TypedEvent::Line(line) if line == long[..4096]));
        assert!(matches!(next(), TypedEvent::Line(line) if line == "pass"));
        assert!(matches!(next(), TypedEvent::End));
    }
}
