//! The output of bots to stderr, by ply: the files of a run, and the output of `replay --stderr`.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use gothello_arena::game::Side;
use gothello_arena::host::ply_offsets::PlyOffsets;

use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;
use std::process::Stdio;

/// A tournament of the bot `telling.py` in the mode `mode` against a built-in bot that answers immediately. `keys` are
/// at the top of the file.
fn arena(mode: &str, keys: &str) -> Arena {
    Arena::new(&format!(
        "illegal_tries = \"unlimited\"\nhello_timeout = \"60s\"\n{keys}\n[[player]]\nname = \"telling\"\n\
         command = [\"python3\", \"@bots/telling.py\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n\
         [[player]]\nname = \"quick\"\nbuiltin = \"greedy\"\n"
    ))
}

fn played(mode: &str, keys: &str) -> Arena {
    let arena = arena(mode, keys);
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena
}

/// The games of a run between the two players, and the side of `telling`.
const GAMES: [(&str, Side); 2] = [("r1-telling-quick", Side::Black), ("r1-quick-telling", Side::White)];

fn file(arena: &Arena, game: &str, ending: &str) -> PathBuf {
    arena.out().join(format!("games/{game}.{ending}"))
}

fn replay(arena: &Arena, game: &str, args: &[&str]) -> Output {
    let log = file(arena, game, "log");
    let output = arena.output(&[&["replay", "--stderr", log.to_str().expect("plain")], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    output
}

/// The parts of the output of `replay`: the part above the first board, one part for each ply, and the part after the
/// result.
fn frames(output: &Output) -> Vec<String> {
    text(&output.stdout).split("\nply ").map(str::to_owned).collect()
}

/// Returns how many plies `telling` made, and for how many of them `replay` shows `ply N` at the right ply.
fn told(mode: &str) -> (usize, usize) {
    let arena = played(mode, "rounds = 3");
    let (mut plies, mut right) = (0, 0);
    for round in 1..=3 {
        for (game, side) in GAMES {
            let game = game.replace("r1", &format!("r{round}"));
            let frames = frames(&replay(&arena, &game, &[]));
            let record = arena.record(&game);
            assert_eq!(frames.len(), record.plies.len() + 1);
            assert!(frames[0].contains("  | ready\n"), "{}", frames[0]);
            for (number, ply) in (1..).zip(&record.plies).filter(|(_, ply)| ply.side() == side) {
                plies += 1;
                let shown: Vec<&str> =
                    frames[number].lines().filter_map(|line| line.strip_prefix("  | ply ")).collect();
                right += usize::from(shown == [number.to_string()]);
                assert!(frames[number].contains(&format!("by telling ({})", ply.side())), "{}", frames[number]);
            }
        }
    }
    (plies, right)
}

#[test]
fn what_a_bot_says_before_it_moves_is_shown_at_that_ply() {
    let (plies, right) = told("before");
    assert!(plies >= 60 && right * 100 >= plies * 95, "{right} of {plies}");
}

#[test]
fn replay_without_the_option_shows_only_the_game() {
    let arena = played("before", "");
    let log = file(&arena, GAMES[0].0, "log");
    let output = arena.output(&["replay", log.to_str().expect("plain")]);
    assert!(output.status.success() && !text(&output.stdout).contains("| ply"), "{}", text(&output.stdout));
}

#[test]
fn the_offsets_lead_to_the_beginnings_of_turns_whatever_was_cut_out() {
    for (mode, keys) in [("before", ""), ("long", "output_cap = 6000")] {
        let arena = played(mode, keys);
        for (game, side) in GAMES {
            let stderr = fs::read(file(&arena, game, &format!("{side}.stderr"))).expect("stderr");
            let plies = fs::read_to_string(file(&arena, game, &format!("{side}.stderr.plies"))).expect("plies");
            let offsets: PlyOffsets = plies.parse().expect("in order");
            let record = arena.record(game);
            let own: Vec<usize> =
                (1..).zip(&record.plies).filter(|(_, ply)| ply.side() == side).map(|(number, _)| number).collect();
            assert_eq!(offsets.turns().iter().map(|&(ply, _)| ply).collect::<Vec<_>>(), own);
            assert_eq!(offsets.before_first(&stderr), b"ready\n");
            let is_cut = String::from_utf8_lossy(&stderr).contains("bytes cut ...]");
            assert_eq!(is_cut, mode == "long");
            let (first, last) = (own[0], own[own.len() - 1]);
            for ply in [first, last] {
                let said = String::from_utf8_lossy(offsets.of_ply(ply, &stderr)).into_owned();
                assert!(said.starts_with(&format!("ply {ply}\n")), "{game}, {ply}: {said}");
            }
        }
    }
}

#[test]
fn an_exception_is_shown_at_the_turn_that_it_ended() {
    let arena = played("raise", "");
    let shown = text(&replay(&arena, GAMES[0].0, &[]).stdout);
    let (game, end) = shown.split_once("made no further move").expect("an end");
    assert!(!game.contains("RuntimeError"), "{shown}");
    assert!(end.contains("telling (black) wrote:\n") && end.contains("  | RuntimeError: ply 5\n"), "{shown}");
}

#[test]
fn nothing_that_a_bot_writes_steers_the_terminal() {
    let arena = played("rude", "");
    let shown = text(&replay(&arena, GAMES[0].0, &["--ply", "3"]).stdout);
    assert!(shown.contains("  | ply 3 \\u{1b}[2J\\u{202e}\u{fffd}    tab\n"), "{shown}");
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}') && !shown.contains("ply 1"), "{shown}");
}

#[test]
fn a_bot_that_writes_nothing_leaves_no_file() {
    let arena = played("silent", "");
    for (game, side) in GAMES {
        for ending in ["stderr", "stderr.plies"] {
            assert!(!file(&arena, game, &format!("{side}.{ending}")).exists());
        }
    }
    let output = replay(&arena, GAMES[0].0, &["--final"]);
    assert!(text(&output.stderr).contains("r1-telling-quick.black.stderr`: the bot wrote nothing"), "{output:?}");
    assert!(!text(&output.stdout).contains("wrote:"), "{}", text(&output.stdout));
}

#[test]
fn without_a_usable_file_of_plies_all_is_shown_at_the_end() {
    let arena = played("before", "");
    let (game, side) = GAMES[0];
    let plies = file(&arena, game, &format!("{side}.stderr.plies"));
    let whole = fs::read_to_string(file(&arena, game, &format!("{side}.stderr"))).expect("stderr");
    for (content, why) in [
        (None, "there is no `"),
        (Some("1 0\n1 0\n"), "in order: all of black's output is shown at the end"),
        (Some("\u{1b}[2J"), "in order: all of black's output is shown at the end"),
    ] {
        fs::remove_file(&plies).expect("there");
        if let Some(content) = content {
            fs::write(&plies, content).expect("written");
        }
        let output = replay(&arena, game, &[]);
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
        let shown = text(&output.stdout);
        let (_, end) = shown.rsplit_once("telling (black) wrote:\n").expect("its words");
        assert_eq!(end.replace("  | ", ""), whole);
        assert_eq!(shown.matches("wrote:").count(), 1, "{shown}");
        if content.is_none() {
            fs::write(&plies, "").expect("written");
        }
    }
    // Offsets beyond the end of the file count as its end.
    fs::write(&plies, "1 6\n3 99999\n5 999999999999\n").expect("written");
    let frames = frames(&replay(&arena, game, &[]));
    assert!(frames[0].contains("  | ready\n") && frames[1].contains("  | over\n"), "{frames:?}");
}

#[test]
fn a_log_from_standard_input_has_no_files_beside_it() {
    let arena = played("before", "");
    let log = fs::File::open(file(&arena, GAMES[0].0, "log")).expect("there");
    let output = arena
        .command(&["replay", "--stderr", "-"])
        .stdin(log)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start()
        .expect("it starts")
        .wait_with_output()
        .expect("it starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--stderr needs the name of the log"), "{}", text(&output.stderr));
}

#[test]
fn rebuild_leaves_what_bots_wrote_and_when() {
    let arena = played("before", "");
    let plies = file(&arena, GAMES[0].0, "black.stderr.plies");
    let before = fs::read(&plies).expect("there");
    fs::remove_file(file(&arena, GAMES[0].0, "log")).expect("there");
    for args in [&["rebuild", "out"][..], &["rebuild", "--check", "out"]] {
        let output = arena.output(args);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    assert_eq!(fs::read(&plies).expect("there"), before);
}
