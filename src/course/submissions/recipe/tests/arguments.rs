//! The arguments of a command, and values that are hard-coded in a program.

use super::*;

#[test]
fn arguments_are_those_of_the_call_that_connects() {
    let client = ("gthclient.py", CLIENT);
    for (text, expected) in [
        (
            "server_name = sys.argv[2]\nserver_number = int(sys.argv[3])\nc = gthclient.GthClient(sys.argv[1], server_name, server_number)\n",
            "{side} {host} {server}",
        ),
        (
            "side = sys.argv[1]\nhost_name = sys.argv[2]\nhost_number = sys.argv[3]\nGthClient(side, host_name, int(host_number))\n",
            "{side} {host} {server}",
        ),
        // Names that are meaningless or misleading.
        ("a = sys.argv[3]\nb = sys.argv[1]\nc = int(sys.argv[2])\nGthClient(a, b, c)\n", "{host} {server} {side}"),
        ("server = sys.argv[2]\nnumber = int(sys.argv[3])\nside = sys.argv[1]\n", "{side} {host} {server}"),
        (
            "def start(x, y, z):\n    GthClient(x, y, z)\nstart(sys.argv[2], sys.argv[1], int(sys.argv[3]))\n",
            "{host} {side} {server}",
        ),
        ("s.connect((sys.argv[1], 29068 + int(sys.argv[2])))\nme = sys.argv[3]\n", "{host} {server} {side}"),
        ("s.connect((sys.argv[2], int(sys.argv[3])))\nme = sys.argv[1]\n", "{side} {host} {port}"),
        (
            "port = 29068 + int(sys.argv[3])\nhost = sys.argv[2]\nside = sys.argv[1]\ns.connect((host, port))\n",
            "{side} {host} {server}",
        ),
        (
            "PORT = 29068\nn = int(sys.argv[2])\nh = sys.argv[3]\nside = sys.argv[1]\ns.connect((h, PORT + n))\n",
            "{side} {server} {host}",
        ),
        ("x = sys.argv[1]\ny = sys.argv[2]\nif y == 'white':\n    pass\n", "{host} {side}"),
        // A numeric argument is assumed to be the side only if there is evidence that it is.
        ("x = int(sys.argv[1])\ny = sys.argv[2]\n", "{server} {host}"),
        ("h = int(sys.argv[2])\nhost = sys.argv[1]\ncolor = int(sys.argv[3])\n", "{host} {server} {side}"),
        (
            "print('usage: p.py <host> <side> <depth>')\na = sys.argv[1]\nb = sys.argv[2]\nc = int(sys.argv[3])\n",
            "{host} {side} 3",
        ),
    ] {
        let text = format!("import sys, gthclient\n{text}");
        let recipe = recognised(&[("bot.py", &text), client]).recipe.expect("a recipe");
        assert_eq!(recipe.command[2..].join(" "), expected, "{text}");
    }
}

#[test]
fn a_clock_is_kept_from_players_that_use_the_old_library() {
    let old = "class GthClient:\n    def f():\n        self.my_time = white_time_control\n";
    let in_bash = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec python3 bot.py \"$@\"\n";
    let run = "command = [\"./run.sh\", \"{side}\"]";
    let in_python = format!("language = \"python\"\n{run}");
    let in_c = format!("language = \"c\"\n{run}");
    for (files, expected) in [
        // Only the copy of the library that the program imports counts.
        (&[("bot.py", OWN), ("gthclient.py", old)][..], Some("gthclient.py:3")),
        (&[("bot.py", OWN), ("gthclient.py", CLIENT), ("old/gthclient.py", old)], None),
        (&[("src/bot.py", OWN), ("src/gthclient.py", CLIENT), ("gthclient.py", old)], None),
        (&[("src/bot.py", OWN), ("src/gthclient.py", old), ("gthclient.py", CLIENT)], Some("src/gthclient.py:3")),
        (&[("bot.py", OWN), ("lib/gthclient.py", old)], Some("lib/gthclient.py:3")),
        // A module of the program imports the library.
        (
            &[
                ("bot.py", "from net.player import play\nimport sys\nplay(sys.argv[1])\n"),
                ("net/player.py", "from net import gthclient\n"),
                ("net/gthclient.py", old),
                ("gthclient.py", CLIENT),
            ],
            Some("net/gthclient.py:3"),
        ),
        // If the student specifies a command, the copy that counts is next to the program that the command or its
        // script runs, or else it is the nearest copy.
        (
            &[("gothello.toml", run), ("run.sh", in_bash), ("bot.py", OWN), ("gthclient.py", old)],
            Some("gthclient.py:3"),
        ),
        (
            &[
                ("gothello.toml", run),
                ("run.sh", in_bash),
                ("bot.py", OWN),
                ("gthclient.py", CLIENT),
                ("a/gthclient.py", old),
            ],
            None,
        ),
        (
            &[
                ("gothello.toml", "command = [\"python3\", \"-m\", \"a.bot\"]"),
                ("a/bot.py", OWN),
                ("a/gthclient.py", old),
            ],
            Some("a/gthclient.py:3"),
        ),
        (&[("gothello.toml", &in_python), ("run.sh", "exec ./start"), ("gthclient.py", old)], Some("gthclient.py:3")),
        // The copy next to the script is nearer than copies in subdirectories, and these are nearer than copies
        // elsewhere.
        (
            &[
                ("gothello.toml", &in_python),
                ("run.sh", "exec ./start"),
                ("gthclient.py", CLIENT),
                ("a/gthclient.py", old),
            ],
            None,
        ),
        (
            &[
                ("b/gothello.toml", &in_python),
                ("b/run.sh", "exec ./start"),
                ("b/c/gthclient.py", old),
                ("d/gthclient.py", CLIENT),
            ],
            Some("b/c/gthclient.py:3"),
        ),
        (&[("gothello.toml", &in_c), ("run.sh", "exec ./bot"), ("gthclient.py", old)], None),
        (&[("gothello.toml", "command = [\"./python_slayer\", \"{side}\"]"), ("x.c", ""), ("gthclient.py", old)], None),
        // Programs in other languages do not use the library.
        (&[("bot.pl", "my ($side, $host, $server) = @ARGV;\n"), ("gthclient.py", old)], None),
    ] {
        let found = recognised(files);
        let recipe = found.recipe.expect("a recipe");
        assert_eq!(recipe.is_told_clock, expected.is_none(), "{files:?}: {recipe:?}");
        let told: Vec<&String> =
            found.warnings.iter().filter(|warning| warning.contains("belongs to the old library")).collect();
        assert_eq!(told.len(), usize::from(expected.is_some()), "{files:?}: {told:?}");
        assert!(told.iter().all(|warning| warning.contains(expected.unwrap_or_default())), "{files:?}: {told:?}");
    }
}

#[test]
fn what_is_written_into_a_program_is_found() {
    let found = |text: &str| {
        let text = format!("import sys, gthclient\n{text}");
        let found = recognised(&[("bot.py", &text), ("gthclient.py", CLIENT)]);
        let recipe = found.recipe.expect("a recipe");
        let side = recipe.side.map_or("any", Side::name);
        let told = found.warnings.iter().filter(|warning| warning.contains("is hard-coded in")).count();
        format!(
            "{}: {} | {} | {side} | {told}",
            recipe.certainty,
            recipe.command[1..].join(" "),
            recipe.hosts.join(",")
        )
    };
    for (text, expected) in [
        (
            "me = sys.argv[1]\nc = gthclient.GthClient(me, \"Barton.cs.example.edu\", 0)\n",
            "likely: bot.py {side} | barton.cs.example.edu | any | 1",
        ),
        (
            "HOST = 'barton.example.edu'\nme = sys.argv[1]\nc = gthclient.GthClient(me, HOST, 0)\n",
            "likely: bot.py {side} | barton.example.edu | any | 1",
        ),
        (
            "HOST = 'b.example.edu'\nif len(sys.argv) > 2:\n    HOST = sys.argv[2]\nc = gthclient.GthClient(sys.argv[1], HOST, 0)\n",
            "likely: bot.py {side} {host} |  | any | 0",
        ),
        ("c = gthclient.GthClient(\"black\", \"localhost\", 0)\n", "likely: bot.py |  | black | 0"),
        (
            "me = 'white'\nc = gthclient.GthClient(me, 'barton.example.edu', 0)\n",
            "likely: bot.py | barton.example.edu | white | 1",
        ),
        ("me = input('side? ')\nc = gthclient.GthClient(me, 'localhost', 0)\n", "guess: bot.py |  | any | 0"),
        ("c = gthclient.GthClient('white', 'localhost', 3)\n", "likely: bot.py |  | white | 1"),
        ("c = gthclient.GthClient(sys.argv[1], '10.0.0.1', 0)\n", "likely: bot.py {side} |  | any | 1"),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn a_single_argument_is_not_a_range() {
    let found = recognised(&[("bot.py", "import sys\nside = sys.argv[1]\n")]);
    assert_eq!(found.recipe.expect("a recipe").why, "`bot.py` is the only program; it reads `sys.argv[1]`");
}
