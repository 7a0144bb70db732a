//! Text in the cells of a CSV file. A spreadsheet must not interpret it as a formula.
//!
//! A name from an untrusted log may look like a formula, which a spreadsheet would evaluate. Such a cell is prefixed
//! with an apostrophe, as OWASP advises ("CSV Injection", ASVS 1.2.10). Cells with numbers are never changed.

use std::borrow::Cow;

use crate::tournament::FORMULA_SIGNS;

/// Whether `text`, after any apostrophes, begins like a formula, or with whitespace that a spreadsheet skips when it
/// looks for a formula.
fn is_like_a_formula(text: &str) -> bool {
    let begun = text.trim_start_matches('\'');
    begun.starts_with(FORMULA_SIGNS) || begun.starts_with(['\t', '\r'])
}

/// The cell for `text`.
pub(crate) fn text_cell(text: &str) -> Cow<'_, str> {
    // Text that already begins with an apostrophe gets another one, so that it can be read back.
    if is_like_a_formula(text) { format!("'{text}").into() } else { text.into() }
}

/// The text of a cell that [`text_cell`] produced. Also reads files from earlier versions, which did not add
/// apostrophes.
pub(crate) fn text_of_cell(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_like_a_formula(text)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_cell_begins_like_a_formula_and_every_text_comes_back(text in "['=+@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\t\ra-]{0,6}") {
            let cell = text_cell(&text);
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']), "{cell}");
            prop_assert_eq!(text_of_cell(&cell), text.as_str());
        }
    }

    #[test]
    fn only_what_is_like_a_formula_changes() {
        for (text, cell) in [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("-1", "'-1"),
            ("'=1", "''=1"),
            ("'tis", "'tis"),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            assert_eq!(text_cell(text), cell);
        }
        assert_eq!(text_of_cell("=1"), "=1");
    }
}
