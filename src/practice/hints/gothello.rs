//! The values of moves in Gothello, from the table of margins or else from the solver.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::MoveFindings;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::margin_table::table_file::MarginFile;
use crate::exact::phase::Phase;
use crate::exact::solver::{Question, Solution, Solver, TranspositionTable, Unsolved};
use crate::exact::team::Team;
use crate::game::gothello::Game;
use crate::game::{Move, Outcome};
use crate::practice::findings::MoveFinding;
use crate::results::analysis::{AnalyzedMove, MoveQuality};

/// The maximum size of the solver's table, in bytes.
const LARGEST_TABLE: usize = 256 << 20;

/// How often the solver reports its progress, which is not used here.
const LOOK: Duration = Duration::from_secs(1);

/// What the thread knows about Gothello.
#[derive(Debug)]
pub(super) struct GothelloKnowledge {
    /// The number of the solver's threads.
    threads: NonZeroUsize,
    margins: Option<MarginFile>,
    /// The reason why the table of margins cannot be used, if there is one and it has not been reported yet.
    lack: Option<String>,
    /// The solver's table, once it has been used.
    table: Option<TranspositionTable>,
}

impl GothelloKnowledge {
    /// Starts with the table of margins if it is in the cache. The solver uses `threads` threads.
    pub(super) fn new(threads: NonZeroUsize) -> Self {
        let mut lack = None;
        let margins = MarginFile::cached_or(|unusable| lack = Some(unusable.to_string()));
        Self { threads, margins, lack, table: None }
    }

    /// Finds what each legal move is worth.
    pub(super) fn moves(&mut self, game: &Game, findings: &MoveFindings) {
        self.tell_lack(findings);
        let mut open = Vec::new();
        for played in crate::game::Position::legal_moves(game) {
            let after = game.after(played);
            match self.known(&after) {
                Some(outcome) => findings.tell(MoveFinding::Value(played, outcome.into())),
                None => open.push((played, after)),
            }
        }
        for question in [Question::Winner, Question::Margin] {
            for (played, after) in &open {
                if let Some(outcome) = self.value(after, question, &findings.stop) {
                    findings.tell(MoveFinding::Value(*played, outcome.into()));
                }
            }
        }
    }

    /// Finds what `played` gave away, given the positions before and after it.
    pub(super) fn loss(&mut self, [before, after]: [&Game; 2], played: Move, findings: &MoveFindings) {
        self.tell_lack(findings);
        let empty = before.empty_points();
        let mut judged = AnalyzedMove {
            side: before.side(),
            played,
            empty,
            phase: Phase::of_empty(empty),
            given: false,
            before: None,
            after: None,
            depths: [None; 2],
            better: None,
        };
        for question in [Question::Winner, Question::Margin] {
            judged.before = self.value(before, question, &findings.stop).or(judged.before);
            judged.after = self.value(after, question, &findings.stop).or(judged.after);
            findings.tell(MoveFinding::Judged(judged));
        }
        if judged.quality().is_none_or(|quality| quality == MoveQuality::Kept) {
            return;
        }
        let is_exact = judged.before.is_some_and(|before| before.margin.is_some());
        let question = if is_exact { Question::Margin } else { Question::Winner };
        let solve = |solver: &mut Solver<'_>| solver.solve(before, question);
        if let Some(Solution { best, line, .. }) = self.ask(before, &findings.stop, solve) {
            judged.better = line.first().or(best.first()).copied();
            findings.tell(MoveFinding::Judged(judged));
            findings.tell(MoveFinding::BetterLine(line));
        }
    }

    fn tell_lack(&mut self, findings: &MoveFindings) {
        if let Some(lack) = self.lack.take() {
            findings.tell(MoveFinding::Lack(lack));
        }
    }

    /// The outcome of a position, if it is known without a search.
    fn known(&self, game: &Game) -> Option<Outcome> {
        KnownMargins::with(self.margins.as_ref()).outcome(game)
    }

    /// The outcome of a position, with the margin if `question` asks for it or if it is known; `None` once `stop` is
    /// raised.
    fn value(&mut self, game: &Game, question: Question, stop: &AtomicBool) -> Option<Outcome> {
        self.known(game).or_else(|| match question {
            Question::Winner => {
                let winner = self.ask(game, stop, |solver| solver.winner(game))?;
                Some(Outcome { winner, margin: None })
            }
            Question::Margin => self.ask(game, stop, |solver| solver.margin(game)).map(Outcome::of_margin),
        })
    }

    /// The answer to one question; `None` once `stop` is raised.
    fn ask<T: Send>(
        &mut self,
        game: &Game,
        stop: &AtomicBool,
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> Option<T> {
        let Self { threads, margins, table, .. } = self;
        let bytes = || TranspositionTable::bytes_for(game).min(LARGEST_TABLE);
        let table = table.get_or_insert_with(|| TranspositionTable::with_bytes(bytes()));
        let known = KnownMargins::with(margins.as_ref());
        let team = Team { threads: *threads, table, known, stop };
        team.solve_together(LOOK, |_| (), ask).found.ok()
    }
}
