//! How players are started: commands, placeholders, directories and environments.

use gothello_arena::tournament::{PlayerKind, Tournament};

use super::{HEADER, TWO, assert_third, complaints, third};

#[test]
fn wrong_placeholders_are_reported_at_their_positions() {
    assert_third(
        "command = [\"x\", \"ä{sied}\", \"}\"]",
        &[
            (3, 19, "unknown placeholder `{sied}`: did you mean `{side}`?"),
            (3, 29, "`}` without a matching `{` (write `}}` for a plain brace)"),
        ],
    );
    assert_third(
        "command = [\"x\", \"\\t\\u00e4{sied} {\"]",
        &[
            (3, 26, "unknown placeholder `{sied}`: did you mean `{side}`?"),
            (3, 33, "`{` without a matching `}` (write `{{` for a plain brace)"),
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
                "`command`: a program that communicates over stdin and stdout has no address to connect to, so `{port}` has no meaning",
            ),
            (4, 32, "unknown placeholder `{sevrer}`: did you mean `{server}`?"),
            (
                5,
                14,
                "`env`: a program that communicates over stdin and stdout has no address to connect to, so `{host}` has no meaning",
            ),
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
            "`{key}`: the bot could read everything in `{path}`, which contains this tournament file and possibly tokens, \
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
