//! A page for each player: results by opponent and colour, the best win, mistakes, accuracy, times, claims, forfeits.
//! The style sheet aligns the cells of its tables, so they do not need classes: there may be thousands of cells.

use std::time::Duration;

use maud::{Markup, html};

use super::standings::forfeits;
use super::{
    breakable, claims, counted_points, elo_of, mistakes, own_puzzles, percent, seconds, section_title, think_times,
    usage, versions,
};
use crate::base::percent::encoded;
use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::game::Side;
use crate::page::shown::content::PageContent;
use crate::page::shown::player_facts::{BestWin, FactsOfPlayer, ShownForfeit, player_facts};
use crate::page::shown::prose::prose;
use crate::page::shown::rating_history::whole;
use crate::results::analysis::{Accuracy, FEW_STONES, GamesJudged, MIDDLE_FROM, MoveTally, Phase};
use crate::results::rating::Wdl;
use crate::results::standings::PlayerRow;

/// The maximum number of players for which each player's page lists every opponent. The total size of these lists grows
/// with the square of the number of players.
const ALL_OPPONENTS: usize = 60;

/// The maximum number of opponents on a player's page if there are more players than [`ALL_OPPONENTS`].
const OPPONENTS: usize = 10;

/// The maximum number of players for which their pages list any opponents.
const MOST: usize = 300;

pub(super) fn section(content: &PageContent<'_>) -> Markup {
    let facts = player_facts(content);
    html! {
        section id="players" {
            (section_title("players", "Players"))
            @for (index, facts) in facts.iter().enumerate() { (article(content, index, facts)) }
            @if content.is_private && content.standings.rows().iter().any(|row| row.usage.games > 0) {
                (usage::table(content.standings))
            }
        }
    }
}

fn article(content: &PageContent<'_>, index: usize, facts: &FactsOfPlayer) -> Markup {
    let (row, player) = (&content.standings.rows()[index], &content.data.players[index]);
    let players = content.data.players.len();
    let times = html! {
        (think_times::section(&facts.think_times))
        (claims::section(&facts.claims))
        @if let Some(time) = time(facts) { p { (time) } }
        (own_forfeits(content, facts))
    };
    // Without boards, the times stand in the half of the boards.
    let boards = html! {
        (mistakes::section(content, index))
        (own_puzzles::section(content, index))
    };
    html! {
        article class="player" id={ "p=" (player.slug) } data-p=(index) {
            h3 { (player.name) }
            p { (summary(row)) }
            div class="halves" {
                div {
                    @if players <= MOST { (opponents(content, index, facts)) }
                    @if let Some(best) = facts.best_win { (best_win(content, best)) }
                    (versions::section(content, index))
                    (accuracy(row, facts))
                    @if !boards.0.is_empty() { (times) }
                }
                div { (if boards.0.is_empty() { &times } else { &boards }) }
            }
        }
    }
}

fn best_win(content: &PageContent<'_>, BestWin { opponent, game }: BestWin) -> Markup {
    let id = content.data.id(&content.data.games[game]);
    let name = &content.data.players[opponent].name;
    html! {
        p class="best" {
            "Strongest opponent beaten: "
            @if content.data.games[game].moves.is_empty() { (name) } @else { a href={ "#g=" (encoded(&id)) } { (name) } }
            " (" (elo_of(&content.standings.rows()[opponent])) " Elo)."
        }
    }
}

/// `Rank 2, Elo +240 ± 31, 80-4-26 in 110 games, 82 points, forfeits: 8 crash.`
fn summary(row: &PlayerRow) -> String {
    let total = row.total();
    let bar = row.error95.map(|bar| format!(" ± {}", whole(bar))).unwrap_or_default();
    format!(
        "Rank {}, Elo {}{bar}, {} in {}, {}, forfeits: {}.",
        row.shown_rank("–"),
        elo_of(row),
        wdl(total),
        counted(total.games(), "game"),
        counted_points(total.half_points()),
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
            div class="scroll" { table class="met" {
                caption {
                    "Won-drawn-lost by opponent"
                    @if shown.len() < met.len() { ": the best " (shown.len()) " of " (met.len()) }
                }
                thead { tr {
                    th scope="col" { "opponent" }
                    @for column in ["Elo", "as black", "as white", "both", "score"] { th scope="col" { (column) } }
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
            th scope="row" { a href={ "#p=" (player.slug) } { (breakable(&player.name)) } }
            td { (elo_of(&content.standings.rows()[other])) }
            @for side in Side::BOTH { td { (wdl(facts.met[&other][side])) } }
            td { (wdl(both)) }
            td { (percent(score(both))) }
        }
    }
}

/// The points per game, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "numbers of games")]
fn score(games: Wdl) -> Option<f64> {
    (games.games() > 0).then(|| games.half_points() as f64 / (2 * games.games()) as f64)
}

/// `Time used in a game: 1.2s on average, 9.9s at most.`
fn time(facts: &FactsOfPlayer) -> Option<String> {
    time_used(facts.used, facts.most_used, facts.timed_games)
}

/// The text of [`time`] for a player that used the time `used` in `games`, and `most` in one of them.
pub(in crate::page::shown) fn time_used(used: Duration, most: Duration, games: u32) -> Option<String> {
    let average = used.checked_div(games)?;
    (!average.is_zero())
        .then(|| format!("Time used per game: {} on average, {} at most.", seconds(average), seconds(most)))
}

/// The quality of the player's moves, by phase of the game and by colour.
fn accuracy(row: &PlayerRow, facts: &FactsOfPlayer) -> Markup {
    let Some(accuracy) = row.accuracy.filter(|accuracy| accuracy.all().judged > 0) else { return html! {} };
    html! {
        h4 { "Moves that kept the position's value" }
        div class="scroll" { table {
            caption { "Moves judged by exact values, by game phase and colour" }
            thead { tr {
                th scope="col" { "moves" }
                @for column in ["all", "judged", "blunders", "winner kept", "margin kept", "stones lost per move"] {
                    th scope="col" { (column) }
                }
            } }
            tbody {
                @for phase in Phase::ALL { (phase_line(phase, accuracy)) }
                (tally_line("as black", "", facts.analyzed.black))
                (tally_line("as white", "", facts.analyzed.white))
                (tally_line("all", "", accuracy.all()))
            }
        } }
    }
}

fn phase_line(phase: Phase, accuracy: Accuracy) -> Markup {
    tally_line(phase.name(), &extent(phase, accuracy.games), accuracy.phase(phase))
}

/// The range of `phase`, if all games have the same rule set.
fn extent(phase: Phase, games: Option<GamesJudged>) -> String {
    match (games, phase) {
        (Some(GamesJudged::Gothello), Phase::Opening) => format!("more than {MIDDLE_FROM} empty points"),
        (Some(GamesJudged::Gothello), Phase::Middle) => format!("9 to {MIDDLE_FROM}"),
        (Some(GamesJudged::Gothello), Phase::End) => "up to 8".to_owned(),
        (Some(GamesJudged::Seegover), Phase::Opening) => "the drops".to_owned(),
        (Some(GamesJudged::Seegover), Phase::Middle) => format!("both sides have more than {FEW_STONES} stones"),
        (Some(GamesJudged::Seegover), Phase::End) => "the other turns".to_owned(),
        (Some(GamesJudged::Both) | None, _) => String::new(),
    }
}

/// A row for `moves`.
fn tally_line(name: &str, extent: &str, moves: MoveTally) -> Markup {
    html! {
        tr {
            th scope="row" { (name) @if !extent.is_empty() { " " span class="quiet" { (extent) } } }
            td { (moves.moves) }
            td { (moves.judged) }
            td { (moves.blunders) }
            td { (percent(moves.winner_kept())) }
            td { (percent(moves.margin_kept())) }
            td { (moves.average_loss().map_or_else(|| "–".to_owned(), |loss| format!("{loss:.2}"))) }
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

fn forfeit_line(content: &PageContent<'_>, forfeit: &ShownForfeit) -> Markup {
    let row = &content.data.games[forfeit.game];
    let id = content.data.id(row);
    let extras = row.extras.as_ref();
    let reason = extras.and_then(|extras| extras.why.as_deref());
    let stderr =
        extras.and_then(|extras| extras.err.as_ref()).map(|err| &err[usize::from(forfeit.side == Side::White)]);
    html! {
        a href={ "#g=" (encoded(&id)) } { (id) } ": " (content.data.terms[row.termination])
        @if let Some(reason) = reason { " (" (prose(reason)) ")" }
        @if let Some(stderr) = stderr.filter(|stderr| !stderr.is_empty()) {
            pre { @for line in stderr.lines() { (sanitised(line)) "\n" } }
        }
    }
}
