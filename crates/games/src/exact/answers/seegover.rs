//! Answers questions about a Seegover position, using the table and, before the move phase, a search of the drops.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::Serialize;

use super::{FORMAT, or_over};
use crate::exact::seegover::{Expert, FirstTurns, Value};
use crate::exact::solver::Unsolved;
use crate::game::seegover::{Ending, Game, Options, Play};
use crate::game::{Outcome, Side};

/// The details to find out in addition to who wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeegoverDetail {
    /// How soon the winner wins.
    pub depth: bool,
    /// Who wins after each class of first turns.
    pub first_turns: bool,
    /// The value of each legal turn.
    pub all_turns: bool,
}

/// A question about Seegover.
#[derive(Debug)]
pub struct SeegoverQuery {
    game: Game,
    /// Whether the position comes from a game with other positions before it.
    has_history: bool,
}

impl SeegoverQuery {
    /// Creates a query about a position from which a game begins.
    pub const fn of_start(game: Game) -> Self {
        Self { game, has_history: false }
    }

    /// Creates a query about the current position of a game that began without stones.
    pub const fn of_game(game: Game) -> Self {
        Self { game, has_history: true }
    }

    /// The rules.
    pub const fn rules(&self) -> Options {
        self.game.rules()
    }

    /// Answers this query with `expert`, which must have the same rules, in the given `detail`. Each step is reported
    /// to `news`.
    ///
    /// # Errors
    /// Fails if the expert reaches one of its limits.
    pub fn answer(
        &self,
        detail: SeegoverDetail,
        expert: &mut Expert,
        news: &impl Fn(QueryNews),
    ) -> Result<SeegoverAnswer, Unsolved> {
        let wdl = !detail.depth;
        let begins = |what: &str| news(QueryNews::Begins(what.to_owned()));
        begins(if wdl { "who wins" } else { "who wins and how soon (--wdl asks only who wins, which is faster)" });
        let value = self.value(expert, wdl)?;
        // The classes of first turns come first, because results about them help with the other questions.
        let first_moves = if detail.first_turns { Some(self.first_moves(expert, news)?) } else { None };
        begins("best turns");
        let best = self.best(expert, &self.game, value)?;
        begins("all turns");
        let turns = if detail.all_turns { Some(self.turns(expert, wdl)?) } else { None };
        begins("line");
        let (line, end) = self.line(expert, value)?;
        let is_certain = value.winner.is_none() || !self.has_past() || {
            expert.winner_in_history(&self.game) == Some(value.winner)
        };
        Ok(SeegoverAnswer {
            format: FORMAT,
            winner: Outcome { winner: value.winner, margin: None }.winner_name(),
            depth: value.depth,
            certain: is_certain,
            best: texts(best),
            line,
            repeats: end == Some(Ending::Repeated),
            first_moves,
            turns,
            nodes: expert.nodes(),
            seconds: 0.0,
        })
    }

    /// Whether earlier positions of the move phase can affect the answer.
    const fn has_past(&self) -> bool {
        self.has_history && self.game.board().is_full()
    }

    /// Who wins and, unless `wdl`, how soon.
    fn value(&self, expert: &mut Expert, wdl: bool) -> Result<Value, Unsolved> {
        let value = match self.after_turns(expert, &self.game)? {
            Some(turns) => best_of(self.game.side(), &turns).map_or_else(|| expert.value(&self.game), Ok)?,
            None if wdl => Value { winner: expert.winner(&self.game)?, depth: None },
            None => expert.value(&self.game)?,
        };
        Ok(if wdl { Value { depth: None, ..value } } else { value })
    }

    /// Returns the value after each turn of `game` if earlier positions may change these values, and `None` otherwise.
    fn after_turns(&self, expert: &mut Expert, game: &Game) -> Result<Option<Vec<(Play, Value)>>, Unsolved> {
        self.has_past().then(|| expert.turns_in_history(game)).transpose()
    }

    /// Returns the turns of `game` that keep its value, which is `value`.
    fn best(&self, expert: &mut Expert, game: &Game, value: Value) -> Result<Vec<Play>, Unsolved> {
        let Some(turns) = self.after_turns(expert, game)? else { return expert.best(game, value) };
        let keeps = |after: &Value| {
            after.winner == value.winner && value.depth.is_none_or(|depth| after.depth == Some(depth - 1))
        };
        Ok(turns.into_iter().filter(|(_, after)| keeps(after)).map(|(play, _)| play).collect())
    }

    /// Who wins after the first turns of each class.
    fn first_moves(&self, expert: &mut Expert, news: &impl Fn(QueryNews)) -> Result<Vec<FirstTurn>, Unsolved> {
        let classes = FirstTurns::classes(&self.game);
        let mut found = Vec::new();
        for FirstTurns { turn, all } in &classes {
            let name = turn.to_move().to_string();
            news(QueryNews::FirstTurn { name: name.clone(), done: found.len() as u64, of: classes.len() as u64 });
            let winner = expert.winner(&self.game.after(*turn))?;
            let first = FirstTurn { name, images: all.len(), winner: Outcome { winner, margin: None }.winner_name() };
            news(QueryNews::Found(first.to_string().trim_start().to_owned()));
            found.push(first);
        }
        Ok(found)
    }

    /// Every legal turn with its value, whose depth is counted from before the turn.
    fn turns(&self, expert: &mut Expert, wdl: bool) -> Result<Vec<ValuedTurn>, Unsolved> {
        let turns = match self.after_turns(expert, &self.game)? {
            Some(turns) => turns,
            None if wdl => self.winners(expert)?,
            None => expert.turns(&self.game)?,
        };
        let valued = |(play, value): (Play, Value)| ValuedTurn {
            name: play.to_move().to_string(),
            winner: Outcome { winner: value.winner, margin: None }.winner_name(),
            depth: value.depth.filter(|_| !wdl).map(|depth| depth + 1),
        };
        Ok(turns.into_iter().map(valued).collect())
    }

    /// Every legal turn, and the winner after it.
    fn winners(&self, expert: &mut Expert) -> Result<Vec<(Play, Value)>, Unsolved> {
        let plays = self.game.plays().into_iter();
        plays.map(|play| Ok((play, Value { winner: expert.winner(&self.game.after(play))?, depth: None }))).collect()
    }

    /// Returns the best turns from the current position, whose value is `value`, to the end of the game, and how the
    /// game ends.
    fn line(&self, expert: &mut Expert, mut value: Value) -> Result<(Vec<String>, Option<Ending>), Unsolved> {
        let (mut line, mut game) = (Vec::new(), self.game.clone());
        while game.ending().is_none() {
            let Some(&play) = self.best(expert, &game, value)?.first() else { break };
            line.push(play.to_move().to_string());
            game = game.after(play);
            value = match self.after_turns(expert, &game)?.and_then(|turns| best_of(game.side(), &turns)) {
                Some(value) => value,
                None if game.board().is_full() => expert.value(&game)?,
                None => Value { depth: value.depth.map(|depth| depth - 1), ..value },
            };
        }
        Ok((line, game.ending()))
    }
}

/// Returns the value that `side` can reach with the best of `turns`, with its depth counted from before the turn;
/// `None` if there are no turns.
fn best_of(side: Side, turns: &[(Play, Value)]) -> Option<Value> {
    let rank = |value: &Value| match (value.winner, i64::from(value.depth.unwrap_or_default())) {
        (None, _) => 0,
        (Some(winner), depth) if winner == side => i64::from(u32::MAX) - depth,
        (Some(_), depth) => depth - i64::from(u32::MAX),
    };
    let best = turns.iter().map(|&(_, value)| value).max_by_key(rank)?;
    Some(Value { depth: best.depth.map(|depth| depth + 1), ..best })
}

/// The progress of a query.
#[derive(Clone, Debug)]
pub enum QueryNews {
    /// A step begins.
    Begins(String),
    /// The search of a class of first turns begins.
    FirstTurn {
        /// The first turn of the class.
        name: String,
        /// How many classes have been searched.
        done: u64,
        /// How many classes there are.
        of: u64,
    },
    /// A part of the answer.
    Found(String),
}

fn texts(plays: Vec<Play>) -> Vec<String> {
    plays.into_iter().map(|play| play.to_move().to_string()).collect()
}

/// A legal turn and its value.
#[derive(Debug, Serialize)]
struct ValuedTurn {
    #[serde(rename = "turn")]
    name: String,
    winner: &'static str,
    depth: Option<u32>,
}

/// A class of first turns, and who wins after them.
#[derive(Debug, Serialize)]
struct FirstTurn {
    /// The turn that represents the class.
    #[serde(rename = "move")]
    name: String,
    /// The number of turns in the class.
    images: usize,
    winner: &'static str,
}

impl fmt::Display for FirstTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8}: {}", self.name, ResultWords(self.winner, None))?;
        match self.images - 1 {
            0 => Ok(()),
            1 => f.write_str(" (and the turn symmetric to it)"),
            others => write!(f, " (and the {others} turns symmetric to it)"),
        }
    }
}

/// The value of a Seegover position.
#[derive(Debug, Serialize)]
pub struct SeegoverAnswer {
    format: u32,
    winner: &'static str,
    depth: Option<u32>,
    certain: bool,
    best: Vec<String>,
    line: Vec<String>,
    /// Whether the line ends with a repetition.
    #[serde(skip)]
    repeats: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_moves: Option<Vec<FirstTurn>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<ValuedTurn>>,
    nodes: u64,
    seconds: f64,
}

/// Writes `black wins in 3 plies`, `white wins` or `draw`.
struct ResultWords<'a>(&'a str, Option<u32>);

impl fmt::Display for ResultWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ResultWords("draw", _) => f.write_str("draw"),
            ResultWords(winner, None) => write!(f, "{winner} wins"),
            ResultWords(winner, Some(0)) => write!(f, "{winner} has won"),
            ResultWords(winner, Some(1)) => write!(f, "{winner} wins in 1 ply"),
            ResultWords(winner, Some(plies)) => write!(f, "{winner} wins in {plies} plies"),
        }
    }
}

impl SeegoverAnswer {
    /// Returns this answer with `took`, the time that the search took.
    #[must_use]
    pub fn after(self, took: Duration) -> Self {
        Self { seconds: took.as_secs_f64(), ..self }
    }

    /// The answer in a few lines.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", ResultWords(self.winner, self.depth));
        if !self.certain {
            text +=
                "an earlier position of the game was closer to the same win, so a repetition may make this a draw\n";
        }
        for first in self.first_moves.iter().flatten() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{first}");
        }
        for turn in self.turns.iter().flatten() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:>8}: {}", turn.name, ResultWords(turn.winner, turn.depth));
        }
        let _ = writeln!(text, "best: {}", or_over(&self.best));
        let end = if self.repeats && !self.line.is_empty() { " (the position repeats: draw)" } else { "" };
        let _ = writeln!(text, "line: {}{end}", or_over(&self.line));
        let _ = writeln!(text, "{} nodes in {:.3} s", self.nodes, self.seconds);
        text
    }
}
