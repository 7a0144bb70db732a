//! The language that a bot is written in.

use super::SourceFiles;

/// A programming language for which the advice contains code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Java,
    C,
    Cpp,
    Rust,
    JavaScript,
    Other,
}

impl Language {
    /// The language of the file `name`, if it is code.
    pub(super) fn of_file(name: &str) -> Option<Self> {
        let (stem, ending) = name.rsplit('/').next().unwrap_or(name).rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        match ending.to_ascii_lowercase().as_str() {
            "py" | "pyw" => Some(Self::Python),
            "java" => Some(Self::Java),
            "c" | "h" => Some(Self::C),
            "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" => Some(Self::Cpp),
            "rs" => Some(Self::Rust),
            "js" | "mjs" | "cjs" | "ts" => Some(Self::JavaScript),
            _ => None,
        }
    }

    /// The language of a bot, according to its command or, failing that, the language of most of its files.
    pub(super) fn of_bot(sources: &SourceFiles) -> Self {
        let command = sources.command.iter().find_map(|word| Self::of_file(word).or_else(|| Self::of_program(word)));
        command.unwrap_or_else(|| Self::of_most(sources))
    }

    /// The language of the programs that `word` runs, if it names an interpreter or a build tool.
    fn of_program(word: &str) -> Option<Self> {
        let name = word.rsplit('/').next().unwrap_or(word);
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "python" | "pypy" => Some(Self::Python),
            "java" => Some(Self::Java),
            "node" | "nodejs" | "deno" | "bun" => Some(Self::JavaScript),
            "cargo" => Some(Self::Rust),
            _ => None,
        }
    }

    fn of_most(sources: &SourceFiles) -> Self {
        let count = |language| sources.files.iter().filter(|(name, _)| Self::of_file(name) == Some(language)).count();
        // C++ headers often have the same extension as C headers, so a single C++ file decides for both.
        let c = if count(Self::Cpp) > 0 { Self::Cpp } else { Self::C };
        let counts = [
            (Self::Python, count(Self::Python)),
            (Self::Java, count(Self::Java)),
            (c, count(Self::C) + count(Self::Cpp)),
            (Self::Rust, count(Self::Rust)),
            (Self::JavaScript, count(Self::JavaScript)),
        ];
        let most = counts.into_iter().rev().max_by_key(|(_, files)| *files);
        most.filter(|(_, files)| *files > 0).map_or(Self::Other, |(language, _)| language)
    }

    /// Whether files in the language `other` may belong to a bot in this language.
    pub(super) fn takes(self, other: Self) -> bool {
        let is_c = |language| matches!(language, Self::C | Self::Cpp);
        self == other || self == Self::Other || (is_c(self) && is_c(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot(files: &[&str], command: &[&str]) -> Language {
        let files = files.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        Language::of_bot(&SourceFiles { files, command, hosts: Vec::new() })
    }

    #[test]
    fn the_command_tells_the_language_and_otherwise_most_files_do() {
        assert_eq!(bot(&[], &["python3", "bot.py", "{side}"]), Language::Python);
        assert_eq!(bot(&["a.py"], &["/usr/bin/python3.11", "bot"]), Language::Python);
        assert_eq!(bot(&["a.py", "b.py", "Bot.java"], &["java", "-cp", ".", "Bot"]), Language::Java);
        assert_eq!(bot(&[], &["node", "index"]), Language::JavaScript);
        assert_eq!(bot(&["src/main.rs", "try.py"], &["target/release/bot"]), Language::Python);
        assert_eq!(bot(&["src/main.rs", "src/rules.rs", "try.py"], &["./bot"]), Language::Rust);
        assert_eq!(bot(&["bot.c", "rules.h"], &["./bot"]), Language::C);
        assert_eq!(bot(&["bot.cpp", "a.h", "b.h"], &["./bot"]), Language::Cpp);
        assert_eq!(bot(&["README.md", ".py"], &["./bot"]), Language::Other);
    }
}
