//! Whether what a command prints is coloured.

use std::io::IsTerminal;

use crate::results::replay::Style;

/// Colours for a terminal, unless `NO_COLOR` asks for none.
pub(super) fn style_for(out: &impl IsTerminal) -> Style {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if out.is_terminal() && !unwanted { Style::Colour } else { Style::Plain }
}
