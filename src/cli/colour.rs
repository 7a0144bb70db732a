//! Whether a command's output has colours and links, and how boards are drawn. Nothing else decides this.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;

use super::settings;
use super::settings::choices::{ColourChoice, EnvironmentLookup};
use crate::base::console;
use crate::results::replay::Style;

/// Decides which streams show colours and links, for the rest of the process. `option` is the value of `--color`, if
/// given.
pub(super) fn decide(option: Option<ColourChoice>) {
    let variable = |name: &str| std::env::var_os(name);
    let (choice, _) = ColourChoice::chosen(option, &variable, settings::of_file().color);
    console::set_colours(|is_terminal| is_coloured(choice, &variable, is_terminal));
    console::set_links(has_links(choice, &variable));
}

/// Whether paths are links on a terminal. Users who want no colours do not want other codes either, and a CI server's
/// logs and the Linux console show the codes of links as text.
fn has_links(choice: ColourChoice, variable: EnvironmentLookup<'_>) -> bool {
    let is = |name, word: &str| variable(name).is_some_and(|value| value == word);
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let can_show = is_set("TERM") && !is("TERM", "dumb") && !is("TERM", "linux");
    can_show && !is_set("CI") && !is("FORCE_HYPERLINK", "0") && is_coloured(choice, variable, true)
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

/// The choice in `words`, the program's arguments, for errors that occur before the arguments have been parsed. Words
/// after `--command` and `--` belong to other programs.
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

    /// An environment that contains only the variables in `set`.
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
            let found = is_coloured(ColourChoice::chosen(Some(choice), &variable, None).0, &variable, is_terminal);
            assert_eq!(found, expected, "{choice:?} {set:?} {is_terminal}");
        }
    }

    #[test]
    fn links_need_a_terminal_that_can_show_them_and_a_user_who_wants_colours() {
        use ColourChoice::{Always, Auto, Never};
        let xterm = ("TERM", "xterm-256color");
        for (choice, set, expected) in [
            (Auto, &[xterm][..], true),
            (Always, &[xterm], true),
            (Never, &[xterm], false),
            (Auto, &[xterm, ("NO_COLOR", "1")], false),
            (Auto, &[xterm, ("CLICOLOR", "0")], false),
            (Auto, &[xterm, ("CI", "true")], false),
            (Always, &[xterm, ("CI", "true")], false),
            (Auto, &[xterm, ("CI", "")], true),
            (Auto, &[xterm, ("FORCE_HYPERLINK", "0")], false),
            (Auto, &[xterm, ("FORCE_HYPERLINK", "1")], true),
            (Always, &[("TERM", "dumb")], false),
            (Always, &[("TERM", "linux")], false),
            (Always, &[], false),
        ] {
            let variable = environment(set);
            let choice = ColourChoice::chosen(Some(choice), &variable, None).0;
            assert_eq!(has_links(choice, &variable), expected, "{choice:?} {set:?}");
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
