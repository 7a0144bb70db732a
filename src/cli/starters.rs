//! Starting points for users: a bot in each of several languages, and a class tournament. Each consists of a few files
//! that work as they are.
//!
//! The contents of the files are those in the repository's `examples/`; the rubric and the schemas are those in
//! `tournaments/`. The positions for the bots' tests are not embedded, because they are generated from the rules.

mod embedded;

use std::borrow::Cow;
use std::path::Path;

use thiserror::Error;

use crate::game::gothello::vectors;
use crate::tournament::{PlayerName, Tournament, Transport};
use embedded::{STARTERS, TOURNAMENT_FILES};

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The path in the new directory, with `/` between components.
    pub path: &'static str,
    /// The contents.
    pub text: Cow<'static, str>,
}

/// The files of a class tournament.
pub fn class_tournament() -> Vec<TextFile> {
    TOURNAMENT_FILES.map(|(path, text)| TextFile { path, text: text.into() }).into()
}

/// A bot to start from, in one language.
#[derive(Clone, Copy, Debug)]
pub struct Starter {
    /// The language as users name it, such as `python`.
    pub language: &'static str,
    /// The proper name of the language, such as `Python`.
    pub title: &'static str,
    /// Another name for the language.
    pub alias: Option<&'static str>,
    /// The path of the file that chooses the bot's moves.
    pub mind: &'static str,
    /// The paths and contents of the starter's files.
    files: &'static [(&'static str, &'static str)],
}

/// The error for a name that another player in the starter's tournament file already has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the bot cannot be called `{0}`, because it plays against the built-in bot of the same name")]
pub struct NameTaken(PlayerName);

impl Starter {
    /// The name of the bot in the embedded files.
    const NAME: &'static str = "my bot";

    /// The default name of a bot.
    pub fn unnamed() -> PlayerName {
        PlayerName::new(Self::NAME).expect("tested")
    }

    /// The starters of all languages.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        STARTERS.iter()
    }

    /// The starter in the language `word`, or in the language with the alias `word`.
    pub fn named(word: &str) -> Option<&'static Self> {
        Self::all().find(|starter| starter.language == word || starter.alias == Some(word))
    }

    /// The contents of the starter's source files, which are the same for each bot.
    pub fn sources(&self) -> impl Iterator<Item = &'static str> {
        let dir = Path::new(self.mind).parent();
        let is_source = move |path: &Path| {
            path.parent() == dir && path.extension().is_some_and(|ending| ending != "toml" && ending != "json")
        };
        self.files.iter().filter(move |(path, _)| is_source(Path::new(path))).map(|(_, text)| *text)
    }

    /// The files of a bot called `name` that communicates over `transport`.
    ///
    /// # Errors
    /// Returns an error if the bot's opponent in its tournament file is also called `name`.
    pub fn files(&self, name: &PlayerName, transport: Transport) -> Result<Vec<TextFile>, NameTaken> {
        let fill = |&(path, text): &(&'static str, &'static str)| {
            let text = if SETTINGS.contains(&path) { Cow::Owned(settings(text, name, transport)) } else { text.into() };
            TextFile { path, text }
        };
        let vectors = TextFile { path: "bot/vectors.json", text: vectors::json().into() };
        let files: Vec<TextFile> = self.files.iter().map(fill).chain([vectors]).collect();
        let tournament = files.iter().find(|file| file.path == TOURNAMENT).map_or("", |file| &file.text);
        if Tournament::parse(tournament, "try").is_err() {
            return Err(NameTaken(name.clone()));
        }
        Ok(files)
    }
}

/// The tournament file of a starter.
const TOURNAMENT: &str = "try.toml";

/// The files that contain the bot's name and how to start it.
const SETTINGS: [&str; 2] = [TOURNAMENT, "gothello.toml"];

/// The end of a starter's command if the bot connects on its own, and its replacement if the bot communicates over
/// stdin and stdout.
const OVER_TCP: &str = "\"{side}\", \"{host}\", \"{port}\"]\n";
const OVER_STDIO: &str = "\"{side}\", \"--stdio\"]\ntransport = \"stdio\"\n";

/// `text` with the bot's name, and with a command for `transport`.
fn settings(text: &str, name: &PlayerName, transport: Transport) -> String {
    let line = |name: &str| format!("name = {}\n", toml::Value::from(name));
    let named = text.replacen(&line(Starter::NAME), &line(name.as_str()), 1);
    match transport {
        // No starter is an engine.
        Transport::Tcp | Transport::Gtp => named,
        Transport::Stdio => named.replacen(OVER_TCP, OVER_STDIO, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> PlayerName {
        text.parse().expect("a name")
    }

    fn text<'a>(files: &'a [TextFile], path: &str) -> &'a str {
        &files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).text
    }

    #[test]
    fn every_starter_has_the_files_that_its_users_are_told_of() {
        for starter in Starter::all() {
            let files = starter.files(&name("my bot"), Transport::Tcp).expect("a free name");
            for path in ["README.md", "Makefile", ".gitignore", ".github/workflows/bot.yml", "bot/vectors.json"] {
                assert!(!text(&files, path).is_empty(), "{}: {path}", starter.language);
            }
            assert!(text(&files, starter.mind).contains("YOUR IDEA GOES HERE"), "{}", starter.language);
            // The sources include the files that students change and the files used by those, but not the build files.
            let sources: Vec<&str> = starter.sources().collect();
            assert!(sources.contains(&text(&files, starter.mind)) && sources.len() >= 4, "{}", starter.language);
            assert!(sources.iter().all(|source| !source.contains("[package]")), "{}", starter.language);
            for rule in ["try:", "test:", "check:", "bench:"] {
                assert!(text(&files, "Makefile").contains(&format!("\n{rule}")), "{}: {rule}", starter.language);
            }
        }
    }

    #[test]
    fn name_and_transport_reach_both_files_that_tell_them() {
        for starter in Starter::all() {
            for (bot, transport) in [("Ada's \\ bot", Transport::Stdio), ("ada", Transport::Tcp)] {
                let files = starter.files(&name(bot), transport).expect("a free name");
                for path in SETTINGS {
                    let table: toml::Table = text(&files, path).parse().expect("TOML");
                    let player = table.get("player").map_or(&table, |players| players[0].as_table().expect("a table"));
                    assert_eq!(player["name"].as_str(), Some(bot), "{}: {path}", starter.language);
                    let command: Vec<&str> =
                        player["command"].as_array().expect("words").iter().filter_map(toml::Value::as_str).collect();
                    let is_stdio = transport == Transport::Stdio;
                    assert_eq!(command.contains(&"--stdio"), is_stdio, "{}: {command:?}", starter.language);
                    assert_eq!(command.contains(&"{port}"), !is_stdio, "{}: {command:?}", starter.language);
                    assert_eq!(player.contains_key("transport"), is_stdio, "{}: {path}", starter.language);
                }
            }
        }
    }

    #[test]
    fn a_bot_cannot_have_its_opponents_name() {
        let taken = name("Greedy");
        for starter in Starter::all() {
            assert_eq!(starter.files(&taken, Transport::Tcp), Err(NameTaken(taken.clone())));
        }
    }

    #[test]
    fn a_class_tournament_can_be_played_as_it_is() {
        let files = class_tournament();
        let tournament = Tournament::parse(text(&files, "class.toml"), "class").expect("valid");
        assert!(tournament.players.len() >= 2);
        assert!(text(&files, "class.toml").starts_with("#:schema ./tournament.schema.json\n"));
        assert!(text(&files, "rubric.toml").starts_with("#:schema ./rubric.schema.json\n"));
        for schema in ["tournament.schema.json", "rubric.schema.json"] {
            assert!(text(&files, schema).starts_with('{'));
        }
    }

    /// A commented-out example for teachers must be valid once it is uncommented.
    #[test]
    fn the_commented_player_of_a_class_tournament_is_valid() {
        let files = class_tournament();
        let class = text(&files, "class.toml");
        let begin = class.find("# [[player]]").expect("an example");
        let uncommented: String = class[begin..]
            .lines()
            .take_while(|line| !line.is_empty())
            .map(|line| line.trim_start_matches("# "))
            .filter(|line| line.starts_with("[[") || line.contains(" = "))
            .map(|line| line.to_owned() + "\n")
            .collect();
        let whole = format!("{class}\n{uncommented}");
        let tournament = Tournament::parse(&whole, "class").unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(tournament.players.last().expect("players").name.as_str(), "Alice");
    }

    #[test]
    fn all_starters_together_are_small() {
        let mut all: Vec<(&str, &str)> = Starter::all().flat_map(|starter| starter.files.iter().copied()).collect();
        // Shared files count once, because the program contains them once.
        all.sort_unstable_by_key(|(_, text)| *text);
        all.dedup_by_key(|(_, text)| *text);
        let bytes: usize = all.iter().map(|(_, text)| text.len()).sum();
        // All starters print thoughts, which takes 2 KiB of code.
        assert!(bytes <= 178 << 10, "{bytes} bytes");
    }
}
