//! Text on a screen, and how a terminal shows stones and colours.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};

use crate::results::replay::Style as ReplayStyle;

/// The smallest window: its width and its height.
pub(crate) const LEAST_SCREEN: (u16, u16) = (40, 16);

/// The look of a screen on this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenLook {
    /// Whether the terminal shows more than ASCII.
    pub(crate) unicode: bool,
    /// Whether colours are wanted. No information is conveyed by colours alone.
    pub(crate) colours: bool,
}

impl ScreenLook {
    /// How a stone that a position shows as `letter` is drawn.
    pub(crate) fn stone(self, letter: char) -> char {
        ReplayStyle { has_colours: self.colours, has_discs: self.unicode }.stone(letter)
    }

    /// How a field on which a stone can be put is drawn.
    pub(crate) const fn free(self) -> &'static str {
        if self.unicode { "·" } else { "." }
    }

    /// The style of `colour`, if colours are wanted.
    pub(crate) fn colour(self, colour: Color) -> Style {
        if self.colours { Style::default().fg(colour) } else { Style::default() }
    }
}

/// A part of the screen, in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextColumn {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Writes `text` into `column`. The last line that fits ends with `...` if some lines do not fit.
pub(crate) fn paragraph(buffer: &mut Buffer, text: &str, column: TextColumn, style: Style) {
    paragraphs(buffer, &[(text.to_owned(), style)], column);
}

/// Writes `texts` one below the other into `column`, and returns the rest of the column. The last line that fits ends
/// with `...` if some lines do not fit.
pub(crate) fn paragraphs(buffer: &mut Buffer, texts: &[(String, Style)], column: TextColumn) -> TextColumn {
    let mut lines: Vec<(String, Style)> = Vec::new();
    for (text, style) in texts {
        lines.extend(wrapped(text, column.width).into_iter().map(|line| (line, *style)));
    }
    if lines.len() > column.height {
        lines.truncate(column.height);
        if let Some((line, _)) = lines.last_mut() {
            *line = cut_short(line, column.width);
        }
    }
    for ((line, style), y) in lines.iter().zip(column.y..) {
        put(buffer, column.x, y, line, *style);
    }
    TextColumn { y: column.y + lines.len(), height: column.height - lines.len(), ..column }
}

/// The beginning of `line`, followed by the dots that end truncated text.
fn cut_short(line: &str, width: usize) -> String {
    let kept: String = line.chars().take(width.saturating_sub(DOTS.len())).collect();
    let dots = &DOTS[..DOTS.len().min(width)];
    kept.trim_end().to_owned() + dots
}

/// The dots at the end of truncated text.
const DOTS: &str = "...";

/// `text` in lines of at most `width` characters, broken at spaces where possible.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for (index, part) in letters.chunks(width.max(1)).enumerate() {
            let line = lines.last_mut().expect("there is a first line");
            let used = line.chars().count();
            if used == 0 && index == 0 {
                line.extend(part);
            } else if index == 0 && used + 1 + part.len() <= width {
                line.push(' ');
                line.extend(part);
            } else {
                lines.push(part.iter().collect());
            }
        }
    }
    lines
}

/// Writes `text`, which is printable, and truncates it at the end of the line.
pub(crate) fn put(buffer: &mut Buffer, x: usize, y: usize, text: &str, style: Style) {
    let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else { return };
    if x < buffer.area.width && y < buffer.area.height {
        buffer.set_stringn(x, y, text, usize::from(buffer.area.width - x), style);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn a_text_without_enough_room_ends_with_dots() {
        let shown = |height| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 4));
            let texts = [("one two three".to_owned(), Style::default()), ("four".to_owned(), Style::default())];
            let rest = paragraphs(&mut buffer, &texts, TextColumn { x: 0, y: 0, width: 8, height });
            let lines: Vec<String> = (0..4)
                .map(|y| (0..8).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>().trim_end().to_owned())
                .collect();
            (lines, rest.y, rest.height)
        };
        let lines = |lines: [&str; 4]| lines.map(str::to_owned).to_vec();
        assert_eq!(shown(4), (lines(["one two", "three", "four", ""]), 3, 1));
        assert_eq!(shown(2), (lines(["one two", "three...", "", ""]), 2, 0));
        assert_eq!(shown(1), (lines(["one t...", "", "", ""]), 1, 0));
        assert_eq!(shown(0), (lines(["", "", "", ""]), 0, 0));
    }
}
