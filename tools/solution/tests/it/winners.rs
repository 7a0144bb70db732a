//! Tests of the proof of who wins.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::exact::margin_table::layer_files::LayerFiles;
use sha2::{Digest as _, Sha256};

use super::build;

/// The number of bytes of a part of a layer whose sets have fewer.
const PART: usize = 1 << 16;

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove_winners"));
    command.args(words).args(["--size", "4"]);
    command
}

fn output(words: &[&str]) -> Output {
    command(words).output().expect("it starts")
}

/// Whether the program succeeded, and its output.
fn said(words: &[&str]) -> (bool, String) {
    let output = output(words);
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines of all layers, which the program computes in `dir`.
fn prove(dir: &str) -> Vec<String> {
    let (is_done, lines) = said(&[dir]);
    assert!(is_done, "{lines}");
    lines.lines().map(str::to_owned).collect()
}

/// The contents of the files of all layers.
fn results(dir: &Path) -> Vec<Vec<u8>> {
    (0..16).map(|stones| fs::read(dir.join(format!("4x4-{stones}.results"))).expect("there")).collect()
}

/// Makes the layers with up to `stones` stones incomplete.
fn forget(dir: &Path, lines: &[String], stones: usize) {
    let kept: String = lines[..15 - stones].iter().flat_map(|line| [line, "\n"]).collect();
    fs::write(dir.join("4x4.layers"), kept).expect("written");
}

#[test]
fn every_entry_and_every_count_is_that_of_the_library() {
    let (margins, dir) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let totals = build(margins.path());
    let (margins_name, name) = (margins.path().to_str().expect("plain"), dir.path().to_str().expect("plain"));
    let counts = totals.iter().map(|total| (total.stones, total.tally.of_board));
    let rows = counts.map(|(stones, board)| {
        format!("| {stones} | {} | {} | {} | {} | 7 |\n", board.positions(), board.won, board.drawn, board.lost)
    });
    let head = "| stones | positions | won | drawn | lost | more |\n| --- | --- | --- | --- | --- | --- |\n";
    let table = rows.fold(head.to_owned(), |table, row| table + &row);
    let (sound, wrong) = (margins.path().join("sound.md"), margins.path().join("wrong.md"));
    fs::write(&wrong, table.replacen("| 7 |\n", "| 7 |\n\n", 9)).expect("written");
    fs::write(&sound, &table).expect("written");
    let (is_sound, lines) = said(&[name, "--counts", sound.to_str().expect("plain"), "--threads", "2"]);
    assert!(is_sound && lines.lines().count() == 16 && lines.lines().all(|line| line.ends_with(" agree")), "{lines}");
    let (is_sound, lines) = said(&[name, "--counts", wrong.to_str().expect("plain")]);
    assert!(!is_sound && lines.ends_with("\nthere are no counts for layer 14\n"), "{lines}");
    for (right, other) in [("| 1159264 |", "| 1,159,265 |"), ("| 378600 |", "| 37,860 |")] {
        fs::write(&wrong, table.replacen(right, other, 1)).expect("written");
        let (is_sound, lines) = said(&[name, "--counts", wrong.to_str().expect("plain")]);
        assert!(!is_sound && lines.contains("\nlayer 13 ") && lines.contains(", but expected positions 1"), "{lines}");
    }

    for total in &totals {
        let (stones, entries) = (total.stones.to_string(), total.blocks << total.stones);
        let agree = format!("layer {stones} entries {entries} agree\n");
        assert_eq!(said(&["compare", margins_name, &stones, "--dir", name]), (true, agree));
    }
    let file = LayerFiles::new(margins.path(), 4, 9).margins();
    let entries = fs::read(&file).expect("there");
    let drawn = entries.iter().position(|&entry| entry == 0).expect("some positions are drawn");
    let illegal = entries.iter().rposition(|&entry| entry == 0x80).expect("some colourings are not positions");
    for (place, entry) in [(drawn, 1), (drawn, 0xFF), (drawn, 0x80), (illegal, 0)] {
        let mut entries = entries.clone();
        entries[place] = entry;
        fs::write(&file, entries).expect("written");
        let (is_sound, line) = said(&["compare", margins_name, "9", "--dir", name]);
        assert!(!is_sound && line.starts_with("layer 9: empty points 0x") && line.ends_with(" is wrong\n"), "{line}");
    }
}

#[test]
fn a_killed_proof_continues_and_finds_the_same() {
    let (whole, dir) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let lines = prove(whole.path().to_str().expect("plain"));
    let name = dir.path().to_str().expect("plain");
    let mut process = command(&[name]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut first = String::new();
    BufReader::new(process.stdout.take().expect("piped")).read_line(&mut first).expect("a line");
    process.kill().expect("killed");
    process.wait().expect("ended");
    assert_eq!(first.trim_end(), lines[0]);
    assert_eq!(prove(name), lines);
    assert_eq!(results(dir.path()), results(whole.path()));
    // A complete proof is read.
    assert_eq!(prove(name), lines);
}

#[test]
fn parts_that_have_their_digest_are_not_computed_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let name = dir.path().to_str().expect("plain");
    let lines = prove(name);
    let (sound, file) = (results(dir.path()), dir.path().join("4x4-10.results"));
    forget(dir.path(), &lines, 10);
    // The first and the last part are as they were; the second has changed; the third was not complete.
    let digests: Vec<String> = sound[10]
        .chunks(PART)
        .map(|part| Sha256::digest(part).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")))
        .collect();
    assert_eq!(digests.len(), 5);
    let list = format!("0 {}\n1 {}\n4 {}\n2 {}", digests[0], digests[1], digests[4], &digests[2][..9]);
    fs::write(dir.path().join("4x4-10.parts"), list).expect("written");
    let mut changed = sound[10].clone();
    changed[PART + 5] ^= 1;
    fs::write(&file, &changed).expect("written");
    let output = output(&[name]);
    let [told, progress] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    assert_eq!(told.lines().collect::<Vec<_>>(), lines);
    assert!(
        progress.lines().next().is_some_and(|line| line.ends_with(", 2 of 5 parts were done before")),
        "{progress}"
    );
    assert_eq!(results(dir.path()), sound);
}

#[test]
fn a_changed_layer_is_not_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let name = dir.path().to_str().expect("plain");
    let lines = prove(name);
    forget(dir.path(), &lines, 5);
    let file = dir.path().join("4x4-6.results");
    let mut bytes = fs::read(&file).expect("there");
    bytes[4321] ^= 4;
    fs::write(&file, &bytes).expect("written");
    let (is_done, told) = said(&[name]);
    assert!(!is_done && told.ends_with("\nlayer 5: the file of layer 6 has changed\n"), "{told}");
    let (is_sound, told_of_margins) = said(&["compare", name, "5", "--dir", name]);
    assert!(!is_sound && told_of_margins == "layer 5 is not complete\n", "{told_of_margins}");
    fs::write(&file, &bytes[1..]).expect("written");
    let (is_done, told) = said(&[name]);
    assert!(!is_done && told.ends_with("\nlayer 6: the file does not have 16816 bytes\n"), "{told}");
}

#[test]
fn two_processes_do_not_compute_in_one_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    let lock = fs::File::open(dir.path()).expect("opened");
    lock.lock().expect("locked");
    let (is_done, told) = said(&[dir.path().to_str().expect("plain")]);
    assert!(!is_done && told.starts_with("another process computes in "), "{told}");
}

#[test]
fn wrong_arguments_are_refused() {
    for wrong in [&[][..], &["dir", "--threads", "0"], &["dir", "--keep", "1"], &["compare", "dir", "16", "--dir", "x"]]
    {
        let (is_done, told) = said(wrong);
        assert!(!is_done && told.starts_with("usage: "), "{told}");
    }
}

#[test]
fn the_fullest_boards_of_5x5_points_have_the_documented_counts_and_digest() {
    let dir = tempfile::tempdir().expect("a directory");
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/measure/solution.md");
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove_winners"));
    let output = command.arg(dir.path()).args(["--from", "24", "--counts"]).arg(&document).output().expect("it starts");
    let line = String::from_utf8(output.stdout).expect("text");
    let digest = line.strip_suffix(" agree\n").and_then(|line| line.split(" sha256 ").nth(1)).expect("they agree");
    let document = fs::read_to_string(document).expect("there");
    assert!(document.contains(&format!("\n     24 {digest}\n")), "{line}");
}
