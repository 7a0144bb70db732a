//! The columns of results.csv: how each is written, and how it is read.

use super::line_draft::{LineDraft, at_fault};
use crate::base::digits::parse_digits;
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::thought::{ClaimedChance, ClaimedPoints};
use crate::referee::times::seconds_text;
use crate::referee::usage::TimeLoss;
use crate::results::report::game_fields::{
    ODDS_COLUMN, left, left_text, odds_text, player, read_odds, seconds, usage_count, usage_seconds,
};
use crate::results::standings::{GameSummary, MeanDepth};
use crate::results::text_cell::{text_cell, text_of_cell};

/// A column of results.csv.
pub(super) struct ResultsColumn {
    pub(super) name: &'static str,
    /// The text of the column for a game.
    pub(super) write: fn(&ListedGame<'_>) -> String,
    /// Reads the column's text from a line, or returns a description of what the column expects. Checks that involve
    /// several columns follow later.
    pub(super) read: for<'r> fn(&mut LineDraft<'r>, &'r str) -> Result<(), &'static str>,
}

/// A game, and the facts about it that depend on other games.
pub(super) struct ListedGame<'g> {
    pub(super) game: &'g GameSummary<&'g str>,
    pub(super) duplicate_of: Option<&'g str>,
}

/// The columns of the resources that one side's processes used.
macro_rules! usage_column {
    ($name:literal, $side:ident, $field:ident, $text:expr, $read:ident) => {
        ResultsColumn {
            name: $name,
            write: |listed| listed.game.usage.$side.map(|usage| $text(usage.$field)).unwrap_or_default(),
            read: |draft, text| $read(&mut draft.usage.$side.$field, text),
        }
    };
}

/// The columns of results.csv.
pub(super) const COLUMNS: [ResultsColumn; 29] = [
    ResultsColumn {
        name: "game",
        write: |listed| text_cell(listed.game.game).into_owned(),
        read: |draft, text| {
            draft.game = text_of_cell(text);
            Ok(())
        },
    },
    ResultsColumn {
        name: "round",
        write: |listed| listed.game.round.map(|round| round.to_string()).unwrap_or_default(),
        read: |draft, text| {
            draft.round =
                if text.is_empty() { None } else { Some(text.parse().map_err(|_| "a whole number (1 or more)")?) };
            Ok(())
        },
    },
    ResultsColumn {
        name: "black",
        write: |listed| text_cell(listed.game.players.black).into_owned(),
        read: |draft, text| player(&mut draft.players.black, text),
    },
    ResultsColumn {
        name: "white",
        write: |listed| text_cell(listed.game.players.white).into_owned(),
        read: |draft, text| player(&mut draft.players.white, text),
    },
    ResultsColumn {
        name: "winner",
        write: |listed| winner_text(listed.game.result.as_ref()).to_owned(),
        read: |draft, text| {
            draft.winner = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "margin",
        write: |listed| {
            let margin = listed.game.result.as_ref().and_then(GameResult::margin);
            margin.map(|margin| margin.to_string()).unwrap_or_default()
        },
        read: |draft, text| {
            draft.margin = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "termination",
        write: |listed| listed.game.result.as_ref().map_or(Void::WORD, |result| result.termination().name()).to_owned(),
        read: |draft, text| {
            draft.termination = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "at_fault",
        write: |listed| at_fault(listed.game.result.as_ref()).to_owned(),
        read: |draft, text| {
            draft.at_fault = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "plies",
        write: |listed| listed.game.plies.to_string(),
        read: |draft, text| {
            draft.plies = text.parse().map_err(|_| "a number of moves")?;
            Ok(())
        },
    },
    ResultsColumn {
        name: "black_seconds",
        write: |listed| seconds_text(listed.game.used.black),
        read: |draft, text| seconds(&mut draft.used.black, text),
    },
    ResultsColumn {
        name: "white_seconds",
        write: |listed| seconds_text(listed.game.used.white),
        read: |draft, text| seconds(&mut draft.used.white, text),
    },
    ResultsColumn {
        name: "black_left",
        write: |listed| left_text(listed.game.left.black),
        read: |draft, text| left(&mut draft.left.black, text),
    },
    ResultsColumn {
        name: "white_left",
        write: |listed| left_text(listed.game.left.white),
        read: |draft, text| left(&mut draft.left.white, text),
    },
    ResultsColumn {
        name: "moves_sha256",
        write: |listed| listed.game.moves.to_string(),
        read: |draft, text| {
            draft.moves = Some(text.parse().map_err(|_| "64 hexadecimal digits in lower case")?);
            Ok(())
        },
    },
    ResultsColumn {
        name: "duplicate_of",
        write: |listed| text_cell(listed.duplicate_of.unwrap_or_default()).into_owned(),
        read: FOLLOWS_FROM_OTHERS,
    },
    usage_column!("black_user_seconds", black, user, seconds_text, usage_seconds),
    usage_column!("black_system_seconds", black, system, seconds_text, usage_seconds),
    usage_column!("black_wall_seconds", black, wall, seconds_text, usage_seconds),
    usage_column!("black_peak_memory", black, peak_memory, count_text, usage_count),
    usage_column!("black_processes", black, processes, count_text, usage_count),
    usage_column!("black_written", black, written, count_text, usage_count),
    usage_column!("white_user_seconds", white, user, seconds_text, usage_seconds),
    usage_column!("white_system_seconds", white, system, seconds_text, usage_seconds),
    usage_column!("white_wall_seconds", white, wall, seconds_text, usage_seconds),
    usage_column!("white_peak_memory", white, peak_memory, count_text, usage_count),
    usage_column!("white_processes", white, processes, count_text, usage_count),
    usage_column!("white_written", white, written, count_text, usage_count),
    ResultsColumn {
        name: "time_loss_cpu",
        write: |ListedGame { game, .. }| {
            let time_loss = TimeLoss::in_game(game.result.as_ref(), &game.used, &game.usage);
            time_loss.map_or("", |(_, time_loss)| time_loss.name()).to_owned()
        },
        read: FOLLOWS_FROM_OTHERS,
    },
    ResultsColumn {
        name: "time_loss_starved",
        write: |listed| listed.game.starved.map_or("", |starved| if starved { "yes" } else { "no" }).to_owned(),
        read: |draft, text| {
            draft.starved = match text {
                "" => None,
                "yes" => Some(true),
                "no" => Some(false),
                _ => return Err("`yes`, `no` or nothing"),
            };
            Ok(())
        },
    },
];

/// Ignores a column that the other columns determine; it is written only for the reader's convenience.
const FOLLOWS_FROM_OTHERS: for<'r> fn(&mut LineDraft<'r>, &'r str) -> Result<(), &'static str> = |_, _| Ok(());

/// The names of the columns of results.csv.
pub const RESULTS_COLUMNS: [&str; COLUMNS.len()] = {
    let mut names = [""; COLUMNS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = COLUMNS[index].name;
        index += 1;
    }
    names
};

/// A column with one side's claims.
macro_rules! thought_column {
    ($name:literal, $side:ident, $claim:ident, $read:expr, $expected:literal) => {
        ResultsColumn {
            name: $name,
            write: |listed| {
                let mean = listed.game.thoughts.as_deref().and_then(|sides| sides.$side.$claim);
                mean.map(|mean| mean.to_string()).unwrap_or_default()
            },
            read: |draft, text| {
                draft.thoughts.$side.$claim = if text.is_empty() { None } else { Some($read(text).ok_or($expected)?) };
                Ok(())
            },
        }
    };
}

/// The column that says whether a player had its own handicap or compensation.
const ODDS: ResultsColumn = ResultsColumn {
    name: ODDS_COLUMN,
    write: |listed| odds_text(listed.game.has_odds).to_owned(),
    read: |draft, text| {
        draft.has_odds = read_odds(text)?;
        Ok(())
    },
};

/// The bots' claims, as means over their moves.
const THOUGHTS: [ResultsColumn; 8] = [
    thought_column!("black_value", black, value, ClaimedPoints::parse, "points (`+3.25`), or nothing"),
    thought_column!("black_win", black, win, ClaimedChance::parse, "a chance from 0 to 1, or nothing"),
    thought_column!("black_depth", black, depth, MeanDepth::parse, "a number of plies (`6.25`), or nothing"),
    thought_column!("black_nodes", black, nodes, parse_digits, "a whole number, or nothing"),
    thought_column!("white_value", white, value, ClaimedPoints::parse, "points (`+3.25`), or nothing"),
    thought_column!("white_win", white, win, ClaimedChance::parse, "a chance from 0 to 1, or nothing"),
    thought_column!("white_depth", white, depth, MeanDepth::parse, "a number of plies (`6.25`), or nothing"),
    thought_column!("white_nodes", white, nodes, parse_digits, "a whole number, or nothing"),
];

/// The columns that a file contains only if any of its games needs them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OptionalColumns {
    pub(super) odds: bool,
    pub(super) thoughts: bool,
}

impl OptionalColumns {
    /// The columns that `games` need.
    pub(super) fn of<'g>(games: impl Iterator<Item = GameSummary<&'g str>>) -> Self {
        games.fold(Self::default(), |columns, game| Self {
            odds: columns.odds || game.has_odds,
            thoughts: columns.thoughts || game.thoughts.is_some(),
        })
    }

    /// All columns of the file, in their order.
    pub(super) fn columns(self) -> impl Iterator<Item = &'static ResultsColumn> {
        let odds = self.odds.then_some(&ODDS).into_iter();
        COLUMNS.iter().chain(odds).chain(THOUGHTS.iter().filter(move |_| self.thoughts))
    }
}

fn count_text(count: u64) -> String {
    count.to_string()
}

const fn winner_text(result: Option<&GameResult>) -> &'static str {
    match result {
        Some(result) => match (result.termination(), result.winner()) {
            (Termination::DoubleForfeit, _) => "",
            (_, Some(winner)) => winner.name(),
            (_, None) => "draw",
        },
        None => "",
    }
}
