//! Tournament files built around one key.

use serde_json::Value;

use super::facts::Facts;

/// A table of the tournament file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Top,
    Player,
    Adjudicate,
    Openings,
    SeegoverRules,
    QuantumRules,
    Ladder,
}

impl Table {
    pub(super) const ALL: [Self; 7] = [
        Self::Top,
        Self::Player,
        Self::Adjudicate,
        Self::Openings,
        Self::SeegoverRules,
        Self::QuantumRules,
        Self::Ladder,
    ];

    /// Where the schema describes the table.
    pub(super) const fn pointer(self) -> &'static str {
        match self {
            Self::Top => "",
            Self::Player => "/definitions/player",
            Self::Adjudicate => "/properties/adjudicate",
            Self::Openings => "/properties/openings",
            Self::SeegoverRules => "/definitions/rules_of_seegover",
            Self::QuantumRules => "/definitions/rules_of_quantum",
            Self::Ladder => "/properties/ladder",
        }
    }
}

/// A line of a table: a key and its value.
pub(super) type Line = (String, String);

/// The lines that a key needs at the top of the file, and those that it needs in its own table. A player's key that is
/// not listed here is used together with `command`.
fn company(table: Table, key: &str) -> (&'static str, &'static str) {
    match (table, key) {
        (Table::Top, "games") => ("format = \"swiss\"", ""),
        (Table::Top, "pairs") => ("format = \"knockout\"", ""),
        (Table::Top, "elo0") => ("format = \"sprt\"\nelo1 = 2000", ""),
        (Table::Top, "elo1" | "alpha" | "beta" | "max_pairs") => ("format = \"sprt\"", ""),
        (Table::Top, "black_time") => ("white_time = \"60s\"", ""),
        (Table::Top, "white_time") => ("black_time = \"60s\"", ""),
        (Table::Top, "black_move_time") => ("white_move_time = \"2s\"", ""),
        (Table::Top, "white_move_time") => ("black_move_time = \"2s\"", ""),
        (Table::Top, "bank") => ("move_time = \"2s\"", ""),
        (Table::Top, "black_bank" | "white_bank") => ("black_move_time = \"2s\"\nwhite_move_time = \"2s\"", ""),
        (Table::Top, "clock" | "scale_time") => ("time = \"60s\"", ""),
        (Table::Top, "ladder") | (Table::Ladder, _) | (Table::Player, "folder" | "git" | "submit") => {
            ("format = \"ladder\"", "")
        }
        (Table::Player, "branch" | "subdirectory" | "git_token_file") => {
            ("format = \"ladder\"", "git = \"https://git.example/a\"")
        }
        (Table::Player, "git_key") => ("format = \"ladder\"", "git = \"ssh://git.example/a\""),
        (Table::Top, "wall_limit") => ("clock = \"cpu\"\ntime = \"60s\"", ""),
        (Table::Top, "rules") | (Table::SeegoverRules, _) => ("ruleset = \"seegover\"", ""),
        (Table::Top, "tables") | (Table::QuantumRules, "stuck") => ("ruleset = \"quantum-4p\"\nformat = \"group\"", ""),
        (Table::QuantumRules, _) => ("ruleset = \"quantum\"", ""),
        (Table::Top | Table::Adjudicate, _) | (Table::Player, "command" | "builtin") | (Table::Openings, "plies") => {
            ("", "")
        }
        (Table::Player, "name") => ("", "builtin = \"greedy\""),
        (Table::Player, "depth" | "error" | "seed") => ("", "builtin = \"alphabeta\""),
        (Table::Player, "playouts") => ("", "builtin = \"mcts\""),
        (Table::Player, "remote") => ("listen = \"0.0.0.0:29070\"", "token = \"a word of hers\""),
        (Table::Player, "token") => ("listen = \"0.0.0.0:29070\"", "remote = true"),
        (Table::Player, "listen") => ("", "remote = true"),
        (Table::Player, "writable") => ("", "command = [\"x\"]\ndir = \"bots/x\""),
        (Table::Player, "modes") => ("ruleset = \"quantum-8\"", ""),
        (Table::Player, "openings") => ("openings = { plies = 1 }", "command = [\"x\"]"),
        (Table::Player, "challenger") => ("format = \"gauntlet\"", "command = [\"x\"]"),
        (Table::Player, _) => ("", "command = [\"x\"]"),
        (Table::Openings, _) => ("", "plies = 1"),
    }
}

/// Lines as TOML; if a key occurs twice, its last value counts.
fn lines(company: &str, own: &[Line]) -> Vec<String> {
    let is_own = |line: &&str| own.iter().any(|(key, _)| line.split(" = ").next() == Some(key));
    let company = company.lines().filter(|line| !is_own(line)).map(str::to_owned);
    company.chain(own.iter().map(|(key, value)| format!("{key} = {value}"))).collect()
}

/// A tournament file with `own` in `table`, together with the lines that the first key of `own` needs.
pub(super) fn file(table: Table, own: &[Line]) -> String {
    let key = own.first().map_or("", |(key, _)| key.as_str());
    assemble(table, company(table, key), own, others(table, key))
}

/// Like [`file`], without the keys that `own` needs.
pub(super) fn bare(table: Table, own: &[Line]) -> String {
    assemble(table, ("", ""), own, OTHERS)
}

const OTHERS: &str = "[[player]]\nname = \"other\"\nbuiltin = \"greedy\"\n";
const PROGRAM: &str = "[[player]]\nname = \"b\"\ncommand = [\"x\"]\ntransport = \"stdio\"\nopenings = true\n";
const OTHER_PROGRAM: &str = "[[player]]\nname = \"other\"\ncommand = [\"x\"]\ntransport = \"stdio\"\nopenings = true\n";
const CHALLENGED: &str = "[[player]]\nname = \"other\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"new\"\nbuiltin = \"greedy\"\nchallenger = true\n";

/// Seven players; the program that [`assemble`] adds is the eighth.
const SEVEN: &str = "[[player]]\nname = \"p1\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"p2\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"p3\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"p4\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"p5\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"p6\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"p7\"\nbuiltin = \"greedy\"\n";

/// The other players that a file built around `key` of `table` needs.
fn others(table: Table, key: &str) -> &'static str {
    match (table, key) {
        (_, "challenger") => CHALLENGED,
        (_, "player") => "",
        (Table::Top, "tables") | (Table::QuantumRules, "stuck") => SEVEN,
        (Table::SeegoverRules | Table::QuantumRules, _) | (_, "ruleset" | "rules") => OTHER_PROGRAM,
        _ => OTHERS,
    }
}

fn assemble(table: Table, (top, inner): (&str, &str), own: &[Line], others: &str) -> String {
    let second = if others.is_empty() { "" } else { PROGRAM };
    match table {
        Table::Top => format!("{}\n{others}{second}", lines(top, own).join("\n")),
        Table::Player => {
            let named = format!("name = \"p\"\n{inner}");
            format!("{top}\n{others}[[player]]\n{}\n", lines(&named, own).join("\n"))
        }
        Table::Adjudicate => format!("adjudicate = {{ {} }}\n{others}{second}", lines(inner, own).join(", ")),
        Table::Openings => format!("openings = {{ {} }}\n{others}{second}", lines(inner, own).join(", ")),
        Table::Ladder => format!("{top}\nladder = {{ {} }}\n{others}{second}", lines(inner, own).join(", ")),
        Table::SeegoverRules | Table::QuantumRules => {
            format!("{top}\nrules = {{ {} }}\n{others}{second}", lines(inner, own).join(", "))
        }
    }
}

/// The same file as `file(table, &[key])`, but without the key.
pub(super) fn without(table: Table, key: &str) -> String {
    assemble(table, company(table, key), &[], others(table, key))
}

/// `value` as TOML.
pub(super) fn toml_text(value: &Value) -> String {
    toml::Value::try_from(value).expect("a value of TOML").to_string()
}

/// A value of the key that both the schema and the reader accept.
pub(super) fn good(facts: &Facts) -> String {
    let range = facts
        .ranges
        .first()
        .map(|range| if range.is_text { format!("\"{}\"", range.most) } else { range.most.clone() });
    let example = facts.examples.first().or(facts.default.as_ref()).map(toml_text);
    example.or(range).or(facts.is_boolean.then(|| "true".to_owned())).unwrap_or_else(|| "\"a word of hers\"".to_owned())
}

/// Values of every type, each of which is right for some keys and wrong for others.
const ANY: [&str; 96] = [
    "0",
    "1",
    "2",
    "-1",
    "3",
    "1000",
    "123456789",
    "9223372036854775807",
    "0.5",
    "-0.5",
    "1.5",
    "1e300",
    "true",
    "false",
    "[]",
    "[1]",
    "[\"\"]",
    "[\"a\"]",
    "[\"a\", \"\"]",
    "[\"a\", 1]",
    "[\"a\", \"{side}\"]",
    "[\"a\", \"{host}\"]",
    "[\"a\", \"{{host}}\"]",
    "[\"a\", \"{sde}\"]",
    "[\"a\", \"{\"]",
    "[\"{side}\"]",
    "[\"HOME\"]",
    "[\"black\"]",
    "[\"white\", \"black\"]",
    "[\"black\", \"black\"]",
    "[\"A=B\"]",
    "[\"GOTHELLO_SIDE\"]",
    "[\"a.b\", \"A.b\"]",
    "[\"a\", \"a\"]",
    "[\"10.1.2.3\"]",
    "[\"x.localhost\"]",
    "[\"localhost.LocalDomain\"]",
    "[\"a\\u0000\"]",
    "{}",
    "{ a = \"b\" }",
    "{ a = 1 }",
    "{ a = \"{port}\" }",
    "{ a = \"}\" }",
    "{ \"\" = \"b\" }",
    "{ GOTHELLO_HOST = \"b\" }",
    "[{}]",
    "\"\"",
    "\" \"",
    "\"a\"",
    "\"a word of hers\"",
    "\" a b \"",
    "\"=a\"",
    "\"a:b\"",
    "\"a\\u0007b\"",
    "\"a\\u202eb\"",
    "\"a\\u0000\"",
    "\"...\"",
    "\".\"",
    "\"./..\"",
    "\"größe 棋\"",
    "\"60s\"",
    "\"60\"",
    "\"ten\"",
    "\"1 0s 2m\"",
    "\"64 KiB\"",
    "\"65536\"",
    "\"1 kb\"",
    "\"127.0.0.1:80\"",
    "\"localhost:80\"",
    "\"unlimited\"",
    "2026-12-01T23:59:00+01:00",
    "2026-12-01",
    "\"https://git.example/a\"",
    "\"https://user@git.example/a\"",
    "\"https://git.example/a#b\"",
    "\"https://-a\"",
    "\"https://\"",
    "\"ssh://git@git.example:22/a\"",
    "\"ssh://git:word@git.example/a\"",
    "\"ssh://-a@git.example/a\"",
    "\"ssh://a@-b\"",
    "\"http://localhost:80/a\"",
    "\"http://localhosts/a\"",
    "\"http://127.0.0.1/a\"",
    "\"http://[::1]:80/a\"",
    "\"http://git.example/a\"",
    "\"file:///etc\"",
    "\"../a\"",
    "\"a/../b\"",
    "\"a/b\"",
    "\"/a\"",
    "\"a//b\"",
    "\"a/.b\"",
    "\"a./b-c\"",
    "\"-a\"",
    "\"a.lock\"",
];

/// Values of every type, right and wrong, for a key with these `facts` in the schema.
pub(super) fn candidates(facts: &Facts) -> Vec<String> {
    let mut values: Vec<String> = ANY.map(str::to_owned).to_vec();
    for range in facts.ranges.iter().filter(|range| !range.is_text) {
        let (least, most): (f64, f64) = (range.least.parse().expect("a number"), range.most.parse().expect("a number"));
        values.extend([range.least.clone(), range.most.clone()]);
        // Beyond 2^53, neighbouring whole numbers can be the same floating-point number.
        if most < 9e15 {
            values.extend([(least - 1.0).to_string(), (most + 1.0).to_string(), (most + 0.5).to_string()]);
        }
    }
    let texts = facts.ranges.iter().filter(|range| range.is_text);
    values.extend(texts.flat_map(|range| [&range.least, &range.most]).map(|bound| format!("\"{bound}\"")));
    values.extend(facts.words.iter().flat_map(|word| [format!("\"{word}\""), format!("\"{word}x\"")]));
    let lengths = facts.most_characters.into_iter().flat_map(|most| [most, most + 1]).chain([7, 8, 64, 65, 5_000]);
    values.extend(lengths.map(|length| format!("\"{}\"", "a".repeat(usize::try_from(length).expect("a length")))));
    for number in facts.most_items.into_iter().flat_map(|most| [most, most + 1]) {
        let items: Vec<String> = (0..number).map(|item| format!("\"a{item}\"")).collect();
        values.push(format!("[{}]", items.join(", ")));
    }
    values.extend(facts.default.iter().chain(&facts.examples).map(toml_text));
    values
}
