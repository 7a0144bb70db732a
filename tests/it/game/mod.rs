//! The rules, against answers from elsewhere and against laws.

pub(crate) mod oracle;
pub(crate) mod rules;
pub(crate) mod seegover;
