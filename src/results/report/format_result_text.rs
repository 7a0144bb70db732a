//! The result according to the tournament's own format, for people. It comes before the ratings.

use std::collections::HashMap;

use super::column::{TableColumn, grid};
use super::result_points::halves;
use super::text_table::{Grid, Look, shown};
use super::{ResultTexts, bracket_drawing, format_result_fields};
use crate::base::units::counted;
use crate::game::Side;
use crate::results::format_result::{
    BracketPairing, BracketSeat, FormatResult, KnockoutResult, SwissPlace, SwissResult, SwissRound, WonBy,
};
use crate::tournament::Legs;

/// The maximum number of rounds in a table: a table with more rounds would be wider than any page.
const MOST_ROUNDS: usize = 15;

/// The title of a knockout's table of places.
const PLACES_TITLE: &str = "Places";

/// The sections of the result, each with a newline at its end.
pub(super) fn sections(result: &FormatResult, look: Look) -> Vec<String> {
    match result {
        FormatResult::Swiss(swiss) => of_swiss(swiss, look),
        FormatResult::Knockout(knockout) => of_knockout(knockout, look),
    }
}

/// The heading of the result of a Swiss tournament.
fn swiss_heading(SwissResult { drawn, rounds, is_final, .. }: &SwissResult) -> String {
    if *is_final {
        format!("Result of the Swiss tournament after {}", counted(u64::from(*rounds), "round"))
    } else {
        format!("Result of the Swiss tournament so far, in round {drawn} of {rounds}")
    }
}

/// The heading of the result of a knockout.
fn knockout_heading(knockout: &KnockoutResult) -> String {
    if knockout.champion.is_some() {
        "Result of the knockout".to_owned()
    } else {
        format!("Result of the knockout so far, in round {} of {}", knockout.current_round(), knockout.rounds.len())
    }
}

/// The text about `result` for a page.
pub(super) fn of_page(result: &FormatResult) -> ResultTexts {
    match result {
        FormatResult::Swiss(swiss) => {
            let (places_header, places) = without_empty_columns(swiss_grid(swiss).into_lines());
            let (rounds_header, rounds) = rounds_grid(swiss, page_cell).into_lines();
            // Lines are numbered if players share places; otherwise, the places serve as line numbers.
            let counts_lines = (1..).zip(&swiss.places).any(|(line, place)| place.place != line);
            let joined = |place, rounds| with_rounds(place, rounds, counts_lines);
            ResultTexts {
                heading: swiss_heading(swiss),
                caption: format!("Places, and rounds: {}", page_caption(swiss.legs, counts_lines)),
                header: joined(places_header, rounds_header),
                lines: places.into_iter().zip(rounds).map(|(place, rounds)| joined(place, rounds)).collect(),
                notes: swiss_notes(swiss, Look::Plain),
            }
        }
        FormatResult::Knockout(knockout) => {
            let (header, lines) = knockout_grid(knockout).into_lines();
            ResultTexts {
                heading: knockout_heading(knockout),
                caption: PLACES_TITLE.to_owned(),
                header,
                lines,
                notes: knockout_notes(knockout, Look::Plain),
            }
        }
    }
}

/// A table with its header.
type HeadedLines = (Vec<String>, Vec<Vec<String>>);

/// The table of places without the byes and the direct encounters, if there are none.
fn without_empty_columns((header, lines): HeadedLines) -> HeadedLines {
    let says_nothing = |column: usize| lines.iter().all(|line| ["0", "-"].contains(&line[column].as_str()));
    let is_kept = |column: usize| !(["byes", "direct"].contains(&header[column].as_str()) && says_nothing(column));
    let kept: Vec<bool> = (0..header.len()).map(is_kept).collect();
    let row =
        |cells: Vec<String>| cells.into_iter().zip(&kept).filter_map(|(cell, kept)| kept.then_some(cell)).collect();
    (row(header), lines.into_iter().map(row).collect())
}

/// Joins a player's row in the table of places with its row in the table of rounds. The row number is included if
/// `counts_lines`; the player's name appears once.
fn with_rounds(mut place: Vec<String>, rounds: Vec<String>, counts_lines: bool) -> Vec<String> {
    let mut rounds = rounds.into_iter();
    let head: Vec<String> = rounds.by_ref().take(2).collect();
    if !counts_lines {
        return place.into_iter().chain(rounds).collect();
    }
    // Both rows contain the player.
    place.remove(1);
    head.into_iter().chain(place).chain(rounds).collect()
}

fn titled(title: &str, body: &str, look: Look) -> String {
    match look {
        Look::Plain => format!("{title}\n{body}"),
        Look::Markdown => format!("{title}:\n\n{body}"),
    }
}

fn lines(notes: Vec<String>, look: Look) -> String {
    let prefix = match look {
        Look::Plain => "",
        Look::Markdown => "- ",
    };
    notes.into_iter().flat_map(|note| [prefix.to_owned(), note, "\n".to_owned()]).collect()
}

fn of_swiss(swiss: &SwissResult, look: Look) -> Vec<String> {
    let title = swiss_heading(swiss);
    let mut sections = vec![titled(&title, &swiss_grid(swiss).render(look), look)];
    if (1..=MOST_ROUNDS).contains(&(swiss.drawn as usize)) {
        let title = format!("Rounds: {}", rounds_caption(swiss.legs));
        sections.push(titled(&title, &rounds_grid(swiss, round_cell).render(look), look));
    }
    sections.push(lines(swiss_notes(swiss, look), look));
    sections
}

/// The table of places.
fn swiss_grid(swiss: &SwissResult) -> Grid {
    grid(&format_result_fields::of_swiss(swiss), &swiss.places)
}

/// The caption of the table of rounds, which explains its cells.
const fn rounds_caption(legs: Legs) -> &'static str {
    match legs {
        Legs::One => {
            "the opponent's line with the player's colour (b, w), then the player's points against that opponent"
        }
        Legs::Two => "the opponent's line, then the player's points in both games against that opponent",
    }
}

/// A function that returns the text of a round's cell, given the opponent's line.
type RoundCell = fn(Legs, Option<usize>, &SwissRound) -> String;

/// The table of rounds, with the cells that `cell` returns. Opponents are identified by line number, because several
/// players may share a place.
fn rounds_grid(swiss: &SwissResult, cell: RoundCell) -> Grid {
    let players = swiss.places.iter().map(|place| place.player.as_str());
    let lines: &HashMap<&str, usize> = &players.zip(1..).collect();
    let mut columns = vec![
        TableColumn::for_people("line", |(line, _): (usize, &SwissPlace)| line),
        TableColumn::for_people("player", |(_, place): (usize, &SwissPlace)| place.player.clone()),
    ];
    columns.extend((0..swiss.drawn as usize).map(|round| {
        TableColumn::for_people(format!("round {}", round + 1), move |(_, place): (usize, &SwissPlace)| {
            let played = place.rounds.get(round)?;
            Some(cell(swiss.legs, played.opponent.as_deref().map(|opponent| lines[opponent]), played))
        })
    }));
    grid(&columns, (1..).zip(&swiss.places))
}

/// `3b 1`, `3 1.5` with two games, `bye 1`, or `3w -` for a future game; `w/o` marks a walkover.
fn round_cell(legs: Legs, opponent: Option<usize>, round: &SwissRound) -> String {
    let points = round.half_points.map_or_else(|| "-".to_owned(), |[own, _]| halves(own));
    let Some(line) = opponent else { return format!("bye {points}") };
    let mark = if round.is_walkover { " w/o" } else { "" };
    format!("{line}{} {points}{mark}", colour(legs, round))
}

/// `b` or `w` for the player's colour in the only game of a round.
const fn colour(legs: Legs, round: &SwissRound) -> &'static str {
    match (legs, round.side) {
        (Legs::One, Some(Side::Black)) => "b",
        (Legs::One, Some(Side::White)) => "w",
        _ => "",
    }
}

/// The caption that explains the cells for rounds on a page. Opponents are identified by line number if the table
/// numbers its lines, and by place otherwise.
fn page_caption(legs: Legs, counts_lines: bool) -> String {
    let opponent = if counts_lines { "line" } else { "place" };
    match legs {
        Legs::One => {
            format!(
                "W for a win, ½ for a draw, L for a loss, then the opponent's {opponent} with the player's colour (b, w); v and the opponent's {opponent} for a game to come"
            )
        }
        Legs::Two => format!(
            "the points of the player and the opponent in both games, then the opponent's {opponent}; v and the opponent's {opponent} for games to come"
        ),
    }
}

/// `W9b`, `½11w` or `L2b`; `1.5–0.5 #9` with two games; `bye`, or `v 3w` for a future game; `w/o` marks a walkover.
fn page_cell(legs: Legs, opponent: Option<usize>, round: &SwissRound) -> String {
    let Some(line) = opponent else { return "bye".to_owned() };
    let mark = if round.is_walkover { " w/o" } else { "" };
    let result = match (legs, round.half_points) {
        (_, None) => "v ".to_owned(),
        (Legs::One, Some([0, _])) => "L".to_owned(),
        (Legs::One, Some([1, _])) => "½".to_owned(),
        (Legs::One, Some(_)) => "W".to_owned(),
        (Legs::Two, Some([own, other])) => format!("{}–{} #", halves(own), halves(other)),
    };
    format!("{result}{line}{}{mark}", colour(legs, round))
}

/// The notes that explain the columns and list the results that were not decided on the board.
fn swiss_notes(swiss: &SwissResult, look: Look) -> Vec<String> {
    let bye = match swiss.legs {
        Legs::One => "1 point",
        Legs::Two => "2 points",
    };
    let mut notes = vec![
        format!("Points: 1 for a win, 0.5 for a draw, {bye} for a bye. Ties are broken by Buchholz, then Sonneborn-Berger, then direct."),
        "Buchholz: the opponents' points, and for a bye the player's own. Sonneborn-Berger: the same, each multiplied by the points scored against that opponent."
            .to_owned(),
        "Direct: the points in games among the players that are level on all previous figures, if all of them have met."
            .to_owned(),
    ];
    let rounds = |is_meant: fn(&SwissRound) -> bool| {
        let of_place = |place: &SwissPlace| -> Option<(Vec<usize>, String)> {
            let meant = (1..).zip(&place.rounds).filter(|(_, round)| is_meant(round));
            let numbers: Vec<usize> = meant.map(|(number, _)| number).collect();
            (!numbers.is_empty()).then(|| (numbers, shown(&place.player, look)))
        };
        let mut found: Vec<(Vec<usize>, String)> = swiss.places.iter().filter_map(of_place).collect();
        found.sort_by_key(|(numbers, _)| numbers[0]);
        let texts = found.into_iter().map(|(numbers, name)| format!("{name} ({})", round_ranges(&numbers)));
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    };
    notes.extend(rounds(|round| round.opponent.is_none()).map(|byes| format!("Byes: {byes}.")));
    let is_lost = |round: &SwissRound| round.is_walkover && round.half_points.is_some_and(|[own, other]| own <= other);
    notes.extend(rounds(is_lost).map(|lost| format!("Walkovers, marked w/o, lost by: {lost}.")));
    notes
}

/// `round 3`, `rounds 1 to 3`, `rounds 1, 3 to 4`: the text for the rounds `numbers`, which are in ascending order.
fn round_ranges(numbers: &[usize]) -> String {
    let ranges = numbers.chunk_by(|one, next| one + 1 == *next).map(|range| match range {
        [first, .., last] => format!("{first} to {last}"),
        [one] => one.to_string(),
        [] => String::new(),
    });
    let ranges: Vec<String> = ranges.collect();
    format!("{} {}", if numbers.len() == 1 { "round" } else { "rounds" }, ranges.join(", "))
}

fn of_knockout(knockout: &KnockoutResult, look: Look) -> Vec<String> {
    let champion = match &knockout.champion {
        Some(champion) => format!("Champion: {}.\n", shown(champion, look)),
        None => "No champion yet.\n".to_owned(),
    };
    let bracket = bracket_drawing::drawn(knockout).unwrap_or_else(|| by_round(knockout));
    let bracket = match look {
        Look::Plain => bracket,
        Look::Markdown => format!("```text\n{bracket}```\n"),
    };
    let title = knockout_heading(knockout);
    let places = titled(PLACES_TITLE, &knockout_grid(knockout).render(look), look);
    let mut sections = vec![titled(&title, &champion, look), bracket, places];
    let notes = knockout_notes(knockout, look);
    if !notes.is_empty() {
        sections.push(lines(notes, look));
    }
    sections
}

/// The pairings of each round as text, for a bracket that is too wide to be drawn.
fn by_round(knockout: &KnockoutResult) -> String {
    let mut lines = Vec::new();
    for (number, round) in (1..).zip(&knockout.rounds) {
        lines.push(format!("Round {number}\n"));
        let known = round.pairings.iter().filter(|pairing| pairing.seats.iter().any(|seat| seat.name().is_some()));
        lines.extend(known.map(|pairing| format!("  {}\n", pairing_line(pairing))));
    }
    lines.concat()
}

/// `ann 2 - 0 bob`, `cid 1 - 1 dan, by seed`, `eve, bye`, `fay against a player to come`.
fn pairing_line(pairing: &BracketPairing) -> String {
    let name = |seat: &BracketSeat| seat.name().map_or_else(|| "?".to_owned(), |name| shown(name, Look::Plain));
    let [one, other] = &pairing.seats;
    let scores = [one, other].map(|seat| match seat {
        BracketSeat::Player { half_points, .. } => half_points.map(halves),
        BracketSeat::Bye | BracketSeat::Open => None,
    });
    let met = match scores {
        _ if *other == BracketSeat::Bye => name(one),
        [Some(left), Some(right)] => format!("{} {left} - {right} {}", name(one), name(other)),
        _ => format!("{} - {}", name(one), name(other)),
    };
    match pairing.won {
        Some((0, WonBy::Bye)) => format!("{met}, bye"),
        Some((winner, by)) => {
            let winner = name(&pairing.seats[winner]);
            by.reason().map_or_else(|| met.clone(), |reason| format!("{met}, {winner} by {reason}"))
        }
        None => met,
    }
}

/// The table of places.
fn knockout_grid(knockout: &KnockoutResult) -> Grid {
    grid(&format_result_fields::of_knockout(knockout), &knockout.places)
}

/// The notes on pairings that were not decided on the board, grouped by reason.
fn knockout_notes(knockout: &KnockoutResult, look: Look) -> Vec<String> {
    let decided = |by: WonBy| {
        let mut found = Vec::new();
        for (number, round) in (1..).zip(&knockout.rounds) {
            for pairing in &round.pairings {
                let Some((winner, reason)) = pairing.won else { continue };
                let Some(name) = pairing.seats[winner].name().filter(|_| reason == by) else { continue };
                let against = pairing.seats[1 - winner].name();
                let against = against.map(|name| format!(" against {}", shown(name, look))).unwrap_or_default();
                let number: usize = number;
                found.push(format!("{}{against} (round {number})", shown(name, look)));
            }
        }
        (!found.is_empty()).then(|| found.join(", "))
    };
    let mut notes = Vec::new();
    notes.extend(
        decided(WonBy::Bye).map(|who| format!("Byes, since the number of players is not a power of two: {who}.")),
    );
    notes.extend(
        decided(WonBy::Walkover)
            .map(|who| format!("Walkovers, because the opponent was absent or could not be started: {who}.")),
    );
    notes.extend(
        decided(WonBy::Seed)
            .map(|who| format!("Decided by the better seed, because all pairs of games were level: {who}.")),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_in_a_row_are_a_range() {
        let shown = [&[3][..], &[1, 2, 3], &[1, 3, 4, 6]].map(round_ranges);
        assert_eq!(shown, ["round 3", "rounds 1 to 3", "rounds 1, 3 to 4, 6"]);
    }

    #[test]
    fn players_that_share_a_place_have_lines_of_their_own() {
        let place = |player: &str, opponent: &str| SwissPlace {
            place: 1,
            player: player.to_owned(),
            half_points: 2,
            byes: 0,
            buchholz: 2,
            sonneborn_berger: 4,
            direct_encounter: None,
            rounds: vec![SwissRound {
                opponent: Some(opponent.to_owned()),
                side: Some(Side::Black),
                half_points: Some([2, 2]),
                is_walkover: false,
            }],
        };
        let places = [("ann", "dan"), ("bob", "cid"), ("cid", "bob"), ("dan", "ann")];
        let places = places.map(|(player, opponent)| place(player, opponent)).to_vec();
        let result = FormatResult::Swiss(SwissResult { places, drawn: 1, rounds: 1, legs: Legs::Two, is_final: true });
        let text = sections(&result, Look::Plain).join("\n");
        let rounds: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("Rounds: ")).skip(3).take(4).collect();
        let words = rounds.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(words.collect::<Vec<_>>(), ["1 ann 4 1", "2 bob 3 1", "3 cid 2 1", "4 dan 1 1"], "{text}");
        let page = of_page(&result);
        assert_eq!(page.header[..3], ["line", "player", "#"]);
        assert!(!page.header.iter().any(|column| column == "byes" || column == "direct"), "{:?}", page.header);
        assert!(page.lines.iter().all(|line| line.len() == page.header.len()));
        assert_eq!(
            (page.lines[3][..3].join(" "), page.lines[3].last()),
            ("4 dan 1".to_owned(), Some(&"1–1 #1".to_owned()))
        );
    }

    #[test]
    fn a_column_is_left_out_if_it_says_nothing_about_any_player() {
        let texts = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<String>>();
        let header = ["#", "byes", "Buchholz", "direct"];
        let shown = |lines: [[&str; 4]; 2]| {
            without_empty_columns((texts(&header), lines.iter().map(|line| texts(line)).collect())).0.join(" ")
        };
        assert_eq!(shown([["1", "0", "0", "-"], ["2", "0", "0", "-"]]), "# Buchholz");
        assert_eq!(shown([["1", "0", "0", "1"], ["2", "1", "0", "-"]]), "# byes Buchholz direct");
    }

    #[test]
    fn a_cell_of_a_round_begins_with_its_result_on_a_page() {
        let cell = |legs, half_points, side, is_walkover| {
            let round = SwissRound { opponent: Some("ann".to_owned()), side, half_points, is_walkover };
            page_cell(legs, Some(9), &round)
        };
        let one = |own: u32, side| cell(Legs::One, Some([own, 2 - own]), Some(side), false);
        assert_eq!([one(2, Side::Black), one(1, Side::White), one(0, Side::Black)], ["W9b", "½9w", "L9b"]);
        assert_eq!(cell(Legs::One, Some([2, 0]), Some(Side::White), true), "W9w w/o");
        assert_eq!(cell(Legs::Two, Some([3, 1]), Some(Side::White), false), "1.5–0.5 #9");
        let to_come = [Legs::One, Legs::Two].map(|legs| cell(legs, None, Some(Side::White), false));
        assert_eq!(to_come, ["v 9w", "v 9"]);
        let bye = SwissRound { opponent: None, side: None, half_points: Some([2, 0]), is_walkover: false };
        assert_eq!(page_cell(Legs::One, None, &bye), "bye");
    }
}
