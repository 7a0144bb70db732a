//! The choices that an option, the environment and the user's file can make, and which of them applies.

use std::ffi::OsString;

use anyhow::anyhow;
use serde::Serialize;

use crate::base::sanitise::sanitised;
use crate::base::word_enum::{alternatives, words};
use crate::cli::Failure;

/// An environment: the value of each variable that is set.
pub(in crate::cli) type EnvironmentLookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The origin of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "from", content = "name")]
pub(in crate::cli) enum SettingOrigin {
    /// The option with this name.
    Option(&'static str),
    /// The environment variable with this name.
    Variable(&'static str),
    /// The user's file.
    File,
    /// The program.
    Default,
}

/// When to use colours: the value of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum ColourChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The error for a word that does not say when to use colours.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("expected {}", alternatives(&ColourChoice::ALL.map(ColourChoice::name)))]
pub(in crate::cli) struct NotAColourChoice;

words! { pub(in crate::cli) ColourChoice, NotAColourChoice, Auto => "auto", Always => "always", Never => "never" }

impl ColourChoice {
    /// The choice, and where it comes from. The option takes precedence over the environment, and the environment over
    /// the user's file. `NO_COLOR` takes precedence over `CLICOLOR_FORCE`.
    pub(in crate::cli) fn chosen(
        option: Option<Self>,
        variable: EnvironmentLookup<'_>,
        of_file: Option<Self>,
    ) -> (Self, SettingOrigin) {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let is_forced = is_set("CLICOLOR_FORCE") && variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        match option {
            Some(choice @ (Self::Always | Self::Never)) => (choice, SettingOrigin::Option("--color")),
            None | Some(Self::Auto) if is_set("NO_COLOR") => (Self::Never, SettingOrigin::Variable("NO_COLOR")),
            None | Some(Self::Auto) if is_forced => (Self::Always, SettingOrigin::Variable("CLICOLOR_FORCE")),
            Some(Self::Auto) => (Self::Auto, SettingOrigin::Option("--color")),
            None => of_file.map_or((Self::Auto, SettingOrigin::Default), |choice| (choice, SettingOrigin::File)),
        }
    }
}

/// The environment variable that replaces `--progress` if the user does not give the option.
pub(in crate::cli) const PROGRESS_VARIABLE: &str = "GOTHELLO_ARENA_PROGRESS";

/// How a run shows its progress: the value of `--progress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum ProgressChoice {
    /// `bar` on a terminal, and `counter` elsewhere and in CI.
    #[default]
    Auto,
    /// A block with a bar on the terminal.
    Bar,
    /// A line for each game, with a counter.
    Counter,
    /// Nothing about games.
    None,
}

/// The error for a word that does not say how to show progress.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("expected {}", alternatives(&ProgressChoice::ALL.map(ProgressChoice::name)))]
pub(in crate::cli) struct NotAProgressChoice;

words! {
    pub(in crate::cli) ProgressChoice, NotAProgressChoice,
    Auto => "auto", Bar => "bar", Counter => "counter", None => "none"
}

impl ProgressChoice {
    /// The choice, and where it comes from: the option, the variable, the user's file or the default.
    ///
    /// # Errors
    /// Returns a usage error if the variable has an unknown value and no option is given.
    pub(in crate::cli) fn chosen(
        option: Option<Self>,
        variable: EnvironmentLookup<'_>,
        of_file: Option<Self>,
    ) -> Result<(Self, SettingOrigin), Failure> {
        if let Some(choice) = option {
            return Ok((choice, SettingOrigin::Option("--progress")));
        }
        if let Some(value) = variable(PROGRESS_VARIABLE).filter(|value| !value.is_empty()) {
            let word = value.to_string_lossy();
            let choice = word.parse().map_err(|error: NotAProgressChoice| {
                Failure::usage(anyhow!("{PROGRESS_VARIABLE}: `{}` is not a valid value: {error}", sanitised(&word)))
            });
            return choice.map(|choice| (choice, SettingOrigin::Variable(PROGRESS_VARIABLE)));
        }
        Ok(of_file.map_or((Self::Auto, SettingOrigin::Default), |choice| (choice, SettingOrigin::File)))
    }
}

/// What to do with output that is longer than the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum PagerChoice {
    /// Print it like any other output.
    Never,
    /// Pass it to this shell command.
    Program(String),
}

/// The word for no pager.
const NEVER: &str = "never";

/// The variable that names the pager for this program only.
const OWN_PAGER: &str = "GOTHELLO_ARENA_PAGER";

/// The variable that names the pager for all programs.
const PAGER: &str = "PAGER";

impl PagerChoice {
    /// The choice that a user writes as `words`.
    pub(in crate::cli) fn of_words(words: &str) -> Self {
        match words.trim() {
            "" | NEVER | "cat" => Self::Never,
            program => Self::Program(program.to_owned()),
        }
    }

    /// The choice as a user writes it.
    pub(in crate::cli) fn words(&self) -> &str {
        match self {
            Self::Never => NEVER,
            Self::Program(program) => program,
        }
    }

    /// The choice, and where it comes from. As in other programs, the variable for all programs comes last.
    pub(in crate::cli) fn chosen(variable: EnvironmentLookup<'_>, of_file: Option<&Self>) -> (Self, SettingOrigin) {
        let of_variable = |name| {
            let words = variable(name)?;
            Some((Self::of_words(&words.to_string_lossy()), SettingOrigin::Variable(name)))
        };
        of_variable(OWN_PAGER)
            .or_else(|| Some((of_file?.clone(), SettingOrigin::File)))
            .or_else(|| of_variable(PAGER))
            .unwrap_or_else(|| (Self::Program("less".to_owned()), SettingOrigin::Default))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An environment that contains only the variables in `set`.
    fn environment(set: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        move |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
    }

    #[test]
    fn the_file_comes_after_the_option_and_the_environment() {
        use ColourChoice::{Always, Auto, Never};
        let forced = &[("CLICOLOR_FORCE", "1")];
        for (option, set, of_file, expected) in [
            (None, &[][..], None, (Auto, SettingOrigin::Default)),
            (None, &[], Some(Never), (Never, SettingOrigin::File)),
            (Some(Auto), &[], Some(Never), (Auto, SettingOrigin::Option("--color"))),
            (Some(Always), forced, Some(Never), (Always, SettingOrigin::Option("--color"))),
            (None, forced, Some(Never), (Always, SettingOrigin::Variable("CLICOLOR_FORCE"))),
        ] {
            let found = ColourChoice::chosen(option, &environment(set), of_file);
            assert_eq!(found, expected, "{option:?} {set:?} {of_file:?}");
        }
    }

    #[test]
    fn the_same_is_true_of_progress() {
        use ProgressChoice::{Bar, Counter};
        let counter = environment(&[(PROGRESS_VARIABLE, "counter")]);
        for (option, variable, expected) in [
            (Some(Bar), &counter as EnvironmentLookup<'_>, (Bar, SettingOrigin::Option("--progress"))),
            (None, &counter, (Counter, SettingOrigin::Variable(PROGRESS_VARIABLE))),
            (None, &|_| None, (ProgressChoice::None, SettingOrigin::File)),
        ] {
            let found = ProgressChoice::chosen(option, variable, Some(ProgressChoice::None)).ok();
            assert_eq!(found, Some(expected), "{option:?}");
        }
        let wrong = environment(&[(PROGRESS_VARIABLE, "bars")]);
        assert!(ProgressChoice::chosen(None, &wrong, Some(Bar)).is_err());
    }

    #[test]
    fn the_pager_of_this_program_comes_before_the_file_and_the_file_before_that_of_all_programs() {
        let program = |name: &str| PagerChoice::Program(name.to_owned());
        let more = program("more");
        for (set, of_file, expected) in [
            (&[][..], None, (program("less"), SettingOrigin::Default)),
            (&[(PAGER, "most")], None, (program("most"), SettingOrigin::Variable(PAGER))),
            (&[(PAGER, "most")], Some(&more), (more.clone(), SettingOrigin::File)),
            (&[(OWN_PAGER, "cat")], Some(&more), (PagerChoice::Never, SettingOrigin::Variable(OWN_PAGER))),
            (&[(OWN_PAGER, "")], None, (PagerChoice::Never, SettingOrigin::Variable(OWN_PAGER))),
        ] {
            assert_eq!(PagerChoice::chosen(&environment(set), of_file), expected, "{set:?}");
        }
    }
}
