//! Arguments that a program reads by name: with a parser, or by comparing them with words such as `--side`.

use super::argument_words::Arguments;
use super::roles::{ArgumentRole, told_apart};
use super::source_text::{calls, code, split_arguments, string_literal};

/// An argument that a program reads by name.
#[derive(Debug)]
struct NamedArgument {
    /// The option, such as `--side`, with `=` at its end if the value directly follows; `None` for a positional
    /// argument.
    option: Option<String>,
    role: Option<ArgumentRole>,
    is_optional: bool,
    is_flag: bool,
    is_number: bool,
}

/// The arguments of a program that uses one of Python's parsers: `argparse`, `optparse` or `click`.
pub(super) fn by_parser(text: &str) -> Option<Arguments> {
    let found: Vec<NamedArgument> = ["add_argument", "add_option", "option", "argument"]
        .iter()
        .flat_map(|call| calls(text, call))
        .filter(|(at, _)| text[..*at].ends_with(['.', ' ']))
        .collect::<std::collections::BTreeMap<usize, &str>>()
        .into_values()
        .filter_map(parsed)
        .collect();
    settled(&found, "it reads its arguments with an argument parser")
}

fn parsed(call: &str) -> Option<NamedArgument> {
    let parts = split_arguments(call);
    let names: Vec<&str> = parts.iter().map_while(|part| string_literal(part)).collect();
    let name = names.iter().find(|name| name.starts_with("--")).or(names.first())?;
    let is_option = name.starts_with('-');
    let keyword = |word: &str| {
        parts.iter().find_map(|part| Some(part.strip_prefix(word)?.trim_start().strip_prefix('=')?.trim()))
    };
    let is_flag = keyword("action").is_some_and(|action| action.contains("store_")) || keyword("is_flag").is_some();
    let is_optional = if is_option {
        keyword("required") != Some("True")
    } else {
        keyword("nargs").is_some_and(|nargs| nargs.contains(['?', '*'])) || keyword("default").is_some()
    };
    let by_choice = keyword("choices").or(keyword("type")).filter(|choices| choices.contains("white"));
    let role = ArgumentRole::named(name).or(by_choice.map(|_| ArgumentRole::SIDE));
    Some(NamedArgument {
        option: is_option.then(|| (*name).to_owned()),
        role,
        is_optional,
        is_flag,
        is_number: keyword("type").is_some_and(|kind| kind.starts_with("int"))
            || keyword("default").is_some_and(|value| value.parse::<u32>().is_ok()),
    })
}

/// The arguments of a program that compares them with words such as `--side`, or that declares flags, as programs in Go
/// do.
pub(super) fn by_options(text: &str) -> Option<Arguments> {
    let mut found: Vec<NamedArgument> = Vec::new();
    for line in text.lines().map(code).filter(|line| !line.contains("add_argument(")) {
        let is_flag_of_go = line.contains("flag.");
        for quote in ['"', '\''] {
            for word in line.split(quote).skip(1).step_by(2) {
                let word = if is_flag_of_go && !word.is_empty() {
                    format!("-{}", word.trim_start_matches('-'))
                } else {
                    word.to_owned()
                };
                let (name, is_joined) = word.strip_suffix('=').map_or((word.as_str(), false), |name| (name, true));
                let letters = name.trim_start_matches('-');
                let is_option = name.starts_with('-')
                    && letters.len() > 2
                    && letters.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
                let is_known = found.iter().any(|other| {
                    other
                        .option
                        .as_deref()
                        .is_some_and(|option| option.trim_start_matches('-').trim_end_matches('=') == letters)
                });
                let role = ArgumentRole::named(name).filter(|role| *role != ArgumentRole::Depth);
                if let Some(role) = role.filter(|_| is_option && !is_known) {
                    let option = format!("{name}{}", if is_joined { "=" } else { "" });
                    found.push(NamedArgument {
                        option: Some(option),
                        role: Some(role),
                        is_optional: true,
                        is_flag: false,
                        is_number: line.contains("Int("),
                    });
                }
            }
        }
    }
    settled(&found, "it looks for these options")
}

/// The words for `found`; `None` unless the side is among them.
fn settled(found: &[NamedArgument], why: &str) -> Option<Arguments> {
    let mut roles: Vec<Option<ArgumentRole>> = found.iter().map(|one| one.role.filter(|_| !one.is_flag)).collect();
    told_apart(&mut roles);
    // `--server HOST --number N`
    let has = |roles: &[Option<ArgumentRole>], role| roles.contains(&Some(role));
    if !has(&roles, ArgumentRole::HOST) && !has(&roles, ArgumentRole::PORT) {
        let number = found.iter().position(|one| {
            let is_number = one.option.as_ref().is_some_and(|option| option.trim_start_matches('-').starts_with("num"));
            one.role.is_none() && !one.is_flag && (is_number || one.is_number && !one.is_optional)
        });
        let server = roles.iter().position(|role| *role == Some(ArgumentRole::SERVER));
        if let (Some(number), Some(server)) = (number, server.filter(|at| !found[*at].is_number)) {
            (roles[server], roles[number]) = (Some(ArgumentRole::HOST), Some(ArgumentRole::SERVER));
        }
    }
    let (mut words, mut taken, mut are_known) = (Vec::new(), Vec::new(), true);
    for (one, role) in found.iter().zip(roles) {
        let role = role.filter(|role| !taken.contains(role));
        match role {
            Some(role) if role != ArgumentRole::Depth || !one.is_optional => {
                taken.push(role);
                match &one.option {
                    Some(option) if option.ends_with('=') => words.push(format!("{option}{}", role.word())),
                    Some(option) => words.extend([option.clone(), role.word()]),
                    None => words.push(role.word()),
                }
            }
            _ if one.is_optional || one.is_flag => {}
            _ => are_known = false,
        }
    }
    taken.contains(&ArgumentRole::SIDE).then(|| Arguments { words, are_known, why: why.to_owned() })
}
