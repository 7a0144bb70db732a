//! Code shared by the commands that draw on the whole screen.

use super::Exit;
use crate::practice::screen_loop::ScreenEnd;
use crate::practice::screen_text::ScreenLook;
use crate::results::replay::Style;

/// Converts `style`, the style of text on stdout, to the look of the whole screen.
pub(super) const fn screen_look(style: Style) -> ScreenLook {
    ScreenLook { unicode: style.has_discs, colours: style.has_colours }
}

/// The exit code of a command whose screen ended with `end`.
pub(super) const fn exit_of(end: ScreenEnd) -> Exit {
    match end {
        ScreenEnd::Left => Exit::Success,
        ScreenEnd::Interrupted => Exit::Interrupted,
        ScreenEnd::Terminated => Exit::Terminated,
    }
}
