//! Versions, results and costly moves, as text and as JSON.
//!
//! docs/reference/schemas/bench.schema.json and bench-why.schema.json describe the JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::bench_result::BenchResult;
use super::losses::{CostlyMove, WhyLost, cost_words};
use super::version::{BenchVersion, BenchedState};
use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::game::{Move, Outcome, Side};
use crate::results::analysis::{Accuracy, Phase};
use crate::results::replay::{Style, board};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// A version with its results.
#[derive(Clone, Debug)]
pub(crate) struct ListedVersion {
    /// The version.
    pub(crate) version: BenchVersion,
    /// Its results.
    pub(crate) results: Vec<BenchResult>,
}

/// The opponent and the terms of a result's games, in words: `greedy (gothello, 10s)`.
pub(crate) fn games_words(result: &BenchResult) -> String {
    let BenchResult { opponent, ruleset, time, opening_plies, .. } = result;
    let openings = if *opening_plies == 0 { ", no openings" } else { "" };
    sanitised(&format!("{opponent} ({ruleset}, {time}{openings})"))
}

/// `elo` as a whole number with its sign. Zero is written as `+0`.
fn elo_words(elo: f64) -> String {
    format!("{:+.0}", elo.round() + 0.0)
}

/// The figures of a result: `better: 14 of 20 games won, 1 drawn; +120 Elo (+40 to +210)`.
pub(crate) fn result_words(result: &BenchResult) -> String {
    let games = result.games();
    if games == 0 {
        return format!("{}: no games yet", result.answer);
    }
    let mut text = format!("{}: {} of {} won", result.answer, result.wins, counted(games, "game"));
    if result.draws > 0 {
        let _ = write!(text, ", {} drawn", result.draws);
    }
    if result.forfeits > 0 {
        let _ = write!(text, ", {} forfeited", result.forfeits);
    }
    if result.repeats > 0 {
        let _ = write!(text, ", but {} repeat earlier ones", counted(result.repeats, "game"));
    }
    if let Some(elo) = result.elo {
        let end = |end: Option<f64>| end.map_or_else(|| "no bound".to_owned(), elo_words);
        let _ = write!(text, "; {} Elo ({} to {})", elo_words(elo), end(result.elo_low), end(result.elo_high));
    }
    text
}

/// The list of `versions`, where `promoted` is the version to beat.
pub(crate) fn list_text(versions: &[ListedVersion], promoted: Option<&str>) -> String {
    let mut text = String::new();
    for ListedVersion { version, results } in versions {
        let mark = if Some(version.id.as_str()) == promoted { "  <- the version to beat" } else { "" };
        let state = version.verdict.as_ref().map_or("not checked", |verdict| verdict.state.name());
        let saved = sanitised(&version.saved).replace('T', " ").replace('Z', " UTC");
        let _ = writeln!(text, "{}  {saved}  {state}{mark}", version.id);
        for trouble in version.verdict.iter().flat_map(|verdict| &verdict.trouble).take(1) {
            let first = trouble.lines().next().unwrap_or_default();
            let _ = writeln!(text, "          {}", sanitised(first));
        }
        for result in results {
            let _ = writeln!(text, "          against {}: {}", games_words(result), result_words(result));
        }
    }
    if text.is_empty() { "no versions yet\n".to_owned() } else { text }
}

#[derive(Serialize)]
struct BenchObject<'a> {
    format: u32,
    promoted: Option<&'a str>,
    versions: Vec<VersionObject<'a>>,
}

#[derive(Serialize)]
struct VersionObject<'a> {
    id: &'a str,
    sha256: &'a str,
    saved: &'a str,
    files: usize,
    state: Option<BenchedState>,
    trouble: &'a [String],
    results: &'a [BenchResult],
}

/// The list of `versions` as JSON, on one line.
pub(crate) fn list_json(versions: &[ListedVersion], promoted: Option<&str>) -> String {
    let versions = versions.iter().map(|ListedVersion { version, results }| VersionObject {
        id: &version.id,
        sha256: &version.sha256,
        saved: &version.saved,
        files: version.files,
        state: version.verdict.as_ref().map(|verdict| verdict.state),
        trouble: version.verdict.as_ref().map_or(&[], |verdict| &verdict.trouble),
        results,
    });
    line(&BenchObject { format: FORMAT, promoted, versions: versions.collect() })
}

fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("numbers and strings are JSON") + "\n"
}

/// Why a version loses, as text for users.
pub(crate) fn why_text(why: &WhyLost, style: Style) -> String {
    let mut text = format!(
        "version {} has lost {} of {} ({}); {} of these losses were analyzed\n",
        why.version,
        why.lost,
        counted(why.played as u64, "game"),
        sanitised(&why.ruleset),
        why.analyzed
    );
    for (number, costly) in (1..).zip(&why.moves) {
        let CostlyMove { game, opponent, ply, side, board: before, played, better, earlier, .. } = costly;
        let heading = format!("{number}. {played} by {side} {}", cost_words(costly));
        let _ = write!(
            text,
            "\n{}\n   ply {ply} of {} against {}\n",
            style.bold(&heading),
            sanitised(game),
            sanitised(opponent)
        );
        for line in board(before, before, None, style).lines() {
            let _ = writeln!(text, "   {line}");
        }
        if let Some(better) = better {
            let _ = writeln!(text, "   better: {better}");
        }
        let Some(name) = &why.earlier else { continue };
        let _ = match earlier {
            None if costly.met > 0 => {
                writeln!(text, "   version {name} has reached this position, but only in games that were not analyzed")
            }
            None => writeln!(text, "   version {name} has not reached this position"),
            Some(earlier) => {
                let how = match earlier.is_better {
                    Some(true) => "a better move",
                    Some(false) => "a move that is no better",
                    None => "but it is unknown whether that move is better",
                };
                writeln!(
                    text,
                    "   version {name} played {} here in {}, {how}",
                    earlier.played,
                    sanitised(&earlier.game)
                )
            }
        };
    }
    if why.moves.is_empty() {
        text += "\nno move in these games is known to have lost anything: try a larger --budget\n";
    }
    text + &accuracy_text(why)
}

/// How many stones a move lost on average in each phase.
fn accuracy_text(why: &WhyLost) -> String {
    let figures = |accuracy: &Accuracy| {
        let phases = [(Phase::Opening, "opening"), (Phase::Middle, "middle game"), (Phase::End, "ending")];
        let known = phases
            .into_iter()
            .filter_map(|(phase, word)| Some(format!("{word} {:.2}", accuracy.phase(phase).average_loss()?)));
        known.collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    let names = [Some(&why.version), why.earlier.as_ref()];
    for (name, accuracy) in names.into_iter().zip(&why.accuracy) {
        let figures = figures(accuracy);
        if let Some(name) = name.filter(|_| !figures.is_empty()) {
            let _ = writeln!(text, "stones lost per move by {name} in lost games: {figures}");
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

#[derive(Serialize)]
struct WhyObject<'a> {
    format: u32,
    version: &'a str,
    earlier: Option<&'a str>,
    played: usize,
    lost: usize,
    analyzed: usize,
    ruleset: &'a str,
    moves: Vec<CostlyObject<'a>>,
    accuracy: Vec<AccuracyObject<'a>>,
}

/// How many stones a move of the version lost on average in its lost games, by phase.
#[derive(Serialize)]
struct AccuracyObject<'a> {
    version: &'a str,
    opening: Option<f64>,
    middle: Option<f64>,
    end: Option<f64>,
}

#[derive(Serialize)]
struct CostlyObject<'a> {
    game: &'a str,
    opponent: &'a str,
    ply: usize,
    side: Side,
    board: Vec<&'a str>,
    #[serde(rename = "move")]
    played: Move,
    better: Option<Move>,
    before: Option<Outcome>,
    after: Option<Outcome>,
    lost: Option<u32>,
    blunder: bool,
    met: usize,
    earlier: Option<EarlierObject<'a>>,
}

#[derive(Serialize)]
struct EarlierObject<'a> {
    game: &'a str,
    #[serde(rename = "move")]
    played: Move,
    better: Option<bool>,
}

/// Why a version loses, as JSON on one line.
pub(crate) fn why_json(why: &WhyLost) -> String {
    let moves = why.moves.iter().map(|costly| CostlyObject {
        game: &costly.game,
        opponent: &costly.opponent,
        ply: costly.ply,
        side: costly.side,
        board: costly.board.lines().collect(),
        played: costly.played,
        better: costly.better,
        before: costly.before,
        after: costly.after,
        lost: costly.lost,
        blunder: costly.is_blunder,
        met: costly.met,
        earlier: costly.earlier.as_ref().map(|earlier| EarlierObject {
            game: &earlier.game,
            played: earlier.played,
            better: earlier.is_better,
        }),
    });
    let names = [Some(&why.version), why.earlier.as_ref()];
    let accuracy = names.into_iter().zip(&why.accuracy).filter_map(|(name, accuracy)| {
        let [opening, middle, end] =
            [Phase::Opening, Phase::Middle, Phase::End].map(|phase| accuracy.phase(phase).average_loss());
        Some(AccuracyObject { version: name?, opening, middle, end })
    });
    line(&WhyObject {
        format: FORMAT,
        version: &why.version,
        earlier: why.earlier.as_deref(),
        played: why.played,
        lost: why.lost,
        analyzed: why.analyzed,
        ruleset: &why.ruleset,
        moves: moves.collect(),
        accuracy: accuracy.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::decision::BenchAnswer;

    fn result() -> BenchResult {
        BenchResult {
            opponent: "greedy".to_owned(),
            ruleset: "gothello".to_owned(),
            time: "10s".to_owned(),
            opening_plies: 2,
            answer: BenchAnswer::Better,
            wins: 14,
            draws: 1,
            losses: 5,
            forfeits: 0,
            repeats: 0,
            elo: Some(120.4),
            elo_low: Some(-0.4),
            elo_high: None,
            run: String::new(),
        }
    }

    #[test]
    fn a_result_is_told_with_its_games_and_a_zero_without_a_minus() {
        assert_eq!(result_words(&result()), "better: 14 of 20 games won, 1 drawn; +120 Elo (+0 to no bound)");
        let repeated = BenchResult { repeats: 8, ..result() };
        assert_eq!(
            result_words(&repeated),
            "better: 14 of 20 games won, 1 drawn, but 8 games repeat earlier ones; +120 Elo (+0 to no bound)"
        );
        assert_eq!(games_words(&result()), "greedy (gothello, 10s)");
        let other = BenchResult { ruleset: "seegover".to_owned(), opening_plies: 0, ..result() };
        assert_eq!(games_words(&other), "greedy (seegover, 10s, no openings)");
    }

    #[test]
    fn a_position_that_was_met_is_not_denied() {
        let costly = |met| CostlyMove {
            game: "r1".to_owned(),
            opponent: "greedy".to_owned(),
            ply: 3,
            side: Side::Black,
            board: "....\n".to_owned(),
            played: "a1".parse().expect("a move"),
            better: None,
            before: None,
            after: None,
            lost: None,
            is_blunder: false,
            met,
            earlier: None,
        };
        for (met, expected) in [(0, "has not reached this position"), (4, "but only in games that were not analyzed")] {
            let why = WhyLost {
                version: "aaaa".to_owned(),
                ruleset: "gothello".to_owned(),
                earlier: Some("bbbb".to_owned()),
                played: 2,
                lost: 1,
                analyzed: 1,
                moves: vec![costly(met)],
                accuracy: [Accuracy::default(); 2],
            };
            let text = why_text(&why, Style::PLAIN);
            assert!(text.contains(expected), "{text}");
            assert!(why_json(&why).contains("\"accuracy\":[{\"version\":\"aaaa\","), "{}", why_json(&why));
        }
    }
}
