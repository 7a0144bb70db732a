//! What a run leaves behind: its games and its tables.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use crate::harness::arena::{Arena, text};

/// The outcome of a run: the result and the log of each game without times, by the game's id, and the standings, as
/// printed and as in standings.csv.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) games: BTreeMap<String, [String; 5]>,
    printed: String,
    csv: String,
}

impl Course {
    /// The outcome of the run in `arena`, which has printed `printed`.
    pub(super) fn of(arena: &Arena, printed: &Output) -> Self {
        let rows = arena.results();
        let columns = match rows.first() {
            Some(row) if row.contains_key("placing") => ["placing", "totals", "plies", "moves_sha256"],
            _ => ["winner", "margin", "plies", "moves_sha256"],
        };
        let games: BTreeMap<_, _> = rows
            .iter()
            .map(|row| {
                let [result, figures, plies, moves] = columns.map(|column| row[column].clone());
                (row["game"].clone(), [result, figures, plies, moves, untimed_log(arena, &row["game"])])
            })
            .collect();
        assert_eq!(games.len(), rows.len(), "each game must have one row");
        let csv = fs::read_to_string(arena.out().join("standings.csv")).expect("written");
        Self { games, printed: text(&printed.stdout), csv }
    }

    /// Everything in which this outcome differs from `expected`.
    pub(super) fn differences(&self, expected: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        for (what, own, other) in
            [("the printed standings", &self.printed, &expected.printed), ("standings.csv", &self.csv, &expected.csv)]
        {
            if own != other {
                differences.push(format!("{what}:\n{own}instead of\n{other}"));
            }
        }
        for (id, game) in &expected.games {
            match self.games.get(id) {
                Some(own) if own == game => {}
                own => differences.push(format!("{id}:\n{own:?}\ninstead of\n{game:?}")),
            }
        }
        let surplus = self.games.keys().filter(|id| !expected.games.contains_key(*id));
        differences.extend(surplus.map(|id| format!("{id} is not a game of the undisturbed run")));
        differences
    }
}

/// The log of the game `id` without anything that differs between two machines that play the same games.
fn untimed_log(arena: &Arena, id: &str) -> String {
    let log = fs::read_to_string(arena.out().join(format!("games/{id}.log"))).expect("a log");
    let of_machine =
        ["Site ", "Date ", "Lateness ", "BlackUsage ", "WhiteUsage ", "Usage", "Isolation ", "Worker ", "Speed "];
    let is_of_machine =
        |line: &str| line.strip_prefix('[').is_some_and(|tag| of_machine.iter().any(|name| tag.starts_with(name)));
    let lines: Vec<&str> = log.lines().filter(|line| !is_of_machine(line)).collect();
    // Times, such as those in `{[%emt 0:00:00.012034]}`, are the only words that begin with a digit and a colon.
    let is_time = |word: &&str| word.as_bytes().get(1) == Some(&b':') && word.as_bytes()[0].is_ascii_digit();
    lines.join(" ").split_ascii_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}
