//! Whether a command's output is coloured, and how boards are drawn. Nothing else decides this.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;

use super::settings::{self, EnvironmentLookup, SettingOrigin};
use crate::base::console;
use crate::base::word_enum::{alternatives, words};
use crate::results::replay::Style;

/// When to use colours: the value of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColourChoice {
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
pub(super) struct NotAColourChoice;

words! { pub(super) ColourChoice, NotAColourChoice, Auto => "auto", Always => "always", Never => "never" }

/// Decides which streams show colours, for the rest of the process. `option` is the value of `--color`, if given.
pub(super) fn decide(option: Option<ColourChoice>) {
    let variable = |name: &str| std::env::var_os(name);
    let (choice, _) = chosen(option, &variable, settings::of_file().color);
    console::set_colours(|is_terminal| is_coloured(choice, &variable, is_terminal));
}

/// The choice, and where it comes from. The option comes before the environment, and the environment before the user's file.
/// `NO_COLOR` comes before `CLICOLOR_FORCE`.
pub(super) fn chosen(
    option: Option<ColourChoice>,
    variable: EnvironmentLookup<'_>,
    of_file: Option<ColourChoice>,
) -> (ColourChoice, SettingOrigin) {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let is_forced = is_set("CLICOLOR_FORCE") && variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    match option {
        Some(choice @ (ColourChoice::Always | ColourChoice::Never)) => (choice, SettingOrigin::Option("--color")),
        None | Some(ColourChoice::Auto) if is_set("NO_COLOR") => {
            (ColourChoice::Never, SettingOrigin::Variable("NO_COLOR"))
        }
        None | Some(ColourChoice::Auto) if is_forced => {
            (ColourChoice::Always, SettingOrigin::Variable("CLICOLOR_FORCE"))
        }
        Some(ColourChoice::Auto) => (ColourChoice::Auto, SettingOrigin::Option("--color")),
        None => of_file.map_or((ColourChoice::Auto, SettingOrigin::Default), |choice| (choice, SettingOrigin::File)),
    }
}

/// Whether a stream shows colours.
fn is_coloured(choice: ColourChoice, variable: EnvironmentLookup<'_>, is_terminal: bool) -> bool {
    let is_other_than = |name, word: &str| variable(name).is_none_or(|value| value != word);
    match choice {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto => is_terminal && is_other_than("TERM", "dumb") && is_other_than("CLICOLOR", "0"),
    }
}

/// The choice in `words`, the program's arguments, for errors that occur before the arguments are known. Words after
/// `--command` and `--` belong to others.
pub(super) fn choice_in(words: &[OsString]) -> Option<ColourChoice> {
    let mut own = words
        .iter()
        .skip(1)
        .map(OsString::as_os_str)
        .take_while(|word| !["--command", "--"].iter().any(|end| word == end));
    let mut found = None;
    while let Some(word) = own.next() {
        let value = if word == "--color" { own.next() } else { after_sign(word) };
        found = value.and_then(OsStr::to_str).or(found);
    }
    found.and_then(|word| word.parse().ok())
}

/// The value in `--color=VALUE`.
fn after_sign(word: &OsStr) -> Option<&OsStr> {
    word.to_str()?.strip_prefix("--color=").map(OsStr::new)
}

/// The style of text on stdout: colours as decided, and discs for stones on a terminal that can show them.
pub(super) fn style_for(out: &impl IsTerminal) -> Style {
    let variable = |name: &str| std::env::var_os(name);
    Style { has_colours: console::colours().stdout, has_discs: out.is_terminal() && is_utf8(&variable) }
}

/// Whether the locale's encoding is UTF-8. The first of the three variables that is set decides.
fn is_utf8(variable: EnvironmentLookup<'_>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The environment in which `set` is set.
    fn environment(set: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        move |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
    }

    #[test]
    fn the_option_comes_before_the_environment_and_the_environment_before_the_terminal() {
        use ColourChoice::{Always, Auto, Never};
        let both = &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")];
        for (choice, set, is_terminal, expected) in [
            (Auto, &[][..], true, true),
            (Auto, &[], false, false),
            (Auto, &[("NO_COLOR", "1")], true, false),
            (Auto, &[("NO_COLOR", "")], true, true),
            (Auto, &[("CLICOLOR_FORCE", "1")], false, true),
            (Auto, &[("CLICOLOR_FORCE", "0")], false, false),
            (Auto, &[("CLICOLOR", "0")], true, false),
            (Auto, &[("TERM", "dumb")], true, false),
            (Auto, both, true, false),
            (Always, &[("NO_COLOR", "1")], false, true),
            (Never, both, true, false),
        ] {
            let variable = environment(set);
            let found = is_coloured(chosen(Some(choice), &variable, None).0, &variable, is_terminal);
            assert_eq!(found, expected, "{choice:?} {set:?} {is_terminal}");
        }
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
            assert_eq!(chosen(option, &environment(set), of_file), expected, "{option:?} {set:?} {of_file:?}");
        }
    }

    #[test]
    fn the_choice_is_known_before_the_arguments_are() {
        let choice = |line: &str| choice_in(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(choice("arena run --color never"), Some(ColourChoice::Never));
        assert_eq!(choice("arena --color=always rnu"), Some(ColourChoice::Always));
        assert_eq!(choice("arena run --color=blue"), None);
        assert_eq!(choice("arena check --command bot --color always"), None);
        assert_eq!(choice("arena"), None);
    }

    #[test]
    fn discs_need_a_locale_of_utf_8() {
        for (set, expected) in [
            (&[("LANG", "de_AT.UTF-8")][..], true),
            (&[("LANG", "de_AT.UTF-8"), ("LC_ALL", "C")], false),
            (&[("LC_CTYPE", "C.utf8"), ("LC_ALL", "")], true),
            (&[], false),
        ] {
            assert_eq!(is_utf8(&environment(set)), expected, "{set:?}");
        }
    }
}
