//! Reads the tournament file of a ladder again when it has changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::sanitise::sanitised;
use crate::host::tournament_file::load;
use crate::tournament::definition::Definition;
use crate::tournament::ladder::Ladder;
use crate::tournament::{Player, PlayerName, Tournament};

/// How a tournament file has changed.
#[derive(Debug)]
pub(super) enum FileNews {
    /// The file has changed, and contains no mistakes.
    Changed(Box<Tournament>),
    /// The file has changed, but cannot be read. The reason is printable.
    Wrong(String),
}

/// A tournament file that may change.
#[derive(Debug)]
pub(super) struct TournamentFileWatch {
    file: PathBuf,
    /// The file's content when it was last read.
    content: Option<Vec<u8>>,
    /// The last content that has taken effect.
    accepted: Option<Vec<u8>>,
}

impl TournamentFileWatch {
    /// Watches `file`, which has just been read.
    pub(super) fn new(file: &Path) -> Self {
        let content = fs::read(file).ok();
        Self { file: file.to_owned(), accepted: content.clone(), content }
    }

    /// The file's text that last took effect; `None` if there is none.
    pub(super) fn text(&self) -> Option<&str> {
        str::from_utf8(self.accepted.as_ref()?).ok()
    }

    /// Notes that the content that was last read takes effect.
    pub(super) fn accept(&mut self) {
        self.accepted.clone_from(&self.content);
    }

    /// Checks the file again, and returns how it has changed; `None` if it has not.
    pub(super) fn poll(&mut self) -> Option<FileNews> {
        // An editor may be replacing the file at this moment.
        let content = fs::read(&self.file).ok().filter(|content| !content.is_empty())?;
        if self.content.as_ref() == Some(&content) {
            return None;
        }
        self.content = Some(content);
        Some(match load(Some(&self.file)) {
            Ok(loaded) => FileNews::Changed(Box::new(loaded.tournament)),
            Err(error) => FileNews::Wrong(error.to_string().lines().map(sanitised).collect::<Vec<_>>().join("\n")),
        })
    }
}

/// Why a run that began with `begun` cannot continue with `file`; `None` if it can.
pub(super) fn why_not(begun: &Tournament, file: &Tournament) -> Option<String> {
    let (mut begun, mut file) = (Definition::from(begun), Definition::from(file));
    let baselines = |definition: &Definition, other: &Definition| {
        let known = definition.players.iter().filter(|player| other.player(&player.name).is_some());
        known.cloned().collect::<Vec<_>>()
    };
    let (of_begun, of_file) = (baselines(&begun, &file), baselines(&file, &begun));
    for (definition, players) in [(&mut begun, of_begun), (&mut file, of_file)] {
        definition.players.clear();
        definition.frame.slugs.clear();
        for player in players {
            definition.add_player(player);
        }
    }
    let changes = begun.changes(&file);
    (!changes.is_empty()).then(|| {
        let changes: Vec<String> = changes.iter().map(|change| sanitised(&change.to_string())).collect();
        format!("{}: only the ladder and its players can change during a run", changes.join("; "))
    })
}

/// Why a run that began with the limits of the `old` ladder and its players without versions cannot continue with those
/// of the `new` ladder; `None` if it can. A change would apply to some versions immediately, and to the others only
/// after the next start. `has_versions` returns whether a player has versions.
pub(super) fn changed_limits(
    old: (&Ladder, &[Player]),
    new: (&Ladder, &[Player]),
    has_versions: impl Fn(&str) -> bool,
) -> Option<String> {
    let mut changed = Vec::new();
    let mut note = |name: &PlayerName, keys: Vec<&'static str>| {
        changed.extend((!keys.is_empty()).then(|| format!("`{}` of player `{name}`", keys.join("`, `"))));
    };
    for entry in new.0.entries.iter().filter(|entry| has_versions(entry.name.as_str())) {
        let before = old.0.entries.iter().find(|before| before.name == entry.name);
        note(&entry.name, before.map(|before| before.changed_limits(entry)).unwrap_or_default());
    }
    for player in new.1 {
        let before = old.1.iter().find(|before| before.name == player.name);
        let programs = before.into_iter().flat_map(|before| before.programs().zip(player.programs()));
        let keys = programs.flat_map(|((_, before), (_, now))| before.changed_limits(now)).collect();
        note(&player.name, keys);
    }
    (!changed.is_empty()).then(|| {
        format!(
            "{} cannot change during a run, because all games must have the same limits: end the run, change the file, \
             and start the run again",
            changed.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERM: &str = "format = \"ladder\"\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
        [[player]]\nname = \"base\"\ncommand = [\"./base\"]\nprocesses = 8\n\
        [[player]]\nname = \"ada\"\nfolder = \"in/ada\"\nmemory = \"1 GiB\"\nenv = { DEPTH = \"3\" }\n\
        [[player]]\nname = \"bo\"\nfolder = \"in/bo\"\n";

    /// Why a run of [`TERM`], in which `ada` has versions, cannot continue if `from` is replaced with `to`.
    fn why_not(from: &str, to: &str) -> Option<String> {
        let read = |text: &str| Tournament::parse(text, "term").unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let (old, new) = (read(TERM), read(&TERM.replacen(from, to, 1)));
        assert_eq!(super::why_not(&old, &new), None);
        let part = |tournament: &Tournament| (tournament.ladder.clone().expect("a ladder"), tournament.players.clone());
        let ((old, old_players), (new, new_players)) = (part(&old), part(&new));
        changed_limits((&old, &old_players), (&new, &new_players), |name| name == "ada")
    }

    #[test]
    fn limits_of_players_that_play_stay_as_they_are() {
        for (from, to, keys) in [
            ("1 GiB", "2 GiB", "`memory` of player `ada`"),
            ("DEPTH = \"3\"", "DEPTH = \"4\"", "`env` of player `ada`"),
            ("[[player]]", "scratch = \"1 MiB\"\n[[player]]", "`scratch` of player `ada`, `scratch` of player `base`"),
            (
                "in/ada\"",
                "in/ada\"\ntell_clock = false\nreadable = [\"/tmp\"]",
                "`readable`, `tell_clock` of player `ada`",
            ),
            ("= 8", "= 9", "`processes` of player `base`"),
        ] {
            let why = why_not(from, to).unwrap_or_default();
            assert!(why.starts_with(&format!("{keys} cannot change")), "{why}");
        }
        for (from, to) in [
            ("in/ada", "in/other"),
            ("in/bo\"", "in/bo\"\nmemory = \"3 GiB\""),
            ("in/ada\"", "in/ada\"\ncommand = [\"./bot\"]\ntransport = \"stdio\""),
            ("[[player]]\nname = \"ada\"", "[[player]]\nname = \"ada2\""),
        ] {
            assert_eq!(why_not(from, to), None, "{to}");
        }
    }

    #[test]
    fn only_what_has_taken_effect_is_the_text_of_the_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("term.toml");
        fs::write(&file, TERM).expect("written");
        let mut watch = TournamentFileWatch::new(&file);
        assert!(watch.poll().is_none());
        fs::write(&file, "format = 3").expect("written");
        assert!(matches!(watch.poll(), Some(FileNews::Wrong(_))));
        assert!(watch.poll().is_none());
        assert_eq!(watch.text(), Some(TERM));
        let changed = TERM.replace("1 GiB", "3 GiB");
        fs::write(&file, &changed).expect("written");
        assert!(matches!(watch.poll(), Some(FileNews::Changed(_))));
        assert_eq!(watch.text(), Some(TERM), "it is not accepted yet");
        watch.accept();
        assert_eq!(watch.text(), Some(&*changed));
    }
}
