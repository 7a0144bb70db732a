//! How well players played, as tables for people.

use super::text_table::{Grid, Look};
use crate::results::analysis::{Accuracy, FEW_STONES, MARGIN_FROM, MoveTally, Phase};

/// How well each of `players` played, in all and by phase, and what the columns mean. Each player comes with its number.
pub fn accuracy<'a>(players: impl IntoIterator<Item = (usize, &'a str, Accuracy)>) -> String {
    let players: Vec<(usize, &str, Accuracy)> = players.into_iter().collect();
    let tables = tables(&players);
    let titled = |(title, grid): (&str, Grid)| format!("{title}\n{}", grid.render(Look::Plain));
    let notes = notes(players.iter().map(|&(_, _, accuracy)| accuracy)).join("\n");
    format!("{}\n{notes}\n", tables.map(titled).join("\n"))
}

/// The tables of [`accuracy`], each with its title.
pub(super) fn tables(players: &[(usize, &str, Accuracy)]) -> [(&'static str, Grid); 2] {
    let mut all = Grid::new(["#", "player", "moves", "judged", "blunders", "winner kept", "margin kept", "lost/move"]);
    let parts = ["winner", "margin", "lost"];
    let header = Phase::ALL.into_iter().flat_map(|phase| {
        let first = format!("{}: {}", phase.name(), parts[0]);
        [first, parts[1].to_owned(), parts[2].to_owned()]
    });
    let mut phases = Grid::new(["#", "player"].map(str::to_owned).into_iter().chain(header));
    for &(line, name, accuracy) in players {
        let total = accuracy.all();
        let counts = [total.moves, total.judged, total.blunders].map(|count| count.to_string());
        let named = || [line.to_string(), name.to_owned()].into_iter();
        all.push(named().chain(counts).chain(shares(total)).collect());
        phases.push(named().chain(Phase::ALL.into_iter().flat_map(|phase| shares(accuracy.phase(phase)))).collect());
    }
    [("Accuracy, by exact values", all), ("The same shares by phase of the game", phases)]
}

/// The share of moves that kept the winner, the share that kept the margin, and the stones lost per move.
fn shares(tally: MoveTally) -> [String; 3] {
    let percent = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    let lost = tally.average_loss().map_or_else(|| "-".to_owned(), |loss| format!("{loss:.2}"));
    [percent(tally.winner_kept()), percent(tally.margin_kept()), lost]
}

/// What the columns of [`tables`] mean, one note per line.
pub(super) fn notes(players: impl IntoIterator<Item = Accuracy>) -> Vec<String> {
    let all = players.into_iter().fold(MoveTally::default(), |sum, accuracy| sum.plus(accuracy.all()));
    let mut notes = vec![
        "Winner kept: of the judged moves, those that did not change who wins with best play; the others are blunders.".to_owned(),
        "Margin kept: those that gave no stone away; lost: stones given away per move; both where exact margins are known.".to_owned(),
        format!("Opening: more than {MARGIN_FROM} empty points; middle: 9 to {MARGIN_FROM}; end: up to 8. Moves given by openings do not count."),
        format!("In Seegover, opening: the drops; middle: turns before which both sides have more than {FEW_STONES} stones; end: the others."),
    ];
    let unjudged = all.moves - all.judged;
    if unjudged > 0 {
        notes.push(format!(
            "{unjudged} of {} moves could not be judged. More time for each game helps: `analyze --budget`, `standings --accuracy=`; in Seegover, it helps with the drops.",
            all.moves
        ));
    }
    notes
}
