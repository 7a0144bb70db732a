//! The arguments that a program reads, found in its text.

use super::readme::ShownCommand;
use super::roles::{ArgumentRole, told_apart};

/// The arguments of a bot's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// The words, with placeholders.
    pub(super) words: Vec<String>,
    /// Whether the program or its README tells what they are.
    pub(super) are_known: bool,
    /// What they rest on, in a clause.
    pub(super) why: String,
}

/// How a language writes the arguments of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArgumentArray<'a> {
    /// The array, such as `sys.argv`.
    pub(super) name: &'a str,
    /// The index of the first argument.
    pub(super) first: usize,
}

/// The arguments that `text` reads from `array`. `shown` is a command in the README.
pub(super) fn arguments(text: &str, array: ArgumentArray<'_>, shown: Option<&ShownCommand>) -> Arguments {
    let found = by_parser(text).or_else(|| by_options(text)).or_else(|| by_index(text, array, shown));
    let shown = || shown.map(|shown| Arguments { words: shown.words.clone(), are_known: true, why: shown.why() });
    found.or_else(shown).unwrap_or_else(|| Arguments {
        words: ["{side}", "{host}", "{server}"].map(str::to_owned).into(),
        are_known: false,
        why: if text.contains(array.name) {
            "how it reads its arguments was not found, so it gets the usual ones".to_owned()
        } else {
            "it reads no arguments: side and host may be written into it".to_owned()
        },
    })
}

/// One place where a program reads an argument.
#[derive(Debug)]
struct ArgumentReading {
    index: usize,
    role: Option<ArgumentRole>,
    is_optional: bool,
}

fn by_index(text: &str, array: ArgumentArray<'_>, shown: Option<&ShownCommand>) -> Option<Arguments> {
    let lines: Vec<&str> = text.lines().map(code).collect();
    let mut readings = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let before = &lines[number.saturating_sub(2)..number];
        readings.extend(unpacked(line, array).into_iter().chain(indexed(line, before, array)));
    }
    let last = readings.iter().map(|reading| reading.index).max()?;
    // More arguments than any bot has are something else.
    if last > 9 {
        return None;
    }
    let of = |index: usize| readings.iter().filter(move |reading| reading.index == index);
    let mut roles: Vec<Option<ArgumentRole>> = (0..=last)
        .map(|index| of(index).find_map(|reading| reading.role).or_else(|| ArgumentRole::at(index)))
        .collect();
    told_apart(&mut roles);
    let mut words = Vec::new();
    let mut are_known = true;
    for (index, role) in roles.iter().enumerate() {
        let given = shown.and_then(|shown| shown.words.get(index)).filter(|word| !word.starts_with('{'));
        let is_optional = of(index).next().is_some() && of(index).all(|reading| reading.is_optional);
        match (role, given) {
            (Some(ArgumentRole::Depth) | None, Some(given)) => words.push(given.clone()),
            (Some(ArgumentRole::Depth) | None, None) if is_optional => break,
            (Some(role), _) => words.push(role.word()),
            (None, None) => {
                are_known = false;
                break;
            }
        }
    }
    let depth = match (roles.contains(&Some(ArgumentRole::Depth)), shown) {
        (true, Some(shown)) if words.len() > 3 => format!("; the depth is that of `{}`", shown.file),
        (true, _) if words.contains(&ArgumentRole::Depth.word()) => "; a depth of 3 was chosen".to_owned(),
        _ => String::new(),
    };
    let until = if last > 0 { format!(" to `[{}]`", array.first + last) } else { String::new() };
    let why = format!("it reads `{}[{}]`{until}{depth}", array.name, array.first);
    (!words.is_empty()).then_some(Arguments { words, are_known, why })
}

/// The line without a comment at its end, as far as that can be told.
fn code(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.starts_with('#') && !trimmed.starts_with("#include")
        || trimmed.starts_with("//")
        || trimmed.starts_with("* ")
    {
        return "";
    }
    [" # ", " // "].iter().filter_map(|sign| line.find(sign)).min().map_or(line, |end| &line[..end])
}

/// The readings `array[3]` in `line`.
fn indexed(line: &str, before: &[&str], array: ArgumentArray<'_>) -> Vec<ArgumentReading> {
    let open = format!("{}[", array.name);
    let found: Vec<(usize, usize)> = line
        .match_indices(&open)
        .filter(|(at, _)| !line[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .filter_map(|(at, _)| {
            let inner = line[at + open.len()..].split(']').next()?;
            Some((at, inner.trim().parse::<usize>().ok()?.checked_sub(array.first)?))
        })
        .collect();
    let (left, has_sign) = assigned(line);
    let names: Vec<&str> = left.split(',').map(last_word).collect();
    // Whether the line asks how many arguments there are, and reads one only if there are enough.
    let is_guarded = |line: &str| {
        let counts = line.contains(&format!("len({}", array.name))
            || line.contains(&format!("{}.length", array.name))
            || line.contains(&format!("{}.len()", array.name))
            || line.contains("argc");
        counts && (line.contains('>') || line.contains("==")) && (line.contains("if") || line.contains('?'))
    };
    let is_if = |line: &&str| {
        let line = line.trim_start().trim_start_matches("} else ").trim_start_matches("el");
        line.starts_with("if") && is_guarded(line)
    };
    let is_optional = is_guarded(line) || before.iter().any(is_if);
    let names_sides = line.contains("\"white\"")
        || line.contains("'white'")
        || line.contains("\"black\"")
        || line.contains("'black'");
    let role = |position: usize| {
        let name = (has_sign && names.len() == found.len()).then(|| names[position]);
        name.and_then(ArgumentRole::named).or((names_sides && found.len() == 1).then_some(ArgumentRole::SIDE))
    };
    found
        .iter()
        .enumerate()
        .map(|(position, (_, index))| ArgumentReading { index: *index, role: role(position), is_optional })
        .collect()
}

/// The readings of a line such as `side, host = sys.argv[1:]`, in Python or in JavaScript.
fn unpacked(line: &str, array: ArgumentArray<'_>) -> Vec<ArgumentReading> {
    let (left, has_sign) = assigned(line);
    let Some(right) = line.get(left.len()..).filter(|_| has_sign) else { return Vec::new() };
    let slice = [format!("{}[{}:", array.name, array.first), format!("{}.slice({})", array.name, array.first)];
    let is_whole = right.trim_end_matches([';', ' ']).trim_end().ends_with(array.name);
    let (skipped, left) = if slice.iter().any(|slice| right.contains(slice.as_str())) {
        (0, left)
    } else if is_whole && left.contains(',') {
        (array.first, left)
    } else {
        return Vec::new();
    };
    let left = left.trim().trim_start_matches("const ").trim_start_matches("let ").trim_start_matches("var ");
    let names = left.trim_matches(['[', ']', '(', ')', ' ']).split(',');
    let names: Vec<&str> = names.skip(skipped).map(last_word).collect();
    // A single name is the list of all arguments.
    if names.len() < 2 && skipped == 0 {
        return Vec::new();
    }
    let role = |name: &&str| ArgumentRole::named(name);
    names
        .iter()
        .enumerate()
        .map(|(index, name)| ArgumentReading { index, role: role(name), is_optional: false })
        .collect()
}

/// What stands left of the sign of an assignment, and whether there is one.
fn assigned(line: &str) -> (&str, bool) {
    let is_sign = |at: usize| {
        let (left, right) = (line[..at].chars().next_back(), line[at + 1..].chars().next());
        right != Some('=') && !left.is_some_and(|c| "=!<>".contains(c))
    };
    match line.match_indices('=').map(|(at, _)| at).find(|at| is_sign(*at)) {
        Some(at) => (&line[..at], true),
        None => ("", false),
    }
}

fn last_word(text: &str) -> &str {
    text.trim().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The arguments of a program with Python's `argparse`.
fn by_parser(text: &str) -> Option<Arguments> {
    const CALL: &str = "add_argument(";
    let mut words = Vec::new();
    let mut are_known = true;
    for (at, _) in text.match_indices(CALL) {
        let call = enclosed(&text[at + CALL.len()..]);
        let names: Vec<String> = leading_strings(call);
        let Some(name) = names.iter().find(|name| name.starts_with("--")).or(names.first()) else { continue };
        let is_option = name.starts_with('-');
        let is_flag = call.contains("store_true") || call.contains("store_false");
        let is_optional = if is_option { !call.contains("required=True") } else { call.contains("nargs=") };
        match ArgumentRole::named(name) {
            Some(role) if !is_flag && (role != ArgumentRole::Depth || !is_optional) => {
                words.extend(is_option.then(|| name.clone()));
                words.push(role.word());
            }
            _ if is_optional || is_flag => {}
            _ => are_known = false,
        }
    }
    let why = "it reads its arguments with `argparse`".to_owned();
    words.iter().any(|word| word == "{side}").then_some(Arguments { words, are_known, why })
}

/// The beginning of `text` up to the parenthesis that closes what was open before it.
fn enclosed(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return &text[..at],
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The strings at the beginning of a call's arguments.
fn leading_strings(call: &str) -> Vec<String> {
    let parts = call.split(',').map(str::trim);
    let string = |part: &str| {
        let quote = part.chars().next().filter(|c| "\"'".contains(*c))?;
        Some(part.strip_prefix(quote)?.strip_suffix(quote)?.to_owned())
    };
    parts.map_while(string).collect()
}

/// The arguments of a program that compares them with words such as `--side`.
fn by_options(text: &str) -> Option<Arguments> {
    let mut words: Vec<String> = Vec::new();
    for line in text.lines().map(code).filter(|line| !line.contains("add_argument(")) {
        for quote in ['"', '\''] {
            let strings = line.split(quote).skip(1).step_by(2);
            for option in strings.filter(|string| string.starts_with("--") && string.len() > 3) {
                let Some(role @ ArgumentRole::Filled(_)) = ArgumentRole::named(option) else { continue };
                let (name, joined) = option.strip_suffix('=').map_or((option, false), |name| (name, true));
                let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
                if !is_name || words.iter().any(|word| word.split('=').next() == Some(name)) {
                    continue;
                }
                if joined {
                    words.push(format!("{name}={}", role.word()));
                } else {
                    words.extend([name.to_owned(), role.word()]);
                }
            }
        }
    }
    let why = "it looks for these options".to_owned();
    words.iter().any(|word| word.ends_with("{side}")).then_some(Arguments { words, are_known: true, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON: ArgumentArray<'_> = ArgumentArray { name: "sys.argv", first: 1 };
    const JAVA: ArgumentArray<'_> = ArgumentArray { name: "args", first: 0 };

    fn words(text: &str, array: ArgumentArray<'_>) -> String {
        let found = arguments(text, array, None);
        found.words.join(" ") + if found.are_known { "" } else { " ?" }
    }

    #[test]
    fn arguments_are_known_by_the_names_that_programs_give_them() {
        for (text, expected) in [
            ("side = sys.argv[1]\nhost = sys.argv[2]\nn = int(sys.argv[3])", "{side} {host} {server}"),
            ("c = GthClient(sys.argv[1], sys.argv[2], int(sys.argv[3]))", "{side} {host} {server}"),
            ("side, host, port = sys.argv[1:]", "{side} {host} {port}"),
            ("_, side, host, server, depth = sys.argv", "{side} {host} {server} 3"),
            ("side, host = sys.argv[1], sys.argv[2]", "{side} {host}"),
            ("host = sys.argv[1]\nport = int(sys.argv[2])\nside = sys.argv[3]", "{host} {port} {side}"),
            ("side = sys.argv[1]", "{side}"),
            ("depth = 5\nif len(sys.argv) > 4:\n    depth = int(sys.argv[4])", "{side} {host} {server}"),
            ("if len(sys.argv) != 5:\n    exit(1)\ndepth = int(sys.argv[4])", "{side} {host} {server} 3"),
            (
                "p.add_argument('--side', choices=['a', 'b'])\np.add_argument(\"-d\", \"--depth\", type=int)",
                "--side {side}",
            ),
            (
                "p.add_argument('side')\np.add_argument('host', nargs='?')\np.add_argument('depth', type=int)",
                "{side} {host} 3",
            ),
            ("if arg == \"--side\": pass\nif arg == \"--port\": pass", "--side {side} --port {port}"),
            ("print('hello')", "{side} {host} {server} ?"),
            ("x = sys.argv[99]", "{side} {host} {server} ?"),
            ("side = sys.argv[1]\nx = sys.argv[6]", "{side} {host} {server} 3 ?"),
            ("# side = sys.argv[3]\nside = sys.argv[1]", "{side}"),
        ] {
            assert_eq!(words(text, PYTHON), expected, "{text}");
        }
        for (text, expected) in [
            ("String side = args[0]; \nint depth = Integer.parseInt(args[3]);", "{side} {host} {server} 3"),
            (
                "if (args[0].equals(\"white\")) me = 1;\nnew GthClient(me, args[1], Integer.parseInt(args[2]));",
                "{side} {host} {server}",
            ),
            ("int d = args.length > 3 ? Integer.parseInt(args[3]) : 5; host = args[1]; ", "{side} {host} {server}"),
        ] {
            assert_eq!(words(text, JAVA), expected, "{text}");
        }
        let node = ArgumentArray { name: "process.argv", first: 2 };
        assert_eq!(words("const [side, host, port] = process.argv.slice(2);", node), "{side} {host} {port}");
        assert_eq!(words("const [, , side, host, server] = process.argv;", node), "{side} {host} {server}");
    }

    #[test]
    fn a_command_in_the_readme_gives_the_depth() {
        let shown = ShownCommand {
            words: ["{side}", "{host}", "{server}", "5"].map(str::to_owned).into(),
            file: "README".to_owned(),
        };
        let text = "depth = int(sys.argv[4])";
        assert_eq!(arguments(text, PYTHON, Some(&shown)).words, ["{side}", "{host}", "{server}", "5"]);
        assert_eq!(arguments("pass", PYTHON, Some(&shown)).words, shown.words);
    }
}
