//! What a run shows on a terminal while it plays: a bar with the time left, the games in progress, and the leaders.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use crate::base::sanitise::sanitised;
use crate::base::units::spaced;
use crate::base::wrapping::columns_of;
use crate::game::Side;
use crate::referee::record::LoggedGame;
use crate::referee::result::Termination;
use crate::run::event::Event;
use crate::tournament::schedule::GameId;

/// How many games in progress, and how many leaders, are shown. With the bar, the line of leaders and the number of further
/// games, this makes at most ten rows.
const RUNNING: usize = 7;
const LEADERS: usize = 5;

/// The width of the bar.
const BAR: usize = 30;

/// The state of a run, as far as its block on the terminal shows it. All times count from the beginning of the run.
#[derive(Debug, Default)]
pub(super) struct RunBlock {
    games: u64,
    finished: u64,
    /// How many games had been finished at the beginning.
    before: u64,
    /// The games in progress, in the order in which they have begun.
    running: Vec<RunningGame>,
    /// Games that have ended, but whose start has not been read yet: starts have a queue of their own.
    ended_early: BTreeSet<GameId>,
    half_points: BTreeMap<String, u64>,
    forfeits: BTreeMap<String, BTreeMap<Termination, u64>>,
    /// How many rows the block has had at most. It never shrinks, because everything above it would move.
    rows: usize,
}

/// A game in progress.
#[derive(Debug)]
struct RunningGame {
    id: GameId,
    begun: Duration,
    plies: usize,
}

impl RunBlock {
    /// The block of a run of `games` games, of which `finished` have been played already.
    pub(super) fn new(games: u64, finished: u64) -> Self {
        Self { games, finished, before: finished, ..Self::default() }
    }

    /// Adds the result of a game between `players` that has been played, or was played earlier.
    pub(super) fn count(&mut self, players: [&str; 2], winner: Option<Side>) {
        for (side, player) in Side::BOTH.into_iter().zip(players) {
            let half_points = match winner {
                None => 1,
                Some(winner) if winner == side => 2,
                Some(_) => 0,
            };
            *self.half_points.entry(player.to_owned()).or_default() += half_points;
        }
    }

    /// Takes note of the start of a game, or of a move.
    pub(super) fn hear(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Started { game, opening, .. } if !self.ended_early.remove(game) => {
                self.running.push(RunningGame { id: game.clone(), begun: now, plies: opening.len() });
            }
            Event::Moved { game, ply, .. } => {
                if let Some(running) = self.running.iter_mut().find(|running| running.id == *game) {
                    running.plies = *ply;
                }
            }
            _ => {}
        }
    }

    /// Takes note of the end of `game`, whose id is `id`.
    pub(super) fn end(&mut self, id: &GameId, game: &LoggedGame) {
        if let Some(index) = self.running.iter().position(|running| running.id == *id) {
            self.running.remove(index);
        } else {
            self.ended_early.insert(id.clone());
        }
        if game.void().is_some() {
            return;
        }
        self.finished += 1;
        if let Some(record) = game.two()
            && let Ok(result) = &record.result
        {
            let players = Side::BOTH.map(|side| record.players[side].as_str());
            self.count(players, result.winner());
        }
        for (seat, name) in game.players() {
            if let Some((termination, _)) = game.failure(seat) {
                *self.forfeits.entry(name.to_owned()).or_default().entry(termination).or_default() += 1;
            }
        }
    }

    /// The rows of the block on a terminal that is `width` columns wide.
    pub(super) fn text(&mut self, width: usize, now: Duration) -> String {
        let mut rows = vec![self.headline(now)];
        for game in self.running.iter().take(RUNNING) {
            let time = now.saturating_sub(game.begun).as_secs_f64();
            rows.push(format!("   {}  {time:.1}s  ply {}", sanitised(game.id.as_str()), game.plies));
        }
        if let Some(more) = self.running.len().checked_sub(RUNNING).filter(|more| *more > 0) {
            rows.push(format!("   and {more} more"));
        }
        rows.extend(self.leaders());
        self.rows = self.rows.max(rows.len());
        rows.resize(self.rows, " ".to_owned());
        // A line as wide as the terminal would be followed by an empty one on some terminals.
        rows.iter().map(|row| cut(row, width.saturating_sub(1))).collect::<Vec<_>>().join("\n")
    }

    /// `[=====>   ] 412/660  62 %  3m 12s, 2m left  forfeits 9 (heron 8 crash)`.
    fn headline(&self, now: Duration) -> String {
        let mut text = bar_line(self.finished, self.games, now, self.before);
        let all: u64 = self.forfeits.values().flat_map(BTreeMap::values).sum();
        let worst = self.forfeits.iter().flat_map(|(name, kinds)| kinds.iter().map(move |kind| (name, kind)));
        if let Some((name, (kind, count))) = worst.max_by_key(|(_, (_, count))| **count) {
            let _ = write!(text, "  forfeits {all} ({} {count} {kind})", sanitised(name));
        }
        text
    }

    /// The players with the most points; `None` before the first result.
    fn leaders(&self) -> Option<String> {
        let mut players: Vec<(&String, &u64)> = self.half_points.iter().collect();
        // Players with as many points stay in the order of their names.
        players.sort_by_key(|(_, half_points)| std::cmp::Reverse(**half_points));
        let shown = players.iter().take(LEADERS).enumerate().map(|(index, (name, half_points))| {
            let half = if **half_points % 2 == 1 { ".5" } else { "" };
            format!("{} {} {}{half}", index + 1, sanitised(name), **half_points / 2)
        });
        let shown: Vec<String> = shown.collect();
        (!shown.is_empty()).then(|| format!("   {}", shown.join("   ")))
    }
}

/// A bar with the count, the share, the time and the estimated rest: `[=====>   ] 412/660  62 %  3m 12s, 2m left`. The estimate
/// assumes that the rest goes on as fast as what has been done since `before`.
pub(crate) fn bar_line(done: u64, of: u64, elapsed: Duration, before: u64) -> String {
    let done = done.min(of);
    let part = |whole: u64| usize::try_from(whole * done / of.max(1)).unwrap_or_default();
    let filled = part(BAR as u64);
    let tip = if filled < BAR { ">" } else { "" };
    let bar = format!("{}{tip}{}", "=".repeat(filled), " ".repeat(BAR - filled - tip.len()));
    let seconds = |time: Duration| spaced(Duration::from_secs(time.as_secs()));
    let left = time_left(done, of, elapsed, before).map(|left| format!(", {} left", seconds(left)));
    format!("[{bar}] {done}/{of}  {} %  {}{}", part(100), seconds(elapsed), left.unwrap_or_default())
}

/// The estimated time for what is left; `None` before anything is done, and at the end.
pub(crate) fn time_left(done: u64, of: u64, elapsed: Duration, before: u64) -> Option<Duration> {
    let (now, rest) = (done.saturating_sub(before), of.saturating_sub(done));
    if now == 0 || rest == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let factor = rest as f64 / now as f64;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * factor).ok()
}

/// `row`, cut to `width` columns.
pub(crate) fn cut(row: &str, width: usize) -> String {
    let mut text = String::with_capacity(row.len());
    let mut used = 0;
    for letter in row.chars() {
        used += columns_of(letter.encode_utf8(&mut [0; 4]));
        if used > width {
            break;
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySeat;

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
        let mut block = RunBlock::new(8, 2);
        block.count(["ann", "cy"], None);
        block.hear(&started("r1-ann-bo"), Duration::from_secs(2));
        block.hear(&started("r1-bo-ann"), Duration::from_secs(3));
        block.end(&GameId::from_text("r1-bo-ann"), &crash("r1-bo-ann"));
        let text = block.text(80, Duration::from_secs(4));
        let expected = "[===========>                  ] 3/8  37 %  4s, 20s left  forfeits 1 (bo 1 crash)\n\
                        \x20  r1-ann-bo  2.0s  ply 0\n\
                        \x20  1 ann 1.5   2 cy 0.5   3 bo 0";
        assert_eq!(text, expected.lines().map(|line| cut(line, 79)).collect::<Vec<_>>().join("\n"));
        // It keeps its rows until the end, and stays within the terminal.
        block.end(&GameId::from_text("r1-ann-bo"), &crash("r1-ann-bo"));
        let text = block.text(40, Duration::from_secs(5));
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().all(|line| line.len() < 40), "{text}");
    }

    #[test]
    fn a_game_whose_start_is_read_after_its_end_is_not_shown() {
        let mut block = RunBlock::new(2, 0);
        block.end(&GameId::from_text("r1-ann-bo"), &crash("r1-ann-bo"));
        block.hear(&started("r1-ann-bo"), Duration::ZERO);
        assert!(!block.text(80, Duration::ZERO).contains("r1-ann-bo"));
    }

    #[test]
    fn the_block_has_at_most_ten_rows_whatever_is_played() {
        let mut block = RunBlock::new(1000, 0);
        for game in 0..40 {
            block.hear(&started(&format!("r{game}-ann-bo")), Duration::ZERO);
            block.count(["日本", &format!("player {game}")], Some(Side::Black));
        }
        let text = block.text(30, Duration::from_hours(30));
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(text.contains("and 33 more") && text.lines().all(|line| columns_of(line) < 30), "{text}");
    }

    #[test]
    fn the_estimate_rests_on_what_was_done_in_this_run() {
        assert_eq!(time_left(30, 60, Duration::from_secs(10), 20), Some(Duration::from_secs(30)));
        assert_eq!(time_left(20, 60, Duration::from_secs(10), 20), None);
        assert_eq!(time_left(60, 60, Duration::from_secs(10), 20), None);
        assert!(bar_line(0, 0, Duration::ZERO, 0).contains("] 0/0  0 %"));
    }
}
