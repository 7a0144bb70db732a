//! The table of the move phase, and the output of `solve` that is based on it.
//!
//! A table takes minutes to build without optimisation. Tests that need a table use the table in the cache directory,
//! and report that they were skipped if there is none.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::seegover::verification::{PARCELS, verify};
use gothello_arena::exact::seegover::{Expert, Opening, Tablebase, Value, Worth};
use gothello_arena::exact::tablebase::{SeegoverTableHeader, build_command, default_place, file_name, look, read};
use gothello_arena::game::seegover::{ALL, DropRule, Game, MoveRules, Options, View};
use gothello_arena::game::{BySide, Position as _, Ruleset, Side};
use gothello_arena::referee::record::{GameRecord, Ply};
use gothello_arena::referee::result::GameResult;
use gothello_arena::results::analysis::{Analysis, DropsSearched, MoveQuality};
use serde_json::Value as Json;

use super::{board, game};
use crate::harness::arena::program;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;
use crate::house::json::{fits, strict};

/// Runs the program with `HOME` at `home`.
fn arena(home: Option<&Path>, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    if let Some(home) = home {
        command.env("HOME", home).env_remove("XDG_CACHE_HOME");
    }
    command.args(args).output_in_time().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Whether there is a table of the default rules; reports the test as skipped if there is none.
pub(crate) fn has_table(test: &str) -> bool {
    has_table_of(MoveRules::DEFAULT, test)
}

/// Whether there is a table of `rules`; reports the test as skipped if there is none.
fn has_table_of(rules: MoveRules, test: &str) -> bool {
    let found = default_place(rules).is_some_and(|place| look(&place, Some(rules)).is_ok());
    if !found {
        let need = if rules == MoveRules::DEFAULT { Need::Table } else { Need::Tables };
        skipped(need, format_args!("{test} (build a table: {})", build_command(rules)));
    }
    found
}

/// The table of `rules` in the cache directory, which must be there.
fn table_of(rules: MoveRules) -> (SeegoverTableHeader, Tablebase) {
    read(&default_place(rules).expect("a place"), Some(rules)).expect("a table")
}

fn solved(board: &str, side: &str, more: &[&str]) -> Json {
    let args = ["solve", "--ruleset", "seegover", "--json", "--to-move", side, "--board", board];
    let output = arena(None, &[&args[..], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    fits(&strict("solution"), text(&output.stdout))
}

#[test]
fn without_a_table_the_command_that_builds_one_is_named() {
    let home = tempfile::tempdir().expect("a directory");
    let board = ["solve", "--ruleset", "seegover", "--to-move", "black", "--board", "wwbww wwbww w.www bbwbb bbwbb"];
    for rules in MoveRules::ALL {
        let ruleset = Ruleset::Seegover(rules.with(DropRule::Two)).to_string();
        let args = ["solve", "--start", "--wdl", "--ruleset", &ruleset];
        for args in [&args[..], &["tablebase", "check", &ruleset]] {
            let output = arena(Some(home.path()), args);
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            let said = text(&output.stderr);
            assert!(said.ends_with(&format!(": {}\n", build_command(rules))), "{said}");
            assert!(said.contains(&format!(".cache/gothello-arena/{}", file_name(rules))), "{said}");
        }
    }
    for args in [&board[..], &["tablebase", "check", "seegover"]] {
        let output = arena(Some(home.path()), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains("there is no table"), "{said}");
        assert!(said.contains("gothello-arena tablebase build seegover\n"), "{said}");
        assert!(said.contains(".cache/gothello-arena/seegover.table"), "{said}");
    }
    let here = home.path().join("here");
    let place = here.to_str().expect("text");
    let output = arena(Some(home.path()), &[&board[..], &["--table", place]].concat());
    assert!(text(&output.stderr).contains(&format!("tablebase build seegover --out '{place}'")), "{output:?}");
    let output = arena(Some(home.path()), &[&board[..], &["--table", home.path().to_str().expect("text")]].concat());
    assert!(text(&output.stderr).contains("it is not a regular file"), "{output:?}");
    assert!(text(&output.stderr).ends_with("gothello-arena tablebase build seegover\n"), "{output:?}");
}

#[test]
fn a_file_that_is_not_a_table_is_never_replaced_by_one() {
    let home = tempfile::tempdir().expect("a directory");
    let log = home.path().join("game.log");
    std::fs::write(&log, "[Event \"?\"]\n").expect("written");
    let place = log.to_str().expect("text");
    let board = ["--to-move", "black", "--board", "wwbww wwbww w.www bbwbb bbwbb", "--table", place];
    let output = arena(Some(home.path()), &[&["solve", "--ruleset", "seegover"], &board[..]].concat());
    let said = text(&output.stderr);
    assert!(said.contains("it is not a Seegover table") && !said.contains("--out"), "{said}");
    let output = arena(Some(home.path()), &["tablebase", "build", "seegover", "--out", place]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("game.log` was not changed: name another file with --out"), "{said}");
    assert_eq!(std::fs::read_to_string(&log).expect("kept"), "[Event \"?\"]\n");
}

#[test]
fn drops_that_no_game_has_are_not_searched() {
    for (rules, board, side, reason) in [
        ("seegover", "..... ..... ..... ..... b....", "black", "1 are black and 0 white, and white is to move"),
        ("seegover", "..... ..... bb.bb bbbbb bbbb.", "white", "after 13 stones, 7 are black and 6 white"),
        ("seegover drop=2", "..... ..... ..... ..... bbbw.", "black", "after 4 stones, 2 are black and 2 white"),
        (
            "seegover drop=2",
            "..... ..... ..... ..... bwbw.",
            "white",
            "2 black and 2 white stones with white to move: after",
        ),
    ] {
        let output = arena(None, &["solve", "--ruleset", rules, "--board", board, "--to-move", side]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains(reason), "{output:?}");
    }
}

/// The output of the built-in bot, over stdin and stdout, with a referee that sends nothing but `greeting`.
fn greeted(greeting: &str, rules: Option<&str>, args: &[&str]) -> Output {
    let home = tempfile::tempdir().expect("a directory");
    let said = home.path().join("said");
    std::fs::write(&said, greeting).expect("written");
    let mut command = Command::new(program());
    command.arg("bot").args(args).arg("--stdio").stdin(std::fs::File::open(said).expect("opened"));
    command.env("HOME", home.path()).env_remove("XDG_CACHE_HOME").env_remove("GOTHELLO_RULESET");
    command.envs(rules.map(|rules| ("GOTHELLO_RULESET", rules))).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.start().expect("the program starts").wait_with_output().expect("it ends")
}

#[test]
fn what_perfect_cannot_play_by_is_refused_before_a_greeting() {
    for (rules, args, reason) in [
        (
            None,
            &["--ruleset", "seegover cycle=superko", "--table", "here"][..],
            "has no `perfect` bot with `cycle = \"superko\"`: which turns are legal then depends on",
        ),
        (None, &["--ruleset", "gothello", "--table", "here"], "--table is for Seegover"),
        (None, &["--ruleset", "seegover"], "there is no table"),
        (None, &["--table", "here"], "there is no table"),
        (Some("seegover cycle=superko"), &[], "has no `perfect` bot"),
        (Some("seegover"), &[], "there is no table"),
        (Some("gothello"), &["--table", "here"], "--table is for Seegover"),
        (Some("seegover drop=3"), &[], "GOTHELLO_RULESET is `seegover drop=3`"),
        (Some(""), &["--table", "here"], "there is no table"),
    ] {
        let output = greeted("", rules, &[&["perfect"][..], args].concat());
        assert_eq!(output.status.code(), Some(2), "{rules:?} {args:?}: {output:?}");
        assert!(text(&output.stderr).contains(reason), "{output:?}");
    }
    let output = greeted("000 Gothello 0.9.1 seegover cycle=superko ready\n", None, &["perfect"]);
    assert!(text(&output.stderr).contains("has no `perfect` bot") && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn a_built_in_bot_leaves_a_game_whose_rules_it_does_not_know() {
    for rules in [None, Some("seegover")] {
        let output = greeted("000 Gothello 0.9.1 seegover variant=two gothello-arena is ready\n", rules, &["random"]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert!(
            said.contains("rules that this program does not know: `000 Gothello 0.9.1 seegover variant=two"),
            "{said}"
        );
    }
    let known = greeted("000 Gothello 0.9.1 seegover drop=2 gothello-arena is ready\n", None, &["random"]);
    assert!(text(&known.stdout).starts_with("0.9.1 player"), "{known:?}");
}

#[test]
fn the_marks_of_drops_are_those_of_the_values_that_solve_prints() {
    if !has_table("the_marks_of_drops_are_those_of_the_values_that_solve_prints") {
        return;
    }
    let (_, table) = table_of(MoveRules::DEFAULT);
    let table = Arc::new(table);
    let lines = include_str!("../../../data/seegover/games_seegover.txt").lines();
    let line = lines.filter(|line| !line.starts_with('#')).find(|line| line.contains(';')).expect("a game");
    let mut games = vec![Game::new(Options::DEFAULT)];
    let mut plies = Vec::new();
    for text in line.split(';').next().expect("turns").split(' ').take(24) {
        let mut game = games[plies.len()].clone();
        plies.push(Ply::untimed(game.to_move(), game.play(text).expect("a legal turn")));
        games.push(game);
    }
    let players = BySide { black: "b".to_owned(), white: "w".to_owned() };
    let resigned = GameResult::resigned(Side::Black);
    let record = GameRecord { plies, ..GameRecord::of(Ruleset::Seegover(Options::DEFAULT), players, Ok(resigned)) };
    // The small number of nodes simulates a budget that has run out.
    let expert = Expert::new(Arc::clone(&table), DropRule::One);
    let analysis = Analysis::of_seegover(&record, &mut expert.within(500), DropsSearched::All, |_| {});
    let first = analysis.moves.iter().rposition(|judged| judged.quality().is_none()).map_or(0, |index| index + 1);
    assert!((1..=15).contains(&first), "the last drops are judged, from ply {}", first + 1);
    let mut fresh = Expert::without_opening(table, DropRule::One);
    let winners: Vec<_> = games[first..].iter().map(|game| fresh.winner(game).expect("no limit")).collect();
    for (judged, values) in analysis.moves[first..].iter().zip(winners.windows(2)) {
        assert_eq!([judged.before, judged.after].map(|value| value.expect("judged").winner), [values[0], values[1]]);
        assert_eq!(judged.quality() == Some(MoveQuality::Blunder), values[0] != values[1]);
    }
    assert_eq!(analysis.moves[0].before.map(|value| value.winner), Some(Some(Side::Black)), "by the opening");
}

#[test]
fn a_build_that_could_not_write_its_file_is_refused_before_the_work() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("file");
    std::fs::write(&file, "not a directory").expect("written");
    for place in [home.path().to_owned(), file.join("table")] {
        let output =
            arena(Some(home.path()), &["tablebase", "build", "seegover", "--out", place.to_str().expect("text")]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("cannot write `{}`", place.display())), "{said}");
        assert!(!said.contains("positions decided"), "{said}");
    }
    let left: Vec<_> = std::fs::read_dir(home.path()).expect("listed").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn superko_has_no_table_for_a_reason() {
    for (args, rules) in [
        (&["solve", "--start", "--ruleset"][..], "seegover cycle=superko"),
        (&["tablebase", "build"], "seegover cycle=superko"),
        (&["tablebase", "check"], "seegover cycle=superko capture=single"),
        (&["tablebase", "opening"], "seegover cycle=superko drop=2"),
    ] {
        let output = arena(None, &[args, &[rules]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("has no solver with `cycle = \"superko\"`"), "{said}");
        assert!(said.contains("which turns are legal then depends on earlier positions of the game"), "{said}");
    }
    let output = arena(None, &["tablebase", "build", "othello"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        text(&output.stderr).contains("the tables are for `gothello` and `seegover`, not for `othello`"),
        "{output:?}"
    );
}

#[test]
fn options_of_another_game_are_refused_with_the_reason() {
    for (args, reason) in [
        (&["solve", "--start", "--all"][..], "--all is for Seegover"),
        (&["solve", "--start", "--ruleset", "seegover", "--memory", "1"], "--memory is for Gothello"),
        (&["solve", "--start", "--ruleset", "othello"], "the rule set `othello` has no solver"),
        (&["solve", "--start", "--ruleset", "go"], "`gothello`, `seegover`, `othello`"),
        (
            &["solve", "--ruleset", "seegover", "--to-move", "black", "--board", "..... ..... ..b.. ..... ....."],
            "c3 stays empty",
        ),
    ] {
        let output = arena(None, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(reason), "{output:?}");
    }
}

#[test]
fn parts_of_the_table_follow_from_the_rules() {
    if !has_table("parts_of_the_table_follow_from_the_rules") {
        return;
    }
    let (header, table) = table_of(MoveRules::DEFAULT);
    assert_eq!(SeegoverTableHeader::of(&table), header);
    for parcel in [17, PARCELS / 3, PARCELS / 2 + 100, PARCELS - 1] {
        verify(&table, parcel).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    let mut bytes = table.bytes().to_vec();
    let wrong = bytes.len() - (1 << 24) + 0x00AB_CDEF;
    bytes[wrong] = if bytes[wrong] == 0 { 4 } else { 0 };
    let changed = Tablebase::from_bytes(MoveRules::DEFAULT, bytes).expect("a table");
    let parcel_of_the_centre = 12 * PARCELS / 25 + 0xAB;
    assert!(verify(&changed, parcel_of_the_centre).is_err(), "one wrong byte is found");
}

/// The worth of a position, found by searching forwards with the rules of play: a draw, unless best play ends the game
/// within `plies` plies.
fn forwards(view: View, rules: Options, plies: u8) -> Worth {
    if view.is_lost() {
        return Worth::Lost(0);
    }
    if view.swapped().is_lost() {
        return Worth::Won(0);
    }
    if plies == 0 {
        return Worth::Drawn;
    }
    let mut best = Worth::Lost(0);
    view.each_turn(rules, |_, after| {
        let worth = forwards(after.swapped(), rules, plies - 1).before();
        best = if worth.rank() > best.rank() { worth } else { best };
    });
    best
}

#[test]
fn the_tables_agree_with_a_search_forwards_and_with_their_turns() {
    const PLIES: u8 = 4;
    for rules in MoveRules::ALL {
        if !has_table_of(rules, "the_tables_agree_with_a_search_forwards_and_with_their_turns") {
            continue;
        }
        let ((header, table), mut random) = (table_of(rules), SplitMix64::new(7));
        assert_eq!((header.rules(), table.rules()), (rules, rules));
        for parcel in [PARCELS / 2 + 7, PARCELS / 5 + 1] {
            verify(&table, parcel).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
        let mut near = 0;
        for _ in 0..2_000 {
            let hole = 1_u32 << random.below(25);
            let own = u32::try_from(random.below(1 << 25)).expect("25 bits") & !hole;
            let view = View::new(own, ALL & !own & !hole).expect("one square is empty");
            let worth = table.worth(view).expect("a full board");
            let expected = if worth.plies().is_some_and(|plies| plies <= PLIES) { worth } else { Worth::Drawn };
            assert_eq!(forwards(view, rules.with(DropRule::One), PLIES), expected, "{rules:?} {view:?}");
            near += usize::from(expected != Worth::Drawn);
        }
        assert!(near > 20, "{rules:?}: {near}");
    }
}

#[test]
fn solve_gives_value_depth_best_turns_and_line() {
    if !has_table("solve_gives_value_depth_best_turns_and_line") {
        return;
    }
    let example = solved("wwbww wwbww w.www bbwbb bbwbb", "black", &[]);
    assert_eq!((&example["winner"], &example["depth"]), (&"draw".into(), &Json::Null));
    assert_eq!(example["best"], serde_json::json!(["b2-b3"]));
    assert_eq!(example["line"].as_array().map(Vec::len), Some(6), "the position repeats");
    let first = solved(".wbbw/wwbbw/bwbbb/bbbbb/wbwbb", "black", &["--all"]);
    assert_eq!(first["turns"].as_array().map(Vec::len), Some(16));
    assert_eq!(first["certain"], true);
    let line = first["line"].as_array().expect("a line");
    assert_eq!(Some(line.len() as u64), first["depth"].as_u64(), "a won line has as many turns as the depth says");
    let keeping = |turn: &&Json| turn["winner"] == first["winner"] && turn["depth"] == first["depth"];
    let best = first["turns"].as_array().into_iter().flatten().filter(keeping).map(|turn| turn["turn"].clone());
    assert_eq!(first["best"], Json::Array(best.collect()));
}

#[test]
fn solve_searches_the_drops_to_the_table() {
    if !has_table("solve_searches_the_drops_to_the_table") {
        return;
    }
    for (rules, board, side) in [
        ("seegover", "bw.bb wwb.w bw.wb .wb.w b.w.b", "black"),
        ("seegover drop=2", "bw.bb wwb.w bw.bb .wb.w b.w.b", "white"),
    ] {
        let args = ["solve", "--ruleset", rules, "--json", "--all", "--to-move", side, "--board", board];
        let output = arena(None, &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let value = fits(&strict("solution"), text(&output.stdout));
        let plies = value["line"].as_array().map(Vec::len).expect("a line");
        assert!(value["depth"].is_null() || value["depth"].as_u64() == Some(plies as u64), "{value}");
        let turns = value["turns"].as_array().expect("turns");
        let best = turns.iter().filter(|turn| turn["winner"] == value["winner"] && turn["depth"] == value["depth"]);
        assert_eq!(value["best"], Json::Array(best.map(|turn| turn["turn"].clone()).collect()), "{value}");
    }
}

#[test]
fn a_repetition_that_the_history_makes_possible_is_respected() {
    if !has_table("a_repetition_that_the_history_makes_possible_is_respected") {
        return;
    }
    let (_, table) = table_of(MoveRules::DEFAULT);
    let mut expert = Expert::new(table.into(), DropRule::One);
    // The second example: after five more turns, the sixth repeats the position and immediately draws the game.
    let mut played = game("", "wwbww wwbww w.www bbwbb bbwbb", Side::Black);
    for turn in ["b2-b3", "c2-b2", "d2-c2", "d3-d2", "c3-d3"] {
        let play = played.plays().into_iter().find(|play| play.to_move().as_str() == turn).expect("a legal turn");
        played = played.after(play);
    }
    let turns = expert.turns(&played).expect("no limit");
    let repeats = turns.iter().find(|(play, _)| play.to_move().as_str() == "b3-c3").expect("the sixth turn");
    assert_eq!(repeats.1, Value { winner: None, depth: None });
    // A win is certain in a game that begins with this position, but not after an earlier position that was nearer to
    // the win.
    let won = board(".wbbw/wwbbw/bwbbb/bbbbb/wbwbb");
    let fresh = Game::from_board(Options::DEFAULT, won, Side::Black).expect("a game");
    let value = expert.value(&fresh).expect("no limit");
    assert!(expert.is_certain(&fresh, value));
    let further = Value { depth: value.depth.map(|depth| depth + 2), ..value };
    assert_eq!(expert.is_certain(&fresh, further), value.winner.is_none());
}

/// Formats `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(text).collect();
    groups.join(",")
}

/// The number of positions whose worth `wanted` accepts.
fn number(header: &SeegoverTableHeader, wanted: impl Fn(Worth) -> bool) -> String {
    grouped(header.census().counts().filter(|&(worth, _)| wanted(worth)).map(|(_, count)| count).sum())
}

/// The number of positions that are won (if `is_won`) or lost (otherwise) in `from` to `to` turns.
fn decided(header: &SeegoverTableHeader, is_won: bool, from: u8, to: u8) -> String {
    number(header, |worth| {
        matches!(worth, Worth::Won(_)) == is_won && worth.plies().is_some_and(|plies| (from..=to).contains(&plies))
    })
}

#[test]
fn the_documented_figures_are_those_of_the_tables() {
    let docs = include_str!("../../../../docs/measure/seegover.md");
    for rules in MoveRules::ALL {
        if !has_table_of(rules, "the_documented_figures_are_those_of_the_tables") {
            continue;
        }
        let header = look(&default_place(rules).expect("a place"), Some(rules)).expect("a table");
        let longest = header.census().counts().filter_map(|(worth, _)| worth.plies()).max().expect("a win");
        let row = format!(
            "| `{}` | {} | {} | {} | {longest} |\n",
            Ruleset::Seegover(rules.with(DropRule::One)),
            decided(&header, true, 1, 255),
            decided(&header, false, 1, 255),
            number(&header, |worth| worth == Worth::Drawn),
        );
        assert!(docs.contains(&row), "{row}");
        assert!(docs.contains(&format!("    {}  {}\n", header.digest(), file_name(rules))), "{header}");
    }
}

#[test]
fn the_documented_figures_are_those_of_the_table_and_the_openings() {
    let docs = include_str!("../../../../docs/measure/seegover.md");
    for (drop, rest) in [(DropRule::One, "turns of the opening followed"), (DropRule::Two, "turns followed")] {
        let opening = Opening::embedded(MoveRules::DEFAULT.with(drop)).expect("an opening");
        let count = grouped(opening.turns().count() as u64);
        assert!(docs.contains(&format!(" {count} {rest}")), "{count} {rest}");
    }
    if !has_table("the_documented_figures_are_those_of_the_table_and_the_openings") {
        return;
    }
    let header = look(&default_place(MoveRules::DEFAULT).expect("a place"), None).expect("a table");
    let won = |from: u8, to: u8| decided(&header, true, from, to);
    let lost = |from: u8, to: u8| decided(&header, false, from, to);
    let rows = [
        format!("| won by the side to move | {} |", won(1, 255)),
        format!("| lost | {} |", lost(1, 255)),
        format!("| drawn | {} |", number(&header, |worth| worth == Worth::Drawn)),
        format!("| over: one side has four stones or fewer | {} |", number(&header, |worth| worth.plies() == Some(0))),
    ];
    let tens = (0..13).map(|ten| (ten * 10 + 1, if ten == 12 { 131 } else { ten * 10 + 10 }));
    for row in tens.map(|(from, to)| format!("| {from} to {to} | {} | {} |", won(from, to), lost(from, to))).chain(rows)
    {
        assert!(docs.contains(&row), "{row}");
    }
}
