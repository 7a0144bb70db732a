//! The tables of players.

use std::path::Path;

use gothello_arena::players::bots::Thinker;
use gothello_arena::tournament::{Placeholder, PlayerKind, Tournament, Transport};

use super::{TWO, assert_third, complaints, parse};

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
fn all_problems_of_players_are_reported_at_once() {
    let players = "\n[[player]]\nname = \"a\"\nremote = true\ntoken = 5\n[[player]]\nname = \"A!\"\n[[player]]\n\
                   name = \"x:y\"\nbuiltin = \"alphabet\"\ncommand = [\"ä\"]\nnick = \"x\"";
    assert_eq!(
        complaints(&format!("{TWO}{players}")),
        [
            "t.toml:10:1: player `a` is defined twice (first at line 3)",
            "t.toml:12:9: `token`: expected a word in quotes, found a whole number",
            "t.toml:13:1: it is unclear what kind of player this is (write `command`, `builtin` or `remote = true` under it)",
            "t.toml:14:1: player `A!` cannot be distinguished from `a` at line 3 in game ids, where both are `a`",
            "t.toml:16:8: a player's name cannot contain a `:`",
            "t.toml:17:11: `builtin`: unknown value `alphabet`: did you mean `alphabeta`?",
            "t.toml:18:1: `command` and `builtin` cannot be used together (remove one of them)",
            "t.toml:19:1: unknown key `nick` (known: name, command, builtin, remote, modes, folder, git, branch, subdirectory, git_key, git_token_file, submit, dir, transport, env, build, memory, processes, cpu, scratch, open_files, output, readable, writable, pass_env, build_network, hosts, depth, playouts, error, seed, token, listen, openings, sides, tell_clock, challenger)"
        ]
    );
}

#[test]
fn what_is_not_the_name_of_a_host_is_reported_at_its_position() {
    assert_third(
        "command = [\"x\"]\nhosts = [\"a.example\", \"10.1.2.3\", \"localhost\", \"a b\", 5, \"A.Example\"]",
        &[
            (4, 23, "`hosts`: `10.1.2.3`: this is an address, but only names can be redirected to a seat"),
            (
                4,
                35,
                "`hosts`: `localhost`: this is the bot's own loopback, which leads to the referee anyway (leave it out)",
            ),
            (
                4,
                48,
                "`hosts`: `a b`: a host name may contain only the letters a to z, digits, `-` and `.` (leave out the port and the path)",
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
    assert_third(&names(18), &[(4, 112, "`hosts` lists 18 names, but at most 16 are allowed")]);
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
        &[(1, 1, "it is unclear what kind of player this is (write `command`, `builtin` or `remote = true` under it)")],
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
            (5, 9, "`token` has fewer than 8 characters, so it could be guessed"),
        ],
    );
    assert_third(
        "remote = true\nlisten = \"0.0.0.0:1\"\ntoken = \"0123456789012345678901234567890\"",
        &[
            (4, 1, "`listen` and `token` cannot be used together (remove one of them)"),
            (
                5,
                1,
                "the name and the token have 33 characters, including the `:` between them, but a client can send at most 31",
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
            "t.toml:5:1: `listen`: 127.0.0.1:29070 is already used at line 1",
            "t.toml:17:1: `listen`: player `e` needs port 29068 on 127.0.0.1, because its command names neither {port} nor {server} (choose another port)"
        ]
    );
    for (listen, command, where_else) in [
        ("127.0.0.1", "\"{side}\"", Some("127.0.0.1")),
        ("0.0.0.0", "\"{host}\"", Some("an address of its own")),
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
                "t.toml:4:1: `listen`: player `e` needs port 29068 on {host}, because its command names neither {{port}} \
                 nor {{server}} (choose another port)"
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
