//! Tests of the checker of margins.

use std::fs;
use std::process::Command;

use gothello_arena::exact::margin_table::layer_files::{LayerFiles, LayerTotal};

use super::build;

fn check(words: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_check_margins")).args(words).output().expect("it starts");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The part of a line of the checker's output that contains the numbers of positions in a layer.
fn counts(total: &LayerTotal) -> String {
    let [classes, board] = [total.tally.of_classes, total.tally.of_board].map(|counts| {
        format!("legal {} won {} drawn {} lost {}", counts.positions(), counts.won, counts.drawn, counts.lost)
    });
    format!("layer {} blocks {} {classes} weighted {board} sha256 ", total.stones, total.blocks)
}

#[test]
fn the_checker_confirms_every_layer_from_the_next_and_from_nothing() {
    let (dir, own) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let totals = build(dir.path());
    let (dir, own) = (dir.path().to_str().expect("plain"), own.path().to_str().expect("plain"));
    let (is_sound, lines) = check(&["own", "--dir", own, "--size", "4", "--compare", dir]);
    assert!(is_sound, "{lines}");
    assert_eq!(lines.lines().count(), totals.len());
    for (total, line) in totals.iter().zip(lines.lines()) {
        assert!(line.starts_with(&counts(total)) && line.ends_with(" agree"), "{line}");
        let (is_sound, line) = check(&[dir, &total.stones.to_string(), "--size", "4"]);
        assert!(is_sound && line.starts_with(&counts(total)) && line.ends_with(" agree\n"), "{line}");
    }
    for wrong in [&["own", "--dir", own, "--every", "2"][..], &[dir, "8", "--size", "4", "--from", "3"]] {
        let (is_sound, said) = check(wrong);
        assert!(!is_sound && said.starts_with("usage: "), "{said}");
    }
    let (is_sound, line) = check(&[dir, "8", "--size", "4", "--every", "16", "--offset", "3"]);
    assert!(is_sound && line.starts_with("layer 8 blocks 105 "), "{line}");
}

#[test]
fn the_checker_finds_a_wrong_margin_and_a_wrong_mark() {
    let dir = tempfile::tempdir().expect("a directory");
    build(dir.path());
    let name = dir.path().to_str().expect("plain");
    let file = LayerFiles::new(dir.path(), 4, 8).margins();
    let sound = fs::read(&file).expect("there");
    let illegal = sound.iter().position(|&entry| entry == 0x80).expect("some colourings are not positions");
    let legal = sound.iter().rposition(|&entry| entry != 0x80).expect("most are");
    for (at, entry) in [(legal, sound[legal].wrapping_add(1)), (legal, 0x80), (illegal, 0)] {
        let mut bytes = sound.clone();
        bytes[at] = entry;
        fs::write(&file, bytes).expect("written");
        let (is_sound, said) = check(&[name, "8", "--size", "4"]);
        assert!(!is_sound && said.starts_with("layer 8: block ") && said.contains("in the file"), "{said}");
    }
    fs::write(&file, &sound[1..]).expect("written");
    assert!(!check(&[name, "8", "--size", "4"]).0 && !check(&[name, "7", "--size", "4"]).0);
}
