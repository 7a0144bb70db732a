//! The arguments that a program reads, found in its text.

use super::argument_words::{ArgumentArray, Arguments};
use super::client_calls::WrittenValues;
use super::options::{by_options, by_parser};
use super::readings::by_index;
use super::readme::ShownCommand;

/// The arguments that `text` reads from `array`. `shown` is a command in the README. `written` contains the values
/// hard-coded in the program.
pub(super) fn arguments(
    text: &str,
    array: ArgumentArray<'_>,
    shown: Option<&ShownCommand>,
    written: &WrittenValues,
) -> Arguments {
    let found = by_parser(text).or_else(|| by_options(text)).or_else(|| by_index(text, array, shown));
    let shown = || shown.map(|shown| Arguments { words: shown.words.clone(), are_known: true, why: shown.why() });
    found.or_else(shown).unwrap_or_else(|| without_a_reading(text, array, written))
}

/// The arguments of a program that does not seem to read any.
fn without_a_reading(text: &str, array: ArgumentArray<'_>, written: &WrittenValues) -> Arguments {
    const ASKING: [&str; 6] = ["input(", "System.in", "scanf(", "cin >>", "STDIN", "os.Stdin"];
    // Libraries that read the arguments.
    const PARSERS: [&str; 7] = ["argv", "argparse", "getopt", "click", "docopt", "fire.Fire", "env::args"];
    if text.contains(array.name) || PARSERS.iter().any(|word| text.contains(word)) {
        return Arguments {
            words: ["{side}", "{host}", "{server}"].map(str::to_owned).into(),
            are_known: false,
            why: "it is unclear how it reads its arguments, so it gets the usual ones".to_owned(),
        };
    }
    let (are_known, why) = match written.side {
        Some(side) => (true, format!("it reads no arguments and always plays {}", side.name())),
        None if ASKING.iter().any(|word| text.contains(word)) => {
            (false, "it reads no arguments, and may ask for its side on stdin, where it gets no answer".to_owned())
        }
        None => (false, "it reads no arguments: side and host may be hard-coded".to_owned()),
    };
    Arguments { words: Vec::new(), are_known, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON: ArgumentArray<'_> = ArgumentArray::new("sys.argv", 1);
    const JAVA: ArgumentArray<'_> = ArgumentArray::new("args", 0);

    fn words(text: &str, array: ArgumentArray<'_>) -> String {
        let found = arguments(text, array, None, &WrittenValues::default());
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
            ("print('hello')", " ?"),
            ("import getopt", "{side} {host} {server} ?"),
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
        let c = ArgumentArray::new("argv", 1);
        for text in [
            "puts(\"usage: ./player side host port\");\nplay(argv[1], argv[2], argv[3]);",
            "puts(\"usage: player SIDE HOST PORT\");\nplay(argv[1], argv[2], argv[3]);",
            "char me = argv[1][0];\ngetaddrinfo(argv[2], argv[3], &hints, &found);",
        ] {
            assert_eq!(words(text, c), "{side} {host} {port}", "{text}");
        }
        let node = ArgumentArray::new("process.argv", 2);
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
        assert_eq!(
            arguments(text, PYTHON, Some(&shown), &WrittenValues::default()).words,
            ["{side}", "{host}", "{server}", "5"]
        );
        assert_eq!(arguments("pass", PYTHON, Some(&shown), &WrittenValues::default()).words, shown.words);
    }
}
