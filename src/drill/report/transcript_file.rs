//! The file about one trial: what was expected, what happened, and every byte of the decisive game.

use std::fmt::Write as _;

use super::wording::{expected, why};
use crate::base::sanitise::{output_line, sanitised};
use crate::drill::readiness::{Trial, TriedPlayer};
use crate::drill::script::{BoutFacts, ProcessExit, Refusal};
use crate::game::{Move, Seat};
use crate::results::quoting::wrapped;
use crate::results::replay::{Style, board};

/// How many lines at the end of stderr are shown.
const SHOWN_STDERR: usize = 20;

/// How many refused lines are shown with their boards.
const SHOWN_REFUSALS: usize = 3;

/// The text of the file about `trial`; `None` if the trial was not played.
pub fn trial_file(player: &TriedPlayer, trial: &Trial) -> Option<String> {
    let game = trial.decisive_game()?;
    let parts = [heading(player, trial), transcript(game), boards(game), stderr(game)];
    Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))
}

fn heading(player: &TriedPlayer, trial: &Trial) -> String {
    let game = match trial.games.len() {
        0 | 1 => String::new(),
        all => format!(", game {} of {all}", trial.decisive + 1),
    };
    let mut text = wrapped("player    ", &format!("{}: {}", sanitised(&player.player), sanitised(&player.command)));
    text +=
        &wrapped("scenario  ", &format!("{} as {} ({}){game}", trial.scenario.id, trial.side, trial.scenario.level));
    text += &wrapped("expected  ", &expected(trial));
    let outcome = format!("{}: {}", trial.status.name().to_uppercase(), sanitised(&trial.summary));
    text += &wrapped("outcome   ", outcome.trim_end_matches([' ', ':']));
    for diagnosis in &trial.diagnoses {
        text += &wrapped("why       ", &why(diagnosis));
        for line in &diagnosis.evidence {
            text += &wrapped("seen      ", &sanitised(line));
        }
        text += &wrapped("fix       ", &sanitised(&diagnosis.fix));
    }
    text
}

fn transcript(game: &BoutFacts) -> String {
    let mut text = String::from("transcript: seconds since the bot was started, sender, and every byte\n");
    for line in game.transcript.to_string().lines() {
        let _ = writeln!(text, "{}", sanitised(line));
    }
    if game.transcript.is_empty() {
        text += "  nothing was sent\n";
    }
    text
}

/// The true board before each refused line, or at the end of the game if no line was refused.
fn boards(game: &BoutFacts) -> String {
    let refusals: Vec<String> =
        game.refusals.iter().take(SHOWN_REFUSALS).map(|refusal| refused(game, refusal)).collect();
    if refusals.is_empty() && !game.plies.is_empty() {
        let last = game.plies.last().map(|ply| ply.played);
        let (before, after) = (position(game, game.plies.len() - 1), position(game, game.plies.len()));
        return format!(
            "board after the last ply, {}\n{}",
            game.plies.len(),
            board(&after, &before, last, Style::PLAIN)
        );
    }
    refusals.join("\n")
}

fn refused(game: &BoutFacts, refusal: &Refusal) -> String {
    let falsely = if refusal.forged { "; the line was valid" } else { "" };
    let mut text = wrapped("", &format!("refused after ply {}: {}{falsely}", refusal.ply, sanitised(&refusal.why)));
    let _ = writeln!(text, "  {}", sanitised(&refusal.text));
    if !refusal.forged {
        let number = 1 + game.plies.iter().take(refusal.ply).filter(|ply| ply.seat == game.side.seat()).count();
        let before: String = refusal.text.chars().take(first_wrong(&refusal.text, game.side.seat(), number)).collect();
        let _ = writeln!(text, "  {}^", " ".repeat(sanitised(&before).chars().count()));
    }
    let point: Option<Move> = refusal.text.split(' ').next_back().and_then(|word| word.parse().ok());
    let position = position(game, refusal.ply);
    text + &board(&position, &position, point, Style::PLAIN)
}

/// How many characters of `line` match the beginning that is expected before a move: the move number, and
/// three dots for each seat before the bot's.
fn first_wrong(line: &str, seat: Seat, number: usize) -> usize {
    let expected = format!("{number} {}", "... ".repeat(seat.index()));
    line.chars().zip(expected.chars()).take_while(|(found, expected)| found == expected).count()
}

/// The board after `plies` plies.
fn position(game: &BoutFacts, plies: usize) -> String {
    game.position_after(plies).to_string()
}

/// How the process ended, and the end of its stderr.
fn stderr(game: &BoutFacts) -> String {
    let Some(process) = &game.process else { return String::new() };
    let how = match process.exit {
        Some(ProcessExit::Status(status)) => format!("the process ended with status {status}"),
        Some(ProcessExit::Signal(signal)) => format!("signal {signal} ended the process"),
        None => "the arena ended the process".to_owned(),
    };
    let after = process.left_after;
    let after = after.map_or(String::new(), |after| format!(", {:.3} s after the game", after.as_secs_f64()));
    let mut text = format!("{how}{after}\n");
    let lines: Vec<&str> = process.stderr.lines().collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN_STDERR)..];
    if shown.is_empty() {
        return text + "it wrote nothing to stderr\n";
    }
    let _ = writeln!(text, "the end of stderr ({} bytes in total)", process.stderr_bytes);
    for line in shown {
        let _ = writeln!(text, "  {}", output_line(line));
    }
    text
}
