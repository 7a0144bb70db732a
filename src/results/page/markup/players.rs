//! A page for each player: results by opponent and colour, the best win, accuracy, time, forfeits.

use std::time::Duration;

use maud::{Markup, html};

use super::standings::forfeits;
use super::usage;
use super::{percent, points, section_title};
use crate::base::printable::printable;
use crate::base::units::counted;
use crate::game::rules::Side;
use crate::results::analysis::{MoveTally, Phase};
use crate::results::page::content::PageContent;
use crate::results::page::player_facts::{FactsOfPlayer, ShownForfeit, player_facts};
use crate::results::rating::Wdl;
use crate::results::standings::PlayerRow;

/// The most players whose pages list every opponent. The size of all these lists grows with the square of the players.
const ALL_OPPONENTS: usize = 60;

/// The most opponents of a player's page in a larger field.
const OPPONENTS: usize = 10;

/// The most players whose pages list opponents at all.
const MOST: usize = 300;

pub(super) fn section(content: &PageContent<'_>) -> Markup {
    let facts = player_facts(content);
    html! {
        section id="players" {
            (section_title("players", "Players"))
            @if content.is_private && content.standings.rows().iter().any(|row| row.usage.games > 0) {
                (usage::table(content.standings))
            }
            @for (index, facts) in facts.iter().enumerate() { (article(content, index, facts)) }
        }
    }
}

fn article(content: &PageContent<'_>, index: usize, facts: &FactsOfPlayer) -> Markup {
    let (row, player) = (&content.standings.rows()[index], &content.data.players[index]);
    let players = content.data.players.len();
    html! {
        article class="player" id={ "p=" (player.slug) } data-p=(index) {
            h3 { (player.name) }
            p { (summary(row)) }
            @if players <= MOST { (opponents(content, index, facts)) }
            div class="static" {
                @if let Some(best) = facts.strongest_beaten {
                    p class="best" {
                        "Strongest opponent beaten: " (content.data.players[best].name)
                        " (" (format!("{:+.0}", content.standings.rows()[best].shown_rating("–"))) " Elo)."
                    }
                }
                @if let Some(time) = time(facts) { p { (time) } }
                (accuracy(row))
            }
            (own_forfeits(content, facts))
        }
    }
}

/// `Rank 2, Elo +240 ± 31, 80-4-26 in 110 games, 82 points, forfeits: 8 crash.`
fn summary(row: &PlayerRow) -> String {
    let total = row.total();
    let bar = row.error95.map(|bar| format!(" ± {bar:.0}")).unwrap_or_default();
    format!(
        "Rank {}, Elo {:+.0}{bar}, {} in {}, {} points, forfeits: {}.",
        row.shown_rank("–"),
        row.shown_rating("–"),
        wdl(total),
        counted(total.games(), "game"),
        points(total.half_points()),
        forfeits(row)
    )
}

fn wdl(games: Wdl) -> String {
    format!("{}-{}-{}", games.wins, games.draws, games.losses)
}

/// The results against each opponent with each colour.
fn opponents(content: &PageContent<'_>, index: usize, facts: &FactsOfPlayer) -> Markup {
    let met: Vec<usize> = facts.met.keys().copied().collect();
    let most = if content.data.players.len() <= ALL_OPPONENTS { met.len() } else { OPPONENTS };
    let shown = &met[..met.len().min(most)];
    html! {
        @if !shown.is_empty() {
            div class="scroll" { table {
                caption {
                    "Won-drawn-lost by opponent"
                    @if shown.len() < met.len() { ": the best " (shown.len()) " of " (met.len()) }
                }
                thead { tr {
                    th scope="col" { "opponent" }
                    @for column in ["Elo", "as black", "as white", "both", "score"] { th scope="col" class="num" { (column) } }
                } }
                tbody {
                    @for &other in shown { (opponent(content, index, other, facts)) }
                }
            } }
        }
    }
}

fn opponent(content: &PageContent<'_>, index: usize, other: usize, facts: &FactsOfPlayer) -> Markup {
    let player = &content.data.players[other];
    let both = content.standings.versus(index, other);
    html! {
        tr {
            th scope="row" { a href={ "#p=" (player.slug) } { (player.name) } }
            td class="num" { (format!("{:+.0}", content.standings.rows()[other].shown_rating("–"))) }
            @for side in Side::BOTH { td class="num" { (wdl(facts.met[&other][side])) } }
            td class="num" { (wdl(both)) }
            td class="num" { (percent(score(both))) }
        }
    }
}

/// The points a game, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "numbers of games")]
fn score(games: Wdl) -> Option<f64> {
    (games.games() > 0).then(|| games.half_points() as f64 / (2 * games.games()) as f64)
}

/// `Time a game: 1.2s on average, 9.9s at most.`
fn time(facts: &FactsOfPlayer) -> Option<String> {
    let average = facts.used.checked_div(facts.timed_games)?;
    (!average.is_zero())
        .then(|| format!("Time used in a game: {} on average, {} at most.", seconds(average), seconds(facts.most_used)))
}

/// A time in about three digits.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        0.0..0.001 => format!("{:.0} µs", 1e6 * seconds),
        0.001..1.0 => format!("{:.1} ms", 1e3 * seconds),
        _ => format!("{seconds:.1} s"),
    }
}

/// How well the player played, by phase of the game.
fn accuracy(row: &PlayerRow) -> Markup {
    let Some(accuracy) = row.accuracy.filter(|accuracy| accuracy.all().judged > 0) else { return html! {} };
    html! {
        table {
            caption { "Moves judged by exact values" }
            thead { tr {
                th scope="col" { "phase" }
                @for column in ["moves", "judged", "blunders", "winner kept", "margin kept", "stones lost a move"] {
                    th scope="col" class="num" { (column) }
                }
            } }
            tbody {
                @for phase in Phase::ALL { (phase_line(phase.name(), accuracy.phase(phase))) }
                (phase_line("all", accuracy.all()))
            }
        }
    }
}

fn phase_line(name: &str, moves: MoveTally) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            td class="num" { (moves.moves) }
            td class="num" { (moves.judged) }
            td class="num" { (moves.blunders) }
            td class="num" { (percent(moves.winner_kept())) }
            td class="num" { (percent(moves.margin_kept())) }
            td class="num" { (moves.average_loss().map_or_else(|| "–".to_owned(), |loss| format!("{loss:.2}"))) }
        }
    }
}

/// The games that the player forfeited.
fn own_forfeits(content: &PageContent<'_>, facts: &FactsOfPlayer) -> Markup {
    html! {
        @if facts.forfeits > 0 {
            h4 { "Forfeits" }
            ul {
                @for forfeit in &facts.shown_forfeits { li { (forfeit_line(content, forfeit)) } }
            }
            @if facts.forfeits > facts.shown_forfeits.len() {
                p { "and " (facts.forfeits - facts.shown_forfeits.len()) " more" }
            }
        }
    }
}

/// `id` as a link has it: every byte that could end it or mean something there becomes `%` and two digits.
fn in_link(id: &str) -> String {
    let coded = |byte: u8| match byte {
        b'-' | b'.' | b'_' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    id.bytes().map(coded).collect()
}

fn forfeit_line(content: &PageContent<'_>, forfeit: &ShownForfeit) -> Markup {
    let row = &content.data.games[forfeit.game];
    let id = content.data.id(row);
    let extras = row.extras.as_ref();
    let reason = extras.and_then(|extras| extras.why.as_deref());
    let stderr =
        extras.and_then(|extras| extras.err.as_ref()).map(|err| &err[usize::from(forfeit.side == Side::White)]);
    html! {
        a href={ "#g=" (in_link(&id)) } { (id) } ": " (content.data.terms[row.termination])
        @if let Some(reason) = reason { " (" (reason) ")" }
        @if let Some(stderr) = stderr.filter(|stderr| !stderr.is_empty()) {
            pre { @for line in stderr.lines() { (printable(line)) "\n" } }
        }
    }
}
