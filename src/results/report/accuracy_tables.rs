//! How well players played, as tables for people.

use super::accuracy_figures::{counts, shares};
use super::column::{TableColumn, grid};
use super::text_table::{Grid, Look};
use crate::results::analysis::{Accuracy, FEW_STONES, GamesJudged, MIDDLE_FROM, Phase};

/// A player's rank or number, its name, and how well it played.
pub(super) type Judged<'p> = (String, &'p str, Accuracy);

/// A column of a table of players.
type JudgedColumn<'p> = TableColumn<'p, &'p Judged<'p>>;

/// The tables of how well each of `players` played, overall and by phase, with notes on the columns. Each player is
/// preceded by its number.
pub fn accuracy<'a>(players: impl IntoIterator<Item = (usize, &'a str, Accuracy)>) -> String {
    let numbered = |(number, name, accuracy): (usize, &'a str, Accuracy)| (number.to_string(), name, accuracy);
    let players: Vec<Judged<'_>> = players.into_iter().map(numbered).collect();
    let tables = tables(&players);
    let titled = |(title, grid): (&str, Grid)| format!("{title}\n{}", grid.render(Look::Plain));
    let notes = notes(players.iter().map(|(_, _, accuracy)| *accuracy)).join("\n");
    format!("{}\n{notes}\n", tables.map(titled).join("\n"))
}

/// The tables of [`accuracy`], each with its title. There are no columns about margins for Seegover.
pub(super) fn tables<'p>(players: &'p [Judged<'p>]) -> [(&'static str, Grid); 2] {
    let games = games(players.iter().map(|(_, _, accuracy)| *accuracy));
    let columns = if games == GamesJudged::Seegover { 1 } else { 3 };
    let named = || {
        let line = JudgedColumn::for_people("#", |(line, ..)| line.as_str());
        [line, JudgedColumn::for_people("player", |(_, name, _)| *name)].into_iter()
    };
    let total = counts().into_iter().chain(shares().into_iter().take(columns));
    let total = total.map(|column| column.of(|(.., accuracy): &'p Judged<'p>| accuracy.all()));
    let all: Vec<_> = named().chain(total).collect();
    let of_phase = |phase: Phase| {
        let headings = [format!("{}: winner", phase.name()), "margin".to_owned(), "lost".to_owned()];
        shares().into_iter().zip(headings).take(columns).map(move |(share, heading)| {
            share.headed(heading).of(move |(.., accuracy): &'p Judged<'p>| accuracy.phase(phase))
        })
    };
    let phases: Vec<_> = named().chain(Phase::ALL.into_iter().flat_map(of_phase)).collect();
    [
        ("Accuracy, by exact values", grid(&all, players)),
        ("The same figures by phase of the game", grid(&phases, players)),
    ]
}

/// The rule sets of the games that `players` played.
fn games(players: impl IntoIterator<Item = Accuracy>) -> GamesJudged {
    let all = players.into_iter().fold(Accuracy::default(), Accuracy::plus);
    all.games.unwrap_or(GamesJudged::Gothello)
}

/// The notes that explain the columns of [`tables`], one per line.
pub(super) fn notes(players: impl IntoIterator<Item = Accuracy>) -> Vec<String> {
    let all = players.into_iter().fold(Accuracy::default(), Accuracy::plus);
    let (games, all) = (games([all]), all.all());
    let mut notes = vec![
        "Winner kept: of the judged moves, those that did not change who wins with best play; the others are blunders."
            .to_owned(),
    ];
    if games != GamesJudged::Seegover {
        notes.push("Margin kept: those that gave away no stones; lost: stones given away per move.".to_owned());
    }
    let in_gothello = format!("more than {MIDDLE_FROM} empty points; middle: 9 to {MIDDLE_FROM}; end: up to 8.");
    let in_seegover = format!(
        "the drops; middle: turns before which both sides have more than {FEW_STONES} stones; end: the others."
    );
    let given = "Moves prescribed by an opening do not count.";
    match games {
        GamesJudged::Gothello => notes.push(format!("Opening: {in_gothello} {given}")),
        GamesJudged::Seegover => notes.push(format!("Opening: {in_seegover} {given}")),
        GamesJudged::Both => {
            notes.push(format!("Opening: {in_gothello} {given}"));
            notes.push(format!("In Seegover, opening: {in_seegover}"));
        }
    }
    let unjudged = all.moves - all.judged;
    if unjudged > 0 {
        let more = match games {
            GamesJudged::Gothello => ".",
            GamesJudged::Seegover => " (only for the drops: later, a repetition may turn a win into a draw).",
            GamesJudged::Both => " (in Seegover, only for the drops).",
        };
        notes.push(format!(
            "{unjudged} of {} moves could not be judged. More time per game helps: `analyze --budget`, `standings --accuracy=`{more}",
            all.moves
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::results::analysis::MoveTally;

    #[test]
    fn players_of_seegover_have_no_margins_and_read_nothing_of_gothello() {
        let tally = MoveTally { moves: 2, judged: 1, ..MoveTally::default() };
        let of = |games| Accuracy { games: Some(games), opening: tally, ..Accuracy::default() };
        let text = |all: &[GamesJudged]| accuracy(all.iter().map(|&games| (1, "player", of(games))));
        let (gothello, seegover) = (text(&[GamesJudged::Gothello]), text(&[GamesJudged::Seegover]));
        let both = text(&[GamesJudged::Seegover, GamesJudged::Gothello]);
        for (word, has) in [
            ("empty points", [true, false, true]),
            ("margin", [true, false, true]),
            ("lost", [true, false, true]),
            ("the drops", [false, true, true]),
            ("Seegover", [false, false, true]),
            ("winner kept", [true, true, true]),
        ] {
            assert_eq!([&gothello, &seegover, &both].map(|text| text.contains(word)), has, "{word}");
        }
    }
}
