//! The text of class.toml: written by an import, or edited by the teacher and extended by an update.

use std::time::Duration;

use super::{CLASS, ClassDir, ImportSetting, NotImported, is_new};
use crate::course::roster::SubmissionState;
use crate::course::submissions::Imported;
use crate::course::submissions::class_file::{ClassFile, block};
use crate::course::submissions::update_notes::has_player;
use crate::game::Side;
use crate::referee::time_control::SideControl;
use crate::tournament::Tournament;

/// Each side's default time control.
const CONTROL: SideControl = SideControl::sudden_death(Duration::from_mins(1));

/// A class.toml that the teacher has edited.
pub(super) struct EditedClass {
    pub(super) tournament: Tournament,
    pub(super) text: String,
}

impl EditedClass {
    /// Reads the file's `bytes`; `None` if it has mistakes.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let tournament = Tournament::parse_bytes(bytes, "class").ok()?;
        Some(Self { tournament, text: String::from_utf8_lossy(bytes).into_owned() })
    }
}

impl ClassDir {
    /// The text of class.toml. An update keeps the name and the clocks of the class, so that its run can continue.
    pub(super) fn class_file(&self, submissions: &[Imported], setting: ImportSetting<'_>, old: &[u8]) -> String {
        let former: toml::Table = str::from_utf8(old).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
        let name = former.get("name").and_then(toml::Value::as_str).unwrap_or(&self.name);
        let control = setting.control.or_else(|| clock_of(old)).unwrap_or(CONTROL);
        ClassFile { name, control, is_unconfined: setting.is_unconfined, submissions }.text()
    }

    /// The text `old` of the teacher's class.toml, with the missing players added.
    pub(super) fn extended(&self, old: &[u8], submissions: &[Imported]) -> Result<String, NotImported> {
        let path = self.out.join(CLASS);
        let wrong = |problems| NotImported::ClassFile { path: path.clone(), problems };
        let known = Tournament::parse_bytes(old, "class").map_err(wrong)?;
        let mut text = String::from_utf8_lossy(old).into_owned();
        let new =
            |one: &&Imported| is_new(one) && one.entry.state == SubmissionState::Ready && !has_player(&known, one);
        text.extend(submissions.iter().filter(new).map(block));
        Tournament::parse(&text, "class").map(|_| text).map_err(wrong)
    }
}

/// The time control of both sides in `old`, the text of a class.toml that an import wrote.
fn clock_of(old: &[u8]) -> Option<SideControl> {
    Tournament::parse_bytes(old, "class").ok()?.time_control.of(Side::Black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::submissions::ImportChange;
    use crate::course::submissions::imported_for_tests::imported;

    #[test]
    fn an_edited_class_file_gets_the_new_players_that_it_lacks() {
        use SubmissionState::{Ready, Unknown};
        let dir = tempfile::tempdir().expect("a directory");
        let class = ClassDir::open(dir.path(), false).unwrap_or_else(|error| panic!("{error}"));
        let old = "# The teacher's.\n[[player]]\nname = \"ann\"\nbuiltin = \"random\"\n\
                   [[player]]\nname = \"renamed\"\ndir = \"bots/bea\"\ncommand = [\"./bot\"]\n";
        let submissions = [
            imported("ann", Ready, ImportChange::Added),
            imported("bea", Ready, ImportChange::Replaced),
            imported("cleo", Ready, ImportChange::Added),
            imported("dan", Ready, ImportChange::Replaced),
            imported("eve", Ready, ImportChange::Unchanged),
            imported("fay", Ready, ImportChange::Edited),
            imported("gus", Unknown, ImportChange::Added),
        ];
        let text = class.extended(old.as_bytes(), &submissions).unwrap_or_else(|error| panic!("{error}"));
        assert!(text.starts_with(old), "{text}");
        let tournament = Tournament::parse(&text, "class").unwrap_or_else(|problems| panic!("{problems}"));
        let players: Vec<&str> = tournament.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(players, ["ann", "renamed", "cleo", "dan"]);
    }
}
