//! Teams: a bot for each mode.

use std::path::Path;

use gothello_arena::game::quantum::Mode;
use gothello_arena::tournament::{PlayerKind, Tournament};

use super::complaints;

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
            "7:9: `modes` is for games with several modes, one after another, such as `quantum`, but in a game of `othello`, \
             each player has a single program (write its `command` instead of `modes`)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ dir = \"x\" }}"),
            "9:1: `modes`: it is unclear what kind of bot plays go (write `command` or `builtin` in its table)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ remote = true }}"),
            "9:8: `remote` does not belong in a mode's table: the arena itself starts each of a team's bots (write `command` or \
             `builtin`)",
        ),
        (
            "quantum-8",
            format!("{othello}go = {{ command = [\"x\"], transport = \"gtp\" }}"),
            "9:25: `transport`: an engine over GTP cannot play only go, because GTP has no games with several modes (leave the key \
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
            "7:1: `dir` is for a single program, and each of a team's bots has its own keys (write it in a mode's table)",
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
