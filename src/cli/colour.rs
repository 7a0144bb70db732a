//! Whether a command's output is coloured.

use std::io::IsTerminal;

use crate::results::replay::Style;

/// Colours for a terminal, unless disabled by `NO_COLOR`.
pub(super) fn style_for(out: &impl IsTerminal) -> Style {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if out.is_terminal() && !unwanted { Style::Colour } else { Style::Plain }
}
