//! Games as a plain list of scores.

use super::csv_rows::{CsvColumns, PLAYER, RowError, opponents, read};
use crate::game::{BySide, Side};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::{GameResult, Termination};
use crate::results::standings::GameSummary;

/// The columns of a list of scores; all other columns are ignored.
pub const SCORE_COLUMNS: [&str; 3] = ["first", "second", "first_score"];

/// Reads the games of a list of scores. Each line contains the player with the first move, the other player, and the
/// first player's score. Such games have no ids, and all of them count as having ended normally. Columns may come in
/// any order, among other columns.
///
/// # Errors
/// Returns an error for every line that is not a score, or only for the header if the header is wrong.
pub fn read_score_csv(text: &str) -> Result<Vec<GameSummary>, Vec<RowError>> {
    const FIRST: usize = 0;
    const SECOND: usize = 1;
    const SCORE: usize = 2;

    let mut games = Vec::new();
    let columns = CsvColumns { names: &SCORE_COLUMNS, optional: 0, trim: csv::Trim::All, remedy: "" };
    read(text, &columns, |row| {
        let players = BySide { black: row.field(FIRST), white: row.field(SECOND) };
        for (column, player) in [(FIRST, players.black), (SECOND, players.white)] {
            if player.is_empty() {
                return Err(row.bad(column, PLAYER));
            }
        }
        let players = opponents(players)?.map(str::to_owned);
        let winner = match row.field(SCORE).parse::<f64>() {
            Ok(1.0) => Some(Side::Black),
            Ok(0.5) => None,
            Ok(0.0) => Some(Side::White),
            _ => return Err(row.bad(SCORE, "0, 0.5 or 1")),
        };
        games.push(GameSummary {
            game: String::new(),
            round: None,
            players,
            result: Some(GameResult::new(winner, Termination::Normal, None, None)?),
            plies: 0,
            used: BySide::default(),
            left: BySide::default(),
            usage: BySide::default(),
            starved: None,
            has_odds: false,
            thoughts: None,
            moves: MovesDigest::of([]),
        });
        Ok(())
    })?;
    Ok(games)
}
