//! Logs of games for two, four and six seats, on squares and on points, made from the games of a reference program.

use std::fs;
use std::io::Read as _;
use std::process::Command;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use flate2::read::GzDecoder;
use gothello_arena::game::Side;
use gothello_arena::referee::record::{GameRecord, LoggedGame, check};
use gothello_arena::results::replay::{Frames, GroupReplay, Style};

/// A game of the reference program: its lines, each split after the first word.
struct ReferenceGame {
    lines: Vec<(String, String)>,
}

impl ReferenceGame {
    fn value(&self, word: &str) -> &str {
        &self.lines.iter().find(|(known, _)| known == word).unwrap_or_else(|| panic!("`{word}`")).1
    }

    /// The log of a game for two: only the tags that the logs of other programs contain, and the moves.
    fn log_of_two(&self, ruleset: &str) -> String {
        let result = match self.value("winner") {
            "1" => "0-1",
            "2" => "1-0",
            _ => "1/2-1/2",
        };
        let tags = format!("[Black \"ann\"]\n[White \"bob\"]\n[Result \"{result}\"]\n[Ruleset \"{ruleset}\"]\n");
        format!("{tags}\n{} {result}\n", self.value("moves"))
    }

    /// The log of a game for more than two, with everything that such a log may contain.
    fn log_of_group(&self, ruleset: &str, seats: usize) -> String {
        let tag = |name: &str, value: &str| format!("[{name} \"{value}\"]\n");
        let mut tags = vec![tag("Seats", &seats.to_string())];
        tags.extend((1..=seats).map(|seat| tag(&format!("Player{seat}"), &format!("p{seat}"))));
        tags.extend([tag("Result", "*"), tag("Ruleset", ruleset)]);
        for (name, word) in [("Placing", "placing"), ("Totals", "totals"), ("Points", "points")] {
            tags.push(tag(name, self.value(word)));
        }
        for (_, end) in self.lines.iter().filter(|(word, _)| word == "end") {
            // The line has the form `end MODE PLY BOARD COUNT...`.
            let words: Vec<&str> = end.split(' ').collect();
            tags.push(tag("Counts", &format!("{} {}", words[0], words[3..].join(" "))));
        }
        let moves: Vec<&str> = self.value("moves").split(' ').collect();
        let numbered = moves.chunks(seats).zip(1..).map(|(moves, number)| format!("{number}. {}\n", moves.join(" ")));
        let lines: Vec<String> = tags.into_iter().chain(["\n".to_owned()]).chain(numbered).collect();
        format!("{}*\n", lines.concat())
    }
}

fn games(name: &str) -> Vec<ReferenceGame> {
    let file = fs::File::open(format!("tests/data/quantum/{name}.txt.gz")).expect("a file");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a compressed text");
    let mut games: Vec<ReferenceGame> = Vec::new();
    for (word, rest) in text.lines().filter_map(|line| line.split_once(' ')) {
        match word {
            "game" => games.push(ReferenceGame { lines: Vec::new() }),
            "lineup" => {}
            _ => games.last_mut().expect("a game").lines.push((word.to_owned(), rest.to_owned())),
        }
    }
    games
}

#[test]
fn a_log_of_moves_alone_holds_and_shows_its_modes() {
    for name in ["quantum", "quantum-8", "othello", "go-9"] {
        // A game with random passes, and one without.
        let games = games(name);
        for game in [&games[0], &games[30]] {
            // In plain Go, the reference program gives no compensation.
            let ruleset = if name == "go-9" { "go-9 compensation=0,0" } else { name };
            let log = game.log_of_two(ruleset);
            let record: GameRecord = log.parse().unwrap_or_else(|error| panic!("{name}: {error}\n{log}"));
            let checked = check(&record).unwrap_or_else(|error| panic!("{name}: {error}"));
            let frames = Frames::new(&checked);
            let text: String = (0..=record.plies.len())
                .map(|plies| frames.at(plies).expect("a position").render(Style::PLAIN))
                .chain([frames.ending(Style::PLAIN)])
                .collect();
            for (_, end) in game.lines.iter().filter(|(word, _)| word == "end") {
                let words: Vec<&str> = end.split(' ').collect();
                let line = format!("{} ends: {} black, {} white\n", words[0], words[3], words[4]);
                assert!(text.contains(&line), "{name}: {line}");
            }
            assert!(text.lines().all(|line| line.len() < 80), "{name}");
            assert_eq!(text.matches(" pass by ").count(), log.matches("pass").count(), "{name}");

            let flipped = match record.result.as_ref().expect("a result").winner() {
                Some(Side::Black) => log.replace("0-1", "1-0"),
                _ => log.replace("1-0", "0-1").replace("1/2-1/2", "0-1"),
            };
            let record: GameRecord = flipped.parse().expect("a log");
            assert!(check(&record).is_err(), "{name}: another winner");
        }
    }
}

#[test]
fn a_winner_may_be_behind_where_it_has_a_compensation_and_nowhere_else() {
    let log = |ruleset: &str, margin: i32, result: &str| {
        format!(
            "[Black \"a\"]\n[White \"b\"]\n[Result \"{result}\"]\n[Margin \"{margin}\"]\n[Ruleset \"{ruleset}\"]\n\npass pass {result}\n"
        )
    };
    // The Go board is empty: the counts are equal, and white's compensation decides.
    let record: GameRecord = log("go-9", 0, "1-0").parse().expect("a log");
    check(&record).expect("white has won");
    assert_eq!(record.to_string().parse::<GameRecord>(), Ok(record), "the log can be read back");
    let [behind, without, draw] =
        [("go-9", 3, "1-0"), ("go-9", 0, "0-1"), ("go-9", 0, "1/2-1/2")].map(|(ruleset, margin, result)| {
            check(&log(ruleset, margin, result).parse().expect("a log")).map(|_| ()).unwrap_err()
        });
    assert!(
        behind
            .to_string()
            .contains("the board says white wins, level on points, but the record says white wins, 3 points behind"),
        "{behind}"
    );
    assert!(without.to_string().contains("says black wins, level on points"), "{without}");
    assert!(draw.to_string().contains("says draw"), "{draw}");
    for ruleset in ["gothello", "othello", "go-9 compensation=0,0"] {
        let error = log(ruleset, 0, "1-0").parse::<GameRecord>().expect_err("a draw");
        assert!(error.to_string().ends_with("the margin and the winner disagree"), "{ruleset}: {error}");
    }
}

#[test]
fn the_log_of_a_group_is_checked_and_shown_with_all_glyphs() {
    for (name, seats) in [("quantum-4p", 4), ("quantum-6p", 6)] {
        for game in games(name).iter().take(2) {
            let log = game.log_of_group(name, seats);
            let Ok(LoggedGame::Group(record)) = LoggedGame::from_bytes(log.as_bytes()) else { panic!("{log}") };
            record.check().unwrap_or_else(|error| panic!("{name}: {error}"));
            let shown = GroupReplay::new(&record);
            assert_eq!(shown.verdict(), format!("placing {}", game.value("placing")));
            let frames = (0..=record.plies.len()).map(|plies| shown.at(plies, Style::PLAIN).expect("a position"));
            let text: String = frames.chain([shown.ending(Style::PLAIN)]).collect();
            assert!((1..=seats).all(|seat| text.contains(&format!(" {seat} "))), "{text}");
            assert!(text.lines().all(|line| line.len() < 80), "{name}");
            let places: Vec<String> = game.value("placing").split(' ').map(|place| format!("{place:>9}")).collect();
            assert!(text.contains(&format!("place       {}\n", places.concat())), "{text}");

            let error_of = |log: &str| match LoggedGame::from_bytes(log.as_bytes()) {
                Ok(LoggedGame::Group(record)) => record.check().expect_err("wrong").to_string(),
                Ok(LoggedGame::Two(_)) => panic!("{log}"),
                Err(error) => error.to_string(),
            };
            let changed = |tag: &str, value: &str| {
                let old = format!("[{tag} \"");
                let lines = log
                    .lines()
                    .map(|line| if line.starts_with(&old) { format!("{old}{value}\"]") } else { line.to_owned() });
                lines.collect::<Vec<_>>().join("\n")
            };
            let list = vec!["7"; seats].join(" ");
            for tag in ["Placing", "Totals", "Points"] {
                assert!(
                    error_of(&changed(tag, &list)).contains(&format!("but the tag `{tag}` says `{list}`")),
                    "{tag}"
                );
                assert!(error_of(&changed(tag, "1 2 3")).contains(&format!("`{tag}`: `1 2 3` is not")), "{tag}");
            }
            assert!(
                error_of(&changed("Seats", "3")).contains(&format!("`Seats` is 3, but a game of `{name}` has {seats}"))
            );
            let without = log.replacen("[Seats", "[Stools", 1);
            assert!(
                error_of(&without)
                    .contains(&format!("`{name}` has {seats} seats, so its log must have the tags `Seats`"))
            );
            assert!(error_of(&changed("Result", "1-0")).contains("`Result`: `1-0` is not `*`"));
            assert!(error_of(&log.replace("[Player2", "[Player9")).contains("`Player1` to `Player"));
            assert!(error_of(&log.replace("\n2. ", "\n3. ")).contains("expected the move number `2.`, but found `3.`"));
            let cut = log.rsplit_once("\n*").expect("an end").0.rsplit_once(' ').expect("moves").0.to_owned() + " *";
            assert!(error_of(&cut).contains("but the game is not over") || error_of(&cut).contains("has not ended"));
        }
    }
}

#[test]
fn the_commands_show_the_log_of_a_group_and_its_standings() {
    let dir = tempfile::tempdir().expect("a directory");
    let game = &games("quantum-4p")[0];
    fs::create_dir(dir.path().join("games")).expect("a directory");
    fs::write(dir.path().join("games/four.log"), game.log_of_group("quantum-4p", 4)).expect("a file");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program());
        let output = command.args(arguments).current_dir(dir.path()).output_in_time().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let plies = game.value("moves").split(' ').count();
    let line = format!("games/four.log: ok, {plies} plies, placing {}\n", game.value("placing"));
    assert_eq!(run(&["replay", "--check", "games/four.log"]), (Some(0), line, String::new()));
    let (code, out, _) = run(&["replay", "--final", "games/four.log"]);
    assert!(code == Some(0) && out.starts_with("seat 1: p1\nseat 2: p2\n") && out.contains("\ntotal "), "{out}");
    let (code, out, err) = run(&["standings", "."]);
    assert!(code == Some(0) && out.contains("1 game with 4 players, all rated."), "{code:?} {out}{err}");
    let (code, _, err) = run(&["analyze", "games/four.log"]);
    let why = "1:1: expected a game with two seats, but this one has more (`replay`";
    assert!(code != Some(0) && err.contains(why), "{code:?} {err}");
}
