//! What an update of a class changes, as the teacher reads it.

use std::fs;

use super::class_text::EditedClass;
use super::{BOTS, CLASS, ClassDir, ImportSetting, NotImported, REPLACED, is_new, sha256};
use crate::base::sanitise::Shown;
use crate::course::roster::{Roster, SubmissionState};
use crate::course::submissions::class_file::lines_in;
use crate::course::submissions::recipe::{GivenFiles, recognise_bot};
use crate::course::submissions::update_notes::{LostPlayer, UpdateNotes, has_player, name_in};
use crate::course::submissions::{Imported, reason};
use crate::course::unpacking::arrival::was_ready;
use crate::course::unpacking::refusal::UnpackError;
use crate::course::unpacking::unfold::files_of;
use crate::tournament::Tournament;

/// The changes made by an update.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// The names of the players whose files are new.
    pub(crate) redo: Vec<String>,
    /// The names of the players who are new.
    pub(crate) added: Vec<String>,
    /// The player names of the submissions that were imported but whose players are not in class.toml.
    pub(crate) without_player: Vec<String>,
    /// Whether the text of class.toml is kept because the teacher edited it.
    pub(crate) keeps_class_file: bool,
    /// The changes to class.toml that remain for the teacher to make.
    pub(crate) notes: UpdateNotes,
}

impl ClassDir {
    /// The changes that an update with `submissions` would make. Nothing is written.
    ///
    /// # Errors
    /// Returns an error if class.toml cannot be read, or has mistakes and would have to be extended.
    pub(crate) fn would_replace(
        &self,
        submissions: &[Imported],
        setting: ImportSetting<'_>,
    ) -> Result<Replaced, NotImported> {
        let Some(roster) = &self.roster else { return Ok(Replaced::default()) };
        let path = self.out.join(CLASS);
        let old = fs::read(&path).map_err(UnpackError::at(&path))?;
        let keeps_class_file = sha256(&old) != roster.class_toml_sha256;
        if keeps_class_file {
            self.extended(&old, submissions)?;
        }
        let edited = keeps_class_file.then(|| EditedClass::read(&old)).flatten();
        Ok(Replaced { keeps_class_file, ..self.outlook(roster, submissions, edited.as_ref(), setting) })
    }

    /// The changes made when `submissions` are put in place. `edited` is the teacher's class.toml, if the teacher has
    /// edited it.
    pub(super) fn outlook(
        &self,
        roster: &Roster,
        submissions: &[Imported],
        edited: Option<&EditedClass>,
        setting: ImportSetting<'_>,
    ) -> Replaced {
        let outdated =
            edited.map(|EditedClass { tournament, text }| UpdateNotes::outdated(text, tournament, submissions));
        let edited = edited.map(|class| &class.tournament);
        let arrived = || submissions.iter().filter(|one| is_new(one));
        let without = || arrived().filter(|one| one.entry.state != SubmissionState::Ready);
        let is_there = |one: &Imported| self.out.join(BOTS).join(&one.entry.slug).symlink_metadata().is_ok();
        let lost = without().filter(|one| was_ready(Some(roster), &one.entry.player) && is_there(one));
        let notes = UpdateNotes {
            lost: lost.map(|one| self.lost(roster, one, edited, setting.given)).collect(),
            stale: edited.map(|class| UpdateNotes::stale(class, submissions)).unwrap_or_default(),
            outdated: outdated.unwrap_or_default(),
        };
        let of_class = |new: Vec<&Imported>| -> Vec<String> {
            new.into_iter().map(|one| name_in(edited, one).to_owned()).collect()
        };
        Replaced {
            without_player: without().map(|one| one.entry.player.clone()).collect(),
            notes,
            redo: of_class(new_players(submissions, Some(roster), true)),
            added: of_class(new_players(submissions, Some(roster), false)),
            keeps_class_file: false,
        }
    }

    /// The player of `submission`, which has no program and replaces the player's previous bot.
    fn lost(
        &self,
        roster: &Roster,
        submission: &Imported,
        edited: Option<&Tournament>,
        given: &GivenFiles,
    ) -> LostPlayer {
        let player = submission.entry.player.clone();
        let files = roster.of_player(&player).map_or(&[][..], |entry| &entry.files);
        let slug = &submission.entry.slug;
        let recipe = recognise_bot(&files_of(&self.out.join(BOTS).join(slug), files, given)).recipe;
        let former = self.place_aside(slug).file_name().map_or_else(String::new, Shown::shown);
        let former = format!("{REPLACED}/{former}");
        LostPlayer {
            lines: recipe.map(|recipe| lines_in(&former, Some(&recipe))).unwrap_or_default(),
            why: reason(submission),
            is_in_class: edited.is_some_and(|class| has_player(class, submission)),
            player,
            former,
        }
    }
}

/// The submissions that the current import includes: if `were_there`, only those whose players class.toml already
/// contained after the last import, and otherwise only the others.
pub(super) fn new_players<'s>(
    submissions: &'s [Imported],
    roster: Option<&Roster>,
    were_there: bool,
) -> Vec<&'s Imported> {
    let ready = submissions.iter().filter(|one| is_new(one)).filter(|one| one.entry.state == SubmissionState::Ready);
    ready.filter(|one| was_ready(roster, &one.entry.player) == were_there).collect()
}
