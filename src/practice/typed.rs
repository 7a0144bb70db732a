//! The request in a line that a person types.

use crate::base::word_enum::words;

/// A request, other than a move, that a person can type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardRequest {
    /// Take back the person's last turn.
    Undo,
    /// Say who wins after each legal move.
    Hint,
    /// Say what the person's last move gave away.
    Why,
    /// Show the better line on the board.
    Line,
    /// Resign.
    Resign,
    /// Leave the game.
    Quit,
    /// Say what can be typed.
    Help,
}

words! {
    pub(crate) BoardRequest;
    Undo => "undo",
    Hint => "hint",
    Why => "why",
    Line => "line",
    Resign => "resign",
    Quit => "quit",
    Help => "help",
}

/// What a person can type.
pub(crate) const HELP: &str = "\
a move, such as c3 or pass
undo    take back your last move
hint    who wins after each legal move
why     what your last move gave away
line    the better line, move by move
resign  resign the game
quit    leave the game (so does the end of the input)
help    these lines
";

/// The request in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedLine {
    /// Nothing: the line is blank.
    Blank,
    /// A request that is not a move.
    Request(BoardRequest),
    /// Text that may be a move, in lower case. The rules decide whether it is one.
    Move(String),
}

impl TypedLine {
    /// Reads `line`, ignoring case and surrounding white space.
    pub(crate) fn of(line: &str) -> Self {
        let text = line.trim().to_lowercase();
        let request = BoardRequest::ALL.into_iter().find(|request| request.name() == text);
        match request {
            Some(request) => Self::Request(request),
            None if text.is_empty() => Self::Blank,
            None => Self::Move(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_is_explained_and_is_read_in_any_case() {
        for request in BoardRequest::ALL {
            assert!(HELP.lines().any(|line| line.split(' ').next() == Some(request.name())), "{request}");
            let typed = format!("  {}\r\n", request.name().to_uppercase());
            assert_eq!(TypedLine::of(&typed), TypedLine::Request(request));
        }
        assert_eq!(TypedLine::of(" \t"), TypedLine::Blank);
        assert_eq!(TypedLine::of("C3\n"), TypedLine::Move("c3".to_owned()));
    }
}
