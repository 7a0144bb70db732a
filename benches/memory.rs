//! Measures the arena's resident memory while it plays. The number of games is an argument:
//! `cargo bench --bench memory -- 10000`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

fn main() {
    let games: u32 = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000);
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("class.toml");
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
    let text = format!("time = \"60s\"\nrounds = {}\n{}{}", games.div_ceil(2), player("one"), player("two"));
    std::fs::write(&file, text).expect("written");
    let mut arena = Command::new(env!("CARGO_BIN_EXE_gothello-arena"))
        .arg("run")
        .arg(&file)
        .arg("--out")
        .arg(dir.path().join("out"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    println!("the arena's memory (bar 30 MB after 10,000 games, and flat)");
    let stderr = BufReader::new(arena.stderr.take().expect("piped"));
    for (line, finished) in stderr.lines().zip(1..) {
        line.expect("read");
        if finished % (games / 10).max(1) == 0 && finished < games {
            let status = std::fs::read_to_string(format!("/proc/{}/status", arena.id())).unwrap_or_default();
            let field = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
                line.trim().to_owned()
            };
            println!("  after {finished:6} games: {} resident, {} at most", field("VmRSS:"), field("VmHWM:"));
        }
    }
    assert!(arena.wait().expect("it ends").success());
}
