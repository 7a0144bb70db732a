//! The rules, checked against independent answers and against general laws.

pub(crate) mod oracle;
pub(crate) mod rules;
pub(crate) mod seegover;
