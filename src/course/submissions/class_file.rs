//! The text of class.toml.

use std::fmt::Write as _;
use std::time::Duration;

use super::Imported;
use super::findings::{reason, warnings};
use super::recipe::{Certainty, Recipe, keys};
use super::toml_text::{toml_comment, toml_string};
use crate::base::sanitise::sanitised;
use crate::base::units::spaced;
use crate::course::roster::{RosterEntry, SubmissionState};
use crate::referee::time_control::SideControl;

/// A tournament file for a class.
#[derive(Clone, Copy, Debug)]
pub struct ClassFile<'a> {
    /// The tournament's name.
    pub name: &'a str,
    /// Each side's time control.
    pub control: SideControl,
    /// Whether this machine cannot confine bots and builds.
    pub is_unconfined: bool,
    /// The submissions, in the order of the file.
    pub submissions: &'a [Imported],
}

impl ClassFile<'_> {
    /// The text of the file. It is a valid tournament file, whatever names and other text the submissions contain.
    pub fn text(&self) -> String {
        let players = self.submissions.iter().filter(|one| one.entry.state == SubmissionState::Ready).count();
        let mut text = "#:schema ./tournament.schema.json\n".to_owned();
        // Writing to a string cannot fail.
        if self.is_unconfined {
            text += UNCONFINED;
        }
        let _ = write!(
            text,
            "# import: {players} of {} submissions have a player below; read IMPORT.md, then run: gothello-arena check class.toml --bots\n\n\
             name = {}\n\
             rounds = 1        # each pair meets twice in a round, once with each colour\n\
             seed = 441        # the source of all randomness; a different number gives different games\n\
             {}",
            self.submissions.len(),
            toml_string(self.name),
            clock_lines(self.control),
        );
        for submission in self.submissions {
            text += &block(submission);
        }
        let ready = self.submissions.iter().filter(|one| one.entry.state == SubmissionState::Ready);
        let mut sides = ready.map(|one| one.recognition.recipe.as_ref().and_then(|recipe| recipe.side));
        let only = sides.next().flatten();
        let nobody_meets = players > 1 && only.is_some() && sides.all(|side| side == only);
        if players < 2 {
            text += "\n# A tournament has at least two players, so the arena's own bots take part.\n";
        } else if nobody_meets {
            text += "\n# All players play the same side, so one of the arena's own bots takes part.\n";
        }
        let own = if nobody_meets { 1 } else { players.min(2) };
        for name in ["greedy", "random"].into_iter().skip(own) {
            let _ = write!(text, "\n[[player]]\nname = \"{name}\"\nbuiltin = \"{name}\"\n");
        }
        text
    }
}

/// The beginning of class.toml on a machine that cannot confine bots.
const UNCONFINED: &str = "\
# WARNING: this machine cannot confine programs, so the builds and bots below run with all your privileges: they can read
# your files and use the network. `gothello-arena doctor` says what is missing. Use another machine, or read every program first.
";

/// The lines that set both sides' clock to `control`.
fn clock_lines(control: SideControl) -> String {
    let line = |key: &str, value: &str, meaning: &str| format!("{:17} # {meaning}\n", format!("{key} = \"{value}\""));
    match control {
        SideControl::Game { increment: Duration::ZERO, .. } => {
            line("time", &control.shown(), "each side's time for the whole game")
        }
        SideControl::Game { .. } => {
            line("time", &control.shown(), "each side's time for the whole game, and the increment after each move")
        }
        SideControl::ByoYomi { .. } => {
            line("time", &control.shown(), "each side's main time, and its byo-yomi periods")
        }
        SideControl::PerMove { move_time, bank } => {
            let of_move = line("move_time", &spaced(move_time), "each side's time for each move");
            let of_bank = || line("bank", &spaced(bank), "each side's bank, for moves that take longer");
            if bank.is_zero() { of_move } else { of_move + &of_bank() }
        }
    }
}

/// The beginning of a line with a note about a submission.
pub(super) const NOTE: &str = "# note: ";

/// The lines for one submission, preceded by an empty line. If the submission has no player, the lines are commented
/// out.
pub fn block(submission: &Imported) -> String {
    let entry = &submission.entry;
    let name = toml_string(&entry.player);
    let whose = if entry.team.is_some() { "team" } else { "participant" };
    let number = entry.participant.as_ref().map(|number| format!("    # {whose} {}", sanitised(number)));
    let number = number.unwrap_or_default();
    let mut lines = Vec::new();
    let recipe = submission.recognition.recipe.as_ref().filter(|_| entry.state == SubmissionState::Ready);
    match recipe {
        Some(recipe) => {
            lines.extend(["[[player]]".to_owned(), format!("name = {name}{number}")]);
            let reason = format!("    # {}: {}", recipe.certainty, sanitised(&recipe.why));
            lines.extend(
                start_lines(entry, Some(recipe))
                    .into_iter()
                    .map(|key| if key.starts_with("command = ") { key + &reason } else { key }),
            );
        }
        None => {
            lines.push(format!("# No player: {}", sanitised(&reason(submission))));
            let example = "command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{server}\"]";
            let head = ["[[player]]".to_owned(), format!("name = {name}{number}")];
            let start = start_lines(entry, None).into_iter().chain([example.to_owned()]);
            lines.extend(head.into_iter().chain(start).map(|line| toml_comment("# ", &line)));
        }
    }
    for other in &submission.recognition.alternatives {
        lines.push(format!("# or, {}: {}", certainty(other.certainty), sanitised(&other.why)));
        lines.extend(start_lines(entry, Some(other)).iter().map(|line| toml_comment("#   ", line)));
    }
    if !submission.recognition.needs.is_empty() {
        lines.push(format!("# needs: {}", sanitised(&submission.recognition.needs.join(", "))));
    }
    let notes = submission.recognition.mistake.iter().filter(|_| recipe.is_some()).cloned().chain(warnings(submission));
    lines.extend(notes.map(|warning| format!("{NOTE}{}", sanitised(&warning))));
    format!("\n{}\n", lines.join("\n"))
}

/// The lines of class.toml that say where the bot of `entry` is, and how `recipe` builds and starts it.
pub(super) fn start_lines(entry: &RosterEntry, recipe: Option<&Recipe>) -> Vec<String> {
    lines_in(&format!("bots/{}", entry.slug), recipe)
}

/// The lines of class.toml for a bot in the directory `dir` below the class's directory, built and started by `recipe`.
pub fn lines_in(dir: &str, recipe: Option<&Recipe>) -> Vec<String> {
    let below = recipe.map_or("", |recipe| recipe.dir.as_str());
    let path = [dir, below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    let dir = format!("dir = {}", toml_string(&path));
    let openings = recipe.filter(|recipe| recipe.follows_openings).map(|_| "openings = true".to_owned());
    [dir].into_iter().chain(recipe.map(keys).unwrap_or_default()).chain(openings).collect()
}

const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Sure => "surely",
        Certainty::Likely => "likely",
        Certainty::Guess => "as a guess",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::sanitise::is_unprintable;
    use crate::course::roster::SubmissionLayout;
    use crate::course::submissions::recipe::{GivenFiles, Recognition, SubmittedFiles, recognise_bot};
    use crate::course::submissions::{ImportChange, PlayerNames};
    use crate::referee::time_control::TimeControl;
    use crate::tournament::Tournament;

    /// A student's submission with three programs that consist of the same text.
    fn imported(names: &mut PlayerNames, student: &str, file: &str, text: &str) -> Imported {
        let player = names.name(student, Some("7"));
        let paths = [file.to_owned(), format!("x{file}x.py"), format!("{file}/{file}y.py")];
        let texts = paths.iter().map(|path| (path.clone(), text.to_owned())).collect();
        let files = SubmittedFiles::new(paths.to_vec(), texts, &GivenFiles::default());
        let recognition = if text.is_empty() { Recognition::default() } else { recognise_bot(&files) };
        let state = if recognition.recipe.is_some() { SubmissionState::Ready } else { SubmissionState::Refused };
        Imported {
            entry: RosterEntry {
                player: player.to_string(),
                slug: player.slug(),
                state,
                late: false,
                layout: SubmissionLayout::Plain,
                full_name: student.to_owned(),
                participant: Some("7".to_owned()),
                username: None,
                email: None,
                folder: None,
                team: None,
                submitted: Vec::new(),
                submission_sha256: String::new(),
                files: Vec::new(),
                files_sha256: String::new(),
            },
            recognition,
            refusal: (state == SubmissionState::Refused).then(|| format!("`{file}` is\n[[player]]\u{1b}[2J")),
            warnings: vec![format!("`{file}`\nname = 1\r")],
            left_out: String::new(),
            change: ImportChange::Added,
        }
    }

    fn class(submissions: &[Imported], is_unconfined: bool) -> String {
        let control = SideControl::sudden_death(Duration::from_mins(1));
        ClassFile { name: "a \"class\"", control, is_unconfined, submissions }.text()
    }

    #[test]
    fn a_class_has_the_clock_that_it_was_given() {
        for text in ["60", "60+0.5", "600:5x30", "0:1x30", "1/move", "1.5/move+90bank"] {
            let control: SideControl = text.parse().expect("a control");
            let file = ClassFile { name: "class", control, is_unconfined: false, submissions: &[] }.text();
            let read = Tournament::parse(&file, "class").unwrap_or_else(|problems| panic!("{problems}\n{file}"));
            assert_eq!(read.time_control, TimeControl::both(control), "{file}");
        }
    }

    #[test]
    fn a_bot_that_follows_openings_can_play_in_a_class_with_openings() {
        for follows in [true, false] {
            let says = format!("command = [\"./b\", \"{{side}}\", \"{{port}}\"]\nopenings = {follows}");
            let mut one = imported(&mut PlayerNames::new([], ["a"]), "a", "bot.py", "import sys\n");
            let texts = [("gothello.toml".to_owned(), says)].into();
            let files = SubmittedFiles::new(vec!["gothello.toml".to_owned()], texts, &GivenFiles::default());
            one.recognition = recognise_bot(&files);
            one.entry.state = SubmissionState::Ready;
            let read = Tournament::parse(&format!("openings = {{ plies = 2 }}\n{}", class(&[one], false)), "class");
            assert_eq!(read.is_ok(), follows, "{read:?}");
        }
    }

    #[test]
    fn a_machine_that_cannot_confine_is_warned_of_on_top() {
        let (warned, plain) = (class(&[], true), class(&[], false));
        assert!(warned.lines().nth(1).is_some_and(|line| line.starts_with("# WARNING: this machine cannot confine")));
        assert!(!plain.contains("WARNING"));
        // Even without any submission, the file is a valid tournament.
        assert_eq!(Tournament::parse(&plain, "class").unwrap().players.len(), 2);
    }

    proptest! {
        /// Whatever students write in names and files, class.toml is valid and contains the players that import
        /// reports.
        #[test]
        fn every_class_file_is_valid(
            students in prop::collection::vec(
                (
                    "[=\"'\\\\#\\]\\[\u{1b}\n\u{202e}a-dß ]{0,8}",
                    "([\"'#\\\\{}\n\r\u{1b}\u{202e}\u{2028}\u{feff}a-c =]|\"\"\"|'''|\nx = 1\n){1,6}",
                    0_usize..4,
                ),
                0..6,
            )
        ) {
            let mut names = PlayerNames::new([], students.iter().map(|(name, _, _)| name.as_str()));
            let texts = ["", "import sys\nside = sys.argv[1]\n", "if __name__ == '__main__': x()\n", "GthClient('black', 'x.example.edu', 0)\n"];
            let submissions: Vec<Imported> = students
                .iter()
                .map(|(name, file, text)| imported(&mut names, name, &format!("{file}.py"), texts[*text]))
                .collect();
            let text = class(&submissions, false);
            let tournament = Tournament::parse(&text, "class").map_err(|problems| TestCaseError::fail(format!("{problems}\n{text}")))?;
            let ready = submissions.iter().filter(|one| one.entry.state == SubmissionState::Ready);
            let expected: Vec<&str> = ready.map(|one| one.entry.player.as_str()).collect();
            let found: Vec<&str> = tournament.players.iter().map(|player| player.name.as_str()).collect();
            prop_assert_eq!(&found[..expected.len()], &expected[..], "{}", text);
            prop_assert!((expected.len().max(2)..=expected.len().max(2) + 1).contains(&found.len()));
            let table: toml::Table = text.parse().expect("it was parsed before");
            prop_assert_eq!(table.keys().collect::<Vec<_>>(), ["name", "player", "rounds", "seed", "time"]);
            for player in table["player"].as_array().expect("players") {
                let keys: Vec<&String> = player.as_table().expect("a player").keys().collect();
                let is_known = keys == ["builtin", "name"]
                    || keys == ["command", "dir", "name"]
                    || keys == ["command", "dir", "hosts", "name", "sides"];
                prop_assert!(is_known, "{:?} {}", keys, text);
            }
            prop_assert!(!text.contains(|letter| letter != '\n' && is_unprintable(letter)), "{}", text);
        }
    }
}
