//! Problems with a worksheet, and warnings for a teacher about a filled worksheet.

use crate::base::sanitise::sanitised;
use crate::course::handout::number_text::short;
use crate::course::handout::worksheet::columns::SheetColumn;

/// A problem with a worksheet, or with filling it in.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorksheetProblem {
    /// The file begins as UTF-16 and ends within a character.
    #[error("the file begins as UTF-16, but has an odd number of bytes; download the worksheet again")]
    HalfCharacter,
    /// There is no header.
    #[error("the file is empty; download the worksheet again")]
    Empty,
    /// The file was written by a spreadsheet program.
    #[error(
        "the file is a spreadsheet or an archive, not a CSV file; download the worksheet again, and do not convert it"
    )]
    NoCsv,
    /// A quoted cell does not end.
    #[error("{line}: a cell begins with a quotation mark that is never closed")]
    OpenQuote {
        /// The line in which the cell begins.
        line: usize,
    },
    /// A required column is missing.
    #[error(
        "1: no column has the header `{}` in any known language, and no cells look like those of this column (found {}); download \
         the grading worksheet again, or give the columns by number: --columns id=1,grade=7,max=8", column.header(), quoted_list(found)
    )]
    NoColumn {
        /// The column.
        column: SheetColumn,
        /// The headers of the file.
        found: Vec<String>,
    },
    /// The assignment is graded on a scale of words.
    #[error(
        "1: the assignment is graded on a scale, not with points; in Moodle, set the type of its grade to `Point`, \
         with the rubric's total as the maximum, and download the worksheet again"
    )]
    Scale,
    /// A column number beyond the last column.
    #[error("--columns: `{column}={number}`, but the header has {columns} columns")]
    NumberTooHigh {
        /// The column.
        column: SheetColumn,
        /// The number of the column, from 1.
        number: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A row that is longer or shorter than the header.
    #[error("{line}: {found} cells, but the header has {expected}; Moodle refuses such a file")]
    Uneven {
        /// The line.
        line: usize,
        /// The number of cells in the row.
        found: usize,
        /// The number of cells in the header.
        expected: usize,
    },
    /// An identifier without a number.
    #[error("{line}:{column}: `{}` does not end with a participant number", sanitised(found))]
    NoParticipant {
        /// The line.
        line: usize,
        /// The number of the column.
        column: usize,
        /// The content of the cell.
        found: String,
    },
    /// A participant with two rows.
    #[error("{line}: participant {participant} has a second row (the first is line {first})")]
    Twice {
        /// The line.
        line: usize,
        /// The line of the first row.
        first: usize,
        /// The participant.
        participant: u64,
    },
    /// A maximum that is not a number.
    #[error(
        "{line}:{column}: `{}` is not a maximum grade (if it is a word of a scale, set the type of the grade to \
         `Point` in Moodle)",
        sanitised(found)
    )]
    BadMaximum {
        /// The line.
        line: usize,
        /// The number of the column.
        column: usize,
        /// The content of the cell.
        found: String,
    },
    /// Rows with different maxima.
    #[error("{line}: the maximum grade is {}, but {} in the rows above", short(*found), short(*expected))]
    MaximaDiffer {
        /// The line.
        line: usize,
        /// The row's maximum.
        found: f64,
        /// The maximum of the first row.
        expected: f64,
    },
    /// The maximum is not the rubric's total.
    #[error(
        "the maximum grade is {}, but the rubric's `total` is {}{}; change one of the two, or convert the points with \
         --scale", short(*maximum), short(*total), with_bonus(*bonus)
    )]
    OtherTotal {
        /// The maximum of the worksheet.
        maximum: f64,
        /// The total of the rubric.
        total: f64,
        /// The points of the rubric's bonus items.
        bonus: f64,
    },
    /// No student of the class has a row.
    #[error("none of the {students} students in the class has a row; is this the worksheet of another assignment?")]
    OtherClass {
        /// The number of students in the class.
        students: usize,
    },
}

/// A warning for a teacher about a filled worksheet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorksheetWarning {
    /// A student without a row.
    #[error(
        "`{}` (participant {participant}) has no row in the worksheet, so this grade is not in moodle.csv",
        sanitised(player)
    )]
    NoRow {
        /// The player.
        player: String,
        /// The participant.
        participant: u64,
    },
    /// A student without a grade.
    #[error("`{}` has no grade yet, so its row stays as it was", sanitised(player))]
    NoGrade {
        /// The player.
        player: String,
    },
    /// A grade that Moodle would silently skip.
    #[error(
        "line {line}: the grade of `{}` is {grade}, above the maximum of {maximum}, so its row stays as it was; limit \
         such grades with --cap, or raise the maximum in Moodle and download the worksheet again",
        sanitised(player)
    )]
    AboveMaximum {
        /// The line.
        line: usize,
        /// The player.
        player: String,
        /// The player's grade.
        grade: String,
        /// The maximum.
        maximum: String,
    },
    /// A comment that this program did not write.
    #[error(
        "line {line}: the comment for `{}` was not written by this program, so it is not changed",
        sanitised(player)
    )]
    CommentKept {
        /// The line.
        line: usize,
        /// The player.
        player: String,
    },
}

fn quoted_list(headers: &[String]) -> String {
    let quoted: Vec<String> = headers.iter().map(|header| format!("`{}`", sanitised(header))).collect();
    quoted.join(", ")
}

/// ` (plus 5 points for bonus items)`, or the empty string.
fn with_bonus(bonus: f64) -> String {
    if bonus > 0.0 { format!(" (plus {} points for bonus items)", short(bonus)) } else { String::new() }
}
