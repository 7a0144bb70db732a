//! How a submission is built, and which files the build lacks.

use super::*;

#[test]
fn java_is_built_with_what_its_program_uses_wherever_that_lies() {
    let mine = GROSSTHELLO.replace("Grossthello", "Mine");
    for (files, expected) in [
        (
            &[
                ("Mine.java", mine.as_str()),
                ("libclient/GthClient.java", JAVA_CLIENT),
                ("gthd/Board.java", "public class Board { Move m; }"),
                ("gthd/Move.java", "class Move {}"),
                ("gthd/Gthd.java", "class Gthd { broken"),
            ][..],
            "likely: > [javac -d . Mine.java gthd/Board.java gthd/Move.java libclient/GthClient.java] java -cp . Mine {side} {host} {server} 3",
        ),
        (
            &[
                ("mine/Mine.java", mine.as_str()),
                ("lib/GthClient.java", JAVA_CLIENT),
                ("lib/Board.java", "class Board {}"),
            ],
            "likely: > [javac -d . lib/Board.java lib/GthClient.java mine/Mine.java] java -cp . Mine {side} {host} {server} 3",
        ),
        // Two classes in one file, which is named after only one of them.
        (
            &[
                ("Mine.java", "class Mine { public static void main(String[] args) { side = args[0]; new Node(); } }"),
                ("Search.java", "class Search {}\nclass Node {}"),
            ],
            "likely: > [javac -d . Mine.java Search.java] java -cp . Mine {side}",
        ),
        // Compiled classes that were handed in are used if their sources do not compile.
        (
            &[
                ("My Bot.java", &mine.replace("Mine", "MyBot")),
                ("GthClient.class", "GthClient\nmain"),
                ("Board.class", "Board"),
            ],
            "likely: > [javac -d built -Xprefer:source My Bot.java] java -cp built:. My Bot {side} {host} {server} 3",
        ),
        (
            &[
                ("Mine.java", mine.as_str()),
                ("Mine.class", "Mine\nmain\n([Ljava/lang/String;)V\nGthClient"),
                ("GthClient.class", "GthClient"),
            ],
            "likely: > [sh -c javac -d built -Xprefer:source Mine.java || test -f Mine.class] java -cp built:. Mine {side} {host} {server} 3",
        ),
        // Compiled classes without their sources.
        (
            &[
                ("bin/a/Bot.class", "a/Bot\nmain\n([Ljava/lang/String;)V\nGthClient\nwhite"),
                ("bin/GthClient.class", "GthClient"),
            ],
            "guess: bin> java -cp . a.Bot {side} {host} {server}",
        ),
    ] {
        assert_eq!(best(files), expected);
    }
    let found = recognised(&[("Mine.java", &mine)]);
    assert_eq!(found.recipe.expect("a recipe").certainty, Certainty::Guess);
    // Neither a class without a main function nor a nested class is a program.
    let main = "main\n([Ljava/lang/String;)V\nGthClient\nwhite";
    let (bot, part) = (format!("Bot\n{main}"), format!("Bot$1\n{main}"));
    let classes = [("Bot.class", bot.as_str()), ("Bot$1.class", &part), ("Search.class", "Search\nGthClient\nwhite")];
    let alone = recognised(&classes);
    assert_eq!(alone.recipe.expect("a recipe").command[3], "Bot");
    assert_eq!(alone.alternatives, []);
    assert_eq!(found.warnings, ["`Mine.java` uses the class `GthClient`, which is not in the submission"]);
}

#[test]
fn c_is_built_with_the_library_in_another_directory() {
    let main = "#include \"gthclient.h\"\nint main(int argc, char **argv) { gth_start_game(side, argv[2], atoi(argv[3])); int side = !strcmp(argv[1], \"white\"); }";
    assert_eq!(
        best(&[
            ("src/bot.c", main),
            ("lib/gthclient.h", ""),
            ("lib/gthclient.c", "int x;"),
            ("lib/test.c", "int main(void) {}")
        ]),
        "likely: > [cc -O2 -o bot -Ilib lib/gthclient.c src/bot.c -lm] ./bot {side} {host} {server}"
    );
}

#[test]
fn submodules_that_are_missing_are_named() {
    let list =
        "[submodule \"a\"]\n\tpath = gthd\n\turl = https://example.org/a\n[submodule \"b\"]\n\tpath = lib/client\n";
    let found = recognised(&[("bot.py", READS), (".gitmodules", list), ("gthd/Gthd.java", "class Gthd {}")]);
    assert_eq!(
        found.warnings,
        ["`.gitmodules` names Git submodules whose files are not in the submission: `lib/client`"]
    );
}
