//! The story of a recorded game.

use super::story::{FrameDetails, GameStory};
use crate::game::BySeat;
use crate::referee::record::{GroupRecord, LoggedGame, Ply};
use crate::referee::time_control::{SideControl, TimeControl};
use crate::results::analysis::Analysis;
use crate::results::replay::{GroupReplay, Style, ending, heading, ply_lines};

impl GameStory {
    /// The story of `game`, whose moves must be legal, with the findings of `analysis`.
    pub(crate) fn of_log(game: &LoggedGame, analysis: Option<&Analysis>) -> Self {
        let names = game.players().map(str::to_owned);
        let mut story = Self::new(game.ruleset(), &names, &players_line(game));
        let facts = match game {
            LoggedGame::Two(record) => heading(record, Style::PLAIN),
            LoggedGame::Group(record) => GroupReplay::new(record).heading(Style::PLAIN),
        };
        // The first lines name the players.
        for fact in facts.lines().skip(usize::from(game.seats())) {
            story.note(fact);
        }
        let clocks = clocks_of(game);
        story.set_left(BySeat::from_fn(game.seats(), |seat| clocks.first_allowance(seat)));
        drop_outs(&mut story, game, 0);
        for (index, ply) in game.plies().iter().enumerate() {
            let details = FrameDetails { left: ply.left, lines: lines_of(ply, clocks.of(ply.seat)) };
            // The log has been checked, so no move is refused.
            if story.play(ply.played.as_str(), details).is_err() {
                break;
            }
            drop_outs(&mut story, game, index + 1);
        }
        let end = match game {
            LoggedGame::Two(record) => ending(record, Style::PLAIN),
            LoggedGame::Group(record) => GroupReplay::new(record).ending(Style::PLAIN),
        };
        story.end(&end.lines().map(str::to_owned).collect::<Vec<_>>());
        if let Some(analysis) = analysis {
            story.judge(analysis);
        }
        story
    }
}

/// The players' names in one line, such as `ann - bo`.
pub(super) fn players_line(game: &LoggedGame) -> String {
    let names: Vec<&str> = game.players().values().copied().collect();
    names.join(" - ")
}

/// The clocks with which the game was played.
fn clocks_of(game: &LoggedGame) -> TimeControl {
    let clocks = match game {
        LoggedGame::Two(record) => record.clocks(),
        LoggedGame::Group(record) => record.clocks(),
    };
    clocks.unwrap_or_default()
}

/// The time of a ply, what its player claimed, its note and the lines that were refused before it.
fn lines_of(ply: &Ply, control: Option<SideControl>) -> Vec<String> {
    ply_lines(ply, control).lines().map(str::to_owned).collect()
}

/// Removes the seats that dropped out after `plies` plies from the story.
fn drop_outs(story: &mut GameStory, game: &LoggedGame, plies: usize) {
    let outs = game.group().map(|record: &GroupRecord| record.outs.as_slice()).unwrap_or_default();
    for out in outs.iter().filter(|out| out.after_plies == plies) {
        let reason = out.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let text = format!("{} drops out: {}{reason}", story.named(out.seat), out.termination);
        story.drop_out(out.seat, &text);
    }
}
