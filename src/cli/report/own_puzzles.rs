//! The puzzles that the players of a run missed in their own games.
//!
//! Only moves that changed who wins, according to an analysis, are considered, and only in positions with few empty
//! points, so that a report takes little extra time. The same games and values always result in the same puzzles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::base::work_count::WorkCount;
use crate::cli::{Failure, settings};
use crate::exact::margin_table::grid::BoardGrid;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solvable::positions;
use crate::exact::threads::threads_or_two;
use crate::game::gothello::Game;
use crate::game::{Ruleset, Side};
use crate::page::report_games::RunGames;
use crate::page::shown::{OwnPuzzle, ShownGame};
use crate::practice::puzzles::{PuzzleClass, PuzzleMaker, PuzzleWish, class_of, task};
use crate::run::game_files::each_record;

/// The maximum number of empty points in a position that is judged. It limits how long judging a position takes.
const MOST_EMPTY: u32 = 10;

/// The maximum number of moves judged for each player, and the maximum number of puzzles shown to each player.
const JUDGED: usize = 8;
const SHOWN: usize = 3;

/// A puzzle that a player missed.
#[derive(Debug)]
pub(super) struct MissedPuzzle {
    side: Side,
    class: PuzzleClass,
    puzzle: OwnPuzzle,
}

/// A move that changed who wins.
struct FailedMove {
    game: usize,
    plies: usize,
    side: Side,
}

/// The puzzles in the positions in which players of `run` made a move that changed who wins, in the order of the games.
/// `path` is the directory of the run, and `work` counts the positions.
pub(super) fn missed(run: &RunGames, path: &Path, work: &WorkCount) -> Result<Vec<MissedPuzzle>, Failure> {
    let failed = if run.ruleset == Ruleset::Gothello { failed_moves(&run.games) } else { Vec::new() };
    if failed.is_empty() {
        return Ok(Vec::new());
    }
    let wanted: BTreeSet<&str> = failed.iter().map(|it| run.games[it.game].summary.game.as_str()).collect();
    let mut lines: BTreeMap<String, Vec<Game>> = BTreeMap::new();
    each_record(path, |game| {
        if let Some(record) = game.two()
            && let Some(id) = record.game.as_deref().filter(|id| wanted.contains(id))
            && let Ok(games) = positions(record.ruleset, record.plies.iter().map(|ply| ply.played))
        {
            lines.insert(id.to_owned(), games);
        }
    })?;
    let position = |it: &FailedMove| lines.get(&run.games[it.game].summary.game)?.get(it.plies).copied();
    let (failed, games): (Vec<FailedMove>, Vec<Game>) =
        failed.into_iter().filter_map(|it| position(&it).map(|game| (it, game))).unzip();
    let never = AtomicBool::new(false);
    let wish = PuzzleWish { margin: false, easy: false };
    let maker = PuzzleMaker {
        threads: threads_or_two(settings::threads(None)),
        known: KnownMargins::Embedded,
        wish,
        stop: &never,
    };
    work.begin("positions judged for puzzles", Some(games.len() as u64));
    let found = maker.judged(&games, |done| work.reach(done as u64)).unwrap_or_default();
    let grid = BoardGrid::new(5);
    let missed = failed.into_iter().zip(found).filter_map(|(FailedMove { game, plies, side }, puzzle)| {
        let puzzle = puzzle?;
        let ranks = puzzle.game.to_string().split_whitespace().map(str::to_owned).collect();
        let (class, task) = (class_of(&grid, &puzzle.game), task(&puzzle));
        let puzzle = OwnPuzzle { game, plies, ranks, task, answer: puzzle.answer.to_string() };
        Some(MissedPuzzle { side, class, puzzle })
    });
    Ok(missed.collect())
}

/// The moves that changed who wins, at most [`JUDGED`] for each player.
fn failed_moves(games: &[ShownGame]) -> Vec<FailedMove> {
    let mut of_player: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed = Vec::new();
    for (index, game) in games.iter().enumerate() {
        for mistake in &game.mistakes {
            let (side, empty) = mistake.by();
            let Some(ply) = mistake.lost_result().filter(|_| empty <= MOST_EMPTY) else { continue };
            let judged = of_player.entry(&game.summary.players[side]).or_default();
            if *judged < JUDGED {
                *judged += 1;
                failed.push(FailedMove { game: index, plies: ply - 1, side });
            }
        }
    }
    failed
}

/// The puzzles of each of `players`, which are named as in `games`. No two puzzles of a player show the same position
/// or images of the same position.
pub(super) fn by_player<'p>(
    missed: Vec<MissedPuzzle>,
    games: &[ShownGame],
    players: impl Iterator<Item = &'p str>,
) -> Vec<Vec<OwnPuzzle>> {
    let mut own: BTreeMap<&str, (BTreeSet<PuzzleClass>, Vec<OwnPuzzle>)> = BTreeMap::new();
    for MissedPuzzle { side, class, puzzle } in missed {
        // A link to a game without moves would lead nowhere.
        if games[puzzle.game].code.moves.is_empty() {
            continue;
        }
        let (classes, shown) = own.entry(&games[puzzle.game].summary.players[side]).or_default();
        if shown.len() < SHOWN && classes.insert(class) {
            shown.push(puzzle);
        }
    }
    players.map(|player| own.remove(player).map(|(_, shown)| shown).unwrap_or_default()).collect()
}
