//! A live page whose events are drawn, without a connection and without a terminal, for the fuzz targets.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::heard_page::HeardRun;
use super::page_picture::draw;
use crate::practice::screen_text::ScreenLook;

/// Everything that is drawn after each of `events`, and the new lines of the log. Each event is a line such as
/// `state {..}`, `frame {..}` or `end`.
pub(crate) fn drawn(events: &str) -> Vec<String> {
    let mut run = HeardRun::default();
    let mut shown = Vec::new();
    for event in events.lines() {
        let (kind, data) = event.split_once(' ').unwrap_or((event, ""));
        let news = match kind {
            "state" => run.begin(data),
            "frame" => run.go_on(data),
            _ => {
                run.end();
                continue;
            }
        };
        match news {
            Ok(news) => shown.extend(news.lines),
            Err(error) => shown.push(error.to_string()),
        }
        let first = run.games.keys().next().copied().unwrap_or_default();
        for (width, height) in [(80, 24), (40, 50)] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
            draw(&run, first, ScreenLook { unicode: true, colours: true }, &mut buffer);
            shown.push(buffer.content().iter().map(|cell| cell.symbol()).collect());
        }
    }
    shown
}
