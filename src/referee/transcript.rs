//! A text transcript of every byte sent in a bout, with times.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The author of a line in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speaker {
    /// The bot, on its connection.
    Bot,
    /// The arena, to the bot.
    Arena,
    /// The arena, to the reader of the transcript.
    Note,
}

/// One entry: bytes sent in one direction, or a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Uttered {
    at: Duration,
    by: Speaker,
    bytes: Vec<u8>,
}

/// The bytes sent in a bout, with their senders and times.
///
/// Its `Display` writes one line for each line that was sent. Apart from the text of notes, the output is printable
/// ASCII: other bytes from the bot or the arena are shown as `<1b>`, a carriage return as `<CR>`, and a line feed as
/// `<LF>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    uttered: Vec<Uttered>,
    /// How many bytes are kept.
    bytes: usize,
    /// How many bytes were left out.
    left_out: usize,
}

impl Transcript {
    /// How many bytes are kept in total. This bounds the memory that a flooding bot can make the arena use.
    pub const MAX_BYTES: usize = 64 * 1024;

    /// Adds bytes sent at the time `at`, measured from the start of the bot's program.
    pub fn add(&mut self, at: Duration, by: Speaker, bytes: &[u8]) {
        let room = Self::MAX_BYTES.saturating_sub(self.bytes);
        let kept = &bytes[..bytes.len().min(room)];
        self.left_out += bytes.len() - kept.len();
        if kept.is_empty() {
            return;
        }
        self.bytes += kept.len();
        match self.uttered.last_mut() {
            // A line can arrive in several reads.
            Some(last) if by != Speaker::Note && last.by == by && !last.bytes.ends_with(b"\n") => {
                last.bytes.extend_from_slice(kept);
            }
            _ => self.uttered.push(Uttered { at, by, bytes: kept.to_vec() }),
        }
    }

    /// Adds a note, which must be printable.
    pub fn note(&mut self, at: Duration, text: &str) {
        self.uttered.push(Uttered { at, by: Speaker::Note, bytes: text.as_bytes().to_vec() });
    }

    /// The kept lines from `speaker`, without line endings and blank lines.
    pub fn lines_by(&self, speaker: Speaker) -> impl Iterator<Item = String> + '_ {
        let all: Vec<u8> = self.uttered.iter().filter(|one| one.by == speaker).fold(Vec::new(), |mut all, one| {
            all.extend_from_slice(&one.bytes);
            if speaker == Speaker::Note {
                all.push(b'\n');
            }
            all
        });
        let text = String::from_utf8_lossy(&all).into_owned();
        let lines: Vec<String> =
            text.split(['\r', '\n']).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        lines.into_iter()
    }

    /// How many times `speaker` has sent something.
    pub fn count(&self, speaker: Speaker) -> usize {
        self.uttered.iter().filter(|one| one.by == speaker).count()
    }

    /// When `speaker` next sent something after having done so `before` times.
    pub fn time_of(&self, speaker: Speaker, before: usize) -> Option<Duration> {
        self.uttered.iter().filter(|one| one.by == speaker).nth(before).map(|one| one.at)
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.uttered.is_empty()
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Uttered { at, by, bytes } in &self.uttered {
            let mut time = format!("{:9.3}s", at.as_secs_f64());
            let who = match by {
                Speaker::Bot => "bot  ",
                Speaker::Arena => "arena",
                Speaker::Note => "note ",
            };
            if *by == Speaker::Note {
                writeln!(f, "{time}  {who}  {}", String::from_utf8_lossy(bytes))?;
                continue;
            }
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                writeln!(f, "{time}  {who}  {}", visible(line))?;
                time = " ".repeat(time.len());
            }
        }
        if self.left_out > 0 {
            writeln!(f, "{:10}  note   {} more bytes were left out", "", self.left_out)?;
        }
        Ok(())
    }
}

/// `bytes` in printable ASCII, with a name or a number in angle brackets for every other byte.
fn visible(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string never fails.
        let _ = match byte {
            b'\r' => text.write_str("<CR>"),
            b'\n' => text.write_str("<LF>"),
            b' '..=b'~' => text.write_char(char::from(*byte)),
            other => write!(text, "<{other:02x}>"),
        };
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_shows_every_byte_and_no_control_character() {
        let mut transcript = Transcript::default();
        transcript.add(Duration::from_millis(34), Speaker::Bot, b"0.9.1 pla");
        transcript.add(Duration::from_millis(35), Speaker::Bot, b"yer black\r");
        transcript.add(Duration::from_millis(40), Speaker::Arena, b"100 ok\r\n352 go\r\n");
        transcript.add(Duration::from_millis(50), Speaker::Bot, "1 \x1b[31mc3ä\n".as_bytes());
        transcript.note(Duration::from_secs(1), "exit status 1");
        let expected = "    0.034s  bot    0.9.1 player black<CR>\n    0.040s  arena  100 ok<CR><LF>\n            arena  352 go<CR><LF>\n    0.050s  bot    1 <1b>[31mc3<c3><a4><LF>\n    1.000s  note   exit status 1\n";
        assert_eq!(transcript.to_string(), expected);
        assert_eq!(transcript.lines_by(Speaker::Arena).collect::<Vec<_>>(), ["100 ok", "352 go"]);
    }

    #[test]
    fn a_flood_is_cut_and_counted() {
        let mut transcript = Transcript::default();
        for _ in 0..100 {
            transcript.add(Duration::ZERO, Speaker::Bot, &[b'x'; 1024]);
        }
        assert!(transcript.to_string().len() < Transcript::MAX_BYTES + 200);
        assert!(transcript.to_string().contains(&format!("{} more bytes", 100 * 1024 - Transcript::MAX_BYTES)));
    }
}
