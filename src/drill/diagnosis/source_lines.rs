//! Searches for lines in a bot's sources.

mod imported;

use std::ffi::OsStr;
use std::path::Path;

use super::SourceFiles;
use super::language::Language;
use super::stderr::StackLine;
use crate::base::sanitise::sanitised;
use crate::drill::readiness::SourcePlace;

/// A bot's sources with their language.
#[derive(Debug)]
pub(super) struct SourceCode<'a> {
    sources: &'a SourceFiles,
    pub(super) language: Language,
    /// The code files that the bot runs, by index: those named by its command, followed by those that they import. If
    /// the command names no code file, these are all code files.
    run: Vec<usize>,
}

/// One line of a bot's sources. Its text is hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeLine<'a> {
    file: &'a str,
    number: usize,
    pub(super) text: &'a str,
}

impl CodeLine<'_> {
    /// Whether both lines are in the same file.
    pub(super) fn is_in_file_of(&self, other: &Self) -> bool {
        self.file == other.file
    }

    pub(super) fn place(&self) -> SourcePlace {
        SourcePlace { file: sanitised(self.file), line: u32::try_from(self.number).ok() }
    }
}

impl<'a> SourceCode<'a> {
    pub(super) fn new(sources: &'a SourceFiles) -> Self {
        let language = Language::of_bot(sources);
        Self { sources, language, run: imported::files_that_run(sources, language) }
    }

    /// The words of the bot's command.
    pub(super) fn command(&self) -> &'a [String] {
        &self.sources.command
    }

    /// Whether the bot may use `host` as the referee's host.
    pub(super) fn may_use(&self, host: &str) -> bool {
        self.sources.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    /// The lines of code in the files named by the bot's command.
    pub(super) fn started_lines(&self) -> impl Iterator<Item = CodeLine<'a>> + Clone + '_ {
        self.lines().filter(|line| self.command().iter().any(|word| stem(word) == stem(line.file)))
    }

    /// Whether there is any code in the bot's language.
    pub(super) fn is_known(&self) -> bool {
        self.language != Language::Other && self.lines().next().is_some()
    }

    /// The lines of code that the bot runs, excluding lines with only a comment.
    pub(super) fn lines(&self) -> impl Iterator<Item = CodeLine<'a>> + Clone + '_ {
        self.run
            .iter()
            .flat_map(|&index| lines_of(&self.sources.files[index]))
            .filter(|line| !self.is_comment(line.text))
    }

    /// The lines of code in the bot's language in all files, excluding lines with only a comment.
    fn all_code(&self) -> impl Iterator<Item = CodeLine<'a>> + '_ {
        self.all_lines(|name| Language::of_file(name).is_some_and(|language| self.language.takes(language)))
            .filter(|line| !self.is_comment(line.text))
    }

    /// The lines of all files that are not code, such as configuration files.
    pub(super) fn settings(&self) -> impl Iterator<Item = CodeLine<'a>> + '_ {
        const ENDINGS: [&str; 10] =
            ["cfg", "conf", "config", "env", "ini", "json", "properties", "toml", "yaml", "yml"];
        self.all_lines(|name| name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)))
    }

    fn all_lines<'s>(
        &'s self,
        is_meant: impl Fn(&str) -> bool + Clone + 's,
    ) -> impl Iterator<Item = CodeLine<'a>> + Clone + 's {
        self.sources.files.iter().filter(move |(name, _)| is_meant(name)).flat_map(lines_of)
    }

    fn is_comment(&self, line: &str) -> bool {
        let line = line.trim_start();
        let is_python = matches!(self.language, Language::Python | Language::Other);
        line.starts_with("//")
            || line.starts_with("/*")
            || line.starts_with("* ")
            || (is_python && line.starts_with('#'))
    }

    /// The first line of code that satisfies `is_meant`.
    pub(super) fn find(&self, is_meant: impl Fn(&str) -> bool) -> Option<CodeLine<'a>> {
        self.lines().find(|line| is_meant(line.text))
    }

    /// The first line of code that contains one of `words`.
    pub(super) fn find_any(&self, words: &[&str]) -> Option<CodeLine<'a>> {
        words.iter().find_map(|word| self.find(|line| line.contains(word)))
    }

    /// Whether the bot has a file called `name` in any of its directories.
    pub(super) fn has_file(&self, name: &str) -> bool {
        self.sources.files.iter().any(|(file, _)| file.rsplit('/').next() == Some(name))
    }

    /// The line of the bot's own code nearest to the origin of an exception with the stack `calls`.
    pub(super) fn own_line(&self, calls: &[StackLine]) -> Option<CodeLine<'a>> {
        calls.iter().find_map(|call| self.line_of(call))
    }

    /// All lines of code, starting with files named in `calls` or by the bot's command.
    pub(super) fn nearest_lines(&self, calls: &[StackLine]) -> Vec<CodeLine<'a>> {
        let is_named = |line: &CodeLine<'_>| {
            let is_started = |word: &String| stem(word) == stem(line.file);
            calls.iter().any(|call| is_suffix(line.file, &call.file)) || self.command().iter().any(is_started)
        };
        let (named, others): (Vec<_>, Vec<_>) = self.all_code().partition(is_named);
        [named, others].concat()
    }

    fn line_of(&self, call: &StackLine) -> Option<CodeLine<'a>> {
        let (file, text) = self
            .sources
            .files
            .iter()
            .filter(|(name, _)| is_suffix(name, &call.file))
            // If several files match, the file with the longest path matches in the most directories.
            .max_by_key(|(name, _)| name.len())?;
        let index = usize::try_from(call.line).ok()?.checked_sub(1)?;
        Some(CodeLine { file, number: index + 1, text: text.lines().nth(index)? })
    }
}

fn lines_of((file, text): &(String, String)) -> impl Iterator<Item = CodeLine<'_>> + Clone {
    text.lines().enumerate().map(move |(index, text)| CodeLine { file, number: index + 1, text })
}

/// The name of the program built from a source file: `Bot` for `Bot.java`, `bin/Bot` or `Bot`.
fn stem(path: &str) -> Option<&OsStr> {
    Path::new(path).file_stem()
}

/// Whether the path `whole` ends with the path `part`, or vice versa, since a runtime may report fewer or more
/// directories.
fn is_suffix(part: &str, whole: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')) && !short.is_empty()
    };
    let whole = whole.strip_prefix("./").unwrap_or(whole);
    ends(whole, part) || (!whole.starts_with('/') && ends(part, whole))
}

/// The quoted strings on `line`.
pub(super) fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find(['"', '\'']) {
        let quote = &rest[open..=open];
        let inside = &rest[open + 1..];
        let Some(close) = inside.find(quote) else { break };
        found.push(&inside[..close]);
        rest = &inside[close + 1..];
    }
    found
}

/// Whether `text` contains `word` with no letter, digit, `_` or `.` directly before it and no letter, digit or `_`
/// directly after it.
pub(super) fn has_bare_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_stack_is_found_in_the_sources_whatever_directories_the_runtime_knows() {
        let files = [("bot.py", "a\nb"), ("lib/client.py", "c\nd"), ("old/client.py", "e")];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
        let sources = SourceFiles { files, command: Vec::new(), hosts: Vec::new() };
        let code = SourceCode::new(&sources);
        let found = |file: &str, line| {
            let call = StackLine { file: file.to_owned(), line, code: String::new() };
            code.own_line(&[call]).map(|line| (line.file.to_owned(), line.text.to_owned()))
        };
        let line = |file: &str, text: &str| Some((file.to_owned(), text.to_owned()));
        assert_eq!(found("/class/bots/bot.py", 2), line("bot.py", "b"));
        assert_eq!(found("./bot.py", 1), line("bot.py", "a"));
        assert_eq!(found("/x/lib/client.py", 2), line("lib/client.py", "d"));
        assert_eq!(found("client.py", 1).map(|(_, text)| text.len()), Some(1));
        for (file, number) in
            [("/usr/lib/python3/socket.py", 1), ("/x/notbot.py", 1), ("bot.py", 0), ("bot.py", 3), ("", 1)]
        {
            assert_eq!(found(file, number), None, "{file}");
        }
    }

    #[test]
    fn files_that_a_stack_or_the_command_names_come_first() {
        let files = ["a.py", "Bot.py", "client.py"].map(|name| (name.to_owned(), name.to_owned()));
        let order = |command: &str, calls: &[&str]| {
            let sources = SourceFiles {
                files: files.to_vec(),
                command: vec!["python3".into(), command.into()],
                hosts: Vec::new(),
            };
            let call = |file: &&str| StackLine { file: (*file).to_owned(), line: 1, code: String::new() };
            let calls: Vec<StackLine> = calls.iter().map(call).collect();
            SourceCode::new(&sources).nearest_lines(&calls).iter().map(|line| line.file.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(order("none", &[]), ["a.py", "Bot.py", "client.py"]);
        assert_eq!(order("bots/Bot.py", &[]), ["Bot.py", "a.py", "client.py"]);
        assert_eq!(order("Bot", &["/x/client.py"]), ["Bot.py", "client.py", "a.py"]);
    }

    #[test]
    fn quoted_texts_and_bare_words_are_found() {
        assert_eq!(quoted("a(\"b\", 'c d', \"\") # it's"), ["b", "c d", ""]);
        assert!(has_bare_word("self.my_time = white_time_control", "white_time_control"));
        assert!(!has_bare_word("self.white_time_control = 1", "white_time_control"));
        assert!(!has_bare_word("x = white_time_controls", "white_time_control"));
    }
}
