//! What an engine reports while it looks for a move: the lines `info move D4 visits 80 winrate 0.62 ... pv D4 E4`.
//!
//! Sources: "`KataGo` GTP Extensions" in that engine's documentation, and `UCTSearch.cpp` of Leela Zero, whose win
//! rates are whole numbers from 0 to 10,000.

use crate::game::Move;
use crate::referee::thought::{ClaimedChance, ClaimedPoints, Thought};

/// How an engine writes win rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnalysisForm {
    /// As `KataGo` does: from 0 to 1.
    Kata,
    /// As Leela Zero does: from 0 to 10,000.
    Leela,
}

/// Reads the last line of information before a move. An engine can list hundreds of moves in a line of any length; only
/// the first few, which are the best, are kept.
#[derive(Debug)]
pub(super) struct EngineAnalysis {
    form: AnalysisForm,
    word: Vec<u8>,
    /// Whether the current line contains information; `None` before its first word.
    is_info: Option<bool>,
    /// The meaning of the current word, as determined by the word before it.
    key: InfoKey,
    /// The first moves of the line.
    candidates: Vec<EngineCandidate>,
    /// Whether the last candidate is the one being read.
    is_kept: bool,
    /// The visits of all moves of the line.
    visits: u64,
}

/// What the next word of a line means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InfoKey {
    None,
    /// The value of a key that is not used here.
    Other,
    Move,
    Visits,
    WinRate,
    ScoreLead,
    /// Each word up to the next `info` is a move.
    Line,
}

/// A move that the engine considers.
#[derive(Debug, Default)]
struct EngineCandidate {
    played: String,
    win: Option<ClaimedChance>,
    value: Option<ClaimedPoints>,
    line: Vec<Move>,
}

impl EngineAnalysis {
    /// How many moves of a line are kept.
    const CANDIDATES: usize = 8;

    /// The maximum length of a meaningful word, in bytes.
    const LONGEST_WORD: usize = 32;

    pub(super) const fn new(form: AnalysisForm) -> Self {
        Self {
            form,
            word: Vec::new(),
            is_info: None,
            key: InfoKey::None,
            candidates: Vec::new(),
            is_kept: false,
            visits: 0,
        }
    }

    /// Reads the next byte of the engine's answer.
    pub(super) fn push(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.end_word();
                self.is_info = None;
            }
            b' ' | b'\t' => self.end_word(),
            0..=31 | 127 => {}
            _ if self.word.len() <= Self::LONGEST_WORD => self.word.push(byte),
            _ => {}
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.word);
        let word = String::from_utf8_lossy(&bytes);
        let is_first = self.is_info.is_none();
        if *self.is_info.get_or_insert(word == "info") {
            if is_first {
                self.candidates.clear();
                self.visits = 0;
            }
            self.take(&word);
        }
        // The buffer is reused.
        self.word = bytes;
        self.word.clear();
    }

    /// Processes the next word of a line of information.
    fn take(&mut self, word: &str) {
        if word == "info" {
            self.is_kept = self.candidates.len() < Self::CANDIDATES;
            if self.is_kept {
                self.candidates.push(EngineCandidate::default());
            }
            self.key = InfoKey::None;
            return;
        }
        let candidate = self.candidates.last_mut().filter(|_| self.is_kept);
        let key = match self.key {
            InfoKey::Line => InfoKey::Line,
            InfoKey::None => InfoKey::of(word),
            _ => InfoKey::None,
        };
        match (self.key, candidate) {
            (InfoKey::Visits, _) => self.visits = self.visits.saturating_add(word.parse().unwrap_or_default()),
            (InfoKey::Move, Some(candidate)) => candidate.played = word.to_lowercase(),
            (InfoKey::WinRate, Some(candidate)) => candidate.win = self.form.chance(word),
            (InfoKey::ScoreLead, Some(candidate)) => {
                candidate.value = word.parse().ok().and_then(ClaimedPoints::of);
            }
            (InfoKey::Line, Some(candidate)) if candidate.line.len() < Thought::LONGEST_LINE => {
                candidate.line.extend(word.to_lowercase().parse::<Move>());
            }
            _ => {}
        }
        self.key = key;
    }

    /// The engine's claims when it chose `played`, a move in lower case. `None` if it said nothing about this move.
    pub(super) fn thought(self, played: &str) -> Option<Thought> {
        let Self { candidates, visits, .. } = self;
        let EngineCandidate { win, value, line, .. } =
            candidates.into_iter().find(|candidate| candidate.played == played)?;
        Thought::new(value, win, (None, Some(visits)), line)
    }
}

impl AnalysisForm {
    /// Reads a win rate. `KataGo` sometimes reports one that is slightly out of range.
    fn chance(self, word: &str) -> Option<ClaimedChance> {
        let rate: f64 = word.parse().ok().filter(|rate: &f64| rate.is_finite())?;
        let chance = match self {
            Self::Kata => rate,
            Self::Leela => rate / 10_000.0,
        };
        ClaimedChance::of(chance.clamp(0.0, 1.0))
    }
}

impl InfoKey {
    fn of(word: &str) -> Self {
        match word {
            "move" => Self::Move,
            "visits" => Self::Visits,
            "winrate" => Self::WinRate,
            "scoreLead" => Self::ScoreLead,
            "pv" => Self::Line,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A line of `KataGo` 1.15, from `cpp/tests/results/gtp/genmoveanalyze.stdout` in its sources.
    const KATA: &str = "info move E5 visits 22 edgeVisits 22 utility -0.802345 winrate 0.101754 scoreMean -0.465401 \
        scoreStdev 8.31547 scoreLead -0.465401 scoreSelfplay -1.78779 prior 0.581213 lcb 0.0939552 utilityLcb -0.824182 \
        weight 42.8229 order 0 pv E5 E3 C4 D7 info move F5 visits 7 edgeVisits 7 utility -0.776368 winrate 0.116963 \
        scoreMean -0.291177 scoreStdev 7.16022 scoreLead -0.291177 scoreSelfplay -1.51293 prior 0.0861474 lcb 0.0617736 \
        utilityLcb -0.930898 weight 12.6827 order 1 pv F5 D5 E7 D3 C6 info move D5 visits 7 edgeVisits 7 utility -0.776368 \
        winrate 0.116963 scoreMean -0.291177 scoreStdev 7.16022 scoreLead -0.291177 scoreSelfplay -1.51293 prior 0.0861474 \
        lcb 0.0617736 utilityLcb -0.930898 weight 12.6827 isSymmetryOf F5 order 2 pv D5 F5 E7 F3 G6\n";

    /// Lines of Leela Zero 0.17, from <https://gist.github.com/zakki/5d83c850715407b2ed207070a033230c>.
    const LEELA: &str = "info move D16 visits 6 winrate 4197 prior 1760 lcb 3838 order 0 pv D16 Q16 D4 Q4 info move D4 \
        visits 4 winrate 4198 prior 1730 lcb 2346 order 1 pv D4 Q16 Q4 D16 info move Q5 visits 4 winrate 4212 prior 35 lcb \
        2273 order 2 pv Q5 Q16 D4 R3\n";

    fn thought(form: AnalysisForm, text: &str, played: &str) -> Option<String> {
        let mut analysis = EngineAnalysis::new(form);
        text.bytes().for_each(|byte| analysis.push(byte));
        analysis.thought(played).map(|thought| thought.to_string())
    }

    #[test]
    fn the_claims_are_those_about_the_move_that_is_played() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(thought(AnalysisForm::Kata, KATA, "e5"), some("-0.47 W0.1018 N36 e5,e3,c4,d7"));
        assert_eq!(thought(AnalysisForm::Kata, KATA, "d5"), some("-0.29 W0.117 N36 d5,f5,e7,f3,g6"));
        assert_eq!(thought(AnalysisForm::Kata, KATA, "a1"), None);
        assert_eq!(thought(AnalysisForm::Leela, LEELA, "d16"), some("W0.4197 N14 d16,q16,d4,q4"));
        assert_eq!(
            thought(AnalysisForm::Leela, &format!("{KATA}play E5\n{LEELA}play D4\n"), "d4"),
            some("W0.4198 N14 d4,q16,q4,d16")
        );
    }

    #[test]
    fn rates_out_of_range_are_taken_for_the_nearest_one_and_nonsense_is_left_out() {
        // The first line is from a report about KataGo: <https://github.com/lightvector/KataGo/issues/532>.
        let odd = "info move G7 visits 0 winrate -466 prior 104 lcb -466 order 6 pv G7\n";
        assert_eq!(thought(AnalysisForm::Leela, odd, "g7"), Some("W0 N0 g7".to_owned()));
        let nonsense = "info move G7 visits -3 winrate NaN scoreLead inf pv \u{e9}\u{1b}[31m info\n";
        assert_eq!(thought(AnalysisForm::Kata, nonsense, "g7"), Some("N0".to_owned()));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_and_little_is_kept(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "info ", "move ", "pv ", "D4 ", "visits ", "9 ", "\n", "winrate ", "scoreLead ", "0.5 ", "x", "\u{e9}",
            ]), 0..3_000),
        ) {
            let mut analysis = EngineAnalysis::new(AnalysisForm::Kata);
            for byte in pieces.concat().bytes() {
                analysis.push(byte);
                prop_assert!(analysis.word.len() <= EngineAnalysis::LONGEST_WORD + 1);
            }
            prop_assert!(analysis.candidates.len() <= EngineAnalysis::CANDIDATES);
            prop_assert!(analysis.candidates.iter().all(|candidate| candidate.line.len() <= Thought::LONGEST_LINE));
        }
    }
}
