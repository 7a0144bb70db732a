//! The requests that keys make while a game is on the screen. If the web page of a game has a key for the same purpose,
//! both use the same key.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// What the keys do, in one line.
pub(super) const KEYS: &str = "arrows step  space plays  n p mistakes  s solve  y keep  e stderr  ? help  q quit";

/// What the keys do in a game that is being watched, in one line. For such games, neither an analysis nor the bots'
/// stderr is available.
pub(super) const WATCHING_KEYS: &str = "arrows step  space plays  s solve  y keep  ? help  q quit";

/// What the keys do in a game that is being watched.
pub(super) const WATCHING_HELP: &str = "arrows or j k: next and previous ply; Home, End: first and last; space: play, pause; \
                                        s: solve the position, Esc: stop solving; y: print the command that solves it at the \
                                        end; q: quit";

/// What the keys do.
pub(super) const HELP: &str = "arrows or j k: next and previous ply; Home, End: first and last; n, p: next and previous mistake; d: the \
                               decisive move; space: play, pause; s: solve the position, Esc: stop solving; y: print the command \
                               that solves it at the end; e: show and hide the bots' stderr; [ ]: other games; Esc: back to the games; q: quit";

/// The request that a key makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameKey {
    Next,
    Previous,
    First,
    Last,
    NextMistake,
    PreviousMistake,
    Decisive,
    Play,
    Solve,
    Keep,
    Stderr,
    /// The game before or after this one in the list.
    OtherGame {
        is_next: bool,
    },
    Back,
    Quit,
    Help,
}

impl GameKey {
    /// The request that `key` makes, if any.
    pub(crate) const fn of(key: KeyEvent) -> Option<Self> {
        Some(match key.code {
            KeyCode::Right | KeyCode::Down | KeyCode::Char('j' | 'l') => Self::Next,
            KeyCode::Left | KeyCode::Up | KeyCode::Char('k' | 'h') => Self::Previous,
            KeyCode::Home => Self::First,
            KeyCode::End => Self::Last,
            KeyCode::Char('n') => Self::NextMistake,
            KeyCode::Char('p') => Self::PreviousMistake,
            KeyCode::Char('d') => Self::Decisive,
            KeyCode::Char(' ') => Self::Play,
            KeyCode::Char('s') => Self::Solve,
            KeyCode::Char('y') => Self::Keep,
            KeyCode::Char('e') => Self::Stderr,
            KeyCode::Char('[') => Self::OtherGame { is_next: false },
            KeyCode::Char(']') => Self::OtherGame { is_next: true },
            KeyCode::Char('?') => Self::Help,
            KeyCode::Char('q') => Self::Quit,
            KeyCode::Esc => Self::Back,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_watched_game_are_those_of_a_recorded_one_without_its_analysis_and_stderr() {
        for entry in WATCHING_KEYS.split("  ") {
            assert!(KEYS.contains(entry), "{entry}");
        }
        for text in [WATCHING_KEYS, WATCHING_HELP] {
            for missing in ["mistake", "stderr", "decisive", "other games"] {
                assert!(!text.contains(missing), "{missing}: {text}");
            }
        }
    }
}
