//! The tournament file: its contents, and the errors that are reported.

mod formats;

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use gothello_arena::game::quantum::Mode;
use gothello_arena::game::{BySide, Side};
use gothello_arena::players::bots::Thinker;
use gothello_arena::referee::sans_io::Endings;
use gothello_arena::referee::time_control::TimeControl;
use gothello_arena::tournament::file::{CLASS_TOML, FileProblems};
use gothello_arena::tournament::{Format, GameLimits, Placeholder, PlayerKind, Tournament, Transport};
use proptest::prelude::*;

/// Two players, to be appended to keys at the top level.
const TWO: &str = "\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"greedy\"\n";

/// A third player with the keys `keys`, after two others.
fn third(keys: &str) -> String {
    format!("{TWO}[[player]]\nname = \"c\"\n{keys}\n")
}

/// The line number of the third player's `[[player]]`.
const HEADER: usize = 8;

/// The error messages about `text`, one line each.
fn complaints(text: &str) -> Vec<String> {
    match Tournament::parse(text, "test") {
        Ok(_) => Vec::new(),
        Err(problems) => problems.display(Path::new("t.toml")).to_string().lines().map(str::to_owned).collect(),
    }
}

fn parse(text: &str) -> Tournament {
    Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_first_hundred_problems_are_shown_and_the_rest_counted() {
    let keys = |keys: u32| {
        let lines: Vec<String> = (0..keys).map(|number| format!("key_{number} = {number}\n")).collect();
        lines.concat() + TWO
    };
    let said = complaints(&keys(100_000));
    assert_eq!(said.len(), FileProblems::SHOWN + 1);
    for (number, line) in said[..FileProblems::SHOWN].iter().enumerate() {
        let start = format!("t.toml:{}:1: unknown key `key_{number}` (known: ", number + 1);
        assert!(line.starts_with(&start), "{line}");
    }
    assert_eq!(said[FileProblems::SHOWN], "t.toml: and 99900 more problems");
    assert_eq!(complaints(&keys(101))[FileProblems::SHOWN], "t.toml: and 1 more problem");
    assert_eq!(complaints(&keys(100)).len(), FileProblems::SHOWN);
}

/// Counting each column from the start of the line would take half an hour.
#[test]
fn a_line_of_any_length_may_contain_any_number_of_problems() {
    let tables = 100_000;
    let said = complaints(&format!("player = [{}]\n", vec!["{}"; tables].join(", ")));
    assert_eq!(said[2], "t.toml:1:15: this player has no `name` (write name = \"alice\")");
    assert_eq!(
        said[99],
        "t.toml:1:207: it is unclear what kind of player this is (write one of `command`, `builtin` and `remote = true` under it)"
    );
    assert_eq!(said[FileProblems::SHOWN], format!("t.toml: and {} more problems", 2 * tables - FileProblems::SHOWN));
}

#[test]
fn all_tournament_files_of_the_arena_are_valid() {
    let entries = fs::read_dir("tournaments").unwrap().map(|entry| entry.unwrap().path());
    let is_tournament = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|kind| kind == "toml") && !path.ends_with("rubric.toml")
    };
    let files: Vec<_> = entries.filter(is_tournament).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if let Err(problems) = Tournament::parse(&text, "test") {
            panic!("{}", problems.display(&file));
        }
    }
    assert_eq!(CLASS_TOML, fs::read_to_string("tournaments/class.toml").unwrap());
}

#[test]
fn missing_keys_have_their_defaults() {
    let tournament = parse(TWO);
    assert_eq!(tournament.name, "test");
    assert_eq!(tournament.format, Format::RoundRobin { rounds: NonZeroU32::MIN });
    assert_eq!((tournament.seed, tournament.concurrency, tournament.opening_plies), (0, None, 0));
    assert_eq!(tournament.time_control, TimeControl::Unlimited);
    assert_eq!(tournament.limits, GameLimits::default());
    assert_eq!((tournament.endings, tournament.listen), (Endings::Documented, None));
}

#[test]
fn every_top_level_key_is_read() {
    let tournament = parse(&format!(
        r#"
        name = "CS 441 final"
        ruleset = "gothello"
        rounds = 0x10
        seed = 9_223_372_036_854_775_807
        concurrency = 3
        black_time = "1m 30s"
        white_time = "2.5s"
        game_limit = "unlimited"
        illegal_tries = 0
        garbled_tries = "unlimited"
        hello_timeout = "1s"
        join_timeout = "2s"
        void_retries = 9
        build_timeout = "3s"
        quit_timeout = "0s"
        output_cap = "1 MiB"
        endings = "compatible"
        listen = "[::1]:0"
        {TWO}"#
    ));
    assert_eq!(tournament.name, "CS 441 final");
    assert_eq!(tournament.format, Format::RoundRobin { rounds: NonZeroU32::new(16).unwrap() });
    assert_eq!(tournament.seed, 9_223_372_036_854_775_807);
    assert_eq!(tournament.concurrency.map(std::num::NonZeroUsize::get), Some(3));
    let times = BySide { black: Duration::from_secs(90), white: Duration::from_millis(2_500) };
    assert_eq!(tournament.time_control, TimeControl::sudden_death(times));
    let limits = GameLimits {
        illegal_tries: Some(0),
        garbled_tries: None,
        hello_timeout: Duration::from_secs(1),
        join_timeout: Duration::from_secs(2),
        void_retries: 9,
        build_timeout: Duration::from_secs(3),
        game_limit: None,
        quit_timeout: Duration::ZERO,
        output_cap: 1 << 20,
    };
    assert_eq!(tournament.limits, limits);
    assert_eq!((tournament.endings, tournament.listen), (Endings::Compatible, "[::1]:0".parse().ok()));
}

#[test]
fn every_kind_of_player_is_read() {
    let tournament = parse(
        r#"
        listen = "0.0.0.0:29080"
        [[player]]
        name = "Alpha"
        builtin = "alphabeta"
        depth = 25
        seed = 3
        [[player]]
        name = "prog"
        dir = "bots/prog"
        env = { LEVEL = "{time}", MODE = "x{{y}}" }
        build = ["make", "{side}"]
        command = ["./bot", "--{side}", "{host}:{port}"]
        [[player]]
        name = "line"
        command = ["bot"]
        transport = "stdio"
        [[player]]
        name = "carol"
        remote = true
        token = "a word of hers"
        [[player]]
        name = "dave"
        remote = true
        listen = "0.0.0.0:29070"
        "#,
    );
    let player = |name: &str| tournament.players.iter().find(|player| player.name.as_str() == name);
    let kind = |name: &str| &player(name).unwrap().kind;
    let PlayerKind::Builtin(builtin) = kind("Alpha") else { panic!() };
    assert_eq!((builtin.thinker, builtin.depth.unwrap().get(), builtin.seed), (Thinker::Alphabeta, 25, Some(3)));

    let PlayerKind::Program(program) = kind("prog") else { panic!() };
    let fill = |placeholder: Placeholder| placeholder.name().to_uppercase();
    let command: Vec<String> = program.command.iter().map(|word| word.fill(fill)).collect();
    assert_eq!(command, ["./bot", "--SIDE", "HOST:PORT"]);
    assert_eq!(program.executable(), "./bot");
    let env: Vec<_> = program.env.iter().map(|(name, value)| (name.as_str(), value.fill(fill))).collect();
    assert_eq!(env, [("LEVEL", "TIME".to_owned()), ("MODE", "x{y}".to_owned())]);
    assert_eq!(program.build.as_deref(), Some(&["make".to_owned(), "{side}".to_owned()][..]));
    assert_eq!(program.working_dir(Path::new("/t")), Path::new("/t/bots/prog"));
    assert!(program.mentions(Placeholder::Time) && program.mentions(Placeholder::Port));
    assert!(!program.mentions(Placeholder::Server));
    assert_eq!(program.transport, Transport::Tcp);

    let PlayerKind::Program(line) = kind("line") else { panic!() };
    assert_eq!((line.transport, line.working_dir(Path::new("/t"))), (Transport::Stdio, "/t".into()));

    let PlayerKind::Remote(carol) = kind("carol") else { panic!() };
    assert!(carol.token.as_ref().unwrap().matches("a word of hers") && carol.listen.is_none());
    let PlayerKind::Remote(dave) = kind("dave") else { panic!() };
    assert!(dave.token.is_none() && dave.listen == "0.0.0.0:29070".parse().ok());
    assert!(player("erin").is_none());
}

#[test]
fn all_top_level_problems_are_reported_at_once() {
    let top = "time = \"ten\"\nruonds = 3\nrounds = 0\nseed = -4\nendings = \"compatibel\"\nlisten = \"x\"\n\
               illegal_tries = \"many\"\noutput_cap = \"3 kilos\"\nconcurrency = \"2\"\nblack_time = \"0s\"\nname = \"\"";
    assert_eq!(
        complaints(&format!("{top}{TWO}")),
        [
            "t.toml:1:8: `time`: `ten` is not a time for a game (write \"60s\", \"60s + 1s\" with an increment, or \"10m, 5 x 30s\" with five periods)",
            "t.toml:2:1: unknown key `ruonds`: did you mean `rounds`?",
            "t.toml:3:10: `rounds`: `0` is out of range (1 to 1000000)",
            "t.toml:4:8: `seed`: `-4` is out of range (0 to 9223372036854775807)",
            "t.toml:5:11: `endings`: unknown value `compatibel`: did you mean `compatible`?",
            "t.toml:6:10: `listen`: `x` is not an address and port (write \"0.0.0.0:29070\", \"[::]:29070\")",
            "t.toml:7:17: `illegal_tries`: unknown value `many` (known: unlimited, or a whole number without quotes)",
            "t.toml:8:14: `output_cap`: `3 kilos` is not a number of bytes (write 65536, \"64 KiB\", \"1 MiB\")",
            "t.toml:9:15: `concurrency`: expected a whole number, without quotes, found a string",
            "t.toml:10:1: `black_time` and `time` cannot be used together (remove one of them)",
            "t.toml:10:14: `black_time`: `0s` is out of range (1s to 7 days)",
            "t.toml:11:8: `name` is empty"
        ]
    );
}

/// A tournament of `ruleset` with a team whose table `modes` has these lines.
fn with_team(ruleset: &str, modes: &str) -> String {
    format!(
        "ruleset = \"{ruleset}\"\n[[player]]\nname = \"bo\"\nbuiltin = \"random\"\n[[player]]\nname = \"ada\"\n\
         [player.modes]\n{modes}"
    )
}

#[test]
fn a_team_has_a_bot_for_each_mode() {
    let modes =
        "go = { builtin = \"greedy\" }\nothello = { command = [\"x\", \"{port}\"], dir = \"o\", memory = \"1 GiB\" }\n";
    let tournament =
        Tournament::parse(&with_team("quantum-8", modes), "t").unwrap_or_else(|problems| panic!("{problems}"));
    let PlayerKind::Team(team) = &tournament.players[1].kind else { panic!("a team") };
    let of_modes: Vec<_> = team.members().iter().map(|member| (member.mode, member.bot.program())).collect();
    let [(Mode::Othello, Some(program)), (Mode::Go, None)] = of_modes[..] else { panic!("{of_modes:?}") };
    assert_eq!((program.dir.as_deref(), program.resources.memory), (Some(Path::new("o")), 1 << 30));
}

#[test]
fn each_mistake_in_a_team_is_reported_with_its_remedy() {
    let [othello, go] = ["othello = { builtin = \"greedy\" }\n", "go = { builtin = \"greedy\" }\n"];
    for (ruleset, modes, expected) in [
        (
            "quantum-8",
            othello.to_owned(),
            "7:9: `modes`: games of `quantum-8` have the mode go, but the team has no bot for it (write `go = { command = \
             [...] }`)",
        ),
        (
            "quantum-8",
            format!("{othello}{go}reverse = {{ builtin = \"greedy\" }}"),
            "10:1: `modes`: games of `quantum-8` have no mode reverse (leave it out; the modes are othello, go)",
        ),
        (
            "othello",
            othello.to_owned(),
            "7:9: `modes` is for games of several modes, one after another, such as `quantum`, but a game of `othello` has one \
             program for each player (write its `command` instead of `modes`)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ dir = \"x\" }}"),
            "9:1: `modes`: it is unclear what kind of bot plays go (write `command` or `builtin` into its table)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ remote = true }}"),
            "9:8: `remote` has no place in the table of a mode: the arena starts each of a team's bots itself (write `command` or \
             `builtin`)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ command = [\"x\"], transport = \"gtp\" }}"),
            "9:25: `transport`: an engine over GTP cannot play only go, because GTP has no games of several modes (leave the key \
             out, or write `transport = \"stdio\"` for a program that speaks the protocol over stdin and stdout)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ command = [\"x\"], builtin = \"greedy\" }}"),
            "9:25: `builtin` and `command` cannot be used together (remove one of them)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ command = [\"x\"], depth = 3 }}"),
            "9:25: `depth` is for a player with `builtin`, but this one has `command`",
        ),
        (
            "quantum-8",
            format!("{othello}{go}checkers = {{ builtin = \"greedy\" }}"),
            "10:1: unknown key `checkers` (known: reverse, othello, go)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ builtin = \"perfect\" }}"),
            "9:8: `builtin`: the rule set `quantum-8` has no `perfect` bot (choose another bot, such as `alphabeta`)",
        ),
        (
            "quantum-8",
            format!("{othello}go = \"x\""),
            "9:6: `go`: expected a table such as { command = [\"python3\", \
             \"bot.py\", \"{side}\", \"{port}\"] }, found a string",
        ),
    ] {
        assert_eq!(complaints(&with_team(ruleset, &modes)), [format!("t.toml:{expected}")], "{modes}");
    }
    let player = |keys: &str| {
        with_team("quantum-8", &format!("{othello}{go}")).replace("[player.modes]", &format!("{keys}\n[player.modes]"))
    };
    for (keys, expected) in [
        ("command = [\"x\"]", "8:9: `modes` and `command` cannot be used together (remove one of them)"),
        (
            "dir = \"x\"",
            "7:1: `dir` is for a single program, and each of a team's bots has its own keys (write it into the table of a mode)",
        ),
        ("token = \"a word of hers\"", "7:1: `token` is for a player with `remote`, but this one has `modes`"),
    ] {
        assert_eq!(complaints(&player(keys)), [format!("t.toml:{expected}")], "{keys}");
    }
}

#[test]
fn the_programs_of_a_team_may_share_a_directory_but_show_no_other_player_s() {
    let other = "\n[[player]]\nname = \"cy\"\ncommand = [\"x\"]\ndir = \"bots/cy\"\n";
    let team = |dir: &str| {
        let member = |mode, dir| format!("{mode} = {{ command = [\"x\"], dir = \"{dir}\" }}\n");
        with_team("quantum-8", &(member("othello", "bots/ada/one") + &member("go", dir) + other))
    };
    assert_eq!(complaints(&team("bots/ada/one")), [""; 0]);
    assert_eq!(complaints(&team("bots/ada")), [""; 0]);
    let [shown] = complaints(&team("bots")).try_into().expect("one problem");
    assert!(
        shown.contains("`dir`: the bot could read everything in `bots`, which contains the `dir` of player `cy`"),
        "{shown}"
    );
}

#[test]
fn all_problems_of_players_are_reported_at_once() {
    let players = "\n[[player]]\nname = \"a\"\nremote = true\ntoken = 5\n[[player]]\nname = \"A!\"\n[[player]]\n\
                   name = \"x:y\"\nbuiltin = \"alphabet\"\ncommand = [\"ä\"]\nnick = \"x\"";
    assert_eq!(
        complaints(&format!("{TWO}{players}")),
        [
            "t.toml:10:1: player `a` is defined twice (first at line 3)",
            "t.toml:12:9: `token`: expected a word in quotes, found a whole number",
            "t.toml:13:1: it is unclear what kind of player this is (write one of `command`, `builtin` and `remote = true` under it)",
            "t.toml:14:1: player `A!` cannot be distinguished from `a` at line 3 in game ids, where both are `a`",
            "t.toml:16:8: a player's name cannot contain a `:`",
            "t.toml:17:11: `builtin`: unknown value `alphabet`: did you mean `alphabeta`?",
            "t.toml:18:1: `command` and `builtin` cannot be used together (remove one of them)",
            "t.toml:19:1: unknown key `nick` (known: name, command, builtin, remote, modes, folder, git, branch, subdirectory, git_key, git_token_file, submit, dir, transport, env, build, memory, processes, cpu, scratch, open_files, output, readable, writable, pass_env, build_network, hosts, depth, playouts, error, seed, token, listen, openings, sides, tell_clock, challenger)"
        ]
    );
}

/// Asserts that a third player with the keys `keys` has the problems `expected`: line (1 is `[[player]]`, 3 is the
/// first of the keys), column, and the rest of the message.
fn assert_third(keys: &str, expected: &[(usize, usize, &str)]) {
    let expected: Vec<String> =
        expected.iter().map(|(line, column, what)| format!("t.toml:{}:{column}: {what}", HEADER - 1 + line)).collect();
    assert_eq!(complaints(&third(keys)), expected, "{keys}");
}

#[test]
fn what_is_not_the_name_of_a_host_is_reported_at_its_position() {
    assert_third(
        "command = [\"x\"]\nhosts = [\"a.example\", \"10.1.2.3\", \"localhost\", \"a b\", 5, \"A.Example\"]",
        &[
            (4, 23, "`hosts`: `10.1.2.3`: it is an address, but only names can be redirected to a seat"),
            (
                4,
                35,
                "`hosts`: `localhost`: it is the bot's own loopback, which leads to the referee anyway (leave it out)",
            ),
            (
                4,
                48,
                "`hosts`: `a b`: a host's name consists of the letters a to z, digits, `-` and `.` (leave out port and path)",
            ),
            (4, 55, "`hosts`: expected an array of names such as [\"barton.example.edu\"], found a whole number"),
            (4, 58, "`hosts`: `a.example` is listed twice"),
        ],
    );
    let names = |number: usize| {
        let names: Vec<String> = (0..number).map(|number| format!("\"a{number}\"")).collect();
        format!("command = [\"x\"]\nhosts = [{}]", names.join(", "))
    };
    assert_third(&names(16), &[]);
    assert_third(&names(18), &[(4, 112, "`hosts` has 18 names, but at most 16 are allowed")]);
    assert_third(
        "command = [\"x\"]\nhosts = \"a\"",
        &[(4, 9, "`hosts`: expected an array of names such as [\"barton.example.edu\"], found a string")],
    );
    assert_third(
        "command = [\"x\"]\ntransport = \"stdio\"\nhosts = [\"a\"]",
        &[(5, 1, "`hosts` is for programs that connect to the arena, but this one has `transport = \"stdio\"`")],
    );
    assert_third("command = [\"x\"]\nhost = [\"a\"]", &[(4, 1, "unknown key `host`: did you mean `hosts`?")]);
    assert_third(
        "remote = true\nlisten = \"127.0.0.1:1\"\nhosts = [\"a\"]",
        &[(5, 1, "`hosts` is for a player with `command`, but this one has `remote`")],
    );
}

#[test]
fn keys_of_another_kind_of_player_are_refused() {
    assert_third(
        "builtin = \"random\"\ndir = \"x\"\ntoken = \"secrecy!\"",
        &[
            (4, 1, "`dir` is for a player with `command`, but this one has `builtin`"),
            (5, 1, "`token` is for a player with `remote`, but this one has `builtin`"),
        ],
    );
    assert_third(
        "command = [\"x\"]\nseed = 1\ndepth = 2",
        &[
            (4, 1, "`seed` is for a player with `builtin`, but this one has `command`"),
            (5, 1, "`depth` is for a player with `builtin`, but this one has `command`"),
        ],
    );
    assert_third(
        "remote = true\ntoken = \"secrecy!\"\ntransport = \"stdio\"",
        &[
            (
                4,
                1,
                "`token` needs the arena's public address: write `listen = \"0.0.0.0:29070\"` at the top of the file, above the players",
            ),
            (5, 1, "`transport` is for a player with `command`, but this one has `remote`"),
        ],
    );
    assert_third(
        "builtin = \"greedy\"\ndepth = 2",
        &[(4, 1, "`depth` is for `builtin = \"alphabeta\"`, but this bot is `greedy`")],
    );
    assert_third("builtin = \"alphabeta\"\ndepth = 26", &[(4, 9, "`depth`: `26` is out of range (1 to 25)")]);
    assert_third(
        "dir = \"x\"",
        &[(
            1,
            1,
            "it is unclear what kind of player this is (write one of `command`, `builtin` and `remote = true` under it)",
        )],
    );
    assert_third(
        "builtin = \"random\"\nremote = true",
        &[(4, 1, "`remote` and `builtin` cannot be used together (remove one of them)")],
    );
    assert_third(
        "remote = false",
        &[(3, 10, "`remote`: `false` has no effect (write `remote = true`, or leave it out)")],
    );
}

#[test]
fn wrong_placeholders_are_reported_at_their_positions() {
    assert_third(
        "command = [\"x\", \"ä{sied}\", \"}\"]",
        &[
            (3, 19, "unknown placeholder `{sied}`: did you mean `{side}`?"),
            (3, 29, "`}` without its `{` (write `}}` for a plain brace)"),
        ],
    );
    assert_third(
        "command = [\"x\", \"\\t\\u00e4{sied} {\"]",
        &[
            (3, 26, "unknown placeholder `{sied}`: did you mean `{side}`?"),
            (3, 33, "`{` without its `}` (write `{{` for a plain brace)"),
        ],
    );
    assert_third(
        "command = [\"x\"]\nenv = { A = \"{x}\" }",
        &[(
            4,
            14,
            "unknown placeholder `{x}` (known: {side} {host} {port} {server} {time} {increment} {periods} {period} {move_time} {bank} {time_control} {seed} {name} {ruleset}; write `{{` for a plain brace)",
        )],
    );
    assert_third(
        "command = [\"x-{side}\"]",
        &[(3, 12, "`command`: the program itself must be the same in every game; placeholders are for its arguments")],
    );
    assert_third(
        "transport = \"stdio\"\ncommand = [\"x\", \"{side} {port} {sevrer}\"]\nenv = { A = \"{host}\" }",
        &[
            (
                4,
                25,
                "`command`: a program over stdin and stdout has no address to connect to, so `{port}` has no meaning",
            ),
            (4, 32, "unknown placeholder `{sevrer}`: did you mean `{server}`?"),
            (5, 14, "`env`: a program over stdin and stdout has no address to connect to, so `{host}` has no meaning"),
        ],
    );
    assert_third(
        "command = [\"x\", \"\"\"\n  {foo}\"\"\"]",
        &[(
            4,
            3,
            "unknown placeholder `{foo}` (known: {side} {host} {port} {server} {time} {increment} {periods} {period} {move_time} {bank} {time_control} {seed} {name} {ruleset}; write `{{` for a plain brace)",
        )],
    );
}

#[test]
fn commands_and_environments_are_checked_word_by_word() {
    assert_third(
        "command = \"x\"",
        &[(
            3,
            11,
            "`command`: expected an array of strings such as [\"python3\", \"bot.py\", \"{side}\"], found a string",
        )],
    );
    assert_third("command = []", &[(3, 11, "`command` is empty: its first word is the program to run")]);
    assert_third("command = [\"\", \"x\"]", &[(3, 11, "`command` is empty: its first word is the program to run")]);
    assert_third(
        "command = [\"x\", 3]\nbuild = \"make\"\ndir = 3",
        &[
            (3, 17, "`command, word 2`: expected a string; put quotes round it, found a whole number"),
            (4, 9, "`build`: expected an array of strings such as [\"make\", \"bot\"], found a string"),
            (5, 7, "`dir`: expected a directory such as \"bots/alice\", relative to this file, found a whole number"),
        ],
    );
    assert_third(
        "command = [\"x\", \"\\u0000\"]\ndir = \"\"",
        &[
            (3, 17, "`command` contains a control character or an invisible character"),
            (4, 7, "`dir` is empty (name the bot's own directory, such as \"bots/alice\", or leave it out)"),
        ],
    );
    assert_third(
        "command = [\"x\"]\nenv = { GOTHELLO_SIDE = \"x\", B = 3, \"C=\" = \"x\" }\ntransport = \"udp\"",
        &[
            (4, 9, "`env`: the arena sets `GOTHELLO_SIDE` itself"),
            (4, 34, "`env.B`: expected a string; put quotes round it, found a whole number"),
            (4, 37, "`env`: `C=` cannot be the name of an environment variable"),
            (5, 13, "`transport`: unknown value `udp` (known: tcp, stdio, gtp)"),
        ],
    );
}

#[test]
fn no_bot_may_see_the_tournament_file_or_another_players_directory() {
    let own = "put the bot's files into a directory of their own, such as \"bots/alice\", and name that directory";
    let file = |key: &str, path: &str, then: &str| {
        format!(
            "`{key}`: the bot could read everything in `{path}`, which contains this tournament file, and thus possibly tokens, \
             results and other bots ({then})"
        )
    };
    for dir in [".", "./", "..", "bots/..", "/"] {
        assert_third(&format!("dir = \"{dir}\"\ncommand = [\"x\"]"), &[(3, 7, &file("dir", dir, own))]);
    }
    let readable = "name only the files and directories that the bot needs";
    assert_third("command = [\"x\"]\nreadable = [\"/opt\", \"..\"]", &[(4, 21, &file("readable", "..", readable))]);
    let bob = "[[player]]\nname = \"bob\"\ndir = \"bots/bob\"\ncommand = [\"x\"]\n";
    let alice = |keys: &str| complaints(&format!("{}{bob}", third(keys)));
    let other = |key: &str, path: &str, then: &str| {
        format!("`{key}`: the bot could read everything in `{path}`, which contains the `dir` of player `bob` ({then})")
    };
    let at = |line: usize, column: usize, what: &str| [format!("t.toml:{}:{column}: {what}", HEADER - 1 + line)];
    assert_eq!(alice("dir = \"bots\"\ncommand = [\"x\"]"), at(3, 7, &other("dir", "bots", own)));
    assert_eq!(
        alice("command = [\"x\"]\nreadable = [\"bots/bob/\"]"),
        at(4, 13, &other("readable", "bots/bob/", readable))
    );
    // Two variants of a bot may share a directory, and a file may be named on purpose.
    for keys in ["dir = \"bots/./bob\"", "dir = \"bots/alice\"", "readable = [\"bots/bob/book\", \"bots/bo\"]"] {
        assert_eq!(alice(&format!("{keys}\ncommand = [\"x\", \"..\"]")), [""; 0], "{keys}");
    }
}

#[test]
fn variables_are_passed_by_name_to_all_players_or_to_one() {
    let text =
        format!("pass_env = [\"A\"]\n{TWO}") + "[[player]]\nname = \"p\"\ncommand = [\"x\"]\npass_env = [\"B\"]\n";
    let tournament = Tournament::parse(&text, "t").expect("right");
    let PlayerKind::Program(program) = &tournament.players[2].kind else { panic!("a program") };
    assert_eq!(program.pass_env, ["A", "B"]);
    assert_third(
        "command = [\"x\"]\npass_env = [\"A=b\", \"\", 3, \"HOME\", \"GOTHELLO_SIDE\"]",
        &[
            (4, 13, "`pass_env`: `A=b` cannot be the name of an environment variable"),
            (4, 20, "`pass_env`: `` cannot be the name of an environment variable"),
            (4, 24, "`pass_env`: expected an array of names such as [\"MODEL_PATH\"], found a whole number"),
            (4, 27, "`pass_env`: the arena sets `HOME` itself"),
            (4, 35, "`pass_env`: the arena sets `GOTHELLO_SIDE` itself"),
        ],
    );
    assert_third(
        "builtin = \"greedy\"\npass_env = [\"A\"]",
        &[(4, 1, "`pass_env` is for a player with `command`, but this one has `builtin`")],
    );
}

#[test]
fn remote_players_need_exactly_one_way_in() {
    assert_third(
        "remote = true",
        &[(1, 1, "this remote player needs either a `token` or an address of its own in `listen`")],
    );
    assert_third("remote = \"yes\"", &[(3, 10, "`remote`: expected `true`, without quotes, found a string")]);
    assert_third(
        "remote = true\ntoken = \"secrecy!\"",
        &[(
            4,
            1,
            "`token` needs the arena's public address: write `listen = \"0.0.0.0:29070\"` at the top of the file, above the players",
        )],
    );
    assert_third(
        "remote = true\ntoken = \"secrecy!\"\nlisten = \"127.0.0.1:29090\"",
        &[(5, 1, "`listen` and `token` cannot be used together (remove one of them)")],
    );
    assert_third(
        "remote = true\nlisten = \"29090\"",
        &[(4, 10, "`listen`: `29090` is not an address and port (write \"0.0.0.0:29070\", \"[::]:29070\")")],
    );
    assert_third(
        "remote = true\ntoken = \" \"",
        &[(4, 9, "`token` is empty (write a word that only this player knows)")],
    );
    assert_third(
        "remote = true\nlisten = \"0.0.0.0:1\"\ntoken = \"secrets\"",
        &[
            (4, 1, "`listen` and `token` cannot be used together (remove one of them)"),
            (5, 9, "`token` has fewer than 8 characters, and can be guessed"),
        ],
    );
    assert_third(
        "remote = true\nlisten = \"0.0.0.0:1\"\ntoken = \"0123456789012345678901234567890\"",
        &[
            (4, 1, "`listen` and `token` cannot be used together (remove one of them)"),
            (
                5,
                1,
                "name and token have 33 characters, including the `:` between them, but a client can send at most 31",
            ),
        ],
    );
}

#[test]
fn listening_addresses_must_differ() {
    let text = "listen = \"0.0.0.0:29070\"\n[[player]]\nname = \"a\"\nremote = true\nlisten = \"127.0.0.1:29070\"\n\
                [[player]]\nname = \"b\"\nremote = true\nlisten = \"127.0.0.1:0\"\n\
                [[player]]\nname = \"c\"\nremote = true\nlisten = \"127.0.0.1:0\"\n\
                [[player]]\nname = \"d\"\nremote = true\nlisten = \"0.0.0.0:29068\"\n\
                [[player]]\nname = \"e\"\ncommand = [\"old\", \"{side}\"]\n";
    assert_eq!(
        complaints(text),
        [
            "t.toml:5:1: `listen`: 127.0.0.1:29070 is taken by line 1",
            "t.toml:17:1: `listen`: player `e` needs port 29068 of 127.0.0.1 for itself, because its command names neither {port} nor {server}"
        ]
    );
    for (listen, command, where_else) in [
        ("127.0.0.1", "\"{side}\"", Some("127.0.0.1")),
        ("0.0.0.0", "\"{host}\"", Some("a host of its own")),
        ("127.0.0.1", "\"{host}\"", None),
        ("0.0.0.0", "\"{server}\"", None),
        ("0.0.0.0", "\"{host}\", \"{port}\"", None),
    ] {
        let text = format!(
            "[[player]]\nname = \"d\"\nremote = true\nlisten = \"{listen}:29068\"\n\
             [[player]]\nname = \"e\"\ncommand = [\"old\", {command}]\n"
        );
        let expected = where_else.map(|host| {
            format!(
                "t.toml:4:1: `listen`: player `e` needs port 29068 of {host} for itself, because its command names neither \
                 {{port}} nor {{server}}"
            )
        });
        if let Some(expected) = expected {
            assert_eq!(complaints(&text), [expected], "{text}");
        } else {
            assert!(Tournament::parse(&text, "t.toml").is_ok(), "{text}");
        }
    }
}

#[test]
fn toml_syntax_errors_neither_hide_nor_cause_other_errors() {
    let text = "time = 60s\nrounds = = 2\nseeed = 3\nendings = \"\n[[player]\nname = \"x\"\n[[player]]\n";
    assert_eq!(
        complaints(text),
        [
            "t.toml:1:8: string values must be quoted, expected literal string",
            "t.toml:2:10: extra `=`, expected nothing",
            "t.toml:3:1: unknown key `seeed`: did you mean `seed`?",
            "t.toml:4:12: invalid basic string, expected `\"`",
            "t.toml:5:10: unclosed array table, expected `]`"
        ]
    );
}

#[test]
fn keys_on_unreadable_lines_are_not_reported_as_missing() {
    let text = "black_time = \"5s\"\nwhite_time: \"5s\"\n[[player]]\nname: \"a\"\nbuiltin: \"random\"\n";
    let lines: Vec<String> =
        complaints(text).iter().map(|line| line.split(':').nth(1).unwrap_or_default().to_owned()).collect();
    assert_eq!(lines, ["2", "4", "5"], "{:?}", complaints(text));
}

#[test]
fn a_byte_order_mark_does_not_count_as_a_column() {
    assert_eq!(
        complaints(&format!("\u{feff}seeed = 1{TWO}")),
        ["t.toml:1:1: unknown key `seeed`: did you mean `seed`?"]
    );
}

#[test]
fn every_time_control_can_be_written() {
    let control = |top: &str| {
        let tournament =
            Tournament::parse(&format!("{top}{TWO}"), "t").unwrap_or_else(|problems| panic!("{problems:?}"));
        let wall_limit = tournament.meter.wall_limit(Side::Black);
        (tournament.time_control.to_string(), wall_limit.map(|limit| limit.as_secs()))
    };
    for (top, expected, wall_limit) in [
        ("time = \"60s\"", "60", 600),
        ("time = \"60s + 600ms\"", "60+0.6", 894),
        ("time = \"10m, 5 x 30s\"", "600:5x30", 22_200),
        ("move_time = \"1s\"", "1/move", 500),
        ("move_time = \"1s\"\nbank = \"1m\"", "1/move+60bank", 1_100),
        (
            "black_time = \"60s + 1s\"\nwhite_move_time = \"1s\"\nwhite_bank = \"5s\"",
            "black 60+1 white 1/move+5bank",
            1_090,
        ),
        ("black_move_time = \"2s\"\nwhite_move_time = \"1s\"", "black 2/move white 1/move", 1_000),
    ] {
        assert_eq!(control(top), (expected.to_owned(), None));
        assert_eq!(control(&format!("clock = \"cpu\"\n{top}")), (expected.to_owned(), Some(wall_limit)));
    }
}

#[test]
fn clocks_that_make_no_sense_are_refused_with_a_remedy() {
    let said = |top: &str| complaints(&format!("{top}{TWO}"));
    for (top, problem) in [
        (
            "black_time = \"5s\"",
            "1:1: `black_time` needs a clock for white next to it, such as `white_time` (or write `time` for both sides)",
        ),
        (
            "white_move_time = \"5s\"",
            "1:1: `white_move_time` needs a clock for black next to it, such as `black_move_time` (or write `move_time` for both \
             sides)",
        ),
        (
            "time = \"5s\"\nwhite_time = \"5s\"",
            "2:1: `white_time` and `time` cannot be used together (remove one of them)",
        ),
        (
            "time = \"5s\"\nmove_time = \"5s\"",
            "2:1: `move_time` and `time` cannot be used together (remove one of them)",
        ),
        (
            "black_time = \"5s\"\nblack_move_time = \"5s\"\nwhite_time = \"5s\"",
            "2:1: `black_move_time` and `black_time` cannot be used together (remove one of them)",
        ),
        (
            "move_time = \"5s\"\nwhite_bank = \"5s\"\nwhite_move_time = \"5s\"",
            "3:1: `white_move_time` and `move_time` cannot be used together (remove one of them)",
        ),
        (
            "bank = \"5s\"",
            "1:1: `bank` needs `move_time` next to it, because it covers moves that take longer than that (for a time for the \
             whole game, write `time`)",
        ),
        (
            "black_time = \"5s\"\nblack_bank = \"5s\"\nwhite_time = \"5s\"",
            "2:1: `black_bank` and `black_time` cannot be used together (remove one of them)",
        ),
        ("time = \"5s\"\nbank = \"5s\"", "2:1: `bank` and `time` cannot be used together (remove one of them)"),
        (
            "move_time = \"5s\"\nblack_bank = \"5s\"",
            "2:1: `black_bank` and `move_time` cannot be used together (remove one of them)",
        ),
        (
            "black_bank = \"5s\"",
            "1:1: `black_bank` needs `black_move_time` next to it, because it covers moves that take longer than that (for a \
             time for the whole game, write `black_time`)",
        ),
        (
            "time = \"1s/move\"",
            "1:8: `time` is a time for the whole game (write `move_time = \"1s\"` for a time for each move)",
        ),
        ("time = \"60s + 0s\"", "1:8: `time`, `increment`: `0s` is out of range (1ms to 1h)"),
        ("time = \"10m, 5 x 0s\"", "1:8: `time`, `period`: `0s` is out of range (1s to 1h)"),
        ("time = \"10m, 0 x 5s\"", "1:8: `time`, `periods`: `0` is out of range (1 to 1000)"),
        ("move_time = \"0s\"", "1:13: `move_time`: `0s` is out of range (1s to 7 days)"),
        (
            "time = \"60\"",
            "1:8: `time`: `60` is not a time for a game (write \"60s\", \"60s + 1s\" with an increment, or \"10m, 5 x 30s\" \
             with five periods)",
        ),
    ] {
        assert_eq!(said(top), [format!("t.toml:{problem}")]);
    }
    let engine = "\n[[player]]\nname = \"a\"\ncommand = [\"x\"]\ntransport = \"gtp\"\n\
                  [[player]]\nname = \"b\"\ncommand = [\"x\"]\ntransport = \"gtp\"\n";
    assert_eq!(
        complaints(&format!("ruleset = \"go-9\"\ntime = \"60s + 600ms\"{engine}")),
        [
            "t.toml:2:1: `time`: GTP has only whole seconds, so it cannot express an increment of 600ms for the engine `a` (write \
             at least \"1s\", or use `move_time`)"
        ]
    );
    assert!(complaints(&format!("ruleset = \"go-9\"\ntime = \"60s + 1s\"{engine}")).is_empty());
}

#[test]
fn a_single_mistake_about_players_is_reported_once() {
    assert_eq!(
        complaints(""),
        ["t.toml:1:1: a tournament needs at least two players, each under a line `[[player]]`, but this one has 0"]
    );
    assert_eq!(
        complaints("[player]\nname = \"a\""),
        ["t.toml:1:2: `player` needs double brackets: write `[[player]]` above each player"]
    );
    assert_eq!(complaints("[[players]]\nname = \"a\""), ["t.toml:1:3: unknown key `players`: did you mean `player`?"]);
}

#[test]
fn invalid_utf_8_is_refused_where_it_starts() {
    let problems = Tournament::parse_bytes(b"# \xc3\xa4\nab \xff", "test").unwrap_err();
    assert_eq!(problems.to_string(), "2:4: this is not UTF-8");
}

/// A file with most keys and a token, to be mutated.
const RICH: &str = "name = \"x\"\nlisten = \"0.0.0.0:29080\"\ntime = \"1m\"\nrounds = 3\n[[player]]\nname = \"carol\"\n\
    remote = true\ntoken = \"hushhush\"\n[[player]]\nname = \"p\"\ncommand = [\"bot\", \"{side}\"]\n\
    env = { A = \"\\u00e4{seed}\" }\n[[player]]\nname = \"q\"\nbuiltin = \"alphabeta\"\ndepth = 3\n";

#[test]
fn a_token_is_never_shown() {
    let tournament = parse(RICH);
    assert!(!format!("{tournament:?}").contains("hushhush"));
    for wrong in [
        "token = hushhush",
        "token hushhush",
        "token = [\"hushhush\"]",
        "token = \"hushhush\\u0000\"",
        "toke = \"hushhush\"",
    ] {
        let text = RICH.replace("token = \"hushhush\"", wrong);
        let problems = Tournament::parse(&text, "test").unwrap_err();
        assert!(!format!("{problems} {problems:?}").contains("hush"), "{problems:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(\\PC|[\n\"'={}\\[\\]]){0,60}") {
        let _ = complaints(&text);
    }

    #[test]
    fn no_mutation_of_a_valid_file_makes_the_reader_panic_or_shows_a_token(
        at in 0..RICH.len(),
        length in 0_usize..8,
        put_in in "[\n\"'={}\\[\\]\\\\#a0,. -]{0,3}",
    ) {
        let token = RICH.find("hushhush").unwrap()..RICH.find("hushhush").unwrap() + "hushhush".len();
        let hits_token = at < token.end && token.start < at + length;
        let at = if hits_token || token.contains(&at) { token.end } else { at };
        let end = (at + length).min(RICH.len());
        let text = format!("{}{put_in}{}", &RICH[..at], &RICH[end..]);
        if let Err(problems) = Tournament::parse(&text, "test") {
            let lines = text.lines().count() + 1;
            for problem in &problems {
                prop_assert!(problem.place.line >= 1 && problem.place.line <= lines && problem.place.column >= 1);
            }
            prop_assert!(!format!("{problems} {problems:?}").contains("hushhush"), "{}", problems);
        }
    }
}

/// Runs `gothello-arena check FILE`. Returns the exit code, stdout and stderr.
fn check(file: Option<&Path>) -> (Option<i32>, String, String) {
    let output = Command::new(program()).arg("check").args(file).output_in_time().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn check_describes_the_embedded_tournament() {
    let (code, stdout, stderr) = check(None);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(
        stdout.contains("4 players, round-robin, 5 rounds, 60 games")
            && stdout.contains("built in: alphabeta, depth 3")
    );
}

#[test]
fn check_exits_with_2_for_an_invalid_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.toml");
    fs::write(&file, format!("seeed = 3\nrounds = 0{TWO}")).unwrap();
    let (code, stdout, stderr) = check(Some(&file));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    let shown = file.display();
    assert_eq!(
        stderr,
        format!(
            "error: {shown}:1:1: unknown key `seeed`: did you mean `seed`?\n\
             error: {shown}:2:10: `rounds`: `0` is out of range (1 to 1000000)\n"
        )
    );
    assert_eq!(check(Some(&dir.path().join("none.toml"))).0, Some(2));
}

#[test]
fn check_exits_with_3_if_a_program_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.toml");
    // The program of a player with a build may be missing until the build has run, but its directory may not.
    let players = third("command = [\"sh\", \"bot.sh\", \"-x\"]")
        + "[[player]]\nname = \"built\"\nbuild = [\"sh\", \"-c\", \"make\"]\ncommand = [\"./none\"]\n\
           [[player]]\nname = \"gone\"\ncommand = [\"./none\"]\n\
           [[player]]\nname = \"nowhere\"\ndir = \"no\"\ncommand = [\"sh\"]\n\
           [[player]]\nname = \"unbuilt\"\nbuild = [\"./no-make\"]\ncommand = [\"./none\"]\n\
           [[player]]\nname = \"remote\"\nremote = true\ntoken = \"hushhush\"\n";
    fs::write(&file, format!("listen = \"127.0.0.1:29095\"\n{players}")).unwrap();
    let (code, stdout, stderr) = check(Some(&file));
    assert_eq!(code, Some(3), "{stderr}");
    // The script of an interpreter can only be guessed, so this is only a hint.
    let hint = format!("`bot.sh` is not in `{}`, the directory in which `sh bot.sh -x` starts", dir.path().display());
    assert_eq!(stderr.lines().filter(|line| line.ends_with(&hint)).count(), 1, "{stderr}");
    let at_fault: Vec<&str> =
        stderr.lines().filter(|line| !line.ends_with(&hint)).map(|line| line.split('`').nth(1).unwrap()).collect();
    assert_eq!(at_fault, ["gone", "nowhere", "unbuilt"], "{stderr}");
    assert!(stderr.contains(&format!("{}/none: no such file", dir.path().display())), "{stderr}");
    assert!(
        stdout.contains("sh bot.sh -x, sha256 ") && stdout.contains("by name and token on 127.0.0.1:29095"),
        "{stdout}"
    );
    assert!(!stdout.contains("hush") && !stderr.contains("hush"));
    assert!(stderr.contains(&format!("player `c`: {hint}\n")), "{stderr}");
    let line = |player: &str| stdout.lines().find(|line| line.contains(player)).expect("a line");
    assert!(line("sh bot.sh").ends_with("(a file that its command names does not exist)"), "{stdout}");
    assert!(line("gone").ends_with("cannot be run") && line("nowhere").ends_with("cannot be run"), "{stdout}");
    // If both are written to one terminal, the list of players comes before the problems with them.
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" check \"$1\" 2>&1", program()]).arg(&file);
    let both = String::from_utf8(shell.output_in_time().unwrap().stdout).unwrap();
    assert_eq!(both, stdout + &stderr);
}
