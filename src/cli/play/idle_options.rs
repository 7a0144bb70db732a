//! Options of `play` that have no effect without another option.
//!
//! The parser itself does not enforce a requirement if the required option conflicts with an option that is given.

use thiserror::Error;

use super::Args;
use super::puzzle_args::PuzzleSource;

/// An option that would have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum IdleOption {
    /// An option is given without another option that it needs.
    #[error("`{option}` has no effect without `{needed}`: add `{needed}`, or leave out `{option}`")]
    Alone {
        /// The option that is given.
        option: &'static str,
        /// The option that is missing.
        needed: &'static str,
    },
    /// `--isolation` is given, but there is no program to confine.
    #[error("`--isolation` confines a program: name one with `--command` or `--player`")]
    Isolation,
    /// `--seed` is given, but the puzzles come from a file and are not drawn at random.
    #[error("`--seed` has no effect on puzzles from a file: leave it out")]
    SeedOfFile,
    /// `--seed` is given, but no bot plays.
    #[error("`--seed` is for a bot's choices, but with `--two` no bot plays: leave out one of the two")]
    SeedOfTwo,
}

impl Args {
    /// The first option that is given and has no effect.
    pub(super) fn idle_option(&self) -> Option<IdleOption> {
        let (web, distant) = (&self.web, &self.distant);
        let pairs = [
            ("--web-public", web.is_public(), "--web", web.is_wanted()),
            ("--web-host", web.has_host(), "--web", web.is_wanted()),
            ("--ply", self.ply.is_some(), "--from", self.from.is_some()),
            ("--to-move", self.to_move.is_some(), "--board", self.board.is_some()),
            ("--passed", self.passed, "--board", self.board.is_some()),
            ("--file", distant.has_file(), "--player", distant.has_player()),
        ];
        let alone = pairs.into_iter().find(|&(_, is_given, _, is_met)| is_given && !is_met);
        if let Some((option, _, needed, _)) = alone {
            return Some(IdleOption::Alone { option, needed });
        }
        if let Some(option) = distant.idle_program_option() {
            return Some(IdleOption::Alone { option, needed: "--command" });
        }
        if distant.has_idle_isolation() {
            return Some(IdleOption::Isolation);
        }
        match self.puzzles {
            _ if self.seed.is_none() => None,
            Some(PuzzleSource::File(_)) => Some(IdleOption::SeedOfFile),
            Some(PuzzleSource::Random) => None,
            None => self.two.then_some(IdleOption::SeedOfTwo),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    /// The idle option among `words`, the words of a command line; an error if the parser refuses them.
    fn idle(words: &[&str]) -> Result<Option<IdleOption>, clap::Error> {
        let line = Line::try_parse_from(std::iter::once(&"play").chain(words))?;
        Ok(line.args.idle_option())
    }

    /// Words around a dependent option that do not give this option an effect.
    const CONTEXTS: [&[&str]; 12] = [
        &[],
        &["--plain"],
        &["--web"],
        &["--puzzles"],
        &["--puzzles", "--plain"],
        &["--two"],
        &["--connect", "localhost:1"],
        &["--player", "a", "--file", "f"],
        &["--from", "log"],
        &["--board", "b", "--to-move", "black"],
        &["perfect", "--adaptive"],
        &["--time", "5m"],
    ];

    #[test]
    fn an_option_that_needs_another_one_is_refused_beside_every_option_that_excludes_that_one() {
        let dependent: [(&[&str], &str); 9] = [
            (&["--web-public"], "--web"),
            (&["--web-host", "x"], "--web"),
            (&["--ply", "3"], "--from"),
            (&["--to-move", "white"], "--board"),
            (&["--passed"], "--board"),
            (&["--file", "f"], "--player"),
            (&["--dir", "d"], "--command"),
            (&["--build", "make"], "--command"),
            (&["--stdio"], "--command"),
        ];
        for (option, needed) in dependent {
            for context in CONTEXTS.into_iter().filter(|context| !context.contains(&needed)) {
                let words = [context, option].concat();
                let expected = IdleOption::Alone { option: option[0], needed };
                let found = idle(&words);
                assert!(
                    found.as_ref().is_ok_and(|found| *found == Some(expected)) || found.is_err(),
                    "{words:?}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn options_with_an_effect_are_not_idle() {
        for words in [
            &["--web", "--web-public", "--web-host", "x"] as &[&str],
            &["--from", "log", "--ply", "3"],
            &["--board", "b", "--to-move", "white", "--passed"],
            &["--player", "a", "--file", "f", "--isolation", "off"],
            &["--dir", "d", "--build", "make", "--stdio", "--command", "bot"],
            &["--puzzles", "--seed", "4"],
            &["--seed", "4"],
        ] {
            assert_eq!(idle(words).ok(), Some(None), "{words:?}");
        }
        assert_eq!(idle(&["--puzzles", "f", "--seed", "4"]).ok(), Some(Some(IdleOption::SeedOfFile)));
        assert_eq!(idle(&["--two", "--seed", "4"]).ok(), Some(Some(IdleOption::SeedOfTwo)));
        assert_eq!(idle(&["--isolation", "off"]).ok(), Some(Some(IdleOption::Isolation)));
    }

    #[test]
    fn settings_of_a_built_in_bot_are_refused_against_another_opponent() {
        for opponent in [&["--connect", "localhost:1"] as &[&str], &["--player", "a", "--file", "f"]] {
            for setting in [["--depth", "3"], ["--error", "0.5"]] {
                assert!(idle(&[opponent, &setting].concat()).is_err(), "{opponent:?} {setting:?}");
            }
        }
    }
}
