//! The captured output of a child. The beginning and the end of the output are kept, up to a cap.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::task::JoinHandle;

use super::thought_lines::ThoughtLines;
use crate::base::time::{Instant, timeout_at};
use crate::game::quantum::Mode;
use crate::host::start::Start;
use crate::referee::thought::Thought;

/// Captured output. If it exceeds the cap, the middle is cut out, and the text says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    cut: u64,
    /// The turns of the child that wrote this output: for each turn, its ply and the number of bytes that had been read
    /// when the turn began.
    turns: Vec<(usize, u64)>,
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

    /// The output, with a note in place of any part that was cut out.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        bytes.extend_from_slice(self.note().as_bytes());
        bytes.extend(&self.tail);
        bytes
    }

    /// The note that replaces the part that was cut out, or an empty string.
    fn note(&self) -> String {
        if self.cut == 0 { String::new() } else { format!("\n[... {} bytes cut ...]\n", self.cut) }
    }

    /// The child's turns: for each turn, its ply and the offset in [`Captured::bytes`] at which it begins. A turn that
    /// begins in the part that was cut out begins at the note.
    pub fn turns(&self) -> Vec<(usize, u64)> {
        let (head, note) = (self.head.len() as u64, self.note().len() as u64);
        let kept = |offset: u64| match offset.checked_sub(head) {
            Some(beyond) if beyond >= self.cut => head + note + (beyond - self.cut),
            Some(_) => head,
            None => offset,
        };
        self.turns.iter().map(|&(ply, offset)| (ply, kept(offset))).collect()
    }

    /// This output, followed by `next`, the output of the program for `mode`. If `next` is not empty, a line that names
    /// the mode precedes it.
    #[must_use]
    pub(super) fn followed_by(self, mode: Mode, next: &Self) -> Self {
        let (mut turns, mut head) = (self.turns(), self.bytes());
        if !next.is_empty() {
            if head.last().is_some_and(|&byte| byte != b'\n') {
                head.push(b'\n');
            }
            head.extend_from_slice(format!("[{mode}]\n").as_bytes());
        }
        let (before, last) = (head.len() as u64, turns.last().map_or(0, |&(ply, _)| ply));
        // If the later program has taken over a turn that had begun, the turn began with the previous program.
        turns.extend(next.turns().into_iter().filter(|&(ply, _)| ply > last).map(|(ply, at)| (ply, before + at)));
        head.extend(next.bytes());
        Self { head, tail: VecDeque::new(), cut: 0, turns }
    }

    /// The output as text, with invalid UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

/// How much output a child may write, and how much of it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputLimits {
    /// The number of bytes of each output to keep.
    cap: usize,
    /// The number of bytes that the child may write to both outputs together.
    most: u64,
}

impl OutputLimits {
    /// The limits that `start` sets.
    pub(super) const fn of(start: &Start) -> Self {
        Self { cap: start.output_cap, most: start.resources.output }
    }
}

/// The limit on the total size of a child's outputs, and the function that ends a child that exceeds it.
#[derive(Clone)]
struct Bound {
    most: u64,
    written: Arc<AtomicU64>,
    end: Arc<dyn Fn() + Send + Sync>,
}

impl Bound {
    /// Creates a limit that calls `end` when more than `most` bytes have been written.
    fn new(most: u64, end: impl Fn() + Send + Sync + 'static) -> Self {
        Self { most, written: Arc::default(), end: Arc::new(end) }
    }

    /// The number of written bytes, if it exceeds the limit.
    fn exceeded(&self) -> Option<u64> {
        let written = self.written.load(Relaxed);
        (written > self.most).then_some(written)
    }

    /// Adds `bytes` to the number of written bytes. Returns whether the total is still within the limit.
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

/// The number of turns for which to reserve memory. Few games have more.
const USUAL_TURNS: usize = 64;

/// A task that reads a pipe to its end, so that the child never waits for the arena.
#[derive(Debug)]
struct Capture {
    captured: Arc<Mutex<Captured>>,
    /// How many bytes have been read.
    read: Arc<AtomicU64>,
    /// The turns of the child; see [`Captured::turns`].
    turns: Vec<(usize, u64)>,
    /// The child's reports about its thinking, if this is its stderr.
    thoughts: Option<Arc<Mutex<ThoughtLines>>>,
    task: JoinHandle<()>,
}

impl Capture {
    /// Starts to read `pipe`, until its end or until `bound` is exceeded. Keeps `cap` bytes of the output. Also
    /// collects `thoughts`, if given.
    fn start(
        mut pipe: impl AsyncRead + Unpin + Send + 'static,
        cap: usize,
        bound: Bound,
        thoughts: Option<Arc<Mutex<ThoughtLines>>>,
    ) -> Self {
        let captured = Arc::new(Mutex::new(Captured::default()));
        let shared = Arc::clone(&captured);
        let read: Arc<AtomicU64> = Arc::default();
        let so_far = Arc::clone(&read);
        let lines = thoughts.clone();
        let task = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
                shared.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..read], cap);
                if let Some(lines) = &lines {
                    lines.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..read]);
                }
                so_far.fetch_add(read as u64, Relaxed);
                if !bound.add(read) {
                    return;
                }
            }
        });
        Self { captured, read, turns: Vec::with_capacity(USUAL_TURNS), thoughts, task }
    }

    /// Notes that the turn at `ply` begins.
    fn begin_turn(&mut self, ply: usize) {
        self.turns.push((ply, self.read.load(Relaxed)));
        if let Some(lines) = &self.thoughts {
            lines.lock().unwrap_or_else(PoisonError::into_inner).begin_turn(ply);
        }
    }

    /// Waits until `deadline` for the end of the pipe, then returns the output so far, and the thoughts in it with
    /// their plies.
    async fn finish(capture: Option<Self>, deadline: Instant) -> (Captured, Vec<(usize, Thought)>) {
        let Some(Self { captured, turns, thoughts, mut task, .. }) = capture else {
            return <(Captured, Vec<_>)>::default();
        };
        if timeout_at(deadline, &mut task).await.is_err() {
            task.abort();
        }
        let captured = std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner));
        let lines = thoughts.map(|lines| std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner)));
        (Captured { turns, ..captured }, lines.map(ThoughtLines::finish).unwrap_or_default())
    }
}

/// The outputs of a child that has ended.
pub(super) struct FinishedOutputs {
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
    /// The child's reports about its thinking: the last line in each of its turns, with the turn's ply.
    pub(super) thoughts: Vec<(usize, Thought)>,
}

/// Captures a child's stderr, and its stdout unless stdout is its connection.
#[derive(Debug)]
pub(super) struct CapturedOutputs {
    stdout: Option<Capture>,
    stderr: Option<Capture>,
    bound: Bound,
}

impl CapturedOutputs {
    /// Starts to read both pipes. When the child exceeds `limits`, calls `end` and stops reading.
    pub(super) fn capture(
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
        limits: OutputLimits,
        end: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let OutputLimits { cap, most } = limits;
        let bound = Bound::new(most, end);
        let stdout = stdout.map(|pipe| Capture::start(pipe, cap, bound.clone(), None));
        let stderr = stderr.map(|pipe| Capture::start(pipe, cap, bound.clone(), Some(Arc::default())));
        Self { stdout, stderr, bound }
    }

    /// Notes that the child's turn at `ply` begins. Everything that the child writes to stderr from now on belongs to
    /// this turn. This is very cheap, since it only notes how much has already been read.
    pub(super) fn begin_turn(&mut self, ply: usize) {
        if let Some(stderr) = &mut self.stderr {
            stderr.begin_turn(ply);
        }
    }

    /// The child's last report about its thinking, with the ply of the turn.
    pub(super) fn latest_thought(&self) -> Option<(usize, Thought)> {
        let lines = self.stderr.as_ref()?.thoughts.as_ref()?;
        lines.lock().unwrap_or_else(PoisonError::into_inner).latest().cloned()
    }

    /// The number of written bytes, if it exceeds the limit.
    pub(super) fn exceeded(&self) -> Option<u64> {
        self.bound.exceeded()
    }

    /// Waits until `deadline` for the ends of both pipes, then returns the output so far.
    pub(super) async fn finish(self, deadline: Instant) -> FinishedOutputs {
        let (stdout, _) = Capture::finish(self.stdout, deadline).await;
        let (stderr, thoughts) = Capture::finish(self.stderr, deadline).await;
        FinishedOutputs { stdout, stderr, thoughts }
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
    fn turns_are_found_in_what_is_kept() {
        let mut captured = Captured::default();
        let chunks = ["one\n", "two\n", "three\n", "four\n", "five\n"];
        for (ply, chunk) in (1..).zip(chunks) {
            captured.turns.push((ply, captured.written()));
            captured.push(chunk.as_bytes(), 20);
        }
        // Of the 24 bytes, the first 10 and the last 10 are kept, so the last 4 bytes of the line `three` are missing.
        let (text, starts) = (captured.text(), captured.turns());
        assert_eq!(text, "one\ntwo\nth\n[... 4 bytes cut ...]\nfour\nfive\n");
        let begin = |nth: usize| usize::try_from(starts[nth].1).expect("small");
        assert_eq!(&text[begin(0)..begin(1)], "one\n");
        assert_eq!(&text[begin(2)..begin(3)], "th\n[... 4 bytes cut ...]\n");
        assert_eq!(&text[begin(3)..begin(4)], "four\n");
        assert_eq!(&text[begin(4)..], "five\n");
        // With a lower cap, `three` begins and ends in the missing part, and `four` begins there.
        let mut captured = Captured::default();
        for (ply, chunk) in (1..).zip(chunks) {
            captured.turns.push((ply, captured.written()));
            captured.push(chunk.as_bytes(), 14);
        }
        let (text, starts) = (captured.text(), captured.turns());
        assert_eq!(text, "one\ntwo\n[... 10 bytes cut ...]\nr\nfive\n");
        assert_eq!(starts.iter().map(|&(ply, _)| ply).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        let begin = |nth: usize| usize::try_from(starts[nth].1).expect("small");
        assert_eq!(&text[begin(1)..begin(2)], "two");
        assert_eq!(&text[begin(2)..begin(3)], "");
        assert_eq!(&text[begin(3)..begin(4)], "\n[... 10 bytes cut ...]\nr\n");
        assert_eq!(&text[begin(4)..], "five\n");
    }

    #[test]
    fn up_to_the_cap_all_is_kept() {
        let mut captured = Captured::default();
        captured.push(b"0123", 10);
        captured.push(b"456789", 10);
        assert_eq!(captured.text(), "0123456789");
    }
}
