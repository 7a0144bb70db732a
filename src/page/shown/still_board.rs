//! A board that does not change, for pages without a script: the same elements and classes as those of `bundle/board.js`,
//! so that boards look alike on all pages.

use maud::{Markup, html};

/// A board of one layer.
#[derive(Clone, Copy)]
pub(crate) struct StillBoard<'b> {
    /// A description of the board for screen readers.
    pub(crate) label: &'b str,
    /// The ranks from the top; each field is `.`, `b` or `w`.
    pub(crate) ranks: &'b [Vec<char>],
    /// The mark of the field in a row, counted from the top, and a file.
    pub(crate) mark: &'b dyn Fn(usize, usize) -> StillMark,
}

/// The mark of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StillMark {
    /// No mark.
    Plain,
    /// The stone was just put here.
    Last,
    /// The stone was just captured.
    Flip,
    /// A stone has just left.
    Left,
    /// A better move leads here.
    Better,
}

impl StillMark {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "cell",
            Self::Last => "cell last",
            Self::Flip => "cell flip",
            Self::Left => "cell left",
            Self::Better => "cell better",
        }
    }
}

impl StillBoard<'_> {
    /// Renders the board.
    pub(crate) fn markup(self) -> Markup {
        let (ranks, files) = (self.ranks.len(), self.ranks.first().map_or(0, Vec::len));
        html! {
            div class="board still" {
                div class={ "layer on-board size-" (files) } {
                    div class="ranks" aria-hidden="true" { @for rank in (1..=ranks).rev() { span { (rank) } } }
                    div class="points" {
                        div class="grid" role="img" aria-label=(self.label) {
                            @for (row, rank) in self.ranks.iter().enumerate() {
                                div class="row" {
                                    @for (file, &letter) in rank.iter().enumerate() {
                                        (cell(letter, (self.mark)(row, file)))
                                    }
                                }
                            }
                        }
                    }
                    div class="files" aria-hidden="true" {
                        @for letter in ('a'..='z').take(files) { span { (letter) } }
                    }
                }
            }
        }
    }
}

fn cell(letter: char, mark: StillMark) -> Markup {
    html! {
        div class=(mark.class()) {
            @match letter {
                'b' => { span class="stone black" { "b" } }
                'w' => { span class="stone white" { "w" } }
                _ if mark == StillMark::Better => { span class="stone empty" { "*" } }
                _ => { span class="stone empty" {} }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script that gives boards and their parts the same classes on other pages.
    const SCRIPT: &str = include_str!("bundle/board.js");

    #[test]
    fn a_still_board_has_the_parts_of_the_board_of_all_pages() {
        let ranks = ["b.", "w."].map(|rank| rank.chars().collect::<Vec<char>>());
        let mark = |row: usize, file: usize| match (row, file) {
            (0, 0) => StillMark::Last,
            (1, 0) => StillMark::Flip,
            (0, 1) => StillMark::Left,
            _ => StillMark::Better,
        };
        let markup = StillBoard { label: "<b>", ranks: &ranks, mark: &mark }.markup().into_string();
        for part in ["layer on-", "points", "grid", "row", "cell", "stone"] {
            assert!(SCRIPT.contains(&format!("\"{part}")) || SCRIPT.contains(&format!("`{part}")), "{part}");
            assert!(markup.contains(&format!("class=\"{part}")), "{part}: {markup}");
        }
        for mark in ["last", "flip", "left", "better"] {
            assert!(SCRIPT.contains(&format!("\"{mark}\"")) && markup.contains(&format!("\"cell {mark}\"")), "{mark}");
        }
        assert!(markup.contains("<span>2</span><span>1</span>") && markup.contains("<span>a</span><span>b</span>"));
        assert!(markup.contains("aria-label=\"&lt;b&gt;\"") && markup.contains("<span class=\"stone empty\">*</span>"));
    }
}
