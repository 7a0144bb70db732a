//! Text on a screen, and how a terminal shows stones and colours.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};

/// The smallest window: its width and its height.
pub(crate) const LEAST_SCREEN: (u16, u16) = (40, 16);

/// How things look on this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenLook {
    /// Whether the terminal shows more than ASCII.
    pub(crate) unicode: bool,
    /// Whether colours are wanted. Nothing is told by colour alone.
    pub(crate) colours: bool,
}

impl ScreenLook {
    /// How a stone is drawn that a position shows as `letter`.
    pub(crate) fn stone(self, letter: char) -> char {
        match (letter, self.unicode) {
            ('b', true) => '●',
            ('w', true) => '○',
            (other, _) => other,
        }
    }

    /// How a field is drawn on which a stone can be put.
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

/// Writes `text` into `column`, and returns how many lines it takes. What does not fit is left out.
pub(crate) fn paragraph(buffer: &mut Buffer, text: &str, column: TextColumn, style: Style) -> usize {
    let lines = wrapped(text, column.width);
    let shown = lines.len().min(column.height);
    for (line, y) in lines[..shown].iter().zip(column.y..) {
        put(buffer, column.x, y, line, style);
    }
    shown
}

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

/// Writes `text`, which is printable, as far as it fits on its line.
pub(crate) fn put(buffer: &mut Buffer, x: usize, y: usize, text: &str, style: Style) {
    let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else { return };
    if x < buffer.area.width && y < buffer.area.height {
        buffer.set_stringn(x, y, text, usize::from(buffer.area.width - x), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", 5), [""]);
    }
}
