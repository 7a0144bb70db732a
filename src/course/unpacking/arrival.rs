//! The submissions with the students who handed them in: unpacked files, joined with the worksheet and with the
//! previous import.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::gather::Gathered;
use super::group::SubmissionGroup;
use super::refusal::UnpackError;
use super::unfold::{HandedIn, bot_digest, files_of};
use crate::base::machine::LockHolders;
use crate::course::roster::{Roster, RosterEntry, RosterStudent, RosterTeam, SubmissionLayout, SubmissionState};
use crate::course::submissions::recipe::{GivenFiles, Recognition, recognise_bot};
use crate::course::submissions::worksheet::ClassList;
use crate::course::submissions::{ImportChange, Imported, PlatformName, PlayerNames, is_called_like_team};
use crate::tournament::slug;

/// A submission, and where its files are.
#[derive(Debug)]
pub(crate) struct ArrivedSubmission {
    pub(crate) imported: Imported,
    /// The directory that will become `bots/SLUG`; `None` if there is none, or if the existing one is kept.
    pub(crate) tree: Option<PathBuf>,
}

/// The earlier state that arrivals are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier<'a> {
    /// The roster of the last import, if there was one.
    pub(crate) roster: Option<&'a Roster>,
    /// The directory of the class.
    pub(crate) out: &'a Path,
    /// The files of the course.
    pub(crate) given: &'a GivenFiles,
}

/// All submissions in the order of class.toml: first the earlier submissions, then the new submissions, sorted by the
/// students' names.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub(crate) fn arrivals(
    gathered: Gathered<'_>,
    latest: bool,
    list: Option<&ClassList>,
    earlier: Earlier<'_>,
) -> Result<Vec<ArrivedSubmission>, UnpackError> {
    let mut students: Vec<(Submitter, HandedIn)> = Vec::new();
    for group in gathered.groups {
        let identity = Submitter::of(&group, list, &gathered.submitters);
        students.push((identity, HandedIn::of(group, latest)?));
    }
    students.sort_by_cached_key(|(identity, _)| (identity.full_name.to_lowercase(), identity.number()));
    let old = earlier.roster.map_or(&[][..], |roster| &roster.submissions);
    let mut found: Vec<ArrivedSubmission> = Vec::new();
    for entry in old {
        let again = students.iter().position(|(identity, _)| identity.is_of(entry)).map(|at| students.remove(at));
        found.push(match again {
            Some((mut identity, handed_in)) => {
                if list.is_none() {
                    identity.remember(entry);
                }
                earlier.again(entry, identity, handed_in)
            }
            None => earlier.kept(entry),
        });
    }
    // New players are added to a run after the others, so the earlier players come first.
    found.sort_by_key(|arrival| !was_ready(earlier.roster, &arrival.imported.entry.player));
    let new_names = students.iter().map(|(identity, _)| identity.full_name.as_str());
    let mut names = PlayerNames::new(
        old.iter().map(|entry| entry.player.as_str()),
        new_names.chain(old.iter().map(|entry| entry.full_name.as_str())),
    );
    for (identity, handed_in) in students {
        let player = names.name(&identity.full_name, identity.participant.as_deref());
        found.push(earlier.arrival(identity, player.as_str(), handed_in, ImportChange::Added));
    }
    Ok(found)
}

/// Whether class.toml contained the player `name` after the last import.
pub(super) fn was_ready(roster: Option<&Roster>, name: &str) -> bool {
    let entry = roster.and_then(|roster| roster.of_player(name));
    entry.is_some_and(|entry| entry.state == SubmissionState::Ready)
}

/// The student or team that handed a submission in.
#[derive(Debug)]
struct Submitter {
    layout: SubmissionLayout,
    full_name: String,
    participant: Option<String>,
    username: Option<String>,
    email: Option<String>,
    folder: Option<String>,
    team: Option<RosterTeam>,
    late: bool,
}

impl Submitter {
    fn of(
        group: &SubmissionGroup<'_>,
        list: Option<&ClassList>,
        submitters: &BTreeMap<String, Vec<RosterStudent>>,
    ) -> Self {
        let PlatformName { layout, folder, full_name, participant, late, .. } = group.name.clone();
        let plain = layout == SubmissionLayout::Plain;
        let folder = (!plain).then_some(folder);
        let mut who = Self { layout, full_name, participant, username: None, email: None, folder, team: None, late };
        match layout {
            SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles => who.join_worksheet(list),
            SubmissionLayout::Gradescope => {
                who.join_students(
                    who.folder.as_ref().and_then(|folder| submitters.get(folder)).map_or(&[], Vec::as_slice),
                );
            }
            SubmissionLayout::Canvas | SubmissionLayout::Plain => {}
        }
        who
    }

    /// Adds the information in Moodle's worksheet about the student or the team.
    fn join_worksheet(&mut self, list: Option<&ClassList>) {
        let members = list.map(|list| list.of_team(&self.full_name)).unwrap_or_default();
        let listed = list.zip(self.participant.as_ref()).and_then(|(list, number)| list.of_participant(number));
        let is_called_so = listed.is_none() && is_called_like_team(&self.full_name);
        if !members.is_empty() || self.participant.is_none() || is_called_so {
            self.team = Some(RosterTeam { name: self.full_name.clone(), members });
        } else if let Some(listed) = listed {
            let name = &listed.student.name;
            // The folder's name is better than a name that other programs have damaged.
            if !name.is_empty() && !name.contains(char::REPLACEMENT_CHARACTER) {
                // Some sites put the account's name before the student's name.
                let before = self.full_name.strip_suffix(&name.replace('_', " ")).map(str::trim);
                self.username = before.filter(|word| !word.is_empty() && !word.contains(' ')).map(str::to_owned);
                self.full_name.clone_from(name);
            }
            self.email.clone_from(&listed.student.email);
            self.late |= listed.late;
        }
    }

    /// Adds the students listed by Gradescope.
    fn join_students(&mut self, students: &[RosterStudent]) {
        match students {
            [] => {}
            [student] => {
                self.full_name.clone_from(&student.name);
                self.email.clone_from(&student.email);
            }
            several => {
                let names: Vec<&str> = several.iter().map(|student| student.name.as_str()).collect();
                self.full_name = names.join(" and ");
                self.team = Some(RosterTeam { name: self.full_name.clone(), members: several.to_vec() });
            }
        }
    }

    /// Adds the information in an earlier worksheet about the same student or team.
    fn remember(&mut self, entry: &RosterEntry) {
        let RosterEntry { full_name, username, email, team, late, .. } = entry.clone();
        self.late |= late;
        self.full_name = full_name;
        self.username = self.username.take().or(username);
        self.email = self.email.take().or(email);
        self.team = self.team.take().filter(|team| !team.members.is_empty()).or(team);
    }

    /// Whether this is the student or team that `entry` records. Gradescope gives each submission a new number.
    fn is_of(&self, entry: &RosterEntry) -> bool {
        let is_moodle = |layout| matches!(layout, SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles);
        let same_platform = self.layout == entry.layout || (is_moodle(self.layout) && is_moodle(entry.layout));
        let by_number = self.layout != SubmissionLayout::Gradescope && self.participant.is_some();
        let by_email = self.email.is_some() && self.email == entry.email;
        same_platform
            && if by_number {
                self.participant == entry.participant
            } else {
                by_email || (self.full_name == entry.full_name && (self.email.is_none() || entry.email.is_none()))
            }
    }

    /// The participant's number as a sort key.
    fn number(&self) -> (usize, Option<String>) {
        (self.participant.as_ref().map_or(0, String::len), self.participant.clone())
    }
}

impl Earlier<'_> {
    /// The submission that `identity` handed in, as the player `player`.
    fn arrival(
        &self,
        identity: Submitter,
        player: &str,
        handed_in: HandedIn,
        change: ImportChange,
    ) -> ArrivedSubmission {
        let HandedIn { tree, files, files_sha256, submitted, submission_sha256, refusal, warnings, left_out } =
            handed_in;
        let refusal = refusal.map(|refusal| refusal.to_string());
        let kinds: Vec<String> = left_out.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
        let left_out = if kinds.is_empty() { String::new() } else { format!("left out: {}", kinds.join(", ")) };
        let recognition =
            tree.as_ref().map(|tree| recognise_bot(&files_of(tree, &files, self.given))).unwrap_or_default();
        let state = match (&refusal, &tree, &recognition.recipe) {
            (Some(_), _, _) => SubmissionState::Refused,
            (None, None, _) => SubmissionState::Empty,
            (None, Some(_), None) => SubmissionState::Unknown,
            (None, Some(_), Some(_)) => SubmissionState::Ready,
        };
        let Submitter { layout, full_name, participant, username, email, folder, team, late } = identity;
        let entry = RosterEntry {
            player: player.to_owned(),
            slug: slug(player),
            state,
            late,
            layout,
            full_name,
            participant,
            username,
            email,
            folder,
            team,
            submitted,
            submission_sha256,
            files,
            files_sha256,
        };
        ArrivedSubmission { imported: Imported { entry, recognition, refusal, warnings, left_out, change }, tree }
    }

    fn dir(&self, slug: &str) -> PathBuf {
        self.out.join("bots").join(slug)
    }

    /// The submission `old`, unchanged.
    fn kept(&self, old: &RosterEntry) -> ArrivedSubmission {
        let recognition = match old.state {
            SubmissionState::Ready | SubmissionState::Unknown => {
                recognise_bot(&files_of(&self.dir(&old.slug), &old.files, self.given))
            }
            SubmissionState::Empty | SubmissionState::Refused => Recognition::default(),
        };
        let imported = Imported {
            entry: old.clone(),
            recognition,
            refusal: None,
            warnings: Vec::new(),
            left_out: String::new(),
            change: ImportChange::Unchanged,
        };
        ArrivedSubmission { imported, tree: None }
    }

    /// The submission `old`, which is kept instead of a newer one; `why` is the reason.
    fn staying(&self, old: &RosterEntry, change: ImportChange, why: String) -> ArrivedSubmission {
        let mut found = self.kept(old);
        found.imported.change = change;
        found.imported.warnings.push(why);
        found
    }

    /// The earlier submission of `player`, if there is one; it is kept instead of the newer submission because
    /// `holders` are using its directory.
    pub(super) fn in_use(&self, player: &str, holders: &LockHolders) -> Option<ArrivedSubmission> {
        let old = self.roster?.of_player(player)?;
        let why = format!(
            "there is a newer submission, but `bots/{}` is in use by {holders}, and is therefore not replaced: repeat the \
             command when the directory is free",
            old.slug
        );
        Some(self.staying(old, ImportChange::InUse, why))
    }

    /// The submission `old`, handed in again and perhaps changed.
    fn again(&self, old: &RosterEntry, identity: Submitter, handed_in: HandedIn) -> ArrivedSubmission {
        if handed_in.submission_sha256 == old.submission_sha256 {
            let found = self.arrival(identity, &old.player, handed_in, ImportChange::Unchanged);
            return ArrivedSubmission { tree: None, ..found };
        }
        if self.is_edited(old, &handed_in) {
            let dir = format!("bots/{}", old.slug);
            let why = format!(
                "there is a newer submission, but `{dir}` was edited, and is therefore not replaced: move it elsewhere, and \
                 repeat the command"
            );
            return self.staying(old, ImportChange::Edited, why);
        }
        self.arrival(identity, &old.player, handed_in, ImportChange::Replaced)
    }

    /// Whether the files of `old` differ from those that `import` left. Files added by building and running a bot do
    /// not count.
    fn is_edited(&self, old: &RosterEntry, new: &HandedIn) -> bool {
        let dir = self.dir(&old.slug);
        let holds = |names: &[String], sha256: &str| bot_digest(&dir, names).is_some_and(|digest| digest == sha256);
        // An update that was killed may already have put the new files in place.
        let incoming = self.roster.and_then(|roster| roster.incoming.get(&old.slug));
        let is_incoming = || incoming.is_some_and(|sha256| *sha256 == new.files_sha256 && holds(&new.files, sha256));
        dir.symlink_metadata().is_ok() && !holds(&old.files, &old.files_sha256) && !is_incoming()
    }
}
