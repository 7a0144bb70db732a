//! What the teacher asks for: requests in the mailbox, and changes to the tournament file.

use super::door_plan::doors_plan;
use super::reread::{self, FileNews, TournamentFileWatch};
use super::{Keeping, LadderNews};
use crate::base::time::utc_now;
use crate::run::journal::{JournalEntry, TermsEntry};
use crate::tournament::Tournament;
use crate::tournament::ladder::LadderTerms;

impl Keeping {
    /// Checks the mailbox and the tournament file.
    pub(super) fn poll(&mut self) {
        self.read_requests();
        match self.watch.as_mut().and_then(TournamentFileWatch::poll) {
            Some(FileNews::Changed(tournament)) => self.change(*tournament),
            Some(FileNews::Wrong(text)) => self.warn_of_file(&text),
            None => {}
        }
    }

    /// Writes those settings of the tournament file that affect the display to the journal, unless they are `known`.
    pub(super) fn enter_terms(&self, known: Option<(u32, f64)>) {
        let LadderTerms { active, target_error, .. } = self.ladder.terms;
        if known != Some((active, target_error)) {
            self.enter(JournalEntry::Terms(TermsEntry { active, target_error, at: utc_now() }));
        }
    }

    fn warn_of_file(&self, why: &str) {
        self.warn(format!("the tournament file has changed, but the change has no effect: {why}"));
    }

    /// Applies a changed tournament file.
    pub(super) fn change(&mut self, file: Tournament) {
        let Some(ladder) = &file.ladder else {
            self.warn_of_file("it no longer describes a ladder");
            return;
        };
        let has_versions = |name: &str| {
            let is_checked = self.check.as_ref().is_some_and(|check| check.turn.owner == name);
            is_checked || self.state.history().hand_ins(name).next().is_some()
        };
        let why_not = reread::why_not(&self.tournament, &file);
        let old = (&self.ladder, &self.file_players[..]);
        if let Some(why) = why_not.or_else(|| reread::changed_limits(old, (ladder, &file.players), has_versions)) {
            self.warn_of_file(&why);
            return;
        }
        if ladder.terms.submit != self.ladder.terms.submit {
            self.warn("`submit` has changed: the new address takes effect when the run is restarted".to_owned());
        }
        let LadderTerms { active, target_error, .. } = self.ladder.terms;
        self.ladder = ladder.clone();
        self.enter_terms(Some((active, target_error)));
        self.file_players = file.players;
        self.watch.iter_mut().for_each(TournamentFileWatch::accept);
        self.players.set_ladder(&self.ladder);
        self.state.forget_fit();
        self.unable.clear();
        self.may_have_left = true;
        self.showing.changed();
        self.change_doors();
        (self.tell)(LadderNews::Note("the tournament file has changed, and the change is now in effect".to_owned()));
    }

    pub(super) fn change_doors(&self) {
        match doors_plan(&self.ladder, self.end_of_hand_ins(), self.state.history(), &self.site.base) {
            Ok(plan) => self.doors.iter().for_each(|doors| doors.change(plan.clone())),
            Err(error) => self.warn(error),
        }
    }
}
