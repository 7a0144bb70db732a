//! What a child writes. Up to a cap, the beginning and the end are kept.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::task::JoinHandle;

use crate::base::time::{Instant, timeout_at};

/// Captured output. If it exceeds the cap, the middle is missing, and the text says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    cut: u64,
}

impl Captured {
    fn push(&mut self, bytes: &[u8], cap: usize) {
        let room = (cap / 2).saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(cap - cap / 2);
        self.tail.drain(..over);
        self.cut += over as u64;
    }

    /// How many bytes were written, including those that were cut out.
    pub fn written(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.cut
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// What was written, with a note where a part was cut out.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        if self.cut > 0 {
            bytes.extend_from_slice(format!("\n[... {} bytes cut ...]\n", self.cut).as_bytes());
        }
        bytes.extend(&self.tail);
        bytes
    }

    /// The same as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

/// How many bytes the outputs of one child may hold together, and what ends the child after that.
#[derive(Clone)]
pub(super) struct Bound {
    most: u64,
    written: Arc<AtomicU64>,
    end: Arc<dyn Fn() + Send + Sync>,
}

impl Bound {
    /// Calls `end` when more than `most` bytes have been written.
    pub(super) fn new(most: u64, end: impl Fn() + Send + Sync + 'static) -> Self {
        Self { most, written: Arc::default(), end: Arc::new(end) }
    }

    /// How many bytes were written, if they exceed the limit.
    pub(super) fn exceeded(&self) -> Option<u64> {
        let written = self.written.load(Relaxed);
        (written > self.most).then_some(written)
    }

    /// Counts `bytes` more. Returns whether the total is still within the limit.
    fn add(&self, bytes: usize) -> bool {
        self.written.fetch_add(bytes as u64, Relaxed);
        let holds = self.exceeded().is_none();
        if !holds {
            (self.end)();
        }
        holds
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("most", &self.most).field("written", &self.written).finish_non_exhaustive()
    }
}

/// A task that reads a pipe to its end, so that the child never waits for the arena.
#[derive(Debug)]
struct Capture {
    captured: Arc<Mutex<Captured>>,
    task: JoinHandle<()>,
}

impl Capture {
    /// Starts to read `pipe` until `bound` is exceeded, and keeps `cap` bytes.
    fn start(mut pipe: impl AsyncRead + Unpin + Send + 'static, cap: usize, bound: Bound) -> Self {
        let captured = Arc::new(Mutex::new(Captured::default()));
        let shared = Arc::clone(&captured);
        let task = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
                shared.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..read], cap);
                if !bound.add(read) {
                    return;
                }
            }
        });
        Self { captured, task }
    }

    /// What was written until the pipe's end, or until `deadline`.
    async fn finish(capture: Option<Self>, deadline: Instant) -> Captured {
        let Some(Self { captured, mut task }) = capture else { return Captured::default() };
        if timeout_at(deadline, &mut task).await.is_err() {
            task.abort();
        }
        std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a child writes to stdout, unless that is its connection, and to stderr.
#[derive(Debug)]
pub(super) struct CapturedOutputs {
    stdout: Option<Capture>,
    stderr: Option<Capture>,
    bound: Bound,
}

impl CapturedOutputs {
    /// Starts to read both pipes until together they exceed `bound`, and keeps `cap` bytes of each.
    pub(super) fn capture(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>, cap: usize, bound: Bound) -> Self {
        let stdout = stdout.map(|pipe| Capture::start(pipe, cap, bound.clone()));
        let stderr = stderr.map(|pipe| Capture::start(pipe, cap, bound.clone()));
        Self { stdout, stderr, bound }
    }

    /// How many bytes were written, if they exceed the limit.
    pub(super) fn exceeded(&self) -> Option<u64> {
        self.bound.exceeded()
    }

    /// What was written to stdout and stderr until the ends of the pipes, or until `deadline`.
    pub(super) async fn finish(self, deadline: Instant) -> (Captured, Captured) {
        (Capture::finish(self.stdout, deadline).await, Capture::finish(self.stderr, deadline).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_the_cap_the_middle_is_cut_and_marked() {
        let mut captured = Captured::default();
        for chunk in ["first ", "second ", "third ", "last"] {
            captured.push(chunk.as_bytes(), 10);
        }
        assert_eq!(captured.text(), "first\n[... 13 bytes cut ...]\n last");
        assert_eq!(captured.written(), "first second third last".len() as u64);
    }

    #[test]
    fn up_to_the_cap_all_is_kept() {
        let mut captured = Captured::default();
        captured.push(b"0123", 10);
        captured.push(b"456789", 10);
        assert_eq!(captured.text(), "0123456789");
    }
}
