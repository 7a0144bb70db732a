//! The log of events, as lines for spectators.

use std::collections::VecDeque;

use serde::Serialize;

/// The number of lines that the page shows.
const KEPT: usize = 200;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tone {
    /// A game has ended.
    Game,
    /// A game has ended by forfeit.
    Forfeit,
    /// A player has dropped out of a game with more than two seats, and the game goes on.
    Out,
    /// A game has no result.
    Void,
    /// A game is the shortest so far, or an upset.
    Highlight,
    /// Something else that spectators may want to know.
    Note,
}

/// A line, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LogLine {
    /// The line's number, from 1.
    pub n: u64,
    /// The kind of the line.
    pub kind: Tone,
    /// The text of the line.
    pub text: String,
    /// The id that the page shows for the game that the line is about.
    pub game: Option<String>,
}

/// The latest lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    lines: VecDeque<LogLine>,
    last: u64,
    told: u64,
}

impl EventLog {
    /// Adds a line.
    pub(crate) fn add(&mut self, kind: Tone, text: String, game: Option<String>) {
        self.last += 1;
        self.lines.push_back(LogLine { n: self.last, kind, text, game });
        if self.lines.len() > KEPT {
            self.lines.pop_front();
        }
    }

    /// The latest lines, the oldest first.
    pub(crate) fn lines(&self) -> &VecDeque<LogLine> {
        &self.lines
    }

    /// The lines that were added since the last call, as far as they are still among the latest lines.
    pub(crate) fn take_new(&mut self) -> Vec<&LogLine> {
        let told = std::mem::replace(&mut self.told, self.last);
        self.lines.iter().filter(|line| line.n > told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_lines_are_kept_and_each_is_new_once() {
        let mut log = EventLog::default();
        (1..=3).for_each(|n| log.add(Tone::Note, n.to_string(), None));
        let texts = |lines: Vec<&LogLine>| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(log.take_new()), ["1", "2", "3"]);
        assert_eq!(texts(log.take_new()), [""; 0]);
        (4..=KEPT + 10).for_each(|n| log.add(Tone::Note, n.to_string(), None));
        assert_eq!((log.lines().len(), log.lines()[0].n), (KEPT, 11));
        assert_eq!(log.take_new().len(), KEPT);
    }
}
