//! Seegover's players: the built-in bots, the Python example, and a tournament of both.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gothello_arena::exact::tablebase;
use gothello_arena::game::seegover::{Game, MoveRules, Options};
use gothello_arena::game::{BySide, Move, Position, Side};
use gothello_arena::players::bots::{Bot, Builtin, ErrorRate, Thinkable, Thinker};

use crate::harness::arena::{Arena, program, text};
use crate::harness::waiting::InTime as _;
use crate::players::use_of_time::assert_uses_its_time;

/// The thinkers that need no table.
const THINKERS: [Thinker; 4] = [Thinker::Random, Thinker::Greedy, Thinker::Alphabeta, Thinker::Mcts];

/// Rules that differ in every option.
const RULES: [&str; 4] = ["", "cycle=superko", "drop=2", "cycle=superko drop=2 capture=single back=capture"];

fn rules(options: &str) -> Options {
    Options::read(options.split_whitespace()).expect("options")
}

fn position(board: &str, to_move: Side) -> Game {
    Game::from_board(Options::DEFAULT, board.parse().expect("a board"), to_move).expect("a position")
}

/// A fast bot: it looks two plies ahead, or plays 20 random games.
fn quick(thinker: Thinker, seed: u64) -> Bot {
    let (depth, playouts) = (NonZeroU32::new(2), NonZeroU32::new(20));
    Bot::of(Builtin { depth, playouts, ..Builtin::new(thinker) }, seed)
}

/// Plays a game to its end. Returns its moves and its final position.
fn play(mut bots: BySide<Bot>, options: &str) -> (Vec<Move>, Game) {
    let (mut game, mut moves) = (Game::new(rules(options)), Vec::new());
    while game.outcome().is_none() {
        let chosen = bots[game.side()].choose(&game);
        moves.push(game.play(chosen.as_str()).unwrap_or_else(|why| panic!("{chosen}: {why}\n{game}")));
    }
    (moves, game)
}

/// The number of games that `first` wins out of `games` games against `other`. It plays half of them with each colour.
fn wins(first: Builtin, other: Builtin, games: u64) -> usize {
    let won = |seed: u64| {
        let side = if seed.is_multiple_of(2) { Side::Black } else { Side::White };
        let bots = BySide::of(side, Bot::of(first, seed), Bot::of(other, seed + 1_000));
        play(bots, "").1.outcome().is_some_and(|outcome| outcome.winner == Some(side))
    };
    (0..games).filter(|&seed| won(seed)).count()
}

#[test]
fn under_all_rules_every_bot_keeps_to_them_and_repeats_its_games() {
    for options in RULES {
        for black in THINKERS {
            for white in THINKERS {
                let game = |seed| play(BySide { black: quick(black, seed), white: quick(white, seed + 1) }, options);
                assert_eq!(game(7), game(7), "{black} against {white}, {options}");
                assert_ne!(game(7).0, game(8).0, "{black} against {white}, {options}");
            }
        }
    }
}

/// Positions of the move phase, each with its possible turns: the turn's text, and whether it wins.
fn judged_positions() -> Vec<(Game, Vec<(String, bool)>)> {
    let text = include_str!("../../data/seegover/positions_seegover.txt");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(';').collect();
        let side = if fields[1] == "b" { Side::Black } else { Side::White };
        let turn = |turn: &str| {
            let (text, rest) = turn.split_once('=').expect("a turn");
            (text.to_owned(), !rest.ends_with('-'))
        };
        (position(fields[0], side), fields[5].split(' ').map(turn).collect())
    };
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

#[test]
fn alphabeta_wins_at_once_wherever_it_can() {
    let mut seen = 0;
    for (game, turns) in judged_positions() {
        let wins: Vec<&str> = turns.iter().filter(|(_, wins)| *wins).map(|(text, _)| text.as_str()).collect();
        if wins.is_empty() {
            continue;
        }
        seen += 1;
        let chosen = Bot::new(Thinker::Alphabeta, None, 1).choose(&game);
        assert!(wins.contains(&chosen.as_str()), "{chosen} is not one of {wins:?} in\n{game}");
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn greedy_captures_most_and_random_chooses_every_turn() {
    for (game, turns) in judged_positions().into_iter().step_by(5) {
        let lead = |text: &str| game.lead_after(text.parse().expect("a move"));
        let most = turns.iter().map(|(text, _)| lead(text)).max().expect("there is always a turn");
        let mut chosen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let greedy = Bot::new(Thinker::Greedy, None, seed).choose(&game);
            assert_eq!(lead(greedy.as_str()), most, "{greedy} in\n{game}");
            chosen.insert(Bot::new(Thinker::Random, None, seed).choose(&game).to_string());
        }
        assert_eq!(chosen.into_iter().collect::<Vec<_>>(), turns.into_iter().map(|(text, _)| text).collect::<Vec<_>>());
    }
}

#[test]
fn a_bot_that_always_errs_avoids_what_it_found() {
    let always = ErrorRate::new(1.0).expect("a chance");
    for (game, turns) in judged_positions().into_iter().step_by(9) {
        let bot = Builtin::new(Thinker::Alphabeta);
        let found = Bot::of(bot, 3).choose(&game);
        let erring = Bot::of(Builtin { error: always, ..bot }, 3).choose(&game);
        assert_eq!(found == erring, turns.len() == 1, "{found} {erring}\n{game}");
    }
}

#[test]
fn each_bot_beats_the_weaker_ones() {
    let [random, greedy, alphabeta, mcts] = THINKERS.map(Builtin::new);
    let few = NonZeroU32::new(100);
    for (first, other, games, least) in [
        (greedy, random, 400, 220),
        (alphabeta, greedy, 60, 55),
        (
            Builtin { depth: NonZeroU32::new(4), ..alphabeta },
            Builtin { depth: NonZeroU32::MIN.into(), ..alphabeta },
            40,
            26,
        ),
        (Builtin { playouts: few, ..mcts }, greedy, 20, 15),
    ] {
        let won = wins(first, other, games);
        assert!(won >= least, "{} beats {}: {won} of {games}", first.thinker, other.thinker);
    }
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/seegover")
}

#[test]
fn the_example_has_the_starters_client() {
    let client = |folder: &Path| fs::read_to_string(folder.join("bot/gothello_client.py")).expect("there");
    assert_eq!(client(&example()), client(&example().join("../python")));
}

/// The example's own tests, with its own games and with all games of the reference program.
#[test]
fn the_examples_rules_are_those_of_the_reference_program() {
    let dir = tempfile::tempdir().expect("a directory");
    let games = dir.path().join("games.txt");
    let mut all = String::new();
    for (file, ruleset) in [
        ("seegover", "seegover"),
        ("superko", "seegover cycle=superko"),
        ("drop2", "seegover drop=2"),
        ("magazine", "seegover drop=2 capture=single back=capture"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/seegover/games_{file}.txt"));
        for line in fs::read_to_string(path).expect("there").lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(';').collect();
            let _ = writeln!(all, "{ruleset};{};{};{};{}", fields[0], fields[1], fields[2], fields[5]);
        }
    }
    fs::write(&games, all).expect("written");
    for more in [None, Some(&games)] {
        let mut tests = Command::new("python3");
        tests.args(["-B", "-m", "unittest"]).current_dir(example().join("bot"));
        let output =
            tests.envs(more.map(|games| ("SEEGOVER_GAMES", games))).output_in_time().expect("these tests need python3");
        assert!(output.status.success() && text(&output.stderr).contains("Ran 5 tests"), "{}", text(&output.stderr));
    }
}

#[test]
fn the_example_uses_its_time() {
    assert_uses_its_time("a1", || {
        let mut command = Command::new("python3");
        command.arg("-B").arg(example().join("bot/bot.py"));
        command
    });
}

/// The player in examples/seegover/try.toml.
const EXAMPLE: &str = "[[player]]\nname = \"example\"\ndir = \"@examples/seegover/bot\"\n\
                       command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{port}\", \"{ruleset}\"]\n";

#[test]
fn the_example_plays_whole_games_under_all_rules_without_a_refusal() {
    for options in RULES {
        let table: String = options
            .split_whitespace()
            .map(|option| {
                let (key, value) = option.split_once('=').expect("an option");
                if key == "drop" { format!("{key} = {value}\n") } else { format!("{key} = \"{value}\"\n") }
            })
            .collect();
        let arena = Arena::new(&format!(
            "ruleset = \"seegover\"\ntime = \"120s\"\n[rules]\n{table}{EXAMPLE}[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n"
        ));
        let output = arena.run(&[]);
        assert!(output.status.success(), "{options}: {}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        for row in arena.results() {
            assert_eq!(row["termination"], "normal", "{options}");
            let record = arena.record(&row["game"]);
            assert!(record.plies.iter().all(|ply| ply.tries.shown.is_empty()), "{record}");
            assert_eq!(record.ruleset.to_string(), format!("seegover {options}").trim_end());
        }
    }
}

#[test]
fn the_example_plays_openings() {
    for plies in [2, 3] {
        let arena = Arena::new(&format!(
            "ruleset = \"seegover\"\ntime = \"60s\"\nopenings = {{ plies = {plies} }}\n{EXAMPLE}openings = true\n\
             [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n"
        ));
        let output = arena.run(&[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        for row in arena.results() {
            let record = arena.record(&row["game"]);
            assert_eq!((row["termination"].as_str(), record.opening_plies), ("normal", plies), "{record}");
            assert!(record.plies.iter().all(|ply| ply.tries.shown.is_empty()), "{record}");
        }
    }
}

#[test]
fn the_tournament_of_the_built_in_bots_ends_as_its_strengths_say() {
    let toml =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments/seegover.toml")).expect("there");
    let arena = Arena::new(&toml.replace("rounds = 5", "rounds = 1"));
    let output = arena.run(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let rows = arena.results();
    assert_eq!(rows.len(), 12);
    assert!(rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
    for weak in ["greedy", "random"] {
        let required = arena.output(&["standings", "out", "--require", &format!("alphabeta.score > {weak}.score")]);
        assert!(required.status.success(), "{}", text(&required.stderr));
    }
}

#[test]
fn the_example_and_the_built_in_bots_pass_every_scenario_that_knows_no_game() {
    let program = program();
    let arena = Arena::new(&format!(
        "ruleset = \"seegover\"\n{EXAMPLE}[[player]]\nname = \"greedy\"\n\
         command = [\"{program}\", \"bot\", \"greedy\", \"--side\", \"{{side}}\", \"--port\", \"{{port}}\"]\n"
    ));
    let output =
        arena.output(&["check", "class.toml", "--bots", "--isolation", "off", "--format", "json", "--jobs", "4"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{}{report:#}", text(&output.stderr));
    let players = report["players"].as_array().expect("players");
    assert_eq!(players.len(), 2);
    for player in players {
        for trial in player["scenarios"].as_array().expect("trials") {
            let (id, status) = (trial["id"].as_str().expect("an id"), trial["status"].as_str().expect("a status"));
            let knows_gothello =
                ["moves-codes", "captures", "must-pass", "opponent-passes", "double-pass"].contains(&id);
            let expected: &[&str] = if knows_gothello { &["skip"] } else { &["pass", "info"] };
            assert!(expected.contains(&status), "{id}: {trial:#}");
            if knows_gothello {
                let why = trial["summary"].as_str().expect("a reason");
                assert_eq!(why, "it depends on Gothello's moves, but the rule set is seegover");
            }
        }
    }
}

/// A directory for `XDG_CACHE_HOME` with a table of `rules` in which every position is drawn. The table takes hardly
/// any space: almost all of its bytes are zeros in a sparse file.
fn cache_with_drawn_table(rules: MoveRules) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("gothello-arena");
    fs::create_dir(&folder).expect("made");
    let mut header = format!(
        "gothello-arena table of seegover, format 1\nrules cycle=draw capture={} back={}\nsha256 {}\ndrawn {}\n",
        rules.capture,
        rules.back,
        "0".repeat(64),
        25_u64 << 24
    )
    .into_bytes();
    header.resize(4096, b'\n');
    let file = folder.join(tablebase::file_name(rules));
    fs::write(&file, header).expect("written");
    fs::OpenOptions::new().write(true).open(file).expect("there").set_len(tablebase::LENGTH).expect("space");
    dir
}

/// The rules whose tables the tests use: the default rules, and rules that differ from them in every option. Each comes
/// with its lines for a tournament file.
const TABLED: [(MoveRules, &str); 2] =
    [(MoveRules::ALL[0], ""), (MoveRules::ALL[3], "rules = { capture = \"single\", back = \"capture\" }\n")];

/// Runs the program with the table in `cache`.
fn with_table(arena: &Arena, cache: &Path, words: &[&str]) -> Output {
    arena.command(words).env("XDG_CACHE_HOME", cache).output_in_time().expect("the program starts")
}

const RUN: [&str; 6] = ["run", "class.toml", "--out", "out", "--isolation", "off"];

const PERFECT_AND_GREEDY: &str = "ruleset = \"seegover\"\nseed = 3\n[[player]]\nname = \"oracle\"\nbuiltin = \"perfect\"\n\
                                  [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";

#[test]
fn a_run_that_needs_the_table_is_refused_before_its_first_game() {
    let nowhere = tempfile::tempdir().expect("a directory");
    let adjudicated = format!("adjudicate = {{ after_ply = 24 }}\n{}", PERFECT_AND_GREEDY.replace("perfect", "random"));
    for (toml, need) in
        [(PERFECT_AND_GREEDY, "player `oracle`, whose `builtin` is `perfect`,"), (&adjudicated, "`adjudicate`")]
    {
        let arena = Arena::new(toml);
        for (words, exit) in [(&RUN[..], 2), (&["check", "class.toml"], 3)] {
            let refused = with_table(&arena, nowhere.path(), words);
            let said = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(exit), "{said}");
            assert!(said.contains(&format!("{need} needs the Seegover table")), "{said}");
            assert!(said.contains("gothello-arena tablebase build seegover"), "{said}");
        }
        assert!(!arena.out().exists(), "nothing has begun");
    }
    let arena = Arena::new("");
    for words in [
        &["bot", "perfect", "--ruleset", "seegover", "--stdio"][..],
        &["bot", "perfect", "--ruleset", "seegover capture=single", "--stdio"],
    ] {
        let refused = with_table(&arena, nowhere.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    }
}

#[test]
fn what_the_table_does_not_know_is_refused_at_its_position_in_the_file() {
    for (line, refusal) in [
        (
            "rules = { cycle = \"superko\" }",
            "6:1: `builtin`: the rule set `seegover` has no `perfect` bot with `cycle = \"superko\"`",
        ),
        (
            "rules = { cycle = \"superko\", back = \"capture\" }\nadjudicate = {}",
            "2:1: `adjudicate`: the rule set `seegover` has no adjudication with `cycle = \"superko\"`",
        ),
        ("adjudicate = { nodes = 5000 }", "1:16: `nodes`: in Seegover, a table replaces the search"),
    ] {
        let arena = Arena::new(&format!("{line}\n{PERFECT_AND_GREEDY}"));
        let output = arena.output(&["check", "class.toml"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(refusal), "{}", text(&output.stderr));
    }
}

#[test]
fn a_table_of_other_rules_is_refused_before_the_first_game() {
    let cache = cache_with_drawn_table(MoveRules::DEFAULT);
    let (_, options) = TABLED[1];
    let arena = Arena::new(&format!("{options}{PERFECT_AND_GREEDY}"));
    let folder = cache.path().join("gothello-arena");
    for (is_renamed, reason) in [
        (false, "there is no table"),
        (true, "it is the table for `seegover`, not for `seegover capture=single back=capture`"),
    ] {
        if is_renamed {
            fs::rename(folder.join("seegover.table"), folder.join(tablebase::file_name(MoveRules::ALL[3])))
                .expect("renamed");
        }
        let refused = with_table(&arena, cache.path(), &RUN);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(
            said.contains(reason) && said.contains("seegover-capture-single-back-capture.table` cannot be used"),
            "{said}"
        );
        assert!(said.contains("tablebase build \"seegover capture=single back=capture\""), "{said}");
    }
    assert!(!arena.out().exists(), "nothing has begun");
}

#[test]
fn games_that_end_by_the_table_can_be_checked_with_it_and_without() {
    for (rules, options) in TABLED {
        games_can_be_checked_with_a_table_and_without(rules, options);
    }
}

fn games_can_be_checked_with_a_table_and_without(rules: MoveRules, options: &str) {
    let cache = cache_with_drawn_table(rules);
    // A table for other rules does not help.
    let nowhere = cache_with_drawn_table(MoveRules::ALL[1]);
    let arena = Arena::new(&format!("adjudicate = {{ after_ply = 26 }}\n{options}{PERFECT_AND_GREEDY}"));
    let output = with_table(&arena, cache.path(), &RUN);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows = arena.results();
    for row in &rows {
        // According to this table, every position is drawn, so the first attempt at a proof ends each game.
        assert_eq!(
            [&row["termination"], &row["winner"], &row["plies"]].map(String::as_str),
            ["adjudicated", "draw", "26"]
        );
    }
    let log = format!("out/games/{}.log", rows[0]["game"]);
    let check = |cache: &Path, words: &[&str]| with_table(&arena, cache, words);
    let unchecked = "was not checked";
    for words in [
        &["replay", "--check", "out"][..],
        &["rebuild", "--check", "out"],
        &["rebuild", "out"],
        &["replay", "--final", &log],
    ] {
        let (with, without) = (check(cache.path(), words), check(nowhere.path(), words));
        for output in [&with, &without] {
            assert!(output.status.success(), "{words:?}: {}{}", text(&output.stdout), text(&output.stderr));
        }
        let said = [with, without].map(|output| (text(&output.stdout) + &text(&output.stderr)).contains(unchecked));
        assert_eq!(said, [false, true], "{words:?}");
    }
    let path = arena.path().join(&log);
    let forged = fs::read_to_string(&path).expect("a log").replace("1/2-1/2", "1-0");
    let forged: Vec<&str> = forged.lines().filter(|line| !line.starts_with("[Margin")).collect();
    fs::write(&path, forged.join("\n")).expect("written");
    let refused = check(cache.path(), &["replay", "--check", &log]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(text(&refused.stdout).contains("the table proves"), "{}", text(&refused.stdout));
}

#[test]
fn perfect_plays_and_every_game_is_judged_with_a_table() {
    for (rules, options) in TABLED {
        perfect_plays_and_games_are_judged(rules, options);
    }
}

fn perfect_plays_and_games_are_judged(rules: MoveRules, options: &str) {
    let cache = cache_with_drawn_table(rules);
    // There is little time, so the bot guesses its drops quickly.
    let arena = Arena::new(&format!("time = \"4s\"\nclock = \"cpu\"\n{options}{PERFECT_AND_GREEDY}"));
    let output = with_table(&arena, cache.path(), &RUN);
    assert!(output.status.success(), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    assert!(arena.results().iter().all(|row| row["termination"] == "normal"), "{:?}", arena.results());
    let log = format!("out/games/{}.log", arena.results()[0]["game"]);
    let analyzed = with_table(&arena, cache.path(), &["analyze", "--json", &log]);
    let object: serde_json::Value =
        serde_json::from_slice(&analyzed.stdout).unwrap_or_else(|_| panic!("{}", text(&analyzed.stderr)));
    let moves = object["moves"].as_array().expect("moves");
    let judged = |judged: &&serde_json::Value| !judged["mark"].is_null();
    assert_eq!(moves.len(), arena.record(&arena.results()[0]["game"]).plies.len());
    // The first drops are judged only by the opening, and everything after them is drawn according to this table.
    assert!(moves[..10].iter().filter(judged).all(|judged| judged["mark"] == "kept"), "{object:#}");
    assert!(moves[8..14].iter().filter(judged).count() == 0, "{object:#}");
    assert!(moves[14..].iter().filter(judged).count() > 10, "{object:#}");
    let standings = with_table(&arena, cache.path(), &["standings", "out", "--accuracy"]);
    assert!(text(&standings.stdout).contains("Accuracy, by exact values"), "{}", text(&standings.stderr));
    let nowhere = cache_with_drawn_table(MoveRules::ALL[1]);
    // Cached results need no table; a search does.
    for words in [&["analyze", "--no-cache", &log][..], &["standings", "out", "--accuracy", "--no-cache"]] {
        let refused = with_table(&arena, nowhere.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(text(&refused.stderr).contains(&tablebase::build_command(rules)), "{}", text(&refused.stderr));
    }
}
