//! The changes to class.toml that remain to be made after an update.

use std::path::Path;

use super::class_file::{NOTE, block, start_lines};
use super::toml_text::toml_string;
use super::{ImportChange, Imported};
use crate::base::sanitise::sanitised;
use crate::course::roster::SubmissionState;
use crate::results::quoting::{fenced, markdown};
use crate::tournament::{HostName, Player, PlayerKind, Program, Template, Tournament};

/// All changes to class.toml that remain to be made after an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateNotes {
    /// The players whose new submission has no program.
    pub lost: Vec<LostPlayer>,
    /// The players whose new submissions have to be built or started differently from the teacher's class.toml.
    pub stale: Vec<StalePlayer>,
    /// The players for whom the teacher's class.toml contains notes about their earlier submissions.
    pub outdated: Vec<OutdatedNotes>,
}

/// A player whose new submission has no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostPlayer {
    /// The player's name.
    pub player: String,
    /// The problem with the new submission, as a clause, which may contain untrusted text.
    pub why: String,
    /// The directory of the previous bot, relative to the class's directory.
    pub former: String,
    /// The lines of class.toml for the previous bot: its directory, and how it is built and started.
    pub lines: Vec<String>,
    /// Whether class.toml still lists the player.
    pub is_in_class: bool,
}

/// A player whose new submission has to be built or started differently from class.toml.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StalePlayer {
    /// The player's name in class.toml.
    pub player: String,
    /// The lines of class.toml that would build and start the new submission.
    pub lines: Vec<String>,
}

/// Notes of an earlier import that do not apply to a player's new submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutdatedNotes {
    /// The player's name in class.toml.
    pub player: String,
    /// The lines of class.toml that contain the notes.
    pub lines: Vec<String>,
}

impl UpdateNotes {
    /// The notes in the teacher's class.toml that an import would not write for the new submissions among
    /// `submissions`. `text` is the file's text, and `class` the tournament that it defines.
    pub fn outdated(text: &str, class: &Tournament, submissions: &[Imported]) -> Vec<OutdatedNotes> {
        let is_new =
            |one: &&Imported| one.change == ImportChange::Replaced && one.entry.state == SubmissionState::Ready;
        let outdated = |one: &Imported| {
            let (player, _) = player_of(class, one)?;
            let head = format!("name = {}", toml_string(player.name.as_str()));
            let now = block(one);
            let lines = text.lines().skip_while(|line| !line.starts_with(&head)).skip(1);
            let own = lines.take_while(|line| !line.trim_start_matches(['#', ' ']).starts_with("[["));
            let notes = own.filter(|line| line.starts_with(NOTE) && !now.lines().any(|other| other == line.trim_end()));
            let lines: Vec<String> = notes.map(sanitised).collect();
            (!lines.is_empty()).then(|| OutdatedNotes { player: player.name.to_string(), lines })
        };
        submissions.iter().filter(is_new).filter_map(outdated).collect()
    }

    /// The players in `class`, the teacher's class.toml, whose new submissions among `submissions` are built or started
    /// differently.
    pub fn stale(class: &Tournament, submissions: &[Imported]) -> Vec<StalePlayer> {
        let is_new =
            |one: &&Imported| one.change == ImportChange::Replaced && one.entry.state == SubmissionState::Ready;
        let stale = |one: &Imported| {
            let recipe = one.recognition.recipe.as_ref()?;
            let (player, program) = player_of(class, one)?;
            let hosts: Vec<&str> = program.hosts.iter().map(HostName::as_str).collect();
            let dir = Path::new("bots").join(&one.entry.slug).join(&recipe.dir);
            let command: Option<Vec<Template>> = recipe.command.iter().map(|word| Template::parse(word).ok()).collect();
            let is_same = program.dir.as_ref().is_some_and(|own| own.components().eq(dir.components()))
                && Some(&program.command) == command.as_ref()
                && program.build == recipe.build
                && program.transport == recipe.transport
                && hosts == recipe.hosts
                && player.only_side == recipe.side
                && player.is_told_clock == recipe.is_told_clock;
            (!is_same)
                .then(|| StalePlayer { player: player.name.to_string(), lines: start_lines(&one.entry, Some(recipe)) })
        };
        submissions.iter().filter(is_new).filter_map(stale).collect()
    }

    /// The lines for a terminal; empty if nothing remains to be done.
    pub fn text(&self) -> String {
        let lost = self.lost.iter().map(|lost| (sanitised(&lost.told()), lost.pasted()));
        let stale = self.stale.iter().map(|stale| (sanitised(&stale.told()), stale.lines.clone()));
        let note = |(told, lines): (String, Vec<String>)| {
            [told].into_iter().chain(lines.into_iter().map(|line| format!("  {line}"))).collect::<Vec<_>>().join("\n")
        };
        let outdated = self.outdated.iter().map(|outdated| (sanitised(&outdated.told()), outdated.lines.clone()));
        lost.chain(stale).chain(outdated).map(|told| note(told) + "\n").collect()
    }

    /// A section of Markdown; empty if nothing remains to be done.
    pub fn markdown(&self) -> String {
        let lost = self.lost.iter().map(|lost| (lost.told(), lost.pasted()));
        let stale = self.stale.iter().map(|stale| (stale.told(), stale.lines.clone()));
        let outdated = self.outdated.iter().map(|outdated| (outdated.told(), outdated.lines.clone()));
        let notes: Vec<String> = lost
            .chain(stale)
            .chain(outdated)
            .map(|(told, lines)| format!("\n{}\n\n{}", markdown(&told), fenced(&lines.join("\n"))))
            .collect();
        if notes.is_empty() { String::new() } else { format!("\n## To do in class.toml\n{}", notes.concat()) }
    }
}

/// Returns the player in `class` with the name of `submission`, or else the one in its directory, with the player's
/// program.
fn player_of<'c>(class: &'c Tournament, submission: &Imported) -> Option<(&'c Player, &'c Program)> {
    let programs = || {
        class.players.iter().filter_map(|player| match &player.kind {
            PlayerKind::Program(program) => Some((player, program)),
            PlayerKind::Builtin(_) | PlayerKind::Remote(_) | PlayerKind::Team(_) => None,
        })
    };
    let named = programs().find(|(player, _)| player.name.as_str() == submission.entry.player);
    named.or_else(|| programs().find(|(_, program)| is_below_bots(program, &submission.entry.slug)))
}

/// The name of `submission`'s player in `class`, where the teacher may have renamed the player, or else the name in
/// import.json.
pub fn name_in<'s>(class: Option<&'s Tournament>, submission: &'s Imported) -> &'s str {
    class
        .and_then(|class| player_of(class, submission))
        .map_or(&submission.entry.player, |(player, _)| player.name.as_str())
}

/// Whether `class` contains a player with the name or the directory of `submission`.
pub fn has_player(class: &Tournament, submission: &Imported) -> bool {
    let is_named = || class.players.iter().any(|player| player.name.as_str() == submission.entry.player);
    is_named() || player_of(class, submission).is_some()
}

fn is_below_bots(program: &Program, slug: &str) -> bool {
    program.dir.as_ref().is_some_and(|dir| dir.starts_with(Path::new("bots").join(slug)))
}

impl LostPlayer {
    fn told(&self) -> String {
        let Self { player, why, former, is_in_class, .. } = self;
        let now =
            if *is_in_class { "class.toml still lists the player" } else { "class.toml no longer lists the player" };
        let advice = match (is_in_class, self.lines.is_empty()) {
            (true, true) => "delete it",
            (true, false) => "delete it, or let the previous bot play with these lines",
            (false, _) => "to let the previous bot play, add these lines",
        };
        format!(
            "`{player}`: the new submission has no program ({why}); the previous bot is in `{former}`; {now}: {advice}:"
        )
    }

    /// The lines to paste into class.toml.
    fn pasted(&self) -> Vec<String> {
        let header = ["[[player]]".to_owned(), format!("name = {}", toml_string(&self.player))];
        header.into_iter().filter(|_| !self.is_in_class).chain(self.lines.iter().cloned()).collect()
    }
}

impl StalePlayer {
    fn told(&self) -> String {
        format!(
            "`{}`: import would build or start the new submission differently from class.toml, which was edited; if the \
             lines below are right, copy them into class.toml:",
            self.player
        )
    }
}

impl OutdatedNotes {
    fn told(&self) -> String {
        format!("`{}`: these notes in class.toml are about the previous submission; delete them:", self.player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::submissions::imported_for_tests::imported;

    #[test]
    fn notes_that_import_would_not_make_about_a_new_submission_are_outdated() {
        use SubmissionState::{Ready, Unknown};
        let text = "[[player]]\nname = \"ibis\"\n# note: `old.py` is a copy\nbuiltin = \"random\"\n\n\
                    [[player]]\nname = \"heron\"    # participant 7\ndir = \"bots/heron\"\ncommand = [\"./bot\"]\n\
                    # note: `old.py` is a copy\n# note: `new.py` is a copy\n# It wants more memory.\n\
                    # [[player]]\n# note: `older.py` is a copy\n";
        let class = Tournament::parse(text, "class").unwrap_or_else(|problems| panic!("{problems}"));
        for (state, change, is_outdated) in [
            (Ready, ImportChange::Replaced, true),
            (Unknown, ImportChange::Replaced, false),
            (Ready, ImportChange::Added, false),
            (Ready, ImportChange::Unchanged, false),
            (Ready, ImportChange::Edited, false),
        ] {
            let mut heron = imported("heron", state, change);
            heron.warnings.push("`new.py` is a copy".to_owned());
            let stranger = imported("crane", state, change);
            let lines = vec!["# note: `old.py` is a copy".to_owned()];
            let expected = OutdatedNotes { player: "heron".to_owned(), lines };
            assert_eq!(
                UpdateNotes::outdated(text, &class, &[stranger, heron]),
                is_outdated.then_some(expected).into_iter().collect::<Vec<_>>(),
                "{state:?} {change:?}"
            );
        }
    }
}
