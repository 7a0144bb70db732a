//! `gothello-arena solve` for Seegover: by the table, and before it by a search of the drops.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use anyhow::anyhow;
use serde::Serialize;

use super::{Args, FORMAT};
use crate::base::time;
use crate::cli::progress::Progress;
use crate::cli::seegover_table::load;
use crate::cli::{CommandResult, Exit, Failure, print};
use crate::exact::seegover::{Expert, FirstTurns, Value};
use crate::game::rules::Outcome;
use crate::game::rules::seegover::{Game, Play};

/// What to find out about Seegover.
#[derive(Debug)]
pub(super) struct SeegoverQuery {
    game: Game,
    /// Whether the position comes from a game with other positions before it.
    has_history: bool,
}

impl SeegoverQuery {
    /// A position in which a game begins.
    pub(super) const fn of_start(game: Game) -> Self {
        Self { game, has_history: false }
    }

    /// The present position of a game that began without a stone.
    pub(super) const fn of_game(game: Game) -> Self {
        Self { game, has_history: true }
    }

    /// Answers by the table that the user names, or else by that in the cache directory.
    pub(super) fn answer(self, args: &Args) -> CommandResult {
        refuse_other_options(args)?;
        // Say so before reading a table: no table would do.
        let needed = "the table of Seegover is of `cycle=draw`, `capture=line` and `back=free`, with either `drop`";
        Expert::check(self.game.rules()).map_err(|missing| Failure::usage(anyhow!("{missing}: {needed}")))?;
        let (_, table) = load(args.table.clone())?;
        let begun = time::now();
        let mut expert = Expert::new(Arc::new(table), self.game.rules())?;
        let value = if args.wdl {
            Value { winner: expert.winner(&self.game)?, depth: None }
        } else {
            expert.value(&self.game)?
        };
        // First the classes of first turns: what is found about them serves the other questions.
        let first_moves = if args.start { Some(self.first_moves(&mut expert)?) } else { None };
        let best = expert.best(&self.game, value)?;
        let turns = if args.all { Some(self.turns(&mut expert, args.wdl)?) } else { None };
        let line = line(&mut expert, self.game.clone(), value)?;
        let report = SeegoverReport {
            format: FORMAT,
            winner: Outcome { winner: value.winner, margin: None }.winner_name(),
            depth: value.depth,
            certain: !self.has_history || expert.is_certain(&self.game, value),
            best: texts(best),
            line,
            first_moves,
            turns,
            nodes: expert.nodes(),
            seconds: begun.elapsed().as_secs_f64(),
        };
        print(if args.json { report.json()? } else { report.text() })?;
        Ok(Exit::Success)
    }

    /// Who wins after the first turns of each class.
    fn first_moves(&self, expert: &mut Expert) -> Result<Vec<FirstTurn>, Failure> {
        let (classes, mut progress) = (FirstTurns::classes(&self.game), Progress::new());
        let mut found = Vec::new();
        for FirstTurns { turn, all } in &classes {
            progress.tell(format_args!("{} of {} classes of first turns", found.len(), classes.len()));
            let winner = expert.winner(&self.game.after(*turn))?;
            found.push(FirstTurn {
                name: turn.to_move().to_string(),
                images: all.len(),
                winner: Outcome { winner, margin: None }.winner_name(),
            });
        }
        Ok(found)
    }

    /// Every legal turn with its value, counted from before the turn.
    fn turns(&self, expert: &mut Expert, wdl: bool) -> Result<Vec<ValuedTurn>, Failure> {
        let mut turns = Vec::new();
        for play in self.game.plays() {
            let after = self.game.after(play);
            let value =
                if wdl { Value { winner: expert.winner(&after)?, depth: None } } else { expert.value(&after)? };
            turns.push(ValuedTurn {
                name: play.to_move().to_string(),
                winner: Outcome { winner: value.winner, margin: None }.winner_name(),
                depth: value.depth.map(|depth| depth + 1),
            });
        }
        Ok(turns)
    }
}

/// Refuses what is about Gothello alone.
fn refuse_other_options(args: &Args) -> Result<(), Failure> {
    let given = [
        ("--passed", args.passed),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--threads", args.threads.is_some()),
        ("--memory", args.memory.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Failure::usage(anyhow!("{name} is for Gothello, and the position is one of Seegover"))),
        None => Ok(()),
    }
}

/// A game of best turns to the end.
fn line(expert: &mut Expert, mut game: Game, mut value: Value) -> Result<Vec<String>, Failure> {
    let mut line = Vec::new();
    while game.ending().is_none() {
        let Some(&play) = expert.best(&game, value)?.first() else { break };
        line.push(play.to_move().to_string());
        game = game.after(play);
        value = if game.board().is_full() {
            expert.value(&game)?
        } else {
            Value { depth: value.depth.map(|depth| depth - 1), ..value }
        };
    }
    Ok(line)
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
    /// The turn that stands for the class.
    #[serde(rename = "move")]
    name: String,
    /// The number of turns in the class.
    images: usize,
    winner: &'static str,
}

/// What the command prints.
#[derive(Debug, Serialize)]
struct SeegoverReport {
    format: u32,
    winner: &'static str,
    depth: Option<u32>,
    certain: bool,
    best: Vec<String>,
    line: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_moves: Option<Vec<FirstTurn>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<ValuedTurn>>,
    nodes: u64,
    seconds: f64,
}

/// `black wins in 3 plies`, `white wins`, `draw`.
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

impl SeegoverReport {
    fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", ResultWords(self.winner, self.depth));
        if !self.certain {
            text +=
                "an earlier position of the game was nearer to the same win, so a repetition may make this a draw\n";
        }
        for first in self.first_moves.iter().flatten() {
            // Writing to a string cannot fail.
            let FirstTurn { name, images, winner } = first;
            let _ = writeln!(text, "{name:>8}: {} ({images} turns, by symmetry)", ResultWords(winner, None));
        }
        for turn in self.turns.iter().flatten() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:>8}: {}", turn.name, ResultWords(turn.winner, turn.depth));
        }
        let none = |words: String| if words.is_empty() { "none, the game is over".to_owned() } else { words };
        let _ = writeln!(text, "best: {}", none(self.best.join(" ")));
        let _ = writeln!(text, "line: {}", none(self.line.join(" ")));
        let _ = writeln!(text, "{} nodes in {:.3} s", self.nodes, self.seconds);
        text
    }
}
