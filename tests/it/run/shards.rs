//! Tournaments that several machines play in shards, and the merging of the shards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::arena::{Arena, UNEQUAL_CONTROL, program, random_and_greedy, text, unequal_clocks};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

const FIELD: &str = concat!(
    "rounds = 2\nseed = 7\nconcurrency = 1\naffinity = false\n",
    unequal_clocks!(),
    random_and_greedy!(),
    "[[player]]\nname = \"third\"\nbuiltin = \"alphabeta\"\ndepth = 1\n"
);

#[track_caller]
fn assert_ended(output: &Output, code: i32, words: &[&str]) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "`{word}` is not in\n{stderr}");
    }
}

/// The contents of the file without anything that differs between two machines that play the same games: times, dates,
/// and the bots' resource usage.
fn without_times(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let without = |line: &str| -> String {
        if path.ends_with("results.csv") {
            return line.split(',').take(9).collect::<Vec<_>>().join(",");
        }
        let of_machine = ["[Date ", "[Lateness ", "[BlackUsage ", "[WhiteUsage ", "[Site "];
        if of_machine.iter().any(|tag| line.starts_with(tag)) {
            return String::new();
        }
        line.split(" {[%emt ").map(|part| part.rsplit("]}").next().unwrap_or(part)).collect()
    };
    text.lines().map(without).collect::<Vec<_>>().join("\n")
}

/// The names in `dir`, sorted, without the shards.
fn names(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    let is_shard = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("shard-"));
    let mut names: Vec<PathBuf> = entries.filter(|path| !is_shard(path)).collect();
    names.sort();
    names
}

#[test]
fn shards_that_were_killed_and_resumed_are_merged_into_the_run_of_one_machine() {
    let arena = Arena::new(FIELD);
    assert_ended(&arena.output(&["run", "class.toml", "--out", "one", "--quiet"]), 0, &[]);
    for shard in ["1/3", "3/3", "2/3"] {
        assert_ended(&arena.run(&["--shard", shard]), 0, &["[1/4] ", "[4/4] "]);
    }
    let first = arena.out().join("shard-1-of-3");
    // The shard now looks as if its run had been killed while it was writing its second game.
    let journal = fs::read_to_string(first.join("journal.jsonl")).expect("a journal");
    let second = journal.match_indices('\n').nth(1).expect("two lines").0;
    fs::write(first.join("journal.jsonl"), &journal[..second + 40]).expect("written");
    for log in fs::read_dir(first.join("games")).expect("logs") {
        fs::remove_file(log.expect("a log").path()).expect("removed");
    }
    assert_ended(&arena.output(&["standings", "out/shard-1-of-3"]), 0, &[]);
    assert_ended(&arena.output(&["merge", "out", "out/shard-3-of-3", "out/shard-1-of-3", "--quiet"]), 0, &[]);
    assert_ended(&arena.run(&["--shard", "1/3"]), 0, &["1 of 4 games have been played", "is dropped"]);
    for dir in ["out/shard-1-of-3", "out/shard-2-of-3"] {
        assert_ended(&arena.output(&["rebuild", "--check", dir]), 0, &[]);
    }
    let merged = arena.output(&["merge", "out", "out/shard-1-of-3", "out/shard-3-of-3"]);
    assert_ended(&merged, 0, &["3 games added to `out`, which now contains the results of 8 games"]);
    // The games of the shard that is not merged are played here.
    assert_ended(&arena.run(&[]), 0, &["continuing the run in `out`: 8 of 12 games", "[12/12]"]);
    assert_ended(&arena.output(&["rebuild", "--check", "out"]), 0, &[]);
    arena.assert_clocks_were(UNEQUAL_CONTROL);
    let one = arena.path().join("one");
    let standings = |dir: &str| text(&arena.output(&["standings", dir]).stdout);
    assert_eq!(standings("out"), standings("one"));
    for (ours, theirs) in [(arena.out(), one.clone()), (arena.out().join("games"), one.join("games"))] {
        let (ours, theirs) = (names(&ours), names(&theirs));
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours.file_name(), theirs.file_name());
            if ours.is_file() && !ours.ends_with("journal.jsonl") {
                assert_eq!(without_times(ours), without_times(theirs), "{}", ours.display());
            }
        }
    }
}

#[test]
fn what_cannot_be_split_or_mixed_is_refused_with_what_to_do() {
    let arena = Arena::new(FIELD);
    fs::write(arena.path().join("swiss.toml"), format!("format = \"swiss\"\n{FIELD}")).expect("written");
    let refused = arena.output(&["run", "swiss.toml", "--shard", "1/2"]);
    assert_ended(&refused, 2, &["--shard 1/2: the games", "depend on earlier results", "`round-robin` and `gauntlet`"]);
    for wrong in ["0/2", "3/2", "1", "a/b"] {
        let refused = arena.run(&["--shard", wrong]);
        assert_ended(&refused, 2, &["expected I/N with I from 1 to N, such as 3/16"]);
    }
    assert_ended(&arena.run(&["--shard", "6/6", "--quiet"]), 0, &[]);
    assert_ended(&arena.run(&[]), 2, &["`out` contains shards that have not been merged", "merge out out/shard-*"]);
    let other = arena.output(&["run", "class.toml", "--out", "out/shard-6-of-6"]);
    assert_ended(&other, 2, &["plays shard 6/6, not the whole tournament", "`--out DIR`"]);
    assert_ended(&arena.output(&["merge", "new", "out/shard-6-of-6", "--quiet"]), 0, &[]);
    assert_ended(&arena.output(&["merge", "new", "new"]), 2, &["cannot also be one of the merged runs"]);
    let changed = FIELD.replace("seed = 7", "seed = 8");
    fs::write(arena.path().join("other.toml"), changed).expect("written");
    assert_ended(&arena.output(&["run", "other.toml", "--out", "out", "--shard", "1/6", "--quiet"]), 0, &[]);
    let refused = arena.output(&["merge", "new", "out/shard-1-of-6"]);
    assert_ended(
        &refused,
        2,
        &["different tournaments:", "`seed` is `7` in the first and `8` in the second", "nothing was changed"],
    );
    let refused = arena.output(&["merge", "new", "."]);
    assert_ended(&refused, 2, &["`.` does not contain a run's journal", "name a run's directory"]);
    // If the same games are played again, they have different times, and therefore different records.
    assert_ended(&arena.output(&["run", "class.toml", "--out", "again", "--shard", "6/6", "--quiet"]), 0, &[]);
    let refused = arena.output(&["merge", "new", "again/shard-6-of-6"]);
    assert_ended(&refused, 3, &["r2-", "`new` and `again/shard-6-of-6`", "`--keep first`"]);
    let kept = arena.output(&["merge", "new", "again/shard-6-of-6", "--keep", "first"]);
    assert_ended(&kept, 0, &["0 games added"]);
}

#[test]
fn the_directory_that_contains_shards_stands_for_them() {
    let arena = Arena::new(FIELD);
    for (shard, out) in [("1/3", "here"), ("2/3", "there"), ("3/3", "there")] {
        assert_ended(&arena.output(&["run", "class.toml", "--out", out, "--shard", shard, "--quiet"]), 0, &[]);
    }
    let merged = arena.output(&["merge", "all", "here", "there"]);
    assert_ended(&merged, 0, &["12 games added to `all`, which now contains the results of 12 games"]);
    let named = ["merge", "named", "here/shard-1-of-3", "there/shard-2-of-3", "there/shard-3-of-3", "--quiet"];
    assert_ended(&arena.output(&named), 0, &[]);
    for file in ["journal.jsonl", "results.csv"] {
        let read = |run: &str| fs::read(arena.path().join(run).join(file)).expect("there");
        assert!(read("all") == read("named"), "{file}");
    }
    // A merged run is a run, even if there is something else in its directory.
    assert_ended(&arena.output(&["merge", "there", "there/shard-2-of-3", "--quiet"]), 0, &[]);
    assert_ended(&arena.output(&["merge", "less", "there"]), 0, &["4 games added to `less`"]);
    assert_ended(&arena.output(&["merge", "here", "here"]), 2, &["cannot also be one of the merged runs"]);
}

/// Runs `script` in the directory of `arena`, with the arena in the path and `vars` in the environment.
#[track_caller]
fn run_script(arena: &Arena, script: &str, vars: &[(&str, &str)]) {
    let programs = Path::new(program()).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).current_dir(arena.path()).env("PATH", path).envs(vars.iter().copied());
    let output = bash.output_in_time().expect("bash");
    assert!(output.status.success(), "{script}\n{}", text(&output.stderr));
}

#[test]
fn the_scripts_of_the_documentation_leave_a_whole_run() {
    let page = include_str!("../../../docs/reference/several-machines.md");
    let block = |language: &str, nth: usize| {
        let fence = format!("```{language}\n");
        let blocks = page.split(&fence).skip(1);
        blocks.map(|rest| rest.split("```").next().unwrap_or_default()).nth(nth).expect("a block")
    };
    let merge = "gothello-arena merge results/class results/class/shard-*";
    let is_whole = |arena: &Arena, out: &str| {
        let rows = fs::read_to_string(arena.path().join(out).join("results.csv")).expect("a table").lines().count();
        assert_eq!(rows, 13, "a heading and twelve games");
    };
    let slurm = Arena::new(FIELD);
    for task in ["2", "1", "3"] {
        run_script(&slurm, block("sh", 0), &[("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", "3")]);
    }
    assert!(block("sh", 1).contains(&format!("--wrap \"{merge}\"")));
    run_script(&slurm, merge, &[]);
    is_whole(&slurm, "results/class");

    let matrix = Arena::new(FIELD);
    let mut steps = block("yaml", 0).lines().filter_map(|line| line.trim().strip_prefix("- run: gothello-arena "));
    let (play, merge) = (steps.next().expect("a step"), steps.next().expect("a step"));
    for shard in ["1", "2", "3", "4"] {
        run_script(&matrix, &format!("gothello-arena {}", play.replace("${{ matrix.shard }}", shard)), &[]);
    }
    run_script(&matrix, &format!("gothello-arena {merge}"), &[]);
    is_whole(&matrix, "results");

    if Command::new("parallel").arg("--version").output_in_time().is_err() {
        skipped(Need::Tools, "GNU parallel is not installed");
        return;
    }
    let parallel = Arena::new(FIELD);
    run_script(&parallel, block("sh", 2), &[]);
    is_whole(&parallel, "results/class");
}
