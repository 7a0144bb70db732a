//! The options for a program that `--command` names.

use std::path::PathBuf;

use super::warn;
use crate::drill::selection::DescribedProgram;
use crate::game::Ruleset;

/// How the program of `--command` is built and started.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramArgs {
    /// The program's directory
    #[arg(long, requires = "command", hide_short_help = true)]
    dir: Option<PathBuf>,
    /// The program's build command, split at spaces
    #[arg(long, value_name = "COMMAND", requires = "command", hide_short_help = true)]
    build: Option<String>,
    /// The program speaks on stdin and stdout
    #[arg(long, requires = "command", hide_short_help = true)]
    stdio: bool,
}

impl ProgramArgs {
    /// The first of these options that is given.
    pub(super) const fn first_given(&self) -> Option<&'static str> {
        if self.dir.is_some() {
            Some("--dir")
        } else if self.build.is_some() {
            Some("--build")
        } else if self.stdio {
            Some("--stdio")
        } else {
            None
        }
    }

    /// The program with the name `name` and the words `command`, for games by `ruleset`.
    pub(super) fn described<'a>(
        &'a self,
        name: &'a str,
        command: &'a [String],
        ruleset: Option<Ruleset>,
    ) -> DescribedProgram<'a> {
        let (dir, build) = (self.dir.as_deref(), self.build.as_deref());
        DescribedProgram { name, command, dir, build, stdio: self.stdio, ruleset }
    }
}

/// Warns if words after `--command` look like `options` of the arena's `subcommand`.
pub(super) fn warn_of_own_options(command: &[String], subcommand: &str, options: &[&str]) {
    let is_own = |word: &&String| options.contains(&word.split('=').next().unwrap_or_default());
    for word in command.iter().filter(is_own) {
        warn(format_args!("`{word}` is passed to the bot; put `{subcommand}` options before --command"));
    }
}

/// The words of a command given with `--command`. A single word with spaces is a whole command, and is split at spaces
/// outside quotes.
pub(super) fn words_of(command: &[String]) -> Vec<String> {
    let [whole] = command else { return command.to_vec() };
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in whole.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '\'' || letter == '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    // A command of blanks remains as it is, and is refused like a program without a name.
    if words.is_empty() { command.to_vec() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_split_at_blanks_outside_quotes_and_several_are_taken_as_they_are() {
        let words = |command: &[&str]| words_of(&command.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["python3 my.py  {side}"]), ["python3", "my.py", "{side}"]);
        assert_eq!(words(&["'my bot' \"\" a'b c'd"]), ["my bot", "", "ab cd"]);
        assert_eq!(words(&["./bot", "a b"]), ["./bot", "a b"]);
        assert_eq!(words(&[" "]), [" "]);
    }
}
