//! Whether a command's output is coloured, and how boards are drawn. Nothing else decides this.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;

use clap::ValueEnum;

use crate::base::console;
use crate::results::replay::Style;

/// When to use colours: the value of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColourChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// An environment: the value of each variable that is set.
type EnvironmentLookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Decides which streams show colours, for the rest of the process.
pub(super) fn decide(choice: ColourChoice) {
    let variable = |name: &str| std::env::var_os(name);
    console::set_colours(|is_terminal| is_coloured(choice, &variable, is_terminal));
}

/// Whether a stream shows colours. The option comes before the environment, and `NO_COLOR` before `CLICOLOR_FORCE`.
fn is_coloured(choice: ColourChoice, variable: EnvironmentLookup<'_>, is_terminal: bool) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let is_other_than = |name, word: &str| variable(name).is_none_or(|value| value != word);
    match choice {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto if is_set("NO_COLOR") => false,
        ColourChoice::Auto if is_set("CLICOLOR_FORCE") && is_other_than("CLICOLOR_FORCE", "0") => true,
        ColourChoice::Auto => is_terminal && is_other_than("TERM", "dumb") && is_other_than("CLICOLOR", "0"),
    }
}

/// The choice in `words`, the program's arguments, for errors that occur before the arguments are known. Words after
/// `--command` and `--` belong to others.
pub(super) fn choice_in(words: &[OsString]) -> ColourChoice {
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
    found.and_then(|word| ColourChoice::from_str(word, false).ok()).unwrap_or_default()
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
            let found = is_coloured(choice, &environment(set), is_terminal);
            assert_eq!(found, expected, "{choice:?} {set:?} {is_terminal}");
        }
    }

    #[test]
    fn the_choice_is_known_before_the_arguments_are() {
        let choice = |line: &str| choice_in(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(choice("arena run --color never"), ColourChoice::Never);
        assert_eq!(choice("arena --color=always rnu"), ColourChoice::Always);
        assert_eq!(choice("arena run --color=blue"), ColourChoice::Auto);
        assert_eq!(choice("arena check --command bot --color always"), ColourChoice::Auto);
        assert_eq!(choice("arena"), ColourChoice::Auto);
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
