//! The columns of a worksheet, and what each contains.

use std::fmt;
use std::str::FromStr;

use crate::base::word_enum::words;

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SheetColumn {
    /// The participant: `Participant 4711`.
    Id,
    /// The grade.
    Grade,
    /// The highest grade of the assignment.
    Max,
    /// The teacher's comment, which the student sees.
    Feedback,
    /// The participant's name.
    Name,
    /// The participant's e-mail address.
    Email,
    /// The state of the submission.
    Status,
    /// The participant's group, if the assignment is handed in by groups.
    Group,
}

words! {
    pub SheetColumn;
    Id => "id", Grade => "grade", Max => "max", Feedback => "feedback", Name => "name", Email => "email",
    Status => "status", Group => "group",
}

impl SheetColumn {
    /// The header that Moodle gives the column in English.
    pub const fn header(self) -> &'static str {
        match self {
            Self::Id => "Identifier",
            Self::Grade => "Grade",
            Self::Max => "Maximum grade",
            Self::Feedback => "Feedback comments",
            Self::Name => "Full name",
            Self::Email => "Email address",
            Self::Status => "Status",
            Self::Group => "Group",
        }
    }

    /// The columns without which a worksheet cannot be filled in.
    pub(super) const REQUIRED: [Self; 3] = [Self::Id, Self::Grade, Self::Max];
}

/// Columns that a user specified by number, because neither headers nor cells identify them: `id=1,grade=7,max=8`.
///
/// Invariant: no column is given twice, no number is given twice, and numbers count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNumbers(Vec<(SheetColumn, usize)>);

impl ColumnNumbers {
    /// The number of `column`, from 1, if the user specified it.
    pub fn of(&self, column: SheetColumn) -> Option<usize> {
        self.0.iter().find(|(given, _)| *given == column).map(|&(_, number)| number)
    }
}

/// Text that does not specify columns by number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadColumnNumbers {
    /// A part has no `=`.
    #[error("`{0}` is not of the form `COLUMN=NUMBER` (write, for example, `id=1,grade=7,max=8`)")]
    NoPair(String),
    /// An unknown column.
    #[error("`{0}` is not a column (expected id, grade, max, feedback, name, email, status or group)")]
    UnknownColumn(String),
    /// A number that is not the number of a column.
    #[error("`{column}`: `{number}` is not a column number (the first column is 1)")]
    NoNumber {
        /// The column.
        column: SheetColumn,
        /// The text after `=`.
        number: String,
    },
    /// A column or a number that is given twice.
    #[error("`{0}` is given twice")]
    Twice(String),
}

impl FromStr for ColumnNumbers {
    type Err = BadColumnNumbers;

    fn from_str(text: &str) -> Result<Self, BadColumnNumbers> {
        let mut numbers = Self::default();
        for part in text.split(',') {
            let (name, number) = part.split_once('=').ok_or_else(|| BadColumnNumbers::NoPair(part.to_owned()))?;
            let known = SheetColumn::ALL.into_iter().find(|column| column.name() == name.trim());
            let column = known.ok_or_else(|| BadColumnNumbers::UnknownColumn(name.trim().to_owned()))?;
            let counted = number.trim().parse().ok().filter(|&number| number > 0);
            let counted: usize =
                counted.ok_or_else(|| BadColumnNumbers::NoNumber { column, number: number.trim().to_owned() })?;
            if numbers.of(column).is_some() {
                return Err(BadColumnNumbers::Twice(column.to_string()));
            }
            if numbers.0.iter().any(|&(_, other)| other == counted) {
                return Err(BadColumnNumbers::Twice(counted.to_string()));
            }
            numbers.0.push((column, counted));
        }
        Ok(numbers)
    }
}

impl fmt::Display for ColumnNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(column, number)| format!("{column}={number}")).collect();
        f.write_str(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_given_by_number() {
        let numbers: ColumnNumbers = "id=1, grade=7,max=8".parse().expect("numbers");
        assert_eq!(numbers.of(SheetColumn::Grade), Some(7));
        assert_eq!(numbers.of(SheetColumn::Feedback), None);
        assert_eq!(numbers.to_string(), "id=1,grade=7,max=8");
        for (text, why) in [
            ("id", "`id` is not of the form `COLUMN=NUMBER` (write, for example, `id=1,grade=7,max=8`)"),
            (
                "identity=1",
                "`identity` is not a column (expected id, grade, max, feedback, name, email, status or group)",
            ),
            ("id=0", "`id`: `0` is not a column number (the first column is 1)"),
            ("id=1,id=2", "`id` is given twice"),
            ("id=1,grade=1", "`1` is given twice"),
        ] {
            assert_eq!(text.parse::<ColumnNumbers>().expect_err("bad").to_string(), why);
        }
    }
}
