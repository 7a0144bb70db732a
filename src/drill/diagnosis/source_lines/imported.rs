//! The files that a bot runs: those named by its command, and those that they import.

use super::super::SourceFiles;
use super::super::language::Language;
use super::stem;

/// The code files that a bot in `language` runs, by index: those that are started, followed by those that are imported.
/// If the command names no code file, or if compilers of the language are given a list of files, these are all code
/// files.
pub(super) fn files_that_run(sources: &SourceFiles, language: Language) -> Vec<usize> {
    let files = &sources.files;
    let is_code = |index: &usize| Language::of_file(&files[*index].0).is_some_and(|other| language.takes(other));
    let code: Vec<usize> = (0..files.len()).filter(is_code).collect();
    let is_started = |index: &&usize| sources.command.iter().any(|word| stem(word) == stem(&files[**index].0));
    let mut run: Vec<usize> = match language {
        Language::Python | Language::Java | Language::JavaScript => code.iter().filter(is_started).copied().collect(),
        Language::C | Language::Cpp | Language::Rust | Language::Other => Vec::new(),
    };
    if run.is_empty() {
        return code;
    }
    let mut at = 0;
    while let Some(&index) = run.get(at) {
        let text = &files[index].1;
        let more = code.iter().filter(|other| !run.contains(other) && imports(language, text, &files[**other].0));
        let more: Vec<usize> = more.copied().collect();
        run.extend(more);
        at += 1;
    }
    run
}

/// Whether a file with `text` may import the file `name`.
fn imports(language: Language, text: &str, name: &str) -> bool {
    let Some(module) = stem(name).and_then(|stem| stem.to_str()) else { return false };
    // A package is named by its directory.
    let package = name.rsplit('/').nth(1).filter(|_| matches!(module, "__init__" | "index" | "mod"));
    let is_named = |line: &str| [Some(module), package].into_iter().flatten().any(|word| has_word(line, word));
    let is_import = |line: &&str| match language {
        Language::Python => has_word(line, "import") || line.contains("import_module(") || line.contains("runpy"),
        Language::JavaScript => line.contains("import") || line.contains("require") || line.contains("from"),
        // A class of the same package needs no import.
        _ => true,
    };
    text.lines().filter(is_import).any(is_named)
}

/// Whether `line` contains `word` with no letter, digit or `_` directly before or after it.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word)
        .any(|(at, _)| !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the files that a bot with these `files` and this `command` runs.
    fn run(files: &[(&str, &str)], command: &[&str]) -> Vec<String> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let sources = SourceFiles { files, command, hosts: Vec::new() };
        let language = Language::of_bot(&sources);
        files_that_run(&sources, language).into_iter().map(|index| sources.files[index].0.clone()).collect()
    }

    #[test]
    fn files_run_that_the_command_names_or_that_others_import() {
        let python = [
            ("bot.py", "import sys, board\nfrom lib.client import Client\n"),
            ("board.py", "def legal(): pass\n"),
            ("capture.py", "import bot\n"),
            ("lib/client.py", "from . import wire\n"),
            ("lib/wire.py", ""),
            ("lib/other.py", "# client\n"),
        ];
        let all = ["bot.py", "board.py", "lib/client.py", "lib/wire.py"];
        assert_eq!(run(&python, &["python3", "bot.py", "{side}"]), all);
        assert_eq!(
            run(&python, &["python3", "capture.py"]),
            ["capture.py", "bot.py", "board.py", "lib/client.py", "lib/wire.py"]
        );
        assert_eq!(run(&python, &["./start"]).len(), python.len());
        let java = [
            ("Bot.java", "class Bot { Board board; }"),
            ("Board.java", "class Board {}"),
            ("gthd/Server.java", "class Server { Bot bot; }"),
        ];
        assert_eq!(run(&java, &["java", "-cp", ".", "Bot"]), ["Bot.java", "Board.java"]);
        let c = [("bot.c", "int main() {}"), ("rules.c", "")];
        assert_eq!(run(&c, &["./bot"]), ["bot.c", "rules.c"]);
        let node = [("bot.js", "const rules = require('./rules');"), ("rules.js", ""), ("try.js", "require('./bot')")];
        assert_eq!(run(&node, &["node", "bot.js"]), ["bot.js", "rules.js"]);
    }
}
