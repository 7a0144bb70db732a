//! The class that a frozen ladder leaves behind: a tournament file that contains the last version of every player, and
//! that `grade` and `run` accept like any other.

use std::path::Path;

use toml::{Table, Value};

use crate::run::campaign::ladder_field::version_dir;
use crate::run::journal::{LadderHistory, LadderPlayer};

/// The name of the file in the directory of the results.
pub(super) const CLASS_FILE: &str = "class.toml";

/// The keys that occur only in the file of a ladder.
const OF_LADDER: [&str; 2] = ["format", "ladder"];

/// The keys of a player that specify how its versions arrive.
const OF_DOORS: [&str; 7] = ["folder", "git", "branch", "subdirectory", "git_key", "git_token_file", "submit"];

/// The tournament file of the class, given the `text` of the ladder's file in the directory `base`, and the history of
/// the ladder. A player is left out if none of its versions can play. Returns `None` if the text is not TOML, or if no
/// player is left.
///
/// Each program is named by its directory, relative to the directory of the results, which contains the file.
pub(super) fn class_file(text: &str, base: &Path, history: &LadderHistory) -> Option<String> {
    let mut table: Table = text.parse().ok()?;
    for key in OF_LADDER {
        table.remove(key);
    }
    let Some(Value::Array(players)) = table.remove("player") else { return None };
    let last = history.last_of_all();
    let kept = players.into_iter().filter_map(|player| match player {
        Value::Table(player) => of_class(player, base, &last),
        _ => None,
    });
    let kept: Vec<Value> = kept.map(Value::Table).collect();
    if kept.is_empty() {
        return None;
    }
    table.insert("player".to_owned(), Value::Array(kept));
    let head = "# The last version of every player in a ladder, for `grade` and `run`.\n\n";
    Some(format!("{head}{}", toml::to_string(&table).ok()?))
}

/// The table of a player in the class.
fn of_class(mut player: Table, base: &Path, last: &[&LadderPlayer]) -> Option<Table> {
    let name = player.get("name")?.as_str()?.to_owned();
    if let Some(Value::Array(paths)) = player.get_mut("readable") {
        for path in paths {
            absolute(path, base);
        }
    }
    if !OF_DOORS.iter().any(|key| player.contains_key(*key)) {
        anchor(&mut player, base);
        return Some(player);
    }
    let version = last.iter().find(|version| version.version.as_ref().is_some_and(|hand_in| hand_in.of == name))?;
    let program = version.program.as_ref()?;
    for key in OF_DOORS {
        player.remove(key);
    }
    let words = |words: &[String]| Value::Array(words.iter().cloned().map(Value::String).collect());
    let dir = version_dir(&version.name);
    let dir = if program.dir.is_empty() { dir } else { format!("{dir}/{}", program.dir) };
    player.insert("dir".to_owned(), Value::String(dir));
    player.insert("command".to_owned(), words(&program.command));
    if let Some(build) = &program.build {
        player.insert("build".to_owned(), words(build));
    }
    player.insert("transport".to_owned(), Value::String(program.transport.clone()));
    if !program.hosts.is_empty() {
        player.insert("hosts".to_owned(), words(&program.hosts));
    }
    if program.untold {
        player.insert("tell_clock".to_owned(), Value::Boolean(false));
    }
    Some(player)
}

/// Makes the directories of `player`'s program and of its modes' programs absolute. A program without a directory runs
/// in the directory of the tournament file, which is `base`.
fn anchor(player: &mut Table, base: &Path) {
    if let Some(dir) = player.get_mut("dir") {
        absolute(dir, base);
    } else if player.contains_key("command") {
        let mut dir = Value::String(String::new());
        absolute(&mut dir, base);
        player.insert("dir".to_owned(), dir);
    }
    if let Some(Value::Table(modes)) = player.get_mut("modes") {
        for (_, member) in modes.iter_mut() {
            if let Value::Table(member) = member {
                anchor(member, base);
            }
        }
    }
}

/// Makes the path `value` absolute; a relative path is relative to the directory `base`.
fn absolute(value: &mut Value, base: &Path) {
    if let Value::String(path) = value {
        let joined = base.join(&*path);
        *path = std::path::absolute(&joined).unwrap_or(joined).to_string_lossy().into_owned();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;

    use super::*;
    use crate::run::journal::{AcceptedEntry, HandInEntry, JournalEntry, PlayerEntry, ProgramLine};
    use crate::tournament::Tournament;
    use crate::tournament::definition::{Definition, PlayerDefinition};

    const TERM: &str = "format = \"ladder\"\ntime = \"20s\"\n[ladder]\nactive = 3\n\
        [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
        [[player]]\nname = \"ada\"\nfolder = \"in/ada\"\nmemory = \"1 GiB\"\n\
        [[player]]\nname = \"bo\"\ngit = \"https://git.example/bo\"\nbranch = \"main\"\nreadable = [\"book\"]\n\
        [[player]]\nname = \"cy\"\nsubmit = true\n";

    fn accepted(of: &str, number: u32, command: &str) -> JournalEntry {
        let at = Timestamp::UNIX_EPOCH;
        let version = HandInEntry {
            of: of.to_owned(),
            number,
            sources: "0".to_owned(),
            arrived: at,
            door: "folder".to_owned(),
            origin: String::new(),
        };
        let name = version.name();
        let program = ProgramLine {
            command: vec![command.to_owned(), "{side}".to_owned()],
            build: Some(vec!["make".to_owned()]),
            transport: "tcp".to_owned(),
            dir: "bot".to_owned(),
            hosts: Vec::new(),
            untold: false,
        };
        JournalEntry::Version(Box::new(AcceptedEntry {
            player: PlayerEntry { name: name.clone(), digest: None, files: BTreeMap::default(), products: None },
            definition: PlayerDefinition { name, facts: BTreeMap::default() },
            version: Some(version),
            program: Some(program),
            at,
        }))
    }

    #[test]
    fn a_class_has_the_last_version_of_every_player_that_has_one() {
        let ladder = Tournament::parse(TERM, "term").unwrap_or_else(|problems| panic!("{problems}"));
        let mut history = LadderHistory::new(&Definition::from(&ladder));
        for entry in [accepted("ada", 1, "./old"), accepted("bo", 1, "./bo"), accepted("ada", 3, "./new")] {
            history.take(&entry).unwrap_or_else(|error| panic!("{error}"));
        }
        let text = class_file(TERM, Path::new("/class"), &history).expect("a class");
        let class = Tournament::parse(&text, "class").unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let names: Vec<&str> = class.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["greedy", "ada", "bo"]);
        assert!(class.ladder.is_none() && class.time_control == ladder.time_control, "{text}");
        let table: Table = text.parse().expect("TOML");
        let key = |player: usize, key: &str| table["player"][player].get(key).cloned();
        assert_eq!(key(1, "dir"), Some("versions/ada_3/bot".into()));
        assert_eq!(key(1, "memory"), Some("1 GiB".into()));
        assert_eq!(key(2, "readable"), Some(Value::Array(vec!["/class/book".into()])));
        assert_eq!((key(1, "folder"), key(2, "git"), key(2, "branch")), (None, None, None));
    }

    #[test]
    fn the_programs_of_baselines_stay_where_they_are() {
        let text = "format = \"ladder\"\n[[player]]\nname = \"old\"\ncommand = [\"./old\"]\n\
            [[player]]\nname = \"far\"\ncommand = [\"./far\"]\ndir = \"far\"\n\
            [[player]]\nname = \"ada\"\nfolder = \"in/ada\"\n";
        let ladder = Tournament::parse(text, "term").unwrap_or_else(|problems| panic!("{problems}"));
        let history = LadderHistory::new(&Definition::from(&ladder));
        let class: Table = class_file(text, Path::new("/class"), &history).expect("a class").parse().expect("TOML");
        let dirs = class["player"].as_array().expect("players").iter().map(|player| player["dir"].as_str());
        assert_eq!(dirs.collect::<Vec<_>>(), [Some("/class/"), Some("/class/far")]);
        let mut team: Table =
            "[modes.go]\ncommand = [\"x\"]\n[modes.othello]\ncommand = [\"x\"]\ndir = \"o\"".parse().expect("TOML");
        anchor(&mut team, Path::new("/class"));
        let dir = |mode: &str| team["modes"][mode]["dir"].as_str();
        assert_eq!((dir("go"), dir("othello")), (Some("/class/"), Some("/class/o")));
    }

    #[test]
    fn without_players_there_is_no_class() {
        let text =
            "format = \"ladder\"\n[[player]]\nname = \"a\"\nfolder = \"a\"\n[[player]]\nname = \"b\"\nfolder = \"b\"\n";
        let ladder = Tournament::parse(text, "term").unwrap_or_else(|problems| panic!("{problems}"));
        let history = LadderHistory::new(&Definition::from(&ladder));
        assert_eq!(class_file(text, Path::new("/class"), &history), None);
    }
}
