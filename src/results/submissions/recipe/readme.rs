//! Commands in a README.

use super::literal;
use super::roles::ArgumentRole;
use super::submitted_files::{SubmittedFiles, depth, file_name};

/// A command that a README shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownCommand {
    /// Its arguments, with placeholders in place of sides, hosts and numbers of servers.
    pub(super) words: Vec<String>,
    /// The file that shows it.
    pub(super) file: String,
}

impl ShownCommand {
    /// The command as a reason, in a clause.
    pub(super) fn why(&self) -> String {
        format!("`{}` shows this command", self.file)
    }
}

/// Whether a README of the submission mentions `word`.
pub(super) fn mentions(files: &SubmittedFiles, word: &str) -> bool {
    readmes(files).any(|(_, text)| text.contains(word))
}

/// The first command in a README that starts the program `started`: a file such as `bot.py`, or a class behind `java`.
pub(super) fn shown(files: &SubmittedFiles, started: &str) -> Option<ShownCommand> {
    readmes(files).find_map(|(name, text)| {
        let words = text.lines().find_map(|line| arguments_behind(line, started))?;
        Some(ShownCommand { words, file: name.to_owned() })
    })
}

fn readmes(files: &SubmittedFiles) -> impl Iterator<Item = (&str, &str)> {
    let all = files.with_ending(&[""]);
    all.filter(|(name, _)| {
        let file = file_name(name).to_ascii_lowercase();
        depth(name) <= 2 && (file.starts_with("readme") || file.starts_with("writeup") || file.starts_with("how"))
    })
}

/// The arguments behind `started` in a line of a README, if the line is a command that says the side.
fn arguments_behind(line: &str, started: &str) -> Option<Vec<String>> {
    let pieces: Vec<&str> = line.split('`').collect();
    let line = pieces.iter().find(|piece| has_word(piece, started)).copied()?;
    let mut words = line.split_whitespace().skip_while(|word| !is_program(word, started));
    words.next()?;
    let mut found = Vec::new();
    for word in words {
        if ["&", "&&", "|", ";", "#", "2>", ">"].iter().any(|end| word.starts_with(end)) {
            break;
        }
        match argument(word.trim_end_matches(['&', ';', ',']), &found) {
            Some(word) => found.push(word),
            None => break,
        }
    }
    found.iter().any(|word| word.contains("{side}")).then_some(found)
}

fn has_word(line: &str, started: &str) -> bool {
    line.split_whitespace().any(|word| is_program(word, started))
}

/// Whether `word` of a command is the program: by itself, or behind a path.
fn is_program(word: &str, started: &str) -> bool {
    word == started || word.strip_suffix(started).is_some_and(|before| before.ends_with('/'))
}

/// The word of a command for `word`, behind the arguments `before`. `None` if it is no argument.
fn argument(word: &str, before: &[String]) -> Option<String> {
    let plain = word.trim_matches(['<', '>', '[', ']', '(', ')', '"', '\'', '$']);
    if let Some((option, value)) = plain.split_once('=').filter(|(option, _)| option.starts_with("--")) {
        return Some(format!("{}={}", literal(option), argument(value, before)?));
    }
    if word.starts_with('-') {
        return Some(literal(word));
    }
    let sides = |word: &str| ["white", "black"].contains(&word.to_ascii_lowercase().as_str());
    if plain.split(['|', '/']).all(sides) {
        return Some(ArgumentRole::SIDE.word());
    }
    let has_host = before.iter().any(|word| word.contains("{host}"));
    if let Ok(number) = plain.parse::<u32>() {
        let has_server = before.iter().any(|word| word.contains("{server}") || word.contains("{port}"));
        return Some(match number {
            _ if has_server || !has_host => number.to_string(),
            0..1024 => "{server}".to_owned(),
            _ => "{port}".to_owned(),
        });
    }
    let is_host_name =
        plain.eq_ignore_ascii_case("localhost") || (plain.matches('.').count() >= 2 && !plain.ends_with('.'));
    if is_host_name && !has_host {
        return Some("{host}".to_owned());
    }
    // Words of prose are no arguments; names in brackets are.
    let is_marked = plain.len() < word.len() || !before.is_empty();
    ArgumentRole::named(plain).filter(|_| is_marked).map(ArgumentRole::word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_arguments_with_placeholders() {
        for (line, expected) in [
            ("    $ python3 gthplayer.py white localhost 0 5", Some("{side} {host} {server} 5")),
            ("Run `python3 src/gthplayer.py black barton.cs.pdx.edu 29057 &` first.", Some("{side} {host} {port}")),
            ("python3 gthplayer.py <side> <host> <server> <depth>", Some("{side} {host} {server} 3")),
            ("gthplayer.py --side=white --port 1", Some("--side={side} --port 1")),
            ("gthplayer.py (white|black) > out.txt", Some("{side}")),
            ("The program gthplayer.py plays well.", None),
            ("python3 other.py white", None),
        ] {
            let found = arguments_behind(line, "gthplayer.py").map(|words| words.join(" "));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
