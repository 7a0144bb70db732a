//! Which of several programs is the bot.

use super::*;

#[test]
fn the_students_program_comes_before_those_of_the_course() {
    for (files, expected) in [
        // The languages do not matter.
        (
            &[
                (
                    "player.py",
                    "import gthclient, sys\nme = sys.argv[1]\nc = gthclient.GthClient(me, \"localhost\", 0)\n",
                ),
                ("gthclient.py", CLIENT),
                ("server/Grossthello.java", GROSSTHELLO),
                ("server/GthClient.java", JAVA_CLIENT),
                ("server/Board.java", "public class Board { }"),
            ][..],
            "likely: > python3 player.py {side}",
        ),
        // The commands in the library's README do not matter.
        (
            &[("minimax.py", OWN), ("gthrandom.py", RANDOM), ("gthclient.py", CLIENT), ("README.md", LIBRARY_README)],
            "likely: > python3 minimax.py {side} {host} {server}",
        ),
        (
            &[
                ("solve.py", OWN),
                ("lib/gthrandom.py", RANDOM),
                ("lib/gthclient.py", CLIENT),
                ("lib/README.md", LIBRARY_README),
            ],
            "likely: > env PYTHONPATH=lib python3 solve.py {side} {host} {server}",
        ),
        (
            &[
                ("My.java", &GROSSTHELLO.replace("Grossthello", "My")),
                ("Grossthello.java", GROSSTHELLO),
                ("GthClient.java", JAVA_CLIENT),
                ("Board.java", "class Board {}"),
                ("README.md", LIBRARY_README),
            ],
            "likely: > [javac -d . Board.java GthClient.java My.java] java -cp . My {side} {host} {server} 3",
        ),
        // If an example is the only program, the recipe is a guess.
        (&[("gthrandom.py", RANDOM), ("gthclient.py", CLIENT)], "guess: > python3 gthrandom.py {side}"),
        (
            &[
                ("Grossthello.java", GROSSTHELLO),
                ("GthClient.java", JAVA_CLIENT),
                ("Board.java", "class Board {}"),
                ("README.md", LIBRARY_README),
            ],
            "guess: > [javac -d . Board.java Grossthello.java GthClient.java] java -cp . Grossthello {side} {host} {server} 3",
        ),
        // The server and the library alone are not a player.
        (
            &[
                ("Gthd.java", "class Gthd { public static void main(String[] a) { new ServerSocket(1); } }"),
                ("gthclient.py", CLIENT),
            ],
            "none",
        ),
    ] {
        assert_eq!(best(files), expected);
    }
    let found = recognised(&[("gthrandom.py", RANDOM), ("gthclient.py", CLIENT)]).recipe.expect("a recipe");
    assert_eq!(
        found.why,
        "`gthrandom.py` has the name of a course example, and none of the other files is a program; \
         it reads `sys.argv[1]`"
    );
}

#[test]
fn files_that_the_course_gives_out_come_last_under_any_name() {
    let mut given = GivenFiles::default();
    given.add(OWN);
    let theirs = OWN.replace('\n', "\r\n");
    let found = recognised_with(&[("player.py", &theirs), ("utility.py", READS)], &given);
    assert!(found.recipe.expect("a recipe").why.starts_with("`utility.py` is the most likely of 2 programs"));
    assert_eq!(
        found.alternatives[0].why,
        "`player.py` is a file that the course handed out; it reads `sys.argv[1]` to `[3]`"
    );
    let alone = recognised_with(&[("player.py", &theirs), ("gthclient.py", CLIENT)], &given).recipe.expect("a recipe");
    assert_eq!(alone.certainty, Certainty::Guess);
    let why = "a file that the course handed out, and none of the other files is a program";
    assert!(alone.why.contains(why), "{}", alone.why);
}

#[test]
fn a_starter_that_nobody_has_changed_is_never_likely() {
    let mut given = GivenFiles::default();
    given.add_starter(OWN);
    let unchanged = OWN.replace('\n', "  \r\n");
    let changed = format!("{OWN}depth = 4\n");
    let alone = recognised_with(&[("mine.py", &unchanged), ("gthclient.py", CLIENT)], &given).recipe.expect("a recipe");
    assert_eq!(alone.certainty, Certainty::Guess);
    assert_eq!(
        alone.why,
        "`mine.py` is an unchanged `gothello-arena init` starter, and none of the other files is a program; \
         it reads `sys.argv[1]` to `[3]`"
    );
    // An unchanged starter ranks after the student's own program, and does not cast doubt on that program.
    let both = [("bot.py", unchanged.as_str()), ("utility.py", &changed), ("gthclient.py", CLIENT)];
    let found = recognised_with(&both, &given);
    let recipe = found.recipe.expect("a recipe");
    assert_eq!((recipe.certainty, recipe.command[1].as_str()), (Certainty::Likely, "utility.py"));
    assert_eq!(
        found.alternatives[0].why,
        "`bot.py` is an unchanged `gothello-arena init` starter; it reads `sys.argv[1]` to `[3]`"
    );
    // A starter with a single change counts as the student's program. A README does not make an unchanged starter more
    // than a guess.
    let own = recognised_with(&[("mine.py", &changed), ("gthclient.py", CLIENT)], &given).recipe.expect("a recipe");
    assert_eq!(own.certainty, Certainty::Likely, "{}", own.why);
    let shown = [("mine.py", unchanged.as_str()), ("README", "Run `python3 mine.py white localhost 0`.")];
    assert_eq!(recognised_with(&shown, &given).recipe.map(|recipe| recipe.certainty), Some(Certainty::Guess));
}

#[test]
fn a_second_likely_program_makes_a_guess() {
    let java = GROSSTHELLO.replace("Grossthello", "Player");
    let library = [("GthClient.java", JAVA_CLIENT), ("Board.java", "class Board {}"), ("gthclient.py", CLIENT)];
    let found = recognised(&[&[("bot.py", OWN), ("Player.java", &java)][..], &library].concat());
    assert_eq!(found.recipe.as_ref().map(|recipe| recipe.certainty), Some(Certainty::Guess));
    assert_eq!(found.alternatives.len(), 1);
    // A command in the student's own README, or the name of a directory, shows which program is the bot.
    for others in [
        &[("bot.py", OWN), ("Player.java", &java), ("README", "Run `python3 bot.py white localhost 0`.")][..],
        &[("bot.py", OWN), ("old/Player.java", &java)],
    ] {
        let found = recognised(&[others, &library].concat());
        assert_eq!(
            found.recipe.map(|recipe| (recipe.certainty, recipe.language)),
            Some((Certainty::Likely, "Python")),
            "{others:?}"
        );
    }
}

#[test]
fn copies_of_a_program_in_several_folders_count_as_one_program() {
    let other = format!("{OWN}depth = 4\n");
    for (files, alternatives) in [
        ([("a/bot.py", OWN), ("bot.py", OWN)], 0),
        ([("bot.py", OWN), ("b/bot.py", OWN)], 0),
        ([("agent.py", OWN), ("bot.py", OWN)], 1),
        ([("a/bot.py", &other), ("bot.py", OWN)], 1),
    ] {
        let found = recognised(&[&files[..], &[("gthclient.py", CLIENT)]].concat());
        assert_eq!(found.alternatives.len(), alternatives, "{files:?}: {:?}", found.alternatives);
        let recipe = found.recipe.expect("a recipe");
        assert!(alternatives > 0 || recipe.command.contains(&"bot.py".to_owned()), "{files:?}: {recipe:?}");
    }
}

#[test]
fn a_readme_that_names_no_file_is_the_students_own_if_it_starts_none_of_the_examples() {
    let [mine, other] = ["Mine", "Other"].map(|name| GROSSTHELLO.replace("Grossthello", name));
    let found = |readme: &str| {
        let programs = [("Mine.java", mine.as_str()), ("Other.java", &other), ("README", readme)];
        let library = [("GthClient.java", JAVA_CLIENT), ("Board.java", "class Board {}")];
        let recipe = recognised(&[&programs[..], &library].concat()).recipe.expect("a recipe");
        (recipe.certainty, recipe.why.contains("`Mine.java`"))
    };
    let own = "java -cp . Mine white localhost 0 3\n";
    assert_eq!(found(own), (Certainty::Likely, true));
    assert_eq!(found(&format!("{own}java -cp . Grossthello white localhost 0 3\n")).0, Certainty::Guess);
}

/// A bot in Python that can be imported, and a program that imports it.
const IMPORTABLE: &str = "import sys\nfrom gthclient import GthClient\ndef choose(board, side):\n    return side in ('white', 'black')\ndef main():\n    client = GthClient(sys.argv[1], sys.argv[2], int(sys.argv[3]))\nif __name__ == \"__main__\":\n    main()\n";
const IMPORTER: &str =
    "from bot import choose\ndef main():\n    choose(None, 'white')\nif __name__ == '__main__':\n    main()\n";

#[test]
fn a_program_that_another_one_imports_can_be_the_bot() {
    let node = "function main() {\n  const [side, host, port] = process.argv.slice(2);\n  net.connect(port, host);\n}\nmodule.exports = {choose: side => side === 'white' || side === 'black'};\n";
    let guarded_node = format!("{node}if (require.main === module) main();\n");
    let perl = "sub choose { $_[0] eq 'white' || $_[0] eq 'black' }\nsub main {\n  my ($side, $host, $port) = @ARGV;\n  IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port);\n}\nmain() unless caller;\n";
    let ruby = "def choose(side) = side == 'white' || side == 'black'\ndef main\n  side, host, port = ARGV\n  TCPSocket.new(host, port)\nend\nmain if __FILE__ == $0\n";
    let lua = "function main()\n  local side, host, port = arg[1], arg[2], arg[3]\n  -- white or black\n  require('socket').connect(host, port)\nend\nif not ... then main() end\n";
    for (bot, importer, ending) in [
        (IMPORTABLE, IMPORTER, "py"),
        (&guarded_node, "const {choose} = require('./bot');\nprocess.stdout.write(choose('white'));\n", "js"),
        (perl, "require './bot.pl';\nmy $games = shift || 10;\nchoose('white');\n", "pl"),
        (ruby, "require_relative 'bot'\nchoose('white') if __FILE__\n", "rb"),
        (lua, "require('bot')\nprint('white', ...)\n", "lua"),
    ] {
        let bot_file = format!("bot.{ending}");
        for other in ["selfplay", "test", "match", "trainer"] {
            let name = format!("{other}.{ending}");
            let found = recognised(&[(bot_file.as_str(), bot), (&name, importer), ("gthclient.py", CLIENT)]);
            let recipe = found.recipe.expect("a recipe");
            assert_eq!(recipe.command[1], bot_file, "{name}: {recipe:?}");
            assert!(found.alternatives.iter().any(|other| other.command[1] == name), "{name}");
            assert!(other != "match" || ending != "py" || recipe.certainty == Certainty::Guess, "{name}: {recipe:?}");
        }
    }
    // A program that reads arguments itself extends the module that it imports.
    let extends = "import sys\nfrom bot import main\nif __name__ == '__main__':\n    main(sys.argv[1:])\n";
    let found = recognised(&[("bot.py", IMPORTABLE), ("thinker.py", extends), ("gthclient.py", CLIENT)]);
    assert_eq!(found.recipe.expect("a recipe").command[1], "thinker.py");
    // A file without a main guard is a module, unless only a test or a program such as selfplay.py imports it.
    let (bot, other) = (&IMPORTABLE.replace("if __name__ == \"__main__\":\n    main", "main"), IMPORTER);
    for (name, expected) in [("play.py", "play.py"), ("selfplay.py", "bot.py"), ("test_bot.py", "bot.py")] {
        let found = recognised(&[("bot.py", bot), (name, other), ("gthclient.py", CLIENT)]);
        assert_eq!(found.recipe.expect("a recipe").command[1], expected, "{name}");
    }
    for (name, expected) in [("play.js", "play.js"), ("self-play.js", "bot.js"), ("test/bot.spec.js", "bot.js")] {
        let found = recognised(&[("bot.js", node), (name, "require('./bot'); process.exit(0)")]);
        assert_eq!(found.recipe.expect("a recipe").command[1], expected, "{name}");
    }
    // A module whose main guard contains only a demonstration is not one of the programs.
    let search = "import random\ndef best():\n    return 1\nif __name__ == '__main__':\n    print(best())\n";
    let player = format!("from search import best\n{OWN}");
    let found = recognised(&[("player.py", &player), ("search.py", search), ("gthclient.py", CLIENT)]);
    assert_eq!(found.recipe.expect("a recipe").certainty, Certainty::Likely);
    assert!(found.alternatives.is_empty(), "{:?}", found.alternatives);
}
