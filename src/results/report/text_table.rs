//! Tables of text: rows under a header, as plain columns or as Markdown.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets};

use crate::base::sanitise::sanitised;

/// The format of text that contains tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Columns of plain text under a header and a line.
    Plain,
    /// Tables as in GitHub's markdown.
    Markdown,
}

/// Rows of text under a header.
pub(super) struct Grid {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Grid {
    /// Returns the header and the rows, with all text sanitised.
    pub(super) fn into_lines(self) -> (Vec<String>, Vec<Vec<String>>) {
        let cells = |row: Vec<String>| row.iter().map(|text| sanitised(text)).collect();
        (cells(self.header), self.rows.into_iter().map(cells).collect())
    }

    /// The table's lines, each with its newline. Column 1 contains names and is left-aligned; all other columns contain
    /// numbers.
    pub(super) fn render(&self, look: Look) -> String {
        let style = match look {
            Look::Plain => TableStyle::new().header_separator(LineStyle::none().fill('-')),
            Look::Markdown => presets::ASCII_MARKDOWN,
        };
        let mut table = Table::new();
        table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
        let cells = |row: &[String]| -> Vec<String> { row.iter().map(|text| shown(text, look)).collect() };
        table.set_header(cells(&self.header));
        for row in &self.rows {
            table.add_row(cells(row));
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            let alignment = if index == 1 { CellAlignment::Left } else { CellAlignment::Right };
            column.set_cell_alignment(alignment);
        }
        let text: Vec<String> = table.trim_fmt().lines().map(str::to_owned).collect();
        text.join("\n") + "\n"
    }
}

/// The characters that markdown interprets within a line.
const MARKUP: [char; 9] = ['|', '<', '>', '*', '_', '`', '\\', '[', '&'];

/// Makes `text` safe for a cell, whatever names a log contains.
pub(super) fn shown(text: &str, look: Look) -> String {
    let text = sanitised(text);
    match look {
        Look::Plain => text,
        Look::Markdown => text.chars().fold(String::with_capacity(text.len()), |mut escaped, c| {
            if MARKUP.contains(&c) {
                escaped.push('\\');
            }
            escaped.push(c);
            escaped
        }),
    }
}
