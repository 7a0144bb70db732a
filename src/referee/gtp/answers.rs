//! Splits an engine's bytes into answers. Whatever the engine sends, the reader keeps at most two lines.

use crate::referee::wire::MAX_LINE;

/// A piece of an engine's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EngineSaid {
    /// A line, other than the first, of an answer that is not complete yet.
    More(SaidLine),
    /// An answer, once its blank line or the end of the stream has been reached.
    Answer(EngineAnswer),
    /// A line that does not belong to an answer.
    Noise(SaidLine),
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineAnswer {
    /// Whether the answer begins with `=` rather than `?`.
    pub(super) is_success: bool,
    /// The number after `=` or `?`.
    pub(super) id: Option<u32>,
    /// The rest of the first line, without surrounding whitespace.
    pub(super) text: String,
    /// The whole first line.
    pub(super) line: SaidLine,
    /// How many lines follow the first one.
    pub(super) more_lines: usize,
}

/// A line from an engine, truncated to [`MAX_LINE`] bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SaidLine {
    /// The text without control characters, with invalid UTF-8 replaced.
    pub(super) text: String,
    /// Whether the line was truncated.
    pub(super) is_cut: bool,
}

/// Reads answers piece by piece.
#[derive(Debug, Default)]
pub(super) struct AnswerReader {
    line: Vec<u8>,
    is_cut: bool,
    answer: Option<EngineAnswer>,
}

impl AnswerReader {
    /// Processes the next byte. A line feed ends a line; carriage returns and other control characters except the tab
    /// are ignored, as the protocol requires.
    pub(super) fn push(&mut self, byte: u8) -> Option<EngineSaid> {
        match byte {
            b'\n' => return self.end_line(),
            b'\t' => self.keep(b' '),
            0..=31 | 127 => {}
            _ => self.keep(byte),
        }
        None
    }

    /// Handles the end of the stream, which terminates the last line and the last answer.
    pub(super) fn finish(&mut self) -> [Option<EngineSaid>; 2] {
        [self.end_line(), self.answer.take().map(EngineSaid::Answer)]
    }

    fn keep(&mut self, byte: u8) {
        self.is_cut |= self.line.len() == MAX_LINE;
        if !self.is_cut {
            self.line.push(byte);
        }
    }

    fn end_line(&mut self) -> Option<EngineSaid> {
        let is_cut = std::mem::take(&mut self.is_cut);
        let text = String::from_utf8_lossy(&self.line).trim().to_owned();
        self.line.clear();
        match &mut self.answer {
            _ if text.is_empty() && !is_cut => self.answer.take().map(EngineSaid::Answer),
            Some(answer) => {
                answer.more_lines = answer.more_lines.saturating_add(1);
                Some(EngineSaid::More(SaidLine { text, is_cut }))
            }
            None => {
                let line = SaidLine { text, is_cut };
                match EngineAnswer::begin(line) {
                    Ok(answer) => {
                        self.answer = Some(answer);
                        None
                    }
                    Err(noise) => Some(EngineSaid::Noise(noise)),
                }
            }
        }
    }
}

impl EngineAnswer {
    /// The answer that begins with `line`, or the line if it does not begin an answer.
    fn begin(line: SaidLine) -> Result<Self, SaidLine> {
        let (is_success, rest) = match line.text.as_bytes() {
            [b'=', ..] => (true, &line.text[1..]),
            [b'?', ..] => (false, &line.text[1..]),
            _ => return Err(line),
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (id, text) = match rest[..digits].parse() {
            // `=3 C4` has an id, but `=3rd` does not.
            Ok(id) if rest[digits..].is_empty() || rest[digits..].starts_with(' ') => (Some(id), &rest[digits..]),
            _ => (None, rest),
        };
        let text = text.trim().to_owned();
        Ok(Self { is_success, id, text, line, more_lines: 0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<EngineSaid> {
        let mut reader = AnswerReader::default();
        let mut said: Vec<EngineSaid> = bytes.iter().filter_map(|&byte| reader.push(byte)).collect();
        said.extend(reader.finish().into_iter().flatten());
        said
    }

    /// Success, id, text and the number of further lines of each answer.
    fn answers(bytes: &str) -> Vec<(bool, Option<u32>, String, usize)> {
        let said = read(bytes.as_bytes());
        let answers =
            said.into_iter().filter_map(|said| if let EngineSaid::Answer(answer) = said { Some(answer) } else { None });
        answers.map(|answer| (answer.is_success, answer.id, answer.text, answer.more_lines)).collect()
    }

    #[test]
    fn an_answer_has_a_sign_an_id_a_text_and_a_blank_line() {
        let one = |is_success, id, text: &str| vec![(is_success, id, text.to_owned(), 0)];
        assert_eq!(answers("= \n\n"), one(true, None, ""));
        assert_eq!(answers("=\n\n"), one(true, None, ""));
        assert_eq!(answers("=12\n\n"), one(true, Some(12), ""));
        assert_eq!(answers("=12 D4\n\n"), one(true, Some(12), "D4"));
        assert_eq!(answers("= D4\n\n"), one(true, None, "D4"));
        assert_eq!(answers("?7 illegal move\n\n"), one(false, Some(7), "illegal move"));
        assert_eq!(answers("=\u{1b}3\t C4 \r\n\r\n"), one(true, Some(3), "C4"));
        assert_eq!(answers("=99999999999 C4\n\n"), one(true, None, "99999999999 C4"));
        assert_eq!(answers("= Next move: Black\n  a b\n1 . .\n\n"), [(true, None, "Next move: Black".to_owned(), 2)]);
        assert_eq!(answers("\n\n= a\n\n\n\n\n= b\n\n").len(), 2);
    }

    #[test]
    fn the_end_of_the_stream_ends_the_last_answer() {
        assert_eq!(answers("= D4\n"), [(true, None, "D4".to_owned(), 0)]);
        assert_eq!(answers("= D4"), [(true, None, "D4".to_owned(), 0)]);
        assert_eq!(answers("= a\nb"), [(true, None, "a".to_owned(), 1)]);
    }

    #[test]
    fn what_begins_no_answer_is_noise() {
        let noise = |text: &str| EngineSaid::Noise(SaidLine { text: text.to_owned(), is_cut: false });
        assert_eq!(read(b"GNU Go 3.8\n\nD4"), [noise("GNU Go 3.8"), noise("D4")]);
    }

    #[test]
    fn of_a_long_line_only_the_beginning_is_kept() {
        let said = read(&[b"= ".to_vec(), vec![b'x'; 100_000], b"\n\n".to_vec()].concat());
        let [EngineSaid::Answer(answer)] = &said[..] else { panic!("{said:?}") };
        assert_eq!((answer.line.text.len(), answer.line.is_cut), (MAX_LINE, true));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_and_little_is_kept(bytes in proptest::collection::vec(any::<u8>(), 0..5_000)) {
            let mut reader = AnswerReader::default();
            let lines = bytes.split(|&byte| byte == b'\n').count() - 1;
            let mut said = 0;
            for byte in bytes {
                said += usize::from(reader.push(byte).is_some());
                prop_assert!(reader.line.capacity() <= 2 * MAX_LINE);
            }
            prop_assert!(said <= lines);
        }
    }
}
