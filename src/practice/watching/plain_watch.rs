//! Games that are watched without a screen, one board after another.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use super::WatchError;
use super::heard_page::WatchedGame;
use super::live_page::PageSource;
use super::server_game::ServerSource;
use crate::base::console;
use crate::practice::shown_board::ShownBoard;
use crate::practice::viewer::GameStory;
use crate::referee::wire::EntityName;
use crate::results::replay::{Style, clock};

/// How long to wait for a line before the time limits are checked again.
const LOOK: Duration = Duration::from_millis(200);

/// Prints a game on the server at this address, one board after another, until the game ends or the output is no longer
/// read.
///
/// # Errors
/// Fails if there is no connection, if the game cannot be followed to its end, or if stdout fails.
pub(crate) fn watch_server(
    address: (&str, u16),
    name: Option<EntityName>,
    patience: Duration,
    style: Style,
) -> Result<(), WatchError> {
    let mut source = ServerSource::connect(address, name, patience)?;
    let mut printed = GamePrinter::default();
    while !source.is_closed() {
        let taken = source.take_within(LOOK);
        if let Some(story) = source.shown_story()
            && !printed.print(story, source.is_closed(), style)?
        {
            return Ok(());
        }
        taken?;
    }
    Ok(())
}

/// Prints the games on the live page at this address, one board after another, until the run ends or the output is no
/// longer read.
///
/// # Errors
/// Fails if there is no connection, if the page is broken, or if stdout fails.
pub(crate) fn watch_page(
    (host, port, path): (&str, u16, &str),
    patience: Duration,
    style: Style,
) -> Result<(), WatchError> {
    let mut source = PageSource::open(host, port, path, patience)?;
    while !source.run.is_over {
        let Some(news) = source.next_within(LOOK)? else { continue };
        let games = news.slots.iter().filter_map(|slot| source.run.games.get(slot));
        let text = games.map(|game| page_game(game, style)).chain(news.lines.iter().map(|line| format!("{line}\n")));
        if !print(&text.collect::<String>())? {
            return Ok(());
        }
    }
    print(&format!("the run is over: {}\n", source.run.progress())).map(drop)
}

/// How much of a game has been printed.
#[derive(Debug, Default)]
struct GamePrinter {
    /// The number of positions printed, and the number of lines printed about the last of these positions.
    positions: usize,
    lines: usize,
    has_ending: bool,
}

impl GamePrinter {
    /// Prints everything that is new. Returns whether the output is still read.
    fn print(&mut self, story: &GameStory, is_closed: bool, style: Style) -> Result<bool, WatchError> {
        let mut text = String::new();
        if self.positions == 0 {
            let _ = writeln!(text, "{}", style.bold(story.heading()));
        } else {
            // Each position is followed by the lines that the server sends before the next position.
            let printed = story.frame(self.positions - 1);
            for line in printed.lines.iter().skip(self.lines) {
                let _ = writeln!(text, "{line}");
            }
            self.lines = printed.lines.len();
        }
        while self.positions <= story.plies() {
            text += &position(story, self.positions, style);
            self.lines = story.frame(self.positions).lines.len();
            self.positions += 1;
        }
        if is_closed && !self.has_ending {
            for line in story.ending() {
                let _ = write!(text, "\n{}\n", style.bold(line));
            }
            self.has_ending = true;
        }
        print(&text)
    }
}

/// The position after `plies` plies, with its move, the clocks and the lines about it.
fn position(story: &GameStory, plies: usize, style: Style) -> String {
    let frame = story.frame(plies);
    let label = if plies == 0 { frame.label.clone() } else { format!("ply {plies}: {}", frame.label) };
    let mut text = format!("\n{}\n", style.bold(&label));
    for line in &frame.lines {
        let _ = writeln!(text, "{line}");
    }
    let clocks: Vec<String> = frame
        .left
        .iter()
        .filter_map(|(seat, left)| left.map(|left| format!("{} {}", story.named(seat), clock(left))))
        .collect();
    if !clocks.is_empty() {
        let _ = writeln!(text, "{}", clocks.join(", "));
    }
    text + &drawn(&frame.board, &frame.marks, style)
}

/// A game on a live page, with its board.
fn page_game(game: &WatchedGame, style: Style) -> String {
    let names: Vec<&str> = game.players.iter().map(|(name, _)| name.as_str()).collect();
    let last = game.last.as_ref().map(|last| format!(": {last}")).unwrap_or_default();
    let head = format!("\n{}, {}, ply {}{last}\n", style.bold(&game.id), names.join(" - "), game.ply);
    head + &game.board.as_ref().map(|board| drawn(board, &game.marks, style)).unwrap_or_default()
}

fn drawn(board: &ShownBoard, marks: &[(usize, usize)], style: Style) -> String {
    board.text(marks, |stone| match (stone, style.has_discs) {
        ('b', true) => '●',
        ('w', true) => '○',
        (other, _) => other,
    })
}

/// Prints `text`. Returns whether the output is still read.
fn print(text: &str) -> Result<bool, WatchError> {
    if text.is_empty() {
        return Ok(true);
    }
    Ok(console::data_with(false, |out| out.write_all(text.as_bytes()).map(|()| true))?)
}
