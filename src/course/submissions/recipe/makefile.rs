//! Bots with a Makefile, which is read as text, since `make -n` would run the commands in `$(shell ...)`.

use std::collections::BTreeMap;

use super::c_family::{ARGUMENTS, has_main};
use super::course_files::{is_example, is_no_player};
use super::literal;
use super::ranking::FoundProgram;
use super::submitted_files::{SubmittedFiles, below, dir_of, ends, file_name, stem};

const SOURCES: [&str; 4] = [".c", ".cc", ".cpp", ".cxx"];

pub(super) fn find(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let makefiles = files.with_ending(&[""]).filter(|(name, _)| ["Makefile", "makefile"].contains(&file_name(name)));
    makefiles.filter_map(|(name, text)| by_makefile(files, name, text)).collect()
}

fn by_makefile<'a>(files: &'a SubmittedFiles, name: &'a str, text: &'a str) -> Option<FoundProgram<'a>> {
    let dir = dir_of(name);
    let program = program(text)?;
    // If no source belongs to the Makefile, it only starts a program, and does not build one.
    let sources = files.with_ending(&SOURCES).filter(|(source, _)| below(source, dir).is_some());
    let main = sources
        .filter(|(source, text)| !is_no_player(source, text) && has_main(text))
        .max_by_key(|(source, text)| (stem(source) == stem(&program), !is_example(source), text.contains("argv[")));
    let (source, text) = main?;
    Some(FoundProgram {
        source,
        text: text.to_owned(),
        started: program.clone(),
        array: ARGUMENTS,
        said: Some(format!("`{name}` builds `{program}`")),
        language: if ends(source, ".c") { "C" } else { "C++" },
        dir: dir.to_owned(),
        build: Some(vec!["make".to_owned()]),
        start: vec![format!("./{}", literal(&program))],
        needs: vec!["make and a compiler".to_owned()],
        obstacles: Vec::new(),
    })
}

/// The program that the default target produces: the word after `-o`, or the target itself.
fn program(text: &str) -> Option<String> {
    let text = text.replace("\\\n", " ");
    let variables: BTreeMap<&str, &str> =
        text.lines().filter(|line| !line.starts_with(['\t', '#'])).filter_map(assignment).collect();
    let rules = rules(&text, &variables);
    let MakeRule { target: first, needed, .. } =
        rules.iter().find(|rule| !rule.target.starts_with('.') && !rule.target.contains('%'))?;
    // Targets such as `all` name the programs to make.
    let wanted: Vec<&String> = if needed.iter().any(|name| rules.iter().any(|rule| rule.target == *name)) {
        needed.iter().chain([first]).collect()
    } else {
        vec![first]
    };
    wanted.into_iter().find_map(|name| {
        let MakeRule { target, steps: lines, .. } = rules.iter().find(|rule| rule.target == *name)?;
        let is_program = |name: &str| {
            // A path that leaves the directory, or that only the shell can resolve, cannot be used in a command.
            let stays = !name.starts_with('/') && name.split('/').all(|part| part != "..") && !name.contains('$');
            !name.is_empty() && !name.ends_with('/') && !ends(name, ".o") && !is_no_player(name, "") && stays
        };
        let output = lines.iter().find_map(|line| {
            let mut words = line.split_whitespace().skip_while(|word| *word != "-o").skip(1);
            let word = words.next().filter(|_| !line.split_whitespace().any(|word| word == "-c"))?;
            Some(within(line, &word.replace("$@", target)))
        });
        let output = output.or_else(|| lines.iter().any(|line| line.contains("$@")).then(|| target.clone()));
        // Make has a built-in rule that links a program from an object file of the same name.
        let output = output.or_else(|| lines.is_empty().then(|| target.clone()));
        output.filter(|name| is_program(name) && name != "all" && name != "clean")
    })
}

/// The path of the file `name` written by the command `line`, which may first enter a directory: `cd src && cc -o bot`.
fn within(line: &str, name: &str) -> String {
    let entered = line.trim_start_matches(['@', '-', ' ']).strip_prefix("cd ");
    let dir =
        entered.and_then(|rest| rest.split_once("&&").or_else(|| rest.split_once(';'))).map(|(dir, _)| dir.trim());
    match dir.map(|dir| dir.trim_start_matches("./").trim_end_matches('/')) {
        Some(dir) if !dir.is_empty() && dir != "." => match name.strip_prefix("../") {
            Some(above) if !dir.contains('/') => above.to_owned(),
            _ => format!("{dir}/{}", name.trim_start_matches("./")),
        },
        _ => name.trim_start_matches("./").to_owned(),
    }
}

/// A rule, with its variables expanded.
#[derive(Debug)]
struct MakeRule {
    target: String,
    /// The files that the target is made from.
    needed: Vec<String>,
    /// The commands that make the target.
    steps: Vec<String>,
}

fn rules(text: &str, variables: &BTreeMap<&str, &str>) -> Vec<MakeRule> {
    let mut rules: Vec<MakeRule> = Vec::new();
    for line in text.lines() {
        if let Some(step) = line.strip_prefix('\t') {
            if let Some(rule) = rules.last_mut() {
                rule.steps.push(filled(step, variables));
            }
        } else if assignment(line).is_none()
            && !line.starts_with('#')
            && let Some((targets, needed)) = line.split_once(':')
        {
            let needed: Vec<String> = filled(needed, variables).split_whitespace().map(str::to_owned).collect();
            let targets = filled(targets, variables);
            let rule = |target: &str| MakeRule { target: target.to_owned(), needed: needed.clone(), steps: Vec::new() };
            rules.extend(targets.split_whitespace().map(rule));
        }
    }
    rules
}

/// The name and the value in a line such as `CC = gcc`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    (!name.is_empty() && !name.contains([' ', ':', '\t', '$'])).then(|| (name, value.trim()))
}

/// `text` with its variables expanded, if they are simple variables.
fn filled(text: &str, variables: &BTreeMap<&str, &str>) -> String {
    let mut text = text.to_owned();
    // A variable may refer to another variable. Four rounds are more than a Makefile for a few files needs.
    for _ in 0..4 {
        for (name, value) in variables {
            if text.len() > 64 << 10 {
                return text;
            }
            text = text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_makefile_is_found_without_running_it() {
        for (text, expected) in [
            ("CC=gcc\nplayer: player.c\n\t$(CC) -o player player.c\n", Some("player")),
            (
                "TARGET = bot\nall: $(TARGET)\n$(TARGET): a.o\n\tcc -o $@ a.o\na.o: a.c\n\tcc -c -o a.o a.c\n",
                Some("bot"),
            ),
            (".PHONY: all\nall: gthd myplayer\ngthd: gthd.o\nmyplayer: myplayer.o\n", Some("myplayer")),
            ("X = $(X)$(X)$(X)$(X)\n$(X): a\n\tcc -o $(X)\n", None),
            ("run:\n\tpython3 bot.py\n", None),
            ("A := $(shell touch /tmp/x)\nbot: bot.c\n\tcc -o bot \\\n\t bot.c\n", Some("bot")),
            ("all: bin/bot\nbin/bot: bot.c\n\t@mkdir -p bin\n\tcc -o $@ bot.c\n", Some("bin/bot")),
            ("build:\n\tcc -o ./bot bot.c\n", Some("bot")),
            ("build:\n\t@cd src && cc -O2 -o bot bot.c\n", Some("src/bot")),
            ("build:\n\tcd src && cc -o ../bot bot.c\n", Some("bot")),
            ("bot:\n\tcc -o ../bot bot.c\n", None),
            ("bot:\n\tcc -o /usr/local/bin/bot bot.c\n", None),
            ("bot:\n\tcc -o $HOME/bot bot.c\n", None),
            ("", None),
        ] {
            assert_eq!(program(text).as_deref(), expected, "{text}");
        }
    }
}
