//! The values that differ from run to run, and the words that replace them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::arena::text;

/// A journal without its game records, which are the same as the logs in `out`.
pub(super) fn masked_journal(journal: &str, out: &Path) -> String {
    journal.split_inclusive('\n').map(|line| masked_line(line, out)).collect()
}

fn masked_line(line: &str, out: &Path) -> String {
    let value: Value = serde_json::from_str(line).expect("JSON");
    let mut line = line.to_owned();
    if let Some(record) = value["game"]["record"].as_str() {
        let id = value["game"]["id"].as_str().expect("an id");
        assert_eq!(fs::read_to_string(out.join("games").join(format!("{id}.log"))).expect("a log"), record);
        let quoted = serde_json::to_string(record).expect("JSON");
        line = line.replace(&quoted, "\"#\"");
    }
    if value["header"].is_object() {
        let program = format!("\"program\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let format = format!("\"format\":{},", value["header"]["format"]);
        assert!(line.contains(&program), "{line}");
        line = line.replacen(&program, "\"program\":\"#\"", 1).replacen(&format, "\"format\":#,", 1);
        let players = line.rfind("\"players\":[").expect("players");
        line = format!("{}{}", &line[..players], without_digests(&line[players..]));
    }
    let sum = value["sum"].as_str().expect("a checksum");
    line.replace(&format!("\"sum\":\"{sum}\"}}"), "\"sum\":\"#\"}")
}

/// `text` without its SHA-256 digests, and without the temporary directory at the beginning of paths.
fn without_digests(text: &str) -> String {
    let masked = |word: &str| {
        if word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return "#".to_owned();
        }
        let in_temporary = word.split_once("/.tmp").and_then(|(_, rest)| rest.split_once('/'));
        in_temporary.map_or_else(|| word.to_owned(), |(_, path)| format!("#/{path}"))
    };
    text.split('"').map(masked).collect::<Vec<_>>().join("\"")
}

/// A game log without the values that depend on the machine and the time.
pub(super) fn masked_log(log: &str) -> String {
    const TAGS: [&str; 7] = ["Site", "Date", "BlackDigest", "WhiteDigest", "BlackUsage", "WhiteUsage", "Lateness"];
    let line = |line: &str| {
        let tag = TAGS.into_iter().find(|tag| line.starts_with(&format!("[{tag} \"")));
        tag.map_or_else(|| without_times(line), |tag| format!("[{tag} \"#\"]\n"))
    };
    log.split_inclusive('\n').map(line).collect()
}

/// Moves without the times in their comments.
fn without_times(moves: &str) -> String {
    let mut parts = moves.split("[%");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (clock, rest) = part.split_once(']').expect("a command ends");
        let (name, _) = clock.split_once(' ').expect("a command has a value");
        let _ = write!(masked, "[%{name} #]{rest}");
    }
    masked
}

/// results.csv without times and the resources that bots used.
pub(super) fn masked_results(csv: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut is_figure: Vec<bool> = Vec::new();
    for row in reader.records() {
        let row = row.expect("a row");
        if is_figure.is_empty() {
            let figures = ["_seconds", "_left", "_memory", "_processes", "_written"];
            is_figure = row.iter().map(|column| figures.iter().any(|end| column.ends_with(end))).collect();
            writer.write_record(&row).expect("written");
            continue;
        }
        let cells =
            row.iter().zip(&is_figure).map(|(cell, figure)| if *figure && !cell.is_empty() { "#" } else { cell });
        writer.write_record(cells).expect("written");
    }
    text(&writer.into_inner().expect("written"))
}

/// JSON without the resources that bots used, the lateness of the arena, and the duration of a check.
pub(super) fn without_figures(json: &str) -> String {
    const KEYS: [&str; 11] = [
        "user_seconds",
        "system_seconds",
        "wall_seconds",
        "cpu_seconds_per_game",
        "cpu_share",
        "late_seconds",
        "latest_seconds",
        "peak_memory",
        "processes",
        "written",
        "execution_time",
    ];
    let line = |line: &str| {
        let found = KEYS.into_iter().find(|key| line.trim_start().starts_with(&format!("\"{key}\": ")));
        let Some(key) = found else { return line.to_owned() };
        let (before, _) = line.split_once(key).expect("there");
        format!("{before}{key}\": #{}\n", if line.trim_end().ends_with(',') { "," } else { "" })
    };
    json.split_inclusive('\n').map(line).collect()
}

/// Tables without their numbers and column widths.
pub(super) fn without_numbers(table: &str) -> String {
    let mut masked = String::new();
    for letter in table.chars() {
        let letter = match letter {
            '0'..='9' | '.' => '#',
            letter => letter,
        };
        if !(matches!(letter, '#' | ' ' | '-') && masked.ends_with(letter)) {
            masked.push(letter);
        }
    }
    masked
}

/// Lines of the protocol without the remaining seconds.
pub(super) fn without_seconds(lines: &str) -> String {
    let words: Vec<&str> = lines.split(' ').collect();
    let is_time = |at: usize| words.get(at + 1).is_some_and(|next| matches!(*next, "secs" | "(secs)"));
    let masked = words.iter().enumerate().map(|(at, word)| if is_time(at) { "#" } else { *word });
    masked.collect::<Vec<_>>().join(" ")
}

/// A page without the sentences about the time and the memory that the bot used.
pub(super) fn without_measured(page: &str) -> String {
    let (from, to) = ("Your bot took ", " of memory in a game");
    let mut parts = page.split(from);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(to).expect("the sentences end");
        masked += from;
        masked += "#";
        masked += to;
        masked += rest;
    }
    masked
}
