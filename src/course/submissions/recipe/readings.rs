//! Arguments that a program reads by position, such as `sys.argv[1]`.

use std::collections::BTreeMap;

use super::argument_words::{ArgumentArray, Arguments};
use super::client_calls::{ClientCall, ValueSource, Variables};
use super::readme::ShownCommand;
use super::roles::ArgumentRole;
use super::source_text::{
    assigned, assigned_value, calls, code_lines, enclosed, has_name, last_word, names, places_of, split_arguments,
};

/// A clue about an argument, from weakest to strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Clue {
    /// The position, if it is usual for an argument with this role.
    Place,
    /// The program's own usage line.
    Usage,
    /// The name of a variable or of a parameter.
    Name,
    /// A comparison with `white` or `black`.
    Compared,
    /// A command in a README.
    Shown,
    /// The call that connects to the referee.
    Call,
    /// An addition to the first of the server's ports.
    Added,
}

/// The evidence about one argument.
#[derive(Debug, Default)]
struct ReadArgument {
    clues: Vec<(Clue, ArgumentRole)>,
    is_number: bool,
    is_read: bool,
    /// Whether the argument is read somewhere without checking how many arguments there are.
    is_needed: bool,
}

/// A program with more arguments than this is not a bot.
const MOST: usize = 10;

pub(super) fn by_index(text: &str, array: ArgumentArray<'_>, shown: Option<&ShownCommand>) -> Option<Arguments> {
    let lines = code_lines(text);
    let mut found = Readings::of(&lines, array);
    let last = found.arguments.keys().max().copied().filter(|last| *last < MOST)?;
    found.follow_calls(&lines, text);
    found.look_at_uses(&lines);
    let holders = found.variables.clone();
    let variables = Variables::of(&lines, &holders, array);
    for call in ClientCall::all(text) {
        for (role, value) in [(ArgumentRole::SIDE, call.side), (ArgumentRole::HOST, call.host), call.number] {
            if let ValueSource::Argument(index) = variables.source(value) {
                found.add(index, Clue::Call, role);
            }
        }
    }
    for (index, word) in shown.iter().flat_map(|shown| shown.words.iter().enumerate()) {
        if let Some(role) = ArgumentRole::of_word(word) {
            found.add(index, Clue::Shown, role);
        }
    }
    for (index, role) in usage(text).into_iter().enumerate() {
        if let Some(role) = role {
            found.add(index, Clue::Usage, role);
        }
    }
    found.words(last, shown)
}

/// The argument that each variable of the program contains.
pub(super) fn variables(lines: &[&str], array: ArgumentArray<'_>) -> BTreeMap<String, usize> {
    Readings::of(lines, array).variables
}

/// The arguments found so far.
#[derive(Debug)]
struct Readings<'a> {
    array: ArgumentArray<'a>,
    arguments: BTreeMap<usize, ReadArgument>,
    /// The argument that each variable contains.
    variables: BTreeMap<String, usize>,
    /// The number of arguments that were shifted off the front.
    shifted: usize,
    /// The variables that contain the first of the server's ports.
    bases: Vec<String>,
}

/// The first of the server's ports, as programs write it.
const BASE_PORT: &str = "29068";

/// Code that converts a string to a number, directly before or after the string.
const CONVERSIONS: [&str; 14] = [
    "int(",
    "parseInt(",
    "Integer.valueOf(",
    "Integer(",
    "atoi(",
    "atol(",
    "strtol(",
    "strtoul(",
    "stoi(",
    "Number(",
    "tonumber(",
    "Atoi(",
    "float(",
    "parseShort(",
];
const CONVERSIONS_BEHIND: [&str; 4] = [".to_i", ".parse::", ".parse()", ".toInt"];

/// Whether the value at `at` in `line`, which is `length` bytes long, is converted to a number.
fn is_converted(line: &str, at: usize, length: usize) -> bool {
    let before = line[..at].trim_end();
    let behind = &line[(at + length).min(line.len())..];
    let is_summed = before.ends_with("29068 +") || behind.trim_start().starts_with("+ 29068");
    is_summed
        || CONVERSIONS.iter().any(|word| before.ends_with(word))
        || CONVERSIONS_BEHIND.iter().any(|word| behind.starts_with(word))
}

impl<'a> Readings<'a> {
    /// The arguments that `lines` read.
    fn of(lines: &[&str], array: ArgumentArray<'a>) -> Self {
        let is_base = |line: &&&str| assigned_value(line).is_some_and(|value| value == BASE_PORT);
        let named = lines.iter().filter(is_base).map(|line| last_word(assigned(line).0).to_owned());
        let bases = [BASE_PORT.to_owned()].into_iter().chain(named.filter(|name| !name.is_empty())).collect();
        let mut found = Self { array, arguments: BTreeMap::new(), variables: BTreeMap::new(), shifted: 0, bases };
        for (number, line) in lines.iter().enumerate() {
            found.read(line, &lines[number.saturating_sub(2)..number]);
        }
        found
    }

    fn add(&mut self, index: usize, clue: Clue, role: ArgumentRole) {
        self.arguments.entry(index).or_default().clues.push((clue, role));
    }

    fn note(&mut self, index: usize, name: Option<&str>, is_number: bool, is_optional: bool) {
        if let Some(name) = name.filter(|name| !name.is_empty() && *name != "_") {
            self.variables.entry(name.to_owned()).or_insert(index);
            if let Some(role) = ArgumentRole::named(name) {
                self.add(index, Clue::Name, role);
            }
        }
        let argument = self.arguments.entry(index).or_default();
        argument.is_read = true;
        argument.is_number |= is_number;
        argument.is_needed |= !is_optional;
    }

    /// Reads `line`, which comes after the lines `before`.
    fn read(&mut self, line: &str, before: &[&str]) {
        let is_optional = self.counts(line) || before.iter().any(|line| self.is_if(line));
        if self.unpacked(line) || self.shifts(line, is_optional) {
            return;
        }
        let open = format!("{}[", self.array.name);
        let found: Vec<(usize, usize, usize)> = line
            .match_indices(&open)
            .filter(|(at, _)| !line[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            .filter_map(|(at, _)| {
                let inner = line[at + open.len()..].split(']').next()?;
                let index = inner.trim().parse::<usize>().ok()?.checked_sub(self.array.first)?;
                Some((at, open.len() + inner.len() + 1, index))
            })
            .collect();
        let (left, has_sign) = assigned(line);
        let names: Vec<&str> = left.split(',').map(last_word).collect();
        for (position, (at, length, index)) in found.iter().enumerate() {
            if self.is_added(line, *at) {
                // The variable to which the sum is assigned does not contain the argument.
                self.add(*index, Clue::Added, ArgumentRole::SERVER);
                self.note(*index, None, true, is_optional);
                continue;
            }
            let is_value = has_sign && names.len() == found.len() && *at > left.len();
            let name = is_value.then(|| names[position]);
            self.note(*index, name, is_converted(line, *at, *length), is_optional);
            if found.len() == 1 && names_a_side(line) {
                self.add(*index, Clue::Compared, ArgumentRole::SIDE);
            }
        }
    }

    /// Whether the value at `at` in `line` is added to the first of the server's ports.
    fn is_added(&self, line: &str, at: usize) -> bool {
        let start = line[..at].rfind(',').map_or(0, |comma| comma + 1);
        let part = line[start..].split(',').next().unwrap_or_default();
        part.contains('+') && self.bases.iter().any(|base| has_name(part, base))
    }

    /// Whether `line` checks how many arguments there are, and reads an argument only if there are enough.
    fn counts(&self, line: &str) -> bool {
        let name = self.array.name;
        let counts = [
            format!("len({name}"),
            format!("{name}.length"),
            format!("{name}.len()"),
            format!("#{name}"),
            format!("{name}.size"),
        ];
        (counts.iter().any(|count| line.contains(count.as_str())) || line.contains("argc"))
            && (line.contains('>') || line.contains("=="))
            && (line.contains("if") || line.contains('?'))
    }

    fn is_if(&self, line: &str) -> bool {
        let line = line.trim_start().trim_start_matches("} else ").trim_start_matches("el");
        line.starts_with("if") && self.counts(line)
    }

    /// Reads a line such as `side, host = sys.argv[1:]`, in any language with this syntax. Returns whether `line` has
    /// this form.
    fn unpacked(&mut self, line: &str) -> bool {
        let (left, has_sign) = assigned(line);
        let Some(right) = line.get(left.len()..).filter(|_| has_sign) else { return false };
        let ArgumentArray { name, first, .. } = self.array;
        let slices = [format!("{name}[{first}:"), format!("{name}.slice({first})")];
        let end = right.trim_end_matches([';', ' ', ')']).trim_end();
        let is_whole = end.ends_with(name) || (self.array.is_vararg && end.ends_with("..."));
        let skipped = match slices.iter().any(|slice| right.contains(slice.as_str())) {
            true => 0,
            false if is_whole && left.contains(',') => first - usize::from(self.array.is_vararg),
            false => return false,
        };
        let left = ["const ", "let ", "var ", "my ", "local "]
            .iter()
            .fold(left.trim(), |left, word| left.trim_start_matches(word));
        let names: Vec<&str> =
            left.trim_matches(['[', ']', '(', ')', ' ']).split(',').skip(skipped).map(last_word).collect();
        // A single name is the list of all arguments.
        if names.len() < 2 && skipped == 0 {
            return false;
        }
        for (index, name) in names.iter().enumerate() {
            self.note(index, Some(name), false, false);
        }
        true
    }

    /// Reads a line such as `my $side = shift;`. Returns whether `line` has this form.
    fn shifts(&mut self, line: &str, is_optional: bool) -> bool {
        let Some(value) = assigned_value(line).filter(|_| self.array.has_shift) else {
            return false;
        };
        let is_shift = value.split(|c: char| !c.is_alphanumeric()).next() == Some("shift")
            || value.contains(&format!("{}.shift", self.array.name));
        // In a subroutine, `shift` takes one of its parameters.
        let is_inside = line.starts_with([' ', '\t']) || line.contains('{');
        if !is_shift || (is_inside && !value.contains("ARGV")) {
            return false;
        }
        let has_default = value.contains("||") || value.contains("//");
        let index = self.shifted;
        self.shifted += 1;
        self.note(index, Some(last_word(assigned(line).0)), value.contains(".to_i"), is_optional || has_default);
        true
    }

    /// Follows arguments into functions of the program, where the parameters' names are clues, too.
    fn follow_calls(&mut self, lines: &[&str], text: &str) {
        for line in lines.iter().filter(|line| line.contains('(')) {
            for (open, _) in line.match_indices('(') {
                let function = last_word(&line[..open]);
                let values = split_arguments(enclosed(&line[open + 1..]));
                let indices: Vec<Option<usize>> = values.iter().map(|value| self.index_in(value)).collect();
                if function.is_empty() || indices.iter().flatten().count() < 1 {
                    continue;
                }
                let Some(parameters) = parameters(text, function, values.len()) else { continue };
                for (index, parameter) in
                    indices.iter().zip(parameters).filter_map(|(index, name)| Some(((*index)?, name)))
                {
                    let is_number = self.arguments.get(&index).is_some_and(|argument| argument.is_number);
                    self.note(index, Some(&parameter), is_number, true);
                }
            }
        }
    }

    /// The argument that the expression `value` contains.
    fn index_in(&self, value: &str) -> Option<usize> {
        let open = format!("{}[", self.array.name);
        if let Some(at) = value.find(&open) {
            let index: usize = value[at + open.len()..].split(']').next()?.trim().parse().ok()?;
            return index.checked_sub(self.array.first);
        }
        if value.contains(['"', '\'']) {
            return None;
        }
        names(value).find_map(|name| self.variables.get(name)).copied()
    }

    /// Examines the program's use of the variables that contain arguments.
    fn look_at_uses(&mut self, lines: &[&str]) {
        for (name, index) in self.variables.clone() {
            for line in lines.iter().filter(|line| has_name(line, &name)) {
                if places_of(line, &name).any(|at| is_converted(line, at, name.len())) {
                    self.arguments.entry(index).or_default().is_number = true;
                }
                if places_of(line, &name).any(|at| self.is_added(line, at)) {
                    self.add(index, Clue::Added, ArgumentRole::SERVER);
                }
                let compares = ["==", "!=", "equals", "strcmp", " in ", " eq ", "match", "~"]
                    .iter()
                    .any(|sign| line.contains(sign));
                if compares && names_a_side(line) {
                    self.add(index, Clue::Compared, ArgumentRole::SIDE);
                }
            }
        }
    }

    /// The words of the command, up to the argument `last`. No two of them have the same role.
    fn words(&self, last: usize, shown: Option<&ShownCommand>) -> Option<Arguments> {
        let roles = self.roles(last);
        let of = |index: usize| self.arguments.get(&index).filter(|argument| argument.is_read);
        let (mut words, mut are_known) = (Vec::new(), true);
        for (index, role) in roles.iter().enumerate() {
            let given = shown.and_then(|shown| shown.words.get(index)).filter(|word| !word.contains('{'));
            let is_optional = of(index).is_some_and(|argument| !argument.is_needed);
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
            (true, Some(shown)) if words.len() > 3 => format!("; the depth is taken from `{}`", shown.file),
            (true, _) if words.contains(&ArgumentRole::Depth.word()) => "; a depth of 3 was chosen".to_owned(),
            _ => String::new(),
        };
        let ArgumentArray { name, first, .. } = self.array;
        let until = if last > 0 { format!(" to `[{}]`", first + last) } else { String::new() };
        let why = format!("it reads `{name}[{first}]`{until}{depth}");
        (!words.is_empty()).then_some(Arguments { words, are_known, why })
    }

    /// The role of each argument up to `last`. The strongest clue claims a role first, and the role is not assigned
    /// again.
    fn roles(&self, last: usize) -> Vec<Option<ArgumentRole>> {
        let mut roles: Vec<Option<ArgumentRole>> = vec![None; last + 1];
        let mut clues: Vec<(Clue, usize, ArgumentRole)> = self
            .arguments
            .iter()
            .filter(|(index, _)| **index <= last)
            .flat_map(|(index, argument)| argument.clues.iter().map(|(clue, role)| (*clue, *index, *role)))
            .collect();
        clues.extend((0..=last).filter_map(|index| Some((Clue::Place, index, ArgumentRole::at(index)?))));
        clues.sort_by_key(|(clue, index, _)| (std::cmp::Reverse(*clue), *index));
        let is_number = |index: usize| self.arguments.get(&index).is_some_and(|argument| argument.is_number);
        let numbers = (0..=last).filter(|index| is_number(*index)).count();
        for (clue, index, role) in clues {
            // An argument that is called a server but is never converted to a number is the host, if another argument
            // is converted.
            let is_host = role == ArgumentRole::SERVER && clue == Clue::Name && !is_number(index) && numbers > 0;
            let role = if is_host { ArgumentRole::HOST } else { role };
            let fits = role.takes_number() || !is_number(index) || (role == ArgumentRole::SIDE && clue > Clue::Place);
            if roles[index].is_none() && !roles.contains(&Some(role)) && fits {
                roles[index] = Some(role);
            }
        }
        // Each remaining argument gets one of the usual roles that have not been assigned yet.
        for index in 0..=last {
            let usual = [ArgumentRole::SIDE, ArgumentRole::HOST, ArgumentRole::SERVER, ArgumentRole::Depth];
            let is_free =
                |role: &ArgumentRole| !roles.contains(&Some(*role)) && (role.takes_number() || !is_number(index));
            // A port replaces the server's number.
            let is_free = |role: &ArgumentRole| {
                is_free(role) && !(*role == ArgumentRole::SERVER && roles.contains(&Some(ArgumentRole::PORT)))
            };
            if roles[index].is_none() && index < usual.len() {
                roles[index] = usual.into_iter().find(is_free);
            }
        }
        super::roles::told_apart(&mut roles);
        roles
    }
}

/// Whether `line` contains the name of a side in quotes.
fn names_a_side(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["\"white\"", "'white'", "\"black\"", "'black'"].iter().any(|word| line.contains(word))
}

/// The names of the parameters of the program's own function `function`, if it is called with `number` values.
fn parameters(text: &str, function: &str, number: usize) -> Option<Vec<String>> {
    let of_class = calls_behind(text, &format!("class {function}"), "__init__");
    let inner = of_class.or_else(|| {
        calls(text, function).find_map(|(at, inner)| {
            let before = text[..at].trim_end();
            let is_definition = ["def", "func", "function", "sub", "fn"].iter().any(|word| before.ends_with(word));
            // In Java and C, each parameter has a type before its name.
            let is_typed = !inner.contains(['"', '\'', '[', '+']) || inner.contains("String ");
            let is_typed =
                is_typed && split_arguments(inner).iter().all(|part| names(part).count() >= 2 && !part.contains('('));
            (is_definition || is_typed).then_some(inner)
        })
    })?;
    let mut names: Vec<String> = split_arguments(inner)
        .iter()
        .map(|part| last_word(part.split(['=', ':']).next().unwrap_or(part)).to_owned())
        .collect();
    if names.first().is_some_and(|name| name == "self") {
        names.remove(0);
    }
    (names.len() >= number).then_some(names)
}

/// The text between the brackets of the first call of `function` after `start`.
fn calls_behind<'t>(text: &'t str, start: &str, function: &'t str) -> Option<&'t str> {
    let at = text.find(start)?;
    calls(&text[at..], function).next().map(|(_, inner)| inner)
}

/// The roles in a line such as `usage: bot SIDE HOST NUMBER`, in order.
fn usage(text: &str) -> Vec<Option<ArgumentRole>> {
    let line = text.lines().find(|line| line.to_ascii_lowercase().contains("usage") && line.contains(['"', '\'']));
    let Some(line) = line else { return Vec::new() };
    let at = line.to_ascii_lowercase().find("usage").unwrap_or_default();
    let said = line[at..].split(['"', '\'']).next().unwrap_or_default();
    let words: Vec<&str> = said.split_whitespace().skip(1).collect();
    let roles: Vec<Option<ArgumentRole>> = words.iter().map(|word| ArgumentRole::named(word)).collect();
    // The first word that has a role is the first argument: the program and its interpreter come before it. A program
    // called `player` seems to have the role of the side, which comes next.
    let is_program = |at: usize| words[at].starts_with("./") || roles.get(at + 1) == Some(&roles[at]);
    let first = (0..roles.len()).find(|&at| roles[at].is_some() && !is_program(at));
    let roles = first.map_or_else(Vec::new, |first| roles[first..].to_vec());
    // Prose may contain the same names. Only a line that also names the side counts as a usage line.
    if roles.contains(&Some(ArgumentRole::SIDE)) { roles } else { Vec::new() }
}
