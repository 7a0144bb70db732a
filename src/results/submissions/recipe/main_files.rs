//! Which of several source files is the bot.

use super::author_files::{is_example, is_server};
use super::submitted_files::{SubmittedFiles, depth, dir_of, file_name, stem};
use super::{readme, roles};

/// A source file that could be the bot.
#[derive(Clone, Copy, Debug)]
pub(super) struct MainFile<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// The higher, the more likely it is the bot.
    score: i32,
}

/// Source files that could be the bot, the likelier ones first.
#[derive(Debug)]
pub(super) struct MainFiles<'a> {
    pub(super) ranked: Vec<MainFile<'a>>,
    /// Whether the first one stands out.
    pub(super) is_clear: bool,
}

/// How much more the first file has to score than the second to stand out.
const CLEAR: i32 = 3;

/// Ranks `candidates`, files with something like a main function. `started` says how a README would call each.
pub(super) fn ranked<'a>(
    files: &'a SubmittedFiles,
    candidates: impl IntoIterator<Item = (&'a str, &'a str)>,
    started: impl Fn(&str) -> String,
) -> MainFiles<'a> {
    let mut ranked: Vec<MainFile<'a>> = Vec::new();
    for (name, text) in candidates {
        // Copies of one file in several folders are one candidate. Those near the top come first.
        let copy = ranked.iter_mut().find(|other| other.text == text && file_name(other.name) == file_name(name));
        let score = score(files, name, text, &started(name));
        match copy {
            Some(other) if other.score >= score => {}
            Some(other) => *other = MainFile { name, text, score },
            None => ranked.push(MainFile { name, text, score }),
        }
    }
    ranked.sort_by_key(|main| std::cmp::Reverse(main.score));
    let is_clear = match &ranked[..] {
        [first, second, ..] => first.score >= second.score + CLEAR,
        [only] => only.score > -CLEAR,
        [] => false,
    };
    MainFiles { ranked, is_clear }
}

fn score(files: &SubmittedFiles, name: &str, text: &str, started: &str) -> i32 {
    const SET_ASIDE: [&str; 11] =
        ["old", "copy", "backup", "bak", "archive", "test", "tests", "example", "examples", "unused", "kopie"];
    const TELLING: [&str; 7] = ["player", "bot", "agent", "main", "gothello", "gthplay", "client"];
    let dirs = dir_of(name).to_lowercase();
    let is_set_aside = dirs.split(|c: char| !c.is_alphanumeric()).any(|word| SET_ASIDE.contains(&word));
    let own = stem(name).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let points = [
        (is_set_aside, -8),
        (is_server(text), -10),
        (is_example(name), -4),
        (TELLING.iter().any(|word| own.contains(word)), 2),
        (has(&["argv", "args[", "argparse"]), 2),
        (has(&["GthClient", "gthclient", "GothelloClient", "gothello_client", "Socket", "socket", "net.connect"]), 4),
        (["white", "black"].iter().all(|side| text.contains(side)) || roles::ArgumentRole::named(&own).is_some(), 1),
        (readme::shown(files, started).is_some(), 6),
        (readme::mentions(files, started), 2),
    ];
    let depth = i32::try_from(depth(name)).unwrap_or(i32::MAX);
    points
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, points)| points)
        .sum::<i32>()
        .saturating_sub(2 * depth.min(99))
}
