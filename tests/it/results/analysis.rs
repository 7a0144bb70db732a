//! Game analysis: every move is judged by exact values.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Stdio;

use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::exact::solver::{Question, Solver, TranspositionTable};
use gothello_arena::game::gothello::Game;
use gothello_arena::game::{Outcome, Side};
use gothello_arena::referee::record::GameRecord;
use gothello_arena::results::analysis::by_solver::Analyst;
use gothello_arena::results::analysis::{Accuracy, Analysis, AnalyzedMove, MoveQuality, MoveTally, Phase};
use rustix::process::{Pid, Signal};

use crate::harness::arena::{Arena, is_withheld, text};
use crate::harness::waiting::{InTime as _, Lines};

const FIELD: &str = "seed = 5\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";

/// Analyzes `record` with a solver that knows the values of finished games and solves positions with up to `most`
/// empty points.
fn judged(record: &GameRecord, most: u32) -> Analysis {
    let table = TranspositionTable::with_bytes(1 << 24);
    let over = |game: &Game| game.is_over().then(|| Outcome::of_margin(game.board().margin()));
    Analysis::of(record, over, |game, certain, wanted| {
        assert!(!certain.answers(wanted), "asked for a value that is already known");
        let small = game.board().empty().count_ones() <= most;
        small.then(|| Solver::new(&table).narrow(game, certain, wanted).expect("no limit"))
    })
    .expect("Gothello has a solver")
}

fn played() -> (Arena, Vec<GameRecord>) {
    let arena = Arena::new(FIELD);
    assert!(arena.run(&[]).status.success());
    let records = arena.results().iter().map(|row| arena.record(&row["game"])).collect();
    (arena, records)
}

#[test]
fn an_analysis_by_nodes_is_the_same_whatever_was_judged_before_it() {
    const NODES: u64 = 60_000;
    let games = played().1;
    let analyst = || Analyst::new(NonZeroUsize::MIN, TranspositionTable::with_bytes(1 << 20), None);
    let judge = |analyst: &mut Analyst, game, nodes| {
        analyst.analyze_repeatably(game, nodes, || false, |_| {}).expect("Gothello has a solver")
    };
    let alone: Vec<Analysis> = games.iter().map(|game| judge(&mut analyst(), game, NODES)).collect();
    let mut busy = analyst();
    let backwards: Vec<Analysis> = games.iter().rev().map(|game| judge(&mut busy, game, NODES)).collect();
    assert!(alone.iter().eq(backwards.iter().rev()));
    let judged = |analysis: &Analysis| analysis.moves.iter().filter(|judged| judged.quality().is_some()).count();
    for (game, analysis) in games.iter().zip(&alone) {
        let fewer = judge(&mut busy, game, NODES / 20);
        assert!(judged(&fewer) < judged(analysis) && judged(analysis) < analysis.moves.len(), "the nodes are a bound");
    }
}

#[test]
fn no_move_gains_and_the_losses_add_up_to_the_result() {
    for record in played().1 {
        let analysis = judged(&record, 11);
        let final_value = analysis.moves.last().expect("moves").after.expect("over");
        assert_eq!(final_value.margin, record.result.as_ref().expect("a result").margin());
        let solved: Vec<_> = analysis.moves.iter().filter(|judged| judged.quality().is_some()).collect();
        assert!(solved.len() > 8);
        let mut margin = solved[0].before.and_then(|value| value.margin).expect("solved");
        for judged in &solved {
            let lost = i32::try_from(judged.lost().expect("never negative")).expect("few");
            margin += if judged.side == Side::Black { -lost } else { lost };
            assert_eq!(Some(margin), judged.after.and_then(|value| value.margin));
            assert_eq!(judged.comment().is_none(), judged.quality() == Some(MoveQuality::Kept));
        }
        assert_eq!(Some(margin), final_value.margin);
        if let Some(index) = analysis.decisive() {
            assert!(
                analysis.moves[index + 1..]
                    .iter()
                    .all(|judged| judged.after.map(|value| value.winner) == Some(final_value.winner))
            );
        }
    }
}

#[test]
fn values_inferred_from_other_values_match_a_search() {
    let (_, records) = played();
    for record in &records {
        let games: Vec<Game> = record.plies.iter().fold(vec![Game::default()], |mut games, ply| {
            games.push(games[games.len() - 1].after(ply.played));
            games
        });
        let small: Vec<&Game> = games.iter().filter(|game| game.board().empty().count_ones() <= 10).collect();
        let table = TranspositionTable::with_bytes(1 << 24);
        let margin = |game: &Game| Solver::new(&table).margin(game).expect("no limit");
        // The winner of every third position is known from another source, and so is the margin of every fourth
        // position.
        let known = |game: &Game| {
            let index = small.iter().position(|other| *other == game)?;
            let value = Outcome::of_margin(margin(game));
            match (index % 3, index % 4) {
                (_, 0) => Some(value),
                (0, _) => Some(Outcome { margin: None, ..value }),
                _ => None,
            }
        };
        let analysis = Analysis::of(record, known, |game, certain, wanted| {
            let found = small
                .contains(&game)
                .then(|| Solver::new(&TranspositionTable::with_bytes(1 << 20)).narrow(game, certain, wanted));
            found.map(|found| found.expect("no limit"))
        })
        .expect("Gothello has a solver");
        for (judged, game) in analysis.moves.iter().zip(&games).filter(|(_, game)| small.contains(game)) {
            assert_eq!(judged.before, Some(Outcome::of_margin(margin(game))));
        }
    }
}

#[test]
fn moves_in_unsolved_positions_are_not_judged() {
    let (_, records) = played();
    let analysis = judged(&records[0], 3);
    for judged in &analysis.moves {
        assert_eq!(judged.quality().is_some(), judged.empty <= 3);
    }
    let accuracy = Accuracy::of(&analysis, Side::Black);
    assert_eq!(accuracy.opening.judged + accuracy.middle.judged, 0);
    assert!(accuracy.end.judged > 0 && accuracy.all().moves > accuracy.end.moves);
    assert_eq!(accuracy.middle.winner_kept(), None);
}

#[test]
fn annotated_copies_are_valid_logs_and_replay_shows_the_comments() {
    let (arena, records) = played();
    let logs: Vec<String> =
        records.iter().map(|record| format!("out/games/{}.log", record.game.as_ref().expect("an id"))).collect();
    let mut words = vec!["analyze", "--budget", "2s", "--annotate", "notes"];
    words.extend(logs.iter().map(String::as_str));
    let output = arena.command(&words).output_in_time().expect("it starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("end: winner"));
    let mut notes = 0;
    for record in records {
        let copy = arena.path().join(format!("notes/{}.log", record.game.as_ref().expect("an id")));
        let copied: GameRecord = fs::read_to_string(&copy).expect("written").parse().expect("a log");
        let said: Vec<&String> = copied.plies.iter().filter_map(|ply| ply.note.as_ref()).collect();
        let shown = arena.command(&["replay", &copy.display().to_string()]).output_in_time().expect("it starts");
        assert!(shown.status.success());
        assert!(said.iter().all(|note| text(&shown.stdout).contains(*note)));
        notes += said.len();
        let mut bare = copied;
        bare.plies.iter_mut().for_each(|ply| ply.note = None);
        assert_eq!(bare, record);
    }
    assert!(notes > 0);
}

#[test]
fn each_game_is_one_json_object() {
    let (arena, records) = played();
    let log = format!("out/games/{}.log", records[0].game.as_ref().expect("an id"));
    let output = arena.command(&["analyze", "--json", "--budget", "2s", &log]).output_in_time().expect("it starts");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let moves = object["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), records[0].plies.len());
    let last = &moves[moves.len() - 1]["after"];
    let margin = records[0].result.as_ref().expect("a result").margin();
    assert_eq!(last["margin"].as_i64().and_then(|margin| i32::try_from(margin).ok()), margin);
    assert!(object["accuracy"]["black"]["winner_kept"].is_number());
    let mut game = Game::default();
    let mut betters = 0;
    for (ply, judged) in records[0].plies.iter().zip(moves) {
        assert_eq!(judged["move"], ply.played.as_str());
        if let (Some(better), true) = (judged["better"].as_str(), game.board().empty().count_ones() <= 11) {
            let best = Solver::new(&TranspositionTable::with_bytes(1 << 20))
                .best_moves(&game, Question::Margin)
                .expect("no limit");
            assert!(best.iter().any(|best| best.as_str() == better) && better != ply.played.as_str(), "{better}");
            betters += 1;
        }
        game = game.after(ply.played);
    }
    assert!(betters > 0);
}

#[test]
fn a_signal_stops_the_analysis_and_keeps_the_finished_games() {
    const GAMES: usize = 120;
    const PIPE: usize = 64 << 10;
    if is_withheld(Signal::INT) {
        return;
    }
    let (arena, records) = played();
    let log = format!("out/games/{}.log", records[0].game.as_ref().expect("an id"));
    // The output is larger than a pipe's buffer, so the analysis cannot end before its output is read.
    let logs = [log.as_str(); GAMES];
    let mut command = arena.command(&[&["analyze", "--json", "--budget", "2s", "--no-cache"], &logs[..]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).start().expect("it starts");
    let mut stdout = Lines::new(child.stdout.take().expect("piped"));
    let line = stdout.line("the analysis of the first game");
    assert!(line.contains(&log) && line.len() * GAMES > 4 * PIPE, "{line}");
    rustix::process::kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let rest = stdout.rest("`analyze`");
    let done = 1 + rest.matches(&log).count();
    let players = rest.lines().last().expect("the players' line");
    assert!(done < GAMES && players.starts_with("{\"format\":1,\"players\":"), "{rest}");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let interrupted = format!("interrupted: {done} of {GAMES} games");
    assert!(text(&output.stderr).contains(&interrupted), "{}", text(&output.stderr));
}

#[test]
fn standings_show_how_accurately_each_player_played() {
    let (arena, records) = played();
    let run = |words: &[&str]| {
        let output = arena.command(words).output_in_time().expect("it starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let table = run(&["standings", "out", "--accuracy=1s"]);
    assert!(table.starts_with(&run(&["standings", "out"])));
    assert!(table.contains("Accuracy, by exact values") && table.contains("margin kept"));
    assert!(run(&["standings", "out", "--accuracy=1s", "--format", "markdown"]).contains("| winner kept |"));
    let json = run(&["standings", "out", "--accuracy=1s", "--format", "json"]);
    let players: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let moves: u64 = players.as_array().expect("players").iter().filter_map(|p| p["accuracy"]["moves"].as_u64()).sum();
    assert_eq!(moves, records.iter().map(|record| record.plies.len() as u64).sum::<u64>());
    let accuracy = &players[0]["accuracy"];
    assert!(accuracy["end"]["judged"].as_u64() > Some(0) && accuracy["end"]["winner_kept"].is_number());
    let csv = run(&["standings", "out", "--accuracy=1s", "--format", "csv"]);
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let place =
        rows.headers().expect("a header").iter().position(|name| name == "accuracy_end_judged").expect("a column");
    let row = rows.records().next().expect("a row").expect("a record");
    assert_eq!(row[place], accuracy["end"]["judged"].to_string());
    let scores = arena.command(&["standings", "out/results.csv", "--accuracy"]).output_in_time().expect("it starts");
    assert_eq!(scores.status.code(), Some(2), "{}", text(&scores.stderr));
}

#[test]
fn an_annotated_copy_never_overwrites_a_log_or_another_copy() {
    let (arena, records) = played();
    let log = format!("out/games/{}.log", records[0].game.as_ref().expect("an id"));
    let before = fs::read(arena.path().join(&log)).expect("read");
    fs::create_dir(arena.path().join("other")).expect("made");
    fs::copy(arena.path().join(&log), arena.path().join("other").join(Path::new(&log).file_name().expect("a name")))
        .expect("copied");
    for words in [&[&log, "--annotate", "out/games"][..], &[&log, "other", "--annotate", "notes"]] {
        let output = arena.command(&[&["analyze"], words].concat()).output_in_time().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stderr));
    }
    assert_eq!(fs::read(arena.path().join(&log)).expect("read"), before);
}

#[test]
fn an_invalid_log_is_refused() {
    let (arena, records) = played();
    let log = arena.out().join(format!("games/{}.log", records[0].game.as_ref().expect("an id")));
    let broken = fs::read_to_string(&log).expect("read").replacen("1. ", "1. zz9 ", 1);
    fs::write(&log, broken).expect("written");
    let output = arena.command(&["analyze", &log.display().to_string()]).output_in_time().expect("it starts");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!(arena.command(&["analyze", "nowhere.log"]).output_in_time().expect("it starts").status.code(), Some(2));
}

/// Earlier versions left these figures out, because they knew the margins in the opening only if nothing was lost.
#[test]
fn a_random_player_loses_stones_in_the_opening_as_is_known_without_a_search() {
    let mut random = MoveTally::default();
    for record in played().1 {
        let analysis = Analysis::of(&record, |game| KnownMargins::Embedded.outcome(game), |_, _, _| None);
        let analysis = analysis.expect("Gothello has a solver");
        let side = if record.players.black == "random" { Side::Black } else { Side::White };
        random = random.plus(Accuracy::of(&analysis, side).phase(Phase::Opening));
        // With seven stones on the board, the position after the move is not known.
        let lost = |judged: &AnalyzedMove| judged.lost().is_some() || judged.empty <= 18;
        assert!(analysis.moves.iter().all(lost), "{:?}", analysis.moves);
    }
    assert!(random.measured >= 6 && random.lost > 0, "{random:?}");
    assert!(random.margin_kept().is_some_and(|kept| kept < 1.0), "{random:?}");
}
