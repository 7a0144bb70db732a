//! Commands in a README.

use super::course_files::{is_example, is_library, is_no_player, names_example};
use super::literal;
use super::roles::ArgumentRole;
use super::submitted_files::{SubmittedFiles, depth, dir_of, ends, file_name, stem};

/// A command that a README shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownCommand {
    /// The command's arguments, with placeholders in place of sides, hosts and server numbers.
    pub(super) words: Vec<String>,
    /// The file that shows the command.
    pub(super) file: String,
}

impl ShownCommand {
    /// A clause that gives the command as the reason.
    pub(super) fn why(&self) -> String {
        format!("`{}` shows this command", self.file)
    }
}

/// Whether one of the student's own READMEs mentions `started` as a word.
pub(super) fn is_named_by_own(files: &SubmittedFiles, started: &str) -> bool {
    own_readmes(files).any(|(_, text)| text.lines().any(|line| line.split('`').any(|piece| has_word(piece, started))))
}

/// Whether one of the student's own READMEs shows a command that starts `started`.
pub(super) fn is_shown_by_own(files: &SubmittedFiles, started: &str) -> bool {
    own_readmes(files).any(|(_, text)| text.lines().any(|line| arguments_behind(line, started).is_some()))
}

/// The first command in a README that starts the program `started`: a file such as `bot.py`, or a class after `java`.
pub(super) fn shown(files: &SubmittedFiles, started: &str) -> Option<ShownCommand> {
    own_readmes(files).chain(readmes(files)).find_map(|(name, text)| {
        let words = text.lines().find_map(|line| arguments_behind(line, started))?;
        Some(ShownCommand { words, file: name.to_owned() })
    })
}

/// The files that may show how a program is started.
fn readmes(files: &SubmittedFiles) -> impl Iterator<Item = (&str, &str)> {
    let all = files.with_ending(&[""]);
    all.filter(|(name, _)| {
        let file = file_name(name).to_ascii_lowercase();
        let is_text = file.starts_with("readme") || file.starts_with("writeup") || file.starts_with("how");
        depth(name) <= 2 && (is_text || ends(&file, ".sh"))
    })
}

/// The READMEs that are not the course's: the course did not hand them out, their directory does not belong to the
/// course's library, and they are about more than the course's examples.
fn own_readmes(files: &SubmittedFiles) -> impl Iterator<Item = (&str, &str)> {
    readmes(files).filter(|(name, text)| {
        let dir = dir_of(name);
        let beside = || files.names().filter(|other| dir_of(other) == dir && is_source(other));
        let is_in_library =
            !dir.is_empty() && beside().any(is_library) && beside().all(|other| is_of_course(files, other));
        let is_about_examples = starts_an_example(text) && !names_a_program(files, text);
        !files.is_given(name) && !is_in_library && !is_about_examples
    })
}

/// Whether `name` is a source file in a language that bots may be written in.
fn is_source(name: &str) -> bool {
    [".py", ".java", ".c", ".cc", ".cpp", ".go", ".js", ".pl", ".rb", ".lua", ".rs"]
        .iter()
        .any(|ending| ends(name, ending))
}

fn is_of_course(files: &SubmittedFiles, name: &str) -> bool {
    files.is_given(name) || is_example(name) || is_no_player(name, files.text(name).unwrap_or_default())
}

/// Whether a command in `text` starts one of the course's examples.
fn starts_an_example(text: &str) -> bool {
    text.lines().flat_map(|line| line.split('`')).any(|piece| {
        let words: Vec<&str> = piece.split_whitespace().collect();
        words
            .iter()
            .any(|word| names_example(word) && arguments_behind(piece, word.trim_matches(['`', ',', '.'])).is_some())
    })
}

/// Whether `text` names one of the student's source files.
fn names_a_program(files: &SubmittedFiles, text: &str) -> bool {
    let own = files.names().filter(|name| is_source(name) && !is_of_course(files, name));
    let mut words = own.flat_map(|name| [file_name(name).to_owned(), format!("java {}", stem(name))]);
    words.any(|word| text.contains(&word))
}

/// The arguments after `started` in a line of a README, if the line is a command that names the side.
fn arguments_behind(line: &str, started: &str) -> Option<Vec<String>> {
    line.split('`').filter(|piece| has_word(piece, started)).find_map(|piece| arguments_in(piece, started))
}

fn arguments_in(piece: &str, started: &str) -> Option<Vec<String>> {
    let all = words(piece);
    let mut words = all.iter().map(String::as_str).skip_while(|word| !is_program(word, started));
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

/// The words of a command. Text in brackets, such as `[server name]`, is one word.
fn words(piece: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open: Option<char> = None;
    for word in piece.split_whitespace() {
        match (open, words.last_mut()) {
            (Some(close), Some(last)) => {
                *last += " ";
                *last += word;
                open = (!word.contains(close)).then_some(close);
            }
            _ => {
                let close = [('[', ']'), ('<', '>'), ('(', ')')].into_iter().find(|(sign, _)| word.starts_with(*sign));
                open = close.map(|(_, close)| close).filter(|close| !word.contains(*close) && piece.contains(*close));
                words.push(word.to_owned());
            }
        }
    }
    words
}

fn has_word(line: &str, started: &str) -> bool {
    line.split_whitespace().any(|word| is_program(word, started))
}

/// Whether `word` in a command is the program `started`, alone or after a path.
fn is_program(word: &str, started: &str) -> bool {
    word == started || word.strip_suffix(started).is_some_and(|before| before.ends_with('/'))
}

/// Translates `word` in a README into a word of a command, given the arguments `before` it. Returns `None` if `word` is
/// not an argument.
fn argument(word: &str, before: &[String]) -> Option<String> {
    let plain = word.trim_matches(['<', '>', '[', ']', '(', ')', '"', '\'', '$']);
    if let Some((option, value)) = plain.split_once('=').filter(|(option, _)| option.starts_with("--")) {
        return Some(format!("{}={}", literal(option), argument(value, before)?));
    }
    if word.starts_with('-') {
        return Some(literal(word));
    }
    // A script passes on its own arguments.
    if let Some(place) = word
        .trim_matches(['"', '{', '}'])
        .strip_prefix('$')
        .and_then(|place| place.trim_matches(['{', '}']).parse::<usize>().ok())
    {
        let role = ArgumentRole::at(place.checked_sub(1)?)?.word();
        return (!before.contains(&role)).then_some(role);
    }
    let sides = |word: &str| ["white", "black"].contains(&word.to_ascii_lowercase().as_str());
    if plain.split(['|', '/']).map(str::trim).all(sides) {
        let side = ArgumentRole::SIDE.word();
        return (!before.contains(&side)).then_some(side);
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
    // Words of prose are not arguments; names in brackets or in capitals are.
    let is_in_capitals = plain.chars().all(|c| c.is_ascii_uppercase() || "_-".contains(c));
    let is_marked = plain.len() < word.len() || !before.is_empty() || is_in_capitals;
    let role = ArgumentRole::named(plain).filter(|_| is_marked)?;
    let is_new = |role: ArgumentRole| !before.contains(&role.word());
    // `<server> <number>` are a host and a number.
    let other = (role == ArgumentRole::SERVER).then_some(ArgumentRole::HOST);
    [Some(role), other].into_iter().flatten().find(|role| is_new(*role)).map(ArgumentRole::word)
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
            // The command counts, even if the program is mentioned before it, and regardless of the punctuation around
            // its words.
            (
                "About gthplayer.py: start it with `python3 gthplayer.py --depth 5 white localhost 0`",
                Some("--depth 5 {side} {host} {server}"),
            ),
            (
                "The program is `gthplayer.py`; start it with `python3 gthplayer.py --depth 5 white localhost 0`.",
                Some("--depth 5 {side} {host} {server}"),
            ),
            ("gthplayer.py [side] [server name] [server number] [depth]", Some("{side} {host} {server} 3")),
            ("gthplayer.py <white | black> <host>", Some("{side} {host}")),
            ("Start it with ./gthplayer.py SIDE HOST PORT", Some("{side} {host} {port}")),
            ("python3 gthplayer.py $1 localhost 0", Some("{side} {host} {server}")),
            ("python3 my_gthplayer.py white localhost 0", None),
            ("The program gthplayer.py plays well.", None),
            ("python3 other.py white", None),
        ] {
            let found = arguments_behind(line, "gthplayer.py").map(|words| words.join(" "));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
