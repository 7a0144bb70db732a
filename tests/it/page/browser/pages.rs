//! Pages for tests: pages of real runs, and pages of games that a test makes up.

use std::fs;
use std::path::{Path, PathBuf};

use gothello_arena::game::{BySide, Outcome};
use gothello_arena::page::shown::groups::{GroupContent, GroupPageData, ShownGroupGame};
use gothello_arena::page::shown::{PageContent, PageData, PageKind, PageLabel, ShownGame, group_page, page};
use gothello_arena::referee::record::{GameRecord, GroupRecord, Ply};
use gothello_arena::results::analysis::{Analysis, AnalyzedMove, BetterLines, Phase};
use gothello_arena::results::standings::{Counting, GroupStandings, GroupTally, RatingOptions, Standings, Tally};

use crate::harness::arena::{Arena, text};

/// A run of all pairings of four players, one of whom never moves, and the run's report.
pub(super) struct Reported {
    arena: Arena,
}

impl Reported {
    /// Plays Gothello and writes the report.
    pub(super) fn gothello() -> Self {
        Self::new("")
    }

    /// Plays Seegover and writes the report.
    pub(super) fn seegover() -> Self {
        Self::new("ruleset = \"seegover\"\n")
    }

    /// Plays one game of `ruleset` between two bots and writes the report.
    pub(super) fn duel(ruleset: &str) -> Self {
        let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
        Self::of(&format!("ruleset = \"{ruleset}\"\nrounds = 1\n{}{}", player("kestrel"), player("wren")))
    }

    fn new(keys: &str) -> Self {
        let players = ["kestrel:alphabeta", "heron:greedy", "wren:random", "robin:random"].map(|player| {
            let (name, builtin) = player.split_once(':').expect("a bot");
            let depth = if builtin == "alphabeta" { "depth = 1\n" } else { "" };
            format!("[[player]]\nname = \"{name}\"\nbuiltin = \"{builtin}\"\n{depth}")
        });
        let silent = "[[player]]\nname = \"a bot with a rather long name\"\ncommand = [\"sh\", \"-c\", \"exit 1\", \"{port}\"]\n";
        Self::of(&format!("rounds = 2\n{keys}{}{silent}", players.concat()))
    }

    fn of(toml: &str) -> Self {
        let arena = Arena::new(&format!("name = \"CS 441 final\"\n{toml}"));
        let run = arena.run(&["--quiet"]);
        assert!(run.status.success(), "{}", text(&run.stderr));
        let written = arena.output(&["report", "out", "--out", "report.html"]);
        assert!(written.status.success(), "{}", text(&written.stderr));
        Self { arena }
    }

    /// The path of the report.
    pub(super) fn page(&self) -> PathBuf {
        self.arena.path().join("report.html")
    }

    /// The path of a report with the exact values that are found in a few seconds.
    pub(super) fn judged_page(&self) -> PathBuf {
        let written =
            self.arena.output(&["report", "out", "--out", "judged.html", "--analysis", "20s", "--budget", "2s"]);
        assert!(written.status.success(), "{}", text(&written.stderr));
        self.arena.path().join("judged.html")
    }

    /// The record of the game `id`, from its log.
    pub(super) fn record(&self, id: &str) -> GameRecord {
        let log = fs::read_to_string(self.arena.out().join(format!("games/{id}.log"))).expect("a log");
        log.parse().unwrap_or_else(|error| panic!("{id}: {error}"))
    }
}

/// Marks every move in `game`, the game of `record`, as a blunder that lost six stones.
fn judge(game: &mut ShownGame, record: &GameRecord) {
    let value = |index: usize| Some(Outcome::of_margin(if index.is_multiple_of(2) { 3 } else { -3 }));
    let judged = |(index, ply): (usize, &Ply)| AnalyzedMove {
        side: ply.side(),
        played: ply.played,
        empty: 9,
        phase: Phase::Middle,
        given: false,
        before: value(index),
        after: value(index + 1),
        depths: [None; 2],
        better: Some("e5".parse().expect("a move")),
    };
    let moves = record.plies.iter().enumerate().map(judged).collect();
    game.add_analysis(&Analysis { ruleset: record.ruleset, moves, lines: BetterLines::default() });
}

/// Writes the page of `records` to a file in `dir`, with every move marked as a blunder.
pub(super) fn blundered(dir: &Path, records: &[GameRecord]) -> PathBuf {
    let mut games: Vec<ShownGame> = records.iter().map(|record| ShownGame::of(record).expect("a legal game")).collect();
    games.iter_mut().zip(records).for_each(|(game, record)| judge(game, record));
    written_games(dir, PageKind::Report, "Blunders", &games)
}

/// Writes the page of `records`, called `title`, to a file in `dir`. The name of a game's event serves as the stderr of
/// both bots.
pub(super) fn written(dir: &Path, kind: PageKind, title: &str, records: &[GameRecord]) -> PathBuf {
    let shown = |record: &GameRecord| {
        let stderr = record.event.clone().map(|text| BySide { black: text.clone(), white: text });
        ShownGame { stderr, ..ShownGame::of(record).expect("a legal game") }
    };
    let games: Vec<ShownGame> = records.iter().map(shown).collect();
    written_games(dir, kind, title, &games)
}

/// Writes the report of `records`, which are games with more than two seats with the same rule set, to a file in `dir`.
/// The name of a game's event serves as the stderr of each seat that dropped out.
pub(super) fn written_groups(dir: &Path, title: &str, records: &[GroupRecord]) -> PathBuf {
    let shown = |record: &GroupRecord| {
        let mut game = ShownGroupGame::of(record).expect("a legal game");
        for out in &mut game.outs {
            out.stderr = record.event.clone().unwrap_or_default();
        }
        game
    };
    let games: Vec<ShownGroupGame> = records.iter().map(shown).collect();
    let mut tally = GroupTally::new(Counting::default(), records[0].seats());
    for game in &games {
        tally.add(&game.summary);
    }
    let standings = GroupStandings::of(&tally, &RatingOptions::default()).expect("no anchor");
    let ruleset = records[0].ruleset;
    let label = PageLabel { title: title.to_owned(), name: title.to_owned(), ruleset, ..PageLabel::default() };
    let data = GroupPageData::new(label, &standings, &games);
    let content =
        GroupContent { data: &data, standings: &standings, games: &games, is_private: true, is_anonymous: false };
    let path = dir.join("page.html");
    fs::write(&path, group_page(PageKind::Report, &content)).expect("written");
    path
}

fn written_games(dir: &Path, kind: PageKind, title: &str, games: &[ShownGame]) -> PathBuf {
    let tally: Tally = games.iter().map(|game| &game.summary).collect();
    let standings = Standings::new(&tally, &RatingOptions::default()).expect("no anchor");
    let label = PageLabel { title: title.to_owned(), name: title.to_owned(), ..PageLabel::default() };
    let data = PageData::new(label, &standings, games);
    let content = PageContent {
        data: &data,
        standings: &standings,
        games,
        puzzles: &[],
        figures: None,
        analyzed: None,
        is_private: true,
        is_anonymous: false,
    };
    let path = dir.join("page.html");
    fs::write(&path, page(kind, &content)).expect("written");
    path
}
