//! Submissions for tests.

use super::recipe::{GivenFiles, SubmittedFiles, recognise_bot};
use super::{ImportChange, Imported};
use crate::course::roster::{RosterEntry, SubmissionLayout, SubmissionState};

/// The submission of `player`, in Python.
pub(in crate::course) fn imported(player: &str, state: SubmissionState, change: ImportChange) -> Imported {
    let (name, text) = ("bot.py".to_owned(), "import sys\nside = sys.argv[1]\n".to_owned());
    let files = SubmittedFiles::new(vec![name.clone()], [(name, text)].into(), &GivenFiles::default());
    Imported {
        entry: RosterEntry {
            player: player.to_owned(),
            slug: player.to_owned(),
            state,
            late: false,
            layout: SubmissionLayout::Plain,
            full_name: player.to_owned(),
            participant: None,
            username: None,
            email: None,
            folder: None,
            team: None,
            submitted: Vec::new(),
            submission_sha256: String::new(),
            files: Vec::new(),
            files_sha256: String::new(),
        },
        recognition: recognise_bot(&files),
        refusal: None,
        warnings: Vec::new(),
        left_out: String::new(),
        change,
    }
}
