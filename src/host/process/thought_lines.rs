//! Finds the lines about thinking in a bot's stderr while stderr is being read.

use crate::referee::thought::Thought;

/// The lines about thinking that a child has written so far. Whatever the child writes, only one line and one thought
/// for each of its turns are kept.
#[derive(Debug, Default)]
pub(super) struct ThoughtLines {
    /// The beginning of the current, unfinished line: at most one byte more than the longest possible thought.
    line: Vec<u8>,
    /// The ply of the current turn.
    turn: Option<usize>,
    /// The last thought of each turn, with its ply.
    thoughts: Vec<(usize, Thought)>,
}

impl ThoughtLines {
    /// Reads `bytes` that the child has written. A line belongs to the turn in which it ends. Lines before the first
    /// turn and malformed lines are ignored.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut lines = bytes.split(|&byte| byte == b'\n');
        if let Some(first) = lines.next() {
            self.extend(first);
        }
        for line in lines {
            self.end_line();
            self.extend(line);
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = (Thought::LONGEST + 1).saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    fn end_line(&mut self) {
        if let (Some(ply), Some(Ok(thought))) = (self.turn, Thought::of_stderr(&self.line)) {
            self.thoughts.pop_if(|(last, _)| *last == ply);
            self.thoughts.push((ply, thought));
        }
        self.line.clear();
    }

    /// Notes that the turn at `ply` begins.
    pub(super) fn begin_turn(&mut self, ply: usize) {
        self.turn = Some(ply);
    }

    /// The last thought so far, with its ply.
    pub(super) fn latest(&self) -> Option<&(usize, Thought)> {
        self.thoughts.last()
    }

    /// The last thought of each turn, with its ply, once the child has written everything.
    pub(super) fn finish(mut self) -> Vec<(usize, Thought)> {
        self.end_line();
        self.thoughts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn thoughts(pieces: &[&[u8]]) -> Vec<(usize, String)> {
        let mut lines = ThoughtLines::default();
        for (turn, piece) in pieces.iter().enumerate() {
            if turn > 0 {
                lines.begin_turn(2 * turn);
            }
            lines.push(piece);
        }
        lines.finish().into_iter().map(|(ply, thought)| (ply, thought.to_string())).collect()
    }

    #[test]
    fn the_last_line_of_each_turn_counts() {
        let pieces: [&[u8]; 4] = [
            b"#think depth=9\nready\n",
            b"#think depth=1\nnoise\n#think depth=2\r\n#think depth=x\n",
            b"nothing\n",
            b"a #think depth=3\n#think value=-1",
        ];
        assert_eq!(thoughts(&pieces), [(2, "D2".to_owned()), (6, "-1".to_owned())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_no_thought_and_the_next_one_is() {
        let long = [b"#think pv=".as_slice(), &b"a1,".repeat(500), b"a1\n#think nodes=7\n"].concat();
        assert_eq!(thoughts(&[b"", &long]), [(2, "N7".to_owned())]);
    }

    proptest! {
        #[test]
        fn lines_are_found_however_they_are_cut_and_little_is_kept(cuts in proptest::collection::vec(1_usize..30, 0..20)) {
            let text = b"hello\n#think value=+3 depth=6\nmore\n#think value=+4 pv=c3,b2\nend".as_slice();
            let mut lines = ThoughtLines::default();
            lines.begin_turn(1);
            let mut rest = text;
            for cut in cuts {
                let (piece, more) = rest.split_at(cut.min(rest.len()));
                lines.push(piece);
                prop_assert!(lines.line.len() <= Thought::LONGEST + 1);
                rest = more;
            }
            lines.push(rest);
            let last = lines.finish().pop().map(|(ply, thought)| (ply, thought.to_string()));
            prop_assert_eq!(last, Some((1, "+4 c3,b2".to_owned())));
        }
    }
}
