//! The costliest moves of a version, compared with those of an earlier version in the same positions.

use std::collections::BTreeSet;

use super::turned_board::TurnedBoard;
use crate::game::{Move, Outcome, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Accuracy, Analysis, AnalyzedMove, MoveQuality};

/// A game with its analysis.
#[derive(Clone, Debug)]
pub(crate) struct StudiedGame {
    /// The game.
    pub(crate) record: GameRecord,
    /// The value of each move.
    pub(crate) analysis: Analysis,
}

/// A move that lost something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CostlyMove {
    /// The game's id.
    pub(crate) game: String,
    /// The name of the opponent; hostile text.
    pub(crate) opponent: String,
    /// The number of the ply, from 1.
    pub(crate) ply: usize,
    /// The side that moved.
    pub(crate) side: Side,
    /// The board before the move, one line for each rank.
    pub(crate) board: String,
    /// The move.
    pub(crate) played: Move,
    /// A move that would have lost nothing, if one was found.
    pub(crate) better: Option<Move>,
    /// The value before the move.
    pub(crate) before: Option<Outcome>,
    /// The value after the move.
    pub(crate) after: Option<Outcome>,
    /// How many stones the move lost, if that is known.
    pub(crate) lost: Option<u32>,
    /// Whether the move changed the winner.
    pub(crate) is_blunder: bool,
    /// The number of games in which the earlier version reached this position.
    pub(crate) met: usize,
    /// The move of the earlier version in this position, if one of these games was analyzed.
    pub(crate) earlier: Option<EarlierMove>,
}

/// A move that the earlier version made in the same position, turned and mirrored to match the board.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EarlierMove {
    /// The game's id.
    pub(crate) game: String,
    /// The move.
    pub(crate) played: Move,
    /// Whether it is better than the version's move; `None` if one of them has not been judged.
    pub(crate) is_better: Option<bool>,
}

/// Why a version loses.
#[derive(Clone, Debug)]
pub(crate) struct WhyLost {
    /// The version.
    pub(crate) version: String,
    /// The rules of the games.
    pub(crate) ruleset: String,
    /// The version that this version is compared with, if there is one.
    pub(crate) earlier: Option<String>,
    /// The number of games that the version has played.
    pub(crate) played: usize,
    /// The number of games that the version has lost.
    pub(crate) lost: usize,
    /// The number of lost games that were analyzed.
    pub(crate) analyzed: usize,
    /// The costliest moves.
    pub(crate) moves: Vec<CostlyMove>,
    /// The accuracy of the version and of the earlier version, each in its own lost games, so that the games are
    /// selected in the same way for both.
    pub(crate) accuracy: [Accuracy; 2],
}

/// The side of `player` in the game of `record`.
pub(crate) fn side_of(record: &GameRecord, player: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| record.players[*side] == player)
}

/// Whether `player` has lost the game of `record`.
pub(crate) fn is_lost_by(record: &GameRecord, player: &str) -> bool {
    let winner = record.result.as_ref().ok().and_then(crate::referee::result::GameResult::winner);
    winner.is_some_and(|winner| record.players[winner] != player && side_of(record, player).is_some())
}

/// The board before each ply of `record`, whose moves must be legal.
fn boards(record: &GameRecord) -> Vec<String> {
    let mut position = record.ruleset.start();
    let board = |played: Move| {
        let board = position.to_string();
        // The referee has already accepted the move.
        let _ = position.play(played.as_str());
        board
    };
    record.plies.iter().map(|ply| ply.played).map(board).collect()
}

/// How much a move costs: first whether it changed the winner, then the stones that it lost.
fn cost(judged: &AnalyzedMove) -> (bool, u32) {
    (judged.quality() == Some(MoveQuality::Blunder), judged.lost().unwrap_or_default())
}

/// The `most` costliest moves of `player` in `games`, the costliest first. Opening plies do not count.
pub(crate) fn costly_moves(games: &[StudiedGame], player: &str, most: usize) -> Vec<CostlyMove> {
    let mut found: Vec<((bool, u32), CostlyMove)> = Vec::new();
    for StudiedGame { record, analysis } in games {
        let Some(side) = side_of(record, player) else { continue };
        for ((index, judged), board) in analysis.moves.iter().enumerate().zip(boards(record)) {
            let is_costly = judged.quality().is_some_and(|quality| quality != MoveQuality::Kept);
            if judged.side != side || judged.given || !is_costly {
                continue;
            }
            let costly = CostlyMove {
                game: record.game.clone().unwrap_or_default(),
                opponent: record.players[side.opponent()].clone(),
                ply: index + 1,
                side,
                board,
                played: judged.played,
                better: judged.better,
                before: judged.before,
                after: judged.after,
                lost: judged.lost(),
                is_blunder: cost(judged).0,
                met: 0,
                earlier: None,
            };
            // The same mistake in the same position counts once.
            let is_known = found.iter().any(|(_, other)| {
                (&other.board, other.side, other.played) == (&costly.board, costly.side, costly.played)
            });
            if !is_known {
                found.push((cost(judged), costly));
            }
        }
    }
    found.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    found.into_iter().take(most).map(|(_, costly)| costly).collect()
}

/// The plies in the game of `record` at which `player` is to move in the position of one of `moves`: for each, the
/// index of the move, the index of the ply, and how the board is turned.
fn meetings(record: &GameRecord, player: &str, moves: &[CostlyMove]) -> Vec<(usize, usize, TurnedBoard)> {
    let Some(side) = side_of(record, player) else { return Vec::new() };
    let own = boards(record).into_iter().enumerate().filter(|(index, _)| record.plies[*index].side() == side);
    let turns = TurnedBoard::of(record.ruleset);
    let mut found = Vec::new();
    for (ply, board) in own.filter(|(index, _)| *index >= record.opening_plies) {
        for (index, costly) in moves.iter().enumerate().filter(|(_, costly)| costly.side == side) {
            let turned = turns.iter().find(|turn| turn.board(&board).as_deref() == Some(costly.board.trim_end()));
            found.extend(turned.map(|turn| (index, ply, *turn)));
        }
    }
    found
}

/// Counts, for each of `moves`, the games in which `player` reached its position. Returns the indices of up to `most`
/// of these games for each of `moves`.
pub(crate) fn alike<'g>(
    games: impl Iterator<Item = &'g GameRecord>,
    player: &str,
    moves: &mut [CostlyMove],
    most: usize,
) -> Vec<usize> {
    let mut chosen = Vec::new();
    for (game, record) in games.enumerate() {
        let met: BTreeSet<usize> = meetings(record, player, moves).into_iter().map(|(index, ..)| index).collect();
        let is_wanted = met.iter().any(|&index| moves[index].met < most);
        for index in met {
            moves[index].met += 1;
        }
        chosen.extend(is_wanted.then_some(game));
    }
    chosen
}

/// Adds, to each of `moves`, the move that the player `earlier` made in the same position in one of `games`. If there
/// are several, a better move takes precedence.
pub(crate) fn compare(moves: &mut [CostlyMove], earlier: &str, games: &[StudiedGame]) {
    for StudiedGame { record, analysis } in games {
        for (index, ply, turn) in meetings(record, earlier, moves) {
            let Some(judged) = analysis.moves.get(ply) else { continue };
            let costly = &mut moves[index];
            let Some(played) = turn.played(judged.played) else { continue };
            let is_better = if Some(played) == costly.better {
                Some(true)
            } else if played == costly.played {
                Some(false)
            } else {
                judged.quality().map(|_| cost(judged) < (costly.is_blunder, costly.lost.unwrap_or_default()))
            };
            let rank = |is_better: Option<bool>| is_better.map_or(0, |is_better| 1 + u8::from(is_better));
            if costly.earlier.as_ref().is_none_or(|known| rank(known.is_better) < rank(is_better)) {
                let game = record.game.clone().unwrap_or_default();
                costly.earlier = Some(EarlierMove { game, played, is_better });
            }
        }
    }
}

/// The accuracy of `player` in `games`.
pub(crate) fn accuracy(games: &[StudiedGame], player: &str) -> Accuracy {
    let of_game = |game: &StudiedGame| Some(Accuracy::of(&game.analysis, side_of(&game.record, player)?));
    games.iter().filter_map(of_game).fold(Accuracy::default(), Accuracy::plus)
}

/// What a move cost, in words: `lost the game: white wins by 2 instead of black by 3`.
pub(crate) fn cost_words(costly: &CostlyMove) -> String {
    let after = costly.after.map_or_else(|| "unknown".to_owned(), |after| after.to_string());
    let before = match costly.before.map(|before| (before.winner, before.margin)) {
        None => "unknown".to_owned(),
        Some((None, _)) => "a draw".to_owned(),
        Some((Some(winner), None)) => winner.to_string(),
        Some((Some(winner), Some(margin))) => format!("{winner} by {}", margin.unsigned_abs()),
    };
    let what = match costly.lost {
        _ if costly.is_blunder && costly.after.is_some_and(|after| after.winner.is_none()) => {
            "gave up the win".to_owned()
        }
        _ if costly.is_blunder => "lost the game".to_owned(),
        Some(1) => "lost 1 stone".to_owned(),
        Some(lost) => format!("lost {lost} stones"),
        None => "lost stones".to_owned(),
    };
    format!("{what}: {after} instead of {before}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;
    use crate::results::analysis::BetterLines;

    /// A game between `ada` and `bea` with these moves. `margins` are the values before the first move and after each
    /// move, from black's point of view.
    fn studied(game: &str, moves: &str, margins: &[i32]) -> StudiedGame {
        let log = format!(
            "[Game \"{game}\"]\n[Black \"ada\"]\n[White \"bea\"]\n[Result \"0-1\"]\n[Termination \"time\"]\n\n{moves} 0-1\n"
        );
        let record: GameRecord = log.parse().unwrap_or_else(|error| panic!("{error}"));
        let place = |index: usize| Some(Outcome::of_margin(margins[index]));
        let moves = record.plies.iter().enumerate().map(|(index, ply)| AnalyzedMove {
            side: ply.side(),
            played: ply.played,
            empty: 20,
            phase: crate::results::analysis::Phase::Opening,
            given: false,
            before: place(index),
            after: place(index + 1),
            depths: [None; 2],
            better: None,
        });
        let analysis = Analysis { ruleset: Ruleset::Gothello, moves: moves.collect(), lines: BetterLines::default() };
        StudiedGame { record, analysis }
    }

    #[test]
    fn the_costliest_moves_come_first_and_each_mistake_counts_once() {
        let games = [
            studied("r1", "1. c3 d4 2. e3", &[3, 3, 3, 1]),
            studied("r2", "1. c3 b2 2. a1", &[3, 1, 1, -1]),
            studied("r3", "1. c3 b2 2. a1", &[3, 1, 1, -1]),
        ];
        let costly = costly_moves(&games, "ada", 5);
        let told: Vec<(&str, usize, &str)> =
            costly.iter().map(|it| (it.game.as_str(), it.ply, it.played.as_str())).collect();
        assert_eq!(told, [("r2", 3, "a1"), ("r1", 3, "e3"), ("r2", 1, "c3")]);
        assert!(costly[0].is_blunder && !costly[1].is_blunder);
        assert_eq!(cost_words(&costly[0]), "lost the game: white wins by 1 instead of black by 1");
        assert_eq!(cost_words(&costly[1]), "lost 2 stones: black wins by 1 instead of black by 3");
        assert_eq!(costly_moves(&games, "ada", 1).len(), 1);
        assert!(costly_moves(&games, "bea", 5).is_empty());
        assert_eq!(accuracy(&games, "ada").all().blunders, 2);
    }

    #[test]
    fn an_earlier_move_is_found_in_the_same_position_however_it_is_turned() {
        let games = [studied("r1", "1. b3 c4 2. e1", &[3, 3, 3, -3])];
        let costly = costly_moves(&games, "ada", 1);
        // The same position, with files and ranks exchanged, and a move that lost nothing.
        let before = [studied("q1", "1. c4 b3 2. a5", &[3, 3, 3, 3])];
        let mut compared = costly.clone();
        assert!(alike(before.iter().map(|game| &game.record), "bea", &mut compared, 9).is_empty());
        assert_eq!(alike(before.iter().map(|game| &game.record), "ada", &mut compared, 9), [0]);
        assert_eq!(compared[0].met, 1);
        compare(&mut compared, "ada", &before);
        let earlier = compared[0].earlier.clone().expect("a move");
        assert_eq!((earlier.game.as_str(), earlier.is_better), ("q1", Some(true)));
        let worse = [studied("q2", "1. c4 b3 2. d1", &[3, 3, 3, -5])];
        compare(&mut compared, "ada", &worse);
        assert_eq!(compared[0].earlier.as_ref().map(|earlier| earlier.game.as_str()), Some("q1"));
        let mut compared = costly;
        compare(&mut compared, "ada", &worse);
        assert_eq!(compared[0].earlier.as_ref().and_then(|earlier| earlier.is_better), Some(false));
    }

    #[test]
    fn each_move_has_its_own_games_of_the_earlier_version() {
        let lost = [studied("r1", "1. b3 c4 2. e1", &[3, 3, 3, -3])];
        let mut costly = costly_moves(&lost, "ada", 2);
        let mut other = costly_moves(&[studied("r2", "1. a1 e5 2. c3", &[3, 3, 3, -3])], "ada", 2);
        costly.append(&mut other);
        let often = studied("q", "1. b3 c4 2. a5", &[3, 3, 3, 3]).record;
        let once = studied("q", "1. a1 e5 2. a5", &[3, 3, 3, 3]).record;
        let games = [&often, &often, &often, &once];
        assert_eq!(alike(games.into_iter(), "ada", &mut costly, 2), [0, 1, 3], "the third game shows nothing new");
        assert_eq!(costly.iter().map(|costly| costly.met).collect::<Vec<_>>(), [3, 1]);
    }
}
