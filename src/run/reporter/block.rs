//! What a run shows on a terminal while it plays: a bar with the time left, the games in progress, and the leaders.

use std::collections::BTreeSet;
use std::time::Duration;

use super::digest::ForfeitCounts;
use super::game_total::GameTotal;
use super::running_game::RunningGame;
use crate::base::units::{counted, spaced};
use crate::base::wrapping::{columns_of, cut};
use crate::game::Ruleset;
use crate::referee::record::LoggedGame;
use crate::results::standings::PlayedSummary;
use crate::run::event::Event;
use crate::tournament::schedule::GameId;

/// How many games in progress are shown. With the bar, the line of leaders and the number of further games, this makes
/// at most ten rows.
const RUNNING: usize = 7;

/// The width of the bar.
const BAR: usize = 30;

/// The part of a run's state that its block on the terminal shows. All times count from the beginning of the run.
#[derive(Debug)]
pub(super) struct RunBlock {
    ruleset: Ruleset,
    games: GameTotal,
    finished: u64,
    /// How many games had been finished at the beginning.
    before: u64,
    /// The games in progress, in the order in which they began.
    running: Vec<RunningGame>,
    /// Games that have ended, but whose starts have not been read yet, because starts have a separate queue.
    ended_early: BTreeSet<GameId>,
    /// The games that have ended since the last call of [`RunBlock::take_results`].
    results: Vec<PlayedSummary>,
    forfeits: ForfeitCounts,
    /// The maximum number of rows that the block has had so far. The block never shrinks, because everything above it
    /// would move.
    rows: usize,
}

impl RunBlock {
    /// The block of a run with `games` games of `ruleset`, `finished` of which have already been played.
    pub(super) fn new(ruleset: Ruleset, games: GameTotal, finished: u64) -> Self {
        Self {
            ruleset,
            games,
            finished,
            before: finished,
            running: Vec::new(),
            ended_early: BTreeSet::new(),
            results: Vec::new(),
            forfeits: ForfeitCounts::default(),
            rows: 0,
        }
    }

    /// Records that a game has started, that a move was made, or that a player has dropped out.
    pub(super) fn hear(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Started { game, players, opening } if !self.ended_early.remove(game) => {
                self.running.push(RunningGame::new(self.ruleset, game.clone(), players, opening, now));
            }
            Event::Moved { game, ply, played, left } => {
                if let Some(running) = self.running_game(game) {
                    running.play(*ply, *played, *left);
                }
            }
            Event::DroppedOut { game, .. } => {
                if let Some(running) = self.running_game(game) {
                    running.lose_track();
                }
            }
            _ => {}
        }
    }

    fn running_game(&mut self, id: &GameId) -> Option<&mut RunningGame> {
        self.running.iter_mut().find(|running| running.id == *id)
    }

    /// Records the end of `game`, whose id is `id`.
    pub(super) fn end(&mut self, id: &GameId, game: &LoggedGame) {
        if let Some(index) = self.running.iter().position(|running| running.id == *id) {
            self.running.remove(index);
        } else {
            self.ended_early.insert(id.clone());
        }
        if game.void().is_none() {
            self.finished += 1;
            self.results.push(game.into());
            self.forfeits.add(game);
        }
    }

    /// The games that have ended with a result since the last call.
    pub(super) fn take_results(&mut self) -> Vec<PlayedSummary> {
        std::mem::take(&mut self.results)
    }

    /// How many games are finished, and how many there are in total, as far as this is known: `412/660`.
    pub(super) fn count(&self) -> String {
        self.games.count(self.finished).trim_start().to_owned()
    }

    /// The rows of the block on a terminal that is `width` columns wide, with the line about the `leaders`.
    pub(super) fn text(&mut self, width: usize, now: Duration, leaders: Option<&str>) -> String {
        let mut rows = vec![self.headline(now)];
        rows.extend(self.running.iter_mut().take(RUNNING).map(|game| format!("   {}", game.row(now))));
        if let Some(more) = self.running.len().checked_sub(RUNNING).filter(|more| *more > 0) {
            rows.push(format!("   and {more} more"));
        }
        rows.extend(leaders.map(|leaders| format!("   {}", whole_entries(leaders, width.saturating_sub(4)))));
        self.rows = self.rows.max(rows.len());
        rows.resize(self.rows, " ".to_owned());
        // A line as wide as the terminal would be followed by an empty line on some terminals.
        rows.iter().map(|row| cut(row, width.saturating_sub(1))).collect::<Vec<_>>().join("\n")
    }

    /// `[=====>   ] 412/660  62%  3m 12s, 2m left  forfeits 9 (heron 8 crash)`; without a bar if the number of games is
    /// not known: `12 of at most 56 games  3m 12s, at most 2m left`, or `412 games  3m 12s`, and the forfeits.
    fn headline(&self, now: Duration) -> String {
        let forfeits = self.forfeits.brief().map(|brief| format!("  {brief}")).unwrap_or_default();
        let Self { finished, before, .. } = *self;
        let elapsed = whole_seconds(now);
        let progress = match self.games {
            GameTotal::Exactly(games) => bar_line(finished, games, now, before),
            GameTotal::AtMost(games) => {
                let left = time_left(finished, games, now, before);
                let left = left.map(|left| format!(", at most {} left", whole_seconds(left))).unwrap_or_default();
                format!("{finished} of at most {}  {elapsed}{left}", counted(games, "game"))
            }
            GameTotal::Open => format!("{}  {elapsed}", counted(finished, "game")),
        };
        progress + &forfeits
    }
}

/// A bar with the count, the percentage, the elapsed time and the estimated time left: `[=====>   ] 412/660  62%  3m
/// 12s, 2m left`. The estimate assumes that the remaining work proceeds as fast as the work done since `before`.
pub(crate) fn bar_line(done: u64, of: u64, elapsed: Duration, before: u64) -> String {
    let done = done.min(of);
    let part = |whole: u64| usize::try_from(whole * done / of.max(1)).unwrap_or_default();
    let filled = part(BAR as u64);
    let tip = if filled < BAR { ">" } else { "" };
    let bar = format!("{}{tip}{}", "=".repeat(filled), " ".repeat(BAR - filled - tip.len()));
    let left = time_left(done, of, elapsed, before).map(|left| format!(", {} left", whole_seconds(left)));
    format!("[{bar}] {done}/{of}  {}%  {}{}", part(100), whole_seconds(elapsed), left.unwrap_or_default())
}

/// `time` without fractions of a second: `3m 12s`.
fn whole_seconds(time: Duration) -> String {
    spaced(Duration::from_secs(time.as_secs()))
}

/// The estimated time for the remaining work; `None` before anything is done, and at the end.
pub(crate) fn time_left(done: u64, of: u64, elapsed: Duration, before: u64) -> Option<Duration> {
    let (now, rest) = (done.saturating_sub(before), of.saturating_sub(done));
    if now == 0 || rest == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let factor = rest as f64 / now as f64;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * factor).ok()
}

/// As many whole entries of `line` as fit into `width` columns, but at least the first. Entries are separated by three
/// spaces.
fn whole_entries(line: &str, width: usize) -> &str {
    let ends = line.match_indices("   ").map(|(end, _)| end).chain([line.len()]);
    let fitting = ends.enumerate().filter(|&(index, end)| index == 0 || columns_of(&line[..end]) <= width);
    fitting.last().map_or(line, |(_, end)| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::game::BySeat;

    #[test]
    fn the_line_of_leaders_ends_with_a_whole_entry() {
        let line = "1 kestrel +312 ± 81   2 heron +240 ± 77   3 wren +7";
        assert_eq!(whole_entries(line, 60), line);
        assert_eq!(whole_entries(line, 50), "1 kestrel +312 ± 81   2 heron +240 ± 77");
        assert_eq!(whole_entries(line, 38), "1 kestrel +312 ± 81");
        assert_eq!(whole_entries(line, 5), "1 kestrel +312 ± 81");
    }

    fn started(id: &str) -> Event {
        let players = BySeat::new(vec!["ann".to_owned(), "bo".to_owned()]).expect("two");
        Event::Started { game: GameId::from_text(id), players, opening: Vec::new() }
    }

    /// A game that white lost by a crash.
    fn crash(id: &str) -> LoggedGame {
        let text = format!(
            "[Round \"1\"]\n[Black \"ann\"]\n[White \"bo\"]\n[Result \"0-1\"]\n[Termination \"crash\"]\n\
             [Reason \"why\"]\n[Game \"{id}\"]\n\n0-1\n"
        );
        text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn the_block_has_the_bar_the_games_and_the_leaders() {
        let mut block = RunBlock::new(Ruleset::Gothello, GameTotal::Exactly(8), 2);
        block.hear(&started("r1-ann-bo"), Duration::from_secs(2));
        block.hear(&started("r1-bo-ann"), Duration::from_secs(3));
        block.end(&GameId::from_text("r1-bo-ann"), &crash("r1-bo-ann"));
        assert_eq!((block.take_results().len(), block.take_results().len()), (1, 0));
        assert_eq!(block.count(), "3/8");
        let text = block.text(80, Duration::from_secs(4), Some("1 ann +90 ± 300"));
        let expected = "[===========>                  ] 3/8  37%  4s, 20s left  forfeits 1 (bo 1 crash)\n\
                        \x20  r1-ann-bo  2.0s  ply 0  ann to move\n\
                        \x20  1 ann +90 ± 300";
        assert_eq!(text, expected.lines().map(|line| cut(line, 79)).collect::<Vec<_>>().join("\n"));
        // The block keeps its rows until the end, and stays within the terminal.
        block.end(&GameId::from_text("r1-ann-bo"), &crash("r1-ann-bo"));
        let text = block.text(40, Duration::from_secs(5), None);
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().all(|line| line.len() < 40), "{text}");
    }

    #[test]
    fn a_ladder_has_no_number_of_games_to_be_played() {
        let mut block = RunBlock::new(Ruleset::Gothello, GameTotal::Open, 2);
        block.end(&GameId::from_text("r1-ann-bo"), &crash("r1-ann-bo"));
        assert_eq!(block.count(), "3");
        assert_eq!(block.text(80, Duration::from_secs(4), None), "3 games  4s  forfeits 1 (bo 1 crash)");
    }

    #[test]
    fn a_knockout_has_at_most_so_many_games() {
        let mut block = RunBlock::new(Ruleset::Gothello, GameTotal::AtMost(8), 1);
        let begun = "1 of at most 8 games  4s";
        assert_eq!(block.text(80, Duration::from_secs(4), None), begun);
        block.end(&GameId::from_text("r1-ann-bo"), &crash("r1-ann-bo"));
        assert_eq!(block.count(), "2 of at most 8");
        let text = block.text(80, Duration::from_secs(4), None);
        assert_eq!(text, "2 of at most 8 games  4s, at most 24s left  forfeits 1 (bo 1 crash)");
    }

    #[test]
    fn a_game_whose_start_is_read_after_its_end_is_not_shown() {
        let mut block = RunBlock::new(Ruleset::Gothello, GameTotal::Exactly(2), 0);
        block.end(&GameId::from_text("r1-ann-bo"), &crash("r1-ann-bo"));
        block.hear(&started("r1-ann-bo"), Duration::ZERO);
        assert!(!block.text(80, Duration::ZERO, None).contains("r1-ann-bo"));
    }

    #[test]
    fn the_block_has_at_most_ten_rows_whatever_is_played() {
        let mut block = RunBlock::new(Ruleset::Gothello, GameTotal::Exactly(1000), 0);
        for game in 0..40 {
            block.hear(&started(&format!("r{game}-ann-bo")), Duration::ZERO);
        }
        let text = block.text(30, Duration::from_hours(30), Some(&"日本 ".repeat(30)));
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(text.contains("and 33 more") && text.lines().all(|line| columns_of(line) < 30), "{text}");
    }

    #[test]
    fn the_estimate_rests_on_what_was_done_in_this_run() {
        assert_eq!(time_left(30, 60, Duration::from_secs(10), 20), Some(Duration::from_secs(30)));
        assert_eq!(time_left(20, 60, Duration::from_secs(10), 20), None);
        assert_eq!(time_left(60, 60, Duration::from_secs(10), 20), None);
        assert!(bar_line(0, 0, Duration::ZERO, 0).contains("] 0/0  0%"));
    }
}
